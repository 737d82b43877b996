//! Sets of characters: classes, `.`, `\d` and similar escapes.

use super::letters;

const LAST: u32 = 0x0010_ffff;

/// A set of characters, given by their code points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    /// The first and last character of each range; sorted and disjoint after [`Self::finish`].
    stretches: Vec<(u32, u32)>,
    /// The ASCII characters of the set, one bit each, with case and negation applied. Most text is ASCII, and a bit is
    /// faster than a search in the ranges.
    ascii: u128,
    /// Whether a letter belongs to the set if the same letter in another case does.
    ignore_case: bool,
    /// Whether the set is all characters outside of the ranges.
    negated: bool,
}

impl Set {
    /// `.`: all characters but line ends.
    pub(super) fn dot() -> Self {
        let mut set = Self::default();
        for line_end in ['\n', '\r', '\u{2028}', '\u{2029}'] {
            set.add(line_end.into(), line_end.into());
        }
        set.finish(true)
    }

    /// `.` under the flag `s`: all characters.
    pub(super) fn any() -> Self {
        Self::default().finish(true)
    }

    /// The set of `\d`, `\s` or `\w`, or with a capital letter its complement; `None` for other
    /// letters.
    pub(super) fn named(letter: char) -> Option<Self> {
        let stretches: &[(u32, u32)] = match letter.to_ascii_lowercase() {
            'd' => &[(0x30, 0x39)],
            'w' => &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)],
            's' => &[
                (0x09, 0x0d),
                (0x20, 0x20),
                (0xa0, 0xa0),
                (0x1680, 0x1680),
                (0x2000, 0x200a),
                (0x2028, 0x2029),
                (0x202f, 0x202f),
                (0x205f, 0x205f),
                (0x3000, 0x3000),
                (0xfeff, 0xfeff),
            ],
            _ => return None,
        };
        let mut set = Self::default();
        for (first, last) in stretches {
            set.add(*first, *last);
        }
        let set = set.finish(false);
        Some(if letter.is_ascii_uppercase() {
            set.opposite()
        } else {
            set
        })
    }

    /// Adds the characters from `first` to `last`.
    pub(super) fn add(&mut self, first: u32, last: u32) {
        self.stretches.push((first, last));
    }

    /// Adds a finished set.
    pub(super) fn add_set(&mut self, other: &Self) {
        self.stretches.extend_from_slice(&other.stretches);
    }

    /// Completes the set: the characters that were added or, with `negated`, all others.
    pub(super) fn finish(mut self, negated: bool) -> Self {
        self.stretches.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.stretches.len());
        for (first, last) in self.stretches {
            match merged.last_mut() {
                Some(previous) if first <= previous.1.saturating_add(1) => {
                    previous.1 = previous.1.max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        self.stretches = merged;
        self.negated = negated;
        self.with_case(false)
    }

    /// The complement of the ranges, as a set that is not negated.
    fn opposite(&self) -> Self {
        let mut gaps = Self::default();
        let mut next = 0;
        for (first, last) in &self.stretches {
            if *first > next {
                gaps.add(next, first - 1);
            }
            next = last + 1;
        }
        if next <= LAST {
            gaps.add(next, LAST);
        }
        gaps.finish(false)
    }

    /// The same set, with case ignored or not.
    pub(super) fn with_case(mut self, ignore_case: bool) -> Self {
        self.ignore_case = ignore_case;
        self.ascii = 0;
        for number in 0..128 {
            if self.look_up(number) {
                self.ascii |= 1 << number;
            }
        }
        self
    }

    /// Whether the character with this number belongs to it.
    pub(super) fn holds(&self, number: u32) -> bool {
        if number < 128 {
            self.ascii >> number & 1 == 1
        } else {
            self.look_up(number)
        }
    }

    fn look_up(&self, number: u32) -> bool {
        // Case comes before the negation: under `i`, `[^a]` excludes `A` too (ECMA-262,
        // `CharacterSetMatcher`).
        let listed = if self.ignore_case {
            letters::any_equal(number, |equal| self.lists(equal))
        } else {
            self.lists(number)
        };
        listed != self.negated
    }

    fn lists(&self, number: u32) -> bool {
        let after = self
            .stretches
            .partition_point(|(first, _)| *first <= number);
        after
            .checked_sub(1)
            .and_then(|index| self.stretches.get(index))
            .is_some_and(|(_, last)| number <= *last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_sets_and_their_opposites() {
        let holds =
            |letter: char, character: char| Set::named(letter).unwrap().holds(character.into());
        assert!(holds('d', '7') && !holds('d', '٣') && holds('D', '٣') && !holds('D', '7'));
        assert!(holds('w', '_') && !holds('w', 'é') && holds('W', 'é'));
        assert!(holds('s', '\u{feff}') && holds('s', '\n') && !holds('S', '\u{3000}'));
        assert!(Set::named('p').is_none());
        assert!(!Set::dot().holds(0x2028) && Set::dot().holds(0x1f600));
    }

    #[test]
    fn case_is_ignored_before_the_set_is_negated() {
        let mut set = Set::default();
        set.add('a'.into(), 'c'.into());
        set.add('é'.into(), 'é'.into());
        let plain = set.clone().finish(false).with_case(true);
        assert!(plain.holds('B'.into()) && plain.holds('É'.into()) && !plain.holds('D'.into()));
        let negated = set.finish(true).with_case(true);
        assert!(
            !negated.holds('B'.into()) && !negated.holds('É'.into()) && negated.holds('D'.into())
        );
    }
}

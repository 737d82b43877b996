//! Sets of characters: classes, `.`, `\d` and similar escapes.

use super::letters;

const LAST: u32 = 0x0010_ffff;

/// The first and last character of each range of a set.
pub(super) type Stretches = Vec<(u32, u32)>;

/// The characters that end a line, which `.` does not match.
pub(super) const LINE_ENDS: [u32; 4] = [0x0a, 0x0d, 0x2028, 0x2029];

/// A set of characters, given by their code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set {
    /// Sorted and disjoint.
    stretches: Stretches,
    /// The ASCII characters of the set, one bit each, with case and negation applied. Most text is ASCII, and a bit is
    /// faster than a search in the ranges.
    ascii: u128,
    /// Whether a letter belongs to the set if the same letter in another case does.
    ignore_case: bool,
    /// Whether the set is all characters outside of the ranges.
    negated: bool,
}

/// The characters of `\d`, `\s` or `\w`, or with a capital letter all others; `None` for other
/// letters.
pub(super) fn named(letter: char) -> Option<Stretches> {
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
    if letter.is_ascii_lowercase() {
        return Some(stretches.to_vec());
    }
    // The gaps: none of these sets has the first or the last character.
    let after = stretches.iter().map(|(_, last)| last + 1);
    let before = stretches.iter().map(|(first, _)| first - 1);
    let starts = std::iter::once(0).chain(after);
    Some(starts.zip(before.chain([LAST])).collect())
}

impl Set {
    /// The set of these characters or, with `negated`, of all others.
    pub(super) fn new(mut stretches: Stretches, negated: bool, ignore_case: bool) -> Self {
        stretches.sort_unstable();
        stretches.dedup_by(|(first, last), previous| {
            let joins = *first <= previous.1.saturating_add(1);
            if joins {
                previous.1 = previous.1.max(*last);
            }
            joins
        });
        let mut set = Self {
            stretches,
            ascii: 0,
            ignore_case,
            negated,
        };
        for number in 0..128 {
            set.ascii |= u128::from(set.look_up(number)) << number;
        }
        set
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
        let holds = |letter: char, character: char| {
            Set::new(named(letter).unwrap(), false, false).holds(character.into())
        };
        assert!(holds('d', '7') && !holds('d', '٣') && holds('D', '٣') && !holds('D', '7'));
        assert!(holds('w', '_') && !holds('w', 'é') && holds('W', 'é'));
        assert!(holds('s', '\u{feff}') && holds('s', '\n') && !holds('S', '\u{3000}'));
        assert!(holds('S', '\0') && holds('W', char::MAX) && named('p').is_none());
    }

    #[test]
    fn case_is_ignored_before_the_set_is_negated() {
        for negated in [false, true] {
            let set = Set::new(vec![(0x61, 0x63), (0xe9, 0xe9)], negated, true);
            for (character, listed) in [('B', true), ('É', true), ('D', false)] {
                assert_eq!(set.holds(character.into()), listed != negated);
            }
        }
    }
}

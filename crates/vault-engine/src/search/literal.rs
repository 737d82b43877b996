//! A word or phrase of a query, and where it stands in a text.

use std::ops::Range;

use memchr::memmem;

use super::certainty::Certainty;
use super::fold::{capitals, fold};
use super::masked::{MaskedByte, MaskedFinder};
use super::signature::{Runs, Signature};

/// A word or phrase: found anywhere, in the middle of words too (`vault-semantics.md` §4.1).
#[derive(Clone, Debug)]
pub(super) struct Literal {
    text: String,
    finder: Finder,
    /// Holds what stands in a decoded text and not in its bytes: the replacement character, or a
    /// byte order mark, which is cut off.
    decoding_matters: bool,
    runs: Runs,
}

#[derive(Clone, Debug)]
enum Finder {
    /// The empty phrase stands everywhere and is never a hit.
    Empty,
    Exact(Box<memmem::Finder<'static>>),
    Folded(Box<Folded>),
}

#[derive(Clone, Debug)]
struct Folded {
    needle: Vec<char>,
    /// Finds the needle in either case of each letter, as long as the capital has as many bytes.
    finder: MaskedFinder,
    /// Whether what `finder` finds is always the needle.
    exact: bool,
    /// The capitals that `finder` does not know; a text that holds one is compared letter by
    /// letter.
    strange: Vec<memmem::Finder<'static>>,
}

impl Literal {
    /// A word or phrase; `ignore_case` as [`fold`] says.
    pub(super) fn new(text: &str, ignore_case: bool) -> Self {
        let finder = if text.is_empty() {
            Finder::Empty
        } else if ignore_case {
            Folded::new(text).map_or(Finder::Empty, |folded| Finder::Folded(Box::new(folded)))
        } else {
            Finder::Exact(Box::new(memmem::Finder::new(text).into_owned()))
        };
        Self {
            text: text.to_owned(),
            finder,
            decoding_matters: text.contains(['\u{fffd}', '\u{feff}']),
            runs: Runs::of(text),
        }
    }

    /// The text as it was given.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it stands in `text`; the empty phrase does.
    pub(super) fn is_in(&self, text: &str) -> bool {
        matches!(self.finder, Finder::Empty) || self.hits(text).next().is_some()
    }

    /// Whether it is the whole of `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        match &self.finder {
            Finder::Empty | Finder::Exact(_) => self.text == text,
            Finder::Folded(folded) => text.chars().map(fold).eq(folded.needle.iter().copied()),
        }
    }

    /// Every place in `text`, from left to right and none over another; none of the empty phrase.
    pub(super) fn hits<'text>(
        &'text self,
        text: &'text str,
    ) -> impl Iterator<Item = Range<usize>> + 'text {
        let slowly = match &self.finder {
            Finder::Folded(folded) => folded.is_strange(text.as_bytes()),
            Finder::Empty | Finder::Exact(_) => false,
        };
        let mut from = 0;
        std::iter::from_fn(move || {
            let hit = match &self.finder {
                Finder::Empty => None,
                Finder::Exact(finder) => {
                    let at = finder.find(text.as_bytes().get(from..)?)? + from;
                    Some(at..at + self.text.len())
                }
                Finder::Folded(folded) if slowly => folded.find_slowly(text, from),
                Finder::Folded(folded) => folded.find(text, from),
            }?;
            from = hit.end;
            Some(hit)
        })
    }

    /// Whether it may stand in the text with this signature: never a yes, but for the empty phrase.
    pub(super) fn sift_signature(&self, signature: &Signature) -> Certainty {
        match self.finder {
            Finder::Empty => Certainty::Yes,
            Finder::Exact(_) | Finder::Folded(_) => {
                Certainty::from(signature.may_hold(&self.runs)).at_most_maybe()
            }
        }
    }

    /// Whether it stands in the text that these bytes are, without decoding them.
    pub(super) fn sift(&self, bytes: &[u8]) -> Certainty {
        if self.decoding_matters {
            return Certainty::Maybe;
        }
        match &self.finder {
            Finder::Empty => Certainty::Yes,
            Finder::Exact(finder) => Certainty::from(finder.find(bytes).is_some()),
            Finder::Folded(folded) => match folded.finder.find(bytes, 0) {
                Some(_) if folded.exact => Certainty::Yes,
                Some(_) => Certainty::Maybe,
                None if folded.is_strange(bytes) => Certainty::Maybe,
                None => Certainty::No,
            },
        }
    }
}

impl Folded {
    fn new(text: &str) -> Option<Self> {
        let needle: Vec<char> = text.chars().map(fold).collect();
        let mut run = Vec::new();
        let mut exact = true;
        let mut strange: Vec<String> = Vec::new();
        for character in &needle {
            let mut buffer = [0; 4];
            let small = character.encode_utf8(&mut buffer).as_bytes();
            let mut masks = [0_u8; 4];
            let mut known = false;
            for capital in capitals(*character) {
                let capital = capital.to_string();
                if known || capital.len() != small.len() {
                    strange.push(capital);
                    continue;
                }
                known = true;
                let mut bits = 0;
                for ((mask, small), capital) in masks.iter_mut().zip(small).zip(capital.bytes()) {
                    *mask = small ^ capital;
                    bits += mask.count_ones();
                }
                exact &= bits == 1;
            }
            run.extend(small.iter().zip(masks).map(|(byte, mask)| MaskedByte {
                value: byte | mask,
                mask,
            }));
        }
        strange.sort_unstable();
        strange.dedup();
        Some(Self {
            needle,
            finder: MaskedFinder::new(run)?,
            exact,
            strange: strange
                .iter()
                .map(|capital| memmem::Finder::new(capital).into_owned())
                .collect(),
        })
    }

    fn is_strange(&self, bytes: &[u8]) -> bool {
        self.strange
            .iter()
            .any(|capital| capital.find(bytes).is_some())
    }

    fn find(&self, text: &str, mut from: usize) -> Option<Range<usize>> {
        loop {
            let start = self.finder.find(text.as_bytes(), from)?;
            let end = start + self.finder.len();
            let is_needle = || {
                text.get(start..end)
                    .is_some_and(|found| found.chars().map(fold).eq(self.needle.iter().copied()))
            };
            if self.exact || is_needle() {
                return Some(start..end);
            }
            from = start + 1;
        }
    }

    fn find_slowly(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let rest = text.get(from..)?;
        rest.char_indices().find_map(|(at, _)| {
            let mut length = 0;
            let mut characters = rest.get(at..)?.chars();
            for wanted in &self.needle {
                let character = characters.next().filter(|next| fold(*next) == *wanted)?;
                length += character.len_utf8();
            }
            Some(from + at..from + at + length)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(needle: &str, ignore_case: bool, text: &str) -> Vec<(usize, usize)> {
        let literal = Literal::new(needle, ignore_case);
        literal.hits(text).map(|hit| (hit.start, hit.end)).collect()
    }

    #[test]
    fn substrings_are_found_in_either_case() {
        assert_eq!(
            hits("note", true, "Notes, NOTE, footnote, no te"),
            [(0, 4), (7, 11), (17, 21)]
        );
        assert_eq!(hits("note", false, "Notes, NOTE, footnote"), [(17, 21)]);
        assert_eq!(hits("aa", true, "aAaaa"), [(0, 2), (2, 4)]);
        assert!(hits("", true, "abc").is_empty());
        assert!(Literal::new("", true).is_in("abc"));
    }

    #[test]
    fn letters_beyond_ascii_are_folded_and_accents_are_kept() {
        assert_eq!(hits("école", true, "ÉCOLE ecole École"), [(0, 6), (13, 19)]);
        assert_eq!(hits("привет", true, "ПРИВЕТ, привет"), [(0, 12), (14, 26)]);
        assert_eq!(hits("ωμ", true, "ΩΜ \u{2126}μ"), [(0, 4), (5, 10)]);
        assert_eq!(
            hits("kilo", true, "\u{212a}ilo kilo K\u{130}LO"),
            [(0, 6), (7, 11), (12, 17)]
        );
        assert_eq!(hits("straße", true, "STRAẞE"), [(0, 8)]);
        // Bytes that differ from `р` in the bits in which `Р` does, but not in all of them.
        assert!(hits("р", true, "\u{400}\u{460}").is_empty());
        assert_eq!(hits("ⱥx", true, "ȺX"), [(0, 3)]);
        assert_eq!(hits("読書", true, "読書メモ"), [(0, 6)]);
    }

    #[test]
    fn bytes_say_what_the_text_says() {
        let sift = |needle: &str, text: &[u8]| Literal::new(needle, true).sift(text);
        assert_eq!(sift("note", b"my NOTE"), Certainty::Yes);
        assert_eq!(sift("note", b"nothing"), Certainty::No);
        assert_eq!(sift("link", "LIN\u{212a}".as_bytes()), Certainty::Maybe);
        assert_eq!(sift("note", b"\xff\xfenote"), Certainty::Yes);
        assert_eq!(sift("\u{fffd}", b"\xff"), Certainty::Maybe);
    }

    fn slowly(needle: &str, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::new(needle).unwrap();
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(hit) = folded.find_slowly(text, from) {
            from = hit.end;
            found.push(hit);
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_fast_way_finds_what_the_slow_way_finds(
            needle in "[akiéßσрωⱥ語 ]{1,3}",
            text in "[aAkK\u{212a}iIİéÉßẞσΣςрРЀѠωΩ\u{2126}ⱥȺ語 ]{0,40}",
        ) {
            let literal = Literal::new(&needle, true);
            let found: Vec<_> = literal.hits(&text).collect();
            prop_assert_eq!(&found, &slowly(&needle, &text));
            match literal.sift(text.as_bytes()) {
                Certainty::Yes => prop_assert!(!found.is_empty()),
                Certainty::No => prop_assert!(found.is_empty()),
                Certainty::Maybe => {}
            }
        }
    }
}

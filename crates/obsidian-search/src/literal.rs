//! A word or phrase of a query, and how it is found in a text.

use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem;

use super::certainty::Certainty;
use super::fold::{capitals, fold};
use super::masked::{MaskedByte, MaskedFinder, MaskedMatch};
use super::trigram_filter::{FilterBlock, Sequences};

/// A word or phrase: found anywhere, in the middle of words too (`vault-semantics.md` §4.1).
#[derive(Clone, Debug)]
pub(super) struct Literal {
    text: String,
    finder: Finder,
    /// Whether it contains U+FFFD or U+FEFF. Decoding adds or removes these characters, so a search
    /// of the raw bytes cannot decide.
    decoding_matters: bool,
    sequences: Sequences,
}

#[derive(Clone, Debug)]
enum Finder {
    /// The empty phrase, which every text contains, but without hits.
    Empty,
    Exact(Box<memmem::Finder<'static>>),
    Folded(Box<Folded>),
}

#[derive(Clone, Debug)]
struct Folded {
    needle: Vec<char>,
    /// Finds the needle with each letter in either case, if both cases have the same length in
    /// UTF-8.
    finder: MaskedFinder,
    /// Whether every match of `finder` is a match of the needle. This is true if no mask has more than one bit, because
    /// then only the two cases of a letter match.
    exact: bool,
    /// The capitals that `finder` cannot find. A text that contains one is compared letter by
    /// letter.
    strange: Vec<memmem::Finder<'static>>,
    /// See [`borders`]; built for the few texts that are compared letter by letter.
    borders: OnceLock<Vec<usize>>,
}

/// The bound on repeated comparisons, in bytes for each byte of text. Beyond it the linear
/// algorithm takes over.
const COMPARED_PER_BYTE: usize = 16;

impl Literal {
    /// A word or phrase. With `ignore_case`, letters are compared by their [`fold`].
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
            sequences: Sequences::new(text),
        }
    }

    /// Returns the text as it was given.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether `text` contains it. Every text contains the empty phrase.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.is_everywhere() || self.hits(text).next().is_some()
    }

    /// Whether it is the whole of `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        match &self.finder {
            Finder::Empty | Finder::Exact(_) => self.text == text,
            Finder::Folded(folded) => text.chars().map(fold).eq(folded.needle.iter().copied()),
        }
    }

    /// Returns every hit in `text`, from left to right without overlaps; none for the empty phrase.
    pub(super) fn hits<'text>(
        &'text self,
        text: &'text str,
    ) -> impl Iterator<Item = Range<usize>> + 'text {
        // One look at the whole text decides for all hits in it.
        let by_letters = match &self.finder {
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
                Finder::Folded(folded) if by_letters => folded.find_by_letters(text, from),
                Finder::Folded(folded) => folded.find(text, from),
            }?;
            from = hit.end;
            Some(hit)
        })
    }

    /// Returns the notes of a block that may contain it: a bit for each.
    pub(super) fn in_block(&self, block: &FilterBlock) -> u64 {
        block.may_hold(&self.sequences)
    }

    /// Whether every text contains it: it is the empty phrase.
    pub(super) fn is_everywhere(&self) -> bool {
        matches!(self.finder, Finder::Empty)
    }

    /// Whether these bytes contain it, without decoding them.
    pub(super) fn prefilter(&self, bytes: &[u8]) -> Certainty {
        if self.decoding_matters {
            return Certainty::Maybe;
        }
        match &self.finder {
            Finder::Empty => Certainty::Yes,
            Finder::Exact(finder) => Certainty::from(finder.find(bytes).is_some()),
            Finder::Folded(folded) => match folded.finder.find(bytes, 0) {
                // Unless it is exact, the finder also matches other letters.
                MaskedMatch::At(_) if folded.exact => Certainty::Yes,
                MaskedMatch::At(_) | MaskedMatch::TooCostly => Certainty::Maybe,
                MaskedMatch::Nowhere if folded.is_strange(bytes) => Certainty::Maybe,
                MaskedMatch::Nowhere => Certainty::No,
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
                // A mask means one capital, with as many bytes as the small letter.
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
                // With two ignored bits, other letters than the two cases match too.
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
            borders: OnceLock::new(),
        })
    }

    fn is_strange(&self, bytes: &[u8]) -> bool {
        self.strange
            .iter()
            .any(|capital| capital.find(bytes).is_some())
    }

    fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let (mut next, mut compared) = (from, 0);
        loop {
            let start = match self.finder.find(text.as_bytes(), next) {
                MaskedMatch::At(start) => start,
                MaskedMatch::Nowhere => return None,
                MaskedMatch::TooCostly => return self.find_by_letters(text, from),
            };
            let end = start + self.finder.len();
            let is_needle = || {
                text.get(start..end)
                    .is_some_and(|found| found.chars().map(fold).eq(self.needle.iter().copied()))
            };
            if self.exact || is_needle() {
                return Some(start..end);
            }
            next = start + 1;
            compared += self.finder.len();
            // Too many positions that match the masks but not the needle.
            if compared / COMPARED_PER_BYTE > next - from {
                return self.find_by_letters(text, from);
            }
        }
    }

    /// Compares folded letters, with the algorithm of Knuth, Morris and Pratt: time is linear in the text up to the
    /// hit, even if text and needle repeat themselves.
    fn find_by_letters(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let rest = text.get(from..)?;
        let borders = self.borders.get_or_init(|| borders(&self.needle));
        let mut present = 0;
        for (at, character) in rest.char_indices() {
            let folded = fold(character);
            while present > 0 && self.needle.get(present) != Some(&folded) {
                present = borders.get(present - 1).copied().unwrap_or_default();
            }
            present += usize::from(self.needle.get(present) == Some(&folded));
            if present == self.needle.len() {
                let end = at + character.len_utf8();
                let hit = rest.get(..end)?;
                // The hit has as many characters as the needle, but maybe not as many bytes.
                let (start, _) = hit.char_indices().rev().nth(present - 1)?;
                return Some(from + start..from + end);
            }
        }
        None
    }
}

/// Returns the failure function of Knuth, Morris and Pratt: for each prefix of the needle, the length of its longest
/// proper prefix that is also a suffix of it.
fn borders(needle: &[char]) -> Vec<usize> {
    let mut borders = vec![0; needle.len()];
    let mut present = 0;
    for (index, letter) in needle.iter().enumerate().skip(1) {
        while present > 0 && needle.get(present) != Some(letter) {
            present = borders.get(present - 1).copied().unwrap_or_default();
        }
        present += usize::from(needle.get(present) == Some(letter));
        if let Some(border) = borders.get_mut(index) {
            *border = present;
        }
    }
    borders
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
        let prefilter = |needle: &str, text: &[u8]| Literal::new(needle, true).prefilter(text);
        assert_eq!(prefilter("note", b"my NOTE"), Certainty::Yes);
        assert_eq!(prefilter("note", b"nothing"), Certainty::No);
        assert_eq!(
            prefilter("link", "LIN\u{212a}".as_bytes()),
            Certainty::Maybe
        );
        assert_eq!(prefilter("note", b"\xff\xfenote"), Certainty::Yes);
        assert_eq!(prefilter("\u{fffd}", b"\xff"), Certainty::Maybe);
    }

    fn slowly(needle: &str, text: &str) -> Vec<Range<usize>> {
        let needle: Vec<char> = needle.chars().map(fold).collect();
        let letters: Vec<(usize, char)> = text.char_indices().collect();
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(window) = letters.get(at..at + needle.len()) {
            if window
                .iter()
                .map(|(_, letter)| fold(*letter))
                .eq(needle.iter().copied())
            {
                let end = letters
                    .get(at + needle.len())
                    .map_or(text.len(), |next| next.0);
                found.push(window[0].0..end);
                at += needle.len();
            } else {
                at += 1;
            }
        }
        found
    }

    fn by_letters(needle: &str, text: &str) -> Vec<Range<usize>> {
        let folded = Folded::new(needle).unwrap();
        let mut from = 0;
        std::iter::from_fn(|| {
            let hit = folded.find_by_letters(text, from)?;
            from = hit.end;
            Some(hit)
        })
        .collect()
    }

    /// A long word, and a text that almost repeats it. Without a linear algorithm, each pair would
    /// take hours.
    #[test]
    fn e16_words_and_texts_that_repeat_themselves_take_linear_time() {
        let long = "a".repeat(200_000);
        let text = long.repeat(20);
        for needle in [
            format!("{long}e{long}"),
            format!("{long}\u{e9}"),
            format!("{long}k"),
        ] {
            let literal = Literal::new(&needle, true);
            assert!(!literal.is_in(&text));
            assert_ne!(literal.prefilter(text.as_bytes()), Certainty::Yes);
            assert!(!literal.is_in(&format!("{text}\u{212a}")) || needle.ends_with('k'));
        }
        let greek = "\u{3c1}".repeat(100_000);
        let literal = Literal::new(&format!("{greek}x"), true);
        let text = "\u{3a1}".repeat(1_000_000);
        assert_eq!(literal.hits(&format!("{text}X")).count(), 1);
        assert!(!literal.is_in(&text));
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
            prop_assert_eq!(&found, &by_letters(&needle, &text));
            match literal.prefilter(text.as_bytes()) {
                Certainty::Yes => prop_assert!(!found.is_empty()),
                Certainty::No => prop_assert!(found.is_empty()),
                Certainty::Maybe => {}
            }
        }
    }
}

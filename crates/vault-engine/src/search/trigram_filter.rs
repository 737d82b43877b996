//! A trigram filter: a few hundred bytes that tell whether a note can contain a word. With it, most
//! notes without the word need not be read.
//!
//! It is a Bloom filter with one hash function. Path and text are case-folded ([`fold`]), and every
//! three consecutive bytes set one bit. A word can occur, in any casing, only if the bits of all
//! its trigrams are set. Different trigrams may share a bit, so false positives are possible and
//! false negatives are not.

use super::fold::fold;

const WORD_BITS: usize = 64;
const FEWEST_WORDS: usize = 4;
/// 16 KiB: longer texts add few new trigrams.
const MOST_WORDS: usize = 2048;

/// The filter of one note. The number of words is a power of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrigramFilter(Box<[u64]>);

/// The trigrams of a word or phrase; empty for one of fewer than three bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trigrams(Vec<u32>);

impl TrigramFilter {
    /// Builds the filter of a path and a text; bytes that are not UTF-8 are replaced first.
    pub(crate) fn new(path: &str, bytes: &[u8]) -> Self {
        // Between one and a half and three bits for each byte. In an ordinary note, about a fifth
        // of them are then set.
        let words =
            (bytes.len() / 2 * 3 / WORD_BITS).clamp(FEWEST_WORDS, MOST_WORDS).next_power_of_two();
        let shift = shift(words);
        let mut bits = vec![0_u64; words].into_boxed_slice();
        // The text follows the path without a break, so two trigrams begin in the path and end in
        // the text. These extra bits do no harm.
        let mut run = 0_u32;
        let mut mark = |byte: u8| {
            run = following(run, byte);
            let (word, mask) = place(run, shift);
            if let Some(word) = bits.get_mut(word) {
                *word |= mask;
            }
        };
        each_folded_byte(path, &mut mark);
        match std::str::from_utf8(bytes) {
            Ok(text) => each_folded_byte(text, &mut mark),
            Err(_) => each_folded_byte(&String::from_utf8_lossy(bytes), &mut mark),
        }
        Self(bits)
    }

    /// Whether the path or the text may contain a word or phrase with these trigrams.
    pub(super) fn may_hold(&self, runs: &Trigrams) -> bool {
        let shift = shift(self.0.len());
        runs.0.iter().all(|run| {
            let (word, mask) = place(*run, shift);
            self.0.get(word).is_some_and(|word| word & mask != 0)
        })
    }
}

impl Trigrams {
    /// The trigrams of a word or phrase.
    pub(super) fn new(text: &str) -> Self {
        let mut run = 0;
        let mut length = 0_usize;
        let mut runs = Vec::new();
        each_folded_byte(text, &mut |byte| {
            run = following(run, byte);
            length += 1;
            if length >= 3 {
                runs.push(run);
            }
        });
        Self(runs)
    }
}

#[inline]
fn each_folded_byte(text: &str, take: &mut impl FnMut(u8)) {
    let mut rest = text;
    while !rest.is_empty() {
        // Most text is ASCII, which is folded without decoding.
        let plain = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        let (ascii, others) = rest.split_at(plain);
        for byte in ascii.bytes() {
            take(byte.to_ascii_lowercase());
        }
        let mut characters = others.chars();
        if let Some(character) = characters.next() {
            let mut buffer = [0; 4];
            for byte in fold(character).encode_utf8(&mut buffer).bytes() {
                take(byte);
            }
        }
        rest = characters.as_str();
    }
}

/// The trigram that ends with `byte`, in the lower 24 bits.
#[inline]
fn following(run: u32, byte: u8) -> u32 {
    (run << 8 | u32::from(byte)) & 0x00ff_ffff
}

/// How far a hash is shifted to the right, to become the number of a bit in this many words.
fn shift(words: usize) -> u32 {
    u32::BITS - (words * WORD_BITS).ilog2()
}

/// The word and the bit of a trigram. The hash is a multiplication by about 2^32 divided by the
/// golden ratio (Fibonacci hashing), whose upper bits are well distributed.
#[inline]
fn place(run: u32, shift: u32) -> (usize, u64) {
    let bit = run.wrapping_mul(0x9e37_79b1) >> shift;
    (usize::try_from(bit / 64).unwrap_or_default(), 1 << (bit % 64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::literal::Literal;
    use super::*;

    fn may_hold(text: &[u8], word: &str) -> bool {
        TrigramFilter::new("Folder/Ordner.md", text).may_hold(&Trigrams::new(word))
    }

    #[test]
    fn what_stands_there_is_never_denied() {
        let text = "Grüße aus KÖLN, 語 und \u{212a}ilo".as_bytes();
        for word in ["grüsse", "grüße", "GRÜẞE", "köln", "語", "kilo", "us k", ""] {
            let stands = Literal::new(word, true).is_in(std::str::from_utf8(text).unwrap());
            assert!(may_hold(text, word) || !stands, "{word}");
        }
        assert!(may_hold(b"caf\xe9 au lait", "f\u{fffd} a"));
        assert!(may_hold(b"ab", "ab") && may_hold(b"", "ab"));
        assert!(may_hold(b"", "ORDNER.md") && !may_hold(b"", "word"));
    }

    #[test]
    fn most_of_what_does_not_stand_there_is_denied() {
        let text = "The quick brown fox jumps over the lazy dog. ".repeat(40);
        let words = ["zebra", "quartz", "foxglove", "brawn", "overtly", "naïve"];
        assert!(words.iter().all(|word| !may_hold(text.as_bytes(), word)));
    }

    #[test]
    fn a_long_text_has_a_signature_of_bounded_size() {
        let trigram_filter = TrigramFilter::new("", &vec![b'x'; 1_000_000]);
        assert_eq!(trigram_filter.0.len(), MOST_WORDS);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn a_no_is_always_right(
            before in "[a-cAkK\u{212a}iIİéÉßẞσΣςѠωⱥȺ語 ]{0,40}",
            word in "[a-cAkK\u{212a}iIİéÉßẞσΣςѠωⱥȺ語 ]{1,6}",
            after in proptest::collection::vec(any::<u8>(), 0..20),
            ignore_case: bool,
        ) {
            let mut bytes = before.clone().into_bytes();
            bytes.extend(&after);
            let text = String::from_utf8_lossy(&bytes);
            if Literal::new(&word, ignore_case).is_in(&text) {
                prop_assert!(may_hold(&bytes, &word));
            }
            bytes.extend(word.to_uppercase().bytes());
            let text = String::from_utf8_lossy(&bytes);
            if Literal::new(&word, ignore_case).is_in(&text) {
                prop_assert!(may_hold(&bytes, &word));
            }
        }
    }
}

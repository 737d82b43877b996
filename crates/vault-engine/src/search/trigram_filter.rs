//! Filters that find the notes that can contain a word, so that most notes without it need not be read.
//!
//! A filter is a Bloom filter with one hash function. Path and text are case-folded ([`fold`]), and
//! every three consecutive bytes set one bit. So do every four bytes of a word: rare words often
//! consist of common trigrams. A word can occur, in any casing, only if the bits of all its sequences
//! are set. Different sequences may share a bit, so false positives are possible and false negatives
//! are not.
//!
//! The filters of 64 notes form a block, in which the same bit of all of them is one word in memory. A
//! search checks all notes of a block at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::fold::fold;

/// The notes of a block.
const COLUMNS: u32 = u64::BITS;
const FEWEST_ROWS: usize = 256;
/// Longer texts add few new sequences.
const MOST_ROWS: usize = 65_536;

/// The filter of one note: a column of a block.
#[derive(Clone, Debug)]
pub(crate) struct TrigramFilter {
    block: Arc<FilterBlock>,
    column: u32,
}

/// The filters of up to 64 notes of about the same length, a row for each bit.
#[derive(Debug)]
pub(crate) struct FilterBlock(Box<[AtomicU64]>);

/// The blocks with free columns, by their number of rows.
#[derive(Debug, Default)]
pub(crate) struct TrigramFilters(Mutex<BTreeMap<usize, TrigramFilter>>);

/// The sequences of a word or phrase, as hashes; empty for one of fewer than three bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequences(Vec<u32>);

impl TrigramFilters {
    /// Builds the filter of a path and a text; bytes that are not UTF-8 are replaced first.
    pub(crate) fn add(&self, path: &str, bytes: &[u8]) -> TrigramFilter {
        // Two bits for each byte, in steps of a quarter. In an ordinary note, about a third of them
        // are then set.
        let wanted = (bytes.len() * 2).clamp(FEWEST_ROWS, MOST_ROWS);
        let rows = wanted.next_multiple_of(1 << (wanted.ilog2() - 2));
        // Many sequences repeat, so the bits are collected first.
        let mut bits = vec![0_u64; rows.div_ceil(64)];
        let mut set = |hash| {
            let row = row(hash, rows);
            if let Some(word) = bits.get_mut(row / 64) {
                *word |= 1 << (row % 64);
            }
        };
        // The text follows the path without a break, so some sequences begin in the path and end in
        // the text. These extra bits do no harm.
        let mut last = LastBytes::default();
        let mut mark = |byte: u8| {
            last.add(byte);
            set(last.three());
            if let Some(hash) = last.four() {
                set(hash);
            }
        };
        each_folded_byte(path, &mut mark);
        match std::str::from_utf8(bytes) {
            Ok(text) => each_folded_byte(text, &mut mark),
            Err(_) => each_folded_byte(&String::from_utf8_lossy(bytes), &mut mark),
        }
        self.add_bits(rows, &bits)
    }

    fn add_bits(&self, rows: usize, bits: &[u64]) -> TrigramFilter {
        // Poisoning is harmless: at worst a column has bits of no note.
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let filter = open.remove(&rows).unwrap_or_else(|| TrigramFilter {
            block: Arc::new(FilterBlock((0..rows).map(|_| AtomicU64::new(0)).collect())),
            column: 0,
        });
        for (rows, &bits) in filter.block.0.chunks(64).zip(bits) {
            let mut rest = bits;
            while let Some(row) = rows.get(usize::try_from(rest.trailing_zeros()).unwrap_or(64)) {
                // Only this thread writes, because it has the lock. A search reads a column after its
                // note has got this filter.
                row.store(row.load(Ordering::Relaxed) | 1 << filter.column, Ordering::Relaxed);
                rest &= rest - 1;
            }
        }
        let column = filter.column + 1;
        if column < COLUMNS {
            open.insert(rows, TrigramFilter { column, ..filter.clone() });
        }
        filter
    }
}

impl FilterBlock {
    /// Returns the notes whose path or text may contain a word or phrase with these sequences: a bit for each column.
    pub(super) fn may_hold(&self, sequences: &Sequences) -> u64 {
        let mut notes = u64::MAX;
        for &hash in &sequences.0 {
            let row = self.0.get(row(hash, self.0.len()));
            notes &= row.map_or(0, |row| row.load(Ordering::Relaxed));
            if notes == 0 {
                break;
            }
        }
        notes
    }
}

impl TrigramFilter {
    /// Returns the block with this filter.
    pub(super) fn block(&self) -> &FilterBlock {
        &self.block
    }

    /// Whether the bit of this note is set in a result for its block.
    pub(super) fn is_in(&self, notes: u64) -> bool {
        notes >> self.column & 1 == 1
    }
}

impl Sequences {
    /// The sequences of a word or phrase.
    pub(super) fn new(text: &str) -> Self {
        let mut last = LastBytes::default();
        let mut length = 0_usize;
        let (mut threes, mut hashes) = (Vec::new(), Vec::new());
        each_folded_byte(text, &mut |byte| {
            last.add(byte);
            length += 1;
            if length >= 3 {
                threes.push(last.three());
            }
            hashes.extend(last.four());
        });
        // Those of four bytes are rarer, so they come first.
        hashes.append(&mut threes);
        Self(hashes)
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

/// The last bytes of a text.
#[derive(Default)]
struct LastBytes {
    /// The last four bytes.
    bytes: u32,
    /// The number of these bytes that belong to the current word.
    of_word: u32,
}

impl LastBytes {
    #[inline]
    fn add(&mut self, byte: u8) {
        self.bytes = self.bytes << 8 | u32::from(byte);
        let is_of_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        self.of_word = if is_of_word { self.of_word + 1 } else { 0 };
    }

    /// Returns the hash of three bytes. It is a multiplication by about 2^32 divided by the golden ratio (Fibonacci
    /// hashing), whose upper bits are well distributed.
    #[inline]
    fn three(&self) -> u32 {
        (self.bytes & 0x00ff_ffff).wrapping_mul(0x9e37_79b1)
    }

    /// Returns the hash of four bytes of one word.
    #[inline]
    fn four(&self) -> Option<u32> {
        (self.of_word >= 4).then(|| self.bytes.wrapping_mul(0x85eb_ca6b))
    }
}

/// Returns the row of a hash: its upper bits.
#[inline]
fn row(hash: u32, rows: usize) -> usize {
    let rows = u64::try_from(rows).unwrap_or(0);
    usize::try_from((u64::from(hash) * rows) >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use seeded_random::Random;

    use super::super::literal::Literal;
    use super::*;

    fn may_hold(text: &[u8], word: &str) -> bool {
        let filters = TrigramFilters::default();
        let notes: [&[u8]; 3] = [b"other", text, b"another"];
        let [_, filter, _] = notes.map(|text| filters.add("Folder/Ordner.md", text));
        filter.is_in(filter.block().may_hold(&Sequences::new(word)))
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
        // Its trigrams are there, but not `abcd`.
        assert!(!may_hold(b"abcx ybcde", "abcde"));
    }

    #[test]
    fn few_notes_of_many_different_words_have_to_be_read_for_a_word_that_none_has() {
        let mut random = Random::new(7);
        let filters = TrigramFilters::default();
        let mut note = || {
            let mut letter = |at: usize| {
                if at.is_multiple_of(7) { b' ' } else { *random.pick(b"abcdefghijklmnoprstuvwy") }
            };
            filters.add("Note.md", &(0..2500).map(&mut letter).collect::<Vec<u8>>())
        };
        let notes: Vec<TrigramFilter> = (0..640).map(|_| note()).collect();
        let word = Sequences::new("zzyzx");
        let unread = notes.iter().filter(|filter| !filter.is_in(filter.block().may_hold(&word)));
        assert!(unread.count() > 630);
    }

    #[test]
    fn a_block_has_the_notes_of_one_length_and_a_bounded_size() {
        let filters = TrigramFilters::default();
        let long = vec![b'x'; 1_000_000];
        assert_eq!(filters.add("", &long).block().0.len(), MOST_ROWS);
        let made: Vec<TrigramFilter> =
            (0..65).map(|number| filters.add(&format!("{number}.md"), b"")).collect();
        for (number, filter) in made.iter().enumerate() {
            let block = filter.block();
            let found = block.may_hold(&Sequences::new(&format!("{number}.md")));
            assert!(filter.is_in(found));
            assert!(found.count_ones() < 16, "{number}: {found:b}");
            assert_eq!(Arc::ptr_eq(&filter.block, &made[0].block), number < 64);
        }
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

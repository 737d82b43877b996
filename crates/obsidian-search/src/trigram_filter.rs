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

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::fold::fold;

/// The notes of a block.
const COLUMNS: usize = 64;
const FEWEST_ROWS: usize = 256;
/// Longer texts add few new sequences.
const MOST_ROWS: usize = 65_536;

/// The filter of one note: a column of a block.
#[derive(Clone, Debug)]
pub struct TrigramFilter {
    block: Arc<FilterBlock>,
    column: usize,
}

/// The filters of up to 64 notes of about the same length, with `rows` bits each.
#[derive(Debug)]
pub struct FilterBlock {
    rows: usize,
    bits: RwLock<BlockBits>,
}

#[derive(Debug)]
enum BlockBits {
    /// The bits of each note, as long as there is room for another one.
    Columns(Vec<Vec<u64>>),
    /// The same bit of all notes in one word.
    Rows(Vec<u64>),
}

/// The blocks with free columns, by their number of rows.
#[derive(Debug, Default)]
pub struct TrigramFilters(Mutex<BTreeMap<usize, TrigramFilter>>);

/// The sequences of a word or phrase, as hashes; empty for one of fewer than three bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sequences(Vec<u32>);

impl TrigramFilters {
    /// Builds the filter of a path and a text; bytes that are not UTF-8 are replaced first.
    pub fn add(&self, path: &str, bytes: &[u8]) -> TrigramFilter {
        // Two bits for each byte, in steps of a quarter. In an ordinary note, about a third of them
        // are then set.
        let wanted = (bytes.len() * 2).clamp(FEWEST_ROWS, MOST_ROWS);
        let rows = wanted.next_multiple_of(1 << (wanted.ilog2() - 2));
        // A byte for each bit: the processor need not wait for one to be written before it writes the next.
        let mut seen = vec![0_u8; rows];
        let mut see = |hash| {
            if let Some(seen) = seen.get_mut(row(hash, rows)) {
                *seen = 1;
            }
        };
        let text = std::str::from_utf8(bytes).map(Cow::Borrowed);
        let text = text.unwrap_or_else(|_| String::from_utf8_lossy(bytes));
        // The text follows the path without a break, so some sequences begin in the path and end in
        // the text. These extra bits do no harm.
        for (last, of_word) in last_bytes(&folded(&[path, &text])) {
            see(three(last));
            // Chosen without a branch, because where words end cannot be predicted.
            see(three(last) ^ (three(last) ^ four(last)) & of_word);
        }
        // Eight bytes, each 0 or 1, are multiplied so that their bits meet in the uppermost byte.
        let pack =
            |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        let words = seen.as_chunks().0.chunks(8);
        let word = |bytes: &[[u8; 8]]| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, byte| word << 8 | pack(byte))
        };
        let bits = words.map(word).collect();
        self.add_bits(rows, bits)
    }

    fn add_bits(&self, rows: usize, bits: Vec<u64>) -> TrigramFilter {
        // Poisoning is harmless: at worst a column has bits of no note.
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let filter = open.remove(&rows).unwrap_or_else(|| {
            let bits = RwLock::new(BlockBits::Columns(Vec::new()));
            TrigramFilter {
                block: Arc::new(FilterBlock { rows, bits }),
                column: 0,
            }
        });
        filter.block.push(bits);
        let column = filter.column + 1;
        if column < COLUMNS {
            open.insert(
                rows,
                TrigramFilter {
                    column,
                    ..filter.clone()
                },
            );
        } else {
            drop(open);
            filter.block.transpose();
        }
        filter
    }
}

impl FilterBlock {
    fn push(&self, note: Vec<u64>) {
        let mut bits = self.bits.write().unwrap_or_else(PoisonError::into_inner);
        if let BlockBits::Columns(columns) = &mut *bits {
            columns.push(note);
        }
    }

    /// Arranges the bits of all notes in rows.
    fn transpose(&self) {
        let mut bits = self.bits.write().unwrap_or_else(PoisonError::into_inner);
        if let BlockBits::Columns(columns) = &*bits {
            let mut rows = Vec::with_capacity(self.rows);
            for place in 0..self.rows.div_ceil(64) {
                let mut square = [0; 64];
                for (word, column) in square.iter_mut().zip(columns) {
                    *word = column.get(place).copied().unwrap_or(0);
                }
                transpose(&mut square);
                rows.extend(square);
            }
            *bits = BlockBits::Rows(rows);
        }
    }

    /// The notes whose path or text may contain a word or phrase with these sequences: a bit for each
    /// column.
    pub(super) fn may_hold(&self, sequences: &Sequences) -> u64 {
        let bits = self.bits.read().unwrap_or_else(PoisonError::into_inner);
        let notes_with = |hash: u32| {
            let row = row(hash, self.rows);
            match &*bits {
                BlockBits::Rows(rows) => rows.get(row).copied().unwrap_or(0),
                BlockBits::Columns(columns) => columns.iter().rev().fold(0, |notes, column| {
                    notes << 1
                        | column
                            .get(row / 64)
                            .map_or(0, |word| word >> (row % 64) & 1)
                }),
            }
        };
        let mut notes = u64::MAX;
        for &hash in &sequences.0 {
            notes &= notes_with(hash);
            if notes == 0 {
                break;
            }
        }
        notes
    }
}

/// Exchanges bit `a` of word `b` with bit `b` of word `a`: halves of the square first, then halves of these.
fn transpose(square: &mut [u64; 64]) {
    let (mut width, mut low) = (32, u64::MAX >> 32);
    while width > 0 {
        for words in square.chunks_exact_mut(2 * width) {
            let (upper, lower) = words.split_at_mut(width);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let differing = (*upper >> width ^ *lower) & low;
                *upper ^= differing << width;
                *lower ^= differing;
            }
        }
        width /= 2;
        low ^= low << width;
    }
}

impl TrigramFilter {
    /// Returns the block with this filter.
    pub fn block(&self) -> &FilterBlock {
        &self.block
    }

    /// Whether the bit of this note is set in a result for its block.
    pub fn is_in(&self, notes: u64) -> bool {
        notes >> self.column & 1 == 1
    }
}

impl Sequences {
    /// The sequences of a word or phrase.
    pub(super) fn new(text: &str) -> Self {
        let (mut threes, mut hashes) = (Vec::new(), Vec::new());
        for (at, (last, of_word)) in last_bytes(&folded(&[text])).enumerate() {
            if at >= 2 {
                threes.push(three(last));
            }
            if of_word != 0 {
                hashes.push(four(last));
            }
        }
        // Those of four bytes are rarer, so they come first.
        hashes.append(&mut threes);
        Self(hashes)
    }
}

/// The bytes of texts, case-folded.
fn folded(parts: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        let mut rest = *part;
        while !rest.is_empty() {
            // Most text is ASCII, which is folded without decoding.
            let plain = rest
                .bytes()
                .position(|byte| !byte.is_ascii())
                .unwrap_or(rest.len());
            let (ascii, others) = rest.split_at(plain);
            bytes.extend(ascii.bytes().map(|byte| byte.to_ascii_lowercase()));
            let mut characters = others.chars();
            if let Some(character) = characters.next() {
                let mut buffer = [0; 4];
                bytes.extend(fold(character).encode_utf8(&mut buffer).bytes());
            }
            rest = characters.as_str();
        }
    }
    bytes
}

/// At each byte the last four bytes, and a number whose bits are all set if these belong to one word, else none.
fn last_bytes(folded: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let mask = |byte: &u8| if is_of_word(byte) { u8::MAX } else { 0 };
    let masks: Vec<u8> = folded.iter().map(mask).collect();
    let mut of_word = vec![0; 3];
    of_word.extend(
        masks
            .windows(4)
            .map(|four| four.iter().fold(u8::MAX, |all, one| all & one)),
    );
    let mut last = 0_u32;
    folded.iter().zip(of_word).map(move |(byte, of_word)| {
        last = last << 8 | u32::from(*byte);
        (last, u32::from_ne_bytes([of_word; 4]))
    })
}

/// The hash of three bytes. It is a multiplication by about 2^32 divided by the golden ratio
/// (Fibonacci hashing), whose upper bits are well distributed.
fn three(last: u32) -> u32 {
    (last & 0x00ff_ffff).wrapping_mul(0x9e37_79b1)
}

/// The hash of four bytes of one word.
fn four(last: u32) -> u32 {
    last.wrapping_mul(0x85eb_ca6b)
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
                if at.is_multiple_of(7) {
                    b' '
                } else {
                    *random.pick(b"abcdefghijklmnoprstuvwy")
                }
            };
            filters.add("Note.md", &(0..2500).map(&mut letter).collect::<Vec<u8>>())
        };
        let notes: Vec<TrigramFilter> = (0..640).map(|_| note()).collect();
        let word = Sequences::new("zzyzx");
        let unread = notes
            .iter()
            .filter(|filter| !filter.is_in(filter.block().may_hold(&word)));
        assert!(unread.count() > 630);
    }

    #[test]
    fn a_block_has_the_notes_of_one_length_and_a_bounded_size() {
        let filters = TrigramFilters::default();
        let long = vec![b'x'; 1_000_000];
        assert_eq!(filters.add("", &long).block().rows, MOST_ROWS);
        let made: Vec<TrigramFilter> = (0..65)
            .map(|number| filters.add(&format!("{number}.md"), b""))
            .collect();
        for (number, filter) in made.iter().enumerate() {
            let block = filter.block();
            let found = block.may_hold(&Sequences::new(&format!("{number}.md")));
            assert!(filter.is_in(found));
            assert!(found.count_ones() < 16, "{number}: {found:b}");
            assert_eq!(Arc::ptr_eq(&filter.block, &made[0].block), number < 64);
        }
    }

    proptest! {
        #[test]
        fn a_full_block_answers_as_its_notes_did_alone(
            notes in proptest::collection::vec("[a-f]{0,9}", COLUMNS),
            word in "[a-f]{3,4}",
        ) {
            let filters = TrigramFilters::default();
            let made: Vec<_> = notes.iter().map(|text| filters.add(text, b"")).collect();
            let found = made[0].block().may_hold(&Sequences::new(&word));
            for (text, filter) in notes.iter().zip(&made) {
                let alone = TrigramFilters::default().add(text, b"");
                let is_found = alone.is_in(alone.block().may_hold(&Sequences::new(&word)));
                prop_assert_eq!(filter.is_in(found), is_found, "{}", text);
            }
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

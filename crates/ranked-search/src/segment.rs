//! A segment: notes that were indexed together, and the postings of their terms.
//!
//! The terms and their postings are one sequence of bytes, the arena. It consists of blocks of terms, in byte order. A
//! query reads only the parts that it needs, so an arena can stay in a file. Memory contains the first term of each
//! block, and a byte for each passage.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::posting::{Posting, Postings, put};
use crate::varint;

/// The number of terms in a block: a query reads and decodes the terms of a whole block.
const BLOCK_TERMS: usize = 32;

/// The bytes of a segment's postings.
pub trait Arena: Send + Sync {
    /// A part of the bytes; `None` if they are missing or damaged.
    fn bytes(&self, range: Range<u64>) -> Option<Cow<'_, [u8]>>;
}

impl Arena for Vec<u8> {
    fn bytes(&self, range: Range<u64>) -> Option<Cow<'_, [u8]>> {
        let range = usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?;
        self.get(range).map(Cow::Borrowed)
    }
}

/// The part of a segment that is kept in memory.
///
/// Each note has one unit for its head (names, tags, properties) and one for each passage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    /// The number of each note's first unit, and at the end the number of all units.
    pub(crate) first_units: Vec<u32>,
    /// The number of each note's profile.
    pub(crate) profiles: Vec<u8>,
    /// The number of terms in each unit, at most 255.
    pub(crate) lengths: Vec<u8>,
    /// The number of terms in the passages of each note.
    pub(crate) note_lengths: Vec<u32>,
    /// The first term of each block, concatenated.
    first_terms: String,
    /// The end of each first term in `first_terms`.
    first_term_ends: Vec<u32>,
    blocks: Vec<PostingBlock>,
    arena_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PostingBlock {
    offset: u64,
    /// The length of its terms in bytes. Their postings follow.
    terms: u32,
}

/// Notes that can be searched: tables and an arena.
pub struct Segment {
    pub(crate) tables: Tables,
    arena: Box<dyn Arena>,
}

impl Segment {
    /// A segment of these parts; `None` if the tables contradict each other.
    pub fn new(tables: Tables, arena: Box<dyn Arena>) -> Option<Self> {
        tables.is_sound().then_some(Self { tables, arena })
    }

    /// The number of its notes.
    pub fn notes(&self) -> usize {
        self.tables.profiles.len()
    }

    /// The part that is kept in memory.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// All bytes of the postings; `None` if they are damaged.
    pub fn arena(&self) -> Option<Cow<'_, [u8]>> {
        self.arena.bytes(0..self.tables.arena_bytes)
    }

    /// The number of its passages.
    pub fn passages(&self) -> usize {
        self.tables.lengths.len() - self.notes()
    }

    /// The encoded postings of a term. Empty if no note has it, `None` if the arena is damaged.
    pub(crate) fn postings(&self, term: &str) -> Option<Vec<u8>> {
        // The term can only be in the last block that does not begin after it.
        let after = self.tables.blocks_before(|first| first <= term);
        let Some(number) = after.checked_sub(1) else {
            return Some(Vec::new());
        };
        let mut found = None;
        self.scan(number, |known, place| {
            if known == term.as_bytes() {
                found = Some(place);
            }
            known < term.as_bytes()
        })?;
        found.map_or_else(|| Some(Vec::new()), |place| self.read(place))
    }

    /// The encoded postings of each of the first `most` terms with this prefix.
    pub(crate) fn postings_of_prefix(&self, prefix: &str, most: usize) -> Option<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        self.each_with_prefix(prefix, |_, place| {
            if found.len() < most {
                found.push(place);
            }
            found.len() < most
        })?;
        found.into_iter().map(|place| self.read(place)).collect()
    }

    /// Calls `each` with every term with this prefix and the range of its postings, until it returns
    /// false. `None` if the arena is damaged.
    pub(crate) fn each_with_prefix(
        &self,
        prefix: &str,
        mut each: impl FnMut(&[u8], Range<u64>) -> bool,
    ) -> Option<()> {
        let first = self.tables.blocks_before(|first| first < prefix);
        // Terms with the prefix may already be at the end of the block before.
        for number in first.saturating_sub(1)..self.tables.blocks.len() {
            let mut continues = true;
            self.scan(number, |known, place| {
                continues = if known.starts_with(prefix.as_bytes()) {
                    each(known, place)
                } else {
                    known < prefix.as_bytes()
                };
                continues
            })?;
            if !continues {
                break;
            }
        }
        Some(())
    }

    /// The bytes of the postings in this range.
    pub(crate) fn read(&self, place: Range<u64>) -> Option<Vec<u8>> {
        Some(self.arena.bytes(place)?.into_owned())
    }

    /// Calls `each` with the terms of a block and the ranges of their postings, until it returns
    /// false.
    fn scan(&self, number: usize, mut each: impl FnMut(&[u8], Range<u64>) -> bool) -> Option<()> {
        let block = self.tables.blocks.get(number)?;
        let postings = block.offset.checked_add(u64::from(block.terms))?;
        let entries = self.arena.bytes(block.offset..postings)?;
        let mut entries = Entries::new(&entries, postings);
        let mut term = Vec::new();
        while let Some(place) = entries.next(&mut term)? {
            if !each(&term, place) {
                break;
            }
        }
        Some(())
    }

    /// All terms in byte order, for merging.
    pub(crate) fn terms(&self) -> TermCursor<'_> {
        TermCursor {
            segment: self,
            block: 0,
            bytes: Vec::new(),
            at: 0,
            postings_at: 0,
            term: Vec::new(),
            postings: 0..0,
        }
    }
}

impl Tables {
    /// The number of blocks whose first term `fits` accepts. It must accept a beginning of the
    /// sorted terms, and no others.
    fn blocks_before(&self, fits: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.blocks.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.first_term(middle).is_some_and(&fits) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn first_term(&self, block: usize) -> Option<&str> {
        let end = usize::try_from(*self.first_term_ends.get(block)?).ok()?;
        let start = match block.checked_sub(1) {
            Some(before) => usize::try_from(*self.first_term_ends.get(before)?).ok()?,
            None => 0,
        };
        self.first_terms.get(start..end)
    }

    /// The units of a note: its head and its passages.
    pub(crate) fn units(&self, note: usize) -> Option<Range<u32>> {
        Some(*self.first_units.get(note)?..*self.first_units.get(note + 1)?)
    }

    /// Whether the lists fit together. They may come from a damaged file.
    fn is_sound(&self) -> bool {
        let ends = self.first_units.last().copied().unwrap_or(0);
        self.first_units.len() == self.profiles.len() + 1
            && self.note_lengths.len() == self.profiles.len()
            && self.first_units.first() == Some(&0)
            && self.first_units.windows(2).all(|pair| pair[0] < pair[1])
            && usize::try_from(ends).is_ok_and(|ends| ends == self.lengths.len())
            && self.first_term_ends.len() == self.blocks.len()
    }

    /// Adds a note with the lengths of its units, the head first. `None` if there are too many
    /// units.
    pub(crate) fn add_note(&mut self, profile: u8, lengths: &[u8]) -> Option<()> {
        if self.first_units.is_empty() {
            self.first_units.push(0);
        }
        self.lengths.extend(lengths);
        self.first_units
            .push(u32::try_from(self.lengths.len()).ok()?);
        self.profiles.push(profile);
        let length = lengths
            .iter()
            // The head is not a part of the length.
            .skip(1)
            .map(|length| u32::from(*length))
            .sum();
        self.note_lengths.push(length);
        Some(())
    }
}

/// Reads the entries of a block. An entry has the number of bytes that the term shares with the term before, the number
/// of its other bytes, the length of its postings, and its other bytes.
struct Entries<'bytes> {
    bytes: &'bytes [u8],
    postings: u64,
}

impl<'bytes> Entries<'bytes> {
    fn new(bytes: &'bytes [u8], postings: u64) -> Self {
        Self { bytes, postings }
    }

    /// Reads the next entry. `term` must be the term before, and becomes the next one. Returns the range of its
    /// postings, `Some(None)` at the end, and `None` if the bytes are damaged.
    #[expect(clippy::option_option, reason = "the end is not damage")]
    fn next(&mut self, term: &mut Vec<u8>) -> Option<Option<Range<u64>>> {
        if self.bytes.is_empty() {
            return Some(None);
        }
        let shared = usize::try_from(varint::take(&mut self.bytes)?).ok()?;
        let length = usize::try_from(varint::take(&mut self.bytes)?).ok()?;
        let postings = varint::take(&mut self.bytes)?;
        if shared > term.len() {
            return None;
        }
        let (rest, after) = self.bytes.split_at_checked(length)?;
        term.truncate(shared);
        term.extend(rest);
        self.bytes = after;
        let start = self.postings;
        self.postings = start.checked_add(postings)?;
        Some(Some(start..self.postings))
    }
}

/// Walks through all terms of a segment, for merging.
pub(crate) struct TermCursor<'segment> {
    segment: &'segment Segment,
    /// The number of the next block.
    block: usize,
    /// The bytes of the current block.
    bytes: Vec<u8>,
    at: usize,
    postings_at: usize,
    term: Vec<u8>,
    postings: Range<usize>,
}

impl TermCursor<'_> {
    /// Moves to the next term. Returns whether there is one; `None` if the arena is damaged.
    pub(crate) fn advance(&mut self) -> Option<bool> {
        let blocks = &self.segment.tables.blocks;
        let terms_end = self
            .block
            .checked_sub(1)
            .and_then(|block| blocks.get(block));
        let terms_end = terms_end.map_or(Some(0), |block| usize::try_from(block.terms).ok())?;
        if self.at >= terms_end {
            let Some(block) = blocks.get(self.block) else {
                return Some(false);
            };
            let next = blocks.get(self.block + 1);
            let end = next.map_or(self.segment.tables.arena_bytes, |next| next.offset);
            self.bytes = self.segment.arena.bytes(block.offset..end)?.into_owned();
            self.block += 1;
            self.at = 0;
            self.postings_at = usize::try_from(block.terms).ok()?;
            self.term.clear();
            // A block without terms is damaged.
            return if self.postings_at == 0 {
                None
            } else {
                self.entry()
            };
        }
        self.entry()
    }

    fn entry(&mut self) -> Option<bool> {
        let block = self.segment.tables.blocks.get(self.block.checked_sub(1)?)?;
        let rest = self
            .bytes
            .get(self.at..usize::try_from(block.terms).ok()?)?;
        let mut entries = Entries::new(rest, u64::try_from(self.postings_at).ok()?);
        let place = entries.next(&mut self.term)??;
        self.at += rest.len() - entries.bytes.len();
        self.postings = usize::try_from(place.start).ok()?..usize::try_from(place.end).ok()?;
        self.postings_at = self.postings.end;
        Some(true)
    }

    pub(crate) fn term(&self) -> &[u8] {
        &self.term
    }

    pub(crate) fn postings(&self) -> Postings<'_> {
        Postings::new(self.bytes.get(self.postings.clone()).unwrap_or_default())
    }
}

/// Writes the terms of a segment. They must be added in byte order.
#[derive(Default)]
pub(crate) struct TermWriter {
    tables: Tables,
    arena: Vec<u8>,
    entries: Vec<u8>,
    postings: Vec<u8>,
    in_block: usize,
    last_term: Vec<u8>,
}

impl TermWriter {
    /// Begins a segment with the notes in these tables.
    pub(crate) fn new(mut tables: Tables) -> Self {
        if tables.first_units.is_empty() {
            tables.first_units.push(0);
        }
        Self {
            tables,
            ..Self::default()
        }
    }

    /// Adds a term. A term without postings is left out. `None` if a number exceeds its range.
    pub(crate) fn term(&mut self, term: &[u8], postings: &[Posting]) -> Option<()> {
        if postings.is_empty() {
            return Some(());
        }
        if self.in_block == 0 {
            self.tables
                .first_terms
                .push_str(std::str::from_utf8(term).ok()?);
            let end = u32::try_from(self.tables.first_terms.len()).ok()?;
            self.tables.first_term_ends.push(end);
        }
        let before = self.postings.len();
        let mut last = 0;
        for posting in postings {
            put(&mut self.postings, *posting, last);
            last = posting.unit;
        }
        let both = self.last_term.iter().zip(term);
        let shared = both.take_while(|(before, now)| before == now).count();
        let rest = &term[shared..];
        for number in [shared, rest.len(), self.postings.len() - before] {
            varint::put(&mut self.entries, u64::try_from(number).ok()?);
        }
        self.entries.extend(rest);
        self.last_term.clear();
        self.last_term.extend(term);
        self.in_block += 1;
        if self.in_block == BLOCK_TERMS {
            self.end_block()?;
        }
        Some(())
    }

    fn end_block(&mut self) -> Option<()> {
        if self.in_block > 0 {
            self.tables.blocks.push(PostingBlock {
                offset: u64::try_from(self.arena.len()).ok()?,
                terms: u32::try_from(self.entries.len()).ok()?,
            });
            self.arena.append(&mut self.entries);
            self.arena.append(&mut self.postings);
            // The next block begins with a whole term, so that it can be read without this one.
            self.last_term.clear();
            self.in_block = 0;
        }
        Some(())
    }

    /// The tables and the arena; `None` if they exceed 32-bit numbers.
    pub(crate) fn finish(mut self) -> Option<(Tables, Vec<u8>)> {
        self.end_block()?;
        self.tables.arena_bytes = u64::try_from(self.arena.len()).ok()?;
        Some((self.tables, self.arena))
    }
}

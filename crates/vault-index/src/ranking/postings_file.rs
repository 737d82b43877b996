//! Postings in the cache file, read in parts.

use std::borrow::Cow;
use std::ops::Range;

use ranked_search::Arena;

use crate::cache;
use crate::cache::SectionReader;

/// The size of a page in bytes. Each page has a checksum and is read as a whole.
const PAGE: u64 = 4096;

/// The postings of the base, in the cache file.
pub(super) struct PostingsFile {
    reader: SectionReader,
    checksums: Vec<u32>,
}

impl PostingsFile {
    /// Opens the postings; `None` unless there is a checksum for each page.
    pub(super) fn new(reader: SectionReader, checksums: Vec<u32>) -> Option<Self> {
        let pages = usize::try_from(reader.length.div_ceil(PAGE)).ok()?;
        (checksums.len() == pages).then_some(Self { reader, checksums })
    }
}

impl Arena for PostingsFile {
    fn bytes(&self, range: Range<u64>) -> Option<Cow<'_, [u8]>> {
        if range.is_empty() {
            return Some(Cow::Borrowed(&[]));
        }
        let first = range.start / PAGE;
        let start = first * PAGE;
        let end = range
            .end
            .div_ceil(PAGE)
            .checked_mul(PAGE)?
            .min(self.reader.length);
        let mut bytes = self.reader.read(start..end)?;
        let checksums = self.checksums.get(usize::try_from(first).ok()?..)?;
        let is_sound = pages(&bytes)
            .zip(checksums)
            .all(|(page, expected)| checksum(page) == *expected);
        if !is_sound {
            return None;
        }
        bytes.truncate(usize::try_from(range.end - start).ok()?);
        bytes.drain(..usize::try_from(range.start - start).ok()?);
        Some(Cow::Owned(bytes))
    }
}

/// The checksum of each page.
pub(super) fn checksums(bytes: &[u8]) -> Vec<u32> {
    pages(bytes).map(checksum).collect()
}

fn pages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(usize::try_from(PAGE).unwrap_or(usize::MAX))
}

fn checksum(page: &[u8]) -> u32 {
    u32::try_from(cache::checksum(page) >> 32).unwrap_or_default()
}

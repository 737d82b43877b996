//! The base in the cache folder.

use ranked_search::{Segment, Tables};
use serde::{Deserialize, Serialize};
use vault_files::{FileStamp, Vault};

use super::postings_file::{PostingsFile, checksums};
use crate::cache::{CacheFile, CachePlace, CacheSection};

/// The base as read from the cache folder.
pub(super) struct StoredRanking {
    pub(super) segment: Segment,
    /// Its notes, in the order of their numbers.
    pub(super) notes: Vec<StoredNote>,
}

/// A note of the base with the state that its words are from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredNote {
    pub(super) path: String,
    /// The stamp that proves that the base has its words; `None` if nothing does.
    pub(super) stamp: Option<FileStamp>,
}

/// Reads the base; `None` if there is no usable one.
pub(super) fn read(vault: &Vault) -> Option<StoredRanking> {
    let file = CacheFile::open(&CachePlace::of_ranking(vault)?)?;
    let notes: Vec<StoredNote> = file.decode(CacheSection::RankedListing)?;
    let tables: Tables = file.decode(CacheSection::RankedTables)?;
    let checksums = file.decode(CacheSection::RankedChecksums)?;
    let reader = file.into_reader(CacheSection::RankedPostings)?;
    let postings = PostingsFile::new(reader, checksums)?;
    let segment = Segment::new(tables, Box::new(postings))?;
    (segment.notes() == notes.len()).then_some(StoredRanking { segment, notes })
}

/// Writes the base and returns it with its postings in the file; `None` if there is no cache, or it
/// cannot be written.
pub(super) fn write(vault: &Vault, notes: &[StoredNote], base: &Segment) -> Option<Segment> {
    let place = CachePlace::of_ranking(vault)?;
    let postings = base.arena()?.into_owned();
    let checksums = checksums(&postings);
    let sections = [
        (
            CacheSection::RankedListing,
            postcard::to_stdvec(notes).ok()?,
        ),
        (
            CacheSection::RankedTables,
            postcard::to_stdvec(base.tables()).ok()?,
        ),
        (
            CacheSection::RankedChecksums,
            postcard::to_stdvec(&checksums).ok()?,
        ),
        (CacheSection::RankedPostings, postings),
    ];
    place.write(&sections).ok()?;
    place.pieces().remove();
    // Another process may have replaced the file since. Then its checksums differ from these, and
    // the first query that reads it detects that.
    let reader = CacheFile::open(&place)?.into_reader(CacheSection::RankedPostings)?;
    let postings = PostingsFile::new(reader, checksums)?;
    Segment::new(base.tables().clone(), Box::new(postings))
}

/// Adds a segment to the pieces of the ranked index. Errors are ignored: then the next call reads
/// these notes again. With planned changes, nothing is stored.
pub(super) fn add_piece(vault: &Vault, notes: &[StoredNote], segment: &Segment) {
    let Some(place) = CachePlace::of_ranking(vault).filter(|_| vault.overlay().is_none()) else {
        return;
    };
    let tables = postcard::to_stdvec(&(notes, segment.tables()));
    if let (Ok(mut piece), Some(postings)) = (tables, segment.arena()) {
        piece.extend_from_slice(&postings);
        place.pieces().append(&piece).ok();
    }
}

/// Replaces all pieces with this segment.
pub(super) fn replace_pieces(vault: &Vault, notes: &[StoredNote], segment: &Segment) {
    if let Some(place) = CachePlace::of_ranking(vault) {
        place.pieces().remove();
        add_piece(vault, notes, segment);
    }
}

/// Returns the segments in the pieces.
pub(super) fn read_pieces(vault: &Vault) -> Vec<StoredRanking> {
    let segment = |piece: &[u8]| {
        let ((notes, tables), postings) =
            postcard::take_from_bytes::<(Vec<StoredNote>, Tables)>(piece).ok()?;
        let segment = Segment::new(tables, Box::new(postings.to_vec()))?;
        (segment.notes() == notes.len()).then_some(StoredRanking { segment, notes })
    };
    let mut segments = Vec::new();
    if let Some(place) = CachePlace::of_ranking(vault) {
        place.pieces().read(|piece| segments.extend(segment(piece)));
    }
    segments
}

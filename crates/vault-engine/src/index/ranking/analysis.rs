//! Reads notes and makes segments of their words, in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};

use ranked_search::{Segment, SegmentBuilder};
use rayon::prelude::*;

use super::{note_text, too_large};
use crate::error::EngineError;
use crate::index::reading::each_content;
use crate::index::snapshot::IndexSnapshot;
use crate::vault::Vault;

/// The number of notes from which reading in parallel is faster.
const PARALLEL: usize = 32;
/// The most notes in one segment, because its words are sorted in memory.
const MAX_NOTES: usize = 2000;

/// A segment of notes that were just read.
pub(super) struct Analysed {
    pub(super) segment: Segment,
    /// For each of its notes the number of its file, and whether the file was still in the state
    /// that the snapshot has.
    pub(super) notes: Vec<(usize, bool)>,
}

/// Segments of notes, and whether they cover all wanted notes.
pub(super) struct Analysis {
    pub(super) parts: Vec<Analysed>,
    /// An error after a cancellation; then some segments are missing.
    pub(super) outcome: Result<(), EngineError>,
}

/// Segments of the notes with these numbers, which ascend.
pub(super) fn analysed(vault: &Vault, whole: &IndexSnapshot, wanted: &[usize]) -> Analysis {
    if wanted.len() < PARALLEL {
        return Analysis::collect(vec![segment(vault, whole, wanted)]);
    }
    // Somewhat more pieces than threads, so that no thread waits long for the last one.
    let piece = wanted.len().div_ceil(rayon::current_num_threads() * 3);
    let done = AtomicUsize::new(0);
    let pieces: Vec<&[usize]> = wanted.chunks(piece.clamp(1, MAX_NOTES)).collect();
    let made = pieces.into_par_iter().map(|ids| {
        let made = segment(vault, whole, ids)?;
        if let Some(progress) = vault.progress() {
            let before = done.fetch_add(ids.len(), Ordering::Relaxed);
            progress.notes_read(before + ids.len(), wanted.len());
        }
        Ok(made)
    });
    Analysis::collect(made.collect())
}

impl Analysis {
    fn collect(made: Vec<Result<Analysed, EngineError>>) -> Self {
        let mut outcome = Ok(());
        let mut parts = Vec::with_capacity(made.len());
        for part in made {
            match part {
                Ok(part) => parts.push(part),
                Err(error) => outcome = Err(error),
            }
        }
        Self { parts, outcome }
    }
}

fn segment(vault: &Vault, whole: &IndexSnapshot, ids: &[usize]) -> Result<Analysed, EngineError> {
    let mut builder = SegmentBuilder::default();
    let mut notes = Vec::with_capacity(ids.len());
    let mut is_full = false;
    each_content(vault, &whole.files, ids, |id, path, content| {
        let Some(kept) = whole.notes.get(id).and_then(Option::as_ref) else {
            return;
        };
        let is_settled = content.whole && kept.listed.settled && kept.listed.stamp == content.stamp;
        let bytes = content.bytes.as_deref();
        is_full |= note_text::add(&mut builder, path, &kept.record, bytes).is_none();
        notes.push((id, is_settled));
    })?;
    let parts = if is_full { None } else { builder.finish() };
    let segment = parts.and_then(|(tables, arena)| Segment::new(tables, Box::new(arena)));
    Ok(Analysed { segment: segment.ok_or_else(too_large)?, notes })
}

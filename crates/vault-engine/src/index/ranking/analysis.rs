//! Reads notes and makes segments of their words, in parallel.

use std::ops::ControlFlow;
use std::slice::Chunks;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ranked_search::{Segment, SegmentBuilder};

use super::{note_text, too_large};
use crate::error::EngineError;
use crate::index::reading::each_content;
use crate::index::snapshot::IndexSnapshot;
use crate::vault::Vault;

/// The number of notes from which reading in parallel is faster.
const PARALLEL: usize = 32;
/// The number of notes that a thread reads at a time.
const UNIT: usize = 32;
/// The most notes in one segment, because its words are sorted in memory.
const MAX_NOTES: usize = 2000;
/// The longest time that the notes of a segment are read: a killed process loses no more.
const SEGMENT_AFTER: Duration = Duration::from_secs(1);

/// A segment of notes that were just read.
pub(super) struct Analysed {
    pub(super) segment: Segment,
    /// For each of its notes the number of its file, and whether the file was still in the state
    /// that the snapshot has.
    pub(super) notes: Vec<(usize, bool)>,
}

/// The notes that are still to be read.
struct UnreadNotes<'wanted> {
    units: Mutex<Chunks<'wanted, usize>>,
    all: usize,
    done: AtomicUsize,
    /// Whether no more notes are to be read.
    is_over: AtomicBool,
}

/// Makes segments of the notes with these numbers, which ascend, and calls `each` with every one
/// until it breaks. After that and after a cancellation, the segments of the notes that were read
/// until then are made too.
pub(super) fn analyse(
    vault: &Vault,
    whole: &IndexSnapshot,
    wanted: &[usize],
    each: &(impl Fn(Analysed) -> ControlFlow<()> + Sync),
) -> Result<(), EngineError> {
    let unread = UnreadNotes {
        units: Mutex::new(wanted.chunks(UNIT)),
        all: wanted.len(),
        done: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let work = || analyse_units(vault, whole, &unread, each);
    if wanted.len() < PARALLEL {
        return work();
    }
    // Threads of their own: those that all requests share would be busy for seconds.
    std::thread::scope(|scope| {
        let others = (1..rayon::current_num_threads()).map(|_| scope.spawn(work));
        let others: Vec<_> = others.collect();
        let mut outcome = work();
        for thread in others {
            match thread.join() {
                Ok(other) => outcome = outcome.and(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcome
    })
}

/// Makes segments until no notes are left, or until a cancellation.
fn analyse_units(
    vault: &Vault,
    whole: &IndexSnapshot,
    unread: &UnreadNotes<'_>,
    each: &(impl Fn(Analysed) -> ControlFlow<()> + Sync),
) -> Result<(), EngineError> {
    let mut builder = SegmentBuilder::default();
    loop {
        let started = Instant::now();
        let mut notes = Vec::new();
        let mut is_full = false;
        let mut outcome = Ok(());
        while outcome.is_ok() && notes.len() < MAX_NOTES && started.elapsed() < SEGMENT_AFTER {
            let Some(ids) = unread.next_unit() else {
                break;
            };
            outcome = each_content(vault, &whole.files, ids, |id, path, content| {
                let Some(kept) = whole.notes.get(id).and_then(Option::as_ref) else {
                    return;
                };
                let is_settled =
                    content.whole && kept.listed.settled && kept.listed.stamp == content.stamp;
                let bytes = content.bytes.as_deref();
                is_full |= note_text::add(&mut builder, path, &kept.record, bytes).is_none();
                notes.push((id, is_settled));
            });
            if let Some(progress) = vault.progress() {
                let before = unread.done.fetch_add(ids.len(), Ordering::Relaxed);
                progress.notes_read(before + ids.len(), unread.all);
            }
        }
        if notes.is_empty() {
            return outcome;
        }
        let parts = if is_full { None } else { builder.finish() };
        let segment = parts.and_then(|(tables, arena)| Segment::new(tables, Box::new(arena)));
        if each(Analysed { segment: segment.ok_or_else(too_large)?, notes }).is_break() {
            unread.is_over.store(true, Ordering::Relaxed);
        }
        outcome?;
    }
}

impl<'wanted> UnreadNotes<'wanted> {
    fn next_unit(&self) -> Option<&'wanted [usize]> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        // Poisoning is harmless: a panic ends the whole reading.
        self.units.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}

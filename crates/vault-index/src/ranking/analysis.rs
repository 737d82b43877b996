//! Reads notes and makes segments of their words, in parallel.

use std::slice::Chunks;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use obsidian_note::CancellationToken;
use ranked_search::{Segment, SegmentBuilder};
use vault_files::{EngineError, Vault};

use super::{note_text, too_large};
use crate::cache::CachePlace;
use crate::kept_record::KeptRecord;
use crate::lock;
use crate::reading::{each_content, save_piece};
use crate::snapshot::{IndexSnapshot, KeptNote};

/// The number of notes from which reading in parallel is faster.
const PARALLEL: usize = 32;
/// The number of notes that a thread reads at a time.
const UNIT: usize = 32;
/// The maximum number of notes in one segment, because its words are sorted in memory.
const MAX_NOTES: usize = 2000;
/// The longest time that the notes of a segment are read: a killed process loses no more.
const SEGMENT_AFTER: Duration = Duration::from_secs(1);

/// A segment of notes that were just read.
pub(super) struct Analysed {
    /// `None` without notes: canvases have no words.
    pub(super) segment: Option<Segment>,
    /// The file number of each note, and whether the file was still in the state in which it was recorded.
    pub(super) notes: Vec<(usize, bool)>,
    /// The records that the snapshot does not have, with the numbers of their files.
    pub(super) read: Vec<(usize, Arc<KeptNote>)>,
}

/// The notes that are still to be read.
struct UnreadNotes<'wanted> {
    units: Mutex<Chunks<'wanted, usize>>,
    all: usize,
    done: AtomicUsize,
    time: ReadingTime<'wanted>,
}

/// The time in which notes are read.
#[derive(Clone, Copy)]
pub(crate) struct ReadingTime<'until> {
    /// A time before the first note is read. A note that changed just before counts as not settled.
    pub(crate) started: SystemTime,
    pub(crate) until: &'until CancellationToken,
}

/// Reads the notes with these ascending numbers and calls `each` with every segment of their words,
/// with the records that `whole` does not have. After a cancellation, the notes read until then are
/// still passed on.
pub(super) fn analyse(
    vault: &Vault,
    whole: &IndexSnapshot,
    wanted: &[usize],
    time: ReadingTime<'_>,
    each: &(impl Fn(Analysed) + Sync),
) -> Result<(), EngineError> {
    let unread = UnreadNotes {
        units: Mutex::new(wanted.chunks(UNIT)),
        all: wanted.len(),
        done: AtomicUsize::new(0),
        time,
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
    each: &(impl Fn(Analysed) + Sync),
) -> Result<(), EngineError> {
    let pieces = CachePlace::of_index(vault).map(|place| place.pieces());
    let mut builder = SegmentBuilder::default();
    loop {
        let started = Instant::now();
        let (mut notes, mut read) = (Vec::new(), Vec::new());
        let mut is_full = false;
        let mut outcome = Ok(());
        while outcome.is_ok()
            && notes.len().max(read.len()) < MAX_NOTES
            && started.elapsed() < SEGMENT_AFTER
        {
            let Some(ids) = unread.next_unit() else {
                break;
            };
            outcome = each_content(vault, &whole.files, ids, |id, path, content| {
                let known = whole.notes.get(id).and_then(Option::as_ref);
                let now = || content.read_note(id, path, unread.time.started);
                let note = known.map_or_else(|| Arc::new(KeptNote::of_read(now())), Arc::clone);
                if path.is_note() {
                    let is_settled =
                        content.whole && note.listed.settled && note.listed.stamp == content.stamp;
                    let bytes = content.bytes.as_deref().ok();
                    is_full |= note_text::add(&mut builder, path, &note.record, bytes).is_none();
                    notes.push((id, is_settled));
                }
                if known.is_none() {
                    read.push((id, note));
                }
            });
            if let Some(progress) = vault.progress() {
                let before = unread.done.fetch_add(ids.len(), Ordering::Relaxed);
                progress.notes_read(before + ids.len(), unread.all);
            }
        }
        if notes.is_empty() && read.is_empty() {
            return outcome;
        }
        if let Some(pieces) = &pieces {
            let records = read.iter().filter_map(|(id, note)| match &note.record {
                KeptRecord::Read(record) => Some((*id, &note.listed, &**record)),
                KeptRecord::Stored { .. } => None,
            });
            save_piece(pieces, &whole.files, records);
        }
        let mut segment = None;
        if !notes.is_empty() {
            let parts = if is_full { None } else { builder.finish() };
            let made = parts.and_then(|(tables, arena)| Segment::new(tables, Box::new(arena)));
            segment = Some(made.ok_or_else(too_large)?);
        }
        each(Analysed {
            segment,
            notes,
            read,
        });
        outcome?;
    }
}

impl<'wanted> UnreadNotes<'wanted> {
    fn next_unit(&self) -> Option<&'wanted [usize]> {
        if self.time.until.is_cancelled() {
            return None;
        }
        lock(&self.units).next()
    }
}

//! The data of ranked search: the words of every note, in segments (`design/questions.md`).
//!
//! The first segment, the base, covers the vault as it was and is in a file of the cache folder, of which a query reads
//! only parts. Notes that changed since are in small segments in memory, and their old text is not searched. Once there
//! are many of them, all segments are merged and the file is rewritten.
//!
//! All segments are merged when one note of 32 has changed. While notes are not indexed yet, a search answers after
//! 1.5 seconds from those that are, and links do not break ties. A single process reads for at least half of that
//! time, so that each call makes progress; its next call continues there and reads for three quarters of its time
//! limit.

mod analysis;
mod note_text;
mod postings_file;
mod stored;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ranked_search::{
    MergedSegment, NearTerm, Query, RankError, RankedNote, Ranking, Searched, Segment, Tuning,
    merge, near_terms, rank, rank_like,
};

pub use note_text::{note_parts, query_like};
use obsidian_note::{CancellationToken, VaultPath};
use vault_files::{EngineError, Vault};

pub(super) use self::analysis::ReadingTime;
use self::analysis::{Analysed, analyse};
use self::stored::{StoredNote, StoredRanking};
use super::load::places;
use super::snapshot::{IndexSnapshot, KeptNote};
use crate::cache::CachePlace;
use crate::lock;

/// The time after which a ranked search is answered from the notes that are ready.
pub(crate) const ANSWER_AFTER: Duration = Duration::from_millis(1500);
/// The number of changed notes that are always kept next to the base.
const MANY_CHANGED: usize = 64;
/// Number of notes in a large vault for each of which one changed note is still allowed.
const NOTES_FOR_A_CHANGED_ONE: usize = 32;
/// The number of small segments from which they are merged.
const MANY_SEGMENTS: usize = 12;

/// The ranked index of a whole vault at one moment.
#[derive(Clone)]
pub struct RankedIndex {
    /// The files that the numbers below refer to.
    files: Arc<Vec<VaultPath>>,
    /// The state of the notes when their words were read, in the order of the files.
    notes: Vec<Option<Arc<KeptNote>>>,
    /// The place of each note's words, in the order of the files.
    places: Vec<Option<NotePlace>>,
    segments: Vec<Arc<Segment>>,
    /// Whether the first segment is the base, which is in the cache file.
    has_base: bool,
    /// Whether every note was read; false after a cancellation.
    is_complete: bool,
}

/// The segment of a note's words, and its number there.
#[derive(Clone, Copy, Debug)]
struct NotePlace {
    segment: usize,
    note: usize,
    /// Whether an equal stamp proves that the words are current.
    is_settled: bool,
}

/// The notes that a caller sees, by segment and number.
pub struct SeenNotes {
    /// The number of the file among the caller's files, for each note of each segment; `None` if the caller cannot see
    /// it.
    files: Vec<Vec<Option<usize>>>,
    /// Whether a note has such a number, for each note of each segment.
    open: Vec<Vec<bool>>,
}

impl RankedIndex {
    /// Returns the ranked index of this snapshot of the whole vault. Reads only notes that neither `before` nor the
    /// cache has. `publish` gets it with every part that is ready. After a cancellation, also of `until`, it covers the
    /// notes that were read until then, and the next reading continues after them.
    pub(crate) fn read(
        vault: &Vault,
        whole: &IndexSnapshot,
        before: Option<&Self>,
        until: &CancellationToken,
        publish: &(impl Fn(&Self) + Sync),
    ) -> Result<Self, EngineError> {
        let known = match before {
            Some(before) => before.carried_to(whole),
            None => Self::stored(vault, whole),
        };
        match known.completed(vault, whole, until, publish)? {
            Some(index) => Ok(index),
            None => Self::rebuild(vault, whole, until, publish),
        }
    }

    /// As [`Self::read`], after the cache turned out to be damaged.
    pub(crate) fn rebuild(
        vault: &Vault,
        whole: &IndexSnapshot,
        until: &CancellationToken,
        publish: &(impl Fn(&Self) + Sync),
    ) -> Result<Self, EngineError> {
        if let Some(place) = CachePlace::of_ranking(vault) {
            place.remove();
        }
        let index = Self::stored(vault, whole).completed(vault, whole, until, publish)?;
        index.ok_or_else(too_large)
    }

    /// Returns the words of the notes that `known`, a snapshot with some of the notes, and the cache have, and of the
    /// notes that are read with their records until a cancellation.
    pub(super) fn of_known(
        vault: &Vault,
        known: &IndexSnapshot,
        time: ReadingTime<'_>,
        publish: &(impl Fn(&Self) + Sync),
    ) -> Result<Self, EngineError> {
        let index = Self::stored(vault, known);
        let unread = index.unread();
        index.with_notes(vault, known, &unread, time, publish)
    }

    /// Whether every note has its record and its words.
    pub(super) fn has_read_all(&self) -> bool {
        self.unread().is_empty()
    }

    /// Returns the notes, in the order of the files.
    pub(super) fn notes(&self) -> &[Option<Arc<KeptNote>>] {
        &self.notes
    }

    /// Returns the same index for `whole`, a snapshot of the same notes.
    pub(super) fn moved_to(self, whole: &IndexSnapshot) -> Self {
        Self {
            notes: whole.notes.clone(),
            is_complete: true,
            ..self
        }
    }

    /// Returns the ranked index of `planned`, a snapshot with planned changes, made from the ranked index of the
    /// folder. Reads only the planned notes.
    pub(super) fn planned(
        vault: &Vault,
        planned: &IndexSnapshot,
        folder: &Self,
    ) -> Result<Self, EngineError> {
        let index = folder.carried_to(planned);
        let is_planned = |id: &usize| {
            planned
                .files
                .get(*id)
                .is_some_and(|path| vault.planned(path).is_some())
        };
        let unread: Vec<usize> = index.unread().into_iter().filter(is_planned).collect();
        let until = vault.disk().cancellation();
        let time = ReadingTime {
            started: SystemTime::now(),
            until,
        };
        let mut index = index.with_notes(vault, planned, &unread, time, &|_| ())?;
        until.check()?;
        index.is_complete = folder.is_complete;
        Ok(index)
    }

    /// Whether every note was read.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether both have the same base. If it is damaged, so are both.
    pub(crate) fn has_base_of(&self, other: &Self) -> bool {
        let bases = self.segments.first().zip(other.segments.first());
        bases.is_some_and(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// Whether this is the whole index of that snapshot.
    pub(crate) fn is_of(&self, whole: &IndexSnapshot) -> bool {
        self.is_complete
            && Arc::ptr_eq(&self.files, &whole.files)
            && self.notes.iter().zip(&whole.notes).all(|pair| match pair {
                (Some(before), Some(now)) => Arc::ptr_eq(before, now),
                (before, now) => before.is_none() && now.is_none(),
            })
    }

    /// Returns an index without any words.
    pub(crate) fn empty(whole: &IndexSnapshot) -> Self {
        Self {
            files: Arc::clone(&whole.files),
            notes: whole.notes.clone(),
            places: vec![None; whole.files.len()],
            segments: Vec::new(),
            has_base: false,
            is_complete: false,
        }
    }

    /// Returns the index from the cache with the unchanged notes: the base, and the pieces of a reading that was
    /// stopped.
    fn stored(vault: &Vault, whole: &IndexSnapshot) -> Self {
        let mut index = Self::empty(whole);
        if let Some(base) = stored::read(vault) {
            index.add_stored(base);
            index.has_base = true;
        }
        for piece in stored::read_pieces(vault) {
            index.add_stored(piece);
        }
        index
    }

    fn add_stored(&mut self, StoredRanking { segment, notes }: StoredRanking) {
        let number = self.segments.len();
        for (note, stored) in notes.iter().enumerate() {
            let file = self
                .files
                .binary_search_by(|file| file.as_str().cmp(&stored.path));
            if let Ok(id) = file
                && let Some(Some(kept)) = self.notes.get(id)
                && kept.listed.is_still(stored.stamp)
                && let Some(place) = self.places.get_mut(id)
            {
                *place = Some(NotePlace {
                    segment: number,
                    note,
                    is_settled: true,
                });
            }
        }
        self.segments.push(Arc::new(segment));
    }

    /// Returns the same segments for another snapshot, without the places of notes that changed.
    pub(crate) fn carried_to(&self, whole: &IndexSnapshot) -> Self {
        let mut index = Self::empty(whole);
        index.segments.clone_from(&self.segments);
        index.has_base = self.has_base;
        let old: Vec<Option<usize>> = if Arc::ptr_eq(&self.files, &whole.files) {
            (0..whole.files.len()).map(Some).collect()
        } else {
            places(self.files.iter().map(VaultPath::as_str), &whole.files)
        };
        for ((old, now), place) in old.iter().zip(&whole.notes).zip(&mut index.places) {
            *place = old.and_then(|old| {
                let (before, now) = (self.notes.get(old)?.as_ref()?, now.as_ref()?);
                let place = *self.places.get(old)?.as_ref()?;
                Arc::ptr_eq(before, now).then_some(place)
            });
        }
        index
    }

    /// Reads the notes without a place, until a cancellation; `None` if a segment is damaged.
    fn completed(
        self,
        vault: &Vault,
        whole: &IndexSnapshot,
        until: &CancellationToken,
        publish: &(impl Fn(&Self) + Sync),
    ) -> Result<Option<Self>, EngineError> {
        let unread = self.unread();
        let time = ReadingTime {
            started: SystemTime::now(),
            until,
        };
        let mut index = self.with_notes(vault, whole, &unread, time, publish)?;
        index.is_complete = index.has_read_all();
        // Many segments answer as one does, so a reading that took long leaves them to the next call.
        if !index.is_complete || (!unread.is_empty() && until.is_cancelled()) {
            return Ok(Some(index));
        }
        publish(&index);
        let tidied = index.tidy(vault);
        let is_usable = tidied.is_some() || vault.disk().cancellation().is_cancelled();
        Ok(is_usable.then_some(index))
    }

    /// Reads notes, until a cancellation.
    fn with_notes(
        self,
        vault: &Vault,
        whole: &IndexSnapshot,
        unread: &[usize],
        time: ReadingTime<'_>,
        publish: &(impl Fn(&Self) + Sync),
    ) -> Result<Self, EngineError> {
        if unread.is_empty() {
            return Ok(self);
        }
        let index = Mutex::new(self);
        let outcome = analyse(vault, whole, unread, time, &|part: Analysed| {
            let mut index = lock(&index);
            let is_stored = part.notes.len() >= MANY_CHANGED
                || vault.disk().cancellation().is_cancelled()
                || time.until.is_cancelled();
            index.add(part, is_stored.then_some(vault));
            publish(&index);
        });
        match outcome {
            Ok(()) | Err(EngineError::Stopped) => {}
            Err(error) => return Err(error),
        }
        Ok(index.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the numbers of the notes without a record, and of the notes whose words are in no segment, ascending.
    fn unread(&self) -> Vec<usize> {
        let notes = self.notes.iter().zip(&self.places);
        let files = self.files.iter().zip(notes).enumerate();
        let unread = files.filter(|(_, (path, (note, place)))| {
            path.is_indexed() && (note.is_none() || path.is_note() && place.is_none())
        });
        unread.map(|(id, _)| id).collect()
    }

    /// Adds a segment, and the records that were read with it; also to the pieces, if a vault is given.
    fn add(
        &mut self,
        Analysed {
            segment,
            notes,
            read,
        }: Analysed,
        vault: Option<&Vault>,
    ) {
        for (id, note) in read {
            if let Some(slot) = self.notes.get_mut(id) {
                *slot = Some(note);
            }
        }
        let Some(segment) = segment.map(Arc::new) else {
            return;
        };
        for (note, (id, is_settled)) in notes.iter().enumerate() {
            if let Some(place) = self.places.get_mut(*id) {
                let segment = self.segments.len();
                *place = Some(NotePlace {
                    segment,
                    note,
                    is_settled: *is_settled,
                });
            }
        }
        self.segments.push(Arc::clone(&segment));
        let order: Vec<usize> = notes.iter().map(|(id, _)| *id).collect();
        if let Some((vault, notes)) = vault.zip(self.stored_notes(&order)) {
            stored::add_piece(vault, &notes, &segment);
        }
    }

    /// Merges segments if there are many; `None` without any change if one is damaged, or after a
    /// cancellation. A new base is written to the cache.
    fn tidy(&mut self, vault: &Vault) -> Option<()> {
        let all = self.places.iter().flatten().count();
        let base = self.segments.first().filter(|_| self.has_base);
        let of_base = self.places.iter().flatten();
        let of_base = of_base
            .filter(|place| base.is_some() && place.segment == 0)
            .count();
        let gone = base.map_or(0, |base| base.notes()).saturating_sub(of_base);
        let changed = all - of_base + gone;
        if changed > 0
            && (base.is_none() || changed > MANY_CHANGED.max(all / NOTES_FOR_A_CHANGED_ONE))
        {
            let order = self.merge(0, vault)?;
            self.has_base = true;
            self.save(&order, vault);
        } else if self.segments.len() > MANY_SEGMENTS {
            let order = self.merge(1, vault)?;
            if let (Some(notes), Some(segment)) = (self.stored_notes(&order), self.segments.get(1))
            {
                stored::replace_pieces(vault, &notes, segment);
            }
        }
        Some(())
    }

    /// Merges all segments from the one with this number on, and returns the files of its notes;
    /// `None` if one is damaged, or after a cancellation.
    fn merge(&mut self, from: usize, vault: &Vault) -> Option<Vec<usize>> {
        let seen = self.numbered(Some);
        let (kept, merged) = self.segments.split_at_checked(from)?;
        let parts = merged.iter().zip(seen.open.iter().skip(from));
        let parts: Vec<MergedSegment<'_>> = parts
            .map(|(segment, stays)| MergedSegment { segment, stays })
            .collect();
        let segment = if let ([only], true) = (
            merged,
            parts
                .iter()
                .all(|part| part.stays.iter().all(|stays| *stays)),
        ) {
            Arc::clone(only)
        } else {
            let cancellation = vault.disk().cancellation();
            let (tables, arena) = merge(&parts, &|| cancellation.is_cancelled())?;
            Arc::new(Segment::new(tables, Box::new(arena))?)
        };
        let order: Vec<usize> = seen
            .files
            .iter()
            .skip(from)
            .flatten()
            .copied()
            .flatten()
            .collect();
        for (note, id) in order.iter().enumerate() {
            if let Some(Some(place)) = self.places.get_mut(*id) {
                place.segment = from;
                place.note = note;
            }
        }
        self.segments = kept.iter().cloned().chain([segment]).collect();
        Some(order)
    }

    /// Returns the notes of a segment, which belong to the files in `order`; `None` if they are not worth storing:
    /// notes that changed just now must be read again.
    fn stored_notes(&self, order: &[usize]) -> Option<Vec<StoredNote>> {
        let note = |id: &usize| {
            let (place, kept) = (
                self.places.get(*id)?.as_ref()?,
                self.notes.get(*id)?.as_ref()?,
            );
            Some(StoredNote {
                path: self.files.get(*id)?.as_str().to_owned(),
                stamp: place.is_settled.then_some(kept.listed.stamp),
            })
        };
        let notes = order.iter().map(note).collect::<Option<Vec<_>>>()?;
        let settled = notes.iter().filter(|note| note.stamp.is_some()).count();
        (settled * 2 >= notes.len()).then_some(notes)
    }

    /// Writes the base, whose notes belong to the files in `order`, to the cache, and reads postings from there from
    /// now on. Without a cache, or if that fails, they stay in memory.
    fn save(&mut self, order: &[usize], vault: &Vault) {
        let Some(notes) = self.stored_notes(order) else {
            return;
        };
        if let Some(base) = self.segments.first_mut()
            && let Some(stored) = stored::write(vault, &notes, base)
        {
            *base = Arc::new(stored);
        }
    }

    /// Returns the notes of all segments with the numbers that `number` gives to their files.
    fn numbered(&self, number: impl Fn(usize) -> Option<usize>) -> SeenNotes {
        let mut files: Vec<Vec<Option<usize>>> = self
            .segments
            .iter()
            .map(|segment| vec![None; segment.notes()])
            .collect();
        for (id, place) in self.places.iter().enumerate() {
            if let Some(place) = place
                && let Some(slot) = files
                    .get_mut(place.segment)
                    .and_then(|notes| notes.get_mut(place.note))
            {
                *slot = number(id);
            }
        }
        let open = files
            .iter()
            .map(|files| files.iter().map(Option::is_some).collect());
        SeenNotes {
            open: open.collect(),
            files,
        }
    }

    /// Returns the notes that a caller sees: the notes of the files in `seen`, which are in byte order, with `listed`
    /// true.
    pub fn seen_notes(&self, seen: &Arc<Vec<VaultPath>>, listed: &[bool]) -> SeenNotes {
        let is_listed = |id: &usize| listed.get(*id) == Some(&true);
        if Arc::ptr_eq(seen, &self.files) {
            return self.numbered(|id| Some(id).filter(is_listed));
        }
        let places = places(seen.iter().map(VaultPath::as_str), &self.files);
        self.numbered(|id| places.get(id).copied().flatten().filter(is_listed))
    }

    /// Ranks the visible notes. `None` if the cache turned out to be damaged.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn rank(
        &self,
        query: &Query,
        seen: &SeenNotes,
        vault: &Vault,
    ) -> Result<Option<Ranking>, EngineError> {
        self.ranked(seen, vault, |searched, stops| {
            rank(query, searched, &Tuning::default(), stops)
        })
    }

    /// Ranks the visible notes by their likeness to the note that has the number `own` among the caller's files;
    /// `query` is the [`Query::like`] of that note. Without notes if the words of that note are not read yet. `None`
    /// if the cache turned out to be damaged.
    ///
    /// # Errors
    ///
    /// As [`Self::rank`].
    pub fn rank_like(
        &self,
        query: &Query,
        own: usize,
        seen: &SeenNotes,
        vault: &Vault,
    ) -> Result<Option<Ranking>, EngineError> {
        let Some(own) = seen.place(own) else {
            return Ok(Some(Ranking::default()));
        };
        self.ranked(seen, vault, |searched, stops| {
            rank_like(query, own, searched, &Tuning::default(), stops)
        })
    }

    /// Ranks the visible notes with `rank`, which gets the segments and the check whether to stop.
    fn ranked(
        &self,
        seen: &SeenNotes,
        vault: &Vault,
        rank: impl Fn(&[Searched<'_>], &dyn Fn() -> bool) -> Result<Ranking, RankError>,
    ) -> Result<Option<Ranking>, EngineError> {
        let searched = self.segments.iter().zip(&seen.open);
        let searched: Vec<Searched<'_>> = searched
            .map(|(segment, open)| Searched { segment, open })
            .collect();
        let cancellation = vault.disk().cancellation();
        match rank(&searched, &|| cancellation.is_cancelled()) {
            Ok(ranking) => Ok(Some(ranking)),
            Err(RankError::Damaged(_)) => Ok(None),
            Err(RankError::Stopped) => Err(EngineError::Stopped),
        }
    }

    /// Whether the cache has one of this vault, so that reading it takes milliseconds and not seconds.
    pub fn is_stored(vault: &Vault) -> bool {
        CachePlace::of_ranking(vault).is_some_and(|place| place.is_there())
    }

    /// Whether an earlier call was stopped before it had read all notes.
    pub(crate) fn has_pieces(vault: &Vault) -> bool {
        CachePlace::of_ranking(vault).is_some_and(|place| place.pieces().is_there())
    }

    /// Words of the visible notes that are similar to words of a question, the most similar first,
    /// each with the number of a note's file among the caller's files. `None` if the cache turned
    /// out to be damaged.
    pub fn near(&self, query: &Query, seen: &SeenNotes) -> Option<Vec<NearTerm>> {
        let segments = self.segments.iter().map(AsRef::as_ref);
        let numbered = segments.zip(seen.files.iter().map(Vec::as_slice));
        near_terms(query, &numbered.collect::<Vec<_>>(), &typing_distance)
    }
}

/// Returns the edit distance of two terms if one may be a misspelling of the other: at most one letter in three, and
/// none in a short word.
fn typing_distance(wanted: &str, known: &str) -> Option<usize> {
    let letters = wanted.chars().count();
    let allowed = letters / 3;
    if letters < SHORTEST_MISTYPED || known.chars().count().abs_diff(letters) > allowed {
        return None;
    }
    // Each edit removes at most one letter from the set. This rules out nearly all terms of a large
    // vault, and is a hundred times as fast as the distance.
    let lost = letter_set(wanted) & !letter_set(known);
    if usize::try_from(lost.count_ones()).is_ok_and(|lost| lost > allowed) {
        return None;
    }
    let distance = strsim::osa_distance(wanted, known);
    (distance <= allowed).then_some(distance)
}

/// Returns the letters of a text as bits; letters 64 code points apart share a bit.
fn letter_set(text: &str) -> u64 {
    text.chars()
        .fold(0, |set, letter| set | 1 << (u32::from(letter) % u64::BITS))
}

/// The fewest letters of a word for suggestions: shorter words are similar to too many others.
const SHORTEST_MISTYPED: usize = 4;

impl SeenNotes {
    /// Returns the number of the notes.
    pub fn count(&self) -> usize {
        self.open
            .iter()
            .flatten()
            .filter(|is_open| **is_open)
            .count()
    }

    /// Returns the number of a ranked note's file among the caller's files.
    pub fn file(&self, note: &RankedNote) -> Option<usize> {
        *self.files.get(note.segment)?.get(note.note)?
    }

    /// Returns the segment of a file's words, and the number of its note there; `None` if they are not read yet.
    fn place(&self, file: usize) -> Option<(usize, usize)> {
        let mut segments = self.files.iter().enumerate();
        segments.find_map(|(segment, notes)| {
            let note = notes.iter().position(|number| *number == Some(file))?;
            Some((segment, note))
        })
    }
}

/// Returns the error for more notes than one segment can number.
fn too_large() -> EngineError {
    let source = std::io::Error::other("the vault is too large for ranked search");
    EngineError::io(&VaultPath::root(), source)
}

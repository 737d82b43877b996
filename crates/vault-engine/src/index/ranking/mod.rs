//! The data of ranked search: the words of every note, in segments (`design.md` §14).
//!
//! The first segment, the base, covers the vault as it was and lies in a file of the cache folder,
//! of which a query reads only parts. Notes that changed since are in small segments in memory, and
//! their old text is not searched. Once there are many of them, all segments are merged and the
//! file is rewritten.

mod analysis;
mod note_text;
mod postings_file;
mod stored;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use foldhash::HashMap;
use ranked_search::{
    MergedSegment, NearTerm, Query, RankError, RankedNote, Ranking, Searched, Segment, Tuning,
    merge, near_terms, rank,
};

pub(crate) use note_text::note_parts;

use self::analysis::{Analysed, Analysis, analysed};
use self::stored::{StoredNote, StoredRanking};
use super::load::places;
use super::snapshot::{IndexSnapshot, KeptNote};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;

/// The number of changed notes that are always kept beside the base.
const MANY_CHANGED: usize = 64;
/// In a large vault, one changed note per so many notes is still allowed.
const NOTES_FOR_A_CHANGED_ONE: usize = 32;
/// The number of small segments from which they are merged.
const MANY_SEGMENTS: usize = 12;

/// The ranked index of a whole vault at one moment.
pub(crate) struct RankedIndex {
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

/// Why an index is not complete, and the part that was read, with which the next request continues.
pub(crate) struct Interrupted {
    pub(crate) so_far: Box<RankedIndex>,
    pub(crate) why: EngineError,
}

impl fmt::Debug for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "interrupted: {}", self.why)
    }
}

impl From<Interrupted> for EngineError {
    fn from(interrupted: Interrupted) -> Self {
        interrupted.why
    }
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
pub(crate) struct SeenNotes {
    /// For each note of each segment the number of its file among the caller's files.
    files: Vec<Vec<Option<usize>>>,
    /// For each note of each segment whether it has such a number.
    open: Vec<Vec<bool>>,
}

impl RankedIndex {
    /// The ranked index of this snapshot of the whole vault. Reads only notes that neither `before`
    /// nor the cache has.
    pub(crate) fn read(
        vault: &Vault,
        whole: &IndexSnapshot,
        before: Option<&Self>,
    ) -> Result<Self, Interrupted> {
        let known = match before {
            Some(before) => before.carried_to(whole),
            None => Self::stored(vault, whole).unwrap_or_else(|| Self::empty(whole)),
        };
        match known.completed(vault, whole)? {
            Some(index) => Ok(index),
            None => Self::anew(vault, whole),
        }
    }

    /// As [`Self::read`], from the notes only, after the cache turned out to be damaged.
    pub(crate) fn anew(vault: &Vault, whole: &IndexSnapshot) -> Result<Self, Interrupted> {
        let index = Self::empty(whole).completed(vault, whole)?;
        index.ok_or_else(|| Self::empty(whole).interrupted(too_large()))
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

    fn empty(whole: &IndexSnapshot) -> Self {
        Self {
            files: Arc::clone(&whole.files),
            notes: whole.notes.clone(),
            places: vec![None; whole.files.len()],
            segments: Vec::new(),
            has_base: false,
            is_complete: false,
        }
    }

    fn interrupted(self, why: EngineError) -> Interrupted {
        let so_far = Box::new(self);
        Interrupted { so_far, why }
    }

    /// The index from the cache file with the unchanged notes; `None` if there is no usable file.
    fn stored(vault: &Vault, whole: &IndexSnapshot) -> Option<Self> {
        let StoredRanking { segment, notes } = stored::read(vault)?;
        let numbers = notes.iter().enumerate();
        let numbers: HashMap<&str, usize> =
            numbers.map(|(number, note)| (note.path.as_str(), number)).collect();
        let mut index = Self::empty(whole);
        index.segments.push(Arc::new(segment));
        index.has_base = true;
        for ((path, kept), place) in whole.files.iter().zip(&whole.notes).zip(&mut index.places) {
            *place = numbers.get(path.as_str()).and_then(|&note| {
                let is_still = kept.as_ref()?.listed.is_still(notes.get(note)?.stamp);
                is_still.then_some(NotePlace { segment: 0, note, is_settled: true })
            });
        }
        Some(index)
    }

    /// The same segments for another snapshot, without the places of notes that changed.
    fn carried_to(&self, whole: &IndexSnapshot) -> Self {
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

    /// Reads the notes without a place; `None` if a segment is damaged.
    fn completed(
        mut self,
        vault: &Vault,
        whole: &IndexSnapshot,
    ) -> Result<Option<Self>, Interrupted> {
        let unread = self.unread();
        if !unread.is_empty() {
            let Analysis { parts, outcome } = analysed(vault, whole, &unread);
            for part in parts {
                self.add(part);
            }
            if let Err(why) = outcome {
                return Err(self.interrupted(why));
            }
        }
        // What is only planned is not stored.
        let tidied = match vault.overlay() {
            Some(_) => Some(()),
            None => self.tidy(vault),
        };
        if let Err(why) = vault.disk().cancellation().check() {
            return Err(self.interrupted(why.into()));
        }
        self.is_complete = true;
        Ok(tidied.map(|()| self))
    }

    /// The numbers of the notes whose words are in no segment, ascending.
    fn unread(&self) -> Vec<usize> {
        let notes = self.notes.iter().zip(&self.places);
        let files = self.files.iter().zip(notes).enumerate();
        let unread = files.filter(|(_, (path, (note, place)))| {
            path.is_note() && note.is_some() && place.is_none()
        });
        unread.map(|(id, _)| id).collect()
    }

    fn add(&mut self, Analysed { segment, notes }: Analysed) {
        let number = self.segments.len();
        self.segments.push(Arc::new(segment));
        for (note, (id, is_settled)) in notes.into_iter().enumerate() {
            if let Some(place) = self.places.get_mut(id) {
                *place = Some(NotePlace { segment: number, note, is_settled });
            }
        }
    }

    /// Merges segments if there are many; `None` without any change if one is damaged, or after a
    /// cancellation. A new base is written to the cache.
    fn tidy(&mut self, vault: &Vault) -> Option<()> {
        let all = self.places.iter().flatten().count();
        let base = self.segments.first().filter(|_| self.has_base);
        let of_base = self.places.iter().flatten();
        let of_base = of_base.filter(|place| base.is_some() && place.segment == 0).count();
        let gone = base.map_or(0, |base| base.notes()).saturating_sub(of_base);
        let changed = all - of_base + gone;
        if changed > 0
            && (base.is_none() || changed > MANY_CHANGED.max(all / NOTES_FOR_A_CHANGED_ONE))
        {
            let order = self.merge(0, vault)?;
            self.has_base = true;
            self.save(&order, vault);
        } else if self.segments.len() > MANY_SEGMENTS {
            self.merge(1, vault)?;
        }
        Some(())
    }

    /// Merges all segments from the one with this number on, and returns the files of its notes;
    /// `None` if one is damaged, or after a cancellation.
    fn merge(&mut self, from: usize, vault: &Vault) -> Option<Vec<usize>> {
        let seen = self.numbered(Some);
        let (kept, merged) = self.segments.split_at_checked(from)?;
        let parts = merged.iter().zip(seen.open.iter().skip(from));
        let parts: Vec<MergedSegment<'_>> =
            parts.map(|(segment, stays)| MergedSegment { segment, stays }).collect();
        let segment = if let ([only], true) =
            (merged, parts.iter().all(|part| part.stays.iter().all(|stays| *stays)))
        {
            Arc::clone(only)
        } else {
            let cancellation = vault.disk().cancellation();
            let (tables, arena) = merge(&parts, &|| cancellation.is_cancelled())?;
            Arc::new(Segment::new(tables, Box::new(arena))?)
        };
        let order: Vec<usize> = seen.files.iter().skip(from).flatten().copied().flatten().collect();
        for (note, id) in order.iter().enumerate() {
            if let Some(Some(place)) = self.places.get_mut(*id) {
                place.segment = from;
                place.note = note;
            }
        }
        self.segments = kept.iter().cloned().chain([segment]).collect();
        Some(order)
    }

    /// Writes the base, whose notes are those of the files in `order`, to the cache, and reads
    /// postings from there from now on. Without a cache, or if that fails, they stay in memory.
    fn save(&mut self, order: &[usize], vault: &Vault) {
        let note = |id: &usize| {
            let (place, kept) = (self.places.get(*id)?.as_ref()?, self.notes.get(*id)?.as_ref()?);
            Some(StoredNote {
                path: self.files.get(*id)?.as_str().to_owned(),
                stamp: place.is_settled.then_some(kept.listed.stamp),
            })
        };
        let Some(notes) = order.iter().map(note).collect::<Option<Vec<_>>>() else {
            return;
        };
        let settled = notes.iter().filter(|note| note.stamp.is_some()).count();
        // As for the other cache: notes that just changed must be read again anyhow.
        if settled * 2 < notes.len() {
            return;
        }
        if let Some(base) = self.segments.first_mut()
            && let Some(stored) = stored::write(vault, &notes, base)
        {
            *base = Arc::new(stored);
        }
    }

    /// The notes of all segments with the numbers that `number` gives to their files.
    fn numbered(&self, number: impl Fn(usize) -> Option<usize>) -> SeenNotes {
        let mut files: Vec<Vec<Option<usize>>> =
            self.segments.iter().map(|segment| vec![None; segment.notes()]).collect();
        for (id, place) in self.places.iter().enumerate() {
            if let Some(place) = place
                && let Some(slot) =
                    files.get_mut(place.segment).and_then(|notes| notes.get_mut(place.note))
            {
                *slot = number(id);
            }
        }
        let open = files.iter().map(|files| files.iter().map(Option::is_some).collect());
        SeenNotes { open: open.collect(), files }
    }

    /// The notes that a caller sees: those of the files in `seen`, which are in byte order, for
    /// which `listed` is true.
    pub(crate) fn seen_notes(&self, seen: &Arc<Vec<VaultPath>>, listed: &[bool]) -> SeenNotes {
        let is_listed = |id: &usize| listed.get(*id) == Some(&true);
        if Arc::ptr_eq(seen, &self.files) {
            return self.numbered(|id| Some(id).filter(is_listed));
        }
        let places = places(seen.iter().map(VaultPath::as_str), &self.files);
        self.numbered(|id| places.get(id).copied().flatten().filter(is_listed))
    }

    /// Ranks the visible notes. `None` if the cache turned out to be damaged.
    pub(crate) fn rank(
        &self,
        query: &Query,
        seen: &SeenNotes,
        vault: &Vault,
    ) -> Result<Option<Ranking>, EngineError> {
        let searched = self.segments.iter().zip(&seen.open);
        let searched: Vec<Searched<'_>> =
            searched.map(|(segment, open)| Searched { segment, open }).collect();
        let cancellation = vault.disk().cancellation();
        match rank(query, &searched, &Tuning::default(), &|| cancellation.is_cancelled()) {
            Ok(ranking) => Ok(Some(ranking)),
            Err(RankError::Damaged(_)) => Ok(None),
            Err(RankError::Stopped) => Err(EngineError::Stopped),
        }
    }
}

impl RankedIndex {
    /// Whether the cache has one of this vault, so that reading it takes milliseconds and not seconds.
    pub(crate) fn is_stored(vault: &Vault) -> bool {
        stored::is_there(vault)
    }

    /// Words of the visible notes that are similar to words of a question, the most similar first,
    /// each with the number of a note's file among the caller's files. `None` if the cache turned
    /// out to be damaged.
    pub(crate) fn near(&self, query: &Query, seen: &SeenNotes) -> Option<Vec<NearTerm>> {
        let segments = self.segments.iter().map(AsRef::as_ref);
        let numbered = segments.zip(seen.files.iter().map(Vec::as_slice));
        near_terms(query, &numbered.collect::<Vec<_>>(), &typing_distance)
    }
}

/// The edit distance of two terms if one may be a misspelling of the other: at most one letter in
/// three, and none in a short word.
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

/// The letters of a text as bits; letters 64 code points apart share a bit.
fn letter_set(text: &str) -> u64 {
    text.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % u64::BITS))
}

/// The fewest letters of a word for suggestions: shorter words are similar to too many others.
const SHORTEST_MISTYPED: usize = 4;

impl SeenNotes {
    /// The number of a ranked note's file among those of the caller.
    pub(crate) fn file(&self, note: &RankedNote) -> Option<usize> {
        *self.files.get(note.segment)?.get(note.note)?
    }
}

/// The error for more notes than one segment can number.
fn too_large() -> EngineError {
    EngineError::Io {
        path: VaultPath::root(),
        source: std::io::Error::other("the vault is too large for ranked search"),
    }
}

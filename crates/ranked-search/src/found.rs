//! The postings of a question's words in one segment, only from open notes.

use rayon::prelude::*;

use crate::language::Profile;
use crate::posting::{Posting, Postings};
use crate::query::{Concept, Query};
use crate::rank::Searched;
use crate::title::is_as_written;

/// The maximum number of terms that are searched for a prefix of one character.
const MAX_PREFIX_TERMS: usize = 1000;

/// The postings of a question's words in one segment, only from open notes.
pub(crate) struct Found {
    /// The postings of each word of the question, in the order of the words.
    concepts: Vec<Vec<Posting>>,
    /// The heads of the notes whose name is the question: as written, and by their words.
    named: [Vec<u32>; 2],
}

impl Found {
    pub(crate) fn read(query: &Query, part: &Searched<'_>) -> Option<Self> {
        let present = part.profiles();
        let read = |concept: &Concept| {
            let mut postings = Vec::new();
            let mut lists_found = 0;
            for form in concept
                .forms
                .iter()
                .filter(|form| form.profiles & present != 0)
            {
                let lists = if form.is_prefix {
                    part.segment
                        .postings_of_prefix(&form.term, MAX_PREFIX_TERMS)?
                } else {
                    vec![part.segment.postings(&form.term)?]
                };
                for list in lists.iter().filter(|list| !list.is_empty()) {
                    lists_found += 1;
                    OpenNotes::new(part, form.profiles).add(Postings::new(list), &mut postings)?;
                }
            }
            if lists_found > 1 {
                add_up(&mut postings);
            }
            Some(postings)
        };
        let concepts = query.concepts.par_iter().map(read).collect::<Option<_>>()?;
        let mut named = [Vec::new(), Vec::new()];
        for title in &query.titles {
            let mut heads = Vec::new();
            let list = part.segment.postings(title)?;
            OpenNotes::new(part, u64::MAX).add(Postings::new(&list), &mut heads)?;
            let place = usize::from(!is_as_written(title));
            named[place].extend(heads.iter().map(|posting| posting.unit));
        }
        for heads in &mut named {
            heads.sort_unstable();
        }
        Some(Self { concepts, named })
    }

    /// Reads the postings of compounds with these words of the question, and of parts of them.
    pub(crate) fn read_compounds(
        &mut self,
        query: &Query,
        words: &[usize],
        part: &Searched<'_>,
    ) -> Option<()> {
        let mut terms = part.segment.terms();
        while terms.advance()? {
            let Ok(term) = std::str::from_utf8(terms.term()) else {
                continue;
            };
            for &word in words {
                if query.concepts.get(word)?.shares_part_with(term) {
                    let postings = self.concepts.get_mut(word)?;
                    OpenNotes::new(part, u64::MAX).add(terms.postings(), postings)?;
                }
            }
        }
        for &word in words {
            add_up(self.concepts.get_mut(word)?);
        }
        Some(())
    }

    /// Splits the postings into pieces that are scored in parallel. Each has all postings of about
    /// the same number of notes.
    pub(crate) fn pieces(&self, first_units: &[u32]) -> Vec<FoundPiece<'_>> {
        let postings: usize = self.concepts.iter().map(Vec::len).sum();
        let count = (postings / PIECE_POSTINGS).clamp(1, rayon::current_num_threads() * 4);
        let notes = first_units.len().saturating_sub(1);
        let mut rest = FoundPiece {
            concepts: self.concepts.iter().map(Vec::as_slice).collect(),
            named: self.named.each_ref().map(Vec::as_slice),
        };
        let mut pieces = Vec::with_capacity(count);
        for number in 1..count {
            let end = first_units.get(notes * number / count);
            pieces.push(rest.split_before(end.copied().unwrap_or(u32::MAX)));
        }
        pieces.push(rest);
        pieces
    }

    /// Whether only these units have this word of the question.
    pub(crate) fn has_only(&self, concept: usize, units: &std::ops::Range<u32>) -> bool {
        let mut postings = self.concepts.get(concept).into_iter().flatten();
        postings.all(|posting| units.contains(&posting.unit))
    }

    /// Leaves a word of the question out.
    pub(crate) fn leave_out(&mut self, concept: usize) {
        if let Some(postings) = self.concepts.get_mut(concept) {
            postings.clear();
        }
    }

    /// The number of units with this word of the question.
    pub(crate) fn having(&self, concept: usize) -> u64 {
        let postings = self.concepts.get(concept).map_or(0, Vec::len);
        u64::try_from(postings).unwrap_or(u64::MAX)
    }
}

/// Merges several lists: sorts them, and adds up the counts of each unit.
fn add_up(postings: &mut Vec<Posting>) {
    postings.sort_by_key(|posting| posting.unit);
    postings.dedup_by(|later, kept| {
        let is_same = later.unit == kept.unit;
        if is_same {
            kept.text = kept.text.saturating_add(later.text);
            kept.above = kept.above.saturating_add(later.above);
        }
        is_same
    });
}

/// The number of postings for each piece. With fewer, scoring in parallel would not be faster.
const PIECE_POSTINGS: usize = 4096;

/// The postings of some adjacent notes.
pub(crate) struct FoundPiece<'found> {
    /// The postings of each word, as in [`Found`].
    pub(crate) concepts: Vec<&'found [Posting]>,
    pub(crate) named: [&'found [u32]; 2],
}

impl FoundPiece<'_> {
    /// Splits off the postings before this unit.
    fn split_before(&mut self, end: u32) -> Self {
        let mut before = Self {
            concepts: Vec::with_capacity(self.concepts.len()),
            named: [&[], &[]],
        };
        for rest in &mut self.concepts {
            let (taken, left) = rest.split_at(rest.partition_point(|posting| posting.unit < end));
            before.concepts.push(taken);
            *rest = left;
        }
        for (rest, taken) in self.named.iter_mut().zip(&mut before.named) {
            (*taken, *rest) = rest.split_at(rest.partition_point(|head| *head < end));
        }
        before
    }
}

/// Keeps the postings of open notes with one of these profiles. It moves through the notes of the
/// segment along with the postings, which are sorted too.
struct OpenNotes<'index> {
    part: &'index Searched<'index>,
    profiles: u64,
    note: usize,
    /// The unit after those of the note.
    end: u32,
    is_open: bool,
}

impl<'index> OpenNotes<'index> {
    fn new(part: &'index Searched<'index>, profiles: u64) -> Self {
        Self {
            part,
            profiles,
            note: 0,
            end: 0,
            is_open: false,
        }
    }

    fn add(mut self, list: Postings<'_>, postings: &mut Vec<Posting>) -> Option<()> {
        for posting in list {
            let posting = posting?;
            if posting.unit >= self.end {
                self.go_to(posting.unit)?;
            }
            if self.is_open {
                postings.push(posting);
            }
        }
        Some(())
    }

    fn go_to(&mut self, unit: u32) -> Option<()> {
        let tables = &self.part.segment.tables;
        self.note = note_of(&tables.first_units, self.note, unit)?;
        self.end = *tables.first_units.get(self.note + 1)?;
        let profile = Profile::from_number(*tables.profiles.get(self.note)?);
        self.is_open = self.part.open.get(self.note) == Some(&true)
            && self.profiles & (1 << profile.number()) != 0;
        Some(())
    }
}

/// The number of the note with this unit, searched from the note `from` on; `None` after the last
/// note.
pub(crate) fn note_of(first_units: &[u32], from: usize, unit: u32) -> Option<usize> {
    // The note is mostly close by: steps that double find it faster than a search in all notes.
    let (mut low, mut step) = (from, 1);
    while first_units
        .get(low + step)
        .is_some_and(|first| *first <= unit)
    {
        low += step;
        step *= 2;
    }
    let high = first_units.len().min(low + step + 1);
    let window = first_units.get(low..high)?;
    let within = window
        .partition_point(|first| *first <= unit)
        .checked_sub(1)?;
    let note = low + within;
    // The last entry is the end of the last note, not a note.
    (note + 1 < first_units.len()).then_some(note)
}

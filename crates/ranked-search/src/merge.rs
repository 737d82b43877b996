//! Merges several segments into one, without the notes that were removed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::found::note_of;
use crate::posting::Posting;
use crate::segment::{Segment, Tables, TermCursor, TermWriter};
use crate::terms::beginning;

/// A segment to be merged, and which of its notes still exist.
#[derive(Clone, Copy)]
pub struct MergedSegment<'part> {
    /// The segment, which stays unchanged.
    pub segment: &'part Segment,
    /// For each of its notes, whether it is kept.
    pub stays: &'part [bool],
}

/// The number of terms that are merged between two checks of `stops`.
const TERMS_BETWEEN_LOOKS: u64 = 4096;

/// The tables and the arena of all kept notes, in the order of the segments and of their notes.
/// `None` if an arena is damaged, if the notes exceed what a segment can number, or once `stops`,
/// which is checked regularly, returns true.
pub fn merge(parts: &[MergedSegment<'_>], stops: &dyn Fn() -> bool) -> Option<(Tables, Vec<u8>)> {
    let mut tables = Tables::default();
    let mut sources = Vec::new();
    for part in parts {
        let mut source = MergeSource {
            cursor: part.segment.terms(),
            is_open: true,
            beginning: 0,
            tables: &part.segment.tables,
            moved: Vec::new(),
            distance: None,
        };
        let distance = u32::try_from(tables.lengths.len()).ok()?;
        let old = source.tables;
        // The notes come first: the postings refer to their new units.
        for note in 0..part.segment.notes() {
            let units = old.units(note)?;
            let lengths = usize::try_from(units.start).ok()?..usize::try_from(units.end).ok()?;
            let stays = part.stays.get(note) == Some(&true);
            let first = stays.then(|| u32::try_from(tables.lengths.len()));
            source.moved.push(first.transpose().ok()?);
            if stays {
                tables.add_note(*old.profiles.get(note)?, old.lengths.get(lengths)?)?;
            }
        }
        let all_stay = source.moved.iter().all(Option::is_some);
        source.distance = all_stay.then_some(distance);
        source.advance()?;
        sources.push(source);
    }
    let mut writer = TermWriter::new(tables);
    let mut postings = Vec::new();
    let mut term = Vec::new();
    // The segments with terms left, the segment with the least term first.
    let open = (0..).zip(&sources).filter(|(_, source)| source.is_open);
    let mut waiting: BinaryHeap<Reverse<(u64, usize)>> = open
        .map(|(number, source)| Reverse((source.beginning, number)))
        .collect();
    let mut alike = Vec::new();
    let mut number = 0_u64;
    while let Some(&Reverse((beginning, _))) = waiting.peek() {
        // The segments whose terms have this beginning, in their order.
        while let Some(next) = waiting.peek_mut().filter(|next| next.0.0 == beginning) {
            alike.push(PeekMut::pop(next).0.1);
        }
        // A merge of sorted lists: each turn takes the least term, from all segments that have it.
        while let Some(least) = alike
            .iter()
            .filter_map(|&part| sources.get(part))
            .min_by(|left: &&MergeSource<'_>, right| left.cursor.term().cmp(right.cursor.term()))
        {
            if number.is_multiple_of(TERMS_BETWEEN_LOOKS) && stops() {
                return None;
            }
            number += 1;
            term.clear();
            term.extend(least.cursor.term());
            postings.clear();
            for &part in &alike {
                let source = sources.get_mut(part)?;
                if source.cursor.term() == term {
                    source.moved(&mut postings)?;
                    source.advance()?;
                }
            }
            writer.term(&term, &postings)?;
            alike.retain(|&part| {
                let source = sources.get(part).filter(|source| source.is_open);
                let next = source.map(|source| source.beginning);
                let stays = next == Some(beginning);
                waiting.extend(next.filter(|_| !stays).map(|next| Reverse((next, part))));
                stays
            });
        }
    }
    writer.finish()
}

struct MergeSource<'segment> {
    cursor: TermCursor<'segment>,
    is_open: bool,
    /// The first eight bytes of its term as a number: comparing numbers is fast, and decides most
    /// of the time.
    beginning: u64,
    tables: &'segment Tables,
    /// The new first unit of each note; `None` if the note is left out.
    moved: Vec<Option<u32>>,
    /// The distance that every unit moves; `None` if some notes are left out, so that it depends on the note.
    distance: Option<u32>,
}

impl MergeSource<'_> {
    /// Goes to the next term; `None` if the arena is damaged.
    fn advance(&mut self) -> Option<()> {
        self.is_open = self.cursor.advance()?;
        self.beginning = beginning(self.cursor.term());
        Some(())
    }

    /// Adds the postings of the current term in kept notes, with their new unit numbers.
    fn moved(&self, postings: &mut Vec<Posting>) -> Option<()> {
        if let Some(distance) = self.distance {
            for posting in self.cursor.postings() {
                let posting = posting?;
                if usize::try_from(posting.unit).ok()? >= self.tables.lengths.len() {
                    return None;
                }
                postings.push(Posting {
                    unit: posting.unit.checked_add(distance)?,
                    ..posting
                });
            }
            return Some(());
        }
        let mut note = 0;
        for posting in self.cursor.postings() {
            let posting = posting?;
            note = note_of(&self.tables.first_units, note, posting.unit)?;
            if let Some(moved) = self.moved.get(note)? {
                let within = posting
                    .unit
                    .checked_sub(*self.tables.first_units.get(note)?)?;
                postings.push(Posting {
                    unit: moved.checked_add(within)?,
                    ..posting
                });
            }
        }
        Some(())
    }
}

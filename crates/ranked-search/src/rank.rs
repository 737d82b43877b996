//! Ranks notes by a question.
//!
//! A passage is scored by BM25 over its words, where a word in the name, the tags, a heading or the first
//! passage of the note counts as some more of it (BM25F). The score of a note is that of its best passage
//! and of the note as a whole, and more the more of its name the question has, less where words of the question
//! are missing.

use rayon::prelude::*;

use crate::found::Found;
use crate::language::Profile;
use crate::query::Query;
use crate::scoring::Scoring;
use crate::segment::Segment;
use crate::tuning::Tuning;

/// So many passages of a note are told.
pub const PASSAGES_OF_A_NOTE: usize = 3;

/// A segment, and which of its notes there are for whoever asks.
#[derive(Clone, Copy)]
pub struct Searched<'index> {
    /// The segment.
    pub segment: &'index Segment,
    /// For each of its notes whether it is there. All others count for nothing: scores are those of an
    /// index without them.
    pub open: &'index [bool],
}

/// A note that has words of the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedNote {
    /// The position of its segment in what was searched.
    pub segment: usize,
    /// Its number in the segment.
    pub note: usize,
    /// How well it fits: more is better.
    pub score: f64,
    /// Whether the question is its name or one of its aliases.
    pub named: Named,
    pub(crate) passages: [RankedPassage; PASSAGES_OF_A_NOTE],
    pub(crate) found_passages: usize,
}

impl RankedNote {
    /// A note that was found in another way than by the words of the question.
    pub fn unranked() -> Self {
        Self {
            segment: 0,
            note: 0,
            score: 0.0,
            named: Named::No,
            passages: <[RankedPassage; PASSAGES_OF_A_NOTE]>::default(),
            found_passages: 0,
        }
    }

    /// Its best passages, the best first; none where only its head has words of the question.
    pub fn passages(&self) -> &[RankedPassage] {
        self.passages.get(..self.found_passages).unwrap_or_default()
    }
}

impl Searched<'_> {
    /// The profiles of the open notes, one bit each.
    pub(crate) fn profiles(&self) -> u64 {
        let profiles = self.segment.tables.profiles.iter().zip(self.open);
        let open = profiles.filter(|(_, open)| **open);
        open.fold(0, |all, (profile, _)| {
            all | 1 << Profile::from_number(*profile).number()
        })
    }
}

/// Whether a question is the name of a note, the better the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// It is not.
    No,
    /// By its words.
    ByWords,
    /// As it is written, but for casing and blanks.
    AsWritten,
}

/// A passage of a ranked note.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankedPassage {
    /// Its position in the note, from 0.
    pub number: usize,
    /// How well it fits as a part of its note; the best has the score of the note.
    pub score: f64,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Every note with words of the question, in no order.
    pub notes: Vec<RankedNote>,
    /// How much each word of the question counts: the rarer the more, and a filler less; for [`crate::snippet()`].
    pub weights: Vec<f64>,
}

/// Why there is no ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankError {
    /// The segment at this position is damaged.
    Damaged(usize),
    /// It was told to stop.
    Stopped,
}

/// Ranks all open notes. `stops` is asked now and then whether to give up.
///
/// # Errors
///
/// Fails where a segment is damaged, or with [`RankError::Stopped`].
pub fn rank(
    query: &Query,
    searched: &[Searched<'_>],
    tuning: &Tuning,
    stops: &dyn Fn() -> bool,
) -> Result<Ranking, RankError> {
    let corpus = Corpus::of(searched);
    let mut found = Vec::new();
    for (number, part) in searched.iter().enumerate() {
        if stops() {
            return Err(RankError::Stopped);
        }
        found.push(Found::read(query, part).ok_or(RankError::Damaged(number))?);
    }
    let concepts = query.concepts.iter().enumerate();
    let weights: Vec<f64> = concepts
        .map(|(number, concept)| {
            let having = found.iter().map(|found| found.having(number)).sum();
            let rarity = corpus.rarity(having);
            // In a small vault a filler is as rare as a word of the subject.
            if concept.is_filler {
                rarity * tuning.filler
            } else {
                rarity
            }
        })
        .collect();
    let mut notes = Vec::new();
    for (segment, (found, part)) in found.iter().zip(searched).enumerate() {
        if stops() {
            return Err(RankError::Stopped);
        }
        let scoring = Scoring {
            tuning,
            weights: &weights,
            average: corpus.average,
            average_note: corpus.average_note,
            part,
            segment,
        };
        let scored: Option<Vec<Vec<RankedNote>>> = found
            .pieces(&part.segment.tables.first_units)
            .into_par_iter()
            .map(|piece| scoring.run(piece))
            .collect();
        for piece in scored.ok_or(RankError::Damaged(segment))? {
            notes.extend(piece);
        }
    }
    Ok(Ranking { notes, weights })
}

/// What is known of all open notes.
struct Corpus {
    passages: f64,
    /// The average number of terms of a passage.
    average: f64,
    /// The average number of terms of a note.
    average_note: f64,
}

impl Corpus {
    fn of(searched: &[Searched<'_>]) -> Self {
        let (mut notes, mut passages, mut length) = (0_u64, 0_u64, 0_u64);
        for part in searched {
            let tables = &part.segment.tables;
            let all = tables.first_units.windows(2).zip(&tables.note_lengths);
            for ((units, note_length), _) in all.zip(part.open).filter(|(_, open)| **open) {
                passages += u64::from(units[1].saturating_sub(units[0]).saturating_sub(1));
                length += u64::from(*note_length);
                notes += 1;
            }
        }
        let passages = real(passages);
        Self {
            passages,
            average: (real(length) / passages.max(1.0)).max(1.0),
            average_note: (real(length) / real(notes).max(1.0)).max(1.0),
        }
    }

    /// How much a word counts that so many passages have.
    fn rarity(&self, having: u64) -> f64 {
        let having = real(having);
        let all = self.passages.max(having);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

fn real(number: u64) -> f64 {
    // Counts of passages stay below 32 bits.
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

//! Ranks notes for a question.
//!
//! A passage is scored by BM25 over its words. A word in the name, the tags, a heading or the first passage of the note
//! counts as several occurrences (BM25F). The score of a note combines the score of its best passage and the score of
//! the note as a whole. It is lower if the note lacks words of the question. If no note has a word of the question, its
//! compounds and its parts are found instead.
//!
//! - A question that is a title or an alias finds that note first. An alias does not make the name longer.
//! - `k1` for the note as a whole is the average number of passages of a note: in a vault of short notes, further
//!   occurrences of a word say little.
//! - Frequencies and lengths are counted, at each question, for the open notes.

use rayon::prelude::*;

use crate::found::Found;
use crate::language::Profile;
use crate::query::{MAX_CONCEPTS, Query};
use crate::scoring::Scoring;
use crate::segment::Segment;
use crate::tuning::Tuning;

/// The most passages of a note in a result.
pub const PASSAGES_OF_A_NOTE: usize = 3;

/// The most passages that are searched for compounds: that takes a walk through all terms.
const MAX_COMPOUND_PASSAGES: f64 = 10_000.0;

/// A segment, and which of its notes the caller may see.
#[derive(Clone, Copy)]
pub struct Searched<'index> {
    /// The segment, with all its notes.
    pub segment: &'index Segment,
    /// For each of its notes whether it is visible. The scores are the same as in an index without the other notes.
    pub open: &'index [bool],
}

/// A note with words of the question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankedNote {
    /// The position of its segment in the list that was searched.
    pub segment: usize,
    /// Its number in the segment.
    pub note: usize,
    /// The score; greater is better.
    pub score: f64,
    /// Whether the question equals its name or one of its aliases.
    pub named: Named,
    pub(crate) passages: [RankedPassage; PASSAGES_OF_A_NOTE],
    pub(crate) found_passages: usize,
}

impl RankedNote {
    /// A note that was found in another way than by the words of the question.
    pub fn unranked() -> Self {
        Self::default()
    }

    /// Its best passages, the best first; empty if only its head has words of the question.
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

/// Whether a question is the name of a note. A greater value means a better match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    #[default]
    /// The question is not its name.
    No,
    /// Both have the same words, without regard to case, diacritics and punctuation.
    ByWords,
    /// Both are written in the same way, except for case and blanks.
    AsWritten,
}

/// A passage of a ranked note.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankedPassage {
    /// Its position in the note, from 0.
    pub number: usize,
    /// The score as a part of its note. The best passage has the score of the note.
    pub score: f64,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Every note with words of the question, unsorted.
    pub notes: Vec<RankedNote>,
    /// The weight of each word of the question, for [`crate::snippet()`]: rare words weigh more,
    /// fillers less.
    pub weights: Vec<f64>,
    /// Whether no note has a word of the question, so that all notes were found by compounds and parts of its words.
    pub is_by_parts: bool,
}

/// The error if a ranking cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankError {
    /// The segment at this position is damaged.
    Damaged(usize),
    /// The caller asked to stop.
    Stopped,
}

/// Ranks all open notes. `stops` is checked regularly.
///
/// # Errors
///
/// Fails if a segment is damaged, or with [`RankError::Stopped`].
pub fn rank(
    query: &Query,
    searched: &[Searched<'_>],
    tuning: &Tuning,
    stops: &dyn Fn() -> bool,
) -> Result<Ranking, RankError> {
    let corpus = Corpus::measure(searched);
    let mut found = read(query, searched, stops)?;
    let is_missing = |word: &usize| found.iter().all(|found| found.having(*word) == 0);
    let mut missing: Vec<usize> = (0..query.concepts.len()).filter(is_missing).collect();
    if corpus.passages > MAX_COMPOUND_PASSAGES {
        missing.clear();
    }
    if !missing.is_empty() {
        for (number, (found, part)) in found.iter_mut().zip(searched).enumerate() {
            found
                .read_compounds(query, &missing, part)
                .ok_or(RankError::Damaged(number))?;
        }
    }
    let mut weights = weights(query, &found, &corpus, tuning);
    let is_by_parts = missing.len() == query.concepts.len();
    for word in missing {
        if let Some(weight) = weights.get_mut(word) {
            *weight *= tuning.compound;
        }
    }
    let ranking = scored(&found, searched, weights, (&corpus, tuning), stops)?;
    Ok(Ranking {
        is_by_parts,
        ..ranking
    })
}

/// Ranks the open notes by their likeness to one of them: `query` must be its [`Query::like`], and `own` its segment
/// and its number there. Only words that other notes have too count, and of these the weightiest. The result has the
/// note itself, whose score is that of a note with all of these words.
///
/// # Errors
///
/// As [`rank`].
pub fn rank_like(
    query: &Query,
    own: (usize, usize),
    searched: &[Searched<'_>],
    tuning: &Tuning,
    stops: &dyn Fn() -> bool,
) -> Result<Ranking, RankError> {
    let corpus = Corpus::measure(searched);
    let mut found = read(query, searched, stops)?;
    let mut weights = weights(query, &found, &corpus, tuning);
    let units_of = |segment: usize| {
        let is_own = segment == own.0;
        let tables = &searched.get(segment)?.segment.tables;
        is_own.then(|| tables.units(own.1)).flatten()
    };
    for (word, weight) in weights.iter_mut().enumerate() {
        let is_only_there = found
            .iter()
            .enumerate()
            .all(|(segment, found)| found.has_only(word, &units_of(segment).unwrap_or(0..0)));
        if is_only_there {
            *weight = 0.0;
        }
    }
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|left, right| {
        let weight = |word: &usize| weights.get(*word).copied().unwrap_or_default();
        weight(right).total_cmp(&weight(left))
    });
    for (place, word) in order.into_iter().enumerate() {
        let Some(weight) = weights.get_mut(word) else {
            continue;
        };
        if place >= MAX_CONCEPTS {
            *weight = 0.0;
        }
        if *weight <= 0.0 {
            for found in &mut found {
                found.leave_out(word);
            }
        }
    }
    scored(&found, searched, weights, (&corpus, tuning), stops)
}

/// Reads the postings of the words of a query.
fn read(
    query: &Query,
    searched: &[Searched<'_>],
    stops: &dyn Fn() -> bool,
) -> Result<Vec<Found>, RankError> {
    let mut found = Vec::new();
    for (number, part) in searched.iter().enumerate() {
        if stops() {
            return Err(RankError::Stopped);
        }
        found.push(Found::read(query, part).ok_or(RankError::Damaged(number))?);
    }
    Ok(found)
}

/// The weight of each word: rare words weigh more, and words that are frequent in the note that others are compared
/// with.
fn weights(query: &Query, found: &[Found], corpus: &Corpus, tuning: &Tuning) -> Vec<f64> {
    let concepts = query.concepts.iter().enumerate();
    let weights = concepts.map(|(number, concept)| {
        let having = found.iter().map(|found| found.having(number)).sum();
        let frequency = 1.0 + f64::from(concept.count.max(1)).ln();
        let weight = corpus.rarity(having) * frequency;
        // In a small vault a filler may be as rare as a word about the subject.
        if concept.is_filler {
            weight * tuning.filler
        } else {
            weight
        }
    });
    weights.collect()
}

/// Scores the notes with these postings.
fn scored(
    found: &[Found],
    searched: &[Searched<'_>],
    weights: Vec<f64>,
    (corpus, tuning): (&Corpus, &Tuning),
    stops: &dyn Fn() -> bool,
) -> Result<Ranking, RankError> {
    let mut notes = Vec::new();
    for (segment, (found, part)) in found.iter().zip(searched).enumerate() {
        if stops() {
            return Err(RankError::Stopped);
        }
        let scoring = Scoring {
            tuning,
            weights: &weights,
            corpus,
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
    Ok(Ranking {
        notes,
        weights,
        is_by_parts: false,
    })
}

/// The totals over all open notes.
pub(crate) struct Corpus {
    passages: f64,
    /// The average number of terms of a passage.
    pub(crate) average: f64,
    /// The average number of terms of a note.
    pub(crate) average_note: f64,
    /// The average number of passages of a note, at least 1.
    pub(crate) passages_of_a_note: f64,
}

impl Corpus {
    fn measure(searched: &[Searched<'_>]) -> Self {
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
        let (notes, passages) = (to_f64(notes).max(1.0), to_f64(passages));
        Self {
            passages,
            average: (to_f64(length) / passages.max(1.0)).max(1.0),
            average_note: (to_f64(length) / notes).max(1.0),
            passages_of_a_note: (passages / notes).max(1.0),
        }
    }

    /// The weight of a word that this many units have: BM25's inverse document frequency.
    fn rarity(&self, having: u64) -> f64 {
        let having = to_f64(having);
        let all = self.passages.max(having);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

fn to_f64(number: u64) -> f64 {
    // Counts of passages fit into 32 bits.
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

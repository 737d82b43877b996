//! Ranks notes by a question.
//!
//! A passage is scored by BM25 over its words, where a word in the name, the tags, a heading or the first
//! passage of the note counts as some more of it (BM25F). The score of a note is that of its best passage
//! and of the note as a whole, less where words of the question are missing.

use rayon::prelude::*;

use crate::language::Profile;
use crate::posting::Posting;
use crate::posting::Postings;
use crate::query::{Concept, Query};
use crate::segment::Segment;
use crate::title::is_as_written;
use crate::tuning::Tuning;

/// So many terms that begin with a lone character are looked for.
const MAX_PREFIX_TERMS: usize = 1000;
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
    passages: [RankedPassage; PASSAGES_OF_A_NOTE],
    found_passages: usize,
}

impl RankedNote {
    /// Its best passages, the best first; none where only its head has words of the question.
    pub fn passages(&self) -> &[RankedPassage] {
        self.passages.get(..self.found_passages).unwrap_or_default()
    }
}

impl Searched<'_> {
    /// The profiles of the open notes, one bit each.
    fn profiles(&self) -> u64 {
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
    /// How rare each word of the question is, for [`crate::snippet()`].
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
    let weights: Vec<f64> = (0..query.concepts.len())
        .map(|concept| {
            let having = found.iter().map(|found| found.having(concept)).sum();
            corpus.rarity(having)
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

/// The postings of a question's words in one segment, of open notes alone.
struct Found {
    /// In the order of the question's words.
    concepts: Vec<Vec<Posting>>,
    /// The heads of the notes that the question names as written, and by their words.
    named: [Vec<u32>; 2],
}

impl Found {
    fn read(query: &Query, part: &Searched<'_>) -> Option<Self> {
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
                    OpenNotes::new(part, form.profiles).add(list, &mut postings)?;
                }
            }
            if lists_found > 1 {
                // In order again, and each unit once.
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
            Some(postings)
        };
        let concepts = query.concepts.par_iter().map(read).collect::<Option<_>>()?;
        let mut named = [Vec::new(), Vec::new()];
        for title in &query.titles {
            let mut heads = Vec::new();
            let list = part.segment.postings(title)?;
            OpenNotes::new(part, u64::MAX).add(&list, &mut heads)?;
            let place = usize::from(!is_as_written(title));
            named[place].extend(heads.iter().map(|posting| posting.unit));
        }
        for heads in &mut named {
            heads.sort_unstable();
        }
        Some(Self { concepts, named })
    }

    /// The postings in parts of whole notes, of about as many units each.
    fn pieces(&self, first_units: &[u32]) -> Vec<FoundPiece<'_>> {
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

    fn having(&self, concept: usize) -> u64 {
        let postings = self.concepts.get(concept).map_or(0, Vec::len);
        u64::try_from(postings).unwrap_or(u64::MAX)
    }
}

/// From so many postings on they are scored in parallel, about so many at a time.
const PIECE_POSTINGS: usize = 4096;

/// What was found of some notes that follow each other.
struct FoundPiece<'found> {
    /// As in [`Found`].
    concepts: Vec<&'found [Posting]>,
    named: [&'found [u32]; 2],
}

impl FoundPiece<'_> {
    /// Takes off what is before this unit.
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

/// Goes through the notes of a segment along with postings.
struct OpenNotes<'index> {
    part: &'index Searched<'index>,
    profiles: u64,
    note: usize,
    /// The end of its units.
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

    fn add(mut self, list: &[u8], postings: &mut Vec<Posting>) -> Option<()> {
        for posting in Postings::new(list) {
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

/// The note with this unit, which is not before `from`.
fn note_of(first_units: &[u32], from: usize, unit: u32) -> Option<usize> {
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
    // The last entry is the end of the last note.
    (note + 1 < first_units.len()).then_some(note)
}

struct Scoring<'index> {
    tuning: &'index Tuning,
    weights: &'index [f64],
    average: f64,
    average_note: f64,
    part: &'index Searched<'index>,
    segment: usize,
}

/// What is computed for one note after the other.
#[derive(Default)]
struct Scratch {
    /// For each word of the question what every passage inherits from the head, as words of its text.
    inherited: Vec<f64>,
    /// What each word adds to the score of a passage that does not have it.
    bare: Vec<f64>,
    /// For each word how often it is in the note as a whole.
    whole: Vec<f64>,
    /// For each word what headings have added to that.
    above: Vec<f64>,
    passages: Vec<RankedPassage>,
}

/// What a note as a whole says.
struct Whole {
    score: f64,
    /// What part of the score of the note counts, by how many of the words it has.
    coverage: f64,
}

/// A posting of one of the question's words in the note at hand.
#[derive(Clone, Copy)]
struct NotePosting {
    concept: usize,
    posting: Posting,
}

impl Scoring<'_> {
    /// The notes of a piece; none where the segment is damaged.
    fn run(&self, found: FoundPiece<'_>) -> Option<Vec<RankedNote>> {
        let first_units = &self.part.segment.tables.first_units;
        let FoundPiece {
            concepts: mut rests,
            named,
        } = found;
        let [mut as_written, mut by_words] = named.map(|heads| heads.iter().copied().peekable());
        let mut notes = Vec::new();
        let mut note = 0;
        let mut postings = Vec::new();
        let mut scratch = Scratch::default();
        loop {
            let heads = rests.iter().filter_map(|rest| rest.first());
            let next = heads
                .map(|posting| posting.unit)
                .chain(as_written.peek().copied())
                .chain(by_words.peek().copied())
                .min();
            let Some(unit) = next else {
                return Some(notes);
            };
            note = note_of(first_units, note, unit)?;
            let units = self.part.segment.tables.units(note)?;
            postings.clear();
            for (concept, rest) in rests.iter_mut().enumerate() {
                let count = rest
                    .iter()
                    .take_while(|posting| posting.unit < units.end)
                    .count();
                let (of_note, later) = rest.split_at(count);
                let of_note = of_note.iter();
                postings.extend(of_note.map(|&posting| NotePosting { concept, posting }));
                *rest = later;
            }
            let mut named = Named::No;
            while by_words.next_if(|head| *head < units.end).is_some() {
                named = Named::ByWords;
            }
            while as_written.next_if(|head| *head < units.end).is_some() {
                named = Named::AsWritten;
            }
            postings.sort_by_key(|found| found.posting.unit);
            notes.push(self.note(note, units.start, &postings, named, &mut scratch)?);
        }
    }

    /// Scores a note by its postings, which are in the order of its units.
    fn note(
        &self,
        note: usize,
        head: u32,
        postings: &[NotePosting],
        named: Named,
        scratch: &mut Scratch,
    ) -> Option<RankedNote> {
        let of_head = postings.iter();
        let of_head = of_head.take_while(|found| found.posting.unit == head);
        let (in_head, in_passages) = postings.split_at(of_head.count());
        self.inherit(head, in_head, in_passages, scratch)?;
        let k1 = self.tuning.k1;
        let bare_score: f64 = scratch.bare.iter().sum();
        let norm_of_whole = self.norm_of_whole(note)?;
        for of_unit in in_passages.chunk_by(|left, right| left.posting.unit == right.posting.unit) {
            let unit = of_unit.first()?.posting.unit;
            let number = unit.checked_sub(head)?.checked_sub(1)?;
            let norm = self.norm(unit)?;
            let mut score = bare_score;
            for found in of_unit {
                let text = f64::from(found.posting.text);
                let above = self.tuning.heading * f64::from(found.posting.above.min(2));
                let words = text / norm + above + scratch.inherited.get(found.concept)?;
                score += gain(words, *self.weights.get(found.concept)?, k1)
                    - scratch.bare.get(found.concept)?;
                // A heading is above all passages of its section, and counts once.
                let above_before = scratch.above.get_mut(found.concept)?;
                let more_above = f64::max(above - *above_before, 0.0);
                *above_before += more_above;
                *scratch.whole.get_mut(found.concept)? += text / norm_of_whole + more_above;
            }
            scratch.passages.push(RankedPassage {
                number: usize::try_from(number).ok()?,
                score,
            });
        }
        scratch.passages.sort_by(|left, right| {
            let order = right.score.total_cmp(&left.score);
            order.then(left.number.cmp(&right.number))
        });
        let best = scratch.passages.first();
        let best = best.map_or(bare_score, |passage| passage.score);
        let Whole { score, coverage } = self.whole(&scratch.whole);
        let score = coverage * (best + self.tuning.whole * score);
        let mut passages = [RankedPassage::default(); PASSAGES_OF_A_NOTE];
        for (place, passage) in passages.iter_mut().zip(&scratch.passages) {
            *place = RankedPassage {
                score: score - (best - passage.score) * coverage,
                ..*passage
            };
        }
        Some(RankedNote {
            segment: self.segment,
            note,
            score,
            named,
            passages,
            found_passages: scratch.passages.len().min(PASSAGES_OF_A_NOTE),
        })
    }

    /// Begins a note: what each of its passages has of its head and of the first passage.
    fn inherit(
        &self,
        head: u32,
        in_head: &[NotePosting],
        in_passages: &[NotePosting],
        scratch: &mut Scratch,
    ) -> Option<()> {
        let Scratch {
            inherited,
            bare,
            whole,
            above,
            passages,
        } = scratch;
        let tuning = self.tuning;
        inherited.clear();
        inherited.resize(self.weights.len(), 0.0);
        let norm = 1.0 - tuning.name_b + tuning.name_b * self.length(head)? / NAME_WORDS;
        for found in in_head {
            let facet = f64::from(found.posting.above.min(1));
            *inherited.get_mut(found.concept)? =
                tuning.name * f64::from(found.posting.text) / norm + tuning.facet * facet;
        }
        let of_lead = in_passages.iter();
        for found in of_lead.take_while(|found| found.posting.unit == head + 1) {
            // Not less in a long one: a beginning is cut where it is long, and says the same things.
            let words = f64::from(found.posting.text);
            *inherited.get_mut(found.concept)? += tuning.lead * words;
        }
        bare.clear();
        let words = inherited.iter().zip(self.weights);
        bare.extend(words.map(|(words, weight)| gain(*words, *weight, tuning.k1)));
        whole.clone_from(inherited);
        above.clear();
        above.resize(self.weights.len(), 0.0);
        passages.clear();
        Some(())
    }

    /// Scores a note as a whole by how often it has each word.
    fn whole(&self, words: &[f64]) -> Whole {
        let (mut covered, mut all, mut score) = (0.0, 0.0, 0.0);
        for (words, weight) in words.iter().zip(self.weights) {
            all += weight;
            covered += if *words > 0.0 { *weight } else { 0.0 };
            score += gain(*words, *weight, self.tuning.whole_k1);
        }
        let part = covered / f64::max(all, f64::MIN_POSITIVE);
        Whole {
            score,
            coverage: self.tuning.coverage + (1.0 - self.tuning.coverage) * part,
        }
    }

    fn length(&self, unit: u32) -> Option<f64> {
        let lengths = &self.part.segment.tables.lengths;
        Some(f64::from(*lengths.get(usize::try_from(unit).ok()?)?))
    }

    /// What the words of a passage are divided by, for its length.
    fn norm(&self, unit: u32) -> Option<f64> {
        let length = self.length(unit)? / self.average;
        Some(1.0 - self.tuning.b + self.tuning.b * length)
    }

    /// The same for a note as a whole.
    fn norm_of_whole(&self, note: usize) -> Option<f64> {
        let lengths = &self.part.segment.tables.note_lengths;
        let length = f64::from(*lengths.get(note)?) / self.average_note;
        Some(1.0 - self.tuning.whole_b + self.tuning.whole_b * length)
    }
}

/// BM25 of one word: `words` times in a text, where more of them stop to count the sooner the smaller
/// `k1` is.
fn gain(words: f64, weight: f64, k1: f64) -> f64 {
    weight * words * (k1 + 1.0) / (words + k1)
}

/// A usual name has so many words.
const NAME_WORDS: f64 = 3.0;

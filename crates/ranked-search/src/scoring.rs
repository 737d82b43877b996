//! Scores notes from the postings of a question's words. [`mod@crate::rank`] describes the score.

use crate::found::{FoundPiece, note_of};
use crate::posting::Posting;
use crate::rank::{Corpus, Named, PASSAGES_OF_A_NOTE, RankedNote, RankedPassage, Searched};
use crate::tuning::Tuning;

/// The inputs for the scores of a segment's notes.
pub(crate) struct Scoring<'index> {
    pub(crate) tuning: &'index Tuning,
    pub(crate) weights: &'index [f64],
    pub(crate) corpus: &'index Corpus,
    pub(crate) part: &'index Searched<'index>,
    pub(crate) segment: usize,
}

/// Buffers that are reused for every note.
#[derive(Default)]
struct Scratch {
    /// For each word of the question, its occurrences in the head and in the first passage. They
    /// count for every passage, as this number of words of its text.
    inherited: Vec<f64>,
    /// For each word, the score that a passage without it has from what it inherits.
    bare: Vec<f64>,
    /// For each word, its occurrences in the note as a whole.
    whole: Vec<f64>,
    /// For each word, the part of `whole` that comes from headings.
    above: Vec<f64>,
    passages: Vec<RankedPassage>,
}

/// The result for a note as a whole.
struct Whole {
    score: f64,
    /// The factor for the score of the note. It is higher the more of the question's words the note
    /// has.
    coverage: f64,
}

/// A posting of one of the question's words in the current note.
#[derive(Clone, Copy)]
struct NotePosting {
    concept: usize,
    posting: Posting,
}

impl Scoring<'_> {
    /// The scored notes of a piece; `None` if the segment is damaged.
    pub(crate) fn run(&self, found: FoundPiece<'_>) -> Option<Vec<RankedNote>> {
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
                // Instead of what the passage has from this word by inheritance alone.
                score += gain(words, *self.weights.get(found.concept)?, k1)
                    - scratch.bare.get(found.concept)?;
                // A heading is above all passages of its section, but counts once for the note.
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

    /// Begins a note: computes what each of its passages inherits from its head and first passage.
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
            // A word counts once, however many tags and properties have it.
            let facet = f64::from(found.posting.above.min(1));
            *inherited.get_mut(found.concept)? =
                tuning.name * f64::from(found.posting.text) / norm + tuning.facet * facet;
        }
        let of_lead = in_passages.iter();
        for found in of_lead.take_while(|found| found.posting.unit == head + 1) {
            // Not divided by a length norm: passages are never very long, and in a short one a word
            // means no more.
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

    /// Scores a note as a whole, from the number of occurrences of each word.
    fn whole(&self, words: &[f64]) -> Whole {
        let (mut covered, mut all, mut score) = (0.0, 0.0, 0.0);
        for (words, weight) in words.iter().zip(self.weights) {
            all += weight;
            covered += if *words > 0.0 { *weight } else { 0.0 };
            // The longer the notes of a vault are, the more often a word must occur in one to say
            // what the note is about.
            score += gain(*words, *weight, self.corpus.passages_of_a_note);
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

    /// The length norm of a passage. Its occurrences are divided by it, so that a long passage
    /// gains less from each.
    fn norm(&self, unit: u32) -> Option<f64> {
        let length = self.length(unit)? / self.corpus.average;
        Some(1.0 - self.tuning.b + self.tuning.b * length)
    }

    /// The length norm of a note as a whole.
    fn norm_of_whole(&self, note: usize) -> Option<f64> {
        let lengths = &self.part.segment.tables.note_lengths;
        let length = f64::from(*lengths.get(note)?) / self.corpus.average_note;
        Some(1.0 - self.tuning.whole_b + self.tuning.whole_b * length)
    }
}

/// The BM25 score of a word with `words` occurrences in a text. The smaller `k1` is, the less
/// further occurrences count.
fn gain(words: f64, weight: f64, k1: f64) -> f64 {
    weight * words * (k1 + 1.0) / (words + k1)
}

/// The usual number of words in a name.
const NAME_WORDS: f64 = 3.0;

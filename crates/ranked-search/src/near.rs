//! Finds words of the notes that are similar to words of a question that no note has.

use crate::language::Profile;
use crate::normal::lower;
use crate::query::{Concept, Query};
use crate::segment::Segment;
use crate::terms::stemmed;
use crate::words::{WordKind, each_word};

/// A term of a note that is similar to a word of a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearTerm {
    /// Its distance from the word, by the caller's measure.
    pub distance: usize,
    /// The term in the form of the index; [`word_of`] finds the word in the note.
    pub term: String,
    /// The number of the first note with it, in the caller's numbering.
    pub note: usize,
}

/// A word of a question.
#[derive(Default)]
struct NearWord {
    /// Whether a visible note has it.
    is_there: bool,
    /// Terms of visible notes that are similar.
    near: Vec<NearTerm>,
}

/// Computes the distance of a term of the question from a term of a note; `None` if it is too
/// great.
pub type TermDistance<'measure> = &'measure (dyn Fn(&str, &str) -> Option<usize> + 'measure);

/// The terms of visible notes that are similar to a word of the question, if no visible note has
/// that word. The most similar come first. Each segment has the caller's numbers for its notes; a
/// note without a number is not visible. `None` if a segment is damaged.
pub fn near_terms(
    query: &Query,
    searched: &[(&Segment, &[Option<usize>])],
    distance: TermDistance<'_>,
) -> Option<Vec<NearTerm>> {
    if query.has_small_alone {
        return Some(Vec::new());
    }
    let mut words: Vec<NearWord> = Vec::new();
    words.resize_with(query.concepts.len(), NearWord::default);
    for (segment, numbers) in searched {
        let mut terms = segment.terms();
        while terms.advance()? {
            let Ok(term) = std::str::from_utf8(terms.term()) else {
                continue;
            };
            let concepts = query.concepts.iter().zip(&mut words);
            let mut like: Vec<(usize, &mut NearWord)> = concepts
                .filter_map(|(concept, word)| Some((closest(concept, term, distance)?, word)))
                .collect();
            if like.is_empty() {
                continue;
            }
            let postings = terms.postings().map_while(|posting| posting);
            let notes = postings.filter_map(|posting| {
                let note = note_of(segment, posting.unit)?;
                numbers.get(note).copied().flatten()
            });
            let Some(note) = notes.min() else {
                continue;
            };
            for (distance, word) in &mut like {
                if *distance == 0 {
                    word.is_there = true;
                } else {
                    word.near.push(NearTerm { distance: *distance, term: term.to_owned(), note });
                }
            }
        }
    }
    let missing = words.into_iter().filter(|word| !word.is_there);
    let mut near: Vec<NearTerm> = missing.flat_map(|word| word.near).collect();
    near.sort_unstable();
    // If several segments have the term, the sort has put the least note first, which is kept.
    near.dedup_by(|later, kept| later.term == kept.term);
    Some(near)
}

/// The distance of a term from the nearest form of a word; 0 if it is one of the forms. `None` if
/// it is near to none.
fn closest(concept: &Concept, term: &str, distance: TermDistance<'_>) -> Option<usize> {
    let forms = concept.forms.iter().filter(|form| !form.is_prefix);
    let distances = forms.filter_map(|form| {
        if form.term == term {
            return Some(0);
        }
        distance(&form.term, term)
    });
    distances.min()
}

/// The note that a unit belongs to.
fn note_of(segment: &Segment, unit: u32) -> Option<usize> {
    let after = segment.tables.first_units.partition_point(|first| *first <= unit);
    after.checked_sub(1).filter(|note| *note < segment.notes())
}

/// The first word of a text with this term, in lower case; `None` if the text has no such word.
pub fn word_of(text: &str, term: &str) -> Option<String> {
    let profile = Profile::from_text(text);
    let mut found = None;
    each_word(text, |word| {
        if found.is_none() && word.kind == WordKind::Spaced {
            let lower = lower(word.text);
            if stemmed(&lower, profile.language_of(&lower)) == term {
                found = Some(lower.into_owned());
            }
        }
    });
    found
}

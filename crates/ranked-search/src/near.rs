//! Finds words of the notes that are similar to words of a question that no note has.
//!
//! The compounds of such a word and its parts of at least four letters are found and count half, if there are at most
//! 10,000 passages, because that walks through all terms.

use crate::found::note_of;
use crate::language::Profile;
use crate::normal::lower;
use crate::posting::Postings;
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
    /// The number of the first note that contains the term, in the caller's numbering.
    pub note: usize,
}

/// Computes the distance of a term of the question from a term of a note; `None` if it is too
/// great.
pub type TermDistance<'measure> = &'measure (dyn Fn(&str, &str) -> Option<usize> + 'measure);

/// The terms of visible notes that are similar to a word of the question, if no visible note has
/// that word. The most similar come first. They begin with the first letter of the word, or with its
/// first two letters in the other order: all terms of a large vault take too long to compare. Each
/// segment has the caller's numbers for its notes; a note without a number is not visible. `None` if a
/// segment is damaged.
pub fn near_terms(
    query: &Query,
    searched: &[(&Segment, &[Option<usize>])],
    distance: TermDistance<'_>,
) -> Option<Vec<NearTerm>> {
    if query.has_small_alone {
        return Some(Vec::new());
    }
    let mut near = Vec::new();
    for concept in &query.concepts {
        if !is_there(concept, searched)? {
            near.extend(near_terms_of(concept, searched, distance)?);
        }
    }
    near.sort_unstable();
    // If several segments have the term, the sort has put the least note first, which is kept.
    near.dedup_by(|later, kept| later.term == kept.term);
    Some(near)
}

/// Whether a visible note has a word.
fn is_there(concept: &Concept, searched: &[(&Segment, &[Option<usize>])]) -> Option<bool> {
    for form in words(concept) {
        for (segment, numbers) in searched {
            if first_note(segment, numbers, &segment.postings(form)?).is_some() {
                return Some(true);
            }
        }
    }
    Some(false)
}

fn near_terms_of(
    concept: &Concept,
    searched: &[(&Segment, &[Option<usize>])],
    distance: TermDistance<'_>,
) -> Option<Vec<NearTerm>> {
    let mut near = Vec::new();
    // In byte order, a letter comes before the longer beginnings that it covers.
    let mut beginnings: Vec<String> = words(concept).flat_map(beginnings).flatten().collect();
    beginnings.sort_unstable();
    beginnings.dedup_by(|later, kept| later.starts_with(kept.as_str()));
    for beginning in beginnings {
        for (segment, numbers) in searched {
            let mut like = Vec::new();
            segment.each_with_prefix(&beginning, |term, place| {
                if let Ok(term) = std::str::from_utf8(term)
                    && let Some(least) =
                        words(concept).filter_map(|form| distance(form, term)).min()
                {
                    like.push((least, term.to_owned(), place));
                }
                true
            })?;
            for (distance, term, place) in like {
                if let Some(note) = first_note(segment, numbers, &segment.read(place)?) {
                    near.push(NearTerm {
                        distance,
                        term,
                        note,
                    });
                }
            }
        }
    }
    Some(near)
}

/// The forms of a word in the index.
fn words(concept: &Concept) -> impl Iterator<Item = &str> {
    let forms = concept.forms.iter().filter(|form| !form.is_prefix);
    forms.map(|form| form.term.as_str())
}

/// The beginnings of the terms that a word is compared with.
fn beginnings(word: &str) -> [Option<String>; 2] {
    let mut letters = word.chars();
    let (first, second) = (letters.next(), letters.next());
    let swapped = first
        .zip(second)
        .map(|(first, second)| String::from_iter([second, first]));
    [first.map(String::from), swapped]
}

/// The least number that the caller has for a note with these postings.
fn first_note(segment: &Segment, numbers: &[Option<usize>], postings: &[u8]) -> Option<usize> {
    let postings = Postings::new(postings).map_while(|posting| posting);
    let notes = postings.filter_map(|posting| {
        let note = note_of(&segment.tables.first_units, 0, posting.unit)?;
        numbers.get(note).copied().flatten()
    });
    notes.min()
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

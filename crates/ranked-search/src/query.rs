//! Turns a question into the terms to search for.

use std::collections::HashMap;

use crate::builder::{NoteText, profile_of};
use crate::language::{Language, Profile};
use crate::normal::lower;
use crate::spelling::other_spelling;
use crate::stop_words::{is_filler, is_small};
use crate::terms::{stemmed, term};
use crate::title::title_terms;
use crate::words::{WordKind, each_word};

/// The most different words of a question that are searched. Further ones are ignored.
pub(crate) const MAX_CONCEPTS: usize = 48;
/// The most different words of a note that are looked up. The [`MAX_CONCEPTS`] weightiest of them are searched.
const MAX_WORDS_OF_A_NOTE: usize = 128;
/// The number of words of the text that a word in the name of a note counts for, if other notes are compared with it.
const NAME_COUNT: u32 = 3;

/// The fewest letters of a word that counts as a part of a compound.
const LEAST_PART: usize = 4;

/// A question in plain words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub(crate) concepts: Vec<Concept>,
    pub(crate) titles: Vec<String>,
    /// Whether it has only stop words. These are searched, but only names, tags and headings are
    /// indexed by them.
    pub(crate) has_small_alone: bool,
}

/// A word of the question, with all terms that it can have in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Concept {
    /// The word in lower case.
    pub(crate) word: String,
    /// The number of its occurrences in the note that others are compared with; 1 in a question.
    pub(crate) count: u32,
    pub(crate) forms: Vec<Form>,
    /// Whether it says little about the subject.
    pub(crate) is_filler: bool,
}

/// A term that a word of the question has in notes of some profiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) term: String,
    /// The profiles of the notes whose words become this term, one bit each.
    pub(crate) profiles: u64,
    /// Whether it means all terms with this prefix.
    pub(crate) is_prefix: bool,
}

impl Query {
    /// The query for a question as text. A text without words finds no notes, except those with
    /// this name.
    pub fn new(text: &str) -> Self {
        let profile = Profile::from_text(text);
        let mut seen = Vec::new();
        let mut concepts = Vec::new();
        let mut small = Vec::new();
        each_word(text, |word| {
            let word_text = lower(word.text).into_owned();
            // The last character of a run is also in the pair before it.
            if word.kind == WordKind::Last || seen.contains(&word_text) {
                return;
            }
            seen.push(word_text.clone());
            let language = profile.language_of(&word_text);
            let is_small = is_small(&word_text, language);
            let concept = Concept::new(word_text, word.kind, language);
            if is_small { &mut small } else { &mut concepts }.push(concept);
        });
        let has_small_alone = concepts.is_empty();
        if has_small_alone {
            concepts = small;
        }
        concepts.truncate(MAX_CONCEPTS);
        Self {
            concepts,
            titles: title_terms(text),
            has_small_alone,
        }
    }

    /// The query for notes about the same subject as this one: the most frequent words of its names and its text,
    /// without small words and numbers. Tags and properties say what kind of note it is. [`crate::rank_like()`] weighs
    /// the words.
    pub fn like(note: &NoteText<'_>) -> Self {
        let profile = profile_of(note);
        let mut counts: Vec<(u32, String, Option<Language>, WordKind)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut add = |text: &str, count: u32| {
            each_word(text, |word| {
                let is_part = word.kind == WordKind::Last;
                if is_part || !word.text.contains(char::is_alphabetic) {
                    return;
                }
                let Some(found) = term(word, profile).filter(|term| !term.is_small) else {
                    return;
                };
                let place = *places.entry(found.text).or_insert_with(|| {
                    let lower = lower(word.text).into_owned();
                    let language = profile.language_of(&lower);
                    counts.push((0, lower, language, word.kind));
                    counts.len() - 1
                });
                if let Some((all, ..)) = counts.get_mut(place) {
                    *all = all.saturating_add(count);
                }
            });
        };
        note.names.iter().for_each(|name| add(name, NAME_COUNT));
        add(note.body, 1);
        // Words that are equally frequent are kept in the order of the note.
        counts.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
        counts.truncate(MAX_WORDS_OF_A_NOTE);
        let concepts = counts
            .into_iter()
            .map(|(count, word, language, kind)| Concept {
                count,
                ..Concept::new(word, kind, language)
            });
        Self {
            concepts: concepts.collect(),
            titles: Vec::new(),
            has_small_alone: false,
        }
    }

    /// The words of the query that another text has too, in lower case as the query has them: at most `most`, the
    /// weightiest first. `weights` are the weights of the ranking.
    pub fn words_in(&self, weights: &[f64], text: &str, most: usize) -> Vec<&str> {
        let profile = Profile::from_text(text);
        let bit = 1 << profile.number();
        let mut by_term: HashMap<&str, usize> = HashMap::new();
        for (number, concept) in self.concepts.iter().enumerate() {
            for form in &concept.forms {
                if form.profiles & bit != 0 {
                    by_term.entry(&form.term).or_insert(number);
                }
            }
        }
        let mut is_there = vec![false; self.concepts.len()];
        each_word(text, |word| {
            let number = term(word, profile).and_then(|term| by_term.get(term.text.as_str()));
            if let Some(is_there) = number.and_then(|number| is_there.get_mut(*number)) {
                *is_there = true;
            }
        });
        let found = self.concepts.iter().zip(weights).zip(is_there);
        let mut found: Vec<(&str, f64)> = found
            .filter(|((_, weight), is_there)| *is_there && **weight > 0.0)
            .map(|((concept, weight), _)| (concept.word.as_str(), *weight))
            .collect();
        found.sort_by(|left, right| right.1.total_cmp(&left.1));
        found.into_iter().take(most).map(|(word, _)| word).collect()
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.concepts.is_empty() && self.titles.is_empty()
    }

    /// The position of the concept that a term belongs to, if the term is from a text of this
    /// profile.
    pub(crate) fn concept_of(&self, term: &str, profile: Profile) -> Option<usize> {
        let bit = 1 << profile.number();
        self.concepts.iter().position(|concept| {
            let mut forms = concept.forms.iter();
            forms.any(|form| {
                let fits = if form.is_prefix {
                    term.starts_with(&form.term)
                } else {
                    term == form.term
                };
                fits && form.profiles & bit != 0
            })
        })
    }
}

impl Concept {
    fn new(word: String, kind: WordKind, language: Option<Language>) -> Self {
        let is_filler = language.is_some_and(|language| is_filler(&word, language));
        let concept = match kind {
            WordKind::Spaced => Self::of_word(&word, language),
            WordKind::Pair | WordKind::Last => Self::of_pair(word, false),
            WordKind::Lone => Self::of_pair(word, true),
        };
        Self {
            is_filler,
            ..concept
        }
    }

    /// The concept of a word in lower case from a question in this language. A note whose language
    /// is not known counts as English, so in those notes the question's own stem is searched too.
    fn of_word(lower: &str, own: Option<Language>) -> Self {
        let mut forms: Vec<Form> = Vec::new();
        let mut add = |term: String, bit: u64| match forms.iter_mut().find(|form| form.term == term)
        {
            Some(form) => form.profiles |= bit,
            None => forms.push(Form {
                term,
                profiles: bit,
                is_prefix: false,
            }),
        };
        let spelling = other_spelling(lower).map(|other| stemmed(&other, Some(Language::English)));
        let in_english = spelling
            .into_iter()
            .chain([stemmed(lower, own)])
            .collect::<Vec<_>>();
        let mut last = None;
        for number in 0..Profile::COUNT {
            let Some(profile) = u8::try_from(number).ok().map(Profile::from_number) else {
                continue;
            };
            let language = profile.language_of(lower);
            // Stemming is slow, and successive profiles mostly have the same language for this
            // word.
            let term = match &last {
                Some((before, term)) if *before == language => String::clone(term),
                _ => stemmed(lower, language),
            };
            last = Some((language, term.clone()));
            let bit = 1 << number;
            add(term, bit);
            if language == Some(Language::English) {
                for other in &in_english {
                    add(other.clone(), bit);
                }
            }
        }
        Self {
            word: lower.to_owned(),
            count: 1,
            forms,
            is_filler: false,
        }
    }

    /// Whether a term of a note is a compound with this word, or a part of this word.
    pub(crate) fn shares_part_with(&self, term: &str) -> bool {
        let is_word = term.starts_with(char::is_alphabetic);
        let mut forms = self.forms.iter().filter(|form| is_word && !form.is_prefix);
        forms.any(|form| {
            let (short, long) = if form.term.len() < term.len() {
                (form.term.as_str(), term)
            } else {
                (term, form.term.as_str())
            };
            (long.starts_with(short) || long.ends_with(short))
                && short.chars().count() >= LEAST_PART
        })
    }

    fn of_pair(term: String, is_prefix: bool) -> Self {
        let form = Form {
            term: term.clone(),
            profiles: u64::MAX,
            is_prefix,
        };
        Self {
            word: term,
            count: 1,
            forms: vec![form],
            is_filler: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let concepts = Query::new(text).concepts;
        concepts
            .iter()
            .map(|concept| concept.forms[0].term.clone())
            .collect()
    }

    #[test]
    fn small_words_are_left_out_unless_there_is_nothing_else() {
        assert_eq!(terms("How do I link the notes?"), ["link", "note"]);
        assert_eq!(terms("to be or not to be"), ["to", "be", "or", "not"]);
        assert_eq!(terms("Wie werden die Notizen verlinkt?").len(), 2);
        assert!(Query::new(" ?! ").concepts.is_empty());
    }

    #[test]
    fn a_word_has_a_term_for_each_language() {
        let query = Query::new("notes");
        let forms = &query.concepts[0].forms;
        let all = forms.iter().fold(0_u64, |all, form| {
            assert_eq!(all & form.profiles, 0);
            all | form.profiles
        });
        assert_eq!(all, u64::MAX);
        assert!(forms.iter().any(|form| form.term == "not"));
        assert!(forms.iter().any(|form| form.term == "note"));
    }

    #[test]
    fn runs_without_blanks_are_looked_for_by_pairs() {
        assert_eq!(terms("搜索笔记"), ["搜索", "索笔", "笔记"]);
        let lone = Query::new("猫");
        assert!(lone.concepts[0].forms[0].is_prefix);
    }
}

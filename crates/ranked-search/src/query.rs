//! Turns a question into the terms to search for.

use crate::language::{Language, Profile, bit};
use crate::normal::lower;
use crate::spelling::other_spelling;
use crate::stop_words::{is_filler, languages_of};
use crate::terms::stemmed;
use crate::title::title_terms;
use crate::words::{WordKind, each_word};

/// The most different words of a question that are searched. Further ones are ignored.
const MAX_CONCEPTS: usize = 48;

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
            let mut concept = match word.kind {
                WordKind::Spaced => Concept::of_word(&word_text, language),
                WordKind::Pair | WordKind::Last => Concept::of_pair(word_text.clone(), false),
                WordKind::Lone => Concept::of_pair(word_text.clone(), true),
            };
            concept.is_filler = language.is_some_and(|language| is_filler(&word_text, language));
            let is_small =
                language.is_some_and(|language| languages_of(&word_text) & bit(language) != 0);
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
            term,
            profiles: u64::MAX,
            is_prefix,
        };
        Self {
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

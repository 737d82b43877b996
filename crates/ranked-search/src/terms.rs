//! Converts words to terms, the form of words in the index.

use std::borrow::Cow;

use snowball_stemmers_rs::Stemmer;

use crate::cut::first_bytes;
use crate::language::{Language, Profile};
use crate::normal::{folded, lower};
use crate::stop_words::is_small;
use crate::words::{Word, WordKind};

/// The maximum number of bytes of a word that is stemmed. Longer ones are mostly identifiers.
const MAX_STEMMED_BYTES: usize = 48;

/// The form of a word in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) text: String,
    /// Whether it is a stop word of its language. In the text of passages these are not indexed.
    pub(crate) is_small: bool,
}

/// The first bytes of a term as a number, in the order of the terms, which distinguishes most of them
/// quickly.
pub(crate) fn beginning(term: &[u8]) -> u64 {
    u64::from_be_bytes(first_bytes(term))
}

/// The term of a word in a text of this profile; `None` for a word of nothing but marks.
pub(crate) fn term(word: Word<'_>, profile: Profile) -> Option<Term> {
    match word.kind {
        WordKind::Pair | WordKind::Last | WordKind::Lone => Some(Term {
            text: lower(word.text).into_owned(),
            is_small: false,
        }),
        WordKind::Spaced => {
            let lower = lower(word.text);
            let language = profile.language_of(&lower);
            let text = stemmed(&lower, language);
            let is_small = is_small(&lower, language);
            (!text.is_empty()).then_some(Term { text, is_small })
        }
    }
}

/// The stem of a word of this language, folded. The word must be in the form of [`lower`]. Without
/// a language, or with a digit in it, it is only folded.
pub(crate) fn stemmed(lower: &str, language: Option<Language>) -> String {
    let is_word =
        lower.len() <= MAX_STEMMED_BYTES && !lower.bytes().any(|byte| byte.is_ascii_digit());
    let stem = match language.filter(|_| is_word) {
        Some(Language::Arabic) => {
            // `lower` has written two letters in the Persian way. The stemmer knows only the Arabic
            // one.
            let arabic = lower.replace('ی', "ي").replace('ک', "ك");
            let stem = Stemmer::create(Language::Arabic).stem(&arabic);
            Cow::Owned(crate::normal::lower(&stem).into_owned())
        }
        Some(language) => Stemmer::create(language).stem(lower),
        None => Cow::Borrowed(lower),
    };
    let stem = if language == Some(Language::Persian) {
        persian_stem(&stem)
    } else {
        &stem
    };
    // A stemmer may remove all of a short word.
    let stem = if stem.is_empty() { lower } else { stem };
    folded(stem).into_owned()
}

/// Removes the plural ending and the prefix of verbs, if at least three characters remain. Some
/// write these with a blank or a joiner, and then they are words of their own; others write them as
/// a part of the word.
fn persian_stem(word: &str) -> &str {
    let is_long = |rest: &&str| rest.chars().count() >= 3;
    let without_prefix = ["نمی", "می"]
        .iter()
        .find_map(|prefix| word.strip_prefix(prefix).filter(is_long));
    let word = without_prefix.unwrap_or(word);
    let without_ending = ["هایی", "های", "ها"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(is_long));
    without_ending.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::words::each_word;

    const CASES: &str = include_str!("terms_cases.txt");

    fn terms(text: &str, profile: Profile) -> Vec<String> {
        let mut terms = Vec::new();
        each_word(text, |word| {
            terms.extend(
                term(word, profile)
                    .filter(|term| !term.is_small)
                    .map(|term| term.text),
            );
        });
        terms
    }

    #[test]
    fn forms_of_a_word_are_one_term_in_its_language() {
        for [sample, one, other] in tables::section(CASES, "forms of a word are one term") {
            let profile = Profile::from_text(sample);
            assert_eq!(terms(one, profile), terms(other, profile), "{sample}");
        }
    }

    #[test]
    fn small_words_identifiers_and_pairs_stay() {
        let english = Profile::from_text("the of and");
        assert_eq!(
            terms("The notes of 2026 and sha256sums", english),
            ["note", "2026", "sha256sums"]
        );
        assert_eq!(terms("笔记s", english), ["笔记", "记", "s"]);
    }

    proptest! {
        #[test]
        fn any_word_has_a_term_in_any_language(text in "\\PC{0,40}", number in 0_u8..64) {
            terms(&text, Profile::from_number(number));
        }
    }
}

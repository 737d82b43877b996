//! Terms for whole titles, so that a question that is the title of a note finds that note first.

use crate::cut::beginning;
use crate::normal::{folded, lower};
use crate::words::{WordKind, each_word};

/// The prefix of terms for whole titles as written. No word begins with it.
const WRITTEN: char = '\u{1}';
/// The prefix of terms for the words of whole titles.
const WORDS: char = '\u{2}';
/// The maximum number of bytes of a title that are compared. A longer title is cut.
const MAX_TITLE_BYTES: usize = 120;

/// The terms of a title: one as written, without regard to case and blanks, and one of its words
/// alone, without punctuation and diacritics.
pub(crate) fn title_terms(title: &str) -> Vec<String> {
    let written: Vec<&str> = title.split_whitespace().collect();
    let written = lower(&written.join(" ")).into_owned();
    let mut words = String::new();
    each_word(title, |word| {
        if word.kind != WordKind::Last {
            words.push(' ');
            words.push_str(&folded(&lower(word.text)));
        }
    });
    [(WRITTEN, written.as_str()), (WORDS, words.trim_start())]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(mark, text)| format!("{mark}{}", beginning(text, MAX_TITLE_BYTES)))
        .collect()
}

/// Whether a term is a title as written, not one of its words.
pub(crate) fn is_as_written(term: &str) -> bool {
    term.starts_with(WRITTEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_the_same_in_any_casing_and_spacing() {
        assert_eq!(
            title_terms("Quick  Sort"),
            ["\u{1}quick sort", "\u{2}quick sort"]
        );
        assert_eq!(title_terms("C++"), ["\u{1}c++", "\u{2}c"]);
        assert_eq!(
            title_terms("Café-au-lait"),
            ["\u{1}café-au-lait", "\u{2}cafe au lait"]
        );
        assert_eq!(title_terms(" "), [""; 0]);
        assert_eq!(title_terms("?"), ["\u{1}?"]);
        assert!(title_terms(&"語".repeat(100))[0].len() <= MAX_TITLE_BYTES + 1);
    }
}

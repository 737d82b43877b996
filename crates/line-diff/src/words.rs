//! The words that differ between two texts.

use std::ops::Range;
use std::time::Duration;

use crate::{DiffSides, changes, is_change};

/// From this character on, scripts are written without spaces: each character is a word.
const FIRST_IDEOGRAPH: char = '\u{2e80}';

/// The parts of two texts that differ, as ranges of bytes in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedWords {
    /// Those of the first text.
    pub before: Vec<Range<usize>>,
    /// Those of the second text.
    pub after: Vec<Range<usize>>,
}

/// Compares two texts word by word. The search for few changes takes at most `time`, after the texts were read.
///
/// ```
/// use std::time::Duration;
///
/// let words = line_diff::changed_words("a red door", "a green door", Duration::from_secs(1));
/// assert_eq!((words.before, words.after), (vec![2..5], vec![2..7]));
/// ```
pub fn changed_words(before: &str, after: &str, time: Duration) -> ChangedWords {
    let sides = DiffSides {
        before: words_of(before),
        after: words_of(after),
    };
    let (old, new) = (offsets(&sides.before), offsets(&sides.after));
    let mut found = ChangedWords::default();
    for change in changes(&sides, time)
        .iter()
        .filter(|change| is_change(change))
    {
        add(&mut found.before, &old, &change.old_range());
        add(&mut found.after, &new, &change.new_range());
    }
    found
}

/// Adds the bytes of these words, joined with the range before if they touch.
fn add(ranges: &mut Vec<Range<usize>>, offsets: &[usize], words: &Range<usize>) {
    let at = |word: usize| offsets.get(word).copied().unwrap_or_default();
    let bytes = at(words.start)..at(words.end);
    match ranges.last_mut() {
        _ if bytes.is_empty() => {}
        Some(last) if last.end == bytes.start => last.end = bytes.end,
        _ => ranges.push(bytes),
    }
}

/// The start of each word, and the end of the last one.
fn offsets(words: &[&str]) -> Vec<usize> {
    let mut end = 0;
    let ends = words.iter().map(|word| {
        end += word.len();
        end
    });
    std::iter::once(0).chain(ends).collect()
}

/// The runs of letters and digits, the runs of spaces, and each other character.
fn words_of(text: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Kind {
        Word,
        Space,
        Single,
    }
    let kind = |letter: char| match letter {
        _ if letter >= FIRST_IDEOGRAPH => Kind::Single,
        ' ' | '\t' => Kind::Space,
        _ if letter.is_alphanumeric() => Kind::Word,
        _ => Kind::Single,
    };
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let first = kind(first);
        let end = rest.char_indices().skip(1);
        let end = end.filter(|(_, letter)| first == Kind::Single || kind(*letter) != first);
        let end = end.map(|(at, _)| at).next().unwrap_or(rest.len());
        let (word, later) = rest.split_at(end);
        words.push(word);
        rest = later;
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn changed(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
        let words = changed_words(before, after, Duration::from_secs(60));
        let of = |text: &str, ranges: Vec<Range<usize>>| {
            ranges
                .into_iter()
                .map(|range| text[range].to_owned())
                .collect()
        };
        (of(before, words.before), of(after, words.after))
    }

    #[test]
    fn words_and_spaces_and_signs_are_compared() {
        for (before, after, gone, new) in [
            ("one two three", "one 2 three", &["two"][..], &["2"][..]),
            ("a line.", "a line!", &["."], &["!"]),
            ("a  b", "a b", &["  "], &[" "]),
            ("same\nold\n", "same\nnew\n", &["old"], &["new"]),
            ("日本語", "日本人", &["語"], &["人"]),
            ("", "all new", &[], &["all new"]),
        ] {
            let (removed, added) = changed(before, after);
            assert_eq!(removed, gone, "{before:?}");
            assert_eq!(added, new, "{after:?}");
        }
    }

    proptest! {
        #[test]
        fn the_rest_of_both_texts_is_the_same(before in "[ab .\n日]{0,40}", after in "[ab .\n日]{0,40}") {
            let words = changed_words(&before, &after, Duration::from_secs(60));
            let rest = |text: &str, ranges: &[Range<usize>]| -> String {
                let is_kept = |at: &usize| !ranges.iter().any(|range| range.contains(at));
                text.char_indices().filter(|(at, _)| is_kept(at)).map(|(_, letter)| letter).collect()
            };
            prop_assert_eq!(rest(&before, &words.before), rest(&after, &words.after));
        }
    }
}

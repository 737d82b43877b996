//! Finds the piece of a passage that best shows why the passage was found.

use std::ops::Range;

use crate::cut::boundary;
use crate::language::Profile;
use crate::query::Query;
use crate::terms::term;
use crate::words::each_word;

/// The maximum number of bytes that are shown before the first word of the question, unless the end of the line
/// is near.
const BEFORE: usize = 30;

/// A piece of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Its byte range in the text.
    pub span: Range<usize>,
    /// Whether it begins inside of a line.
    pub is_cut_before: bool,
    /// Whether it ends inside of a line.
    pub is_cut_after: bool,
}

/// The piece of a line, of at most `most` bytes, in which words of the question have the greatest weight. Without such
/// words, it is the beginning of the first line with any words. `note` is the whole text of the note, which decides the
/// language of its words; `weights` are the weights of the ranking. `None` if `text` has no words.
pub fn snippet(
    query: &Query,
    weights: &[f64],
    note: &str,
    text: &str,
    most: usize,
) -> Option<Snippet> {
    let profile = Profile::from_text(note);
    let mut best: Option<(f64, Range<usize>, usize)> = None;
    let mut first_line = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        let mut matches: Vec<(usize, usize)> = Vec::new();
        let mut has_words = false;
        each_word(line, |word| {
            has_words = true;
            let concept =
                term(word, profile).and_then(|term| query.concept_of(&term.text, profile));
            matches.extend(concept.map(|concept| (word.start, concept)));
        });
        if has_words && first_line.is_none() {
            first_line = Some(start..start + line.len());
        }
        for (number, (from, _)) in matches.iter().enumerate() {
            let window = matches.iter().skip(number);
            let window = window.take_while(|(word, _)| word + BEFORE < from + most);
            let mut concepts: Vec<usize> = window.map(|(_, concept)| *concept).collect();
            concepts.sort_unstable();
            let all = concepts.len();
            concepts.dedup();
            // A repeated word counts a little, so that the line with more words of the question is shown among
            // otherwise equal lines.
            let again = f64::from(u16::try_from(all - concepts.len()).unwrap_or(u16::MAX)) / 100.0;
            let weight = concepts
                .iter()
                .filter_map(|concept| weights.get(*concept))
                .sum::<f64>()
                + again;
            if best.as_ref().is_none_or(|(known, ..)| weight > *known) {
                best = Some((weight, start..start + line.len(), start + from));
            }
        }
    }
    let (line, from) = if let Some((_, line, from)) = best {
        (line, from)
    } else {
        let line = first_line?;
        (line.clone(), line.start)
    };
    Some(cut(text, line, from, most))
}

fn cut(text: &str, line: Range<usize>, from: usize, most: usize) -> Snippet {
    let indent = text
        .get(line.clone())
        .map_or(0, |line| line.len() - line.trim_start().len());
    let line = line.start + indent..line.end;
    let mut start = line.start;
    if line.len() > most && from > line.start + BEFORE {
        // Near the end of the line the piece begins earlier, so that it has its full length.
        let latest = line.end.saturating_sub(most).max(line.start);
        let wanted = (from - BEFORE).min(latest.max(line.start));
        start = word_boundary(text, boundary(text, wanted), from);
    }
    let end = if line.end - start > most {
        let end = boundary(text, start + most);
        let piece = text.get(start..end).unwrap_or_default();
        // A text without blanks is cut between any two characters.
        match piece.rfind(' ').filter(|blank| *blank > most / 2) {
            Some(blank) => start + blank,
            None => end,
        }
    } else {
        line.end
    };
    Snippet {
        is_cut_before: start > line.start,
        is_cut_after: end < line.end,
        span: start..end,
    }
}

/// The beginning of the first word after `at` and not after `from`; without a blank between them,
/// `at`.
fn word_boundary(text: &str, at: usize, from: usize) -> usize {
    let blank = text.get(at..from).and_then(|between| between.find(' '));
    blank.map_or(at, |blank| at + blank + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(query: &str, text: &str, most: usize) -> String {
        let query = Query::new(query);
        let weights = vec![1.0; query.concepts.len()];
        let found = snippet(&query, &weights, text, text, most).unwrap();
        let dots = |is_cut| if is_cut { "…" } else { "" };
        let (before, after) = (dots(found.is_cut_before), dots(found.is_cut_after));
        format!("{before}{}{after}", &text[found.span])
    }

    #[test]
    fn the_line_with_most_words_of_the_question_is_shown() {
        let text = "\nAn apple a day.\n  - The pears and the apples are ripe.\nA pear.\n";
        assert_eq!(
            shown("apples pear", text, 80),
            "- The pears and the apples are ripe."
        );
        assert_eq!(shown("none of it", text, 80), "An apple a day.");
        let long = format!(
            "{}the pear {}",
            "word after word, ".repeat(20),
            "and so on ".repeat(20)
        );
        let shown = shown("pear", &long, 60);
        assert_eq!(
            shown,
            "…word, word after word, the pear and so on and so on and so…"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_cut_within_one_line(text in "(\\PC{0,30}\n?){0,10}", query in "\\PC{0,12}", most in 20_usize..100) {
            let query = Query::new(&query);
            let weights = vec![1.0; query.concepts.len()];
            if let Some(found) = snippet(&query, &weights, &text, &text, most) {
                let shown = &text[found.span];
                prop_assert!(shown.len() <= most && !shown.contains('\n'));
            }
        }
    }
}

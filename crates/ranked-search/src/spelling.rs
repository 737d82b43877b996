//! British and American spellings of a word.

/// The British and the American spelling of parts of words, and whether the part is only at the end
/// of a word.
const PAIRS: &[(&str, &str, bool)] = &[
    ("our", "or", false),
    ("ise", "ize", false),
    ("isa", "iza", false),
    ("isi", "izi", false),
    ("yse", "yze", false),
    ("ysi", "yzi", false),
    ("ence", "ense", false),
    ("ogue", "og", true),
    ("tre", "ter", true),
    ("bre", "ber", true),
];
/// The fewest letters before such a part. This excludes *hour* and *size*.
const LETTERS_BEFORE: usize = 3;

/// The other spelling of an English word in lower case; `None` without such a part. The result may
/// be no real word, which does no harm: no note has it.
pub(crate) fn other_spelling(word: &str) -> Option<String> {
    if !word.is_ascii() {
        return None;
    }
    PAIRS.iter().find_map(|(british, american, is_ending)| {
        let respelled = |from: &str, to: &str| {
            let at = word.rfind(from).filter(|at| *at >= LETTERS_BEFORE)?;
            let rest = &word[at + from.len()..];
            let is_there = !is_ending || matches!(rest, "" | "s");
            is_there.then(|| format!("{}{to}{rest}", &word[..at]))
        };
        respelled(british, american).or_else(|| respelled(american, british))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("spelling_cases.txt");

    #[test]
    fn words_of_both_spellings_have_another() {
        for [british, american] in tables::section(CASES, "words of both spellings") {
            assert_eq!(other_spelling(british).as_deref(), Some(american));
            assert_eq!(other_spelling(american).as_deref(), Some(british));
        }
        for word in ["hour", "size", "note", "word", "größe", "or"] {
            assert_eq!(other_spelling(word), None, "{word}");
        }
    }
}

//! Classifies characters: which belong to words, and whether their script separates words by
//! blanks.

use unicode_normalization::char::is_combining_mark;

/// The role of a character in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharacterKind {
    /// Part of a word in a script that separates words with blanks.
    Spaced,
    /// Part of a run in a script without blanks, which is indexed by pairs of characters.
    Unspaced,
    /// A mark on the character before it, or a joiner: part of the same word or run.
    Mark,
    /// Not part of any word.
    Other,
}

/// The kind of a character.
pub(crate) fn kind(character: char) -> CharacterKind {
    if character.is_ascii() {
        return if character.is_ascii_alphanumeric() {
            CharacterKind::Spaced
        } else {
            CharacterKind::Other
        };
    }
    if is_unspaced(character) {
        // Vowel signs of Thai, Khmer and similar scripts are marks on the consonant before.
        return if is_combining_mark(character) {
            CharacterKind::Mark
        } else {
            CharacterKind::Unspaced
        };
    }
    if character.is_alphanumeric() {
        return CharacterKind::Spaced;
    }
    match character {
        // Joiner and soft hyphen.
        '\u{200d}' | '\u{ad}' => CharacterKind::Mark,
        _ if is_combining_mark(character) => CharacterKind::Mark,
        _ => CharacterKind::Other,
    }
}

/// Whether two adjacent characters belong to one word. In a script without blanks, where words cannot be distinguished,
/// every character counts as a word.
pub fn joins(before: char, after: char) -> bool {
    // Korean separates words with blanks.
    let is_korean =
        |character| matches!(character, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7fb}');
    // The zero-width non-joiner is between two parts of a Persian word.
    let is_joiner = |character| character == '\u{200c}';
    let is_in_word = |character| {
        kind(character) == CharacterKind::Spaced || is_korean(character) || is_joiner(character)
    };
    match (kind(before), kind(after)) {
        (_, CharacterKind::Mark) => true,
        (CharacterKind::Mark, _) => is_in_word(after),
        _ => is_in_word(before) && is_in_word(after),
    }
}

/// Chinese, Japanese and Korean, and the scripts of South-East Asia that write no blanks.
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}'        // Thai, Lao
        | '\u{1000}'..='\u{109f}'    // Myanmar
        | '\u{1100}'..='\u{11ff}'    // Hangul letters
        | '\u{1780}'..='\u{17d3}' | '\u{17d7}' | '\u{17dc}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309a}' | '\u{309d}'..='\u{309f}' // Hiragana
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' // Katakana
        | '\u{3105}'..='\u{318e}'    // Bopomofo, Hangul letters for old systems
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' // Han
        | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7fb}' // Hangul
        | '\u{ff66}'..='\u{ffdc}'    // half-width forms
        | '\u{20000}'..='\u{3ffff}'  // Han, rarer
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("script_cases.txt");

    #[test]
    fn words_end_where_their_script_ends_them() {
        for (text, expected) in
            tables::typed::<(&str, bool)>(CASES, "words end where their script ends them")
        {
            let mut characters = text.chars();
            let pair = (characters.next().unwrap(), characters.next().unwrap());
            assert_eq!(joins(pair.0, pair.1), expected, "{text:?}");
        }
    }

    #[test]
    fn characters_are_classified_by_the_words_they_form() {
        for (text, expected) in [
            ("a9Zéßяعह", CharacterKind::Spaced),
            ("语かカ한กក𠀀", CharacterKind::Unspaced),
            ("\u{301}\u{200d}ิ", CharacterKind::Mark),
            (" .-_'、。\u{200c}😀", CharacterKind::Other),
        ] {
            for character in text.chars() {
                assert_eq!(kind(character), expected, "{character:?}");
            }
        }
    }
}

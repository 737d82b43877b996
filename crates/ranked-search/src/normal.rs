//! The normal form of words, without case, diacritics and variants of letters.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A word in lower case and in Unicode's form NFKC, as stemmers expect it. In Arabic script,
/// letters with several code points become the Persian ones, vowel signs are removed, and digits
/// become ASCII.
pub(crate) fn lower(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(word.to_ascii_lowercase())
        } else {
            Cow::Borrowed(word)
        };
    }
    let composed: String = word.nfkc().collect();
    let lower = composed.to_lowercase();
    Cow::Owned(lower.nfkc().filter_map(spelling).collect())
}

/// The same character for letters that keyboards produce with different code points; `None` for
/// characters that are left out.
fn spelling(character: char) -> Option<char> {
    Some(match character {
        'ي' | 'ى' => 'ی',
        'ك' => 'ک',
        'ۀ' => 'ه',
        'أ' | 'إ' | 'ٱ' => 'ا',
        '\u{660}'..='\u{669}' => ascii_digit(character, 0x660)?,
        '\u{6f0}'..='\u{6f9}' => ascii_digit(character, 0x6f0)?,
        // Vowel signs, the lengthening stroke, joiners, the soft hyphen, and the dot that remains
        // of a Turkish `İ` in lower case.
        '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{640}'
        | '\u{200c}'
        | '\u{200d}'
        | '\u{ad}'
        | '\u{307}' => return None,
        other => other,
    })
}

fn ascii_digit(character: char, zero: u32) -> Option<char> {
    char::from_digit(u32::from(character).checked_sub(zero)?, 10)
}

/// A word without the diacritics of Latin and Greek letters, so that `cafe` finds `café`. In other
/// scripts a mark makes another letter (`й`), so it is kept.
pub(crate) fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut folded = String::with_capacity(word.len());
    let mut after_folding = false;
    for character in word.nfd() {
        if is_combining_mark(character) && after_folding {
            continue;
        }
        after_folding =
            matches!(character, 'a'..='z' | '\u{df}'..='\u{24f}' | '\u{370}'..='\u{3ff}');
        match character {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ı' => folded.push('i'),
            'ة' => folded.push('ه'),
            other => folded.push(other),
        }
    }
    // Characters that were decomposed but keep their marks, such as й, are composed again. ё is
    // folded, because Russian mostly prints it without its dots.
    let composed = folded
        .nfc()
        .map(|character| if character == 'ё' { 'е' } else { character });
    Cow::Owned(composed.collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("normal_cases.txt");

    #[test]
    fn casing_and_spelling_do_not_matter() {
        for [word, expected] in tables::section(CASES, "casing and spelling do not matter") {
            assert_eq!(lower(word), expected);
        }
    }

    #[test]
    fn diacritics_fold_where_they_are_marks_and_stay_where_they_are_letters() {
        for [word, expected] in tables::section(CASES, "diacritics fold where they are marks") {
            assert_eq!(folded(word), expected);
        }
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(word in ".*") {
            let once = folded(&lower(&word)).into_owned();
            prop_assert_eq!(folded(&once).into_owned(), once.clone());
        }
    }
}

//! Splits a text of any script into words.

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use crate::script::{CharacterKind, kind};

/// The maximum number of bytes of a word. Longer ones are ignored: keys, hashes, images as text.
const MAX_WORD_BYTES: usize = 64;

/// A word as written in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'text> {
    pub(crate) text: &'text str,
    /// Its byte offset in the text. For the pairs of a run that is not in normal form, it is the offset of the run.
    pub(crate) start: usize,
    pub(crate) kind: WordKind,
}

/// The way in which a word was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// A word between blanks or punctuation.
    Spaced,
    /// Two adjacent characters of a run without blanks.
    Pair,
    /// The last character of such a run. With it, every character begins a term, and is found by a
    /// prefix.
    Last,
    /// A run of a single character.
    Lone,
}

/// Calls `each` with every word of the text, in order.
pub(crate) fn each_word(text: &str, mut each: impl FnMut(Word<'_>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let (end, found) = run(text, at);
        match found {
            CharacterKind::Spaced => {
                let word = text.get(at..end).unwrap_or_default();
                let is_elided = word.len() == 1 && is_beside_apostrophe(bytes, at, end);
                if word.len() <= MAX_WORD_BYTES && !is_elided {
                    let kind = WordKind::Spaced;
                    each(Word {
                        text: word,
                        start: at,
                        kind,
                    });
                }
            }
            CharacterKind::Unspaced => {
                pairs(text.get(at..end).unwrap_or_default(), at, &mut each);
            }
            CharacterKind::Mark | CharacterKind::Other => {}
        }
        at = end;
    }
}

/// The end and the kind of the run of characters that begins at `start`.
fn run(text: &str, start: usize) -> (usize, CharacterKind) {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut found = None;
    loop {
        // Most words are ASCII, which needs no decoding.
        if found != Some(CharacterKind::Unspaced) {
            while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
                found = Some(CharacterKind::Spaced);
                at += 1;
            }
        }
        // Any other ASCII character, and the end, is outside of words.
        if found.is_some() && bytes.get(at).is_none_or(u8::is_ascii) {
            break;
        }
        let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            break;
        };
        let kind = kind(character);
        // A mark continues any run. A character that is in no word is a run of its own.
        match (found, kind) {
            (None, _) => found = Some(kind),
            (Some(CharacterKind::Spaced | CharacterKind::Unspaced), CharacterKind::Mark) => {}
            (Some(before), now) if before == now && now != CharacterKind::Other => {}
            _ => break,
        }
        at += character.len_utf8();
        if kind == CharacterKind::Other {
            break;
        }
    }
    (at, found.unwrap_or(CharacterKind::Other))
}

/// Whether a word is next to an apostrophe, as the `s` of `it's` and the `l` of `l'eau` are.
fn is_beside_apostrophe(bytes: &[u8], start: usize, end: usize) -> bool {
    let typographic = "’".as_bytes();
    let (before, after) = (&bytes[..start], &bytes[end..]);
    before.ends_with(b"'")
        || after.starts_with(b"'")
        || before.ends_with(typographic)
        || after.starts_with(typographic)
}

fn pairs(run: &str, start: usize, each: &mut impl FnMut(Word<'_>)) {
    // Pairs are made of normal characters, so that half-width Katakana with its separate marks
    // gives the same pairs. Then offsets in the normal form are not those in the text.
    if is_nfkc_quick(run.chars()) == IsNormalized::Yes {
        return pairs_in(run, |at| start + at, each);
    }
    let normal: String = run.nfkc().collect();
    pairs_in(&normal, |_| start, each);
}

fn pairs_in(run: &str, place: impl Fn(usize) -> usize, each: &mut impl FnMut(Word<'_>)) {
    let starts = run
        .char_indices()
        .filter(|(at, character)| *at == 0 || kind(*character) != CharacterKind::Mark)
        .map(|(at, _)| at);
    let mut starts = starts.chain([run.len()]);
    let (Some(mut first), Some(mut second)) = (starts.next(), starts.next()) else {
        return;
    };
    for third in starts {
        each(Word {
            text: run.get(first..third).unwrap_or_default(),
            start: place(first),
            kind: WordKind::Pair,
        });
        (first, second) = (second, third);
    }
    each(Word {
        text: run.get(first..second).unwrap_or_default(),
        start: place(first),
        kind: if first == 0 {
            WordKind::Lone
        } else {
            WordKind::Last
        },
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, |word| words.push(word.text.to_owned()));
        words
    }

    #[test]
    fn words_stand_between_blanks_and_punctuation() {
        assert_eq!(
            words("The quick-brown fox_jumps, v2.0 naïve Größe."),
            [
                "The", "quick", "brown", "fox", "jumps", "v2", "0", "naïve", "Größe"
            ]
        );
        assert_eq!(words("it's l’eau d'une C"), ["it", "eau", "une", "C"]);
        assert_eq!(words("Война и мир"), ["Война", "и", "мир"]);
        assert_eq!(words("می\u{200c}خواهم"), ["می", "خواهم"]);
        assert_eq!(words("cafe\u{301}s"), ["cafe\u{301}s"]);
        assert_eq!(words(&"x".repeat(65)), [""; 0]);
        assert_eq!(words(" 😀 — \u{301}"), [""; 0]);
    }

    #[test]
    fn runs_without_blanks_are_pairs_and_the_last_character() {
        assert_eq!(words("搜索笔记"), ["搜索", "索笔", "笔记", "记"]);
        assert_eq!(words("猫 x"), ["猫", "x"]);
        assert_eq!(words("ノートを"), ["ノー", "ート", "トを", "を"]);
        assert_eq!(words("한국어 글"), ["한국", "국어", "어", "글"]);
        assert_eq!(words("ភាសាខ្មែរ").first().unwrap(), "ភាសា");
        // Half-width Katakana and full-width letters equal their usual forms.
        assert_eq!(words("ｶﾞｷ"), ["ガキ", "キ"]);
        assert_eq!(words("PDF文件"), ["PDF", "文件", "件"]);
    }

    proptest! {
        #[test]
        fn any_text_has_words_in_order_and_within_it(text in ".*") {
            let mut last = 0;
            each_word(&text, |word| {
                assert!(word.start >= last && word.start < text.len());
                assert!(!word.text.is_empty() && text.is_char_boundary(word.start));
                last = word.start;
            });
        }
    }
}

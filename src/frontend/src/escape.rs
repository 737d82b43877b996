//! Escapes text that a person has to judge: characters that are invisible or change how others look
//! are written as `\u{…}`, in the reversible form of [`shown`] (`threats.toml` F06, K03, K07).
//!
//! `sanitise` removes such characters, which suits reading a note. A person who approves a
//! call or reads the audit log must see that they are there.

use vault_engine::{is_ignorable, shown};

/// Escapes everything that is not plainly visible, including line breaks and tabs.
pub fn line(text: &str) -> String {
    escaped(text, false)
}

/// Escapes a text like [`line()`], but keeps line feeds and tabs.
pub fn block(text: &str) -> String {
    escaped(text, true)
}

/// Reverses [`line()`] and [`block()`]. What is not an escape stays.
pub fn unescaped(shown: &str) -> String {
    let mut pieces = shown.split("\\u{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let escape = piece.split_once('}').and_then(|(digits, rest)| {
            // `from_str_radix` takes a sign.
            let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
            Some((char::from_u32(number)?, rest))
        });
        if let Some((character, rest)) = escape {
            text.push(character);
            text += rest;
        } else {
            text += "\\u{";
            text += piece;
        }
    }
    text
}

/// Escapes a text like [`block()`], if its names are already escaped: keeps each `\u{…}` in it.
pub fn plan(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive("\\u{") {
        let (before, start) = match piece.strip_suffix("\\u{") {
            Some(before) => (before, "\\u{"),
            None => (piece, ""),
        };
        shown += &block(before);
        shown += start;
    }
    shown
}

/// Returns a name in one line, as [`line()`]. In a word with Latin letters, letters of other alphabets that look like
/// Latin ones are escaped too.
pub fn name(name: &str) -> String {
    names(&line(name))
}

/// Escapes a name like [`name()`] for a row whose columns have two spaces between them: of several spaces in a row only
/// the first one stays.
pub fn cell(text: &str) -> String {
    name(text).replace("  ", " \\u{20}")
}

/// Escapes a line with names like [`plan()`]; look-alikes are escaped as by [`name()`].
pub fn names(text: &str) -> String {
    let text = plan(text);
    let mut shown = String::with_capacity(text.len());
    for word in text.split_inclusive(|character: char| !character.is_alphabetic()) {
        let is_mixed = word.contains(|character: char| character.is_ascii_alphabetic());
        for character in word.chars() {
            if is_mixed && LOOK_ALIKES.contains(character) {
                shown.extend(character.escape_unicode());
            } else {
                shown.push(character);
            }
        }
    }
    shown
}

/// Cyrillic and Greek letters that most fonts draw like Latin ones.
const LOOK_ALIKES: &str = "\
    \u{430}\u{435}\u{43e}\u{440}\u{441}\u{443}\u{445}\u{455}\u{456}\u{458}\u{4bb}\u{501}\u{51b}\u{51d}\
    \u{410}\u{412}\u{415}\u{41a}\u{41c}\u{41d}\u{41e}\u{420}\u{421}\u{422}\u{423}\u{425}\u{405}\u{406}\u{408}\
    \u{3bf}\u{3bd}\u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39a}\u{39c}\u{39d}\u{39f}\u{3a1}\u{3a4}\u{3a5}\u{3a7}";

fn escaped(text: &str, is_block: bool) -> String {
    let is_kept =
        |character: char| (is_block && matches!(character, '\n' | '\t')) || is_visible(character);
    shown::escaped(text, is_kept).into_owned()
}

/// Whether the character is visible and does not affect its neighbours: not a control, direction
/// mark, zero-width character, unusual space, joiner or variation selector (Unicode 16,
/// `Default_Ignorable_Code_Point`, `White_Space`, `Bidi_Control`).
fn is_visible(character: char) -> bool {
    !(character.is_control()
        || (character.is_whitespace() && character != ' ')
        || is_ignorable(character)
        || matches!(
            character,
            // Blank braille cell, private use, annotation marks.
            '\u{2800}' | '\u{e000}'..='\u{f8ff}' | '\u{fff9}'..='\u{fffb}'
                // Beyond tags and variation selectors: unassigned and private-use planes.
                | '\u{e1000}'..
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("escape_cases.txt");

    #[test]
    fn k07_letters_that_look_like_others_are_seen_in_names() {
        let name = |text: &str| super::name(text);
        assert_eq!(name("Pl\u{430}n.md"), "Pl\\u{430}n.md");
        assert_eq!(name("a\u{200d}b.md"), "a\\u{200d}b.md");
        let forged = super::cell("Pl\u{430}n|\n 1)  2 files   ago");
        assert_eq!(forged, "Pl\\u{430}n|\\u{a} 1) \\u{20}2 files \\u{20} ago");
        for plain in [
            "\u{41f}\u{43b}\u{430}\u{43d}.md",
            "5 \u{3bc}m.md",
            "\u{391}.md",
            "Plan.md",
        ] {
            assert_eq!(name(plain), plain);
        }
    }

    #[test]
    fn k07_what_cannot_be_seen_is_written_out() {
        for [text, shown] in tables::section(CASES, "k07 what cannot be seen is written out") {
            assert_eq!(line(text), shown);
            assert_eq!(block(text), shown);
        }
        assert_eq!(line("a\n\tb"), "a\\u{a}\\u{9}b");
        assert_eq!(plan("a\\u{a}b\u{202e}\nc"), "a\\u{a}b\\u{202e}\nc");
        assert_eq!(block("a\n\tb\r\n"), "a\n\tb\\u{d}\n");
    }

    #[test]
    fn what_is_not_an_escape_stays() {
        for text in tables::lines(CASES, "what is not an escape stays") {
            assert_eq!(unescaped(text), text);
        }
        assert_eq!(unescaped("\\u{\\u{41}"), "\\u{A");
    }

    proptest::proptest! {
        #[test]
        fn f06_k07_a_line_is_one_line_and_nothing_is_left_out(
            text in proptest::prop_oneof![
                proptest::prelude::any::<String>(),
                "[\\\\u{}a1\n\u{202e}]{0,12}",
            ],
        ) {
            let shown = line(&text);
            proptest::prop_assert!(shown.chars().all(is_visible));
            proptest::prop_assert!(shown.chars().count() >= text.chars().count());
            proptest::prop_assert_eq!(unescaped(&shown), text.clone());
            proptest::prop_assert_eq!(unescaped(&block(&text)), text);
        }
    }
}

//! The form of a name in a row of text (`threats.toml` B10).
//!
//! A file on disk can have any name: with a line break, an escape sequence or a change of direction
//! in it. In JSON a name is exact. In a row of text such a character is written as `\u{HEX}`, so that
//! each item keeps one row and a name looks like what it is. A backslash before `u{` is written as
//! `\u{5c}`, so that the form can be reversed: replace each `\u{HEX}` by its character.

use std::borrow::Cow;

/// The name as a row shows it: one line, no control characters, no bidi controls, no invisible
/// letters. Joiners, variation selectors and zero-width spaces stay, which Persian, Khmer and emoji
/// names need. Most names are shown as they are.
pub fn row(name: &str) -> Cow<'_, str> {
    escaped(name, |character| !misleads(character))
}

/// The text with each character that is not kept written as `\u{HEX}`, in the reversible form that
/// the module describes.
pub fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'\\';
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let is_shown = |at: usize, character: char| {
        let starts_an_escape = character == '\\' && text[at..].starts_with("\\u{");
        !starts_an_escape && is_kept(character)
    };
    if (text.char_indices()).all(|(at, character)| is_shown(at, character)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for (at, character) in text.char_indices() {
        if is_shown(at, character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    Cow::Owned(shown)
}

/// A line, and below it a row for each name.
pub fn with_rows(head: String, names: &[String]) -> String {
    let rows = names.iter().map(|name| row(name));
    rows.fold(head, |text, row| text + "\n" + &row)
}

/// Rows of cells separated by tabs. Each row is one line ([`row`]); empty cells at its end are left out.
pub fn rows(rows: impl IntoIterator<Item = impl AsRef<[String]>>) -> String {
    let mut text = String::new();
    for (number, cells) in rows.into_iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let start = text.len();
        for (number, cell) in cells.as_ref().iter().enumerate() {
            if number > 0 {
                text.push('\t');
            }
            text.push_str(&row(cell));
        }
        let line = text.get(start..).unwrap_or_default();
        text.truncate(start + line.trim_end().len());
    }
    text
}

/// Whether the character breaks a row, or changes how its neighbours look or are read.
pub fn misleads(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Separators of lines and paragraphs.
            '\u{2028}' | '\u{2029}'
                // Bidi_Control of Unicode 16.
                | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                // A byte order mark, and tags: invisible letters.
                | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("shown_cases.txt");

    /// The exact name, from the form that [`escaped`] gives.
    fn exact(shown: &str) -> String {
        let mut text = String::new();
        let mut rest = shown;
        while let Some((before, after)) = rest.split_once("\\u{") {
            let (digits, behind) = after.split_once('}').unwrap();
            text += before;
            text.push(char::from_u32(u32::from_str_radix(digits, 16).unwrap()).unwrap());
            rest = behind;
        }
        text + rest
    }

    #[test]
    fn b10_a_name_is_shown_in_one_row() {
        for [name, shown] in tables::section(CASES, "b10 a name is shown in one row") {
            assert_eq!(row(name), shown);
            assert_eq!(exact(shown), name);
        }
    }

    proptest! {
        #[test]
        fn b10_the_shown_form_can_be_reversed(
            name in prop_oneof![any::<String>(), "[\\\\u{}a\n\u{202e}\u{7f}]{0,12}"],
        ) {
            let shown = row(&name);
            prop_assert!(!shown.chars().any(misleads));
            prop_assert_eq!(exact(&shown), name);
        }
    }
}

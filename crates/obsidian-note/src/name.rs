//! Names of files and folders: which are hidden, and which a new one may have (`threats.toml` B10,
//! D07, D09).

use std::borrow::Cow;
use std::ffi::OsStr;

use ranked_search::boundary;

use crate::path_error::PathError;

/// The maximum length of a name in common file systems, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 255;

/// Returns the name of an entry in the vault; `None` if the entry is hidden.
///
/// Bytes that are not Unicode become U+FFFD: such a file is listed, read and changed under that
/// spelling (`vault-semantics.md` §2.1 has none for it, and a path is JSON text).
pub fn from_disk(on_disk: &OsStr) -> Option<Cow<'_, str>> {
    let name = on_disk.to_string_lossy();
    (!is_hidden(&name)).then_some(name)
}

/// Whether a file or folder of this name does not belong to the vault, because it starts with a dot
/// (`vault-semantics.md` §2.1).
///
/// Invisible characters before the dot are skipped: HFS+ opens `.git` when asked for
/// `\u{200c}.git`.
pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
        || (!name.is_ascii() && name.trim_start_matches(is_ignorable).starts_with('.'))
}

/// Whether the character is invisible and some file systems or comparisons ignore it (Unicode 16,
/// `Default_Ignorable_Code_Point`): joiners, marks of direction, variation selectors.
pub const fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Checks the name of a new file or folder (`vault-semantics.md` §7.2, `threats.toml` B10, D09). A
/// valid name works on every system of a synced vault and hides nothing from a reader.
///
/// It contains none of `* " \ / < > : | ?` and no character of [`forbidden_in_new_name`], is not a device of Windows,
/// does not end in a dot or space, has more than spaces before its extension, and is at most 255 bytes long. Existing files may break any of these rules.
///
/// # Errors
///
/// Fails with the first rule that the name breaks.
pub fn check_new_name(name: &str) -> Result<(), PathError> {
    if name.is_empty() {
        return Err(PathError::Empty);
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if !stem.is_empty() && stem.trim().is_empty() {
        return Err(PathError::Ending);
    }
    check_requested_name(name)?;
    check_on_windows(name)
}

/// Checks a requested name that does not exist. A device, a stream, another system's separator, an
/// invisible character and a name too long for any file system are mistakes or attacks (`threats.toml`
/// B10, D09, D10), unless a file has that name.
///
/// # Errors
///
/// The reason why the name cannot be used.
pub fn check_requested_name(name: &str) -> Result<(), PathError> {
    if name.len() > MAX_NAME_BYTES {
        return Err(PathError::TooLong {
            bytes: name.len(),
            limit: MAX_NAME_BYTES,
        });
    }
    let separator = name
        .chars()
        .find(|character| matches!(character, '\\' | ':'));
    if let Some(character) = forbidden_in_new_name(name).or(separator) {
        return Err(PathError::Character(character));
    }
    if is_device(name) {
        return Err(PathError::DeviceName);
    }
    Ok(())
}

/// Checks that Windows accepts the name and opens exactly this file by it: no reserved character,
/// no device, and no ending that Windows removes.
pub(crate) fn check_on_windows(name: &str) -> Result<(), PathError> {
    let is_reserved = |character: char| {
        character < ' '
            || matches!(
                character,
                '*' | '"' | '\\' | '/' | '<' | '>' | ':' | '|' | '?'
            )
    };
    if let Some(character) = name.chars().find(|character| is_reserved(*character)) {
        return Err(PathError::Character(character));
    }
    if is_device(name) {
        return Err(PathError::DeviceName);
    }
    if name.ends_with(['.', ' ']) {
        return Err(PathError::Ending);
    }
    Ok(())
}

/// Returns the name with `added` at the end of its stem, which is shortened if the name would be longer than 255 bytes.
pub fn with_added(name: &str, added: &str) -> String {
    let room = MAX_NAME_BYTES.saturating_sub(added.len());
    // An extension that leaves no room for a stem is shortened as if it were one.
    let dot = name.rfind('.');
    let dot = dot.filter(|dot| *dot > 0 && name.len() - dot < room);
    let (stem, extension) = name.split_at(dot.unwrap_or(name.len()));
    let (stem, _) = stem.split_at(boundary(stem, room - extension.len()));
    format!("{stem}{added}{extension}")
}

/// Returns the first character of `text` that is forbidden in an id (of a run, an approval, an
/// agent). People compare ids by sight, so all invisible characters are forbidden too, besides
/// those of [`forbidden_in_new_name`].
pub fn forbidden_in_id(text: &str) -> Option<char> {
    forbidden_in_new_name(text).or_else(|| text.chars().find(|character| is_ignorable(*character)))
}

/// Returns the first character of `text` that is forbidden in new names and in names of vaults, commands, properties
/// and tags (`threats.toml` B10).
///
/// Forbidden are characters that hide or reorder the text around them:
/// - control characters (C0, DEL, C1), and the line and paragraph separators U+2028 and U+2029;
/// - bidirectional embeddings, overrides and isolates (U+202A to U+202E, U+2066 to U+2069);
/// - the deprecated formatting characters U+206A to U+206F, the interlinear annotation characters
///   U+FFF9 to U+FFFB, and the byte order mark U+FEFF, which programs drop;
/// - tag characters (U+E0000 to U+E007F), except in the flag of a region, 🏴 up to U+E007F.
///
/// Joiners and their like are never among them: Persian, Khmer, Hindi and emoji are written with
/// U+200B to U+200D, and marks such as U+200F order a name without overriding its letters.
pub fn forbidden_in_new_name(text: &str) -> Option<char> {
    let mut in_flag = false;
    for (at, character) in text.char_indices() {
        let forbidden = match character {
            '\u{e0000}'..='\u{e007f}' => !in_flag,
            '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' => true,
            other => other.is_control(),
        };
        if forbidden {
            return Some(character);
        }
        in_flag = match character {
            '\u{1f3f4}' => begins_flag(text.get(at..).unwrap_or_default()),
            '\u{e0020}'..='\u{e007e}' => in_flag,
            _ => false,
        };
    }
    None
}

/// Whether the text begins with the flag of a region: 🏴, then one to six tag letters or digits,
/// then the tag that ends it (Unicode TR 51, `emoji_tag_sequence`).
fn begins_flag(text: &str) -> bool {
    let tags: Vec<char> = text
        .chars()
        .skip(1)
        .take_while(|tag| matches!(tag, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'))
        .collect();
    (1..=6).contains(&tags.len()) && text.chars().nth(tags.len() + 1) == Some('\u{e007f}')
}

/// Windows device names with any extension, superscript digits included (CVE-2024-51756).
fn is_device(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_uppercase();
    if matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) {
        return true;
    }
    ["COM", "LPT"].iter().any(|prefix| {
        let mut rest = stem.strip_prefix(prefix).unwrap_or_default().chars();
        matches!(
            (rest.next(), rest.next()),
            (Some('0'..='9' | '¹' | '²' | '³'), None)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("name_cases.txt");

    #[test]
    fn b10_new_names_hold_no_controls_and_no_overrides() {
        for character in [
            '\0',
            '\n',
            '\t',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{9b}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{206a}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0001}',
            '\u{e0041}',
        ] {
            let text = format!("a{character}b.md");
            assert_eq!(
                check_new_name(&text),
                Err(PathError::Character(character)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn b10_joiners_and_marks_are_part_of_new_names() {
        for name in tables::lines(CASES, "b10 joiners and marks are part of new") {
            assert_eq!(check_new_name(name), Ok(()), "{name:?}");
        }
        // Tags that spell a text, with or without a flag before them.
        for name in [
            "🏴\u{e0067}\u{e0062}.md",
            "🏴\u{e007f}",
            "🏴\u{e0067}\u{e007f}\u{e0067}\u{e007f}",
            "🏴\u{e0041}\u{e007f}",
        ] {
            assert!(check_new_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn b10_ids_hold_nothing_unseen() {
        for character in [
            '\n', '\u{200b}', '\u{200d}', '\u{202e}', '\u{fe0f}', '\u{ad}',
        ] {
            assert_eq!(forbidden_in_id(&format!("a{character}")), Some(character));
        }
        assert_eq!(forbidden_in_id("run-1 é 😀"), None);
    }

    #[test]
    fn a_new_name_has_more_than_spaces_before_its_extension() {
        for name in [" ", "   .md", "\t.canvas"] {
            assert!(check_new_name(name).is_err(), "{name:?}");
        }
        for name in [" a.md", "a .md", ".md"] {
            assert_eq!(check_new_name(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn d09_new_names_are_no_devices_and_no_streams() {
        for name in ["CON", "nul.md", "COM1", "COM¹.txt", "lpt9", "Aux .md"] {
            assert_eq!(check_new_name(name), Err(PathError::DeviceName), "{name}");
        }
        for name in ["console.md", "COM", "COM10.md", "null.md"] {
            assert_eq!(check_new_name(name), Ok(()), "{name}");
        }
        for character in ['*', '"', '\\', '/', '<', '>', ':', '|', '?'] {
            assert_eq!(
                check_new_name(&format!("a{character}b.md")),
                Err(PathError::Character(character))
            );
        }
        for name in ["a.", "a ", "a.md "] {
            assert_eq!(check_new_name(name), Err(PathError::Ending), "{name:?}");
        }
    }

    #[test]
    fn d10_a_new_name_is_limited_in_bytes() {
        assert_eq!(check_new_name(&"a".repeat(255)), Ok(()));
        let long = PathError::TooLong {
            bytes: 256,
            limit: 255,
        };
        assert_eq!(check_new_name(&"é".repeat(128)), Err(long));
        assert_eq!(check_new_name(""), Err(PathError::Empty));
    }

    #[test]
    fn d10_a_number_shortens_a_long_name_between_characters() {
        let name = |stem: &str, count| format!("{}.md", stem.repeat(count));
        for (old, added, new) in [
            ("a.md".to_owned(), " 1", "a 1.md".to_owned()),
            (".md".to_owned(), " 1", ".md 1".to_owned()),
            ("a.b.md".to_owned(), " 1", "a.b 1.md".to_owned()),
            (name("a", 250), " 1", format!("{} 1.md", "a".repeat(250))),
            (name("a", 252), " 1", format!("{} 1.md", "a".repeat(250))),
            (name("é", 126), " 12", format!("{} 12.md", "é".repeat(124))),
            (name("😀", 63), " 1", format!("{} 1.md", "😀".repeat(62))),
            ("a".repeat(255), " 1", format!("{} 1", "a".repeat(253))),
            // Hardly a stem, and a name of bytes that are not Unicode.
            (
                format!("a.{}", "b".repeat(253)),
                " 1",
                format!("a.{} 1", "b".repeat(251)),
            ),
            (
                name("\u{fffd}", 252),
                " 1",
                format!("{} 1.md", "\u{fffd}".repeat(83)),
            ),
        ] {
            assert_eq!(with_added(&old, added), new);
            assert!(new.len() <= MAX_NAME_BYTES);
        }
    }

    #[test]
    fn d07_a_name_is_hidden_whatever_stands_unseen_before_its_dot() {
        for name in tables::lines(CASES, "d07 a name is hidden whatever stands") {
            assert!(is_hidden(name), "{name:?}");
        }
        for name in ["a", "\u{200c}a.b", "\u{200c}", " .a", "…", "a.\u{200c}"] {
            assert!(!is_hidden(name), "{name:?}");
        }
    }
}

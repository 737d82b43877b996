//! Validates the globs of path rules before the glob library parses them.
//!
//! The library matches bytes, so `?` and `[!a]` match one byte and miss `é`. In a deny list such a
//! pattern would protect less than it seems to, so it is refused.

/// Maximum length of a pattern, in bytes.
const MAX_BYTES: usize = 1024;

/// Reason why a pattern is invalid, and the text to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternMistake {
    pub(super) reason: String,
    pub(super) hint: &'static str,
}

fn mistake(reason: &str, hint: &'static str) -> PatternMistake {
    PatternMistake {
        reason: reason.to_owned(),
        hint,
    }
}

/// Checks the syntax of one pattern.
pub(super) fn check(text: &str) -> Result<(), PatternMistake> {
    if text.is_empty() {
        return Err(mistake(
            "is empty",
            "write a glob on vault paths such as `notes/**`",
        ));
    }
    if text.len() > MAX_BYTES {
        return Err(mistake(
            "has more than 1024 bytes",
            "split it into several patterns",
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(mistake(
            "holds a control character",
            "write `*` in its place",
        ));
    }
    if text.contains('\\') {
        return Err(mistake(
            "holds a backslash",
            "separate folders with `/`; for a special character write `[*]`",
        ));
    }
    if text.starts_with('/') || text.starts_with('~') || text.contains("://") || is_drive(text) {
        return Err(mistake(
            "does not start inside the vault",
            "write it relative to the vault folder, `notes/**`",
        ));
    }
    if text.ends_with('/') {
        return Err(mistake(
            "ends with `/`",
            "write `notes/**` for all that a folder holds",
        ));
    }
    if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(mistake(
            "holds an empty, `.` or `..` component",
            "write it relative to the vault folder, `notes/**`",
        ));
    }
    check_wildcards(text)
}

/// Whether the text starts with a drive: `C:` or `C:/x`.
fn is_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.get(1) == Some(&b':')
        && matches!(bytes.get(2), None | Some(b'/'))
}

fn check_wildcards(text: &str) -> Result<(), PatternMistake> {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '?' => {
                return Err(mistake(
                    "holds `?`",
                    "write `*` for any text, or `[?]` for a question mark itself",
                ));
            }
            '[' => check_class(&mut characters)?,
            _ => {}
        }
    }
    Ok(())
}

/// Checks a `[…]` class and consumes it up to its closing bracket.
fn check_class(characters: &mut std::str::Chars<'_>) -> Result<(), PatternMistake> {
    let mut members = Vec::new();
    loop {
        match characters.next() {
            None => {
                return Err(mistake(
                    "has a `[` that is not closed",
                    "write `[[]` for a bracket itself",
                ));
            }
            Some(']') if !members.is_empty() => break,
            Some(other) => members.push(other),
        }
    }
    if matches!(members.first(), Some('!' | '^')) {
        return Err(mistake(
            "holds a negated class",
            "list what is meant, or use both an allowing and a denying rule",
        ));
    }
    if !members.iter().all(char::is_ascii) {
        return Err(mistake(
            "holds a class with letters beyond ASCII",
            "write `{ä,ö}` instead of `[äö]`",
        ));
    }
    let spans_separator = members
        .windows(3)
        .any(|range| range[1] == '-' && range[0] <= '/' && '/' <= range[2]);
    if spans_separator || members.contains(&'/') {
        return Err(mistake(
            "holds a class that contains `/`",
            "write the folders out, `{a,b}/**`",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_protect_less_than_they_say_are_refused() {
        for text in [
            "",
            "/notes/**",
            "~/notes",
            "C:/x",
            "c:",
            "file://x",
            "notes/",
            "./notes",
            "a/../b",
            "a//b",
            "a\\b",
            "a?.md",
            "[!a].md",
            "[^a].md",
            "[é].md",
            "a[+-9]b",
            "a[/]b",
            "a[b",
            "a\nb",
        ] {
            assert!(check(text).is_err(), "{text:?}");
        }
        assert!(check(&"a".repeat(1024)).is_ok());
        assert!(check(&"a".repeat(1025)).is_err());
    }

    #[test]
    fn everyday_patterns_pass() {
        for text in [
            "**",
            "notes/**",
            "**/*.md",
            "Journal/20[0-9][0-9]-*.md",
            "{a,b}/**",
            "{ä,ö}/x",
            "a[?]b",
            "[]]",
            "Ünï cøde/*",
            "a:b/**",
            "خانه\u{200c}ها/**",
        ] {
            assert_eq!(check(text), Ok(()), "{text:?}");
        }
    }
}

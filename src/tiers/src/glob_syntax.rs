//! Validates the globs of path rules before the glob library parses them.
//!
//! The library matches bytes, so `?` and `[!a]` match one byte and miss `é`. In a deny list such a
//! pattern would protect less than it seems to, so it is refused.

/// Maximum length of a pattern, in bytes.
const MAX_BYTES: usize = 1024;

/// Reason why a pattern is invalid, and the text to write instead.
pub(super) type PatternMistake = (&'static str, &'static str);

/// Checks the syntax of one pattern.
pub(super) fn check(text: &str) -> Result<(), PatternMistake> {
    let is_outside = text.starts_with(['/', '~']) || text.contains("://") || is_drive(text);
    let has_dots = text.split('/').any(|part| matches!(part, "" | "." | ".."));
    none_of([
        (
            text.is_empty(),
            "is empty",
            "Write a glob on vault paths such as `notes/**`",
        ),
        (
            text.len() > MAX_BYTES,
            "has more than 1024 bytes",
            "Split it into several patterns",
        ),
        (
            text.chars().any(char::is_control),
            "contains a control character",
            "Write `*` instead",
        ),
        (
            text.contains('\\'),
            "contains a backslash",
            "Separate folders with `/`. For a special character such as `*`, write `[*]`",
        ),
        (
            is_outside,
            "does not start inside the vault",
            "Write a path relative to the vault folder, such as `notes/**`",
        ),
        (
            text.ends_with('/'),
            "ends with `/`",
            "To match all files in the folder, write `notes/**`",
        ),
        (
            has_dots,
            "contains a folder name that is empty, `.` or `..`",
            "Write a path relative to the vault folder, such as `notes/**`",
        ),
    ])?;
    check_wildcards(text)
}

/// Returns the first mistake that was made.
fn none_of<const N: usize>(
    mistakes: [(bool, &'static str, &'static str); N],
) -> Result<(), PatternMistake> {
    let mut mistakes = mistakes.into_iter();
    let made = mistakes.find(|(is_made, ..)| *is_made);
    made.map_or(Ok(()), |(_, reason, hint)| Err((reason, hint)))
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
                return Err((
                    "contains `?`",
                    "Write `*` for any text, or `[?]` for a question mark",
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
                return Err((
                    "has a `[` that is not closed",
                    "For a bracket as a character, write `[[]`",
                ));
            }
            Some(']') if !members.is_empty() => break,
            Some(other) => members.push(other),
        }
    }
    let spans_separator = members
        .windows(3)
        .any(|range| range[1] == '-' && range[0] <= '/' && '/' <= range[2]);
    none_of([
        (
            matches!(members.first(), Some('!' | '^')),
            "contains a negated class such as `[!a]`",
            "List the characters that should match, or use a rule that allows and a rule that denies",
        ),
        (
            !members.iter().all(char::is_ascii),
            "contains a `[…]` class with letters beyond ASCII",
            "Write `{ä,ö}` instead of `[äö]`",
        ),
        (
            spans_separator || members.contains(&'/'),
            "contains a `[…]` class that contains `/`",
            "List the folders, such as `{a,b}/**`",
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("glob_syntax_cases.txt");

    #[test]
    fn patterns_that_protect_less_than_they_say_are_refused() {
        for text in tables::lines(CASES, "patterns that protect less than they say") {
            assert!(check(text).is_err(), "{text:?}");
        }
        assert!(check(&"a".repeat(1024)).is_ok());
        assert!(check(&"a".repeat(1025)).is_err());
    }

    #[test]
    fn everyday_patterns_pass() {
        for text in tables::lines(CASES, "everyday patterns pass") {
            assert_eq!(check(text), Ok(()), "{text:?}");
        }
    }
}

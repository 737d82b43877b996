//! Words of command lines that people type and paste: quoted for the usual shell of this system,
//! and split again. Nothing here starts a shell.

use std::borrow::Cow;

/// A family of shells with its rules for quoting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// The rules of POSIX shells.
    Posix,
    /// The command prompt of Windows and PowerShell: double quotes, in which a backslash stands for
    /// itself. Both still expand something in them (`%NAME%`, `$name`), and no quoting prevents
    /// that in both.
    Windows,
}

/// A quote that is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a quotation mark is not closed")]
pub struct UnclosedQuote;

impl Shell {
    /// Returns the shell of this system.
    pub const fn native() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Posix
        }
    }

    /// Returns the word quoted so that this shell reads it back unchanged.
    pub fn quoted(self, word: &str) -> Cow<'_, str> {
        match self {
            Self::Posix => shell_words::quote(word),
            Self::Windows if !word.is_empty() && word.chars().all(is_plain) => word.into(),
            Self::Windows => in_double_quotes(word).into(),
        }
    }

    /// Returns a line with these words, each quoted if needed.
    pub fn joined<'a, W: AsRef<str> + ?Sized + 'a>(
        self,
        words: impl IntoIterator<Item = &'a W>,
    ) -> String {
        let quoted = words.into_iter().map(|word| self.quoted(word.as_ref()));
        quoted.collect::<Vec<_>>().join(" ")
    }

    /// Returns the argument `name=value`, quoted if needed.
    pub fn argument(self, name: &str, value: &str) -> String {
        format!("{name}={}", self.quoted(value))
    }

    /// Splits a line into its words.
    ///
    /// # Errors
    ///
    /// If a quote is not closed.
    pub fn split(self, line: &str) -> Result<Vec<String>, UnclosedQuote> {
        match self {
            Self::Posix => shell_words::split(line).map_err(|_| UnclosedQuote),
            Self::Windows => split_at_blanks(line),
        }
    }
}

/// Whether the character has no special meaning in either shell of Windows.
fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || r"-_.:\/=+".contains(character)
}

/// Quotes as the C library of Windows reads it: backslashes are doubled before a double quote.
fn in_double_quotes(word: &str) -> String {
    let mut quoted = String::from("\"");
    let mut backslashes = 0;
    for character in word.chars() {
        if character == '"' {
            quoted.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if character == '\\' {
            backslashes + 1
        } else {
            0
        };
        quoted.push(character);
    }
    quoted.extend(std::iter::repeat_n('\\', backslashes));
    quoted + "\""
}

fn split_at_blanks(line: &str) -> Result<Vec<String>, UnclosedQuote> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for character in line.chars() {
        if character == '"' {
            is_quoted = !is_quoted;
            word.get_or_insert_default();
        } else if character.is_whitespace() && !is_quoted {
            words.extend(word.take());
        } else {
            word.get_or_insert_default().push(character);
        }
    }
    if is_quoted {
        return Err(UnclosedQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: &str = include_str!("shell_cases.txt");

    const POSIX: Shell = Shell::Posix;
    const WINDOWS: Shell = Shell::Windows;

    #[test]
    fn a_word_is_quoted_where_it_has_to_be() {
        for [word, posix, windows] in tables::section(CASES, "a word is quoted") {
            assert_eq!(POSIX.quoted(word), posix);
            assert_eq!(WINDOWS.quoted(word), windows);
        }
        assert_eq!(POSIX.argument("path", "a b"), "path='a b'");
        assert_eq!(WINDOWS.joined(&["vault-gw", "a b"]), "vault-gw \"a b\"");
    }

    #[test]
    fn a_line_is_taken_apart() {
        for (line, words) in [
            (
                r#""C:\Program Files\Ed\ed.exe" --wait"#,
                &[r"C:\Program Files\Ed\ed.exe", "--wait"][..],
            ),
            (r"  C:\ed.exe	-n ", &[r"C:\ed.exe", "-n"]),
            (r"C:\O'Brien\ed.exe", &[r"C:\O'Brien\ed.exe"]),
            (r#"a"b c"d "" "#, &["ab cd", ""]),
            ("", &[]),
        ] {
            assert_eq!(WINDOWS.split(line).unwrap(), words, "{line}");
        }
        assert_eq!(POSIX.split(r"ed\ it 'a b'").unwrap(), ["ed it", "a b"]);
        for shell in [POSIX, WINDOWS] {
            assert_eq!(shell.split("a \"b"), Err(UnclosedQuote));
        }
    }

    proptest! {
        #[test]
        fn words_are_read_back_as_they_were(words in prop::collection::vec("[^\0]*", 0..4)) {
            let line = POSIX.joined(&words);
            prop_assert_eq!(POSIX.split(&line).unwrap(), words);
        }

        /// Names of files on Windows cannot contain a quotation mark.
        #[test]
        fn paths_of_windows_are_read_back_as_they_were(
            words in prop::collection::vec(r#"([^"\\\x00]|\\[^"\\\x00])*"#, 0..4)
        ) {
            let line = WINDOWS.joined(&words);
            prop_assert_eq!(WINDOWS.split(&line).unwrap(), words);
        }
    }
}

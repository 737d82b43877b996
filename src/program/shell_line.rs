//! The line of a shell, up to the cursor: its words, and how a completed word is written there.

/// The quoting of the last word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Quote {
    /// Without quotes: special characters get a backslash.
    #[default]
    None,
    /// In single quotes: `'…`.
    Single,
    /// In double quotes: `"…`.
    Double,
    /// The whole word is quoted if it needs quotes.
    Whole,
}

/// A command line, split into words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellLine {
    /// The words before the last one, without their quotes.
    pub(super) before: Vec<String>,
    /// The last word, as far as it is typed, without its quotes.
    pub(super) last: String,
    /// The quotes of the last word, if they are still open.
    quote: Quote,
    /// Number of bytes of the last word before the part that Bash replaces.
    kept: usize,
}

impl ShellLine {
    /// Returns the words as a shell has split them; the last one may still contain quotes and backslashes.
    pub(super) fn of_words(words: &[String]) -> Self {
        let Some((last, before)) = words.split_last() else {
            return Self::default();
        };
        let last = Self::of_bash(last, "");
        Self {
            before: before.to_vec(),
            // A name with a space that the shell has already unquoted is one word.
            last: last
                .before
                .iter()
                .chain([&last.last])
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
            ..Self::default()
        }
    }

    /// Parses the line of Bash up to the cursor. Bash also breaks words at the characters in
    /// `breaks` (`COMP_WORDBREAKS`) and replaces only what comes after the last of them.
    pub(super) fn of_bash(line: &str, breaks: &str) -> Self {
        let mut read = Self::default();
        let mut is_in_word = false;
        let mut characters = line.chars();
        while let Some(character) = characters.next() {
            match (read.quote, character) {
                (Quote::None, ' ' | '\t') => {
                    if is_in_word {
                        read.before.push(std::mem::take(&mut read.last));
                    }
                    (is_in_word, read.kept) = (false, 0);
                    continue;
                }
                (Quote::None, '\'') => (read.quote, read.kept) = (Quote::Single, read.last.len()),
                (Quote::None, '"') => (read.quote, read.kept) = (Quote::Double, read.last.len()),
                (Quote::Single, '\'') | (Quote::Double, '"') => read.quote = Quote::None,
                (Quote::None | Quote::Double, '\\') => {
                    read.last.extend(characters.next());
                }
                (quote, character) => {
                    read.last.push(character);
                    if quote == Quote::None && breaks.contains(character) {
                        read.kept = read.last.len();
                    }
                }
            }
            is_in_word = true;
        }
        read
    }

    /// Returns a completed word in the form that Bash inserts: the replacement for the part that it
    /// completes.
    pub(super) fn in_bash(&self, word: &str) -> String {
        let rest = word.get(self.kept..).unwrap_or(word);
        let quoted = self.quote.quoted(rest);
        // Close the quotes of a complete word; leave those of an incomplete word open.
        match self.quote {
            Quote::Single if !goes_on(word) => quoted + "'",
            Quote::Double if !goes_on(word) => quoted + "\"",
            _ => quoted,
        }
    }
}

/// Whether the word is incomplete, because more is typed after it.
fn goes_on(word: &str) -> bool {
    word.ends_with(['=', '/'])
}

impl Quote {
    /// Returns the text in the form that it has within these quotes.
    pub(super) fn quoted(self, text: &str) -> String {
        let escaped = |special: &str| -> String {
            text.chars()
                .flat_map(|character| {
                    let escape = special.contains(character).then_some('\\');
                    escape.into_iter().chain([character])
                })
                .collect()
        };
        match self {
            Self::None => escaped(" \t\\'\"`$&|;<>()[]{}*?!#~"),
            Self::Double => escaped("\\\"`$"),
            Self::Single => text.replace('\'', "'\\''"),
            Self::Whole
                if text.contains(|character: char| " '\"`$&|;<>(){}@#,".contains(character)) =>
            {
                format!("'{}'", text.replace('\'', "''"))
            }
            Self::Whole => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_bash_is_taken_apart_as_bash_does() {
        for (line, before, last, word, written) in [
            ("vault-gw rea", &["vault-gw"][..], "rea", "read", "read"),
            ("vault-gw ", &["vault-gw"], "", "read", "read"),
            (
                "vault-gw daily:re",
                &["vault-gw"],
                "daily:re",
                "daily:read",
                "read",
            ),
            (
                "v read path=Bo",
                &["v", "read"],
                "path=Bo",
                "path=Boat log.md",
                "Boat\\ log.md",
            ),
            (
                "v read path=Boat\\ l",
                &["v", "read"],
                "path=Boat l",
                "path=Boat log.md",
                "Boat\\ log.md",
            ),
            (
                "v read path=\"Boat l",
                &["v", "read"],
                "path=Boat l",
                "path=Boat log.md",
                "Boat log.md\"",
            ),
            (
                "v read 'path=Boat l",
                &["v", "read"],
                "path=Boat l",
                "path=Boat log.md",
                "path=Boat log.md'",
            ),
            (
                "v read path='Pro",
                &["v", "read"],
                "path=Pro",
                "path=Projects/",
                "Projects/",
            ),
            (
                "v --vault 'My Notes' re",
                &["v", "--vault", "My Notes"],
                "re",
                "read",
                "read",
            ),
            (
                "v tag name=#b",
                &["v", "tag"],
                "name=#b",
                "name=#boat",
                "\\#boat",
            ),
        ] {
            let read = ShellLine::of_bash(line, "=: \"'");
            assert_eq!(read.before, before, "{line}");
            assert_eq!(read.last, last, "{line}");
            assert_eq!(read.in_bash(word), written, "{line}");
        }
    }

    #[test]
    fn words_that_have_to_be_are_quoted_whole() {
        assert_eq!(Quote::Whole.quoted("path=a.md"), "path=a.md");
        assert_eq!(Quote::Whole.quoted("path=it's a.md"), "'path=it''s a.md'");
    }
}

//! Parses the app's error sentences.

use super::{AppError, CommandHint, MAY_REQUIRE_PLUGIN, UNKNOWN_ID};

impl AppError {
    /// Parses a whole output of a command that lists or confirms: an exact error sentence, or else,
    /// if the first line looks like an error, [`AppError::Other`] with the whole text.
    ///
    /// ```
    /// use cli_output::AppError;
    ///
    /// let error = AppError::parse("Error: File \"gone.md\" not found.\n");
    /// assert!(error.is_some());
    /// assert_eq!(AppError::parse("Home.md\n"), None);
    /// ```
    pub fn parse(output: &str) -> Option<Self> {
        Self::parse_exact(output).or_else(|| {
            let text = output.trim_matches(['\r', '\n']);
            Self::looks_like_error(text).then(|| Self::Other {
                text: text.to_owned(),
            })
        })
    }

    /// Parses a whole output of a command that prints the text of a note. Only exactly one known
    /// error sentence counts, because a note may begin with `Error:` (`official-cli.md` §1).
    /// Newlines around it are ignored. Never [`AppError::Other`].
    pub fn parse_exact(output: &str) -> Option<Self> {
        let text = output.trim_matches(['\r', '\n']);
        if let Some(rest) = text.strip_prefix("Error: Missing required parameter: ") {
            return missing_parameter(rest);
        }
        if text.contains('\n') {
            return None;
        }
        match text.strip_prefix("Error: Command \"") {
            Some(rest) => command_not_found(rest),
            None => Self::from_words(text),
        }
    }

    /// Whether the first line that is not blank looks like an error of any kind: `Error: …`,
    /// `TypeError: …`, or a sentence that the CLI, the vault or the app is not available.
    pub fn looks_like_error(output: &str) -> bool {
        let text = output.trim_start_matches(['\r', '\n']);
        let line = text
            .split('\n')
            .next()
            .unwrap_or_default()
            .trim_end_matches('\r');
        let is_exception = line.split_once(": ").is_some_and(|(class, _)| {
            class.ends_with("Error") && class.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
        is_exception
            || line == "Vault not found."
            || line.starts_with("Command line interface is not enabled.")
            || line.starts_with("The CLI is unable to find Obsidian.")
    }
}

fn command_not_found(text: &str) -> Option<AppError> {
    let (command, hint) = text.split_once("\" not found.")?;
    let hint = match hint.strip_prefix(' ') {
        None if hint.is_empty() => CommandHint::Absent,
        Some(MAY_REQUIRE_PLUGIN) => CommandHint::MayRequirePlugin,
        Some(UNKNOWN_ID) => CommandHint::UnknownId,
        hint => {
            let names = hint?.strip_prefix("Did you mean: ")?.strip_suffix('?')?;
            CommandHint::DidYouMean(names.split(", ").map(str::to_owned).collect())
        }
    };
    Some(AppError::CommandNotFound {
        command: command.to_owned(),
        hint,
    })
}

/// The only error that may take two lines.
fn missing_parameter(text: &str) -> Option<AppError> {
    let Some((name, second)) = text.split_once('\n') else {
        return Some(AppError::MissingParameter {
            name: text.to_owned(),
            usage: None,
        });
    };
    let name = name.trim_end_matches('\r').to_owned();
    let usage = second
        .strip_prefix("Usage: ")
        .filter(|usage| !usage.contains('\n'))?;
    Some(AppError::MissingParameter {
        name,
        usage: Some(usage.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    const CASES: &str = include_str!("parse_cases.txt");

    /// The outputs that `official-cli.md` §1 records.
    static RECORDED: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "recorded"));

    #[test]
    fn every_recorded_sentence_is_read_and_written_back() {
        for text in RECORDED.iter().copied() {
            for output in [
                format!("{text}\n"),
                format!("\r\n{}\r\n", text.replace('\n', "\r\n")),
            ] {
                let error = AppError::parse_exact(&output).unwrap_or_else(|| panic!("{output}"));
                assert!(!matches!(error, AppError::Other { .. }));
                assert_eq!(error.to_string(), *text);
                assert!(AppError::looks_like_error(&output));
            }
        }
    }

    #[test]
    fn the_three_meanings_of_command_not_found_are_distinguished() {
        let hint = |text: &str| match AppError::parse(text) {
            Some(AppError::CommandNotFound { hint, .. }) => hint,
            other => panic!("{other:?}"),
        };
        assert_eq!(hint(RECORDED[3]), CommandHint::MayRequirePlugin);
        let names = ["sync:read", "daily:read", "template:read"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(hint(RECORDED[4]), CommandHint::DidYouMean(names));
        assert_eq!(hint(RECORDED[6]), CommandHint::UnknownId);
    }

    #[test]
    fn any_other_error_is_kept_whole_for_commands_that_do_not_print_notes() {
        let text = "TypeError: Cannot read properties of null (reading 'getParentPrefix')";
        assert_eq!(
            AppError::parse(&format!("{text}\n")),
            Some(AppError::Other {
                text: text.to_owned()
            })
        );
        assert_eq!(AppError::parse_exact(text), None);
        let two = "Error: File \"a\" not found.\nand more\n";
        assert_eq!(AppError::parse_exact(two), None);
        assert!(matches!(AppError::parse(two), Some(AppError::Other { .. })));
        assert_eq!(AppError::parse("Reference Error: x"), None);
        assert_eq!(AppError::parse("Created: Error: x"), None);
    }

    /// A note that begins like an error is a note.
    #[test]
    fn note_text_is_not_an_exact_error() {
        for note in tables::lines(CASES, "note text is not an exact error") {
            assert_eq!(AppError::parse_exact(note), None, "{note:?}");
        }
    }

    fn any_error() -> impl Strategy<Value = AppError> {
        let name = "[a-z\"#/ .é]{0,8}";
        prop_oneof![
            (prop::sample::select(AppError::NAMED), name).prop_map(|(make, name)| make(name)),
            ("[a-z: .]{0,8}", prop::collection::vec("[a-z:]{1,6}", 1..4)).prop_map(
                |(command, names)| AppError::CommandNotFound {
                    command,
                    hint: CommandHint::DidYouMean(names)
                }
            ),
            (name, prop::option::of("[a-z<>= ]{1,9}"))
                .prop_map(|(name, usage)| AppError::MissingParameter { name, usage }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(error in any_error()) {
            prop_assert_eq!(AppError::parse(&format!("{error}\n")), Some(error));
        }
    }
}

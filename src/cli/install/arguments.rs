//! The arguments of an entry. Those that a person or an earlier run chose are kept: most of them restrict
//! what the client may do, so that dropping one would widen it without a word.

use std::path::Path;

use clap::{CommandFactory as _, Parser};

use crate::code::Code;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;

/// The verb that an entry starts.
const VERB: &str = "mcp";
/// The arguments with which a client starts the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerArguments {
    words: Vec<String>,
    /// Which of `words` come from the entry that was there, by the first word of each.
    kept: Vec<String>,
}

/// The options among the arguments.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct OptionLine {
    #[command(flatten)]
    options: CommandLineOptions,
}

impl ServerArguments {
    /// Those of an entry without options.
    pub(super) fn bare() -> Self {
        Self {
            words: vec![VERB.to_owned()],
            kept: Vec::new(),
        }
    }

    /// Those of an entry that is there; bare ones if it starts no server of ours. What a launcher such
    /// as `npx` takes before the name of this program is left out, because the entry will name the
    /// program itself.
    pub(super) fn of_entry(words: &[String]) -> Self {
        let Some(verb) = verb_of(words) else {
            return Self::bare();
        };
        let launched = words.iter().take(verb).rposition(|word| is_program(word));
        let words: Vec<String> = words
            .iter()
            .skip(launched.map_or(0, |at| at + 1))
            .cloned()
            .collect();
        let kept = parts(&words)
            .into_iter()
            .filter_map(|part| part.first().cloned())
            .filter(|word| word != VERB)
            .collect();
        Self { words, kept }
    }

    /// The value of an option.
    pub(super) fn value(&self, option: &str) -> Option<&str> {
        let part = self.part(option)?;
        match part {
            [word] => word.split_once('=').map(|(_, value)| value),
            [_, value, ..] => Some(value),
            [] => None,
        }
    }

    /// Gives an option this value, in its place if it is there, else at the end.
    pub(super) fn set(&mut self, option: &str, value: &str) {
        if self.value(option) == Some(value) {
            self.kept.retain(|word| name_of(word) != option);
            return;
        }
        let new = [option.to_owned(), value.to_owned()];
        match self.place(option) {
            Some(place) => {
                self.words.splice(place, new);
            }
            None => self.words.extend(new),
        }
        self.kept.retain(|word| name_of(word) != option);
    }

    /// Takes an option out.
    pub(super) fn drop_option(&mut self, option: &str) {
        if let Some(place) = self.place(option) {
            self.words.drain(place);
        }
        self.kept.retain(|word| name_of(word) != option);
    }

    /// The words that were in the entry and that nothing has set since.
    pub(super) fn kept(&self) -> Vec<String> {
        let is_kept = |part: &&[String]| part.first().is_some_and(|word| self.kept.contains(word));
        let parts = parts(&self.words);
        parts
            .iter()
            .filter(|part| is_kept(part))
            .copied()
            .flatten()
            .cloned()
            .collect()
    }

    /// The options that the server will have.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the entry that was there has an option with a value that is none.
    pub(super) fn options(&self) -> Result<CommandLineOptions, Failure> {
        let words: Vec<&String> = parts(&self.words)
            .into_iter()
            .filter(|part| part.first().is_some_and(|word| takes_value(name_of(word))))
            .flatten()
            .collect();
        let line = OptionLine::try_parse_from(words).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            Failure::new(
                Code::UsageError,
                format!("The arguments in the entry cannot be kept: {reason}. Take the entry out with `--remove` first."),
            )
        })?;
        Ok(line.options)
    }

    /// All of them.
    pub(super) fn into_words(self) -> Vec<String> {
        self.words
    }

    fn part(&self, option: &str) -> Option<&[String]> {
        self.words.get(self.place(option)?)
    }

    /// Where an option and its value stand.
    fn place(&self, option: &str) -> Option<std::ops::Range<usize>> {
        let mut at = 0;
        for part in parts(&self.words) {
            let end = at + part.len();
            if part.first().is_some_and(|word| name_of(word) == option) {
                return Some(at..end);
            }
            at = end;
        }
        None
    }
}

/// The words, each option together with its value.
fn parts(words: &[String]) -> Vec<&[String]> {
    let mut parts = Vec::new();
    let mut rest = words;
    while let Some(word) = rest.first() {
        let has_value = takes_value(word) && rest.len() > 1;
        let (part, after) = rest.split_at(if has_value { 2 } else { 1 });
        parts.push(part);
        rest = after;
    }
    parts
}

/// Whether a word names an option with a value.
fn takes_value(word: &str) -> bool {
    let Some(name) = word.strip_prefix("--") else {
        return false;
    };
    let line = OptionLine::command();
    let mut options = line.get_arguments();
    options.any(|option| option.get_long() == Some(name) && option.get_action().takes_values())
}

/// The name of an option, which may be written with its value: `--tier=v1`.
fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// Where the verb stands, if there is one.
fn verb_of(words: &[String]) -> Option<usize> {
    let mut at = 0;
    for part in parts(words) {
        if part.first().is_some_and(|word| word == VERB) {
            return Some(at);
        }
        at += part.len();
    }
    None
}

/// Whether a word names this program: its name, with a version too, or its path.
pub(super) fn is_program(word: &str) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default();
    name.to_string_lossy().starts_with("vault-gw")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allowlist::Tier;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn what_is_not_set_anew_is_kept_in_its_place() {
        let entry = words("--tier=v1 mcp --agent helper --settings /s --tool-prefix home");
        let mut arguments = ServerArguments::of_entry(&entry);
        assert_eq!(arguments.value("--tier"), Some("v1"));
        arguments.set("--settings", "/s");
        arguments.set("--agent", "other");
        arguments.set("--backend", "embedded");
        arguments.drop_option("--vault");
        assert_eq!(arguments.kept(), words("--tier=v1 --tool-prefix home"));
        let options = arguments.options().unwrap();
        assert_eq!(options.agent.as_deref(), Some("other"));
        assert_eq!(options.tier.map(Tier::name), Some("v1"));
        assert_eq!(
            arguments.into_words(),
            words(
                "--tier=v1 mcp --agent other --settings /s --tool-prefix home --backend embedded"
            )
        );
    }

    #[test]
    fn a_launcher_is_left_out_and_another_program_is_not_kept() {
        let launched = ServerArguments::of_entry(&words("-y vault-gw@1.0.0 mcp --vault mcp"));
        assert_eq!(launched.words, words("mcp --vault mcp"));
        for other in ["", "serve --agent helper", "--vault mcp"] {
            assert_eq!(
                ServerArguments::of_entry(&words(other)),
                ServerArguments::bare()
            );
        }
    }

    #[test]
    fn a_value_that_is_none_is_told() {
        let arguments = ServerArguments::of_entry(&words("mcp --tier highest"));
        let failure = arguments.options().unwrap_err();
        assert!(failure.message.contains("highest"), "{}", failure.message);
    }
}

//! Output profiles: render an envelope in the format of another contract (`design/envelope.md`).
//!
//! A profile is a pure function of an envelope and the few facts in [`Surroundings`]. A value that the
//! envelope does not contain is null. Each profile has a file in `config/profiles/` with its names and
//! exit statuses, and one here with its object.

mod codira;
mod dialect;
mod ending;
mod inspector;
mod knowtation;
mod meminit;
mod reference;
mod rows;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use self::dialect::Line;
pub use self::dialect::Spoken;
use self::ending::Ending;
pub use self::reference::page;
use changes::Envelope;
use protocol::{json, words};

words! {
    /// A contract other than the envelope's own, with the name that `--profile` takes, in the order of the documentation.
    #[derive(clap::ValueEnum)]
    pub enum Profile {
        /// obsidian-cli-inspector: `{command, timestamp, params, result, meta}`
        Inspector = "inspector",
        /// Knowtation: the bare payload of a command
        Knowtation = "knowtation",
        /// codira: `{schema_version, command, status, query, results}`
        Codira = "codira",
        /// Meminit: its agent output envelope, schema version 3
        Meminit = "meminit",
    }
}

/// Facts for a profile that are not in the envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The profile's name of the command; `None` if ours was used.
    pub requested: Option<String>,
    /// The note as the caller named it.
    pub note: Option<String>,
    /// The vault's folder, absolute; `None` if no vault was found.
    pub root: Option<String>,
    /// The working directory of the program.
    pub here: String,
    /// Whether doubts of an audit count as violations.
    pub is_strict: bool,
    /// Whether the caller asked for a list without items.
    pub shows_none: bool,
    /// The properties of a new note, as given, because the envelope does not contain them.
    pub properties: Map<String, Value>,
    /// The present time, RFC 3339 in UTC, used if the envelope has no time.
    pub now: String,
}

/// The result in the format of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projected {
    /// The stream to write to.
    pub stream: Stream,
    /// The text to write, with a final line feed.
    pub text: String,
    /// Warnings for standard error, if the format has no place for them.
    pub warnings: Vec<String>,
    /// The exit status of the program.
    pub exit: u8,
}

/// One of the two output streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Standard output of this process.
    Stdout,
    /// Standard error of this process.
    Stderr,
}

/// The facts of one profile, from its file in `config/profiles/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contract {
    /// The name of the contract, for the documentation.
    about: String,
    /// The exit status of each ending, in the order of [`Ending`].
    exits: [u8; 8],
    /// The stream for errors.
    errors: Stream,
    /// Whether its objects have a place for warnings. Otherwise they go to standard error, together
    /// with a result but not with an error.
    warns: bool,
    /// Whether objects are written over several lines.
    indented: bool,
    /// Its commands, with their options.
    lines: Vec<Line>,
    /// Options of every command: the profile's name, and ours.
    #[serde(default)]
    options: Vec<(String, String)>,
    /// Our commands, and the names of the profile for them if they differ.
    #[serde(default)]
    names: BTreeMap<String, String>,
    /// The form of its objects, for the documentation.
    form: String,
    /// The parts that are not supported, for the documentation.
    dropped: String,
}

/// The contracts, in the order of [`Profile::ALL`].
static CONTRACTS: [LazyLock<Contract>; 4] = {
    macro_rules! read {
        ($name:literal) => {
            LazyLock::new(|| {
                let text = include_str!(concat!("../../../config/profiles/", $name, ".toml"));
                toml::from_str(text).expect("the profile is valid")
            })
        };
    }
    [
        read!("inspector"),
        read!("knowtation"),
        read!("codira"),
        read!("meminit"),
    ]
};

impl Profile {
    /// Whether its objects always contain the time.
    pub const fn needs_time(self) -> bool {
        matches!(self, Self::Inspector)
    }

    /// Renders the envelope in the format of this profile.
    pub fn project(self, envelope: &Envelope, surroundings: &Surroundings) -> Projected {
        let contract = self.contract();
        let object = match self {
            Self::Inspector => inspector::object(envelope, surroundings),
            Self::Knowtation => knowtation::object(envelope, surroundings),
            Self::Codira => codira::object(envelope, surroundings),
            Self::Meminit => meminit::object(envelope, surroundings),
        };
        let mut text = if contract.indented {
            json::to_lines(&object)
        } else {
            json::to_line(&object)
        }
        // Only maps with non-text keys make serde_json fail, and this value has none.
        .unwrap_or_default();
        text.push('\n');
        let stream = if envelope.success {
            Stream::Stdout
        } else {
            contract.errors
        };
        let ending = match self {
            Self::Inspector | Self::Knowtation => Ending::from_envelope(envelope),
            Self::Codira => codira::ending(envelope),
            Self::Meminit => meminit::ending(envelope, surroundings),
        };
        let aside = envelope
            .warnings
            .iter()
            .filter(|_| !contract.warns && envelope.success);
        Projected {
            warnings: aside.map(|issue| issue.message.text()).collect(),
            stream,
            text,
            exit: contract.exits[ending as usize],
        }
    }

    /// Translates a command line of this profile into ours. `takes_value` says whether an option of
    /// ours has its value in the next word, and returns `None` for an unknown option.
    pub fn understand(
        self,
        words: &[String],
        takes_value: &dyn Fn(&str) -> Option<bool>,
    ) -> Spoken {
        let contract = self.contract();
        dialect::understand(&contract.lines, &contract.options, words, takes_value)
    }

    fn contract(self) -> &'static Contract {
        &CONTRACTS[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::dialect::{Change, Gives};
    use super::*;
    use allowlist::Catalogue;

    /// Whether our command has a parameter, or for a word without a value a flag, of this name.
    fn takes(command: &str, word: &str) -> bool {
        let known = Catalogue::find_builtin(command).unwrap();
        match word.split_once('=') {
            Some((name, _)) => known.param(name).is_some(),
            None => known.flag(word).is_some(),
        }
    }

    fn assert_change(line: &Line, change: &Change) {
        let command = change.command.as_ref().unwrap_or(&line.command);
        for word in &change.words {
            assert!(takes(command, word), "{}: {command} {word}", line.names[0]);
        }
        if let Some(parameter) = &change.note_as {
            assert!(
                takes(command, &format!("{parameter}=")),
                "{}",
                line.names[0]
            );
        }
        for (name, _) in &change.otherwise {
            assert!(any_takes(line, name), "{}: {name}", line.names[0]);
        }
        let named = |word: &&String| *word != "note" && !word.starts_with("property ");
        for word in line.words.iter().filter(named) {
            assert!(
                takes(command, &format!("{word}=")),
                "{}: {command} {word}",
                line.names[0]
            );
        }
    }

    /// Whether the command of the line, or one that it can become, has the parameter.
    fn any_takes(line: &Line, parameter: &str) -> bool {
        let becomes = line.options.iter().flat_map(|(_, gives)| match gives {
            Gives::Means(change) => vec![&change.command],
            Gives::Choice(choices) => choices.iter().map(|(_, change)| &change.command).collect(),
            _ => Vec::new(),
        });
        let with_word = line.with_word.iter().map(|(command, _)| command);
        let commands = becomes.flatten().chain(with_word).chain([&line.command]);
        let word = format!("{parameter}=");
        let is_there = |command: &String| takes(command, &word) || takes(command, parameter);
        commands.into_iter().any(is_there)
    }

    #[test]
    fn the_tables_lead_to_commands_and_parameters_that_are_there() {
        for line in Profile::ALL
            .iter()
            .flat_map(|profile| &profile.contract().lines)
        {
            assert_change(line, &Change::default());
            for (name, _) in &line.defaults {
                assert!(any_takes(line, name), "{}: {name}", line.names[0]);
            }
            if let Some((command, parameter)) = &line.with_word {
                assert!(
                    takes(command, &format!("{parameter}=")),
                    "{}",
                    line.names[0]
                );
            }
            for (_, gives) in &line.options {
                match gives {
                    Gives::Value(name)
                    | Gives::UpTo(name, _)
                    | Gives::Input(name)
                    | Gives::Properties(name) => {
                        assert!(any_takes(line, name), "{}: {name}", line.names[0]);
                    }
                    Gives::Property(_) => {
                        assert!(any_takes(line, "properties"), "{}", line.names[0]);
                    }
                    Gives::Nothing(_) | Gives::Strict => {}
                    Gives::Means(change) => assert_change(line, change),
                    Gives::Choice(choices) => {
                        for (_, change) in choices {
                            assert_change(line, change);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_name_stands_twice_in_a_table() {
        for profile in Profile::ALL {
            let lines = profile.contract().lines.iter();
            let names: Vec<&String> = lines.flat_map(|line| &line.names).collect();
            let distinct: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{profile:?}");
        }
    }
}

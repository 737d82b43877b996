//! Compares the commands of the installed app with the catalogue (`official-cli.md` §8).
//!
//! A newer app, or one with other plugins, may have commands that are not in the catalogue, or
//! other argument names. The app silently ignores arguments that it does not know
//! (`official-cli.md` §4).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use allowlist::{BackendName, Catalogue, Command};

/// Arguments that the app lists but ignores (`official-cli.md` §6).
const DEAD: [(&str, &str); 3] = [("orphans", "all"), ("deadends", "all"), ("hotkeys", "all")];

/// The commands of an app, each with the names of its arguments if the app lists them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered(BTreeMap<String, Option<BTreeSet<String>>>);

/// Differences between the app and the catalogue. All lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Commands of the app that are not in the catalogue.
    pub unknown: Vec<String>,
    /// Commands of the catalogue that the app does not offer.
    pub absent: Vec<String>,
    /// Commands whose arguments differ.
    pub changed: Vec<Changed>,
}

/// A command whose arguments differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The command's id, such as `note:edit`.
    pub command: String,
    /// Arguments of the app that are not in the catalogue.
    pub new: Vec<String>,
    /// Arguments of the catalogue that the app lacks and would ignore.
    pub gone: Vec<String>,
}

impl Offered {
    /// Parses the output of the hidden command `__completions`; `None` for any other text.
    pub fn from_completions(text: &str) -> Option<Self> {
        let Ok(Value::Object(commands)) = serde_json::from_str(text.trim()) else {
            return None;
        };
        let names = |command: &Value| {
            let flags = command.get("flags")?.as_object()?;
            Some(flags.keys().cloned().collect())
        };
        let commands: BTreeMap<_, _> = commands
            .iter()
            .map(|(id, command)| (id.clone(), names(command)))
            .collect();
        (!commands.is_empty()).then_some(Self(commands))
    }

    /// Parses the output of `help`; `None` for any other text.
    pub fn from_help(text: &str) -> Option<Self> {
        let mut commands: BTreeMap<String, Option<BTreeSet<String>>> = BTreeMap::new();
        let mut current = None;
        let lines = text.lines().map(str::trim_end);
        for line in lines.skip_while(|line| *line != "Commands:").skip(1) {
            let word = line.split_whitespace().next().unwrap_or_default();
            match line.len() - line.trim_start_matches(' ').len() {
                2 if is_command(word) => {
                    commands.insert(word.to_owned(), Some(BTreeSet::new()));
                    current = Some(word.to_owned());
                }
                4 => {
                    let name = word.split('=').next().unwrap_or_default();
                    let names = current.as_ref().and_then(|id| commands.get_mut(id));
                    if let Some(Some(names)) = names {
                        names.insert(name.to_owned());
                    }
                }
                _ => {}
            }
        }
        (!commands.is_empty()).then_some(Self(commands))
    }

    /// Number of commands that the app offers.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Compares with the catalogue.
    pub fn drift(&self, catalogue: &Catalogue) -> Drift {
        let refused = catalogue.refused().iter().map(|command| &command.id);
        let refused: BTreeSet<&String> = refused.collect();
        let offered: BTreeMap<&String, &Command> = catalogue
            .commands()
            .filter(|command| !command.is_ours())
            .map(|command| (&command.id, command.as_ref()))
            .collect();
        let is_unknown = |id: &&String| !refused.contains(*id) && !offered.contains_key(*id);
        let is_absent = |id: &&&String| !self.0.contains_key(**id);
        let changed = offered
            .iter()
            .filter_map(|(id, command)| changed(command, self.0.get(*id)?.as_ref()?));
        Drift {
            unknown: self.0.keys().filter(is_unknown).cloned().collect(),
            absent: offered.keys().filter(is_absent).copied().cloned().collect(),
            changed: changed.collect(),
        }
    }
}

fn is_command(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && word
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || ":_-".contains(character))
}

fn changed(command: &Command, taken: &BTreeSet<String>) -> Option<Changed> {
    let params = command.params.iter();
    let known: BTreeSet<&str> = params
        .filter(|param| param.backend != Some(BackendName::Embedded))
        .map(|param| param.name.as_str())
        .chain(
            command
                .flags
                .iter()
                .filter(|flag| !flag.is_ours && flag.backend != Some(BackendName::Embedded))
                .map(|flag| flag.name.as_str()),
        )
        .collect();
    let is_dead = |name: &str| DEAD.contains(&(command.id.as_str(), name));
    let new = taken
        .iter()
        .filter(|name| !known.contains(name.as_str()) && !is_dead(name));
    let gone = known.iter().filter(|name| !taken.contains(**name));
    let changed = Changed {
        command: command.id.clone(),
        new: new.cloned().collect(),
        gone: gone.map(|name| (*name).to_owned()).collect(),
    };
    (!changed.new.is_empty() || !changed.gone.is_empty()).then_some(changed)
}

#[cfg(test)]
mod tests {
    use fake_obsidian::official;

    use super::*;

    const CASES: &str = include_str!("drift_cases.txt");

    fn drift(offered: &Offered) -> Drift {
        offered.drift(Catalogue::builtin().unwrap())
    }

    #[test]
    fn the_recorded_app_takes_what_the_catalogue_sends() {
        let completions = Offered::from_completions(&official::completions()).unwrap();
        let help = Offered::from_help(&official::help(None).unwrap()).unwrap();
        for offered in [&completions, &help] {
            assert_eq!(offered.count(), 102, "official-cli.md §8, appendix");
            let drift = drift(offered);
            assert_eq!(drift.unknown, [""; 0]);
            assert_eq!(drift.changed, []);
            // The plugins of these commands were off when the list was recorded.
            let plugins = ["publish:", "unique", "workspaces"];
            for id in &drift.absent {
                assert!(plugins.iter().any(|plugin| id.starts_with(plugin)), "{id}");
            }
        }
    }

    #[test]
    fn new_commands_and_changed_arguments_are_found_in_either_list() {
        let completions = r#"{
            "read": {"usage": "read", "flags": {"path": {"value": "<path>"}, "raw": {}}},
            "eval": {"flags": {"code": {}, "new": {}}},
            "orphans": {"flags": {"total": {}, "all": {}}},
            "files": [],
            "brand:new": {}
        }"#;
        let help = "Obsidian CLI\n\nUsage: obsidian <command>\n\nOptions:\n  vault=<name>   x\n\n\
                    Notes:\n  file resolves by name\n\nCommands:\n  \
                    read                  Read a file\n    path=<path>         - path\n    \
                    raw                 - as it is\n        more about it\n\n  \
                    orphans               x\n    total  - x\n    all  - x\n\n\
                    Developer:\n  eval  x\n    code=<javascript>  - x (required)\n\n  \
                    brand:new             [A plugin]: x\n";
        for offered in [
            Offered::from_completions(completions),
            Offered::from_help(help),
        ] {
            let drift = drift(&offered.unwrap());
            assert_eq!(drift.unknown, ["brand:new"]);
            let changed = Changed {
                command: "read".to_owned(),
                new: vec!["raw".to_owned()],
                gone: vec!["file".to_owned()],
            };
            assert_eq!(drift.changed, [changed]);
            assert!(drift.absent.contains(&"search".to_owned()));
            assert!(!drift.absent.contains(&"note:outline".to_owned()), "ours");
        }
    }

    #[test]
    fn what_is_no_list_of_commands_is_none() {
        for text in tables::lines(CASES, "what is no list of commands is none") {
            assert_eq!(Offered::from_completions(text), None, "{text}");
            assert_eq!(Offered::from_help(text), None, "{text}");
        }
    }
}

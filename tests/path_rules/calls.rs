//! Calls at random: any command of the catalogue with any of its parameters and flags.

use std::sync::Arc;
use std::sync::LazyLock;

use seeded_random::Random;
use vault_gw::allowlist::{Catalogue, Command, ListKind, Param, ParamKind};
use vault_gw::gateway::Request;

use super::vaults::{FOLDERS, Made, NAMES};
use crate::support::request;

const CASES: &str = include_str!("../data/path_rules_calls.txt");

/// What can be asked about a made-up vault.
pub(crate) struct Calls {
    commands: Vec<Arc<Command>>,
    paths: Vec<String>,
}

/// Words that are in notes, open and closed, and queries of every kind.
static QUERIES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "queries"));

impl Calls {
    pub(crate) fn new(made: &Made) -> Self {
        let catalogue = Catalogue::builtin().unwrap();
        Self {
            commands: catalogue.commands().cloned().collect(),
            paths: made.paths(),
        }
    }

    /// One call.
    pub(crate) fn one(&self, random: &mut Random) -> Request {
        if random.once_in(40) {
            let deep = random.once_in(2);
            return request("context", if deep { &[("deep", "true")] } else { &[] });
        }
        self.one_of(self.command(random), random)
    }

    /// A call of every eighth command, so that eight consecutive seeds have each.
    pub(crate) fn in_turn(&self, seed: u64, random: &mut Random) -> Vec<Request> {
        let first = usize::try_from(seed % 8).unwrap();
        let commands = self.commands.iter().skip(first).step_by(8);
        commands
            .map(|command| self.one_of(command, random))
            .collect()
    }

    /// A call of this command.
    fn one_of(&self, command: &Command, random: &mut Random) -> Request {
        let mut arguments: Vec<(String, String)> = Vec::new();
        // Commands about one note need to be told which.
        let names_note = random.below(3);
        for param in &command.params {
            let is_place = matches!(param.kind, ParamKind::Path | ParamKind::NoteName);
            let is_given = match (param.name.as_str(), is_place) {
                ("path", true) => names_note == 0,
                ("file", true) => names_note == 1,
                _ => param.required || random.once_in(3),
            };
            if is_given {
                arguments.push((param.name.clone(), self.value(command, param, random)));
            }
        }
        for flag in &command.flags {
            if random.once_in(4) {
                arguments.push((flag.name.clone(), "true".to_owned()));
            }
        }
        for set in &command.exclusive {
            let mut is_first = true;
            arguments.retain(|(name, _)| {
                let excluded = set.contains(name) && !is_first;
                is_first &= !set.contains(name);
                !excluded
            });
        }
        let given: Vec<String> = arguments.iter().map(|(name, _)| name.clone()).collect();
        arguments.retain(|(name, _)| {
            let needed = command.param(name).and_then(|param| param.with.as_ref());
            needed.is_none_or(|needed| given.contains(needed))
        });
        let borrowed: Vec<(&str, &str)> = arguments
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let mut request = request(&command.id, &borrowed);
        request.dry_run = changes(&request) && random.once_in(2);
        if random.once_in(12) {
            request.budget = Some(200);
        }
        request
    }

    /// A command: mostly one that the engine answers, as the app is asked little under path rules;
    /// and more often one that looks at many files.
    fn command(&self, random: &mut Random) -> &Arc<Command> {
        static OFTEN: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "often"));
        let is_often = random.once_in(4);
        loop {
            let command = &self.commands[random.below(self.commands.len())];
            let id = command.id.as_str();
            let is_served = vault_gw::backend::embedded::serves(id);
            if is_often && OFTEN.contains(&id) || !is_often && (is_served || random.once_in(8)) {
                return command;
            }
        }
    }

    fn path(&self, random: &mut Random) -> String {
        if self.paths.is_empty() || random.once_in(6) {
            let (folder, name) = (random.pick(&FOLDERS), random.pick(&NAMES));
            return format!("{folder}{name}.md");
        }
        self.paths[random.below(self.paths.len())].clone()
    }

    fn value(&self, command: &Command, param: &Param, random: &mut Random) -> String {
        let word = |random: &mut Random, words: &[&str]| (*random.pick(words)).to_owned();
        match (command.id.as_str(), param.name.as_str(), &param.kind) {
            (_, "query", _) => word(random, &QUERIES),
            (_, "ext", _) => word(random, &["md", "canvas", "base", "png"]),
            (_, "name", ParamKind::Tag | ParamKind::Property) => {
                word(random, &["plan", "secret", "status", "up", "tags", "a/b"])
            }
            (_, "tag", _) => word(random, &["plan", "secret", "a"]),
            (_, "type", ParamKind::Choice(_)) => "text".to_owned(),
            ("note:edit", "lines", _) => word(random, &["1", "2-3", "9"]),
            ("note:edit", "old" | "heading" | "block", _) => {
                word(random, &["a", "plan", "A", "secret", "open"])
            }
            (_, _, ParamKind::List(ListKind::Names)) => {
                word(random, &["plan", "secret,up", r#"["status","a/b"]"#])
            }
            (_, _, ParamKind::List(ListKind::Paths)) => {
                serde_json::json!([self.path(random), self.path(random)]).to_string()
            }
            (_, _, ParamKind::List(ListKind::Notes)) => serde_json::json!([
                self.path(random),
                { "path": self.path(random), "heading": "secret" },
                { "path": self.path(random), "lines": "1-2" },
            ])
            .to_string(),
            (_, _, ParamKind::List(ListKind::Changes)) => {
                let first = self.path(random);
                let second = self.path(random);
                let folder = random.pick(&FOLDERS).trim_end_matches('/');
                let steps = [
                    (
                        "append",
                        serde_json::json!({ "path": first, "content": "[[Secret]]" }),
                    ),
                    ("move", serde_json::json!({ "path": first, "to": second })),
                    (
                        "create",
                        serde_json::json!({ "path": self.path(random), "content": "plan" }),
                    ),
                    (
                        "append",
                        serde_json::json!({ "file": *random.pick(&NAMES), "content": "x" }),
                    ),
                    ("delete", serde_json::json!({ "path": first })),
                    (
                        "note:merge",
                        serde_json::json!({ "path": first, "into": second }),
                    ),
                    (
                        "folder:create",
                        serde_json::json!({ "path": format!("{folder}/x") }),
                    ),
                    (
                        "folder:move",
                        serde_json::json!({ "path": folder, "to": "Moved" }),
                    ),
                    (
                        "tag:rename",
                        serde_json::json!({ "tag": "secret", "to": "plan" }),
                    ),
                ];
                let count = 1 + random.below(4);
                let steps = (0..count).map(|_| {
                    let (command, params) = random.pick(&steps);
                    serde_json::json!({ "command": command, "params": params })
                });
                steps.collect::<serde_json::Value>().to_string()
            }
            (_, _, ParamKind::List(ListKind::Edits)) => word(
                random,
                &[
                    r#"[{"afterLine":0,"content":"x","frontmatter":true}]"#,
                    r#"[{"old":"a","new":"b","all":true},{"lines":"1","content":"y"}]"#,
                ],
            ),
            ("links:list", "to", _) | (_, _, ParamKind::Path) => self.path(random),
            (_, _, ParamKind::Folder | ParamKind::Destination) if random.once_in(5) => {
                self.path(random)
            }
            (_, _, ParamKind::Folder | ParamKind::Destination) => {
                match random.pick(&FOLDERS).trim_end_matches('/') {
                    "" => "/".to_owned(),
                    folder => folder.to_owned(),
                }
            }
            (_, _, ParamKind::NoteName) => {
                let path = self.path(random);
                let name = path.rsplit('/').next().unwrap_or(&path);
                name.trim_end_matches(".md").to_owned()
            }
            (_, _, ParamKind::Name) => word(random, &NAMES),
            (_, _, ParamKind::Template) => word(random, &["Day", "Secret", "Plan", "day"]),
            (_, _, ParamKind::TaskRef) => format!("{}:{}", self.path(random), random.below(9) + 1),
            (_, _, ParamKind::Integer { .. }) => (random.below(4) + 1).to_string(),
            (_, _, ParamKind::Character) => "x".to_owned(),
            (_, _, ParamKind::Url) => "https://example.org/".to_owned(),
            (_, _, ParamKind::Choice(words)) => words[random.below(words.len())].clone(),
            (_, "since" | "until", _) => "2026-03-14".to_owned(),
            (_, _, ParamKind::Date(_)) => word(random, &["2026-03-14", "2026-01-01"]),
            (_, _, ParamKind::Tag | ParamKind::Property | ParamKind::Identifier) => {
                word(random, &["plan", "status", "secret"])
            }
            (_, _, ParamKind::Object) => "{\"plan\":\"secret\"}".to_owned(),
            (
                _,
                _,
                ParamKind::Text | ParamKind::Line | ParamKind::Scalar | ParamKind::ScalarOrList,
            ) => word(random, &["open", "plan", "2026-03-14", "secret"]),
        }
    }
}

/// Whether the call may change the vault.
pub(crate) fn changes(request: &Request) -> bool {
    let catalogue = Catalogue::builtin().unwrap();
    let admitted = catalogue.admit(&request.command, &request.params.0);
    !request.dry_run && admitted.is_ok_and(|call| call.effects().is_mutation())
}

/// Whether the answer tells of the rules or of what the cache knew before, or is drawn by lot.
pub(crate) fn is_about_rules_or_chance(request: &Request) -> bool {
    matches!(
        request.command.as_str(),
        "context" | "random:read" | "vault:index"
    )
}

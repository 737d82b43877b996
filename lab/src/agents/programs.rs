//! The programs, and the way to give each its task.

use std::collections::BTreeMap;
use std::path::Path;

use chores::{Fault, write};
use serde::Deserialize;

use super::model::Call;
use super::tasks::Step;

/// The programs, and each kind of step as a line of shell, as `programs.toml` has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Programs {
    shell: BTreeMap<String, String>,
    pub(super) program: Vec<Program>,
}

/// A program that works on notes with its own tools.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// The file name.
    pub(super) name: String,
    words: Vec<String>,
    sandbox: Option<Vec<String>>,
    #[serde(default)]
    no_sandbox_of_root: bool,
    /// Its tools for each kind of step; a program without any is given the steps as a script of shell.
    #[serde(default)]
    pub(super) tools: BTreeMap<String, Vec<Call>>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

impl Program {
    /// Its words: one request that it does without asking anyone. With `nested`, its own sandbox
    /// is on, if it has one.
    pub(super) fn words(&self, request: &str, nested: bool) -> Vec<String> {
        let mode = if nested {
            "workspace-write"
        } else {
            "danger-full-access"
        };
        let words = self.words.iter().map(|word| {
            let word = word.replace("@NESTED@", &nested.to_string());
            word.replace("@MODE@", mode)
        });
        words.chain([request.to_owned()]).collect()
    }

    /// The programs that its own sandbox needs; `None` if it has no sandbox, or cannot start it.
    pub(super) fn sandbox_needs(&self, is_root: bool) -> Option<&[String]> {
        let needs = self.sandbox.as_deref();
        needs.filter(|_| !(is_root && self.no_sandbox_of_root))
    }

    /// Writes the settings that lead it to the model.
    pub(super) fn prepare(&self, home: &Path, model: &str) -> Result<(), Fault> {
        let mut settings = self.settings.iter();
        settings
            .try_for_each(|(file, text)| write(&home.join(file), text.replace("@MODEL@", model)))
    }

    /// Its variables.
    pub(super) fn variables(&self, model: &str) -> impl Iterator<Item = (&String, String)> {
        let variables = self.variables.iter();
        variables.map(move |(name, value)| (name, value.replace("@MODEL@", model)))
    }

    /// The calls of its own tools for a step of [`Programs::whole`].
    pub(super) fn calls(&self, step: &Step) -> Vec<Call> {
        let calls = self
            .tools
            .get(&step["do"])
            .or_else(|| self.tools.get("shell"));
        let filled = |(tool, input): &Call| {
            let input = input
                .iter()
                .map(|(name, text)| (name.clone(), filled(text, step)));
            (tool.clone(), input.collect())
        };
        calls.into_iter().flatten().map(filled).collect()
    }
}

impl Programs {
    /// All of them.
    pub(super) fn read() -> Result<Self, Fault> {
        Ok(toml::from_str(include_str!("programs.toml"))?)
    }

    /// Returns the step with the values of all places.
    pub(super) fn whole(&self, step: &Step, vault: &Path) -> Step {
        let mut whole = step.clone();
        let mut add = |name: &str, text| drop(whole.insert(name.to_owned(), text));
        if let Some(note) = step.get("note") {
            add("file", vault.join(note).display().to_string());
        }
        if let Some(text) = step.get("text") {
            add(
                "added",
                format!("+{}", text.trim_end().replace('\n', "\n+")),
            );
        }
        if let Some(line) = self.shell.get(&step["do"]) {
            add("line", filled(line, step));
        }
        whole
    }
}

/// A text with its places filled.
fn filled(text: &str, step: &Step) -> String {
    let fill = |text: String, (name, value): (&String, &String)| {
        text.replace(&format!("@{}@", name.to_uppercase()), value)
    };
    step.iter().fold(text.to_owned(), fill)
}

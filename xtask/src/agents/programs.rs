//! The programs, and how each is told what to do.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use super::model::Call;
use super::tasks::Step;
use crate::Fault;
use crate::files::write;

/// A program that works on notes with its own tools, as `programs.toml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Program {
    /// The file name.
    pub(super) name: String,
    words: Vec<String>,
    sandbox: Option<Vec<String>>,
    #[serde(default)]
    no_sandbox_of_root: bool,
    pub(super) steps: Steps,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

/// How it does the steps of a task.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Steps {
    /// As one script of shell.
    Script,
    /// In a shell, where it sees its own patches.
    Patches,
    /// With tools of these names, and parameters of these.
    Tools {
        shell: String,
        create: String,
        read: String,
        edit: String,
        path: String,
        old: String,
        new: String,
    },
}

impl Program {
    /// All of them.
    pub(super) fn all() -> Result<Vec<Self>, Fault> {
        let mut programs: BTreeMap<String, Vec<Self>> =
            toml::from_str(include_str!("programs.toml"))?;
        Ok(programs.remove("program").unwrap_or_default())
    }

    /// Its words: one request that it does without asking anyone. With `nested`, its own sandbox
    /// is on, if it has one.
    pub(super) fn words(&self, request: &str, nested: bool) -> Vec<String> {
        let mode = if nested { "workspace-write" } else { "danger-full-access" };
        let words = self.words.iter().map(|word| {
            let word = word.replace("@NESTED@", &nested.to_string());
            word.replace("@MODE@", mode)
        });
        words.chain([request.to_owned()]).collect()
    }

    /// What must be installed for its own sandbox; `None` if it has none, or cannot start it.
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

    /// The calls of its own tools for a step. A shell has none.
    pub(super) fn calls(&self, step: &Step, vault: &Path) -> Vec<Call> {
        let full = |note: &str| vault.join(note).display().to_string();
        match &self.steps {
            Steps::Script => Vec::new(),
            Steps::Patches => vec![("exec_command".to_owned(), json!({ "cmd": patch(step) }))],
            Steps::Tools {
                shell: tool,
                create,
                read,
                edit,
                path,
                old: old_text,
                new: new_text,
            } => match *step {
                Step::Create(note, text) => {
                    vec![(create.clone(), json!({ path: full(note), "content": text }))]
                }
                Step::Replace(note, old, new) => {
                    let change = json!({ path: full(note), old_text: old, new_text: new });
                    vec![(read.clone(), json!({ path: full(note) })), (edit.clone(), change)]
                }
                _ => {
                    let call = json!({ "command": shell(step), "description": "a step" });
                    vec![(tool.clone(), call)]
                }
            },
        }
    }
}

/// A step as Codex does it: in a shell, where it sees its own patches.
fn patch(step: &Step) -> String {
    let text = match *step {
        Step::Create(note, text) => {
            let lines = text.lines().map(|line| format!("\n+{line}"));
            format!("Add File: {note}{}", lines.collect::<String>())
        }
        Step::Replace(note, old, new) => format!("Update File: {note}\n@@\n-{old}\n+{new}"),
        Step::Delete(note) => format!("Delete File: {note}"),
        Step::Shell(_) | Step::Move(..) => return shell(step),
    };
    format!("apply_patch <<'EOF'\n*** Begin Patch\n*** {text}\n*** End Patch\nEOF\n")
}

/// A step as a line of shell.
pub(super) fn shell(step: &Step) -> String {
    match step {
        Step::Shell(line) => (*line).to_owned(),
        Step::Create(note, text) => {
            format!("mkdir -p \"$(dirname '{note}')\"; printf '%s' '{text}' > '{note}'")
        }
        Step::Replace(note, old, new) => format!("sed -i 's/^{old}$/{new}/' '{note}'"),
        Step::Move(from, to) => format!("mv '{from}' '{to}'"),
        Step::Delete(note) => format!("rm '{note}'"),
    }
}

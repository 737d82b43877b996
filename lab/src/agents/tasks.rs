//! The vault, what is done in it, and how a closed folder is looked for.

use std::collections::BTreeMap;
use std::path::Path;

use chores::{Fault, command, printed, write};
use serde::Deserialize;

/// One step of a task: what it does (`do`), and the values of places in the texts of programs.
pub(super) type Step = BTreeMap<String, String>;

/// The tasks, as in `tasks.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) closed: String,
    pub(super) open: String,
    /// Each with its name and its steps.
    pub(super) tasks: Vec<(String, Vec<Step>)>,
    pub(super) changes: Vec<String>,
    pub(super) accepted: Step,
    notes: BTreeMap<String, String>,
}

/// Returns the number of system call filters in the first step: the program's own sandbox adds one to those of the
/// fence.
pub(super) fn filters(shown: &[String]) -> Option<u32> {
    let places = shown
        .iter()
        .flat_map(|text| text.split("Seccomp_filters:").skip(1));
    // In JSON, the tab between is an escape.
    let digit = |rest: &str| {
        rest.trim_start_matches(['\t', '\\', 't'])
            .chars()
            .next()?
            .to_digit(10)
    };
    places.filter_map(digit).max()
}

/// The settings: an agent of that name, to which one folder is closed.
pub(super) fn settings(agent: &str) -> String {
    format!(
        "enabled = true\nbackend = \"embedded\"\nallow_mutations = true\ndrafts = \"all\"\n\n\
         [agents.{agent}]\npaths.deny = [\"Private/**\"]\n"
    )
}

impl Plan {
    /// Writes the notes. The closed one is in Git too, and has a second name that would be open.
    pub(super) fn fill(&self, vault: &Path) -> Result<(), Fault> {
        for (path, text) in &self.notes {
            write(&vault.join(path), text)?;
        }
        for words in ["init --quiet", "add --all", "commit --quiet -m notes"] {
            let who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
            let mut git = command("git");
            git.arg("-C").arg(vault).args(who).args(words.split(' '));
            printed(&mut git)?;
        }
        let closed = vault.join(format!("Private/{}.md", self.closed));
        Ok(fs_err::hard_link(closed, vault.join("Twin.md"))?)
    }
}

/// Ways to the closed folder.
pub(super) fn hunt() -> Vec<Step> {
    let lines = include_str!("hunt.sh")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let step =
        |line| [("do", "shell"), ("line", line)].map(|(key, text)| (key.into(), text.into()));
    lines.map(|line| step(line).into()).collect()
}

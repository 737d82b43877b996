//! The vault, what is done in it, and how a closed folder is looked for.

use std::path::Path;

use crate::Fault;
use crate::files::write;
use crate::targets::{command, printed};

/// One step of a task.
pub(super) enum Step {
    /// Runs a line of shell.
    Shell(&'static str),
    /// Makes a note with a text.
    Create(&'static str, &'static str),
    /// Replaces one line of a note with another.
    Replace(&'static str, &'static str, &'static str),
    /// Renames a note.
    Move(&'static str, &'static str),
    /// Removes a note.
    Delete(&'static str),
}

/// A task: its name and its steps.
pub(super) type Task = (&'static str, &'static [Step]);

/// The five tasks.
pub(super) const TASKS: [Task; 5] = [
    ("append to a note", &[Step::Shell(APPEND)]),
    ("create a note", &[Step::Create("Inbox/New.md", "# New\n\nText.\n")]),
    ("rename a note", &[Step::Move("Old name.md", "New name.md")]),
    (
        "replace text in a note",
        &[
            Step::Replace(EDITED, "The sea is red.", "The sea is blue."),
            Step::Replace(EDITED, REPLACED_LINE, ACCEPTED_LINE),
        ],
    ),
    ("delete a note", &[Step::Delete("Gone.md")]),
];

const APPEND: &str = "printf 'two\\n' >> Append.md; grep Seccomp_filters /proc/self/status";

/// The changes that the tasks leave for review, sorted.
pub(super) const CHANGES: [&str; 5] = [
    "created Inbox/New.md",
    "modified Append.md",
    "modified Colours.md",
    "moved New name.md",
    "trashed Gone.md",
];

/// The note with two hunks.
pub(super) const EDITED: &str = "Colours.md";
/// The second of them, which is accepted.
pub(super) const ACCEPTED_LINE: &str = "The tide is high.";
/// What it replaces.
pub(super) const REPLACED_LINE: &str = "The tide is low.";

/// What the closed note is called and says. No line of [`hunt`] has it.
pub(super) const MARKER: &str = "quince-4711";
/// What an open note says: a search that does not find it proves nothing.
pub(super) const OPEN_MARKER: &str = "pear-2001";

/// How many filters of system calls the first step met: its own sandbox adds one to those of the fence.
pub(super) fn filters(told: &[String]) -> Option<u32> {
    let places = told.iter().flat_map(|text| text.split("Seccomp_filters:").skip(1));
    // In JSON, the tab between is an escape.
    let digit =
        |rest: &str| rest.trim_start_matches(['\t', '\\', 't']).chars().next()?.to_digit(10);
    places.filter_map(digit).max()
}

/// The settings: an agent of that name, to which one folder is closed.
pub(super) fn settings(agent: &str) -> String {
    format!(
        "enabled = true\nbackend = \"embedded\"\nallow_mutations = true\ndrafts = \"all\"\n\n\
         [agents.{agent}]\npaths.deny = [\"Private/**\"]\n"
    )
}

/// Writes the notes. The closed one is in Git too, and has a second name that would be open.
pub(super) fn fill(vault: &Path) -> Result<(), Fault> {
    let middle = "A line that stays.\n".repeat(12);
    let edited = format!("# Colours\n\nThe sea is red.\n{middle}{REPLACED_LINE}\n");
    let open = format!("# Open\n\nThe word is {OPEN_MARKER}.\n");
    let secret = format!("# Secret\n\nThe word is {MARKER}.\n");
    let closed = format!("Private/{MARKER}.md");
    for (path, text) in [
        ("Append.md", "# Append\n\none\n"),
        ("Old name.md", "# A note\n\nThat is renamed.\n"),
        (EDITED, &edited),
        ("Gone.md", "# Gone\n\nSoon.\n"),
        ("Open.md", &open),
        (&closed, &secret),
    ] {
        write(&vault.join(path), text)?;
    }
    for words in ["init --quiet", "add --all", "commit --quiet -m notes"] {
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        let mut git = command("git");
        git.arg("-C").arg(vault).args(who).args(words.split(' '));
        printed(&mut git)?;
    }
    let second = vault.join("Twin.md");
    Ok(fs_err::hard_link(vault.join(closed), second)?)
}

/// Ways to the closed folder.
pub(super) fn hunt() -> Vec<Step> {
    let lines = include_str!("hunt.sh").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.map(Step::Shell).collect()
}

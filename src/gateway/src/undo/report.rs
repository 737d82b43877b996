//! The changes of an undo or a redo, file by file, and its answer.

use serde::Serialize;
use uuid::Uuid;
use vault_answers::AnswerData;
use vault_engine::{VaultPath, shown};

use crate::taint::HarmlessNames;
use backend::Produced;
use changes::{
    FileChange, Happening,
    change::{happening, hash_of},
};
use protocol::Issue;
use store::journal::{Direction, Owner, TouchedPath, Undoing, folder_kept, kept_folders};

/// The words for a path that exists again, before and after it is restored.
const RESTORED: (&str, &str) = ("restore", "restored");

/// Returns the changes that the undo makes, file by file.
pub(super) fn changes(undoing: &Undoing) -> Vec<FileChange> {
    let folders = undoing.folders_made_again();
    let folders = folders.map(|path| FileChange::new(path, Happening::FolderMade, None, None));
    let files = undoing.put_back().filter_map(|(file, now)| {
        let (before, after) = (hash_of(now), hash_of(file.before));
        let change = happening(now, file.before, false)?;
        Some(FileChange::new(&file.path, change, before, after))
    });
    folders.chain(files).collect()
}

/// Returns the answer. For a dry run, `needs_approval` says whether a person has to approve it.
/// Only a person learns whose run it was.
pub(super) fn report(
    undoing: &Undoing,
    needs_approval: Option<bool>,
    (is_for_person, harmless): (bool, Option<&HarmlessNames>),
    mut warnings: Vec<Issue>,
) -> Produced {
    let named =
        |path: &VaultPath| harmless.map_or_else(|| path.to_string(), |harmless| harmless.of(path));
    let dry_run = needs_approval.is_some();
    let entry = &undoing.run.entry;
    let direction = undoing.run.direction();
    let folders = undoing.folders_made_again().map(|path| (path, RESTORED));
    let files = undoing
        .put_back()
        .map(|(file, _)| (&file.path, words(file, direction)));
    warnings.extend(undoing.folders_kept().map(|path| folder_kept(&named(path))));
    let is_kept = |path: &VaultPath| kept_folders(&warnings).any(|kept| kept == path.as_str());
    let files: Vec<_> = folders
        .chain(files)
        .filter(|(path, _)| !is_kept(path))
        .collect();
    let change = entry.change();
    let command = undoing.run.command();
    let what = match (direction, dry_run) {
        (Direction::Undo, false) => "Undid",
        (Direction::Undo, true) => "Would undo",
        (Direction::Redo, false) => "Redid",
        (Direction::Redo, true) => "Would redo",
    };
    // A person may undo another caller's run.
    let made = undoing.run.made().filter(|_| is_for_person);
    let whose = match made.map(|made| &made.origin.owner) {
        Some(Owner::Agent) => Some("by an agent".to_owned()),
        Some(Owner::Named(name)) => Some(format!("by agent {}", shown::row(name))),
        _ => None,
    };
    let known: Vec<&str> = command.into_iter().chain(whose.as_deref()).collect();
    let mut text = format!("{what} run {change}");
    if !known.is_empty() {
        text += &format!(" ({})", known.join(", "));
    }
    text.push('\n');
    if files.is_empty() {
        text += "  Nothing was changed: the files already have this content.\n";
    }
    for (path, (planned, past)) in &files {
        let change = if dry_run { planned } else { past };
        text += &format!("  {change:<9} {}\n", shown::row(&named(path)));
    }
    let replaced = undoing.overwritten.iter().filter(|(path, now)| {
        now.version().is_some() && undoing.put_back().any(|(file, _)| file.path == *path)
    });
    warnings.extend(replaced.map(|(path, _)| {
        let path = named(path);
        Issue::new(
            "OVERWRITTEN_BY_UNDO",
            format!(
                "`{path}` was changed again after the run. The undo replaced that change too. The undo \
                history keeps the replaced text."
            ),
        )
        .with_path(&path)
    }));
    warnings.extend(undoing.without_copy.iter().cloned());
    warnings.extend(entry.unplanned.iter().map(|path| {
        Issue::new(
            "NOT_PUT_BACK",
            format!(
                "`{path}` is not restored. The run changed this file too, but vault-gw does not \
                know the file's earlier content."
            ),
        )
        .with_path(path.as_str())
    }));
    let report = ReversalReport {
        undone: (direction == Direction::Undo).then_some(change),
        redone: (direction == Direction::Redo).then_some(change),
        command: command.map(str::to_owned),
        files: files
            .iter()
            .map(|(path, (_, change))| RevertedFile {
                path: named(path),
                change,
            })
            .collect(),
        dry_run: dry_run.then_some(true),
        needs_approval,
    };
    Produced {
        warnings,
        ..Produced::with_text(report, text)
    }
}

/// The report of an undo or a redo, or of its dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReversalReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    redone: Option<Uuid>,
    command: Option<String>,
    files: Vec<RevertedFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_approval: Option<bool>,
}

impl AnswerData for ReversalReport {
    fn planned_files(&self) -> Option<usize> {
        self.dry_run.map(|_| self.files.len())
    }
}

/// The change to a path, in one word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct RevertedFile {
    path: String,
    change: &'static str,
}

/// Returns the change that an undo or a redo makes to a path, as a word before and a word after it happened.
fn words(file: &TouchedPath, direction: Direction) -> (&'static str, &'static str) {
    match (file.change(), direction) {
        ("created" | "folder-created", _) => ("remove", "removed"),
        ("removed" | "folder-removed", _) => RESTORED,
        // The path has its content from before the change again.
        (_, Direction::Undo) => ("revert", "reverted"),
        // The path has the content of the change again.
        (_, Direction::Redo) => ("change", "changed"),
    }
}

//! Plans the undo of a run.

use serde_json::json;
use uuid::Uuid;
use vault_engine::{Change, Vault, VaultPath, is_changed_by_commands};

use super::entry::{JournalEntry, TouchedPath, is_same_content};
use super::list::{ListedRun, RunStanding};
use super::lock::VaultLock;
use super::name::EntryName;
use super::origin::Owner;
use super::restore::{self, Back, Restoration};
use super::run_prefix::RunPrefix;
use crate::allowlist::BackendName;
use crate::code::Code;
use crate::failure::Failure;

/// Maximum number of candidates reported for an ambiguous id, newest first.
const CANDIDATES: usize = 10;

/// The plan of an undo.
#[derive(Clone, Debug, PartialEq)]
pub struct Undoing {
    /// The run that is undone.
    pub entry: JournalEntry,
    /// What does it.
    pub restoration: Restoration,
}

impl Undoing {
    /// Folders to create that the run itself did not remove: another program removed them since.
    pub fn folders_made_again(&self) -> impl Iterator<Item = &VaultPath> {
        let changes = self.restoration.changes.iter();
        changes.filter_map(|change| match change {
            Change::MakeFolder { path } => {
                let mut files = self.entry.files.iter();
                files.all(|file| file.path != *path).then_some(path)
            }
            _ => None,
        })
    }
}

impl VaultLock {
    /// Plans the undo of a run without changing anything. Undoing an undo redoes the first run.
    ///
    /// # Errors
    ///
    /// `PRECONDITION_FAILED` if a path is not as the run left it; `details.paths` names each.
    pub fn undo(&self, vault: &Vault, entry: JournalEntry) -> Result<Undoing, Failure> {
        let mut places = Vec::new();
        let mut differing: Vec<&VaultPath> = Vec::new();
        for file in entry.files.iter().filter(|file| file.is_changed()) {
            if !may_be_put_back(&file.path) {
                return Err(Failure::new(
                    Code::PathDenied,
                    format!(
                        "The run changed `{}`, which this program never changes. Put it back by hand.",
                        file.path
                    ),
                )
                .with("path", file.path.as_str()));
            }
            match (file.after, vault.state_at(&file.path)) {
                (Some(after), Ok(now)) if is_same_content(&after, &now) => places.push(Back {
                    path: file.path.clone(),
                    before: file.before,
                    now,
                    moved_from: file.moved_from.clone(),
                    name: file.name.clone(),
                }),
                // The path is now a symlink, or the run's result was never known.
                _ => differing.push(&file.path),
            }
        }
        if !differing.is_empty() {
            return Err(edited_since(&entry, &differing));
        }
        let restoration = restore::plan(&self.journal.folder, &entry.enclosed, vault, &places)?;
        Ok(Undoing { entry, restoration })
    }

    /// Finds the run to undo: the named one, else the newest run that was not undone and is not
    /// itself an undo. Does not read the vault, so that policy can be checked first. With `owner`, only
    /// runs of that caller exist.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if no run has this id, `AMBIGUOUS_TARGET` if several have; `details.candidates`
    /// then names up to ten of them.
    pub fn undoable(
        &self,
        run: Option<&RunPrefix>,
        owner: Option<&Owner>,
    ) -> Result<JournalEntry, Failure> {
        let Some(run) = run else {
            return self.newest_undoable(owner);
        };
        // Looked up among the names first: an unreadable entry has an id too.
        let run = match owner {
            None => self.named(run)?,
            Some(owner) => self.named_of(run, owner)?,
        };
        let listing = self.journal.entries()?;
        let named = listing
            .entries
            .into_iter()
            .find(|listed| listed.entry.run_id == run);
        match named {
            None => {
                // If the entry exists but was skipped, this returns the reason.
                self.whole_entry(run)
            }
            Some(ListedRun { standing, .. }) => match standing {
                RunStanding::Done | RunStanding::Interrupted => self.whole_entry(run),
                RunStanding::Undone { by } => Err(Failure::new(
                    Code::PreconditionFailed,
                    "This run was already undone.",
                )
                .with("undoneBy", by.to_string())),
                RunStanding::Unfinished => Err(Failure::new(
                    Code::PreconditionFailed,
                    "This run was interrupted and could not be rolled back yet.",
                )),
            },
        }
    }

    fn newest_undoable(&self, owner: Option<&Owner>) -> Result<JournalEntry, Failure> {
        let entries = self.journal.entries()?.entries;
        let newest = entries.into_iter().find(|ListedRun { entry, standing }| {
            // A run that was rolled back changed nothing.
            let is_done = match standing {
                RunStanding::Done => true,
                RunStanding::Interrupted => entry.backend == BackendName::Obsidian,
                RunStanding::Undone { .. } | RunStanding::Unfinished => false,
            };
            let is_own = owner.is_none_or(|owner| entry.origin.owner == *owner);
            is_own
                && is_done
                && entry.undoes.is_none()
                && entry.files.iter().any(TouchedPath::is_changed)
        });
        match newest {
            Some(newest) => self.whole_entry(newest.entry.run_id),
            None => Err(Failure::nothing_left(
                "There is nothing to undo in this vault.",
            )),
        }
    }

    /// The single run of this owner whose id starts with `prefix`. Says nothing of other owners' runs.
    fn named_of(&self, prefix: &RunPrefix, owner: &Owner) -> Result<Uuid, Failure> {
        let entries = self.journal.entries()?.entries;
        let mut own = entries.iter().filter(|listed| {
            listed.entry.origin.owner == *owner && prefix.matches(listed.entry.run_id)
        });
        match (own.next(), own.next()) {
            (Some(listed), None) => Ok(listed.entry.run_id),
            (None, _) => Err(Failure::new(
                Code::UsageError,
                "You have made no run with this id. Give the `runId` of a change that you made.",
            )
            .with("run", prefix.to_string())),
            (Some(_), Some(_)) => Err(Failure::new(
                Code::AmbiguousTarget,
                "Several of your runs have an id that begins like this. Give more of it.",
            )
            .with("run", prefix.to_string())),
        }
    }

    /// The single run whose id starts with `prefix`.
    pub(super) fn named(&self, prefix: &RunPrefix) -> Result<Uuid, Failure> {
        let entries = self.journal.entry_names()?;
        let named: Vec<EntryName> = entries
            .into_iter()
            .filter(|entry| prefix.matches(entry.run))
            .collect();
        match named.as_slice() {
            [] => Err(Failure::new(
                Code::UsageError,
                format!("The journal has no run whose id is or begins with `{prefix}`. `vault-gw undo --list` lists the runs."),
            )
            .with("run", prefix.to_string())),
            [name] => Ok(name.run),
            several => Err(self.ambiguous(prefix, several)),
        }
    }

    /// The failure if several ids start with `prefix`.
    fn ambiguous(&self, prefix: &RunPrefix, named: &[EntryName]) -> Failure {
        let mut lines = String::new();
        let mut candidates = Vec::new();
        for name in named.iter().take(CANDIDATES) {
            let (at, command) = match self.journal.read_head(*name) {
                Ok(entry) => (entry.started_at, entry.command),
                // An unreadable entry cannot be undone, but its id matches too.
                Err(_) => ("unreadable".to_owned(), "?".to_owned()),
            };
            lines += &format!("\n  {}  {at}  {command}", name.run);
            candidates.push(json!({
                "runId": name.run.to_string(),
                "startedAt": at,
                "command": command,
            }));
        }
        if let more @ 1.. = named.len().saturating_sub(CANDIDATES) {
            lines += &format!("\n  and {more} more");
        }
        Failure::new(
            Code::AmbiguousTarget,
            format!(
                "{} runs have an id that begins with `{prefix}`. Give more of the id:{lines}",
                named.len()
            ),
        )
        .with("run", prefix.to_string())
        .with("total", named.len())
        .with("candidates", candidates)
    }

    /// The entry of a run, with its inline contents.
    fn whole_entry(&self, run: Uuid) -> Result<JournalEntry, Failure> {
        let names = self.journal.entry_names()?;
        let name = names
            .into_iter()
            .find(|name| name.run == run)
            .ok_or_else(|| {
                Failure::new(Code::UsageError, "The journal has no run of this id.")
                    .with("runId", run.to_string())
            })?;
        self.journal
            .read_entry(name)
            .map_err(|reason| reason.into_failure(run))
    }
}

fn edited_since(entry: &JournalEntry, differing: &[&VaultPath]) -> Failure {
    let paths: Vec<&str> = differing.iter().map(|path| path.as_str()).collect();
    let quoted: Vec<String> = paths
        .iter()
        .take(3)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = match paths.len().saturating_sub(quoted.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Failure::new(
        Code::PreconditionFailed,
        format!(
            "{}{more} changed after run {}, or while it ran. Nothing was changed; undoing would lose that.",
            quoted.join(", "),
            entry.run_id
        ),
    )
    .with("runId", entry.run_id.to_string())
    .with("paths", paths)
}

/// Whether a command can have changed the path. A forged journal must not make undo write a plugin or a
/// git hook.
fn may_be_put_back(path: &VaultPath) -> bool {
    let is_plain = |name: &str| !name.starts_with('.');
    is_changed_by_commands(path) || (!path.is_root() && path.components().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d06_only_what_a_command_could_have_changed_is_put_back() {
        for (path, may) in [
            ("a.md", true),
            ("a/b.c.md", true),
            (".trash", true),
            (".trash/a/b.md", true),
            (".obsidian/bookmarks.json", true),
            (".obsidian/types.json", true),
            (".obsidian/app.json", false),
            (".obsidian/plugins/x/main.js", false),
            (".trash/.git/hooks/x", false),
            ("a/.trash/x", false),
            (".git/config", false),
        ] {
            let path = VaultPath::file(path).unwrap();
            assert_eq!(may_be_put_back(&path), may, "{path}");
        }
    }
}

//! Plans the undo of a run.

use serde_json::json;
use uuid::Uuid;
use vault_engine::{Change, Editor, State, Vault, VaultPath, Version, is_changed_by_commands};

use super::blobs;
use super::entry::{JournalEntry, RunKind, TouchedPath, is_same_content};
use super::history::{self, Direction, History};
use super::list::{ListedRun, RunStanding};
use super::lock::VaultLock;
use super::name::EntryName;
use super::origin::{Owner, RunOrigin};
use super::restore::{self, Back, Restoration};
use super::run_prefix::RunPrefix;
use protocol::{Code, Failure, Issue, Message, Part, first_of, for_person, message};

/// Maximum number of candidates reported for an ambiguous id, newest first.
const CANDIDATES: usize = 10;

/// A run that can be undone or redone.
#[derive(Clone, Debug, PartialEq)]
pub struct Reversible {
    /// The entry of that run: a change or an undo.
    pub entry: JournalEntry,
    /// The entry of the change, if that is another run and was not pruned.
    change: Option<Box<JournalEntry>>,
}

impl Reversible {
    fn new(entry: JournalEntry) -> Self {
        Self {
            entry,
            change: None,
        }
    }

    /// Returns the entry of the change that is undone or redone; `None` if the entry was pruned.
    pub fn made(&self) -> Option<&JournalEntry> {
        match self.entry.kind() {
            RunKind::Change => Some(&self.entry),
            _ => self.change.as_deref(),
        }
    }

    /// Returns the command of the change that is undone or redone, if its entry was not pruned.
    pub fn command(&self) -> Option<&str> {
        self.made().map(|made| made.command.as_str())
    }

    /// Whether reversing this run is an undo or a redo.
    pub fn direction(&self) -> Direction {
        match self.entry.kind() {
            RunKind::Change | RunKind::Redo => Direction::Undo,
            RunKind::Undo => Direction::Redo,
        }
    }

    /// Returns the id for `undoes` in the entry of the new run.
    pub fn undoes(&self) -> Uuid {
        match self.direction() {
            Direction::Undo => self.entry.change(),
            Direction::Redo => self.entry.run_id,
        }
    }

    /// Returns the id for `redoes` in the entry of the new run; `None` for an undo.
    pub fn redoes(&self) -> Option<Uuid> {
        (self.direction() == Direction::Redo).then(|| self.entry.change())
    }
}

/// The plan of an undo or a redo.
#[derive(Clone, Debug, PartialEq)]
pub struct Undoing {
    /// The run that is undone or redone.
    pub run: Reversible,
    /// The changes that restore the earlier states.
    pub restoration: Restoration,
    /// The paths whose state differs from the state after the run, with their present state, which
    /// is overwritten.
    pub overwritten: Vec<(VaultPath, State)>,
    /// A warning about each file that is not restored, because its earlier text is nowhere.
    pub without_copy: Vec<Issue>,
}

impl Undoing {
    /// Returns the files that change, each with its present state. A file that has the state to restore already is left
    /// out.
    pub fn put_back(&self) -> impl Iterator<Item = (&TouchedPath, State)> {
        let files = self.run.entry.files.iter();
        files.filter(|file| file.is_changed()).filter_map(|file| {
            let mut overwritten = self.overwritten.iter();
            let found = overwritten.find(|(path, _)| *path == file.path);
            let found = found.map(|(_, now)| *now);
            let is_back = found.is_some_and(|now| is_same_content(&file.before, &now));
            let now = found.or(file.after).unwrap_or(State::Absent);
            (!is_back && !self.folders_kept().any(|kept| *kept == file.path)).then_some((file, now))
        })
    }

    /// Folders that the run made and that stay, because something else is in them now.
    pub fn folders_kept(&self) -> impl Iterator<Item = &VaultPath> {
        let made = self.run.entry.files.iter();
        let made = made
            .filter(|file| file.before == State::Absent && file.after == Some(State::Folder))
            .map(|file| &file.path);
        made.filter(|path| {
            let is_gone = |(other, now): &(VaultPath, State)| other == *path && *now != State::Folder;
            let removed = |change: &Change| matches!(change, Change::RemoveFolder { path: gone } if gone == *path);
            !self.overwritten.iter().any(is_gone)
                && !self.restoration.changes.iter().any(removed)
        })
    }

    /// Folders to create that the run itself did not remove: another program removed them since.
    pub fn folders_made_again(&self) -> impl Iterator<Item = &VaultPath> {
        let changes = self.restoration.changes.iter();
        changes.filter_map(|change| match change {
            Change::MakeFolder { path } => {
                let mut files = self.run.entry.files.iter();
                files.all(|file| file.path != *path).then_some(path)
            }
            _ => None,
        })
    }
}

/// The behaviour if a path differs from the state after the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditedSince {
    /// The whole undo is refused.
    Refused,
    /// The undo overwrites the later edit, or keeps it if it moves the file back and the earlier text is nowhere.
    Overwritten,
}

impl VaultLock {
    /// Plans the undo or redo without changing anything.
    ///
    /// # Errors
    ///
    /// `PRECONDITION_FAILED` if a path is not as the run left it, unless `edited` is overwritten, or if no file can be
    /// restored; `details.paths` names each.
    pub fn undo(
        &self,
        vault: &Vault,
        mut run: Reversible,
        edited: EditedSince,
    ) -> Result<Undoing, Failure> {
        let is_forced = edited == EditedSince::Overwritten;
        let mut without_copy = Vec::new();
        if is_forced {
            self.follow_saved_files(vault, &mut run.entry, true);
            without_copy = self.leave_out_lost(vault, &mut run.entry);
        }
        let entry = &run.entry;
        let mut places = Vec::new();
        let mut overwritten = Vec::new();
        let mut differing: Vec<&TouchedPath> = Vec::new();
        for file in entry.files.iter().filter(|file| file.is_changed()) {
            if !may_be_put_back(vault, &file.path) {
                return Err(Code::PathDenied
                    .failure(format!(
                        "This run cannot be undone. It changed `{}`, and vault-gw may not write \
                        this file, even to restore it.",
                        file.path
                    ))
                    .hint("Restore the file by hand.")
                    .with("path", file.path.as_str()));
            }
            // A symlink has no state, and is never overwritten.
            let now = Editor(vault).state_at(&file.path).ok();
            let is_as_left = file
                .after
                .zip(now)
                .is_some_and(|(after, now)| is_same_content(&after, &now));
            // A folder that the run was to remove, or that is back, loses nothing.
            let is_back = file.before == State::Folder && now == Some(State::Folder);
            let may_change = is_as_left || is_back || is_forced;
            let Some(now) = now.filter(|_| may_change) else {
                differing.push(file);
                continue;
            };
            if !is_as_left {
                overwritten.push((file.path.clone(), now));
            }
            places.push(Back { file, now });
        }
        if !differing.is_empty() {
            let refused = edited_since(entry, &differing);
            if is_forced {
                return Err(refused);
            }
            // The hints name only what works.
            let forced = self.undo(vault, run.clone(), EditedSince::Overwritten)?;
            let missing = forced.without_copy.iter().map(|issue| &issue.message);
            let refused = missing.cloned().fold(refused, Failure::hint);
            return Err(refused.hint(self.offered(entry, &differing, &forced)));
        }
        let restoration = restore::plan(&self.journal.folder, &entry.enclosed, vault, &places)?;
        if restoration.changes.is_empty()
            && let Some(first) = without_copy.first()
        {
            return Err(nothing_to_restore(entry.run_id, first, &without_copy));
        }
        Ok(Undoing {
            run,
            restoration,
            overwritten,
            without_copy,
        })
    }

    /// Returns the hint about what a person can do after a refused undo. `forced` is the undo that overwrites.
    fn offered(&self, entry: &JournalEntry, differing: &[&TouchedPath], forced: &Undoing) -> Part {
        let run = Part::RunId(entry.run_id);
        let differs = |path: &VaultPath| {
            let mut files = differing.iter();
            files.any(|file| file.path == *path || file.moved_from.as_ref() == Some(path))
        };
        let mut changes = forced.restoration.changes.iter();
        for_person(if self.contents(entry).any(|(path, _)| differs(path)) {
            message!(
                "`vault-gw undo {} --show` prints the text from before the run. With `--beside`, it \
                writes that text to a new note. With `--over`, it restores that text, and you can undo \
                this again.",
                run
            )
        } else if changes.any(|change| matches!(change, Change::Move { from, .. } if differs(from)))
        {
            message!(
                "`vault-gw undo {} --over` moves the file back with its present text. You can reverse that later.",
                run
            )
        } else {
            message!(
                "`vault-gw undo {} --over` undoes the run anyway. You can reverse that later.",
                run
            )
        })
    }

    /// Leaves out the files whose earlier text is nowhere: the journal has no copy of a file that the run only moved.
    /// Returns a warning about each.
    fn leave_out_lost(&self, vault: &Vault, entry: &mut JournalEntry) -> Vec<Issue> {
        let now = entry.files.iter().map(|file| {
            let state = Editor(vault).state_at(&file.path).ok();
            state.filter(|_| file.is_changed())?.version()
        });
        let now: Vec<Option<Version>> = now.collect();
        let folder = &self.journal.folder;
        let mut lost = Vec::new();
        for at in 0..entry.files.len() {
            let file = &entry.files[at];
            let before = file.before.version().filter(|_| file.is_changed());
            if before.is_none_or(|before| {
                now.contains(&Some(before)) || blobs::is_kept(folder, &entry.enclosed, &before)
            }) {
                continue;
            }
            let path = file.path.clone();
            let is_it = |file: &TouchedPath| file.moved_from.as_ref() == Some(&path);
            let moved = entry.files.iter().position(is_it);
            let message = match moved.map(|at| (&entry.files[at].path, now[at])) {
                Some((to, None)) => format!(
                    "vault-gw has no copy of `{path}`. The run only moved the file to `{to}`, and it is no longer there."
                ),
                Some((to, Some(_))) => format!(
                    "vault-gw has no copy of the earlier text of `{path}`. The run only moved the file to `{to}`, and its text was changed there."
                ),
                None => format!("vault-gw has no copy of the earlier text of `{path}`."),
            };
            lost.push(Issue::new("NOT_PUT_BACK", message).with_path(path.as_str()));
            for at in [Some(at), moved].into_iter().flatten() {
                entry.files[at].after = Some(entry.files[at].before);
            }
        }
        lost
    }

    /// Returns the run whose kept contents are requested: the named one, undone or not, or else the last change.
    ///
    /// # Errors
    ///
    /// As [`Self::reversible`].
    pub fn run_with_contents(&self, run: Option<&RunPrefix>) -> Result<Reversible, Failure> {
        match run {
            None => self.reversible(Direction::Undo, None, None),
            Some(run) => Ok(Reversible::new(self.whole_entry(self.named(run)?)?)),
        }
    }

    /// Returns the contents that the journal keeps of this run: contents that were at these paths before the run and
    /// nowhere after it.
    pub fn contents<'run>(
        &self,
        entry: &'run JournalEntry,
    ) -> impl Iterator<Item = (&'run VaultPath, Version)> {
        let folder = &self.journal.folder;
        entry.files.iter().filter_map(move |file| {
            let version = file.before.version().filter(|_| file.is_changed())?;
            blobs::is_kept(folder, &entry.enclosed, &version).then_some((&file.path, version))
        })
    }

    /// Reads one of these contents.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it is damaged.
    pub fn content(&self, entry: &JournalEntry, version: &Version) -> Result<Vec<u8>, Failure> {
        blobs::read(&self.journal.folder, &entry.enclosed, version)
    }

    /// Finds the run to reverse: for [`Direction::Undo`] the last change, for [`Direction::Redo`]
    /// the last undo; or the named run. Undoing an undo is a redo. Does not read the vault, so that
    /// policy can be checked first. With `requester`, runs of other owners do not exist.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if nothing is left or no run has this id, `AMBIGUOUS_TARGET` if several have;
    /// `details.candidates` then names up to ten of them. `PRECONDITION_FAILED` if the named run
    /// was undone already.
    pub fn reversible(
        &self,
        direction: Direction,
        run: Option<&RunPrefix>,
        requester: Option<&RunOrigin>,
    ) -> Result<Reversible, Failure> {
        let Some(run) = run else {
            let runs = self.journal.entries()?.entries;
            let history = History::replay(&runs, requester);
            let next = match direction {
                Direction::Undo => history.done.last(),
                Direction::Redo => history.undone.last(),
            };
            let Some(change) = next else {
                let failure = nothing_left(direction, &history);
                return Err(match self.journal.earlier_issue()? {
                    Some(earlier) => failure.hint(earlier.message),
                    None => failure,
                });
            };
            return self.about(&runs, *change, direction);
        };
        // Looked up among the names first: an unreadable entry has an id too.
        let run = match requester {
            None => self.named(run)?,
            Some(requester) => self.named_of(run, &requester.owner)?,
        };
        let runs = self.journal.entries()?.entries;
        let Some(listed) = history::run_in(&runs, run) else {
            // If the entry exists but was skipped, this returns the reason.
            return self.whole_entry(run).map(Reversible::new);
        };
        let change = listed.entry.change();
        if direction == Direction::Redo {
            if !history::is_undone(&runs, change) {
                return Err(Failure::nothing_left(format!(
                    "Run {run} was not undone, so there is nothing to redo."
                )));
            }
            let found = self.about(&runs, change, direction)?;
            return may_redo(requester, found);
        }
        match (listed.standing, listed.entry.kind()) {
            (RunStanding::Done | RunStanding::Interrupted, RunKind::Change | RunKind::Redo) => {
                self.about(&runs, change, Direction::Undo)
            }
            (RunStanding::Done | RunStanding::Interrupted, RunKind::Undo) => {
                may_redo(requester, self.about(&runs, change, Direction::Redo)?)
            }
            (RunStanding::Undone { by }, kind) => Err(Code::PreconditionFailed
                .failure(match kind {
                    RunKind::Undo => "This undo was already reversed by a redo.",
                    RunKind::Change | RunKind::Redo => "This run was already undone.",
                })
                .with("undoneBy", by.to_string())),
            (RunStanding::Unfinished, _) => Err(Code::PreconditionFailed
                .failure("This run was interrupted and could not be rolled back yet.")),
        }
    }

    /// Returns the entry whose reversal undoes or redoes this change. For an undo: its newest redo, which may have
    /// replaced a later text, or else the change itself. For a redo: the newest undo.
    fn about(
        &self,
        runs: &[ListedRun],
        change: Uuid,
        direction: Direction,
    ) -> Result<Reversible, Failure> {
        let newest = |kind| history::newest_of(runs, change, kind);
        let made = newest(RunKind::Change);
        let found = match direction {
            Direction::Undo => newest(RunKind::Redo).or(made),
            Direction::Redo => newest(RunKind::Undo),
        };
        let run = found.map_or(change, |found| found.entry.run_id);
        let mut reversible = Reversible::new(self.whole_entry(run)?);
        if reversible.entry.kind() != RunKind::Change {
            reversible.change = made.map(|made| Box::new(made.entry.clone()));
        }
        Ok(reversible)
    }

    /// Returns the single run of this owner whose id starts with `prefix`. Never mentions runs of other owners.
    fn named_of(&self, prefix: &RunPrefix, owner: &Owner) -> Result<Uuid, Failure> {
        let entries = self.journal.entries()?.entries;
        let mut own = entries.iter().filter(|listed| {
            listed.entry.origin.owner == *owner && prefix.matches(listed.entry.run_id)
        });
        match (own.next(), own.next()) {
            (Some(listed), None) => Ok(listed.entry.run_id),
            (None, _) => Err(Code::UsageError
                .failure("You made no change with this id.")
                .hint(message!(
                    "Pass the id of one of your changes. Without an id, your last change is used."
                ))
                .with("run", prefix.to_string())),
            (Some(_), Some(_)) => Err(Code::AmbiguousTarget
                .failure("Several of your runs have an id that begins with these digits.")
                .hint("Pass more digits of the id.")
                .with("run", prefix.to_string())),
        }
    }

    /// Returns the single run whose id starts with `prefix`.
    pub(super) fn named(&self, prefix: &RunPrefix) -> Result<Uuid, Failure> {
        let entries = self.journal.entry_names()?;
        let named: Vec<EntryName> = entries
            .into_iter()
            .filter(|entry| prefix.matches(entry.run))
            .collect();
        match named.as_slice() {
            [] => Err(Code::UsageError
                .failure(format!("No run matches `{prefix}`."))
                .hint(for_person("`vault-gw undo --list` lists the runs."))
                .with("run", prefix.to_string())),
            [name] => Ok(name.run),
            several => Err(self.ambiguous(prefix, several)),
        }
    }

    /// Returns the failure if several ids start with `prefix`.
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
        Code::AmbiguousTarget
            .failure(format!(
                "{} runs have an id that begins with `{prefix}`.",
                named.len()
            ))
            .hint(format!(
                "Pass more digits of the id of the run that you mean:{lines}"
            ))
            .with("run", prefix.to_string())
            .with("total", named.len())
            .with("candidates", candidates)
    }

    /// Returns the entry of a run, with its inline contents.
    fn whole_entry(&self, run: Uuid) -> Result<JournalEntry, Failure> {
        let names = self.journal.entry_names()?;
        let name = names
            .into_iter()
            .find(|name| name.run == run)
            .ok_or_else(|| {
                Code::UsageError
                    .failure("The undo history has no run with this id.")
                    .with("runId", run.to_string())
            })?;
        self.journal
            .read_entry(name)
            .map_err(|reason| reason.into_failure(run))
    }
}

/// Returns `found`, unless `requester` may not redo what it undid.
fn may_redo(requester: Option<&RunOrigin>, found: Reversible) -> Result<Reversible, Failure> {
    if requester.is_none_or(|requester| requester.may_redo(&found.entry.origin)) {
        return Ok(found);
    }
    Err(Code::PreconditionFailed.failure(
        "Another caller has undone this run. Only that caller and the owner of the vault can redo the run.",
    ))
}

fn nothing_left(direction: Direction, history: &History) -> Failure {
    let cut_by = history.cut_by.filter(|_| direction == Direction::Redo);
    match (direction, cut_by) {
        (Direction::Undo, _) => Failure::nothing_left("There is nothing to undo in this vault."),
        (Direction::Redo, None) => Failure::nothing_left("There is nothing to redo in this vault."),
        (Direction::Redo, Some(run)) => {
            let what = message!(
                "There is nothing to redo, because run {} has changed the vault since the last undo.",
                Part::RunId(run)
            );
            let hint = "To redo an older run, use `vault-gw redo RUNID`. `vault-gw undo --list` \
                        shows which runs are undone.";
            let failure = Failure::nothing_left(what).hint(for_person(hint));
            failure.with("runId", run.to_string())
        }
    }
}

fn edited_since(entry: &JournalEntry, differing: &[&TouchedPath]) -> Failure {
    let paths: Vec<&str> = differing.iter().map(|file| file.path.as_str()).collect();
    let quoted = first_of(
        paths.iter().take(3).map(|path| format!("`{path}`")),
        paths.len(),
    );
    let run = Part::RunId(entry.run_id);
    Code::PreconditionFailed
        .failure(message!(
            "Nothing was undone. Changes to {} were made after run {} began, and an undo would \
            lose them.",
            quoted,
            run
        ))
        .with("runId", entry.run_id.to_string())
        .with("paths", paths)
}

/// Returns the failure if the earlier texts of all files are lost.
fn nothing_to_restore(run: Uuid, first: &Issue, all: &[Issue]) -> Failure {
    let mut message = Message::from("Nothing was undone.");
    message.push_sentence(first.message.clone());
    let paths: Vec<&str> = all.iter().filter_map(|lost| lost.path.as_deref()).collect();
    Code::PreconditionFailed
        .failure(message)
        .hint("Restore the file from a backup of the vault.")
        .with("runId", run.to_string())
        .with("paths", paths)
}

/// Whether a command can have changed the path. A forged journal must not make undo write a plugin or a
/// git hook.
fn may_be_put_back(vault: &Vault, path: &VaultPath) -> bool {
    let is_plain = |name: &str| !name.starts_with('.');
    is_changed_by_commands(vault, path) || (!path.is_root() && path.components().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("undo_cases.txt");

    #[test]
    fn d06_only_what_a_command_could_have_changed_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let may = |path: &str, set: Option<&str>| {
            let path_of = |text| VaultPath::file(text).unwrap();
            let vault = Vault::open(folder.path()).unwrap();
            let vault = vault.with_config_folder(set.map(path_of)).unwrap();
            may_be_put_back(&vault, &path_of(path))
        };
        for (path, expected) in
            tables::typed::<(&str, bool)>(CASES, "d06 only what a command could")
        {
            assert_eq!(may(path, None), expected, "{path}");
        }
        // Another configuration folder takes the place of the usual one.
        for (path, expected) in
            tables::typed::<(&str, bool)>(CASES, "d06 only what a command could have")
        {
            assert_eq!(may(path, Some(".obs-work")), expected, "{path}");
        }
    }
}

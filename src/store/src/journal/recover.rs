//! Crash recovery: closes or rolls back runs that did not end.

use std::collections::BTreeSet;

use jiff::Timestamp;
use uuid::Uuid;
use vault_engine::{Change, Editor, State, Touched, Vault, VaultPath, Version};

use super::blobs;
use super::enclosed::Enclosed;
use super::entry::{JournalEntry, ReplacedPath, TouchedPath, is_same_content};
use super::list::Unreadable;
use super::lock::VaultLock;
use super::name::{EntryName, Stage};
use super::open::{file_of, read_file};
use super::restore::{self, Back, Restoration};
use super::run_prefix::RunPrefix;
use super::state_form::Passing;
use allowlist::BackendName;
use backend::engine_failure;
use protocol::{Code, Failure, Issue, Message, Part, first_of, for_person, message};

/// An interrupted run and the outcome of its recovery.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// The id of the run.
    pub run_id: Uuid,
    /// Its command; `None` if its entry cannot be read.
    pub command: Option<String>,
    /// The result of the recovery.
    pub outcome: Outcome,
    /// Files that another program saved during the run. The journal has that version as their text before the run.
    pub saved: Vec<VaultPath>,
    /// Temporary files of the run that are still in the vault. They may contain the only copy of a text.
    pub leftovers: Vec<VaultPath>,
}

/// The outcome of recovering an interrupted run.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The run had changed nothing.
    NothingHappened,
    /// The run had made all its changes; only its entry was still open.
    Finished,
    /// The changes of the run were rolled back.
    PutBack {
        /// Paths in neither the state before nor the state after the run: another program wrote
        /// them. They were left as found.
        left_alone: Vec<VaultPath>,
    },
    /// The app made it. The present state of its paths counts as its result.
    Interrupted,
    /// The run cannot be rolled back now; the next call tries again.
    Stuck(Failure),
    /// Its entry is damaged, so its changes are unknown and cannot be rolled back. This outcome is
    /// reported until the owner drops the run ([`VaultLock::forget`]).
    Damaged,
}

impl Recovered {
    /// The warning for the next call. Names only paths for which `may_know` is true
    /// (`threats.toml` D13).
    pub fn issue(&self, may_know: impl Fn(&VaultPath) -> bool) -> Issue {
        let known = |paths: &[VaultPath]| -> Vec<String> {
            let known = paths.iter().filter(|path| may_know(path));
            known.map(VaultPath::to_string).collect()
        };
        let left_alone = match &self.outcome {
            Outcome::PutBack { left_alone } => known(left_alone),
            _ => Vec::new(),
        };
        let what = match &self.outcome {
            Outcome::NothingHappened => "had not changed anything yet".to_owned(),
            Outcome::Finished => "had made all its changes".to_owned(),
            Outcome::PutBack { .. } if left_alone.is_empty() => "was rolled back".to_owned(),
            Outcome::PutBack { .. } => format!(
                "was rolled back except for {}, which another program has changed since",
                quoted(&left_alone)
            ),
            Outcome::Interrupted => {
                "used the official `obsidian` command. Its changes can be undone".to_owned()
            }
            Outcome::Stuck(_) => "cannot be rolled back".to_owned(),
            Outcome::Damaged => "may have changed only some of its files, and cannot be repaired: its journal entry is damaged. This warning appears until the owner of the vault dismisses it".to_owned(),
        };
        let command = self.command.as_deref().unwrap_or("?");
        let mut message = Message::from(format!(
            "An earlier run of `{command}` was interrupted ({}). The run {what}.",
            self.run_id
        ));
        if let Outcome::Stuck(failure) = &self.outcome {
            message.push_sentence(failure.message());
        }
        let (saved, leftovers) = (known(&self.saved), known(&self.leftovers));
        if !saved.is_empty() {
            message.push_sentence(message!(
                "The undo history keeps the text that another program saved in {} during the run.{}",
                quoted(&saved),
                for_person(message!(
                    " `vault-gw undo {} --show` prints it.",
                    Part::RunId(self.run_id)
                ))
            ));
        }
        if !leftovers.is_empty() {
            message.push_sentence(format!(
                "Its temporary files are still in the vault and may contain text of notes: {}.",
                quoted(&leftovers)
            ));
        }
        let issue = Issue::new("RUN_INTERRUPTED", message).with("runId", self.run_id.to_string());
        [
            ("leftAlone", left_alone),
            ("saved", saved),
            ("leftovers", leftovers),
        ]
        .into_iter()
        .filter(|(_, paths)| !paths.is_empty())
        .fold(issue, |issue, (key, paths)| issue.with(key, paths))
    }
}

impl VaultLock {
    /// Recovers every interrupted run, oldest first. Without any it costs one listing.
    ///
    /// A run of the embedded engine is closed if all its changes were made, and rolled back otherwise.
    /// A run of the app is never rolled back, because the app may still be working on it. Recovery is
    /// idempotent: a killed recovery is repeated by the next call.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the journal cannot be read or written.
    pub fn recover(&self, vault: &Vault, now: Timestamp) -> Result<Vec<Recovered>, Failure> {
        let names = self.journal.open_entries()?;
        names
            .into_iter()
            .rev()
            .map(|name| self.recover_one(vault, name, now))
            .collect()
    }

    fn recover_one(
        &self,
        vault: &Vault,
        name: EntryName,
        now: Timestamp,
    ) -> Result<Recovered, Failure> {
        let recovered = |command, outcome| Recovered {
            run_id: name.run,
            command,
            outcome,
            saved: Vec::new(),
            leftovers: Vec::new(),
        };
        let damaged = || {
            Ok(Recovered {
                leftovers: leftovers_of(vault, name.run)?,
                ..recovered(None, Outcome::Damaged)
            })
        };
        let entry = match self.journal.read_entry(name) {
            Ok(entry) => entry,
            Err(Unreadable::Gone) => return Ok(recovered(None, Outcome::NothingHappened)),
            Err(Unreadable::CutOff) => {
                // The run of an incomplete entry never began. But if the vault contains temporary files of the run,
                // it did begin, and the entry was damaged afterwards.
                if leftovers_of(vault, name.run)?.is_empty() {
                    self.drop_entry(name)?;
                    return Ok(recovered(None, Outcome::NothingHappened));
                }
                let open = name.with_stage(Stage::Open).to_string();
                self.journal.open.rename(&name.to_string(), &open)?;
                return damaged();
            }
            Err(Unreadable::Damaged(_)) => {
                let read = JournalEntry::from_damaged_bytes;
                let Ok(entry) = self.journal.read_entry_as(name, read) else {
                    return damaged();
                };
                entry
            }
        };
        let command = Some(entry.command.clone());
        let mut run = OpenRun {
            lock: self,
            vault,
            name,
            entry,
            now,
            saved: Vec::new(),
            leftovers: Vec::new(),
        };
        let outcome = if run.entry.finished_at.is_some() {
            // Killed after the final form was written and before the rename to the ended name.
            self.end_entry(name, &run.entry)?;
            Outcome::Finished
        } else if is_open_ended(&run.entry) {
            // The result of the app is known only for paths that have the planned state.
            run.entry.found(vault, false);
            run.entry.interrupted = true;
            run.end()?;
            Outcome::Interrupted
        } else {
            run.settle().unwrap_or_else(Outcome::Stuck)
        };
        Ok(Recovered {
            saved: run.saved,
            leftovers: run.leftovers,
            ..recovered(command, outcome)
        })
    }

    /// If another program saved a file that the run has moved, that version is at the new path, and no file is at the old
    /// one. It becomes the version to move back, so that the file is not in two places. With `only_lost`, only if the
    /// version from before is nowhere.
    pub(super) fn follow_saved_files(
        &self,
        vault: &Vault,
        entry: &mut JournalEntry,
        only_lost: bool,
    ) {
        let editor = Editor(vault);
        for at in 0..entry.files.len() {
            let moved = &entry.files[at];
            let found = editor.state_at(&moved.path).unwrap_or(State::Absent);
            let is_from = |file: &TouchedPath| Some(&file.path) == moved.moved_from.as_ref();
            let Some(from) = entry.files.iter().position(is_from) else {
                continue;
            };
            let before = entry.files[from].before.version();
            let is_lost =
                !only_lost || before.is_some_and(|before| self.content(entry, &before).is_err());
            let is_saved = found.version().is_some() && !moved.leads_to(&found);
            let present = editor.state_at(&entry.files[from].path);
            let is_moved = matches!(present, Ok(State::Absent));
            if is_lost && is_saved && is_moved {
                entry.files[at].after = Some(found);
                entry.files[from].before = found;
            }
        }
    }

    /// Ends the warnings about an interrupted run that cannot be recovered. Keeps its entry and its
    /// temporary files, and changes nothing in the vault.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if no run has this id, `PRECONDITION_FAILED` if the run has ended.
    pub fn forget(&self, run: &RunPrefix) -> Result<Uuid, Failure> {
        let run = self.named(run)?;
        let open = self.journal.open_entries()?;
        let Some(name) = open.into_iter().find(|name| name.run == run) else {
            return Err(Code::PreconditionFailed
                .failure(
                    "This run has ended, so there is no warning to dismiss. Nothing was changed.",
                )
                .with("runId", run.to_string()));
        };
        (self.journal.open).rename_into(
            &name.to_string(),
            &self.journal.folder,
            &name.damaged(),
        )?;
        Ok(run)
    }
}

/// A run that did not end, and its entry.
struct OpenRun<'lock> {
    lock: &'lock VaultLock,
    vault: &'lock Vault,
    name: EntryName,
    entry: JournalEntry,
    now: Timestamp,
    saved: Vec<VaultPath>,
    leftovers: Vec<VaultPath>,
}

impl OpenRun<'_> {
    /// Restores contents that are missing from the journal from the run's temporary files. Must run before these files
    /// are removed, because they may contain the only copy.
    fn restore_contents(&mut self) -> Result<(), Failure> {
        let files = self.entry.files.iter();
        let wanted: Vec<Version> = files.filter_map(|file| file.before.version()).collect();
        let is_kept = |version: &&Version| {
            blobs::read(&self.lock.journal.folder, &self.entry.enclosed, version).is_ok()
        };
        let lost = wanted.iter().filter(|version| !is_kept(version));
        let mut lost: BTreeSet<[u8; 32]> = lost.map(|version| version.sha256).collect();
        if lost.is_empty() {
            return Ok(());
        }
        let mut enclosed = Enclosed::default();
        for version in &wanted {
            if let Some(bytes) = self.entry.enclosed.get(version) {
                self.lock.keep(&mut enclosed, version, &bytes)?;
            }
        }
        let editor = Editor(self.vault);
        for leftover in leftovers_of(self.vault, self.name.run)? {
            let found = editor.state_at(&leftover).map_err(engine_failure)?;
            let version = found.version();
            let Some(version) = version.filter(|version| lost.contains(&version.sha256)) else {
                continue;
            };
            let bytes = read_file(self.vault, &leftover, version.size)?;
            if Version::from_bytes(&bytes) == version {
                self.lock.keep(&mut enclosed, &version, &bytes)?;
                lost.remove(&version.sha256);
            }
        }
        self.entry.enclosed = enclosed;
        self.write_durably()
    }

    /// Closes a run of the embedded engine, or rolls it back.
    fn settle(&mut self) -> Result<Outcome, Failure> {
        self.restore_contents()?;
        self.rescue()?;
        self.lock
            .follow_saved_files(self.vault, &mut self.entry, true);
        let found = self.found();
        let places = || self.entry.files.iter().zip(&found);
        let changed_files = || places().filter(|(file, _)| file.is_changed());
        if changed_files().all(|(_, (_, place))| *place == RecoveryPlace::Before) {
            self.saved.clear();
            self.lock.drop_entry(self.name)?;
            return Ok(Outcome::NothingHappened);
        }
        // If no path is in its state from before the run, the run was complete and another program
        // has edited the files since. A rollback would destroy these edits.
        let is_done = changed_files()
            .all(|(_, (_, place))| matches!(place, RecoveryPlace::After | RecoveryPlace::Foreign));
        // A save that the run displaced gets its place back, as if the run had not been interrupted.
        let has_displaced = changed_files().any(|(file, (_, place))| {
            *place == RecoveryPlace::After && self.saved.contains(&file.path)
        });
        if is_done
            && !has_displaced
            && changed_files().any(|(_, (_, place))| *place == RecoveryPlace::After)
        {
            self.end()?;
            return Ok(Outcome::Finished);
        }
        self.lock
            .follow_saved_files(self.vault, &mut self.entry, false);
        let found = self.found();
        let places = || self.entry.files.iter().zip(&found);
        let ours = places().filter(|(_, (_, place))| {
            matches!(place, RecoveryPlace::After | RecoveryPlace::Between)
        });
        let ours: Vec<Back<'_>> = ours
            .map(|(file, (now, _))| Back { file, now: *now })
            .collect();
        let left_alone = places().filter(|(_, (_, place))| *place == RecoveryPlace::Foreign);
        let left_alone: Vec<VaultPath> = left_alone.map(|(file, _)| file.path.clone()).collect();
        let folder = &self.lock.journal.folder;
        let restoration = restore::plan(folder, &self.entry.enclosed, self.vault, &ours)?;
        self.announce_taking_back(&restoration)?;
        restoration
            .apply(self.vault, &second_name(self.name.run))
            .map_err(engine_failure)?;
        self.saved.retain(|path| left_alone.contains(path));
        if left_alone.is_empty() {
            self.lock.drop_entry(self.name)?;
        } else {
            // The old content is kept, but undo must not overwrite what another program wrote.
            for (file, (_, place)) in self.entry.files.iter_mut().zip(&found) {
                if *place != RecoveryPlace::Foreign {
                    file.after = Some(file.before);
                }
            }
            self.entry.interrupted = true;
            self.end()?;
        }
        Ok(Outcome::PutBack { left_alone })
    }

    /// Returns the present state of each path.
    fn found(&self) -> Vec<(State, RecoveryPlace)> {
        let found = self.entry.files.iter().map(|file| {
            let found = Editor(self.vault).state_at(&file.path);
            let is_after = |state| {
                file.after
                    .is_some_and(|after| is_same_content(state, &after))
            };
            let place = match &found {
                Ok(state) if is_same_content(state, &file.before) => RecoveryPlace::Before,
                Ok(state) if file.leads_to(state) && is_after(state) => RecoveryPlace::After,
                Ok(state) if file.leads_to(state) => RecoveryPlace::Between,
                // A symlink or special file was created by another program.
                _ => RecoveryPlace::Foreign,
            };
            (found.unwrap_or(State::Absent), place)
        });
        found.collect()
    }

    /// Removes temporary files of the run, and of an earlier rollback that was killed.
    fn rescue(&mut self) -> Result<(), Failure> {
        let replaced = self.entry.files.iter().filter_map(|file| {
            let change = file.replaced_by?;
            let path = file.path.clone();
            Some(ReplacedPath { path, change })
        });
        let replaced: Vec<ReplacedPath> = replaced.collect();
        self.rescue_from(&self.name.run.to_string(), &replaced)?;
        let taken_back = self.entry.taking_back.clone();
        self.rescue_from(&second_name(self.name.run), &taken_back)
    }

    /// If another program saved a note while the run replaced it, that version has been under a
    /// temporary name since. It becomes the version to restore.
    fn rescue_from(&mut self, run: &str, replaced: &[ReplacedPath]) -> Result<(), Failure> {
        let is_first = run == self.name.run.to_string();
        let editor = Editor(self.vault);
        let kept = editor
            .remove_leftovers(run, &recorded_states(&self.entry))
            .map_err(engine_failure)?;
        let mut is_rescued = false;
        for leftover in &kept {
            let found = editor.state_at(leftover).map_err(engine_failure)?;
            let place = replaced.iter().find(|replaced| {
                replaced.path.parent() == leftover.parent()
                    && leftover.name() == format!(".vault-gw-{run}-{}.tmp", replaced.change)
            });
            let mut files = self.entry.files.iter_mut();
            let file = files.find(|file| place.is_some_and(|place| place.path == file.path));
            // A file with the content from before the run was not replaced, so it stays.
            let file = file.filter(|file| {
                let now = editor.state_at(&file.path).unwrap_or(State::Absent);
                !(is_first && now.version().is_some() && is_same_content(&now, &file.before))
            });
            if let (Some(version), Some(file)) = (found.version(), file) {
                let bytes = read_file(self.vault, leftover, version.size)?;
                self.lock.keep(&mut self.entry.enclosed, &version, &bytes)?;
                // The rollback may have restored the former `before` already, so that is a state in
                // between now.
                file.between.push(Passing(file.before));
                file.before = found;
                self.saved.push(file.path.clone());
                is_rescued = true;
            }
        }
        let mut left = kept;
        if is_rescued {
            self.write_durably()?;
            left = editor
                .remove_leftovers(run, &recorded_states(&self.entry))
                .map_err(engine_failure)?;
        }
        self.leftovers.append(&mut left);
        Ok(())
    }

    /// Write-ahead for the rollback itself: records which files it will replace, and the text that a file moved back has
    /// until then, so that a killed rollback can be recovered too.
    fn announce_taking_back(&mut self, restoration: &Restoration) -> Result<(), Failure> {
        for step in &restoration.changes {
            let mut files = self.entry.files.iter_mut();
            if let Change::Move { to, version, .. } = step
                && let Some(file) = files.find(|file| file.path == *to)
                && !file.leads_to(&file_of(*version))
            {
                file.between.push(Passing(file_of(*version)));
            }
        }
        let changes = restoration.changes.iter().enumerate();
        self.entry.taking_back = changes
            .filter_map(|(change, step)| match step {
                Change::Modify { path, .. } => Some(ReplacedPath {
                    path: path.clone(),
                    change,
                }),
                _ => None,
            })
            .collect();
        self.write_durably()
    }

    fn write_durably(&self) -> Result<(), Failure> {
        self.lock.write_entry(self.name, &self.entry)?;
        Ok(self.lock.journal.place_of(self.name).sync_names()?)
    }

    /// Closes the run.
    fn end(&mut self) -> Result<(), Failure> {
        self.entry.finished_at = Some(self.now.to_string());
        self.lock.end_entry(self.name, &self.entry)
    }
}

/// The state of a path, compared with the run's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecoveryPlace {
    Before,
    Between,
    After,
    Foreign,
}

/// Whether the effects of the run are unknown: the app made it, or it had no plan.
fn is_open_ended(entry: &JournalEntry) -> bool {
    entry.backend != BackendName::Embedded || entry.files.iter().any(|file| file.after.is_none())
}

/// Returns the name of the rollback of a run, so that the temporary files of both can be
/// distinguished.
fn second_name(run: Uuid) -> String {
    format!("{run}-back")
}

/// Returns the temporary files of a run and of its rollback in the vault.
fn leftovers_of(vault: &Vault, run: Uuid) -> Result<Vec<VaultPath>, Failure> {
    let mut leftovers = Vec::new();
    for run in [run.to_string(), second_name(run)] {
        leftovers.extend(Editor(vault).leftovers(&run).map_err(engine_failure)?);
    }
    Ok(leftovers)
}

/// Returns the paths for a message, at most ten.
fn quoted(paths: &[String]) -> String {
    const NAMED: usize = 10;
    first_of(
        paths.iter().take(NAMED).map(|path| format!("`{path}`")),
        paths.len(),
    )
}

/// Returns the states that the temporary files of a run and of its rollback may have.
fn recorded_states(entry: &JournalEntry) -> Vec<Touched> {
    let mut recorded = Vec::new();
    for file in &entry.files {
        let passing = file.between.iter().map(|passing| passing.0);
        recorded.extend(passing.chain([file.before]).map(|before| Touched {
            path: file.path.clone(),
            before,
            after: file.after.unwrap_or(before),
        }));
    }
    recorded
}

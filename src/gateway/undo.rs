//! `undo` takes a change back and `redo` does it again, under the same rules as any other change
//! (`design.md` §10).

use cli_output::shown;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::{State, VaultPath, is_changed_by_commands};

use super::envelope_builder::EnvelopeBuilder;
use super::patience::{Patience, is_being_written};
use super::request::{Params, Request};
use super::{Answered, Caller, Control, FileChange, Gateway, Happening};
use crate::allowlist::{BackendName, Catalogue, Effect, EffectSet, RawValue};
use crate::backend::obsidian::deadline::Deadline;
use crate::backend::{Facts, Payload, PinnedVault, Produced, engine_failure};
use crate::code::Code;
use crate::digest::hexadecimal;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::records::journal::{
    Direction, Journal, JournalEntry, NewEntry, PlannedRun, Reversible, RunEnd, RunOrigin,
    RunPrefix, TouchedPath, Undoing, VaultLock,
};
use crate::settings::Paths;
use crate::tiers::Switch;

/// The name of the command in envelopes and in the journal.
pub const UNDO: &str = "undo";
/// The same for a redo.
const REDO: &str = "redo";
/// Their only parameter: the id of the run, or the beginning of it.
const RUN: &str = "run";
/// `details.reason` where closed files stand in the way.
pub(crate) const OTHER_FILES: &str = "other-files";

impl Direction {
    /// The direction in which the command goes, if it goes in one.
    pub(super) fn of(command: &str) -> Option<Self> {
        match command {
            UNDO => Some(Self::Undo),
            REDO => Some(Self::Redo),
            _ => None,
        }
    }

    const fn command(self) -> &'static str {
        match self {
            Self::Undo => UNDO,
            Self::Redo => REDO,
        }
    }
}

impl Gateway {
    /// Opens the journal of the pinned vault.
    ///
    /// # Errors
    ///
    /// Fails if the vault cannot be opened, or the state folder is unknown or unsafe.
    pub fn journal(&self) -> Result<Journal, Failure> {
        self.journal_of(&self.open_vault()?)
    }

    /// Undoes `run`, or the change that came last. A dry run reports what would be restored.
    pub fn undo(&self, run: Option<&RunPrefix>, dry_run: bool) -> Answered {
        self.reverse_under(Direction::Undo, run, dry_run, &Control::default())
    }

    /// Does `run` again, or what was undone last.
    pub fn redo(&self, run: Option<&RunPrefix>, dry_run: bool) -> Answered {
        self.reverse_under(Direction::Redo, run, dry_run, &Control::default())
    }

    /// Like [`Self::undo`] and [`Self::redo`]; `control` can cancel it until the first file is written.
    pub fn reverse_under(
        &self,
        direction: Direction,
        run: Option<&RunPrefix>,
        dry_run: bool,
        control: &Control,
    ) -> Answered {
        let run = run.map(|run| (RUN.to_owned(), RawValue::Text(run.to_string())));
        let request = Request {
            dry_run,
            params: Params(run.into_iter().collect()),
            ..Request::new(direction.command())
        };
        self.answer_under(&request, control)
    }

    /// Answers the requests `undo` and `redo`. A person undoes any run. Any other caller undoes only its
    /// own: its newest one, or the one whose id it has from the answer (`design.md` §13).
    pub(super) fn reversal_requested(
        &self,
        direction: Direction,
        request: &Request,
        control: &Control,
        deadline: Deadline,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let run = run_of(request)?;
        let named = run
            .iter()
            .map(|run| (RUN.to_owned(), json!(run.to_string())));
        trace.asked(named.collect());
        trace.undoes();
        // What an undo would do, a person may always see.
        if !(request.dry_run && self.is_person()) {
            self.mutations_are_on()?;
        }
        let vault = self.pinned_vault(request)?;
        trace.answers(&vault, self.instead_of_set(&vault));
        let zoned = (self.clock)();
        let now = zoned.timestamp();
        // Like every change: the lock comes before the plan, because a run that ends in between would
        // become the newest one, or change the files to restore.
        let lock = self.lock(&vault, deadline, &control.cancel, &zoned, trace)?;
        let mut warnings = Vec::new();
        let owner = (!self.is_person()).then(|| self.origin().owner);
        let run = lock.reversible(direction, run.as_ref(), owner.as_ref())?;
        self.check_paths(&run)?;
        let undoing = lock.undo(&vault.engine, run)?;
        trace.subject.undoes = Some(undoing.run.undoes());
        if !request.dry_run {
            control.cancel.check()?;
            let run_id = trace.run_id();
            let changes = changes(&undoing);
            // Write-ahead: the intent is in the audit log before the first file is written.
            self.record_intent(request, trace, &changes)?;
            trace.changed(changes);
            let origin = RunOrigin {
                loses_content: removes_files(&undoing.run.entry),
                ..self.origin()
            };
            // An editor may have the file open for writing. `restore` then leaves the file alone and
            // fails, so a retry is safe.
            let patience = Patience::within(deadline);
            let put_back = loop {
                match put_back(&lock, &vault, run_id, &undoing, origin.clone(), now) {
                    Err(failure) if is_being_written(&failure) && patience.is_left() => {
                        patience.pause(&control.cancel)?;
                    }
                    result => break result?,
                }
            };
            trace.has_undone(undoing.run.direction());
            warnings.extend(put_back);
        }
        Ok(report(&undoing, request.dry_run, warnings))
    }

    /// Whether a person calls for themselves, and not under the policy of an agent.
    pub(crate) fn is_person(&self) -> bool {
        self.options.caller == Caller::Person && self.options.agent.is_none()
    }

    /// The refusal of an undo that depends on closed files. A person is told which of their own
    /// settings close them; nobody else learns more than that it is refused (`faults.md` D13).
    fn other_files(&self, told_to_agents: &str, told_to_people: &str) -> Failure {
        let paths = &self.settings.paths;
        let standard = Paths::default();
        let keys: Vec<String> = [
            ("paths.read", paths.read != standard.read),
            ("paths.deny", paths.deny != standard.deny),
        ]
        .into_iter()
        .filter(|(_, is_set)| *is_set)
        .map(|(key, _)| format!("`vault-gw settings unset {key}`"))
        .collect();
        let message = if self.is_person() && !keys.is_empty() {
            format!(
                "{told_to_people} Nothing was changed. Run {}, undo, and set {} again.",
                keys.join(" and "),
                if keys.len() == 1 { "it" } else { "them" }
            )
        } else {
            told_to_agents.to_owned()
        };
        Failure::new(Code::PathDenied, message).with("reason", OTHER_FILES)
    }

    fn mutations_are_on(&self) -> Result<(), Failure> {
        if self.policy.allows(Switch::Mutations) {
            return Ok(());
        }
        Err(Failure::new(
            Code::MutationDisabled,
            "Undo and redo change the vault, and changes are turned off.",
        )
        .with("tier", self.policy.tier().name())
        .with("needs", json!([Switch::Mutations.key()]))
        .with("effects", json!([Effect::Write])))
    }

    /// Requires that every touched path is open for writing now, whoever changed it then. The
    /// failure names no path that the caller may not read (`faults.md` D13).
    ///
    /// A caller under path rules cannot undo any move. Links in closed notes may have followed it,
    /// and an answer that depends on that would reveal these notes.
    fn check_paths(&self, run: &Reversible) -> Result<(), Failure> {
        let entry = &run.entry;
        // What is not known any more may have been a move.
        let moves = run.command.as_ref().is_none_or(|command| {
            Catalogue::find_builtin(command).is_ok_and(|command| command.moves_a_file())
        });
        if !self.policy.reads_everything() && moves {
            return Err(self.other_files(
                "Under path rules only the owner of the vault can undo a move, because it may have changed links in notes that are not open to you. Nothing was changed. You can move the file back.",
                "Path rules hide notes that this move may have changed.",
            ));
        }
        let effects = EffectSet::from_iter([Effect::Write]);
        let mut unplanned = entry.unplanned.iter();
        let is_closed = |path: &VaultPath| !is_changed_by_commands(path) && !self.may_know(path);
        let mut files = entry.files.iter();
        let closed = files.any(|file| {
            let is_folder = file.before == State::Folder || file.after == Some(State::Folder);
            is_closed(&file.path) && !(is_folder && self.policy.may_fill(&file.path))
        });
        if closed || unplanned.any(is_closed) {
            return Err(self.other_files(
                "The run also changed files that are not open to you. Nothing was changed; the owner of the vault can undo it.",
                "Path rules hide files that this run changed too.",
            ));
        }
        for file in &entry.files {
            let is_folder = file.before == State::Folder || file.after == Some(State::Folder);
            let is_open = is_changed_by_commands(&file.path)
                || (is_folder && self.policy.may_fill(&file.path));
            if !is_open {
                self.policy.check(&file.path, effects)?;
            }
        }
        Ok(())
    }

    /// Whether the caller may learn that the file exists.
    fn may_know(&self, path: &VaultPath) -> bool {
        self.policy.reads_everything() || self.policy.may_read(path)
    }
}

/// The run that the request names.
fn run_of(request: &Request) -> Result<Option<RunPrefix>, Failure> {
    let wrong = |message: String| Failure::new(Code::UsageError, message);
    if request.if_hash.is_some() || request.approval.is_some() {
        return Err(wrong(format!(
            "`{}` takes no `ifHash` and no `approval`. Leave them out.",
            request.command
        )));
    }
    let mut run = None;
    for (name, value) in &request.params.0 {
        match (name.as_str(), value) {
            (RUN, RawValue::Text(text)) => {
                let prefix: RunPrefix = text
                    .parse()
                    .map_err(|error| wrong(format!("`{RUN}`: {error}.")))?;
                run = Some(prefix);
            }
            (RUN, _) => return Err(wrong(format!("`{RUN}` is a text: the id of a run."))),
            _ => return Err(wrong(format!("`{}` takes only `{RUN}`.", request.command))),
        }
    }
    Ok(run)
}

/// Whether undoing the run removes a file that the run created.
fn removes_files(entry: &JournalEntry) -> bool {
    entry.files.iter().any(|file| {
        file.before == State::Absent && file.moved_from.is_none() && file.change() == "created"
    })
}

/// Restores the files under a journal entry of its own, so that the undo can be undone and a killed
/// undo can be recovered.
fn put_back(
    lock: &VaultLock,
    vault: &PinnedVault,
    run_id: Uuid,
    undoing: &Undoing,
    origin: RunOrigin,
    now: jiff::Timestamp,
) -> Result<Vec<Issue>, Failure> {
    let run = &undoing.run;
    let open = lock.begin(
        &vault.engine,
        NewEntry {
            run_id,
            command: run.direction().command(),
            params: Map::from_iter([("runId".to_owned(), json!(run.entry.change()))]),
            backend: BackendName::Embedded,
            now,
            undoes: Some(run.undoes()),
            redoes: run.redoes(),
            origin,
            planned: PlannedRun::Changes(&undoing.restoration.changes),
        },
    )?;
    let restored = undoing
        .restoration
        .apply(&vault.engine, &run_id.to_string());
    let mut warnings = match restored {
        Ok(warnings) => warnings,
        // The entry stays open: the next call rolls back from it.
        Err(error @ vault_engine::EngineError::HalfDone { .. }) => {
            return Err(engine_failure(error));
        }
        Err(error) => {
            open.abandon()?;
            return Err(engine_failure(error));
        }
    };
    if let Err(failure) = open.finish(&vault.engine, now, RunEnd::AS_ASKED) {
        // The files are restored. The next call's recovery closes the entry.
        warnings.push(Issue::new("JOURNAL_NOT_CLOSED", failure.message));
    }
    Ok(warnings)
}

/// The changes that the undo makes, file by file.
fn changes(undoing: &Undoing) -> Vec<FileChange> {
    let hash = |state: &State| state.version().map(|version| hexadecimal(&version.sha256));
    let folders = undoing.folders_made_again().map(|path| FileChange {
        path: path.to_string(),
        change: Happening::FolderMade,
        from: None,
        before_sha256: None,
        sha256: None,
        diff: None,
    });
    let files = undoing
        .run
        .entry
        .files
        .iter()
        .filter(|file| file.is_changed());
    folders
        .chain(files.map(|file| FileChange {
            path: file.path.to_string(),
            change: match file.change() {
                "created" => Happening::Removed,
                "folder-created" => Happening::FolderRemoved,
                "removed" => Happening::Created,
                "folder-removed" => Happening::FolderMade,
                _ => Happening::Modified,
            },
            from: None,
            before_sha256: file.after.as_ref().and_then(hash),
            sha256: hash(&file.before),
            diff: None,
        }))
        .collect()
}

fn report(undoing: &Undoing, dry_run: bool, mut warnings: Vec<Issue>) -> Produced {
    let entry = &undoing.run.entry;
    let direction = undoing.run.direction();
    let folders = undoing
        .folders_made_again()
        .map(|path| (path, PathChange::Restored));
    let files = entry.files.iter().filter(|file| file.is_changed());
    let files: Vec<(&VaultPath, PathChange)> = folders
        .chain(files.map(|file| (&file.path, PathChange::of(file, direction))))
        .collect();
    let change = entry.change();
    let command = undoing.run.command.as_deref();
    let what = match (direction, dry_run) {
        (Direction::Undo, false) => "Undid",
        (Direction::Undo, true) => "Would undo",
        (Direction::Redo, false) => "Redid",
        (Direction::Redo, true) => "Would redo",
    };
    let mut text = match command {
        Some(command) => format!("{what} run {change} ({command})\n"),
        None => format!("{what} run {change}\n"),
    };
    for (path, change) in &files {
        let change = if dry_run {
            change.planned()
        } else {
            change.past()
        };
        text += &format!("  {change:<9} {}\n", shown::row(path.as_str()));
    }
    warnings.extend(entry.unplanned.iter().map(|path| {
        Issue::new(
            "NOT_PUT_BACK",
            format!("`{path}` changed in that run too, and what it held before is not known."),
        )
        .at(path.as_str())
    }));
    let mut data = Map::from_iter([
        (
            match direction {
                Direction::Undo => "undone",
                Direction::Redo => "redone",
            }
            .to_owned(),
            json!(change),
        ),
        ("command".to_owned(), json!(command)),
        (
            "files".to_owned(),
            files
                .iter()
                .map(|(path, change)| json!({ "path": path, "change": change.past() }))
                .collect::<Vec<Value>>()
                .into(),
        ),
    ]);
    if dry_run {
        data.insert("dryRun".to_owned(), json!(true));
    }
    Produced {
        outcome: Ok(Payload::Facts(Facts {
            data,
            is_partial: false,
        })),
        exact_text: Some(text.into_bytes()),
        warnings,
        ..Produced::default()
    }
}

/// What happens to a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathChange {
    Removed,
    Restored,
    /// It holds again what it held before the change.
    Reverted,
    /// It holds again what the change wrote.
    Changed,
}

impl PathChange {
    fn of(file: &TouchedPath, direction: Direction) -> Self {
        match (file.change(), direction) {
            ("created" | "folder-created", _) => Self::Removed,
            ("removed" | "folder-removed", _) => Self::Restored,
            (_, Direction::Undo) => Self::Reverted,
            (_, Direction::Redo) => Self::Changed,
        }
    }

    /// The word once it has happened, for people and programs.
    const fn past(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::Restored => "restored",
            Self::Reverted => "reverted",
            Self::Changed => "changed",
        }
    }

    /// The word before it happens, for people.
    const fn planned(self) -> &'static str {
        match self {
            Self::Removed => "remove",
            Self::Restored => "restore",
            Self::Reverted => "revert",
            Self::Changed => "change",
        }
    }
}

//! Puts the changes of a program in its working copy into the draft of its agent, or into the vault if the owner opened
//! that (`design/run.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, json};
use vault_answers::AnswerData;
use vault_engine::{Args, Change, Editor, EngineError, Overlay, Sight, Vault, VaultPath};

use super::Drafts;
use super::links::follow_moves;
use super::merged::{ClosedFiles, Standing};
use super::{OpenDraft, changed_overlay, conflicting_path, put_changes};
use crate::active;
use allowlist::{BackendName, Catalogue, Effect, EffectSet};
use backend::{PinnedVault, Produced, embedded, engine_failure};
use changes::{
    Control, EnvelopeBuilder, FileChange, Request,
    change::{files_of, make_recorded, without_kept},
    findings::findings,
};
use protocol::{Code, Deadline, Failure, Issue};
use store::drafts::{Base, Draft, origin_of};
use store::journal::{NewEntry, PlannedRun, Restoration, VaultLock};

/// The name in envelopes, in the journal and in the audit log.
pub(crate) const WRITE: &str = "run:write";

/// The change of a program to one file of its working copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file, with its path afterwards; for a removed file, its path before.
    pub path: VaultPath,
    /// The changes, planned on the vault as the agent sees it.
    pub changes: Vec<Change>,
    /// The content that the program started from, empty if that is unknown, if the vault has other content in the
    /// meantime and the two cannot be merged. The draft is then in conflict, and a person decides.
    pub started_from: Option<Vec<u8>>,
}

impl Drafts<'_> {
    /// Returns the vault as a program of this agent sees it.
    pub(crate) fn seen_vault(&self) -> Result<Vault, Failure> {
        let vault = self.with_draft(self.folder()?)?;
        let (vault, sight) = self.shown_to_program(vault)?;
        Ok(vault.limited_to(sight.as_ref())?.engine)
    }

    /// Returns the part of a vault that a program sees if its agent sees it through its draft: the vault without
    /// drafted changes with labelled text, and the limit of what is shown of it.
    fn shown_to_program(
        &self,
        vault: PinnedVault,
    ) -> Result<(PinnedVault, Option<Arc<dyn Sight>>), Failure> {
        let Some(view) = self
            .labels
            .view_of_caller(&vault)?
            .filter(|_| !self.caller.is_labelled())
        else {
            return Ok((vault, self.caller.sight.clone()));
        };
        let engine = vault.engine.clone().with_overlay(view.clean_overlay());
        let vault = PinnedVault { engine, ..vault };
        let view = self.labels.view_of_caller(&vault)?;
        let sight = view.map(|view| self.labels.sight_without_labelled(&view));
        Ok((vault, sight))
    }

    /// Returns the files and folders in the draft of this agent.
    ///
    /// # Errors
    ///
    /// If the vault or the draft cannot be read.
    pub fn drafted(&self) -> Result<Overlay, Failure> {
        let current = self.draft_at_hand(&self.folder()?, None)?;
        let overlay = current.map(|current| current.draft.overlay);
        Ok(overlay.unwrap_or_default())
    }

    /// When the draft of this agent changed, as a text.
    ///
    /// # Errors
    ///
    /// If the vault or the journal cannot be opened.
    pub fn draft_stamp(&self) -> Result<String, Failure> {
        let journal = self.records.journal_of(&self.vaults.open_safely()?)?;
        let stamp = journal.draft_stamp(self.caller.agent());
        Ok(format!("{stamp:?}"))
    }

    /// Returns the state of the draft of this agent and of the labels of the vault, as a text.
    ///
    /// # Errors
    ///
    /// If the vault or the journal cannot be opened.
    pub fn view_stamp(&self) -> Result<String, Failure> {
        let journal = self.records.journal_of(&self.vaults.open_safely()?)?;
        let draft = journal.draft_stamp(self.caller.agent());
        Ok(format!("{draft:?} {:?}", journal.labels_stamp()))
    }

    /// Carries out [`crate::Gateway::record_written`].
    pub(crate) fn record_written(
        &self,
        written: &[Written],
        (request, control, deadline): (&Request, &Control, Deadline),
        trace: &mut EnvelopeBuilder,
        refused: &mut Vec<(VaultPath, Failure)>,
    ) -> Result<Produced, Failure> {
        self.caller.admit()?;
        let paths: Vec<&str> = written.iter().map(|file| file.path.as_str()).collect();
        trace.record_question(
            Map::from_iter([("files".to_owned(), json!(paths))]),
            Effect::Write,
        );
        let folder = self.folder()?;
        trace.opened(&folder, self.vaults.instead_of_set(&folder));
        let now = self.caller.now();
        let lock = self
            .records
            .lock(&folder, deadline, &control.cancel, &now, trace)?;
        let (open, view) = self.open_draft(folder.clone(), None, (&lock, now.timestamp()))?;
        let OpenDraft {
            mut draft,
            standing,
            closed,
            ..
        } = open;
        let (seen, sight) = self.shown_to_program(view.clone())?;
        let seen = seen.limited_to(sight.as_ref())?;
        let mut drafted: Vec<Written> = Vec::new();
        let mut direct: Vec<Written> = Vec::new();
        let (mut known, mut created) = (BTreeMap::new(), BTreeSet::new());
        for file in written {
            let checked = refuse_unseen(file, &seen, &view).and_then(|()| {
                self.check_written(file, &seen)?;
                draft.check_undo(&file.changes, self.caller.settings.journal.max_file_bytes)?;
                refuse_other_case(file, &seen, &mut known, &mut created)?;
                // In a draft nothing is at the path of a file that the program does not see. A person sees that there
                // is, and decides.
                let is_direct = !replaces_unseen(file, &seen, &folder)
                    && self.is_written_directly(file, &draft, &seen)?;
                // Files in the trash count, though no agent sees them.
                let trash = if is_direct { &folder } else { &view };
                Ok((is_direct, to_the_trash(file, trash)?))
            });
            match checked {
                Err(failure) => refused.push((file.path.clone(), failure)),
                Ok((true, file)) => direct.push(file),
                Ok((false, file)) => drafted.push(file),
            }
        }
        if !drafted.is_empty() {
            // One run is recorded in one place. These come next.
            let later = direct.drain(..).map(|file| {
                let failure = changed_just_now(&file.path);
                (file.path, failure)
            });
            refused.extend(later);
        }
        let (changes, direct) = (in_order(&drafted), in_order(&direct));
        let mut named = Vec::new();
        if !changes.is_empty() {
            let ms = now.timestamp().as_millisecond();
            let unseen = ClosedFiles::new(&folder.engine, sight.as_ref());
            let at = (&view.engine, ms);
            let overlay = changed_overlay(&draft, &changes, at, (closed, &unseen))?;
            let at = (&folder.engine, now.timestamp());
            put_changes(&mut draft, overlay, (&changes, Vec::new()), at)?;
            keep_conflicts(&mut draft, &drafted, &standing);
            follow_moves(&mut draft, unseen.open()?).map_err(engine_failure)?;
            let findings = findings(&changes, &|_| true, &seen.engine)?;
            let files = files_of(&changes);
            self.records.record_intent(request, trace, &files)?;
            self.labels.label_run(&lock, &view, &changes, true)?;
            self.store_draft(&lock, &draft)?;
            trace.envelope.warnings.extend(active::warnings(&findings));
            trace.drafted(&draft, files.clone());
            named = files;
        }
        let mut produced = taken(written.len() - refused.len());
        if !direct.is_empty() {
            let under = (&lock, &folder, now.timestamp());
            let end = (request, control, deadline);
            let (files, warnings) = self.written_directly(&direct, under, end, trace)?;
            named.extend(files);
            trace.changed(named);
            produced.warnings = warnings;
        }
        Ok(produced)
    }

    /// Checks that the agent may write these paths, that new names are possible, and that the file is still what
    /// the changes were planned on.
    fn check_written(&self, file: &Written, seen: &PinnedVault) -> Result<(), Failure> {
        let write = EffectSet::from_iter([Effect::Write]);
        let mut engine = seen.engine.clone();
        for (number, change) in file.changes.iter().enumerate() {
            for path in change.paths().filter(|path| !path.is_hidden()) {
                match change {
                    Change::MakeFolder { .. } | Change::RemoveFolder { .. } => {
                        if !self.caller.policy.may_fill(path) || !self.caller.policy.may_list(path)
                        {
                            return Err(closed(path));
                        }
                    }
                    _ => self.caller.policy.check_path(path, write)?,
                }
            }
            let (is_there, needs) = match change {
                Change::Modify { path, before, .. } => {
                    let now = engine.read_bytes(path).map_err(engine_failure)?;
                    (now == *before, path)
                }
                Change::Move { from, version, .. }
                | Change::Remove {
                    path: from,
                    version,
                } => (
                    engine.sees(from)
                        && Editor(&engine)
                            .planned_version(from)
                            .is_ok_and(|now| now == *version),
                    from,
                ),
                Change::RemoveFolder { path } => (engine.is_there(path), path),
                Change::MakeFolder { path } | Change::Create { path, .. } => {
                    (!engine.is_there(path), path)
                }
            };
            if !is_there {
                return Err(changed_just_now(needs));
            }
            // A review shows lines of text, and rules for tags and properties cannot look into other bytes.
            if let Change::Create { path, after } | Change::Modify { path, after, .. } = change
                && path.is_note()
                && std::str::from_utf8(after).is_err()
            {
                return Err(engine_failure(EngineError::NotText { path: path.clone() }));
            }
            if let Some(path) = new_path(change) {
                Editor(&engine)
                    .check_new_path(path)
                    .map_err(engine_failure)?;
            }
            if number + 1 < file.changes.len() {
                engine = Editor(&engine).after(std::slice::from_ref(change));
            }
        }
        Ok(())
    }

    /// Whether the owner opened all paths of a change for changes in the vault itself, and it has no active content.
    fn is_written_directly(
        &self,
        file: &Written,
        draft: &Draft,
        seen: &PinnedVault,
    ) -> Result<bool, Failure> {
        if file.started_from.is_some()
            || !self.touches_only_direct(&file.changes)
            || !self.may_call(&file.changes)?
            || conflicting_path(draft, &file.changes).is_some()
        {
            return Ok(false);
        }
        let findings = findings(&file.changes, &|_| true, &seen.engine)?;
        Ok(self.caller.refuse_active_content(&findings).is_ok())
    }

    /// Whether the agent may call what makes these changes, without a question to a person.
    fn may_call(&self, changes: &[Change]) -> Result<bool, Failure> {
        for change in changes {
            let command = Catalogue::find_builtin(match change {
                Change::Create { .. } | Change::Modify { .. } => "create",
                Change::Move { .. } => "move",
                Change::Remove { .. } | Change::RemoveFolder { .. } => "delete",
                // It is made for what is put there.
                Change::MakeFolder { .. } => continue,
            })?;
            let wanted = command.effects.intersection(self.caller.policy.approve());
            if !self.caller.policy.opens(&command) || !wanted.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes changes in the vault, as one recorded run.
    fn written_directly(
        &self,
        changes: &[Change],
        (lock, vault, now): (&VaultLock, &PinnedVault, jiff::Timestamp),
        (request, control, deadline): (&Request, &Control, Deadline),
        trace: &mut EnvelopeBuilder,
    ) -> Result<(Vec<FileChange>, Vec<Issue>), Failure> {
        let files = files_of(changes);
        self.records.record_intent(request, trace, &files)?;
        let names: Vec<String> = files.iter().map(FileChange::line).collect();
        let entry = NewEntry {
            run_id: trace.envelope.run_id,
            command: WRITE,
            params: Map::from_iter([("files".to_owned(), json!(names))]),
            backend: BackendName::Embedded,
            now,
            undoes: None,
            redoes: None,
            origin: self.records.origin(),
            planned: PlannedRun::Changes(changes),
        };
        self.labels.label_run(lock, vault, changes, false)?;
        let restoration = Restoration::new(changes.to_vec());
        let vault = vault.clone().to_the_end();
        let end = (deadline, &control.cancel);
        let warnings = make_recorded(lock, &vault, &entry, &restoration, end)?;
        Ok((without_kept(files, &warnings), warnings))
    }
}

/// Keeps the content that the program started from if the vault changed at the same place, so that the draft is in
/// conflict until a person decides.
fn keep_conflicts(draft: &mut Draft, drafted: &[Written], standing: &Standing) {
    for file in drafted {
        let Some(started_from) = &file.started_from else {
            continue;
        };
        if standing.is_conflict(&file.path) {
            continue;
        }
        let planned = draft.overlay.files.get(&file.path);
        if let Some(from) = planned.and_then(|planned| origin_of(&file.path, planned).cloned()) {
            draft
                .bases
                .insert(from, Base::from_bytes(started_from.clone(), None));
        }
    }
}

/// Returns the path of the new file or folder of a change; `None` if the change creates none.
fn new_path(change: &Change) -> Option<&VaultPath> {
    match change {
        Change::MakeFolder { path } | Change::Create { path, .. } => Some(path),
        Change::Move { to, .. } if !to.is_hidden() => Some(to),
        _ => None,
    }
}

/// Whether something new has the path of a file that the program does not see.
fn replaces_unseen(file: &Written, seen: &PinnedVault, vault: &PinnedVault) -> bool {
    let mut new = file.changes.iter().filter_map(new_path);
    new.any(|path| vault.engine.is_there(path) && !seen.engine.is_there(path))
}

/// Refuses to change a file of the draft that the program does not see: it would be lost.
fn refuse_unseen(file: &Written, seen: &PinnedVault, view: &PinnedVault) -> Result<(), Failure> {
    for path in file.changes.iter().flat_map(Change::paths) {
        if !changes::change::is_in_draft(&view.engine, path) {
            continue;
        }
        if !changes::change::is_in_draft(&seen.engine, path) {
            return Err(Code::DraftConflict.failure(format!(
                "The draft already has a change to `{path}` that contains outside text, so the program \
                could not see that change. Accept or reject the change, then run the program again."
            )));
        }
        if view.engine.is_there(path) && !seen.engine.sees(path) {
            return Err(closed(path));
        }
    }
    Ok(())
}

/// Refuses a new file whose name differs only in case from another one that the program sees: many disks cannot store both.
/// `names` are the paths in folders, `created` the new paths in lower case.
fn refuse_other_case(
    file: &Written,
    seen: &PinnedVault,
    names: &mut BTreeMap<VaultPath, BTreeMap<String, Vec<VaultPath>>>,
    created: &mut BTreeSet<String>,
) -> Result<(), Failure> {
    for change in &file.changes {
        let Change::Create { path, .. } = change else {
            continue;
        };
        let folder = path.parent();
        if !names.contains_key(&folder) {
            let paths = Editor(&seen.engine).paths_in_any_case(&folder);
            names.insert(folder.clone(), paths.map_err(engine_failure)?);
        }
        let name = path.name().to_lowercase();
        let same = names.get(&folder).and_then(|names| names.get(&name));
        let is_other = |other: &VaultPath| other != path && seen.engine.is_there(other);
        if same.into_iter().flatten().any(is_other) || !created.insert(path.as_str().to_lowercase())
        {
            return Err(Code::FileExists.failure(format!(
                "The names of `{path}` and another file differ only in letter case. Rename one of \
                the files."
            )));
        }
    }
    Ok(())
}

/// Returns all changes of these files, with each folder made only once.
fn in_order(files: &[Written]) -> Vec<Change> {
    let mut made = BTreeSet::new();
    let changes = files.iter().flat_map(|file| file.changes.iter().cloned());
    let changes = changes.filter(|change| match change {
        Change::MakeFolder { path } => made.insert(path.clone()),
        _ => true,
    });
    changes.collect()
}

fn changed_just_now(path: &VaultPath) -> Failure {
    Code::PreconditionFailed.failure(format!("Another program has just changed `{path}`."))
}

/// Plans the removal of a file as `delete` does, so that it goes to the same trash.
fn to_the_trash(file: &Written, vault: &PinnedVault) -> Result<Written, Failure> {
    let mut file = file.clone();
    if let [Change::Remove { path, .. }] = file.changes.as_slice() {
        let arguments = Args::default().with("path", path);
        file.changes = embedded::plan(vault, "delete", &arguments).map_err(engine_failure)?;
    }
    Ok(file)
}

fn closed(path: &VaultPath) -> Failure {
    Code::PathDenied.failure(format!("This agent may not access `{path}`."))
}

/// Returns the answer: how many files were taken over.
fn taken(files: usize) -> Produced {
    Produced::with_text(TakenOver { taken: files }, "")
}

/// Number of files that were taken over into a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct TakenOver {
    taken: usize,
}

impl AnswerData for TakenOver {}

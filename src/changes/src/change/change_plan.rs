//! The changes that a call would make, computed before anything is changed.

use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;
use vault_answers::Answer;
use vault_engine::{Change, Edit, Editor, EngineError, IndexedVault, State, Vault, VaultPath};

use super::planned::{Planned, files};
use super::step_bonds::StepBonds;
use super::unseen::Unseen;
use super::{hard_links, other_users};
use crate::choice::Backend;
use crate::error::Error;
use crate::findings::Finding;
use allowlist::{Call, Effect, EffectSet, Placement, Target, Verification};
use backend::{Limits, PinnedVault, ResolvedCall, embedded, engine_failure, engine_issue};
use protocol::{Failure, Issue};
use tiers::{Policy, placed_file};

/// The plan of a call, and the edit from which it was computed.
pub struct ChangePlan {
    /// The plan, as it is shown.
    pub planned: Planned,
    /// The engine's edit, `None` if only the app knows what the command does.
    pub edit: Option<Edit>,
    /// Changes in files that the caller may not know. They are in the journal and the audit log,
    /// but not in the plan for the caller.
    pub unseen: Unseen,
    /// Warnings about files with several hard links: a change affects all names, or separates them.
    pub hard_links: Vec<Issue>,
    /// The active content that the change of an agent leaves (`design/active-content.md`).
    pub findings: Vec<Finding>,
}

/// A plan, or the refusal that the app would print, in the app's words.
pub enum PlanOutcome {
    /// The plan of the change.
    Planned(Box<ChangePlan>),
    /// The app would refuse the call with this error.
    Refused(EngineError),
}

impl From<ChangePlan> for PlanOutcome {
    fn from(plan: ChangePlan) -> Self {
        Self::Planned(Box::new(plan))
    }
}

/// Returns warnings about the files of these changes that have other names, and about those that a program of another
/// user may be writing: the app itself writes into such a file.
fn other_writers(changes: &[Change], vault: &PinnedVault, official: bool) -> Vec<Issue> {
    let rewritten = changes.iter().filter_map(hard_links::rewritten);
    let mut warnings = hard_links::among(vault.root(), rewritten);
    if !official {
        warnings.extend(other_users::among(vault.root(), changes));
    }
    warnings
}

/// Whether the call also changes the types of properties among the app's settings. They apply to every note of the vault,
/// so they stay as they are for a caller whose path rules close any (`design/path-rules.md`).
pub fn keeps_property_types(call: &Call) -> bool {
    call.command.verification() == Some(Verification::PlannedProperties)
}

/// Refuses to change a note that is not UTF-8 (`vault-semantics.md` §2.1): the app would replace the
/// bytes that it cannot decode, and added text would be in another encoding than the rest.
///
/// Allowed are an overwrite of the whole file, and links that the engine updates after a move or the renaming of a
/// heading: neither damages other bytes.
fn refuse_damage(edit: &Edit, call: &Call, official: bool) -> Result<(), Failure> {
    if call.acts_on() == Target::NewFile || !official && edit.takes_links_along() {
        return Ok(());
    }
    let damaged = edit.changes.iter().find_map(|change| match change {
        Change::Modify { path, before, .. } if std::str::from_utf8(before).is_err() => Some(path),
        _ => None,
    });
    match damaged {
        Some(path) => Err(engine_failure(EngineError::NotText { path: path.clone() })),
        None => Ok(()),
    }
}

impl ChangePlan {
    /// Computes the changes of the call without making them. The plan is made from the second
    /// vault, which contains only what the caller may know.
    ///
    /// The official program is called even without a plan, unless a note would be damaged: the program decides itself.
    ///
    /// A dry run shows no closed files, so their links are not computed either.
    ///
    /// # Errors
    ///
    /// The failure of the engine's plan; for a call of the official program only if a note would be damaged.
    pub fn work_out(
        resolved: &ResolvedCall,
        [vault, seen]: [&PinnedVault; 2],
        (backend, policy): (&Backend, &Policy),
        limits: &Limits,
        only_planned: bool,
    ) -> Result<PlanOutcome, Failure> {
        if !resolved.call.effects().is_mutation() {
            return Ok(Self::without_changes(resolved, vault).into());
        }
        let command = &resolved.call.command.id;
        let official = matches!(backend, Backend::Obsidian(_));
        if vault_engine::plans(command) {
            match embedded::edit(resolved, seen) {
                Ok(mut edit) => {
                    refuse_damage(&edit, &resolved.call, official)?;
                    if keeps_property_types(&resolved.call) && !policy.is_unrestricted() {
                        edit.changes
                            .retain(|change| !change.paths().any(VaultPath::is_hidden));
                    }
                    let planned = Planned::from_edit(&edit, &resolved.call, seen);
                    let hard_links = other_writers(&edit.changes, vault, official);
                    let unseen = if only_planned {
                        Unseen::default()
                    } else {
                        Unseen::added_to(&mut edit, [vault, seen], limits)
                    };
                    return Ok(PlanOutcome::from(Self {
                        hard_links,
                        unseen,
                        edit: Some(edit),
                        ..Self::without_edit(planned)
                    }));
                }
                // A dry run does not ask the app, so the engine's refusal is the answer.
                Err(error @ EngineError::Refused(_)) if only_planned => {
                    return Err(engine_failure(error));
                }
                Err(error @ EngineError::Refused(_)) if !official => {
                    return Ok(PlanOutcome::Refused(error));
                }
                Err(EngineError::Refused(_)) => {}
                Err(error) => return Err(engine_failure(error)),
            }
        }
        let bytes = resolved
            .note
            .as_ref()
            .and_then(|note| seen.engine.read_bytes(note).ok());
        let note = resolved.note.as_ref().map(|note| (note, bytes.as_deref()));
        let planned = Planned::unknown(note, &resolved.call, vault.root());
        Ok(PlanOutcome::from(Self {
            hard_links: hard_links::among(vault.root(), resolved.note.iter()),
            ..Self::without_edit(planned)
        }))
    }

    /// Several plans as one, each made on the result of the earlier ones.
    ///
    /// # Errors
    ///
    /// If the steps cannot be joined.
    pub fn joined(
        plans: &[&Self],
        answer: Answer,
        call: &Call,
        [vault, seen]: [&PinnedVault; 2],
    ) -> Result<Self, Failure> {
        let mut edit = Edit::new(answer, Vec::new(), Vec::new());
        let mut shown: Vec<Vec<Change>> = Vec::new();
        let mut unseen = Unseen::default();
        let mut bonds = StepBonds::default();
        for plan in plans {
            let Some(step) = &plan.edit else { continue };
            bonds.add(&step.changes, step.bonds.clone());
            let is_shown = |change: &&Change| !matches!(change, Change::Modify { path, .. } if plan.unseen.holds(path));
            shown.push(step.changes.iter().filter(is_shown).cloned().collect());
            edit.is_overwrite |= step.is_overwrite;
            for warning in &step.warnings {
                if !edit.warnings.contains(warning) {
                    edit.warnings.push(warning.clone());
                }
            }
            unseen.add(&plan.unseen);
        }
        let shown = shown.iter().map(Vec::as_slice);
        edit.changes = vault_engine::joined(shown).map_err(engine_failure)?;
        let planned = Planned::from_edit(&edit, call, seen);
        let all = plans.iter().map(|plan| plan.changes());
        edit.changes = vault_engine::joined(all).map_err(engine_failure)?;
        edit.bonds = bonds.with_moved_lines(&edit.changes, &seen.engine);
        unseen.describe(&edit.changes);
        Ok(Self {
            hard_links: other_writers(&edit.changes, vault, false),
            edit: Some(edit),
            unseen,
            ..Self::without_edit(planned)
        })
    }

    /// Returns the effects of the call with this plan. A change that replaces the whole text of a note counts as an
    /// overwrite, with any command (`design/tasks.md`), and a change that leaves active content has that effect too.
    pub fn effects(&self, call: &Call) -> EffectSet {
        let overwrites = self.edit.as_ref().is_some_and(|edit| edit.is_overwrite);
        let destroys = overwrites.then_some(Effect::Destroy);
        let acts = (!self.findings.is_empty()).then_some(Effect::Active);
        call.effects().iter().chain(destroys).chain(acts).collect()
    }

    /// Refuses an edit of text that the caller has not proved to know, unless the request has the
    /// hash of the note, which was compared before (`threats.toml` F16).
    ///
    /// # Errors
    ///
    /// A failure that names the text which was not read.
    pub fn refuse_unread(&self, has_hash: bool) -> Result<(), Failure> {
        let unread = self.edit.as_ref().and_then(|edit| edit.unread.clone());
        match unread.filter(|_| !has_hash) {
            Some(miss) => Err(engine_failure(EngineError::EditMiss(miss))),
            None => Ok(()),
        }
    }

    /// Leaves the links in closed notes unchanged. Returns whether there were any. For a change
    /// that would fail because of them: the failure would reveal these notes (`threats.toml` D13).
    pub fn leave_unseen(&mut self) -> bool {
        self.unseen.leave(self.edit.as_mut())
    }

    /// The bytes that the plan keeps in memory, without the bytes of closed notes, which the size limit must not reveal
    /// (`threats.toml` D13).
    pub fn bytes_seen(&self) -> usize {
        let bytes = self.changes().iter().map(|change| match change {
            Change::Modify { path, .. } if self.unseen.holds(path) => 0,
            Change::Modify { before, after, .. } => before.len() + after.len(),
            Change::Create { after, .. } => after.len(),
            _ => 0,
        });
        bytes.sum()
    }

    /// Returns the changes of the edit; empty if only the app knows them.
    pub fn changes(&self) -> &[Change] {
        self.edit.as_ref().map_or(&[], |edit| &edit.changes)
    }

    /// Returns a plan that the engine does not carry out as an edit of the vault.
    fn without_edit(planned: Planned) -> Self {
        Self {
            planned,
            edit: None,
            unseen: Unseen::default(),
            hard_links: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Returns the plan of a call that changes no file.
    pub fn without_changes(resolved: &ResolvedCall, vault: &PinnedVault) -> Self {
        Self::without_edit(Planned::hashed(Vec::new(), &resolved.call, vault.root()))
    }

    /// Returns the plan of an export, which changes the folder `target` and not the vault. The copies equal the notes,
    /// so no diff is shown.
    pub fn from_export(edit: &Edit, call: &Call, target: &Path) -> Self {
        Self::without_edit(Planned::hashed(files(&edit.changes), call, target))
    }

    /// Refuses to create a file with another name than the given one (`design/tasks.md`): the app
    /// would add a number if the name is taken, also by a file or folder whose name differs only in
    /// case. `is_named` says whether the caller gave a name, `approved` which effects need an
    /// approval.
    ///
    /// # Errors
    ///
    /// `FILE_EXISTS`, with the name that is taken.
    pub fn refuse_other_name(
        &self,
        call: &Call,
        (is_named, approved): (bool, EffectSet),
        vault: &PinnedVault,
    ) -> Result<(), Failure> {
        let numbers = !is_named || call.arguments.flags.contains("number");
        let is_new = call.command.placement() == Some(Placement::AsNamed);
        let wanted = placed_file(call).filter(|_| is_new && !numbers);
        let Some(wanted) = wanted else {
            return Ok(());
        };
        let is_taken = if let Some(edit) = &self.edit {
            edit.changes.iter().any(|change| match change {
                Change::Create { path, .. } | Change::Modify { path, .. } => {
                    spelling(path) != spelling(&wanted)
                }
                _ => false,
            })
        } else {
            let replaces = call.arguments.flags.contains("overwrite");
            let state = Editor(&vault.engine)
                .state_at(&wanted)
                .map_err(engine_failure)?;
            !replaces && state != State::Absent
        };
        if !is_taken {
            return Ok(());
        }
        // `overwrite` replaces only a note of exactly this name.
        let replace = if call.arguments.flags.contains("overwrite") {
            ""
        } else if approved.contains(Effect::Destroy) {
            "To replace the existing note, set `overwrite`. A person must approve the call."
        } else {
            "To replace the existing note, set `overwrite`."
        };
        let folder = wanted.parent();
        // A caller under path rules gets the same answer if the file is closed by what is in it (`threats.toml` D16).
        let present = (!vault.is_limited())
            .then(|| IndexedVault(&vault.engine).names_below(&folder).ok())
            .flatten();
        let present = present
            .map_or_else(Vec::new, |present| present.files)
            .into_iter();
        let is_twin = |path: &VaultPath| {
            *path != wanted && path.as_str().to_lowercase() == wanted.as_str().to_lowercase()
        };
        let twin = present.map(|file| file.path).find(is_twin);
        Err(Error::NameTaken(wanted, twin, replace).into())
    }

    /// Returns the warnings of the edit, and about hard links.
    pub fn warnings(&self) -> Vec<Issue> {
        let edit = self.edit.iter();
        edit.flat_map(|edit| &edit.warnings)
            .map(engine_issue)
            .chain(self.hard_links.iter().cloned())
            .collect()
    }

    /// Refuses a plan that changes a file which may be read but not written: a rename updates the
    /// links in other notes. Links in notes that may not be read are still updated (`design/path-rules.md`).
    /// `seen` is the vault as its caller sees it: nothing replaces a note that is closed by what is in
    /// it. In a draft nothing is at the path of such a note, and a person decides.
    ///
    /// # Errors
    ///
    /// `PATH_DENIED`, with the first path that may not be changed.
    pub fn check_paths(
        &self,
        policy: &Policy,
        seen: &PinnedVault,
        into_draft: bool,
    ) -> Result<(), Failure> {
        if policy.is_unrestricted() {
            return Ok(());
        }
        let write = EffectSet::from_iter([Effect::Write]);
        let is_unseen = |path: &VaultPath| {
            !seen.engine.sees(path) && (!into_draft || is_in_draft(&seen.engine, path))
        };
        let is_closed =
            |path: &VaultPath| policy.check_path(path, write).is_err() || is_unseen(path);
        let closed: Vec<(&Change, &VaultPath)> = self
            .changes()
            .iter()
            .filter_map(|change| Some((change, change.paths().last()?)))
            // Only the engine puts files into the trash and among the vault's settings.
            .filter(|(_, path)| !path.is_hidden())
            .filter(|(change, path)| match change {
                // A folder cannot be created if a closed file has its name, which would reveal the
                // file. So it is refused wherever a file would be closed.
                Change::MakeFolder { .. } => {
                    !policy.may_fill(path) || !policy.may_read(path) || is_unseen(path)
                }
                Change::RemoveFolder { .. } => !policy.may_fill(path),
                // Only the plan names the files of a folder.
                Change::Move { from, .. } => is_closed(from) || is_closed(path),
                Change::Create { .. } | Change::Remove { .. } => is_closed(path),
                Change::Modify { path, .. } => !self.unseen.holds(path) && is_closed(path),
            })
            .collect();
        let is_new_place = |(change, path): &(&Change, &VaultPath)| {
            matches!(change, Change::Create { .. } | Change::MakeFolder { .. })
                && !policy.may_write(path)
        };
        if closed.is_empty() {
            return Ok(());
        }
        if closed.iter().all(is_new_place) {
            return Err(Error::NewFileClosed.into());
        }
        Err(Error::OtherFilesClosed.into())
    }
}

/// Returns a path as the app writes it: in composed form, with plain spaces (`official-cli.md` §4).
fn spelling(path: &VaultPath) -> String {
    let plain = |character| match character {
        '\u{a0}' | '\u{202f}' => ' ',
        other => other,
    };
    path.as_str().nfc().map(plain).collect()
}

/// Whether the draft through which the vault is seen has a file at this path.
pub fn is_in_draft(view: &Vault, path: &VaultPath) -> bool {
    view.overlay()
        .is_some_and(|overlay| overlay.files.contains_key(path))
}

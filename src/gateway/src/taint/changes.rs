//! Keeps the labels of notes through changes: what a labelled caller writes is labelled, and so is text of
//! labelled notes wherever a call puts it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use vault_engine::{Change, VaultPath};

use super::{LabelView, Labels};
use crate::aimed::{AimedCall, OpenedVault};
use crate::drafts::the_only_note;
use allowlist::{Call, Effect};
use backend::PinnedVault;
use changes::{EnvelopeBuilder, PlanOutcome};
use protocol::{Code, Failure, digest::sha256};
use store::drafts::{Draft, origin_of};
use store::journal::VaultLock;
use store::labels::{self, LabelledChanges, Why};
use tiers::PathPattern;

/// Plans a change again, on the vault as it was opened with another sight.
pub(crate) type PlanAgain<'call> = &'call dyn Fn(&OpenedVault<'_>) -> Result<PlanOutcome, Failure>;

/// The reason why the text that a call writes is labelled, by path.
enum WrittenLabels {
    /// It is not.
    Clean,
    /// All of it is.
    All(Why),
    /// It is in these files: the call would write something else without the labelled notes.
    Copied(BTreeSet<VaultPath>),
}

impl WrittenLabels {
    fn why(&self, path: &VaultPath) -> Option<Why> {
        match self {
            Self::Clean => None,
            Self::All(why) => Some(*why),
            Self::Copied(files) => files.contains(path).then_some(Why::Copied),
        }
    }
}

/// The effect of a planned change on labels.
pub(crate) struct ChangeLabels {
    view: Arc<LabelView>,
    written: WrittenLabels,
}

/// Returns the content that changes leave in each file that they write, as a hash.
fn written(changes: &[Change]) -> BTreeMap<VaultPath, String> {
    let written = changes.iter().filter_map(|change| match change {
        Change::Create { path, after } | Change::Modify { path, after, .. } => {
            Some((path.clone(), sha256(after)))
        }
        _ => None,
    });
    written.collect()
}

/// Whether a move writes a name that its caller chose, or that is from outside, into the links that follow it. It does
/// not if the file keeps its own, and the folder was there.
fn has_new_name(changes: &[Change], view: &LabelView) -> bool {
    changes.iter().any(|change| match change {
        Change::Move { from, to, .. } => {
            let is_labelled = view.is_labelled(from, None) || view.is_labelled_name(&to.parent());
            is_labelled || from.name() != to.name()
        }
        other => !matches!(other, Change::Modify { .. }),
    })
}

impl Labels<'_> {
    /// Labels the caller if its change is about labelled notes, or puts text of one into a file. What is labelled after
    /// the change is recorded with [`Self::keep_labels`], before it is made. This comes before the plan is shown to
    /// anybody; the caller gets it if `shows_plan` is true.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be read or written, or a labelled agent would change only the app's own files, whose
    /// text no label can follow. Then nothing may be changed.
    pub(crate) fn label_change(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall<'_>,
        (changes, shows_plan): (&[Change], bool),
        trace: &mut EnvelopeBuilder,
        again: PlanAgain<'_>,
    ) -> Result<Option<ChangeLabels>, Failure> {
        let Some(view) = self.view(&opened.vault)? else {
            return Ok(None);
        };
        let call = &aimed.resolved.call;
        let mut paths = changes.iter().flat_map(Change::paths).peekable();
        if self.caller.is_labelled() && paths.peek().is_some() && paths.all(VaultPath::is_hidden) {
            return Err(self.caller.refused_as_labelled(Code::MutationDisabled));
        }
        let written = self.written_by(call, opened, changes, &view, again);
        let touched = changes.iter().flat_map(Change::paths);
        // A path without a file has no text.
        let is_seen =
            |path: &&VaultPath| aimed.seen.engine.sees(path) && aimed.seen.engine.is_there(path);
        // A rename says only which notes link to the file. Its plan would show their lines.
        let is_rename = call.command.moves_a_file() && !shows_plan && self.caller.hides_names();
        let relinked: BTreeSet<&VaultPath> = changes
            .iter()
            .filter_map(|change| match change {
                Change::Modify { path, .. } if is_rename => Some(path),
                _ => None,
            })
            .collect();
        let touched = touched.filter(|path| !relinked.contains(path));
        let mut labelled = touched.chain(&aimed.resolved.note).filter(is_seen);
        let labelled = labelled.find(|path| view.is_labelled(path, None));
        let copied = match &written {
            WrittenLabels::Copied(files) => files
                .iter()
                .find(|path| !(relinked.contains(path) && view.is_labelled(path, None))),
            WrittenLabels::Clean | WrittenLabels::All(_) => None,
        };
        if let Some(note) = labelled.or(copied)
            && self.is_to_be_looked_at(&view.labels)
        {
            self.label_caller(&opened.vault, &call.command.id, Some(note.to_string()))?;
        }
        trace.plan_is_compared = true;
        Ok(Some(ChangeLabels { view, written }))
    }

    /// Records which notes are labelled after the changes.
    ///
    /// # Errors
    ///
    /// If the ledger cannot be written. Then nothing may be changed.
    pub(crate) fn keep_labels(
        &self,
        lock: &VaultLock,
        labels: Option<ChangeLabels>,
        changes: &[Change],
        into_draft: bool,
    ) -> Result<(), Failure> {
        labels.map_or(Ok(()), |ChangeLabels { view, written }| {
            self.record_labels(lock, &view, changes, &written, into_draft)
        })
    }

    /// Records which notes are labelled after changes that were planned to the byte: an undo, a redo, or what a program
    /// wrote. If its agent is labelled, all of them are.
    ///
    /// # Errors
    ///
    /// As [`Self::keep_labels`].
    pub(crate) fn label_run(
        &self,
        lock: &VaultLock,
        vault: &PinnedVault,
        changes: &[Change],
        into_draft: bool,
    ) -> Result<(), Failure> {
        let Some(view) = self.view(vault)? else {
            return Ok(());
        };
        let written = if self.caller.is_labelled() {
            WrittenLabels::All(Why::Written)
        } else {
            WrittenLabels::Clean
        };
        self.record_labels(lock, &view, changes, &written, into_draft)
    }

    /// Records which notes are labelled after parts of a draft were accepted. This comes before the changes are made.
    pub(crate) fn label_acceptance(
        &self,
        lock: &VaultLock,
        vault: &PinnedVault,
        (draft, changes): (&Draft, &[Change]),
    ) -> Result<(), Failure> {
        let Some(view) = self.view(vault)? else {
            return Ok(());
        };
        let agent = draft.agent.as_deref();
        let of_draft = |path: &VaultPath| view.labels.of_draft(agent, path).map(|label| label.why);
        // A part of a renamed note may be accepted at its old path.
        let planned = draft.overlay.files.iter();
        let origins: BTreeMap<&VaultPath, Why> = planned
            .filter_map(|(path, file)| Some((origin_of(path, file)?, of_draft(path)?)))
            .collect();
        let why = |path: &VaultPath| of_draft(path).or_else(|| origins.get(path).copied());
        // Links follow the new name, also in notes that the draft does not have.
        let renames = changes.iter().find_map(|change| match change {
            Change::Move { from, to, .. } => why(from).or_else(|| why(to)),
            _ => None,
        });
        let why = |path: &VaultPath| why(path).or(renames);
        let call = LabelledChanges {
            changes,
            is_labelled: &|path, bytes| view.is_labelled(path, bytes),
            why: &why,
            agent,
            at: self.caller.now().timestamp(),
        };
        lock.journal()
            .change_labels(|labels| labels.record(&call, false))
    }

    /// Clears the labels of the notes that a person accepted as their own.
    pub(crate) fn clear_accepted(
        &self,
        vault: &PinnedVault,
        changes: &[Change],
    ) -> Result<(), Failure> {
        let Some(view) = self.view(vault)? else {
            return Ok(());
        };
        let notes: BTreeSet<&VaultPath> = changes.iter().flat_map(Change::paths).collect();
        let notes = notes.into_iter().filter(|path| !path.is_hidden());
        let notes: Vec<(&VaultPath, Vec<u8>, bool)> = notes
            .filter_map(|path| {
                let bytes = vault.engine.read_bytes(path).ok()?;
                view.is_labelled(path, Some(&bytes))
                    .then(|| (path, bytes, view.is_by_rule(path)))
            })
            .collect();
        self.records.journal_of(vault)?.change_labels(|labels| {
            for (path, bytes, by_rule) in &notes {
                labels.clear(path, bytes, *by_rule);
            }
        })
    }

    /// Forgets the labels of notes that are not in the draft any more.
    pub(crate) fn forget_labels_of(&self, lock: &VaultLock, draft: &Draft) -> Result<(), Failure> {
        if self.taint.is_none() || lock.journal().labels_stamp().is_none() {
            return Ok(());
        }
        let folders = draft.overlay.folders.keys();
        let left: BTreeSet<&VaultPath> = draft.overlay.files.keys().chain(folders).collect();
        lock.journal()
            .change_labels(|labels| labels.keep_drafted(draft.agent.as_deref(), &left))
    }

    fn record_labels(
        &self,
        lock: &VaultLock,
        view: &LabelView,
        changes: &[Change],
        written: &WrittenLabels,
        in_draft: bool,
    ) -> Result<(), Failure> {
        // The owner chose the names of folders that the settings name.
        let patterns = &self.caller.settings.taint.write;
        let is_owners = |path: &VaultPath| {
            let below = |pattern: &PathPattern| {
                let rest = pattern.as_str().strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.starts_with('/'))
            };
            patterns.iter().any(below)
        };
        let call = LabelledChanges {
            changes,
            is_labelled: &|path, bytes| view.is_labelled(path, bytes),
            why: &|path| written.why(path).filter(|_| !is_owners(path)),
            agent: self.caller.agent(),
            at: self.caller.now().timestamp(),
        };
        // Most changes are of notes without a label, and write nothing here.
        let mut after = labels::Labels::clone(&view.labels);
        after.record(&call, in_draft);
        if after == *view.labels {
            return Ok(());
        }
        lock.journal()
            .change_labels(|labels| labels.record(&call, in_draft))
    }

    /// Returns the reason why the text that this call writes is labelled.
    fn written_by(
        &self,
        call: &Call,
        opened: &OpenedVault<'_>,
        changes: &[Change],
        view: &Arc<LabelView>,
        again: PlanAgain<'_>,
    ) -> WrittenLabels {
        if call.effects().contains(Effect::Import) {
            return WrittenLabels::All(Why::Imported);
        }
        if self.caller.is_labelled() {
            if call.command.moves_a_file() && !has_new_name(changes, view) {
                return WrittenLabels::Clean;
            }
            return WrittenLabels::All(Why::Written);
        }
        if self.labels_callers().is_none() || changes.is_empty() {
            return WrittenLabels::Clean;
        }
        // Its text comes from the call and from this note alone.
        if call.paths().len() == 1
            && the_only_note(call).is_some_and(|note| !view.is_labelled(&note, None))
        {
            return WrittenLabels::Clean;
        }
        let sight = self.sight_without_labelled(view);
        let clean = match again(&opened.by_the_engine(sight)) {
            Ok(PlanOutcome::Planned(plan)) => written(plan.changes()),
            Ok(PlanOutcome::Refused(_)) | Err(_) => BTreeMap::new(),
        };
        let copied = written(changes)
            .into_iter()
            .filter(|(path, hash)| clean.get(path) != Some(hash));
        WrittenLabels::Copied(copied.map(|(path, _)| path).collect())
    }
}

//! Drafts: an agent reads the vault through its draft, and its changes are recorded there until a person
//! reviews them (`design/drafts.md`).

mod acceptance;
mod groups;
mod links;
mod merged;
mod parts;
mod questions;
mod review;
mod waiting;
mod warnings;
mod written;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use line_diff::hunks;
use serde_json::json;
use vault_engine::{
    Bond, Change, Editor, Overlay, PlannedBytes, PlannedContent, PlannedFile, Vault, VaultPath,
    Version, bonds_after,
};

pub use self::groups::{ChangeGroup, GroupMember, GroupReason};
use self::links::TextLines;
use self::merged::{ClosedFiles, DraftConflict, Standing, bring_up_to_date};
use self::parts::DIFF_TIME;
pub use self::questions::{BothSides, DRAFT_QUESTIONS, DraftAnswer, DraftReport, DraftedFile};
pub(super) use self::questions::{DraftQuestion, STATUS, WITHDRAW};
pub(super) use self::review::{ACCEPT, answer_reversal};
pub use self::review::{FileWarning, Review, ReviewPlan};
pub use self::waiting::{ConflictSides, PropertyChange, WaitingDraft, WaitingFile};
pub use self::warnings::{ReviewWarning, WarningReason};
pub(super) use self::written::WRITE;
pub use self::written::Written;
use crate::aimed::{AimedCall, OpenedVault};
use crate::caller::CallerContext;
use crate::error::Error;
use crate::state::Records;
use crate::taint::{Labels, PlanAgain};
use crate::vault::Vaults;
use crate::{active, scope};
use allowlist::{Call, Target};
use backend::{PinnedVault, Produced, embedded};
use changes::{ChangePlan, Control, EnvelopeBuilder, FileChange, PlanOutcome, Request};
use protocol::{Caller, Code, Failure, Issue, Message, Part, message};
use store::drafts::{Base, Draft, DraftStamp, ReviewAnswer, leaving, origin_of};
use store::journal::VaultLock;
use tiers::can_be_drafted;

/// The place where a change is made.
pub(super) enum Destination {
    /// The vault itself.
    Vault,
    /// The draft of the agent, which a person reviews.
    Draft(Box<OpenDraft>),
}

/// Refuses a change of a draft while an interrupted change of the vault is not repaired: the draft would be compared
/// with a vault that is half changed, and would lose what that half already has. An agent whose process may not write
/// to the vault cannot repair it.
fn refuse_while_interrupted(lock: &VaultLock) -> Result<(), Failure> {
    if lock.journal().unfinished()?.is_empty() {
        Ok(())
    } else {
        Err(Error::VaultHalfChanged.into())
    }
}

/// A draft that is about to be changed, under the vault's lock.
pub(super) struct OpenDraft {
    draft: Draft,
    standing: Standing,
    /// The vault without the draft.
    folder: PinnedVault,
    /// The planned files that the agent does not see.
    closed: Overlay,
}

/// The draft of a caller in memory, so that its next call need not read it again.
#[derive(Default)]
pub(super) struct DraftCache {
    /// The draft as it was read last, with the stamp of its file, and whether its caller was labelled.
    known: Mutex<Option<((DraftStamp, bool), Draft)>>,
    /// The draft as it was stored last, with the bytes of its file.
    stored: Mutex<Option<(Vec<u8>, Draft)>>,
    /// The stamp of the draft's file whose answers were last reported to the caller.
    seen_answers: Mutex<Option<DraftStamp>>,
}

/// A draft that is up to date with the folder.
struct CurrentDraft {
    draft: Draft,
    standing: Standing,
}

/// The draft of a caller, and the drafts that a person reviews.
#[derive(Clone, Copy)]
pub struct Drafts<'gateway> {
    pub(crate) caller: &'gateway CallerContext,
    pub(crate) records: Records<'gateway>,
    pub(crate) vaults: Vaults<'gateway>,
    pub(crate) labels: Labels<'gateway>,
    pub(crate) cache: &'gateway DraftCache,
}

impl Drafts<'_> {
    /// Opens the vault without the draft.
    fn folder(&self) -> Result<PinnedVault, Failure> {
        self.vaults.open_safely().map(as_in_the_folder)
    }

    /// Whether the changes of this caller can go into a draft.
    fn has_drafts(&self) -> bool {
        self.caller.policy.drafts() != tiers::Drafts::Off
    }

    /// Whether the call is recorded in the draft of its agent.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the request asks for that and it cannot be.
    pub(super) fn goes_into_draft(&self, request: &Request, call: &Call) -> Result<bool, Failure> {
        if self
            .caller
            .policy
            .puts_into_draft(&call.command, call.effects())
        {
            return Ok(true);
        }
        if !request.draft {
            return Ok(false);
        }
        let refused = |message| Err(Code::UsageError.failure(message));
        if !self.has_drafts() {
            return refused(
                "Drafts are turned off, so omit `draft`. To turn drafts on, the owner of the vault \
                can set `drafts` to `closed` or `all`.",
            );
        }
        if !can_be_drafted(&call.command, call.effects()) {
            return refused(
                "This call cannot be put into a draft. Omit `draft`. If the call has a flag that \
                shows or sends something, such as `open`, omit the flag instead.",
            );
        }
        Ok(true)
    }

    /// Returns the vault as its caller sees it: through its draft, if it has one. For a question about one note, only
    /// that note of the draft is compared with the folder.
    ///
    /// # Errors
    ///
    /// `DRAFT_DAMAGED` if the draft cannot be read. The vault without it would not be what the agent
    /// left.
    pub(super) fn through_draft(
        &self,
        vault: PinnedVault,
        call: Option<&Call>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<PinnedVault, Failure> {
        let Some(current) = self.draft_at_hand(&vault, call.and_then(the_only_note).as_ref())?
        else {
            return Ok(vault);
        };
        let shown: Vec<Issue> = current.standing.warnings().collect();
        if !shown.is_empty() {
            // A note that a person has closed is not named.
            let open = self.visible_parts(&vault, &current)?;
            let is_open = |issue: &Issue| {
                let mut open = open.iter().map(|part| part.path.as_str());
                open.any(|path| issue.path.as_deref() == Some(path))
            };
            trace
                .envelope
                .warnings
                .extend(shown.into_iter().filter(is_open));
        }
        let (vault, _) = self.seen_through(vault, &current)?;
        if !self.caller.is_labelled() {
            self.labels
                .leave_out_labelled("draft", &vault, &mut trace.envelope.warnings)?;
        }
        Ok(vault)
    }

    /// Returns the vault through the draft of its caller, without the warnings of [`Self::through_draft`].
    pub(super) fn with_draft(&self, vault: PinnedVault) -> Result<PinnedVault, Failure> {
        match self.draft_at_hand(&vault, None)? {
            Some(current) => self.seen_through(vault, &current).map(|(seen, _)| seen),
            None => Ok(vault),
        }
    }

    /// Like [`Self::current_draft`]. A server keeps the draft in memory until its file changes.
    fn draft_at_hand(
        &self,
        vault: &PinnedVault,
        only: Option<&VaultPath>,
    ) -> Result<Option<CurrentDraft>, Failure> {
        // Without a state folder no draft can have been recorded.
        if !self.has_drafts() || self.caller.state_folder().is_err() {
            return Ok(None);
        }
        let stamp = self
            .records
            .journal_of(vault)?
            .draft_stamp(self.caller.agent())?;
        let Some(stamp) = stamp else {
            return Ok(None);
        };
        let known = self.cache.known.lock().ok().and_then(|known| known.clone());
        let key = (stamp, self.caller.is_labelled());
        let known = known.filter(|(of, _)| *of == key);
        let current = match known {
            Some((_, mut draft)) => {
                let standing =
                    bring_up_to_date(&mut draft, &vault.engine, only, self.caller.sight.as_ref());
                Some(CurrentDraft { draft, standing })
            }
            None => self.current_draft(vault, only)?,
        };
        // A merge that is not remembered is made again.
        if let Ok(mut known) = self.cache.known.lock() {
            *known = current
                .as_ref()
                .filter(|current| current.standing.merged.is_empty())
                .map(|current| (key, current.draft.clone()));
        }
        Ok(current.filter(|current| !current.draft.is_empty()))
    }

    /// Returns the draft of this caller, merged with the folder; with `only`, as far as this note is concerned. `None`
    /// if nothing is in the draft.
    fn current_draft(
        &self,
        vault: &PinnedVault,
        only: Option<&VaultPath>,
    ) -> Result<Option<CurrentDraft>, Failure> {
        let journal = self.records.journal_of(vault)?;
        let agent = self.caller.agent();
        let stored = self
            .cache
            .stored
            .lock()
            .ok()
            .and_then(|stored| stored.clone());
        let draft = match (stored, journal.draft_json(agent)?) {
            (Some((json, draft)), Some(now)) if json == now => Some(draft),
            _ => journal.draft(agent)?,
        };
        let Some(mut draft) = draft.filter(|draft| !draft.is_empty()) else {
            return Ok(None);
        };
        let standing =
            bring_up_to_date(&mut draft, &vault.engine, only, self.caller.sight.as_ref());
        Ok(Some(CurrentDraft { draft, standing }))
    }

    /// Stores the draft of this caller, and keeps it in memory for its next call.
    fn store_draft(&self, lock: &VaultLock, draft: &Draft) -> Result<(), Failure> {
        let (journal, agent) = (lock.journal(), draft.agent.as_deref());
        let before = journal.draft_stamp(agent)?;
        lock.keep_draft(draft)?;
        // The lock is still taken, so these are the stamp and the bytes of the stored draft.
        let stamp = journal.draft_stamp(agent)?;
        if let (Ok(Some(json)), Ok(mut stored)) =
            (journal.draft_json(agent), self.cache.stored.lock())
        {
            *stored = Some((json, draft.clone()));
        }
        let mut seen = self
            .cache
            .seen_answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if before.is_some() && *seen == before {
            *seen = stamp;
        }
        if let (Some(stamp), Ok(mut known)) = (stamp, self.cache.known.lock()) {
            *known = Some(((stamp, self.caller.is_labelled()), draft.clone()));
        }
        Ok(())
    }

    /// Returns the vault through a draft, and the planned files that the agent does not see: a person has closed the
    /// note in the vault, and its draft could not be merged with that.
    fn seen_through(
        &self,
        vault: PinnedVault,
        current: &CurrentDraft,
    ) -> Result<(PinnedVault, Overlay), Failure> {
        let mut overlay = current.draft.overlay.clone();
        let mut closed = Overlay::default();
        if self.caller.sight.is_some() && !current.standing.conflicts.is_empty() {
            let folder = as_in_the_folder(vault.clone()).limited_to(self.caller.sight.as_ref())?;
            for conflict in &current.standing.conflicts {
                let origin = overlay
                    .files
                    .get(&conflict.path)
                    .and_then(|file| origin_of(&conflict.path, file).cloned());
                let is_there = |path: &VaultPath| {
                    vault.engine.as_in_the_folder().is_there(path) && !folder.engine.sees(path)
                };
                if origin.is_some_and(|origin| is_there(&origin))
                    && let Some(file) = overlay.files.remove(&conflict.path)
                {
                    closed.files.insert(conflict.path.clone(), file);
                }
            }
        }
        let engine = vault.engine.with_overlay(overlay);
        Ok((PinnedVault { engine, ..vault }, closed))
    }

    /// Refuses a change in the vault of a note that waits in the draft of its agent.
    pub(super) fn refuse_drafted(
        &self,
        changes: &[Change],
        vault: &PinnedVault,
    ) -> Result<(), Failure> {
        if !self.has_drafts() {
            return Ok(());
        }
        // It was planned once more, on the vault as it is now. What changes no file, such as publishing, is
        // never drafted.
        let changes_files = !changes.is_empty();
        if changes_files
            && self.caller.policy.drafts() == tiers::Drafts::All
            && !self.touches_only_direct(changes)
        {
            return Err(Code::DraftConflict
                .failure(
                    "Nothing was changed. Another program changed the vault during this call. The \
                    call would now also change notes that `paths.direct` does not list.",
                )
                .hint("Try again."));
        }
        let Some(current) = self.current_draft(vault, None)? else {
            return Ok(());
        };
        let Some(path) = conflicting_path(&current.draft, changes) else {
            return Ok(());
        };
        let planned = current.draft.overlay.files.get(path);
        let is_only_there = planned.is_some_and(|file| origin_of(path, file) != Some(path));
        let params = Part::Params(json!({ "path": path.as_str() }));
        let (what, hint) = if is_only_there {
            (
                format!(
                    "`{path}` is only in your draft, not in the vault, until a person accepts \
                    it."
                ),
                message!(
                    "Wait until a person has reviewed the draft with `vault-gw review`, then \
                    repeat the call. Or make the drafted changes directly in the vault: read them \
                    with {draft:show}, withdraw them with {draft:withdraw} and {}, then make them \
                    again.",
                    params
                ),
            )
        } else {
            (
                format!("Your draft has changes to `{path}`, and no person has reviewed them yet."),
                message!(
                    "Withdraw these changes with {draft:withdraw} and {}, or wait until a person \
                    has reviewed them with `vault-gw review`. Then repeat the call.",
                    params
                ),
            )
        };
        Err(Code::DraftConflict
            .failure(format!("{what} Nothing was changed."))
            .hint(hint)
            .with("path", path.as_str()))
    }

    /// Whether a change is made in the vault and not in the draft, because it touches only paths of `paths.direct`, and
    /// no note that is in the draft.
    fn is_direct(
        &self,
        opened: &OpenedVault<'_>,
        draft: &Draft,
        plan: PlanAgain<'_>,
    ) -> Result<bool, Failure> {
        let no_path: [VaultPath; 0] = [];
        if opened.request.draft || !self.caller.policy.writes_directly_to(no_path.iter()) {
            return Ok(false);
        }
        let PlanOutcome::Planned(plan) = plan(opened)? else {
            return Ok(false);
        };
        // Closed active content waits for a person.
        Ok(self.caller.refuse_active_content(&plan.findings).is_ok()
            && self.touches_only_direct(plan.changes())
            && !plan.changes().is_empty()
            && conflicting_path(draft, plan.changes()).is_none())
    }

    /// Whether a change would go into the draft.
    pub(super) fn would_be_drafted(
        &self,
        opened: &OpenedVault<'_>,
        plan: PlanAgain<'_>,
    ) -> Result<bool, Failure> {
        if !opened.into_draft {
            return Ok(false);
        }
        let current = self.current_draft(&as_in_the_folder(opened.vault.clone()), None)?;
        let draft = current.map(|current| current.draft);
        let draft = draft.unwrap_or_else(|| Draft::new(None, opened.vault.now.timestamp()));
        Ok(!self.is_direct(opened, &draft, plan)?)
    }

    /// The issue that a person has answered in the draft of this caller since it last read an answer; reported once, to
    /// the agent and not to a person who calls under its rules.
    pub(super) fn news_of_review(
        &self,
        request: &Request,
        control: &Control,
        vault: impl Fn() -> Result<PinnedVault, Failure>,
    ) -> Result<Option<Issue>, Failure> {
        if self.caller.options.caller == Caller::Person
            || control.leaves_news
            || request.command == WRITE
            || !self.has_drafts()
            || self.caller.state_folder().is_err()
        {
            return Ok(None);
        }
        let agent = self.caller.agent();
        let journal = self.records.journal_of(&vault()?)?;
        let Some(stamp) = journal.draft_stamp(agent)? else {
            return Ok(None);
        };
        let mut seen = self
            .cache
            .seen_answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if *seen == Some(stamp) {
            return Ok(None);
        }
        let mut answers = journal.unread_answers(agent)?;
        if let Some(last) = answers.iter().map(|answer| answer.at).max() {
            journal.answers_were_read(agent, last)?;
        }
        *seen = Some(stamp);
        answers.retain(|answer| self.caller.policy.may_read(&answer.path));
        let count = |is_counted: fn(&ReviewAnswer) -> bool| {
            answers.iter().filter(|answer| is_counted(answer)).count()
        };
        let accepted = count(|answer| answer.accepted);
        let undone = count(|answer| answer.undone);
        let rejected = answers.len() - accepted - undone;
        if request.command == STATUS || answers.is_empty() {
            return Ok(None);
        }
        let comments = answers
            .iter()
            .filter(|answer| answer.comment.is_some())
            .count();
        let mut message = Message::default();
        if accepted + rejected > 0 {
            message.push_sentence(format!(
                "The person accepted {accepted} and rejected {rejected} of your drafted changes."
            ));
        }
        if undone > 0 {
            let undone = vault_engine::plural::count(undone, "accepted change");
            message.push_sentence(format!("The person undid {undone}."));
        }
        if comments > 0 {
            let comments = vault_engine::plural::count(comments, "comment");
            message.push_sentence(format!("The person left {comments}."));
        }
        message.push_sentence(message!(
            "{draft:status} lists these decisions, oldest first."
        ));
        Ok(Some(Issue::new("REVIEWED", message)))
    }

    /// Whether these changes touch only paths that are changed in the vault itself.
    fn touches_only_direct(&self, changes: &[Change]) -> bool {
        // A folder that is made for a file is where that file is.
        let is_filled = |folder: &VaultPath| {
            let mut paths = changes.iter().flat_map(Change::paths);
            paths.any(|path| path.is_below(folder))
        };
        let counted = changes
            .iter()
            .filter(|change| !matches!(change, Change::MakeFolder { path } if is_filled(path)));
        let paths = counted.flat_map(Change::paths);
        // The trash takes what is deleted.
        self.caller
            .policy
            .writes_directly_to(paths.filter(|path| !path.as_str().starts_with(".trash")))
    }

    /// Returns the place where a change is made, and the vault on which it is planned: for the draft as its agent sees
    /// it, otherwise without the draft.
    pub(super) fn destination<'call>(
        &self,
        call: &Call,
        opened: &OpenedVault<'call>,
        lock: &VaultLock,
        plan: PlanAgain<'_>,
    ) -> Result<(OpenedVault<'call>, Destination), Failure> {
        if !opened.into_draft {
            return Ok((opened.clone(), Destination::Vault));
        }
        let folder = as_in_the_folder(opened.vault.clone());
        let (only, now) = (the_only_note(call), opened.vault.now.timestamp());
        let (open, view) = self.open_draft(folder.clone(), only.as_ref(), (lock, now))?;
        let through_draft = opened.for_draft(view);
        if self.is_direct(&through_draft, &open.draft, plan)? {
            let direct = OpenedVault {
                vault: folder,
                into_draft: false,
                ..through_draft
            };
            return Ok((direct, Destination::Vault));
        }
        Ok((through_draft, Destination::Draft(Box::new(open))))
    }

    /// Returns the draft of this caller to change it, new if there is none, and the vault through it.
    fn open_draft(
        &self,
        folder: PinnedVault,
        only: Option<&VaultPath>,
        (lock, now): (&VaultLock, Timestamp),
    ) -> Result<(OpenDraft, PinnedVault), Failure> {
        refuse_while_interrupted(lock)?;
        let current = self.current_draft(&folder, only)?;
        let (draft, standing, closed, view) = if let Some(current) = current {
            let (view, closed) = self.seen_through(folder.clone(), &current)?;
            (current.draft, current.standing, closed, view)
        } else {
            let agent = self.caller.options.agent.clone();
            // The agent has not read these answers yet.
            let answers = lock.journal().draft(agent.as_deref())?;
            let answers = answers.map(|draft| draft.answers).unwrap_or_default();
            let draft = Draft {
                answers,
                ..Draft::new(agent, now)
            };
            let (standing, closed) = (Standing::default(), Overlay::default());
            (draft, standing, closed, folder.clone())
        };
        let open = OpenDraft {
            draft,
            standing,
            folder,
            closed,
        };
        Ok((open, view))
    }

    /// Records a planned change in the draft.
    pub(super) fn record(
        &self,
        (opened, aimed): (&OpenedVault<'_>, &AimedCall<'_>),
        mut plan: ChangePlan,
        OpenDraft {
            mut draft,
            standing,
            folder,
            closed,
        }: OpenDraft,
        lock: &VaultLock,
        trace: &mut EnvelopeBuilder,
        again: PlanAgain<'_>,
    ) -> Result<Produced, Failure> {
        opened.limits.cancel.check()?;
        trace.chosen(&opened.choice);
        let files = plan.planned.files.clone();
        let Some(mut edit) = plan.edit.take() else {
            return Err(Code::InternalError.failure(
                "The change was not put into the draft, because of a bug in vault-gw. Please \
                    report it.",
            ));
        };
        let now = opened.vault.now.timestamp();
        let view = (&opened.vault.engine, now.as_millisecond());
        let unseen = ClosedFiles::new(&folder.engine, self.caller.sight.as_ref());
        let overlay = changed_overlay(&draft, &edit.changes, view, (closed, &unseen))?;
        let is_drafted = overlay != draft.overlay;
        if is_drafted {
            let labels =
                self.labels
                    .label_change(opened, aimed, (&edit.changes, false), trace, again)?;
            standing.refuse(&edit.changes)?;
            draft.check_undo(&edit.changes, self.caller.settings.journal.max_file_bytes)?;
            let made = (edit.changes.as_slice(), std::mem::take(&mut edit.bonds));
            put_changes(&mut draft, overlay, made, (&folder.engine, now))?;
            draft.client = trace.subject.client.clone().or(draft.client);
            self.records.record_intent(opened.request, trace, &files)?;
            self.labels.keep_labels(lock, labels, &edit.changes, true)?;
            self.store_draft(lock, &draft)?;
            let changed = files.into_iter().filter(FileChange::changes_something);
            trace.drafted(&draft, changed.collect());
            let reason = self.labels.reason_for_draft(&aimed.resolved.call, &folder);
            let mut warning = drafted(reason);
            if self.caller.policy.writes_directly() {
                // Other changes of the note would be made in the vault, where the draft would hide them.
                warning.message.push(message!(
                    " To change the note again, first use {draft:withdraw} with its `path`."
                ));
            }
            trace.envelope.warnings.push(warning);
            trace
                .envelope
                .warnings
                .extend(active::warnings(&plan.findings));
        }
        let named = aimed.resolved.call.paths();
        let is_in_draft = conflicting_path(&draft, &edit.changes).is_some()
            || aimed
                .resolved
                .note
                .iter()
                .chain(named.iter().map(|(_, path)| path))
                .any(|path| draft.overlay.files.contains_key(path));
        if !is_drafted && is_in_draft {
            // Without this, the answer would read as if the change were in the vault.
            trace.drafted(&draft, Vec::new());
            trace.envelope.warnings.push(already_drafted());
        }
        let mut produced = embedded::changed(Ok(edit), &aimed.resolved, &opened.limits)?;
        if is_drafted || is_in_draft {
            produced.stdout.lead_with("Drafted: ");
        }
        Ok(produced)
    }
}

impl Standing {
    /// Returns the warnings that a person changed notes of the draft.
    fn warnings(&self) -> impl Iterator<Item = Issue> {
        let merged = self.merged.iter().map(|path| {
            Issue::new(
                "DRAFT_MERGED",
                "A person changed another part of this note in the vault. Your draft now contains \
                both changes.",
            )
            .with_path(path.as_str())
        });
        let conflicts = self.conflicts.iter().map(|conflict| {
            Issue::new(
                "DRAFT_CONFLICT",
                message!(
                    "Your draft of this note is in conflict with the vault: {}. {draft:show} shows \
                    the lines that differ. To read the whole note of the vault, withdraw your \
                    draft of the note with {draft:withdraw} and {}.",
                    conflict.kind.reason(),
                    Part::Params(json!({ "path": conflict.path.as_str() }))
                ),
            )
            .with_path(conflict.path.as_str())
        });
        merged.chain(conflicts)
    }

    /// Whether the file at this path of the draft is in conflict with the vault.
    fn is_conflict(&self, path: &VaultPath) -> bool {
        self.conflict(path).is_some()
    }

    /// Returns the conflict of the file with this path.
    fn conflict(&self, path: &VaultPath) -> Option<&DraftConflict> {
        let mut conflicts = self.conflicts.iter();
        conflicts.find(|conflict| conflict.path == *path)
    }

    /// Refuses a change of a note whose draft is in conflict with the vault.
    fn refuse(&self, changes: &[Change]) -> Result<(), Failure> {
        let mut paths = changes.iter().flat_map(Change::paths);
        match paths.find_map(|path| self.conflict(path)) {
            Some(DraftConflict { path, kind }) => Err(Code::DraftConflict
                .failure(format!(
                    "Nothing was changed. Your draft of `{path}` is in conflict with the vault: \
                    {}.",
                    kind.reason()
                ))
                .hint(message!(
                    "{draft:show} shows the original text and both changes. Withdraw your draft of \
                    the note with {draft:withdraw} and {}. Then read the note again and repeat the \
                    change. Or wait until a person has reviewed the draft with `vault-gw review`.",
                    Part::Params(json!({ "path": path.as_str() }))
                ))
                .with("path", path.as_str())),
            None => Ok(()),
        }
    }
}

/// Returns the note that the call names by its path, if its plan and its answer depend on no other file.
pub(super) fn the_only_note(call: &Call) -> Option<VaultPath> {
    let is_of_one = call.acts_on() == Target::Note
        && (call.effects().is_mutation() || !call.command.is_ours())
        && !call.arguments.values.contains_key("file")
        && !scope::depends_on_other_files(call);
    call.paths()
        .into_iter()
        .next()
        .filter(|_| is_of_one)
        .map(|(_, path)| path)
}

/// Returns the first of the changed paths that waits in the draft.
fn conflicting_path<'c>(draft: &Draft, changes: &'c [Change]) -> Option<&'c VaultPath> {
    let (files, bases) = (&draft.overlay.files, &draft.bases);
    let mut paths = changes.iter().flat_map(Change::paths);
    paths.find(|path| files.contains_key(path) || bases.contains_key(path))
}

/// Returns the planned files after these changes of a vault, made at this time in milliseconds.
fn changed_overlay(
    draft: &Draft,
    changes: &[Change],
    (engine, now): (&Vault, i64),
    (closed, unseen): (Overlay, &ClosedFiles<'_>),
) -> Result<Overlay, Failure> {
    let view = Editor(&engine.clone()).after_at(changes, now);
    let mut overlay = view
        .overlay()
        .map(|view| (**view).clone())
        .unwrap_or_default();
    for (path, file) in closed.files {
        overlay.files.entry(path).or_insert(file);
    }
    forget_own(&mut overlay, draft, unseen)?;
    written_anew(&mut overlay, draft, &engine.as_in_the_folder(), unseen)?;
    // A planned file that did not change keeps its time.
    for (path, file) in &mut overlay.files {
        let before = draft.overlay.files.get(path);
        if let (PlannedFile::Bytes(now), Some(PlannedFile::Bytes(before))) = (&*file, before)
            && (&now.content, &now.origin) == (&before.content, &before.origin)
        {
            *file = PlannedFile::Bytes(Arc::clone(before));
        }
    }
    Ok(overlay)
}

/// Replaces the planned files after these changes of the vault's folder, which made these bonds at this time.
fn put_changes(
    draft: &mut Draft,
    overlay: Overlay,
    (changes, mut made): (&[Change], Vec<Bond>),
    (folder, now): (&Vault, Timestamp),
) -> Result<(), Failure> {
    draft.check_age(now)?;
    draft.bases = bases(draft, &overlay, changes, folder)?;
    draft.changed = now;
    let before = std::mem::replace(&mut draft.overlay, overlay);
    for bond in &mut made {
        let files = bond.files.iter();
        let lines = files.filter_map(|path| Some((path.clone(), replaced(draft, &before, path)?)));
        bond.lines = lines.collect();
    }
    let file_at = |path: &VaultPath| match before.files.get(path) {
        Some(file) => origin_of(path, file).cloned(),
        None => Some(path.clone()),
    };
    draft.bonds = bonds_after(std::mem::take(&mut draft.bonds), changes, made, file_at);
    draft.forget_unused_bonds();
    Ok(())
}

/// Returns the lines of the base that the last change of a file replaced, and not the changes before it; `None` if the
/// texts cannot be compared.
fn replaced(draft: &Draft, before: &Overlay, path: &VaultPath) -> Option<Vec<Range<usize>>> {
    fn text(content: &PlannedContent) -> Option<&str> {
        std::str::from_utf8(content.bytes().ok()?).ok()
    }
    let PlannedFile::Bytes(planned) = draft.overlay.files.get(path)? else {
        return None;
    };
    let base = text(
        draft
            .bases
            .get(planned.origin.as_ref()?)?
            .content
            .as_deref()?,
    )?;
    let earlier = before.files.values().find_map(|file| match file {
        PlannedFile::Bytes(earlier) if earlier.origin == planned.origin => Some(earlier),
        _ => None,
    });
    let earlier = earlier.map_or(Some(base), |earlier| text(&earlier.content))?;
    let replaced = |text| {
        let (lines, hunks) = (TextLines::new(text), hunks(base, text, DIFF_TIME));
        let replaced = hunks.into_iter();
        replaced.map(move |hunk| (lines.cut(&hunk.after), hunk.before))
    };
    let known: Vec<_> = replaced(earlier).collect();
    let new = replaced(text(&planned.content)?).filter(|hunk| !known.contains(hunk));
    Some(new.map(|(_, lines)| lines).collect())
}

/// Forgets files that were only in the draft and have left their paths. Other files of the folder may be there, such as
/// closed ones, which the draft does not remove.
fn forget_own(
    overlay: &mut Overlay,
    draft: &Draft,
    unseen: &ClosedFiles<'_>,
) -> Result<(), Failure> {
    let gone = overlay
        .files
        .iter()
        .filter(|(_, file)| **file == PlannedFile::Gone);
    let mut own = Vec::new();
    for (path, _) in gone {
        let was_own = match draft.overlay.files.get(path) {
            Some(PlannedFile::Gone) => false,
            Some(before) => {
                origin_of(path, before) != Some(path) && !draft.bases.contains_key(path)
            }
            None => unseen.contain(path)?,
        };
        if was_own {
            own.push(path.clone());
        }
    }
    for path in own {
        overlay.files.remove(&path);
    }
    Ok(())
}

/// Returns the base with its bytes, if the folder still has them and they are not too many.
fn with_bytes(base: Base, path: &VaultPath, folder: &Vault) -> Base {
    let wanted = Version {
        size: base.size,
        sha256: base.sha256,
    };
    if base.size > vault_engine::MAX_WHOLE_BYTES {
        return base;
    }
    match folder.read_bytes(path) {
        Ok(bytes) if Version::from_bytes(&bytes) == wanted => {
            Base::from_bytes(bytes, base.modified)
        }
        _ => base,
    }
}

/// Marks a file of the folder that is deleted for good and created again as changed: it is not two files. A file that
/// was new in the draft before a person created one with its name stays new.
fn written_anew(
    overlay: &mut Overlay,
    draft: &Draft,
    folder: &Vault,
    unseen: &ClosedFiles<'_>,
) -> Result<(), Failure> {
    let leaving = leaving(overlay);
    let was_new = |path: &VaultPath| {
        let before = draft.overlay.files.get(path);
        matches!(before, Some(PlannedFile::Bytes(planned)) if planned.origin.is_none())
    };
    for (path, file) in &mut overlay.files {
        if let PlannedFile::Bytes(planned) = &*file
            && planned.origin.is_none()
            && !was_new(path)
            && !path.is_hidden()
            && !leaving.contains_key(path)
            && folder.is_there(path)
            && !unseen.contain(path)?
        {
            *file = PlannedFile::Bytes(Arc::new(PlannedBytes {
                content: planned.content.clone(),
                origin: Some(path.clone()),
                modified: planned.modified,
            }));
        }
    }
    Ok(())
}

/// Returns the bases of a draft with these planned files: those that it has, and for other files the content that the
/// changes were planned on. A file that changes in between is then a conflict, and never overwritten.
fn bases(
    draft: &Draft,
    overlay: &Overlay,
    changes: &[Change],
    folder: &Vault,
) -> Result<BTreeMap<VaultPath, Base>, Failure> {
    let mut bases = BTreeMap::new();
    let leaving = leaving(overlay);
    let planned_on = PlannedOn::new(changes, &draft.overlay);
    let planned = draft.overlay.files.values();
    let with_text: BTreeSet<&VaultPath> = planned
        .filter_map(|file| match file {
            PlannedFile::Bytes(planned) => planned.origin.as_ref(),
            PlannedFile::From(_) | PlannedFile::Gone => None,
        })
        .collect();
    for (path, file) in &overlay.files {
        let Some(origin) = origin_of(path, file).cloned() else {
            continue;
        };
        let known = bases.get(&origin).or_else(|| draft.bases.get(&origin));
        // A file that was moved alone has no bytes yet. One of which the program in a fence did not say what it
        // started from never has them.
        let needs_bytes = matches!(file, PlannedFile::Bytes(_)) && !with_text.contains(&origin);
        let known = known.filter(|base| base.content.is_some() || !needs_bytes);
        let base = match known {
            Some(base) => base.clone(),
            None => match planned_on.of(&origin) {
                Some(base) => base,
                // Nothing is at the old path of a file that was new.
                None if *file == PlannedFile::Gone => continue,
                None => {
                    return Err(Code::InternalError.failure(
                        "Nothing was changed. The original content for this change is missing. \
                        This is a bug in vault-gw. Please report it.",
                    ));
                }
            },
        };
        // A person sees what is lost, and what a text was.
        let is_shown = match file {
            PlannedFile::Bytes(_) => true,
            PlannedFile::From(_) => parts::is_trashed(path),
            PlannedFile::Gone => !leaving.contains_key(path),
        };
        let base = if is_shown && base.content.is_none() {
            with_bytes(base, &origin, folder)
        } else {
            base
        };
        let modified = base
            .modified
            .or_else(|| unchanged_since(&origin, &base, folder));
        bases.insert(origin, Base { modified, ..base });
    }
    Ok(bases)
}

/// Returns the time of a file whose content cannot have changed since the plan was made.
fn unchanged_since(origin: &VaultPath, base: &Base, folder: &Vault) -> Option<i64> {
    let facts = folder.facts(origin).ok()?;
    (facts.size == base.size)
        .then(|| merged::settled(facts.modified))
        .flatten()
}

/// The contents of the folder that changes were planned on, by the paths of the files there.
struct PlannedOn<'changes>(BTreeMap<VaultPath, PlannedOnFile<'changes>>);

/// A content that a change was planned on.
enum PlannedOnFile<'changes> {
    /// The bytes, of a file that is changed.
    Bytes(&'changes [u8]),
    /// The hash, of a file that is moved or removed.
    Version(Version),
}

impl<'changes> PlannedOn<'changes> {
    /// Follows each file through the changes of a view with these planned files: in an exchange of paths, a file is changed
    /// at the old path of another one.
    fn new(changes: &'changes [Change], planned: &Overlay) -> Self {
        let mut files: BTreeMap<VaultPath, PlannedOnFile<'_>> = BTreeMap::new();
        // The files at paths that changes have touched; `None` for a new file and for none.
        let mut moved: BTreeMap<&VaultPath, Option<VaultPath>> = BTreeMap::new();
        let origin_at = |path: &VaultPath, moved: &BTreeMap<&VaultPath, Option<VaultPath>>| {
            let planned = planned.files.get(path);
            let before = || {
                planned
                    .map_or(Some(path), |file| origin_of(path, file))
                    .cloned()
            };
            moved.get(path).cloned().unwrap_or_else(before)
        };
        for change in changes {
            match change {
                Change::Create { path, .. } => drop(moved.insert(path, None)),
                Change::Modify { path, before, .. } => {
                    let bytes = PlannedOnFile::Bytes(before);
                    match origin_at(path, &moved).map(|origin| files.entry(origin)) {
                        Some(Entry::Occupied(mut known)) => {
                            if matches!(known.get(), PlannedOnFile::Version(_)) {
                                known.insert(bytes);
                            }
                        }
                        Some(Entry::Vacant(unknown)) => drop(unknown.insert(bytes)),
                        None => {}
                    }
                }
                Change::Move { from, version, .. }
                | Change::Remove {
                    path: from,
                    version,
                } => {
                    let origin = origin_at(from, &moved);
                    if let Some(origin) = origin.clone() {
                        let version = PlannedOnFile::Version(*version);
                        files.entry(origin).or_insert(version);
                    }
                    moved.insert(from, None);
                    if let Change::Move { to, .. } = change {
                        moved.insert(to, origin);
                    }
                }
                Change::MakeFolder { .. } | Change::RemoveFolder { .. } => {}
            }
        }
        Self(files)
    }

    /// Returns the content of the file that is at this path in the folder.
    fn of(&self, origin: &VaultPath) -> Option<Base> {
        Some(match self.0.get(origin)? {
            PlannedOnFile::Bytes(bytes) => Base::from_bytes(bytes.to_vec(), None),
            PlannedOnFile::Version(version) => Base::without_bytes(*version),
        })
    }
}

/// Returns the vault without the draft.
fn as_in_the_folder(vault: PinnedVault) -> PinnedVault {
    let engine = vault.engine.as_in_the_folder();
    PinnedVault { engine, ..vault }
}

/// Returns the issue that a call changed nothing in a file that has changes in the draft.
fn already_drafted() -> Issue {
    Issue::new(
        "DRAFTED",
        "This call changed nothing. Your draft already has changes to this file. They are not in \
        the vault until a person accepts them with `vault-gw review`.",
    )
}

/// Returns the issue that a change is not in the vault, in words that a model does not take for
/// "done".
fn drafted(reason: Option<String>) -> Issue {
    let reason = reason.map_or_else(String::new, |reason| format!(", {reason}"));
    Issue::new(
        "DRAFTED",
        format!(
            "The change is in the draft, not in the vault{reason}. It waits until a person accepts \
            it with `vault-gw review`. Do not report the change as done."
        ),
    )
}

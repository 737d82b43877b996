//! `undo` reverts a change and `redo` repeats it, under the same rules as any other change
//! (`design/writes.md`).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::{Change, VaultPath};

use self::report::{changes, report};
use crate::aimed::CallBounds;
use crate::approve::Proposal;
use crate::drafts::{ACCEPT, answer_reversal};
use crate::error::Error;
use crate::pass::Pipeline;
use ::changes::EnvelopeBuilder;
use ::changes::FileChange;
use ::changes::change::{Planned, files_of, journal_unfinished, make_recorded, without_kept};
use ::changes::kept::{Kept, KeptContent};
use ::changes::request::{KEPT, PATH, RUN, Request};
use allowlist::{BackendName, Catalogue, Effect, EffectSet, RawValue, meant_or_nearest};
use backend::{PinnedVault, Produced};
use protocol::{
    Code, Failure, Issue, did_you_mean_or, failure::NOTHING_LEFT, first_of, for_person, message,
};
use store::audit::recorded_steps;
use store::journal::{
    Direction, EditedSince, JournalEntry, NewEntry, PlannedRun, Restoration, RunPrefix,
    RunStanding, TouchedPath, Undoing, VaultLock, short_id,
};

mod permission;
mod report;

/// The name of the command in envelopes and in the journal.
pub const UNDO: &str = Direction::Undo.name();

/// Whether the command undoes or redoes a run, which changes the vault.
pub fn is_reversal(command: &str) -> bool {
    Direction::from_command(command).is_some()
}

/// Most later runs that a refusal names.
const MOST_NAMED: usize = 5;

/// The parsed parameters of an undo or a redo.
#[derive(Default)]
struct UndoRequest {
    run: Option<RunPrefix>,
    kept: Option<Kept>,
    path: Option<VaultPath>,
}

/// A run that reverts another one, or writes a content from the journal.
struct Reversal<'a> {
    command: &'static str,
    /// The id of the other run.
    about: Uuid,
    undoes: Option<Uuid>,
    redoes: Option<Uuid>,
    effects: EffectSet,
    restoration: &'a Restoration,
    files: Vec<FileChange>,
}

impl Pipeline<'_> {
    /// Answers the requests `undo` and `redo`. A person may undo any run. Any other caller may undo only its own: its
    /// newest one, or the run whose id it got in an answer (`design/writes.md`).
    pub(super) fn reverse(
        &self,
        direction: Direction,
        bounds: CallBounds<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let request = bounds.0;
        let question = parse_request(direction, request, self.caller.is_person())?;
        let named = |key: &str| match request.params.0.get(key) {
            Some(RawValue::Text(text)) => Some((key.to_owned(), json!(text))),
            _ => None,
        };
        let changes_nothing = question.kept == Some(Kept::Show);
        let effect = if changes_nothing {
            Effect::Read
        } else {
            Effect::Write
        };
        trace.record_question(
            [RUN, KEPT, PATH].into_iter().filter_map(named).collect(),
            effect,
        );
        if self.caller.is_labelled() {
            let refused = self.caller.refused_as_labelled(Code::MutationDisabled);
            return Err(self.naming_draft(refused));
        }
        // A person may always see what an undo would do, and take back what they accepted.
        let needs_switch = !(changes_nothing || request.dry_run && self.caller.is_person());
        let mut closed = needs_switch
            .then(|| self.mutations_are_on().err())
            .flatten();
        if !self.caller.is_person() || question.kept.is_some() {
            closed.take().map_or(Ok(()), Err)?;
        }
        let vault = self.vaults.pinned(request)?;
        trace.opened(&vault, self.vaults.instead_of_set(&vault));
        let reversed = self.reversed(direction, &question, closed, bounds, &vault, trace);
        if let Err(failure) = &reversed {
            // The caller did not name the files of the run.
            self.labels
                .label_by_names(direction.name(), &vault, failure)?;
        }
        reversed
    }

    fn reversed(
        &self,
        direction: Direction,
        question: &UndoRequest,
        closed: Option<Failure>,
        bounds: CallBounds<'_>,
        vault: &PinnedVault,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let (request, control, deadline) = bounds;
        // Like for every change, the lock comes before the plan, because a run that ends in between
        // would become the newest one, or change the files to restore.
        let lock = self
            .records
            .lock(vault, deadline, &control.cancel, &vault.now, trace)?;
        if let Some(kept @ (Kept::Show | Kept::Beside)) = question.kept {
            let run = lock.run_with_contents(question.run.as_ref())?;
            self.check_paths(&run, vault)?;
            let content = KeptContent::find(&lock, &run.entry, question.path.as_ref())?;
            if kept == Kept::Show {
                return Ok(content.with_text());
            }
            return self.write_beside(bounds, (&lock, vault), trace, &content);
        }
        let origin = (!self.caller.is_person()).then(|| self.records.origin());
        let run = lock.reversible(direction, question.run.as_ref(), origin.as_ref());
        let run = match run {
            Ok(run) => run,
            // A person who names no run made no mistake. An agent has to learn that nothing was undone.
            Err(failure)
                if failure.reason() == Some(NOTHING_LEFT)
                    && question.run.is_none()
                    && self.caller.is_person() =>
            {
                let text = format!("{}\n", failure.for_person());
                return Ok(Produced {
                    exact_text: Some(text.into_bytes()),
                    ..Produced::default()
                });
            }
            // If there is nothing to undo, no switch would help.
            Err(failure) if failure.reason() == Some(NOTHING_LEFT) => return Err(failure),
            Err(failure) => return Err(closed.unwrap_or(failure)),
        };
        if run.command() != Some(ACCEPT) {
            closed.map_or(Ok(()), Err)?;
        }
        self.check_paths(&run, vault)?;
        self.check_command(&run)?;
        let edited = match question.kept {
            Some(_) => EditedSince::Overwritten,
            None => EditedSince::Refused,
        };
        let undone = run.entry.change();
        let undoing = lock
            .undo(&vault.engine, run, edited)
            .map_err(|failure| self.naming_later_runs(failure, vault, undone))?;
        trace.subject.undoes = Some(undoing.run.undoes());
        let effects = effects(&undoing).union(self.active_again(&undoing, vault)?);
        trace.planned(effects);
        let harmless = self.labels.harmless_names(vault)?;
        if harmless.is_none() {
            self.labels.label_by_names(
                undoing.run.direction().name(),
                vault,
                &changes(&undoing),
            )?;
        }
        let answer = |needs_approval, warnings| {
            let reader = (self.caller.is_person(), harmless.as_ref());
            report(&undoing, needs_approval, reader, warnings)
        };
        if request.dry_run {
            let needed = effects.intersection(self.caller.policy.approve());
            return Ok(answer(Some(!needed.is_empty()), Vec::new()));
        }
        let run = &undoing.run;
        let reversal = Reversal {
            command: run.direction().name(),
            about: run.undoes(),
            undoes: Some(run.undoes()),
            redoes: run.redoes(),
            effects,
            restoration: &undoing.restoration,
            files: changes(&undoing),
        };
        let mut warnings = self.carry_out(bounds, (&lock, vault), trace, &reversal)?;
        if let Some(made) = run.made().filter(|made| made.command == ACCEPT) {
            // The vault is changed already, so the agent's notice only fails with a warning.
            let answered = answer_reversal(&lock, (made, &run.entry), vault.now.timestamp());
            warnings.extend(answered.err().map(|failure| journal_unfinished(&failure)));
        }
        Ok(answer(None, warnings))
    }

    /// Adds the later runs that changed the same files to the refusal of an undo, newest first: the
    /// order in which a person can undo them.
    fn naming_later_runs(&self, failure: Failure, vault: &PinnedVault, undone: Uuid) -> Failure {
        let paths = failure.details.get("paths").and_then(Value::as_array);
        let Some(paths) =
            paths.filter(|_| self.caller.is_person() && self.caller.policy.reads_everything())
        else {
            return failure;
        };
        let listing = self
            .records
            .journal_of(vault)
            .and_then(|journal| journal.entries());
        let entries = listing.unwrap_or_default().entries;
        let touches = |file: &TouchedPath| {
            file.is_changed() && paths.iter().any(|path| path == file.path.as_str())
        };
        // The newest entry of a change shows whether it is in effect: an undo reverts it, a redo
        // repeats it.
        let mut seen = BTreeSet::new();
        let later: Vec<&JournalEntry> = entries
            .iter()
            .take_while(|listed| listed.entry.change() != undone)
            .filter(|listed| listed.standing == RunStanding::Done)
            .map(|listed| &listed.entry)
            .filter(|entry| seen.insert(entry.change()))
            .filter(|entry| entry.undoes.is_none() || entry.redoes.is_some())
            .filter(|entry| entry.files.iter().any(touches))
            .collect();
        if later.is_empty() {
            return failure;
        }
        let ids: Vec<String> = later
            .iter()
            .map(|entry| entry.change().to_string())
            .collect();
        let named = later.iter().take(MOST_NAMED).map(|entry| {
            let short = short_id(entry.change());
            format!("`vault-gw undo {short}` ({})", entry.command)
        });
        let named = first_of(named, later.len());
        let order = format!("Undo these runs first, in this order: {named}.");
        failure
            .hint(message!(
                "Later runs changed the same files. {}",
                for_person(order)
            ))
            .with("laterRuns", ids)
    }

    /// Writes a content from the journal to a new note. That is a change of its own, which can be
    /// undone.
    fn write_beside(
        &self,
        bounds: CallBounds<'_>,
        (lock, vault): (&VaultLock, &PinnedVault),
        trace: &mut EnvelopeBuilder,
        content: &KeptContent,
    ) -> Result<Produced, Failure> {
        let (path, change) = content.beside(vault)?;
        let effects = EffectSet::from_iter([Effect::Write]);
        self.caller.policy.check_path(&path, effects)?;
        if bounds.0.dry_run {
            return Ok(content.written(&path, true));
        }
        let reversal = Reversal {
            command: UNDO,
            about: content.run(),
            undoes: None,
            redoes: None,
            effects,
            files: files_of(std::slice::from_ref(&change)),
            restoration: &Restoration::new(vec![change]),
        };
        let warnings = self.carry_out(bounds, (lock, vault), trace, &reversal)?;
        Ok(Produced {
            warnings,
            ..content.written(&path, false)
        })
    }

    /// Makes the changes, after they are approved and recorded.
    fn carry_out(
        &self,
        (request, control, deadline): CallBounds<'_>,
        (lock, vault): (&VaultLock, &PinnedVault),
        trace: &mut EnvelopeBuilder,
        reversal: &Reversal<'_>,
    ) -> Result<Vec<Issue>, Failure> {
        let cancel = &control.cancel;
        cancel.check()?;
        let about = json!([reversal.command, reversal.about]);
        let planned = Planned::hashed_as(reversal.files.clone(), &about, vault.root());
        let until = (deadline, cancel);
        let proposal = Proposal {
            command: reversal.command,
            params: Map::from_iter([(RUN.to_owned(), json!(reversal.about))]),
            effects: reversal.effects,
            planned: &planned,
            changes: &reversal.restoration.changes,
            findings: &[],
            client: trace.subject.client.clone(),
            unseen: &[],
        };
        let approvals = self.caller.approvals();
        trace.subject.approved = approvals.approve(request, &proposal, (vault, until))?;
        // Write-ahead: the intent is in the audit log before the first file is written.
        self.records
            .record_intent(request, trace, &reversal.files)?;
        let origin = self.records.origin_of(&trace.subject);
        let entry = NewEntry {
            run_id: trace.envelope.run_id,
            command: reversal.command,
            params: Map::from_iter([(
                "runId".to_owned(),
                json!(reversal.redoes.unwrap_or(reversal.about)),
            )]),
            backend: BackendName::Embedded,
            now: vault.now.timestamp(),
            undoes: reversal.undoes,
            redoes: reversal.redoes,
            origin,
            planned: PlannedRun::Changes(&reversal.restoration.changes),
        };
        self.labels
            .label_run(lock, vault, &reversal.restoration.changes, false)?;
        let warnings = make_recorded(lock, vault, &entry, reversal.restoration, until)?;
        trace.changed(without_kept(reversal.files.clone(), &warnings));
        // The engine does that for the app's runs too.
        let is_undo = reversal.command == UNDO;
        let reason = if is_undo {
            "undoing needs no app"
        } else {
            "redoing needs no app"
        };
        trace.by_the_engine(reason);
        Ok(warnings)
    }
}

/// Parses the parameters of the request.
fn parse_request(
    direction: Direction,
    request: &Request,
    is_person: bool,
) -> Result<UndoRequest, Failure> {
    if request.if_hash.is_some() {
        return Err(Error::NoHashOfUndo(request.command.clone()).into());
    }
    // Only people can use the contents of the journal; agents can only undo their own changes.
    let is_for_kept = is_person && direction == Direction::Undo;
    let mut question = UndoRequest::default();
    for (name, value) in request.params.given() {
        match (name.as_str(), value) {
            (RUN, RawValue::Text(text)) => {
                let prefix = text.parse().map_err(Error::RunId)?;
                question.run = Some(prefix);
            }
            (RUN, _) => return Err(Error::RunNotText.into()),
            (KEPT, RawValue::Text(text)) if is_for_kept => {
                let mut all = Kept::ALL.into_iter();
                question.kept = all.find(|kept| kept.name() == text);
                if question.kept.is_none() {
                    return Err(Error::KeptWord(KEPT).into());
                }
            }
            (PATH, RawValue::Text(text)) if is_for_kept => {
                question.path = Some(VaultPath::file(text).map_err(Error::UndonePath)?);
            }
            _ => {
                let fields = [RUN, "dryRun", "approval"];
                let near = meant_or_nearest(name, fields);
                let hint = did_you_mean_or(&near, || {
                    message!(
                        "Each call undoes or redoes one run. Without `{}`, this is the last run.",
                        RUN
                    )
                });
                let command = request.command.clone();
                let fields = fields.join("`, `");
                return Err(Error::NotOfUndo(command, name.clone(), hint, fields).into());
            }
        }
    }
    if question.path.is_some() && !matches!(question.kept, Some(Kept::Show | Kept::Beside)) {
        return Err(Error::PathOfUndo.into());
    }
    Ok(question)
}

/// Returns the effects of an undo or a redo, of which a person may have to approve some. Redoing a change has the
/// effects of that change, so it needs the same approval again.
fn effects(undoing: &Undoing) -> EffectSet {
    let write = EffectSet::from_iter([Effect::Write]);
    if undoing.run.direction() == Direction::Undo {
        return write;
    }
    let made = undoing.run.made();
    let again = made.map_or_else(EffectSet::default, effects_of_change);
    let mut changes = undoing.restoration.changes.iter();
    let is_destroyed = changes.any(|change| matches!(change, Change::Remove { .. }))
        || made.is_none_or(|made| made.origin.approved_by.is_some());
    let destroy = is_destroyed.then_some(Effect::Destroy);
    write.iter().chain(again.iter()).chain(destroy).collect()
}

/// Returns the effects that the command of a change had, with its parameters, flags and steps.
fn effects_of_change(made: &JournalEntry) -> EffectSet {
    let Ok(command) = Catalogue::find_builtin(&made.command) else {
        return EffectSet::default();
    };
    let given = made
        .params
        .iter()
        .filter(|(_, value)| **value != json!(false));
    let own = command.effects_with(given.map(|(key, _)| key.as_str()));
    let steps = recorded_steps(&made.params).into_iter();
    steps.map(|step| step.effects).fold(own, EffectSet::union)
}

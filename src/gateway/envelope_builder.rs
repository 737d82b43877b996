//! Builds the envelope of a call from facts gathered along the pipeline, so that every exit, early or
//! late, returns a complete envelope.

use std::time::Duration;

use cli_output::Answer;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::answered::Answered;
use super::choice::Choice;
use super::data::Data;
use super::envelope::{DraftMeta, Envelope, Meta, SCHEMA_VERSION, sort_issues};
use super::file_change::FileChange;
use super::remedy::{Under, remedy};
use super::request::{Request, RequestId, is_id};
use super::subject::AuditSubject;
use crate::allowlist::{Call, Catalogue, Effect, EffectSet};
use crate::backend::{PinnedVault, Produced, Truncated};
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::message::Message;
use crate::paging::Paging;
use crate::records::journal::Direction;
use crate::sandbox::Confinement;
use crate::status::{Answerer, Status};

/// The facts gathered along the pipeline.
#[derive(Clone, Default)]
pub(super) struct EnvelopeBuilder {
    command: String,
    run_id: Uuid,
    correlation_id: Option<String>,
    id: Option<RequestId>,
    pub(super) timestamp: Option<String>,
    params: Map<String, Value>,
    pub(super) vault: Option<String>,
    /// The vault as it was opened for this call.
    pub(super) pinned: Option<PinnedVault>,
    /// Warnings that stay in the envelope whether the call succeeds or fails.
    pub(super) warnings: Vec<Issue>,
    /// Facts that the audit record needs besides the envelope.
    pub(super) subject: AuditSubject,
    /// Further restrictions that may have closed the call, besides the general settings; chooses
    /// the remedy.
    pub(super) under: Under,
    /// Whether the plan of the change was compared with the plan without labelled notes. A later failure then has no
    /// other text of them.
    pub(super) plan_is_compared: bool,
    /// The request for a part of the answer, from which a cut answer's next part follows.
    paging: Paging,
    /// Whether the engine may answer instead if the app reports that its command line is off.
    pub(super) may_fall_back: bool,
    /// The confinement of this process.
    gateway: Option<Confinement>,
    meta: Meta,
}

impl EnvelopeBuilder {
    pub(super) fn new(request: &Request) -> Self {
        // The ids are read before the request is checked: a request that is wrong elsewhere still
        // gets its ids back, so a caller can match every answer. An invalid id is not echoed.
        let correlation_id = request.correlation_id.clone().filter(|id| is_id(id));
        let id = request.id.clone().filter(RequestId::is_valid);
        Self {
            command: request.command.clone(),
            run_id: request.run_id.unwrap_or_else(Uuid::new_v4),
            correlation_id,
            id,
            ..Self::default()
        }
    }

    /// Records the confinement of this process.
    pub(super) fn confined(&mut self, gateway: Option<Confinement>) {
        self.gateway = gateway;
    }

    /// Records the vault that answers, and a remark about it.
    pub(super) fn opened(&mut self, vault: &PinnedVault, note: Option<Issue>) {
        self.vault = Some(vault.name());
        self.warnings.extend(note);
    }

    /// Returns the id of this run.
    pub(super) fn run_id(&self) -> Uuid {
        self.run_id
    }

    /// Drops the facts of a first attempt before the engine is tried.
    pub(super) fn start_again(&mut self) {
        self.warnings.clear();
        self.meta = Meta::default();
        self.may_fall_back = false;
    }

    /// Records the admitted call.
    pub(super) fn admitted(&mut self, call: &Call) {
        self.params = call.params_json();
        self.subject.admitted(call);
        self.paging = Paging::for_command(&call.command, call.effects());
        self.meta.tier = Some(call.command.tier);
        self.meta.effects = call.effects().iter().collect();
    }

    /// Records the effects of the plan, which may be more than the effects of the call.
    pub(super) fn planned(&mut self, effects: EffectSet) {
        self.meta.effects = effects.iter().collect();
    }

    /// Records the parameters of a question about the gateway or its vault.
    pub(super) fn record_question(&mut self, params: Map<String, Value>) {
        self.subject.record_question(&params);
        self.params = params;
        self.meta.effects = vec![Effect::Read];
    }

    /// Records that the call is to undo or redo a run.
    pub(super) fn undoes(&mut self) {
        self.meta.effects = vec![Effect::Write];
    }

    /// Records that a run was undone or redone. The engine does that for the app's runs too.
    pub(super) fn has_undone(&mut self, direction: Direction) {
        self.meta.backend = Answerer::Embedded;
        let reason = match direction {
            Direction::Undo => "undoing needs no app",
            Direction::Redo => "redoing needs no app",
        };
        self.meta.backend_reason = Some(reason.to_owned());
    }

    /// Records that parts of a draft were accepted.
    pub(super) fn has_accepted(&mut self) {
        self.meta.backend = Answerer::Embedded;
        self.meta.backend_reason = Some("a draft is accepted without the app".to_owned());
    }

    /// Records which backend answers, and the reason.
    pub(super) fn chosen(&mut self, choice: &Choice) {
        self.meta.backend = choice.answerer();
        self.meta.backend_reason = Some(choice.reason.clone());
    }

    /// Records the journal entry of a write and its changes.
    pub(super) fn changed(&mut self, changes: Vec<FileChange>) {
        self.meta.journal = Some(self.run_id);
        self.meta.changes = changes;
    }

    /// Records that the change went into a draft, and the files that it changes there.
    pub(super) fn drafted(&mut self, draft: DraftMeta, changes: Vec<FileChange>) {
        self.meta.draft = Some(draft);
        self.meta.changes = changes;
    }

    /// Whether the call has changed the vault or the draft.
    pub(super) fn has_changed(&self) -> bool {
        !self.meta.changes.is_empty()
    }

    /// Returns the envelope at this point, for the record of the intent.
    pub(super) fn so_far(&self) -> Envelope {
        self.clone().blank(Duration::ZERO)
    }

    /// Builds the envelope. With `for_person` the answer also has the bytes for a terminal; otherwise only bytes that
    /// the envelope does not contain.
    pub(super) fn finish(
        mut self,
        result: Result<Produced, Failure>,
        elapsed: Duration,
        for_person: bool,
    ) -> Answered {
        self.meta.vault = self.vault.take();
        match result {
            Ok(produced) => self.finish_run(produced, elapsed, for_person),
            Err(failure) => {
                // Nothing ran, even if a backend had been chosen.
                self.meta.backend = Answerer::None;
                Answered { envelope: self.finish_refused(failure, elapsed), text: Vec::new() }
            }
        }
    }

    fn finish_run(mut self, produced: Produced, elapsed: Duration, for_person: bool) -> Answered {
        let totals = (produced.stdout.total, produced.stderr.total);
        // Only a person reads the raw bytes. They may be large, so programs get no second copy
        // (`faults.md` J04).
        let nothing_printed = totals.0 == 0;
        let under = self.under.clone();
        let exact_text = produced.exact_text.filter(|_| for_person || nothing_printed);
        let kept = if for_person { produced.stdout.head.clone() } else { Vec::new() };
        let stdout = produced.stdout.into_text();
        let stderr = produced.stderr.into_text();
        self.meta.lossy = fields([("stdout", stdout.lossy), ("stderr", stderr.lossy)]);
        self.meta.truncated = Truncated::from_streams(&stdout, &stderr, totals);
        self.meta.process = produced.process;
        if let Some(official) = produced.confinement {
            self.meta.confinement.get_or_insert_default().official = Some(official);
        }
        let is_part = produced.is_partial;
        let mut no_rows = false;
        let (data, failure) = match produced.outcome {
            Ok(None) => (Data::default(), None),
            Ok(Some(answer)) if produced.is_of_gateway => {
                // Facts of the gateway itself. Only an undo has a journal entry, made by the engine.
                if self.meta.journal.is_none() {
                    self.meta.backend = Answerer::None;
                }
                (Data::from_answer(answer), None)
            }
            Ok(Some(mut answer)) => {
                no_rows = answer.is_empty();
                if produced.part.is_none() && self.paging.continues_lists() {
                    self.warnings.extend(mark_list(&mut answer));
                }
                if let (Some(part), Some(mut text)) = (produced.part, answer.answer_text()) {
                    text.stand_at(part);
                }
                (Data::from_answer(answer), None)
            }
            Err(failure) => (Data::default(), Some(with_usage(failure, &self.command))),
        };
        let status = match &failure {
            Some(_) if produced.may_have_happened => Status::Unknown,
            Some(failure) if failure.code.is_refusal() => Status::Refused,
            Some(_) => Status::Error,
            None if is_part || self.meta.truncated.is_some() => Status::Partial,
            None if no_rows => Status::NoMatches,
            None if self.meta.draft.is_some() => Status::Drafted,
            None => Status::Ok,
        };
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(produced.warnings);
        let warnings = sort_issues(warnings);
        self.meta.untrusted = fields([
            ("stdout", !stdout.text.is_empty()),
            ("stderr", !stderr.text.is_empty()),
            ("data", !data.is_empty()),
            ("warnings", hold_vault_text(&warnings)),
            ("violations", !produced.violations.is_empty()),
            ("advice", !produced.advice.is_empty()),
            ("error", failure.as_ref().is_some_and(holds_vault_text)),
        ]);
        let text = match &failure {
            None => exact_text.unwrap_or(kept),
            // Output before a timeout is useful; any other failure repeats its text in `error`.
            Some(failure) if matches!(failure.code, Code::Timeout | Code::Cancelled) => kept,
            Some(_) => Vec::new(),
        };
        let mut envelope = self.blank(elapsed);
        envelope.success = failure.is_none();
        envelope.status = status;
        envelope.exit_code = produced.exit_code;
        envelope.stdout = stdout.text;
        envelope.stderr = stderr.text;
        envelope.data = data;
        envelope.warnings = warnings;
        envelope.violations = sort_issues(produced.violations);
        envelope.advice = sort_issues(produced.advice);
        let remedy = |failure| remedy(failure, &under);
        envelope.advice.extend(failure.as_ref().and_then(remedy));
        envelope.error = failure;
        envelope.summarise();
        Answered { envelope, text }
    }

    fn finish_refused(self, failure: Failure, elapsed: Duration) -> Envelope {
        let failure = with_usage(failure, &self.command);
        let remedy = remedy(&failure, &self.under);
        let mut envelope = self.blank(elapsed);
        envelope.success = false;
        envelope.status = if failure.code.is_refusal() { Status::Refused } else { Status::Error };
        envelope.meta.untrusted = fields([
            ("warnings", hold_vault_text(&envelope.warnings)),
            ("error", holds_vault_text(&failure)),
        ]);
        envelope.advice = remedy.into_iter().collect();
        envelope.error = Some(failure);
        envelope.summarise();
        envelope
    }

    /// Returns the envelope of a successful call with an empty answer.
    fn blank(mut self, elapsed: Duration) -> Envelope {
        if let Some(gateway) = self.gateway.take() {
            self.meta.confinement.get_or_insert_default().gateway = Some(gateway);
        }
        Envelope {
            schema_version: SCHEMA_VERSION,
            command: self.command,
            success: true,
            status: Status::Ok,
            exit_code: None,
            duration_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            stdout: String::new(),
            stderr: String::new(),
            run_id: self.run_id,
            correlation_id: self.correlation_id,
            id: self.id,
            timestamp: self.timestamp,
            summary: String::new(),
            params: self.params,
            data: Data::default(),
            warnings: sort_issues(self.warnings),
            violations: Vec::new(),
            advice: Vec::new(),
            error: None,
            meta: self.meta,
        }
    }
}

impl Envelope {
    /// Returns the envelope of a failure outside any call, such as a bad option or unusable settings.
    pub fn from_failure(command: &str, failure: Failure) -> Self {
        EnvelopeBuilder::new(&Request::new(command)).finish_refused(failure, Duration::ZERO)
    }

    /// Returns the envelope of a verb of the command line that runs no call, such as `doctor`.
    pub fn for_verb(
        verb: &str,
        elapsed: Duration,
        data: Map<String, Value>,
        failure: Option<Failure>,
    ) -> Self {
        let trace = EnvelopeBuilder::new(&Request::new(verb));
        let mut envelope = match failure {
            Some(failure) => trace.finish_refused(failure, elapsed),
            None => trace.blank(elapsed),
        };
        envelope.data = data.into();
        envelope.summarise();
        envelope
    }
}

/// Adds the usage of the command to the failure of an incorrect call, so that the next one can be
/// correct.
fn with_usage(failure: Failure, command: &str) -> Failure {
    if failure.code != Code::UsageError || failure.is_complete() {
        return failure;
    }
    match Catalogue::find_builtin(command) {
        Ok(command) => failure.with("usage", command.usage()),
        Err(_) => failure,
    }
}

/// Whether a failure contains text from the vault: a plan with its diffs, or candidate notes. A name
/// that the caller sent itself does not count.
fn holds_vault_text(failure: &Failure) -> bool {
    ["files", "candidates"].iter().any(|detail| failure.details.contains_key(*detail))
}

/// Whether a warning contains a file name, which is text from the vault.
fn hold_vault_text(warnings: &[Issue]) -> bool {
    warnings.iter().any(|warning| warning.path.is_some())
}

/// Adds `nextOffset` to a list that does not end with these items, because of the output bound or of
/// the call's `limit` (`faults.md` F15). Returns a warning if a single item exceeds the bound and is skipped.
fn mark_list(answer: &mut Answer) -> Option<Issue> {
    let list = answer.list()?;
    list.go_on();
    let numbers = list.numbers();
    let offset = numbers.offset;
    (numbers.returned == 0 && offset < numbers.total).then(|| {
        let mut message = Message::from(format!(
            "The item at `offset` {offset} exceeds the size limit of an answer, so it is left out."
        ));
        if let Some(next) = numbers.next() {
            message.push_sentence(format!("Continue at `offset` {next}."));
        }
        Issue::new("ITEM_LEFT_OUT", message).with("offset", offset)
    })
}

fn fields<const N: usize>(present: [(&'static str, bool); N]) -> Vec<&'static str> {
    present.into_iter().filter_map(|(field, holds)| holds.then_some(field)).collect()
}

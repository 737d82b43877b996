//! The entry of a call, for every caller: runs the pipeline, and turns each outcome, panics included,
//! into a recorded envelope.

use tracing::span::EnteredSpan;
use vault_engine::{Vault, VaultPath};

use crate::core::Gateway;
use crate::drafts::{Review, WITHDRAW, WRITE, Written};
use crate::guarded::guarded;
use crate::taint::CLEAR;
use crate::{about, scope};
use allowlist::{Call, Catalogue, Effect};
use backend::{PinnedVault, Produced};
use changes::control::Control;
use changes::envelope::Envelope;
use changes::envelope_builder::EnvelopeBuilder;
use changes::known_hash;
use changes::request::Request;
use protocol::caller::Caller;
use protocol::code::Code;
use protocol::deadline::Deadline;
use protocol::failure::Failure;
use store::journal::{Direction, RunPrefix};

impl Gateway {
    /// Whether a request must run alone, in its turn: it may change the vault, a draft or the app, where the next
    /// request may be about the active file. If text from outside is labelled, every answer may restrict its caller, so
    /// every request runs alone.
    pub fn runs_alone(&self, request: &Request) -> bool {
        if self.taint.is_some() || request.command == WITHDRAW {
            return true;
        }
        if request.dry_run {
            return false;
        }
        let only_reads = |call: Call| call.effects().iter().all(|effect| effect == Effect::Read);
        Direction::from_command(&request.command).is_some()
            || request.call().is_ok_and(|call| !only_reads(call))
    }

    /// Answers a request. Never panics, never prints, always returns an envelope.
    ///
    /// ```
    /// use sandbox::environment::Environment;
    /// use gateway::{Caller, Gateway, Options, Request};
    /// use settings::Settings;
    ///
    /// let settings = Settings::parse("settings.toml", "enabled = true\nbackend = \"embedded\"")?;
    /// let options = Options {
    ///     vault: Some(std::path::absolute("../../fixtures/vault").unwrap().display().to_string()),
    ///     ..Options::new(Caller::Agent)
    /// };
    /// let gateway = Gateway::new(settings, options, Environment::default())?;
    /// let request = Request::from_json(br#"{"command":"read","params":{"path":"Home.md"}}"#)?;
    /// let envelope = gateway.call(&request);
    /// assert!(envelope.success);
    /// assert!(envelope.stdout.contains("# Home"));
    /// # Ok::<(), protocol::failure::Failure>(())
    /// ```
    pub fn call(&self, request: &Request) -> Envelope {
        self.answer_with(request, &Control::default())
    }

    /// Answers a request like [`Self::call`], for a caller that may cancel the call or follow its progress.
    pub fn answer_with(&self, request: &Request, control: &Control) -> Envelope {
        let (gateway, vault) = match self.in_force(request) {
            Ok(in_force) => in_force,
            Err(failure) => return self.answer_refused(request, control, failure),
        };
        let (mut trace, deadline, _within) = gateway.begin(request, control);
        trace.pinned = vault;
        let result = guarded(control, deadline, || {
            gateway.pass_or_fall_back(request, control, deadline, &mut trace)
        });
        gateway.finish(request, control, trace, result)
    }

    /// Returns the gateway for the caller of the request as it is now, labelled or not; with the vault if it was opened
    /// to decide that, and serves the call.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the ledger of labels cannot be read.
    pub(super) fn in_force(
        &self,
        request: &Request,
    ) -> Result<(Self, Option<PinnedVault>), Failure> {
        let labels = self.labels();
        let opened = labels
            .can_label_caller()
            .then(|| self.vaults().pinned(request));
        // The call itself reports why the vault cannot be opened.
        match opened.and_then(Result::ok) {
            Some(vault) if labels.has_labelled_caller(&vault)? => {
                Ok((self.under(self.caller.labelled()?), None))
            }
            vault => Ok((self.clone(), vault)),
        }
    }

    /// Undoes `run`, or the last change. A dry run reports what would be restored.
    pub fn undo(&self, run: Option<&RunPrefix>, dry_run: bool) -> Envelope {
        self.reverse_under(Direction::Undo, run, dry_run, &Control::default())
    }

    /// Redoes `run`, or the change that was undone last.
    pub fn redo(&self, run: Option<&RunPrefix>, dry_run: bool) -> Envelope {
        self.reverse_under(Direction::Redo, run, dry_run, &Control::default())
    }

    /// Like [`Self::undo`] and [`Self::redo`]; `control` can cancel it until the first file is written.
    pub fn reverse_under(
        &self,
        direction: Direction,
        run: Option<&RunPrefix>,
        dry_run: bool,
        control: &Control,
    ) -> Envelope {
        let request = Request {
            dry_run,
            ..Request::reversal(direction, run)
        };
        self.answer_with(&request, control)
    }

    /// Answers a request with a failure from before its first step.
    pub(super) fn answer_refused(
        &self,
        request: &Request,
        control: &Control,
        failure: Failure,
    ) -> Envelope {
        let (trace, _, _within) = self.begin(request, control);
        self.finish(request, control, trace, Err(failure))
    }

    /// Begins a call: returns its envelope, its deadline, and its span, to which its events belong.
    pub(super) fn begin(
        &self,
        request: &Request,
        control: &Control,
    ) -> (EnvelopeBuilder, Deadline, EnteredSpan) {
        let mut trace = EnvelopeBuilder::new(request);
        if self.confinement.is_some() {
            let confinement = trace.envelope.meta.confinement.get_or_insert_default();
            confinement.gateway.clone_from(&self.confinement);
        }
        trace.subject.client.clone_from(&control.client);
        trace.reader = self.caller.remedy_reader();
        let span = tracing::info_span!(
            "call",
            run_id = %trace.envelope.run_id,
            command = known_command(request),
            agent = self.caller.agent(),
            dry_run = request.dry_run,
        );
        (trace, self.caller.deadline(control), span.entered())
    }

    /// Completes the envelope of a call with its result, and records the call.
    pub(super) fn finish(
        &self,
        request: &Request,
        control: &Control,
        mut trace: EnvelopeBuilder,
        result: Result<Produced, Failure>,
    ) -> Envelope {
        let subject = std::mem::take(&mut trace.subject);
        let pinned = trace.pinned.take();
        let vault = || {
            pinned
                .clone()
                .map_or_else(|| self.vaults().pinned(request), Ok)
        };
        let elapsed = trace.started.elapsed();
        let mut envelope = trace.finish(result, elapsed, self.caller.is_for_person());
        // The order matters: the log keeps all hashes, so they are withheld from the caller only
        // after the call is recorded; and recording may add a warning, so the texts for a model are
        // adapted last.
        scope::hide_what_is_closed(&mut envelope, &self.caller.policy);
        if self.taint.is_some()
            && let Ok(vault) = vault()
        {
            let taint = self.labels().meta(&vault);
            // This gateway gave the label: the gateway of labelled agents has not answered.
            if let Some(taint) = taint.as_ref().filter(|_| !self.caller.is_labelled()) {
                envelope.warn(taint.warning(self.caller.may_change_when_labelled()));
            }
            envelope.meta.taint = taint;
        }
        // What keeps the draft from being read is the failure of the call itself, or of the next one.
        if let Ok(Some(issue)) = self.drafts().news_of_review(request, control, vault) {
            envelope.warn(issue);
        }
        self.caller
            .records()
            .record_end(request, &subject, &mut envelope);
        // Only changes, plans and failures have hashes and names of what is changed.
        let names_changes = request.dry_run || !envelope.meta.changes.is_empty();
        if names_changes || envelope.error.is_some() {
            self.labels()
                .hide_changed_names(request, vault, &mut envelope);
            known_hash::withhold(&mut envelope, request);
        }
        envelope.keep_open(&|command| self.caller.can_call(command));
        if self.caller.options.caller == Caller::Agent {
            envelope.keep_for_model();
        }
        if request.no_stdout {
            envelope.leave_out_stdout();
        }
        call_ended(&envelope);
        envelope
    }

    /// Clears the labels of notes, and of agents; `None` means no agent, and an empty list all of them. Only a
    /// person does that. It is in the audit log.
    pub fn clear_taint(&self, notes: &[String], agents: Option<&[String]>) -> Envelope {
        let request = Request::new(CLEAR);
        let control = Control::default();
        let (mut trace, deadline, _within) = self.begin(&request, &control);
        let clear = || {
            self.labels()
                .clear(self.vaults(), notes, agents, &mut trace)
        };
        let result = guarded(&control, deadline, clear);
        self.finish(&request, &control, trace, result)
    }

    /// Accepts or rejects parts of a draft.
    pub fn review(&self, review: &Review, dry_run: bool) -> Envelope {
        // No request says that a draft is accepted, so no agent can send one.
        let (request, control) = (review.request(dry_run), Control::default());
        let (mut trace, deadline, _within) = self.begin(&request, &control);
        let result = guarded(&control, deadline, || {
            self.drafts()
                .reviewed(review, (&request, &control, deadline), &mut trace)
        });
        self.finish(&request, &control, trace, result)
    }

    /// Returns the vault as a program of this agent sees it: what is open to it, through its draft. Labelled notes and
    /// drafted changes are not in it unless the agent is restricted, because the gateway cannot know what the program
    /// reads.
    ///
    /// # Errors
    ///
    /// If the vault cannot be opened or its draft cannot be read.
    pub fn seen_vault(&self) -> Result<Vault, Failure> {
        self.caller.admit()?;
        let (gateway, _) = self.in_force(&Request::new(WRITE))?;
        gateway.drafts().seen_vault()
    }

    /// Whether the agent has read text from outside and is restricted.
    ///
    /// # Errors
    ///
    /// If the ledger of labels cannot be read.
    pub fn is_restricted(&self) -> Result<bool, Failure> {
        Ok(self.in_force(&Request::new(WRITE))?.0.caller.is_labelled())
    }

    /// Records what a program wrote. What the agent may not write is left out, with the reason for each; so is
    /// what changed in the vault just now (`PRECONDITION_FAILED`), which can be tried again.
    pub fn record_written(&self, written: &[Written]) -> (Envelope, Vec<(VaultPath, Failure)>) {
        let request = Request::new(WRITE);
        let control = Control::default();
        let mut refused = Vec::new();
        let (gateway, _) = match self.in_force(&request) {
            Ok(in_force) => in_force,
            Err(failure) => return (self.answer_refused(&request, &control, failure), refused),
        };
        let (mut trace, deadline, _within) = gateway.begin(&request, &control);
        let result = guarded(&control, deadline, || {
            gateway.drafts().record_written(
                written,
                (&request, &control, deadline),
                &mut trace,
                &mut refused,
            )
        });
        (gateway.finish(&request, &control, trace, result), refused)
    }

    /// Runs the pipeline. If the app then reports that its command line is off, and was not
    /// requested by name, runs it again with the engine. The app has done nothing in that case.
    fn pass_or_fall_back(
        &self,
        request: &Request,
        control: &Control,
        deadline: Deadline,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let result = self.pass(request, control, deadline, trace, false);
        let failure = match &result {
            Ok(produced) if produced.may_have_happened => None,
            Ok(produced) => produced.outcome.as_ref().err(),
            Err(failure) => Some(failure),
        };
        let is_off = failure.is_some_and(|failure| failure.code == Code::CliDisabled);
        // No retry after an approval was consumed: it works once.
        if !is_off || !trace.may_fall_back || trace.subject.approved.id.is_some() {
            return result;
        }
        trace.start_again();
        self.pass(request, control, deadline, trace, true)
    }
}

/// Returns the command's name for the log. An unknown name is text of the caller, which is not
/// logged.
fn known_command(request: &Request) -> &str {
    let is_command = || Catalogue::find_builtin(&request.command).is_ok();
    let is_question = || about::Question::parse(request).is_some();
    if is_command() || is_question() {
        &request.command
    } else {
        "(unknown)"
    }
}

/// Logs the outcome of a call (`design/command-line.md`): ids, codes, durations and sizes, never vault text.
fn call_ended(envelope: &Envelope) {
    tracing::info!(
        status = ?envelope.status,
        code = envelope.error.as_ref().map(|error| error.code.name()),
        backend = ?envelope.meta.backend,
        exit_code = envelope.exit_code,
        duration_ms = envelope.duration_ms,
        stdout_bytes = envelope.stdout.len(),
        warnings = envelope.warnings.len(),
        changes = envelope.meta.changes.len(),
        "call ended",
    );
}

//! The gateway: a caller, the state that its calls share, and the entry of each call (`pass.rs` has its steps).

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use vault_engine::{Failpoints, FileFacts, Followed, Progress, Vault, VaultPath};

use crate::about::About;
use crate::aimed::CallBounds;
use crate::approve::Approvals;
use crate::caller::CallerContext;
use crate::choose::Backends;
use crate::drafts::{DraftCache, Drafts, Review, WITHDRAW, WRITE, Written};
use crate::error::Error;
use crate::pass::Pipeline;
use crate::ruling::Ruling;
use crate::state::Records;
use crate::taint::{CLEAR, HARMLESS, Labels, Taint, TaintReport};
use crate::vault::Vaults;
use crate::{about, scope};
use allowlist::{BackendName, Call, Catalogue, Effect, RawValue};
use backend::{PinnedVault, Produced};
use changes::{
    Control, Envelope, EnvelopeBuilder, LinksToNotes, NoteLinks, Options, Params, Request,
    known_hash,
};
use obsidian_cli::Obsidian;
#[cfg(target_os = "linux")]
use obsidian_cli::spawn::Runner;
use protocol::{Caller, Code, Deadline, Failure};
use sandbox::{Clock, Confinement, Environment};
use settings::{BackendChoice, Settings};
use store::journal::{Direction, Journal, RunPrefix};
use tiers::{Decision, Policy};

/// The command that gives an agent the same facts. If it is closed, no file can be looked at.
const TELLS: &str = "file";

/// Checks, runs and reports official commands on one vault.
#[derive(Clone)]
pub struct Gateway {
    pub(super) caller: Arc<CallerContext>,
    pub(super) progress: Option<Arc<dyn Progress>>,
    pub(super) followed: Option<Arc<Followed>>,
    pub(super) obsidian: Arc<Obsidian>,
    /// The draft of this caller, kept between calls.
    pub(super) drafts: Arc<DraftCache>,
    /// The confinement of this process; `None` if it is not confined.
    pub(super) confinement: Option<Confinement>,
    /// The sources of labels, and the labelled notes and agents; `None` if the settings name no source.
    pub(super) taint: Option<Arc<Taint>>,
}

impl Gateway {
    /// A gateway with these settings and options. Runs nothing and opens no vault yet.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the timeout is out of range, or the settings do not admit an agent of the given name
    /// ([`Settings::tables_of`]). An agent that had a table or a token, and has no table any more, is refused too.
    ///
    /// ```
    /// use sandbox::Environment;
    /// use gateway::{Caller, Gateway, Options, Request};
    /// use settings::Settings;
    ///
    /// let settings = Settings::parse("settings.toml", "enabled = true\nbackend = \"embedded\"")?;
    /// let options = Options {
    ///     vault: Some(std::path::absolute("../../fixtures/vault").unwrap().display().to_string()),
    ///     ..Options::new(Caller::Agent)
    /// };
    /// let gateway = Gateway::new(settings, options, Environment::default())?;
    /// assert!(gateway.is_bridge_on());
    /// # Ok::<(), protocol::Failure>(())
    /// ```
    pub fn new(
        settings: Settings,
        options: Options,
        environment: Environment,
    ) -> Result<Self, Failure> {
        let caller = CallerContext::new(settings, options, environment)?;
        Ok(Self {
            taint: Taint::from_settings(&caller.settings)?,
            obsidian: Arc::new(Obsidian::new(&caller.settings, &caller.environment)),
            caller: Arc::new(caller),
            progress: None,
            followed: None,
            drafts: Arc::default(),
            confinement: None,
        })
    }

    /// Replaces the clock of the gateway.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.caller = self.caller.changed(|caller| caller.clock = clock);
        self
    }

    /// Sets the function that the gateway calls to report progress while it reads a whole vault.
    #[must_use]
    pub fn with_progress(mut self, progress: Option<Arc<dyn Progress>>) -> Self {
        self.progress = progress;
        self
    }

    /// Sets the function that the gateway calls before every write to the vault and to the state folder, so that tests
    /// can fail or kill the process at each of these writes.
    #[must_use]
    pub fn with_failpoints(mut self, failpoints: Arc<dyn Failpoints>) -> Self {
        self.caller = self
            .caller
            .changed(|caller| caller.failpoints = Some(failpoints));
        self
    }

    /// Lets the gateway keep the vault's index in memory between calls.
    #[must_use]
    pub fn with_followed(mut self, followed: Arc<Followed>) -> Self {
        self.followed = Some(followed);
        self
    }

    /// Sets the confinement of the process, which each envelope then reports.
    #[must_use]
    pub fn with_confinement(mut self, confinement: Option<Confinement>) -> Self {
        self.confinement = confinement;
        self
    }

    /// Sets the process that starts the official program for the gateway.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_runner(mut self, runner: Option<Arc<Runner>>) -> Self {
        self.obsidian = Arc::new(Arc::unwrap_or_clone(self.obsidian).with_runner(runner));
        self
    }

    /// Prepares the gateway for an agent whose sessions begin and end while the process runs, as over HTTP: a label
    /// then lasts for the time in the settings, not as long as the process.
    #[must_use]
    pub fn with_sessions(mut self) -> Self {
        self.taint = self.taint.map(|taint| Arc::new(taint.without_session()));
        self
    }

    /// Makes the gateway the successor of `other` after a change of settings. Both share one set of permits, so calls
    /// that still run on `other` count against the limit on parallel runs.
    #[must_use]
    pub fn in_place_of(mut self, other: &Self) -> Self {
        self.obsidian =
            Arc::new(Arc::unwrap_or_clone(self.obsidian).sharing_permits_with(&other.obsidian));
        self.confinement.clone_from(&other.confinement);
        if let (Some(taint), Some(other_taint)) = (&self.taint, &other.taint)
            && self.caller.options.agent == other.caller.options.agent
        {
            taint.goes_on_from(other_taint);
        }
        self
    }

    /// Returns a gateway like this one that refuses all calls of agents, for an agent whose rules are gone: it was
    /// revoked, and must not continue under its old rules or the rules for everyone.
    #[must_use]
    pub fn turned_off(&self, agent: &str) -> Self {
        Self {
            drafts: Arc::default(),
            ..self.under(self.caller.changed(|caller| {
                caller.enabled = false;
                caller.options.agent = Some(agent.to_owned());
            }))
        }
    }

    /// Returns this gateway for another caller. Both share the state between calls.
    pub(super) fn under(&self, caller: Arc<CallerContext>) -> Self {
        Self {
            caller,
            ..self.clone()
        }
    }

    /// Refuses every call of an agent if calls by agents are turned off.
    ///
    /// # Errors
    ///
    /// `BRIDGE_DISABLED` if the caller is an agent, and they are.
    pub fn admit_caller(&self) -> Result<(), Failure> {
        self.caller.admit()
    }

    /// Whether a person calls for themselves, and not under the policy of an agent.
    pub fn is_person(&self) -> bool {
        self.caller.is_person()
    }

    /// Returns the time by this gateway's clock.
    pub fn now(&self) -> jiff::Zoned {
        self.caller.now()
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.caller.settings
    }

    /// Returns the only backend that may answer; `None` if both may.
    pub fn only_backend(&self) -> Option<BackendName> {
        match self.caller.backend() {
            BackendChoice::Auto => None,
            BackendChoice::Embedded => Some(BackendName::Embedded),
            BackendChoice::Obsidian => Some(BackendName::Obsidian),
        }
    }

    /// Opens the journal of the pinned vault.
    ///
    /// # Errors
    ///
    /// Fails if the vault cannot be opened, or the state folder is unknown or unsafe.
    pub fn journal(&self) -> Result<Journal, Failure> {
        self.records().journal_of(&self.vaults().open()?)
    }

    /// Returns what opens the vault.
    pub fn vaults(&self) -> Vaults<'_> {
        Vaults {
            caller: &self.caller,
            progress: self.progress.as_ref(),
            followed: self.followed.as_ref(),
            is_confined: self.confinement.is_some(),
        }
    }

    /// Returns the facts about this gateway.
    pub fn about(&self) -> About<'_> {
        self.pipeline().about()
    }

    /// Returns the labelled notes and agents of the vault.
    ///
    /// # Errors
    ///
    /// If the vault cannot be opened or the ledger of labels cannot be read.
    pub fn taint(&self) -> Result<TaintReport, Failure> {
        self.labels().report(&self.vaults().open_safely()?)
    }

    /// Returns the path of a note, which is named by it or as in a wikilink, and the reason why it is labelled, as the
    /// rest of a sentence that starts with "It"; `None` if it is not.
    ///
    /// # Errors
    ///
    /// As [`Self::taint`]; `FILE_NOT_FOUND` if there is no such note.
    pub fn why_labelled(&self, note: &str) -> Result<(String, Option<String>), Failure> {
        self.labels()
            .why_labelled(&self.vaults().open_safely()?, note)
    }

    /// Returns the draft of the caller, and the drafts that a person reviews.
    pub fn drafts(&self) -> Drafts<'_> {
        Drafts {
            caller: &self.caller,
            records: self.records(),
            vaults: self.vaults(),
            labels: self.labels(),
            cache: &self.drafts,
        }
    }

    pub(crate) fn labels(&self) -> Labels<'_> {
        Labels {
            caller: &self.caller,
            records: self.records(),
            taint: self.taint.as_ref(),
            is_followed: self.followed.is_some(),
        }
    }

    pub(crate) fn pipeline(&self) -> Pipeline<'_> {
        Pipeline {
            caller: &self.caller,
            records: self.records(),
            vaults: self.vaults(),
            backends: Backends {
                caller: &self.caller,
                obsidian: &self.obsidian,
            },
            labels: self.labels(),
            drafts: self.drafts(),
        }
    }

    /// Returns the approvals that the caller's calls need, for a person who answers them.
    pub fn approvals(&self) -> Approvals<'_> {
        self.caller.approvals()
    }

    /// Returns the records of the caller's runs and calls.
    pub fn records(&self) -> Records<'_> {
        self.caller.records()
    }

    /// Whether agents may call; under `--agent`, whether that agent may.
    pub fn is_bridge_on(&self) -> bool {
        self.caller.enabled
    }

    /// Returns the policy in force.
    pub fn policy(&self) -> &Policy {
        &self.caller.policy
    }

    /// Returns the official binary and the app.
    pub fn obsidian(&self) -> &Obsidian {
        &self.obsidian
    }

    /// Whether a request must run alone, in its turn: it may change the vault, a draft or the app, where the next
    /// request may be about the active file. If outside text is labelled, every answer may restrict its caller, so
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
    /// use sandbox::Environment;
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
    /// # Ok::<(), protocol::Failure>(())
    /// ```
    pub fn call(&self, request: &Request) -> Envelope {
        self.answer_with(request, &Control::default())
    }

    /// Answers a request like [`Self::call`], for a caller that may cancel the call or follow its progress.
    pub fn answer_with(&self, request: &Request, control: &Control) -> Envelope {
        self.run_in_force(request, control, |gateway, bounds, trace| {
            gateway.pipeline().answer(bounds, trace)
        })
    }

    /// Runs the steps of a call under the rules that are in force for its caller.
    fn run_in_force(
        &self,
        request: &Request,
        control: &Control,
        steps: impl FnOnce(&Self, CallBounds<'_>, &mut EnvelopeBuilder) -> Result<Produced, Failure>,
    ) -> Envelope {
        match self.in_force(request) {
            Ok((gateway, vault)) => gateway.run(request, control, vault, |bounds, trace| {
                steps(&gateway, bounds, trace)
            }),
            Err(failure) => self.run(request, control, None, |_, _| Err(failure)),
        }
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

    /// Runs the steps of a call, and returns its recorded envelope. The events of the steps belong to its span.
    fn run(
        &self,
        request: &Request,
        control: &Control,
        vault: Option<PinnedVault>,
        steps: impl FnOnce(CallBounds<'_>, &mut EnvelopeBuilder) -> Result<Produced, Failure>,
    ) -> Envelope {
        let mut trace = EnvelopeBuilder::new(request);
        trace.pinned = vault;
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
        let deadline = self.caller.deadline(control);
        let _within = span.entered();
        // A panic in one call must not end a server process, nor look like an answer (E13).
        let result = catch_unwind(AssertUnwindSafe(|| {
            steps((request, control, deadline), &mut trace)
        }));
        let result = result.unwrap_or_else(|_| Err(Error::Panicked.into()));
        // The engine has one stop signal for deadline and cancellation; without a cancellation it was the deadline
        // (`threats.toml` E16).
        let is_late = !control.cancel.is_cancelled() && deadline.has_passed();
        let result = result.map_err(|failure| match failure.code {
            Code::Cancelled if is_late => Error::NotInTime.into(),
            _ => failure,
        });
        self.finish(request, control, trace, result)
    }

    /// Completes the envelope of a call with its result, and records the call.
    fn finish(
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
        // If the draft cannot be read, this call or the next one fails with the reason.
        if let Ok(Some(issue)) = self.drafts().news_of_review(request, control, vault) {
            envelope.warn(issue);
        }
        self.records().record_end(request, &subject, &mut envelope);
        // Only changes, plans and failures have hashes and names of what is changed.
        let names_changes = request.dry_run || !envelope.meta.changes.is_empty();
        if names_changes || envelope.error.is_some() {
            self.labels()
                .hide_changed_names(request, vault, &mut envelope);
            known_hash::withhold(&mut envelope, request);
        }
        let links = request.links.or(self.caller.options.links);
        if let Some(NoteLinks::Uri) = links
            && let Ok(vault) = vault()
        {
            envelope.data.link_notes(LinksToNotes {
                vault: vault.name_for_links(),
                harmless: if self.taint.is_some() { HARMLESS } else { "" },
            });
        }
        let is_agent = self.caller.options.caller == Caller::Agent;
        let error = envelope.error.as_ref().map(|error| error.code);
        // To a person, the refusal of a closed command says how to open it, so a mistyped id leads there.
        if is_agent || error != Some(Code::UnknownCommand) {
            envelope.keep_open(&|command| self.caller.can_call(command));
        }
        if is_agent {
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
        let (request, control) = (Request::new(CLEAR), Control::default());
        self.run(&request, &control, None, |_, trace| {
            let (labels, vaults) = (self.labels(), self.vaults());
            labels.clear(vaults, notes, agents, trace)
        })
    }

    /// Changes the journal for a person, under this name in the audit log. Answers with the text of `work`.
    pub fn change_journal(
        &self,
        name: &str,
        params: Map<String, Value>,
        work: impl FnOnce(Journal, &PinnedVault, Deadline) -> Result<String, Failure>,
    ) -> Envelope {
        let (request, control) = (Request::new(name), Control::default());
        self.run(&request, &control, None, |(_, _, deadline), trace| {
            trace.record_question(params, Effect::Write);
            let vault = self.vaults().open()?;
            trace.opened(&vault, self.vaults().instead_of_set(&vault));
            self.records().record_intent(&request, trace, &[])?;
            let text = work(self.records().journal_of(&vault)?, &vault, deadline)?;
            Ok(Produced {
                exact_text: Some(text.into()),
                ..Produced::default()
            })
        })
    }

    /// Accepts or rejects parts of a draft.
    pub fn review(&self, review: &Review, dry_run: bool) -> Envelope {
        // No request says that a draft is accepted, so no agent can send one.
        let (request, control) = (review.request(dry_run), Control::default());
        self.run(&request, &control, None, |bounds, trace| {
            self.drafts().reviewed(review, bounds, trace)
        })
    }

    /// Records what a program wrote. What the agent may not write is left out, with the reason for each; so is
    /// what changed in the vault just now (`PRECONDITION_FAILED`), which can be tried again.
    pub fn record_written(&self, written: &[Written]) -> (Envelope, Vec<(VaultPath, Failure)>) {
        let (request, control) = (Request::new(WRITE), Control::default());
        let mut refused = Vec::new();
        let envelope = self.run_in_force(&request, &control, |gateway, bounds, trace| {
            let drafts = gateway.drafts();
            drafts.record_written(written, bounds, trace, &mut refused)
        });
        (envelope, refused)
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

    /// Whether the agent has read outside text and is restricted.
    ///
    /// # Errors
    ///
    /// If the ledger of labels cannot be read.
    pub fn is_restricted(&self) -> Result<bool, Failure> {
        Ok(self.as_it_is_now()?.caller.is_labelled())
    }

    /// Returns the gateway under the rules that apply now: those for a restricted agent if the agent has read outside
    /// text.
    ///
    /// # Errors
    ///
    /// If the ledger of labels cannot be read.
    pub fn as_it_is_now(&self) -> Result<Self, Failure> {
        Ok(self.in_force(&Request::new(WRITE))?.0)
    }

    /// Returns the decision on the request by the rules that apply now. Reads the vault to find the note of a `file=`, runs nothing, and writes
    /// nothing to an audit log. A request that fails for another reason than the policy is `refused` with that
    /// code. A missing note is one only if rules close notes, because then it gets the same answer as a closed one.
    pub fn ruling_on(&self, request: &Request) -> Ruling {
        match self.in_force(request) {
            Ok((gateway, _)) => gateway.pipeline().ruling_on(request),
            Err(failure) => self.pipeline().refused(failure, request),
        }
    }

    /// Size and times of these files: `None` for each that is missing or that the caller may not
    /// read.
    ///
    /// This is not a call, and not in the audit log, because it happens every second. The caller
    /// records once which files it looks at, with the command `file`.
    pub fn look_at(&self, paths: &[String]) -> Vec<Option<FileFacts>> {
        let request = Request::new(TELLS);
        let in_force = self.in_force(&request).ok();
        let vault = in_force.and_then(|(gateway, _)| {
            let caller = &gateway.caller;
            let command = Catalogue::find_builtin(TELLS).ok()?;
            let evaluation = caller.policy.check_command(&command, command.effects);
            let is_open = caller.enabled && evaluation.decision == Decision::Allowed;
            let vault = is_open.then(|| gateway.vaults().pinned(&request).ok())??;
            vault.limited_to(caller.sight.as_ref()).ok()
        });
        let look = |path: &String| {
            let path = VaultPath::file(path).ok()?;
            vault.as_ref()?.engine.facts(&path).ok()
        };
        paths.iter().map(look).collect()
    }

    /// Counts the notes that link to the file at `path`, for the question to a person whose call
    /// removes it.
    ///
    /// This is not a call either: the person did not ask for it, and the log has the call itself.
    pub fn notes_linking_to(&self, path: String) -> usize {
        let request = Request {
            params: Params(BTreeMap::from([("path".to_owned(), RawValue::Text(path))])),
            ..Request::new("backlinks")
        };
        let list = self.looked_up(&request).data.list();
        list.map_or(0, |list| list.total)
    }

    /// Returns the failure of a change that would be refused with any text, for a person who is
    /// about to type the text.
    pub fn refusal_of(&self, request: &Request) -> Option<Failure> {
        let request = Request {
            dry_run: true,
            ..request.clone()
        };
        let error = self.looked_up(&request).error?;
        let is_of_the_text = matches!(error.code, Code::UsageError | Code::ValidationError);
        (!is_of_the_text).then_some(error)
    }

    /// Returns the answer to a read or a dry run of the program's own, without a record.
    fn looked_up(&self, request: &Request) -> Envelope {
        let control = Control::default();
        let mut trace = EnvelopeBuilder::new(request);
        let bounds = (request, &control, self.caller.deadline(&control));
        let result = self.pipeline().pass(bounds, &mut trace, false);
        let mut envelope = trace.finish(result, Duration::ZERO, self.caller.is_for_person());
        scope::hide_what_is_closed(&mut envelope, &self.caller.policy);
        envelope
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

//! The state folder (`design/settings.md`): opening the journal, locking the vault, recovering runs that
//! were interrupted, and the audit records of a call: the intent before a change, and the result at the end
//! (`design/writes.md`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use jiff::Zoned;

use crate::caller::CallerContext;
use crate::error::Error;
use backend::PinnedVault;
use backend::cancel::Cancel;
use changes::{
    AuditSubject, Envelope, EnvelopeBuilder, FileChange, Left, Request, subject::logged,
};
use protocol::{Answerer, Caller, Code, Deadline, Failure, Issue, Message, for_person, message};
use store::audit::{Audit, AuditRecord, AuditVerdict, Phase, redacted_unread};
use store::journal::{CutOff, Journal, Outcome, Owner, Recovered, RunOrigin, VaultLock};

/// The longest time that a read waits for the lock of another process that changes the vault. Short: a read answers
/// with a warning rather than late.
const READER_LOCK_WAIT: Duration = Duration::from_millis(25);

/// Time between two checks for cancellation while a call waits for the lock. The lock is taken with a timeout, and a
/// blocked `flock` cannot be woken.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The records of a caller's runs and calls, in the state folder of the user: the journal with the vault's lock, and
/// the audit log.
#[derive(Clone, Copy)]
pub struct Records<'caller> {
    pub(crate) caller: &'caller CallerContext,
}

impl Records<'_> {
    /// Opens the journal of a vault, once for each call.
    ///
    /// # Errors
    ///
    /// Fails if the state folder is unknown, is in the vault, or others can write to it.
    pub fn journal_of(self, vault: &PinnedVault) -> Result<Journal, Failure> {
        let known = vault
            .attachment
            .get()
            .and_then(|journal| journal.downcast_ref::<Journal>());
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let (limits, failpoints) = (self.caller.settings.journal, self.caller.failpoints.clone());
        let journal = Journal::open(
            &self.caller.state_folder()?,
            &vault.engine,
            limits,
            failpoints,
        )?;
        vault.attachment.get_or_init(|| Box::new(journal.clone()));
        Ok(journal)
    }

    /// Returns the origin of this gateway's runs: caller and agent.
    pub(super) fn origin(self) -> RunOrigin {
        RunOrigin {
            owner: Owner::new(self.caller.options.caller, self.caller.agent()),
            by_person: self.caller.options.caller == Caller::Person
                && self.caller.options.agent.is_some(),
            ..RunOrigin::default()
        }
    }

    /// Returns the origin of the run of a call, with its approval.
    pub(super) fn origin_of(self, subject: &AuditSubject) -> RunOrigin {
        RunOrigin {
            approved_by: subject.approved.channel,
            client: subject.client.clone(),
            ..self.origin()
        }
    }

    /// Recovers interrupted runs. Returns the warnings that the next write would report.
    ///
    /// # Errors
    ///
    /// `LOCK_TIMEOUT` if another process keeps the vault's lock until the timeout; fails if the journal cannot be read
    /// or written.
    pub fn recover(self, vault: &PinnedVault) -> Result<Vec<Issue>, Failure> {
        let deadline = Deadline::after_ms(self.caller.settings.timeout_ms);
        let lock = self.journal_of(vault)?.lock(deadline)?;
        let recovered = lock.recover(&vault.engine, self.caller.now().timestamp())?;
        Ok(recovered
            .iter()
            .map(|run| self.recovery_issue(run))
            .collect())
    }

    /// Returns the warning about a recovered run, without paths closed to the caller (`threats.toml` D13).
    fn recovery_issue(self, recovered: &Recovered) -> Issue {
        match &recovered.outcome {
            // The failure's own message may name any path of the run, so it is replaced.
            Outcome::Stuck(failure) if !self.caller.policy.reads_everything() => {
                let unnamed = failure
                    .code
                    .failure("A file that this run changed cannot be restored now.");
                let outcome = Outcome::Stuck(unnamed);
                let recovered = Recovered {
                    outcome,
                    ..recovered.clone()
                };
                recovered.issue(|_| false)
            }
            _ => recovered.issue(|path| self.caller.policy.may_name(path)),
        }
    }

    /// Recovers interrupted runs before a read, so that it does not see a half-done change
    /// (`threats.toml` H11). Works with mutations off too: the run began while they were on. Returns the journal, and
    /// whether a run was recovered.
    ///
    /// A failure becomes a warning: a read must not fail because of another call's run.
    pub(super) fn recover_interrupted_runs(
        self,
        vault: &PinnedVault,
        trace: &mut EnvelopeBuilder,
    ) -> (Option<Journal>, bool) {
        // Without a state folder no run can have been started.
        if self.caller.state_folder().is_err() {
            return (None, false);
        }
        let warnings = &mut trace.envelope.warnings;
        let journal = match self.journal_of(vault) {
            Ok(journal) => journal,
            Err(failure) => {
                warnings.push(recovery_failed(&failure));
                return (None, false);
            }
        };
        let settled = match journal.cut_off(READER_LOCK_WAIT) {
            Ok(CutOff::Nothing) => Ok(Vec::new()),
            Ok(CutOff::UnderWay) => {
                warnings.push(change_under_way());
                Ok(Vec::new())
            }
            Ok(CutOff::Run(lock)) => lock.recover(&vault.engine, vault.now.timestamp()),
            Err(failure) => Err(failure),
        };
        // After a failure the read continues and returns the files as they are.
        let recovered = settled.unwrap_or_else(|failure| {
            warnings.push(recovery_failed(&failure));
            Vec::new()
        });
        warnings.extend(recovered.iter().map(|run| self.recovery_issue(run)));
        (Some(journal), !recovered.is_empty())
    }

    /// Locks the vault for a change, and recovers interrupted runs under the lock.
    pub(super) fn lock(
        self,
        vault: &PinnedVault,
        deadline: Deadline,
        cancel: &Cancel,
        now: &Zoned,
        trace: &mut EnvelopeBuilder,
    ) -> Result<VaultLock, Failure> {
        let journal = self.journal_of(vault)?;
        // In slices: waiting for the whole deadline at once would ignore a cancellation.
        let lock = loop {
            match journal.lock(deadline.at_most(CANCEL_CHECK_INTERVAL)) {
                Err(failure) if failure.code == Code::LockTimeout && !deadline.has_passed() => {
                    cancel.check()?;
                }
                result => break result?,
            }
        };
        tracing::debug!("vault locked");
        // Recovery is not interrupted by the deadline either.
        let vault = vault.clone().to_the_end();
        for recovered in lock.recover(&vault.engine, now.timestamp())? {
            tracing::warn!("an interrupted run was recovered");
            trace
                .envelope
                .warnings
                .push(self.recovery_issue(&recovered));
        }
        Ok(lock)
    }

    /// Opens the audit log of this user.
    ///
    /// # Errors
    ///
    /// Fails if the environment names no folder for state, such as `HOME`.
    pub fn audit(self) -> Result<Audit, Failure> {
        Ok(Audit::open(
            self.caller.state_folder()?,
            self.caller.settings.audit,
            self.caller.failpoints.clone(),
        ))
    }

    /// Write-ahead: records the intended changes and copies before the first one. If the record cannot be
    /// written, the change must not run (`threats.toml` H11): a killed run would otherwise leave changes
    /// that no log mentions.
    pub(super) fn record_intent(
        self,
        request: &Request,
        trace: &mut EnvelopeBuilder,
        files: &[FileChange],
    ) -> Result<(), Failure> {
        let subject = &trace.subject;
        let mut record = self.new_record(Phase::Intent, request, subject, &trace.envelope);
        record.decision = AuditVerdict::Allowed;
        record.status = None;
        let further = subject.unseen.iter().chain(&subject.exported);
        record.files = files.iter().map(logged).chain(further.cloned()).collect();
        self.audit()?.record(&record)?;
        trace.subject.is_intended = true;
        Ok(())
    }

    /// Records the result of a call. If that fails, the answer carries a warning: a change has
    /// already happened, and its intent is in the log.
    ///
    /// A read is answered without a record unless `required_for_reads` is set (`threats.toml` H08).
    pub(super) fn record_end(
        self,
        request: &Request,
        subject: &AuditSubject,
        envelope: &mut Envelope,
    ) {
        let phase = if subject.is_intended {
            Phase::Result
        } else {
            Phase::Decision
        };
        // A panic in the logging must not lose the answer of a change that was made (`threats.toml` E13).
        let recorded = catch_unwind(AssertUnwindSafe(|| {
            self.try_record_end(phase, request, subject, envelope)
        }));
        let failure = match recorded {
            Ok(Ok(())) => return,
            Ok(Err(failure)) => failure,
            Err(_) => Error::NotRecorded.into(),
        };
        let is_read = phase == Phase::Decision;
        if is_read && self.caller.settings.audit.required_for_reads {
            envelope.withhold(failure);
        } else {
            // Reported by every interface, to people and agents alike (`threats.toml` H18).
            let message = if is_read {
                not_recorded(&failure)
            } else {
                failure.message()
            };
            let issue = Issue::new("AUDIT_UNWRITABLE", message);
            envelope.warn(issue.with("code", failure.code.name()));
        }
    }

    fn try_record_end(
        self,
        phase: Phase,
        request: &Request,
        subject: &AuditSubject,
        envelope: &Envelope,
    ) -> Result<(), Failure> {
        let mut record = self.new_record(phase, request, subject, envelope);
        let code = envelope.error.as_ref().map(|error| error.code);
        record.decision = AuditVerdict::from_code(code);
        record.status = Some(envelope.status);
        record.code = code;
        record.exit_code = envelope.exit_code;
        record.duration_ms = Some(envelope.duration_ms);
        let changed = envelope.meta.changes.iter().map(logged);
        let unseen = subject.unseen.iter().filter(|_| envelope.success);
        record.files = changed
            .chain(unseen.cloned())
            .chain(subject.exported.iter().cloned())
            .collect();
        if envelope.success {
            let Left { notes, may_be_more } = subject.unseen_left;
            record.closed_notes_left = (notes > 0).then_some(notes);
            record.closed_notes_unknown = may_be_more;
        }
        self.audit()?.record(&record)
    }

    fn new_record(
        self,
        phase: Phase,
        request: &Request,
        subject: &AuditSubject,
        envelope: &Envelope,
    ) -> AuditRecord {
        let now = self.caller.now().timestamp();
        let mut record = AuditRecord::new(
            phase,
            now,
            envelope.run_id,
            self.caller.options.caller,
            envelope.command.clone(),
        );
        record.correlation_id.clone_from(&envelope.correlation_id);
        record.agent.clone_from(&self.caller.options.agent);
        record.client.clone_from(&subject.client);
        record.dry_run = request.dry_run;
        record.params = subject
            .params
            .clone()
            .unwrap_or_else(|| redacted_unread(&request.params.0));
        record.vault.clone_from(&envelope.meta.vault);
        record.effects = envelope.meta.effects.iter().copied().collect();
        record.tier = envelope.meta.tier;
        record.backend = Some(envelope.meta.backend).filter(|backend| *backend != Answerer::None);
        record.approval.clone_from(&subject.approved.id);
        record.approved_by = subject.approved.channel;
        record.undoes = subject.undoes;
        record.policy = Some(self.caller.policy_hash.clone());
        record
    }
}

/// Called after a read, which takes no lock: warns if another process has begun a change in the meantime and has
/// not finished it. The answer may then mix files from before and after that change.
pub(super) fn warn_of_concurrent_change(journal: Option<&Journal>, trace: &mut EnvelopeBuilder) {
    let mut warnings = trace.envelope.warnings.iter();
    let is_warned =
        warnings.any(|issue| matches!(issue.code, "CHANGE_UNDER_WAY" | "RUN_INTERRUPTED"));
    // An unreadable journal was reported before the read.
    let Some(journal) = journal.filter(|_| !is_warned) else {
        return;
    };
    if journal.unfinished().is_ok_and(|runs| !runs.is_empty()) {
        trace.envelope.warnings.push(change_under_way());
    }
}

fn change_under_way() -> Issue {
    Issue::new(
        "CHANGE_UNDER_WAY",
        "This answer may mix old and new versions of files, because another process is changing the vault. Try \
        again in a moment.",
    )
}

/// Returns the warning that an earlier run was interrupted and cannot be recovered now, or that the journal cannot be
/// read.
fn recovery_failed(failure: &Failure) -> Issue {
    let message = message!(
        "This answer may mix old and new versions of files, because an earlier change was interrupted and is \
        not repaired yet. {}",
        failure.message()
    );
    Issue::new("RUN_INTERRUPTED", message).with("code", failure.code.name())
}

/// Returns the warning for a read that was not logged.
fn not_recorded(failure: &Failure) -> Message {
    let what = match failure.code {
        Code::LockTimeout => {
            "This call is not in the audit log, because another process kept the log locked."
        }
        Code::InternalError => {
            "This call is not in the audit log, because of a bug in vault-gw. Please report it."
        }
        _ => {
            return message!(
                "This call is not in the audit log, because the log cannot be written. Changes are refused \
                 until the log can be written.{}",
                for_person(" `vault-gw doctor` shows more.")
            );
        }
    };
    what.into()
}

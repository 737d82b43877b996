//! Audit records of a call: the intent before a change, and the result at the end (`design/writes.md`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;
use crate::state::Records;
use changes::change::Left;
use changes::envelope::Envelope;
use changes::envelope_builder::EnvelopeBuilder;
use changes::file_change::FileChange;
use changes::request::Request;
use changes::subject::{AuditSubject, logged};
use protocol::code::Code;
use protocol::failure::Failure;
use protocol::issue::Issue;
use protocol::message::{Message, for_person, message};
use protocol::status::Answerer;
use store::audit;
use store::audit::{Audit, AuditRecord, AuditVerdict, Phase};

impl Records<'_> {
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
            .unwrap_or_else(|| audit::redacted_unread(&request.params.0));
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

/// Returns the change as the audit log stores it, without its diff.
/// Returns the warning for a read that was not logged.
fn not_recorded(failure: &Failure) -> Message {
    let what = match failure.code {
        Code::LockTimeout => {
            "This call is not in the audit log, because another process had locked the log \
            until the timeout."
        }
        Code::InternalError => {
            "This call is not in the audit log because of an internal error. Please report this error."
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

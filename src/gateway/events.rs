//! Tracing events of a call (`design.md` §8): ids, codes, durations and sizes, never vault text.

use uuid::Uuid;

use super::about;
use super::core::Gateway;
use super::envelope::Envelope;
use super::request::Request;
use crate::allowlist::Catalogue;

impl Gateway {
    /// Returns the span of a call, which all its events share.
    pub(super) fn span(&self, request: &Request, run_id: Uuid) -> tracing::Span {
        tracing::info_span!(
            "call",
            run_id = %run_id,
            command = known_command(request),
            agent = self.options.agent.as_deref(),
            dry_run = request.dry_run,
        )
    }
}

/// Returns the command's name for the log. An unknown name is text of the caller, which is not
/// logged.
fn known_command(request: &Request) -> &str {
    let is_command = || Catalogue::find_builtin(&request.command).is_ok();
    let is_question = || about::Question::parse(request).is_some();
    if is_command() || is_question() { &request.command } else { "(unknown)" }
}

/// Logs the outcome of a call.
pub(super) fn call_ended(envelope: &Envelope) {
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

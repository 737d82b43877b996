//! The answer of a call: envelope and exact bytes.

use super::data::Data;
use super::envelope::{Envelope, sort_issues};
use super::remedy::{Under, remedy};
use crate::failure::Failure;
use crate::issue::Issue;
use crate::status::Status;

/// An envelope, and the exact bytes a person sees at the terminal.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The envelope of the call.
    pub envelope: Envelope,
    /// The output of text mode: for notes the exact bytes of the file. For an agent only text that
    /// is not in the envelope's `stdout`, such as a plan.
    pub text: Vec<u8>,
}

impl Answered {
    /// Adds a warning that arose after the envelope was built.
    pub(crate) fn warn(&mut self, issue: Issue) {
        let mut warnings = std::mem::take(&mut self.envelope.warnings);
        warnings.push(issue);
        self.envelope.warnings = sort_issues(warnings);
    }

    /// Replaces the answer by a failure, so that none of its content reaches the caller.
    pub(super) fn withhold(&mut self, failure: Failure) {
        self.text.clear();
        let envelope = &mut self.envelope;
        envelope.success = false;
        envelope.status = Status::Error;
        envelope.exit_code = None;
        envelope.stdout.clear();
        envelope.stderr.clear();
        envelope.data = Data::default();
        envelope.warnings.clear();
        envelope.violations.clear();
        envelope.meta.untrusted.clear();
        envelope.meta.lossy.clear();
        envelope.meta.truncated = None;
        envelope.advice = remedy(&failure, &Under::default()).into_iter().collect();
        envelope.error = Some(failure);
    }
}

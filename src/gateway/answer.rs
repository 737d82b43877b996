//! Answering a request: the one entry for every caller.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::answered::Answered;
use super::control::Control;
use super::core::Gateway;
use super::envelope::Envelope;
use super::envelope_builder::EnvelopeBuilder;
use super::remedy::Under;
use super::request::Request;
use super::{events, known_hash, scope};
use crate::backend::Produced;
use crate::backend::obsidian::deadline::Deadline;
use crate::caller::Caller;
use crate::code::Code;
use crate::failure::Failure;

impl Gateway {
    /// Answers a request. Never panics, never prints, always returns an envelope.
    pub fn call(&self, request: &Request) -> Envelope {
        self.answer(request).envelope
    }

    /// Answers a request, with the exact bytes for a terminal beside the envelope.
    pub fn answer(&self, request: &Request) -> Answered {
        self.answer_under(request, &Control::default())
    }

    /// As [`Self::answer`], for a caller that may take the call back or wants to hear of its
    /// progress.
    pub fn answer_under(&self, request: &Request, control: &Control) -> Answered {
        let started = Instant::now();
        let mut trace = EnvelopeBuilder::new(request);
        let span = self.span(request, trace.run_id());
        let _within = span.enter();
        trace.under = Under {
            agent: self.options.agent.is_some(),
            tier_option: self
                .options
                .tier
                .is_some_and(|tier| tier < self.settings.tier),
            model: self.options.caller == Caller::Agent,
        };
        // A defect in one call must not take the service down, nor look like an answer (E13).
        let deadline = self.deadline(control);
        let pass = || self.pass_or_fall_back(request, control, deadline, &mut trace);
        let result = catch_unwind(AssertUnwindSafe(pass))
            .unwrap_or_else(|_| {
                Err(Failure::new(
                    Code::InternalError,
                    "The gateway made a mistake and stopped this call. Please report it.",
                ))
            })
            .map_err(|failure| timed_out(failure, control, deadline));
        let subject = trace.subject.clone();
        let mut answered = trace.finish(result, started.elapsed(), self.is_for_person());
        scope::hide_what_is_closed(&mut answered.envelope, &self.policy);
        self.record_end(request, &subject, &mut answered);
        known_hash::withhold(&mut answered.envelope, request);
        if self.options.caller == Caller::Agent {
            answered.envelope.for_model();
        }
        events::call_ended(&answered.envelope);
        answered
    }

    /// The way through; once more with the engine where the app turns out to have its command line
    /// switched off and had not been asked for by name. It has done nothing then.
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
        // An approval that was used up cannot be used again.
        if !is_off || !trace.may_fall_back || trace.subject.approved.id.is_some() {
            return result;
        }
        trace.start_again();
        self.pass(request, control, deadline, trace, true)
    }
}

/// The engine stops in the same way at its deadline as when the call is taken back: what nobody took
/// back has run out of time (`faults.md` E16).
fn timed_out(failure: Failure, control: &Control, deadline: Deadline) -> Failure {
    if failure.code != Code::Cancelled || control.cancel.is_cancelled() || !deadline.has_passed() {
        return failure;
    }
    Failure::new(
        Code::Timeout,
        "The answer took longer than `timeout_ms` allows and was given up. Nothing was changed. Ask for less, such as fewer terms or one folder.",
    )
}

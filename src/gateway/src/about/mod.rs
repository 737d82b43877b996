//! `context` and `capabilities`: questions about the gateway and its vault rather than about notes.
//! People ask them as verbs and agents as requests; both get the same answer under the same policy.

mod capabilities;
mod context;
mod context_text;
mod open;
mod question;
mod scopes;
mod settings;
mod versions;

use vault_answers::{Answer, AnswerData};

pub use self::capabilities::{Capabilities, Capability, CapabilityFilter, FORMATS};
pub use self::context::Context;
pub use self::open::{Openness, PolicyFacts, rights_of_agents};
pub use self::question::usage_of;
pub(super) use self::question::{BuiltIn, Question};
use crate::aimed::CallBounds;
use crate::caller::CallerContext;
use crate::choose::Backends;
use crate::drafts::DraftQuestion;
use crate::error::Error;
use crate::pass::Pipeline;
use allowlist::Effect;
use backend::{Captured, Produced};
use changes::EnvelopeBuilder;
use protocol::{Deadline, Failure};

impl AnswerData for Context {}
impl AnswerData for Capabilities {}

/// The names of the questions in requests. No official command has these names.
pub const QUESTIONS: [&str; 2] = ["capabilities", "context"];

/// Facts about the gateway, for one caller.
#[derive(Clone, Copy)]
pub struct About<'gateway> {
    pub(crate) caller: &'gateway CallerContext,
    pub(crate) backends: Backends<'gateway>,
}

impl Pipeline<'_> {
    /// Answers a question. Runs no command, and names no path that policy closes.
    pub(super) fn answer_question(
        &self,
        question: &Question,
        bounds: CallBounds<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let (request, control, deadline) = bounds;
        trace.record_question(question.params(), Effect::Read);
        if request.if_hash.is_some() || request.approval.is_some() {
            return Err(Error::NotOfQuestion(question.name()).into());
        }
        // No undo brings back what is withdrawn.
        let withdraws = matches!(question, Question::Draft(DraftQuestion::Withdraw { .. }));
        if request.dry_run && withdraws {
            return Err(Error::NoDryRun(question.name()).into());
        }
        let (mut is_partial, mut warnings) = (false, Vec::new());
        let (answer, text) = match question {
            Question::Capabilities(filter) => {
                if request.vault.is_some() {
                    let vault = self.vaults.pinned(request)?;
                    trace.opened(&vault, self.vaults.instead_of_set(&vault));
                }
                let capabilities = self.about().capabilities(filter)?;
                let text = capabilities.to_text();
                (Answer::from(capabilities), text)
            }
            Question::Draft(question) => {
                let report = self.drafts.answer_question(
                    question,
                    |trace| self.vault_under(bounds, trace),
                    (control, deadline),
                    trace,
                )?;
                let text = report.to_text();
                (Answer::from(report), text)
            }
            Question::Context { deep } => {
                control.cancel.check()?;
                // `context` has its own time budget for the counts and returns what it has by then.
                // The call's deadline would turn that partial answer into a failure.
                let unlimited = Deadline::after_ms(::settings::MAX_TIMEOUT_MS);
                let unlimited = (request, control, unlimited);
                let vault = self.vault_under(unlimited, trace)?;
                let mut vault = self.drafts.through_draft(vault, None, trace)?;
                trace.opened(&vault, self.vaults.instead_of_set(&vault));
                if self.records.recover_interrupted_runs(&vault, trace).1 {
                    trace.pinned = None;
                    vault = self.vault_under(unlimited, trace)?;
                    vault = self.drafts.through_draft(vault, None, trace)?;
                }
                let vault = vault.limited_to(self.caller.sight.as_ref())?;
                let about = self.about();
                let (mut context, mut shown) =
                    about.context(&vault, *deep, deadline, &control.cancel)?;
                self.labels
                    .leave_out_labelled("context", &vault, &mut shown)?;
                context.taint = self.labels.meta(&vault);
                control.cancel.check()?;
                let deep = context.deep.as_ref();
                is_partial = deep.is_some_and(|deep| !deep.is_complete);
                warnings = shown;
                let text = context.to_text();
                (Answer::from(context), text)
            }
        };
        Ok(Produced {
            stdout: Captured::from_bytes(text.into_bytes(), self.caller.output_limit(request)),
            outcome: Ok(Some(answer)),
            is_of_gateway: true,
            is_partial,
            warnings,
            ..Produced::default()
        })
    }
}

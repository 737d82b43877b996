//! The branch of a call that changes nothing: a backend answers it.

use cli_output::Shape;

use crate::aimed::{AimedCall, OpenedVault};
use crate::nearby;
use crate::pass::Pipeline;
use crate::state::warn_of_concurrent_change;
use allowlist::{Call, Target};
use backend::{Limits, Produced, ResolvedCall, embedded};
use changes::{Backend, ChangePlan, EnvelopeBuilder, later_part, note_text, vault_text};
use protocol::Failure;

impl Pipeline<'_> {
    /// Answers a call that changes nothing.
    pub(super) fn read(
        &self,
        call: &Call,
        mut opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let journal = self.recover_vault(&mut opened, trace)?;
        let leaves_out = opened.control.without_labelled && !self.caller.is_labelled();
        let left_out = if leaves_out {
            self.labels.view_of_caller(&opened.vault)?
        } else {
            None
        };
        if let Some(view) = &left_out {
            opened = opened.by_the_engine(self.labels.sight_without_labelled(view));
        }
        // A damaged ledger stops agents, and no person.
        let before = if self.caller.is_person() {
            None
        } else {
            Some(self.labels.ledger(&opened.vault)?)
        };
        let aimed = self.aim(call, &opened);
        let mut result = match &aimed {
            Ok(aimed) => self.answer_aimed(aimed, trace),
            Err(failure) => Err(failure.clone()),
        };
        // After the answer, which brings the index up to date if it needs it.
        if left_out.is_none()
            && let Some(view) = self.labels.view_of_caller(&opened.vault)?
        {
            let note = aimed
                .as_ref()
                .ok()
                .and_then(|aimed| aimed.resolved.note.as_ref());
            self.labels.label_by_read(
                call,
                &opened,
                (before, &view),
                (note, &mut result),
                &|opened| self.answer_again(call, opened),
            )?;
        }
        let produced = result?;
        warn_of_concurrent_change(journal.as_ref(), trace);
        Ok(produced)
    }

    /// Answers a read of a known note, or of the vault, once its approval is given.
    fn answer_aimed(
        &self,
        aimed: &AimedCall<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        let (opened, call) = (aimed.opened, &aimed.resolved.call);
        self.caller.refuse_to_show(aimed, &[])?;
        if call
            .effects()
            .intersection(self.caller.policy.approve())
            .is_empty()
        {
            opened.limits.cancel.check()?;
            trace.chosen(&opened.choice);
        } else {
            let plan = ChangePlan::without_changes(&aimed.resolved, &opened.vault);
            self.use_approval(aimed, &plan, &opened.vault, trace)?;
        }
        let produced = self.read_from_backend(aimed);
        let mut produced = self.suggest_similar_names(produced, aimed)?;
        // The text of a note is not limited by names that the vault may lack.
        if call.command.output != Shape::NoteText {
            nearby::warn_of_missing(&mut produced, call, &aimed.seen);
        }
        self.complete(produced, aimed, trace)
    }

    /// Runs a read on the chosen backend and cuts its answer to the requested part.
    fn read_from_backend(&self, aimed: &AimedCall<'_>) -> Result<Produced, Failure> {
        let (vault, limits) = (&aimed.opened.vault, &aimed.opened.limits);
        let AimedCall { resolved, seen, .. } = aimed;
        let Backend::Obsidian(ready) = &aimed.opened.choice.backend else {
            return embedded::answer(resolved, seen, limits);
        };
        let open = |follow_up: &str| self.caller.is_open(follow_up);
        let ask = |resolved: &ResolvedCall, limits: &Limits| {
            self.backends
                .obsidian
                .answer(resolved, vault, ready, limits, &open)
        };
        // The app does not print how many items its `limit` left out, so it is asked for the whole
        // list first. Only if that overflows the output bound is it asked again with the limit.
        if limits.limit.is_some() {
            let mut printed = ask(&later_part::without_limit(resolved), limits)?;
            if later_part::has_too_little(&mut printed, limits) {
                let own = Limits {
                    limit: None,
                    ..limits.clone()
                };
                printed = ask(resolved, &own)?;
                later_part::at_least_one_more(&mut printed, limits);
            }
            return Ok(later_part::cut_list(printed, resolved, limits));
        }
        let printed = ask(resolved, limits)?;
        // The engine is asked from the start of the answer: its text is compared with all that
        // the app printed.
        let whole = Limits {
            offset: 0,
            ..limits.clone()
        };
        let printed = vault_text::recognise(printed, resolved, || {
            embedded::answer(resolved, seen, &whole)
        });
        Ok(later_part::cut_list(printed, resolved, limits))
    }

    /// Returns the answer of the engine to the same call, on the vault as it was opened with another sight.
    fn answer_again(&self, call: &Call, opened: &OpenedVault<'_>) -> Result<Produced, Failure> {
        let limits = if call.command.output == Shape::NoteText || call.acts_on() == Target::Note {
            opened.limits.clone()
        } else {
            // A page begins elsewhere if items before it are left out.
            Limits {
                offset: 0,
                limit: None,
                max_output_bytes: usize::MAX,
                ..opened.limits.clone()
            }
        };
        let aimed = self.aim(call, opened)?;
        let AimedCall { resolved, seen, .. } = &aimed;
        let produced = embedded::answer(resolved, seen, &limits);
        let mut produced = self.suggest_similar_names(produced, &aimed)?;
        nearby::warn_of_missing(&mut produced, &resolved.call, seen);
        note_text::complete(produced, resolved, seen, &limits)
    }
}

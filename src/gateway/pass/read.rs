//! The branch of a call that changes nothing: a backend answers it.

use vault_engine::VaultPath;

use super::super::change::ChangePlan;
use super::super::choice::Backend;
use super::super::envelope_builder::EnvelopeBuilder;
use super::super::{Gateway, later_part, nearby, vault_text};
use super::{AimedCall, OpenedVault};
use crate::allowlist::Call;
use crate::backend::{Limits, Produced, ResolvedCall, embedded};
use crate::failure::Failure;

impl Gateway {
    /// Answers a call that changes nothing.
    pub(super) fn read(
        &self,
        call: Call,
        opened: OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
    ) -> Result<Produced, Failure> {
        self.on_recovered_vault(opened, trace, |opened, trace| {
            if opened.control.without_labelled
                && !self.is_labelled()
                && let Some(view) = self.view_of_caller(&opened.vault)?
            {
                let sight = self.sight_without_labelled(&view);
                let opened = opened.by_the_engine(opened.vault.clone(), Some(sight));
                return self.read_seen(call, &opened, trace, &mut None);
            }
            let before = self.labels_for_caller(&opened.vault)?;
            let mut note = None;
            let mut result = self.read_seen(call.clone(), opened, trace, &mut note);
            // After the answer, which brings the index up to date if it needs it.
            if let Some(view) = self.view_of_caller(&opened.vault)? {
                self.label_by_read(&call, opened, (before, &view), (note.as_ref(), &mut result))?;
            }
            result
        })
    }

    /// Answers a call that changes nothing, and returns the note that it was about.
    fn read_seen(
        &self,
        call: Call,
        opened: &OpenedVault<'_>,
        trace: &mut EnvelopeBuilder,
        note: &mut Option<VaultPath>,
    ) -> Result<Produced, Failure> {
        let aimed = self.aim(call, opened)?;
        note.clone_from(&aimed.resolved.note);
        self.refuse_to_show(opened, &aimed, &[])?;
        if aimed.resolved.call.effects().intersection(self.policy.approve()).is_empty() {
            opened.limits.cancel.check()?;
            trace.chosen(&opened.choice);
        } else {
            let plan = ChangePlan::without_changes(&aimed.resolved, &opened.vault);
            self.use_approval(opened, &aimed, plan, &opened.vault, trace)?;
        }
        let produced = self.read_from_backend(opened, &aimed);
        let mut produced = self.suggest_similar_names(produced, opened, &aimed)?;
        let (call, seen) = (&aimed.resolved.call, &aimed.seen);
        nearby::warn_of_missing(&mut produced, call, seen, &opened.now);
        self.complete(produced, opened, &aimed, trace)
    }

    /// Runs a read on the chosen backend and cuts its answer to the requested part.
    fn read_from_backend(
        &self,
        opened: &OpenedVault<'_>,
        aimed: &AimedCall,
    ) -> Result<Produced, Failure> {
        let OpenedVault { vault, choice, limits, now, .. } = opened;
        let AimedCall { resolved, seen, .. } = aimed;
        let Backend::Obsidian(ready) = &choice.backend else {
            return embedded::answer(resolved, seen, limits, now);
        };
        let open = |follow_up: &str| self.is_open(follow_up);
        let ask = |resolved: &ResolvedCall, limits: &Limits| {
            self.obsidian.answer(resolved, vault, ready, limits, &open)
        };
        // The app does not print how many items its `limit` left out, so it is asked for the whole
        // list first. Only if that overflows the output bound is it asked again with the limit.
        if limits.limit.is_some() {
            let mut printed = ask(&later_part::without_limit(resolved), limits)?;
            if later_part::has_too_little(&mut printed, limits) {
                let own = Limits { limit: None, ..limits.clone() };
                printed = ask(resolved, &own)?;
                later_part::at_least_one_more(&mut printed, limits);
            }
            return Ok(later_part::cut_list(printed, resolved, limits));
        }
        let printed = ask(resolved, limits)?;
        // The engine is asked from the start of the answer: its text is compared with all that
        // the app printed.
        let whole = Limits { offset: 0, ..limits.clone() };
        let printed = vault_text::recognise(printed, resolved, || {
            embedded::answer(resolved, seen, &whole, now)
        });
        Ok(later_part::cut_list(printed, resolved, limits))
    }
}

//! The decision of the policy on a request, without running it: for an owner who writes the rules (`vault-gw explain`,
//! `vault-gw rules --test`).

use serde::Serialize;

use crate::about::Question;
use crate::aimed::OpenedVault;
use crate::error::Error;
use crate::pass::Pipeline;
use crate::target;
use allowlist::{Effect, EffectSet, Target};
use backend::{Limits, engine_failure};
use changes::{
    Choice, Control, EnvelopeBuilder, PlanOutcome, Request, change::has_other_names,
    remedy::value_of,
};
use protocol::{ClosingSetting, Code, Failure, Opening};
use store::journal::Direction;
use tiers::{Access, Decision, Evaluation, Policy, Rule, Switch, names};

/// The decision for a request, and the settings that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// The decision of the policy.
    pub decision: Decision,
    /// The code that the caller would get; `None` unless the request is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Why, in a sentence; `None` if the request is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The settings that close it, ask for an approval or put it into a draft, by their keys in the settings file.
    pub rules: Vec<String>,
    /// The changes that would open it, in a sentence for each of the rules.
    pub to_open: Vec<String>,
}

impl Pipeline<'_> {
    /// Returns the decision on the request, for [`crate::Gateway::ruling_on`].
    pub(crate) fn ruling_on(&self, request: &Request) -> Ruling {
        self.decided(request)
            .unwrap_or_else(|failure| self.refused(failure, request))
    }

    fn decided(&self, request: &Request) -> Result<Ruling, Failure> {
        let evaluation = self.evaluate(request)?;
        let is_active = self.is_drafted_as_active(request)?;
        let (decision, effects) = match evaluation.rule {
            _ if is_active => (Decision::Drafted, EffectSet::default()),
            Some(Rule::Approval { effects }) => (evaluation.decision, effects),
            _ => self.planned_decision(request, evaluation.decision)?,
        };
        let policy = &self.caller.policy;
        let open = self.caller.without_label.as_ref();
        let (why, rule) = match decision {
            Decision::Approval => (
                format!(
                    "The settings require a person's approval for {}.",
                    names(effects)
                ),
                Some(Rule::Approval { effects }),
            ),
            Decision::Drafted if is_active => (
                "The change would add active content.".to_owned(),
                Some(Rule::switch(Switch::Active)),
            ),
            Decision::Drafted if open.is_some_and(Policy::writes_directly) => (
                "This agent has read outside text, such as a web clipping, so its changes go into \
                its draft."
                    .to_owned(),
                None,
            ),
            Decision::Drafted if !policy.writes_directly() => (
                "Changes of this agent go into its draft.".to_owned(),
                Some(policy.closes_the_vault()),
            ),
            _ => return Ok(Ruling::new(decision, None, None, Vec::new())),
        };
        let settings = rule.map_or_else(Vec::new, |rule| policy.settings_of(&rule));
        Ok(Ruling::new(decision, None, Some(why), settings))
    }

    /// Returns the decision on a request that the policy decides in this way, and the effects that need an approval.
    /// With paths that an agent changes in the vault itself although its changes are drafted, the plan decides, as it
    /// does for the call itself.
    fn planned_decision(
        &self,
        request: &Request,
        decision: Decision,
    ) -> Result<(Decision, EffectSet), Failure> {
        let nothing_asked = |decision| Ok((decision, EffectSet::default()));
        let Ok(call) = request.call() else {
            return nothing_asked(decision);
        };
        if !self.drafts.goes_into_draft(request, &call)? {
            return nothing_asked(decision);
        }
        let mut no_path = std::iter::empty();
        if request.draft || !self.caller.policy.writes_directly_to(&mut no_path) {
            return nothing_asked(Decision::Drafted);
        }
        let control = Control::default();
        let mut trace = EnvelopeBuilder::new(request);
        let deadline = self.caller.deadline(&control);
        let opened = match self.open((request, &control, deadline), &call, &mut trace, false) {
            // The rules can be tested before there is a vault.
            Err(failure) if failure.code == Code::VaultNotSet => return nothing_asked(decision),
            opened => opened?,
        };
        let plan = |opened: &OpenedVault<'_>| self.plan_call(&call, opened);
        if self.drafts.would_be_drafted(&opened, &plan)? {
            return nothing_asked(Decision::Drafted);
        }
        let aimed = self.aim(&call, &opened)?;
        let PlanOutcome::Planned(plan) = self.plan_change(&aimed)? else {
            return nothing_asked(Decision::Allowed);
        };
        let asking = self.caller.approvals().needed(&aimed.resolved, &plan);
        let decision = if asking.is_empty() {
            Decision::Allowed
        } else {
            Decision::Approval
        };
        Ok((decision, asking))
    }

    /// Whether a change of the vault goes into the draft only because of the active content that it would leave.
    ///
    /// # Errors
    ///
    /// `ACTIVE_CONTENT` if the change is refused because of it. Other faults of the request are not looked for.
    fn is_drafted_as_active(&self, request: &Request) -> Result<bool, Failure> {
        let is_closed = !self.caller.is_person() && !self.caller.policy.allows(Switch::Active);
        let call = request.call().ok();
        let Some(call) = call.filter(|call| is_closed && call.effects().is_mutation()) else {
            return Ok(false);
        };
        let control = Control::default();
        let deadline = self.caller.deadline(&control);
        let bounds = (request, &control, deadline);
        let vault = self.vault_under(bounds, &mut EnvelopeBuilder::new(request));
        // The rules can be tested before there is a vault.
        let (Ok(vault), false) = (vault, self.drafts.goes_into_draft(request, &call)?) else {
            return Ok(false);
        };
        let opened = OpenedVault {
            request,
            control: &control,
            vault,
            choice: Choice::for_draft(),
            limits: Limits {
                deadline,
                max_output_bytes: usize::MAX,
                offset: 0,
                limit: None,
                cancel: control.cancel.clone(),
            },
            into_draft: false,
            sight: self.caller.sight.clone(),
        };
        match self.plan_call(&call, &opened) {
            Err(failure) if self.caller.may_draft_active_content(&failure, &call) => Ok(true),
            Err(failure) if failure.code == Code::ActiveContent => Err(failure),
            _ => Ok(false),
        }
    }

    /// Makes the checks of [`Self::pass`] that need no backend.
    fn evaluate(&self, request: &Request) -> Result<Evaluation, Failure> {
        self.caller.admit()?;
        request.check()?;
        // Questions and undos are not in the catalogue.
        if let Some(question) = Question::parse(request) {
            return question.map(|_| Evaluation::ALLOWED);
        }
        if Direction::from_command(&request.command).is_some() {
            self.mutations_are_on()?;
            return Ok(self.caller.policy.check_effect(Effect::Write));
        }
        let call = request.call()?;
        let evaluation = self.caller.gate(request, &call)?;
        self.check_steps(request, &call)?;
        let vault = match self.vaults.pinned(request) {
            Ok(vault) => vault.limited_to(self.caller.sight.as_ref())?,
            // The rules can be tested before there is a vault.
            Err(failure) if failure.code == Code::VaultNotSet => return Ok(evaluation),
            Err(failure) => return Err(failure),
        };
        let view = (&vault, &self.caller.policy, !self.caller.options.in_run);
        let aimed = target::aim(call, view)?;
        let evaluation = self.caller.gate(request, &aimed.call)?;
        // The content of a note, or another name of its file, can close it. A closed note gets the same answer as a missing one.
        if let Some(note) = aimed.note.as_ref().filter(|_| self.caller.sight.is_some())
            && aimed.call.acts_on() == Target::Note
        {
            vault.engine.facts(note).map_err(engine_failure)?;
        }
        Ok(evaluation)
    }

    /// Returns the decision on a request that failed with this.
    pub(crate) fn refused(&self, failure: Failure, request: &Request) -> Ruling {
        // An agent gets the code of a missing note; the owner, who reads this, learns the rule.
        let code_of_agent = (!self.caller.is_person()).then_some(failure.code);
        let closed = self
            .closed_by_rules(&failure, request)
            .filter(|_| !self.caller.options.in_run);
        let failure = closed.unwrap_or(failure);
        let policy = &self.caller.policy;
        let settings = match failure.code {
            Code::BridgeDisabled => self.settings_that_turn_off(),
            Code::ActiveContent => policy.settings_of(&Rule::switch(Switch::Active)),
            _ => failure.settings().cloned().collect(),
        };
        let code = code_of_agent.unwrap_or(failure.code);
        Ruling::new(
            Decision::Refused,
            Some(code),
            Some(failure.to_string()),
            settings,
        )
    }

    /// Instead of the failure that a note is missing, the refusal that names the rules that close it. Only for the
    /// owner: to agents a closed note seems to be missing (`threats.toml` D13).
    pub(super) fn closed_by_rules(&self, failure: &Failure, request: &Request) -> Option<Failure> {
        if failure.code != Code::FileNotFound {
            return None;
        }
        let sight = self.caller.sight.as_ref()?;
        let call = request.call().ok()?;
        let whole = self.vaults.pinned(request).ok()?;
        let aimed = target::aim(call, (&whole, &Policy::built_in(), true)).ok()?;
        let note = aimed.note?;
        let content = whole.engine.read_bytes(&note).ok()?;
        let file = whole.root().join(note.as_str());
        let seen = whole.limited_to(Some(sight)).ok()?;
        if seen.engine.facts(&note).is_ok() {
            return None;
        }
        let access = Access::for_effects(aimed.call.effects());
        let settings =
            self.caller
                .policy
                .settings_of_note(&note, &content, access, has_other_names(&file));
        let rules: Vec<String> = settings.iter().map(|setting| setting.key.clone()).collect();
        let failure = Failure::from(Error::ClosedByRules(note, rules));
        Some(failure.closed_by(settings))
    }

    /// Returns the settings that turn the calls of this agent off.
    fn settings_that_turn_off(&self) -> Vec<ClosingSetting> {
        let keys = self.caller.disabling_keys().into_iter();
        keys.map(|key| ClosingSetting {
            key,
            opening: Opening::Value(None),
        })
        .collect()
    }
}

impl Ruling {
    fn new(
        decision: Decision,
        code: Option<Code>,
        why: Option<String>,
        settings: Vec<ClosingSetting>,
    ) -> Self {
        let to_open = settings.iter().map(|setting| match &setting.opening {
            Opening::Change(change) => change.clone(),
            Opening::Value(_) => format!("Set `{} = {}`.", setting.key, value_of(setting)),
        });
        Self {
            decision,
            code,
            why,
            to_open: to_open.collect(),
            rules: settings.into_iter().map(|setting| setting.key).collect(),
        }
    }
}

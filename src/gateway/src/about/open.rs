//! The policy in force as facts: what is open, and which setting would open the rest.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::About;
use super::scopes::ScopePaths;
use allowlist::{Catalogue, Effect, Tier};
use protocol::{Caller, Code, Failure};
use tiers::{Decision, Drafts, Evaluation, Policy, Rule, Switch};

/// The policy in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyFacts {
    /// Whether agents may call at all.
    pub enabled: bool,
    /// Whether agents may change notes; for people only, to whom other rules apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents_may_write: Option<bool>,
    /// The changes of this caller that go into a draft, which a person reviews.
    #[serde(skip_serializing_if = "Drafts::is_off")]
    pub drafts: Drafts,
    /// Says that the changes of this caller are put into a draft, although `switches.allow_mutations` may be false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<&'static str>,
    /// The agent whose rules apply in addition to those for everyone.
    pub agent: Option<String>,
    /// The highest open tier.
    pub tier: Tier,
    /// The switches by their key in the settings file.
    pub switches: BTreeMap<&'static str, bool>,
    /// For the text to a person: what agents can do, by [`rights_of_agents`].
    #[serde(skip)]
    pub rights_of_agents: Option<&'static str>,
    /// The effects that a person has to approve.
    pub approve: Vec<Effect>,
    /// The state of each effect.
    pub effects: Vec<EffectFacts>,
    /// Numbers of commands.
    pub commands: CommandCounts,
    /// The rules for open paths; a path must pass all of them.
    pub paths: Vec<ScopePaths>,
}

/// Whether calls with one effect are open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectFacts {
    /// The effect.
    pub effect: Effect,
    /// Whether it is open.
    pub state: Openness,
    /// The settings that would have to say otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
}

/// Numbers of commands of each kind, before any argument is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandCounts {
    /// Commands that may run.
    pub open: usize,
    /// Commands that may run once a person has approved the call.
    pub approval: usize,
    /// Commands that a setting closes.
    pub closed: usize,
    /// Commands that are never open.
    pub never: usize,
    /// The closed ones by the code of their refusal.
    pub closed_by: BTreeMap<Code, usize>,
    /// The closed ones by the settings that would have to say otherwise.
    pub closed_needs: BTreeMap<String, usize>,
}

/// Whether something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Openness {
    /// It may.
    Open,
    /// Once a person has approved it.
    Approval,
    /// A setting closes it.
    Closed,
    /// No setting opens it.
    Never,
}

/// Says what agents can do with notes, to the person who reviews their changes. As a part of a sentence.
pub fn rights_of_agents(policy: &Policy, is_enabled: bool) -> &'static str {
    if !is_enabled {
        "agents have no access"
    } else if !policy.may_change() || !policy.opens_a_change() {
        "agents can read, and change nothing"
    } else if policy.writes_directly() {
        "agents can read and change notes"
    } else {
        "agents can read; their changes wait for your review"
    }
}

impl Openness {
    /// Maps a decision of the policy.
    pub(super) fn of(evaluation: &Evaluation) -> Self {
        match (evaluation.decision, &evaluation.rule) {
            (Decision::Allowed | Decision::Drafted, _) => Self::Open,
            (Decision::Approval, _) => Self::Approval,
            (Decision::Refused, Some(Rule::Execute)) => Self::Never,
            (Decision::Refused, _) => Self::Closed,
        }
    }

    /// Returns the state in at most six letters, for a column of a table.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approval => "asks",
            Self::Closed => "closed",
            Self::Never => "never",
        }
    }
}

/// Says that changes are put into a draft; `None` if they are made in the vault, or not allowed.
fn changes(policy: &Policy) -> Option<&'static str> {
    let is_drafted = match policy.drafts() {
        Drafts::All => true,
        Drafts::Closed => !policy.allows(Switch::Mutations),
        Drafts::Off => false,
    };
    is_drafted.then_some(
        "Your changes are put into your draft, and a person reviews them. `draft:status` shows the \
        result.",
    )
}

impl About<'_> {
    /// Returns the policy in force, as facts.
    ///
    /// # Errors
    ///
    /// If the catalogue does not load.
    pub fn policy_facts(&self) -> Result<PolicyFacts, Failure> {
        let policy = &self.caller.policy;
        let switches = Switch::ALL.map(|switch| (switch.key(), policy.allows(switch)));
        let effects = Effect::ALL.map(|effect| {
            let evaluation = policy.check_effect(effect);
            EffectFacts {
                effect,
                state: Openness::of(&evaluation),
                needs: evaluation.needs(),
            }
        });
        Ok(PolicyFacts {
            enabled: self.caller.enabled,
            agents_may_write: self
                .caller
                .is_person()
                .then(|| self.caller.settings.agents_may_write()),
            agent: self.caller.options.agent.clone(),
            drafts: policy.drafts(),
            changes: changes(policy),
            tier: policy.tier(),
            switches: switches.into_iter().collect(),
            rights_of_agents: self.rights_of_agents()?,
            approve: policy.approve().iter().collect(),
            effects: effects.into_iter().collect(),
            commands: command_counts(policy)?,
            paths: self.path_scopes(),
        })
    }

    /// Says to a person what agents can do; nothing to an agent, whose own rules are shown.
    fn rights_of_agents(&self) -> Result<Option<&'static str>, Failure> {
        if !self.caller.is_person() {
            return Ok(None);
        }
        let policy = self.caller.settings.policy(Caller::Agent, None)?;
        let is_enabled = self.caller.settings.is_enabled_for(None)?;
        Ok(Some(rights_of_agents(&policy, is_enabled)))
    }
}

fn command_counts(policy: &Policy) -> Result<CommandCounts, Failure> {
    let catalogue = Catalogue::whole()?;
    let mut counts = CommandCounts {
        never: catalogue.refused().len(),
        ..CommandCounts::default()
    };
    for command in catalogue.commands() {
        let evaluation = policy.check_command(command, command.effects);
        match Openness::of(&evaluation) {
            Openness::Open => counts.open += 1,
            Openness::Approval => counts.approval += 1,
            Openness::Closed => {
                counts.closed += 1;
                if let Some(failure) = evaluation.failure() {
                    *counts.closed_by.entry(failure.code).or_default() += 1;
                    let needs = evaluation.needs().join(" and ");
                    *counts.closed_needs.entry(needs).or_default() += 1;
                }
            }
            Openness::Never => counts.never += 1,
        }
    }
    Ok(counts)
}

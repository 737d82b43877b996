//! The policy in force as facts: what is open, and which setting would open the rest.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::scopes::ScopePaths;
use crate::allowlist::{Catalogue, Command, Effect, Tier};
use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::Gateway;
use crate::tiers::{Decision, Drafts, Switch, outlook, outlook_of};

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
    /// The agent whose rules hold besides those for everyone.
    pub agent: Option<String>,
    /// The highest open tier.
    pub tier: Tier,
    /// The switches by their key in the settings file.
    pub switches: BTreeMap<&'static str, bool>,
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

impl Openness {
    /// Maps a decision of the policy, with the failure of a refusal.
    pub fn from_decision(decision: Decision) -> (Self, Option<Failure>) {
        match decision {
            Decision::Allowed => (Self::Open, None),
            Decision::NeedsApproval { .. } => (Self::Approval, None),
            Decision::Refused(failure) if failure.code == Code::CommandRefused => {
                (Self::Never, Some(failure))
            }
            Decision::Refused(failure) => (Self::Closed, Some(failure)),
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

impl Gateway {
    /// Returns the policy in force, as facts.
    ///
    /// # Errors
    ///
    /// If the catalogue does not load.
    pub fn policy_facts(&self) -> Result<PolicyFacts, Failure> {
        let policy = &self.policy;
        let switches = Switch::ALL.map(|switch| (switch.key(), policy.allows(switch)));
        let effects = Effect::ALL.map(|effect| {
            let (state, why) = Openness::from_decision(outlook_of(effect, policy));
            EffectFacts { effect, state, needs: needs(why.as_ref()) }
        });
        Ok(PolicyFacts {
            enabled: self.enabled,
            agents_may_write: self.is_person().then(|| self.settings.agents_may_write()),
            agent: self.options.agent.clone(),
            drafts: policy.drafts(),
            tier: policy.tier(),
            switches: switches.into_iter().collect(),
            approve: policy.approve().iter().collect(),
            effects: effects.into_iter().collect(),
            commands: self.command_counts()?,
            paths: self.path_scopes(),
        })
    }

    fn command_counts(&self) -> Result<CommandCounts, Failure> {
        let catalogue = Catalogue::whole()?;
        let mut counts =
            CommandCounts { never: catalogue.refused().len(), ..CommandCounts::default() };
        for command in catalogue.commands() {
            match self.openness(command) {
                (Openness::Open, _) => counts.open += 1,
                (Openness::Approval, _) => counts.approval += 1,
                (Openness::Closed, why) => {
                    counts.closed += 1;
                    if let Some(failure) = why {
                        *counts.closed_by.entry(failure.code).or_default() += 1;
                        let needs = needs(Some(&failure)).join(" and ");
                        *counts.closed_needs.entry(needs).or_default() += 1;
                    }
                }
                (Openness::Never, _) => counts.never += 1,
            }
        }
        Ok(counts)
    }

    /// Whether the caller can call a command or ask a question, perhaps with an approval.
    pub(in crate::gateway) fn can_call(&self, name: &str) -> bool {
        // A question about the gateway is always open.
        Catalogue::find_builtin(name).map_or(true, |command| {
            matches!(self.openness(&command).0, Openness::Open | Openness::Approval)
        })
    }

    /// Whether a command may run, judged without its arguments.
    pub fn openness(&self, command: &Command) -> (Openness, Option<Failure>) {
        Openness::from_decision(outlook(command, &self.policy))
    }
}

/// Returns the settings that a refusal lists in `needs`.
pub(super) fn needs(why: Option<&Failure>) -> Vec<String> {
    let needs = why.into_iter().flat_map(Failure::needs);
    needs.map(str::to_owned).collect()
}

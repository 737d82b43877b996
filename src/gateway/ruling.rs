//! What the policy decides for a request, without running it: for an owner who writes the rules
//! (`vault-gw explain`, `vault-gw policy test`).

use serde::Serialize;

use super::about::Question;
use super::change::has_other_names;
use super::core::Gateway;
use super::request::Request;
use super::target;
use crate::allowlist::{Call, Effect, EffectSet, Target};
use crate::backend::engine_failure;
use crate::code::Code;
use crate::failure::Failure;
use crate::records::journal::Direction;
use crate::settings::table_prefix;
use crate::tiers::{Access, Decision, LIST, Policy, decide, outlook_of};

/// The decision for a request, and the settings that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// What would happen to the request.
    pub decision: Outcome,
    /// The code that the caller would get; `None` unless the request is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Why, in a sentence; `None` if the request is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The settings that close it or ask for an approval, by their keys in the settings file.
    pub rules: Vec<String>,
    /// What would open it, in a sentence for each of the rules.
    pub to_open: Vec<String>,
}

/// What the policy does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It runs.
    Allowed,
    /// It goes into the draft of the agent, which a person reviews.
    Drafted,
    /// It runs after a person approved it.
    Approval,
    /// It does not run.
    Refused,
}

impl Outcome {
    /// The word for it in tests of a policy and in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Drafted => "drafted",
            Self::Approval => "approval",
            Self::Refused => "refused",
        }
    }
}

/// The setting that opens a file although another name of it is closed.
const HARD_LINKS: &str = "paths.allow_hard_links";

/// The failure of a request, and its call if it was admitted.
type RefusedCall = (Failure, Option<Call>);

impl Gateway {
    /// What would become of the request. Reads the vault to find the note of a `file=`, runs nothing, and is in
    /// no audit log. A request that is refused for another reason than the policy, such as a missing note, is
    /// `refused` with that code.
    pub fn ruling_on(&self, request: &Request) -> Ruling {
        match self.decided(request) {
            Ok(Decision::NeedsApproval { effects }) => self.approval(effects),
            Ok(_) => Ruling {
                decision: self.outcome(request),
                code: None,
                why: None,
                rules: Vec::new(),
                to_open: Vec::new(),
            },
            Err(refused) => self.refused(*refused),
        }
    }

    /// What becomes of a request that the policy does not refuse.
    fn outcome(&self, request: &Request) -> Outcome {
        let goes = request.call().and_then(|call| self.goes_into_draft(request, &call));
        match goes {
            Ok(true) => Outcome::Drafted,
            Ok(false) | Err(_) => Outcome::Allowed,
        }
    }

    /// The checks of [`Self::pass`] that need no backend. With a failure comes the call, if it was admitted.
    fn decided(&self, request: &Request) -> Result<Decision, Box<RefusedCall>> {
        let before = |failure| Box::new((failure, None));
        self.admit_caller().map_err(before)?;
        request.check().map_err(before)?;
        // These two are no commands of the catalogue.
        if let Some(question) = Question::parse(request) {
            return question.map(|_| Decision::Allowed).map_err(before);
        }
        if Direction::from_command(&request.command).is_some() {
            return match outlook_of(Effect::Write, &self.policy) {
                Decision::Refused(failure) => Err(before(failure)),
                decision => Ok(decision),
            };
        }
        let call = request.call().map_err(before)?;
        let after = |failure| Box::new((failure, Some(call.clone())));
        self.gate(request, &call).map_err(after)?;
        let vault = match self.pinned_vault(request) {
            Ok(vault) => vault.limited_to(self.sight.as_ref()).map_err(after)?,
            // The rules can be tested before there is a vault.
            Err(failure) if failure.code == Code::VaultNotSet => {
                return Ok(decide(&call, &self.policy));
            }
            Err(failure) => return Err(after(failure)),
        };
        let aimed = target::aim(call.clone(), &vault, &self.policy, &self.now()).map_err(after)?;
        self.gate(request, &aimed.call).map_err(after)?;
        // What is in a note, or another name of it, can close it. A closed note gets the same answer as a missing one.
        if let Some(note) = aimed.note.as_ref().filter(|_| self.sight.is_some())
            && aimed.call.acts_on() == Target::Note
        {
            let facts = vault.engine.facts(note).map_err(engine_failure);
            facts.map_err(after)?;
        }
        Ok(decide(&aimed.call, &self.policy))
    }

    fn approval(&self, effects: EffectSet) -> Ruling {
        // No setting can leave out the approvals that are built in.
        let built_in = Policy::built_in();
        let by_settings = effects.iter().filter(|effect| !built_in.approve().contains(*effect));
        let by_settings: EffectSet = by_settings.collect();
        let asking = self.layers.iter();
        let asking =
            asking.filter(|(_, policy)| !by_settings.intersection(policy.approve()).is_empty());
        let rules: Vec<String> = asking.map(|(prefix, _)| format!("{prefix}approve")).collect();
        let ways = rules.iter().map(|rule| format!("Take {} out of `{rule}`.", names(by_settings)));
        Ruling {
            decision: Outcome::Approval,
            code: None,
            why: Some(format!("A person has to approve the effect {}.", names(effects))),
            to_open: ways.collect(),
            rules,
        }
    }

    fn refused(&self, (failure, call): RefusedCall) -> Ruling {
        let effects = call.as_ref().map(Call::effects);
        let access = effects.map_or(Access::Read, Access::for_effects);
        let text = |key: &str| failure.details.get(key).and_then(serde_json::Value::as_str);
        let (rules, to_open) = match failure.code {
            Code::BridgeDisabled => {
                let rules = self.keys_that_turn_off();
                let ways = rules.iter().map(|rule| format!("Set `{rule} = true`."));
                let ways = ways.collect();
                (rules, ways)
            }
            Code::FileNotFound => {
                let closing = self.layers.iter().flat_map(|(prefix, policy)| {
                    let lists = policy.note_lists().into_iter();
                    lists.map(move |list| format!("{prefix}{list}"))
                });
                let mut rules: Vec<String> = closing.collect();
                let ways = rules.iter().map(|rule| {
                    format!("If the note is there, `{rule}` may close it by what is in it.")
                });
                let mut ways: Vec<String> = ways.collect();
                let vault = self.open_vault().ok();
                let file = vault.map(|vault| vault.root().join(text("target").unwrap_or_default()));
                if file.is_some_and(|file| has_other_names(&file)) {
                    let layers = self.layers.iter();
                    let closing = layers.filter(|(_, policy)| !policy.allows_hard_links());
                    let closing = closing.map(|(prefix, _)| format!("{prefix}{HARD_LINKS}"));
                    for rule in closing {
                        ways.push(format!(
                            "Set `{rule} = true`, or put a copy in the place of the hard link."
                        ));
                        rules.push(rule);
                    }
                }
                (rules, ways)
            }
            Code::CommandDenied => {
                let rule = text("rule").unwrap_or_default();
                let id = call.as_ref().map_or("", |call| call.command.id.as_str());
                let way = match (text("pattern"), text("argument")) {
                    (Some(pattern), _) => format!("Take `{pattern}` out of `{rule}`."),
                    (None, Some(argument)) => {
                        format!("Add `{argument}` to `{id}` in the list that `{rule}` names.")
                    }
                    (None, None) if rule.ends_with(LIST) => {
                        format!("Add `{id}` to the list that `{rule}` names.")
                    }
                    (None, None) => format!("Add `{id}` to `{rule}`."),
                };
                (vec![rule.to_owned()], vec![way])
            }
            Code::PathDenied => {
                let path = text("path").unwrap_or_default();
                let closing = self.layers.iter().filter_map(|(prefix, policy)| {
                    let key = policy.closing_path_list(path, access)?;
                    Some(format!("{prefix}{key}"))
                });
                let rules: Vec<String> = closing.collect();
                let ways = rules.iter().map(|rule| {
                    if rule.rsplit('.').next() == Some("deny") {
                        format!("Take the pattern for `{path}` out of `{rule}`.")
                    } else {
                        format!("Add a pattern for `{path}` to `{rule}`.")
                    }
                });
                let ways = ways.collect();
                (rules, ways)
            }
            _ => {
                let keys = self.under().closing_keys(&failure);
                let ways = keys.iter().map(|(key, value)| format!("Set `{key} = {value}`."));
                let ways = ways.collect();
                (keys.into_iter().map(|(key, _)| key).collect(), ways)
            }
        };
        Ruling {
            decision: Outcome::Refused,
            code: Some(failure.code),
            why: Some(failure.to_string()),
            rules,
            to_open,
        }
    }

    /// The keys that turn the calls of this agent off.
    fn keys_that_turn_off(&self) -> Vec<String> {
        let agent = self.options.agent.as_deref();
        let tables = self.settings.tables_of(self.options.caller, agent);
        let tables = tables.unwrap_or_default().into_iter();
        let tables = tables
            .filter(|(_, table)| table.enabled == Some(false))
            .map(|(name, _)| format!("{}enabled", table_prefix(name)));
        let everyone = (!self.settings.enabled).then(|| "enabled".to_owned());
        everyone.into_iter().chain(tables).collect()
    }
}

fn names(effects: EffectSet) -> String {
    let names = effects.iter().map(|effect| format!("`{}`", effect.name()));
    names.collect::<Vec<_>>().join(" and ")
}

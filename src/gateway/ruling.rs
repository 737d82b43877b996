//! The decision of the policy on a request, without running it: for an owner who writes the rules (`vault-gw explain`,
//! `vault-gw policy test`).

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
use crate::message::{joined, message};
use crate::records::journal::Direction;
use crate::settings::table_prefix;
use crate::tiers::{Access, Decision, LIST, Policy, decide, outlook_of};

/// The decision for a request, and the settings that it follows from.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// The decision of the policy.
    pub decision: Outcome,
    /// The code that the caller would get; `None` unless the request is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// Why, in a sentence; `None` if the request is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The settings that close it or ask for an approval, by their keys in the settings file.
    pub rules: Vec<String>,
    /// The changes that would open it, in a sentence for each of the rules.
    pub to_open: Vec<String>,
}

/// The decision of the policy on a request.
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
    /// Returns the word for it in tests of a policy and in answers.
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
    /// Returns the decision on the request. Reads the vault to find the note of a `file=`, runs nothing, and writes
    /// nothing to an audit log. A request that fails for another reason than the policy is `refused` with that
    /// code. A missing note is one only if rules close notes, because then it gets the same answer as a closed one.
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
            Err(refused) => self.refused(*refused, request),
        }
    }

    /// Returns the decision on a request that the policy does not refuse.
    fn outcome(&self, request: &Request) -> Outcome {
        let goes = request.call().and_then(|call| self.goes_into_draft(request, &call));
        match goes {
            Ok(true) => Outcome::Drafted,
            Ok(false) | Err(_) => Outcome::Allowed,
        }
    }

    /// Returns the checks of [`Self::pass`] that need no backend. With a failure comes the call, if it was admitted.
    fn decided(&self, request: &Request) -> Result<Decision, Box<RefusedCall>> {
        let before = |failure| Box::new((failure, None));
        self.admit_caller().map_err(before)?;
        request.check().map_err(before)?;
        // Questions and undos are not in the catalogue.
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
        self.check_steps(request, &call).map_err(after)?;
        let vault = match self.pinned_vault(request) {
            Ok(vault) => vault.limited_to(self.sight.as_ref()).map_err(after)?,
            // The rules can be tested before there is a vault.
            Err(failure) if failure.code == Code::VaultNotSet => {
                return Ok(decide(&call, &self.policy));
            }
            Err(failure) => return Err(after(failure)),
        };
        let view = (&vault, &self.policy, !self.options.in_run);
        let aimed = target::aim(call.clone(), view, &self.now()).map_err(after)?;
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
        let ways = rules.iter().map(|rule| format!("Remove {} from `{rule}`.", names(by_settings)));
        Ruling {
            decision: Outcome::Approval,
            code: None,
            why: Some(format!(
                "A person must approve a call with these effects: {}.",
                names(effects)
            )),
            to_open: ways.collect(),
            rules,
        }
    }

    fn refused(&self, (failure, call): RefusedCall, request: &Request) -> Ruling {
        // An agent gets the code of a missing note; the owner, who reads this, learns the rule.
        let code_of_agent = (!self.is_person()).then_some(failure.code);
        let closed = self.closed_by_rules(&failure, request).filter(|_| !self.options.in_run);
        let failure = closed.unwrap_or(failure);
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
            Code::CommandDenied => {
                let rule = text("rule").unwrap_or_default();
                let id = call.as_ref().map_or("", |call| call.command.id.as_str());
                let way = match (text("pattern"), text("argument")) {
                    (Some(pattern), _) => format!("Remove `{pattern}` from `{rule}`."),
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
                let rules = self.rules_that_close(path, access);
                let ways = rules.iter().map(|rule| match rule.rsplit('.').next() {
                    Some("deny") => format!("Remove the pattern for `{path}` from `{rule}`."),
                    Some("read" | "write") => format!("Add a pattern for `{path}` to `{rule}`."),
                    Some("allow_hard_links") => {
                        format!("Set `{rule} = true`, or replace the hard link with a copy.")
                    }
                    _ => format!(
                        "Change `{rule}`, or remove from the note the tag or property that the \
                         rule names."
                    ),
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
            code: code_of_agent.or(Some(failure.code)),
            why: Some(failure.to_string()),
            rules,
            to_open,
        }
    }

    /// Returns the keys of all layers that a policy names.
    fn layers_with<Keys: IntoIterator<Item = &'static str>>(
        &self,
        keys: impl Fn(&Policy) -> Keys,
    ) -> impl Iterator<Item = String> {
        self.layers.iter().flat_map(move |(prefix, policy)| {
            keys(policy).into_iter().map(move |key| format!("{prefix}{key}"))
        })
    }

    /// Returns the keys of the rules that close a file: by its path, or else by another name of it or by what is in it.
    fn rules_that_close(&self, path: &str, access: Access) -> Vec<String> {
        let by_path = |policy: &Policy| policy.closing_path_list(path, access);
        let by_path: Vec<String> = self.layers_with(by_path).collect();
        if !by_path.is_empty() {
            return by_path;
        }
        let file = self.open_vault().ok().map(|vault| vault.root().join(path));
        let by_name = |policy: &Policy| (!policy.allows_hard_links()).then_some(HARD_LINKS);
        let by_name =
            self.layers_with(by_name).filter(|_| file.as_deref().is_some_and(has_other_names));
        by_name.chain(self.layers_with(Policy::note_lists)).collect()
    }

    /// Instead of the failure that a note is missing, the refusal that names the rules that close it. Only for the
    /// owner: to agents a closed note seems to be missing (`threats.toml` D13).
    pub(super) fn closed_by_rules(&self, failure: &Failure, request: &Request) -> Option<Failure> {
        if failure.code != Code::FileNotFound {
            return None;
        }
        let sight = self.sight.as_ref()?;
        let call = request.call().ok()?;
        let whole = self.pinned_vault(request).ok()?;
        let aimed = target::aim(call, (&whole, &Policy::built_in(), true), &self.now()).ok()?;
        let note = aimed.note?;
        whole.engine.facts(&note).ok()?;
        let seen = whole.limited_to(Some(sight)).ok()?;
        if seen.engine.facts(&note).is_ok() {
            return None;
        }
        let access = Access::for_effects(aimed.call.effects());
        let rules = self.rules_that_close(note.as_str(), access);
        let names = joined(rules.iter().map(|rule| format!("`{rule}`").into()), "and");
        let what = message!("Access to `{}` is denied by {} in the settings.", note, names);
        let failure = Code::PathDenied.failure(what).with("path", note.as_str());
        Some(failure.with("needs", rules))
    }

    /// Returns the keys that turn the calls of this agent off.
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

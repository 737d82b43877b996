//! The evaluation of a call: collects every rule that applies, and the strictest decides.

use std::collections::BTreeSet;

use super::drafts::Drafts;
use super::policy::Policy;
use super::rule::Rule;
use super::switch::Switch;
use super::touched::{Place, touched};
use allowlist::{BackendName, Call, Catalogue, Command, Effect, EffectSet, Target, Tier};
use protocol::{Cause, ClosingSetting, Failure, Message, words};

words! {
    /// The decision of the policy.
    pub enum Decision {
        /// The call runs.
        Allowed = "allowed",
        /// The call goes into the draft of the agent, which a person reviews.
        Drafted = "drafted",
        /// The call runs after a person approves it.
        Approval = "approval",
        /// The call does not run.
        Refused = "refused",
    }
}

/// The decision of the policy, with the rule that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The decision.
    pub decision: Decision,
    /// The rule that made it; `None` if no rule restricts the call.
    pub rule: Option<Rule>,
    /// The settings that the rule follows from.
    pub settings: Vec<ClosingSetting>,
    /// Hints to calls that do the same without the settings.
    instead: Vec<Message>,
    tier: Tier,
    effects: EffectSet,
}

impl Evaluation {
    /// The evaluation of a call that no rule restricts.
    pub const ALLOWED: Self = Self {
        decision: Decision::Allowed,
        rule: None,
        settings: Vec::new(),
        instead: Vec::new(),
        tier: Tier::V0,
        effects: EffectSet::EMPTY,
    };

    /// Whether the call may run: at once, in a draft, or after an approval.
    pub fn is_open(&self) -> bool {
        self.decision != Decision::Refused
    }

    /// Returns the settings that would have to change to allow the call; a tier with its value.
    pub fn needs(&self) -> Vec<String> {
        self.rule.as_ref().map_or_else(Vec::new, Rule::needs)
    }

    /// Returns the failure of the call; `None` if it is not refused.
    pub fn failure(&self) -> Option<Failure> {
        let mut failure = self.rule.as_ref()?.failure(self.tier, self.effects)?;
        let mut needs = self.needs().into_iter();
        if !self.instead.is_empty() && needs.any(|key| ENDS_REVIEW.contains(&key.as_str())) {
            failure = failure.caused_by(Cause::OtherWay);
        }
        let failure = self.instead.iter().fold(failure, Failure::hint);
        Some(failure.closed_by(self.settings.clone()))
    }
}

/// The settings that would let an agent change the vault without a review.
const ENDS_REVIEW: [&str; 2] = [Switch::Mutations.key(), Drafts::KEY];

/// The switches that an effect needs.
type SwitchesFor = fn(Effect) -> &'static [Switch];

impl Policy {
    /// Decides whether a call may run. Pure: never reads the disk, so a refusal cannot reveal whether a path exists.
    ///
    /// Names that are not resolved to paths yet are not checked here, but when they are resolved.
    ///
    /// ```
    /// use allowlist::Catalogue;
    /// use tiers::{Decision, Policy, Restriction, Switch};
    ///
    /// let catalogue = Catalogue::builtin().unwrap();
    /// let append = catalogue.admit_words("append", &["path=a.md", "content=x"]).unwrap();
    /// let closed = [Switch::Mutations].into();
    /// let policy = Policy::built_in().tightened(&Restriction { closed, ..Restriction::default() });
    /// assert_eq!(policy.check(&append).decision, Decision::Refused);
    /// ```
    pub fn check(&self, call: &Call) -> Evaluation {
        self.check_call(call, switches_for)
    }

    /// Like [`Self::check`], for a person's dry run. It changes nothing and sends nothing, so it does not need the
    /// switches for that. The tier, the path rules and the rules for outside folders still apply.
    pub fn check_plan(&self, call: &Call) -> Evaluation {
        self.check_call(call, switches_of_plan)
    }

    fn check_call(&self, call: &Call, needed: SwitchesFor) -> Evaluation {
        let effects = call.effects();
        // Collect every rule instead of stopping at the first one, so that the reported rule does not depend on the
        // order of the checks.
        let mut rules = self.gates(&call.command, effects, needed);
        rules.extend(self.closing_argument(call));
        rules.extend(active_file(call, self));
        rules.extend(whole_vault(call, effects, self));
        rules.extend(paths(call, effects, self));
        let mut evaluation =
            self.strictest(rules, effects, self.puts_into_draft(&call.command, effects));
        match evaluation.rule {
            Some(Rule::Switches { .. } | Rule::OnlyDrafts | Rule::WholeVault { .. }) => {
                evaluation.instead = self.other_ways(call);
            }
            Some(Rule::ActiveFile { .. }) => {
                let given = |name: &str| call.arguments.param(name);
                let way = call.command.instead_of_active_file(given);
                evaluation.instead.extend(way);
            }
            _ => {}
        }
        evaluation
    }

    /// Returns hints to calls that the caller can make instead of a closed one; none if there are none.
    fn other_ways(&self, call: &Call) -> Vec<Message> {
        let command = &call.command;
        let is_open = |command: &Command, effects| self.check_command(command, effects).is_open();
        let rest = call.effects().iter().filter(|effect| *effect != Effect::Ui);
        let rest: EffectSet = rest.collect();
        if rest != call.effects() && !command.effects.contains(Effect::Ui) && is_open(command, rest)
        {
            return vec![
                "Omit the arguments that show something in the app, such as `open`.".into(),
            ];
        }
        let opens = |id: &str| {
            Catalogue::find_builtin(id).is_ok_and(|command| is_open(&command, command.effects))
        };
        let ways = command.other_ways();
        let mut ways: Vec<Message> = ways.filter(|way| way.has_open_commands(&opens)).collect();
        if !ways.is_empty() && command.backends == [BackendName::Obsidian] {
            let only = format!("Only the running app can answer `{}`.", command.id);
            ways.insert(0, only.into());
        }
        ways
    }

    /// Decides about a command whose arguments raise its effects to `effects`. Further arguments can only make the
    /// decision stricter.
    pub fn check_command(&self, command: &Command, effects: EffectSet) -> Evaluation {
        let rules = self.gates(command, effects, switches_for);
        self.strictest(rules, effects, self.puts_into_draft(command, effects))
    }

    /// Decides about a single effect, independent of any command.
    pub fn check_effect(&self, effect: Effect) -> Evaluation {
        let effects = EffectSet::from_iter([effect]);
        let is_direct =
            self.writes_directly() && (effect != Effect::Active || self.allows(Switch::Active));
        let into_draft = effect.changes_notes() && self.drafts() != Drafts::Off && !is_direct;
        let rule = match effect {
            Effect::Execute => Some(Rule::Execute),
            _ => self.closing_switches(effects, switches_for, into_draft),
        };
        self.strictest(rule, effects, into_draft)
    }

    /// Returns the refusal that follows from the rule, for a call with these effects.
    pub fn refusal(&self, rule: Rule, effects: EffectSet) -> Option<Failure> {
        self.strictest([rule], effects, false).failure()
    }

    /// Returns the decision that the strictest of the rules makes. A change that goes into a draft needs no approval: a
    /// person approves it by accepting it.
    pub(super) fn strictest(
        &self,
        rules: impl IntoIterator<Item = Rule>,
        effects: EffectSet,
        into_draft: bool,
    ) -> Evaluation {
        let asking = effects.intersection(self.approve());
        let approval =
            (!into_draft && !asking.is_empty()).then_some(Rule::Approval { effects: asking });
        let rule = rules.into_iter().chain(approval).min();
        let decision = match &rule {
            None if into_draft => Decision::Drafted,
            None => Decision::Allowed,
            Some(Rule::Approval { .. }) => Decision::Approval,
            Some(_) => Decision::Refused,
        };
        let settings = rule
            .as_ref()
            .map_or_else(Vec::new, |rule| self.settings_of(rule));
        Evaluation {
            decision,
            rule,
            settings,
            instead: Vec::new(),
            tier: self.tier(),
            effects,
        }
    }

    /// Returns the rules that depend on the command and its effects only, not on its paths.
    fn gates(&self, command: &Command, effects: EffectSet, needed: SwitchesFor) -> Vec<Rule> {
        let mut found = Vec::new();
        if effects.contains(Effect::Execute) {
            found.push(Rule::Execute);
        }
        if command.tier > self.tier() {
            found.push(Rule::Tier {
                needed: command.tier,
            });
        }
        found.extend(self.closing_rule(command));
        let into_draft = self.puts_into_draft(command, effects);
        found.extend(self.closing_switches(effects, needed, into_draft));
        found
    }

    /// Returns the rule for switches that these effects need and that are off. A draft does not change the vault, so it
    /// does not need the switch for that.
    fn closing_switches(
        &self,
        effects: EffectSet,
        needed: SwitchesFor,
        into_draft: bool,
    ) -> Option<Rule> {
        if self.drafts() == Drafts::All && !into_draft && effects.iter().any(Effect::changes_notes)
        {
            return Some(Rule::OnlyDrafts);
        }
        let needed: BTreeSet<Switch> = effects
            .iter()
            .flat_map(needed)
            .copied()
            .filter(|switch| !(self.allows(*switch) || into_draft && fits_a_draft(*switch)))
            .collect();
        (!needed.is_empty()).then_some(Rule::Switches { needed })
    }
}

/// Whether calls that need this switch can go into a draft while it is off.
const fn fits_a_draft(switch: Switch) -> bool {
    matches!(switch, Switch::Mutations | Switch::Active)
}

/// Returns the switches that an effect requires (`design/catalogue.md`).
const fn switches_for(effect: Effect) -> &'static [Switch] {
    match effect {
        Effect::Read | Effect::Execute => &[],
        Effect::Ui => &[Switch::Ui],
        Effect::Write | Effect::Destroy => &[Switch::Mutations],
        Effect::Export => &[Switch::Mutations, Switch::Export],
        Effect::Import => &[Switch::Mutations, Switch::Import],
        Effect::Active => &[Switch::Mutations, Switch::Active],
        Effect::Publish => &[Switch::Mutations, Switch::Publish],
    }
}

/// Returns the switches that an effect requires if only the plan is shown.
const fn switches_of_plan(effect: Effect) -> &'static [Switch] {
    match effect {
        Effect::Export => &[Switch::Export],
        Effect::Import => &[Switch::Import],
        _ => &[],
    }
}

/// If a call names no note, the app uses its active file (`official-cli.md` §8). The path of that
/// file is unknown before the call, so path rules cannot be checked.
fn active_file(call: &Call, policy: &Policy) -> Option<Rule> {
    if call.acts_on() != Target::ActiveFile {
        return None;
    }
    if !policy.allows(Switch::ActiveFile) {
        let can_name = can_name_note(&call.command);
        return Some(Rule::ActiveFile { can_name });
    }
    let keys = policy.limiting_lists();
    (!keys.is_empty()).then_some(Rule::UncheckedActiveFile { keys })
}

/// Whether the command has a parameter that names a note.
fn can_name_note(command: &Command) -> bool {
    ["path", "file", "ref"]
        .iter()
        .any(|name| command.param(name).is_some())
}

/// Path rules can filter a list afterwards, but not a change of the whole vault.
fn whole_vault(call: &Call, effects: EffectSet, policy: &Policy) -> Option<Rule> {
    let acts_on_all = call.acts_on() == Target::Vault && !call.lists_notes();
    let keys = policy.limiting_lists();
    (acts_on_all && effects.is_mutation() && !keys.is_empty()).then(|| Rule::WholeVault {
        keys,
        can_name: can_name_note(&call.command),
    })
}

fn paths(call: &Call, effects: EffectSet, policy: &Policy) -> impl Iterator<Item = Rule> {
    touched(call, effects)
        .into_iter()
        .filter_map(|result| match result {
            Err(refusal) => Some(refusal),
            Ok(touched) => {
                let open = match touched.place {
                    Place::File => policy.opens_file(&touched.path, touched.access),
                    Place::Folder => policy.opens_folder(&touched.path, touched.access),
                    Place::Whole => policy.may_change_below(&touched.path),
                };
                (!open).then(|| policy.closed(&touched.path, touched.access))
            }
        })
}

#[cfg(test)]
mod tests;

//! The policy decision for one call: collects every reason to refuse and reports the strictest.

use std::collections::BTreeSet;

use super::drafts::Drafts;
use super::policy::Policy;
use super::refusal::{Refusal, strictest};
use super::scope::Access;
use super::switch::Switch;
use super::touched::{Place, touched};
use crate::allowlist::{Call, Command, Effect, EffectSet, Target};
use crate::failure::Failure;

/// The policy decision for a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The call may run.
    Allowed,
    /// The call may run after a person approves it.
    NeedsApproval {
        /// The effects that require the approval.
        effects: EffectSet,
    },
    /// The call may not run.
    Refused(Failure),
}

/// Decides whether a call may run. Pure: never reads the disk, so a refusal cannot reveal whether a
/// path exists.
///
/// Names that are not resolved to paths yet are not checked here, but when they are resolved.
///
/// ```
/// use vault_gw::allowlist::Catalogue;
/// use vault_gw::caller::Caller;
/// use vault_gw::settings::Settings;
/// use vault_gw::tiers::{Decision, decide};
///
/// let catalogue = Catalogue::builtin().unwrap();
/// let append = catalogue.admit_words("append", &["path=a.md", "content=x"]).unwrap();
/// // Mutations are closed until the settings open them.
/// let policy = Settings::default().policy(Caller::Agent, None).unwrap();
/// assert!(matches!(decide(&append, &policy), Decision::Refused(_)));
/// ```
pub fn decide(call: &Call, policy: &Policy) -> Decision {
    decided(call, policy, switches_for)
}

/// Like [`decide`], for a person's dry run. It changes nothing and sends nothing, so it does not
/// need the switches for that. The tier, the path rules and the rules for outside folders still
/// apply.
pub fn decide_plan(call: &Call, policy: &Policy) -> Decision {
    decided(call, policy, switches_of_plan)
}

fn decided(call: &Call, policy: &Policy, needed: SwitchesFor) -> Decision {
    let effects = call.effects();
    if let Some(refusal) = strictest(refusals(call, effects, policy, needed)) {
        return Decision::Refused(refusal.into_failure(policy.tier(), effects));
    }
    approval(&call.command, effects, policy)
}

/// The switches that an effect needs.
type SwitchesFor = fn(Effect) -> &'static [Switch];

fn refusals(call: &Call, effects: EffectSet, policy: &Policy, needed: SwitchesFor) -> Vec<Refusal> {
    // Collect every reason instead of stopping at the first one, so that the reported reason does
    // not depend on the order of the checks.
    let mut found = gates(&call.command, effects, policy, needed);
    found.extend(
        policy
            .closing_argument(call)
            .map(|rule| Refusal::Command { command: call.command.id.clone(), rule }),
    );
    found.extend(active_file(call, policy));
    found.extend(whole_vault(call, effects, policy));
    found.extend(paths(call, effects, policy));
    found
}

/// Reasons to refuse that depend on the command and its effects only, not on its paths.
fn gates(
    command: &Command,
    effects: EffectSet,
    policy: &Policy,
    needed: SwitchesFor,
) -> Vec<Refusal> {
    let mut found = Vec::new();
    if effects.contains(Effect::Execute) {
        found.push(Refusal::Execute);
    }
    if command.tier > policy.tier() {
        found.push(Refusal::Tier { needed: command.tier });
    }
    if let Some(rule) = policy.closing_rule(command) {
        found.push(Refusal::Command { command: command.id.clone(), rule });
    }
    let into_draft = policy.puts_into_draft(command, effects);
    found.extend(switches(effects, policy, needed, into_draft));
    found
}

/// Returns the refusal for switches that these effects need and that are off. A draft does not change the vault, so it
/// does not need the switch for that.
fn switches(
    effects: EffectSet,
    policy: &Policy,
    needed: SwitchesFor,
    into_draft: bool,
) -> Option<Refusal> {
    if policy.drafts() == Drafts::All && !into_draft && effects.iter().any(Effect::changes_notes) {
        return Some(Refusal::OnlyDrafts);
    }
    let needed: BTreeSet<Switch> = effects
        .iter()
        .flat_map(needed)
        .copied()
        .filter(|switch| !(policy.allows(*switch) || into_draft && fits_a_draft(*switch)))
        .collect();
    (!needed.is_empty()).then_some(Refusal::Switches { needed })
}

/// Whether calls that need this switch can go into a draft while it is off.
const fn fits_a_draft(switch: Switch) -> bool {
    matches!(switch, Switch::Mutations | Switch::Active)
}

/// Returns the decision for a single effect, independent of any command.
pub fn outlook_of(effect: Effect, policy: &Policy) -> Decision {
    let effects = EffectSet::from_iter([effect]);
    let is_direct =
        policy.writes_directly() && (effect != Effect::Active || policy.allows(Switch::Active));
    let into_draft = effect.changes_notes() && policy.drafts() != Drafts::Off && !is_direct;
    let refusal = match effect {
        Effect::Execute => Some(Refusal::Execute),
        _ => switches(effects, policy, switches_for, into_draft),
    };
    match refusal {
        Some(refusal) => Decision::Refused(refusal.into_failure(policy.tier(), effects)),
        None if into_draft => Decision::Allowed,
        None => needs_approval(effects, policy),
    }
}

/// Returns the decision for a command without arguments. Arguments can only make it stricter.
pub fn outlook(command: &Command, policy: &Policy) -> Decision {
    outlook_with(command, command.effects, policy)
}

/// Like [`outlook`], for arguments that raise the command's effects to `effects`.
pub fn outlook_with(command: &Command, effects: EffectSet, policy: &Policy) -> Decision {
    match strictest(gates(command, effects, policy, switches_for)) {
        Some(refusal) => Decision::Refused(refusal.into_failure(policy.tier(), effects)),
        None => approval(command, effects, policy),
    }
}

/// Decides whether the call needs an approval. A change that goes into a draft needs none: a person approves it by
/// accepting it.
fn approval(command: &Command, effects: EffectSet, policy: &Policy) -> Decision {
    if policy.puts_into_draft(command, effects) {
        return Decision::Allowed;
    }
    needs_approval(effects, policy)
}

fn needs_approval(effects: EffectSet, policy: &Policy) -> Decision {
    let effects = effects.intersection(policy.approve());
    if effects.is_empty() { Decision::Allowed } else { Decision::NeedsApproval { effects } }
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
fn active_file(call: &Call, policy: &Policy) -> Option<Refusal> {
    if call.acts_on() != Target::ActiveFile {
        return None;
    }
    if !policy.allows(Switch::ActiveFile) {
        let can_name = can_name_note(&call.command);
        let instead = call.command.instead_of_active_file(|name| call.arguments.param(name));
        return Some(Refusal::ActiveFile { can_name, instead });
    }
    (!policy.is_unrestricted()).then_some(Refusal::UncheckedActiveFile)
}

/// Whether the command has a parameter that names a note.
fn can_name_note(command: &Command) -> bool {
    ["path", "file", "ref"].iter().any(|name| command.param(name).is_some())
}

/// Path rules can filter a list afterwards, but not a change of the whole vault.
fn whole_vault(call: &Call, effects: EffectSet, policy: &Policy) -> Option<Refusal> {
    let acts_on_all = call.acts_on() == Target::Vault && !call.lists_notes();
    (acts_on_all && effects.is_mutation() && !policy.is_unrestricted()).then(|| {
        Refusal::WholeVault {
            access: Access::for_effects(effects),
            can_name: can_name_note(&call.command),
        }
    })
}

fn paths(call: &Call, effects: EffectSet, policy: &Policy) -> impl Iterator<Item = Refusal> {
    touched(call, effects).into_iter().filter_map(|result| match result {
        Err(refusal) => Some(refusal),
        Ok(touched) => {
            let open = match (touched.place, touched.access) {
                (Place::File, Access::Read) => policy.may_read(&touched.path),
                (Place::File, Access::Write) => policy.may_write(&touched.path),
                (Place::Folder, Access::Read) => policy.may_list(&touched.path),
                (Place::Folder, Access::Write) => policy.may_fill(&touched.path),
                (Place::Whole, _) => policy.may_change_below(&touched.path),
            };
            (!open).then(|| policy.closed(&touched.path, touched.access))
        }
    })
}

#[cfg(test)]
mod tests;

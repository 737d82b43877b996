//! Describes what a change of the settings allows, and to whom. A person who allows something for
//! themselves learns whether agents may do it too.

use allowlist::{Catalogue, Command, Effect};
use gateway::has_agents_switch;
use protocol::caller::Caller;
use settings::{EVERY_AGENT, Settings, table_prefix};
use tiers::{Policy, Switch};

/// Describes in one line the calls that the change of `key` allows; `None` if it allows no new ones.
pub(super) fn in_words(before: &Settings, after: &Settings, key: &str) -> Option<String> {
    if let Some((agent, name)) = of_agent(after, key) {
        return no_effect(after, agent, name).or_else(|| {
            let is_open = |settings: &Settings, verb: &Right| {
                let policy = settings.policy(Caller::Agent, Some(agent));
                let is_on = settings.is_enabled_for(Some(agent)).unwrap_or(false);
                policy.is_ok_and(|policy| verb.is_open(&policy, is_on))
            };
            let opened = |right: &Right| !is_open(before, right) && is_open(after, right);
            let right = rights().find(opened)?;
            let verb = with_calls(
                is_open(before, &Right::Calls),
                is_open(after, &Right::Calls),
                &right,
            );
            let who = if agent == EVERY_AGENT {
                "Agents".to_owned()
            } else {
                format!("The agent `{agent}`")
            };
            Some(format!("{who} can {verb} now."))
        });
    }
    let mine = |settings: &Settings| settings.policy(Caller::Person, None).ok();
    let theirs = |settings: &Settings| settings.policy(Caller::Agent, None).ok();
    let (mine, theirs) = (
        mine(before).zip(mine(after))?,
        theirs(before).zip(theirs(after))?,
    );
    let is_on = |settings: &Settings| settings.is_enabled_for(None).unwrap_or(false);
    let is_on = (is_on(before), is_on(after));
    rights().find_map(|right| {
        let is_new = |(before, after): &(Policy, Policy), is_on: (bool, bool)| {
            !right.is_open(before, is_on.0) && right.is_open(after, is_on.1)
        };
        let verb = right.verb();
        let is_mine = is_new(&mine, (true, true));
        if !is_mine {
            let verb = with_calls(is_on.0, is_on.1, &right);
            return is_new(&theirs, is_on).then(|| format!("Agents can {verb} now."));
        }
        Some(if !right.is_open(&theirs.1, is_on.1) {
            format!("You can {verb} now; agents cannot.")
        } else if has_agents_switch(key) {
            format!(
                "You and agents can {verb} now. To allow this only for you: `vault-gw settings set {key} me`."
            )
        } else {
            format!("You and agents can {verb} now.")
        })
    })
}

/// Returns the words for a right, together with reading if calls are allowed only now.
fn with_calls(were_open: bool, are_open: bool, right: &Right) -> String {
    let verb = right.verb();
    if were_open || !are_open || matches!(right, Right::Calls) {
        return verb;
    }
    format!("{} and {verb}", Right::Calls.verb())
}

/// Returns the agent whose table has this key, and the key's name there.
fn of_agent<'a>(settings: &'a Settings, key: &'a str) -> Option<(&'a str, &'a str)> {
    let mut names = settings.agents.keys();
    names.find_map(|name| Some((name.as_str(), key.strip_prefix(&table_prefix(name))?)))
}

/// Returns the message that a switch in an agent's table has no effect, because a general setting forbids it.
fn no_effect(settings: &Settings, agent: &str, name: &str) -> Option<String> {
    let switch = Switch::ALL
        .into_iter()
        .find(|switch| switch.key() == name)?;
    let table = toml::Value::try_from(settings.agents.get(agent)?).ok()?;
    // A removed key was not meant to allow anything.
    if table.get(name)?.as_bool() != Some(true) {
        return None;
    }
    let policy = settings.policy(Caller::Agent, Some(agent)).ok()?;
    let own = format!("{}{name}", table_prefix(agent));
    let closing = policy.settings_of_switch(switch).into_iter();
    let closing: Vec<String> = closing.map(|setting| setting.key).collect();
    if closing.is_empty() || closing.contains(&own) {
        return None;
    }
    let are = if closing.len() == 1 { "is" } else { "are" };
    Some(format!(
        "This has no effect yet: `{}` {are} false. The table of an agent can only add restrictions.",
        closing.join("` and `")
    ))
}

/// A right that the settings can grant.
enum Right {
    /// The right to make calls at all.
    Calls,
    /// The right that a switch opens.
    Of(Switch),
    /// The right to an effect without an approval.
    WithoutApproval(Effect),
    /// The right to call commands of higher tiers.
    Tier(allowlist::Tier),
    /// The right to call one more command.
    Command(&'static Command),
}

/// Returns all rights, the most important first.
fn rights() -> impl Iterator<Item = Right> {
    let switches = Switch::ALL.into_iter().map(Right::Of);
    let without_approval = [Effect::Destroy, Effect::Write].map(Right::WithoutApproval);
    let tiers = allowlist::Tier::ALL.into_iter().rev().map(Right::Tier);
    let commands = Catalogue::builtin()
        .into_iter()
        .flat_map(Catalogue::commands);
    let commands = commands.map(|command| Right::Command(command));
    switches
        .chain(without_approval)
        .chain([Right::Calls])
        .chain(tiers)
        .chain(commands)
}

impl Right {
    /// Whether the policy grants the right, if the caller may make calls at all.
    fn is_open(&self, policy: &Policy, is_on: bool) -> bool {
        is_on
            && match self {
                Self::Calls => true,
                Self::Of(switch @ (Switch::Export | Switch::Import)) => {
                    policy.allows(*switch) && policy.allows(Switch::Mutations)
                }
                Self::Of(switch) => policy.allows(*switch),
                Self::WithoutApproval(effect) => {
                    policy.allows(Switch::Mutations) && !policy.approve().contains(*effect)
                }
                Self::Tier(tier) => policy.tier() >= *tier,
                Self::Command(command) => policy.opens(command),
            }
    }

    fn verb(&self) -> String {
        match self {
            Self::Calls => "read notes".to_owned(),
            Self::Of(switch) => match switch {
                Switch::Mutations => "change notes",
                Switch::Ui => "change what the app shows",
                Switch::Publish => "send notes off this machine, each time with an approval",
                Switch::Export => "put copies of notes into the export folder",
                Switch::Import => "take notes from the import folder",
                Switch::Active => {
                    "write content that runs or loads something when a note is opened or published"
                }
                Switch::ActiveFile => "use the file that is active in the app",
                Switch::SymlinkedFolders => {
                    "read folders outside the vault that symlinks in the vault point to"
                }
            }
            .to_owned(),
            Self::WithoutApproval(Effect::Destroy) => {
                "delete or overwrite content of notes without an approval".to_owned()
            }
            Self::WithoutApproval(_) => "change notes without an approval".to_owned(),
            Self::Tier(tier) => format!("call commands up to tier {}", tier.name()),
            Self::Command(command) => format!("call commands such as `{}`", command.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(before: &str, after: &str, key: &str) -> String {
        let parse = |text| Settings::parse("settings.toml", text).unwrap();
        in_words(&parse(before), &parse(after), key).unwrap_or_default()
    }

    #[test]
    fn granted_rights_are_shown_with_their_caller() {
        let on = "enabled = true\n";
        let with = |text: &str| format!("{on}{text}");
        let key = "allow_mutations";
        let open = with("allow_mutations = true\n");
        assert_eq!(
            describe(on, &open, key),
            "You and agents can change notes now. To allow this only for you: `vault-gw settings set allow_mutations me`."
        );
        let mine = format!("{open}[agents.\"*\"]\nallow_mutations = false\n");
        assert_eq!(
            describe(on, &mine, key),
            "You can change notes now; agents cannot."
        );
        // Agents that may not make calls can change nothing.
        assert_eq!(
            describe("", "allow_mutations = true", key),
            "You can change notes now; agents cannot."
        );
        assert_eq!(
            describe(&mine, &open, "agents.\"*\".allow_mutations"),
            "Agents can change notes now."
        );
        let theirs = format!("{open}[agents.\"*\"]\nallow_mutations = true\n");
        assert_eq!(
            describe(&mine, &theirs, "agents.\"*\".allow_mutations"),
            "Agents can change notes now."
        );
        let one = format!("{mine}[agents.x]\nallow_mutations = true\n");
        assert!(
            describe(&mine, &one, "agents.x.allow_mutations")
                .starts_with("This has no effect yet: `agents.\"*\".allow_mutations` is false"),
        );
        // A removed key was not meant to allow anything.
        assert_eq!(describe(&one, &mine, "agents.x.allow_mutations"), "");
        assert_eq!(
            describe("allow_mutations = true", &open, "enabled"),
            "Agents can read notes and change notes now."
        );
        assert_eq!(
            describe("", on, "enabled"),
            "Agents can read notes and change what the app shows now."
        );
        let closed_ui = "allow_ui = false\n";
        assert_eq!(
            describe(closed_ui, &with(closed_ui), "enabled"),
            "Agents can read notes now."
        );
        let rules = |rules: &str| with(&format!("commands.allow = [{rules}]"));
        assert_eq!(
            describe(&rules("\"search\""), &rules("\"@reads\""), "commands.allow"),
            "You and agents can call commands such as `daily:path` now."
        );
        assert_eq!(describe(on, &rules("\"search\""), "commands.allow"), "");
        // Exports need the switch for changes too.
        assert_eq!(
            describe(on, &with("export_folder = \"/x\""), "export_folder"),
            ""
        );
        assert_eq!(
            describe(
                &open,
                &with("allow_mutations = true\napprove = []"),
                "approve"
            ),
            "You and agents can delete or overwrite content of notes without an approval now."
        );
        assert_eq!(
            describe(&with("tier = \"v0\""), &with("tier = \"v2\""), "tier"),
            "You and agents can call commands up to tier v2 now."
        );
        assert_eq!(describe(&open, on, key), "");
    }
}

//! Describes what agents may do under the settings, in a few words.

use allowlist::{Effect, Tier};
use protocol::caller::Caller;
use protocol::shell::Shell;
use settings::{EVERY_AGENT, Settings};
use tiers::Switch;

/// Returns the permissions of agents, as lines of the report. `program` begins each command.
pub(super) fn in_words(settings: &Settings, program: &str) -> String {
    if !matches!(settings.is_enabled_for(None), Ok(true)) {
        return "  Agents may not call: `enabled` of `[agents.\"*\"]` in the settings is false.\n"
            .to_owned();
    }
    let of_agents = settings.agents.get(EVERY_AGENT).map(|table| &table.paths);
    let read = of_agents.and_then(|paths| paths.read.as_ref());
    if settings.paths.read.is_empty() || read.is_some_and(Vec::is_empty) {
        return "  Agents that start this program may call, but `paths.read` in the settings opens no note \
                to them.\n"
            .to_owned();
    }
    // Settings whose path rules are too large are refused when they are loaded.
    let Ok(policy) = settings.policy(Caller::Agent, None) else {
        return String::new();
    };
    let read = if policy.reads_everything() {
        "the vault"
    } else {
        "what `paths` in the settings opens"
    };
    let mut text = format!("  Agents that start this program may read {read}");
    let write = of_agents.and_then(|paths| paths.write.as_ref());
    let opens_none = settings.paths.write.is_empty() || write.is_some_and(Vec::is_empty);
    if !policy.allows(Switch::Mutations) {
        if settings.allow_mutations {
            text += ".\n  You may change notes, agents may not.\n";
        } else {
            text += &format!(
                ".\n  To let yourself change notes, not agents:\n    {program} settings set allow_mutations me\n"
            );
        }
    } else if opens_none {
        text += "; `paths.write` opens nothing to be changed.\n";
    } else {
        let change = if policy.is_unrestricted() {
            "it"
        } else {
            "what `paths` opens for writing"
        };
        text += &format!(" and change {change};\n  {}.\n", about_losses(settings));
    }
    if policy.may_change() && !policy.writes_directly() {
        text += &format!(
            "  What agents change waits in a draft (`drafts`), until you accept it: {program} review\n"
        );
    }
    if !policy.allows(Switch::Ui) {
        let key = if settings.allow_ui {
            super::agents_ui()
        } else {
            Switch::Ui.key().to_owned()
        };
        text += &format!(
            "  Agents may not choose what the app shows, because what it shows can load pages. To let them:\n    {program} settings set {} true\n",
            Shell::native().quoted(&key)
        );
    }
    if policy.tier() != Tier::V3 {
        let tier = policy.tier().name();
        text += &format!("  Only commands up to tier {tier} are open (`tier` in the settings).\n");
    }
    if policy.has_command_rules() {
        text += "  Rules close some commands (`commands` in the settings).\n";
    }
    text
}

/// Says who has to approve a change that loses content.
pub(super) fn about_losses(settings: &Settings) -> &'static str {
    if !settings.approve.contains(Effect::Destroy) {
        "what loses content needs no approval (`approve` in the settings)"
    } else if settings.approve_by.is_empty() {
        "what loses content is refused, because nobody can approve it (`approve_by` in the settings)"
    } else {
        "what loses content still needs an approval"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let mut settings = Settings::parse("settings.toml", text).unwrap();
        settings.enabled = true;
        in_words(&settings, "vault-gw")
    }

    #[test]
    fn nothing_is_promised_that_the_settings_do_not_say() {
        assert!(words("").contains("read the vault.\n"));
        assert!(words("").contains("allow_mutations me"));
        assert!(words("allow_mutations = true").contains("still needs an approval"));
        let mine = words("allow_mutations = true\n[agents.\"*\"]\nallow_mutations = false");
        assert!(
            mine.contains("You may change notes, agents may not."),
            "{mine}"
        );
        let closed = words("[agents.\"*\"]\nenabled = false");
        assert!(closed.contains("may not call"), "{closed}");
        let closed = words("enabled = true\n[agents.\"*\"]\nenabled = false");
        assert!(closed.contains("may not call"), "{closed}");
        let part = words("[agents.\"*\"]\npaths.deny = [\"a/**\"]\ntier = \"v1\"");
        assert!(part.contains("tier v1"), "{part}");
        assert!(part.contains("read what `paths`"), "{part}");
        assert!(!part.contains("Rules"), "{part}");
        let some = words("commands.deny = [\"search\"]");
        assert!(some.contains("Rules close some commands"), "{some}");
        let free = words("allow_mutations = true\napprove = []");
        assert!(free.contains("needs no approval"), "{free}");
        let closed = words("allow_mutations = true\napprove_by = []");
        assert!(closed.contains("is refused"), "{closed}");
        let shown = words("[agents.\"*\"]\nallow_ui = false");
        assert!(
            shown.contains("may not choose what the app shows"),
            "{shown}"
        );
        let blind = words("allow_mutations = true\n[paths]\nread = []");
        assert!(blind.contains("opens no note"), "{blind}");
        let part =
            words("allow_mutations = true\ntier = \"v1\"\n[paths]\nwrite = []\ndeny = [\"a/**\"]");
        for answer in ["what `paths`", "opens nothing to be changed", "tier v1"] {
            assert!(part.contains(answer), "{answer}: {part}");
        }
    }
}

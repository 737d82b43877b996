//! What agents may do under the settings, in a few words.

use crate::allowlist::{Effect, Tier};
use crate::settings::{AgentPaths, EVERY_AGENT, Settings};
use crate::tiers::PathPattern;

/// What agents may do, as lines of the report. `program` begins each command.
pub(super) fn in_words(settings: &Settings, program: &str) -> String {
    let paths = &settings.paths;
    if paths.read.is_empty() {
        return "  Agents that start this program may call now, but `paths.read` in the settings opens no \
                note to them.\n"
            .to_owned();
    }
    let everything = [PathPattern::everything()];
    let of_agents = settings.agents.get(EVERY_AGENT).map(|table| &table.paths);
    let is_narrowed = of_agents.is_some_and(|paths| *paths != AgentPaths::default());
    let is_all = paths.read == everything && paths.deny.is_empty() && !is_narrowed;
    let read = if is_all {
        "the vault"
    } else {
        "what `paths` in the settings opens"
    };
    let mut text = format!("  Agents that start this program may now read {read}");
    if settings.agents_may_write() && paths.write.is_empty() {
        text += "; `paths.write` opens nothing to be changed.\n";
    } else if settings.agents_may_write() {
        let change = if is_all && paths.write == everything {
            "it"
        } else {
            "what `paths` opens for writing"
        };
        text += &format!(" and change {change};\n  {}.\n", about_losses(settings));
    } else if settings.allow_mutations {
        text += ".\n  You may change notes, agents may not.\n";
    } else {
        text += &format!(".\n  To allow changes: {program} settings set allow_mutations true\n");
    }
    if settings.tier != Tier::V3 {
        let tier = settings.tier.name();
        text += &format!("  Only commands up to tier {tier} are open (`tier` in the settings).\n");
    }
    text
}

/// Who has to agree to a change that loses content.
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
        in_words(&Settings::parse("settings.toml", text).unwrap(), "vault-gw")
    }

    #[test]
    fn nothing_is_promised_that_the_settings_do_not_say() {
        assert!(words("").contains("read the vault.\n"));
        assert!(words("").contains("allow_mutations true"));
        assert!(words("allow_mutations = true").contains("still needs an approval"));
        let mine = words("allow_mutations = true\n[agents.\"*\"]\nallow_mutations = false");
        assert!(
            mine.contains("You may change notes, agents may not."),
            "{mine}"
        );
        let part = words("[agents.\"*\"]\npaths.deny = [\"a/**\"]");
        assert!(part.contains("read what `paths`"), "{part}");
        let free = words("allow_mutations = true\napprove = []");
        assert!(free.contains("needs no approval"), "{free}");
        let closed = words("allow_mutations = true\napprove_by = []");
        assert!(closed.contains("is refused"), "{closed}");
        let blind = words("allow_mutations = true\n[paths]\nread = []");
        assert!(blind.contains("opens no note"), "{blind}");
        let part =
            words("allow_mutations = true\ntier = \"v1\"\n[paths]\nwrite = []\ndeny = [\"a/**\"]");
        for told in ["what `paths`", "opens nothing to be changed", "tier v1"] {
            assert!(part.contains(told), "{told}: {part}");
        }
    }
}

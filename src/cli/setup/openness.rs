//! Describes what agents may do under the settings, in a few words.

use allowlist::{Effect, Tier};
use protocol::{Caller, Failure};
use settings::{EVERY_AGENT, Settings};
use tiers::{PathPattern, Switch};

/// Returns what agents may do, as the rest of a sentence that starts with "Agents".
pub(super) fn in_words(settings: &Settings) -> Result<String, Failure> {
    if !settings.is_enabled_for(None)? {
        return Ok("may not call: `enabled` of `[agents.\"*\"]` is false".to_owned());
    }
    let of_agents = settings.agents.get(EVERY_AGENT).map(|table| &table.paths);
    let is_empty = |paths: Option<&Vec<PathPattern>>| paths.is_some_and(Vec::is_empty);
    let opens_none = |all: &Vec<PathPattern>, own: Option<&Option<Vec<PathPattern>>>| {
        is_empty(Some(all)) || is_empty(own.and_then(Option::as_ref))
    };
    let paths = &settings.paths;
    if opens_none(&paths.read, of_agents.map(|paths| &paths.read)) {
        return Ok("may call, but `paths.read` opens no note to them".to_owned());
    }
    let policy = settings.policy(Caller::Agent, None)?;
    let notes = if policy.reads_everything() {
        "your notes"
    } else {
        "the notes that `paths` opens"
    };
    if !policy.may_change() {
        return Ok(format!("may read {notes}"));
    }
    if opens_none(&paths.write, of_agents.map(|paths| &paths.write)) {
        return Ok(format!(
            "may read {notes}; `paths.write` lets them change none"
        ));
    }
    if !policy.writes_directly() {
        return Ok(format!(
            "may read {notes} and propose changes, which wait for you"
        ));
    }
    let losses = about_losses(settings);
    Ok(if policy.is_unrestricted() {
        format!("may read and change your notes; {losses}")
    } else {
        format!("may read {notes} and change what `paths` opens for writing; {losses}")
    })
}

/// Returns the settings that close more to agents, each as its name; empty if none does.
pub(super) fn limits(settings: &Settings) -> Result<Vec<&'static str>, Failure> {
    let policy = settings.policy(Caller::Agent, None)?;
    let limits = [
        (policy.tier() != Tier::V3, "tier"),
        (policy.has_command_rules(), "commands"),
    ];
    Ok(limits
        .into_iter()
        .filter_map(|(is_set, key)| is_set.then_some(key))
        .collect())
}

/// Returns the keys of the switches that let agents do more than the answer to the question of `setup` says. `setup`
/// turns none of them on.
pub(super) fn also_open(settings: &Settings) -> Result<Vec<&'static str>, Failure> {
    let policy = settings.policy(Caller::Agent, None)?;
    let is_open = |switch: &Switch| {
        policy.allows(*switch)
            && match switch {
                // The answer decides about changes of notes.
                Switch::Mutations => false,
                Switch::Publish | Switch::Export | Switch::Import | Switch::Active => {
                    policy.writes_directly()
                }
                Switch::Ui | Switch::ActiveFile | Switch::SymlinkedFolders => true,
            }
    };
    let open = Switch::ALL.into_iter().filter(is_open);
    Ok(open.map(Switch::key).collect())
}

/// Says who has to approve a change that loses content.
fn about_losses(settings: &Settings) -> &'static str {
    if !settings.approve.contains(Effect::Destroy) {
        "what loses text needs no approval"
    } else if settings.approve_by.is_empty() {
        "what loses text is refused, as `approve_by` is empty"
    } else {
        "what loses text needs your approval"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("openness_cases.txt");

    /// The report says no more than the settings do.
    #[test]
    fn the_settings_in_words() {
        let mut rows = String::new();
        for text in tables::lines(CASES, "the settings in words") {
            let mut settings = Settings::parse("settings.toml", text).unwrap();
            settings.enabled = true;
            // As `setup` sets it.
            settings.allow_ui = false;
            let limits = limits(&settings).unwrap().join(", ");
            let also = also_open(&settings).unwrap().join(", ");
            let text = text.replace('\n', "; ");
            let words = in_words(&settings).unwrap();
            let row = format!("{text}\n  Agents {words} ({limits}) {also}");
            rows += &format!("{}\n", row.trim_end());
        }
        insta::assert_snapshot!(rows);
    }
}

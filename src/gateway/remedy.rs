//! Remedies: what to do about a failure.
//!
//! People and models get the same facts from one table ([`Code::explanation`]). Only people get
//! commands to type. A model learns which setting is closed, and that the owner of the vault can change
//! it (`faults.md` I16).

use std::sync::Arc;

use serde_json::{Map, Value};

use super::envelope::Envelope;
use crate::allowlist::Tier;
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::issue_code::IssueCode;
use crate::settings::{is_rule_list, opening_value};
use crate::shell::Shell;
use crate::tiers::{Policy, Switch};

/// The restrictions that may have closed a call, and the reader of the remedy.
#[derive(Clone, Debug, Default)]
pub(super) struct Under {
    /// The policies that must all allow a call, each with the prefix that its keys have in the
    /// settings.
    pub(super) layers: Arc<[(String, Policy)]>,
    /// The caller is a person, who may change the settings.
    pub(super) is_person: bool,
    /// Whether `--tier` was given and is lower than the tier of the settings.
    pub(super) tier_option: bool,
    /// The caller is a program that acts for a model, which cannot type commands.
    pub(super) model: bool,
}

impl Under {
    /// The keys that close the call, with the values that open it: those of the general settings and those
    /// of the tables of agents.
    pub(super) fn closing_keys(&self, failure: &Failure) -> Vec<(String, String)> {
        failure
            .needs()
            .flat_map(|need| {
                let (key, value) = key_and_value(need);
                let closing = self.layers.iter();
                closing
                    .filter(move |(_, policy)| closes(policy, key, value))
                    .map(move |(prefix, _)| (format!("{prefix}{key}"), value.to_owned()))
            })
            .collect()
    }

    /// Who can open it, and with which settings.
    fn opened(&self, keys: &[(String, String)]) -> String {
        if self.model {
            let lines = keys.iter().map(|(key, value)| format!("`{key} = {value}`"));
            let lines: Vec<String> = lines.collect();
            return by_owner(&lines) + " in the settings.";
        }
        let keys = keys.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        if self.is_person {
            to_allow(keys)
        } else {
            let words: Vec<String> =
                keys.map(|(key, value)| settings_command(key, value)).collect();
            by_owner(&words) + "."
        }
    }
}

fn by_owner(ways: &[String]) -> String {
    format!("The owner of the vault can allow it with {}", ways.join(" and "))
}

/// How a person can allow what these keys close. A switch is turned on only for the person, not for
/// agents.
fn to_allow<'a>(keys: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> String {
    let mut switches = keys.clone();
    let whom = if switches.any(|(key, _)| has_agents_switch(key)) {
        " for you, not for agents"
    } else {
        ""
    };
    let commands: Vec<String> =
        keys.map(|(key, value)| settings_command(key, own_value(key, value))).collect();
    format!("To allow it{whom}: {}.", commands.join(" and "))
}

/// Whether the key is a switch that the table of all agents has too.
pub(crate) fn has_agents_switch(key: &str) -> bool {
    let switches = Switch::ALL.into_iter();
    let mut own = switches.filter(|switch| !matches!(switch, Switch::Export | Switch::Import));
    own.any(|switch| switch.key() == key)
}

/// The value that opens a switch for the person at the terminal alone, as `settings set` takes it.
pub(crate) const FOR_ME: &str = "me";

fn own_value<'a>(key: &str, value: &'a str) -> &'a str {
    if has_agents_switch(key) { FOR_ME } else { value }
}

/// Whether the policy closes what a setting with this value would open.
fn closes(policy: &Policy, key: &str, value: &str) -> bool {
    let switch = Switch::ALL.into_iter().find(|switch| switch.key() == key);
    let tier = Tier::ALL.into_iter().find(|tier| tier.name() == value);
    match (switch, tier) {
        (Some(switch), _) => !policy.allows(switch),
        (None, Some(tier)) => policy.tier() < tier,
        (None, None) => true,
    }
}

/// The remedy if `--tier` closed the call.
const LEAVE_OUT_TIER: &str = "`--tier` closes it here; leave that out, or name a higher tier.";
/// The same for a caller that cannot change how the program was started.
const STARTED_WITH_TIER: &str =
    "The program was started with a lower tier; whoever starts it can choose a higher one.";

/// The remedy as an issue of its own, so that a program can show it apart from the message: the settings
/// to change if switches are off, otherwise the remedy of the code. `None` if the message contains it or
/// there is nothing to correct.
pub(super) fn remedy(failure: &Failure, under: &Under) -> Option<Issue> {
    if failure.is_complete() {
        let next = failure.next_in_review();
        return next.map(|next| Issue::new("REMEDY", next.to_owned()).with("retryable", false));
    }
    let explanation = failure.code.explanation();
    let keys = under.closing_keys(failure);
    let opened = match failure.code {
        Code::MutationDisabled | Code::TierClosed if !keys.is_empty() => Some(under.opened(&keys)),
        Code::TierClosed if under.tier_option && under.model => Some(STARTED_WITH_TIER.to_owned()),
        Code::TierClosed if under.tier_option => Some(LEAVE_OUT_TIER.to_owned()),
        // The message about a place in a note says what to send: a second one, about names of notes or of
        // runs, would contradict it.
        Code::TargetNotFound | Code::AmbiguousTarget if is_in_note(&failure.details) => {
            return None;
        }
        code if tells_what_to_do(code) && has_second_sentence(&failure.message) => return None,
        // The message says what is wrong with the value. That it must be corrected is obvious.
        Code::ValidationError => return None,
        Code::UsageError => match asks_about(&failure.details) {
            None if has_second_sentence(&failure.message) => return None,
            told => told,
        },
        Code::MutationDisabled | Code::TierClosed => open_with(failure),
        _ => None,
    };
    let message = opened.unwrap_or_else(|| explanation.remedy.to_owned());
    let issue = Issue::new("REMEDY", message).with("retryable", explanation.retryable);
    (!failure.message.contains(&issue.message)).then_some(issue)
}

/// Whether the failure is about a place in a note.
fn is_in_note(details: &Map<String, Value>) -> bool {
    details.contains_key("edit") || details.contains_key("path")
}

/// Whether the messages of a code say what to do. The remedy would repeat that, and less exactly.
const fn tells_what_to_do(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownCommand
            | Code::VaultNotFound
            | Code::FileNotFound
            | Code::FolderNotFound
            | Code::FileExists
            | Code::PathEscape
            | Code::PreconditionFailed
            | Code::CliReportedError
            | Code::AmbiguousTarget
            | Code::TargetNotFound
            | Code::DraftConflict
    )
}

fn has_second_sentence(message: &str) -> bool {
    [". ", "! ", "? ", "; "].iter().any(|end| message.contains(end))
}

/// Where the parameters of a command that was called by mistake are explained.
fn asks_about(details: &Map<String, Value>) -> Option<String> {
    let usage = details.get("usage")?.as_str()?;
    let id = usage.split(' ').next()?;
    Some(format!("`capabilities` with `{{\"command\":\"{id}\"}}` explains its parameters."))
}

/// The message for a model, without sentences that contain a command to type; `None` if there are
/// none. A prompt that tells a model to run a command could make it do so.
pub(crate) fn for_model(message: &str) -> Option<String> {
    if !is_typed(message) {
        return None;
    }
    let sentences = message.split_inclusive(". ");
    let kept: String = sentences.filter(|sentence| !is_typed(sentence)).collect();
    Some(kept.trim_end().to_owned())
}

/// The command that a model names to its person, who accepts drafts with it. Nobody accepts by it alone.
const PASSED_ON: &str = "`vault-gw review`";
/// How a command line begins in messages, apart from the name of an option.
const TYPED: [&str; 3] = ["`vault-gw ", "`chmod ", "`chown"];

/// Whether the text contains a command line or an option.
fn is_typed(text: &str) -> bool {
    let text = text.replace(PASSED_ON, "");
    let mut quoted = text.split("`--").skip(1);
    TYPED.iter().any(|start| text.contains(start))
        || quoted.any(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()))
}

impl Envelope {
    /// Removes commands to type, which only a person at a terminal should see (`faults.md` I16).
    pub(crate) fn for_model(&mut self) {
        if let Some(error) = &mut self.error
            && let Some(message) = for_model(&error.message)
        {
            let cause = error.code.explanation().cause;
            error.message = if message.is_empty() { cause.to_owned() } else { message };
        }
        // Advice of which nothing is left says nothing.
        self.advice.retain(|issue| {
            issue.path.is_some() || for_model(&issue.message).is_none_or(|left| !left.is_empty())
        });
        for issue in self.warnings.iter_mut().chain(&mut self.advice) {
            // An issue with a path is about a note; its message contains no command.
            if issue.path.is_none()
                && let Some(message) = for_model(&issue.message)
            {
                let meaning = IssueCode::named(issue.code).map(|code| code.meaning);
                issue.message = if message.is_empty() {
                    meaning.unwrap_or_default().to_owned()
                } else {
                    message
                };
            }
        }
    }
}

/// The commands by which a person can allow a refused call.
pub(crate) fn open_with(failure: &Failure) -> Option<String> {
    let keys: Vec<_> = failure.needs().map(key_and_value).collect();
    (!keys.is_empty()).then(|| to_allow(keys.iter().copied()))
}

/// For each key in a refusal's `needs`, the line of the settings file that allows the call.
pub(crate) fn settings_lines<'a>(needs: impl Iterator<Item = &'a str>) -> Vec<String> {
    needs
        .map(|need| match key_and_value(need) {
            (key, _) if is_rule_list(key) => format!("another `{key}`"),
            (key, value) => format!("`{key} = {value}`"),
        })
        .collect()
}

/// For each key in a refusal's `needs`, the command that allows the call to the person who types it.
pub(crate) fn settings_words<'a>(needs: impl Iterator<Item = &'a str>) -> Vec<String> {
    needs
        .map(|need| {
            let (key, value) = key_and_value(need);
            settings_command(key, own_value(key, value))
        })
        .collect()
}

/// The command that gives a setting a value.
fn settings_command(key: &str, value: &str) -> String {
    // To set a list would replace its other rules.
    if is_rule_list(key) {
        return format!("`vault-gw settings edit` (`{key}`)");
    }
    let shell = Shell::native();
    let (key, value) = (shell.quoted(key), shell.quoted(value));
    format!("`vault-gw settings set {key} {value}`")
}

fn key_and_value(need: &str) -> (&str, &str) {
    need.split_once('=').unwrap_or_else(|| (need, opening_value(need)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i16_a_model_is_not_told_what_to_type() {
        assert_eq!(for_model("It is closed. The owner can open it."), None);
        let told = for_model("It is closed. `vault-gw doctor` tells more. Try again.");
        assert_eq!(told.as_deref(), Some("It is closed. Try again."));
        assert_eq!(for_model("Use `--vault NAME`.").as_deref(), Some(""));
        let mut envelope = Envelope::from_failure(
            "read",
            Code::IoError.failure("Run `chmod go-w` on that folder."),
        );
        envelope.for_model();
        let error = envelope.error.unwrap();
        assert_eq!(error.message, Code::IoError.explanation().cause);
        let failure = Code::IoError.failure("It cannot be read.");
        let mut envelope = Envelope::from_failure("read", failure);
        let advice = ["Run `vault-gw doctor`.", "Run `vault-gw doctor`. Try again."];
        envelope.advice = advice.map(|message| Issue::new("REMEDY", message)).to_vec();
        envelope.for_model();
        let left: Vec<_> = envelope.advice.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(left, ["Try again."], "advice of which nothing is left says nothing");
    }

    #[test]
    fn i16_no_code_has_a_command_line_in_what_a_model_reads() {
        for code in Code::ALL {
            let told = code.explanation();
            for text in [told.cause, told.remedy] {
                assert_eq!(for_model(text), None, "{code}: {text}");
                assert!(!text.contains("vault-gw"), "{code}: {text}");
            }
            assert!(!told.cause.contains(told.remedy), "{code}");
        }
        for code in IssueCode::ALL {
            for text in [code.meaning, code.remedy] {
                assert_eq!(for_model(text), None, "{code:?}");
                // The one command that an agent passes on to the person (`design.md` §18.6).
                let text = text.replace(PASSED_ON, "");
                assert!(!text.contains("vault-gw"), "{code:?}");
            }
        }
    }

    #[test]
    fn i16_of_no_failure_a_model_reads_a_command_line_or_one_thing_twice() {
        for code in Code::ALL {
            for message in [
                "It is closed.",
                "Run `vault-gw doctor`.",
                "Use `--yes` for it. Then try again.",
                code.explanation().remedy,
            ] {
                let mut envelope = Envelope::from_failure("read", code.failure(message));
                envelope.for_model();
                let error = envelope.error.unwrap();
                assert_eq!(for_model(&error.message), None, "{code}: {}", error.message);
                assert!(!error.message.is_empty(), "{code}");
                for advice in &envelope.advice {
                    assert_eq!(for_model(&advice.message), None, "{code}");
                    assert!(!error.message.contains(&advice.message), "{code}: {message}");
                }
            }
        }
    }
}

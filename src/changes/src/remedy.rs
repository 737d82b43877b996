//! Remedies: what to do about a failure.
//!
//! People and models get the same facts from one table ([`Code::explanation`]). Only people get
//! commands to type. A model learns which setting is closed, and that the owner of the vault can change
//! it (`threats.toml` I16).

use serde_json::{Map, Value, json};

use protocol::{
    Cause, ClosingSetting, Code, Failure, Issue, Message, Opening, Part, Reader, Shell, for_person,
    joined, message,
};
use settings::{is_rule_list, opening_value};
use tiers::Switch;

/// The reader of a remedy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemedyReader {
    /// A person, who may change the settings.
    #[default]
    Person,
    /// A program under the rules of an agent.
    Program,
    /// A program that works for a model, which cannot type commands.
    Model,
}

impl RemedyReader {
    /// Says who can open a call, and with which settings.
    fn opened<'a>(self, settings: impl Iterator<Item = &'a ClosingSetting> + Clone) -> Message {
        const BY_OWNER: &str = "The owner of the vault can allow the call with ";
        let values = settings.map(|setting| (setting.key.as_str(), value_of(setting)));
        match self {
            Self::Person => {
                // A switch is turned on only for the person, not for agents.
                let is_for_person = values.clone().any(|(key, _)| has_agents_switch(key));
                let whom = if is_for_person {
                    " for you but not for agents"
                } else {
                    ""
                };
                message!("To allow the call{}: {}.", whom, own_commands(values))
            }
            Self::Program => {
                let commands = values.map(|(key, value)| settings_command(key, value));
                message!("{}{}.", BY_OWNER, joined(commands, "and"))
            }
            Self::Model => {
                let lines = values.map(|(key, value)| format!("`{key} = {value}`").into());
                message!("{}{} in the settings.", BY_OWNER, joined(lines, "and"))
            }
        }
    }
}

/// Returns the value that opens what the setting closes.
pub fn value_of(setting: &ClosingSetting) -> &'static str {
    match setting.opening {
        Opening::Value(Some(value)) => value,
        Opening::Value(None) | Opening::Change(_) => opening_value(&setting.key),
    }
}

/// Returns the commands that open these keys to the person who types them.
fn own_commands<'a>(keys: impl Iterator<Item = (&'a str, &'a str)>) -> Message {
    let commands = keys.map(|(key, value)| {
        let is_switch = has_agents_switch(key);
        settings_command(key, if is_switch { FOR_ME } else { value })
    });
    joined(commands, "and")
}

/// Whether the key is a switch that the table of all agents has too.
pub fn has_agents_switch(key: &str) -> bool {
    let is_own = |switch: Switch| !matches!(switch, Switch::Export | Switch::Import);
    Switch::ALL
        .into_iter()
        .any(|switch| switch.key() == key && is_own(switch))
}

/// The value that opens a switch for the person at the terminal alone, as `settings set` takes it.
pub const FOR_ME: &str = "me";

/// The remedy if `--tier` closed the call.
const OMIT_TIER: &str =
    "`--tier` does not allow this call. Omit `--tier`, or choose a higher tier.";
/// The same for a caller that cannot change how the program was started.
const STARTED_WITH_TIER: &str = "vault-gw was started with a `tier` that does not allow this call. The person who starts vault-gw can choose a higher `tier`.";

/// Returns the remedy as an issue of its own, so that a program can show it apart from the message: the settings to
/// change if switches are off, otherwise the remedy of the code. `None` if the failure has hints or there is nothing to
/// correct.
pub fn remedy(failure: &Failure, reader: RemedyReader) -> Option<Issue> {
    if failure.is_complete() {
        let next = failure.next_in_review();
        return next.map(|next| Issue::new("REMEDY", for_person(next)).with("retryable", false));
    }
    let explanation = failure.code.explanation();
    let settings = failure.settings();
    let opened = match failure.code {
        // The setting would take the review of changes away from a person.
        _ if failure.cause() == Some(&Cause::OtherWay) && reader != RemedyReader::Person => {
            return None;
        }
        Code::MutationDisabled | Code::TierClosed if settings.clone().next().is_some() => {
            Some(reader.opened(settings))
        }
        // No setting closes the call, so the option does.
        Code::TierClosed if reader == RemedyReader::Model => Some(STARTED_WITH_TIER.into()),
        Code::TierClosed => Some(for_person(OMIT_TIER).into()),
        // The remedy of the code would repeat the hints, and less exactly.
        _ if failure.has_hints(Reader::Program) => return None,
        Code::UsageError => asks_about(&failure.details),
        _ => None,
    };
    let message = opened.unwrap_or_else(|| explanation.remedy());
    (!failure.has(&message))
        .then(|| Issue::new("REMEDY", message).with("retryable", explanation.retryable))
}

/// Says where the parameters of a command that was called by mistake are explained.
fn asks_about(details: &Map<String, Value>) -> Option<Message> {
    let usage = details.get("usage")?.as_str()?;
    let id = usage.split(' ').next()?;
    let ask = json!({ "command": id });
    Some(message!(
        "{capabilities} with {} explains the parameters of the command.",
        Part::Params(ask)
    ))
}

/// Returns the commands by which a person can allow a refused call.
pub fn open_with(failure: &Failure) -> Option<Message> {
    let settings = failure.settings();
    settings.clone().next()?;
    Some(RemedyReader::Person.opened(settings))
}

/// For each key in a refusal's `needs`, the line of the settings file that allows the call.
pub fn settings_lines<'a>(needs: impl Iterator<Item = &'a str>) -> Vec<String> {
    needs
        .map(|need| match key_and_value(need) {
            (key, _) if is_rule_list(key) => format!("another `{key}`"),
            (key, value) => format!("`{key} = {value}`"),
        })
        .collect()
}

/// Returns the commands that allow a call to the person who types them, for the keys in a refusal's `needs`.
pub fn settings_words<'a>(needs: impl Iterator<Item = &'a str>) -> Message {
    own_commands(needs.map(key_and_value))
}

/// Returns the command that gives a setting a value.
fn settings_command(key: &str, value: &str) -> Message {
    // To set a list would replace its other rules.
    if is_rule_list(key) {
        return message!("{} (`{}`)", Part::Settings("edit".into()), key);
    }
    let shell = Shell::native();
    let arguments = format!("set {} {}", shell.quoted(key), shell.quoted(value));
    Part::Settings(arguments).into()
}

fn key_and_value(need: &str) -> (&str, &str) {
    need.split_once('=')
        .unwrap_or_else(|| (need, opening_value(need)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::Envelope;
    use protocol::IssueCode;

    #[test]
    fn i16_a_model_gets_no_command_line() {
        let typed = || for_person("Run `chmod go-w` on that folder. ");
        let error = |what: Message| {
            let mut envelope = Envelope::from_failure("read", Code::IoError.failure(what));
            let advice = [message!("{}", typed()), message!("{}Try again.", typed())];
            envelope.advice = advice.map(|message| Issue::new("REMEDY", message)).to_vec();
            envelope.keep_for_model();
            let advice = envelope.advice.iter().map(|issue| issue.message.text());
            (
                envelope.error.unwrap().to_string(),
                advice.collect::<Vec<_>>(),
            )
        };
        let (text, advice) = error(message!("It is closed. {}Try again.", typed()));
        assert_eq!(text, "It is closed. Try again.");
        assert_eq!(
            advice,
            ["Try again."],
            "advice of which nothing is left says nothing"
        );
        assert_eq!(error(typed().into()).0, Code::IoError.explanation().cause);
        // A value of a user is not cut, even if it contains a command.
        let name = "Meeting `--draft`. Run `chmod go-w`. Notes.md";
        assert_eq!(error(name.into()).0, name);
    }

    #[test]
    fn i16_no_code_has_a_command_line_in_what_a_model_reads() {
        for code in Code::ALL {
            let explanation = code.explanation();
            let remedy = explanation.remedy().text();
            for text in [explanation.cause, &remedy] {
                assert!(!text.contains("`vault-gw"), "{code}: {text}");
            }
            assert!(!explanation.cause.contains(&remedy), "{code}");
        }
        for code in IssueCode::all() {
            for text in [code.meaning.to_owned(), code.remedy().text()] {
                // The only command that an agent passes on to the person (`design/review.md`).
                let text = text.replace("`vault-gw review`", "");
                assert!(!text.contains("`vault-gw"), "{code:?}");
            }
        }
    }
}

//! Redaction of parameters for log and journal: names and paths are stored, texts are not
//! (`design/writes.md`, `threats.toml` F12).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::bounds::fingerprint;
use allowlist::{Call, EffectSet, ListKind, ParamKind, RawValue};
use protocol::digest::sha256;
use settings::Settings;

/// Longest name of a tag, a property or the like that is kept, in bytes.
const LONGEST_IDENTIFIER: usize = 64;

/// The key of the steps in a redacted list of steps.
const STEPS: &str = "steps";

/// A step of a recorded call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedStep {
    /// The id of its command.
    pub command: String,
    /// Its effects.
    pub effects: EffectSet,
}

/// Returns the parameters of an admitted call. Paths, names, numbers and choices stay; every text, search text and
/// addresses included, is `{"bytes": …, "sha256": …}`, so that it can be recognised but not read. Of each step
/// the command and the effects stay too.
pub fn redacted(call: &Call) -> Map<String, Value> {
    let mut params = call.params_json();
    for (key, value) in &call.arguments.values {
        let text = value.to_text();
        let param = call.command.param(key);
        if param.is_some_and(|param| !param.sensitive && is_shown(&param.kind, &text)) {
            continue;
        }
        let mut redacted = fingerprint(&text);
        if param.is_some_and(|param| param.kind == ParamKind::List(ListKind::Changes)) {
            let steps = call.steps().map(|(command, effects)| RecordedStep {
                command: command.id.clone(),
                effects,
            });
            redacted[STEPS] = json!(steps.collect::<Vec<_>>());
        }
        params.insert(key.clone(), redacted);
    }
    params
}

/// Returns the steps in redacted parameters; empty if there is no list of steps.
pub fn recorded_steps(params: &Map<String, Value>) -> Vec<RecordedStep> {
    let steps = params.values().find_map(|value| value.get(STEPS));
    let steps = steps.and_then(|steps| Vec::deserialize(steps).ok());
    steps.unwrap_or_default()
}

/// Whether a value may be stored: a path, name, number or choice.
fn is_shown(kind: &ParamKind, text: &str) -> bool {
    match kind {
        ParamKind::Path
        | ParamKind::Folder
        | ParamKind::Destination
        | ParamKind::NoteName
        | ParamKind::Name
        | ParamKind::Template
        | ParamKind::TaskRef
        | ParamKind::Date(_)
        | ParamKind::Integer { .. }
        | ParamKind::Character
        | ParamKind::Choice(_) => true,
        ParamKind::Tag | ParamKind::Property | ParamKind::Identifier => {
            text.len() <= LONGEST_IDENTIFIER
        }
        // Text of notes, and everything that is not named here.
        _ => false,
    }
}

/// Redacts the parameters of a request that was refused before admission. Their kinds are unknown, so
/// every text counts as sensitive.
pub fn redacted_unread(params: &BTreeMap<String, RawValue>) -> Map<String, Value> {
    let shown = |value: &RawValue| match value {
        RawValue::Text(text) => fingerprint(text),
        RawValue::Number(number) => fingerprint(&number.to_string()),
        RawValue::Bool(on) => json!(on),
        RawValue::Null => Value::Null,
        RawValue::List(_) => json!([]),
        RawValue::Object(_) => json!({}),
    };
    params
        .iter()
        .map(|(key, value)| (key.clone(), shown(value)))
        .collect()
}

/// Identifies the settings that a call was admitted under: the SHA-256 of their JSON and of the agent's
/// name (`threats.toml` H06).
pub fn policy_hash(settings: &Settings, agent: Option<&str>) -> String {
    sha256(json!([settings, agent]).to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use allowlist::Catalogue;

    fn params(content: &str) -> BTreeMap<String, RawValue> {
        let text = |text: &str| RawValue::Text(text.to_owned());
        BTreeMap::from([
            ("content".to_owned(), text(content)),
            ("inline".to_owned(), RawValue::Bool(true)),
            ("path".to_owned(), text("a.md")),
        ])
    }

    #[test]
    fn texts_are_kept_as_size_and_hash() {
        let params = params("secret");
        let command = Catalogue::find_builtin("append").unwrap();
        let arguments = command.admit(&params).unwrap();
        let logged = redacted(&Call { command, arguments });
        let hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";
        assert_eq!(
            Value::from(logged),
            json!({
                "content": { "bytes": 6, "sha256": hash },
                "inline": true,
                "path": "a.md",
            })
        );
        let unread = redacted_unread(&params);
        assert_eq!(unread["content"]["sha256"], hash);
        assert_eq!(unread["inline"], true);
        assert_eq!(unread["path"]["bytes"], 4);
    }

    #[test]
    fn f12_search_text_and_addresses_are_kept_as_size_and_hash() {
        let text = |text: &str| RawValue::Text(text.to_owned());
        for (command, key, value) in [
            ("search", "query", "canary"),
            ("search:context", "query", "canary"),
            ("bookmark", "url", "https://a.example/canary"),
            ("property:set", "value", "canary"),
        ] {
            let mut given = BTreeMap::from([(key.to_owned(), text(value))]);
            if command == "property:set" {
                given.insert("name".to_owned(), text("status"));
                given.insert("path".to_owned(), text("a.md"));
            }
            let command = Catalogue::find_builtin(command).unwrap();
            let arguments = command.admit(&given).unwrap();
            let logged = redacted(&Call { command, arguments });
            assert!(!Value::from(logged.clone()).to_string().contains("canary"));
            assert_eq!(logged[key]["bytes"], value.len());
        }
        // For every command: only paths, names, numbers and choices are kept.
        for command in Catalogue::builtin().unwrap().commands() {
            for param in &command.params {
                let is_text = matches!(
                    param.kind,
                    ParamKind::Text
                        | ParamKind::Line
                        | ParamKind::Scalar
                        | ParamKind::ScalarOrList
                        | ParamKind::Object
                        | ParamKind::Url
                        | ParamKind::List(_)
                );
                let long = "x".repeat(LONGEST_IDENTIFIER + 1);
                assert!(!(is_text && is_shown(&param.kind, &long)), "{}", param.name);
            }
        }
    }

    #[test]
    fn h06_a_policy_hash_names_the_settings_in_force() {
        let settings = Settings::default();
        let hash = policy_hash(&settings, None);
        assert_eq!(hash, policy_hash(&Settings::default(), None));
        assert_ne!(hash, policy_hash(&settings, Some("helper")));
        let wider = Settings::parse("settings.toml", "allow_mutations = true").unwrap();
        assert_ne!(hash, policy_hash(&wider, None));
    }
}

//! Parameters as the log keeps them: sizes and hashes in place of values that hold note text.

use serde_json::{Map, Value, json};

use crate::allowlist::{Call, RawValue};
use crate::gateway::Params;
use crate::gateway::precondition::sha256;
use crate::settings::Settings;

/// The parameters of an admitted call. A sensitive value is `{"bytes": …, "sha256": …}`, so that a
/// text can be recognised but not read.
pub fn redacted(call: &Call) -> Map<String, Value> {
    let mut params = call.params_json();
    for (key, value) in &call.arguments.values {
        let sensitive = call.command.param(key).is_none_or(|param| param.sensitive);
        if sensitive {
            params.insert(key.clone(), fingerprint(&value.to_text()));
        }
    }
    params
}

/// The parameters of a request that was refused before they were understood: nothing is known of
/// them, so every text counts as sensitive.
pub fn redacted_unread(params: &Params) -> Map<String, Value> {
    let shown = |value: &RawValue| match value {
        RawValue::Text(text) => fingerprint(text),
        RawValue::Number(number) => fingerprint(&number.to_string()),
        RawValue::Bool(on) => json!(on),
        RawValue::Null => Value::Null,
        RawValue::List => json!([]),
        RawValue::Object => json!({}),
    };
    params
        .0
        .iter()
        .map(|(key, value)| (key.clone(), shown(value)))
        .collect()
}

/// Tells the settings that a call was admitted under from any others: the SHA-256 of their JSON and
/// of the agent's name (`faults.md` H06).
pub fn policy_hash(settings: &Settings, agent: Option<&str>) -> String {
    sha256(json!([settings, agent]).to_string().as_bytes())
}

fn fingerprint(text: &str) -> Value {
    json!({ "bytes": text.len(), "sha256": sha256(text.as_bytes()) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::allowlist::Catalogue;

    fn params(content: &str) -> Params {
        let text = |text: &str| RawValue::Text(text.to_owned());
        Params(BTreeMap::from([
            ("content".to_owned(), text(content)),
            ("inline".to_owned(), RawValue::Bool(true)),
            ("path".to_owned(), text("a.md")),
        ]))
    }

    #[test]
    fn texts_are_kept_as_size_and_hash() {
        let params = params("secret");
        let command = Catalogue::find_builtin("append").unwrap();
        let arguments = command.admit(&params.0).unwrap();
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
    fn h06_a_policy_hash_names_the_settings_in_force() {
        let settings = Settings::default();
        let hash = policy_hash(&settings, None);
        assert_eq!(hash, policy_hash(&Settings::default(), None));
        assert_ne!(hash, policy_hash(&settings, Some("helper")));
        let wider = Settings::parse("settings.toml", "allow_mutations = true").unwrap();
        assert_ne!(hash, policy_hash(&wider, None));
    }
}

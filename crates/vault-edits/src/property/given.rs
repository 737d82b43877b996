//! Properties that are set together with a text: `create properties=…`, `append properties=…`
//! (`contracts.md` K24).

use obsidian_note::VaultPath;
use serde_json::{Map, Value};
use vault_files::{Args, EngineError, Vault};

use super::with_property;

/// Returns the note with the properties of `properties=`, a JSON object; without the parameter the
/// unchanged note. All other bytes stay.
pub(crate) fn with_properties(
    note: Vec<u8>,
    vault: &Vault,
    path: &VaultPath,
    arguments: &Args,
) -> Result<Vec<u8>, EngineError> {
    let Some(text) = arguments.text("properties") else {
        return Ok(note);
    };
    let wrong = || {
        EngineError::argument(
            "properties",
            "one JSON object of texts, numbers, booleans and lists of them, for a note",
        )
    };
    let properties: Map<String, Value> = serde_json::from_str(text).map_err(|_| wrong())?;
    if !path.is_note() || !properties.values().all(is_value) {
        return Err(wrong());
    }
    properties.iter().try_fold(note, |note, (name, value)| {
        with_property(vault, path, &note, name, Some(value))
    })
}

/// Whether a property of the app can have this value.
pub(super) fn is_value(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => items
            .iter()
            .all(|item| !item.is_array() && !item.is_object()),
        Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use crate::testing::{done, error};

    #[test]
    fn properties_come_with_the_text() {
        let (_folder, vault) = vault(&[("a.md", "---\n# why\nrating: 4\n---\nbody")]);
        let read = |path: &str| fs_err::read_to_string(vault.root().join(path)).unwrap();
        let given = r#"{"status":"a: b","rating":5,"tags":["x","y"]}"#;
        let new = [("path", "n.md"), ("content", "text"), ("properties", given)];
        done(&vault, "create", &new, &[]);
        assert_eq!(
            read("n.md"),
            "---\nstatus: \"a: b\"\nrating: 5\ntags:\n  - x\n  - y\n---\ntext"
        );
        let more = [("path", "a.md"), ("content", "more"), ("properties", given)];
        done(&vault, "append", &more, &[]);
        assert_eq!(
            read("a.md"),
            "---\n# why\nrating: 5\nstatus: \"a: b\"\ntags:\n  - x\n  - y\n---\nbody\nmore"
        );
    }

    #[test]
    fn what_no_property_can_hold_is_refused() {
        let (_folder, vault) = vault(&[]);
        for wrong in ["{", "[]", "7", r#"{"a":{"b":1}}"#, r#"{"a":[[1]]}"#] {
            let new = [("path", "n.md"), ("content", "x"), ("properties", wrong)];
            error(&vault, "create", &new, &[]);
        }
        let canvas = [
            ("path", "n.canvas"),
            ("content", "{}"),
            ("properties", "{\"a\":1}"),
        ];
        error(&vault, "create", &canvas, &[]);
    }
}

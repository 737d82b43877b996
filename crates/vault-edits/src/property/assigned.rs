//! The type that a command gives to a property: its entry in `types.json`.

use obsidian_note::Warning;
use serde_json::{Value, json};
use vault_files::property_types::BUILT_IN;
use vault_files::{EngineError, PropertyType, Vault};

use crate::Change;
use crate::config_folder::ConfigText;
use crate::json_text;

/// Returns the change of `types.json` that gives the property this type; nothing if it has it, or if the type is built
/// in. Names that differ in case are different. A malformed file is left unchanged, with a warning: the note can be
/// written without it. If usable settings are needed, it is an error.
pub(super) fn changes(
    vault: &Vault,
    name: &str,
    kind: PropertyType,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Change>, EngineError> {
    let lower = name.to_lowercase();
    if BUILT_IN.iter().any(|(built_in, _)| *built_in == lower) {
        return Ok(Vec::new());
    }
    let file = ConfigText::read(vault, "types.json")?;
    if !file.is_there() {
        return file.created(vault, &json!({ "types": { name: kind.name() } }));
    }
    let edited = file.text().and_then(|text| {
        let root = json_text::root(text)?;
        let value = Value::from(kind.name());
        let Some(types) = json_text::member(text, &root, |key| key == "types") else {
            return json_text::with_member(text, &root, "types", &json!({ name: value }));
        };
        let known = json_text::member(text, &types.value, |key| key.to_lowercase() == lower);
        let key = known.map_or(name.to_owned(), |known| known.key);
        json_text::with_member(text, &types.value, &key, &value)
    });
    if let Some(edited) = edited {
        return Ok(file.modified(&edited));
    }
    let left = Warning::ConfigIgnored {
        path: file.path,
        reason: format!("the type of `{name}` cannot be kept in it"),
    };
    vault.ensure_settings_usable(std::slice::from_ref(&left))?;
    warnings.push(left);
    Ok(Vec::new())
}

//! Values as JavaScript converts them to text (`contracts.md` §3.2).

use obsidian_note::javascript;
use serde_json::Value;

/// Returns a value as JavaScript's `String(value)` gives it.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        other => javascript::text(other),
    }
}

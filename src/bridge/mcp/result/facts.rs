//! The metadata of a result, for clients that show the model its text alone.

use serde_json::{Map, Value, json};

/// The fields of `data` that are metadata of a text or list.
const BESIDE_TEXT: [&str; 10] = [
    "path",
    "type",
    "sha256",
    "offset",
    "truncated",
    "nextOffset",
    "totalCharacters",
    "total",
    "returned",
    "needsApproval",
];

/// The metadata that the text does not show, from the same fields as `structured`. If the text is
/// the items of a list, everything beside the items counts.
pub(super) fn facts(
    structured: &Map<String, Value>,
    text: &str,
    next: Option<String>,
    are_items_told: bool,
) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |key: &str, value: &Value| {
        facts.insert(key.to_owned(), value.clone());
    };
    let status = structured.get("status");
    if let Some(status) = status.filter(|status| *status != "ok" && *status != "error") {
        add("status", status);
    }
    let data = structured.get("data").and_then(Value::as_object);
    let has = |key: &str| data.is_some_and(|data| data.contains_key(key));
    for (key, value) in data.into_iter().flatten() {
        let stands_beside = BESIDE_TEXT.contains(&key.as_str()) || are_items_told && key != "items";
        let has_text = ["content", "body", "items", "dryRun"].into_iter().any(has);
        // Some texts do not name the note that they are about; add its path then.
        let is_unsaid = has_text || value.as_str().is_some_and(|value| !text.contains(value));
        let is_given = value != &json!(0) && value != &json!(false);
        // A complete list shows its own length.
        let is_count = ["total", "returned"].contains(&key.as_str());
        let is_part = data.is_some_and(|data| data.get("truncated") == Some(&json!(true)));
        if is_unsaid && stands_beside && is_given && (!is_count || is_part) {
            add(key, value);
        }
    }
    if let Some(details) = structured
        .get("error")
        .and_then(|error| error.get("details"))
    {
        let message = structured
            .get("error")
            .and_then(|error| error.get("message"))
            .and_then(Value::as_str)
            .unwrap_or_default();
        let details = details.as_object().into_iter().flatten();
        let untold: Map<String, Value> = details
            // A program reads the reason, which a sentence has only by chance.
            .filter(|(key, detail)| *key == "reason" || !is_told(detail, message))
            .map(|(key, detail)| (key.clone(), detail.clone()))
            .collect();
        if !untold.is_empty() {
            add("details", &Value::Object(untold));
        }
    }
    for key in ["warnings", "warningsOmitted", "stderr", "stderrOmitted"] {
        if let Some(value) = structured.get(key) {
            add(key, value);
        }
    }
    let meta = structured.get("meta").and_then(Value::as_object);
    for (key, value) in meta.into_iter().flatten() {
        add(key, value);
    }
    if let Some(next) = next {
        add("next", &json!(next));
    }
    facts
}

/// Whether a message says what a detail says: its text, or each of its texts, in quotes.
fn is_told(detail: &Value, message: &str) -> bool {
    match detail {
        // One that the message shows escaped is told as it is, too.
        Value::String(text) => [('`', '`'), ('"', '"')]
            .iter()
            .any(|(open, close)| message.contains(&format!("{open}{text}{close}"))),
        Value::Array(items) => {
            let mut items = items.iter();
            items.len() > 0 && items.all(|item| item.is_string() && is_told(item, message))
        }
        _ => false,
    }
}

//! The metadata of a result, for clients that show the model its text alone.

use serde_json::{Map, Value, json};

use gateway::{Data, Envelope};
use protocol::Status;

/// The fields of `data` that are metadata of a text or list.
const BESIDE_TEXT: [&str; 12] = [
    "path",
    "uri",
    "type",
    "sha256",
    "offset",
    "truncated",
    "nextOffset",
    "totalCharacters",
    "total",
    "returned",
    "needsApproval",
    "drafted",
];

/// The details that the sentence of a failure names.
const IN_THE_SENTENCE: [&str; 8] = [
    "command",
    "parameter",
    "argument",
    "missing",
    "target",
    "name",
    "nearest",
    "valid",
];

/// Returns the metadata that the text does not show, from the fields of `structured` and the data. If the text is the
/// items of a list, everything next to the items counts.
pub(super) fn facts(
    envelope: &Envelope,
    (structured, data): (&Map<String, Value>, &Data),
    text: &str,
    next: Option<&str>,
    shows_items: bool,
) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |key: &str, value: &Value| {
        facts.insert(key.to_owned(), value.clone());
    };
    if !matches!(envelope.status, Status::Ok | Status::Error) {
        add("status", &json!(envelope.status));
    }
    let is_part = data.part().truncated;
    let data = data.as_map();
    let has = |key: &str| data.contains_key(key);
    for (key, value) in data {
        let stands_beside = BESIDE_TEXT.contains(&key.as_str()) || shows_items && key != "items";
        let has_text = ["content", "body", "items", "dryRun"].into_iter().any(has);
        // Some texts do not name the note that they are about; add its path then.
        let is_unsaid = has_text || value.as_str().is_some_and(|value| !text.contains(value));
        let is_given = value != &json!(0) && value != &json!(false);
        // A complete list shows its own length.
        let is_count = ["total", "returned"].contains(&key.as_str());
        if is_unsaid && stands_beside && is_given && (!is_count || is_part) {
            add(key, value);
        }
    }
    let details = structured
        .get("error")
        .and_then(|error| error.get("details"));
    let mut details = details
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    details.retain(|key, _| !IN_THE_SENTENCE.contains(&key.as_str()));
    if !details.is_empty() {
        add("details", &Value::Object(details));
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

//! Rows of lists, as the profiles need them: what a list item of an envelope tells of a note or of
//! a link.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::gateway::envelope::Envelope;

/// The items of the answer; none where it is no list.
pub(super) fn items(envelope: &Envelope) -> Option<&Vec<Value>> {
    let data = &envelope.data;
    // The files of a tag stand one level deeper.
    let list = data
        .get("items")
        .or_else(|| data.get("files")?.get("items"));
    list?.as_array()
}

/// The command whose findings are the violations and the advice of its envelope.
pub(super) const AUDIT: &str = "vault:audit";

/// What an audit found, the worst first.
pub(super) fn findings(envelope: &Envelope) -> Value {
    let found = envelope.violations.iter().chain(&envelope.advice);
    found.map(|issue| json!(issue)).collect()
}

/// What an item tells as text under this key.
pub(super) fn text<'i>(item: &'i Value, key: &str) -> Option<&'i str> {
    item.get(key)?.as_str()
}

/// The note of an item: its path, or the text of a link that leads nowhere, as written.
pub(super) fn note(item: &Value) -> Option<&str> {
    text(item, "path")
        .or_else(|| text(item, "target"))
        .or_else(|| text(item, "link"))
}

/// A link from or to a note, in the one form that the profiles share.
///
/// The official commands tell less than these keys hold: a count only where it was asked for, and
/// of no single link what it looks like. The title is the name of the file then; `embed` is false,
/// because consumers read a switch; the rest is null.
pub(super) fn link(item: &Value) -> Value {
    let path = note(item);
    let told = |key: &str| item.get(key).cloned().unwrap_or_default();
    json!({
        "path": path,
        "title": text(item, "title").or_else(|| title(path?)),
        "links": item.get("links").or_else(|| item.get("count")),
        "embed": item.get("embed").is_some_and(|embed| *embed == true),
        "alias": told("alias"),
        "heading": told("heading"),
        "block": told("block"),
    })
}

/// The title of a note: the name of its file without extension.
pub(super) fn title(path: &str) -> Option<&str> {
    Path::new(path).file_stem()?.to_str()
}

/// The note that the call was about, as it was named.
pub(super) fn subject(params: &Map<String, Value>) -> Value {
    params
        .get("path")
        .or_else(|| params.get("file"))
        .cloned()
        .unwrap_or_default()
}

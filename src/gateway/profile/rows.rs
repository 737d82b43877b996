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

/// What a payload says beside the part of an answer that it holds (`faults.md` F15): that it is a part,
/// and the `--offset` that goes on. Nothing where the answer is whole.
pub(super) fn mark_of_part(envelope: &Envelope) -> Map<String, Value> {
    let data = &envelope.data;
    let list = data.get("files").and_then(Value::as_object).unwrap_or(data);
    let mut mark = Map::new();
    if list.get("truncated") != Some(&json!(true)) {
        return mark;
    }
    mark.insert("truncated".to_owned(), true.into());
    let count = |key: &str| list.get(key)?.as_u64();
    let next = count("nextOffset").or_else(|| {
        let next = count("offset")? + count("returned").filter(|returned| *returned > 0)?;
        (next < count("total")?).then_some(next)
    });
    if let Some(next) = next {
        mark.insert("next_offset".to_owned(), next.into());
    }
    mark
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

//! Rows of lists that several profiles share: notes and links of an envelope's list items.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::gateway::envelope::Envelope;

/// The items of the answer; `None` if it is not a list.
pub(super) fn items(envelope: &Envelope) -> Option<&Vec<Value>> {
    let data = envelope.data.as_map();
    // The files of a tag are nested one level deeper.
    let list = data
        .get("items")
        .or_else(|| data.get("files")?.get("items"));
    list?.as_array()
}

/// The keys that mark a payload as a part of an answer (`faults.md` F15), with the `--offset` of the
/// next part. Empty if the answer is complete.
pub(super) fn mark_of_part(envelope: &Envelope) -> Map<String, Value> {
    let data = envelope.data.as_map();
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

/// The key and value for warnings; `None` if there are none. Readers of these objects accept
/// unknown keys.
pub(super) fn warnings(envelope: &Envelope) -> Option<(String, Value)> {
    let warnings = &envelope.warnings;
    (!warnings.is_empty()).then(|| ("warnings".to_owned(), json!(warnings)))
}

/// The command whose findings are the violations and the advice of its envelope.
pub(super) const AUDIT: &str = "vault:audit";

/// The findings of an audit, violations first; empty if the audit failed, because the advice is
/// then about the failure.
pub(super) fn findings(envelope: &Envelope) -> Value {
    if envelope.error.is_some() {
        return json!([]);
    }
    let found = envelope.violations.iter().chain(&envelope.advice);
    found.map(|issue| json!(issue)).collect()
}

/// The text of an item under this key.
pub(super) fn text<'i>(item: &'i Value, key: &str) -> Option<&'i str> {
    item.get(key)?.as_str()
}

/// The note of an item: its path, or the text of an unresolved link as written.
pub(super) fn note(item: &Value) -> Option<&str> {
    text(item, "path")
        .or_else(|| text(item, "target"))
        .or_else(|| text(item, "link"))
}

/// A link from or to a note, in the form that the profiles share.
///
/// The official commands return less than these keys need: a count only on request, and nothing about a
/// single link. The title is then the name of the file; `embed` is false, because consumers expect a
/// boolean; the rest is null.
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

/// A link of `links:list`: the note at its other end, and how it is written.
pub(super) fn listed_link(envelope: &Envelope, item: &Value) -> Value {
    let is_incoming = envelope.params.contains_key("to");
    let path = if is_incoming {
        text(item, "path")
    } else {
        text(item, "resolved").or_else(|| text(item, "target"))
    };
    let target = text(item, "target").unwrap_or_default();
    let place = target.split_once('#').map(|(_, place)| place);
    let block = place.and_then(|place| place.strip_prefix('^'));
    let kind = text(item, "kind").unwrap_or_default();
    let told = if is_incoming {
        text(item, "title")
    } else {
        text(item, "resolvedTitle")
    };
    json!({
        "path": path,
        "title": told.or_else(|| title(path?)),
        "links": 1,
        "embed": kind.ends_with("embed"),
        "alias": alias(text(item, "markup").unwrap_or_default()),
        "heading": place.filter(|_| block.is_none()),
        "block": block,
        "target": target,
        "status": if item.get("resolved").is_some() { "resolved" } else { "unresolved" },
        "source": item["path"],
        "line": item["line"],
    })
}

/// The text that a link shows, if it has an alias.
fn alias(markup: &str) -> Option<&str> {
    let markup = markup.strip_prefix('!').unwrap_or(markup);
    if let Some(inner) = markup.strip_prefix("[[") {
        let inner = inner.strip_suffix("]]").unwrap_or(inner);
        return inner.split_once('|').map(|(_, alias)| alias);
    }
    let (shown, _) = markup.strip_prefix('[')?.split_once("](")?;
    Some(shown).filter(|shown| !shown.is_empty())
}

/// The title of a note: the name of its file without extension.
pub(super) fn title(path: &str) -> Option<&str> {
    Path::new(path).file_stem()?.to_str()
}

/// The target note of the call, as the caller named it.
pub(super) fn subject(params: &Map<String, Value>) -> Value {
    params
        .get("path")
        .or_else(|| params.get("file"))
        .cloned()
        .unwrap_or_default()
}

//! An envelope as lines of JSON, `-o ndjson` (`contracts.md` M42): a header, one line for each item
//! of a list, and the envelope without the items. `sequence` counts the lines from 0, so that a
//! missing line is noticed.

use serde_json::{Map, Value, json};

use gateway::Envelope;
use protocol::json;

/// Returns the lines, each with its line feed.
pub(super) fn of_envelope(envelope: &Envelope) -> String {
    let mut envelope = envelope.clone();
    let mut data = std::mem::take(&mut envelope.data).into_map();
    let items = take_items(&mut data);
    envelope.data = data.into();
    // The items are printed as lines, so their text is not repeated.
    if !items.is_empty() {
        envelope.stdout.clear();
    }
    let last = if envelope.success { "summary" } else { "error" };
    let header = json!({
        "schemaVersion": envelope.schema_version,
        "command": envelope.command,
        "runId": envelope.run_id,
        "params": envelope.params,
    });
    let items = items.into_iter().map(|item| ("item", "item", item));
    let all = std::iter::once(("header", "call", header)).chain(items);
    let all = all.chain([(last, "envelope", json!(envelope))]);
    all.enumerate()
        .map(|(sequence, (kind, key, value))| {
            let line = Map::from_iter([
                ("type".to_owned(), Value::from(kind)),
                ("sequence".to_owned(), sequence.into()),
                (key.to_owned(), value),
            ]);
            // Only maps with non-text keys make serde_json fail, and a line has none.
            json::to_line(&line).unwrap_or_default() + "\n"
        })
        .collect()
}

/// Removes the items from the list of an answer and returns them.
fn take_items(data: &mut Map<String, Value>) -> Vec<Value> {
    let list = match data.get_mut("files") {
        Some(Value::Object(files)) => files,
        _ => data,
    };
    match list.get_mut("items") {
        Some(Value::Array(items)) => std::mem::take(items),
        _ => Vec::new(),
    }
}

//! codira: `{schema_version, command, status, query, results}` (`contracts.md` C01 to C32).

use serde_json::{Map, Value, json};
use vault_engine::Neighborhood;

use super::Surroundings;
use super::ending::Ending;
use super::rows;
use changes::{Data, Envelope};
use protocol::{Code, Failure, Status, json::object as object_of};

/// A prefix that is not a folder counts as a usage error (`contracts.md` C22).
pub(super) fn ending(envelope: &Envelope) -> Ending {
    match &envelope.error {
        Some(error) if error.code == Code::FolderNotFound => Ending::Usage,
        _ => Ending::from_envelope(envelope),
    }
}

/// The version of the shared envelope.
const SCHEMA_VERSION: &str = "1.0";

pub(super) fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let command = surroundings.requested.as_ref().unwrap_or(&envelope.command);
    let mut object = object_of(json!({
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "status": status(envelope.status),
        "query": query(envelope),
        "results": results(envelope),
    }));
    if envelope.command == "vault:index" && envelope.error.is_none() {
        object.insert("summary".to_owned(), json!(envelope.data));
    }
    object.extend(rows::mark_of_part(envelope));
    object.extend(rows::warnings(envelope));
    match &envelope.error {
        Some(error) => {
            object.insert("error".to_owned(), error_of(error));
        }
        None => object.extend(required_result_keys(envelope)),
    }
    object.into()
}

/// Returns the keys that document 003 requires of every result, besides `command`.
pub(super) fn required_result_keys(envelope: &Envelope) -> Map<String, Value> {
    object_of(json!({
        "exitCode": envelope.exit_code,
        "durationMs": envelope.duration_ms,
        "stdout": envelope.stdout,
        "stderr": envelope.stderr,
    }))
}

/// `{code, message, details}`, with `retryable` among the details.
pub(super) fn error_of(error: &Failure) -> Value {
    let mut details = error.details.clone();
    details.insert("retryable".to_owned(), error.code.is_retryable().into());
    json!({ "code": error.code, "message": error.to_string(), "details": details })
}

fn status(status: Status) -> &'static str {
    match status {
        // A change is never drafted where answers have this form.
        Status::Ok | Status::Drafted => "ok",
        Status::NoMatches => "no_matches",
        Status::Partial => "partial",
        Status::Unknown | Status::Refused | Status::Error => "error",
    }
}

/// Returns the parameters, with the folder of the question as `prefix`.
fn query(envelope: &Envelope) -> Value {
    let mut query = envelope.params.clone();
    let narrowed_by = if envelope.command.starts_with("search") {
        "path"
    } else {
        "folder"
    };
    // codira calls the search text `text`.
    let prefix = query.get(narrowed_by).cloned().unwrap_or_default();
    query.insert("prefix".to_owned(), prefix);
    query.into()
}

/// Returns the rows of a list; for any other answer its single object.
fn results(envelope: &Envelope) -> Value {
    let data = &envelope.data;
    match (rows::links(envelope), rows::items(envelope)) {
        _ if envelope.command == rows::AUDIT => rows::findings(envelope).into(),
        _ if envelope.command == "vault:index" || data.is_empty() => json!([]),
        (Some(links), _) => json!(links),
        (_, Some(items)) => items.clone().into(),
        _ => json!([single(data)]),
    }
}

/// An answer that is not a list. The counts of a tree have codira's names too (`contracts.md` C25).
fn single(data: &Data) -> Map<String, Value> {
    let mut answer = data.as_map().clone();
    if let Some(tree) = data.own::<Neighborhood>() {
        answer.insert("node_count".to_owned(), tree.node_count.into());
        answer.insert("edge_count".to_owned(), tree.edge_count.into());
    }
    answer
}

//! Reduces an envelope to what a model can use, within a size limit.

use serde_json::{Map, Value, json};

use gateway::Envelope;
use protocol::{Issue, json::object};

/// The fields of an envelope that only describe the run.
const ABOUT_THE_RUN: [&str; 8] = [
    "schemaVersion",
    "exitCode",
    "durationMs",
    "runId",
    "correlationId",
    "id",
    "timestamp",
    "summary",
];
/// The fields of `meta` that a model can use.
const USEFUL_META: [&str; 3] = ["changes", "journal", "lossy"];
/// The name of `journal` in results: the parameter by which `undo` takes it.
const RUN: &str = "run";

/// Maximum number of reported faults of a base: each has to be fixed before the base answers.
const MOST_FAULTS: usize = 3;

/// Keeps the first warning of each kind and counts the rest in `more`. A large vault always has
/// some malformed notes, and the model need not see each of them with every answer.
pub(super) fn folded(warnings: Vec<Issue>) -> Vec<Issue> {
    let mut kinds: Vec<(Issue, usize)> = Vec::new();
    for warning in warnings {
        let is_same = |(shown, _): &(Issue, usize)| shown.code == warning.code;
        let most = if warning.code == "BASE_FAULT" {
            MOST_FAULTS
        } else {
            1
        };
        let is_open = kinds.iter().filter(|shown| is_same(shown)).count() < most;
        let last = kinds.iter().rposition(is_same).filter(|_| !is_open);
        match last.and_then(|last| kinds.get_mut(last)) {
            Some((_, more)) => *more += 1,
            None => kinds.push((warning, 0)),
        }
    }
    let shown = kinds.into_iter().map(|(first, more)| match more {
        0 => first,
        more => first.with("more", more),
    });
    shown.collect()
}

/// Splits an envelope into what the model needs and what only describes the run.
pub(super) fn lean(envelope: &Envelope) -> (Map<String, Value>, Map<String, Value>) {
    let mut fields = object(json!(envelope));
    for key in ["stdout", "params"] {
        fields.shift_remove(key);
    }
    let run = ABOUT_THE_RUN.into_iter();
    let mut run: Map<String, Value> = run
        .filter_map(|key| Some((key.to_owned(), fields.shift_remove(key)?)))
        .collect();
    if let Some(Value::Object(meta)) = fields.get_mut("meta") {
        let (useful, rest) = std::mem::take(meta)
            .into_iter()
            .partition(|(key, _)| USEFUL_META.contains(&key.as_str()));
        *meta = useful;
        if let Some(run) = meta.shift_remove("journal") {
            meta.shift_insert(0, RUN.to_owned(), run);
        }
        let mut rest: Map<String, Value> = rest;
        rest.retain(|_, value| {
            !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty())
        });
        run.insert("meta".to_owned(), Value::Object(rest));
    }
    fields.retain(|key, value| {
        let empty = match value {
            Value::Array(items) => items.is_empty(),
            Value::String(text) => text.is_empty(),
            Value::Null => true,
            Value::Object(fields) => fields.is_empty(),
            Value::Bool(_) | Value::Number(_) => false,
        };
        !empty || key == "data"
    });
    (fields, run)
}

/// The maximum number of changes of a result. A call that changes more files names them itself, or they follow from
/// what it names; `draft:show` and a dry run list all.
const MOST_CHANGES: usize = 20;

/// Keeps the first changes of a result and counts the others in `changesOmitted`.
pub(super) fn cut_changes(structured: &mut Map<String, Value>) {
    let Some(meta) = structured.get_mut("meta").and_then(Value::as_object_mut) else {
        return;
    };
    let changes = meta.get_mut("changes").and_then(Value::as_array_mut);
    let omitted = changes.map_or(0, |changes| {
        let omitted = changes.len().saturating_sub(MOST_CHANGES);
        changes.truncate(MOST_CHANGES);
        omitted
    });
    if omitted > 0 {
        meta.insert("changesOmitted".to_owned(), json!(omitted));
    }
}

/// Removes the diffs from the plan in a refusal. The person who approves the plan sees them; a model that wants them
/// asks with `dryRun`. The diff of a call that loses a note contains the whole note.
pub(super) fn omit_diffs(structured: &mut Map<String, Value>) {
    let files = structured
        .get_mut("error")
        .and_then(|error| error.pointer_mut("/details/files"))
        .and_then(Value::as_array_mut);
    for file in files.into_iter().flatten() {
        if let Value::Object(file) = file {
            file.shift_remove("diff");
        }
    }
}

/// Truncates each list to `most` characters of JSON and adds the number of omitted items as
/// `…Omitted`: a move can change thousands of notes, and a name can match thousands of candidates.
pub(super) fn cut_lists(fields: &mut Map<String, Value>, most: usize) {
    let mut omitted = Vec::new();
    for (key, value) in fields.iter_mut() {
        match value {
            Value::Array(items) => {
                let mut used = 0;
                let fits = items.iter().take_while(|item| {
                    used += item.to_string().chars().count() + 1;
                    used <= most
                });
                let kept = fits.count();
                if kept < items.len() {
                    omitted.push((format!("{key}Omitted"), items.len() - kept));
                    items.truncate(kept);
                }
                for item in items {
                    if let Value::Object(fields) = item {
                        cut_lists(fields, most);
                    }
                }
            }
            Value::Object(fields) => cut_lists(fields, most),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    fields.extend(omitted.into_iter().map(|(key, count)| (key, json!(count))));
}

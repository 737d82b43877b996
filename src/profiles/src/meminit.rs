//! Meminit: its agent output envelope, schema version 3 (`contracts.md` M01 to M54).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use vault_engine::{AuditReport, FindingCount, FoundNotes, IndexReport, Severity};

use super::Surroundings;
use super::codira::{error_of, required_result_keys};
use super::ending::{Ending, is_doubt};
use super::rows;
use changes::Envelope;
use gateway::about::{Capabilities, Context};
use gateway::{Data, Plan};
use protocol::{Code, Explanation, Issue, Status, json::object as object_of};

/// The command whose object has an audit's counters.
const CHECK: &str = "check";
/// The command that resolves a name to its path.
const RESOLVE: &str = "resolve";

/// The command that fixes what can be fixed.
const FIX: &str = "fix";

/// The version of the schema of the objects.
const SCHEMA_VERSION: &str = "3.0";

/// Commands about the program, for which the schema forbids `root`.
const WITHOUT_ROOT: [&str; 2] = ["capabilities", "explain"];

/// Commands for which the schema requires `root`, even if no vault was found.
const ALWAYS_WITH_ROOT: [&str; 7] = [
    "check", "context", "doctor", "identify", "index", "link", "resolve",
];

/// The path of an issue that is not about a single note.
const NO_NOTE: &str = ".";

pub(super) fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let command = surroundings.requested.as_ref().unwrap_or(&envelope.command);
    let error = envelope.error.as_ref().map(error_of);
    let error = error.or_else(|| {
        let missed = ending(envelope, surroundings) == Ending::NotFound;
        missed.then(|| nothing_resolved(envelope))
    });
    let is_strict = surroundings.is_strict;
    let (violations, doubts): (Vec<&Issue>, Vec<&Issue>) = envelope
        .violations
        .iter()
        .partition(|issue| is_strict || !is_doubt(issue));
    let success = error.is_none() && violations.is_empty();
    let mut object = object_of(json!({
        "output_schema_version": SCHEMA_VERSION,
        "success": success,
        "command": command,
        "run_id": envelope.run_id.to_string(),
    }));
    let mut insert = |key: &str, value: Value| object.insert(key.to_owned(), value);
    if let Some(id) = &envelope.correlation_id {
        insert("correlation_id", id.as_str().into());
    }
    if let Some(timestamp) = &envelope.timestamp {
        insert("timestamp", timestamp.as_str().into());
    }
    if let Some(root) = root(command, surroundings) {
        insert("root", root.into());
    }
    let mut data = data(envelope, command, &surroundings.properties);
    if command == CHECK && error.is_none() {
        // The document has them in `data`, the schema of today above it (`contracts.md` M21).
        for (key, value) in counters(envelope, &violations, &doubts) {
            data.insert(key.to_owned(), value.clone());
            insert(key, value);
        }
        data.insert("violations".to_owned(), violations.len().into());
        data.insert("warnings".to_owned(), doubts.len().into());
    }
    insert("data", data.into());
    let warnings = envelope.warnings.iter().chain(doubts).collect();
    insert("warnings", issues(warnings));
    insert("violations", issues(violations));
    insert("advice", advice(&envelope.advice));
    if let Some(error) = error {
        insert("error", error);
    }
    object.into()
}

/// Returns the ending; an unresolved name counts as a missing file.
pub(super) fn ending(envelope: &Envelope, surroundings: &Surroundings) -> Ending {
    let missed = envelope.status == Status::NoMatches;
    if missed && surroundings.requested.as_deref() == Some(RESOLVE) {
        Ending::NotFound
    } else if surroundings.is_strict && !envelope.violations.is_empty() {
        Ending::Violations
    } else {
        Ending::from_envelope(envelope)
    }
}

fn nothing_resolved(envelope: &Envelope) -> Value {
    let failure = Code::FileNotFound
        .failure("No file has this path, name, alias or title.")
        .hint("Look the file up with `search`.");
    error_of(&failure.with_details(envelope.params.clone()))
}

/// The counters of `check`. They always cover the whole vault, because the command takes no path.
fn counters(
    envelope: &Envelope,
    violations: &[&Issue],
    doubts: &[&Issue],
) -> Vec<(&'static str, Value)> {
    let files = |issues: &[&Issue]| {
        let paths: BTreeSet<&str> = issues.iter().map(|issue| path(issue)).collect();
        paths.len()
    };
    let nothing = AuditReport::default();
    let report = envelope.data.own().unwrap_or(&nothing);
    let sum = |fits: &dyn Fn(&FindingCount) -> bool| -> usize {
        let fitting = report.counts.iter().filter(|count| fits(count));
        fitting.map(|count| count.count).sum()
    };
    let of = |severity| sum(&|count| count.severity == severity).into();
    let invalid = sum(&|count| count.code == "INVALID_FRONTMATTER");
    let failed = files(violations);
    vec![
        ("files_checked", report.files.into()),
        ("files_passed", report.files.saturating_sub(failed).into()),
        ("files_failed", failed.into()),
        ("missing_paths_count", 0.into()),
        ("schema_failures_count", invalid.into()),
        ("warnings_count", of(Severity::Warning)),
        ("violations_count", of(Severity::Error)),
        ("files_with_warnings", files(doubts).into()),
        ("files_outside_docs_root_count", 0.into()),
        ("checked_paths_count", 0.into()),
        ("checked_paths", json!([])),
    ]
}

fn root<'s>(command: &str, surroundings: &'s Surroundings) -> Option<&'s str> {
    if WITHOUT_ROOT.contains(&command) {
        return None;
    }
    let here = ALWAYS_WITH_ROOT
        .contains(&command)
        .then_some(surroundings.here.as_str());
    surroundings.root.as_deref().or(here)
}

/// Returns the payload, with the fields that document 003 requires of every result: the schema has no place for them
/// above.
fn data(envelope: &Envelope, command: &str, properties: &Map<String, Value>) -> Map<String, Value> {
    let mut data = envelope.data.as_map().clone();
    // A dry run lists the files that would change.
    let planned = envelope
        .data
        .own()
        .and_then(|plan: &Plan| plan.changes.as_ref());
    let first = || Some(planned?.files.first()?.path.as_str());
    let path = envelope.data.path().or_else(first);
    if command == RESOLVE
        && let Some(found) = envelope.data.own::<FoundNotes>()
        && let Some(found) = found.list.items.first()
    {
        let name = envelope.params.get("name").cloned().unwrap_or_default();
        data.insert("document_id".to_owned(), name);
        data.insert("path".to_owned(), found.path.as_str().into());
    }
    match command {
        "identify" | "link" => {
            let name = path.and_then(rows::title);
            data.insert("document_id".to_owned(), name.into());
        }
        FIX if envelope.error.is_none() => {
            let left = envelope.warnings.iter();
            let left = left.filter(|issue| issue.code == "FIX_LEFT").count();
            if let Some(plan) = planned {
                data.insert("fixed".to_owned(), plan.files.len().into());
            }
            data.insert("remaining".to_owned(), left.into());
            data.insert("dry_run".to_owned(), envelope.data.is_plan().into());
        }
        "index" => {
            let report = envelope.data.own();
            let count = |of: fn(&IndexReport) -> usize| json!(report.map(of));
            let rebuild = json!({
                "mode": "incremental",
                "changed": count(|report| report.indexed),
                "removed": count(|report| report.deleted),
                "unchanged": count(|report| report.reused),
            });
            data.extend(object_of(json!({
                "index_path": null,
                "document_count": count(|report| report.notes),
                "node_count": count(|report| report.notes),
                "edge_count": count(|report| report.edges),
                "rebuild": rebuild,
            })));
        }
        "context" => {
            let shown = envelope
                .data
                .own()
                .map(|context: &Context| context.vault.name.as_str());
            data.extend(context(shown));
        }
        "capabilities" => data.extend(capabilities(envelope.data.own())),
        "explain" => {
            let explained = explained(&envelope.data);
            data.extend(explained.iter().flat_map(explanation));
        }
        _ => {}
    }
    if envelope.command == "create" && envelope.error.is_none() {
        data.extend(document(path, properties));
    }
    if let Some(links) = rows::links(envelope)
        && envelope.command == "backlinks"
    {
        data.insert("items".to_owned(), json!(links));
    }
    let mut process = Map::from_iter([("command".to_owned(), envelope.command.as_str().into())]);
    for key in ["stdout", "stderr", "exitCode", "durationMs"] {
        process.extend(required_result_keys(envelope).remove_entry(key));
    }
    data.insert("process".to_owned(), process.into());
    data
}

/// Returns a new note (`contracts.md` M24): with its name as id, and the facts from its properties.
fn document(path: Option<&str>, properties: &Map<String, Value>) -> Map<String, Value> {
    let name = path.and_then(rows::title);
    let property = |key: &str| properties.get(key).cloned();
    let title = property("title").or_else(|| Some(name?.into()));
    object_of(json!({
        "document_id": name,
        "path": path,
        "type": property("type"),
        "title": title,
    }))
}

/// Returns the description of a Meminit repository, for a vault (`contracts.md` M08): one namespace that begins at its
/// root. It has no `DocOps` version and no schema of documents, and its index is not a file in it.
fn context(name: Option<&str>) -> Map<String, Value> {
    let namespace = json!({ "namespace": name, "docs_root": NO_NOTE });
    object_of(json!({
        "repo_prefix": name,
        "docops_version": null,
        "docs_root": NO_NOTE,
        "namespaces": [namespace],
        "schema_path": null,
        "index_path": null,
    }))
}

/// Capabilities with the names that Meminit has for them (`contracts.md` M40).
fn capabilities(shown: Option<&Capabilities>) -> Map<String, Value> {
    let mut named = object_of(json!({ "output_schema_version": SCHEMA_VERSION }));
    if let Some(program) = shown.and_then(|shown| shown.program.as_ref()) {
        named.extend(object_of(json!({
            "cli_version": program.versions.vault_gw,
            "output_formats": program.formats,
            "error_codes": program.error_codes,
        })));
    }
    named
}

/// Returns the code that an answer explains.
fn explained(data: &Data) -> Option<Explanation> {
    let code = data.as_map().get("code")?.as_str()?;
    Some(Code::named(code)?.explanation())
}

/// Returns the explanation of a code in Meminit's form (`contracts.md` M41).
fn explanation(shown: &Explanation) -> Map<String, Value> {
    object_of(json!({
        "category": shown.category,
        "summary": shown.cause,
        "cause": shown.cause,
        "remediation": {
            "action": shown.remedy().text(),
            "resolution_type": if shown.retryable { "retry" } else { "manual" },
            "automatable": shown.retryable,
            "relevant_commands": ["doctor", "explain"],
        },
    }))
}

/// Issues sorted by path, line, code and message; those without a line come last.
fn issues(mut sorted: Vec<&Issue>) -> Value {
    sorted.sort_by_cached_key(|issue| {
        (
            path(issue),
            issue.line.unwrap_or(u64::MAX),
            issue.code,
            issue.message.text(),
        )
    });
    sorted
        .into_iter()
        .map(|issue| {
            let mut row = object_of(json!({
                "code": issue.code,
                "message": issue.message.text(),
                "path": path(issue),
            }));
            row.extend(issue.line.map(|line| ("line".to_owned(), line.into())));
            if !issue.details.is_empty() {
                let severity = issue.details.get_key_value("severity");
                row.extend(severity.map(|(key, value)| (key.clone(), value.clone())));
                row.insert("details".to_owned(), issue.details.clone().into());
            }
            Value::from(row)
        })
        .collect()
}

fn path(issue: &Issue) -> &str {
    issue.path.as_deref().unwrap_or(NO_NOTE)
}

/// Advice sorted by code and message.
fn advice(advice: &[Issue]) -> Value {
    let mut sorted: Vec<&Issue> = advice.iter().collect();
    sorted.sort_by_key(|issue| (issue.code, issue.message.text()));
    let without_line = |issue: &Issue| Issue {
        line: None,
        ..issue.clone()
    };
    json!(sorted.into_iter().map(without_line).collect::<Vec<_>>())
}

//! Meminit: its agent output envelope, schema version 3 (`contracts.md` M01 to M54).

use serde_json::{Map, Value, json};

use super::codira::{error_of, printed};
use super::dialect::Line;
use super::ending::Exits;
use super::rows;
use super::{Contract, Stream, Surroundings};
use crate::gateway::envelope::Envelope;
use crate::issue::Issue;

pub(super) const CONTRACT: Contract = Contract {
    about: "Meminit, agent interface, schema version 3",
    exits: Exits {
        no_matches: 0,
        violations: 1,
        usage: 64,
        not_found: 66,
        cannot_create: 73,
        refused: 77,
        failed: 65,
    },
    errors: Stream::Stdout,
    indented: false,
    lines: LINES,
    options: &[("--root", "--vault")],
    object,
    form: "One line that fits its schema 3, errors included. `root` is the vault's folder; without a vault it is absent, or the working directory where the schema demands one. An issue about no one note has the path `.`. `success` is false where an audit found something.",
    dropped: "`status`, `params`, `meta`",
};

const LINES: &[Line] = &[];

/// The version of the schema that the objects fit.
const SCHEMA_VERSION: &str = "3.0";

/// Commands about the program and not about a vault: the schema forbids `root` there.
const WITHOUT_ROOT: [&str; 2] = ["capabilities", "explain"];

/// Commands of which the schema demands a `root`, also where no vault was found.
const ALWAYS_WITH_ROOT: [&str; 7] = [
    "check", "context", "doctor", "identify", "index", "link", "resolve",
];

/// Where an issue stands that is about no one note: the vault itself.
const NO_NOTE: &str = ".";

fn object(envelope: &Envelope, surroundings: &Surroundings) -> Value {
    let command = surroundings.asked.as_ref().unwrap_or(&envelope.command);
    let success = envelope.success && envelope.violations.is_empty();
    let mut object = Map::from_iter([
        ("output_schema_version".to_owned(), SCHEMA_VERSION.into()),
        ("success".to_owned(), success.into()),
        ("command".to_owned(), command.as_str().into()),
        ("run_id".to_owned(), envelope.run_id.to_string().into()),
    ]);
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
    insert("data", data(envelope));
    insert("warnings", issues(&envelope.warnings));
    insert("violations", issues(&envelope.violations));
    insert("advice", advice(&envelope.advice));
    if let Some(error) = &envelope.error {
        insert("error", error_of(error));
    }
    object.into()
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

/// The payload, and what document 003 wants of every result: the schema has no room for it above.
fn data(envelope: &Envelope) -> Value {
    let mut data = envelope.data.clone();
    if let Some(items) = rows::items(envelope)
        && envelope.command == "backlinks"
    {
        let links = items.iter().map(rows::link).collect();
        data.insert("items".to_owned(), links);
    }
    let mut process = Map::from_iter([("command".to_owned(), envelope.command.as_str().into())]);
    for key in ["stdout", "stderr", "exitCode", "durationMs"] {
        process.extend(printed(envelope).remove_entry(key));
    }
    data.insert("process".to_owned(), process.into());
    data.into()
}

/// Sorted by path, line, code and message; what has no line comes last.
fn issues(issues: &[Issue]) -> Value {
    let mut sorted: Vec<&Issue> = issues.iter().collect();
    sorted.sort_by_key(|issue| {
        (
            path(issue),
            issue.line.unwrap_or(u64::MAX),
            issue.code,
            issue.message.as_str(),
        )
    });
    sorted
        .into_iter()
        .map(|issue| {
            let mut row = json!({
                "code": issue.code, "message": issue.message, "path": path(issue),
            });
            if let Some(line) = issue.line {
                row["line"] = line.into();
            }
            with_details(row, issue)
        })
        .collect()
}

fn path(issue: &Issue) -> &str {
    issue.path.as_deref().unwrap_or(NO_NOTE)
}

/// Sorted by code and message.
fn advice(advice: &[Issue]) -> Value {
    let mut sorted: Vec<&Issue> = advice.iter().collect();
    sorted.sort_by_key(|issue| (issue.code, issue.message.as_str()));
    sorted
        .into_iter()
        .map(|issue| {
            let mut row = json!({ "code": issue.code, "message": issue.message });
            if let Some(path) = &issue.path {
                row["path"] = path.as_str().into();
            }
            with_details(row, issue)
        })
        .collect()
}

fn with_details(mut row: Value, issue: &Issue) -> Value {
    if !issue.details.is_empty() {
        row["details"] = issue.details.clone().into();
    }
    row
}

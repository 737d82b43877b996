//! `vault-gw undo [RUNID] [--list] [--forget]`: reverts what a run changed.

use std::borrow::Cow;
use std::process::ExitCode;
use std::time::Instant;

use cli_output::shown;
use serde_json::{Map, Value, json};

use super::report;
use crate::environment::Environment;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup;
use crate::frontend::terminal::Terminal;
use crate::gateway::Caller;
use crate::issue::Issue;
use crate::records::journal::{
    JournalEntry, JournalListing, ListedRun, RunPrefix, RunStanding, TouchedPath,
};
use crate::tiers::Policy;

/// The number of paths per line of the list.
const NAMED: usize = 3;

/// Undoes a run, or lists the runs in the journal.
pub(crate) fn run(
    terminal: Terminal,
    options: &CommandLineOptions,
    run: Option<&RunPrefix>,
    list: bool,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let gateway = match setup::gateway(options, environment, Caller::Person) {
        Ok(gateway) => gateway,
        Err(failure) => return report::failure(terminal, options, "undo", failure),
    };
    if !list {
        return report::answer(terminal, options, &gateway.undo(run, options.dry_run));
    }
    match gateway.journal().and_then(|journal| journal.entries()) {
        Ok(listing) => {
            for warning in &listing.warnings {
                terminal.warning(&warning.message);
                if let Some(advice) = what_to_do(warning) {
                    terminal.warning(&advice);
                }
            }
            let (text, data) = shown(&listing, gateway.policy());
            report::verb(terminal, options, "undo", started, &text, data)
        }
        Err(failure) => report::failure(terminal, options, "undo", failure),
    }
}

/// Ends the warnings about an interrupted run that cannot be recovered.
pub(crate) fn forget(
    terminal: Terminal,
    options: &CommandLineOptions,
    run: &RunPrefix,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let forgotten = setup::gateway(options, environment, Caller::Person)
        .and_then(|gateway| gateway.forget(run));
    match forgotten {
        Ok(run) => {
            let text = format!(
                "Run {run} causes no more warnings. Temporary files of it that are left in the vault, `.vault-gw-{run}-*.tmp`, are yours to look at and remove.\n"
            );
            let data = Map::from_iter([("forgotten".to_owned(), json!(run))]);
            report::verb(terminal, options, "undo", started, &text, data)
        }
        Err(failure) => report::failure(terminal, options, "undo", failure),
    }
}

/// The advice for a skipped entry whose run may have left files half changed.
fn what_to_do(skipped: &Issue) -> Option<String> {
    let is_unfinished = skipped.details.get("state") == Some(&json!("unfinished"));
    let run = skipped.details.get("runId").filter(|_| is_unfinished)?;
    let run = run.as_str()?;
    Some(format!(
        "That run was interrupted, so some of its files may be changed. Check them, then dismiss the warning with `vault-gw undo --forget {run}`."
    ))
}

/// The list as text and as data. Leaves out paths that the caller may not read.
fn shown(listing: &JournalListing, policy: &Policy) -> (String, Map<String, Value>) {
    let entries = listing.entries.iter();
    let entries: Vec<&ListedRun> = entries
        .filter(|listed| !is_closed(&listed.entry, policy))
        .collect();
    let text = if entries.is_empty() {
        "The journal of this vault is empty.\n".to_owned()
    } else {
        entries.iter().map(|listed| line(listed, policy)).collect()
    };
    let data = Map::from_iter([
        ("total".to_owned(), json!(entries.len())),
        (
            "items".to_owned(),
            entries
                .iter()
                .map(|listed| item(listed, policy))
                .collect::<Vec<_>>()
                .into(),
        ),
        ("skipped".to_owned(), json!(listing.warnings)),
    ]);
    (text, data)
}

fn line(ListedRun { entry, standing }: &ListedRun, policy: &Policy) -> String {
    let changed = changed(entry, policy);
    let named: Vec<Cow<'_, str>> = changed
        .iter()
        .take(NAMED)
        .map(|file| shown::row(file.path.as_str()))
        .collect();
    let more = match changed.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{}  {}  {:<11} {}  {}{more}\n",
        entry.run_id,
        to_seconds(&entry.started_at),
        standing.name(),
        entry.command,
        named.join(", ")
    )
}

fn item(ListedRun { entry, standing }: &ListedRun, policy: &Policy) -> Value {
    let mut item = json!({
        "runId": entry.run_id,
        "startedAt": entry.started_at,
        "finishedAt": entry.finished_at,
        "command": entry.command,
        "backend": entry.backend,
        "state": standing.name(),
        "files": changed(entry, policy)
            .iter()
            .map(|file| json!({ "path": file.path, "change": file.change() }))
            .collect::<Vec<_>>(),
    });
    if let Some(item) = item.as_object_mut() {
        // Parameters may name paths that are closed to the caller.
        if policy.reads_everything() {
            item.insert("params".to_owned(), json!(entry.params));
        }
        let origin = &entry.origin;
        item.insert("owner".to_owned(), json!(origin.owner));
        if let Some(door) = origin.approved_by {
            item.insert("approvedBy".to_owned(), json!(door));
        }
        if let Some(undoes) = entry.undoes {
            item.insert("undoes".to_owned(), json!(undoes));
        }
        if let RunStanding::Undone { by } = standing {
            item.insert("undoneBy".to_owned(), json!(by));
        }
    }
    item
}

/// Whether a run changed only files that are closed to the caller (`faults.md` D13).
fn is_closed(entry: &JournalEntry, policy: &Policy) -> bool {
    let is_any = entry.files.iter().any(TouchedPath::is_changed);
    is_any && changed(entry, policy).is_empty()
}

fn changed<'a>(entry: &'a JournalEntry, policy: &Policy) -> Vec<&'a TouchedPath> {
    let files = entry.files.iter().filter(|file| file.is_changed());
    files
        .filter(|file| policy.reads_everything() || policy.may_read(&file.path))
        .collect()
}

/// A timestamp cut to seconds.
fn to_seconds(time: &str) -> String {
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time.to_owned(),
    }
}

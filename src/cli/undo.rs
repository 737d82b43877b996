//! `vault-gw undo [RUNID]`: reverts a run, or prints what the journal keeps of it; `redo` repeats
//! it.

use std::process::ExitCode;
use std::time::Instant;

use cli_output::plural::count;
use cli_output::shown;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::approve::{self, OpenQuestion};
use super::report::{self, VerbText};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::approval_text::by_program;
use crate::frontend::display::{Role, Table};
use crate::frontend::escape;
use crate::frontend::options::CommandLineOptions;
use crate::frontend::setup;
use crate::frontend::terminal::Terminal;
use crate::gateway::{Answered, Caller, Gateway, Kept, Request};
use crate::issue::Issue;
use crate::json::object;
use crate::message::first_of;
use crate::records::journal::{
    Direction, JournalEntry, JournalListing, ListedRun, Owner, RunOrigin, RunPrefix, RunStanding,
    TouchedPath, short_id,
};
use crate::tiers::Policy;

/// The list of a journal without runs.
const EMPTY: &str = "The journal of this vault is empty.";
/// Most paths in a line of the list.
const NAMED: usize = 3;

/// The request of a call of `vault-gw undo`.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndoArguments {
    /// The id of the run, or its beginning; `None` for the last one.
    pub(crate) run: Option<String>,
    /// Whether to list the runs instead.
    pub(crate) list: bool,
    /// The action on the contents that the journal keeps of the run; `None` for a plain undo.
    pub(crate) kept: Option<Kept>,
    /// The only file of the run to show, for `kept`.
    pub(crate) path: Option<String>,
}

/// Undoes a run, or lists the runs in the journal.
pub(crate) fn run(
    terminal: &Terminal,
    options: &CommandLineOptions,
    wanted: &UndoArguments,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let gateway = match setup::gateway(options, environment, Caller::Person) {
        Ok(gateway) => gateway,
        Err(failure) => return report::failure(terminal, options, "undo", failure),
    };
    if !wanted.list {
        let run = wanted.run.as_deref().map(|run| named(&gateway, run));
        let answered = run.transpose().and_then(|run| {
            let mut request = Request::reversal(Direction::Undo, run.as_ref());
            if let Some(kept) = wanted.kept {
                request = request.for_kept(kept, wanted.path.as_deref());
            }
            answer(terminal, options, &gateway, request)
        });
        return match answered {
            Ok(answered) => report::answer(terminal, options, &answered),
            Err(failure) => report::failure(terminal, options, "undo", failure),
        };
    }
    match gateway.journal().and_then(|journal| journal.entries()) {
        Ok(listing) => {
            for warning in &listing.warnings {
                terminal.warning(&warning.message.for_person());
                if let Some(advice) = what_to_do(warning) {
                    terminal.warning(&advice);
                }
            }
            let zone = gateway.now().time_zone().clone();
            let (text, items) = render_runs(&listing, gateway.policy(), &zone, terminal.columns());
            let hidden = note_about_closed_runs(&gateway, &listing);
            let text = match hidden {
                Some(hidden) if items.is_empty() => format!("{hidden}\n").into(),
                Some(hidden) => {
                    terminal.note(&hidden);
                    text
                }
                None => text,
            };
            let data = object(json!({
                "total": items.len(),
                "items": items,
                "skipped": listing.warnings,
            }));
            report::verb(terminal, options, "undo", started, text, data)
        }
        Err(failure) => report::failure(terminal, options, "undo", failure),
    }
}

/// Repeats a run: the last undone run, or the run with this id or whose undo has this id.
pub(crate) fn redo(
    terminal: &Terminal,
    options: &CommandLineOptions,
    run: Option<&str>,
    environment: &Environment,
) -> ExitCode {
    let redone = setup::gateway(options, environment, Caller::Person).and_then(|gateway| {
        let run = run.map(|run| named(&gateway, run)).transpose()?;
        let request = Request::reversal(Direction::Redo, run.as_ref());
        answer(terminal, options, &gateway, request)
    });
    match redone {
        Ok(answered) => report::answer(terminal, options, &answered),
        Err(failure) => report::failure(terminal, options, "redo", failure),
    }
}

/// Answers the request; if it needs an approval, asks the person at the terminal.
fn answer(
    terminal: &Terminal,
    options: &CommandLineOptions,
    gateway: &Gateway,
    request: Request,
) -> Result<Answered, Failure> {
    let mut request = Request { dry_run: options.dry_run, ..request };
    let answered = gateway.answer(&request);
    // Under an agent's policy a person cannot approve their own call.
    if options.agent.is_some() {
        return Ok(answered);
    }
    let question = OpenQuestion::default();
    Ok(match approve::at_once(terminal, options, gateway, &answered.envelope, &question)? {
        Some(id) => {
            request.approval = Some(id);
            gateway.answer(&request)
        }
        None => answered,
    })
}

/// Returns the run with this id or beginning of an id. The failure lists the runs that exist.
fn named(gateway: &Gateway, text: &str) -> Result<RunPrefix, Failure> {
    let listing = gateway.journal()?.entries()?;
    let visible = listing.entries.iter().map(|listed| &listed.entry);
    let runs: Vec<&JournalEntry> =
        visible.filter(|entry| !is_closed(entry, gateway.policy())).collect();
    let prefix = match text.parse::<RunPrefix>() {
        Ok(prefix) => prefix,
        // The beginning of an id is too short, but there may be such a run.
        Err(error) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            return Err(
                Code::UsageError.failure(format!("`{text}` is not the id of a run: {error}."))
            );
        }
        Err(_) => {
            return Err(nothing_named(text, &runs, note_about_closed_runs(gateway, &listing)));
        }
    };
    // A skipped entry has an id too; the journal reports what is wrong with it.
    let is_known = runs.iter().any(|entry| prefix.matches(entry.run_id));
    if is_known || !listing.warnings.is_empty() {
        Ok(prefix)
    } else {
        Err(nothing_named(text, &runs, note_about_closed_runs(gateway, &listing)))
    }
}

/// The note for a person about runs that the path rules hide. An agent must not learn of them
/// (`faults.md` D13).
fn note_about_closed_runs(gateway: &Gateway, listing: &JournalListing) -> Option<String> {
    let closed =
        listing.entries.iter().filter(|listed| is_closed(&listed.entry, gateway.policy())).count();
    (gateway.is_person() && closed > 0).then(|| {
        let runs = count(closed, "run");
        let touch = if closed == 1 { "touches" } else { "touch" };
        format!("{runs} {touch} only paths that your path rules hide.")
    })
}

fn nothing_named(text: &str, runs: &[&JournalEntry], hidden: Option<String>) -> Failure {
    let ids: Vec<String> = runs.iter().map(|entry| short_id(entry.run_id)).collect();
    let newest: Vec<String> = runs
        .iter()
        .take(NAMED)
        .map(|entry| format!("`{}` ({})", short_id(entry.run_id), entry.command))
        .collect();
    let there = match newest.as_slice() {
        [] => hidden.unwrap_or_else(|| EMPTY.to_owned()),
        newest => {
            format!(
                "The newest runs are {}; `vault-gw undo --list` lists all runs.",
                newest.join(", ")
            )
        }
    };
    Code::UsageError
        .failure(format!("No run matches `{}`. {there}", escape::line(text)))
        .with("runs", ids)
}

/// Ends the warnings about an interrupted run that cannot be recovered.
pub(crate) fn forget(
    terminal: &Terminal,
    options: &CommandLineOptions,
    run: &str,
    environment: &Environment,
) -> ExitCode {
    let started = Instant::now();
    let prefix = run
        .parse::<RunPrefix>()
        .map_err(|error| Code::UsageError.failure(format!("`{}`: {error}.", escape::line(run))));
    let forgotten = prefix.and_then(|run| {
        let gateway = setup::gateway(options, environment, Caller::Person)?;
        gateway.forget(&run)
    });
    match forgotten {
        Ok(run) => {
            let text = format!(
                "Run {run} causes no more warnings. Look at its temporary files in the vault, `.vault-gw-{run}-*.tmp`, and remove them.\n"
            );
            let data = Map::from_iter([("forgotten".to_owned(), json!(run))]);
            report::verb(terminal, options, "undo", started, &text, data)
        }
        Err(failure) => report::failure(terminal, options, "undo", failure),
    }
}

/// Returns the advice for a skipped entry whose run may have been interrupted.
fn what_to_do(skipped: &Issue) -> Option<String> {
    let is_unfinished = skipped.details.get("state") == Some(&json!("unfinished"));
    let run = skipped.details.get("runId").filter(|_| is_unfinished)?;
    let run = run.as_str()?;
    Some(format!(
        "The run was interrupted and may have changed some files. Check the files, then dismiss the warning with `vault-gw undo --forget {run}`."
    ))
}

/// Returns the list as text and as items. Leaves out paths that the caller may not read.
pub(super) fn render_runs(
    listing: &JournalListing,
    policy: &Policy,
    zone: &TimeZone,
    columns: usize,
) -> (VerbText, Vec<Value>) {
    let entries = listing.entries.iter();
    let entries: Vec<&ListedRun> =
        entries.filter(|listed| !is_closed(&listed.entry, policy)).collect();
    let text = if entries.is_empty() {
        format!("{EMPTY}\n").into()
    } else {
        let mut table = Table::new(["RUN", "WHEN", "STATE", "BY", "COMMAND", "FILES"]);
        for listed in &entries {
            table.row(cells(listed, policy, zone));
        }
        VerbText::new(
            entries.iter().map(|listed| line(listed, policy, zone)).collect(),
            table.laid_out(columns),
        )
    };
    let items = entries.iter().map(|listed| item(listed, policy));
    (text, items.collect())
}

/// Returns a row of the table, with as many digits of the run's id as `undo` needs.
fn cells(
    ListedRun { entry, standing }: &ListedRun,
    policy: &Policy,
    zone: &TimeZone,
) -> Vec<(Role, String)> {
    let run = short_id(entry.run_id);
    let role = match standing {
        RunStanding::Undone { .. } => Role::Faint,
        _ => Role::Plain,
    };
    vec![
        (Role::Name, run),
        (Role::Plain, local_time(&entry.started_at, zone)),
        (role, standing.name().to_owned()),
        by(&entry.origin),
        (Role::Plain, what_ran(entry)),
        (Role::Plain, files_named(entry, policy)),
    ]
}

/// Names the caller of the run. Runs of agents are emphasised.
fn by(origin: &RunOrigin) -> (Role, String) {
    let (role, who) = match &origin.owner {
        Owner::Person => (Role::Plain, "you".to_owned()),
        Owner::Agent => (Role::Caution, "agent".to_owned()),
        Owner::Named(name) => (Role::Caution, format!("agent {}", escape::line(name))),
    };
    (role, by_program(&who, origin.client.as_deref()))
}

/// Returns the command; for an undo or a redo also the run of the change.
fn what_ran(entry: &JournalEntry) -> String {
    match entry.undoes {
        Some(_) => format!("{} of {}", entry.command, short_id(entry.change())),
        None => entry.command.clone(),
    }
}

/// Returns the first few paths that a run changed.
fn files_named(entry: &JournalEntry, policy: &Policy) -> String {
    let changed = changed(entry, policy);
    let named = changed.iter().take(NAMED).map(|file| shown::row(file.path.as_str()));
    first_of(named, changed.len())
}

fn line(ListedRun { entry, standing }: &ListedRun, policy: &Policy, zone: &TimeZone) -> String {
    format!(
        "{}  {}  {:<11} {}  {}\n",
        entry.run_id,
        local_time(&entry.started_at, zone),
        standing.name(),
        entry.command,
        files_named(entry, policy)
    )
}

fn item(ListedRun { entry, standing }: &ListedRun, policy: &Policy) -> Value {
    let mut item = object(json!({
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
    }));
    // Parameters may contain paths that the caller may not read.
    if policy.reads_everything() {
        item.insert("params".to_owned(), json!(entry.params));
    }
    let origin = &entry.origin;
    item.insert("owner".to_owned(), json!(origin.owner));
    if let Some(client) = &origin.client {
        item.insert("client".to_owned(), json!(client));
    }
    if let Some(channel) = origin.approved_by {
        item.insert("approvedBy".to_owned(), json!(channel));
    }
    if let Some(undoes) = entry.undoes {
        item.insert("undoes".to_owned(), json!(undoes));
    }
    if let RunStanding::Undone { by } = standing {
        item.insert("undoneBy".to_owned(), json!(by));
    }
    item.into()
}

/// Whether a run changed only files that are closed to the caller (`faults.md` D13).
fn is_closed(entry: &JournalEntry, policy: &Policy) -> bool {
    let is_any = entry.files.iter().any(TouchedPath::is_changed);
    is_any && changed(entry, policy).is_empty()
}

fn changed<'a>(entry: &'a JournalEntry, policy: &Policy) -> Vec<&'a TouchedPath> {
    let files = entry.files.iter().filter(|file| file.is_changed());
    files.filter(|file| policy.may_name(&file.path)).collect()
}

/// Returns a timestamp in local time, to the second, as in every list for people.
fn local_time(time: &str, zone: &TimeZone) -> String {
    time.parse::<Timestamp>().map_or_else(
        |_| escape::line(time),
        |time| {
            let local = time.to_zoned(zone.clone());
            local.strftime("%Y-%m-%d %H:%M:%S").to_string()
        },
    )
}

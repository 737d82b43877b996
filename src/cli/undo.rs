//! `vault-gw undo [RUNID]`: reverts a run, or prints what the journal keeps of it; `redo` repeats
//! it.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use vault_engine::plural::count;
use vault_engine::shown;

use super::Cli;
use super::approve::{self, OpenQuestion};
use super::error::Error;
use super::report::{self, VerbEnd, VerbReport, VerbText};
use frontend::{
    CommandLineOptions, Role, Table, Terminal, approval_text::by_program, escape, setup,
};
use gateway::{Envelope, Gateway, Kept, Request};
use protocol::{Caller, Failure, Issue, first_of, json::object};
use store::journal::{
    Direction, JournalEntry, JournalListing, ListedRun, Owner, RunOrigin, RunPrefix, RunStanding,
    TouchedPath, short_id,
};
use tiers::Policy;

/// The list of a journal without runs.
const EMPTY: &str = "This vault has no changes that can be undone.";
/// Most paths in a line of the list.
const NAMED: usize = 3;

/// The arguments of `undo`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct UndoArguments {
    /// The run, as in `runId` of its envelope, or the first 4 or more digits of that. The id of an undo redoes what it undid
    #[arg(value_name = "RUNID")]
    run: Option<String>,
    /// List what can be undone instead
    #[arg(long, conflicts_with = "run")]
    pub(crate) list: bool,
    /// Stop the warnings about this run, which was interrupted and cannot be completed or undone; the vault stays unchanged
    #[arg(long, requires = "run", conflicts_with = "list")]
    pub(crate) forget: bool,
    /// Use the drafts and the undo history of the folder that was at the path of the vault before; a second time, those of this folder again
    #[arg(long, conflicts_with_all = ["run", "list", "forget", "over"])]
    pub(crate) adopt: bool,
    /// Print the text of the file before the run, and undo nothing
    #[arg(long, group = "of_one_file", conflicts_with_all = ["list", "forget", "adopt", "over"])]
    show: bool,
    /// Write that text to a new note next to the file, and undo nothing
    #[arg(long, group = "of_one_file", conflicts_with_all = ["list", "forget", "adopt", "over"])]
    beside: bool,
    /// Restore it although the file has changed since. The current text is saved first; `redo` restores that
    #[arg(long, conflicts_with_all = ["list", "forget"])]
    over: bool,
    /// For `--show` and `--beside`: the file, if the run changed several
    #[arg(long, value_name = "PATH", requires = "of_one_file")]
    path: Option<String>,
}

impl UndoArguments {
    /// Returns the action on the contents that the journal keeps of the run; `None` for a plain undo.
    fn kept(&self) -> Option<Kept> {
        let kept = [
            (self.show, Kept::Show),
            (self.beside, Kept::Beside),
            (self.over, Kept::Over),
        ];
        kept.into_iter()
            .find_map(|(is_set, kept)| is_set.then_some(kept))
    }
}

/// Undoes a run, lists the runs in the journal, or ends the warnings about an interrupted run.
pub(crate) fn run(cli: Cli<'_>, arguments: &UndoArguments) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let run = arguments.run.as_deref();
    if let Some(run) = run.filter(|_| arguments.forget) {
        return forget(cli, run);
    }
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    if arguments.list {
        return list(terminal, &gateway);
    }
    if arguments.adopt {
        let answered = gateway.change_journal("undo:adopt", Map::new(), |journal, _, deadline| {
            journal.adopt_earlier(deadline)?;
            Ok("The drafts and the undo history of the earlier folder are used now. `vault-gw undo --list` and `vault-gw review` show them.\n".to_owned())
        });
        return Ok(report::answer(terminal, options, &answered).into());
    }
    let run = run.map(|run| named(&gateway, run)).transpose()?;
    let mut request = Request::reversal(Direction::Undo, run.as_ref());
    if let Some(kept) = arguments.kept() {
        request = request.for_kept(kept, arguments.path.as_deref());
    }
    let answered = answer(terminal, options, &gateway, request)?;
    Ok(report::answer(terminal, options, &answered).into())
}

/// Lists the runs in the journal.
fn list(terminal: &Terminal, gateway: &Gateway) -> Result<VerbEnd, Failure> {
    let journal = gateway.journal()?;
    let (listing, earlier) = (journal.entries()?, journal.earlier_issue()?);
    for warning in &listing.warnings {
        terminal.warning(&warning.message.for_person());
        if let Some(advice) = what_to_do(warning) {
            terminal.warning(&advice);
        }
    }
    let zone = gateway.now().time_zone().clone();
    let (mut text, items) = render_runs(&listing, gateway.policy(), &zone, terminal.stdout.columns);
    match note_about_closed_runs(gateway, &listing) {
        Some(hidden) if items.is_empty() => text = format!("{hidden}\n").into(),
        Some(hidden) => terminal.note(&hidden),
        None => {}
    }
    let data = json!({ "total": items.len(), "items": items, "skipped": listing.warnings });
    Ok(VerbReport {
        warnings: earlier.into_iter().collect(),
        ..(text, object(data)).into()
    }
    .into())
}

/// Repeats a run: the last undone run, or the run with this id or whose undo has this id.
pub(crate) fn redo(cli: Cli<'_>, run: Option<&str>) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let gateway = setup::gateway(options, environment, Caller::Person)?;
    let named = run.map(|run| named(&gateway, run)).transpose()?;
    let request = Request::reversal(Direction::Redo, named.as_ref());
    let answered = answer(terminal, options, &gateway, request)?;
    Ok(report::answer(terminal, options, &answered).into())
}

/// Answers the request; if it needs an approval, asks the person at the terminal.
fn answer(
    terminal: &Terminal,
    options: &CommandLineOptions,
    gateway: &Gateway,
    request: Request,
) -> Result<Envelope, Failure> {
    let mut request = Request {
        dry_run: options.dry_run,
        ..request
    };
    let answered = gateway.call(&request);
    // Under an agent's policy a person cannot approve their own call.
    if options.agent.is_some() {
        return Ok(answered);
    }
    let question = OpenQuestion::default();
    Ok(
        match approve::at_once(terminal, options, gateway, &answered, &question)? {
            Some(id) => {
                request.approval = Some(id);
                gateway.call(&request)
            }
            None => answered,
        },
    )
}

/// Returns the run with this id or beginning of an id. The failure lists the runs that exist.
fn named(gateway: &Gateway, text: &str) -> Result<RunPrefix, Failure> {
    let listing = gateway.journal()?.entries()?;
    let visible = listing.entries.iter().map(|listed| &listed.entry);
    let runs: Vec<&JournalEntry> = visible
        .filter(|entry| !is_closed(entry, gateway.policy()))
        .collect();
    let prefix = match text.parse::<RunPrefix>() {
        // The beginning of an id is too short, but there may be such a run.
        Err(error) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            return Err(Error::RunId(text.to_owned(), error).into());
        }
        parsed => parsed.ok(),
    };
    // A skipped entry has an id too; the journal reports what is wrong with it.
    let may_exist = |prefix: &RunPrefix| {
        let is_known = runs.iter().any(|entry| prefix.matches(entry.run_id));
        is_known || !listing.warnings.is_empty()
    };
    let closed = note_about_closed_runs(gateway, &listing);
    prefix
        .filter(may_exist)
        .ok_or_else(|| nothing_named(text, &runs, closed))
}

/// The note for a person about runs that the path rules hide. An agent must not learn of them
/// (`threats.toml` D13).
fn note_about_closed_runs(gateway: &Gateway, listing: &JournalListing) -> Option<String> {
    let closed = listing
        .entries
        .iter()
        .filter(|listed| is_closed(&listed.entry, gateway.policy()))
        .count();
    (gateway.is_person() && closed > 0).then(|| {
        let runs = count(closed, "run");
        format!("{runs} and the changed files are hidden by your path rules.")
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
                "The newest runs are {}. `vault-gw undo --list` lists all runs.",
                newest.join(", ")
            )
        }
    };
    Error::NoRun(text.to_owned(), ids, there).into()
}

/// Ends the warnings about an interrupted run that cannot be recovered.
fn forget(cli: Cli<'_>, run: &str) -> Result<VerbEnd, Failure> {
    let prefix = run
        .parse::<RunPrefix>()
        .map_err(|error| Error::RunId(run.to_owned(), error))?;
    let gateway = setup::gateway(cli.options, cli.environment, Caller::Person)?;
    let named = Map::from_iter([("run".to_owned(), run.into())]);
    let answered = gateway.change_journal("undo:forget", named, |journal, vault, deadline| {
        let lock = journal.lock(deadline)?;
        // Recover first, so that only runs that really cannot be recovered are dropped.
        lock.recover(&vault.engine, vault.now.timestamp())?;
        let run = lock.forget(&prefix)?;
        Ok(format!(
            "Run {run} causes no more warnings. Look at its temporary files in the vault, `.vault-gw-{run}-*.tmp`, and remove them.\n"
        ))
    });
    Ok(report::answer(cli.terminal, cli.options, &answered).into())
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
    let entries: Vec<&ListedRun> = entries
        .filter(|listed| !is_closed(&listed.entry, policy))
        .collect();
    let text = if entries.is_empty() {
        format!("{EMPTY}\n").into()
    } else {
        let mut table = Table::new(["RUN", "WHEN", "STATE", "BY", "COMMAND", "FILES"]);
        for listed in &entries {
            table.row(cells(listed, policy, zone));
        }
        VerbText::new(
            entries
                .iter()
                .map(|listed| line(listed, policy, zone))
                .collect(),
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
        Owner::Named(name) => (Role::Caution, format!("agent {}", escape::cell(name))),
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
    let named = changed
        .iter()
        .take(NAMED)
        .map(|file| shown::row(file.path.as_str()));
    first_of(named, changed.len())
}

fn line(ListedRun { entry, standing }: &ListedRun, policy: &Policy, zone: &TimeZone) -> String {
    let caller = match by(&entry.origin).1 {
        _ if entry.origin.owner == Owner::Person => String::new(),
        agent => format!("  ({agent})"),
    };
    format!(
        "{}  {}  {:<11} {}  {}{caller}\n",
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

/// Whether a run changed only files that are closed to the caller (`threats.toml` D13).
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

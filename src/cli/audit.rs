//! `vault-gw audit [verify]`: shows the audit log, or verifies its hash chain.

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Subcommand;
use jiff::{Span, Timestamp, Zoned, civil};
use serde_json::{Map, Value, json};

use super::Cli;
use super::error::Error;
use super::report::{self, VerbEnd, VerbReport};
use frontend::{OutputMode, Role, Table, Terminal, WriteOutcome, approval_text::brief, escape};
use protocol::{Failure, Issue};
use sandbox::{Environment, clock};
use settings::{AuditSettings, Folders};
use store::audit::{Audit, AuditEntry, AuditFilter, AuditListing, Dropped, Spot, VerifyReport};
use vault_engine::plural::count;

/// The default of `--limit`.
const USUAL_LIMIT: u64 = 50;
/// The polling interval of `--follow`.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
/// The digits of a run's id in the table: enough for `vault-gw undo`.
const SHORT_ID: usize = 8;

/// The options of `audit`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct AuditArguments {
    /// What to do instead of showing records
    #[command(subcommand)]
    action: Option<AuditAction>,
    /// Only from then on: a time (`2026-03-14T09:00`), a day, or how long ago (`2h`, `7d`)
    #[arg(long, value_name = "TIME|DURATION")]
    since: Option<String>,
    /// Only of this command
    #[arg(long, value_name = "ID")]
    command: Option<String>,
    /// Only of this agent, by its name in the settings or as it names itself; `person` or `agent` for all
    #[arg(long, value_name = "WHO")]
    from: Option<String>,
    /// Only what was refused or needs an approval
    #[arg(long)]
    refused: bool,
    /// Go on with new records as they come
    #[arg(long)]
    follow: bool,
    /// Show the newest N [default: 50]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum AuditAction {
    /// Check that no record was changed or removed; exits with 1 if one was
    Verify,
}

impl AuditArguments {
    /// Follows what agents do, or what the agent of `--agent` does.
    pub(super) fn follow_agents(agent: Option<&str>) -> Self {
        Self {
            action: None,
            since: None,
            command: None,
            from: Some(agent.unwrap_or("agent").to_owned()),
            refused: false,
            follow: true,
            limit: None,
        }
    }

    /// Returns the first option that applies only to listing records.
    fn listing_option(&self) -> Option<&'static str> {
        [
            (self.since.is_some(), "--since"),
            (self.command.is_some(), "--command"),
            (self.from.is_some(), "--from"),
            (self.refused, "--refused"),
            (self.follow, "--follow"),
            (self.limit.is_some(), "--limit"),
        ]
        .into_iter()
        .find_map(|(given, option)| given.then_some(option))
    }

    /// Returns the maximum number of records to show.
    fn limit(&self) -> usize {
        usize::try_from(self.limit.unwrap_or(USUAL_LIMIT)).unwrap_or(usize::MAX)
    }

    /// Returns the filter for the records to read: one more than is shown, to detect further ones. With the global
    /// `--agent`, only the records of that agent.
    fn filter(&self, agent: Option<&str>, now: &Zoned) -> Result<AuditFilter, Failure> {
        Ok(AuditFilter {
            since: self
                .since
                .as_deref()
                .map(|text| since(text, now))
                .transpose()?,
            command: self.command.clone(),
            from: self.from.clone().or_else(|| agent.map(str::to_owned)),
            refused: self.refused,
            limit: Some(self.limit().saturating_add(1)),
            after: 0,
        })
    }
}

/// Shows or verifies the log.
pub(crate) fn run(cli: Cli<'_>, arguments: &AuditArguments) -> Result<VerbEnd, Failure> {
    match arguments.action {
        Some(AuditAction::Verify) => verify(arguments, cli.environment),
        None => show(cli, arguments),
    }
}

/// Opens the user's log. Reading needs no settings: they only limit writing.
fn open(environment: &Environment) -> Result<Audit, Failure> {
    let state = Folders::new(environment).state()?;
    Ok(Audit::open(state, AuditSettings::default(), None))
}

fn show(cli: Cli<'_>, arguments: &AuditArguments) -> Result<VerbEnd, Failure> {
    let (terminal, options, environment) = (cli.terminal, cli.options, cli.environment);
    let now = clock::system_clock(environment)();
    let audit = open(environment)?;
    let filter = arguments.filter(options.agent.as_deref(), &now)?;
    let mode = options.output_mode();
    let mut listing = audit.entries(&filter)?;
    let is_cut = listing.entries.len() > arguments.limit();
    if is_cut {
        // The filter asks for one record more than is shown.
        listing.entries.remove(0);
    }
    if let Some(dropped) = dropped_evidence(&audit.dropped()?) {
        terminal.warning(&dropped);
    }
    if mode != OutputMode::Text && !arguments.follow {
        return Ok(("", listed(&listing)?).into());
    }
    let is_table = mode == OutputMode::Text && !arguments.follow && terminal.stdout.is_styled;
    let mut written = if is_table && !listing.entries.is_empty() {
        warn_of_unreadable(terminal, &listing);
        terminal
            .styled(&table(&listing, &now, options.verbose > 0).laid_out(terminal.stdout.columns))
    } else {
        print(terminal, mode, &listing, &now)
    };
    if listing.entries.is_empty() && !arguments.follow && mode == OutputMode::Text {
        terminal.note("no matching records in the audit log");
    }
    if is_cut && arguments.limit.is_none() && mode == OutputMode::Text {
        terminal.note(&format!(
            "Only the newest {USUAL_LIMIT} records are shown. `--limit N` shows more."
        ));
    }
    if arguments.follow {
        let last = listing.last.map_or(0, |last| last.seq);
        let mut follower = audit.follow(filter, last);
        while written == WriteOutcome::All {
            written = Terminal::wait(LOOK_AGAIN);
            if written == WriteOutcome::All
                && let Some(news) = follower.look()?
            {
                written = print(terminal, mode, &news, &now);
            }
        }
    }
    Ok(report::exit(written, 0).into())
}

/// The records as data.
fn listed(listing: &AuditListing) -> Result<Map<String, Value>, Failure> {
    let records = listing.entries.iter().map(|entry| {
        serde_json::from_str(&entry.line).map_err(|error| Error::Record(entry.seq, error))
    });
    let items: Vec<Value> = records.collect::<Result<_, _>>()?;
    Ok(Map::from_iter([
        ("returned".to_owned(), items.len().into()),
        ("unreadable".to_owned(), listing.unreadable.into()),
        ("items".to_owned(), items.into()),
    ]))
}

fn print(
    terminal: &Terminal,
    mode: OutputMode,
    listing: &AuditListing,
    now: &Zoned,
) -> WriteOutcome {
    warn_of_unreadable(terminal, listing);
    if listing.entries.is_empty() {
        return WriteOutcome::All;
    }
    let text: String = listing
        .entries
        .iter()
        .map(|entry| match mode {
            // One record on each line, as in the log.
            OutputMode::Text => row(entry, now),
            _ => format!("{}\n", entry.line),
        })
        .collect();
    terminal.news(text.as_bytes())
}

fn warn_of_unreadable(terminal: &Terminal, listing: &AuditListing) {
    if listing.unreadable > 0 {
        let lines = match listing.unreadable {
            1 => "1 line of the log is damaged or was changed".to_owned(),
            count => format!("{count} lines of the log are damaged or were changed"),
        };
        terminal.warning(&format!("{lines}; run `vault-gw audit verify` for details"));
    }
}

/// Returns the records as a table, with one row for a change whose outcome is known. Columns with
/// equal values, or only for programs, are shown only with `--verbose`.
fn table(listing: &AuditListing, now: &Zoned, is_verbose: bool) -> Table {
    let ended: BTreeSet<&str> = listing
        .entries
        .iter()
        .filter(|entry| entry.text("phase") == "result")
        .map(|entry| entry.text("runId"))
        .collect();
    let is_shown = |entry: &&AuditEntry| {
        is_verbose || entry.text("phase") != "intent" || !ended.contains(entry.text("runId"))
    };
    let entries: Vec<&AuditEntry> = listing.entries.iter().filter(is_shown).collect();
    let vaults = entries.iter().map(|entry| entry.text("vault"));
    let vaults: BTreeSet<&str> = vaults.filter(|vault| !vault.is_empty()).collect();
    let shown = [
        ("SEQ", is_verbose),
        ("TIME", true),
        ("WHO", true),
        ("VAULT", is_verbose || vaults.len() > 1),
        ("COMMAND", true),
        ("OUTCOME", true),
        ("PARAMETERS", true),
        ("RUN", is_verbose),
    ];
    let headings = shown.iter().filter(|(_, is_shown)| *is_shown);
    let mut table = Table::new(headings.map(|(heading, _)| *heading));
    for entry in entries {
        let role = match entry.text("status") {
            "ok" | "" => Role::Plain,
            "no_matches" => Role::Faint,
            _ => Role::Caution,
        };
        let run = match entry.text("phase") {
            "decision" => String::new(),
            _ => entry.text("runId").chars().take(SHORT_ID).collect(),
        };
        let cells = [
            (Role::Faint, entry.seq.to_string()),
            (Role::Plain, short_time(entry, now)),
            (Role::Plain, escape::line(&who_by_program(entry))),
            (Role::Plain, escape::line(entry.text("vault"))),
            (Role::Name, escape::line(entry.text("command"))),
            (role, escape::line(outcome(entry))),
            (
                Role::Plain,
                params(entry, |key| is_verbose || key != PLAN_HASH),
            ),
            (Role::Faint, escape::line(&run)),
        ];
        let cells = cells.into_iter().zip(&shown);
        let cells = cells.filter_map(|(cell, (_, is_shown))| is_shown.then_some(cell));
        table.row(cells.collect());
    }
    table
}

/// One record as one line, even if the caller's text contains line breaks (`threats.toml` F06).
fn row(entry: &AuditEntry, now: &Zoned) -> String {
    let run = match entry.text("phase") {
        "decision" => String::new(),
        _ => format!("  run {}", escape::line(entry.text("runId"))),
    };
    let line = format!(
        "{:>6}  {}  {:<14}  {:<18}  {:<20}  {}{run}",
        entry.seq,
        time(entry, now),
        escape::line(&who_by_program(entry)),
        escape::line(entry.text("command")),
        escape::line(outcome(entry)),
        params(entry, |_| true),
    );
    format!("{}\n", line.trim_end())
}

fn time(entry: &AuditEntry, now: &Zoned) -> String {
    time_as(entry, now, |_| "%Y-%m-%d %H:%M:%S")
}

/// Returns the time for a table, to the minute, with the year if it is not the present one.
fn short_time(entry: &AuditEntry, now: &Zoned) -> String {
    time_as(entry, now, |local| {
        if local.year() == now.year() {
            "%b %d %H:%M"
        } else {
            "%Y-%m-%d %H:%M"
        }
    })
}

fn time_as(entry: &AuditEntry, now: &Zoned, form: impl Fn(&Zoned) -> &'static str) -> String {
    let Some(time) = entry.time() else {
        return escape::line(entry.text("time"));
    };
    let local = time.to_zoned(now.time_zone().clone());
    local.strftime(form(&local)).to_string()
}

/// Returns the caller, with the client program as it names itself.
fn who_by_program(entry: &AuditEntry) -> String {
    match entry.text("client") {
        "" => who(entry),
        client => format!("{} ({client})", who(entry)),
    }
}

fn who(entry: &AuditEntry) -> String {
    match entry.text("agent") {
        "" => entry.text("caller").to_owned(),
        agent => format!("{}:{agent}", entry.text("caller")),
    }
}

fn outcome(entry: &AuditEntry) -> &str {
    let phase = entry.text("phase");
    let outcome = [
        entry.text("code"),
        entry.text("status"),
        entry.text("decision"),
    ]
    .into_iter()
    .find(|text| !text.is_empty())
    .unwrap_or_default();
    let planned_only = entry.fields.get("dryRun") == Some(&Value::Bool(true));
    match (phase, outcome) {
        ("intent", _) => "about to run",
        // The record is about a person's answer, which was recorded successfully and was a no.
        ("decision", "ok") if entry.text("decision") == "refused" => "denied",
        (_, "ok") if planned_only => "only planned",
        (_, outcome) => outcome,
    }
}

/// A parameter of an answer to an approval, which only programs compare.
const PLAN_HASH: &str = "planHash";

/// The selected parameters, shortened.
fn params(entry: &AuditEntry, is_wanted: impl Fn(&str) -> bool) -> String {
    let Some(params) = entry.fields.get("params").and_then(Value::as_object) else {
        return String::new();
    };
    let wanted = params.iter().filter(|(key, _)| is_wanted(key));
    let words: Vec<String> = wanted
        .map(|(key, value)| match value {
            Value::Bool(true) => key.clone(),
            Value::String(text) => format!("{key}={text}"),
            Value::Object(hidden) => match hidden.get("bytes") {
                Some(bytes) => {
                    let size = bytes.as_u64().unwrap_or_default();
                    format!("{key}=<{}>", count(size, "byte"))
                }
                None => format!("{key}=…"),
            },
            other => format!("{key}={other}"),
        })
        .collect();
    brief(&words)
}

/// Parses a time, a day, or an age such as `2h`.
fn since(text: &str, now: &Zoned) -> Result<Timestamp, Failure> {
    let local = |time: civil::DateTime| time.to_zoned(now.time_zone().clone()).ok();
    let ago = || {
        let span: Span = text.parse().ok()?;
        let is_past = !span.is_negative() && !span.is_zero();
        is_past.then(|| now.checked_sub(span).ok()).flatten()
    };
    let moment = text
        .parse::<Timestamp>()
        .ok()
        .or_else(|| Some(local(text.parse::<civil::DateTime>().ok()?)?.timestamp()))
        .or_else(|| Some(ago()?.timestamp()));
    moment.ok_or_else(|| Error::Since(text.to_owned()).into())
}

fn verify(arguments: &AuditArguments, environment: &Environment) -> Result<VerbEnd, Failure> {
    if let Some(option) = arguments.listing_option() {
        return Err(Error::OnlyForList(option).into());
    }
    let report = open(environment)?.verify()?;
    let violations = report.violations.iter().map(violation).collect();
    Ok(VerbReport {
        violations,
        ..(verdict(&report), data(&report)).into()
    }
    .into())
}

/// Returns the message if changes or refusals were dropped from the log.
pub(super) fn dropped_evidence(dropped: &Dropped) -> Option<String> {
    let changes = dropped.changes + dropped.losses;
    (changes > 0 || dropped.refusals > 0).then(|| {
        format!(
            "the log was full, so the records of {changes} changes and {} refusals were deleted; \
             raise `audit.max_bytes`",
            dropped.refusals
        )
    })
}

fn violation(spot: &Spot) -> Issue {
    let mut issue =
        Issue::new(spot.fault.name(), spot.fault.meaning()).with("file", spot.file.as_str());
    issue.line = Some(spot.line);
    issue
}

fn verdict(report: &VerifyReport) -> String {
    let mut text = String::new();
    for spot in report.violations.iter().chain(&report.torn) {
        text += &format!(
            "{}, line {}: {}\n",
            escape::line(&spot.file),
            spot.line,
            spot.fault.meaning()
        );
    }
    for intent in &report.unfinished {
        text += &format!(
            "line {}: `{}` was announced at {} and has no result (run {})\n",
            intent.seq,
            escape::line(&intent.command),
            escape::line(&intent.time),
            escape::line(&intent.run_id)
        );
    }
    let Some(last) = &report.last else {
        return text + "The audit log is empty.\n";
    };
    text += &format!(
        "{} in {}, from line {} to line {}.\nlast hash: {}\n",
        count(report.lines, "line"),
        count(report.files, "file"),
        report.first.unwrap_or_default(),
        last.seq,
        last.hash
    );
    if report.kept > 0 || report.dropped != Dropped::default() {
        text += &format!(
            "The log keeps {} of changes and refusals from dropped files. Dropped for good: {}, {}, {}, and {} \
             that lost content, published a note or had an approval.\n",
            count(report.kept, "record"),
            count(report.dropped.reads, "read"),
            count(report.dropped.refusals, "refusal"),
            count(report.dropped.changes, "change"),
            count(report.dropped.losses, "call")
        );
    }
    text += match report.violations.len() {
        0 => "The log is unchanged.\n",
        _ => "The log was changed or damaged.\n",
    };
    text
}

fn data(report: &VerifyReport) -> Map<String, Value> {
    let torn: Vec<Value> = report
        .torn
        .iter()
        .map(|spot| json!({ "file": spot.file, "line": spot.line }))
        .collect();
    let unfinished: Vec<Value> = report
        .unfinished
        .iter()
        .map(|intent| {
            json!({
                "seq": intent.seq,
                "time": intent.time,
                "runId": intent.run_id,
                "command": intent.command,
            })
        })
        .collect();
    let last = report
        .last
        .as_ref()
        .map(|last| json!({ "seq": last.seq, "hash": last.hash }));
    Map::from_iter([
        ("files".to_owned(), json!(report.files)),
        ("lines".to_owned(), json!(report.lines)),
        ("first".to_owned(), json!(report.first)),
        ("last".to_owned(), json!(last)),
        ("kept".to_owned(), json!(report.kept)),
        ("dropped".to_owned(), json!(report.dropped)),
        ("torn".to_owned(), json!(torn)),
        ("unfinished".to_owned(), json!(unfinished)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Code;

    const CASES: &str = include_str!("audit_cases.txt");

    #[test]
    fn since_takes_times_days_and_how_long_ago() {
        let now: Zoned = "2026-03-14T09:26:53+01:00[+01:00]".parse().unwrap();
        for [text, moment] in tables::section(CASES, "since takes times days and how long ago") {
            assert_eq!(since(text, &now).unwrap().to_string(), moment, "{text}");
        }
        for text in ["", "yesterday", "-2h", "0s", "2", "2026-13-01", "99999y"] {
            assert_eq!(
                since(text, &now).unwrap_err().code,
                Code::UsageError,
                "{text}"
            );
        }
    }

    /// Returns a record of a person's call, as it is read from the log.
    fn entry(seq: u64, phase: &str, run: &str, more: &Value) -> AuditEntry {
        let mut fields = json!({
            "time": "2026-03-14T08:26:53Z", "caller": "agent", "client": "MyAgent 1", "vault": "Notes",
            "command": "append", "phase": phase, "runId": run, "status": "ok",
        });
        let fields = fields.as_object_mut().unwrap();
        fields.extend(object(more));
        AuditEntry {
            seq,
            line: String::new(),
            fields: fields.clone(),
        }
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    /// A finished change is one row, and no word of this program is broken at 80 columns.
    #[test]
    fn a_table_reports_each_change_once() {
        let now: Zoned = "2026-03-14T09:26:53+01:00[+01:00]".parse().unwrap();
        let refused = json!({ "code": "MUTATION_DISABLED", "command": "property:set",
            "params": { "file": "Test.md", "name": "status" } });
        let listing = AuditListing {
            entries: vec![
                entry(1, "intent", "a", &json!({})),
                entry(
                    2,
                    "result",
                    "a",
                    &json!({ "params": { "path": "Test.md" } }),
                ),
                entry(3, "decision", "b", &refused),
                entry(4, "intent", "c", &json!({ "vault": "" })),
            ],
            unreadable: 0,
            last: None,
        };
        let shown = |is_verbose, columns| {
            let table = table(&listing, &now, is_verbose);
            table.laid_out(columns).render(columns, false)
        };
        insta::assert_snapshot!(shown(false, 80), @r"
        TIME          WHO              COMMAND       OUTCOME            PARAMETERS
        Mar 14 09:26  agent (MyAgent   append        ok                 path=Test.md
                      1)
        Mar 14 09:26  agent (MyAgent   property:set  MUTATION_DISABLED  file=Test.md
                      1)                                                name=status
        Mar 14 09:26  agent (MyAgent   append        about to run
                      1)
        ");
        assert_eq!(shown(true, 200).lines().count(), 5);
        assert!(shown(true, 200).contains("VAULT"));
    }
}

//! The report of `setup` or of its dry run: as data, as text, and the commands that revert it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::choices::titles;
use super::sources::FOLDER as CLIPPINGS;
use super::{PlannedSetup, key_of_agent, openness};
use clients::{EntryAction, EntryReport, McpClient};
use frontend::escape;
use protocol::{Caller, Code, Failure, Shell};
use sandbox::Signal;
use settings::edit::SettingChange;
use tiers::Drafts;

/// The results of the steps of `setup` that have run.
pub(super) struct SetupReport {
    pub(super) is_dry_run: bool,
    /// The words that call this program with the same settings file.
    pub(super) program: String,
    pub(super) planned: PlannedSetup,
    pub(super) changes: Vec<SettingChange>,
    pub(super) clients: Vec<ClientStep>,
    /// The signal that arrived during the run.
    pub(super) signal: Option<Signal>,
}

/// The result for one client.
pub(super) enum ClientStep {
    /// The entry of the client is up to date.
    Done(Box<EntryReport>),
    /// The entry of the client could not be changed.
    Failed(McpClient, Failure),
    /// A signal arrived before it; later clients were not changed either.
    Interrupted(McpClient),
}

impl SetupReport {
    /// Returns the failure that names the unchanged clients, with the code of the first. The report gives the reasons.
    pub(super) fn failure(&self) -> Option<Failure> {
        failure_of(&self.clients)
    }

    /// Returns the report as the `data` of the envelope.
    pub(super) fn data(&self) -> Map<String, Value> {
        let changes = self.changes.iter().map(change_as_data);
        let clients = self.clients.iter().filter_map(ClientStep::data);
        Map::from_iter([
            ("vault".to_owned(), json!(self.planned.choices.folder())),
            ("settings".to_owned(), json!(self.planned.file)),
            (
                "allowsWrites".to_owned(),
                json!(self.planned.settings.allow_mutations),
            ),
            ("dryRun".to_owned(), json!(self.is_dry_run)),
            ("changedSettings".to_owned(), changes.collect()),
            ("clients".to_owned(), clients.collect()),
            ("takeBack".to_owned(), json!(self.take_back())),
            ("leftBehind".to_owned(), json!(self.left_behind())),
        ])
    }

    /// Returns the report as text for people: at most 12 lines, if nothing went wrong, no client had
    /// an entry and no switch was set before.
    ///
    /// # Errors
    ///
    /// If the path rules of the settings are too large.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let program = &self.program;
        let settings = &self.planned.settings;
        let mut rows = Rows::default();
        rows.add("Vault", &escape::line(&self.planned.choices.folder()));
        rows.add("Settings", &self.planned.file.display().to_string());
        if self.is_dry_run {
            rows.text.extend(self.changes.iter().map(change_in_words));
        }
        rows.add("Agents", &openness::in_words(settings)?);
        let limits = openness::limits(settings)?;
        if !limits.is_empty() {
            let keys = limits.join("` and `");
            rows.add(
                "Limits",
                &format!("`{keys}` in the settings: {program} settings show"),
            );
        }
        let also_open = openness::also_open(settings)?;
        if !also_open.is_empty() {
            let keys = also_open.join("`, `");
            rows.add(
                "Also open",
                &format!("`{keys}`, set before: {program} rules"),
            );
        }
        if settings.taint.is_on() {
            let kind = self.text_from_outside();
            rows.add(
                "Web text",
                &format!("agents that read {kind} are restricted: {program} outside"),
            );
        }
        if self.is_dry_run {
            rows.text.extend(self.clients.iter().map(ClientStep::text));
            return Ok(rows.text + "\nThis was a dry run: nothing was changed.\n");
        }
        self.add_clients(&mut rows);
        rows.text += "\n";
        let is_changed = self.changes.iter().any(is_change)
            || self.clients.iter().any(|step| step.changed().is_some());
        if let Some(gone) = self.gone_vault() {
            let gone = escape::line(&gone);
            rows.text += &format!("The settings named the vault {gone}, which no longer exists.\n");
        } else if !is_changed && self.failure().is_none() {
            rows.text += "Everything was already set up: nothing was changed.\n";
        }
        let first = if self.planned.todays_note.is_some() {
            format!("{program} daily:read")
        } else {
            format!("{program} context")
        };
        rows.add("Try", &first);
        if settings.policy(Caller::Agent, None)?.drafts() != Drafts::Off {
            rows.add("Review", &format!("{program} review"));
        }
        rows.add("Check", &format!("{program} doctor"));
        rows.add("Way back", &format!("{program} setup --remove"));
        Ok(rows.text)
    }

    /// Returns the kind of notes that restrict an agent, as `setup` finds them.
    fn text_from_outside(&self) -> &'static str {
        let sources = &self.planned.settings.taint.sources;
        if sources
            .iter()
            .any(|source| source.as_str().starts_with(CLIPPINGS))
        {
            "clippings"
        } else {
            "notes from outside"
        }
    }

    fn add_clients(&self, rows: &mut Rows) {
        rows.add_changed("added to", &self.clients, EntryAction::Added);
        rows.add_changed("updated in", &self.clients, EntryAction::Updated);
        rows.add_changed("already in", &self.clients, EntryAction::Unchanged);
        for report in self.clients.iter().filter_map(ClientStep::done) {
            for line in report.about_old_entry() {
                rows.add("", &format!("{} {line}", report.client.title()));
            }
            for agent in &report.closed_agents {
                let key = key_of_agent(agent);
                let key = Shell::native().quoted(&key);
                let title = report.client.title();
                let set = format!("{} settings set {key} true", self.program);
                rows.add("", &format!("{title} may still not call: {set}"));
            }
        }
        let changed = self.clients.iter().filter_map(ClientStep::changed);
        let changed: Vec<McpClient> = changed.map(|report| report.client).collect();
        match changed.as_slice() {
            [] => {}
            [client] => rows.add("", client.takes_effect()),
            several => {
                let asking = several.iter().copied().filter(|client| client.asks_first());
                let asking: Vec<&str> = asking.map(McpClient::title).collect();
                let also = match asking.as_slice() {
                    [] => String::new(),
                    asking => format!(" {} may ask about the server first.", asking.join(" and ")),
                };
                rows.add("", &format!("Restart them.{also}"));
            }
        }
        if self.planned.choices.is_without_clients {
            let print = format!("{} install cursor --print", self.program);
            rows.add("Clients", &format!("none found; an entry to copy: {print}"));
        }
        let failed = self.clients.iter().filter(|step| step.done().is_none());
        rows.text.extend(failed.map(ClientStep::text));
    }

    /// Returns the commands that revert the changes.
    fn take_back(&self) -> Vec<String> {
        let changed = self.changes.iter().filter(|change| is_change(change));
        let settings = changed.filter_map(|change| {
            let key = &change.key;
            let quoted = Shell::native().quoted(key);
            let Some(before) = &change.before else {
                return Some(format!("{} settings unset {quoted}", self.program));
            };
            let typed = as_typed(before);
            // A vault that no longer exists cannot be restored by a command: `settings set` refuses
            // it, and `unset` would select another vault.
            let value = Shell::native().quoted(&typed);
            (!is_gone_vault(key, &typed))
                .then(|| format!("{} settings set {quoted} {value}", self.program))
        });
        let clients = self.clients.iter().filter_map(|step| match step {
            ClientStep::Done(report) => report.take_back(&self.program),
            _ => None,
        });
        settings.chain(clients).collect()
    }

    /// Returns what remains after these commands.
    fn left_behind(&self) -> Vec<String> {
        let is_made = self.planned.is_new_file && !self.is_dry_run;
        let file = is_made.then(|| format!("{} (not there before)", self.planned.file.display()));
        let clients = self.clients.iter().flat_map(|step| match step {
            ClientStep::Done(report) => report.left_behind(),
            _ => Vec::new(),
        });
        file.into_iter().chain(clients).collect()
    }

    /// Returns the vault of the old settings, if it no longer exists.
    fn gone_vault(&self) -> Option<String> {
        let changed = self.changes.iter().filter(|change| is_change(change));
        changed
            .filter_map(|change| Some((&change.key, as_typed(change.before.as_ref()?))))
            .find(|(key, typed)| is_gone_vault(key, typed))
            .map(|(_, typed)| typed)
    }
}

/// The lines of a report, each with a label.
#[derive(Default)]
struct Rows {
    text: String,
    /// The label of the last line.
    last: &'static str,
}

impl Rows {
    /// Adds a line. The first of several lines with one label has it.
    fn add(&mut self, label: &'static str, text: &str) {
        let shown = if label == self.last { "" } else { label };
        self.last = label;
        self.text += &format!("{shown:<10} {text}\n");
    }

    /// Adds a line with the clients whose entries had this change, each once; none without any.
    fn add_changed(&mut self, did: &str, steps: &[ClientStep], action: EntryAction) {
        let done = steps.iter().filter_map(ClientStep::done);
        let fitting = done.filter(|report| report.change.action == action);
        let mut clients: Vec<McpClient> = fitting.map(|report| report.client).collect();
        clients.dedup();
        if !clients.is_empty() {
            self.add("Clients", &format!("{did} {}", titles(&clients)));
        }
    }
}

/// The result of `setup --remove` or of its dry run.
pub(super) struct SetupRemoval {
    pub(super) is_dry_run: bool,
    /// The words that call this program with the same settings file.
    pub(super) program: String,
    /// The path of the settings file.
    pub(super) file: PathBuf,
    /// The result for the calls of agents, or the reason why the settings could not be changed.
    pub(super) closed: Result<ClosedAgents, Failure>,
    /// The clients of `--client`; empty for all.
    pub(super) named: Vec<McpClient>,
    pub(super) clients: Vec<ClientStep>,
    /// The signal that arrived during the run.
    pub(super) signal: Option<Signal>,
}

/// The result for the calls of agents whose clients lose their entries.
#[derive(Default)]
pub(super) struct ClosedAgents {
    /// The changes that end their calls.
    pub(super) changes: Vec<SettingChange>,
    /// The keys that were false before.
    pub(super) already: Vec<String>,
    /// The agents that may still call, with the clients whose entries name them.
    pub(super) in_use: Vec<(String, Vec<McpClient>)>,
}

impl SetupRemoval {
    /// Returns the failure of the settings, or else the one that names the unchanged clients.
    pub(super) fn failure(&self) -> Option<Failure> {
        let Err(failure) = &self.closed else {
            return failure_of(&self.clients);
        };
        Some(failure.clone().begin_with(
            "A running server may still answer agents, because the settings could not be changed.",
        ))
    }

    /// Returns the result as the `data` of the envelope.
    pub(super) fn data(&self) -> Map<String, Value> {
        let clients = self.clients.iter().filter_map(ClientStep::data);
        let closed = self.closed.as_ref();
        let changes = closed.into_iter().flat_map(|closed| &closed.changes);
        let in_use = closed.into_iter().flat_map(|closed| &closed.in_use);
        let in_use = in_use.map(|(agent, clients)| {
            let clients: Vec<String> = clients.iter().map(|client| client.word()).collect();
            json!({ "agent": agent, "clients": clients })
        });
        Map::from_iter([
            ("settings".to_owned(), json!(self.file)),
            ("dryRun".to_owned(), json!(self.is_dry_run)),
            (
                "changedSettings".to_owned(),
                changes.map(change_as_data).collect(),
            ),
            (
                "alreadyClosed".to_owned(),
                json!(closed.map_or(&[][..], |closed| &closed.already)),
            ),
            ("stillOpen".to_owned(), in_use.collect()),
            ("clients".to_owned(), clients.collect()),
        ])
    }

    /// Returns the result as text for people.
    pub(super) fn text(&self) -> String {
        let mut rows = Rows::default();
        if let Ok(closed) = &self.closed {
            for SettingChange { key, .. } in &closed.changes {
                let what = format!("may not call any more: `{key}` is false");
                rows.add("Agents", &what);
            }
            for key in &closed.already {
                let what = format!("could not call before: `{key}` was false already");
                rows.add("Agents", &what);
            }
            for (agent, clients) in &closed.in_use {
                let key = Shell::native().quoted(&key_of_agent(agent)).into_owned();
                let (clients, program) = (titles(clients), &self.program);
                let what = format!(
                    "`{agent}` may still call, because {clients} has it in an entry: {program} settings set {key} false"
                );
                rows.add("Agents", &what);
            }
        }
        rows.add_changed("removed from", &self.clients, EntryAction::Removed);
        rows.add_changed(
            "the earlier entry is back in",
            &self.clients,
            EntryAction::Restored,
        );
        for report in self.clients.iter().filter_map(ClientStep::done) {
            let title = report.client.title();
            if report.change.action == EntryAction::Kept {
                let what = format!(
                    "{title} keeps an entry that `setup` did not write: {}",
                    report.file
                );
                rows.add("Clients", &what);
            } else if report.change.action == EntryAction::Absent && !self.named.is_empty() {
                let what = format!("{title} has no entry of vault-gw in {}", report.file);
                rows.add("Clients", &what);
            }
        }
        let failed: Vec<&ClientStep> = self
            .clients
            .iter()
            .filter(|step| step.done().is_none())
            .collect();
        if rows.last != "Clients" && failed.is_empty() {
            rows.add("Clients", "none has an entry that `setup` wrote");
        }
        rows.text.extend(failed.into_iter().map(ClientStep::text));
        if self.is_dry_run {
            return rows.text + "\nThis was a dry run: nothing was changed.\n";
        }
        rows.add(
            "Kept",
            "your notes, the other settings, the undo history, and copies of the changed files",
        );
        let named = self.named.iter();
        let named = named.map(|client| format!(" --client {}", client.word()));
        let named = named.collect::<String>();
        rows.add("Way back", &format!("{} setup{named}", self.program));
        rows.text
    }
}

/// Returns the failure that names the unchanged clients, with the code of the first. The report gives the reasons.
fn failure_of(steps: &[ClientStep]) -> Option<Failure> {
    let failed = steps.iter().filter_map(|step| match step {
        ClientStep::Failed(client, failure) => Some((client.title(), failure)),
        _ => None,
    });
    let (mut titles, failures): (Vec<&str>, Vec<&Failure>) = failed.unzip();
    titles.dedup();
    if let Some(first) = failures.first() {
        let what = format!(
            "These clients were not changed: {}. The report gives the reasons.",
            titles.join(", ")
        );
        return Some((*first).clone().without_hints().say(what));
    }
    steps.iter().find_map(|step| match step {
        ClientStep::Interrupted(client) => Some(Code::Cancelled.failure(format!(
            "`setup` was interrupted before {} was changed. The report lists the steps that were done.",
            client.title()
        ))),
        _ => None,
    })
}

impl ClientStep {
    /// Returns the report of a client whose entry is as it should be.
    fn done(&self) -> Option<&EntryReport> {
        match self {
            Self::Done(report) => Some(report),
            _ => None,
        }
    }

    /// Returns the report of a client whose entry was changed.
    fn changed(&self) -> Option<&EntryReport> {
        self.done().filter(|report| report.change.action.changes())
    }

    fn data(&self) -> Option<Value> {
        match self {
            Self::Done(report) => Some(Value::Object(report.data())),
            Self::Failed(client, failure) => Some(json!({
                "client": client.word(),
                "action": "failed",
                "error": { "code": failure.code, "message": failure.for_person() },
            })),
            Self::Interrupted(_) => None,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Done(report) => report.text(),
            Self::Failed(client, failure) => {
                format!(
                    "{}: not changed. {}\n",
                    client.title(),
                    failure.for_person()
                )
            }
            Self::Interrupted(client) => format!(
                "Interrupted: {} and the clients after it were not changed.\n",
                client.title()
            ),
        }
    }
}

fn change_as_data(change: &SettingChange) -> Value {
    json!({
        "key": change.key,
        "before": change.before,
        "after": change.after,
        "written": change.written,
    })
}

fn is_change(change: &SettingChange) -> bool {
    change.before.as_ref() != Some(&change.after)
}

fn change_in_words(change: &SettingChange) -> String {
    let note = match &change.before {
        Some(_) if !is_change(change) => " (as before)".to_owned(),
        Some(before) => format!(" (before: {})", escape::line(before)),
        None => String::new(),
    };
    let after = escape::line(&change.after);
    format!("  {} = {after}{note}\n", change.key)
}

/// Returns a value as people type it: a string without its TOML quotes.
fn as_typed(value: &str) -> String {
    let parsed = value.parse::<toml::Value>().ok();
    let text = parsed.and_then(|parsed| parsed.as_str().map(str::to_owned));
    text.unwrap_or_else(|| value.to_owned())
}

fn is_gone_vault(key: &str, typed: &str) -> bool {
    let path = Path::new(typed);
    key == "vault" && path.is_absolute() && !path.is_dir()
}

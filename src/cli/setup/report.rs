//! The report of `setup` or of its dry run: as data, as text, and the commands that revert it.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{PlannedSetup, SOURCES, openness};
use crate::cli::install::{EntryReport, client::McpClient, left_in_words};
use frontend::escape;
use protocol::code::Code;
use protocol::failure::Failure;
use protocol::shell::Shell;
use sandbox::signals::Signal;
use settings::edit::SettingChange;

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
        let failed = self.clients.iter().filter_map(|step| match step {
            ClientStep::Failed(client, failure) => Some((client.title(), failure)),
            _ => None,
        });
        let (titles, failures): (Vec<&str>, Vec<&Failure>) = failed.unzip();
        if let Some(first) = failures.first() {
            let what = format!(
                "These clients were not changed: {}. The report gives the reasons.",
                titles.join(", ")
            );
            return Some((*first).clone().without_hints().say(what));
        }
        self.clients.iter().find_map(|step| match step {
            ClientStep::Interrupted(client) => Some(Code::Cancelled.failure(format!(
                "`setup` was interrupted before {} was changed. The report lists the steps that were done.",
                client.title()
            ))),
            _ => None,
        })
    }

    /// Returns the report as the `data` of the envelope.
    pub(super) fn data(&self) -> Map<String, Value> {
        let changes = self.changes.iter().map(|change| {
            json!({
                "key": change.key,
                "before": change.before,
                "after": change.after,
                "written": change.written,
            })
        });
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

    /// Returns the report as text for people.
    pub(super) fn text(&self) -> String {
        let mut text = format!("Vault: {}\n", escape::line(&self.planned.choices.folder()));
        text += &format!("Settings: {}\n", self.planned.file.display());
        text.extend(self.changes.iter().map(change_in_words));
        text += &openness::in_words(&self.planned.settings, &self.program);
        if self
            .changes
            .iter()
            .any(|change| SOURCES.contains(&change.key.as_str()))
        {
            text += &format!(
                "  An agent that has read such a note is restricted: it sends nothing out, and what it changes waits in a draft.\n  Who is, and why: {} taint\n",
                self.program
            );
        }
        text.extend(self.clients.iter().map(ClientStep::text));
        if self.planned.choices.is_without_clients {
            let names: Vec<&str> = McpClient::all()
                .iter()
                .map(|client| client.title())
                .collect();
            text += &format!(
                "Clients: none found ({}).\n  For another MCP client, `{} install cursor --print` prints an entry to copy.\n",
                names.join(", "),
                self.program
            );
        }
        text + &self.end_in_words()
    }

    fn end_in_words(&self) -> String {
        if self.is_dry_run {
            return "\nThis was a dry run: nothing was changed.\n".to_owned();
        }
        let mut text = String::new();
        let take_back = self.take_back();
        let gone = self.gone_vault();
        if !take_back.is_empty() {
            text += "\nTo take it back:\n";
            for line in &take_back {
                text += &format!("  {line}\n");
            }
            let left = self.left_behind();
            if !left.is_empty() {
                text += &left_in_words(&left);
            }
        } else if gone.is_none() && self.failure().is_none() {
            text += "\nEverything was already set up: nothing was changed.\n";
        }
        if let Some(gone) = gone {
            text += &format!(
                "\nThe settings named the vault {}, which no longer exists.\n",
                escape::line(&gone)
            );
        }
        let program = &self.program;
        let first = if self.planned.todays_note.is_some() {
            "daily:read    today's note"
        } else {
            "context       what this vault is, and what is open"
        };
        text + &format!(
            "\nNext:\n  {program} {first}\n  {program} doctor        checks all of this\n"
        )
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
            ClientStep::Done(report) => report.left_behind(&self.program),
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

impl ClientStep {
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

//! The result for an entry: as data, as text, and the command that reverts it.

use serde_json::{Map, Value, json};

use super::client::{McpClient, ServerEntry};
use super::edit::EntryAction;
use super::entries::name_option;
use super::file::ClientConfigFile;
use protocol::Shell;
use settings::{EVERY_AGENT, table_prefix};

/// The result of an installation for a client's entry, or of its dry run.
pub struct EntryReport {
    /// The client of the entry.
    pub client: McpClient,
    pub(super) name: String,
    /// The client's configuration file.
    pub file: String,
    /// Whether the path is a symbolic link.
    pub(super) is_linked: bool,
    pub(super) is_dry_run: bool,
    /// The server that the entry starts; `None` if it is removed.
    pub started: Option<Started>,
    /// The change to the client's file.
    pub change: FileChange,
    /// The setting that lets agents call, if it was checked.
    pub bridge: Option<Bridge>,
    /// The entry's agent if the settings disable it, and `*` if they disable all agents.
    pub closed_agents: Vec<String>,
}

/// The server that an entry starts, in a form that may be shown.
pub struct Started {
    /// The program and its arguments.
    pub server: ServerEntry,
    /// The server that it started before, if that is different.
    pub before: Option<ServerEntry>,
    /// The words of the existing entry that were kept.
    pub kept: Vec<String>,
    /// The names of options in the existing entry that this program does not accept.
    pub left_out: Vec<String>,
}

/// The change to a client's file.
pub struct FileChange {
    /// The change of the entry.
    pub action: EntryAction,
    /// The difference that a dry run shows.
    pub(super) diff: Option<String>,
    /// The path of the backup of the old file.
    pub(super) backup: Option<String>,
    /// Whether an entry that was there before cannot come back, because no backup is left.
    pub(super) lacks_backup: bool,
}

/// The setting that allows agents to make calls.
pub struct Bridge {
    /// The path of the settings file.
    pub file: String,
    /// Whether agents were allowed to make calls before the run.
    pub was_on: bool,
    /// The words that call this program with that file.
    pub program: String,
    /// The entry's agent if the settings disable it, and `*` if they disable all agents.
    pub closed_agents: Vec<String>,
}

impl EntryReport {
    pub(super) fn new(
        file: &ClientConfigFile,
        name: &str,
        is_dry_run: bool,
        change: FileChange,
    ) -> Self {
        Self {
            client: file.client(),
            name: name.to_owned(),
            file: file.path().display().to_string(),
            is_linked: file.is_linked(),
            is_dry_run,
            started: None,
            change,
            bridge: None,
            closed_agents: Vec::new(),
        }
    }

    /// Returns what was taken over from the existing entry and what was not, each as the rest of a sentence that
    /// starts with the client.
    pub fn about_old_entry(&self) -> Vec<String> {
        let Some(started) = &self.started else {
            return Vec::new();
        };
        let kept = Shell::native().joined(&started.kept);
        let left_out = started.left_out.join(" ");
        let before = started.before.as_ref();
        let other = before.filter(|entry| !entry.starts_this_program());
        [
            (
                "had another entry of this name, which `setup --remove` brings back:",
                other.map_or_else(String::new, command_line),
            ),
            ("keeps", kept),
            ("leaves out, as unknown to this program,", left_out),
        ]
        .into_iter()
        .filter(|(_, words)| !words.is_empty())
        .map(|(verb, words)| format!("{verb} {words}"))
        .collect()
    }

    /// Returns the result as the `data` of the envelope.
    pub fn data(&self) -> Map<String, Value> {
        let mut data = Map::new();
        let mut add = |key: &str, value: Value| data.insert(key.to_owned(), value);
        add("client", json!(self.client.word()));
        add("name", json!(self.name));
        add("file", json!(self.file));
        add("linked", json!(self.is_linked));
        add("dryRun", json!(self.is_dry_run));
        if let Some(started) = &self.started {
            add("command", json!(started.server.command));
            add("args", json!(started.server.args));
            add("kept", json!(started.kept));
            add("leftOut", json!(started.left_out));
        }
        add("action", json!(self.change.action));
        if let Some(diff) = &self.change.diff {
            add("diff", json!(diff));
        }
        if let Some(backup) = &self.change.backup {
            add("backup", json!(backup));
        }
        if let Some(before) = self.started.as_ref().and_then(|all| all.before.as_ref()) {
            let before = json!({ "command": before.command, "args": before.args });
            add("before", before);
        }
        if let Some(bridge) = &self.bridge {
            add("bridge", bridge.data(self.is_dry_run));
        }
        data
    }

    /// Returns the result as text; each line ends with a line feed.
    pub fn text(&self) -> String {
        let mut text = self.change.diff.clone().unwrap_or_default();
        text += &self.action_in_words();
        if let Some(backup) = &self.change.backup {
            text += &format!("  what was there: {backup}\n");
        }
        if self.change.lacks_backup {
            text += "  no earlier backup of the file is left, so an entry that was there before does not come back\n";
        }
        if let Some(started) = &self.started {
            text += &format!("  runs: {}\n", command_line(&started.server));
            if let Some(before) = &started.before {
                text += &format!("  ran before: {}\n", command_line(before));
            }
            if !started.kept.is_empty() {
                let kept = Shell::native().joined(&started.kept);
                text += &format!("  kept from the entry: {kept}\n");
            }
            if !started.left_out.is_empty() {
                let names = started.left_out.join(" ");
                text += &format!("  left out, unknown to this program: {names}\n");
            }
        }
        if let Some(bridge) = &self.bridge {
            text += &bridge.in_words(self.is_dry_run);
        }
        let is_added = self.started.is_some() && self.change.action.changes();
        if is_added && !self.is_dry_run {
            text += &format!("{}\n", self.client.takes_effect());
        }
        text
    }

    fn action_in_words(&self) -> String {
        let (did, link) = match self.change.action {
            EntryAction::Added => ("added", "to"),
            EntryAction::Updated => ("updated", "in"),
            EntryAction::Removed => ("removed", "from"),
            EntryAction::Unchanged => ("is there already:", "in"),
            EntryAction::Restored => ("restored the earlier", "in"),
            EntryAction::Absent => ("is not there:", "in"),
            EntryAction::Kept => ("does not start this program and stays:", "in"),
        };
        let (name, title, file) = (&self.name, self.client.title(), &self.file);
        if !self.change.action.changes() {
            format!("`{name}` {did} {title}, {file}\n")
        } else if self.is_dry_run {
            format!("Would have {did} `{name}` {link} {title}, {file}\n")
        } else {
            format!("{} `{name}` {link} {title}, {file}\n", capital(did))
        }
    }

    /// Returns what remains after the command that reverts this: the backups, which contain the whole file. A new file
    /// leaves none.
    pub fn left_behind(&self) -> Vec<String> {
        let backup = self.change.backup.iter();
        backup
            .map(|_| format!("{}.*.bak (copies of it)", self.file))
            .collect()
    }

    /// Returns the command that reverts the change, with `program` as its first words; `None` if nothing changed.
    pub fn take_back(&self, program: &str) -> Option<String> {
        if self.is_dry_run {
            return None;
        }
        match (self.change.action, &self.change.backup) {
            (EntryAction::Added, _) => {
                let name = name_option(&self.name);
                let client = self.client.word();
                Some(format!("{program} install {client} --remove{name}"))
            }
            (EntryAction::Updated | EntryAction::Removed | EntryAction::Restored, Some(backup)) => {
                let copy = if cfg!(windows) { "copy" } else { "cp" };
                let files = Shell::native().joined([backup, &self.file]);
                Some(format!("{copy} {files}"))
            }
            _ => None,
        }
    }
}

impl Bridge {
    /// Returns the result for the envelope.
    pub fn data(&self, is_dry_run: bool) -> Value {
        let is_written = !self.was_on && !is_dry_run;
        json!({ "file": self.file, "before": self.was_on, "written": is_written })
    }

    /// Returns the result as text for people.
    pub fn in_words(&self, is_dry_run: bool) -> String {
        let (file, program) = (&self.file, &self.program);
        let mut text = match (self.was_on, is_dry_run) {
            (true, _) => "Agents may call already.\n".to_owned(),
            (false, true) => {
                format!("Would have let agents call: enabled = true in {file}\n")
            }
            (false, false) => format!(
                "Agents may call now: enabled = true in {file}\n  that is any agent that can start this \
                 program, as far as the settings are open (`{program} rules`)\n"
            ),
        };
        for name in &self.closed_agents {
            let who = if name == EVERY_AGENT {
                "Agents".to_owned()
            } else {
                format!("Agent `{name}`")
            };
            let key = format!("{}enabled", table_prefix(name));
            let key = Shell::native().quoted(&key);
            text += &format!("{who} may still not call: `{program} settings set {key} true`\n");
        }
        text
    }
}

/// Returns the lines about what remains; empty if nothing does.
pub fn left_in_words(left: &[String]) -> String {
    if left.is_empty() {
        return String::new();
    }
    let lines = left.iter().map(|left| format!("  {left}\n"));
    std::iter::once("That leaves behind:\n".to_owned())
        .chain(lines)
        .collect()
}

/// Returns the command line that an entry starts, as it can be typed.
fn command_line(server: &ServerEntry) -> String {
    Shell::native().joined(std::iter::once(&server.command).chain(&server.args))
}

fn capital(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

//! Sets or removes one entry in the file of a client.
//!
//! An existing entry keeps what the run does not set: the options that restrict it, `env`, keys and comments. Adding
//! and removing an entry gives back the same bytes, from the backup; a file that had nothing but the entry is removed,
//! with the empty folders made for it. If the file changed in another way since, only the entry is taken out. An entry
//! of the user that was overwritten comes back from the newest backup that has it.

use std::path::Path;

use serde_json::{Map, Value};

use super::arguments::ServerArguments;
use super::client::{McpClient, ServerEntry, unwritable};
use super::edit::{self, EntryAction, FileBefore};
use super::entries::{ClientEntry, ENTRY_NAME, entries_in, is_from_install};
use super::file::ClientConfigFile;
use super::grammar::ServerGrammar;
use super::report::{EntryReport, FileChange};
use super::shown_diff::ShownEntry;
use protocol::{Code, Failure};
use sandbox::{Environment, clock};

/// Number of attempts if the client writes to its file at the same time.
const ATTEMPTS: usize = 3;

/// One entry in the file of a client.
pub struct EntryEditor<'a> {
    /// The client's file.
    pub file: &'a ClientConfigFile,
    /// The name of the entry.
    pub name: &'a str,
    /// Whether changes are only worked out and shown.
    pub is_dry_run: bool,
    /// The arguments that this program accepts.
    pub grammar: &'a ServerGrammar,
    /// The environment, with the clock for the names of backups.
    pub environment: &'a Environment,
}

impl EntryEditor<'_> {
    /// Returns the present keys of the entry; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or parsed.
    pub fn existing(&self) -> Result<Option<Map<String, Value>>, Failure> {
        let text = self.file.read()?.unwrap_or_default();
        let existing = edit::existing(self.file.client(), &text, self.name);
        existing.map_err(|reason| self.file.unfit(&reason))
    }

    /// Makes the entry start `server`, which `shown` is in a form that may be shown. Other keys of the entry stay.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or changed, or changes at each attempt.
    pub fn set(
        &self,
        server: &ServerEntry,
        existing: Option<&Map<String, Value>>,
        shown: &ServerEntry,
    ) -> Result<EntryReport, Failure> {
        let entry = self.file.client().entry(server, existing);
        self.change(Some(&entry), Some(shown))
    }

    /// Removes the entry if it starts this program. If `install` or `setup` wrote it, the entry that was there before
    /// comes back.
    ///
    /// # Errors
    ///
    /// As [`Self::set`].
    pub fn remove(&self) -> Result<EntryReport, Failure> {
        let is_other = |keys: Map<String, Value>| {
            let server = ServerEntry::of_keys(&keys);
            !server.is_some_and(|server| server.starts_this_program())
        };
        if self.existing()?.is_some_and(is_other) {
            return self.left();
        }
        self.change(None, None)
    }

    /// Removes every entry that `install` or `setup` wrote into the file for these settings, whatever its name, as
    /// [`Self::remove`]. Returns a report for each, or one that says why there is none.
    pub fn take_back(
        file: &ClientConfigFile,
        (settings, is_dry_run): (&Path, bool),
        grammar: &ServerGrammar,
        environment: &Environment,
    ) -> Vec<Result<EntryReport, Failure>> {
        let entries = match entries_in(file, grammar) {
            Ok(entries) => entries,
            Err(failure) => return vec![Err(failure)],
        };
        let editor = |name| EntryEditor {
            file,
            name,
            is_dry_run,
            grammar,
            environment,
        };
        let uses_settings = |entry: &&ClientEntry| {
            let options = entry.options.as_ref();
            options.is_ok_and(|options| options.settings.as_deref() == Some(settings))
        };
        // Later entries are at the end, and a backup has only the entries that were there before.
        let ours = entries.iter().rev().filter(|entry| entry.is_from_install);
        let ours = ours.filter(uses_settings);
        let reports: Vec<_> = ours.map(|entry| editor(&entry.name).remove()).collect();
        if reports.is_empty() {
            return vec![editor(ENTRY_NAME).left()];
        }
        reports
    }

    /// Returns the report of an entry that `setup` did not write, or that does not exist.
    fn left(&self) -> Result<EntryReport, Failure> {
        let action = match self.existing()? {
            Some(_) => EntryAction::Kept,
            None => EntryAction::Absent,
        };
        if !self.is_dry_run {
            self.file.sweep();
        }
        Ok(self.report(FileChange {
            action,
            diff: None,
            backup: None,
            lacks_backup: false,
        }))
    }

    fn report(&self, change: FileChange) -> EntryReport {
        EntryReport::new(self.file, self.name, self.is_dry_run, change)
    }

    /// Returns the settings file of an entry that `install` or `setup` wrote; `None` for another entry.
    fn settings_from_install(&self, keys: &Map<String, Value>) -> Option<String> {
        let server = ServerEntry::of_keys(keys)?;
        let arguments = ServerArguments::of_entry(&server, self.grammar);
        let settings = arguments.value("--settings").map(str::to_owned);
        settings.filter(|_| is_from_install(&server, &arguments))
    }

    /// Sets the keys of the entry, or removes it, and with it every entry that it replaced and that this program wrote
    /// for the same settings.
    fn change(
        &self,
        entry: Option<&[(&'static str, Value)]>,
        shown: Option<&ServerEntry>,
    ) -> Result<EntryReport, Failure> {
        let (file, client) = (self.file, self.file.client());
        for _ in 0..ATTEMPTS {
            let old = file.read()?;
            let edited = edit::edited(client, old.as_deref().unwrap_or_default(), self.name, entry)
                .map_err(|reason| file.unfit(&reason))?;
            let mut change = FileChange {
                action: edited.action,
                diff: None,
                backup: None,
                lacks_backup: false,
            };
            if change.action.changes() {
                file.ensure_writable()?;
            }
            // The text was parsed for the edit, so parsing cannot fail now.
            let existing = |text: &str| edit::existing(client, text, self.name).ok().flatten();
            let before = old.as_deref().and_then(existing);
            let mut new = Some(edited.text.clone());
            let mut after = entry.map(|entry| {
                let mut keys = before.clone().unwrap_or_default();
                let new = entry.iter().cloned();
                keys.extend(new.map(|(key, value)| (key.to_owned(), value)));
                keys
            });
            if change.action == EntryAction::Removed {
                let (text, backups) = (old.as_deref().unwrap_or_default(), file.backups());
                let settings = before
                    .as_ref()
                    .and_then(|keys| self.settings_from_install(keys));
                // An entry that this program did not write has replaced none.
                let is_ours = |keys: &Map<String, Value>| {
                    settings.is_none() || self.settings_from_install(keys) == settings
                };
                match edit::before_entry(client, text, self.name, &backups, &is_ours) {
                    // Removing the target would break a link.
                    Some(FileBefore::Missing) if !file.is_linked() => new = None,
                    Some(FileBefore::Text(text)) => new = Some(text),
                    Some(FileBefore::Missing) => {}
                    // The file has changed in another way since.
                    None => {
                        change.lacks_backup = settings.is_some() && backups.is_empty();
                        let earlier =
                            edit::with_earlier(client, text, self.name, &backups, &is_ours);
                        new = Some(earlier.unwrap_or(edited.text));
                    }
                }
                after = new.as_deref().and_then(existing);
                if after.is_some() {
                    change.action = EntryAction::Restored;
                }
            }
            if self.is_dry_run {
                let is_file = old.is_some();
                change.diff = Some(self.diff(is_file, before.as_ref(), after.as_ref(), shown)?);
                return Ok(self.report(change));
            }
            if !change.action.changes() {
                file.sweep();
                return Ok(self.report(change));
            }
            // A file that contains only entries of this program needs no backup.
            let is_backed_up =
                new.is_some() || before.is_none_or(|keys| has_keys_of_user(client, &keys));
            let now = clock::system_clock(self.environment)().timestamp();
            let replaced = file.replace(old.as_deref(), new.as_deref(), is_backed_up, now)?;
            let Some(replaced) = replaced else {
                continue;
            };
            change.backup = replaced.backup.map(|path| path.display().to_string());
            return Ok(self.report(change));
        }
        Err(Code::Busy.failure(format!(
            "{} keeps changing. Quit {} and try again.",
            file.path().display(),
            client.title()
        )))
    }

    /// Returns the difference between the keys of the entry, in a form that may be shown. `started` is the server that
    /// this run lets the entry start.
    fn diff(
        &self,
        is_file: bool,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
        started: Option<&ServerEntry>,
    ) -> Result<String, Failure> {
        let showable = |keys: &Map<String, Value>| {
            let server = ServerEntry::of_keys(keys)?;
            Some(server.showable(self.grammar).args)
        };
        let shown_before = before.and_then(showable);
        let shown_after = match started {
            Some(started) => Some(started.args.clone()),
            None => after.and_then(showable),
        };
        let shown = ShownEntry {
            client: self.file.client(),
            name: self.name,
            path: &self.file.path().display().to_string(),
            is_file,
        };
        let diff = shown.diff(
            before.map(|keys| (keys, shown_before.as_deref())),
            after.map(|keys| (keys, shown_after.as_deref())),
        );
        diff.map_err(|unusable| unwritable(&unusable))
    }
}

/// Whether the entry has more than the keys that this program writes.
fn has_keys_of_user(client: McpClient, keys: &Map<String, Value>) -> bool {
    let written = ServerEntry::of_keys(keys).map(|server| client.entry(&server, None));
    let written = written.into_iter().flatten();
    let written = written.map(|(key, value)| (key.to_owned(), value));
    *keys != written.collect::<Map<_, _>>()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use clap::{Args as _, Command};
    use frontend::CommandLineOptions;

    use super::*;

    fn grammar() -> ServerGrammar {
        let line = CommandLineOptions::augment_args(Command::new("vault-gw"));
        ServerGrammar::new(line.subcommand(Command::new("mcp")))
    }

    fn environment() -> Environment {
        Environment::new([], None)
    }

    /// Writes an entry as `install` does.
    fn install(path: &Path, client: McpClient, name: &str, options: &str) {
        let file = ClientConfigFile::find(client, path.to_owned()).unwrap();
        let line = format!("mcp --settings /s --agent a {options}");
        let server = ServerEntry {
            command: "/bin/vault-gw".to_owned(),
            args: line.split_whitespace().map(str::to_owned).collect(),
        };
        let (grammar, environment) = (grammar(), environment());
        let editor = EntryEditor {
            file: &file,
            name,
            is_dry_run: false,
            grammar: &grammar,
            environment: &environment,
        };
        let existing = editor.existing().unwrap();
        editor.set(&server, existing.as_ref(), &server).unwrap();
    }

    fn take_back(path: &Path, client: McpClient, is_dry_run: bool) -> Vec<(String, EntryAction)> {
        let file = ClientConfigFile::find(client, path.to_owned()).unwrap();
        let reports = EntryEditor::take_back(
            &file,
            (Path::new("/s"), is_dry_run),
            &grammar(),
            &environment(),
        );
        let reports = reports.into_iter().map(Result::unwrap);
        reports
            .map(|report| (report.name.clone(), report.change.action))
            .collect()
    }

    /// An entry of the user comes back byte by byte, however often this program wrote over it; entries that this program
    /// wrote are gone, whatever their names.
    #[test]
    fn what_was_there_before_comes_back() {
        use EntryAction::{Absent, Kept, Removed, Restored};
        let json = "{\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"x\"},\n\t\t\"vault-gw\": {\"env\": { \"K\":\"v\" }, \"args\": [ \"mcp\" ], \"command\": \"vault-gw\"} // mine\n\t}\n}\n";
        let toml = "# mine\n[mcp_servers.vault-gw]\ncommand = 'vault-gw' # by name\nargs = [ 'mcp' ]\nstartup = 7\n\n[mcp_servers.vault-gw.env]\nK = 'v'\n\n[mcp_servers.x]\ncommand = 'x'\n";
        let other = "{\"mcpServers\": {\"x\": {\"command\": \"x\"}}}";
        for (client, before, of_usual_name, left) in [
            (McpClient::Cursor, Some(json), Restored, Kept),
            (McpClient::Codex, Some(toml), Restored, Kept),
            (McpClient::Cursor, Some(other), Removed, Absent),
            (McpClient::Codex, None, Removed, Absent),
        ] {
            for runs in [
                &[""][..],
                &["", "--tier v0"],
                &["--tier v1", "", "--tier v0"],
            ] {
                let home = tempfile::tempdir().unwrap();
                let path = home.path().join("made/too/c");
                if let Some(before) = before {
                    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
                    fs_err::write(&path, before).unwrap();
                }
                for options in runs {
                    install(&path, client, ENTRY_NAME, options);
                }
                let written = fs_err::read_to_string(&path).unwrap();
                let expected = [(ENTRY_NAME.to_owned(), of_usual_name)];
                assert_eq!(take_back(&path, client, true), expected, "{runs:?}");
                assert_eq!(fs_err::read_to_string(&path).unwrap(), written);
                assert_eq!(take_back(&path, client, false), expected, "{runs:?}");
                assert_eq!(fs_err::read_to_string(&path).ok().as_deref(), before);
                // Folders that were made for the file are gone unless backups are in them.
                let is_left = home.path().join("made").exists();
                assert_eq!(is_left, before.is_some() || runs.len() > 1);
                let expected = [(ENTRY_NAME.to_owned(), left)];
                assert_eq!(take_back(&path, client, false), expected);
                assert_eq!(fs_err::read_to_string(&path).ok().as_deref(), before);
            }
        }
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("c");
        fs_err::write(&path, other).unwrap();
        install(&path, McpClient::Cursor, "work", "");
        install(&path, McpClient::Cursor, ENTRY_NAME, "");
        let expected = [
            (ENTRY_NAME.to_owned(), Removed),
            ("work".to_owned(), Removed),
        ];
        assert_eq!(take_back(&path, McpClient::Cursor, false), expected);
        assert_eq!(fs_err::read_to_string(&path).unwrap(), other);
    }

    #[test]
    fn the_earlier_entry_comes_back_into_a_file_that_changed_in_the_meantime() {
        for (client, before, later) in [
            (
                McpClient::Cursor,
                "{\"mcpServers\": {\"vault-gw\": {\"env\": { \"A\":\"b\" },   \"command\": \"v\"}}}",
                " \n",
            ),
            (
                McpClient::Codex,
                "[mcp_servers.vault-gw]\ncommand = 'v' # mine\nenv = { A = 'b' }\n\n[mcp_servers.x]\ncommand = \"x\"\n\n[mcp_servers.vault-gw.y]\nz = 1",
                "later = 1\n",
            ),
            (
                McpClient::Codex,
                "mcp_servers.vault-gw.command = 'v' # mine\nmcp_servers.x.command = 'x'\nmcp_servers.vault-gw.args = [ 'a' ]\n",
                "later = 1\n",
            ),
            (
                McpClient::Codex,
                "[mcp_servers]\nvault-gw = { command = 'v',  args = [ 'a' ] } # mine\nx = { command = 'x' }\n",
                "later = 1\n",
            ),
        ] {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("c");
            fs_err::write(&path, before).unwrap();
            install(&path, client, ENTRY_NAME, "");
            install(&path, client, ENTRY_NAME, "--tier v0");
            let now = fs_err::read_to_string(&path).unwrap();
            fs_err::write(&path, format!("{later}{now}")).unwrap();
            let expected = [(ENTRY_NAME.to_owned(), EntryAction::Restored)];
            assert_eq!(take_back(&path, client, false), expected);
            let now = fs_err::read_to_string(&path).unwrap();
            assert_eq!(now, format!("{later}{before}"));
            // Without a backup, the entry cannot come back, and the report says so.
            install(&path, client, ENTRY_NAME, "");
            for entry in fs_err::read_dir(home.path()).unwrap() {
                let entry = entry.unwrap().path();
                if entry.extension().is_some() {
                    fs_err::remove_file(entry).unwrap();
                }
            }
            let file = ClientConfigFile::find(client, path).unwrap();
            let removed =
                EntryEditor::take_back(&file, (Path::new("/s"), false), &grammar(), &environment());
            let report = removed.into_iter().next().unwrap().unwrap();
            assert!(report.change.lacks_backup && report.text().contains("no earlier backup"));
        }
    }

    #[test]
    fn what_the_user_added_is_backed_up_and_a_folder_of_the_user_stays() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("client");
        fs_err::create_dir(&folder).unwrap();
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(&folder, mode).unwrap();
        let path = folder.join("c");
        install(&path, McpClient::Zed, ENTRY_NAME, "");
        take_back(&path, McpClient::Zed, false);
        assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 0);
        install(&path, McpClient::Zed, ENTRY_NAME, "");
        let text = fs_err::read_to_string(&path).unwrap();
        let env = "\"env\": {\n        \"KEY\": \"secret\"\n      }";
        let text = text.replace("\"env\": {}", env);
        fs_err::write(&path, text).unwrap();
        take_back(&path, McpClient::Zed, false);
        assert!(!path.exists());
        let mut left = fs_err::read_dir(&folder).unwrap();
        assert!(left.any(|entry| {
            let text = fs_err::read_to_string(entry.unwrap().path()).unwrap();
            text.contains("secret")
        }));
    }
}

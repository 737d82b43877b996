//! Sets or removes one entry in the file of a client.

use serde_json::{Map, Value};

use super::client::{ServerEntry, unwritable};
use super::edit::{self, EntryAction, FileBefore};
use super::file::ClientConfigFile;
use super::grammar::ServerGrammar;
use super::report::{EntryReport, FileChange};
use super::shown_diff::ShownEntry;
use protocol::code::Code;
use protocol::failure::Failure;
use sandbox::clock;
use sandbox::environment::Environment;

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

    /// Removes the entry.
    ///
    /// # Errors
    ///
    /// As [`Self::set`].
    pub fn remove(&self) -> Result<EntryReport, Failure> {
        self.change(None, None)
    }

    fn change(
        &self,
        entry: Option<&[(&'static str, Value)]>,
        shown: Option<&ServerEntry>,
    ) -> Result<EntryReport, Failure> {
        let (file, client) = (self.file, self.file.client());
        let report = |change| EntryReport::new(file, self.name, self.is_dry_run, change);
        for _ in 0..ATTEMPTS {
            let old = file.read()?;
            let edited = edit::edited(client, old.as_deref().unwrap_or_default(), self.name, entry)
                .map_err(|reason| file.unfit(&reason))?;
            let action = edited.action;
            if action.changes() {
                file.ensure_writable()?;
            }
            let mut change = FileChange {
                action,
                diff: None,
                backup: None,
            };
            if self.is_dry_run {
                change.diff = Some(self.diff(old.as_deref(), entry, shown)?);
                return Ok(report(change));
            }
            if !action.changes() {
                file.sweep();
                return Ok(report(change));
            }
            let before = old.as_ref().filter(|_| action == EntryAction::Removed);
            let before = before
                .and_then(|text| edit::before_entry(client, text, self.name, &file.backups()));
            let new = match before {
                // Removing the target would break a link.
                Some(FileBefore::Missing) if !file.is_linked() => None,
                Some(FileBefore::Text(text)) => Some(text),
                _ => Some(edited.text),
            };
            let now = clock::system_clock(self.environment)().timestamp();
            let Some(replaced) = file.replace(old.as_deref(), new.as_deref(), now)? else {
                continue;
            };
            change.backup = replaced.backup.map(|path| path.display().to_string());
            return Ok(report(change));
        }
        Err(Code::Busy.failure(format!(
            "{} keeps changing. Quit {} and try again.",
            file.path().display(),
            client.title()
        )))
    }

    /// Returns the difference in a form that may be shown.
    fn diff(
        &self,
        old: Option<&str>,
        entry: Option<&[(&'static str, Value)]>,
        started: Option<&ServerEntry>,
    ) -> Result<String, Failure> {
        let client = self.file.client();
        // The text was parsed for the edit, so parsing cannot fail now.
        let before = edit::existing(client, old.unwrap_or_default(), self.name).ok();
        let before = before.flatten();
        let after = entry.map(|entry| {
            let mut keys = before.clone().unwrap_or_default();
            let new = entry.iter().cloned();
            keys.extend(new.map(|(key, value)| (key.to_owned(), value)));
            keys
        });
        let shown_before = before.as_ref().and_then(ServerEntry::of_keys);
        let shown_before = shown_before.map(|server| server.showable(self.grammar).args);
        let shown = ShownEntry {
            client,
            name: self.name,
            path: &self.file.path().display().to_string(),
            is_file: old.is_some(),
        };
        let before = before.as_ref().map(|keys| (keys, shown_before.as_deref()));
        let after = after.as_ref();
        let after = after.map(|keys| (keys, started.map(|server| server.args.as_slice())));
        let diff = shown.diff(before, after);
        diff.map_err(|unusable| unwritable(&unusable))
    }
}

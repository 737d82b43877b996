//! The ledger of labels: the notes that contain outside text, and the agents that got some of it
//! (`design/labels.md`).
//!
//! It is one file in the folder of the vault's journal, `labels.json`, and is replaced as a whole under a
//! lock of its own. A change of notes is recorded before it is made: after a kill too many notes are
//! labelled, and never too few.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vault_engine::{Change, VaultPath, Version};

use super::journal::{Journal, LABELS};
use super::state_folder::{PATIENCE, StateFolder};
use crate::error::Collection;
use protocol::{
    Code, Failure,
    digest::{hexadecimal, sha256},
};
use settings::EVERY_AGENT;

/// The name of the file of the ledger.
const FILE: &str = "labels.json";
/// The name of the lock for replacing the ledger.
const LOCK: &str = "labels.lock";
/// The maximum number of bytes of a [`FILE`] that are read.
const MOST_JSON: u64 = 64 << 20;

/// The reason why a note is in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// It is in a folder of `taint.sources`. The ledger only knows its content, to find it elsewhere.
    Source,
    /// A call changed or moved it while it was labelled.
    Labelled,
    /// A call copied text of a labelled note into the note.
    Copied,
    /// An agent wrote it that had got text of a labelled note.
    Written,
    /// `vault:import` brought it in.
    Imported,
}

impl Why {
    /// Returns the reason in words, as the rest of a sentence that starts with "It".
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Source => "is in a folder of `taint.sources`",
            Self::Labelled => "had outside text when it was changed or moved",
            Self::Copied => "has text of a note with outside text",
            Self::Written => "was written by an agent that had read outside text",
            Self::Imported => "was imported",
        }
    }
}

/// The label of one note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLabel {
    /// Why the note has it.
    pub why: Why,
    /// The agent whose call it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The time at which the note got its label.
    pub at: Timestamp,
    /// The SHA-256 of its content at that time, in hexadecimal digits.
    pub sha256: String,
    /// The length of its content in bytes.
    pub size: u64,
    /// The modification time of the file, if it was looked up, to see at low cost that its content is the known one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<i64>,
    /// The SHA-256 of the content that the note had here before it was labelled, if it was here: with this content
    /// again, as after an undo, it has no label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<String>,
}

impl NoteLabel {
    /// Why, by whom and since when, as the rest of a sentence that starts with "It".
    pub fn in_words(&self) -> String {
        let by = self.agent.as_ref();
        let by = by.map_or_else(String::new, |agent| format!(" (agent `{agent}`)"));
        format!("{}{by}, {:.0}", self.why.in_words(), self.at)
    }
}

/// A label of an agent that got text of labelled notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentLabel {
    /// The time at which it got the first such text.
    pub since: Timestamp,
    /// The time at which it got the latest such text.
    pub latest: Timestamp,
    /// Number of times a person had cleared it before: a label from before a clearing is not valid.
    #[serde(default)]
    pub clearings: u64,
    /// The command of the call that labelled it.
    pub command: String,
    /// The labelled note, if the call named or listed one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The labels of one vault. Paths are as [`VaultPath`] writes them; the agent without a name is `""`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Labels {
    /// The labels of notes in the vault, by path.
    pub notes: BTreeMap<String, NoteLabel>,
    /// Notes in the drafts of agents, as the drafts have them.
    pub drafts: BTreeMap<String, BTreeMap<String, NoteLabel>>,
    /// The labels of agents, by their keys.
    pub agents: BTreeMap<String, AgentLabel>,
    /// Contents of labelled notes that were removed or moved, by a call or by another program: their SHA-256, and
    /// their length in bytes. A new file with such a content is labelled.
    pub contents: BTreeMap<String, u64>,
    /// Number of times a person cleared an agent, and under `*` all of them.
    pub cleared_agents: BTreeMap<String, u64>,
    /// Notes that a person cleared although a folder or a property labels them, with the SHA-256 of the
    /// cleared content.
    pub cleared: BTreeMap<String, String>,
    /// The secret of the harmless names, once one was shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names_key: Option<String>,
}

/// The changes of a call, and which of them are labelled.
pub struct LabelledChanges<'c> {
    /// The changes, in their order.
    pub changes: &'c [Change],
    /// Whether the note with this path and, if known, content is labelled now.
    pub is_labelled: &'c dyn Fn(&VaultPath, Option<&[u8]>) -> bool,
    /// Reason for the label of the text that the call writes, by path; `None` if it is not labelled.
    pub why: &'c dyn Fn(&VaultPath) -> Option<Why>,
    /// The name of the agent.
    pub agent: Option<&'c str>,
    /// The time of the call.
    pub at: Timestamp,
}

impl Labels {
    /// Returns the key of an agent in the ledger.
    pub fn key(agent: Option<&str>) -> String {
        agent.unwrap_or_default().to_owned()
    }

    /// Returns the label of a file or folder in the vault, if the ledger has one for its path or for a folder above it,
    /// whose name is a part of its path.
    pub fn label_of(&self, path: &VaultPath) -> Option<&NoteLabel> {
        nearest(&self.notes, path)
    }

    /// Returns the label of a note in the draft of an agent.
    pub fn of_draft(&self, agent: Option<&str>, path: &VaultPath) -> Option<&NoteLabel> {
        nearest(self.drafts.get(agent.unwrap_or_default())?, path)
    }

    /// Whether contents have to be compared.
    pub fn knows_contents(&self) -> bool {
        !self.notes.is_empty() || !self.contents.is_empty()
    }

    /// Whether a content of this length was labelled and is gone.
    pub fn has_content_of(&self, size: u64) -> bool {
        self.contents.values().any(|known| *known == size)
    }

    /// Returns the paths of labelled notes of this length, with their hashes.
    pub fn of_size(&self, size: u64) -> impl Iterator<Item = (&str, &NoteLabel)> {
        let notes = self
            .notes
            .iter()
            .filter(move |(_, label)| label.size == size);
        notes.map(|(path, label)| (path.as_str(), label))
    }

    /// Records what becomes of the labels of notes; in the draft of the agent instead of the vault if
    /// `in_draft`.
    pub fn record(&mut self, call: &LabelledChanges<'_>, in_draft: bool) {
        // In a draft the vault's own notes keep their labels, and the draft has the new labels.
        let mut ledger = if in_draft {
            Ledger {
                notes: self.drafts.entry(Self::key(call.agent)).or_default(),
                of_vault: None,
                call,
            }
        } else {
            Ledger {
                notes: &mut self.notes,
                of_vault: Some((&mut self.cleared, &mut self.contents)),
                call,
            }
        };
        let mut known: BTreeMap<&VaultPath, bool> = BTreeMap::new();
        for change in call.changes {
            match change {
                Change::Create { path, after } => {
                    let is_back = !after.is_empty() && ledger.knows_content(&sha256(after));
                    let why = is_back
                        .then_some(Why::Labelled)
                        .or_else(|| (call.why)(path));
                    // Another program may have moved the file that was here.
                    ledger.remember(path.as_str());
                    ledger.write(path, after, why);
                    known.insert(path, why.is_some());
                }
                Change::Modify {
                    path,
                    before,
                    after,
                } => {
                    let was = known.get(path).copied();
                    let was = was.unwrap_or_else(|| (call.is_labelled)(path, Some(before)));
                    let hash = sha256(after);
                    let is_clean_again = ledger.clean(path).is_some_and(|clean| *clean == hash);
                    let why = if was && is_clean_again {
                        // A redo makes this content again.
                        ledger.remember(path.as_str());
                        None
                    } else {
                        let is_back = !after.is_empty() && ledger.knows_content(&hash);
                        let labelled = (was || is_back).then_some(Why::Labelled);
                        labelled.or_else(|| (call.why)(path))
                    };
                    ledger.write(path, after, why);
                    if !was && let Some(label) = ledger.notes.get_mut(path.as_str()) {
                        label.clean = Some(sha256(before));
                    }
                    known.insert(path, why.is_some());
                }
                Change::Move { from, to, version } => {
                    let was = known.remove(from);
                    // Out of the trash by its content.
                    let hash = hexadecimal(&version.sha256);
                    let was = was.unwrap_or_else(|| {
                        (call.is_labelled)(from, None)
                            || from.is_hidden() && ledger.knows_content(&hash)
                    });
                    let why = was.then_some(Why::Labelled).or_else(|| (call.why)(to));
                    ledger.leave(from, version, was);
                    ledger.remember(to.as_str());
                    ledger.put(to, (hash, version.size), why);
                    known.insert(to, why.is_some());
                }
                Change::Remove { path, version } => {
                    let was = known.remove(path);
                    let was = was.unwrap_or_else(|| (call.is_labelled)(path, None));
                    ledger.leave(path, version, was);
                }
                // A name is text too.
                Change::MakeFolder { path } => {
                    if let Some(why) = (call.why)(path) {
                        ledger.put(path, (String::new(), 0), Some(why));
                    }
                }
                Change::RemoveFolder { path } => drop(ledger.notes.remove(path.as_str())),
            }
        }
    }

    /// Forgets the labels of notes that are not in the draft of this agent any more. `left` are the notes still in
    /// it.
    pub fn keep_drafted(&mut self, agent: Option<&str>, left: &BTreeSet<&VaultPath>) {
        let key = Self::key(agent);
        if let Some(draft) = self.drafts.get_mut(&key) {
            draft.retain(|path, _| left.iter().any(|left| left.as_str() == path));
            if draft.is_empty() {
                self.drafts.remove(&key);
            }
        }
    }

    /// Number of times a person has cleared the agent.
    pub fn clearings(&self, agent: Option<&str>) -> u64 {
        let keys = [agent.unwrap_or_default(), EVERY_AGENT];
        let counts = keys
            .into_iter()
            .filter_map(|key| self.cleared_agents.get(key));
        counts.sum()
    }

    /// Clears the label of an agent; under `*` of all of them.
    pub fn clear_agent(&mut self, agent: &str) {
        self.agents.remove(agent);
        *self.cleared_agents.entry(agent.to_owned()).or_default() += 1;
    }

    /// Clears the label of a note with this content. `by_rule` says whether a folder or a property labels it.
    pub fn clear(&mut self, path: &VaultPath, content: &[u8], by_rule: bool) {
        self.notes.remove(path.as_str());
        let hash = sha256(content);
        // It may be labelled because of the path that it had before.
        self.contents.remove(&hash);
        if by_rule {
            self.cleared.insert(path.to_string(), hash);
        }
    }

    /// Gives an agent the label of another one, unless it has a later label.
    fn copy_agent(&mut self, from: &str, to: &str) {
        let clearings = self.clearings(Some(from));
        let label = self.agents.get(from);
        let Some(label) = label.filter(|label| label.clearings == clearings) else {
            return;
        };
        let label = AgentLabel {
            clearings: self.clearings(Some(to)),
            ..label.clone()
        };
        let own = self.agents.get(to);
        let is_later =
            |own: &AgentLabel| own.clearings == label.clearings && own.latest > label.latest;
        if !own.is_some_and(is_later) {
            self.agents.insert(to.to_owned(), label);
        }
    }
}

/// Returns the label of the path, or of the nearest folder above it that has one.
fn nearest<'l>(notes: &'l BTreeMap<String, NoteLabel>, path: &VaultPath) -> Option<&'l NoteLabel> {
    if notes.is_empty() {
        return None;
    }
    let count = path.components().count();
    let mut places = (1..=count).rev().map(|length| path.beginning(length));
    let holds = |label: &&NoteLabel| label.why != Why::Source;
    places.find_map(|place| notes.get(place.as_str()).filter(holds))
}

/// The notes that a person cleared, and the contents that are gone.
type OfVault<'l> = (
    &'l mut BTreeMap<String, String>,
    &'l mut BTreeMap<String, u64>,
);

/// The notes of the vault or of a draft while a call is recorded.
struct Ledger<'l, 'c> {
    notes: &'l mut BTreeMap<String, NoteLabel>,
    /// Data that only the vault has.
    of_vault: Option<OfVault<'l>>,
    call: &'l LabelledChanges<'c>,
}

impl Ledger<'_, '_> {
    /// Whether a note with this content was labelled and is gone.
    fn knows_content(&self, hash: &str) -> bool {
        let of_vault = self.of_vault.as_ref();
        of_vault.is_some_and(|(_, contents)| contents.contains_key(hash))
    }

    /// Returns the hash of the content that the note with this label had before.
    fn clean(&self, path: &VaultPath) -> Option<&String> {
        self.notes.get(path.as_str())?.clean.as_ref()
    }

    /// A note has this content now.
    fn write(&mut self, path: &VaultPath, content: &[u8], why: Option<Why>) {
        let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
        self.put(path, (sha256(content), size), why);
    }

    fn put(&mut self, path: &VaultPath, (sha256, size): (String, u64), why: Option<Why>) {
        if path.is_hidden() {
            return;
        }
        let key = path.to_string();
        if let Some((cleared, _)) = &mut self.of_vault {
            match (cleared.get_mut(&key), why) {
                // The note stays clear: its text still comes from people and agents without a label.
                (Some(known), None) => known.clone_from(&sha256),
                (Some(_), Some(_)) => drop(cleared.remove(&key)),
                (None, _) => {}
            }
        }
        let known = self.notes.remove(&key);
        let Some(why) = why else { return };
        // The first reason is more specific than that it was labelled before.
        let first = known.filter(|label| why == Why::Labelled && label.why != Why::Source);
        let (why, agent, at, clean) = match first {
            Some(label) => (label.why, label.agent, label.at, label.clean),
            None => (why, self.call.agent.map(str::to_owned), self.call.at, None),
        };
        let label = NoteLabel {
            why,
            agent,
            at,
            sha256,
            size,
            modified: None,
            clean,
        };
        self.notes.insert(key, label);
    }

    /// Remembers the hash that the ledger has for this path, so that its content is recognised at any path.
    fn remember(&mut self, key: &str) {
        if let Some((_, contents)) = &mut self.of_vault
            && let Some(known) = self.notes.get(key).filter(|known| known.size > 0)
        {
            contents.insert(known.sha256.clone(), known.size);
        }
    }

    /// The note is not at this path any more.
    fn leave(&mut self, path: &VaultPath, version: &Version, was_labelled: bool) {
        let key = path.to_string();
        self.remember(&key);
        self.notes.remove(&key);
        if let Some((cleared, contents)) = &mut self.of_vault {
            cleared.remove(&key);
            if was_labelled && version.size > 0 {
                contents.insert(hexadecimal(&version.sha256), version.size);
            }
        }
    }
}

/// Gives an agent the label of another one in all vaults: it is the same agent under a new name. The agent without a
/// name is `""`.
///
/// # Errors
///
/// As [`Journal::change_labels`].
pub fn copy_agent(state: &Path, from: &str, to: &str) -> Result<(), Failure> {
    let Ok(journals) = fs_err::read_dir(state.join("journal")) else {
        return Ok(());
    };
    for journal in journals.flatten() {
        let name = journal.file_name();
        let place = ["journal", &*name.to_string_lossy(), LABELS];
        let folder = StateFolder::new(Collection::Labels, state.to_owned(), &place, None);
        if folder.state_of(FILE).is_some() {
            changed_in(&folder, |labels| labels.copy_agent(from, to))?;
        }
    }
    Ok(())
}

/// Length and time of the file of the ledger.
pub type LabelsStamp = (u64, SystemTime);

impl Journal {
    /// Returns the stamp of the ledger; `None` if nothing was ever labelled.
    pub fn labels_stamp(&self) -> Option<LabelsStamp> {
        self.labels_folder().state_of(FILE)
    }

    /// Returns the labels of the vault.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the file cannot be read or is damaged. It is never taken for an empty one.
    pub fn labels(&self) -> Result<Labels, Failure> {
        read(&self.labels_folder())
    }

    /// Changes the labels. When this returns, the change is durable.
    ///
    /// # Errors
    ///
    /// As [`Self::labels`]; `LOCK_TIMEOUT` if another process holds the lock for five seconds; `IO_ERROR` if
    /// the file cannot be written.
    pub fn change_labels<T>(&self, change: impl FnOnce(&mut Labels) -> T) -> Result<T, Failure> {
        changed_in(&self.labels_folder(), change)
    }
}

fn read(folder: &StateFolder) -> Result<Labels, Failure> {
    let Some(bytes) = folder.read(FILE, MOST_JSON)? else {
        return Ok(Labels::default());
    };
    serde_json::from_slice(&bytes).map_err(|_| {
        Code::IoError.failure(
            "The list of notes with outside text (`labels.json` in the folder `journal` of the state folder) \
            is damaged, or another version of vault-gw wrote it.",
        )
        .hint("Ask the owner of the vault to move the file away. The settings `taint.sources` and `taint.properties` then still apply.")
        .with("reason", "labels")
    })
}

fn changed_in<T>(
    folder: &StateFolder,
    change: impl FnOnce(&mut Labels) -> T,
) -> Result<T, Failure> {
    folder.create()?;
    let _lock = folder.lock(LOCK, PATIENCE)?;
    let mut labels = read(folder)?;
    let before = labels.clone();
    let result = change(&mut labels);
    if labels != before {
        folder.replace_json(FILE, &labels)?;
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that gets a name of its own, or another one, stays restricted, and a restriction is never shortened.
    #[test]
    fn the_label_of_an_agent_goes_with_it_to_another_name() {
        let label = |day: u8, clearings: u64| {
            let at: Timestamp = format!("2026-03-{day:02}T08:00:00Z").parse().unwrap();
            AgentLabel {
                since: at,
                latest: at,
                clearings,
                command: "read".to_owned(),
                note: None,
            }
        };
        let days = |labels: &Labels| {
            let is_valid = |agent: &str, label: &AgentLabel| {
                let is_open = label.clearings == labels.clearings(Some(agent));
                if is_open { "" } else { " (cleared)" }
            };
            let agents = labels.agents.iter();
            agents
                .map(|(agent, label)| {
                    format!("{agent}={:.0}{}", label.latest, is_valid(agent, label))
                })
                .collect::<Vec<_>>()
        };
        let mut labels = Labels::default();
        labels.copy_agent("", "cursor");
        assert_eq!(days(&labels), [""; 0]);
        labels.agents.insert(String::new(), label(14, 0));
        labels.copy_agent("", "cursor");
        labels.clear_agent("codex");
        labels.copy_agent("", "codex");
        labels.agents.insert("zed".to_owned(), label(20, 0));
        labels.copy_agent("", "zed");
        labels.copy_agent("", "");
        labels.agents.insert("vscode".to_owned(), label(1, 0));
        labels.copy_agent("", "vscode");
        assert_eq!(
            days(&labels),
            [
                "=2026-03-14T08:00:00Z",
                "codex=2026-03-14T08:00:00Z",
                "cursor=2026-03-14T08:00:00Z",
                "vscode=2026-03-14T08:00:00Z",
                "zed=2026-03-20T08:00:00Z",
            ]
        );
        // A label that a person has cleared is not copied.
        labels.clear_agent("cursor");
        labels.agents.insert("cursor".to_owned(), label(25, 0));
        labels.copy_agent("cursor", "other");
        assert!(!labels.agents.contains_key("other"));
    }
}

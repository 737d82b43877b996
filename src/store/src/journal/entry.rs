//! The entry of one run in the journal.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;
use vault_engine::{Editor, State, Vault, VaultPath, Version};

use super::disk_name::DiskName;
use super::enclosed::Enclosed;
use super::origin::RunOrigin;
use super::state_form::{Passing, StateForm, optional_state};
use allowlist::BackendName;
use protocol::digest::{from_hexadecimal, hexadecimal};

/// The version of the file format. An entry of another version is skipped with a warning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The changes of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JournalEntry {
    /// The version of the file format: `SCHEMA_VERSION`.
    pub schema_version: u32,
    /// The vault's key, so that an entry copied from another vault is not used.
    pub vault: String,
    /// The id of the run, as in its envelope.
    pub run_id: Uuid,
    /// The command's id, such as `append`; `undo` or `redo` for those runs.
    pub command: String,
    /// Its parameters, sensitive values redacted.
    pub params: Map<String, Value>,
    /// The backend that made the change.
    pub backend: BackendName,
    /// The start of the run, RFC 3339 in UTC.
    pub started_at: String,
    /// The end of the run, RFC 3339 in UTC; `None` while it runs or if it was killed. An entry that
    /// is named as ended and has no time ended as planned, and counts as ended when it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Whether the run's end is unknown, so that recovery took the state it found as the result.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The run that this one undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<Uuid>,
    /// The change that this run repeats, by undoing its undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redoes: Option<Uuid>,
    /// Every path that the run plans to touch, in the order of the plan.
    pub files: Vec<TouchedPath>,
    /// Further paths that changed. Their content before is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unplanned: Vec<VaultPath>,
    /// The files that a rollback of this run replaces, recorded before it begins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) taking_back: Vec<ReplacedPath>,
    /// Owner of the run, whether it lost content, and how it was approved.
    #[serde(default)]
    pub origin: RunOrigin,
    /// Contents stored in the entry's file.
    #[serde(default, skip_serializing_if = "Enclosed::is_empty")]
    pub(super) enclosed: Enclosed,
}

/// A file whose content a change replaces, and the number of that change, which is part of the name
/// of its temporary file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplacedPath {
    pub(super) path: VaultPath,
    pub(super) change: usize,
}

/// The state of a path before and after a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TouchedPath {
    /// The path, relative to the vault.
    pub path: VaultPath,
    /// The state before the run.
    #[serde(with = "StateForm")]
    pub before: State,
    /// The state after the run; for an open entry the planned one, `None` if that is unknown.
    #[serde(with = "optional_state")]
    pub after: Option<State>,
    /// States in between, if the run takes several steps at this path. A killed run may have left
    /// one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) between: Vec<Passing>,
    /// The previous path of the file, if the run moves it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<VaultPath>,
    /// The name on the disk before the run, if the run removes or moves the file and the name is
    /// spelled differently from the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<DiskName>,
    /// The number of the change that writes, moves or removes the file, which is part of the name of its temporary
    /// file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) replaced_by: Option<usize>,
}

/// The kind of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// A command that changed something.
    Change,
    /// An undo of a change.
    Undo,
    /// A redo of an undone change.
    Redo,
}

impl JournalEntry {
    /// Whether the run was a change, an undo or a redo.
    pub fn kind(&self) -> RunKind {
        match (self.undoes, self.redoes) {
            (_, Some(_)) => RunKind::Redo,
            (Some(_), None) => RunKind::Undo,
            (None, None) => RunKind::Change,
        }
    }

    /// Returns the run id of the change that the run made, undid or repeated.
    pub fn change(&self) -> Uuid {
        self.redoes.or(self.undoes).unwrap_or(self.run_id)
    }

    /// Whether the run has ended and was not rolled back. An interrupted run of the app is never
    /// rolled back.
    pub(super) fn took_effect(&self) -> bool {
        let is_rolled_back = self.interrupted && self.backend == BackendName::Embedded;
        self.finished_at.is_some() && !is_rolled_back
    }

    /// Records the state of each path after a run, unless it is known: the engine makes exactly the
    /// planned changes.
    ///
    /// If the app wrote anything but the plan, the run counts as one that lost content.
    pub(super) fn found(&mut self, vault: &Vault, is_verified: bool) {
        let is_engine = self.backend == BackendName::Embedded;
        let mut is_as_planned = true;
        for file in &mut self.files {
            let planned = file.after;
            if !(is_engine && planned.is_some()) {
                // The gateway never creates symlinks or special files, so such a path has no known
                // state.
                file.found(Editor(vault).state_at(&file.path).ok(), is_verified);
                is_as_planned &= !file.is_changed()
                    || planned
                        .zip(file.after)
                        .is_some_and(|(planned, after)| is_same_content(&planned, &after));
            }
        }
        if !is_as_planned {
            let changed = self.files.iter().filter(|file| file.is_changed());
            let mut before = changed.filter_map(|file| file.before.version());
            self.origin.loses_content = before.any(|version| version.size > 0);
        }
    }

    /// Returns the bytes of its file: a line with JSON, a tab and the SHA-256 of that JSON, then the contents. The hash
    /// is there because a damaged path or state may still be well-formed JSON.
    pub(super) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut file = serde_json::to_vec(self)?;
        let sha256 = hexadecimal(&Version::from_bytes(&file).sha256);
        file.push(b'\t');
        file.extend_from_slice(sha256.as_bytes());
        file.push(b'\n');
        self.enclosed.write_to(&mut file);
        Ok(file)
    }

    /// Parses the bytes of its file.
    pub(super) fn from_bytes(file: &[u8]) -> Result<Self, NoEntry> {
        match Self::read(file)? {
            (entry, true) => Ok(entry),
            (_, false) => Err(NoEntry::CutOff),
        }
    }

    /// Like [`Self::from_bytes`], for a file with a whole line and missing or damaged contents.
    pub(super) fn from_damaged_bytes(file: &[u8]) -> Result<Self, NoEntry> {
        Self::read(file).map(|(entry, _)| entry)
    }

    /// Returns the entry with the contents that are complete, and whether its file has exactly these.
    fn read(file: &[u8]) -> Result<(Self, bool), NoEntry> {
        // The first line with its line feed, and the rest.
        let end = file.iter().position(|byte| *byte == b'\n');
        let (line, rest) = file.split_at(end.map_or(file.len(), |end| end + 1));
        let mut entry = Self::from_line(line)?;
        let is_whole = entry.enclosed.read_from(rest);
        Ok((entry, is_whole))
    }

    /// Parses the first line of its file, which is everything but the contents.
    ///
    /// Entries of builds before the hash are read without it.
    pub(super) fn from_line(line: &[u8]) -> Result<Self, NoEntry> {
        let line = line.strip_suffix(b"\n").ok_or(NoEntry::CutOff)?;
        // JSON has no tab of its own: one in a text is escaped.
        let json = match line.iter().position(|byte| *byte == b'\t') {
            Some(tab) => {
                let (json, sha256) = line.split_at(tab);
                let stated = std::str::from_utf8(&sha256[1..])
                    .ok()
                    .and_then(from_hexadecimal);
                if stated != Some(Version::from_bytes(json).sha256) {
                    return Err(NoEntry::Altered);
                }
                json
            }
            None => line,
        };
        serde_json::from_slice(json).map_err(|_| NoEntry::Foreign)
    }
}

/// Reads bytes as a journal entry, for fuzzing: an entry that can be read must be the same after
/// writing and reading it again.
///
/// # Panics
///
/// If it is not.
#[cfg(any(test, fuzzing))]
#[expect(clippy::expect_used, reason = "a property for tests and fuzzing")]
pub fn check_entry_round_trip(bytes: &[u8]) {
    for read in [
        JournalEntry::from_bytes(bytes),
        JournalEntry::from_damaged_bytes(bytes),
    ] {
        let Ok(entry) = read else {
            continue;
        };
        let written = entry
            .to_bytes()
            .expect("an entry that was read can be written");
        let again =
            JournalEntry::from_bytes(&written).expect("an entry that was written can be read");
        let rewritten = again.to_bytes().expect("and written again");
        assert_eq!(written, rewritten);
    }
}

/// Reason why bytes are not an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoEntry {
    /// They end too early, or continue after the end.
    CutOff,
    /// They are not of this format.
    Foreign,
    /// They contain a hash that does not match.
    Altered,
}

impl TouchedPath {
    /// A path whose state afterwards is not known yet.
    pub(super) fn new(path: VaultPath, before: State) -> Self {
        Self {
            path,
            before,
            after: None,
            between: Vec::new(),
            moved_from: None,
            name: None,
            replaced_by: None,
        }
    }

    /// Records the state after a run of the official program.
    ///
    /// Unless the run is verified, another program may have written here during the run. Then only
    /// the planned state and the state before the run are certainly not another program's edit, and
    /// `undo` overwrites only these.
    pub(super) fn found(&mut self, state: Option<State>, is_verified: bool) {
        let (before, planned) = (self.before, self.after);
        self.after = state.filter(|state| {
            let is = |known: &State| is_same_content(known, state);
            is_verified || is(&before) || planned.as_ref().is_some_and(is)
        });
    }

    /// Whether the run has this state at the path, as an intermediate state or as the state after it.
    pub(super) fn leads_to(&self, state: &State) -> bool {
        let passing = self.between.iter().map(|passing| &passing.0);
        passing
            .chain(self.after.as_ref())
            .any(|known| is_same_content(known, state))
    }

    /// Whether the run changed this path, as far as is known.
    pub fn is_changed(&self) -> bool {
        self.after
            .is_none_or(|after| !is_same_content(&after, &self.before))
    }

    /// Returns the change of the path as a word for answers, such as `created`, `modified` or
    /// `removed`.
    pub fn change(&self) -> &'static str {
        match (self.before, self.after) {
            (State::Absent, Some(State::File { .. })) => "created",
            (State::Absent, Some(State::Folder)) => "folder-created",
            (State::Folder, Some(State::Absent)) => "folder-removed",
            (State::File { .. }, Some(State::Absent)) => "removed",
            (_, None) => "unknown",
            (before, Some(after)) if is_same_content(&before, &after) => "unchanged",
            _ => "modified",
        }
    }
}

/// Whether both have the same content. Permissions are ignored: they may be changed by hand in
/// between and are not part of a change.
pub(super) fn is_same_content(one: &State, other: &State) -> bool {
    match (one, other) {
        (State::Absent, State::Absent) | (State::Folder, State::Folder) => true,
        (State::File { .. }, State::File { .. }) => one.version() == other.version(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Owner;

    proptest::proptest! {
        #[test]
        fn any_bytes_are_an_entry_or_none(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64),
        ) {
            check_entry_round_trip(&bytes);
            let mut object = b"{\"files\":[".to_vec();
            object.extend_from_slice(&bytes);
            object.extend_from_slice(b"]}\n");
            check_entry_round_trip(&object);
        }
    }

    #[test]
    fn an_entry_is_read_back_as_it_was_written_and_nothing_else_is_one() {
        let path = |text| VaultPath::file(text).unwrap();
        let file = |sha256| State::File {
            sha256,
            size: 3,
            mode: 0o640,
        };
        let entry = JournalEntry {
            schema_version: SCHEMA_VERSION,
            vault: "ab".to_owned(),
            run_id: Uuid::from_u128(1),
            command: "append".to_owned(),
            params: Map::new(),
            backend: BackendName::Obsidian,
            started_at: "2026-03-14T09:26:53Z".to_owned(),
            finished_at: None,
            interrupted: true,
            undoes: Some(Uuid::from_u128(2)),
            redoes: Some(Uuid::from_u128(3)),
            files: vec![
                TouchedPath {
                    after: Some(file([1; 32])),
                    between: vec![Passing(file([3; 32]))],
                    moved_from: Some(path("b.md")),
                    replaced_by: Some(1),
                    ..TouchedPath::new(path("a/é.md"), State::Absent)
                },
                TouchedPath::new(path(".trash/b"), file([2; 32])),
                TouchedPath {
                    after: Some(State::Absent),
                    ..TouchedPath::new(path("c"), State::Folder)
                },
            ],
            unplanned: vec![path("x.md")],
            taking_back: vec![ReplacedPath {
                path: path("y.md"),
                change: 3,
            }],
            origin: RunOrigin {
                owner: Owner::Named("helper".to_owned()),
                client: Some("MyAgent 1".to_owned()),
                loses_content: true,
                by_person: false,
                approved_by: Some(tiers::ApprovalChannel::Dialog),
            },
            enclosed: Enclosed::default(),
        };
        let text = serde_json::to_string(&entry).unwrap();
        assert_eq!(serde_json::from_str::<JournalEntry>(&text).unwrap(), entry);
        assert!(text.contains(r#""before":"absent","after":{"file":{"sha256":"0101"#));
        for (one, other) in [
            ("a/é.md", "../é.md"),
            ("\"0101", "\"01zz"),
            ("\"command\"", "\"comand\""),
        ] {
            let foreign = text.replacen(one, other, 1);
            assert!(
                serde_json::from_str::<JournalEntry>(&foreign).is_err(),
                "{foreign}"
            );
        }
    }

    #[test]
    fn permissions_do_not_make_another_content() {
        let file = |byte: u8, mode| State::File {
            sha256: [byte; 32],
            size: 1,
            mode,
        };
        assert!(is_same_content(&file(1, 0o600), &file(1, 0o644)));
        assert!(!is_same_content(&file(1, 0o600), &file(2, 0o600)));
        assert!(!is_same_content(&State::Absent, &State::Folder));
    }
}

//! Opening and closing the journal entry of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use jiff::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;
use vault_engine::{Change, Editor, State, Vault, VaultPath, Version};

use super::disk_name::DiskName;
use super::enclosed::Enclosed;
use super::entry::{JournalEntry, SCHEMA_VERSION, TouchedPath, is_same_content};
use super::journal_folder::Journal;
use super::list::entries_among;
use super::lock::VaultLock;
use super::name::{EntryName, Stage};
use super::origin::RunOrigin;
use super::prune::Incoming;
use super::state_form::Passing;
use super::{blobs, packed};
use allowlist::BackendName;
use backend::engine_failure;
use protocol::{Code, Failure, message};

/// The description of a run that is about to change the vault.
#[derive(Clone, Debug)]
pub struct NewEntry<'a> {
    /// The id of the run, not in the journal yet. [`Editor::apply`] gets it too, for temporary file
    /// names.
    pub run_id: Uuid,
    /// The command's id, such as `append`.
    pub command: &'a str,
    /// Its parameters, sensitive values redacted.
    pub params: Map<String, Value>,
    /// The backend that will make the change.
    pub backend: BackendName,
    /// The start of the run.
    pub now: Timestamp,
    /// The run that this one undoes.
    pub undoes: Option<Uuid>,
    /// The change that this one does again.
    pub redoes: Option<Uuid>,
    /// Owner of the run, and how it was approved.
    pub origin: RunOrigin,
    /// The paths that it will touch.
    pub planned: PlannedRun<'a>,
}

/// The paths that a run will touch.
#[derive(Clone, Copy, Debug)]
pub enum PlannedRun<'a> {
    /// The known changes, in this order. If the app makes them, the folder is read afterwards.
    Changes(&'a [Change]),
    /// The paths, if the changes to them are not known.
    Paths(&'a [VaultPath]),
}

/// The result of a run of the app. The embedded engine makes exactly the planned changes, or none.
#[derive(Clone, Copy, Debug)]
pub struct RunEnd<'a> {
    /// Paths that changed without being planned.
    pub further: &'a [VaultPath],
    /// Whether the vault contains the requested result, so that the content is known to be this
    /// run's.
    pub is_verified: bool,
    /// Folders that were to be removed and are in use.
    pub kept: &'a [VaultPath],
}

impl RunEnd<'_> {
    /// Exactly the planned paths changed, and they contain the requested result.
    pub const AS_REQUESTED: Self = Self {
        further: &[],
        is_verified: true,
        kept: &[],
    };
}

/// A run whose entry is on the disk. If it is dropped without `finish` or `abandon`, it counts as
/// interrupted, as after a kill, and the next [`VaultLock::recover`] handles it.
#[must_use = "a run is finished or abandoned"]
pub struct OpenEntry<'lock> {
    lock: &'lock VaultLock,
    name: EntryName,
    entry: JournalEntry,
}

impl VaultLock {
    /// Write-ahead: records what a run will change, with the contents that it would destroy. When this
    /// returns, both are durable and the vault may be changed.
    ///
    /// # Errors
    ///
    /// `PRECONDITION_FAILED` if a file differs from what the changes were planned from,
    /// `TOO_LARGE_TO_UNDO` if a file is too large to keep, `JOURNAL_FULL` if an agent's quota is,
    /// `IO_ERROR` if the journal cannot be written, `USAGE_ERROR` if the journal already has the run
    /// id. The vault must not be changed then.
    pub fn begin(&self, vault: &Vault, new: NewEntry<'_>) -> Result<OpenEntry<'_>, Failure> {
        self.begin_while(vault, new, || Ok(()))
    }

    /// Begins an entry like [`Self::begin`], and runs `meanwhile` while the disk writes the entry.
    ///
    /// # Errors
    ///
    /// As [`Self::begin`], and those of `meanwhile`; the entry is then removed.
    pub fn begin_while(
        &self,
        vault: &Vault,
        new: NewEntry<'_>,
        meanwhile: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<OpenEntry<'_>, Failure> {
        let mut files = match new.planned {
            PlannedRun::Changes(changes) => touched_by_changes(vault, changes)?,
            PlannedRun::Paths(paths) => touched_at(vault, paths)?,
        };
        note_names(vault, &mut files)?;
        let journal = &self.journal;
        let names = journal.names()?;
        let open = journal.open_entries()?;
        let entries = entries_among(&names, &open);
        if entries.iter().any(|name| name.run == new.run_id) {
            return Err(Code::UsageError
                .failure("The undo history already has a run with this id.")
                .hint(message!("Pass {runId} with another id, or omit {runId}."))
                .with("runId", new.run_id.to_string()));
        }
        let lost = lost(&files);
        let in_hand = in_hand(new.planned);
        let origin = RunOrigin {
            loses_content: removes_bytes(&lost, &in_hand),
            ..new.origin
        };
        let kept = if new.backend == BackendName::Obsidian {
            with_moved(lost, &files, journal.limits.max_file_bytes)
        } else {
            lost
        };
        // Make room before the new contents are stored: this may refuse the run, and a refused run must
        // leave nothing behind.
        let incoming = Incoming {
            origin: &origin,
            // Before compression, so an upper bound.
            bytes: kept
                .iter()
                .map(|(_, version)| version.size)
                .fold(0, u64::saturating_add),
        };
        self.prune(&names, &open, new.now, &incoming)?;
        // Contents before the entry: an entry on the disk promises that its contents are there too.
        let enclosed = self.keep_contents(vault, &kept, &in_hand)?;
        tracing::debug!(files = files.len(), "journal entry begins");
        let now = u64::try_from(new.now.as_millisecond()).unwrap_or_default();
        let name = EntryName {
            // Monotonic even if the clock is set back: "the newest run" is decided by this number.
            order: entries
                .first()
                .map_or(now, |newest| now.max(newest.order + 1)),
            run: new.run_id,
            stage: Stage::New,
        };
        let entry = JournalEntry {
            schema_version: SCHEMA_VERSION,
            vault: journal.key.clone(),
            run_id: new.run_id,
            command: new.command.to_owned(),
            params: new.params,
            backend: new.backend,
            started_at: new.now.to_string(),
            finished_at: None,
            interrupted: false,
            undoes: new.undoes,
            redoes: new.redoes,
            files,
            unplanned: Vec::new(),
            taking_back: Vec::new(),
            origin,
            enclosed,
        };
        let name = self.announce(name, &entry, meanwhile)?;
        Ok(OpenEntry {
            lock: self,
            name,
            entry,
        })
    }

    /// Writes a new entry in two steps: synced under its `.new` name, then renamed to `.open`. An
    /// incomplete `.new` entry is thus a crash while writing, before the run began; an incomplete
    /// `.open` entry was damaged later (`threats.toml` H11).
    ///
    /// The rename is not synced, which saves one wait for the disk. After a power failure the entry
    /// may have its `.new` name again, but complete; recovery then checks the vault's files.
    fn announce(
        &self,
        name: EntryName,
        entry: &JournalEntry,
        meanwhile: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<EntryName, Failure> {
        let text = entry
            .to_bytes()
            .map_err(|error| self.journal.folder.unwritable(error))?;
        let folder = &self.journal.open;
        let done = folder.write_new(&name.to_string(), &text, meanwhile)?;
        if let Err(failure) = done {
            self.drop_entry(name)?;
            return Err(failure);
        }
        let open = name.with_stage(Stage::Open);
        folder.rename(&name.to_string(), &open.to_string())?;
        Ok(open)
    }

    /// Stores contents of files as they are before the run.
    fn keep_contents(
        &self,
        vault: &Vault,
        kept: &[(&TouchedPath, Version)],
        in_hand: &InHand<'_>,
    ) -> Result<Enclosed, Failure> {
        let limit = self.journal.limits.max_file_bytes;
        let mut enclosed = Enclosed::default();
        for (file, version) in kept {
            if version.size > limit {
                return Err(too_large(&file.path, version.size, limit));
            }
            let read;
            let bytes = if let Some((Some(bytes), _)) = in_hand.get(&file.path) {
                bytes
            } else {
                read = read_file(vault, &file.path, version.size)?;
                read.as_slice()
            };
            // The file changed between plan and journal. With the wrong content kept, an undo
            // would restore a text that this run never replaced.
            if Version::from_bytes(bytes) != *version {
                return Err(changed(&file.path));
            }
            self.keep(&mut enclosed, version, bytes)?;
        }
        Ok(enclosed)
    }

    /// Stores one content, in the entry or in a file of its own.
    pub(super) fn keep(
        &self,
        enclosed: &mut Enclosed,
        version: &Version,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        enclosed
            .take(version, packed::pack(bytes))
            .or_else(|packed| blobs::keep(&self.journal.folder, version, &packed))
            .map_err(Failure::from)
    }

    /// Writes an entry atomically.
    pub(super) fn write_entry(&self, name: EntryName, entry: &JournalEntry) -> Result<(), Failure> {
        let text = entry
            .to_bytes()
            .map_err(|error| self.journal.folder.unwritable(error))?;
        let place = self.journal.place_of(name);
        Ok(place.write(&name.to_string(), &text)?)
    }

    /// Writes the final form of an open entry and marks it as ended.
    ///
    /// The rename is not synced. If a power failure undoes it, the entry is open again and recovery
    /// reaches the same result.
    pub(super) fn end_entry(&self, name: EntryName, entry: &JournalEntry) -> Result<(), Failure> {
        self.write_entry(name, entry)?;
        self.call_ended(name)
    }

    /// Renames an open entry to its ended name.
    fn call_ended(&self, name: EntryName) -> Result<(), Failure> {
        let Journal { open, folder, .. } = &self.journal;
        let ended = name.with_stage(Stage::Ended).to_string();
        Ok(open.rename_into(&name.to_string(), folder, &ended)?)
    }

    /// Removes the entry of a run that changed nothing.
    pub(super) fn drop_entry(&self, name: EntryName) -> Result<(), Failure> {
        Ok(self.journal.place_of(name).remove(&name.to_string())?)
    }
}

impl OpenEntry<'_> {
    /// Closes the entry with the state of each path after the run. For the embedded engine these are
    /// the planned states; for the app they are read from the folder, including the `further` paths
    /// that changed beyond the plan.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the entry cannot be written. The change itself is done, and the next recovery
    /// closes the entry.
    pub fn finish(
        mut self,
        vault: &Vault,
        now: Timestamp,
        ended: RunEnd<'_>,
    ) -> Result<JournalEntry, Failure> {
        let RunEnd {
            further,
            is_verified,
            kept,
        } = ended;
        for file in &mut self.entry.files {
            if kept.contains(&file.path) {
                file.after = Some(file.before);
            }
        }
        let planned_is_done = self.entry.backend == BackendName::Embedded;
        let knows_all = self.entry.files.iter().all(|file| file.after.is_some());
        if planned_is_done && knows_all && further.is_empty() && kept.is_empty() {
            self.entry.finished_at = Some(self.entry.started_at.clone());
            self.lock.call_ended(self.name)?;
            return Ok(self.entry);
        }
        self.entry.found(vault, is_verified);
        for path in further {
            if self.entry.files.iter().all(|file| file.path != *path) {
                self.entry.unplanned.push(path.clone());
            }
        }
        self.entry.finished_at = Some(now.to_string());
        self.lock.end_entry(self.name, &self.entry)?;
        Ok(self.entry)
    }

    /// Removes the entry of a run that changed nothing.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the entry cannot be removed.
    pub fn abandon(self) -> Result<(), Failure> {
        self.lock.drop_entry(self.name)?;
        Ok(())
    }

    /// Returns the entry as written by [`VaultLock::begin`].
    pub fn entry(&self) -> &JournalEntry {
        &self.entry
    }
}

/// Returns the paths that changes touch.
fn touched_by_changes(vault: &Vault, changes: &[Change]) -> Result<Vec<TouchedPath>, Failure> {
    let touched = Editor(vault).touched(changes).map_err(engine_failure)?;
    let mut files: BTreeMap<VaultPath, TouchedPath> = touched
        .into_iter()
        .map(|touched| {
            let file = TouchedPath {
                after: Some(touched.after),
                ..TouchedPath::new(touched.path.clone(), touched.before)
            };
            (touched.path, file)
        })
        .collect();
    for (index, change) in changes.iter().enumerate() {
        for path in change.paths() {
            let Some(file) = files.get_mut(path) else {
                continue;
            };
            match change {
                Change::Create { .. } | Change::Modify { .. } => file.replaced_by = Some(index),
                Change::Move { from, .. } if path != from => {}
                Change::Move { .. } | Change::Remove { .. } => {
                    file.replaced_by.get_or_insert(index);
                }
                Change::MakeFolder { .. } | Change::RemoveFolder { .. } => {}
            }
            let state = match change {
                Change::Create { after, .. } | Change::Modify { after, .. } => {
                    file_of(Version::from_bytes(after))
                }
                Change::Move { from, to, version } if path == to => {
                    file.moved_from = Some(from.clone());
                    file_of(*version)
                }
                Change::Move { .. } | Change::Remove { .. } | Change::RemoveFolder { .. } => {
                    State::Absent
                }
                Change::MakeFolder { .. } => State::Folder,
            };
            file.between.push(Passing(state));
        }
    }
    let mut files: Vec<TouchedPath> = files.into_values().collect();
    for file in &mut files {
        let (before, after) = (file.before, file.after);
        file.between.retain(|Passing(state)| {
            !is_same_content(state, &before)
                && !after.is_some_and(|after| is_same_content(state, &after))
        });
    }
    Ok(files)
}

/// Records the names on the disk of files that will be removed or moved, if they are spelled differently
/// from their paths, so that undo restores the spelling (`vault-semantics.md` §2.1).
fn note_names(vault: &Vault, files: &mut [TouchedPath]) -> Result<(), Failure> {
    for file in files {
        let stays = matches!(file.after, Some(State::File { .. }));
        if matches!(file.before, State::File { .. }) && !stays {
            let name = Editor(vault).name_at(&file.path).map_err(engine_failure)?;
            file.name = name.map(DiskName);
        }
    }
    Ok(())
}

/// The contents of each path before and after a run, as far as its planned changes contain them. Saves reading the files.
type InHand<'run> = BTreeMap<&'run VaultPath, (Option<&'run [u8]>, Option<&'run [u8]>)>;

fn in_hand(planned: PlannedRun<'_>) -> InHand<'_> {
    let mut in_hand = BTreeMap::new();
    let PlannedRun::Changes(changes) = planned else {
        return in_hand;
    };
    for change in changes {
        let (before, after) = match change {
            Change::Modify { before, after, .. } => {
                (Some(before.as_slice()), Some(after.as_slice()))
            }
            Change::Create { after, .. } => (None, Some(after.as_slice())),
            _ => (None, None),
        };
        for path in change.paths() {
            // If an earlier change touches the path, `before` is not its content on the disk.
            in_hand.entry(path).or_insert((before, after)).1 = after;
        }
    }
    in_hand
}

fn touched_at(vault: &Vault, paths: &[VaultPath]) -> Result<Vec<TouchedPath>, Failure> {
    let paths: BTreeSet<&VaultPath> = paths.iter().collect();
    paths
        .into_iter()
        .map(|path| {
            let before = Editor(vault).state_at(path).map_err(engine_failure)?;
            Ok(TouchedPath::new(path.clone(), before))
        })
        .collect()
}

/// Returns a file state for comparing contents; permissions are not compared.
pub(super) fn file_of(Version { size, sha256 }: Version) -> State {
    State::File {
        sha256,
        size,
        mode: 0,
    }
}

/// Whether a run removes bytes from the vault. It does not if some path has the content after the
/// run, or if the plan only adds to a file. Unplanned changes may remove anything.
fn removes_bytes(lost: &[(&TouchedPath, Version)], in_hand: &InHand<'_>) -> bool {
    lost.iter().any(|(file, version)| {
        let is_kept = match in_hand.get(&file.path) {
            Some((Some(before), Some(after))) => only_adds(before, after),
            _ => false,
        };
        version.size > 0 && !is_kept
    })
}

/// Whether a text is still there as a whole, or in two parts with something between them. More
/// parts prove nothing: any text can be cut into parts that occur in a long text.
fn only_adds(before: &[u8], after: &[u8]) -> bool {
    let pairs = before.iter().zip(after);
    let start = pairs.take_while(|(before, after)| before == after).count();
    let rest = before.get(start..).unwrap_or_default();
    after.len() >= before.len() && after.ends_with(rest)
}

/// Returns the files whose content no path will have after the run, with that content. Of files with equal contents, each
/// needs a path of its own: a later change of one must not lose the text of the other.
fn lost(files: &[TouchedPath]) -> Vec<(&TouchedPath, Version)> {
    let mut surviving: BTreeMap<[u8; 32], usize> = BTreeMap::new();
    for version in files.iter().filter_map(|file| file.after?.version()) {
        *surviving.entry(version.sha256).or_default() += 1;
    }
    let mut is_lost = |version: &Version| match surviving.get_mut(&version.sha256) {
        Some(paths) if *paths > 0 => {
            *paths -= 1;
            false
        }
        _ => true,
    };
    let before = files
        .iter()
        .filter_map(|file| Some((file, file.before.version()?)));
    before.filter(|(_, version)| is_lost(version)).collect()
}

/// Adds the files that are to be moved. The app can lose or change a file while it moves the file, but it also moves
/// files that are too large to keep.
fn with_moved<'files>(
    mut lost: Vec<(&'files TouchedPath, Version)>,
    files: &'files [TouchedPath],
    limit: u64,
) -> Vec<(&'files TouchedPath, Version)> {
    let known: BTreeSet<&VaultPath> = lost.iter().map(|(file, _)| &file.path).collect();
    let before = files
        .iter()
        .filter_map(|file| Some((file, file.before.version()?)));
    lost.extend(
        before.filter(|(file, version)| version.size <= limit && !known.contains(&file.path)),
    );
    lost
}

/// Reads a file that is expected to have `size` bytes.
pub(super) fn read_file(vault: &Vault, path: &VaultPath, size: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    Editor(vault)
        .file_at(path)
        .map_err(engine_failure)?
        // One byte more shows that the file has grown, without reading all of it.
        .take(size.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| {
            Code::IoError
                .failure(format!(
                    "`{path}` cannot be read: {}. Nothing was changed.",
                    error.kind()
                ))
                .with("path", path.as_str())
        })?;
    Ok(bytes)
}

pub(super) fn changed(path: &VaultPath) -> Failure {
    Code::PreconditionFailed
        .failure(format!(
            "Nothing was changed. Another program changed `{path}` during this call."
        ))
        .hint("Read the file again.")
        .with("path", path.as_str())
}

pub(crate) fn too_large(path: &VaultPath, size: u64, limit: u64) -> Failure {
    Code::TooLargeToUndo
        .failure(format!(
            "Nothing was changed. `{path}` is too large to keep for undo: it has {size} bytes, and \
            the limit is {limit} bytes."
        ))
        .hint(
            "Move the file to the trash instead. Or raise `journal.max_file_bytes` in the settings.",
        )
        .with("path", path.as_str())
        .with("bytes", size)
        .with("limit", limit)
}

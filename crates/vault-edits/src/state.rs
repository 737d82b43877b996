//! The state of any path, also a hidden one: the journal compares and restores it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;

use obsidian_note::{CancellationToken, VaultPath};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use vault_files::disk::mode_of;
use vault_files::{Blocked, EngineError, Obstacle, PlannedFile, Vault, Version};

use super::change::Change;
use crate::Editor;

/// The state of a path, as the journal compares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing exists at the path.
    Absent,
    /// A folder with any contents.
    Folder,
    /// A regular file with its content.
    File {
        /// The SHA-256 hash of its bytes.
        sha256: [u8; 32],
        /// Its size in bytes.
        size: u64,
        /// Its permission bits, `0o7777` at most; 0 on systems without them.
        mode: u32,
    },
}

impl State {
    /// Returns the content of the file; `None` for anything else.
    pub fn version(&self) -> Option<Version> {
        match *self {
            Self::File { sha256, size, .. } => Some(Version { size, sha256 }),
            Self::Absent | Self::Folder => None,
        }
    }
}

/// A path that an edit touches, with its states before and after the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The path below the vault's root.
    pub path: VaultPath,
    /// Its state before the edit.
    pub before: State,
    /// Its state when the edit is done.
    pub after: State,
}

impl Editor<'_> {
    /// Returns the state of a path in the vault's folder, which may be hidden. A file is read once, in blocks.
    ///
    /// A file whose name on disk differs in case counts as absent, even on systems that would open it. The folders may
    /// differ in case: a new note is put into the existing folder.
    ///
    /// # Errors
    ///
    /// [`EngineError::Io`] if the file cannot be read, or is a pipe, socket or device;
    /// [`EngineError::Symlink`] for a symlink at or above the path.
    pub fn state_at(&self, path: &VaultPath) -> Result<State, EngineError> {
        if path.is_root() {
            return Ok(State::Folder);
        }
        if self.disk().is_named_otherwise(path) {
            return Ok(State::Absent);
        }
        match self.disk().file(path) {
            Ok(file) => state_of(file, path),
            Err(Blocked { at, obstacle }) => match obstacle {
                Obstacle::Missing | Obstacle::NotAFolder => Ok(State::Absent),
                Obstacle::IsFolder => Ok(State::Folder),
                obstacle @ (Obstacle::Symlink | Obstacle::Special | Obstacle::Io(_)) => Err(
                    EngineError::from_blocked_file(path.as_str(), Blocked { at, obstacle }),
                ),
            },
        }
    }

    /// Opens a file of the vault's folder for reading, which may be hidden: the journal also keeps files that are not
    /// notes.
    ///
    /// # Errors
    ///
    /// As for reading a note: if there is no such file, or it cannot be opened.
    pub fn file_at(&self, path: &VaultPath) -> Result<File, EngineError> {
        self.disk()
            .file(path)
            .map_err(|blocked| EngineError::from_blocked_file(path.as_str(), blocked))
    }

    /// Returns the version of a file in its planned state. A file of the folder is read once, in blocks.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it cannot be read. Rules of a caller do not matter.
    pub fn planned_version(&self, path: &VaultPath) -> Result<Version, EngineError> {
        let origin = match self.planned(path) {
            Some(PlannedFile::Bytes(planned)) => return Ok(planned.content.version()),
            Some(PlannedFile::From(origin)) => origin,
            Some(PlannedFile::Gone) => return Err(EngineError::file_not_found(path.as_str())),
            None => path,
        };
        version_of(
            self.file_at(origin)?,
            path,
            self.disk().cancellation(),
            |_| (),
        )
    }

    /// Returns the states of each path that the changes touch, now and afterwards, in byte order of the paths. Reads
    /// these files and changes nothing.
    ///
    /// # Errors
    ///
    /// As [`Self::state_at`]; [`EngineError::Changed`] if a file to change or move is missing.
    pub fn touched(&self, changes: &[Change]) -> Result<Vec<Touched>, EngineError> {
        let mut paths: Vec<&VaultPath> = changes.iter().flat_map(Change::paths).collect();
        paths.sort_unstable();
        paths.dedup();
        let places = paths
            .into_par_iter()
            .map(|path| {
                let before = self.state_at(path)?;
                let touched = Touched {
                    path: path.clone(),
                    before,
                    after: before,
                };
                Ok((path.clone(), touched))
            })
            .collect::<Result<_, EngineError>>()?;
        let mut states = States {
            vault: self,
            places,
        };
        for change in changes {
            states.follow(change)?;
        }
        let touched = states.places.into_values();
        Ok(touched.collect())
    }
}

/// The states that a list of changes leads to, simulated step by step.
struct States<'vault> {
    vault: &'vault Vault,
    /// Every path that the changes name.
    places: BTreeMap<VaultPath, Touched>,
}

impl States<'_> {
    fn follow(&mut self, change: &Change) -> Result<(), EngineError> {
        match change {
            Change::MakeFolder { path } => self.becomes(path, State::Folder),
            Change::Create { path, after } => {
                let mode = self.vault.new_file_mode();
                self.becomes(path, file(Version::from_bytes(after), mode))
            }
            Change::Modify { path, after, .. } => {
                let mode = self.mode(path)?;
                self.becomes(path, file(Version::from_bytes(after), mode))
            }
            Change::Move { from, to, version } => {
                let mode = self.mode(from)?;
                self.becomes(from, State::Absent)?;
                self.becomes(to, file(*version, mode))
            }
            Change::Remove { path, .. } | Change::RemoveFolder { path } => {
                self.becomes(path, State::Absent)
            }
        }
    }

    fn touched_mut(&mut self, path: &VaultPath) -> Result<&mut Touched, EngineError> {
        let place = self.places.get_mut(path);
        place.ok_or_else(|| EngineError::Changed { path: path.clone() })
    }

    fn becomes(&mut self, path: &VaultPath, state: State) -> Result<(), EngineError> {
        self.touched_mut(path)?.after = state;
        Ok(())
    }

    /// Returns the permission bits of the file at a path after the steps so far.
    fn mode(&mut self, path: &VaultPath) -> Result<u32, EngineError> {
        match self.touched_mut(path)?.after {
            State::File { mode, .. } => Ok(mode),
            State::Absent | State::Folder => Err(EngineError::Changed { path: path.clone() }),
        }
    }
}

fn file(Version { size, sha256 }: Version, mode: u32) -> State {
    State::File { sha256, size, mode }
}

/// Returns the state of an open file.
fn state_of(file: File, path: &VaultPath) -> Result<State, EngineError> {
    let mode = mode_of(&file).map_err(|source| EngineError::io(path, source))?;
    let version = version_of(file, path, &CancellationToken::default(), |_| ())?;
    Ok(self::file(version, mode))
}

/// Returns the version of an open file, from its position to its end, and calls `each` with every block of its bytes.
/// Attachments may be large, so it stops at a cancellation.
pub(super) fn version_of(
    mut file: impl Read,
    path: &VaultPath,
    cancellation: &CancellationToken,
    mut each: impl FnMut(&[u8]),
) -> Result<Version, EngineError> {
    let mut hasher = Sha256::new();
    let mut size = 0;
    let mut piece = vec![0; 64 * 1024];
    loop {
        cancellation.check()?;
        let read = match file.read(&mut piece) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            other => other.map_err(|source| EngineError::io(path, source))?,
        };
        if read == 0 {
            break;
        }
        hasher.update(&piece[..read]);
        each(&piece[..read]);
        size += u64::try_from(read).unwrap_or_default();
    }
    Ok(Version {
        size,
        sha256: hasher.finalize().into(),
    })
}

//! Reads one file: its bytes, text, size and times.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::SystemTime;

use obsidian_note::path::PathError;
use obsidian_note::{MAX_WHOLE_BYTES, NoteProblem, VaultPath, Warning, name};

use super::Vault;
use super::overlay::{PlannedBytes, PlannedFile};
use crate::contents::{Contents, Detail};
use crate::disk::{Disk, Obstacle, changed_time};
use crate::error::{EngineError, Refusal};
use crate::search_files::SearchedVault;

/// A note as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Its path below the vault's root.
    pub path: VaultPath,
    /// Its exact bytes, from which its hash is computed.
    pub bytes: Vec<u8>,
    /// Its text, including a byte order mark; what is not UTF-8 is replaced by U+FFFD.
    pub text: String,
    /// Whether bytes were replaced in `text`. Such a note must not be written back from its text.
    pub lossy: bool,
}

impl Note {
    /// Returns the warning that bytes were replaced in `text`.
    pub fn not_utf8(&self) -> Option<Warning> {
        let path = self.path.clone();
        self.lossy.then_some(Warning::NotUtf8 { path })
    }
}

/// Facts about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// The size in bytes.
    pub size: u64,
    /// Creation time, or the last change if that is unknown: milliseconds since 1970.
    pub created: i64,
    /// When its content last changed: milliseconds since 1970.
    pub modified: i64,
}

impl Vault {
    /// Returns the exact bytes of a file of any extension.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing, out of sight, hidden (below a name that starts with a dot), a symlink, not a
    /// regular file, larger than [`MAX_WHOLE_BYTES`], or cannot be read.
    pub fn read_bytes(&self, path: &VaultPath) -> Result<Vec<u8>, EngineError> {
        self.read_target(path, path.as_str())
    }

    /// Returns a note with its text.
    ///
    /// # Errors
    ///
    /// As [`Self::read_bytes`].
    pub fn read_note(&self, path: &VaultPath) -> Result<Note, EngineError> {
        self.note(path, path.as_str())
    }

    /// Size and times of a file.
    ///
    /// # Errors
    ///
    /// As [`Self::read_bytes`].
    pub fn facts(&self, path: &VaultPath) -> Result<FileFacts, EngineError> {
        self.facts_of_target(path, path.as_str())
    }

    /// Checks a path that is about to be written (`threats.toml` D03).
    ///
    /// # Errors
    ///
    /// Fails with [`EngineError::Symlink`] if a symlink is at or above the path, even if reading through it is allowed.
    /// Nothing else about the path is an error.
    pub fn refuse_symlinks(&self, path: &VaultPath) -> Result<(), EngineError> {
        match self.disk.file(path) {
            Err(blocked) if matches!(blocked.obstacle, Obstacle::Symlink) => {
                Err(EngineError::from_blocked_file(path.as_str(), blocked))
            }
            _ => Ok(()),
        }
    }

    /// Whether a file, a folder or anything else that the caller can see exists at this path.
    pub fn is_there(&self, path: &VaultPath) -> bool {
        let is_in_the_folder = || {
            let file = self.disk.file(path);
            !file.is_err_and(|blocked| blocked.obstacle.is_absence())
        };
        // A file that the caller cannot see may have the path of a folder of its draft.
        let is_planned_folder = || self.plans_folder(path) && self.sees_folder(path);
        let is_seen = || {
            self.sees(path)
                && match self.planned(path) {
                    Some(planned) => self.exists_planned(planned),
                    None => is_in_the_folder() && !self.plans_no_folder(path),
                }
        };
        !path.is_hidden() && (is_planned_folder() || is_seen())
    }

    /// Checks a path that a caller has asked for. Every existing path may be asked for.
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist and the missing part is a mistake or an attack: an absolute path of another
    /// system, a device, a stream, a name with an invisible character (`threats.toml` B10, D01, D09, D10).
    pub fn check_requested(&self, path: &VaultPath) -> Result<(), EngineError> {
        let refused = |reason| EngineError::path(path.as_str(), reason);
        // The disk is asked only about a path that has a mistake. One that exists has no missing part.
        let is_plain = !path.is_absolute_elsewhere()
            && path
                .components()
                .all(|name| name::check_requested_name(name).is_ok());
        if is_plain || self.is_there(path) {
            return Ok(());
        }
        for (index, name) in path.components().enumerate() {
            if !self.is_there(&path.beginning(index + 1)) {
                if path.is_absolute_elsewhere() {
                    return Err(refused(PathError::Escape));
                }
                name::check_requested_name(name).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Returns the bytes of a file; `None` if it has more than `limit` bytes. Errors name `target`.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing or cannot be read.
    pub fn read_up_to(
        &self,
        path: &VaultPath,
        target: &str,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        let bytes = match self.opened(path, target)? {
            Opened::File(file) => {
                up_to(file, limit).map_err(|source| EngineError::io(path, source))?
            }
            Opened::Planned(planned) => {
                let fits = planned.content.version().size <= limit;
                fits.then(|| planned_bytes(&planned, path).map(<[u8]>::to_vec))
                    .transpose()?
            }
        };
        match &bytes {
            Some(bytes) if self.closes(path, bytes) => Err(EngineError::file_not_found(target)),
            _ => Ok(bytes),
        }
    }

    /// Returns the bytes of a file, or the problem that keeps the file out of the index.
    ///
    /// # Errors
    ///
    /// The problem.
    pub fn indexed_bytes(&self, path: &VaultPath) -> Result<Vec<u8>, NoteProblem> {
        let bytes = self.read_up_to(path, path.as_str(), MAX_WHOLE_BYTES);
        let bytes = bytes.map_err(|error| NoteProblem::Unreadable(error.to_string()))?;
        bytes.ok_or(NoteProblem::TooLarge)
    }

    /// As [`Self::read_bytes`]; errors name `target`, the text that the caller gave.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing or cannot be read.
    pub fn read_target(&self, path: &VaultPath, target: &str) -> Result<Vec<u8>, EngineError> {
        match self.read_up_to(path, target, MAX_WHOLE_BYTES)? {
            Some(bytes) => Ok(bytes),
            None => Err(EngineError::TooLargeToHold {
                path: path.clone(),
                size: self.facts_of_target(path, target)?.size,
                limit: MAX_WHOLE_BYTES,
            }),
        }
    }

    /// As [`Self::read_note`]; errors name `target`.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing or cannot be read.
    pub fn note(&self, path: &VaultPath, target: &str) -> Result<Note, EngineError> {
        let bytes = self.read_target(path, target)?;
        let (text, lossy) = match std::str::from_utf8(&bytes) {
            Ok(text) => (text.to_owned(), false),
            Err(_) => (String::from_utf8_lossy(&bytes).into_owned(), true),
        };
        Ok(Note {
            path: path.clone(),
            bytes,
            text,
            lossy,
        })
    }

    /// As [`Self::facts`]; errors name `target`.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing or cannot be read.
    pub fn facts_of_target(
        &self,
        path: &VaultPath,
        target: &str,
    ) -> Result<FileFacts, EngineError> {
        let file = match self.opened(path, target)? {
            Opened::File(file) => file,
            Opened::Planned(planned) => {
                let before = planned.origin.as_ref();
                let before = before.and_then(|origin| self.disk.file(origin).ok()?.metadata().ok());
                let created = before.as_ref().and_then(created).map(milliseconds);
                return Ok(FileFacts {
                    size: planned.content.version().size,
                    created: created.unwrap_or(planned.modified),
                    modified: planned.modified,
                });
            }
        };
        let metadata = file
            .metadata()
            .map_err(|source| EngineError::io(path, source))?;
        let modified = metadata
            .modified()
            .map_err(|source| EngineError::io(path, source))?;
        Ok(FileFacts {
            size: metadata.len(),
            created: milliseconds(created(&metadata).unwrap_or(modified)),
            modified: milliseconds(modified),
        })
    }

    /// Everything below a folder, by a walk.
    ///
    /// # Errors
    ///
    /// Fails if the folder is missing, out of sight or cannot be listed, and after a cancellation.
    pub fn contents(&self, folder: &VaultPath, detail: Detail) -> Result<Contents, EngineError> {
        let missing = || EngineError::folder_not_found(folder.as_written());
        if folder.is_hidden() || !self.sees_folder(folder) && !self.sees(folder) {
            return Err(missing());
        }
        let contents = Contents::read(&self.disk, self.sight(), folder, detail);
        let Some(overlay) = self.overlay() else {
            return contents;
        };
        let contents = match (contents, self.planned(folder)) {
            (_, Some(planned)) if self.sees(folder) && self.exists_planned(planned) => {
                let target = folder.to_string();
                return Err(EngineError::Refused(Refusal::NotAFolder { target }));
            }
            // A list that could not be completed is not an empty folder.
            (Err(error @ (EngineError::Stopped | EngineError::Io { .. })), _) => return Err(error),
            (Err(_), _) if self.plans_folder(folder) => Contents::default(),
            (Err(_), Some(_)) => return Err(missing()),
            (contents, _) => contents?,
        };
        let planned = self.planned_contents(overlay, folder, contents, detail);
        if planned.is_empty() && overlay.removes(folder) {
            return Err(missing());
        }
        Ok(planned)
    }

    /// Opens a file in its planned state.
    pub(super) fn opened(&self, path: &VaultPath, target: &str) -> Result<Opened, EngineError> {
        let opened = match self.planned(path) {
            None => self.open_file(path, path, target).map(Opened::File),
            Some(_) if path.is_hidden() => Err(EngineError::file_not_found(target)),
            Some(PlannedFile::Bytes(bytes)) if self.sees(path) => {
                Ok(Opened::Planned(Arc::clone(bytes)))
            }
            Some(PlannedFile::From(origin)) if self.sees(path) => {
                self.open_file(path, origin, target).map(Opened::File)
            }
            Some(_) => Err(EngineError::file_not_found(target)),
        };
        if opened.is_err() && self.sees_folder(path) && self.plans_folder(path) {
            let target = target.to_owned();
            return Err(EngineError::Refused(Refusal::NotAFile { target }));
        }
        opened
    }

    /// Opens the present file at `origin`, which is shown at `path`: whether the caller sees it
    /// depends on that.
    fn open_file(
        &self,
        path: &VaultPath,
        origin: &VaultPath,
        target: &str,
    ) -> Result<File, EngineError> {
        if path.is_root() {
            return Err(EngineError::Refused(Refusal::NotAFile {
                target: target.to_owned(),
            }));
        }
        if path.is_hidden() || !self.is_in_sight(path) && !self.sees_folder(path) {
            return Err(EngineError::file_not_found(target));
        }
        match self.disk.file_to_read(origin) {
            // As in the app, a path has one spelling, even if the disk accepts others.
            Ok(_) if !self.is_in_sight(path) || self.disk.is_spelled_otherwise(origin) => {
                Err(EngineError::file_not_found(target))
            }
            Ok(file) => Ok(file),
            Err(blocked) => Err(EngineError::from_blocked_file(
                target,
                self.visible_obstacle(blocked),
            )),
        }
    }
}

/// A file to read.
pub(super) enum Opened {
    File(File),
    Planned(Arc<PlannedBytes>),
}

/// Returns the rest of a file; `None` if it has more than `limit` bytes.
pub(super) fn up_to(file: File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let size = file.metadata()?.len();
    if size > limit {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // One byte more than allowed, to distinguish a file of exactly `limit` bytes from one that has grown.
    let read = file.take(limit + 1).read_to_end(&mut bytes)?;
    let fits = u64::try_from(read).is_ok_and(|read| read <= limit);
    Ok(fits.then_some(bytes))
}

/// Returns the content of a planned file.
///
/// # Errors
///
/// Fails if the file is missing or cannot be read.
pub fn planned_bytes<'planned>(
    planned: &'planned PlannedBytes,
    path: &VaultPath,
) -> Result<&'planned [u8], EngineError> {
    let unreadable = |source| EngineError::Planned {
        path: path.clone(),
        source,
    };
    planned.content.bytes().map_err(unreadable)
}

fn created(metadata: &Metadata) -> Option<SystemTime> {
    metadata.created().ok().or_else(|| changed_time(metadata))
}

/// Milliseconds since 1970, rounded to the nearest as JavaScript rounds.
fn milliseconds(time: SystemTime) -> i64 {
    let nanoseconds = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX / 2),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX / 2),
    };
    i64::try_from((nanoseconds + 500_000).div_euclid(1_000_000)).unwrap_or(i64::MAX)
}

impl SearchedVault for Vault {
    fn disk(&self) -> &Disk {
        self.disk()
    }

    fn planned_bytes(
        &self,
        path: &VaultPath,
        limit: u64,
    ) -> Option<Result<Option<Vec<u8>>, EngineError>> {
        self.planned(path)?;
        Some(self.read_up_to(path, path.as_str(), limit))
    }

    fn closes(&self, path: &VaultPath, bytes: &[u8]) -> bool {
        self.closes(path, bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use obsidian_note::CancellationToken;

    use super::*;
    use crate::vault::Overlay;
    use crate::vault::testing::{path, vault};

    #[test]
    fn bytes_and_text_are_exact() {
        let (_folder, vault) = vault(&[("bom.md", "\u{feff}a\r\nb")]);
        fs_err::write(vault.root().join("latin.md"), b"caf\xe9").unwrap();
        let note = vault.read_note(&path("bom.md")).unwrap();
        assert_eq!((note.text.as_str(), note.lossy), ("\u{feff}a\r\nb", false));
        let note = vault.read_note(&path("latin.md")).unwrap();
        assert_eq!((note.text.as_str(), note.lossy), ("caf\u{fffd}", true));
        assert_eq!(note.bytes, b"caf\xe9");
        assert_eq!(vault.read_bytes(&path("latin.md")).unwrap(), b"caf\xe9");
    }

    #[test]
    fn d07_hidden_files_are_not_found_in_any_case() {
        let (_folder, vault) = vault(&[
            (".obsidian/app.json", "{}"),
            (".OBSIDIAN/x.md", ""),
            (".ob\u{17f}idian/x.md", ""),
            ("a/.hidden/x.md", ""),
        ]);
        for name in [
            ".obsidian/app.json",
            ".OBSIDIAN/x.md",
            ".ob\u{17f}idian/x.md",
            "a/.hidden/x.md",
        ] {
            let error = vault.read_bytes(&path(name)).unwrap_err();
            assert!(
                matches!(&error, EngineError::Refused(Refusal::FileNotFound { target }) if target == name),
                "{error}"
            );
        }
        assert!(vault.contents(&path(".obsidian"), Detail::Names).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn d03_a_symlink_is_named_and_not_read() {
        let (_folder, vault) = vault(&[("a.md", "")]);
        std::os::unix::fs::symlink("/etc", vault.root().join("etc")).unwrap();
        let error = vault.read_bytes(&path("etc/passwd")).unwrap_err();
        assert!(matches!(&error, EngineError::Symlink { path } if path.as_str() == "etc"));
    }

    #[test]
    fn a_list_that_was_cancelled_is_not_what_a_draft_plans_alone() {
        let (_folder, vault) = vault(&[("a.md", "")]);
        let mut overlay = Overlay::default();
        overlay.put(path("new.md"), b"new".to_vec(), true, 0);
        let cancellation = CancellationToken::default();
        let vault = vault
            .with_overlay(overlay)
            .with_cancellation(cancellation.clone());
        let listed = || vault.contents(&VaultPath::root(), Detail::Names);
        assert_eq!(listed().unwrap().files.len(), 2);
        cancellation.cancel();
        assert!(matches!(listed().unwrap_err(), EngineError::Stopped));
    }

    #[test]
    fn times_are_rounded_milliseconds() {
        let (_folder, vault) = vault(&[("a.md", "12345")]);
        let modified = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_600_000);
        let file = fs_err::OpenOptions::new()
            .write(true)
            .open(vault.root().join("a.md"))
            .unwrap();
        file.file().set_modified(modified).unwrap();
        let facts = vault.facts(&path("a.md")).unwrap();
        assert_eq!((facts.size, facts.modified), (5, 1_700_000_000_124));
        assert!(facts.created > 1_700_000_000_124);
        let before = SystemTime::UNIX_EPOCH - Duration::from_micros(1_400);
        assert_eq!(milliseconds(before), -1);
    }
}

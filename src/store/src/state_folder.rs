//! A private folder for state that persists between calls: the audit log, the approvals, and the journal
//! of each vault.
//!
//! Only its owner has access (0700, files 0600). Its content is trusted and not signed, because the key would have to
//! be stored next to it. It must therefore never be inside a vault, where any program that writes notes could change
//! it ([`StateFolder::ensure_outside`]).

use std::fs::{File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use vault_engine::{Failpoints, Step};

use crate::error::{Access, Collection, StoreCause, StoreError};
use protocol::{Code, Failure};
use sandbox::{
    PrivateFolder, Unsafe,
    private_dir::{self, read_at_most, state_file},
};

/// A folder for private state. It is created with the first write.
#[derive(Clone)]
pub struct StateFolder {
    /// The kind of its content, for errors.
    collection: Collection,
    /// The path of the state folder, then of each folder down to this one.
    places: Vec<PathBuf>,
    failpoints: Option<Arc<dyn Failpoints>>,
}

/// The suffix of a file until all of it is written.
const TEMPORARY: &str = ".tmp";

/// A lock between processes, released on drop, and by the kernel when its process dies
/// (`threats.toml` H12).
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "held, not used")] File);

/// Time for which a writer of a collection waits for another one.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
/// Longest pause between two attempts to acquire a lock.
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

impl std::fmt::Debug for StateFolder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("StateFolder")
            .field(&self.path())
            .finish()
    }
}

impl StateFolder {
    /// The folder of a collection, at the path `below` in the state folder `state`; it need not exist yet.
    /// `failpoints` is called before every system call that writes, with the path relative to this
    /// folder.
    pub fn new(
        collection: Collection,
        state: PathBuf,
        below: &[&str],
        failpoints: Option<Arc<dyn Failpoints>>,
    ) -> Self {
        let mut places = vec![state];
        for name in below {
            places.extend(places.last().map(|above| above.join(name)));
        }
        Self {
            collection,
            places,
            failpoints,
        }
    }

    /// Returns the subfolder `name`. Failpoints get paths relative to it.
    pub(super) fn below(&self, name: &str) -> Self {
        let mut places = self.places.clone();
        places.push(self.path_to(name));
        Self {
            places,
            ..self.clone()
        }
    }

    /// Returns this folder with the errors of another collection.
    pub(super) fn of(self, collection: Collection) -> Self {
        Self { collection, ..self }
    }

    /// Returns the error of a collection that cannot be read.
    pub(super) fn unreadable(&self, error: impl Into<io::Error>) -> StoreError {
        self.error(Access::Read, Unsafe::Io(error.into()))
    }

    /// Returns the error of a collection that cannot be written.
    pub(super) fn unwritable(&self, error: impl Into<io::Error>) -> StoreError {
        self.error(Access::Write, Unsafe::Io(error.into()))
    }

    /// Returns the error of a collection whose lock another process has.
    pub(super) fn busy(&self) -> StoreError {
        StoreError {
            collection: self.collection,
            access: Access::Write,
            cause: StoreCause::Busy,
        }
    }

    fn error(&self, access: Access, cause: Unsafe) -> StoreError {
        StoreError {
            collection: self.collection,
            access,
            cause: StoreCause::Unsafe(cause),
        }
    }

    fn writing<T>(&self, result: Result<T, Unsafe>) -> Result<T, StoreError> {
        result.map_err(|cause| self.error(Access::Write, cause))
    }

    fn reading<T>(&self, result: Result<T, Unsafe>) -> Result<T, StoreError> {
        result.map_err(|cause| self.error(Access::Read, cause))
    }

    /// Whether the folder exists.
    pub(super) fn exists(&self) -> bool {
        self.path().is_dir()
    }

    /// Creates the folder with access for its owner only. Refuses an existing one that others can
    /// write or replace.
    pub(super) fn create(&self) -> Result<(), StoreError> {
        for place in &self.places {
            match PrivateFolder::check(place) {
                Err(Unsafe::Missing) => {
                    self.before("mkdir", "")?;
                    self.writing(PrivateFolder::create(place).map(drop))?;
                }
                other => self.writing(other)?,
            }
        }
        Ok(())
    }

    fn path(&self) -> &Path {
        self.places.last().map_or(Path::new(""), PathBuf::as_path)
    }

    pub(super) fn path_to(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Checks that the folder is not inside this vault, even if it does not exist yet. Programs that
    /// write notes could otherwise forge approvals and records.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if the folder is inside the vault.
    pub fn ensure_outside(&self, vault_root: &Path) -> Result<(), Failure> {
        if !private_dir::would_lie_within(self.path(), vault_root) {
            return Ok(());
        }
        Err(Code::ConfigInvalid
            .failure(
                "The state folder is inside the vault. Any program that writes notes could change \
                the audit log, the approvals and the undo history.",
            )
            .hint("Set `XDG_STATE_HOME` to a folder outside the vault."))
    }

    /// Acquires a lock, and waits at most `patience`.
    pub(super) fn lock(&self, name: &str, patience: Duration) -> Result<Lock, StoreError> {
        let file = self.open_or_create(name)?.0;
        let limit = Instant::now() + patience;
        // Polled with a growing pause: a blocking `flock` has no timeout.
        let mut pause = Duration::from_micros(20);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < limit => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(self.busy()),
                Err(TryLockError::Error(error)) => return Err(self.unwritable(error)),
            }
        }
    }

    /// Opens a file for reading; `None` if it is missing.
    pub(super) fn open(&self, name: &str) -> Result<Option<File>, StoreError> {
        self.reading(match state_file::open(&self.path_to(name), false) {
            Ok(file) => checked(file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(state_file::refused(error)),
        })
    }

    /// Reads a file of at most `limit` bytes; `None` if it is missing.
    pub(super) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let file = self.open(name)?;
        self.reading(file.map(|file| read_at_most(file, limit)).transpose())
    }

    /// Reads the first line of a file with its line feed, or the whole file if it has none; at most
    /// `limit` bytes. `None` if the file is missing.
    pub(super) fn read_line(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(file) = self.open(name)? else {
            return Ok(None);
        };
        let mut line = Vec::new();
        BufReader::new(file.take(limit))
            .read_until(b'\n', &mut line)
            .map_err(|error| self.unreadable(error))?;
        Ok(Some(line))
    }

    /// Opens a file for reading and appending, and creates it if it is missing. Returns whether it was
    /// created.
    pub(super) fn open_or_create(&self, name: &str) -> Result<(File, bool), StoreError> {
        let path = self.path_to(name);
        // A race: another process may create or rename the file between the two calls. Bounded, so
        // that a hostile process cannot keep this one in the loop.
        for _attempt in 0..100 {
            match state_file::open(&path, true) {
                Ok(file) => return self.writing(checked(file)).map(|file| (file, false)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return self.writing(Err(state_file::refused(error))),
            }
            self.before("open-create", name)?;
            match state_file::create_new(&path) {
                Ok(file) => return Ok((file, true)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(self.unwritable(error)),
            }
        }
        Err(self.unwritable(io::ErrorKind::ResourceBusy))
    }

    /// Appends bytes to an open file, in one `write` call if the system takes them at once.
    pub(super) fn append(
        &self,
        name: &str,
        mut file: &File,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        self.before("write", name)?;
        file.write_all(bytes)
            .map_err(|error| self.unwritable(error))
    }

    /// Truncates a file to `length` bytes.
    pub(super) fn truncate(&self, name: &str, file: &File, length: u64) -> Result<(), StoreError> {
        self.before("truncate", name)?;
        file.set_len(length).map_err(|error| self.unwritable(error))
    }

    /// Returns the length of an open file in bytes.
    pub(super) fn length(&self, file: &File) -> Result<u64, StoreError> {
        let metadata = file.metadata().map_err(|error| self.unreadable(error))?;
        Ok(metadata.len())
    }

    /// Syncs a file's content to the disk.
    pub(super) fn sync(&self, name: &str, file: &File) -> Result<(), StoreError> {
        self.before("fsync", name)?;
        file.sync_data().map_err(|error| self.unwritable(error))
    }

    /// Syncs the names in this folder to the disk. A synced file without its synced name may be missing
    /// after a power failure.
    pub(super) fn sync_names(&self) -> Result<(), StoreError> {
        self.before("fsync", "")?;
        state_file::sync_folder(self.path()).map_err(|error| self.unwritable(error))
    }

    /// Removes the temporary files among these, which processes that died have left. The caller must hold the lock, so
    /// that no other process is writing one.
    pub(super) fn sweep(&self, names: &[String]) -> Result<(), StoreError> {
        let mut temporary = names.iter().filter(|name| name.ends_with(TEMPORARY));
        temporary.try_for_each(|name| self.remove(name))
    }

    /// Returns the value in a JSON file of at most `limit` bytes; `None` if there is no such file, or it cannot be used.
    pub(super) fn read_json<T: DeserializeOwned>(&self, name: &str, limit: u64) -> Option<T> {
        let bytes = self.read(name, limit).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Replaces a JSON file, as [`Self::replace`] does.
    pub(super) fn replace_json(
        &self,
        name: &str,
        value: &impl Serialize,
    ) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(value).map_err(|error| self.unwritable(error))?;
        self.replace(name, &bytes)
    }

    /// Replaces a file atomically and durably. The caller must hold the lock for this kind of file,
    /// because the temporary name is not unique.
    pub(super) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(name, bytes)?;
        self.sync_names()
    }

    /// Like [`Self::replace`], but the name is durable only after [`Self::sync_names`].
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let temporary = format!(".{name}{TEMPORARY}");
        // A killed process may have left this file.
        self.remove(&temporary)?;
        let written = self
            .create_file(&temporary, bytes)
            .and_then(|file| self.sync(&temporary, &file))
            .and_then(|()| self.rename(&temporary, name));
        if written.is_err() {
            // Best effort: the first error is the one to report.
            let _gone_already = self.remove(&temporary);
        }
        written
    }

    /// Writes a new file without a temporary name, which saves waiting for the rename. A killed
    /// process leaves it incomplete, so the reader has to check that. The file and its name are
    /// durable when this returns.
    ///
    /// Runs `meanwhile` while the disk writes: it syncs several files in about the time of one.
    pub(super) fn write_new<T>(
        &self,
        name: &str,
        bytes: &[u8],
        meanwhile: impl FnOnce() -> T,
    ) -> Result<T, StoreError> {
        let file = self.create_file(name, bytes)?;
        self.before("fsync", name)?;
        self.before("fsync", "")?;
        std::thread::scope(|scope| {
            let content = scope.spawn(|| file.sync_data());
            let names = scope.spawn(|| state_file::sync_folder(self.path()));
            let done = meanwhile();
            for synced in [content.join(), names.join()] {
                synced
                    .unwrap_or_else(|panic| resume_unwind(panic))
                    .map_err(|error| self.unwritable(error))?;
            }
            Ok(done)
        })
    }

    fn create_file(&self, name: &str, bytes: &[u8]) -> Result<File, StoreError> {
        self.before("open-create", name)?;
        let file =
            state_file::create_new(&self.path_to(name)).map_err(|error| self.unwritable(error))?;
        self.append(name, &file, bytes)?;
        Ok(file)
    }

    /// Overwrites bytes of a file in place; creates the file if it is missing. Not synced: a power
    /// failure may tear the bytes.
    pub(super) fn overwrite(
        &self,
        name: &str,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        self.before("overwrite", name)?;
        let file = state_file::open_to_overwrite(&self.path_to(name));
        let mut file = self.writing(file.map_err(state_file::refused).and_then(checked))?;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.write_all(bytes))
            .map_err(|error| self.unwritable(error))
    }

    /// Renames a file within this folder.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.rename_into(from, self, to)
    }

    /// Moves a file to another folder of the same state folder.
    pub(super) fn rename_into(
        &self,
        from: &str,
        folder: &Self,
        to: &str,
    ) -> Result<(), StoreError> {
        self.before("rename", from)?;
        let renamed = fs_err::rename(self.path_to(from), folder.path_to(to));
        self.writing(renamed.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Unsafe::Missing,
            _ => Unsafe::Io(error),
        }))
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.path_to(name);
        if fs_err::symlink_metadata(&path).is_err() {
            return Ok(());
        }
        self.before("unlink", name)?;
        match fs_err::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.unwritable(error)),
            _ => Ok(()),
        }
    }

    /// Returns the names of all files here, in byte order; empty if the folder is missing. Refuses a folder that others
    /// can write to.
    pub(super) fn names(&self) -> Result<Vec<String>, StoreError> {
        for place in &self.places {
            match PrivateFolder::check(place) {
                Err(Unsafe::Missing) => return Ok(Vec::new()),
                other => self.reading(other)?,
            }
        }
        let mut names = Vec::new();
        for entry in fs_err::read_dir(self.path()).map_err(|error| self.unreadable(error))? {
            // The gateway creates only UTF-8 names, so others are skipped.
            let entry = entry.map_err(|error| self.unreadable(error))?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Returns length in bytes and time of the last change of a file, for a cheap test whether it has changed; `None`
    /// if it is missing.
    pub(super) fn state_of(&self, name: &str) -> Option<(u64, std::time::SystemTime)> {
        let metadata = fs_err::symlink_metadata(self.path_to(name)).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    }

    fn before(&self, call: &'static str, path: &str) -> Result<(), StoreError> {
        let Some(failpoints) = &self.failpoints else {
            return Ok(());
        };
        let path = path.to_owned();
        failpoints
            .before(Step { call, path })
            .map_err(|error| self.unwritable(error))
    }
}

fn checked(file: File) -> Result<File, Unsafe> {
    state_file::judge(&file)?;
    Ok(file)
}

#[cfg(test)]
pub(super) mod testing {
    //! Makes files in tests look like files of the gateway.

    /// Leaves a file to its owner alone.
    #[cfg(unix)]
    pub(crate) fn make_private(path: &std::path::Path) {
        use std::os::unix::fs::PermissionsExt as _;
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, StateFolder) {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFolder::new(
            Collection::Journal,
            folder.path().join("state"),
            &["vault-gw"],
            None,
        );
        (folder, state)
    }

    #[test]
    fn nothing_is_made_before_something_is_written() {
        let (_folder, state) = folder();
        assert!(!state.exists());
        assert_eq!(state.names().unwrap(), Vec::<String>::new());
        assert!(state.open("a").unwrap().is_none());
        state.create().unwrap();
        state.replace("a", b"one").unwrap();
        state.replace("a", b"two").unwrap();
        assert_eq!(state.names().unwrap(), ["a"]);
        assert_eq!(fs_err::read(state.path_to("a")).unwrap(), b"two");
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_and_its_files_are_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, state) = folder();
        state.create().unwrap();
        state.replace("a", b"").unwrap();
        drop(state.open_or_create("b").unwrap());
        let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(state.path()), 0o700);
        assert_eq!(mode(&state.path_to("a")), 0o600);
        assert_eq!(mode(&state.path_to("b")), 0o600);
        for place in [state.path(), state.path().parent().unwrap()] {
            fs_err::set_permissions(place, std::fs::Permissions::from_mode(0o777)).unwrap();
            let refused = state.create().unwrap_err();
            assert!(matches!(
                refused.cause,
                StoreCause::Unsafe(Unsafe::WritableFolder)
            ));
            let refused = state.names().unwrap_err();
            assert!(matches!(
                refused.cause,
                StoreCause::Unsafe(Unsafe::WritableFolder)
            ));
            fs_err::set_permissions(place, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        assert_eq!(state.names().unwrap(), ["a", "b"]);
        let below = state.below("a");
        assert!(
            below.create().is_err_and(|error| !error.is_busy()),
            "a file in place of a folder"
        );
        assert!(
            below.names().is_err_and(|error| !error.is_busy()),
            "a file in place of a folder"
        );
    }

    #[cfg(unix)]
    #[test]
    fn d14_what_is_no_file_of_the_owner_is_refused_at_once() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, state) = folder();
        state.create().unwrap();
        let path = |name: &str| state.path_to(name);
        fs_err::write(path("target"), "kept").unwrap();
        fs_err::os::unix::fs::symlink(path("target"), path("link")).unwrap();
        fs_err::create_dir(path("folder")).unwrap();
        let owner = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), fifo, owner, 0).unwrap();
        fs_err::write(path("open"), "").unwrap();
        fs_err::set_permissions(path("open"), std::fs::Permissions::from_mode(0o666)).unwrap();
        for name in ["link", "folder", "pipe", "open"] {
            assert!(state.open_or_create(name).is_err(), "{name}");
        }
        for name in ["link", "folder", "pipe", "open"] {
            assert!(state.open(name).is_err(), "{name}");
        }
        assert_eq!(fs_err::read(path("target")).unwrap(), b"kept");
    }

    #[test]
    fn h12_a_lock_ends_with_its_holder_and_waiting_ends_by_itself() {
        let (_folder, state) = folder();
        state.create().unwrap();
        let present = state.lock("lock", Duration::ZERO).unwrap();
        let patience = Duration::from_millis(5);
        assert!(
            state
                .lock("lock", patience)
                .is_err_and(|error| error.is_busy())
        );
        drop(present);
        // A process that another test starts has the lock too until it runs its own program.
        assert!(state.lock("lock", Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn i14_k07_state_inside_the_vault_is_refused() {
        let (folder, state) = folder();
        let vault = folder.path();
        assert!(state.ensure_outside(vault).is_err(), "not there yet");
        state.create().unwrap();
        assert!(state.ensure_outside(vault).is_err());
        assert!(state.ensure_outside(state.path()).is_err());
        assert!(state.ensure_outside(&folder.path().join("state")).is_err());
        let other = tempfile::tempdir().unwrap();
        assert!(state.ensure_outside(other.path()).is_ok());
    }
}

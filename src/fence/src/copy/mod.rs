//! The working copy of a program in a fence (`design/run.md`): the notes that its agent may see, as files of
//! their own. It is kept between runs, and each [`WorkingCopy::sync`] brings both sides up to date.
//!
//! It has the files that the agent may see, through its draft: no dot-folders, no symlinks. New files are copied,
//! never linked. `known.json` has, for each file, the content that both sides last had in common. A file that is gone
//! and a new one are a rename if they are the same file or have the same content. A file that may still exist, such as
//! under a new name that was refused, does not count as removed. A new copy starts without `known.json`, so a missing
//! file was not removed by anyone; files that the sync removes are listed there first, so that a kill does not make
//! them removals of the program.
//!
//! The engine's `apply` changes the copy: it compares with what was read and follows no symlink, because the copy
//! belongs to an attacker.

mod files;
mod known;
mod left_out;
mod look;
mod steps;
mod sync;
mod take;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use vault_engine::{Overlay, Progress, Vault, VaultPath};

use self::files::{Stamp, Tree, open_to_owner};
use self::known::Known;
use self::look::Looked;
use crate::error::Error;
use protocol::{Failure, digest::sha256};
use sandbox::{KeptFolder, Made, PrivateFolder};

/// The folder of the copy, below the folder of the run, and the file that is locked.
const COPY: &str = "copy";
const LOCK: &str = "lock";

/// The folder for changes of notes that were closed, next to the copy.
const ASIDE: &str = "aside";

/// A working copy and its known state.
pub struct WorkingCopy {
    /// The folder of this run, which the program does not see.
    folder: PathBuf,
    private: PrivateFolder,
    /// Locked as long as a run uses the copy.
    _lock: File,
    known: Known,
    /// The files of the draft at the last sync.
    planned: Arc<Overlay>,
    /// The old paths of renamed files whose new paths, the values, were not taken over.
    pending_renames: BTreeMap<VaultPath, VaultPath>,
    /// Changes that were not taken over, by path.
    refused: RefusedFiles,
    /// The differences at the last sync without a program, and the tree of the copy then.
    latest: Option<(BTreeMap<VaultPath, Looked>, Tree)>,
    /// The vault as the last sync saw it, and whether the next one may take that again.
    seen: Option<(Vault, Tree)>,
    is_vault_same: bool,
    /// The start of the run, if a program runs or has run.
    begun: Option<RunStart>,
    /// Hears how many changes were taken over, while no program runs.
    progress: Option<Arc<dyn Progress>>,
    /// Set by a person who does not want to wait until all is taken over.
    stop: Arc<AtomicBool>,
}

/// Files with their stamps at the refusal, and the reason.
type RefusedFiles = BTreeMap<VaultPath, (Option<Stamp>, Failure)>;

/// The state before the program ran, to which a file is reset if the program replaced what was taken over of it.
struct RunStart {
    /// The agent's view of the vault.
    seen: Vault,
    /// The earlier paths of the files that the program changed; `None` for a new file.
    files: BTreeMap<VaultPath, Option<VaultPath>>,
}

/// A change that was taken over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TakenChange {
    /// The path of the file afterwards, or its last path.
    pub path: String,
    /// The change in one line.
    pub line: String,
    /// Whether it was made in the vault itself.
    pub is_direct: bool,
}

/// The changes that one sync recorded, and those that it did not.
#[derive(Debug, Default)]
pub struct Synced {
    /// The changes that were taken over.
    pub taken: Vec<TakenChange>,
    /// Whether a file waits until it is left alone.
    pub waits: bool,
    /// Reason why a change could not be taken over.
    pub trouble: Option<Failure>,
    /// Number of changes not taken over because of `trouble`, or because a person stopped it.
    pub left: usize,
    /// Number of failed attempts to take over several files.
    failed: usize,
}

impl WorkingCopy {
    /// Opens the working copy of this agent for this vault, or begins one.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if a run of the same agent uses it; `IO_ERROR` if it cannot be made.
    pub fn open(state: &Path, vault: &Path, agent: Option<&str>) -> Result<Self, Failure> {
        Self::opened(state, vault, agent, true)
    }

    /// The working copy of this agent for this vault, also while a run uses it. It must not be changed.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be made or read.
    pub fn open_to_look(state: &Path, vault: &Path, agent: Option<&str>) -> Result<Self, Failure> {
        Self::opened(state, vault, agent, false)
    }

    fn opened(
        state: &Path,
        vault: &Path,
        agent: Option<&str>,
        is_locked: bool,
    ) -> Result<Self, Failure> {
        let folder = Self::place(state, vault, agent);
        let private = |unsafe_folder: sandbox::Unsafe| {
            unsafe_folder.into_failure("the folder of the working copy")
        };
        let private = PrivateFolder::create(&folder).map_err(private)?;
        let lock = fs_err::File::create(folder.join(LOCK)).map_err(unwritable)?;
        let lock = lock.into_file();
        if is_locked && lock.try_lock().is_err() {
            return Err(Error::CopyInUse.into());
        }
        let known = match fs_err::create_dir(folder.join(COPY)) {
            // A file that a new copy lacks was not removed by a program.
            Ok(()) => Known::default(),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Known::read(&private),
            Err(error) => return Err(unwritable(error)),
        };
        // An earlier program may have closed it.
        open_to_owner(&folder.join(COPY), &VaultPath::root());
        Ok(Self {
            folder,
            private,
            _lock: lock,
            known,
            planned: Arc::default(),
            pending_renames: BTreeMap::new(),
            refused: BTreeMap::new(),
            latest: None,
            seen: None,
            is_vault_same: false,
            begun: None,
            progress: None,
            stop: Arc::default(),
        })
    }

    /// Returns the folder of the copies of an agent. A hash, so that no name is a path.
    fn place(state: &Path, vault: &Path, agent: Option<&str>) -> PathBuf {
        let agent = agent.map_or_else(|| "-".to_owned(), |agent| format!("agent {agent}"));
        let vault = sha256(vault.as_os_str().as_encoded_bytes());
        let name = sha256(format!("{vault} {agent}").as_bytes());
        state.join("runs").join(name)
    }

    /// Whether runs of this agent have left a working copy for this vault.
    pub fn exists(state: &Path, vault: &Path, agent: &str) -> bool {
        Self::place(state, vault, Some(agent)).join(COPY).is_dir()
    }

    /// Sets the progress to which the copy reports how many changes were recorded while no program runs.
    #[must_use]
    pub fn with_progress(self, progress: Option<Arc<dyn Progress>>) -> Self {
        Self { progress, ..self }
    }

    /// Returns the flag that stops taking over changes. Further changes stay in the copy.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Returns the folder that the program sees as the vault.
    pub fn root(&self) -> PathBuf {
        self.folder.join(COPY)
    }

    /// Makes an empty folder with this name in the copy, over which another one is shown. Something else that a
    /// program left there is removed.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be made.
    pub fn make_room(&self, name: &str) -> Result<(), Failure> {
        let copy = KeptFolder::open(&self.root());
        let made = copy.and_then(|copy| copy.make(Path::new(name), Made::Folder));
        made.map_err(unwritable)
    }

    /// Returns the folder around it, which only the outside sees.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the paths that were not taken over, with the reason.
    pub fn refused(&self) -> impl Iterator<Item = (&VaultPath, &Failure)> {
        self.refused
            .iter()
            .map(|(path, (_, failure))| (path, failure))
    }

    /// Compares again the content of files that were written since this moment: if a program writes a file twice
    /// through a memory map, the second write does not change the file's times.
    pub fn compare_again(&mut self, since: SystemTime) {
        let since = since
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        for known in self.known.files.values_mut() {
            known.theirs = known.theirs.filter(|stamp| stamp.is_before(since));
        }
    }

    /// Remembers the agent's view of the last sync as the state before the program runs.
    pub fn begin(&mut self) {
        self.begun = self.seen.as_ref().map(|(seen, _)| RunStart {
            seen: seen.clone(),
            files: BTreeMap::new(),
        });
    }

    /// Whether the vault, its draft and its rules are certainly as the last sync saw them, so that the next one need not
    /// look at them.
    pub fn set_vault_same(&mut self, is_same: bool) {
        self.is_vault_same = is_same;
    }

    /// Number of files in the copy, as far as it was brought up to date.
    pub fn count(&self) -> usize {
        self.known.files.len()
    }

    /// Deletes the copy, with the changes that were not taken over.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be removed.
    pub fn discard(self) -> Result<(), Failure> {
        // Without the stored state, files missing in a partly deleted copy do not count as removed by a program.
        let removed = Known::forget(&self.folder).and_then(|()| {
            for entry in fs_err::read_dir(&self.folder)? {
                let entry = entry?;
                // As long as the file with the lock is there, no other run begins.
                if entry.file_type()?.is_dir() {
                    remove_all(&entry.path())?;
                } else if entry.file_name() != LOCK {
                    fs_err::remove_file(entry.path())?;
                }
            }
            Ok(())
        });
        removed.map_err(unwritable)
    }

    /// Returns the files set aside by this run or an earlier one: changes of notes that are not open to the agent any
    /// more.
    pub fn aside(&self) -> Vec<PathBuf> {
        let entries = fs_err::read_dir(self.folder.join(ASIDE));
        let entries = entries.into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

/// Removes a folder that a program has filled: it may be deeper than a path can be long, and its folders may be
/// closed. So each folder in it is emptied into the outermost one.
fn remove_all(outermost: &Path) -> std::io::Result<()> {
    fs_err::set_permissions(outermost, Permissions::from_mode(0o700))?;
    loop {
        let mut is_empty = true;
        for entry in fs_err::read_dir(outermost)? {
            is_empty = false;
            let folder = entry?;
            if !folder.file_type()?.is_dir() {
                fs_err::remove_file(folder.path())?;
                continue;
            }
            let folder = folder.path();
            fs_err::set_permissions(&folder, Permissions::from_mode(0o700))?;
            for inner in fs_err::read_dir(&folder)? {
                let inner = inner?;
                if inner.file_type()?.is_dir() {
                    // Only a folder that can be written can be moved.
                    fs_err::set_permissions(inner.path(), Permissions::from_mode(0o700))?;
                    let name = uuid::Uuid::new_v4().to_string();
                    fs_err::rename(inner.path(), outermost.join(name))?;
                } else {
                    fs_err::remove_file(inner.path())?;
                }
            }
            fs_err::remove_dir(folder)?;
        }
        if is_empty {
            return fs_err::remove_dir(outermost);
        }
    }
}

fn unwritable(error: std::io::Error) -> Failure {
    Error::CopyNotWritten(error).into()
}

//! Files with several hard links (`threats.toml` D17): a name that a caller can see must not open a file that has
//! another name in the vault which it cannot see.
//!
//! A file has a count of its names, but not the names. So only a file with several of them costs a search for the
//! others, once for each call.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::sync::{Arc, OnceLock};

use obsidian_note::VaultPath;
use obsidian_note::name;

use super::{Disk, EntryKind, FileStamp, Folder, Obstacle, list, named};

/// Whether the caller can see a file, by its path alone.
type SeesFile = dyn Fn(&VaultPath) -> bool + Send + Sync;

/// The known facts of the files with several names.
pub(super) struct SeveralNames {
    sees: Arc<SeesFile>,
    /// The paths, each with the number of its file, of the files of which the caller sees every name.
    open: OnceLock<BTreeSet<(VaultPath, u64)>>,
}

/// The names of one file in the vault.
#[derive(Default)]
struct FileNames {
    seen: Vec<VaultPath>,
    /// Whether there is a name that the caller cannot see.
    has_closed: bool,
}

impl Disk {
    /// Returns the same folder, for a caller that reads a file with several names only if it sees all of those in the
    /// vault.
    #[must_use]
    pub(crate) fn with_all_names_seen(self, sees: Arc<SeesFile>) -> Self {
        let open = OnceLock::new();
        Self {
            several_names: Some(Arc::new(SeveralNames { sees, open })),
            ..self
        }
    }

    /// Returns the same folder, regardless of other names of its files.
    #[must_use]
    pub(crate) fn with_any_names(self) -> Self {
        Self {
            several_names: None,
            ..self
        }
    }

    /// Whether the other names of a file matter.
    pub fn minds_other_names(&self) -> bool {
        self.several_names.is_some()
    }

    /// Whether the caller can read the file with this stamp at this path, as far as its other names are concerned.
    pub fn opens(&self, path: &VaultPath, stamp: &FileStamp) -> bool {
        match &self.several_names {
            Some(names) if stamp.has_other_names => {
                // A name that is not known closes the file: the search could not be completed, or it is older.
                let open = names
                    .open
                    .get_or_init(|| self.open_names(&*names.sees).unwrap_or_default());
                open.contains(&(path.clone(), stamp.inode))
            }
            _ => true,
        }
    }

    /// Whether other names close the file at this path.
    pub fn closes_name(&self, path: &VaultPath) -> bool {
        // A folder has several names too, one for each folder in it. So this opens the file, and nothing else.
        let is_closed = |folder: &Folder| {
            let file = named(folder, path.name(), Folder::file);
            file.is_ok_and(|(_, stamp)| !self.opens(path, &stamp))
        };
        self.minds_other_names()
            && !path.is_root()
            && self
                .folder_to_read(&path.parent())
                .is_ok_and(|folder| is_closed(&folder))
    }

    /// Returns every path of the files with several names of which the caller sees all; looks into hidden folders too.
    fn open_names(&self, sees: &SeesFile) -> io::Result<BTreeSet<(VaultPath, u64)>> {
        let mut files: BTreeMap<u64, FileNames> = BTreeMap::new();
        // Folders by the names that lead to them, and their path if it is not hidden. They are opened one at a
        // time, so that a wide vault needs no more descriptors.
        let mut pending: Vec<(Vec<OsString>, Option<VaultPath>)> =
            vec![(Vec::new(), Some(VaultPath::root()))];
        while let Some((names, path)) = pending.pop() {
            if self.cancellation.is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let Some(folder) = self.folder_by_names(&names)? else {
                continue;
            };
            for entry in list(&folder)? {
                let child = path
                    .as_ref()
                    .and_then(|path| path.join(&name::from_disk(&entry.name)?).ok());
                match entry.kind {
                    EntryKind::Folder => {
                        let below = names.iter().cloned().chain([entry.name]).collect();
                        pending.push((below, child));
                    }
                    EntryKind::File => {
                        let Ok(stamp) = folder.stamp(&entry.name) else {
                            continue;
                        };
                        if stamp.has_other_names {
                            let file = files.entry(stamp.inode).or_default();
                            match child.filter(|path| sees(path)) {
                                Some(path) => file.seen.push(path),
                                None => file.has_closed = true,
                            }
                        }
                    }
                    EntryKind::Symlink | EntryKind::Special => {}
                }
            }
        }
        let open = files.into_iter().filter(|(_, file)| !file.has_closed);
        let open =
            open.flat_map(|(inode, file)| file.seen.into_iter().map(move |path| (path, inode)));
        Ok(open.collect())
    }

    /// Returns the folder that these names on disk lead to; `None` if it is gone.
    fn folder_by_names(&self, names: &[OsString]) -> io::Result<Option<Folder>> {
        let mut folder = self.root.again()?;
        for name in names {
            folder = match folder.folder(name) {
                Ok(folder) => folder,
                Err(Obstacle::Io(error)) => return Err(error),
                Err(_) => return Ok(None),
            };
        }
        Ok(Some(folder))
    }
}

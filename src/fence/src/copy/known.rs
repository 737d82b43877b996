//! The state of both sides when they were last equal, kept between runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use vault_engine::{VaultPath, Version};

use super::files::Stamp;
use protocol::{
    Failure,
    digest::{from_hexadecimal, hexadecimal},
};
use sandbox::PrivateFolder;

/// The file with this state, next to the copy.
const FILE: &str = "known.json";

/// Most bytes of that file: some 250 for each file of the vault.
const MOST_BYTES: u64 = 1 << 30;

/// The state of one file when both sides were equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownFile {
    pub(super) content: Version,
    /// The stamp of the file in the copy.
    pub(super) theirs: Option<Stamp>,
    /// The file as the agent sees it in the vault.
    pub(super) ours: Option<Stamp>,
}

/// The states of all files and folders when both sides were equal.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) files: BTreeMap<VaultPath, KnownFile>,
    pub(super) folders: BTreeSet<VaultPath>,
    /// Files and folders that are being removed from the copy. If they are missing, the program did not remove them.
    pub(super) leaving: BTreeSet<VaultPath>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEntry {
    files: BTreeMap<String, (String, u64, Option<Stamp>, Option<Stamp>)>,
    folders: BTreeSet<String>,
    #[serde(default)]
    leaving: BTreeSet<String>,
}

impl Known {
    /// Reads the stored state. If it is missing or invalid, both sides are compared by content.
    pub(super) fn read(folder: &PrivateFolder) -> Self {
        let bytes = folder.read(OsStr::new(FILE), MOST_BYTES).ok();
        let stored = bytes.and_then(|bytes| serde_json::from_slice::<StoredEntry>(&bytes).ok());
        let Some(stored) = stored else {
            return Self::default();
        };
        let file = |(path, (sha256, size, theirs, ours)): (String, (String, u64, _, _))| {
            let sha256 = from_hexadecimal(&sha256)?;
            let known = KnownFile {
                content: Version { size, sha256 },
                theirs,
                ours,
            };
            Some((VaultPath::file(&path).ok()?, known))
        };
        let paths = |paths: BTreeSet<String>| {
            paths
                .iter()
                .filter_map(|path| VaultPath::folder(path).ok())
                .collect()
        };
        Self {
            files: stored.files.into_iter().filter_map(file).collect(),
            folders: paths(stored.folders),
            leaving: paths(stored.leaving),
        }
    }

    /// Removes what was stored.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub(super) fn forget(folder: &Path) -> io::Result<()> {
        match fs_err::remove_file(folder.join(FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Stores it. It is not a promise: without it, both sides are compared by content.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if it cannot be written.
    pub(super) fn write(&self, folder: &PrivateFolder) -> Result<(), Failure> {
        let files = self.files.iter().map(|(path, known)| {
            let Version { size, sha256 } = known.content;
            let stored = (hexadecimal(&sha256), size, known.theirs, known.ours);
            (path.to_string(), stored)
        });
        let stored = StoredEntry {
            files: files.collect(),
            folders: self.folders.iter().map(VaultPath::to_string).collect(),
            leaving: self.leaving.iter().map(VaultPath::to_string).collect(),
        };
        let bytes = serde_json::to_vec(&stored).unwrap_or_default();
        folder
            .replace(OsStr::new(FILE), &bytes)
            .map_err(|error| error.into_failure("the list of the working copy"))
    }
}

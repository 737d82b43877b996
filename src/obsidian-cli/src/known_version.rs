//! Caches the app's version per binary and app instance: in memory for a server, and in a private
//! file of the cache folder for the next process. So most calls need no second start of the binary.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::version::AppVersion;
use sandbox::{PrivateFolder, private_dir};

/// The name of the cache file.
const FILE: &str = "app-version.json";

/// Maximum size of the cache file in bytes, far above what is needed.
const MAX_FILE_BYTES: u64 = 4096;

/// A cached answer to the question for the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VersionAnswer {
    /// The version that the app printed.
    Version(AppVersion),
    /// The app did not answer with a version.
    NoVersion,
}

/// The last answer, with its cache key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    of: String,
    /// The version as printed; `None` if the answer was not a version.
    version: Option<String>,
}

/// The cache. If its file cannot be read or written, the next process asks the app again.
#[derive(Debug, Default)]
pub(super) struct KnownVersion {
    folder: Option<PathBuf>,
    memory: Mutex<Option<Remembered>>,
}

impl KnownVersion {
    /// Creates a cache in memory and, if there is a cache `folder`, on disk.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            memory: Mutex::default(),
        }
    }

    /// Returns the cached answer for the key `of`. A cache file inside the vault is ignored, because anyone who can
    /// write notes could write it.
    pub(super) fn recall(&self, of: &str, vault_root: &Path) -> Option<VersionAnswer> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.as_ref().is_none_or(|remembered| remembered.of != of) {
            let read = self
                .file_outside(vault_root)
                .and_then(|file| private_dir::read(&file, MAX_FILE_BYTES).ok())
                .and_then(|bytes| serde_json::from_slice::<Remembered>(&bytes).ok());
            *memory = Some(read.filter(|remembered| remembered.of == of)?);
        }
        let version = memory.as_ref()?.version.as_deref();
        Some(
            version
                .and_then(AppVersion::parse)
                .map_or(VersionAnswer::NoVersion, VersionAnswer::Version),
        )
    }

    /// Caches an answer. A missing version is cached in memory only, because the next process may
    /// get a better answer.
    pub(super) fn remember(&self, of: String, known: VersionAnswer, vault_root: &Path) {
        let version = match known {
            VersionAnswer::Version(version) => Some(version.to_string()),
            VersionAnswer::NoVersion => None,
        };
        let remembered = Remembered { of, version };
        if remembered.version.is_some()
            && let Some(file) = self.file_outside(vault_root)
            && let Ok((folder, name)) = private_dir::split(&file)
            && let Ok(bytes) = serde_json::to_vec(&remembered)
        {
            // Best effort: without the file the next process asks the app again.
            let _unwritten =
                PrivateFolder::create(folder).and_then(|folder| folder.replace(name, &bytes));
        }
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = Some(remembered);
    }

    fn file_outside(&self, vault_root: &Path) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        // The cache folder may not exist yet, so resolve its nearest existing ancestor.
        let place = folder
            .ancestors()
            .find_map(|place| fs_err::canonicalize(place).ok())?;
        (!place.starts_with(vault_root)).then(|| folder.join(FILE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_remembered_by_another_process_for_the_same_binary_and_app_only() {
        let folder = tempfile::tempdir().unwrap();
        let vault = Path::new("/nowhere");
        let cache = Some(folder.path().join("cache"));
        let version =
            VersionAnswer::Version(AppVersion::parse("1.12.4 (installer 1.11.7)").unwrap());
        KnownVersion::new(cache.clone()).remember("a".to_owned(), version, vault);

        let later = KnownVersion::new(cache.clone());
        assert_eq!(later.recall("b", vault), None);
        assert_eq!(later.recall("a", vault), Some(version));
        later.remember("b".to_owned(), VersionAnswer::NoVersion, vault);
        assert_eq!(later.recall("b", vault), Some(VersionAnswer::NoVersion));
        assert_eq!(KnownVersion::new(cache.clone()).recall("b", vault), None);

        let root = fs_err::canonicalize(folder.path()).unwrap();
        let within = KnownVersion::new(cache.clone());
        assert_eq!(within.recall("a", &root), None, "a file within the vault");

        fs_err::write(folder.path().join("cache").join(FILE), "{").unwrap();
        assert_eq!(KnownVersion::new(cache).recall("a", vault), None, "torn");
    }
}

//! The app's version, asked for once for each binary and app: in memory for a server, in a private
//! file of the cache folder for the next process, so that most calls pay no second start.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::version::AppVersion;
use crate::settings::private_file::{self, Folder};

/// The name of the file in the cache folder.
const FILE: &str = "app-version.json";

/// Far above what the file holds, in bytes.
const MAX_FILE_BYTES: u64 = 4096;

/// What an app answered when it was asked for its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// A version.
    Version(AppVersion),
    /// Something else, or nothing.
    NoVersion,
}

/// The last answer, and the binary and app that gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    of: String,
    /// As it was printed; none where the answer was no version.
    version: Option<String>,
}

/// What is remembered between calls. A failure to read or write the file costs one more start of
/// the binary and nothing else.
#[derive(Debug, Default)]
pub(super) struct KnownVersion {
    folder: Option<PathBuf>,
    memory: Mutex<Option<Remembered>>,
}

impl KnownVersion {
    /// Remembers in memory, and in the cache `folder` where there is one.
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            memory: Mutex::default(),
        }
    }

    /// The answer of the binary and app that `of` names, as far as it is remembered. A file within
    /// the vault is not believed: whoever writes notes could write it.
    pub(super) fn recall(&self, of: &str, vault_root: &Path) -> Option<Known> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.as_ref().is_none_or(|remembered| remembered.of != of) {
            let read = self
                .file_outside(vault_root)
                .and_then(|file| private_file::read(&file, MAX_FILE_BYTES).ok())
                .and_then(|bytes| serde_json::from_slice::<Remembered>(&bytes).ok());
            *memory = Some(read.filter(|remembered| remembered.of == of)?);
        }
        let version = memory.as_ref()?.version.as_deref();
        Some(
            version
                .and_then(AppVersion::parse)
                .map_or(Known::NoVersion, Known::Version),
        )
    }

    /// Remembers an answer; one that was no version in memory only, since the next process may
    /// get a better one.
    pub(super) fn remember(&self, of: String, known: Known, vault_root: &Path) {
        let version = match known {
            Known::Version(version) => Some(version.to_string()),
            Known::NoVersion => None,
        };
        let remembered = Remembered { of, version };
        if remembered.version.is_some()
            && let Some(file) = self.file_outside(vault_root)
            && let Ok((folder, name)) = private_file::split(&file)
            && let Ok(bytes) = serde_json::to_vec(&remembered)
        {
            // Without the file the next process asks again.
            let _unwritten = Folder::create(folder).and_then(|folder| folder.replace(name, &bytes));
        }
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = Some(remembered);
    }

    fn file_outside(&self, vault_root: &Path) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
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
        let version = Known::Version(AppVersion::parse("1.12.4 (installer 1.11.7)").unwrap());
        KnownVersion::new(cache.clone()).remember("a".to_owned(), version, vault);

        let later = KnownVersion::new(cache.clone());
        assert_eq!(later.recall("b", vault), None);
        assert_eq!(later.recall("a", vault), Some(version));
        later.remember("b".to_owned(), Known::NoVersion, vault);
        assert_eq!(later.recall("b", vault), Some(Known::NoVersion));
        assert_eq!(KnownVersion::new(cache.clone()).recall("b", vault), None);

        let root = fs_err::canonicalize(folder.path()).unwrap();
        let within = KnownVersion::new(cache.clone());
        assert_eq!(within.recall("a", &root), None, "a file within the vault");

        fs_err::write(folder.path().join("cache").join(FILE), "{").unwrap();
        assert_eq!(KnownVersion::new(cache).recall("a", vault), None, "torn");
    }
}

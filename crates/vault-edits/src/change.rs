//! One step of an edit.

use std::time::Duration;

use obsidian_note::VaultPath;
use vault_files::Version;

use super::diff::unified;

/// One step of an edit, and the state that it requires.
///
/// A step never overwrites what its edit did not see: a new file needs a free place, and a changed file must still
/// contain the bytes from which the change was computed (`vault-semantics.md` §7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Makes a folder. Its parent exists, or an earlier step makes it.
    MakeFolder {
        /// The folder, which must not exist.
        path: VaultPath,
    },
    /// Creates a file with all of its bytes.
    Create {
        /// The file, which must not exist.
        path: VaultPath,
        /// All of its bytes.
        after: Vec<u8>,
    },
    /// Replaces the content of a file; its mode stays.
    Modify {
        /// The file, whose content must be `before`.
        path: VaultPath,
        /// All of its bytes before the step.
        before: Vec<u8>,
        /// All of its bytes afterwards.
        after: Vec<u8>,
    },
    /// Moves a file with its content.
    Move {
        /// Its path before the step; its content must be `version`.
        from: VaultPath,
        /// Its path after the step. Nothing may exist there, except the same file under another
        /// spelling of its name. May be below `.trash`, which no other step can name.
        to: VaultPath,
        /// The content that the file must have.
        version: Version,
    },
    /// Removes a file permanently.
    Remove {
        /// The file, whose content must be `version`.
        path: VaultPath,
        /// The content that the file must have.
        version: Version,
    },
    /// Removes an empty folder: when an edit is undone, and after all files of a folder were moved.
    RemoveFolder {
        /// The folder, which must be empty.
        path: VaultPath,
    },
}

impl Change {
    pub(super) const fn modify(path: VaultPath, before: Vec<u8>, after: Vec<u8>) -> Self {
        Self::Modify {
            path,
            before,
            after,
        }
    }

    /// As [`Self::modify`], in a list that is empty if the content stays the same.
    pub(super) fn modified(path: VaultPath, before: Vec<u8>, after: Vec<u8>) -> Vec<Self> {
        if before == after {
            Vec::new()
        } else {
            vec![Self::modify(path, before, after)]
        }
    }

    /// Returns the unified diff of a text that it creates or changes, which `patch` and `git apply` understand; `None` for
    /// other steps. Bytes that are not UTF-8 become U+FFFD; such a diff can only be read, not applied. The search for a
    /// short diff takes at most `time`.
    pub fn diff(&self, time: Duration) -> Option<String> {
        let (path, before, after) = match self {
            Self::Create { path, after } => (path, None, after),
            Self::Modify {
                path,
                before,
                after,
            } => (path, Some(before.as_slice()), after),
            Self::MakeFolder { .. }
            | Self::Move { .. }
            | Self::Remove { .. }
            | Self::RemoveFolder { .. } => return None,
        };
        Some(unified(path.as_str(), before, Some(after), time))
    }

    /// Returns the paths that it touches: one, or for a move the old path and then the new one.
    pub fn paths(&self) -> impl Iterator<Item = &VaultPath> {
        let (path, from) = match self {
            Self::MakeFolder { path }
            | Self::Create { path, .. }
            | Self::Modify { path, .. }
            | Self::Remove { path, .. }
            | Self::RemoveFolder { path } => (path, None),
            Self::Move { from, to, .. } => (to, Some(from)),
        };
        from.into_iter().chain([path])
    }
}

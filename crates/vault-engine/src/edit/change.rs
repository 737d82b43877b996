//! One step of an edit.

use crate::path::VaultPath;

/// One step of an edit, and what must be there for it to be taken.
///
/// A step never overwrites what its edit did not see: a new file needs a free place, a changed file
/// must still hold the bytes it was worked out from (`vault-semantics.md` §7.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A folder is made. The one above it is there, or made by an earlier step.
    MakeFolder {
        /// The folder, which must not exist.
        path: VaultPath,
    },
    /// A new file is made.
    Create {
        /// The file, which must not exist.
        path: VaultPath,
        /// All of its bytes.
        after: Vec<u8>,
    },
    /// A file gets other content; its mode stays.
    Modify {
        /// The file.
        path: VaultPath,
        /// Its bytes now.
        before: Vec<u8>,
        /// All of its bytes afterwards.
        after: Vec<u8>,
    },
    /// A file goes to another place, with its content.
    Move {
        /// Where it is.
        from: VaultPath,
        /// Where it goes; nothing may be there, but for the same file under another spelling of
        /// its name. May be below `.trash`, which no other step can name.
        to: VaultPath,
        /// What it holds.
        version: Version,
    },
    /// A file is removed for good.
    Remove {
        /// The file.
        path: VaultPath,
        /// What it holds.
        version: Version,
    },
    /// An empty folder is removed: by undoing, and when its files were moved away together.
    RemoveFolder {
        /// The folder.
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

    /// The paths that it touches: one, or for a move the old and then the new one.
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

/// Identifies the content of a file without holding it in memory: attachments are moved and removed
/// too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Bytes.
    pub size: u64,
    /// SHA-256.
    pub sha256: [u8; 32],
}

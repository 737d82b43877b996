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
    /// An empty folder is removed. Only undoing does that.
    RemoveFolder {
        /// The folder.
        path: VaultPath,
    },
}

impl Change {
    /// The path that it is about, and where it moves a file the one that it comes from.
    pub(super) fn paths(&self) -> impl Iterator<Item = &VaultPath> {
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

/// The content of a file, as far as it must be told from another. Attachments are moved and removed
/// too, so it is not held in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Bytes.
    pub size: u64,
    /// SHA-256.
    pub sha256: [u8; 32],
}

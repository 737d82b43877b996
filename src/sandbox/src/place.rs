//! The places of a fence's file tree, and their contents.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A place of the tree, and its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The path inside the fence.
    #[serde(with = "any_path")]
    pub at: PathBuf,
    /// The content of the place.
    pub content: Content,
}

/// The content of a place. Deeper places cover others among the first four kinds; the next kind covers them, and the
/// last kind covers all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// A folder in memory that contains only the places below it.
    Private(Access),
    /// The same file or folder as outside. Left out if it does not exist.
    Same(Access),
    /// A folder of ours of the outside, which can be written and is kept. What a program left there is
    /// not trusted.
    Kept {
        /// The path outside the fence.
        #[serde(with = "any_path")]
        from: PathBuf,
    },
    /// A file or folder of the outside in an empty or kept folder, for reading. Left out if there is
    /// nothing, or something else is shown there.
    Lent {
        /// The real path outside the fence.
        #[serde(with = "any_path")]
        from: PathBuf,
    },
    /// An empty place, even if the path exists outside.
    Hidden,
    /// Another file or folder from outside.
    Other {
        /// The path outside the fence.
        #[serde(with = "any_path")]
        from: PathBuf,
        /// The allowed access.
        access: Access,
    },
}

/// The allowed access to the files at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Access {
    /// Reading and executing.
    Read,
    /// Reading, executing and writing.
    Write,
}

impl Place {
    fn showing(at: impl Into<PathBuf>, content: Content) -> Self {
        let at = at.into();
        Self { at, content }
    }

    /// Builds a place with the same file or folder as outside, at the same path.
    pub fn same(at: impl Into<PathBuf>, access: Access) -> Self {
        Self::showing(at, Content::Same(access))
    }

    /// Returns a folder of ours, at another path.
    pub fn kept(from: impl Into<PathBuf>, at: impl Into<PathBuf>) -> Self {
        Self::showing(at, Content::Kept { from: from.into() })
    }

    /// Returns a file or folder of the outside for reading, at another path.
    pub fn lent(from: impl Into<PathBuf>, at: impl Into<PathBuf>) -> Self {
        Self::showing(at, Content::Lent { from: from.into() })
    }

    /// Builds a place where the path is hidden.
    pub fn hidden(at: impl Into<PathBuf>) -> Self {
        Self::showing(at, Content::Hidden)
    }

    /// Returns a folder in memory at this path.
    pub fn private(at: impl Into<PathBuf>, access: Access) -> Self {
        Self::showing(at, Content::Private(access))
    }

    /// Returns the file or folder at `from` outside, at another path.
    pub fn other(from: &Path, at: impl Into<PathBuf>, access: Access) -> Self {
        Self::showing(
            at,
            Content::Other {
                from: from.to_owned(),
                access,
            },
        )
    }

    /// Returns the order in which places are made: a later place may cover an earlier one.
    pub(super) fn rank(&self) -> (u8, usize, u8) {
        let (kind, detail) = match self.content {
            Content::Private(_) => (0, 0),
            Content::Kept { .. } => (0, 1),
            Content::Same(_) | Content::Lent { .. } => (0, 2),
            Content::Hidden => (1, 0),
            Content::Other { .. } => (2, 0),
        };
        (kind, self.at.components().count(), detail)
    }

    /// Whether the place shows no file or folder of the outside.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self.content, Content::Private(_) | Content::Kept { .. })
    }

    /// Returns the allowed access to the content.
    pub(super) fn access(&self) -> Access {
        match self.content {
            Content::Same(access) | Content::Other { access, .. } | Content::Private(access) => {
                access
            }
            Content::Kept { .. } => Access::Write,
            Content::Hidden | Content::Lent { .. } => Access::Read,
        }
    }
}

/// A path as the bytes that it is in a message, because it may not be UTF-8.
pub mod any_path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    /// Writes a path.
    ///
    /// # Errors
    ///
    /// Those of the format.
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    /// Reads a path.
    ///
    /// # Errors
    ///
    /// Those of the format.
    pub fn deserialize<'a, D: Deserializer<'a>>(reader: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(reader).map(PathBuf::from)
    }
}

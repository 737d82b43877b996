//! Checks whether other users could replace a binary: its owner and mode, and those of every folder
//! above it (`threats.toml` C02).

use serde::Serialize;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{FileFacts, check, judge};
#[cfg(windows)]
pub use windows::check;

/// Reason why a binary is not trusted. Its name in `details.reason` never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Distrust {
    /// The file belongs to neither this user nor root.
    #[error("the file belongs to another user")]
    FileOwner,
    /// Other users may write to the file.
    #[error("other users can change the file")]
    FileWritable,
    /// A folder above it, or a link to it, belongs to neither this user nor root.
    #[error("another user owns a folder above it, or a symbolic link to it")]
    FolderOwner,
    /// Other users may write to a folder above it.
    #[error("other users can change a folder above it")]
    FolderWritable,
    /// The owner or mode of the file could not be read.
    #[error("its owner and permissions could not be read")]
    Unreadable,
}

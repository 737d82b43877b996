//! The content of a file, by its hash.

use sha2::{Digest as _, Sha256};

/// Identifies the content of a file without reading it into memory as a whole, because large attachments are moved and
/// removed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 hash of all bytes.
    pub sha256: [u8; 32],
}

impl Version {
    /// Returns the version of a file with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            size: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            sha256: Sha256::digest(bytes).into(),
        }
    }
}

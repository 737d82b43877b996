//! The parts of an index that is not complete yet, in a file next to the cache file.
//!
//! Reading a large vault can take longer than one call may. The notes that a call has read are appended here, a piece
//! at a time. The next call continues after them, even if this call was killed. Once the index is complete, it is in
//! the cache file, and the pieces are removed.
//!
//! Each piece has a checksum. The file ends at the first damaged one, such as a piece that a killed
//! process did not finish.

use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use foldhash::quality::FixedState;
use vault_files::disk::{append_private, make_private_folder, open_any_place};

use super::cache::FORMAT;

/// The length of a piece and its checksum.
const PREFIX_BYTES: usize = 4 + 8;

/// The pieces of one index of one vault.
pub(super) struct PieceFile {
    path: PathBuf,
    vault: [u8; 32],
}

impl PieceFile {
    /// The pieces at this path, of the vault with this hash.
    pub(super) fn new(path: PathBuf, vault: [u8; 32]) -> Self {
        Self { path, vault }
    }

    /// Calls `each` with the contents of every piece, in the order in which they were added. A
    /// damaged end of the file is cut off, so that the next piece follows a sound one.
    pub(super) fn read(&self, mut each: impl FnMut(&[u8])) {
        let mut bytes = Vec::new();
        let opened = open_any_place(&self.path);
        if opened
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .is_err()
        {
            return;
        }
        let mut rest = bytes.as_slice();
        while let Some((piece, after)) = self.first(rest) {
            each(piece);
            rest = after;
        }
        if !rest.is_empty() {
            let sound = bytes.len() - rest.len();
            // If that fails, the pieces that follow are not found, and are read again.
            u64::try_from(sound)
                .map_err(io::Error::other)
                .and_then(|sound| append_private(&self.path)?.set_len(sound))
                .ok();
        }
    }

    /// Returns the first piece, and the bytes after it; `None` at the end and if it is damaged.
    fn first<'bytes>(&self, bytes: &'bytes [u8]) -> Option<(&'bytes [u8], &'bytes [u8])> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (expected, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (piece, rest) = rest.split_at_checked(length)?;
        (self.checksum(piece) == u64::from_le_bytes(*expected)).then_some((piece, rest))
    }

    /// Adds a piece. If another process adds one at the same time, both may be damaged.
    pub(super) fn append(&self, piece: &[u8]) -> io::Result<()> {
        let length = u32::try_from(piece.len()).map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(PREFIX_BYTES + piece.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(self.checksum(piece).to_le_bytes());
        bytes.extend(piece);
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        append_private(&self.path)?.write_all(&bytes)
    }

    /// Whether there are pieces, usable or not.
    pub(super) fn is_there(&self) -> bool {
        self.path.exists()
    }

    /// Removes the file.
    pub(super) fn remove(&self) {
        fs_err::remove_file(&self.path).ok();
    }

    /// Detects damage, and pieces of another version or vault.
    fn checksum(&self, piece: &[u8]) -> u64 {
        let mut hasher = FixedState::with_seed(0).build_hasher();
        hasher.write_u32(FORMAT);
        hasher.write(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.write(&self.vault);
        hasher.write(piece);
        hasher.finish()
    }
}

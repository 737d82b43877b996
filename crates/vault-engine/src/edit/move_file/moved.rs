//! The file that is moved, as it is now.

use std::fs::File;
use std::io::{self, Read as _};

use sha2::{Digest as _, Sha256};

use super::decoded::Decoded;
use super::piece::Piece;
use crate::cancellation::CancellationToken;
use crate::edit::Version;
use crate::error::EngineError;
use crate::limits::MAX_NOTE_BYTES;
use crate::path::VaultPath;
use crate::vault::Vault;

/// How much of a file is read at once.
const BLOCK: usize = 64 * 1024;

/// The file that is moved.
pub(super) struct Moved {
    pub(super) version: Version,
    /// Its bytes, where links are looked for in them.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Moved {
    /// Reads the file once; attachments may be large, so they are not held.
    pub(super) fn read(vault: &Vault, path: &VaultPath) -> Result<Self, EngineError> {
        let file = vault.disk().file(path).map_err(|blocked| {
            EngineError::from_blocked_file(path.as_str(), vault.seen(blocked))
        })?;
        read(file, path, vault.disk().cancellation())
    }

    /// Where the links of the file, which is at `path`, lead.
    pub(super) fn links(&self, path: &VaultPath) -> Vec<String> {
        let decoded = Decoded::of(self.bytes.as_deref().unwrap_or_default());
        let pieces = Piece::all(path, &decoded.text);
        let references = pieces.into_iter().flat_map(|piece| piece.references);
        references.map(|reference| reference.linkpath).collect()
    }
}

fn read(
    mut file: File,
    path: &VaultPath,
    cancellation: &CancellationToken,
) -> Result<Moved, EngineError> {
    let mut digest = Sha256::new();
    let mut size = 0_u64;
    let mut kept = path.is_indexed().then(Vec::new);
    let mut block = vec![0; BLOCK];
    loop {
        cancellation.check()?;
        let count = match file.read(&mut block) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(EngineError::unreadable(path)(error)),
        };
        let part = block.get(..count).unwrap_or_default();
        digest.update(part);
        size += u64::try_from(count).unwrap_or_default();
        if size > MAX_NOTE_BYTES {
            kept = None;
        }
        if let Some(kept) = &mut kept {
            kept.extend_from_slice(part);
        }
    }
    Ok(Moved {
        version: Version {
            size,
            sha256: digest.finalize().into(),
        },
        bytes: kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::testing::{path, vault};

    #[test]
    fn only_what_may_hold_links_is_kept() {
        let large = "x".repeat(usize::try_from(MAX_NOTE_BYTES).unwrap() + 1);
        let (_folder, vault) = vault(&[("a.md", "abc"), ("a.png", "abc"), ("b.md", &large)]);
        let read = |name| Moved::read(&vault, &path(name)).unwrap();
        let (note, picture, large) = (read("a.md"), read("a.png"), read("b.md"));
        assert_eq!(note.bytes.as_deref(), Some(&b"abc"[..]));
        assert_eq!(note.version.sha256[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!((picture.version, picture.bytes), (note.version, None));
        assert_eq!(
            (large.version.size, large.bytes),
            (MAX_NOTE_BYTES + 1, None)
        );
    }
}

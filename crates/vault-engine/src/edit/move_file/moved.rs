//! The present state of a file that is moved.

use std::io;

use sha2::{Digest as _, Sha256};

use super::decoded::Decoded;
use super::piece::Piece;
use crate::cancellation::CancellationToken;
use crate::edit::{Change, Version};
use crate::error::EngineError;
use crate::limits::MAX_NOTE_BYTES;
use crate::path::VaultPath;
use crate::vault::{PlannedFile, Vault, planned_bytes};

/// The bytes that are read at once.
const BLOCK: usize = 64 * 1024;

/// A file that is moved.
pub(super) struct Moved {
    pub(super) from: VaultPath,
    pub(super) to: VaultPath,
    version: Version,
    /// Its linkpaths, if the file can have links.
    pub(super) links: Vec<String>,
}

impl Moved {
    /// Reads the file once; attachments may be large, so they are not kept in memory.
    pub(super) fn read(vault: &Vault, from: VaultPath, to: VaultPath) -> Result<Self, EngineError> {
        let stop = vault.disk().cancellation();
        let opened = |at: &VaultPath| {
            vault.disk().file(at).map_err(|blocked| {
                EngineError::from_blocked_file(from.as_str(), vault.visible_obstacle(blocked))
            })
        };
        let (version, bytes) = match vault.planned(&from) {
            _ if !vault.sees(&from) => return Err(EngineError::file_not_found(from.as_str())),
            Some(PlannedFile::Gone) => return Err(EngineError::file_not_found(from.as_str())),
            Some(PlannedFile::Bytes(planned)) => read(planned_bytes(planned, &from)?, &from, stop)?,
            Some(PlannedFile::From(origin)) => read(opened(origin)?, &from, stop)?,
            None => read(opened(&from)?, &from, stop)?,
        };
        let decoded = Decoded::from_bytes(bytes.as_deref().unwrap_or_default());
        let pieces = Piece::all(&from, &decoded.text);
        let references = pieces.into_iter().flat_map(|piece| piece.references);
        let links = references.map(|reference| reference.linkpath).collect();
        Ok(Self { from, to, version, links })
    }

    pub(super) fn change(&self) -> Change {
        Change::Move { from: self.from.clone(), to: self.to.clone(), version: self.version }
    }
}

/// Returns the version of a file, and its bytes if it can have links and is not too large.
fn read(
    mut file: impl io::Read,
    path: &VaultPath,
    cancellation: &CancellationToken,
) -> Result<(Version, Option<Vec<u8>>), EngineError> {
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
    let version = Version { size, sha256: digest.finalize().into() };
    Ok((version, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::testing::{path, vault};

    #[test]
    fn only_what_may_hold_links_is_looked_through() {
        let large = "[[x]]".repeat(usize::try_from(MAX_NOTE_BYTES / 5).unwrap() + 1);
        let (_folder, vault) = vault(&[("a.md", "[[x]]"), ("a.png", "[[x]]"), ("b.md", &large)]);
        let read = |name| Moved::read(&vault, path(name), path("c.md")).unwrap();
        let (note, picture, large) = (read("a.md"), read("a.png"), read("b.md"));
        assert_eq!(note.links, ["x"]);
        assert_eq!(note.version, Version::from_bytes(b"[[x]]"));
        assert_eq!((picture.version, picture.links.len()), (note.version, 0));
        assert!(large.version.size > MAX_NOTE_BYTES);
        assert!(large.links.is_empty());
    }
}

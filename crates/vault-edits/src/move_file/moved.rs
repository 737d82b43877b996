//! The present state of a file that is moved.

use obsidian_note::{MAX_WHOLE_BYTES, VaultPath};
use vault_files::vault::planned_bytes;
use vault_files::{EngineError, PlannedFile, Vault, Version};

use super::decoded::Decoded;
use super::piece::Piece;
use crate::Change;
use crate::state::version_of;

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
        let mut bytes = from.is_indexed().then(Vec::new);
        // A file that is too large has no links.
        let fits = |size| u64::try_from(size).is_ok_and(|size| size <= MAX_WHOLE_BYTES);
        let keep = |block: &[u8]| match &mut bytes {
            Some(kept) if fits(kept.len() + block.len()) => kept.extend_from_slice(block),
            _ => bytes = None,
        };
        let version = match vault.planned(&from) {
            _ if !vault.sees(&from) => return Err(EngineError::file_not_found(from.as_str())),
            Some(PlannedFile::Gone) => return Err(EngineError::file_not_found(from.as_str())),
            Some(PlannedFile::Bytes(planned)) => {
                version_of(planned_bytes(planned, &from)?, &from, stop, keep)?
            }
            Some(PlannedFile::From(origin)) => version_of(opened(origin)?, &from, stop, keep)?,
            None => version_of(opened(&from)?, &from, stop, keep)?,
        };
        let decoded = Decoded::from_bytes(bytes.as_deref().unwrap_or_default());
        let pieces = Piece::all(&from, &decoded.text);
        let references = pieces.into_iter().flat_map(|piece| piece.references);
        let links = references.map(|reference| reference.linkpath).collect();
        Ok(Self {
            from,
            to,
            version,
            links,
        })
    }

    pub(super) fn change(&self) -> Change {
        let (from, to, version) = self.step();
        Change::Move { from, to, version }
    }

    /// Returns the old path, the new path and the content.
    pub(super) fn step(&self) -> (VaultPath, VaultPath, Version) {
        (self.from.clone(), self.to.clone(), self.version)
    }
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::{path, vault};

    use super::*;

    #[test]
    fn only_what_may_hold_links_is_looked_through() {
        let (_folder, vault) = vault(&[("a.md", "[[x]]"), ("a.png", "[[x]]"), ("b.md", "[[x]]")]);
        let large = fs_err::File::options()
            .append(true)
            .open(vault.root().join("b.md"));
        large.unwrap().set_len(MAX_WHOLE_BYTES + 1).unwrap();
        let read = |name| Moved::read(&vault, path(name), path("c.md")).unwrap();
        let (note, picture, large) = (read("a.md"), read("a.png"), read("b.md"));
        assert_eq!(note.links, ["x"]);
        assert_eq!(note.version, Version::from_bytes(b"[[x]]"));
        assert_eq!((picture.version, picture.links.len()), (note.version, 0));
        assert!(large.version.size > MAX_WHOLE_BYTES);
        assert!(large.links.is_empty());
    }
}

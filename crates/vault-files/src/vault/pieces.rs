//! A file that is read piece by piece, however large it is (`threats.toml` F17).

use std::io::{Read as _, Seek as _, SeekFrom};

use obsidian_note::{CancellationToken, MAX_WHOLE_BYTES, VaultPath};

use super::Vault;
use super::reading::{Opened, planned_bytes};
use crate::error::EngineError;

/// An open file, of which only one piece is in memory at a time.
pub struct FilePieces {
    file: Opened,
    path: VaultPath,
    size: u64,
    cancellation: CancellationToken,
}

impl Vault {
    /// Opens a file of any size, to read it in pieces.
    ///
    /// # Errors
    ///
    /// As [`Vault::read_bytes`].
    pub fn pieces(&self, path: &VaultPath) -> Result<FilePieces, EngineError> {
        self.pieces_of_target(path, path.as_str())
    }

    /// As [`Self::pieces`]; errors name `target`.
    ///
    /// # Errors
    ///
    /// Fails if the file is missing or cannot be read.
    pub fn pieces_of_target(
        &self,
        path: &VaultPath,
        target: &str,
    ) -> Result<FilePieces, EngineError> {
        if path.is_note() && self.note_rules().is_some() {
            // Fails if a rule closes the note, which a larger one always is.
            let bytes = self.read_up_to(path, target, MAX_WHOLE_BYTES)?;
            bytes.ok_or_else(|| EngineError::file_not_found(target))?;
        }
        let file = self.opened(path, target)?;
        let size = match &file {
            Opened::File(file) => file
                .metadata()
                .map_err(|source| EngineError::io(path, source))?
                .len(),
            Opened::Planned(planned) => planned.content.version().size,
        };
        Ok(FilePieces {
            file,
            path: path.clone(),
            size,
            cancellation: self.disk().cancellation().clone(),
        })
    }
}

impl FilePieces {
    /// Returns the size of the file in bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the bytes from `start` on, `most` of them unless the file ends before.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, and after a cancellation.
    pub fn read(&mut self, start: u64, most: usize) -> Result<Vec<u8>, EngineError> {
        self.cancellation.check()?;
        let limit = u64::try_from(most).unwrap_or(u64::MAX);
        let left = self.size.saturating_sub(start).min(limit);
        let mut file = match &self.file {
            Opened::File(file) => file,
            Opened::Planned(planned) => {
                let rest = usize::try_from(start).ok();
                let bytes = planned_bytes(planned, &self.path)?;
                let rest = rest.and_then(|start| bytes.get(start..));
                return Ok(rest
                    .unwrap_or_default()
                    .iter()
                    .take(most)
                    .copied()
                    .collect());
            }
        };
        let mut bytes = Vec::with_capacity(usize::try_from(left).unwrap_or_default());
        file.seek(SeekFrom::Start(start))
            .and_then(|_| file.take(limit).read_to_end(&mut bytes))
            .map_err(|source| EngineError::io(&self.path, source))?;
        Ok(bytes)
    }
}

/// Returns the length in bytes of a piece of text without an incomplete character at its end.
pub fn whole_characters(piece: &[u8]) -> usize {
    // A character has at most four bytes, and its first byte determines how many.
    let start = piece.len().saturating_sub(3);
    let ending = piece.get(start..).unwrap_or_default();
    let begun = ending.iter().rposition(|byte| *byte >= 0xc0);
    let cut = begun.filter(|at| {
        let length = match ending.get(*at) {
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            _ => 2,
        };
        at + length > ending.len()
    });
    cut.map_or(piece.len(), |at| start + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::testing::{path, vault};

    const CASES: &str = include_str!("pieces_cases.txt");

    #[test]
    fn f17_a_piece_ends_between_characters() {
        for (text, whole) in
            tables::typed::<(&str, usize)>(CASES, "f17 a piece ends between characters")
        {
            let bytes = text.as_bytes();
            assert_eq!(whole_characters(bytes), whole, "{text}");
            let first = text.char_indices().last().map_or(0, |(at, _)| at);
            for cut in first + 1..bytes.len() {
                assert_eq!(whole_characters(&bytes[..cut]), first, "{text} {cut}");
            }
        }
        assert_eq!(whole_characters(b"a\x80\x80\x80\x80"), 5);
    }

    #[test]
    fn f17_a_file_is_read_from_any_place() {
        let (_folder, vault) = vault(&[("a.md", "0123456789")]);
        let mut file = vault.pieces(&path("a.md")).unwrap();
        assert_eq!(file.size(), 10);
        assert_eq!(file.read(8, 5).unwrap(), b"89");
        assert_eq!(file.read(0, 3).unwrap(), b"012");
        assert_eq!(file.read(20, 3).unwrap(), b"");
        assert_eq!(file.read(8, usize::MAX).unwrap(), b"89");
    }

    #[test]
    fn f17_what_is_too_large_to_hold_is_refused_unread() {
        let (folder, vault) = vault(&[("a.md", "")]);
        let file = fs_err::OpenOptions::new()
            .write(true)
            .open(folder.path().join("My Notes/a.md"))
            .unwrap();
        file.file()
            .set_len(obsidian_note::MAX_WHOLE_BYTES + 1)
            .unwrap();
        let error = vault.read_bytes(&path("a.md")).unwrap_err();
        assert!(
            matches!(error, EngineError::TooLargeToHold { .. }),
            "{error}"
        );
        file.file().set_len(obsidian_note::MAX_WHOLE_BYTES).unwrap();
        assert!(vault.read_bytes(&path("a.md")).is_ok());
    }
}

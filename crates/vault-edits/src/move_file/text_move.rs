//! The text of a note that gets into another note, as links see it.

use std::sync::Arc;

use obsidian_note::{EditMiss, NoteFacts, VaultPath};
use serde::{Deserialize, Serialize};
use vault_files::{EngineError, LinkFormat};

use super::decoded::Decoded;
use super::piece::Piece;
use super::places::{Composed, Places};
use super::shift::Shift;

/// The text of a note that gets into another note: all of it (`note:merge`), or a part (`note:extract`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextMove {
    /// The note that has the text before.
    pub(crate) from: VaultPath,
    /// The note that has it afterwards.
    pub(crate) to: VaultPath,
    /// Whether all of the text moves, and the note is removed.
    pub(crate) is_whole: bool,
    /// The linkpaths of the note.
    pub(super) links: Vec<String>,
    pub(super) places: Places,
}

impl TextMove {
    /// Builds the value from the notes before, the first of which is `from` with the text `note`, and the texts
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`EngineError::EditMiss`] if headings or blocks are not what they were.
    pub(super) fn new(
        (from, to, is_whole): (&VaultPath, &VaultPath, bool),
        note: &[u8],
        before: Vec<(VaultPath, NoteFacts)>,
        after: Vec<Composed>,
    ) -> Result<Self, EngineError> {
        let places = Places::matched(before, after).ok_or_else(|| {
            let (reason, advice) = if is_whole {
                (
                    "headings, blocks or links would change, because a code block or comment is open at this place",
                    "Close the code block or comment that one of the notes leaves open, or choose another place.",
                )
            } else {
                (
                    "headings, blocks or links would change, because a code block, comment or other block would be cut in two",
                    "Choose lines that contain the whole block.",
                )
            };
            let miss = EditMiss::unfit(reason, advice);
            let path = Some(if is_whole { to.clone() } else { from.clone() });
            EngineError::EditMiss(Box::new(EditMiss { path, ..miss }))
        })?;
        let decoded = Decoded::from_bytes(note);
        let references = Piece::all(from, &decoded.text).into_iter();
        let references = references.flat_map(|piece| piece.references);
        Ok(Self {
            from: from.clone(),
            to: to.clone(),
            is_whole,
            links: references.map(|reference| reference.linkpath).collect(),
            places,
        })
    }

    /// Returns how links change among these files.
    pub(super) fn shift(&self, files: &[VaultPath], format: LinkFormat) -> Shift {
        let shift = if self.is_whole {
            Shift::new(
                files,
                self.from.clone(),
                self.to.clone(),
                format,
                &self.links,
            )
        } else {
            Shift::divided(files, format, (&self.from, &self.to), &self.links)
        };
        shift.with_places(Arc::new(self.places.clone()))
    }

    /// Gives the notes other names.
    pub(crate) fn rename(&mut self, named: &impl Fn(&VaultPath) -> VaultPath) {
        self.from = named(&self.from);
        self.to = named(&self.to);
        self.places.rename(named);
    }
}

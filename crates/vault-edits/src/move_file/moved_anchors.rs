//! The headings and blocks that an edit moves or renames, so that links follow them.

use std::sync::Arc;

use obsidian_note::{EditMiss, NoteFacts, VaultPath};
use serde::{Deserialize, Serialize};
use vault_files::{EngineError, LinkFormat, Vault};
use vault_index::anchors::by_note;
use vault_index::{AnchorLinks, Indexed};

use super::decoded::Decoded;
use super::merge::placed;
use super::piece::Piece;
use super::places::{Composed, Places};
use super::rewrite;
use super::setting::LinkSettings;
use super::shift::Shift;
use crate::BondKind;

/// The most rounds until the links in headings of the notes do not change their headings any more.
const MOST_ROUNDS: usize = 8;

/// The headings and blocks that an edit moves to another note or renames, so that links follow them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MovedAnchors {
    /// The note that has them before.
    pub(crate) from: VaultPath,
    /// The note that has them afterwards.
    pub(crate) to: VaultPath,
    /// A merge moves all of the text, an extraction a part of it, and of a renamed heading only the name changes.
    pub(crate) kind: BondKind,
    /// The old and the new text of a renamed heading, or id of a block with its `^`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) names: Option<[String; 2]>,
    /// The linkpaths of the note whose links get into another note.
    links: Vec<String>,
    places: Places,
}

impl MovedAnchors {
    /// Builds the value from the notes before, the first of which is `from` with the text `note`, and the texts
    /// afterwards.
    ///
    /// # Errors
    ///
    /// [`EngineError::EditMiss`] if headings or blocks are not what they were.
    pub(super) fn new(
        (from, to, kind): (&VaultPath, &VaultPath, BondKind),
        note: &[u8],
        before: Vec<(VaultPath, NoteFacts)>,
        after: Vec<Composed>,
    ) -> Result<Self, EngineError> {
        Self::with_places((from, to, kind), note, Places::matched(before, after))
    }

    /// As [`Self::new`], with the places of the headings and blocks; `None` if they are not what they were.
    pub(super) fn with_places(
        (from, to, kind): (&VaultPath, &VaultPath, BondKind),
        note: &[u8],
        places: Option<Places>,
    ) -> Result<Self, EngineError> {
        let is_whole = kind == BondKind::Merged;
        let places = places.ok_or_else(|| {
            let (reason, advice) = if is_whole {
                (
                    "the text would be added inside an open code block or comment, which would change headings, blocks or links",
                    "Choose another place in the note, or first close the code block or comment in one of the two notes.",
                )
            } else {
                (
                    "the lines contain only a part of a block, such as a code block. Without the rest, headings, blocks or links would change",
                    "Choose lines that contain the whole block.",
                )
            };
            placed(EditMiss::unfit(reason, advice), if is_whole { to } else { from })
        })?;
        let decoded = Decoded::from_bytes(note);
        let references = Piece::all(from, &decoded.text).into_iter();
        let references = references.flat_map(|piece| piece.references);
        Ok(Self {
            from: from.clone(),
            to: to.clone(),
            kind,
            names: None,
            links: references.map(|reference| reference.linkpath).collect(),
            places,
        })
    }

    /// Builds the value for a note whose headings and blocks stay in their order, with other names.
    pub(super) fn renamed(
        note: &VaultPath,
        names: [String; 2],
        before: NoteFacts,
        after: NoteFacts,
    ) -> Self {
        Self {
            from: note.clone(),
            to: note.clone(),
            kind: BondKind::HeadingRenamed,
            names: Some(names),
            links: Vec::new(),
            places: Places::renamed(note.clone(), before, after),
        }
    }

    /// Rewrites the links of the notes themselves until the names of their headings stay: a link in a heading is part of
    /// the heading's name, so rewriting it may change where other links lead. Each text has its file before and
    /// afterwards. `structures` returns those of the notes afterwards from the rewritten texts.
    ///
    /// # Errors
    ///
    /// [`EngineError::Argument`] if the names do not stay; [`EngineError::Stopped`] if cancelled.
    pub(super) fn settle(
        &mut self,
        (vault, files, settings): (&Vault, &[VaultPath], &LinkSettings),
        texts: &[((&VaultPath, &VaultPath), &[u8])],
        structures: impl Fn(&[Vec<u8>]) -> Vec<NoteFacts>,
    ) -> Result<(), EngineError> {
        if !settings.update || !self.places.has_links_in_headings() {
            return Ok(());
        }
        let stop = vault.disk().cancellation();
        for _ in 0..MOST_ROUNDS {
            let shift = self.shift(files, settings.format);
            let rewritten = texts.iter().map(|(paths, text)| {
                let rewriting = rewrite::rewritten(&shift, *paths, text, stop)?;
                Ok(rewriting.after.unwrap_or_else(|| text.to_vec()))
            });
            let rewritten: Vec<Vec<u8>> = rewritten.collect::<Result<_, EngineError>>()?;
            if self.places.settle(structures(&rewritten)) {
                return Ok(());
            }
        }
        let name = if self.kind == BondKind::Merged {
            "into"
        } else {
            "to"
        };
        let rule = "another one, because this one would change links in headings again and again";
        Err(EngineError::argument(name, rule))
    }

    /// Returns how links change among these files.
    pub(super) fn shift(&self, files: &[VaultPath], format: LinkFormat) -> Shift {
        let way = (self.from.clone(), self.to.clone(), &self.links[..]);
        let shift = Shift::built(files, format, [way], self.kind == BondKind::Merged);
        shift.with_places(Arc::new(self.places.clone()))
    }

    /// Gives the notes other names.
    pub(crate) fn rename_notes(&mut self, named: &impl Fn(&VaultPath) -> VaultPath) {
        self.from = named(&self.from);
        self.to = named(&self.to);
        self.places.rename_notes(named);
    }

    /// Returns the other files with links to headings or blocks of the note, in byte order.
    pub(super) fn sources<'files>(
        &self,
        indexed: &'files Indexed<AnchorLinks>,
    ) -> Vec<&'files VaultPath> {
        let files = &indexed.files;
        let linked = by_note(&indexed.column, files, |_| true, |path| *path == self.from);
        let sources = linked.values().flatten();
        let sources = sources.filter_map(|link| files.get(link.source));
        let mut sources: Vec<&VaultPath> = sources.filter(|source| **source != self.from).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

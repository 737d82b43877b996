//! The links in notes that the caller of a move may not see (`design/path-rules.md`, `threats.toml` D13).

use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian_note::VaultPath;
use rayon::prelude::*;
use vault_files::{EngineError, Vault};
use vault_index::{IndexedVault, LinkTexts};

use super::moved::Moved;
use super::moved_anchors::MovedAnchors;
use super::setting::LinkSettings;
use super::shift::Shift;
use super::{Rewritten, affected, destination, rewritten, shift_of};
use crate::{BondKind, Carried, Change, Edit, Editor};

/// The changes of links in notes that the caller may not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinksOutOfSight {
    /// The changes of these notes, in byte order.
    pub changes: Vec<Change>,
    /// The number of notes with such links that were not reached in time.
    pub left: usize,
}

impl Editor<'_> {
    /// Plans how the links in notes outside of `seen` follow what this edit moves or renames: files, a text, a heading or
    /// a block, as [`Self::plan`] for the whole vault would. Changes nothing. Reads only these notes and the
    /// moved files.
    ///
    /// If the vault's [`CancellationToken`](obsidian_note::CancellationToken) is cancelled, it returns the
    /// notes that are done, and the number of the others.
    ///
    /// # Errors
    ///
    /// [`EngineError::Stopped`] if cancelled before that number is known. Any other error means that
    /// the move cannot be planned for the whole vault: another file is in its way, or a file cannot
    /// be read.
    pub fn links_out_of_sight(
        &self,
        seen: &Vault,
        edit: &Edit,
    ) -> Result<LinksOutOfSight, EngineError> {
        let settings = LinkSettings::read(self)?;
        if !settings.update {
            return Ok(LinksOutOfSight::default());
        }
        let indexed = IndexedVault(self).column::<LinkTexts>()?;
        let files = &indexed.files;
        let shift = match edit.bonds.iter().flat_map(|bond| &bond.carried).next() {
            Some(Carried::Lines { .. }) => return Ok(LinksOutOfSight::default()),
            Some(Carried::Anchors(anchors)) => {
                anchors.shift(&old_files(anchors, files), settings.format)
            }
            None => shift_of(files, &settings, &self.moved_by(&edit.changes, files)?),
        };
        let stop = self.disk().cancellation();
        let sources = affected::sources(&shift, files, &indexed.column, stop)?;
        Ok(self.changes_of_links(&shift, sources, |source| is_out_of_sight(seen, source)))
    }

    /// Returns the files that these steps move; an error if another file is in the way of one.
    fn moved_by(&self, steps: &[Change], files: &[VaultPath]) -> Result<Vec<Moved>, EngineError> {
        let pairs = steps.iter().filter_map(|step| match step {
            Change::Move { from, to, .. } if !to.is_hidden() => Some((from, to)),
            _ => None,
        });
        let moved: Vec<Moved> = pairs
            .map(|(from, to)| Moved::read(self, from.clone(), to.clone()))
            .collect::<Result<_, _>>()?;
        // The files of a moved folder go into folders that the steps make.
        let makes_folders = |step: &Change| matches!(step, Change::MakeFolder { .. });
        if !steps.iter().any(makes_folders) {
            for Moved { from, to, .. } in &moved {
                destination::must_be_free(self, files, from, to)?;
            }
        }
        Ok(moved)
    }

    /// Makes the changes of the links in those of these notes that are meant, and counts the notes that were not reached
    /// in time. A note that was removed after it was indexed, or cannot be read, has no change.
    fn changes_of_links(
        &self,
        shift: &Shift,
        sources: Vec<&VaultPath>,
        is_meant: impl Fn(&VaultPath) -> bool + Sync,
    ) -> LinksOutOfSight {
        let left = AtomicUsize::new(0);
        let sources = sources.into_par_iter();
        let sources = sources.filter(|source| is_meant(source));
        let changes = sources.filter_map(|source| match rewritten(self, shift, source) {
            Ok(Ok(Rewritten { before, rewriting })) => {
                let path = shift.place(source).clone();
                rewriting
                    .after
                    .map(|after| Change::modify(path, before, after))
            }
            Ok(Err(_unreadable)) => None,
            Err(_stopped) => {
                left.fetch_add(1, Ordering::Relaxed);
                None
            }
        });
        LinksOutOfSight {
            changes: changes.collect(),
            left: left.into_inner(),
        }
    }
}

/// Returns the files that links mean before the move of these places: a link cannot mean the note that an extraction makes.
pub(super) fn old_files(anchors: &MovedAnchors, files: &[VaultPath]) -> Vec<VaultPath> {
    let is_old = |file: &&VaultPath| anchors.kind != BondKind::Extracted || **file != anchors.to;
    files.iter().filter(is_old).cloned().collect()
}

/// Whether the caller may not see this file, and its links may be changed.
///
/// A note that is written becomes a file of its own. Then it would not show that its other hard links are names of a
/// closed note (`threats.toml` D17). They are not counted, because the answer reports that number.
fn is_out_of_sight(seen: &Vault, source: &VaultPath) -> bool {
    !source.is_hidden() && !seen.sees(source) && !seen.disk().closes_name(source)
}

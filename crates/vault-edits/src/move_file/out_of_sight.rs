//! The links in notes that the caller of a move may not see (`design/path-rules.md`, `threats.toml` D13).

use std::sync::atomic::{AtomicUsize, Ordering};

use obsidian_note::VaultPath;
use rayon::prelude::*;
use vault_files::{EngineError, Vault};
use vault_index::{AnchorLinks, IndexedVault, LinkTexts};

use super::heading::RenamedAnchor;
use super::moved::Moved;
use super::setting::LinkSettings;
use super::shift::Shift;
use super::{Rewritten, affected, destination, rewritten, shift_of};
use crate::{Carried, Change, Edit, Editor};

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
        let is_meant = |source: &VaultPath| is_out_of_sight(seen, source);
        if let Some(carried) = edit.bonds.iter().flat_map(|bond| &bond.carried).next() {
            return self.links_to_carried(carried, is_meant);
        }
        let indexed = IndexedVault(self).column::<LinkTexts>()?;
        let files = &indexed.files;
        let steps = &edit.changes;
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
        self.links_shifted(
            &shift_of(files, &settings, &moved),
            (files, &indexed.column),
            is_meant,
        )
    }

    /// Plans how links in the files for which `is_meant` is true follow what an edit carried. The edit itself may be
    /// made already, or not. Changes nothing. See [`Self::links_out_of_sight`].
    ///
    /// # Errors
    ///
    /// If the vault cannot be listed or a file cannot be read; [`EngineError::Stopped`] if cancelled.
    pub fn links_to_carried(
        &self,
        carried: &Carried,
        is_meant: impl Fn(&VaultPath) -> bool,
    ) -> Result<LinksOutOfSight, EngineError> {
        let settings = LinkSettings::read(self)?;
        if !settings.update {
            return Ok(LinksOutOfSight::default());
        }
        match carried {
            Carried::Lines { .. } => Ok(LinksOutOfSight::default()),
            Carried::Anchor(renamed) => self.links_to_renamed(renamed, is_meant),
            Carried::Text(text) => {
                let indexed = IndexedVault(self).column::<LinkTexts>()?;
                // No link means the new note already.
                let is_old = |file: &&VaultPath| text.is_whole || **file != text.to;
                let files: Vec<VaultPath> =
                    indexed.files.iter().filter(is_old).cloned().collect();
                let shift = text.shift(&files, settings.format);
                self.links_shifted(&shift, (&indexed.files, &indexed.column), is_meant)
            }
        }
    }

    fn links_shifted(
        &self,
        shift: &Shift,
        (files, links): (&[VaultPath], &LinkTexts),
        is_meant: impl Fn(&VaultPath) -> bool,
    ) -> Result<LinksOutOfSight, EngineError> {
        let mut sources = affected::sources(shift, files, links, self.disk().cancellation())?;
        sources.retain(|source| is_meant(source));
        Ok(changes_within(sources, |source| {
            let Ok(Rewritten { before, rewriting }) = rewritten(self, shift, source)? else {
                return Ok(None);
            };
            let path = shift.place(source).clone();
            Ok(rewriting
                .after
                .map(|after| Change::modify(path, before, after)))
        }))
    }

    fn links_to_renamed(
        &self,
        renamed: &RenamedAnchor,
        is_meant: impl Fn(&VaultPath) -> bool,
    ) -> Result<LinksOutOfSight, EngineError> {
        let indexed = IndexedVault(self).column::<AnchorLinks>()?;
        let mut sources = renamed.sources(&indexed);
        sources.retain(|source| is_meant(source));
        Ok(changes_within(sources, |source| {
            let Ok(followed) = renamed.followed(self, source, &indexed.files)? else {
                return Ok(None);
            };
            let after = followed.rewriting.after;
            Ok(after.map(|after| Change::modify(source.clone(), followed.before, after)))
        }))
    }
}

/// Makes the changes of these notes, and counts those that were not reached in time. A note that was removed after it
/// was indexed, or cannot be read, has no change.
fn changes_within(
    sources: Vec<&VaultPath>,
    change: impl Fn(&VaultPath) -> Result<Option<Change>, EngineError> + Sync,
) -> LinksOutOfSight {
    let left = AtomicUsize::new(0);
    let changes = sources.into_par_iter().filter_map(|source| {
        change(source).unwrap_or_else(|_stopped| {
            left.fetch_add(1, Ordering::Relaxed);
            None
        })
    });
    LinksOutOfSight {
        changes: changes.collect(),
        left: left.into_inner(),
    }
}

/// Whether the caller may not see this file, and its links may be changed.
///
/// A note that is written becomes a file of its own. Then it would not show that its other hard links are names of a
/// closed note (`threats.toml` D17). They are not counted, because the answer reports that number.
fn is_out_of_sight(seen: &Vault, source: &VaultPath) -> bool {
    !source.is_hidden() && !seen.sees(source) && !seen.disk().closes_name(source)
}

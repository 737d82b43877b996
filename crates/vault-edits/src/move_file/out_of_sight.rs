//! The links in notes that the caller of a move may not see (`design/path-rules.md`, `threats.toml` D13).

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use vault_files::{EngineError, Vault};
use vault_index::{IndexedVault, LinkTexts};

use super::moved::Moved;
use super::setting::LinkSettings;
use super::{Rewritten, affected, destination, rewritten, shift_of};
use crate::Change;
use crate::Editor;

/// The changes of links in notes that the caller may not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinksOutOfSight {
    /// The changes of these notes, in byte order.
    pub changes: Vec<Change>,
    /// The number of notes with such links that were not reached in time.
    pub left: usize,
}

impl Editor<'_> {
    /// Plans how the links in notes outside of `seen` follow the files that these steps move, as
    /// [`Self::plan`] for the whole vault would. Changes nothing. Reads only these notes and the
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
        steps: &[Change],
    ) -> Result<LinksOutOfSight, EngineError> {
        let settings = LinkSettings::read(self)?;
        if !settings.update {
            return Ok(LinksOutOfSight::default());
        }
        let indexed = IndexedVault(self).column::<LinkTexts>()?;
        let files = &indexed.files;
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
        let shift = shift_of(files, &settings, &moved);
        let mut sources =
            affected::sources(&shift, files, &indexed.column, self.disk().cancellation())?;
        sources.retain(|source| !source.is_hidden() && !seen.sees(source));
        // A note that is written becomes a file of its own. Then it would not show that its other hard links are names
        // of a closed note (`threats.toml` D17). They are not counted, because the answer reports that number.
        sources.retain(|source| !seen.disk().closes_name(source));
        let left = AtomicUsize::new(0);
        let changes = sources
            .into_par_iter()
            .filter_map(|source| match rewritten(self, &shift, source) {
                Ok(Ok(Rewritten { before, rewriting })) => Some(Change::Modify {
                    path: shift.place(source).clone(),
                    before,
                    after: rewriting.after?,
                }),
                // The note was removed after it was indexed, or cannot be read.
                Ok(Err(_)) => None,
                Err(_) => {
                    left.fetch_add(1, Ordering::Relaxed);
                    None
                }
            })
            .collect();
        Ok(LinksOutOfSight {
            changes,
            left: left.into_inner(),
        })
    }
}

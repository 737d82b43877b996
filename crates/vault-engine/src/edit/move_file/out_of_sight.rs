//! The links in notes that the caller of a move may not know of (`design.md` §3, `faults.md` D13).

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::moved::Moved;
use super::setting::LinkSettings;
use super::shift::Shift;
use super::{Rewritten, affected, destination, rewritten};
use crate::edit::Change;
use crate::error::EngineError;
use crate::index::LinkTexts;
use crate::path::VaultPath;
use crate::vault::Vault;

/// What becomes of the links in notes out of sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinksOutOfSight {
    /// The notes whose links follow, in byte order.
    pub changes: Vec<Change>,
    /// How many notes with links that may have to follow were not reached in time.
    pub left: usize,
}

impl Vault {
    /// Works out how the links in notes that `seen` does not see follow a file from `from` to `to`,
    /// as [`Self::plan`] of the whole vault would. Nothing is changed. Only these notes are read, and
    /// the file itself.
    ///
    /// When the vault's [`CancellationToken`](crate::CancellationToken) is cancelled, it returns the
    /// notes that are done, and the number of the others.
    ///
    /// # Errors
    ///
    /// [`EngineError::Stopped`] if cancelled before that number is known. Any other error means that
    /// the move cannot be planned for the whole vault: another file is in its way, or a file cannot
    /// be read.
    pub fn links_out_of_sight(
        &self,
        seen: &Self,
        from: &VaultPath,
        to: &VaultPath,
    ) -> Result<LinksOutOfSight, EngineError> {
        let settings = LinkSettings::read(self)?;
        if !settings.update {
            return Ok(LinksOutOfSight::default());
        }
        let indexed = self.column::<LinkTexts>()?;
        destination::must_be_free(self, &indexed.files, from, to)?;
        let moved = Moved::read(self, from)?;
        let links = moved.links(from);
        let files = &indexed.files;
        let shift = Shift::new(files, from.clone(), to.clone(), settings.format, &links);
        let mut sources =
            affected::sources(&shift, files, &indexed.column, self.disk().cancellation())?;
        sources.retain(|source| !source.is_hidden() && !seen.sees(source));
        let left = AtomicUsize::new(0);
        let changes = sources
            .into_par_iter()
            .filter_map(|source| match rewritten(self, &shift, &moved, source) {
                Ok(Ok(Rewritten { before, rewriting })) => Some(Change::Modify {
                    path: shift.place(source).clone(),
                    before,
                    after: rewriting.after?,
                }),
                // The note was removed since the index was made, or cannot be read.
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

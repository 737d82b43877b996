//! Rewrites the links of all texts that a move concerns, and collects what the answer reports of that.

use obsidian_note::{VaultPath, Warning};
use rayon::prelude::*;
use vault_files::{EngineError, Vault};
use vault_index::{Indexed, LinkTexts};

use super::rewrite::{self, Rewriting};
use super::setting::LinkSettings;
use super::shift::Shift;
use super::{Rewritten, affected, rewritten};
use crate::change::Change;

/// The links that follow a move.
pub(super) struct Following<'move_> {
    vault: &'move_ Vault,
    shift: &'move_ Shift,
    settings: LinkSettings,
    changes: Vec<Change>,
    warnings: Vec<Warning>,
    /// The number of rewritten links.
    pub(super) links: usize,
    /// The file of each text with such links.
    pub(super) paths: Vec<VaultPath>,
}

impl<'move_> Following<'move_> {
    pub(super) fn new(vault: &'move_ Vault, shift: &'move_ Shift, settings: LinkSettings) -> Self {
        Self {
            warnings: settings.warnings.clone(),
            vault,
            shift,
            settings,
            changes: Vec::new(),
            links: 0,
            paths: Vec::new(),
        }
    }

    /// Rewrites the links of all files that the index knows, but for those in `without`.
    pub(super) fn follow_all(
        &mut self,
        indexed: &Indexed<LinkTexts>,
        without: &[&VaultPath],
    ) -> Result<(), EngineError> {
        let stop = self.vault.disk().cancellation();
        let mut sources = affected::sources(self.shift, &indexed.files, &indexed.column, stop)?;
        sources.retain(|source| !without.contains(source));
        self.follow(sources, &indexed.warnings)
    }

    /// Rewrites the links of these files, which an index with these warnings found.
    pub(super) fn follow(
        &mut self,
        sources: Vec<&VaultPath>,
        warnings: &[Warning],
    ) -> Result<(), EngineError> {
        let (vault, shift) = (self.vault, self.shift);
        self.warnings.extend(warnings.iter().cloned());
        let rewritten: Vec<(&VaultPath, Result<Rewritten, Option<Warning>>)> = sources
            .into_par_iter()
            .map(|source| Ok((source, rewritten(vault, shift, source)?)))
            .collect::<Result<_, EngineError>>()?;
        for (source, result) in rewritten {
            match result {
                Ok(Rewritten { before, rewriting }) => {
                    let path = shift.place(source).clone();
                    if let Some(after) = self.count(source, rewriting) {
                        self.changes.push(Change::modify(path, before, after));
                    }
                }
                Err(warning) => self.warnings.extend(warning),
            }
        }
        Ok(())
    }

    /// Returns a text that is now in the file `source` and will be in the file `at`, with the links that follow.
    pub(super) fn text(
        &mut self,
        (source, at): (&VaultPath, &VaultPath),
        text: &[u8],
    ) -> Result<Vec<u8>, EngineError> {
        let stop = self.vault.disk().cancellation();
        let rewriting = rewrite::rewritten(self.shift, (source, at), text, stop)?;
        Ok(self.count(at, rewriting).unwrap_or_else(|| text.to_vec()))
    }

    /// Counts the links of one text of a file, and returns its new bytes if there are any and the settings let links
    /// follow.
    fn count(&mut self, file: &VaultPath, rewriting: Rewriting) -> Option<Vec<u8>> {
        if rewriting.unwritable > 0 {
            self.warnings.push(Warning::LinksUnwritable {
                path: file.clone(),
                links: rewriting.unwritable,
            });
        }
        let after = rewriting.after?;
        self.links += rewriting.links;
        self.paths.push(file.clone());
        self.settings.update.then_some(after)
    }

    /// Adds the changes of the files, and the warnings. `about` is the file or folder that the caller moves.
    pub(super) fn finish(
        self,
        about: &VaultPath,
        changes: &mut Vec<Change>,
        reported: &mut Vec<Warning>,
    ) {
        for warning in self.warnings {
            warning.add_new(reported);
        }
        changes.extend(self.changes);
        if !self.settings.update && self.links > 0 {
            reported.push(Warning::LinksNotUpdated {
                path: about.clone(),
                links: self.links,
                files: self.paths.len(),
            });
        }
    }
}

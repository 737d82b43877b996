//! Methods of [`Vault`] that its index answers.

use std::sync::Arc;

use crate::contents::{Contents, Detail, breaks_rows};
use crate::error::EngineError;
use crate::followed::Followed;
use crate::index::{
    self, AllColumns, Column, Index, IndexSnapshot, IndexWork, Indexed, KeptColumn, LinkTexts,
    RankedIndex,
};
use crate::limits::MAX_NOTE_BYTES;
use crate::note_record::record_of;
use crate::path::VaultPath;
use crate::sight::{Sight, SightNow};
use crate::vault::Vault;
use crate::warning::Warning;

/// The data for ranked search, all from one snapshot.
pub(crate) struct RankedVault {
    whole: Arc<IndexSnapshot>,
    /// The index as the caller sees it.
    pub(crate) seen: Arc<IndexSnapshot>,
    /// The ranked index of the whole vault.
    pub(crate) ranking: Arc<RankedIndex>,
}

/// Names in a vault that change what another program does when it lists the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRisks {
    /// Whether it would follow symlinks that this vault leaves out.
    pub skipped_symlinks: bool,
    /// Whether it would print a name with a line break or a tab as several rows.
    pub broken_rows: bool,
}

impl Vault {
    /// The same vault, with its index kept in memory between calls by `followed`, which updates it
    /// at every call.
    #[must_use]
    pub fn with_followed(self, followed: Arc<Followed>) -> Self {
        self.with_attachment(followed)
    }

    /// The facts of all notes: everything in the cache, with every other note read now. Commands
    /// ask only for the part that they need.
    ///
    /// # Errors
    ///
    /// Fails where the vault's folder cannot be listed, and with [`EngineError::Stopped`] after a
    /// cancellation. A note that cannot be read is a warning in the index.
    ///
    /// ```
    /// use std::path::Path;
    /// use vault_engine::Vault;
    ///
    /// let vault = Vault::open(Path::new("../../fixtures/vault"))?;
    /// let index = vault.index()?;
    /// assert!(index.files().iter().any(|file| file.as_str() == "Home.md"));
    /// # Ok::<(), vault_engine::EngineError>(())
    /// ```
    pub fn index(&self) -> Result<Index, EngineError> {
        self.column::<AllColumns>().map(Index::new)
    }

    /// One column of the index: from memory where the index is kept there, else from the cache file
    /// and the notes that changed since it was written.
    pub(crate) fn column<C: Column + KeptColumn>(&self) -> Result<Indexed<C>, EngineError> {
        match self.snapshot()? {
            Some(snapshot) => Ok(snapshot.indexed()),
            None => index::read_column(self),
        }
    }

    /// The linkpaths of all files, including planned ones. The index itself always reflects the
    /// folder.
    pub(crate) fn link_texts(&self) -> Result<Indexed<LinkTexts>, EngineError> {
        let Some(overlay) = self.overlay() else {
            return self.column::<LinkTexts>();
        };
        let indexed = self.as_in_the_folder().column::<LinkTexts>()?;
        let files = overlay.files_after(indexed.files.iter().cloned(), |path| self.sees(path));
        let mut texts = LinkTexts::default();
        for (id, path) in files.iter().enumerate() {
            if self.planned(path).is_none() {
                let known = indexed.files.binary_search(path).ok();
                texts.add(
                    id,
                    known.into_iter().flat_map(|id| indexed.column.links_of(id)),
                );
                continue;
            }
            let is_read = path.is_indexed();
            let bytes = is_read.then(|| self.read_up_to(path, path.as_str(), MAX_NOTE_BYTES));
            if let Some(bytes) = bytes.transpose()?.flatten() {
                let links = record_of(path, &bytes).0.links;
                texts.add(id, links.iter().map(|link| link.linkpath.as_str()));
            }
        }
        Ok(Indexed {
            files: Arc::new(files),
            column: Arc::new(texts),
            warnings: indexed.warnings,
        })
    }

    /// The work to bring the index up to date; nothing if it is kept in memory.
    pub(crate) fn index_work(&self) -> Result<IndexWork, EngineError> {
        if self.followed().is_some() {
            return Ok(IndexWork::default());
        }
        index::index_work(self)
    }

    /// The index kept in memory, brought up to date; `None` if no index is kept.
    pub(crate) fn snapshot(&self) -> Result<Option<Arc<IndexSnapshot>>, EngineError> {
        match (self.followed(), self.shared_sight()) {
            (None, _) => Ok(None),
            (Some(followed), None) => followed.snapshot(self).map(Some),
            (Some(followed), Some(sight)) => {
                let whole = followed.snapshot(&self.whole())?;
                followed.limited(self, sight, &whole).map(Some)
            }
        }
    }

    /// The sight with the notes that its rules close now.
    pub(crate) fn sight_now(&self, sight: Arc<dyn Sight>) -> Result<Arc<dyn Sight>, EngineError> {
        let Some(rules) = sight.note_rules() else {
            return Ok(sight);
        };
        // A plan changes nothing yet; where a planned note is read, its planned content decides.
        let whole = self.as_in_the_folder().whole();
        if let Some(followed) = self.followed() {
            return Ok(followed.sight_now(&sight, &followed.snapshot(&whole)?));
        }
        let closed = IndexSnapshot::read(&whole)?.closed_by(rules);
        Ok(Arc::new(SightNow { sight, closed }))
    }

    /// Every name below a folder: from the index if it is kept in memory, else by a walk. Errors
    /// name `asked`.
    ///
    /// # Errors
    ///
    /// As [`Self::contents`].
    pub fn names_below(&self, folder: &VaultPath, asked: &str) -> Result<Contents, EngineError> {
        let known = self.snapshot_at_hand()?;
        match known.and_then(|known| known.names_below(folder)) {
            Some(known) => Ok(known),
            None => self.contents_of_target(folder, asked, Detail::Names),
        }
    }

    /// The risks that the vault's names pose for the app. Needs no walk if the index is kept in
    /// memory.
    ///
    /// # Errors
    ///
    /// Fails where the vault's folder cannot be listed, and after a cancellation.
    pub fn name_risks(&self) -> Result<NameRisks, EngineError> {
        if let Some(known) = self.snapshot()? {
            return Ok(NameRisks {
                skipped_symlinks: has_skipped_symlinks(known.left_out()),
                broken_rows: known.breaks_rows(),
            });
        }
        let found = self.contents(&VaultPath::root(), Detail::Names)?;
        let mut files = found.files.iter().map(|file| &file.path);
        Ok(NameRisks {
            skipped_symlinks: has_skipped_symlinks(&found.warnings),
            broken_rows: files.any(breaks_rows) || found.folders.iter().any(breaks_rows),
        })
    }

    /// As [`Self::snapshot`], for a request that a walk can answer too; `None` if the whole vault
    /// would have to be read first.
    pub(crate) fn snapshot_at_hand(&self) -> Result<Option<Arc<IndexSnapshot>>, EngineError> {
        let Some(followed) = self.followed() else {
            return Ok(None);
        };
        let Some(sight) = self.shared_sight() else {
            return followed.snapshot_if_read(self);
        };
        let whole = followed.snapshot_if_read(&self.whole())?;
        let limited = |whole| followed.limited(self, sight, &whole);
        whole.map(limited).transpose()
    }

    /// The data for ranked search: the index as the caller sees it, and the ranked index of the
    /// whole vault.
    pub(crate) fn ranked(&self) -> Result<RankedVault, EngineError> {
        let whole_vault = self.whole();
        if let Some(followed) = self.followed() {
            let whole = followed.snapshot(&whole_vault)?;
            let seen = match self.shared_sight() {
                Some(sight) => followed.limited(self, sight, &whole)?,
                None => Arc::clone(&whole),
            };
            let ranking = followed.ranking(&whole_vault, &whole, None)?;
            return Ok(RankedVault {
                whole,
                seen,
                ranking,
            });
        }
        let whole = Arc::new(IndexSnapshot::read(&whole_vault)?);
        let seen = match self.shared_sight() {
            Some(_) => Arc::new(whole.limited(self, None)?),
            None => Arc::clone(&whole),
        };
        let ranking = Arc::new(RankedIndex::read(&whole_vault, &whole, None)?);
        Ok(RankedVault {
            whole,
            seen,
            ranking,
        })
    }

    /// As [`Self::ranked`], after the cache of the ranked index turned out to be damaged.
    pub(crate) fn ranked_again(&self, damaged: RankedVault) -> Result<RankedVault, EngineError> {
        let (vault, whole) = (self.whole(), &damaged.whole);
        let ranking = match self.followed() {
            Some(followed) => followed.ranking(&vault, whole, Some(&damaged.ranking))?,
            None => Arc::new(RankedIndex::anew(&vault, whole)?),
        };
        Ok(RankedVault { ranking, ..damaged })
    }

    fn followed(&self) -> Option<&Followed> {
        self.attachment()
    }
}

fn has_skipped_symlinks(warnings: &[Warning]) -> bool {
    let mut warnings = warnings.iter();
    warnings.any(|warning| matches!(warning, Warning::SymlinksSkipped { .. }))
}

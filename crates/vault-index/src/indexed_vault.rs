//! Methods of [`Vault`] that its index answers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::Instant;

use obsidian_note::{CancellationToken, Resolution, VaultPath, Warning};
use vault_files::contents::breaks_rows;
use vault_files::{Contents, Detail, EngineError, Overlay, PlannedFile, Sight, SightNow, Vault};

use crate as index;
use crate::followed::{Followed, Names, Ranked};
use crate::{
    ANSWER_AFTER, Column, FirstReading, IndexSnapshot, IndexWork, Indexed, KeptColumn,
    PlannedIndex, RankedIndex, UnresolvedLinks,
};

/// The data for ranked search, all from one snapshot.
pub struct RankedVault {
    /// The index and the ranked index of the folder, without planned changes.
    folder: (Arc<IndexSnapshot>, Arc<RankedIndex>),
    /// The index as the caller sees it.
    pub seen: Arc<IndexSnapshot>,
    /// The ranked index of the whole vault.
    pub ranking: Arc<RankedIndex>,
}

/// The state of an index that is kept in memory. Two states are equal if nothing has changed between them.
#[derive(Clone, Debug)]
pub struct IndexState(Weak<IndexSnapshot>);

impl PartialEq for IndexState {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl Eq for IndexState {}

/// Names in a vault that change what another program does when it lists the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameRisks {
    /// Whether it would follow symlinks that this vault leaves out.
    pub skipped_symlinks: bool,
    /// Whether it would print a name with a line break or a tab as several rows.
    pub broken_rows: bool,
}

/// A vault with what its index answers.
pub struct IndexedVault<'vault>(pub &'vault Vault);

impl Deref for IndexedVault<'_> {
    type Target = Vault;

    fn deref(&self) -> &Vault {
        self.0
    }
}

impl IndexedVault<'_> {
    /// Returns the same vault, with its index kept in memory between calls by `followed`, which updates it at every
    /// call.
    #[must_use]
    pub fn with_followed(&self, followed: Arc<Followed>) -> Vault {
        self.0.clone().with_attachment(followed)
    }

    /// Returns the same vault for a caller who can see only what is in `sight`: every answer and every plan is the same
    /// as in a vault without the other files and folders (`threats.toml` D13). The vault's settings, below names that
    /// start with a dot, are read in any case.
    ///
    /// Carrying out a plan and what the journal needs (`state_at`, `file_at`) are not
    /// limited: they carry out what was planned before.
    ///
    /// The notes that the sight's rules close are taken from the index, now. If a note is read later, its content
    /// decides again.
    ///
    /// # Errors
    ///
    /// With rules that close notes by what is in them: if the index cannot be read, and after a cancellation.
    pub fn limited_to(&self, sight: Arc<dyn Sight>) -> Result<Vault, EngineError> {
        let sight = self.sight_now(sight)?;
        Ok(self.0.clone().with_sight(sight))
    }

    /// Returns one column of the index: from memory if the index is kept there, else from the cache file and the notes
    /// that changed since it was written.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn column<C: Column + KeptColumn>(&self) -> Result<Indexed<C>, EngineError> {
        match self.snapshot()? {
            Some(snapshot) => Ok(snapshot.indexed()),
            None => index::read_column(self),
        }
    }

    /// Returns the work to bring the index up to date; nothing if it is kept in memory.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn index_work(&self) -> Result<IndexWork, EngineError> {
        if self.followed().is_some() {
            return Ok(IndexWork::default());
        }
        index::index_work(self)
    }

    /// Returns the index kept in memory, brought up to date; `None` if no index is kept.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn snapshot(&self) -> Result<Option<Arc<IndexSnapshot>>, EngineError> {
        let Some(followed) = self.followed() else {
            return Ok(None);
        };
        let folder = followed.snapshot(&self.as_in_the_folder().whole())?;
        self.seen_of(&folder).map(Some)
    }

    /// Returns the index read now, for a process that keeps none.
    pub(crate) fn read_snapshot(&self) -> Result<Arc<IndexSnapshot>, EngineError> {
        let folder = IndexSnapshot::read(&self.as_in_the_folder().whole())?;
        self.seen_of(&Arc::new(folder))
    }

    /// Returns the part of the folder's index that the caller sees, with planned changes.
    fn seen_of(&self, folder: &Arc<IndexSnapshot>) -> Result<Arc<IndexSnapshot>, EngineError> {
        self.in_sight(match self.overlay() {
            Some(overlay) => Arc::clone(&self.planned_index(overlay, folder)?.planned),
            None => Arc::clone(folder),
        })
    }

    /// Returns the index of the folder with the planned changes.
    fn planned_index(
        &self,
        overlay: &Arc<Overlay>,
        folder: &Arc<IndexSnapshot>,
    ) -> Result<Arc<PlannedIndex>, EngineError> {
        match self.followed() {
            Some(followed) => followed.planned(self, overlay, folder),
            None => PlannedIndex::new(self, overlay, folder).map(Arc::new),
        }
    }

    /// Returns the part of an index that the caller sees.
    fn in_sight(&self, whole: Arc<IndexSnapshot>) -> Result<Arc<IndexSnapshot>, EngineError> {
        match (self.shared_sight(), self.followed()) {
            (None, _) => Ok(whole),
            (Some(sight), Some(followed)) => followed.limited(self, sight, &whole),
            (Some(_), None) => whole.limited(self, None).map(Arc::new),
        }
    }

    /// Returns the sight with the notes that its rules close now.
    pub(crate) fn sight_now(&self, sight: Arc<dyn Sight>) -> Result<Arc<dyn Sight>, EngineError> {
        let Some(rules) = sight.note_rules() else {
            return Ok(sight);
        };
        let whole = self.whole();
        if let (Some(followed), Some(snapshot)) =
            (self.followed(), IndexedVault(&whole).snapshot()?)
        {
            return Ok(followed.sight_now(&sight, &snapshot));
        }
        let closed = index::closed_notes(&whole, rules)?;
        Ok(Arc::new(SightNow { sight, closed }))
    }

    /// Returns every name below a folder: from the index if it is kept in memory, else by a walk.
    ///
    /// # Errors
    ///
    /// As [`Vault::contents`].
    pub fn names_below(&self, folder: &VaultPath) -> Result<Contents, EngineError> {
        let known = match self.snapshot_at_hand()? {
            Some(known) => known.names_below(folder),
            None if folder.is_root() => Some(self.names()?.contents.clone()),
            None => None,
        };
        match known {
            Some(known) => Ok(known),
            None => self.contents(folder, Detail::Names),
        }
    }

    /// Returns the state of the index of all notes, closed ones too, if it is kept in memory and no note has changed
    /// since it was brought up to date.
    ///
    /// # Errors
    ///
    /// If the vault's folder cannot be read, and after a cancellation.
    pub fn index_state(&self) -> Result<Option<IndexState>, EngineError> {
        let Some(followed) = self.followed() else {
            return Ok(None);
        };
        let whole = self.whole();
        let folder = followed.unchanged_snapshot(&whole.as_in_the_folder())?;
        let snapshot = folder
            .map(|folder| IndexedVault(&whole).seen_of(&folder))
            .transpose()?;
        Ok(snapshot.map(|snapshot| IndexState(Arc::downgrade(&snapshot))))
    }

    /// Returns all names in the vault: in a server from memory, else by a walk. For a request that needs nothing else,
    /// while no index is in memory.
    pub(crate) fn names(&self) -> Result<Arc<Names>, EngineError> {
        match self.followed() {
            Some(followed) => followed.names(self),
            None => Names::read(self).map(Arc::new),
        }
    }

    /// Returns the risks that the vault's names pose for the app. Needs no walk if the index is kept in memory.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn name_risks(&self) -> Result<NameRisks, EngineError> {
        if let Some(known) = self.snapshot()? {
            return Ok(NameRisks {
                skipped_symlinks: has_skipped_symlinks(&known.left_out),
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
        let folder = followed.snapshot_if_read(&self.as_in_the_folder().whole())?;
        let seen = |folder| self.seen_of(&folder);
        folder.map(seen).transpose()
    }

    /// Returns the files of this vault with links that lead to no file here, although they lead to one of the `gone`
    /// files in the vault's folder without planned changes. The keys are the `gone` files.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and with [`EngineError::Stopped`] after a cancellation.
    pub fn links_to_gone(
        &self,
        gone: &BTreeSet<&VaultPath>,
    ) -> Result<BTreeMap<VaultPath, BTreeSet<VaultPath>>, EngineError> {
        let (before, _) = IndexedVault(&self.as_in_the_folder()).link_index()?;
        let Indexed {
            files,
            column: unresolved,
            ..
        } = self.column::<UnresolvedLinks>()?;
        let mut broken: BTreeMap<VaultPath, BTreeSet<VaultPath>> = BTreeMap::new();
        for link in &unresolved.0 {
            for source in link.uses().filter_map(|(source, _)| files.get(source)) {
                let planned = self.overlay().and_then(|overlay| overlay.files.get(source));
                let origin = match planned {
                    Some(PlannedFile::Bytes(planned)) => planned.origin.as_ref(),
                    Some(PlannedFile::From(origin)) => Some(origin),
                    Some(PlannedFile::Gone) | None => None,
                };
                let origin = origin.unwrap_or(source);
                if let Resolution::Found(found) = before.resolve(&link.linkpath, origin)
                    && gone.contains(&found.path)
                {
                    broken.entry(found.path).or_default().insert(source.clone());
                }
            }
        }
        Ok(broken)
    }

    /// Returns the data for ranked search: the index as the caller sees it, and the ranked index of the whole vault. If
    /// reading all notes takes long, both cover only those that were read.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn ranked(&self) -> Result<RankedVault, EngineError> {
        let since = Instant::now();
        let vault = self.as_in_the_folder().whole();
        let (folder, ranking) = match self.followed() {
            Some(followed) => followed.ranked(&vault, None, since)?,
            None => IndexedVault(&vault).read_ranked(since)?,
        };
        self.ranked_of(folder, ranking)
    }

    /// As [`Self::ranked`], after the cache of the ranked index turned out to be damaged.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn ranked_again(&self, damaged: RankedVault) -> Result<RankedVault, EngineError> {
        let since = Instant::now();
        let (vault, (folder, ranking)) = (self.as_in_the_folder().whole(), damaged.folder);
        if let Some(followed) = self.followed() {
            let (folder, ranking) = followed.ranked(&vault, Some(ranking.as_ref()), since)?;
            return self.ranked_of(folder, ranking);
        }
        let (vault, until) = IndexedVault(&vault).until_late(since);
        let ranking = RankedIndex::rebuild(&vault, &folder, &until, &|_| ())?;
        self.ranked_of(folder, Arc::new(ranking))
    }

    /// Returns the data for ranked search in a process that keeps no index.
    fn read_ranked(&self, since: Instant) -> Result<Ranked, EngineError> {
        let (folder, before) = match FirstReading::start(self)? {
            Some(first) => {
                let (vault, until) = self.until_late(since);
                let (folder, index) = first.read(&vault, &until, &|_| ())?;
                if !index.is_complete() {
                    return Ok((folder, Arc::new(index)));
                }
                (folder, Some(index))
            }
            None => (Arc::new(IndexSnapshot::read(self)?), None),
        };
        let (vault, until) = self.until_late(since);
        let index = RankedIndex::read(&vault, &folder, before.as_ref(), &until, &|_| ())?;
        Ok((folder, Arc::new(index)))
    }

    /// Returns the data for ranked search, from the data of the folder.
    fn ranked_of(
        &self,
        folder: Arc<IndexSnapshot>,
        of_folder: Arc<RankedIndex>,
    ) -> Result<RankedVault, EngineError> {
        let (whole, ranking) = match self.overlay() {
            Some(overlay) => {
                let planned = self.planned_index(overlay, &folder)?;
                let ranking = planned.ranking(&self.whole(), &of_folder)?;
                (Arc::clone(&planned.planned), ranking)
            }
            None => (Arc::clone(&folder), Arc::clone(&of_folder)),
        };
        Ok(RankedVault {
            folder: (folder, of_folder),
            seen: self.in_sight(whole)?,
            ranking,
        })
    }

    /// Returns the same vault, whose reading ends early enough to answer with what was read, and a token that is
    /// cancelled when it is time to answer.
    fn until_late(&self, since: Instant) -> (Vault, CancellationToken) {
        let cancellation = self.disk().cancellation().clone().leaving_time();
        let until = match self.answer_at(since) {
            Some(deadline) => cancellation.clone().with_deadline(deadline),
            None => cancellation.clone(),
        };
        (self.0.clone().with_cancellation(cancellation), until)
    }

    /// When to answer a request that began at `since` with what was read. `None` if an earlier call has answered with a
    /// part: then this one reads as long as its time allows, so that two or three calls read a large vault. Even if
    /// listing the files took long, some notes are read: else no call would come further than the call before.
    pub(crate) fn answer_at(&self, since: Instant) -> Option<Instant> {
        let is_first = !RankedIndex::has_pieces(self);
        is_first.then(|| (since + ANSWER_AFTER).max(Instant::now() + ANSWER_AFTER / 2))
    }

    fn followed(&self) -> Option<&Followed> {
        self.attachment()
    }
}

fn has_skipped_symlinks(warnings: &[Warning]) -> bool {
    let mut warnings = warnings.iter();
    warnings.any(|warning| matches!(warning, Warning::SymlinksSkipped { .. }))
}

//! A snapshot limited to what one caller can see (`threats.toml` D13). Graph, tags and all other
//! columns are built from the visible files only: a link to a hidden file resolves as if that file
//! did not exist.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use obsidian_note::{NoteRecord, NoteRules, VaultPath, Warning};
use rayon::prelude::*;
use vault_files::{Contents, Detail, EngineError, Vault};

use super::all_columns::RecordsFor;
use super::column::Properties;
use super::listing::CachedNote;
use super::load::read_from_disk;
use super::pair::Pair;
use super::planned::planned_files;
use super::snapshot::{IndexSnapshot, KeptColumns, KeptNote};
use super::tags::Tags;

/// Returns the notes of `vault` that these rules close, for a process that keeps no index: as
/// [`IndexSnapshot::closed_by`], but reads only what decides.
pub(crate) fn closed_notes(
    vault: &Vault,
    rules: &NoteRules,
) -> Result<BTreeSet<VaultPath>, EngineError> {
    let folder =
        read_from_disk::<RecordsFor<Pair<Tags, Properties>>>(&vault.as_in_the_folder().whole())?;
    let matches_rules = |path: &VaultPath, record: &NoteRecord, listed: &CachedNote| {
        let tags = || record.tags.iter().map(String::as_str);
        let properties = record.properties.as_ref().map(|text| text.0.as_str());
        rules.close(path, &tags, properties, listed.problem.as_ref())
    };
    let notes = folder
        .files
        .par_iter()
        .zip(&folder.column.records)
        .zip(&folder.listing);
    let found = notes.filter(|((path, record), listed)| {
        let note = listed.note.as_ref();
        path.is_note() && note.is_none_or(|note| matches_rules(path, record, note))
    });
    let mut closed: BTreeSet<VaultPath> = found.map(|((path, _), _)| path.clone()).collect();
    if let Some(overlay) = vault.overlay() {
        closed.retain(|path| !overlay.files.contains_key(path));
        let (files, _, read) = planned_files(vault, overlay, (folder.files, folder.folders));
        let planned = read
            .iter()
            .filter_map(|note| Some((files.get(note.id)?, note)));
        let planned = planned.filter(|(path, note)| {
            path.is_note() && matches_rules(path, &note.record, &note.listed)
        });
        closed.extend(planned.map(|(path, _)| path.clone()));
    }
    Ok(closed)
}

/// A snapshot of the whole vault, and the limited one made from it.
pub(crate) struct LimitedSnapshot {
    pub(crate) whole: Arc<IndexSnapshot>,
    pub(crate) limited: Arc<IndexSnapshot>,
}

impl IndexSnapshot {
    /// Limits this snapshot of the whole vault to what callers of `vault` can see. Columns made
    /// `before` are reused as far as the notes are the same.
    pub(crate) fn limited(
        &self,
        vault: &Vault,
        before: Option<&LimitedSnapshot>,
    ) -> Result<Self, EngineError> {
        vault.disk().cancellation().check()?;
        // A note may have been closed since the vault was limited.
        let closed = vault.note_rules().map(|rules| self.closed_by(rules));
        let is_visible = |path: &VaultPath| {
            vault.is_in_sight(path) && !closed.iter().any(|closed| closed.contains(path))
        };
        let minds_names = vault.disk().minds_other_names();
        // A note can get another name, or the name of another note, while the paths stay the same.
        let may_be_closed_by_names = self.has_note_of_several_names && minds_names;
        let before = before.filter(|before| {
            Arc::ptr_eq(&before.whole.files, &self.files)
                && !may_be_closed_by_names
                && !before.whole.has_note_of_several_names
                && (closed.is_none() || before.limited.files.iter().all(is_visible))
        });
        let opens = |id: usize, path: &VaultPath| {
            // A file that is only planned here is judged at its path in the folder.
            if let Some(planned) = vault.planned(path).filter(|_| minds_names) {
                return vault.exists_planned(planned);
            }
            let note = self.notes.get(id).and_then(Option::as_ref);
            note.is_none_or(|note| vault.disk().opens(path, &note.listed.stamp))
        };
        let is_seen = |id: usize| {
            let path = self.files.get(id);
            path.is_some_and(|path| is_visible(path) && opens(id, path))
        };
        let seen: Vec<usize> = match before {
            Some(before) => places_of(&before.limited.files, &self.files),
            None => (0..self.files.len()).filter(|id| is_seen(*id)).collect(),
        };
        let notes: Vec<Option<Arc<KeptNote>>> = seen
            .iter()
            .map(|id| self.notes.get(*id).cloned().flatten())
            .collect();
        let left_out = self.left_out_for(vault)?;
        let folders = match before {
            Some(before) if Arc::ptr_eq(&before.whole.folders, &self.folders) => {
                Arc::clone(&before.limited.folders)
            }
            _ => {
                let seen = self.folders.iter().filter(|path| vault.sees_folder(path));
                Arc::new(seen.cloned().collect())
            }
        };
        if let Some(LimitedSnapshot { limited, .. }) = before {
            let files = Arc::clone(&limited.files);
            let mut columns = limited.columns_for(&notes);
            if folders != limited.folders {
                columns.breaks_rows.take();
            }
            return Ok(Self::new(
                (files, folders),
                notes,
                left_out,
                limited.links.clone(),
                columns,
            ));
        }
        let files = seen.iter().filter_map(|id| self.files.get(*id).cloned());
        let files = Arc::new(files.collect());
        let columns = self.columns.emptied();
        Ok(Self::new(
            (files, folders),
            notes,
            left_out,
            OnceLock::new(),
            columns,
        ))
    }

    /// Returns the notes that these rules close.
    pub(crate) fn closed_by(&self, rules: &NoteRules) -> BTreeSet<VaultPath> {
        let notes = self.files.par_iter().zip(&self.notes);
        let closed = notes.filter(|(path, note)| {
            path.is_note()
                && note
                    .as_deref()
                    .is_none_or(|KeptNote { listed, record, .. }| {
                        let (properties, problem) = (record.properties(), listed.problem.as_ref());
                        rules.close(path, &|| record.tags(), properties, problem)
                    })
        });
        closed.map(|(path, _)| path.clone()).collect()
    }

    /// Returns the walk's warnings, limited to what the caller can see. They contain counts, so if there are any, a
    /// limited walk must count again.
    fn left_out_for(&self, vault: &Vault) -> Result<Vec<Warning>, EngineError> {
        if self.left_out.is_empty() {
            return Ok(Vec::new());
        }
        let root = VaultPath::root();
        let contents = Contents::read(vault.disk(), vault.sight(), &root, Detail::Names)?;
        Ok(contents.warnings)
    }

    /// Returns the columns of this snapshot that are still valid for `notes`, which belong to the same files.
    fn columns_for(&self, notes: &[Option<Arc<KeptNote>>]) -> KeptColumns {
        let mut columns = self.columns.clone();
        for (id, (before, now)) in self.notes.iter().zip(notes).enumerate() {
            match (before, now) {
                (None, None) => {}
                (Some(before), Some(now)) if Arc::ptr_eq(before, now) => {}
                (before, Some(now)) => {
                    columns.forget(id, before.as_deref(), &now.record.unpacked(|_| true));
                }
                (Some(_), None) => columns = columns.emptied(),
            }
        }
        columns
    }
}

/// Returns the positions of `some` files among `all`; both are in the same order.
fn places_of(some: &[VaultPath], all: &[VaultPath]) -> Vec<usize> {
    let mut wanted = some.iter().peekable();
    let is_wanted = |(_, path): &(usize, &VaultPath)| wanted.next_if_eq(path).is_some();
    let found = all.iter().enumerate().filter(is_wanted);
    found.map(|(id, _)| id).collect()
}

//! The files that lists and counts include: those that the user has not excluded in the app's
//! settings.

use std::ops::Range;
use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use vault_files::{Detail, EngineError, Vault};

use crate::excluded::ExcludedFiles;
use crate::indexed_vault::IndexedVault;
use crate::{Column, Indexed, KeptColumn};

/// The files that lists include.
pub struct ListedFiles {
    /// The files with their sizes in bytes, in byte order of the paths.
    pub files: Vec<(VaultPath, u64)>,
    /// Warnings about what could not be read or was left out.
    pub warnings: Vec<Warning>,
}

impl ListedFiles {
    /// Reads the files and their sizes from the folder.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn read(vault: &Vault) -> Result<Self, EngineError> {
        let contents = vault.contents(&VaultPath::root(), Detail::Sizes)?;
        let excluded = ExcludedFiles::read(vault)?;
        let files = contents.files.into_iter();
        let files = files
            .filter(|file| !excluded.excludes(&file.path))
            .map(|file| (file.path, file.size))
            .collect();
        let mut warnings = contents.warnings;
        warnings.extend(excluded.warnings);
        Ok(Self { files, warnings })
    }
}

/// A column of the index with its files, and the information which of them are listed.
pub struct Seen<C> {
    /// Every file of the vault, in byte order; the column's numbers refer to it.
    pub files: Arc<Vec<VaultPath>>,
    /// The column.
    pub column: Arc<C>,
    /// Whether lists and counts include a file, for each file.
    pub listed: Vec<bool>,
    /// Warnings about what could not be read or was left out.
    pub warnings: Vec<Warning>,
}

impl<C> Seen<C> {
    /// Reads a column of the index and the excluded files.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn read(vault: &Vault) -> Result<Self, EngineError>
    where
        C: Column + KeptColumn,
    {
        Self::read_below(vault, &VaultPath::root())
    }

    /// As [`Self::read`], but lists only files below a folder: only these are compared with the
    /// patterns of excluded files.
    ///
    /// # Errors
    ///
    /// Fails if the vault's folder cannot be listed, and after a cancellation.
    pub fn read_below(vault: &Vault, folder: &VaultPath) -> Result<Self, EngineError>
    where
        C: Column + KeptColumn,
    {
        let Indexed {
            files,
            column,
            mut warnings,
        } = IndexedVault(vault).column::<C>()?;
        let excluded = ExcludedFiles::read(vault)?;
        let below = range_below(&files, folder);
        let mut listed = vec![false; files.len()];
        if let (Some(files), Some(listed)) = (files.get(below.clone()), listed.get_mut(below)) {
            listed.copy_from_slice(&excluded.listed(files));
        }
        warnings.extend(excluded.warnings);
        Ok(Self {
            files,
            column,
            listed,
            warnings,
        })
    }

    /// Returns the same files with a part of the column.
    pub fn with<Part>(&self, column: Arc<Part>) -> Seen<Part> {
        Seen {
            files: Arc::clone(&self.files),
            column,
            listed: self.listed.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Returns the listed files with their numbers, in byte order of their paths.
    pub fn listed_files(&self) -> impl Iterator<Item = (usize, &VaultPath)> {
        let files = self.files.iter().enumerate();
        files.filter(|(id, _)| self.lists(*id))
    }

    /// Returns the notes among the listed files, with their numbers.
    pub fn notes(&self) -> impl Iterator<Item = (usize, &VaultPath)> {
        self.listed_files().filter(|(_, path)| path.is_note())
    }

    /// Returns the notes among the listed files below a folder, with their numbers.
    pub fn notes_below(&self, folder: &VaultPath) -> impl Iterator<Item = (usize, &VaultPath)> {
        let below = range_below(&self.files, folder);
        let files = self
            .files
            .iter()
            .enumerate()
            .take(below.end)
            .skip(below.start);
        files.filter(|(id, path)| self.lists(*id) && path.is_note())
    }

    /// Whether lists and counts include this file.
    pub fn lists(&self, id: usize) -> bool {
        self.listed.get(id) == Some(&true)
    }
}

/// Returns the numbers of the files below a folder, which are adjacent in byte order.
fn range_below(files: &[VaultPath], folder: &VaultPath) -> Range<usize> {
    if folder.is_root() {
        return 0..files.len();
    }
    let beginning = format!("{folder}/");
    let start = files.partition_point(|path| path.as_str() < beginning.as_str());
    let below = files.get(start..).unwrap_or_default();
    start..start + below.partition_point(|path| path.as_str().starts_with(&beginning))
}

/// Looks up the rows of a column by file. The rows are in order of the files, as the look-ups must be.
pub fn in_order<Row>(rows: impl Iterator<Item = (usize, Row)>) -> impl FnMut(usize) -> Option<Row> {
    let mut rows = rows.peekable();
    move |id| {
        while rows.next_if(|(other, _)| *other < id).is_some() {}
        rows.next_if(|(other, _)| *other == id).map(|(_, row)| row)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vault_files::vault::testing::path;

    use super::*;

    proptest! {
        #[test]
        fn files_below_a_folder_are_adjacent(
            names in prop::collection::btree_set("[ab]([ .é]?[ab])?(/[ab]([ .é]?[ab])?){0,2}", 0..12),
            folder in "([ab]([ .é]?[ab])?(/[ab])?)?",
        ) {
            let files: Vec<VaultPath> = names.iter().map(|name| path(name)).collect();
            let folder = VaultPath::folder(&folder).unwrap_or(VaultPath::root());
            let below: Vec<usize> = range_below(&files, &folder).collect();
            let all = files.iter().enumerate().filter(|(_, path)| path.is_below(&folder));
            prop_assert_eq!(below, all.map(|(id, _)| id).collect::<Vec<_>>());
        }
    }
}

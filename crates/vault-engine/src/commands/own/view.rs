//! A vault as the gateway's own commands look at it.

use std::sync::Arc;

use crate::contents::Detail;
use crate::error::EngineError;
use crate::excluded::ExcludedFiles;
use crate::index::{Column, Indexed, KeptColumn};
use crate::path::VaultPath;
use crate::vault::Vault;
use crate::warning::Warning;

/// A vault for the gateway's own commands: lists leave out what the user has excluded.
pub(crate) struct View<'vault> {
    pub(super) vault: &'vault Vault,
}

/// The files that lists hold.
pub(super) struct Sizes {
    /// With their sizes in bytes, in byte order of the paths.
    pub(super) files: Vec<(VaultPath, u64)>,
    pub(super) warnings: Vec<Warning>,
}

/// A column of the index with its files, and which of them are listed.
pub(super) struct Seen<C> {
    /// Every file of the vault, in byte order: the numbers of the column.
    pub(super) files: Arc<Vec<VaultPath>>,
    pub(super) column: Arc<C>,
    /// For each file whether lists and counts hold it: the user has not excluded it in the app's
    /// settings.
    pub(super) listed: Vec<bool>,
    pub(super) warnings: Vec<Warning>,
}

impl<'vault> View<'vault> {
    pub(crate) fn new(vault: &'vault Vault) -> Self {
        Self { vault }
    }

    /// A column of the index.
    pub(super) fn load<C: Column + KeptColumn>(&self) -> Result<Seen<C>, EngineError> {
        let Indexed {
            files,
            column,
            mut warnings,
        } = self.vault.column::<C>()?;
        let excluded = ExcludedFiles::read(self.vault)?;
        let listed = excluded.listed(&files);
        warnings.extend(excluded.warnings);
        Ok(Seen {
            files,
            column,
            listed,
            warnings,
        })
    }

    /// The files that lists hold, with their sizes in bytes; in byte order of their paths.
    pub(super) fn sizes(&self) -> Result<Sizes, EngineError> {
        let contents = self.vault.contents(&VaultPath::root(), Detail::Sizes)?;
        let excluded = ExcludedFiles::read(self.vault)?;
        let files = contents.files.into_iter();
        let files = files
            .filter(|file| !excluded.excludes(&file.path))
            .map(|file| (file.path, file.size))
            .collect();
        let mut warnings = contents.warnings;
        warnings.extend(excluded.warnings);
        Ok(Sizes { files, warnings })
    }
}

impl<C> Seen<C> {
    /// The same with a part of the column.
    pub(super) fn with<Part>(&self, column: Arc<Part>) -> Seen<Part> {
        Seen {
            files: Arc::clone(&self.files),
            column,
            listed: self.listed.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// The listed notes with their numbers, in byte order of their paths.
    pub(super) fn notes(&self) -> impl Iterator<Item = (usize, &VaultPath)> {
        self.files
            .iter()
            .enumerate()
            .filter(|(id, path)| self.lists(*id) && path.is_note())
    }

    /// Whether lists and counts hold this file.
    pub(super) fn lists(&self, id: usize) -> bool {
        self.listed.get(id) == Some(&true)
    }
}

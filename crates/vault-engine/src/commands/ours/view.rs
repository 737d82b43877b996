//! A vault as far as the caller may see it.

use std::sync::Arc;

use crate::commands::target::Target;
use crate::contents::Detail;
use crate::error::EngineError;
use crate::excluded::ExcludedFiles;
use crate::index::{self, Column, Held, Indexed};
use crate::path::VaultPath;
use crate::vault::Vault;
use crate::warning::Warning;

/// Which files of a vault a caller may see; all of them unless something is said.
///
/// The gateway's own commands answer as if the others did not exist. The app's commands do not look
/// at it, as they answer as the app does; only `random:read` draws among what may be seen.
#[derive(Clone, Copy, Default)]
pub struct Sight<'rule>(Option<&'rule (dyn Fn(&VaultPath) -> bool + Sync)>);

impl<'rule> Sight<'rule> {
    /// Only the files for which `sees` is true.
    pub fn of(sees: &'rule (dyn Fn(&VaultPath) -> bool + Sync)) -> Self {
        Self(Some(sees))
    }

    /// Whether the file may be seen.
    pub(crate) fn sees(self, path: &VaultPath) -> bool {
        self.0.is_none_or(|sees| sees(path))
    }
}

/// A vault through the eyes of a caller.
pub(crate) struct View<'vault> {
    pub(super) vault: &'vault Vault,
    sight: Sight<'vault>,
}

/// The files that lists hold.
pub(super) struct Sizes {
    /// With their sizes in bytes, in byte order of the paths.
    pub(super) files: Vec<(VaultPath, u64)>,
    pub(super) warnings: Vec<Warning>,
}

/// A column of the index with the files that may be seen, and which of them are listed.
pub(super) struct Seen<C> {
    /// Every file of the vault, in byte order: the numbers of the column.
    pub(super) files: Arc<Vec<VaultPath>>,
    pub(super) column: Arc<C>,
    /// For each file whether lists and counts hold it: it may be seen, and the user has not
    /// excluded it in the app's settings.
    pub(super) listed: Vec<bool>,
    pub(super) warnings: Vec<Warning>,
}

impl<'vault> View<'vault> {
    pub(crate) fn new(vault: &'vault Vault, sight: Sight<'vault>) -> Self {
        Self { vault, sight }
    }

    /// A column of the index.
    pub(super) fn load<C: Column + Held>(&self) -> Result<Seen<C>, EngineError> {
        let Indexed {
            files,
            column,
            mut warnings,
        } = index::load::<C>(self.vault)?;
        let excluded = ExcludedFiles::read(self.vault)?;
        let listed = files
            .iter()
            .map(|path| self.sight.sees(path) && !excluded.excludes(path))
            .collect();
        warnings.extend(excluded.warnings);
        Ok(Seen {
            files,
            column,
            listed,
            warnings,
        })
    }

    /// The files that may be seen, and what the walk for them left out.
    pub(super) fn files(&self) -> Result<(Vec<VaultPath>, Vec<Warning>), EngineError> {
        let contents = self.vault.contents(&VaultPath::root(), Detail::Names)?;
        let files = contents.files.into_iter().map(|file| file.path);
        Ok((
            files.filter(|path| self.sees(path)).collect(),
            contents.warnings,
        ))
    }

    /// The files that lists hold, with their sizes in bytes; in byte order of their paths.
    pub(super) fn sizes(&self) -> Result<Sizes, EngineError> {
        let contents = self.vault.contents(&VaultPath::root(), Detail::Sizes)?;
        let excluded = ExcludedFiles::read(self.vault)?;
        let files = contents.files.into_iter();
        let files = files
            .filter(|file| self.sees(&file.path) && !excluded.excludes(&file.path))
            .map(|file| (file.path, file.size))
            .collect();
        let mut warnings = contents.warnings;
        warnings.extend(excluded.warnings);
        Ok(Sizes { files, warnings })
    }

    /// Whether nothing is hidden from the caller.
    pub(super) fn sees_everything(&self) -> bool {
        self.sight.0.is_none()
    }

    /// To who may not see a file it is not there.
    pub(super) fn must_see(&self, target: &Target) -> Result<(), EngineError> {
        if self.sees(&target.path) {
            return Ok(());
        }
        Err(EngineError::file_not_found(&target.asked))
    }

    /// Whether a file may be seen.
    pub(super) fn sees(&self, path: &VaultPath) -> bool {
        self.sight.sees(path)
    }

    /// Whether a warning is about what may be seen. Those about settings and about folders as a
    /// whole are told to those alone who see everything.
    pub(crate) fn tells(&self, warning: &Warning) -> bool {
        self.sight.0.is_none() || self.sight.sees(warning.path())
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

//! A vault as far as the caller may see it.

use std::sync::Arc;

use crate::error::EngineError;
use crate::excluded::ExcludedFiles;
use crate::index::{self, Column, Held, Indexed};
use crate::path::VaultPath;
use crate::vault::Vault;
use crate::warning::Warning;

/// Which files of a vault a caller may see; all of them unless something is said.
///
/// The gateway's own commands answer as if the others did not exist. The app's commands do not look
/// at it: they answer as the app does.
#[derive(Clone, Copy, Default)]
pub struct Sight<'rule>(Option<&'rule (dyn Fn(&VaultPath) -> bool + Sync)>);

impl<'rule> Sight<'rule> {
    /// Only the files for which `sees` is true.
    pub fn of(sees: &'rule (dyn Fn(&VaultPath) -> bool + Sync)) -> Self {
        Self(Some(sees))
    }

    fn sees(self, path: &VaultPath) -> bool {
        self.0.is_none_or(|sees| sees(path))
    }
}

/// A vault through the eyes of a caller.
pub(crate) struct View<'vault> {
    pub(super) vault: &'vault Vault,
    sight: Sight<'vault>,
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

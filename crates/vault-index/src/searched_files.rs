//! The files of a vault that match a query of the search language.

use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use obsidian_search::{FromText, Query};
use vault_files::{Args, Contents, EngineError, Matches, Refusal, Search, SearchCandidate, Vault};

use crate::IndexSnapshot;
use crate::excluded::ExcludedFiles;
use crate::indexed_vault::IndexedVault;
use crate::target::{folder, required};

/// The files to search: those below `path=`, which may also be a note itself. A missing path has no
/// files: the app reports no error.
pub struct SearchedFiles {
    /// The files, if they were read from the folder now; `None` if all files of the snapshot are
    /// searched.
    read: Option<Vec<VaultPath>>,
    snapshot: Option<Arc<IndexSnapshot>>,
    warnings: Vec<Warning>,
}

impl SearchedFiles {
    /// Finds the files to search below the folder that the parameter `below` names.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn from_arguments(
        vault: &Vault,
        arguments: &Args,
        below: &str,
    ) -> Result<Self, EngineError> {
        let folder = folder(arguments, below);
        if folder.is_root()
            && let Some(known) = IndexedVault(vault).snapshot()?
        {
            return Ok(Self {
                read: None,
                warnings: known.left_out.clone(),
                snapshot: Some(known),
            });
        }
        let snapshot = IndexedVault(vault).snapshot_at_hand()?;
        let (files, warnings) = match IndexedVault(vault).names_below(&folder) {
            Ok(Contents {
                files, warnings, ..
            }) => (files.into_iter().map(|file| file.path).collect(), warnings),
            Err(EngineError::Refused(Refusal::FolderNotFound { .. })) => (Vec::new(), Vec::new()),
            Err(EngineError::Refused(Refusal::NotAFolder { .. })) => (vec![folder], Vec::new()),
            Err(other) => return Err(other),
        };
        Ok(Self {
            read: Some(files),
            snapshot,
            warnings,
        })
    }

    fn files(&self) -> impl Iterator<Item = SearchCandidate<'_>> {
        let read = self.read.iter().flatten().map(|path| SearchCandidate {
            path,
            trigram_filter: self
                .snapshot
                .as_ref()
                .and_then(|snapshot| snapshot.trigram_filter(path)),
        });
        let known = self.snapshot.as_deref().filter(|_| self.read.is_none());
        let known = known.into_iter().flat_map(IndexSnapshot::files);
        read.chain(known.map(|(path, trigram_filter)| SearchCandidate {
            path,
            trigram_filter,
        }))
    }

    /// Returns the files that match `query=`, unsorted.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn matching(
        self,
        vault: &Vault,
        arguments: &Args,
        usage: &str,
        lines: bool,
    ) -> Result<Matches, EngineError> {
        let text = required(arguments, "query", usage)?;
        let stop = vault.disk().cancellation();
        let query = Query::parse_under(text, arguments.flag("case"), stop.clone());
        stop.check()?;
        let query = query.map_err(|_| EngineError::Refused(Refusal::InvalidSearchQuery))?;
        let excluded = ExcludedFiles::read(vault)?;
        let filters = self
            .snapshot
            .as_deref()
            .map(|known| &*known.columns.trigram_filters);
        let search = Search {
            vault,
            query: &query,
            reader: &FromText,
            lines,
            filters,
        };
        let has_canvases = arguments.flag("canvas");
        let is_searched =
            |path: &VaultPath| path.is_note() || has_canvases && path.extension() == "canvas";
        let found = search.run(self.files(), |path| {
            is_searched(path) && !excluded.excludes(path)
        });
        vault.disk().cancellation().check()?;
        let found = found.map_err(|_| EngineError::RegexTooSlow)?;
        let mut warnings = self.warnings;
        warnings.extend(excluded.warnings);
        warnings.extend(found.warnings);
        warnings.sort_by(|left, right| left.path().cmp(right.path()));
        Ok(Matches {
            files: found.files,
            warnings,
        })
    }
}

/// Returns all files below the folder `below=` that match `query=`, unsorted.
///
/// # Errors
///
/// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
pub fn found_below(vault: &Vault, arguments: &Args, below: &str) -> Result<Matches, EngineError> {
    let searched = SearchedFiles::from_arguments(vault, arguments, below)?;
    searched.matching(vault, arguments, "", false)
}

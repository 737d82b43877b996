//! The files of a vault that match a query of the search language.

use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use obsidian_search::{FromText, Query};
use vault_files::{Args, Contents, EngineError, Matches, Refusal, Search, SearchCandidate, Vault};

use crate::IndexSnapshot;
use crate::excluded::ExcludedFiles;
use crate::indexed_vault::IndexedVault;
use crate::target::{folder, required};

/// A query of the search language, and what is searched with it.
#[derive(Clone, Copy, Debug)]
pub struct TextSearch<'text> {
    /// The query, as in the app (`vault-semantics.md` §4).
    pub query: &'text str,
    /// Whether upper and lower case differ.
    pub is_case_sensitive: bool,
    /// Whether canvases are searched too, and not only notes.
    pub with_canvases: bool,
    /// Whether to find the lines of the hits, or only the files.
    pub with_lines: bool,
}

impl<'text> TextSearch<'text> {
    /// Returns the search for `query=`, with the flags `case` and `canvas`. `usage` is the app's usage line of the
    /// command.
    ///
    /// # Errors
    ///
    /// The app's error if the query is missing.
    pub fn from_arguments(
        arguments: &'text Args,
        usage: &str,
        with_lines: bool,
    ) -> Result<Self, EngineError> {
        Ok(Self {
            query: required(arguments, "query", usage)?,
            is_case_sensitive: arguments.flag("case"),
            with_canvases: arguments.flag("canvas"),
            with_lines,
        })
    }
}

/// The files to search: those below a folder, which may also be a note itself. A missing path has no
/// files: the app reports no error.
pub struct SearchedFiles {
    /// The files, if they were read from the folder now; `None` if all files of the snapshot are
    /// searched.
    read: Option<Vec<VaultPath>>,
    snapshot: Option<Arc<IndexSnapshot>>,
    warnings: Vec<Warning>,
}

impl SearchedFiles {
    /// Finds the files to search below this folder.
    ///
    /// # Errors
    ///
    /// The error that keeps the vault from being read.
    pub fn below(vault: &Vault, folder: VaultPath) -> Result<Self, EngineError> {
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

    /// Returns the files that match, unsorted.
    ///
    /// # Errors
    ///
    /// The app's error if the query is malformed; [`EngineError::RegexTooSlow`] if a regular expression takes too long;
    /// otherwise the error that keeps the vault from being read.
    pub fn matching(self, vault: &Vault, text: TextSearch<'_>) -> Result<Matches, EngineError> {
        let stop = vault.disk().cancellation();
        let query = Query::parse_under(text.query, text.is_case_sensitive, stop.clone());
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
            lines: text.with_lines,
            filters,
        };
        let is_searched =
            |path: &VaultPath| path.is_note() || text.with_canvases && path.extension() == "canvas";
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
    let searched = SearchedFiles::below(vault, folder(arguments, below))?;
    searched.matching(vault, TextSearch::from_arguments(arguments, "", false)?)
}

//! `search` and `search:context`.

use std::sync::Arc;

use cli_output::{Answer, AppError, Arguments, FileItem, LineMatch, List, SearchContextItem};

use super::reply::{Reply, total};
use crate::collation::Collation;
use crate::contents::Contents;
use crate::error::EngineError;
use crate::excluded::ExcludedFiles;
use crate::index::IndexSnapshot;
use crate::path::VaultPath;
use crate::search::{FromText, HitLine, Match, Matches, Query, Search, SearchCandidate};
use crate::surroundings::Surroundings;
use crate::target::{folder, required};
use crate::vault::Vault;
use crate::warning::Warning;

const SEARCH_USAGE: &str =
    "search query=<text> [path=<folder>] [limit=<n>] [total] [case] [format=text|json]";
const CONTEXT_USAGE: &str =
    "search:context query=<text> [path=<folder>] [limit=<n>] [case] [format=text|json]";

/// Bytes that the lines of one answer may take. Lines are repeated for each hit, so that one long
/// line with thousands of hits would fill any memory.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Bytes that the lines of one file may take, so that no file with one long line makes an item that fits
/// into no answer and hides the items after it (`faults.md` F15, J04).
const MAX_FILE_BYTES: usize = 512 * 1024;
/// What a line costs beside its text.
const LINE_BYTES: usize = 48;

/// The files that match, in collator order (`vault-semantics.md` §1.3, §4.2).
pub(super) fn search(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let Matches { files, warnings } = found(vault, arguments, SEARCH_USAGE, false)?;
    if arguments.flag("total") {
        return Ok(Reply::new(total(files.len()), warnings));
    }
    let list = limited(files, arguments)?.map(|file| FileItem {
        path: file.path.to_string(),
    });
    Ok(Reply::new(Answer::Files(list), warnings))
}

/// The files that match, each with a row for every hit.
pub(super) fn context(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let Matches {
        files,
        mut warnings,
    } = found(vault, arguments, CONTEXT_USAGE, true)?;
    let files = limited(files, arguments)?;
    let costs = files.items.iter().map(|file| cost(&file.lines.lines));
    let share = share(costs.collect(), MAX_ANSWER_BYTES).min(MAX_FILE_BYTES);
    let list = files.map(|Match { path, lines }| {
        let (matches, left_out) = rows(lines.lines, share);
        let count = left_out + lines.left_out;
        if count > 0 {
            let path = path.clone();
            warnings.push(Warning::HitsLeftOut { path, count });
        }
        SearchContextItem {
            path: path.to_string(),
            matches,
        }
    });
    Ok(Reply::new(Answer::SearchContext(list), warnings))
}

/// What the rows of one file cost.
fn cost(lines: &[HitLine]) -> usize {
    let costs = lines
        .iter()
        .map(|line| line.hits.saturating_mul(line.text.len() + LINE_BYTES));
    costs.fold(0, usize::saturating_add)
}

/// How much each file may cost, so that all of them fit into `room`: those that cost less leave
/// the rest to those that cost more, and no file keeps another from being shown.
fn share(mut costs: Vec<usize>, room: usize) -> usize {
    costs.sort_unstable();
    let mut left = room;
    for (index, cost) in costs.iter().enumerate() {
        let share = left / (costs.len() - index);
        if *cost > share {
            return share;
        }
        left -= cost;
    }
    room
}

/// One row a hit, as long as there is room; and how many hits are without.
fn rows(lines: Vec<HitLine>, mut room: usize) -> (Vec<LineMatch>, usize) {
    let mut rows = Vec::new();
    let mut left_out = 0;
    for line in lines {
        let cost = line.text.len() + LINE_BYTES;
        let fitting = line.hits.min(room / cost);
        room -= fitting * cost;
        left_out += line.hits - fitting;
        rows.extend(std::iter::repeat_n(&line, fitting).map(|line| LineMatch {
            line: line.number,
            text: line.text.clone(),
        }));
    }
    (rows, left_out)
}

/// All files below the folder that `below=` names that match `query=`, in no order.
pub(super) fn found_below(
    vault: &Vault,
    arguments: &Arguments,
    below: &str,
) -> Result<Matches, EngineError> {
    let searched = Searched::of(vault, arguments, below)?;
    matching(vault, arguments, "", searched, false)
}

/// All files that match, in no order.
fn found(
    vault: &Vault,
    arguments: &Arguments,
    usage: &str,
    lines: bool,
) -> Result<Matches, EngineError> {
    // What the query is without is told first.
    required(arguments, "query", usage)?;
    let searched = Searched::of(vault, arguments, "path")?;
    matching(vault, arguments, usage, searched, lines)
}

fn matching(
    vault: &Vault,
    arguments: &Arguments,
    usage: &str,
    searched: Searched,
    lines: bool,
) -> Result<Matches, EngineError> {
    let text = required(arguments, "query", usage)?;
    let stop = vault.disk().cancellation();
    let query = Query::parse_under(text, arguments.flag("case"), stop.clone());
    stop.check()?;
    let query = query.map_err(|_| EngineError::App(AppError::InvalidSearchQuery))?;
    let excluded = ExcludedFiles::read(vault)?;
    let search = Search {
        disk: vault.disk(),
        query: &query,
        reader: &FromText,
        lines,
    };
    let has_canvases = arguments.flag("canvas");
    let is_searched =
        |path: &VaultPath| path.is_note() || has_canvases && path.extension() == "canvas";
    let notes = searched.files().filter(|file| is_searched(file.path));
    let found = search.run(notes, |path| !excluded.excludes(path));
    vault.disk().cancellation().check()?;
    let found = found.map_err(|_| EngineError::RegexTooSlow)?;
    let mut warnings = searched.warnings;
    warnings.extend(excluded.warnings);
    warnings.extend(found.warnings);
    warnings.sort_by(|left, right| left.path().cmp(right.path()));
    Ok(Matches {
        files: found.files,
        warnings,
    })
}

/// The files that are searched: those below `path=`, which may also be a note itself. What is not
/// there holds none: the app reports no error.
struct Searched {
    /// Read from the folder now; none where all that the snapshot knows is searched.
    read: Option<Vec<VaultPath>>,
    snapshot: Option<Arc<IndexSnapshot>>,
    warnings: Vec<Warning>,
}

impl Searched {
    fn of(vault: &Vault, arguments: &Arguments, below: &str) -> Result<Self, EngineError> {
        let (folder, asked) = folder(arguments, below)?;
        if folder.is_root()
            && let Some(known) = vault.snapshot()?
        {
            return Ok(Self {
                read: None,
                warnings: known.left_out().to_vec(),
                snapshot: Some(known),
            });
        }
        let snapshot = vault.snapshot_at_hand()?;
        let (files, warnings) = match vault.names_below(&folder, asked) {
            Ok(Contents {
                files, warnings, ..
            }) => (files.into_iter().map(|file| file.path).collect(), warnings),
            Err(EngineError::App(AppError::FolderNotFound { .. })) => (Vec::new(), Vec::new()),
            Err(EngineError::App(AppError::NotAFolder { .. })) => (vec![folder], Vec::new()),
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
}

/// The first `limit=` files in order; all of them where it is not a number of at least 1
/// (`vault-semantics.md` §4.2).
fn limited(mut files: Vec<Match>, arguments: &Arguments) -> Result<List<Match>, EngineError> {
    Collation::new()?.sort_by(&mut files, |file| file.path.as_str());
    let total = files.len();
    let limit = arguments
        .param("limit")
        .and_then(|limit| limit.trim().parse::<i64>().ok())
        .filter(|limit| *limit > 0)
        .map_or(total, |limit| usize::try_from(limit).unwrap_or(total));
    files.truncate(limit);
    Ok(List {
        total,
        returned: files.len(),
        offset: 0,
        truncated: files.len() < total,
        items: files,
    })
}

#[cfg(test)]
mod tests;

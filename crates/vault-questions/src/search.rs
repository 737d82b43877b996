//! `search` and `search:context`.

use obsidian_note::Warning;
use obsidian_search::HitLine;
use vault_answers::{FileItem, LineMatch, SearchContextItem};
use vault_files::{Args, Call, Collation, EngineError, Match, Matches, Vault};
use vault_index::target::folder;
use vault_index::{SearchedFiles, TextSearch};

use super::own::level;
use super::reply::{Reply, first, limited};

const SEARCH_USAGE: &str =
    "search query=<text> [path=<folder>] [limit=<n>] [total] [case] [format=text|json]";
const CONTEXT_USAGE: &str =
    "search:context query=<text> [path=<folder>] [limit=<n>] [case] [format=text|json]";

/// The maximum number of bytes of lines in one answer. A line is repeated for each hit, so one long line with
/// thousands of hits would otherwise exhaust the memory.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of bytes of lines of one file, so that a file with one long line does not make an item that no
/// answer can contain, which would hide the items after it (`threats.toml` F15, J04).
const MAX_FILE_BYTES: usize = 512 * 1024;
/// The bytes that a line costs beyond its text.
const LINE_BYTES: usize = 48;

/// Returns the files that match, in collator order (`vault-semantics.md` §1.3, §4.2).
pub(super) fn search(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let Matches { files, warnings } = found(call.vault, arguments, SEARCH_USAGE, false)?;
    let files = files.iter().map(|file| FileItem::new(&file.path)).collect();
    Ok(Reply::new(first(files, arguments), warnings))
}

/// Returns the files that match, each with a row for every hit.
pub(super) fn context(call: &Call<'_>) -> Result<Reply, EngineError> {
    let arguments = call.arguments;
    let Matches {
        files,
        mut warnings,
    } = found(call.vault, arguments, CONTEXT_USAGE, true)?;
    let files = limited(files, arguments);
    let costs = files.items.iter().map(|file| cost(&file.lines.lines));
    let costs: Vec<usize> = costs.collect();
    // Files that cost less leave the rest to the others, so no file keeps another out.
    let share = level(MAX_ANSWER_BYTES, &costs).min(MAX_FILE_BYTES);
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
    Ok(Reply::new(list, warnings))
}

/// Returns the cost of the rows of one file, in bytes.
fn cost(lines: &[HitLine]) -> usize {
    let costs = lines
        .iter()
        .map(|line| line.hits.saturating_mul(line.text.len() + LINE_BYTES));
    costs.fold(0, usize::saturating_add)
}

/// Returns one row per hit while there is room, and the number of hits that were left out.
fn rows(lines: Vec<HitLine>, mut room: usize) -> (Vec<LineMatch>, usize) {
    let mut rows = Vec::new();
    let mut left_out = 0;
    for line in lines {
        let cost = line.text.len() + LINE_BYTES;
        let fitting = line.hits.min(room / cost);
        room -= fitting * cost;
        left_out += line.hits - fitting;
        rows.extend(
            std::iter::repeat_n(&line, fitting)
                .map(|line| LineMatch::new(line.number, line.text.clone())),
        );
    }
    (rows, left_out)
}

/// Returns all files that match, sorted unless only their number is wanted.
fn found(
    vault: &Vault,
    arguments: &Args,
    usage: &str,
    lines: bool,
) -> Result<Matches, EngineError> {
    // A missing query is reported before any other fault.
    let text = TextSearch::from_arguments(arguments, usage, lines)?;
    let searched = SearchedFiles::below(vault, folder(arguments, "path"))?;
    let mut found = searched.matching(vault, text)?;
    if !arguments.flag("total") {
        Collation::new()?.sort_by(&mut found.files, |file| file.path.as_str());
    }
    Ok(found)
}

#[cfg(test)]
mod tests;

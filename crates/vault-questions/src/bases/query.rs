//! `base:query` (`vault-semantics.md` §5.2, `design/questions.md`).

use bases::{FileNumber, Kept, Moment, Query, QueryBudget, Spent, Summary, Table, This};
use obsidian_note::{VaultPath, Warning};
use rayon::prelude::*;
use serde_json::{Map, Value};
use vault_answers::{BaseColumn, BaseGroup, BaseRow, BaseRows, BaseSummary, BaseViewFacts};
use vault_files::{Args, Call, EngineError, Surroundings, Vault};
use vault_index::{ChosenView, Target};

use super::notes::BaseNotes;
use crate::reply::{Found, Reply, limited};

/// The rows of a view of a base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseTable {
    /// The name of the view.
    pub name: String,
    /// The kind of the view: `table`, `cards`, `list`, or one that a plugin adds.
    pub kind: String,
    /// The columns, rows, groups and summaries.
    pub table: Table,
    /// The path of the file of each row.
    pub paths: Vec<String>,
}

/// Returns the rows of one view.
pub(crate) fn query(call: &Call<'_>) -> Result<Reply, EngineError> {
    let chosen = ChosenView::read(call.vault, call.arguments)?;
    let found = rows_of(call.vault, chosen, &moment(call.surroundings))?;
    Ok(found.reply(|found| rows(&found, call.arguments)))
}

/// Returns the rows of one view of the base in a file, of its first view if `view` is `None`. In a note it is the first
/// block that has such a view (`vault-semantics.md` §5.2).
///
/// # Errors
///
/// The app's error if there is no such file or no base in it; [`EngineError::Base`] if the base cannot be read,
/// [`EngineError::BaseView`] if it has no such view, [`EngineError::BaseTooCostly`] if its expressions take too long;
/// otherwise the error that keeps the vault from being read.
pub fn base_table(
    vault: &Vault,
    target: Target,
    view: Option<&str>,
    moment: &Moment,
) -> Result<Found<BaseTable>, EngineError> {
    rows_of(vault, ChosenView::of_target(vault, target, view)?, moment)
}

fn rows_of(
    vault: &Vault,
    mut chosen: ChosenView,
    moment: &Moment,
) -> Result<Found<BaseTable>, EngineError> {
    use bases::Notes as _;
    let wanted = chosen.base.filter_inputs(&chosen.view);
    let notes = BaseNotes::read(vault, &wanted)?;
    let this = notes.number(&chosen.path).map_or(This::Unknown, This::File);
    let budget = budget(vault);
    let query = Query::new(&chosen.base, &chosen.view, &notes, moment, this, &budget);
    let kept =
        evaluate_all_files(&query, &notes, vault).map_err(|refused| refused.error(&chosen.path))?;
    let table = query
        .table(&kept.files)
        .map_err(|Spent| Refused::from_vault(vault).error(&chosen.path))?;
    // A filter that does not parse has no value for any file. Its own warning says so already.
    let is_reported = !chosen.base.broken_filters(&chosen.view).is_empty();
    if let Some(failed) = kept.failed.filter(|_| !is_reported) {
        chosen.warnings.push(Warning::BaseFilterFailed {
            path: chosen.path.clone(),
            count: failed.count,
            reason: if is_said(&chosen.warnings, &failed.reason) {
                String::new()
            } else {
                failed.reason
            },
        });
    }
    if table.is_cut {
        chosen.warnings.push(Warning::BaseRowsLeftOut {
            path: chosen.path.clone(),
            count: table.total - table.rows.len(),
        });
    }
    let files = table.rows.iter().map(|row| notes.path(row.file).to_owned());
    let value = BaseTable {
        name: chosen.view.name.clone(),
        kind: chosen.view.kind.clone(),
        paths: files.collect(),
        table,
    };
    chosen.warnings.extend(notes.finish()?);
    Ok(Found::new(value, chosen.warnings))
}

/// Whether a warning about the base explains already why a filter has no value.
fn is_said(warnings: &[Warning], why: &str) -> bool {
    warnings.iter().any(|warning| match warning {
        Warning::BaseFault { reason, .. } => {
            let fault = reason.split(';').next().unwrap_or_default();
            why.starts_with(fault)
        }
        _ => false,
    })
}

/// Returns the time and the random seed for the expressions.
pub(crate) fn moment(surroundings: &Surroundings) -> Moment {
    Moment {
        now: surroundings.now.clone(),
        seed: surroundings.random,
    }
}

/// Returns the limits of the query: its cost, and the deadline of the call.
pub(crate) fn budget(vault: &Vault) -> QueryBudget {
    let cancellation = vault.disk().cancellation().clone();
    QueryBudget::new(move || cancellation.is_cancelled())
}

/// The files that a filter keeps, and those for which it fails.
pub(crate) struct KeptFiles {
    pub(crate) files: Vec<FileNumber>,
    pub(crate) failed: Option<FailedFiles>,
}

/// Files for which a filter fails.
pub(crate) struct FailedFiles {
    pub(crate) first: FileNumber,
    pub(crate) count: usize,
    /// The error for the first of them.
    pub(crate) reason: String,
}

/// The reason why a query ended early.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Refused {
    Stopped,
    TooCostly,
}

impl Refused {
    fn from_vault(vault: &Vault) -> Self {
        if vault.disk().cancellation().is_cancelled() {
            Self::Stopped
        } else {
            Self::TooCostly
        }
    }

    fn error(self, path: &VaultPath) -> EngineError {
        match self {
            Self::Stopped => EngineError::Stopped,
            Self::TooCostly => EngineError::BaseTooCostly { path: path.clone() },
        }
    }
}

/// Evaluates the query for every file, in parallel. Files that the user excluded are not rows (`vault-semantics.md`
/// §5.1). That is checked last, because most files fail the filter.
pub(crate) fn evaluate_all_files(
    query: &Query<'_>,
    notes: &BaseNotes<'_>,
    vault: &Vault,
) -> Result<KeptFiles, Refused> {
    let all: Vec<usize> = (0..notes.len()).collect();
    let wanted: Result<Vec<Vec<(FileNumber, Kept)>>, Spent> = all
        .par_chunks(FILES_PER_THREAD)
        .map(|files| kept_among(files, query, notes))
        .collect();
    let wanted = wanted.map_err(|Spent| Refused::from_vault(vault))?;
    let mut files = Vec::new();
    let mut failed: Option<FailedFiles> = None;
    for (file, kept) in wanted.into_iter().flatten() {
        match (kept, &mut failed) {
            (Kept::Yes, _) => files.push(file),
            (Kept::No, _) => {}
            (Kept::Failed(_), Some(failed)) => failed.count += 1,
            (Kept::Failed(reason), none) => {
                *none = Some(FailedFiles {
                    first: file,
                    count: 1,
                    reason,
                });
            }
        }
    }
    Ok(KeptFiles { files, failed })
}

/// The number of files that a thread evaluates at once.
const FILES_PER_THREAD: usize = 512;

/// Returns the rows among `files`, and the files for which the filter fails.
fn kept_among(
    files: &[usize],
    query: &Query<'_>,
    notes: &BaseNotes<'_>,
) -> Result<Vec<(FileNumber, Kept)>, Spent> {
    let meter = query.meter();
    let mut found = Vec::new();
    // One verdict serves all files that have none of the properties that the filter reads.
    let mut on_the_others: Option<Kept> = None;
    for file in files.iter().copied().map(FileNumber) {
        let kept = if notes.has_no_input(file) {
            if on_the_others.is_none() {
                on_the_others = Some(query.keeps(file, &meter)?);
            }
            on_the_others.clone().unwrap_or(Kept::No)
        } else {
            query.keeps(file, &meter)?
        };
        if kept != Kept::No && notes.is_listed(file) {
            found.push((file, kept));
        }
    }
    Ok(found)
}

fn rows(found: &BaseTable, arguments: &Args) -> BaseRows {
    let table = &found.table;
    let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::String);
    let row = |(row, path): (&bases::Row, &String)| {
        let mut cells = Map::new();
        cells.insert("path".to_owned(), path.as_str().into());
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            cells.insert(column.label.clone(), text(&cell.text));
        }
        BaseRow { cells }
    };
    let summary = |summary: &Summary| BaseSummary {
        column: table
            .columns
            .get(summary.column)
            .map(|column| column.label.clone())
            .unwrap_or_default(),
        name: summary.name.clone(),
        value: summary.value.clone(),
    };
    let column = |column: &bases::Column| BaseColumn {
        id: column.id.clone(),
        name: column.label.clone(),
        kind: column.kind.clone(),
    };
    let group = |group: &bases::Group| BaseGroup {
        value: group.value.clone(),
        rows: group.rows,
        summaries: group.summaries.iter().map(summary).collect(),
    };
    BaseRows {
        rows: limited(
            table.rows.iter().zip(&found.paths).map(row).collect(),
            arguments,
        ),
        view: Some(BaseViewFacts {
            name: found.name.clone(),
            kind: found.kind.clone(),
            matching: table.total,
            columns: table.columns.iter().map(column).collect(),
            groups: table.groups.iter().map(group).collect(),
            summaries: table.summaries.iter().map(summary).collect(),
        }),
    }
}

//! Applies a view of a base to the files of a vault: the rows, their order, and their cells.

use std::cmp::Ordering;

use crate::base::{Base, Filter, PropertyId, Statement, View};
use crate::evaluate::{
    Evaluation, ExpressionError, Meter, Moment, Outcome, QueryBudget, Scope, Setting, SortValue,
    Spent, This, cut,
};
use crate::limits::{MAX_COMPARED_BYTES, MAX_TABLE_BYTES};
use crate::notes::{FileNumber, Notes};
use crate::summary;
use crate::syntax::Expression;
use crate::value::Value;

/// One view over the files of a vault.
pub struct Query<'query> {
    base: &'query Base,
    view: &'query View,
    columns: Vec<PropertyId>,
    setting: Setting<'query>,
}

/// Whether a file is a row of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The filters match it.
    Yes,
    /// The filters do not match it.
    No,
    /// A filter fails for it, with this error, so it is not a row.
    Failed(String),
}

/// The rows of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The columns, in the order of the view.
    pub columns: Vec<Column>,
    /// The rows, sorted and limited as the view asks.
    pub rows: Vec<Row>,
    /// The groups of the rows, in their order; empty if the view has no groups.
    pub groups: Vec<Group>,
    /// The summaries of all rows.
    pub summaries: Vec<Summary>,
    /// The number of rows before the view's limit.
    pub total: usize,
    /// Whether cells were left out because there is more than [`MAX_TABLE_BYTES`] of text.
    pub is_cut: bool,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The id of its property: `file.name`, `note.status`, `formula.total`.
    pub id: String,
    /// Its heading, which is the display name. No two columns have the same.
    pub label: String,
    /// The type of its values, such as `number`; `mixed` if they differ, `empty` if there are none.
    pub kind: String,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The file that the row is about.
    pub file: FileNumber,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The text; `None` for an empty value, `Error: …` if the expression fails.
    pub text: Option<String>,
    /// The type of the value, such as `Number`; `Empty` or `Error` without a value.
    pub kind: &'static str,
}

/// Consecutive rows with the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The value; `None` if it is empty.
    pub value: Option<String>,
    /// The number of its rows.
    pub rows: usize,
    /// The summaries of its rows.
    pub summaries: Vec<Summary>,
}

/// The summary of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The index of the column.
    pub column: usize,
    /// The name of the summary in the base.
    pub name: String,
    /// The result; `None` if it is empty.
    pub value: Option<String>,
}

/// A row with its sort keys.
struct Ordered {
    file: FileNumber,
    group: Option<(SortValue, Option<String>)>,
    /// Without a sort in the view, only the file's name (`vault-semantics.md` §5.2).
    keys: Vec<SortValue>,
}

/// A row with the values of its cells.
struct Filled {
    values: Vec<Outcome>,
    cells: Vec<Cell>,
}

impl<'query> Query<'query> {
    /// Applies a view to files at a moment.
    pub fn new(
        base: &'query Base,
        view: &'query View,
        notes: &'query dyn Notes,
        moment: &'query Moment,
        this: This,
        budget: &'query QueryBudget,
    ) -> Self {
        let mut columns = view.order.clone();
        if columns.is_empty() {
            columns.push(PropertyId::File("name".to_owned()));
        }
        Self {
            base,
            view,
            columns,
            setting: Setting {
                notes,
                moment,
                this,
                formulas: &base.formulas,
                budget,
            },
        }
    }

    /// A meter for [`Self::keeps`], one for each thread that asks.
    pub fn meter(&self) -> Meter<'_> {
        self.setting.budget.meter()
    }

    /// Whether a file is a row.
    ///
    /// # Errors
    ///
    /// Fails once the whole query costs too much, or is cancelled.
    pub fn keeps(&self, file: FileNumber, meter: &Meter<'_>) -> Result<Kept, Spent> {
        self.setting.budget.check()?;
        let evaluation = Evaluation::new(&self.setting, meter, file);
        for filter in self.base.filters(self.view) {
            match unless_spent(passes(filter, &evaluation))? {
                Ok(true) => {}
                Ok(false) => return Ok(Kept::No),
                Err(error) => return Ok(Kept::Failed(error.message)),
            }
        }
        Ok(Kept::Yes)
    }

    /// The value of one expression for a file, and its JSON: links and files are their paths there,
    /// dates and durations their texts.
    ///
    /// # Errors
    ///
    /// Fails if the expression has no value, with the app's message if it is known, and if it
    /// exceeds a limit ([`crate::limits`]).
    pub fn value(
        &self,
        expression: &Expression,
        file: FileNumber,
    ) -> Result<serde_json::Value, ExpressionError> {
        let meter = self.meter();
        let evaluation = Evaluation::new(&self.setting, &meter, file);
        evaluation
            .value(expression)
            .map(|value| self.setting.json(&value))
    }

    /// The table of these files, which passed [`Self::keeps`] and are in order of their paths.
    ///
    /// # Errors
    ///
    /// As [`Self::keeps`].
    pub fn table(&self, files: &[FileNumber]) -> Result<Table, Spent> {
        let meter = self.meter();
        let mut rows = Vec::with_capacity(files.len());
        for file in files {
            rows.push(self.ordered(*file, &meter)?);
        }
        rows.sort_by(|left, right| self.compare(left, right));
        let total = rows.len();
        rows.truncate(self.view.limit.unwrap_or(usize::MAX));

        let mut filled = Vec::with_capacity(rows.len());
        let mut bytes = 0_usize;
        for row in &rows {
            let row = self.filled(row.file, &meter)?;
            let texts = row.cells.iter().filter_map(|cell| cell.text.as_ref());
            bytes = bytes.saturating_add(texts.map(String::len).sum());
            if bytes > MAX_TABLE_BYTES {
                break;
            }
            filled.push(row);
        }
        let is_cut = filled.len() < rows.len();
        rows.truncate(filled.len());
        let groups = self.groups(&rows, &filled)?;
        let summaries = self.summaries(&filled)?;
        let columns = self.described(&filled);
        let rows = rows
            .into_iter()
            .zip(filled)
            .map(|(row, filled)| Row {
                file: row.file,
                cells: filled.cells,
            })
            .collect();
        Ok(Table {
            columns,
            rows,
            groups,
            summaries,
            total,
            is_cut,
        })
    }

    fn ordered(&self, file: FileNumber, meter: &Meter<'_>) -> Result<Ordered, Spent> {
        self.setting.budget.check()?;
        let evaluation = Evaluation::new(&self.setting, meter, file);
        let value = |property: &PropertyId| -> Result<Value, Spent> {
            // A failing expression sorts like an empty value.
            Ok(unless_spent(property_of(&evaluation, property))?.unwrap_or_default())
        };
        let sorted = |value: &Value| SortValue::new(&self.setting, value, MAX_COMPARED_BYTES);
        let group = match &self.view.group_by {
            None => None,
            Some(key) => {
                let value = value(&key.property)?;
                let text = (!value.is_empty())
                    .then(|| cut(self.setting.cell_text(&value), MAX_COMPARED_BYTES));
                Some((sorted(&value), text))
            }
        };
        let by_name = PropertyId::File("name".to_owned());
        let keys = self.view.sort.iter().map(|key| &key.property);
        let by_name = Some(&by_name).filter(|_| self.view.sort.is_empty());
        let keys = keys.chain(by_name);
        let keys = keys.map(|key| Ok(sorted(&value(key)?)));
        Ok(Ordered {
            file,
            group,
            keys: keys.collect::<Result<_, Spent>>()?,
        })
    }

    fn compare(&self, left: &Ordered, right: &Ordered) -> Ordering {
        if let (Some(key), Some((left, left_text)), Some((right, right_text))) =
            (&self.view.group_by, &left.group, &right.group)
        {
            let by_group = left
                .compare(right, &self.setting, key.descending)
                // Texts that are equal in the language's order still form different groups.
                .then_with(|| left_text.cmp(right_text));
            if by_group != Ordering::Equal {
                return by_group;
            }
        }
        let keys = left.keys.iter().zip(&right.keys).enumerate();
        let mut orders = keys.map(|(place, (left, right))| {
            let key = self.view.sort.get(place);
            left.compare(right, &self.setting, key.is_some_and(|key| key.descending))
        });
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn filled(&self, file: FileNumber, meter: &Meter<'_>) -> Result<Filled, Spent> {
        self.setting.budget.check()?;
        let evaluation = Evaluation::new(&self.setting, meter, file);
        let mut row = Filled {
            values: Vec::with_capacity(self.columns.len()),
            cells: Vec::with_capacity(self.columns.len()),
        };
        for column in &self.columns {
            let outcome = unless_spent(property_of(&evaluation, column))?;
            row.cells.push(self.cell(&outcome));
            let is_summarised = self.view.summaries.iter().any(|(id, _)| id == column);
            row.values.push(if is_summarised {
                outcome
            } else {
                Ok(Value::Null)
            });
        }
        Ok(row)
    }

    fn cell(&self, outcome: &Outcome) -> Cell {
        match outcome {
            Ok(value) if value.is_empty() => Cell {
                text: None,
                kind: "Empty",
            },
            Ok(value) => Cell {
                text: Some(self.setting.cell_text(value)),
                kind: value.kind(),
            },
            Err(error) => Cell {
                text: Some(format!("Error: {error}")),
                kind: "Error",
            },
        }
    }

    fn groups(&self, rows: &[Ordered], filled: &[Filled]) -> Result<Vec<Group>, Spent> {
        let mut groups = Vec::new();
        let mut rest = filled;
        for same in rows.chunk_by(|left, right| group_text(left) == group_text(right)) {
            let Some(Ordered {
                group: Some((_, value)),
                ..
            }) = same.first()
            else {
                return Ok(Vec::new());
            };
            let (own, after) = rest.split_at(same.len().min(rest.len()));
            rest = after;
            groups.push(Group {
                value: value.clone(),
                rows: same.len(),
                summaries: self.summaries(own)?,
            });
        }
        Ok(groups)
    }

    fn summaries(&self, rows: &[Filled]) -> Result<Vec<Summary>, Spent> {
        let mut summaries = Vec::new();
        for (id, name) in &self.view.summaries {
            let Some(column) = self.columns.iter().position(|column| column == id) else {
                continue;
            };
            let value = |row: &Filled| match row.values.get(column) {
                Some(Ok(value)) => value.clone(),
                _ => Value::Null,
            };
            let values: Vec<Value> = rows.iter().map(value).collect();
            let cell = self.cell(&self.summary(name, values)?);
            summaries.push(Summary {
                column,
                name: name.clone(),
                value: cell.text,
            });
        }
        Ok(summaries)
    }

    fn summary(&self, name: &str, values: Vec<Value>) -> Result<Outcome, Spent> {
        let expression = match self.base.summaries.get(name) {
            Some(Ok(expression)) => expression,
            Some(Err(error)) => return Ok(Err(ExpressionError::new(error.to_string()))),
            None => {
                return Ok(match summary::find(name) {
                    Some(summarise) => Ok(summarise(&self.setting, &values)),
                    None => Err(ExpressionError::new(format!(
                        "There is no summary \"{name}\""
                    ))),
                });
            }
        };
        // A summary has no file: its formula only has `values`.
        let meter = self.meter();
        let evaluation = Evaluation::new(&self.setting, &meter, FileNumber(usize::MAX));
        let outcome = evaluation.made(Value::list(values)).and_then(|values| {
            let names = [("values", values)];
            evaluation.node(&expression.root, &Scope::within(None, &names))
        });
        unless_spent(outcome)
    }

    fn described(&self, rows: &[Filled]) -> Vec<Column> {
        // Every row has its path under this key (`vault-semantics.md` §5.2).
        let mut taken = vec!["path".to_owned()];
        let mut columns = Vec::with_capacity(self.columns.len());
        for (place, property) in self.columns.iter().enumerate() {
            let label = self.base.labels.get(property).cloned();
            let label = label.unwrap_or_else(|| property.label());
            let is_path = *property == PropertyId::File("path".to_owned());
            let label = if taken.contains(&label) && !(is_path && label != "path") {
                property.id()
            } else {
                label
            };
            taken.push(label.clone());
            let mut kinds = rows
                .iter()
                .filter_map(|row| row.cells.get(place))
                .map(|cell| cell.kind)
                .filter(|kind| *kind != "Empty");
            let kind = match kinds.next() {
                None => "Empty",
                Some(first) if kinds.all(|kind| kind == first) => first,
                Some(_) => "Mixed",
            };
            columns.push(Column {
                id: property.id(),
                label,
                kind: kind.to_ascii_lowercase(),
            });
        }
        columns
    }
}

fn group_text(row: &Ordered) -> Option<&Option<String>> {
    row.group.as_ref().map(|(_, text)| text)
}

/// Separates the end of the whole query from what failed for one value.
fn unless_spent<T>(
    outcome: Result<T, ExpressionError>,
) -> Result<Result<T, ExpressionError>, Spent> {
    match outcome {
        Err(error) if error.is_spent => Err(Spent),
        outcome => Ok(outcome),
    }
}

/// The value of a property of the file.
fn property_of(evaluation: &Evaluation<'_>, property: &PropertyId) -> Outcome {
    match property {
        PropertyId::Note(name) => evaluation.property(evaluation.file, name),
        PropertyId::Formula(name) if !evaluation.setting.formulas.contains_key(name) => Err(
            ExpressionError::new(format!("There is no formula \"{name}\"")),
        ),
        PropertyId::Formula(name) => evaluation.formula(name),
        PropertyId::File(name) => evaluation.file_field(name),
    }
}

/// Whether a filter matches a file. A statement that fails excludes the file, unless another statement of an `or`
/// matches.
fn passes(filter: &Filter, evaluation: &Evaluation<'_>) -> Result<bool, ExpressionError> {
    match filter {
        Filter::Statement(Statement { expression, .. }) => match expression {
            Ok(expression) => evaluation.value(expression).map(|value| value.is_truthy()),
            Err(error) => Err(ExpressionError::new(error.to_string())),
        },
        Filter::All(filters) => any(filters, false, evaluation).map(|any_fails| !any_fails),
        Filter::Any(filters) => any(filters, true, evaluation),
        Filter::None(filters) => any(filters, true, evaluation).map(|any_holds| !any_holds),
    }
}

/// Whether one of these has the outcome `wanted`. Fails if none has it and one of them failed.
fn any(
    filters: &[Filter],
    wanted: bool,
    evaluation: &Evaluation<'_>,
) -> Result<bool, ExpressionError> {
    let mut failed = None;
    for filter in filters {
        match passes(filter, evaluation) {
            Ok(holds) if holds == wanted => return Ok(true),
            Ok(_) => {}
            Err(error) if error.is_spent => return Err(error),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(false), Err)
}

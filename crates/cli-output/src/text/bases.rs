//! Views and rows of bases.

use obsidian_note::javascript;
use serde_json::{Map, Value};
use unicode_width::UnicodeWidthStr as _;
use vault_answers::{Answer, BaseRow, BaseRows, BaseViewItem, FileItem, List};
use vault_files::{Args, Format};

use crate::app_form::{AnswerType, AppForm, Printed, PrintedItem};
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::names;
use crate::text::names::lines;
use crate::text::table;

pub(crate) static BASE_VIEWS: AppForm =
    AppForm::new::<List<BaseViewItem>>("base-views", parse_views);
pub(crate) static BASE_ROWS: AppForm =
    AppForm::new::<BaseRows>("base-rows", parse_rows).or(&[AnswerType::of::<List<FileItem>>()]);

const FORMATS: &[Format] = &[
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
    Format::Paths,
];

/// Parses lines of a view's name, a tab and its type.
fn parse_views(body: Body<'_>, _arguments: &Args) -> Result<Answer, Fault> {
    let item = |line: &str| {
        let (name, kind) = line.rsplit_once('\t').ok_or(Reason::NO_TAB)?;
        Ok(BaseViewItem {
            name: name.to_owned(),
            kind: kind.to_owned(),
        })
    };
    body.items(item).map(Answer::from)
}

/// The key under which a row has the path of its file, in the forms that have it.
const PATH: &str = "path";

/// The columns of a table: the view's columns, if it is known, or else the columns of its rows.
fn columns(rows: &BaseRows) -> Vec<String> {
    if let Some(view) = &rows.view {
        return view
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect();
    }
    let mut columns: Vec<String> = Vec::new();
    for name in rows.rows.items.iter().flat_map(|row| row.cells.keys()) {
        if name != PATH && !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    columns
}

/// The texts of cells, row by row, beginning with the header.
fn table_of(rows: &BaseRows) -> Vec<Vec<String>> {
    let columns = columns(rows);
    if columns.is_empty() {
        return Vec::new();
    }
    let row = |row: &BaseRow| {
        let cells = columns.iter().map(|column| row.cells.get(column));
        cells
            .map(|cell| cell.map(javascript::text).unwrap_or_default())
            .collect()
    };
    let rows = rows.rows.items.iter().map(row);
    std::iter::once(columns.clone()).chain(rows).collect()
}

/// A header row and the rows without paths (`official-cli.md` §5.3). A single empty cell is quoted,
/// because its row would otherwise be an empty line.
fn delimited(rows: &BaseRows, separator: char) -> String {
    let line = |cells: Vec<String>| match cells.as_slice() {
        [alone] if alone.is_empty() => "\"\"".to_owned(),
        cells => {
            let cells = cells.iter().map(|cell| table::quote(cell, separator));
            cells.collect::<Vec<_>>().join(&separator.to_string())
        }
    };
    let lines: Vec<String> = table_of(rows).into_iter().map(line).collect();
    lines.join("\n")
}

/// Cells centred in their columns, which are at least three wide (`official-cli.md` §5.3). Escaping
/// `|` and line breaks is our addition.
fn markdown(rows: &BaseRows) -> String {
    let cell = |text: String| in_one_line(&text).replace('|', "\\|");
    let table = table_of(rows).into_iter();
    let mut table = table.map(|row| row.into_iter().map(cell).collect::<Vec<_>>());
    let Some(header) = table.next() else {
        return String::new();
    };
    let rows: Vec<Vec<String>> = table.collect();
    let mut widths: Vec<usize> = header.iter().map(|cell| cell.width().max(3)).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths);
        let cells: Vec<_> = cells.map(|(cell, width)| centred(cell, *width)).collect();
        format!("| {} |", cells.join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    [line(&header), line(&rule)]
        .into_iter()
        .chain(rows.iter().map(|row| line(row)))
        .collect::<Vec<_>>()
        .join("\n")
}

fn centred(text: &str, width: usize) -> String {
    let free = width.saturating_sub(text.width());
    let left = free / 2;
    format!("{}{text}{}", " ".repeat(left), " ".repeat(free - left))
}

/// Returns a text as one cell of a Markdown table.
fn in_one_line(text: &str) -> String {
    text.replace('\n', "<br>").trim_matches(' ').to_owned()
}

fn paths(list: &List<BaseRow>) -> List<FileItem> {
    let path = |row: &BaseRow| row.cells.get(PATH).map(javascript::text);
    list.items
        .iter()
        .filter_map(path)
        .map(|path| FileItem { path })
        .collect()
}

/// JSON objects by default.
fn rows_text(rows: &BaseRows, arguments: &Args) -> String {
    match arguments.format(FORMATS) {
        Format::Csv => delimited(rows, ','),
        Format::Tsv => delimited(rows, '\t'),
        Format::Markdown => markdown(rows),
        Format::Paths => names::render(&paths(&rows.rows), |item| &item.path),
        _ => {
            let rows = rows.rows.items.iter();
            let rows = rows.map(|row| Value::Object(row.cells.clone()));
            javascript::pretty_json(&Value::Array(rows.collect()))
        }
    }
}

/// A row as its table shows it: without the path, and without empty values.
fn row_of(names: &[String], cells: impl Iterator<Item = String>) -> BaseRow {
    let cell = |text: String| Some(text).filter(|text| !text.is_empty()).into();
    let cells = names.iter().cloned().zip(cells.map(cell));
    BaseRow {
        cells: cells.collect(),
    }
}

/// The keys of the columns, which are made unique.
fn keys(names: Vec<String>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut key = name.clone();
        let mut number = 2;
        while keys.contains(&key) {
            key = format!("{name} ({number})");
            number += 1;
        }
        keys.push(key);
    }
    keys
}

/// Reads rows or paths.
fn parse_rows(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    let rows = match arguments.format(FORMATS) {
        Format::Json => {
            let row = |cells: Map<String, Value>| BaseRow {
                cells: javascript::normal_map(cells),
            };
            table::read_json(body, row)?
        }
        Format::Paths => return names::parse_files(body, arguments),
        _ if body.says_nothing_found()? => List::default(),
        Format::Csv => parse_table(table::read_with_header(body, ',')?),
        Format::Tsv => parse_table(table::read_with_header(body, '\t')?),
        _ => parse_table(read_markdown(body)?),
    };
    Ok(Answer::from(BaseRows { rows, view: None }))
}

fn parse_table(table: Vec<Vec<String>>) -> List<BaseRow> {
    let mut table = table.into_iter();
    let names = keys(table.next().unwrap_or_default());
    table.map(|row| row_of(&names, row.into_iter())).collect()
}

/// The cells of a Markdown table, with its header and without its rule.
fn read_markdown(body: Body<'_>) -> Result<Vec<Vec<String>>, Fault> {
    const PATTERN: Reason = Reason::Pattern("| cell | cell |");
    let mut table: Vec<Vec<String>> = Vec::new();
    for (place, (number, line)) in body.lines().enumerate() {
        let cells = markdown_cells(line).ok_or_else(|| Fault::at_line(number, PATTERN))?;
        let expected = table.first().map_or(cells.len(), Vec::len);
        if cells.len() != expected {
            let found = cells.len();
            return Err(Fault::at_line(number, Reason::Cells { expected, found }));
        }
        let is_rule = cells
            .iter()
            .all(|cell| !cell.is_empty() && cell.bytes().all(|byte| matches!(byte, b'-' | b':')));
        match place {
            1 if !is_rule => return Err(Fault::at_line(number, PATTERN)),
            1 => {}
            _ => table.push(cells),
        }
    }
    Ok(table)
}

/// Returns the cells of a line; `None` if it is not a row.
fn markdown_cells(line: &str) -> Option<Vec<String>> {
    let mut rest = line.strip_prefix('|')?.chars().peekable();
    let mut cells = Vec::new();
    let mut cell = String::new();
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.next_if_eq(&'|').is_some() => cell.push('|'),
            '|' => cells.push(std::mem::take(&mut cell).trim_matches(' ').to_owned()),
            other => cell.push(other),
        }
    }
    (cell.is_empty() && !cells.is_empty()).then_some(cells)
}

impl PrintedItem for BaseViewItem {
    /// `name`, a tab, `type`.
    fn printed(list: &List<Self>, _form: &AppForm, _arguments: &Args) -> String {
        let line = |item: &BaseViewItem| format!("{}\t{}", item.name, item.kind);
        lines(list, line)
    }
}

impl Printed for BaseRows {
    fn printed(&self, _form: &AppForm, arguments: &Args) -> String {
        rows_text(self, arguments)
    }

    /// Rows in JSON, in tables those without their paths; files with `format=paths`.
    fn printed_form(self, arguments: &Args) -> Answer {
        let format = arguments.format(FORMATS);
        let is_markdown = format == Format::Markdown;
        let rows = match format {
            Format::Json => {
                let rows = List::new(self.rows.items);
                rows.map(|row| BaseRow {
                    cells: javascript::normal_map(row.cells),
                })
            }
            Format::Paths => return Answer::from(paths(&List::new(self.rows.items))),
            _ => {
                let shown = |text: String| {
                    if is_markdown {
                        in_one_line(&text)
                    } else {
                        text
                    }
                };
                let table = table_of(&self).into_iter();
                let table = table.map(|row| row.into_iter().map(shown).collect());
                parse_table(table.collect())
            }
        };
        Answer::from(BaseRows {
            rows,
            view: self.view,
        })
    }
}

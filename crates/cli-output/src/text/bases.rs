//! Views and rows of bases.

use serde_json::{Map, Value};

use crate::answer::{
    Answer, AnswerItem, AnswerPayload, BaseRow, BaseRows, BaseViewItem, FileItem, Items, List,
    NameVisitor, RawText,
};
use crate::app_form::{AppForm, schema_of};
use crate::arguments::Arguments;
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::form::{self, Format};
use crate::text::javascript;
use crate::text::names;
use crate::text::names::lines;
use crate::text::notes::ended;
use crate::text::table;

pub(crate) static BASE_VIEWS: AppForm =
    AppForm::new::<List<BaseViewItem>>("base-views", parse_views);
pub(crate) static BASE_ROWS: AppForm = AppForm::new::<BaseRows>("base-rows", parse_rows)
    .or(&[schema_of::<List<FileItem>>, schema_of::<RawText>]);

const FORMATS: &[Format] = &[
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
    Format::Paths,
];

/// Reads views.
fn parse_views(body: Body<'_>, _arguments: &Arguments) -> Result<Answer, Fault> {
    let item = |line: &str| {
        let (name, kind) = line.rsplit_once('\t').ok_or(Reason::Cells {
            expected: 2,
            found: 1,
        })?;
        Ok(BaseViewItem {
            name: name.to_owned(),
            kind: kind.to_owned(),
        })
    };
    body.items(item).map(Answer::BaseViews)
}

fn delimited(list: &List<BaseRow>, separator: char) -> String {
    let line = |row: &BaseRow| {
        let cells = row.cells.values().map(javascript::text);
        let cells: Vec<_> = cells
            .map(|cell| table::quote(&cell, separator).into_owned())
            .collect();
        cells.join(&separator.to_string())
    };
    lines(list, line)
}

fn markdown(list: &List<BaseRow>) -> String {
    let Some(first) = list.items.first() else {
        return String::new();
    };
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', "<br>");
    let header = first.cells.keys().map(|name| cell(name)).collect();
    let rule = first.cells.keys().map(|_| "---".to_owned()).collect();
    let row = |row: &BaseRow| {
        line(
            row.cells
                .values()
                .map(|value| cell(&javascript::text(value)))
                .collect(),
        )
    };
    let rows = list.items.iter().map(row);
    [line(header), line(rule)]
        .into_iter()
        .chain(rows)
        .collect::<Vec<_>>()
        .join("\n")
}

fn paths(list: &List<BaseRow>) -> List<FileItem> {
    let path = |row: &BaseRow| row.cells.get("path").map(javascript::text);
    list.items
        .iter()
        .filter_map(path)
        .map(|path| FileItem { path })
        .collect()
}

/// JSON objects by default. CSV, TSV and Markdown are ours: nobody has recorded whether the app
/// prints a header row. CSV and TSV have none, like the app's other tables; Markdown needs one.
fn rows_text(list: &List<BaseRow>, arguments: &Arguments) -> String {
    match form::format(arguments, FORMATS) {
        Format::Csv => delimited(list, ','),
        Format::Tsv => delimited(list, '\t'),
        Format::Markdown => markdown(list),
        Format::Paths => names::render(&paths(list), |item| &item.path),
        _ => {
            let rows = list
                .items
                .iter()
                .map(|row| Value::Object(row.cells.clone()));
            javascript::pretty_json(&Value::Array(rows.collect()))
        }
    }
}

/// Reads rows or paths; what has no recorded layout is passed through.
fn parse_rows(body: Body<'_>, arguments: &Arguments) -> Result<Answer, Fault> {
    match form::format(arguments, FORMATS) {
        Format::Json => {
            let row = |cells: Map<String, Value>| BaseRow {
                cells: javascript::normal_map(cells),
            };
            table::read_json(body, row).map(|rows| Answer::BaseRows(BaseRows { rows, view: None }))
        }
        Format::Paths => names::parse_files(body, arguments),
        _ => Ok(Answer::Raw(RawText {
            text: body.output.to_owned(),
        })),
    }
}

impl AnswerItem for BaseViewItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.name);
    }

    /// `name`, a tab, `type`.
    fn text(list: &List<Self>, _form: &AppForm, _arguments: &Arguments) -> String {
        let line = |item: &BaseViewItem| format!("{}\t{}", item.name, item.kind);
        lines(list, line)
    }
}

impl AnswerPayload for BaseRows {
    fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn list(&mut self) -> Option<&mut dyn Items> {
        Some(&mut self.rows)
    }

    fn counted(&self) -> Option<usize> {
        Some(self.rows.total)
    }

    fn each_name(&mut self, visit: NameVisitor<'_>) {
        let rows = self.rows.items.iter_mut();
        for cell in rows.flat_map(|row| row.cells.values_mut()) {
            if let Value::String(text) = cell {
                visit(text);
            }
        }
    }

    fn text(&self, _form: &AppForm, arguments: &Arguments) -> String {
        rows_text(&self.rows, arguments)
    }

    /// Rows in JSON, files with `format=paths`, else text.
    fn printed(self, arguments: &Arguments) -> Answer {
        let rows = List::new(self.rows.items);
        match form::format(arguments, FORMATS) {
            Format::Json => Answer::BaseRows(BaseRows {
                rows: rows.map(|row| BaseRow {
                    cells: javascript::normal_map(row.cells),
                }),
                view: self.view,
            }),
            Format::Paths => Answer::Files(paths(&rows)),
            _ => Answer::Raw(RawText {
                text: ended(rows_text(&rows, arguments)),
            }),
        }
    }
}

//! Views and rows of bases.

use serde_json::{Map, Value};

use crate::answer::{
    Answer, AnswerItem, BaseRow, BaseViewItem, FileItem, List, NameVisitor, RawText,
};
use crate::arguments::Arguments;
use crate::shape::Shape;
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::form::{self, Format};
use crate::text::{javascript, names, table};

const FORMATS: &[Format] = &[
    Format::Json,
    Format::Csv,
    Format::Tsv,
    Format::Markdown,
    Format::Paths,
];

/// Reads views.
pub(crate) fn parse_views(body: Body<'_>) -> Result<Answer, Fault> {
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
    body.items(Shape::BaseViews, item).map(Answer::BaseViews)
}

fn delimited(list: &List<BaseRow>, separator: char) -> String {
    let line = |row: &BaseRow| {
        let cells = row.cells.values().map(javascript::text);
        let cells: Vec<_> = cells
            .map(|cell| table::quote(&cell, separator).into_owned())
            .collect();
        cells.join(&separator.to_string())
    };
    list.items.iter().map(line).collect::<Vec<_>>().join("\n")
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

/// Reads rows or paths; what has no recorded layout is passed through.
pub(crate) fn parse_rows(
    body: Body<'_>,
    text: &str,
    arguments: &Arguments,
) -> Result<Answer, Fault> {
    match form::format(arguments, FORMATS) {
        Format::Json => {
            let row = |cells: Map<String, Value>| BaseRow {
                cells: javascript::normal_map(cells),
            };
            table::read_json(body, Shape::BaseRows, row).map(Answer::BaseRows)
        }
        Format::Paths => {
            names::parse(body, Shape::BaseRows, |path| FileItem { path }).map(Answer::Files)
        }
        Format::Text
        | Format::Tsv
        | Format::Csv
        | Format::Yaml
        | Format::Tree
        | Format::Markdown => Ok(Answer::Raw(RawText {
            text: text.to_owned(),
        })),
    }
}

impl AnswerItem for BaseViewItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.name);
    }

    /// `name`, a tab, `type`.
    fn text(list: &List<Self>, _shape: Shape, _arguments: &Arguments) -> String {
        let line = |item: &BaseViewItem| format!("{}\t{}", item.name, item.kind);
        list.items.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

impl AnswerItem for BaseRow {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        for cell in self.cells.values_mut() {
            if let Value::String(text) = cell {
                visit(text);
            }
        }
    }

    /// JSON objects by default. CSV, TSV and Markdown are ours: nobody has recorded whether the app
    /// prints a header row. CSV and TSV have none, like the app's other tables; Markdown needs one.
    fn text(list: &List<Self>, _shape: Shape, arguments: &Arguments) -> String {
        match form::format(arguments, FORMATS) {
            Format::Csv => delimited(list, ','),
            Format::Tsv => delimited(list, '\t'),
            Format::Markdown => markdown(list),
            Format::Paths => names::render(&paths(list), |item| &item.path),
            Format::Text | Format::Json | Format::Yaml | Format::Tree => {
                let rows = list
                    .items
                    .iter()
                    .map(|row| Value::Object(row.cells.clone()));
                javascript::pretty_json(&Value::Array(rows.collect()))
            }
        }
    }

    /// Rows in JSON, files with `format=paths`, else text.
    fn printed(list: List<Self>, shape: Shape, arguments: &Arguments) -> Answer {
        match form::format(arguments, FORMATS) {
            Format::Json => Answer::BaseRows(list.map(|row| BaseRow {
                cells: javascript::normal_map(row.cells),
            })),
            Format::Paths => Answer::Files(paths(&list)),
            Format::Text
            | Format::Tsv
            | Format::Csv
            | Format::Yaml
            | Format::Tree
            | Format::Markdown => Answer::Raw(RawText {
                text: super::render(&Answer::BaseRows(list), shape, arguments),
            }),
        }
    }
}

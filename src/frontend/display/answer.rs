//! The answer to a command on a terminal, from its typed data.

use cli_output::shown;
use serde_json::Value;

use super::role::Role;
use super::rows::{AnswerRows, cell_text};
use super::styled_text::{StyledLine, StyledText};
use super::table::Table;
use super::{diff, hits};
use crate::allowlist::Catalogue;
use crate::gateway::Envelope;

/// The answer as a terminal of this width shows it. `text` is what a pipe gets, and what is shown
/// where there is no better form.
pub(crate) fn on_terminal(envelope: &Envelope, text: &[u8], columns: usize) -> StyledText {
    let text = String::from_utf8_lossy(text);
    styled(envelope, &text, columns).unwrap_or_else(|| StyledText::plain(&text))
}

fn styled(envelope: &Envelope, text: &str, columns: usize) -> Option<StyledText> {
    let data = &envelope.data;
    if data.get("dryRun") == Some(&Value::Bool(true)) {
        return Some(diff::plan(text));
    }
    // A form that was asked for by name is printed as it is.
    if !envelope.success || envelope.params.contains_key("format") || text.is_empty() {
        return None;
    }
    let rows = AnswerRows::of(data, &[]);
    if !rows.is_list {
        return facts(text, columns);
    }
    if rows.rows.is_empty() {
        return None;
    }
    let query = envelope.params.get("query").and_then(Value::as_str);
    if let Some(hits) = query.and_then(|query| hits::shown(&rows, Some(query))) {
        return Some(hits);
    }
    if rows.columns == ["path"] {
        let mut styled = StyledText::default();
        for line in text.lines() {
            styled.line(StyledLine::new(Role::Name, line).hanging(2));
        }
        return Some(styled);
    }
    // An answer that is not rows of cells, such as a tree, has a form of its own.
    if !text.contains('\t') {
        return None;
    }
    Some(table(&rows, &chosen(envelope, &rows)).laid_out(columns))
}

/// Facts, one a line: name, tab, value.
fn facts(text: &str, columns: usize) -> Option<StyledText> {
    let mut table = Table::new(["", ""]);
    for line in text.lines() {
        let (name, value) = line.split_once('\t')?;
        table.row(vec![
            (Role::Heading, name.to_owned()),
            (Role::Plain, value.to_owned()),
        ]);
    }
    Some(table.laid_out(columns))
}

/// The columns that a person sees: those of the catalogue, else all, without those that are empty.
fn chosen(envelope: &Envelope, rows: &AnswerRows) -> Vec<String> {
    let command = Catalogue::find_builtin(&envelope.command);
    let wanted = command
        .map(|command| command.columns.clone())
        .unwrap_or_default();
    let all = rows.columns.iter();
    all.filter(|column| wanted.is_empty() || wanted.contains(column))
        .filter(|column| {
            let mut cells = rows.rows.iter().map(|row| AnswerRows::cell(row, column));
            cells.any(|cell| !cell_text(cell).is_empty())
        })
        .cloned()
        .collect()
}

/// A table of these columns.
pub(crate) fn table(rows: &AnswerRows, columns: &[String]) -> Table {
    let mut table = Table::new(columns.iter().map(|column| heading(column)));
    for row in &rows.rows {
        let cells = columns.iter().enumerate().map(|(at, column)| {
            let role = if at == 0 { Role::Name } else { Role::Plain };
            let cell = cell_text(AnswerRows::cell(row, column));
            (role, shown::row(&cell).into_owned())
        });
        table.row(cells.collect());
    }
    table
}

/// A field's name as a heading: `lineText` as `LINE TEXT`.
fn heading(field: &str) -> String {
    let mut heading = String::new();
    for character in field.chars() {
        if character.is_uppercase() {
            heading.push(' ');
        }
        heading.extend(character.to_uppercase());
    }
    heading
}

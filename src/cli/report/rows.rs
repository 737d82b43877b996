//! The data of an answer in the forms `-o jsonl|table|csv|tsv|yaml`, without an envelope: a failure
//! goes to standard error, as in text mode.

use serde_json::{Value, json};

use allowlist::Catalogue;
use frontend::{AnswerRows, OutputMode, Terminal, WriteOutcome, display::answer};
use gateway::Envelope;
use protocol::Issue;

/// Prints the data of an answer in the form of a mode that [prints data](OutputMode::prints_data).
pub(super) fn print(terminal: &Terminal, mode: OutputMode, envelope: &Envelope) -> WriteOutcome {
    let rows = || rows_of(envelope);
    let text = match mode {
        OutputMode::Table => return table(terminal, &rows()),
        OutputMode::Csv => separated(&rows(), ",", csv_cell),
        OutputMode::Tsv => separated(&rows(), "\t", tsv_cell),
        OutputMode::Yaml => yaml(&json!(envelope.data)),
        _ => jsonl(&rows()),
    };
    terminal.data_as_it_is(text.as_bytes())
}

/// Returns the rows of an answer; for a check these are its findings.
fn rows_of(envelope: &Envelope) -> AnswerRows {
    let data = &envelope.data;
    if let Some(text) = data.text().filter(|_| data.as_map().len() == 1) {
        return AnswerRows::of_text(text);
    }
    if data.as_map().contains_key(FINDINGS) {
        let issues = envelope.violations.iter().chain(&envelope.advice);
        return findings(issues);
    }
    let known = if data.is_plan() {
        PLANNED.map(str::to_owned).to_vec()
    } else {
        known_columns(&envelope.command)
    };
    AnswerRows::from_data(data, &known)
}

/// The columns of a plan, the answer of a dry run.
const PLANNED: [&str; 3] = ["path", "change", "diff"];
/// The field in the data of a check that counts its findings.
const FINDINGS: &str = "findings";
/// The columns of a finding of an audit.
const OF_A_FINDING: [&str; 5] = ["severity", "code", "path", "line", "message"];

fn findings<'issue>(issues: impl Iterator<Item = &'issue Issue>) -> AnswerRows {
    let rows = issues.map(|issue| {
        let fields = json!(issue);
        let cell = |name: &str| {
            let cell = fields.get(name).or_else(|| issue.details.get(name));
            (name.to_owned(), cell.cloned().unwrap_or_default())
        };
        OF_A_FINDING.map(cell).into_iter().collect()
    });
    AnswerRows {
        columns: OF_A_FINDING.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        is_list: true,
    }
}

fn table(terminal: &Terminal, rows: &AnswerRows) -> WriteOutcome {
    let table = answer::table(rows, &rows.columns);
    if terminal.stdout.is_styled {
        terminal.styled(&table.laid_out(terminal.stdout.columns))
    } else {
        terminal.data(table.unbounded().render(usize::MAX, false).as_bytes())
    }
}

/// Returns the fields of the items of a command's list, from its schema: the header of an empty
/// list.
fn known_columns(command: &str) -> Vec<String> {
    let Ok(command) = Catalogue::find_builtin(command) else {
        return Vec::new();
    };
    let schema = Value::from(command.output.schema());
    let forms = schema.get("anyOf").and_then(Value::as_array);
    let forms = forms.map_or(std::slice::from_ref(&schema), Vec::as_slice);
    let fields = forms.iter().find_map(|form| {
        let items = resolved(&schema, form).pointer("/properties/items/items")?;
        resolved(&schema, items).get("properties")?.as_object()
    });
    fields
        .map(|fields| fields.keys().cloned().collect())
        .unwrap_or_default()
}

/// Returns the part of a schema to which a reference leads, or the part itself if it is not a reference.
fn resolved<'schema>(schema: &'schema Value, part: &'schema Value) -> &'schema Value {
    let reference = part.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|reference| schema.pointer(reference.trim_start_matches('#')));
    target.unwrap_or(part)
}

fn jsonl(rows: &AnswerRows) -> String {
    // Cannot fail: only maps with keys that are not texts do, and a row has none.
    let lines = rows.rows.iter();
    lines
        .map(|row| protocol::json::to_line(row).unwrap_or_default() + "\n")
        .collect()
}

/// Returns a header and a line for each row.
fn separated(rows: &AnswerRows, between: &str, cell: fn(&str) -> String) -> String {
    if rows.columns.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| cells.join(between) + "\n";
    let header = rows.columns.iter().map(|name| cell(name)).collect();
    let mut text = line(header);
    for row in &rows.rows {
        let cells = rows.columns.iter();
        let cells = cells.map(|column| cell(&exact(AnswerRows::cell(row, column))));
        text += &line(cells.collect());
    }
    text
}

/// Returns a cell for programs: texts unchanged, lists and objects as JSON, an empty cell for null.
fn exact(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns a cell in the format of RFC 4180.
fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns a cell without line breaks: tab and line breaks as `\t`, `\n`, `\r`, a backslash as
/// `\\`.
fn tsv_cell(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

/// YAML 1.2.
fn yaml(value: &Value) -> String {
    yaml_part(value, 0).trim_start().to_owned() + "\n"
}

/// Returns the text after `name:` or `-`.
fn yaml_part(value: &Value, depth: usize) -> String {
    let start = format!("\n{}", "  ".repeat(depth));
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let fields = fields.iter().map(|(name, field)| {
                format!("{start}{}:{}", yaml_text(name), yaml_part(field, depth + 1))
            });
            fields.collect()
        }
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| {
                let inner = yaml_part(item, depth + 1);
                // The first field of an object is in the line of its `-`.
                match inner
                    .strip_prefix(&format!("{start}  "))
                    .filter(|_| item.is_object())
                {
                    Some(inner) => format!("{start}- {inner}"),
                    None => format!("{start}-{inner}"),
                }
            });
            items.collect()
        }
        Value::Object(_) => " {}".to_owned(),
        Value::Array(_) => " []".to_owned(),
        Value::String(text) => format!(" {}", yaml_text(text)),
        other => format!(" {other}"),
    }
}

/// Returns a text as it is if it cannot be read as another type, otherwise quoted as in JSON.
fn yaml_text(text: &str) -> String {
    let is_word = |character: char| character.is_alphanumeric() || " _/.-".contains(character);
    let is_plain = text.starts_with(char::is_alphabetic)
        && !text.ends_with(' ')
        && text.chars().all(is_word)
        // YAML 1.1 or 1.2 reads these words as other types.
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_lowercase().as_str());
    if is_plain {
        text.to_owned()
    } else {
        protocol::json::to_line(&text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::json::object;

    fn sample() -> Value {
        json!({
            "total": 2,
            "items": [
                { "path": "A, \"b\".md", "tags": ["x", "y"], "title": null },
                { "path": "tab\there\n.md", "tags": [], "title": "true", "more": { "a": 1.5 } },
            ],
            "none": [],
        })
    }

    #[test]
    fn rows_are_printed_in_every_form() {
        let data = sample();
        let rows = AnswerRows::from_data(&object(data.clone()).into(), &[]);
        let forms = [
            jsonl(&rows),
            separated(&rows, ",", csv_cell),
            separated(&rows, "\t", tsv_cell),
            yaml(&data),
            answer::table(&rows, &rows.columns)
                .unbounded()
                .render(usize::MAX, false),
        ];
        insta::assert_snapshot!(forms.join("====\n"));
    }

    #[test]
    fn an_empty_list_has_a_header() {
        let data = object(json!({ "total": 0, "items": [] })).into();
        let rows = AnswerRows::from_data(&data, &known_columns("tags"));
        assert_eq!(separated(&rows, ",", csv_cell), "tag,count\n");
        let rows = AnswerRows::from_data(&data, &known_columns("files"));
        assert_eq!(separated(&rows, "\t", tsv_cell), "path\n");
    }
}

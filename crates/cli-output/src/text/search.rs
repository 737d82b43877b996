//! Search results.

use obsidian_note::javascript;
use serde::Deserialize;
use serde_json::{Value, json};
use vault_answers::{Answer, FileItem, LineMatch, List, SearchContextItem};
use vault_files::{Args, Format};

use crate::app_form::{AppForm, PrintedItem};
use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::names;
use crate::text::table::{self, Count};

pub(crate) static SEARCH: AppForm = AppForm {
    has_json_paths: true,
    ..AppForm::new::<List<FileItem>>("search", parse)
        .empty(NO_MATCHES)
        .with_total()
        .listing_files()
};
pub(crate) static SEARCH_CONTEXT: AppForm =
    AppForm::new::<List<SearchContextItem>>("search-context", parse_context)
        .empty(NO_MATCHES)
        .listing_files();

const NO_MATCHES: Empty = Empty::Says("No matches found.");

/// The forms of `search` and `search:context`.
const FORMATS: &[Format] = &[Format::Text, Format::Json];

/// Whether paths, and their number, are to be JSON.
pub(crate) fn is_json(form: &AppForm, arguments: &Args) -> bool {
    form.has_json_paths && arguments.format(FORMATS) == Format::Json
}

/// A compact JSON array of paths.
fn render_json(list: &List<FileItem>) -> String {
    let paths = list
        .items
        .iter()
        .map(|item| Value::from(item.path.as_str()));
    javascript::compact_json(&Value::Array(paths.collect()))
}

/// Parses paths, one per line or as JSON.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    if arguments.format(FORMATS) == Format::Json {
        return table::read_json(body, |path: String| FileItem { path }).map(Answer::from);
    }
    names::parse_files(body, arguments)
}

/// Reads matches; lines of one path that follow each other are one item.
fn parse_context(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct SearchRow {
        file: String,
        matches: Vec<SearchHit>,
    }
    #[derive(Deserialize)]
    struct SearchHit {
        line: Count,
        text: String,
    }
    if arguments.format(FORMATS) == Format::Json {
        let hit = |hit: SearchHit| LineMatch::new(hit.line.0, hit.text);
        let list = table::read_json(body, |row: SearchRow| SearchContextItem {
            path: row.file,
            matches: row.matches.into_iter().map(hit).collect(),
        });
        return list.map(Answer::from);
    }
    let mut items: Vec<SearchContextItem> = Vec::new();
    if !body.says_nothing_found()? {
        for (number, line) in body.lines() {
            if line.is_empty() {
                return Err(Fault::at_line(number, Reason::EmptyLine));
            }
            let (path, hit) = split_hit(line);
            match (items.last_mut().filter(|item| item.path == path), hit) {
                (Some(item), Some(hit)) if !item.matches.is_empty() => item.matches.push(hit),
                (_, hit) => items.push(SearchContextItem {
                    path: path.to_owned(),
                    matches: hit.into_iter().collect(),
                }),
            }
        }
    }
    Ok(Answer::from(List::new(items)))
}

/// `path:line: text` at the first colon that is followed by a number, a colon and a space.
fn split_hit(line: &str) -> (&str, Option<LineMatch>) {
    for (at, _) in line.match_indices(':') {
        let rest = line.get(at + 1..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at(digits);
        let text = match rest.strip_prefix(": ") {
            Some(text) => text,
            None if rest == ":" => "",
            None => continue,
        };
        if let (Some(path), Ok(line)) = (line.get(..at), number.parse()) {
            return (path, Some(LineMatch::new(line, text.to_owned())));
        }
    }
    (line, None)
}

impl PrintedItem for FileItem {
    fn printed(list: &List<Self>, form: &AppForm, arguments: &Args) -> String {
        if is_json(form, arguments) {
            render_json(list)
        } else {
            names::render(list, |item| &item.path)
        }
    }
}

impl PrintedItem for SearchContextItem {
    /// `path:line: text`, or a bare path if only the name matches; JSON is compact.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        if arguments.format(FORMATS) == Format::Json {
            let object = |item: &SearchContextItem| {
                let matches = item.matches.iter();
                let matches: Vec<_> = matches
                    .map(|LineMatch { line, text, .. }| json!({ "line": line, "text": text }))
                    .collect();
                json!({ "file": item.path, "matches": matches })
            };
            return javascript::compact_json(&Value::Array(
                list.items.iter().map(object).collect(),
            ));
        }
        let mut lines = Vec::new();
        for SearchContextItem { path, matches } in &list.items {
            if matches.is_empty() {
                lines.push(path.clone());
            }
            lines.extend(
                matches
                    .iter()
                    .map(|hit| format!("{path}:{}: {}", hit.line, hit.text)),
            );
        }
        lines.join("\n")
    }
}

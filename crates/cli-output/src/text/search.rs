//! Search results.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{
    Answer, AnswerItem, FileItem, LineMatch, List, NameVisitor, SearchContextItem,
};
use crate::arguments::Arguments;
use crate::shape::Shape;
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::form::{self, Format};
use crate::text::table::{self, Count};
use crate::text::{javascript, names};

/// The forms of `search` and `search:context`.
const FORMATS: &[Format] = &[Format::Text, Format::Json];

/// Whether a list of files is to be the JSON of `search`.
pub(crate) fn is_json(shape: Shape, arguments: &Arguments) -> bool {
    shape == Shape::Search && form::format(arguments, FORMATS) == Format::Json
}

/// A compact JSON array of paths.
fn render_json(list: &List<FileItem>) -> String {
    let paths = list
        .items
        .iter()
        .map(|item| Value::from(item.path.as_str()));
    javascript::compact_json(&Value::Array(paths.collect()))
}

/// Reads paths.
pub(crate) fn parse(body: Body<'_>, arguments: &Arguments) -> Result<Answer, Fault> {
    let list = if is_json(Shape::Search, arguments) {
        table::read_json(body, Shape::Search, |path: String| FileItem { path })
    } else {
        names::parse(body, Shape::Search, |path| FileItem { path })
    };
    list.map(Answer::Files)
}

/// Reads matches; lines of one path that follow each other are one item.
pub(crate) fn parse_context(body: Body<'_>, arguments: &Arguments) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct Row {
        file: String,
        matches: Vec<Hit>,
    }
    #[derive(Deserialize)]
    struct Hit {
        line: Count,
        text: String,
    }
    if form::format(arguments, FORMATS) == Format::Json {
        let hit = |hit: Hit| LineMatch {
            line: hit.line.0,
            text: hit.text,
        };
        let list = table::read_json(body, Shape::SearchContext, |row: Row| SearchContextItem {
            path: row.file,
            matches: row.matches.into_iter().map(hit).collect(),
        });
        return list.map(Answer::SearchContext);
    }
    let mut items: Vec<SearchContextItem> = Vec::new();
    if !body.says_nothing_found(Shape::SearchContext)? {
        for (number, line) in body.lines() {
            if line.is_empty() {
                return Err(Fault::at(number, Reason::EmptyLine));
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
    Ok(Answer::SearchContext(List::new(items)))
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
            return (
                path,
                Some(LineMatch {
                    line,
                    text: text.to_owned(),
                }),
            );
        }
    }
    (line, None)
}

impl AnswerItem for FileItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
    }

    fn text(list: &List<Self>, shape: Shape, arguments: &Arguments) -> String {
        if is_json(shape, arguments) {
            render_json(list)
        } else {
            names::render(list, |item| &item.path)
        }
    }
}

impl AnswerItem for SearchContextItem {
    fn each_name(&mut self, visit: NameVisitor<'_>) {
        visit(&mut self.path);
    }

    /// `path:line: text`, or a bare path where only the name matches; JSON is compact.
    fn text(list: &List<Self>, _shape: Shape, arguments: &Arguments) -> String {
        if form::format(arguments, FORMATS) == Format::Json {
            let object = |item: &SearchContextItem| {
                let matches = item.matches.iter();
                let matches: Vec<_> = matches
                    .map(|LineMatch { line, text }| json!({ "line": line, "text": text }))
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

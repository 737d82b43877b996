//! Adds a property to the text of an object and removes it again, so that every other byte is
//! unchanged.

use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

/// The indentation in a file without any.
const USUAL_STEP: &str = "  ";

/// A JSON text whose root is an object.
pub(super) struct JsonText<'a> {
    text: &'a str,
    root: Object<'a>,
}

/// Replacements for parts of a text: start, end (in bytes) and the new text.
struct Edits(Vec<(usize, usize, String)>);

impl<'a> JsonText<'a> {
    /// Parses a text; `None` if it is not an object.
    pub(super) fn parse(text: &'a str, options: &ParseOptions) -> Option<Self> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), options).ok()?;
        match parsed.value? {
            jsonc_parser::ast::Value::Object(root) => Some(Self { text, root }),
            _ => None,
        }
    }

    /// Returns the text with a new property `name` in the table `key`, which is created if it is missing.
    pub(super) fn with(&self, key: &str, name: &str, value: &Value) -> String {
        let mut edits = Edits(Vec::new());
        if let Some(table) = self.table(key) {
            let is_flat =
                self.is_flat(table) || (table.properties.is_empty() && self.is_last(table));
            let line = is_flat.then(|| flat(value));
            self.insert(table, name, value, line, &mut edits);
        } else {
            let table = serde_json::json!({ name: value });
            let line = self.is_flat(&self.root).then(|| {
                let name = Value::from(name);
                format!("{{ {name}: {} }}", flat(value))
            });
            self.insert(&self.root, key, &table, line, &mut edits);
        }
        edits.applied_to(self.text)
    }

    /// Returns the text without the property `name` of the table `key`. The table itself is removed too if
    /// [`Self::with`] created it: then it is the last table of the file and has no other property. An empty table that
    /// was already in the file is different: it has no white space before the property.
    pub(super) fn without(&self, key: &str, name: &str) -> Option<String> {
        let table = self.table(key)?;
        let property = table
            .properties
            .iter()
            .position(|found| found.name.as_str() == name)?;
        let mut edits = Edits(Vec::new());
        let is_made_here =
            table.properties.len() == 1 && self.is_last(table) && self.is_wide(table);
        if is_made_here {
            let at = self.root.properties.len() - 1;
            self.remove(&self.root, at, &mut edits);
        } else {
            self.remove(table, property, &mut edits);
        }
        Some(edits.applied_to(self.text))
    }

    fn table(&self, key: &str) -> Option<&Object<'a>> {
        let mut properties = self.root.properties.iter();
        properties
            .find(|found| found.name.as_str() == key)?
            .value
            .as_object()
    }

    /// Whether a table is the value of the file's last property.
    fn is_last(&self, table: &Object<'_>) -> bool {
        let last = self.root.properties.last();
        last.is_some_and(|last| last.value.start() == table.start())
    }

    /// Whether the only property of an object has white space before it, and only white space around it.
    fn is_wide(&self, object: &Object<'_>) -> bool {
        let Some(only) = object.properties.first() else {
            return false;
        };
        let before = &self.text[object.start() + 1..only.start()];
        let after = &self.text[only.end()..object.end() - 1];
        !before.is_empty()
            && is_space(before)
            && is_space(after.trim_start().trim_start_matches(','))
    }

    /// Whether an object ends on the same line as its last content.
    fn is_flat(&self, object: &Object<'_>) -> bool {
        let inner = &self.text[object.start() + 1..object.end() - 1];
        if inner.is_empty() {
            // An empty object gives no hint; a file of one line stays one line.
            return object.start() != self.root.start() && self.is_flat(&self.root);
        }
        let end = &inner[inner.trim_end().len()..];
        !end.contains('\n') || inner.trim().is_empty()
    }

    /// Inserts the property `name` at the end of `object`: as `"name": line` on one line if `line` is given, otherwise
    /// over several lines with the indentation of the file.
    fn insert(
        &self,
        object: &Object<'_>,
        name: &str,
        value: &Value,
        line: Option<String>,
        edits: &mut Edits,
    ) {
        let close = object.end() - 1;
        let inner = &self.text[object.start() + 1..close];
        let content_end = object.start() + 1 + inner.trim_end().len();
        let last = object.properties.last();
        let has_comma = last.is_some_and(|last| self.comma_after(last.end(), close).is_some());
        if let Some(last) = last.filter(|_| !has_comma) {
            edits.replace(last.end(), last.end(), ",");
        }
        let comma = if has_comma { "," } else { "" };
        let key = Value::from(name);
        if let Some(line) = line {
            let gap = if inner.trim().is_empty() { "" } else { " " };
            let property = format!("{gap}{key}: {line}{comma}");
            edits.replace(content_end, content_end, &property);
            return;
        }
        let line_break = self.line_break();
        let own = self.indent_of(object);
        let indent = last.map_or_else(
            || own.clone() + self.step(),
            |last| self.indent_at(last.start()),
        );
        let value = pretty(value, &indent, self.step(), line_break, comma);
        let end = if inner.is_empty() {
            format!("{line_break}{own}")
        } else {
            String::new()
        };
        let property = format!("{line_break}{indent}{key}: {value}{comma}{end}");
        edits.replace(content_end, content_end, &property);
    }

    fn remove(&self, object: &Object<'_>, at: usize, edits: &mut Edits) {
        let (text, close) = (self.text, object.end() - 1);
        let property = &object.properties[at];
        let comma = self.comma_after(property.end(), close);
        if object.properties.len() == 1 && self.is_wide(object) && comma.is_none() {
            edits.replace(object.start() + 1, close, "");
            return;
        }
        let before = &text[..property.start()];
        let start = before.trim_end_matches([' ', '\t']);
        let start = start
            .strip_suffix("\r\n")
            .or_else(|| start.strip_suffix('\n'))
            .unwrap_or(start);
        edits.replace(start.len(), property.end(), "");
        let previous = at.checked_sub(1).and_then(|at| object.properties.get(at));
        let comma = comma.or_else(|| self.comma_after(previous?.end(), property.start()));
        if let Some(comma) = comma {
            edits.replace(comma, comma + 1, "");
        }
    }

    /// Returns the offset of the first comma between these offsets that is not in a comment.
    fn comma_after(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        while at < end {
            let rest = &self.text[at..end];
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                at += rest.find("*/").map_or(rest.len(), |length| length + 2);
            } else if rest.starts_with(',') {
                return Some(at);
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        None
    }

    fn line_break(&self) -> &'static str {
        super::line_break(self.text)
    }

    /// Returns the indentation of one level.
    fn step(&self) -> &'a str {
        let first: Option<&ObjectProp<'_>> = self.root.properties.first();
        let step = first.map_or("", |first| indent_before(self.text, first.start()));
        if step.is_empty() { USUAL_STEP } else { step }
    }

    /// Returns the indentation of the line on which an object begins.
    fn indent_of(&self, object: &Object<'_>) -> String {
        let line = self.text[..object.start()]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let line = &self.text[line..];
        line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned()
    }

    fn indent_at(&self, place: usize) -> String {
        indent_before(self.text, place).to_owned()
    }
}

/// Returns the white space before an offset; `None` if other characters are before it on its line.
fn indent_before(text: &str, place: usize) -> &str {
    let line = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line..place];
    if is_space(before) { before } else { "" }
}

fn is_space(text: &str) -> bool {
    text.trim().is_empty()
}

/// Returns the value as JSON on one line.
fn flat(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flat).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(keys) => {
            let keys = keys.iter();
            let keys: Vec<String> = keys
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), flat(value)))
                .collect();
            format!("{{{}}}", keys.join(", "))
        }
        other => other.to_string(),
    }
}

/// Returns the value as JSON with a line for each key.
fn pretty(value: &Value, indent: &str, step: &str, line_break: &str, comma: &str) -> String {
    let Some(keys) = value.as_object().filter(|keys| !keys.is_empty()) else {
        return flat(value);
    };
    let deeper = format!("{indent}{step}");
    let lines: Vec<String> = keys
        .iter()
        .map(|(key, value)| {
            let value = pretty(value, &deeper, step, line_break, comma);
            format!("{line_break}{deeper}{}: {value}", Value::from(key.as_str()))
        })
        .collect();
    format!("{{{}{comma}{line_break}{indent}}}", lines.join(","))
}

impl Edits {
    fn replace(&mut self, start: usize, end: usize, new: &str) {
        self.0.push((start, end, new.to_owned()));
    }

    fn applied_to(mut self, text: &str) -> String {
        // Two edits at one offset keep the order in which they were added.
        self.0.sort_by_key(|(start, _, _)| *start);
        let mut new = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end, replacement) in self.0 {
            new += &text[from..start];
            new += &replacement;
            from = end;
        }
        new + &text[from..]
    }
}

//! Properties to YAML.

use serde_json::{Map, Value};

use super::scalar;
use crate::text::javascript;

/// The properties, one key a line at the left edge, without a final newline.
pub(crate) fn write(properties: &Map<String, Value>) -> String {
    let mut lines = Vec::new();
    mapping(properties, 0, &mut lines);
    lines.join("\n")
}

fn mapping(map: &Map<String, Value>, depth: usize, lines: &mut Vec<String>) {
    for (key, value) in map {
        let head = format!("{}{}:", "  ".repeat(depth), scalar::inline(key));
        match value {
            Value::Array(items) if !items.is_empty() => {
                lines.push(head);
                sequence(items, depth + 1, lines);
            }
            Value::Object(map) if !map.is_empty() => {
                lines.push(head);
                mapping(map, depth + 1, lines);
            }
            _ => leaf(&head, value, depth + 1, lines),
        }
    }
}

fn sequence(items: &[Value], depth: usize, lines: &mut Vec<String>) {
    let head = format!("{}-", "  ".repeat(depth));
    for item in items {
        let first = lines.len();
        match item {
            Value::Array(items) if !items.is_empty() => sequence(items, depth + 1, lines),
            Value::Object(map) if !map.is_empty() => mapping(map, depth + 1, lines),
            _ => {
                leaf(&head, item, depth + 1, lines);
                continue;
            }
        }
        // A collection inside a list begins on the line of its dash.
        if let Some(line) = lines.get_mut(first) {
            let inner = line.get(head.len() + 1..).unwrap_or_default();
            *line = format!("{head} {inner}");
        }
    }
}

/// A scalar or an empty collection after its key or dash.
fn leaf(head: &str, value: &Value, depth: usize, lines: &mut Vec<String>) {
    match value {
        Value::Null => lines.push(head.to_owned()),
        Value::Array(_) => lines.push(format!("{head} []")),
        Value::Object(_) => lines.push(format!("{head} {{}}")),
        Value::String(text) if is_literal(text) => {
            let (text, sign) = match text.strip_suffix('\n') {
                Some(text) => (text, "|"),
                None => (text.as_str(), "|-"),
            };
            lines.push(format!("{head} {sign}"));
            let edge = "  ".repeat(depth);
            lines.extend(text.split('\n').map(|line| match line {
                "" => String::new(),
                line => format!("{edge}{line}"),
            }));
        }
        Value::String(text) => lines.push(format!("{head} {}", scalar::inline(text))),
        Value::Bool(_) | Value::Number(_) => {
            lines.push(format!("{head} {}", javascript::text(value)));
        }
    }
}

/// Whether a text of several lines can be a literal block: its first line shows the block's edge, and no blank line at
/// its end could be mistaken for what follows.
fn is_literal(text: &str) -> bool {
    let without_end = text.strip_suffix('\n').unwrap_or(text);
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && without_end
            .split('\n')
            .next_back()
            .is_some_and(|line| !line.trim().is_empty())
        && !text.contains(|character| character != '\n' && scalar::is_unprintable(character))
}

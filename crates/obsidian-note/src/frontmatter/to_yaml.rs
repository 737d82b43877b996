//! Properties as the app writes them in YAML (`vault-semantics.md` §3.3): block mappings and lists, one-line scalars,
//! literal blocks and empty flow collections.

use serde_json::{Map, Value};
use yaml_events::scalar::{self, ScalarType, double_quoted};

use crate::javascript;

/// Returns properties as YAML, as the app writes them into a note (`vault-semantics.md` §3.3): one key per line without
/// indent, lists as blocks, no folding; without a final newline.
pub fn to_yaml(properties: &Map<String, Value>) -> String {
    let mut lines = Vec::new();
    mapping(properties, 0, &mut lines);
    lines.join("\n")
}

fn mapping(map: &Map<String, Value>, depth: usize, lines: &mut Vec<String>) {
    for (key, value) in map {
        let head = format!("{}{}:", "  ".repeat(depth), inline(key));
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
        Value::String(text) => lines.push(format!("{head} {}", inline(text))),
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
        && !text.contains(|character| character != '\n' && is_unprintable(character))
}

/// A text on one line: plain if it then means the same text, else in quotes. They are double, but single around a text
/// that contains only double ones.
fn inline(text: &str) -> String {
    if !needs_quotes(text) {
        text.to_owned()
    } else if text.contains('"') && !text.contains('\'') && !text.contains(is_unprintable) {
        format!("'{text}'")
    } else {
        double_quoted(text)
    }
}

fn needs_quotes(text: &str) -> bool {
    let is_indicator = |first: char| ",[]{}#&*!|>'\"%@` \t".contains(first);
    let is_dash_alone = |text: &str| {
        let rest = text.strip_prefix(['-', '?', ':']);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    !scalar::value(text, ScalarType::Any).is_string()
        || text == "---"
        || text.starts_with(is_indicator)
        || is_dash_alone(text)
        || text.ends_with([' ', '\t', ':'])
        || [": ", ":\t", " #", "\t#"]
            .iter()
            .any(|pair| text.contains(pair))
        || text.contains(is_unprintable)
}

/// Characters that only double quotes carry: controls but the tab, and odd line breaks.
fn is_unprintable(character: char) -> bool {
    (character.is_control() && character != '\t')
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn written_as_the_app_does() {
        let properties = json!({
            "title": "A: B",
            "plain": "see \"this\" - it's #fine",
            "empty": "",
            "nothing": null,
            "tags": ["a", "b/c", "- d"],
            "none": [],
            "done": true,
            "rank": 1.0,
            "looks": ["true", "12", "0x1f", "~", "1.5e3", ".5", "yes", "2024-01-02"],
            "quote": "\"x\": y",
            "text": "one\ntwo",
            "ended": "one\n  two\n",
            "map": {"a": {"b": [["x", []], {"c": 1, "d": {}}]}},
            "emoji 😀": "😀",
        });
        insta::assert_snapshot!(to_yaml(properties.as_object().unwrap()), @r#"
        title: "A: B"
        plain: "see \"this\" - it's #fine"
        empty: ""
        nothing:
        tags:
          - a
          - b/c
          - "- d"
        none: []
        done: true
        rank: 1
        looks:
          - "true"
          - "12"
          - "0x1f"
          - "~"
          - "1.5e3"
          - ".5"
          - yes
          - 2024-01-02
        quote: '"x": y'
        text: |-
          one
          two
        ended: |
          one
            two
        map:
          a:
            b:
              - - x
                - []
              - c: 1
                d: {}
        emoji 😀: 😀
        "#);
    }
}

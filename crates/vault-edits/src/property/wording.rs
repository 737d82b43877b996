//! The text of a new value.

use obsidian_note::frontmatter::to_yaml;
use serde_json::{Map, Value};
use yaml_events::scalar::{double_quoted, is_unprintable};

use super::layout::{Form, Node};

/// A value as text: the part after its key's colon, and the lines below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wording {
    pub(super) head: String,
    /// The lines without line ends, indented relative to the key.
    pub(super) lines: Vec<String>,
}

/// The quotes around a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Only if the text needs quotes.
    AsNeeded,
    Single,
    Double,
}

impl Wording {
    /// Writes a value as the app does, except for the indent of a list's dashes.
    pub(super) fn of_app(value: &Value, list_indent: &str) -> Self {
        let mut lines = lines_of("k", value).into_iter();
        let first = lines.next().unwrap_or_default();
        let head = first.strip_prefix("k:").unwrap_or_default().trim_start();
        Self {
            head: head.to_owned(),
            lines: lines
                .map(|line| match line.strip_prefix("  ") {
                    Some(line) if value.is_array() => format!("{list_indent}{line}"),
                    _ => line,
                })
                .collect(),
        }
    }

    /// Writes a value on one line, even a text of several lines.
    pub(super) fn on_one_line(value: &Value) -> Self {
        Self {
            head: match value {
                Value::String(text) => double_quoted(text),
                Value::Array(items) => flow_list(items, Quotes::Double),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                    flow(value, Quotes::Double)
                }
            },
            lines: Vec::new(),
        }
    }

    /// Writes a value in the style of an old one; `None` if that style does not suit the value.
    pub(super) fn like(old: &Node, value: &Value) -> Option<Self> {
        let head = match (&old.form, value) {
            (Form::SingleQuoted | Form::DoubleQuoted, Value::String(text)) => {
                quoted(text, Quotes::from_form(&old.form))?
            }
            // An empty list shows no style.
            (Form::FlowList(items), Value::Array(new)) if !items.is_empty() => {
                flow_list(new, Quotes::of_all(items))
            }
            _ => return None,
        };
        Some(Self {
            head,
            lines: Vec::new(),
        })
    }
}

impl Quotes {
    pub(super) fn from_form(form: &Form) -> Self {
        match form {
            Form::SingleQuoted => Self::Single,
            Form::DoubleQuoted => Self::Double,
            _ => Self::AsNeeded,
        }
    }

    /// Returns the quotes that all items use.
    pub(super) fn of_all(items: &[Node]) -> Self {
        let first = items
            .first()
            .map_or(Self::AsNeeded, |item| Self::from_form(&item.form));
        let is_common = items
            .iter()
            .all(|item| Self::from_form(&item.form) == first);
        if is_common { first } else { Self::AsNeeded }
    }
}

/// Returns the lines of a property in the app's style.
pub(super) fn lines_of(name: &str, value: &Value) -> Vec<String> {
    let mut properties = Map::new();
    properties.insert(name.to_owned(), value.clone());
    let yaml = to_yaml(&properties);
    yaml.split('\n').map(str::to_owned).collect()
}

/// Returns the lines of one item of a list: the dash at `indent`, with `gap` after it.
pub(super) fn item_lines(value: &Value, quotes: Quotes, indent: &str, gap: &str) -> Vec<String> {
    if let Value::String(text) = value
        && let Some(quoted) = quoted(text, quotes)
    {
        return vec![format!("{indent}-{gap}{quoted}")];
    }
    let list = Value::Array(vec![value.clone()]);
    let lines: Vec<String> = lines_of("k", &list).split_off(1);
    let is_alone = lines.len() == 1;
    lines
        .into_iter()
        .map(|line| match line.strip_prefix("  ") {
            Some(line) => match line.strip_prefix("- ").filter(|_| is_alone) {
                Some(text) => format!("{indent}-{gap}{text}"),
                None => format!("{indent}{line}"),
            },
            None => line,
        })
        .collect()
}

/// Returns a value for the inside of brackets.
pub(super) fn flow(value: &Value, quotes: Quotes) -> String {
    match value {
        Value::String(text) => quoted(text, quotes).unwrap_or_else(|| {
            let word = Wording::of_app(value, "");
            let is_plain = word.head == *text && word.lines.is_empty();
            if is_plain && !text.contains([',', '[', ']', '{', '}']) {
                word.head
            } else {
                double_quoted(text)
            }
        }),
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => Wording::of_app(value, "").head,
        Value::Array(items) => flow_list(items, Quotes::Double),
        Value::Object(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| {
                    format!("{}: {}", double_quoted(key), flow(value, Quotes::Double))
                })
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn flow_list(items: &[Value], quotes: Quotes) -> String {
    let items: Vec<String> = items.iter().map(|item| flow(item, quotes)).collect();
    format!("[{}]", items.join(", "))
}

/// Returns the text in these quotes; `None` if they cannot represent it or none are wanted.
fn quoted(text: &str, quotes: Quotes) -> Option<String> {
    match quotes {
        Quotes::AsNeeded => None,
        Quotes::Single => {
            (!text.contains(is_unprintable)).then(|| format!("'{}'", text.replace('\'', "''")))
        }
        // A text of several lines is more readable as a block scalar.
        Quotes::Double => (!text.contains('\n')).then(|| double_quoted(text)),
    }
}

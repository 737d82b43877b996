//! The values of YAML as the app has them, within limits.

use std::borrow::Cow;

use crate::javascript;
use serde_json::{Map, Value};
use yaml_events::scalar::{self, ScalarType};
use yaml_events::{Content, Fault, Limits, Node, ReadError, ScalarStyle, ScanError, Tag};

use super::error::{FrontmatterError, YamlFault};
use super::plain;
use super::repaired::Budget;

/// Longest text that is parsed at all, in bytes.
const MAX_BYTES: usize = 1024 * 1024;
/// The limit of values, with every alias expanded.
const MAX_VALUES: usize = 100_000;
/// The limit of bytes of text in all values, with every alias expanded.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// The maximum number of levels of nested lists and mappings.
const MAX_DEPTH: usize = 64;

const LIMITS: Limits = Limits {
    depth: MAX_DEPTH,
    values: MAX_VALUES,
    text: MAX_TEXT,
};

/// Returns the mapping that a whole text represents.
pub(super) fn mapping(yaml: &str) -> Result<Map<String, Value>, FrontmatterError> {
    plain::mapping(yaml).map_or_else(|| parsed(yaml), Ok)
}

/// As [`mapping`], always with the parser.
pub(super) fn parsed(yaml: &str) -> Result<Map<String, Value>, FrontmatterError> {
    if yaml.len() > MAX_BYTES {
        return Err(FrontmatterError::new(
            1,
            YamlFault::TooLarge { limit: MAX_BYTES },
        ));
    }
    if let Some(line) = line_with_tab_indent(yaml) {
        let what = "a tab is in the indentation".to_owned();
        return Err(FrontmatterError::new(line, YamlFault::Syntax { what }));
    }
    let mut text = Cow::Borrowed(yaml);
    let mut budget = Budget::default();
    loop {
        let error = match built(&text)? {
            Ok(map) => return Ok(map),
            Err(error) => error,
        };
        let Some(repaired) = budget.repaired(&text, &error) else {
            let what = error.info().to_owned();
            let line = error.marker().line();
            return Err(FrontmatterError::new(line, YamlFault::Syntax { what }));
        };
        text = Cow::Owned(repaired);
    }
}

/// Returns the first line with content, counted from 1, if its indentation contains a tab. The app refuses that, except
/// before a bracket; our parser accepts it on this line only.
fn line_with_tab_indent(yaml: &str) -> Option<usize> {
    let (index, line) = yaml.lines().enumerate().find(|(_, line)| {
        let text = line.trim_matches([' ', '\t']);
        !text.is_empty() && !text.starts_with('#')
    })?;
    let text = line.trim_start_matches([' ', '\t']);
    let indent = line.strip_suffix(text)?;
    let has_tab = indent.contains('\t') && !text.starts_with(['{', '[']);
    has_tab.then_some(index + 1)
}

/// Returns the mapping that a text represents, or the place where the parser fails.
fn built(yaml: &str) -> Result<Result<Map<String, Value>, ScanError>, FrontmatterError> {
    let key = |key: &Node| Some(key_text(&value(key.clone())));
    let root = match yaml_events::document(yaml, 1, LIMITS, key) {
        Ok(root) => root,
        Err(ReadError { fault, at, .. }) => {
            let fault = match fault {
                Fault::Syntax(error) => return Ok(Err(error)),
                Fault::SeveralDocuments => YamlFault::SeveralDocuments,
                Fault::Endless => YamlFault::Endless,
                Fault::TooDeep => YamlFault::TooDeep { limit: MAX_DEPTH },
                Fault::TooMany => YamlFault::TooMany { limit: MAX_VALUES },
                Fault::TooLong => YamlFault::TooLarge { limit: MAX_TEXT },
                Fault::NoKey => YamlFault::NotAMapping,
                Fault::DuplicateKey(key) => YamlFault::DuplicateKey { key },
            };
            return Err(FrontmatterError::new(at.line, fault));
        }
    };
    let Some(root) = root else {
        return Ok(Ok(Map::new()));
    };
    let line = root.place.line;
    match value(root) {
        Value::Null => Ok(Ok(Map::new())),
        Value::Object(map) => Ok(Ok(map)),
        _ => Err(FrontmatterError::new(line, YamlFault::NotAMapping)),
    }
}

/// Returns the value in the app's terms.
fn value(node: Node) -> Value {
    match node.content {
        Content::Scalar(scalar) => scalar.into_value(),
        Content::List(items) => Value::Array(items.into_iter().map(value).collect()),
        Content::Mapping(entries) => {
            let entries = entries.into_iter();
            let entries = entries.map(|entry| (entry.key, value(entry.value)));
            Value::Object(in_javascript_order(entries.collect()))
        }
    }
}

/// Returns the name that a scalar makes as a key.
pub fn scalar_key(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> String {
    key_text(&scalar::value(text, ScalarType::required(style, tag)))
}

/// Whether a scalar is an infinity or not-a-number, which a value here cannot represent.
pub fn is_not_finite(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> bool {
    scalar::value(text, ScalarType::required(style, tag)).is_null()
        && scalar::value(text, ScalarType::Null) != Value::Null
}

/// Returns the name that a value makes as a key: its text, and collections as YAML on one line. The
/// latter is what becomes of `title: {{title}}` in a template.
fn key_text(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => flow_text(value),
        other => javascript::text(other),
    }
}

fn flow_text(value: &Value) -> String {
    let within = |open: &str, items: Vec<String>, close: &str| {
        if items.is_empty() {
            format!("{open}{close}")
        } else {
            format!("{open} {} {close}", items.join(", "))
        }
    };
    match value {
        Value::Array(items) => within("[", items.iter().map(flow_text).collect(), "]"),
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| match value {
                Value::Null => key.clone(),
                value => format!("{key}: {}", flow_text(value)),
            };
            within("{", entries.iter().map(entry).collect(), "}")
        }
        Value::Null => "null".to_owned(),
        other => javascript::text(other),
    }
}

/// JavaScript keeps whole-number keys of an object first and by size, all others as inserted.
fn in_javascript_order(entries: Map<String, Value>) -> Map<String, Value> {
    if !entries.keys().any(|key| array_index(key).is_some()) {
        return entries;
    }
    let (mut indexes, names): (Vec<_>, Vec<_>) = entries
        .into_iter()
        .partition(|(key, _)| array_index(key).is_some());
    indexes.sort_by_key(|(key, _)| array_index(key));
    indexes.into_iter().chain(names).collect()
}

/// Returns the number that a key is, if it is spelled as in JavaScript and below 2^32 - 1.
fn array_index(key: &str) -> Option<u32> {
    let is_spelled_so = key == "0" || !key.starts_with(['0', '+']);
    let index = key.parse().ok().filter(|_| is_spelled_so)?;
    (index < u32::MAX).then_some(index)
}

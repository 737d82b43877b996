//! Builds values from the YAML parser's events, within limits.

use std::borrow::Cow;
use std::collections::HashMap;

use cli_output::javascript_text;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use serde_json::{Map, Value};

use super::error::{FrontmatterError, YamlFault};
use super::mended::Budget;
use super::plain;
use super::scalar::{self, ScalarType};

/// Longest text that is parsed at all, in bytes.
const MAX_BYTES: usize = 1024 * 1024;
/// The limit of values, with every alias expanded.
const MAX_VALUES: usize = 100_000;
/// The limit of bytes of text in all values, with every alias expanded.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// The nesting limit.
const MAX_DEPTH: usize = 64;

/// The mapping that a whole text represents.
pub(super) fn mapping(yaml: &str) -> Result<Map<String, Value>, FrontmatterError> {
    plain::mapping(yaml).map_or_else(|| parsed(yaml), Ok)
}

/// The same, always by the parser.
pub(super) fn parsed(yaml: &str) -> Result<Map<String, Value>, FrontmatterError> {
    if yaml.len() > MAX_BYTES {
        return Err(FrontmatterError::new(
            1,
            YamlFault::TooLarge { limit: MAX_BYTES },
        ));
    }
    if let Some(line) = line_with_tab_indent(yaml) {
        let what = "a tab stands in the indent".to_owned();
        return Err(FrontmatterError::new(line, YamlFault::Syntax { what }));
    }
    let mut text = Cow::Borrowed(yaml);
    let mut budget = Budget::default();
    loop {
        let error = match built(&text)? {
            Ok(map) => return Ok(map),
            Err(error) => error,
        };
        let Some(mended) = budget.mended(&text, &error) else {
            let what = error.info().to_owned();
            let line = error.marker().line();
            return Err(FrontmatterError::new(line, YamlFault::Syntax { what }));
        };
        text = Cow::Owned(mended);
    }
}

/// The first line with content, counted from 1, if there is a tab in its indent. The app refuses
/// that, but before a bracket; our parser takes it on this line alone.
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

/// The mapping that the parser's events make, or where the parser stumbles.
fn built(yaml: &str) -> Result<Result<Map<String, Value>, ScanError>, FrontmatterError> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(yaml);
    while let Some(event) = parser.next_event() {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => return Ok(Err(error)),
        };
        let line = span.start.line();
        builder
            .take(event, line)
            .map_err(|fault| FrontmatterError::new(line, fault))?;
    }
    match builder.root {
        None | Some((_, Value::Null)) => Ok(Ok(Map::new())),
        Some((_, Value::Object(map))) => Ok(Ok(map)),
        Some((line, _)) => Err(FrontmatterError::new(line, YamlFault::NotAMapping)),
    }
}

/// How many values there are, and how many bytes of text in them.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    values: usize,
    text: usize,
}

/// A list or mapping that has not ended yet.
struct OpenCollection {
    /// The anchor's number; 0 for none.
    anchor: usize,
    /// What had been spent before it, to compute its own cost.
    before: Cost,
    /// Where it begins.
    line: usize,
    kind: CollectionKind,
}

enum CollectionKind {
    List(Vec<Value>),
    Mapping {
        entries: Map<String, Value>,
        key: Option<String>,
    },
}

#[derive(Default)]
struct Builder {
    documents: usize,
    open: Vec<OpenCollection>,
    anchors: HashMap<usize, (Value, Cost)>,
    spent: Cost,
    /// The outermost value, and its line.
    root: Option<(usize, Value)>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, line: usize) -> Result<(), YamlFault> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(YamlFault::SeveralDocuments);
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let before = self.spent;
                self.spend(Cost {
                    values: 1,
                    text: text.len(),
                })?;
                let value = scalar::value(&text, asked(style, tag.as_deref()));
                self.ended(value, anchor, before, line)
            }
            Event::Alias(anchor) => {
                // Only complete values have an entry, so an alias inside its own anchor is found
                // missing here. That keeps the values finite.
                let (value, cost) = self.anchors.get(&anchor).ok_or(YamlFault::Endless)?;
                let (value, cost) = (value.clone(), *cost);
                self.spend(cost)?;
                self.place(value, line)
            }
            Event::SequenceStart(anchor, _) => {
                self.begin(anchor, line, CollectionKind::List(Vec::new()))
            }
            Event::MappingStart(anchor, _) => self.begin(
                anchor,
                line,
                CollectionKind::Mapping {
                    entries: Map::new(),
                    key: None,
                },
            ),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else {
                    return Ok(());
                };
                let value = match open.kind {
                    CollectionKind::List(items) => Value::Array(items),
                    CollectionKind::Mapping { entries, .. } => {
                        Value::Object(in_javascript_order(entries))
                    }
                };
                self.ended(value, open.anchor, open.before, open.line)
            }
        }
    }

    fn begin(&mut self, anchor: usize, line: usize, kind: CollectionKind) -> Result<(), YamlFault> {
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlFault::TooDeep { limit: MAX_DEPTH });
        }
        let before = self.spent;
        self.spend(Cost { values: 1, text: 0 })?;
        self.open.push(OpenCollection {
            anchor,
            before,
            line,
            kind,
        });
        Ok(())
    }

    /// A value is complete: it is kept for its aliases, and put where it belongs.
    fn ended(
        &mut self,
        value: Value,
        anchor: usize,
        before: Cost,
        line: usize,
    ) -> Result<(), YamlFault> {
        if anchor != 0 {
            let cost = Cost {
                values: self.spent.values - before.values,
                text: self.spent.text - before.text,
            };
            // The copy takes memory too, and anchors may be nested.
            self.spend(cost)?;
            self.anchors.insert(anchor, (value.clone(), cost));
        }
        self.place(value, line)
    }

    fn place(&mut self, value: Value, line: usize) -> Result<(), YamlFault> {
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => {
                self.root = Some((line, value));
            }
            Some(CollectionKind::List(items)) => items.push(value),
            Some(CollectionKind::Mapping { entries, key }) => {
                if let Some(key) = key.take() {
                    entries.insert(key, value);
                    return Ok(());
                }
                let text = key_text(&value);
                if entries.contains_key(&text) {
                    return Err(YamlFault::DuplicateKey { key: text });
                }
                *key = Some(text);
            }
        }
        Ok(())
    }

    fn spend(&mut self, cost: Cost) -> Result<(), YamlFault> {
        self.spent.values = self.spent.values.saturating_add(cost.values);
        self.spent.text = self.spent.text.saturating_add(cost.text);
        if self.spent.values > MAX_VALUES {
            return Err(YamlFault::TooMany { limit: MAX_VALUES });
        }
        if self.spent.text > MAX_TEXT {
            return Err(YamlFault::TooLarge { limit: MAX_TEXT });
        }
        Ok(())
    }
}

/// The name that a scalar makes as a key.
pub(crate) fn scalar_key(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> String {
    key_text(&scalar::value(text, asked(style, tag)))
}

/// Whether a scalar is an infinity or not-a-number, which a value here cannot hold.
pub(crate) fn is_not_finite(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> bool {
    scalar::value(text, asked(style, tag)).is_null()
        && scalar::value(text, ScalarType::Null) != Value::Null
}

/// What style and type of a scalar say of its value. A type of the core schema asks for that kind;
/// any other makes it text.
fn asked(style: ScalarStyle, tag: Option<&Tag>) -> ScalarType {
    match tag {
        None if style == ScalarStyle::Plain => ScalarType::Any,
        Some(tag) if tag.is_yaml_core_schema() => match tag.suffix.as_str() {
            "null" => ScalarType::Null,
            "bool" => ScalarType::Truth,
            "int" => ScalarType::Integer,
            "float" => ScalarType::Float,
            _ => ScalarType::Text,
        },
        None | Some(_) => ScalarType::Text,
    }
}

/// The name that a value makes as a key: its text, and collections as YAML on one line. The
/// latter is what becomes of `title: {{title}}` in a template.
fn key_text(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Object(_) => flow_text(value),
        other => javascript_text(other),
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
        other => javascript_text(other),
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

/// The number that a key is, where it is spelled as JavaScript spells it and below 2^32 - 1.
fn array_index(key: &str) -> Option<u32> {
    let is_spelled_so = key == "0" || !key.starts_with(['0', '+']);
    let index = key.parse().ok().filter(|_| is_spelled_so)?;
    (index < u32::MAX).then_some(index)
}

//! Numbers as they are written. `007` and `1.10` are numbers for YAML, but often names for a person, and `7` and `1.1`
//! are others: a number that goes to another property, or becomes an item of a list, keeps its text.

use obsidian_note::VaultPath;
use obsidian_note::frontmatter::{is_not_finite, property};
use serde_json::Value;
use vault_files::EngineError;
use yaml_events::ScalarStyle;

use super::layout::{Form, Layout, Node};
use super::source::Source;

/// A number in the properties of a note.
struct Number {
    value: Value,
    text: String,
}

/// The numbers of a property, in their order.
#[derive(Default)]
pub(crate) struct Numbers {
    /// Those that are its value, or items of its list.
    found: Vec<Number>,
    /// Whether it has others whose text cannot be kept.
    has_more: bool,
}

impl Numbers {
    pub(crate) fn of(note: &[u8], name: &str, path: &VaultPath) -> Result<Self, EngineError> {
        let source = Source::read(note, path)?;
        let mut numbers = Self::default();
        if let Some((name, value)) = property(&source.properties, name) {
            let layout = Layout::parse(source.yaml);
            match layout.as_ref().and_then(|layout| layout.entry(name)) {
                Some(entry) => numbers.add(source.yaml, &entry.value, value),
                None => numbers.has_more = !is_spelled(value, ""),
            }
        }
        Ok(numbers)
    }

    fn add(&mut self, yaml: &str, node: &Node, value: &Value) {
        let text = |start: usize| yaml.get(start..node.end).unwrap_or_default();
        match (&node.form, value) {
            (Form::Plain, Value::Number(_)) => self.found.push(Number {
                value: value.clone(),
                text: text(node.content).to_owned(),
            }),
            // An infinite number is null in the properties.
            (Form::Plain, Value::Null) => {
                self.has_more |= is_not_finite(text(node.content), ScalarStyle::Plain, None);
            }
            (Form::BlockList(nodes) | Form::FlowList(nodes), Value::Array(items))
                if nodes.len() == items.len() =>
            {
                for (node, item) in nodes.iter().zip(items) {
                    self.add(yaml, node, item);
                }
            }
            _ => self.has_more |= !is_spelled(value, text(node.start)),
        }
    }

    /// Returns these numbers and then the others.
    pub(crate) fn and(mut self, others: Self) -> Self {
        self.found.extend(others.found);
        self.has_more |= others.has_more;
        self
    }

    /// Whether a text would be lost if these numbers were taken for the others.
    pub(crate) fn differ_from(&self, others: &Self) -> bool {
        self.has_more
            || self.found.iter().any(|number| {
                let same = || others.found.iter().filter(|own| own.value == number.value);
                same().next().is_some() && same().all(|own| own.text != number.text)
            })
    }

    /// Returns the note with the numbers of a property as they are written here. The rest of it stays.
    ///
    /// # Errors
    ///
    /// If a number would have another text than here.
    pub(crate) fn kept_in(
        &self,
        note: Vec<u8>,
        name: &str,
        path: &VaultPath,
    ) -> Result<Vec<u8>, EngineError> {
        let kept = if self.has_more {
            None
        } else if self.found.is_empty() {
            return Ok(note);
        } else {
            self.in_note((path, &note), name)
        };
        kept.ok_or_else(|| EngineError::PropertiesUnchangeable {
            path: path.clone(),
            reason: format!("`{name}` has a number that cannot be kept as it is written"),
        })
    }

    /// As [`Self::kept_in`], for a list whose other items have not moved.
    pub(super) fn kept_in_list(
        mut self,
        note: Vec<u8>,
        name: &str,
        path: &VaultPath,
    ) -> Result<Vec<u8>, EngineError> {
        self.has_more = false;
        self.kept_in(note, name, path)
    }

    fn in_note(&self, (path, note): (&VaultPath, &[u8]), name: &str) -> Option<Vec<u8>> {
        let source = Source::read(note, path).ok()?;
        let value = source.properties.get(name)?;
        let layout = Layout::parse(source.yaml)?;
        let mut places = Vec::new();
        places_in(&layout.entry(name)?.value, value, &mut places);
        let mut unused: Vec<&Number> = self.found.iter().collect();
        let (mut yaml, mut at) = (String::new(), 0);
        for (node, value) in places {
            if let Some(index) = unused.iter().position(|number| number.value == *value) {
                yaml.push_str(source.yaml.get(at..node.content)?);
                yaml.push_str(&unused.remove(index).text);
                at = node.end;
            }
        }
        yaml.push_str(source.yaml.get(at..)?);
        let after = source.with_yaml(&yaml);
        source.becomes(&after, &source.properties).then_some(after)
    }
}

/// Finds the numbers that are a value, or items of its list.
fn places_in<'all>(
    node: &'all Node,
    value: &'all Value,
    places: &mut Vec<(&'all Node, &'all Value)>,
) {
    match (&node.form, value) {
        (Form::Plain, Value::Number(_)) => places.push((node, value)),
        (Form::BlockList(nodes) | Form::FlowList(nodes), Value::Array(items))
            if nodes.len() == items.len() =>
        {
            for (node, item) in nodes.iter().zip(items) {
                places_in(node, item, places);
            }
        }
        _ => {}
    }
}

/// Whether all numbers in a value are words of its text, so that writing the value again does not change them.
fn is_spelled(value: &Value, text: &str) -> bool {
    match value {
        Value::Number(number) => {
            let number = number.to_string();
            let ends_word =
                |character: char| character.is_whitespace() || ",:[]{}".contains(character);
            text.split(ends_word).any(|word| word == number)
        }
        Value::Array(items) => items.iter().all(|item| is_spelled(item, text)),
        Value::Object(entries) => entries.values().all(|item| is_spelled(item, text)),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

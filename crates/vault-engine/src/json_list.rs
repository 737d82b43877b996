//! Strict reading of JSON objects in a list that a caller sends: `edits`, `notes`.
//!
//! Errors name the item and its key and never hold a value, which may be text of a note
//! (`faults.md` F12).

use std::num::NonZeroUsize;

use serde_json::{Map, Value};

use crate::path::PathError;

/// What is wrong with a list, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListError {
    /// The item, counted from 0.
    pub item: Option<usize>,
    /// The key in the item.
    pub key: Option<String>,
    /// What is wrong with it: the end of a sentence.
    pub rule: String,
    /// Set where it is a path that is none.
    pub path: Option<PathError>,
}

/// `[1].old is empty`: for a message that begins with the name of the parameter.
impl std::fmt::Display for ListError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(item) = self.item {
            write!(formatter, "[{item}]")?;
        }
        if let Some(key) = &self.key {
            write!(formatter, ".{key}")?;
        }
        let is_placed = self.item.is_some() || self.key.is_some();
        write!(
            formatter,
            "{}{}",
            if is_placed { " " } else { "" },
            self.rule
        )
    }
}

impl ListError {
    /// A mistake of the whole list or of one item.
    pub fn whole(rule: impl Into<String>) -> Self {
        Self {
            item: None,
            key: None,
            rule: rule.into(),
            path: None,
        }
    }

    pub(crate) fn at(key: &str, rule: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..Self::whole(rule)
        }
    }

    /// The same mistake in an item of the list, counted from 0.
    #[must_use]
    pub fn in_item(self, item: usize) -> Self {
        Self {
            item: Some(item),
            ..self
        }
    }
}

/// The longest key that an error repeats, in characters.
const LONGEST_KEY: usize = 32;

/// The keys of one object. Each is taken once; one that nobody took is a mistake.
pub(crate) struct Fields<'item> {
    object: &'item Map<String, Value>,
    taken: Vec<&'static str>,
}

impl<'item> Fields<'item> {
    pub(crate) fn new(object: &'item Map<String, Value>) -> Self {
        Self {
            object,
            taken: Vec::new(),
        }
    }

    fn take(&mut self, key: &'static str) -> Option<&'item Value> {
        self.taken.push(key);
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// Whether the object has the key. `null` counts as left out: functions of strict mode require
    /// every key (`design.md` §9).
    pub(crate) fn has(&self, key: &str) -> bool {
        self.object.get(key).is_some_and(|value| !value.is_null())
    }

    /// A text that must be there and not empty.
    pub(crate) fn text(&mut self, key: &'static str) -> Result<String, ListError> {
        match self.optional_text(key)? {
            Some(text) if !text.is_empty() => Ok(text),
            Some(_) => Err(ListError::at(key, "is empty")),
            None => Err(ListError::at(key, "is missing")),
        }
    }

    pub(crate) fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, ListError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(ListError::at(key, "contains the character U+0000"))
            }
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong_type(key, "a text", other)),
        }
    }

    pub(crate) fn text_or_number(&mut self, key: &'static str) -> Result<String, ListError> {
        match self.object.get(key) {
            Some(Value::Number(number)) => {
                self.taken.push(key);
                Ok(number.to_string())
            }
            _ => self.text(key),
        }
    }

    /// A switch; off where it is left out.
    pub(crate) fn switch(&mut self, key: &'static str) -> Result<bool, ListError> {
        match self.take(key) {
            None => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(other) => Err(wrong_type(key, "`true` or `false`", other)),
        }
    }

    pub(crate) fn whole_number(&mut self, key: &'static str) -> Result<usize, ListError> {
        self.take(key)
            .and_then(Value::as_u64)
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| ListError::at(key, "must be a whole number from 0"))
    }

    /// `"10-12"`, or one line as `"10"` or `10`: numbers of lines from 1, the last included.
    pub(crate) fn line_range(
        &mut self,
        key: &'static str,
    ) -> Result<(NonZeroUsize, NonZeroUsize), ListError> {
        let text = self.text_or_number(key)?;
        let (first, last) = text.split_once('-').unwrap_or((&text, &text));
        let number = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
            text.parse::<NonZeroUsize>().ok().filter(|_| is_plain)
        };
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok((first, last)),
            _ => Err(ListError::at(
                key,
                "must be two line numbers from 1, such as `10-12`, or one",
            )),
        }
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, ListError> {
        let Some(given) = self.optional_text(key)? else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == given);
        found.map(|(_, meant)| Some(*meant)).ok_or_else(|| {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            ListError::at(key, format!("must be one of {}", words.join(", ")))
        })
    }

    /// Fails where the object has a key that was not taken.
    pub(crate) fn finish(self) -> Result<(), ListError> {
        let is_unknown =
            |key: &&String| self.has(key) && !self.taken.iter().any(|taken| taken == key);
        self.object.keys().find(is_unknown).map_or(Ok(()), |key| {
            let shown: String = key.escape_debug().take(LONGEST_KEY).collect();
            Err(ListError::at(&shown, "is no key here"))
        })
    }
}

fn wrong_type(key: &str, expected: &str, got: &Value) -> ListError {
    let got = match got {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    ListError::at(key, format!("must be {expected}, not {got}"))
}

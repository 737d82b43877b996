//! Strict reading of JSON objects in a list that a caller sends: `edits`, `notes`.
//!
//! Errors name the item and its key and never contain a value, which may be text of a note
//! (`threats.toml` F12).

use std::num::NonZeroUsize;

use obsidian_note::path::PathError;
use obsidian_note::shown::row;
use serde_json::{Map, Value};

use crate::synonyms::meant;

/// The mistakes in a list, with their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListError {
    /// The item, counted from 0.
    pub item: Option<usize>,
    /// The key in the item.
    pub key: Option<String>,
    /// The rule that it breaks: the end of a sentence.
    pub rule: String,
    /// Set if the value should be a vault path and is not one.
    pub path: Option<PathError>,
    /// Further mistakes in the same list.
    pub others: Vec<ListError>,
}

/// The most mistakes of a list that the message names.
const MOST_LISTED: usize = 6;

/// `[1].old is empty; [1].new is missing`: for a message that begins with the name of the parameter.
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
        )?;
        for other in self.others.iter().take(MOST_LISTED - 1) {
            write!(formatter, "; {other}")?;
        }
        match self.others.len().saturating_sub(MOST_LISTED - 1) {
            0 => Ok(()),
            more => write!(formatter, "; and {more} more"),
        }
    }
}

impl ListError {
    /// Returns a mistake of the whole list or of one item.
    pub fn whole(rule: impl Into<String>) -> Self {
        Self {
            item: None,
            key: None,
            rule: rule.into(),
            path: None,
            others: Vec::new(),
        }
    }

    /// Returns one error for all of these; `None` without any.
    pub(crate) fn all(errors: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        for mut error in errors {
            first.path = first.path.or(error.path);
            let others = std::mem::take(&mut error.others);
            first.others.extend(std::iter::once(error).chain(others));
        }
        Some(first)
    }

    /// Returns the parsed items, or all mistakes in them, each with its place.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn of_items<T>(
        items: &[Value],
        read: impl Fn(&Value) -> Result<T, Self>,
    ) -> Result<Vec<T>, Self> {
        let (mut read_items, mut errors) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            match read(item) {
                Ok(item) => read_items.push(item),
                Err(error) => errors.push(error.in_item(index)),
            }
        }
        Self::all(errors).map_or(Ok(read_items), Err)
    }

    /// A mistake in the value of `key`; `rule` says what it must be.
    pub fn for_key(key: &str, rule: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..Self::whole(rule)
        }
    }

    /// Returns the same mistake, in an item of the list, counted from 0.
    #[must_use]
    pub fn in_item(self, item: usize) -> Self {
        let others = self.others.into_iter();
        Self {
            item: Some(item),
            others: others.map(|other| other.in_item(item)).collect(),
            ..self
        }
    }
}

/// The longest key that an error repeats, in characters.
const LONGEST_KEY: usize = 32;

/// The keys of one object, and the mistakes in them.
pub struct Fields {
    object: Map<String, Value>,
    errors: Vec<ListError>,
}

impl Fields {
    /// Returns the result of `read` for an object, or all mistakes in its keys.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn read<T>(
        object: &Map<String, Value>,
        read: impl FnOnce(&mut Self) -> Result<T, ListError>,
    ) -> Result<T, ListError> {
        let mut fields = Self {
            object: object.clone(),
            errors: Vec::new(),
        };
        let result = read(&mut fields);
        if let Err(error) = &result
            && !fields.errors.contains(error)
        {
            fields.errors.push(error.clone());
        }
        ListError::all(fields.errors).map_or(result, Err)
    }

    /// Replaces keys that are not in `keys` by the keys that they probably mean, with a mistake for each, and reads on.
    /// A key without such a meaning is a mistake if there are no `others`.
    pub fn take_for(&mut self, keys: &[&'static str], others: &[&str]) {
        let is_known = |key: &str| keys.contains(&key) || others.contains(&key);
        let unknown = self
            .object
            .keys()
            .filter(|key| self.has(key) && !is_known(key));
        let unknown: Vec<String> = unknown.cloned().collect();
        for key in unknown {
            let open = keys.iter().copied().filter(|key| !self.has(key));
            let meant = meant(&key, open);
            if meant.is_none() && !others.is_empty() {
                continue;
            }
            let value = self.object.remove(&key).unwrap_or_default();
            let shown: String = row(&key).chars().take(LONGEST_KEY).collect();
            let rule = match meant {
                Some(meant) => {
                    self.object.insert(meant.to_owned(), value);
                    format!("is not a key, use `{meant}`")
                }
                None => "is not a key".to_owned(),
            };
            self.errors.push(ListError::for_key(&shown, rule));
        }
    }

    fn take(&self, key: &'static str) -> Option<&Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    /// Keeps a mistake, to be reported with the others.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn record_error<T>(&mut self, read: Result<T, ListError>) -> Result<T, ListError> {
        if let Err(error) = &read {
            self.errors.push(error.clone());
        }
        read
    }

    /// Whether the object has the key. `null` counts as left out: functions of strict mode require
    /// every key (`design/agents.md`).
    pub fn has(&self, key: &str) -> bool {
        self.object.get(key).is_some_and(|value| !value.is_null())
    }

    /// A required text, which must not be empty.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn text(&mut self, key: &'static str) -> Result<String, ListError> {
        let read = self.optional_text(key)?;
        self.record_error(match read {
            Some(text) if !text.is_empty() => Ok(text),
            Some(_) => Err(ListError::for_key(key, "is empty")),
            None => Err(ListError::for_key(key, "is missing")),
        })
    }

    /// Returns a text; `None` if it is left out.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn optional_text(&mut self, key: &'static str) -> Result<Option<String>, ListError> {
        let read = match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) if text.contains('\0') => {
                Err(ListError::for_key(key, "contains the character U+0000"))
            }
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong_type(key, "a text", other)),
        };
        self.record_error(read)
    }

    /// Returns a boolean, which may be the text `true` or `false`; false if it is left out.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn switch(&mut self, key: &'static str) -> Result<bool, ListError> {
        let read = match self.take(key) {
            None => Ok(false),
            Some(Value::Bool(on)) => Ok(*on),
            Some(Value::String(text)) if text == "true" => Ok(true),
            Some(Value::String(text)) if text == "false" => Ok(false),
            Some(other) => Err(wrong_type(key, "`true` or `false`", other)),
        };
        self.record_error(read)
    }

    /// Returns a whole number, which must be there, also as a text.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn whole_number(&mut self, key: &'static str) -> Result<usize, ListError> {
        let number = self.take(key).and_then(|value| match value {
            Value::String(text) => text.parse().ok(),
            number => number.as_u64(),
        });
        let number = number.and_then(|number| usize::try_from(number).ok());
        self.record_error(
            number.ok_or_else(|| ListError::for_key(key, "must be a whole number of 0 or more")),
        )
    }

    /// `"10-12"`, or one line as `"10"` or `10`: numbers of lines from 1, the last included.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn line_range(
        &mut self,
        key: &'static str,
    ) -> Result<(NonZeroUsize, NonZeroUsize), ListError> {
        let text = match self.take(key) {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Array(ends)) => {
                let ends: Vec<String> = ends.iter().map(ToString::to_string).collect();
                let meant =
                    lines_of(&ends.join("-")).map(|(first, last)| format!("{first}-{last}"));
                let meant = meant.unwrap_or_else(|| "10-12".to_owned());
                let rule = format!("must be a text such as `{meant}`, not an array");
                return self.record_error(Err(ListError::for_key(key, rule)));
            }
            _ => self.text(key)?,
        };
        let rule = match lines_of(&text) {
            Some((first, last)) if first <= last => return Ok((first, last)),
            Some((first, last)) => format!("must begin with the smaller number: `{last}-{first}`"),
            None => "must be two line numbers from 1, such as `10-12`, or one".to_owned(),
        };
        self.record_error(Err(ListError::for_key(key, rule)))
    }

    /// Returns one of a few words.
    ///
    /// # Errors
    ///
    /// A [`ListError`] that says what the value must be.
    pub fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, ListError> {
        let Some(given) = self.optional_text(key)? else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == given);
        self.record_error(found.map(|(_, meant)| Some(*meant)).ok_or_else(|| {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            ListError::for_key(key, format!("must be one of {}", words.join(", ")))
        }))
    }
}

/// Returns the numbers of `10-12` or `10`.
fn lines_of(text: &str) -> Option<(NonZeroUsize, NonZeroUsize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        text.parse::<NonZeroUsize>().ok().filter(|_| is_plain)
    };
    Some((number(first)?, number(last)?))
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
    ListError::for_key(key, format!("must be {expected}, not {got}"))
}

//! The arguments of a call.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use obsidian_note::VaultPath;
use serde_json::Value;

/// The arguments of a call, typed once by the caller. Keys are in byte order. A flag is either present or absent, never
/// `false`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Args {
    /// The values of parameters, by key.
    pub values: BTreeMap<String, Arg>,
    /// Flags that are set.
    pub flags: BTreeSet<String>,
}

/// The value of a parameter. `Debug` prints lengths instead of text, which may be note text (`threats.toml` F12).
#[derive(Clone, PartialEq, Eq)]
pub enum Arg {
    /// A file or folder inside the vault.
    Path(VaultPath),
    /// A line of a note, counted from 1.
    Line {
        /// The note.
        path: VaultPath,
        /// The number of the line.
        line: u32,
    },
    /// A text, possibly with line breaks.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// The items of a JSON array.
    List(Vec<Value>),
}

impl fmt::Debug for Arg {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(formatter, "Path({path})"),
            Self::Line { path, line } => write!(formatter, "Line({path}:{line})"),
            Self::Text(text) => write!(formatter, "Text({} bytes)", text.len()),
            Self::Integer(number) => write!(formatter, "Integer({number})"),
            Self::List(items) => write!(formatter, "List({} items)", items.len()),
        }
    }
}

impl Arg {
    /// Returns the value as the app's command line expects it after `key=`. The vault's root folder is `/`; a list is
    /// JSON.
    pub fn to_text(&self) -> String {
        match self {
            Self::Path(path) => path.to_string(),
            Self::Line { path, line } => format!("{path}:{line}"),
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::List(items) => Value::from(items.as_slice()).to_string(),
        }
    }
}

impl From<&VaultPath> for Arg {
    fn from(path: &VaultPath) -> Self {
        Self::Path(path.clone())
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<usize> for Arg {
    fn from(number: usize) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl Args {
    /// Returns the arguments with this value of a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Arg>) -> Self {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the arguments with this flag set.
    #[must_use]
    pub fn with_flag(mut self, name: &str) -> Self {
        self.flags.insert(name.to_owned());
        self
    }

    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.flags.contains(name)
    }

    /// Whether a parameter is given and not empty.
    pub fn has(&self, name: &str) -> bool {
        self.values
            .get(name)
            .is_some_and(|value| !matches!(value, Arg::Text(text) if text.is_empty()))
    }

    /// Returns a text, which may be empty, or the text of a path.
    pub fn param(&self, name: &str) -> Option<&str> {
        match self.values.get(name)? {
            Arg::Text(text) => Some(text),
            Arg::Path(path) => Some(path.as_written()),
            Arg::Line { .. } | Arg::Integer(_) | Arg::List(_) => None,
        }
    }

    /// Returns a text that is not empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.param(name).filter(|text| !text.is_empty())
    }

    /// Returns a path.
    pub fn path(&self, name: &str) -> Option<&VaultPath> {
        match self.values.get(name)? {
            Arg::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Returns a line of a note.
    pub fn line(&self, name: &str) -> Option<(&VaultPath, u32)> {
        match self.values.get(name)? {
            Arg::Line { path, line } => Some((path, *line)),
            _ => None,
        }
    }

    /// Returns a whole number, if it is in the range of the type.
    pub fn number<T: TryFrom<i64>>(&self, name: &str) -> Option<T> {
        match self.values.get(name)? {
            Arg::Integer(number) => T::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns the items of a list.
    pub fn list(&self, name: &str) -> Option<&[Value]> {
        match self.values.get(name)? {
            Arg::List(items) => Some(items),
            _ => None,
        }
    }
}

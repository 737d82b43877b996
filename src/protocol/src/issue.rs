//! Warnings, violations and advice: findings besides success or failure.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::message::{self, Message};

/// A warning, violation or piece of advice.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// The stable name.
    pub code: &'static str,
    /// A message for people.
    #[serde(serialize_with = "message::as_text")]
    #[schemars(with = "String")]
    pub message: Message,
    /// The note concerned, as a path relative to the vault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// 1-based line number in that note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Details for programs.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

impl Issue {
    /// Creates an issue that concerns no particular note.
    pub fn new(code: &'static str, message: impl Into<Message>) -> Self {
        Self {
            code,
            message: message.into(),
            path: None,
            line: None,
            details: Map::new(),
        }
    }

    /// Adds a detail, which replaces one with the same key. A null adds nothing.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if !value.is_null() {
            self.details.insert(key.to_owned(), value);
        }
        self
    }

    /// Returns the severity of an audit finding.
    pub fn severity(&self) -> Option<&str> {
        self.details.get("severity")?.as_str()
    }

    /// Sets the note concerned.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

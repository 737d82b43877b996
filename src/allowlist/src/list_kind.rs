//! Parameters that are lists.
//!
//! A request sends an array; on the command line the same array is written as JSON text. The engine reads the items,
//! and its rules are checked at admission already, so that a mistake is reported with its place and before anything
//! is opened.

use serde_json::{Value, json};
use vault_engine::{Instruction, ListError, NoteRequest, VaultPath};

use super::admit::shown;
use protocol::words;

/// Maximum number of paths in one call.
const MAX_PATHS: usize = 500;
/// Maximum number of steps of one call.
const MAX_CHANGES: usize = 50;
/// Maximum number of names in one call.
const MAX_NAMES: usize = 20;

words! {
    /// The kind of a list's items.
    pub enum ListKind {
        /// Edits of one note (`design/tasks.md`).
        Edits = "edits",
        /// Exact paths of notes.
        Paths = "paths",
        /// Notes and parts of notes to read (`design/tasks.md`).
        Notes = "notes",
        /// Names of properties. A text is such a list too, with commas.
        Names = "names",
        /// Calls that are made as one (`design/writes.md`).
        Changes = "changes",
    }
}

impl ListKind {
    /// Returns a list of this kind, for a message.
    pub(super) const fn example(self) -> &'static str {
        match self {
            Self::Edits => Instruction::LIST_EXAMPLE,
            Self::Paths => r#"["Home.md","Log/Day.md"]"#,
            Self::Notes => r#"["Home.md",{"path":"Log.md","heading":"Today"}]"#,
            Self::Names => r#"["status","due"]"#,
            Self::Changes => r#"[{"command":"move","params":{"path":"a.md","to":"Archive/a.md"}}]"#,
        }
    }

    /// Returns a list of the paths in a text without brackets.
    pub(super) fn meant(self, text: &str) -> Option<String> {
        const MOST: usize = 400;
        let is_plain = text.len() <= MOST && !text.trim_start().starts_with(['[', '{', '"']);
        if !matches!(self, Self::Notes | Self::Paths) || !is_plain {
            return None;
        }
        let paths = text.split([',', '\n']).map(str::trim);
        let paths: Vec<&str> = paths.filter(|path| !path.is_empty()).collect();
        let is_list = !paths.is_empty() && paths.iter().all(|path| VaultPath::file(path).is_ok());
        is_list.then(|| json!(paths).to_string())
    }

    /// Parses the items strictly and drops the result, so that a faulty list is refused early.
    ///
    /// # Errors
    ///
    /// The first mistake, with the number of its item.
    pub fn check(self, items: &[Value]) -> Result<(), ListError> {
        match self {
            Self::Edits => Instruction::parse_list(items).map(|_| ()),
            Self::Paths => check_paths(items),
            Self::Notes => NoteRequest::parse_list(items).map(|_| ()),
            Self::Names => check_names(items),
            Self::Changes => check_changes(items),
        }
    }

    /// Parses the items of a list that is written as a text: JSON, or names with commas. `None` if it is not a list.
    pub(super) fn parse(self, text: &str) -> Option<Vec<Value>> {
        if self == Self::Names && !text.trim_start().starts_with('[') {
            let names = text.split(',').map(str::trim);
            return Some(names.map(Value::from).collect());
        }
        serde_json::from_str(text).ok()
    }

    /// Returns the JSON Schema of such a list.
    pub fn schema(self) -> Value {
        match self {
            Self::Edits => Instruction::list_schema(),
            Self::Paths | Self::Names => json!({ "type": "array", "items": { "type": "string" } }),
            Self::Notes => NoteRequest::list_schema(),
            Self::Changes => json!({
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "command": { "type": "string" },
                        "params": { "type": "object" },
                        "ifHash": { "type": "string" },
                    },
                    "required": ["command"],
                    "additionalProperties": false,
                },
            }),
        }
    }

    /// The paths in such a list that must all be open, or the call is refused. A note to read that is
    /// closed is left to the engine, which does not find it and reads the others; the steps of a change are
    /// checked as calls of their own.
    pub fn paths(self, items: &[Value]) -> Vec<VaultPath> {
        match self {
            Self::Edits | Self::Notes | Self::Names | Self::Changes => Vec::new(),
            Self::Paths => {
                let texts = items.iter().filter_map(Value::as_str);
                let paths = texts.filter_map(|text| VaultPath::file(text).ok());
                paths.collect()
            }
        }
    }
}

/// Checks the number of items.
fn check_count(items: &[Value], most: usize, what: &str) -> Result<(), ListError> {
    if (1..=most).contains(&items.len()) {
        return Ok(());
    }
    Err(ListError::whole(format!("needs 1 to {most} {what}")))
}

fn check_names(items: &[Value]) -> Result<(), ListError> {
    check_count(items, MAX_NAMES, "names")?;
    let is_name = |item: &Value| item.as_str().is_some_and(|name| !name.is_empty());
    match items.iter().position(|item| !is_name(item)) {
        Some(index) => Err(ListError::whole("a name is a text that is not empty").in_item(index)),
        None => Ok(()),
    }
}

fn check_changes(items: &[Value]) -> Result<(), ListError> {
    check_count(items, MAX_CHANGES, "changes")?;
    let faults = items.iter().enumerate().filter_map(|(index, item)| {
        let fault = fault_of_change(item)?;
        Some(format!("[{index}] {fault}"))
    });
    let faults: Vec<String> = faults.collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(ListError::whole(format!(
        "{}. A change has the form `{CHANGE}`",
        faults.join("; ")
    )))
}

/// The form of a change, for a message.
const CHANGE: &str = r#"{"command":"append","params":{"path":"…","content":"…"}}"#;

/// Describes the mistakes in the form of a change.
fn fault_of_change(item: &Value) -> Option<String> {
    let Some(fields) = item.as_object() else {
        return Some("is not an object".to_owned());
    };
    let mut faults = Vec::new();
    if !fields.get("command").is_some_and(Value::is_string) {
        faults.push("has no `command`".to_owned());
    }
    if fields
        .get("params")
        .is_some_and(|params| !params.is_object())
    {
        faults.push("has `params` that is not an object".to_owned());
    }
    let unknown = fields
        .keys()
        .filter(|key| !matches!(key.as_str(), "command" | "params" | "ifHash"));
    let unknown: Vec<String> = unknown.map(|key| format!("`{}`", shown(key))).collect();
    if !unknown.is_empty() {
        faults.push(format!("has {} outside of `params`", unknown.join(", ")));
    }
    (!faults.is_empty()).then(|| faults.join(" and "))
}

fn check_paths(items: &[Value]) -> Result<(), ListError> {
    check_count(items, MAX_PATHS, "paths")?;
    for (index, item) in items.iter().enumerate() {
        let Some(text) = item.as_str() else {
            return Err(ListError::whole("a path is a text").in_item(index));
        };
        VaultPath::file(text).map_err(|reason| ListError {
            path: Some(reason),
            ..ListError::whole(reason.to_string()).in_item(index)
        })?;
    }
    Ok(())
}

//! Values before they are checked.

use std::fmt;

use serde_json::Number;

/// A value as the caller sent it, not yet checked against a parameter.
///
/// `Debug` prints lengths instead of text, which may be note text (`faults.md` F12).
#[derive(Clone, PartialEq)]
pub enum RawValue {
    /// A JSON string, or the text after `=`.
    Text(String),
    /// A JSON number.
    Number(Number),
    /// A JSON boolean, or a bare flag.
    Bool(bool),
    /// A JSON null.
    Null,
    /// A JSON array; no parameter takes one.
    List,
    /// A JSON object; no parameter takes one.
    Object,
}

impl RawValue {
    /// Its type in words for a message, such as `a text`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::Null => "null; leave it out instead",
            Self::List => "an array",
            Self::Object => "an object",
        }
    }
}

impl fmt::Debug for RawValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(formatter, "Text({} bytes)", text.len()),
            Self::Number(_) => formatter.write_str("Number"),
            Self::Bool(on) => write!(formatter, "Bool({on})"),
            Self::Null => formatter.write_str("Null"),
            Self::List => formatter.write_str("List"),
            Self::Object => formatter.write_str("Object"),
        }
    }
}

impl From<serde_json::Value> for RawValue {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::String(text) => Self::Text(text),
            serde_json::Value::Number(number) => Self::Number(number),
            serde_json::Value::Bool(on) => Self::Bool(on),
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Array(_) => Self::List,
            serde_json::Value::Object(_) => Self::Object,
        }
    }
}

//! Values before they are checked.

use std::fmt;

use serde_json::{Map, Number, Value};

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
    /// A JSON array.
    List(Vec<Value>),
    /// A JSON object.
    Object(Map<String, Value>),
}

impl RawValue {
    /// Its type in words for a message, such as `a text`.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Bool(_) => "a boolean",
            Self::Null => "null; leave it out instead",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
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
            Self::List(items) => write!(formatter, "List({} items)", items.len()),
            Self::Object(keys) => write!(formatter, "Object({} keys)", keys.len()),
        }
    }
}

impl From<Value> for RawValue {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Number(number) => Self::Number(number),
            Value::Bool(on) => Self::Bool(on),
            Value::Null => Self::Null,
            Value::Array(items) => Self::List(items),
            Value::Object(keys) => Self::Object(keys),
        }
    }
}

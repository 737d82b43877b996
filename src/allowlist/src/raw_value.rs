//! Values as the caller sent them, before any check.

use std::fmt;

use serde_json::{Map, Number, Value};

/// A value as the caller sent it, not yet checked against a parameter.
///
/// `Debug` prints lengths instead of text, which may be note text (`threats.toml` F12).
#[derive(Clone, PartialEq)]
pub enum RawValue {
    /// A JSON string, or the text after `=`.
    Text(String),
    /// A JSON number, whole or not.
    Number(Number),
    /// A JSON boolean, or a bare flag.
    Bool(bool),
    /// A JSON `null`: counts as not given, except for a parameter that accepts it as an empty value.
    Null,
    /// A JSON array with any items.
    List(Vec<Value>),
    /// A JSON object with any keys.
    Object(Map<String, Value>),
}

impl RawValue {
    /// Returns the value of a switch; `None` if this is not one. Models send `"true"` for `true`, as they send `"5"`
    /// for 5.
    pub fn as_switch(&self) -> Option<bool> {
        match self {
            Self::Bool(on) => Some(*on),
            Self::Text(text) => text.parse().ok(),
            Self::Number(_) | Self::Null | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// Returns the type of the value in words for a message, such as `a text`.
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
    /// Converts `3.0` to 3, like other programs that read JSON.
    fn from(value: Value) -> Self {
        match with_whole_numbers(value) {
            Value::String(text) => Self::Text(text),
            Value::Number(number) => Self::Number(number),
            Value::Bool(on) => Self::Bool(on),
            Value::Null => Self::Null,
            Value::Array(items) => Self::List(items),
            Value::Object(keys) => Self::Object(keys),
        }
    }
}

/// The largest number up to which floating point represents every whole number exactly.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

/// Returns the same value, with each number that has a fraction of zero as a whole number: JSON does not distinguish
/// `3.0` from `3`, and some clients send all numbers like that.
pub fn with_whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => whole(&number).map_or(Value::Number(number), Value::from),
        Value::Array(items) => items.into_iter().map(with_whole_numbers).collect(),
        Value::Object(keys) => {
            let keys = keys.into_iter();
            Value::Object(
                keys.map(|(key, value)| (key, with_whole_numbers(value)))
                    .collect(),
            )
        }
        other => other,
    }
}

fn whole(number: &Number) -> Option<i64> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = float.fract() == 0.0 && float.abs() <= MOST_EXACT;
    // Negative zero is not a whole number.
    if !is_whole || (float == 0.0 && float.is_sign_negative()) {
        return None;
    }
    format!("{float:.0}").parse().ok()
}

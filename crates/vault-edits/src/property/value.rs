//! Converts the text of `value=` to a value of the requested type (`vault-semantics.md` §3.3).

use obsidian_note::frontmatter::{is_space, javascript_number};
use serde_json::Value;
use vault_files::{EngineError, PropertyType, Refusal};
use yaml_events::scalar::number_in_base;

/// A value, and the type that the command also assigns to its property.
#[derive(Debug, PartialEq)]
pub(super) struct Typed {
    pub(super) value: Value,
    /// `None` if the property keeps its type.
    pub(super) kind: Option<PropertyType>,
}

/// Returns the type that `type=` names; `None` for an unknown word.
pub(super) fn parse_type(word: &str) -> Option<PropertyType> {
    Some(match word {
        "text" => PropertyType::Text,
        "list" => PropertyType::Multitext,
        "number" => PropertyType::Number,
        "checkbox" => PropertyType::Checkbox,
        "date" => PropertyType::Date,
        "datetime" => PropertyType::Datetime,
        _ => return None,
    })
}

/// Returns the value for `text`.
///
/// A JSON array becomes a list, regardless of the type. With a requested type, the app's own conversion and errors
/// apply. Otherwise the value is the text as typed, even if the property has another type in the vault; so does the app
/// (`vault-semantics.md` §3.3).
pub(super) fn typed(text: &str, wanted: Option<PropertyType>) -> Result<Typed, EngineError> {
    if let Some(items) = json_array(text) {
        return Ok(Typed {
            value: items,
            kind: wanted.or(Some(PropertyType::Multitext)),
        });
    }
    let value = match wanted {
        Some(kind) => convert_to_type(text, kind)?,
        None => Value::from(text),
    };
    Ok(Typed {
        value,
        kind: wanted,
    })
}

/// Returns the null value, which a cleared field has in the app. The app's command line cannot write it.
pub(super) fn empty(text: &str, wanted: Option<PropertyType>) -> Result<Typed, EngineError> {
    if !text.is_empty() {
        return Err(EngineError::argument("value", "empty with `empty`"));
    }
    Ok(Typed {
        value: Value::Null,
        kind: wanted,
    })
}

fn json_array(text: &str) -> Option<Value> {
    if !(text.starts_with('[') && text.ends_with(']')) {
        return None;
    }
    serde_json::from_str::<Vec<Value>>(text)
        .ok()
        .map(|items| in_javascript(Value::Array(items)))
}

/// Returns the value with its numbers as JavaScript represents them, as parsed properties have
/// them.
pub(super) fn in_javascript(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().map_or(Value::Null, javascript_number),
        Value::Array(items) => items.into_iter().map(in_javascript).collect(),
        Value::Object(entries) => entries
            .into_iter()
            .map(|(key, value)| (key, in_javascript(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

/// Returns the app's lenient conversion: empty text is the number 0, and everything but `true` and `1` is false.
pub(super) fn convert_to_type(text: &str, kind: PropertyType) -> Result<Value, Refusal> {
    match kind {
        PropertyType::Number if is_blank(text) => Ok(Value::from(0)),
        PropertyType::Number => number(text).ok_or_else(|| Refusal::InvalidNumber {
            value: text.to_owned(),
        }),
        PropertyType::Checkbox => Ok(Value::from(matches!(text, "true" | "1"))),
        PropertyType::Multitext => Ok(words(text)),
        PropertyType::Date => shaped(text, kind).ok_or(Refusal::InvalidDate),
        PropertyType::Datetime => shaped(text, kind).ok_or(Refusal::InvalidDateTime),
        PropertyType::Text | PropertyType::Tags | PropertyType::Aliases | PropertyType::Unknown => {
            Ok(Value::from(text))
        }
    }
}

/// Returns the texts between commas; one empty text for an empty value, as in the app.
fn words(text: &str) -> Value {
    text.split(',').map(str::trim).collect()
}

fn shaped(text: &str, kind: PropertyType) -> Option<Value> {
    let value = Value::from(text);
    (PropertyType::from_value(&value) == Some(kind)).then_some(value)
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// JavaScript's `Number(text)`, if that is a finite number.
fn number(text: &str) -> Option<Value> {
    let text = text.trim_matches(is_space);
    let prefix = text.get(..2).unwrap_or_default().to_ascii_lowercase();
    let rest = text.get(2..).unwrap_or_default();
    let number = match prefix.as_str() {
        "0x" => number_in_base(rest, 16)?,
        "0o" => number_in_base(rest, 8)?,
        "0b" => number_in_base(rest, 2)?,
        // Rust also parses `inf` and `nan`, which are not numbers in JavaScript.
        _ if text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte)) => text.parse().ok()?,
        _ => return None,
    };
    let is_finite = f64::is_finite(number);
    is_finite.then(|| javascript_number(number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CASES: &str = include_str!("value_cases.txt");

    fn convert(text: &str, word: &str) -> Result<Value, String> {
        typed(text, parse_type(word))
            .map(|typed| typed.value)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_requested_type_converts_as_the_app_does() {
        for (text, word, expected) in [
            ("42", "text", json!("42")),
            ("42", "number", json!(42)),
            (" 4.50 ", "number", json!(4.5)),
            ("", "number", json!(0)),
            ("0x1F", "number", json!(31)),
            ("1e3", "number", json!(1000)),
            (".5", "number", json!(0.5)),
            ("true", "checkbox", json!(true)),
            ("1", "checkbox", json!(true)),
            ("yes", "checkbox", json!(false)),
            ("a, b,c", "list", json!(["a", "b", "c"])),
            ("", "list", json!([""])),
            ("2026-01-31", "date", json!("2026-01-31")),
            ("2026-01-31T09:30", "datetime", json!("2026-01-31T09:30")),
            (
                "2026-01-31T09:30:01",
                "datetime",
                json!("2026-01-31T09:30:01"),
            ),
        ] {
            assert_eq!(convert(text, word), Ok(expected), "{text} {word}");
        }
        for [text, word, expected] in tables::section(CASES, "a requested type converts as the app")
        {
            assert_eq!(
                convert(text, word),
                Err(expected.to_owned()),
                "{text} {word}"
            );
        }
    }

    #[test]
    fn a_json_array_is_a_list_and_other_brackets_are_text() {
        let list = |text: &str, word: &str| typed(text, parse_type(word)).unwrap();
        assert_eq!(
            list(r#"["a", 1.0, null, {"k": 2.5}]"#, ""),
            Typed {
                value: json!(["a", 1, null, {"k": 2.5}]),
                kind: Some(PropertyType::Multitext)
            }
        );
        assert_eq!(list("[]", "").value, json!([]));
        assert_eq!(list("[1]", "text").kind, Some(PropertyType::Text));
        for text in ["[a, b]", "[[Note]]", "[1] ", "[1"] {
            assert_eq!(
                list(text, ""),
                Typed {
                    value: json!(text),
                    kind: None
                }
            );
        }
    }

    #[test]
    fn without_a_type_the_value_is_the_text() {
        for text in ["42", "true", "", "2026-01-31", "a, b"] {
            let expected = Typed {
                value: json!(text),
                kind: None,
            };
            assert_eq!(typed(text, None).unwrap(), expected);
        }
    }
}

//! JSON that is safe to show: characters that `serde_json` leaves unchanged and that control a
//! terminal are written as `\\uNNNN` (`threats.toml` F05). A parser reads the same text from both
//! forms.

use serde::Serialize;
use serde_json::{Map, Value};

/// Returns the value as compact JSON on one line.
///
/// # Errors
///
/// If the value cannot be written as JSON, such as a map with keys that are no texts.
pub fn to_line(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(visible(serde_json::to_string(value)?))
}

/// Returns the value as JSON over several lines, indented by two spaces.
///
/// # Errors
///
/// If the value cannot be written as JSON, such as a map with keys that are no texts.
pub fn to_lines(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(visible(serde_json::to_string_pretty(value)?))
}

/// Returns the fields of a JSON object; empty for any other value.
pub fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Returns the JSON without invisible controls. C0 controls are escaped by the serialiser itself. Outside of strings JSON
/// is plain ASCII, so every replaced character is inside of one; all of them are below U+10000.
fn visible(json: String) -> String {
    if !json.contains(is_invisible_control) {
        return json;
    }
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if is_invisible_control(character) {
            shown += &format!("\\u{:04x}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// DEL, the C1 controls, the line and paragraph separators, and characters that change the
/// direction of reading.
fn is_invisible_control(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f05_controls_are_written_as_escapes_and_read_back_the_same() {
        let text = "a\u{9b}2J\u{7f}\u{1b}[31m\u{202e}é😀\u{2066}\u{61c}\u{2028}\r\n\0\u{85}z";
        let line = to_line(&text).unwrap();
        assert_eq!(
            line,
            "\"a\\u009b2J\\u007f\\u001b[31m\\u202eé😀\\u2066\\u061c\\u2028\\r\\n\\u0000\\u0085z\""
        );
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }

    #[test]
    fn f05_indented_json_says_the_same() {
        let value = serde_json::json!({ "a\u{202e}": ["\\\u{9b}", "\u{7f}é😀\n"], "b": {} });
        let text = to_lines(&value).unwrap();
        assert!(
            text.chars()
                .all(|character| character == '\n' || !is_invisible_control(character))
        );
        assert!(text.starts_with("{\n  \"a\\u202e\": [\n"), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }

    proptest::proptest! {
        #[test]
        fn f05_any_text_survives_and_holds_no_control(text in proptest::prelude::any::<String>()) {
            let line = to_line(&text).unwrap();
            proptest::prop_assert!(!line.chars().any(char::is_control));
            proptest::prop_assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }
    }
}

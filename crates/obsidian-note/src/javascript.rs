//! Values as JavaScript writes them, for the app is written in it.

use serde_json::{Map, Number, Value};
use yaml_events::scalar::{javascript_number, number_text};

/// A number as `String(number)` gives it.
pub fn number(number: &Number) -> String {
    number
        .as_f64()
        .map_or_else(|| number.to_string(), number_text)
}

/// The value with each number in the form that its text has when read back: whole numbers that are exact in JavaScript
/// as integers, all others as floats.
pub fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => number
            .as_f64()
            .map_or(Value::Number(number), javascript_number),
        Value::Array(items) => Value::Array(items.into_iter().map(normal).collect()),
        Value::Object(map) => Value::Object(normal_map(map)),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

/// [`normal`] for every value of a map.
pub fn normal_map(map: Map<String, Value>) -> Map<String, Value> {
    map.into_iter()
        .map(|(key, value)| (key, normal(value)))
        .collect()
}

/// A value as `String(value)` gives it, but that null is nothing (as it is in `join`).
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(value) => number(value),
        Value::String(text) => text.clone(),
        Value::Array(items) => join(items, ","),
        Value::Object(map) => variable(map).unwrap_or_else(|| "[object Object]".to_owned()),
    }
}

/// The variable of a template, such as `{{date}}`. To YAML it is a mapping whose only key is a mapping, and the app shows
/// `[object Object]`, which says nothing to a reader.
fn variable(map: &Map<String, Value>) -> Option<String> {
    let mut entries = map.iter();
    let (Some((key, Value::Null)), None) = (entries.next(), entries.next()) else {
        return None;
    };
    let name = key.strip_prefix('{')?.strip_suffix('}')?;
    Some(format!("{{{{{}}}}}", name.trim()))
}

/// Array elements as `join` gives them.
pub fn join(items: &[Value], separator: &str) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}

/// The text that `JSON.stringify(value, null, 2)` gives.
pub fn pretty_json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, Some(0), &mut out);
    out
}

/// The text that `JSON.stringify(value)` gives.
pub fn compact_json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, None, &mut out);
    out
}

fn write_json(value: &Value, depth: Option<usize>, out: &mut String) {
    match value {
        Value::Array(items) => {
            let writers = items.iter().map(|item| {
                move |out: &mut String| write_json(item, depth.map(|depth| depth + 1), out)
            });
            write_members(writers, ['[', ']'], depth, out);
        }
        Value::Object(map) => {
            let writers = map.iter().map(|(key, value)| {
                move |out: &mut String| {
                    out.push_str(&quoted(key));
                    out.push_str(if depth.is_some() { ": " } else { ":" });
                    write_json(value, depth.map(|depth| depth + 1), out);
                }
            });
            write_members(writers, ['{', '}'], depth, out);
        }
        Value::Number(value) => out.push_str(&number(value)),
        Value::String(text) => out.push_str(&quoted(text)),
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

fn write_members<W: FnOnce(&mut String)>(
    members: impl ExactSizeIterator<Item = W>,
    [open, close]: [char; 2],
    depth: Option<usize>,
    out: &mut String,
) {
    let new_line = |out: &mut String, extra: usize| {
        if let Some(depth) = depth {
            out.push('\n');
            out.push_str(&"  ".repeat(depth + extra));
        }
    };
    let is_empty = members.len() == 0;
    out.push(open);
    for (index, write) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(out, 1);
        write(out);
    }
    if !is_empty {
        new_line(out, 0);
    }
    out.push(close);
}

/// The text as a quoted JSON string.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_look_as_in_javascript() {
        for (value, expected) in [
            (json!(0), "0"),
            (json!(-0.0), "0"),
            (json!(1.0), "1"),
            (json!(-1.5), "-1.5"),
            (json!(1e21), "1e+21"),
            (json!(1.25e22), "1.25e+22"),
            (json!(1e20), "100000000000000000000"),
            (json!(123_456.789), "123456.789"),
            (json!(0.000_001), "0.000001"),
            (json!(1e-7), "1e-7"),
            (json!(-1.5e-9), "-1.5e-9"),
            (json!(u64::MAX), "18446744073709552000"),
            (json!(9_007_199_254_740_993_i64), "9007199254740992"),
        ] {
            assert_eq!(text(&value), expected, "{value}");
        }
    }

    #[test]
    fn normal_numbers_survive_their_own_text() {
        for value in [
            json!(1.0),
            json!(u64::MAX),
            json!(1e300),
            json!(0.1),
            json!(i64::MIN),
        ] {
            let normal_value = normal(value);
            let again: Value = serde_json::from_str(&compact_json(&normal_value)).unwrap();
            assert_eq!(normal(again), normal_value);
        }
        assert_eq!(normal(json!({"a": [2.0, null]})), json!({"a": [2, null]}));
    }

    #[test]
    fn json_is_laid_out_as_stringify_does() {
        let value = json!({"a": [], "b": {}, "c": [1, {"d": "x\n\u{1}"}], "e": 1e21});
        insta::assert_snapshot!(pretty_json(&value), @r#"
        {
          "a": [],
          "b": {},
          "c": [
            1,
            {
              "d": "x\n\u0001"
            }
          ],
          "e": 1e+21
        }
        "#);
        insta::assert_snapshot!(
            compact_json(&value),
            @r#"{"a":[],"b":{},"c":[1,{"d":"x\n\u0001"}],"e":1e+21}"#
        );
    }

    #[test]
    fn texts_of_values_follow_string_and_join() {
        assert_eq!(
            text(&json!([1, [2, null], {"a": 1}])),
            "1,2,,[object Object]"
        );
        assert_eq!(text(&Value::Null), "");
        // `{{date}}` and `{{date:YYYY}}` as YAML reads them, then mappings that are not a variable.
        assert_eq!(text(&json!({"{date}": null})), "{{date}}");
        assert_eq!(text(&json!([{"{date:YYYY}": null}])), "{{date:YYYY}}");
        for other in [
            json!({"{date}": 1}),
            json!({"date": null}),
            json!({}),
            json!({"{a}": null, "b": 1}),
        ] {
            assert_eq!(text(&other), "[object Object]", "{other}");
        }
    }
}

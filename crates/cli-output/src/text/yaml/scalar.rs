//! Scalars by the YAML 1.2 core schema.

use std::fmt::Write as _;

use serde_json::{Number, Value};

use crate::text::javascript;

/// Returns the value of a plain scalar.
pub(super) fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::from(text), Value::Number),
    }
}

/// A number of the core schema. Infinity and not-a-number are excluded: JSON cannot represent them.
fn number(text: &str) -> Option<Number> {
    let radix = |digits: &str, radix| {
        let is_digits = digits.chars().all(|digit| digit.is_digit(radix));
        if is_digits { u64::from_str_radix(digits, radix).ok().map(Number::from) } else { None }
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if !is_decimal(text) {
        return None;
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    let parsed = text
        .parse()
        .map(|whole: i64| Number::from(whole))
        .ok()
        .or_else(|| text.parse().ok().and_then(Number::from_f64))?;
    match javascript::normal(Value::Number(parsed)) {
        Value::Number(number) => Some(number),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// Whether a text matches `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_decimal(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    exponent_fits
        && is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
}

/// A text on one line: plain if it then means the same text, else in quotes. They are double, but single around a text
/// that contains only double ones.
pub(super) fn inline(text: &str) -> String {
    if !needs_quotes(text) {
        text.to_owned()
    } else if text.contains('"') && !text.contains('\'') && !text.contains(is_unprintable) {
        format!("'{text}'")
    } else {
        double_quoted(text)
    }
}

fn needs_quotes(text: &str) -> bool {
    let is_indicator = |first: char| ",[]{}#&*!|>'\"%@` \t".contains(first);
    let is_dash_alone = |text: &str| {
        let rest = text.strip_prefix(['-', '?', ':']);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    !matches!(plain_value(text), Value::String(_))
        || text == "---"
        || text.starts_with(is_indicator)
        || is_dash_alone(text)
        || text.ends_with([' ', '\t', ':'])
        || [": ", ":\t", " #", "\t#"].iter().any(|pair| text.contains(pair))
        || text.contains(is_unprintable)
        || is_not_finite(text)
        // A decimal beyond all floats: readers take `1E310` for infinity.
        || is_decimal(text)
}

fn is_not_finite(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    [".inf", ".nan"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Characters that only double quotes carry: controls but the tab, and odd line breaks.
pub(super) fn is_unprintable(character: char) -> bool {
    (character.is_control() && character != '\t')
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if is_unprintable(character) => {
                // Writing to a text cannot fail.
                let _written = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

//! Plain YAML scalars: the core schema of YAML 1.2 (`vault-semantics.md` §3.2), and texts of values.

use saphyr_parser::{ScalarStyle, Tag};
use serde_json::{Number, Value};

/// The type that a scalar is resolved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarType {
    /// Null, a truth value, a number, or else text.
    Any,
    /// Only null, as for the next three; a scalar that does not match stays text.
    Null,
    /// Only true or false.
    Truth,
    /// Only a whole number.
    Integer,
    /// Only a number with a fraction or an exponent, infinity or not-a-number.
    Float,
    /// Text, even if it looks like another type.
    Text,
}

impl ScalarType {
    /// Returns the type that style and tag require of a scalar. A tag of the core schema asks for that type; any other
    /// tag makes it text.
    pub fn required(style: ScalarStyle, tag: Option<&Tag>) -> Self {
        match tag {
            None if style == ScalarStyle::Plain => Self::Any,
            Some(tag) if tag.is_yaml_core_schema() => match tag.suffix.as_str() {
                "null" => Self::Null,
                "bool" => Self::Truth,
                "int" => Self::Integer,
                "float" => Self::Float,
                _ => Self::Text,
            },
            None | Some(_) => Self::Text,
        }
    }
}

/// Returns the value of a scalar that is written `text`.
pub fn value(text: &str, wanted: ScalarType) -> Value {
    typed(text, wanted).unwrap_or_else(|| Value::from(text))
}

/// As [`value`]; `None` for a text.
pub fn typed(text: &str, wanted: ScalarType) -> Option<Value> {
    match wanted {
        ScalarType::Any => null(text)
            .or_else(|| truth(text))
            .or_else(|| integer(text))
            .or_else(|| float(text)),
        ScalarType::Null => null(text),
        ScalarType::Truth => truth(text),
        ScalarType::Integer => integer(text),
        ScalarType::Float => float(text),
        ScalarType::Text => None,
    }
}

fn null(text: &str) -> Option<Value> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Value::Null)
}

fn truth(text: &str) -> Option<Value> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        _ => None,
    }
}

/// Parses a whole number without a sign, as JavaScript does: a large one loses its last digits.
pub fn number_in_base(digits: &str, base: u32) -> Option<f64> {
    let mut number = 0.0;
    for digit in digits.chars() {
        number = number * f64::from(base) + f64::from(digit.to_digit(base)?);
    }
    (!digits.is_empty()).then_some(number)
}

fn integer(text: &str) -> Option<Value> {
    if let Some(digits) = text.strip_prefix("0x") {
        return number_in_base(digits, 16).map(javascript_number);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return number_in_base(digits, 8).map(javascript_number);
    }
    let digits = unsigned(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.parse().ok().map(javascript_number))?
}

fn float(text: &str) -> Option<Value> {
    let digits = unsigned(text);
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(Value::Null);
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && all_digits(fraction),
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
        None => exponent.is_some() && !mantissa.is_empty() && all_digits(mantissa),
    };
    let has_exponent = exponent.is_none_or(|exponent| {
        let exponent = unsigned(exponent);
        !exponent.is_empty() && all_digits(exponent)
    });
    if has_mantissa && has_exponent {
        text.parse().ok().map(javascript_number)
    } else {
        None
    }
}

/// Returns the text without one leading sign.
fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

/// Returns a number as in JavaScript's JSON: an integer if it is whole and exact, null if JSON
/// cannot represent it.
pub fn javascript_number(number: f64) -> Value {
    /// 2^53, up to which every whole number is exact in JavaScript.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and at most 2^53")]
        let whole = number as i64;
        return Value::from(whole);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Returns a number as JavaScript writes it (ECMA-262, `Number::toString`).
pub fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}Infinity");
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let exponent: i32 = exponent.parse().unwrap_or_default();
    format!("{sign}{}", positional(&digits, exponent + 1))
}

/// `digits` with the decimal point after the first `point` of them.
fn positional(digits: &str, point: i32) -> String {
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    if (count..=21).contains(&point) {
        return format!("{digits}{}", zeros(point - count));
    }
    if (1..=21).contains(&point) {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or_default());
        return format!("{whole}.{fraction}");
    }
    if (-5..=0).contains(&point) {
        return format!("0.{}{digits}", zeros(-point));
    }
    let sign = if point > 0 { '+' } else { '-' };
    let exponent = (point - 1).abs();
    match digits.split_at(1) {
        (first, "") => format!("{first}e{sign}{exponent}"),
        (first, rest) => format!("{first}.{rest}e{sign}{exponent}"),
    }
}

/// Returns a text in double quotes.
pub fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_unprintable(character) => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character can only be written as an escape: a control, a line break, or a noncharacter.
pub fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (12.5, "12.5"),
            (-12.5, "-12.5"),
            (50_400_000.0, "50400000"),
            (1e21, "1e+21"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1.5e300, "1.5e+300"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (1.25e-7, "1.25e-7"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number_text(number), expected);
        }
    }

    #[test]
    fn words_mean_what_the_core_schema_says() {
        for (text, expected) in [
            ("", Value::Null),
            ("~", Value::Null),
            ("NULL", Value::Null),
            ("nULL", json!("nULL")),
            ("True", json!(true)),
            ("FALSE", json!(false)),
            ("tRue", json!("tRue")),
            ("yes", json!("yes")),
            ("No", json!("No")),
            ("on", json!("on")),
            ("OFF", json!("OFF")),
            ("42", json!(42)),
            ("-42", json!(-42)),
            ("+42", json!(42)),
            ("-0", json!(0)),
            ("007", json!(7)),
            ("1_000", json!("1_000")),
            ("1,000", json!("1,000")),
            ("0x1F", json!(31)),
            ("-0x1F", json!("-0x1F")),
            ("0X1F", json!("0X1F")),
            ("0x", json!("0x")),
            ("0o17", json!(15)),
            ("0o18", json!("0o18")),
            ("0b1", json!("0b1")),
            ("1.0", json!(1)),
            ("1.", json!(1)),
            (".5", json!(0.5)),
            ("-.5", json!(-0.5)),
            (".", json!(".")),
            ("1e3", json!(1000)),
            ("1.5E-3", json!(0.0015)),
            ("1e", json!("1e")),
            ("e3", json!("e3")),
            (".e3", json!(".e3")),
            ("1.2.3", json!("1.2.3")),
            ("12:30", json!("12:30")),
            ("9007199254740992", json!(9_007_199_254_740_992_i64)),
            (
                "123456789012345678901",
                json!(123_456_789_012_345_680_000.0),
            ),
            ("1e999", Value::Null),
            (".inf", Value::Null),
            ("-.Inf", Value::Null),
            (".nan", Value::Null),
            ("-.nan", json!("-.nan")),
            ("inf", json!("inf")),
            ("nan", json!("nan")),
            ("2024-01-02", json!("2024-01-02")),
            ("2024-01-02T03:04:05", json!("2024-01-02T03:04:05")),
        ] {
            assert_eq!(value(text, ScalarType::Any), expected, "{text:?}");
        }
    }

    #[test]
    fn a_type_that_does_not_fit_leaves_text() {
        assert_eq!(value("1", ScalarType::Text), json!("1"));
        assert_eq!(value("", ScalarType::Text), json!(""));
        assert_eq!(value("x", ScalarType::Integer), json!("x"));
        assert_eq!(value("1.5", ScalarType::Integer), json!("1.5"));
        assert_eq!(value("1.5", ScalarType::Float), json!(1.5));
        assert_eq!(value("true", ScalarType::Truth), json!(true));
        assert_eq!(value("true", ScalarType::Null), json!("true"));
    }
}

//! `[name:value]`: comparison with a property's value (`vault-semantics.md` §4.1).

use std::cmp::Ordering;

use obsidian_note::javascript;
use serde_json::Value;

use super::expression::{Bound, QueryExpression};

/// Returns the comparison that a word such as `<5` or `>2024-01-01` means; `None` for a plain word.
pub(super) fn comparison(word: &str) -> Option<QueryExpression> {
    let (greater, bound) = match word.strip_prefix('>') {
        Some(bound) => (true, bound),
        None => (false, word.strip_prefix('<')?),
    };
    let number = number(bound);
    let with = match (date(bound), number) {
        (Some(date), year) => Bound::Date { date, year },
        (None, Some(number)) => Bound::Number(number),
        (None, None) => return None,
    };
    Some(QueryExpression::Compare { greater, with })
}

/// Whether a value is less than the bound or, with `greater`, greater. A value that cannot be
/// compared with the bound is neither.
pub(super) fn compares(value: &Value, greater: bool, with: &Bound) -> bool {
    let (as_number, as_date) = match value {
        Value::Number(number) => (number.as_f64(), None),
        Value::String(text) => (number(text), date(text)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => (None, None),
    };
    let bound_number = match with {
        Bound::Number(number) => Some(*number),
        Bound::Date { year, .. } => *year,
    };
    // A year as the bound is both a number and a date: it is compared with values of either kind.
    let order = match (as_number, bound_number, as_date, with) {
        (Some(value), Some(bound), ..) => value.partial_cmp(&bound),
        (_, _, Some(value), Bound::Date { date, .. }) => Some(value.cmp(date)),
        _ => None,
    };
    order
        == Some(if greater {
            Ordering::Greater
        } else {
            Ordering::Less
        })
}

/// Returns the text of a value, in which words are searched. Null, lists and mappings have none.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(_) => Some(javascript::text(value)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number. It must begin with a digit or a point, because Rust also parses `inf` and `nan`.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let starts = text
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_ascii_digit() || c == '.');
    text.parse().ok().filter(|_| starts)
}

/// Returns a date in the form `2024-01-01T00:00:00`, which can be compared as text; missing parts at its end are filled
/// in. `None` if the text has another form.
fn date(text: &str) -> Option<String> {
    const FULL: &str = "0000-01-01T00:00:00";
    let text = text.trim();
    // A date may end after its year, month, day, minutes or seconds.
    let fits = matches!(text.len(), 4 | 7 | 10 | 16 | 19)
        && text.bytes().zip(FULL.bytes()).all(|(byte, wanted)| {
            if wanted.is_ascii_digit() {
                byte.is_ascii_digit()
            } else {
                byte == wanted
            }
        });
    fits.then(|| format!("{text}{}", FULL.get(text.len()..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_dates_are_compared() {
        for (word, value, expected) in [
            ("<5", json!(4), true),
            ("<5", json!(5), false),
            (">5", json!(5.5), true),
            (">-5", json!(-4), true),
            ("<5", json!("4"), true),
            ("<5", json!("four"), false),
            ("<5", json!(null), false),
            ("<5", json!(true), false),
            (">2024-01-01", json!("2024-01-02"), true),
            (">2024-01-01", json!("2024-01-01"), false),
            (">2024-01-01", json!("2024-01-01T00:00"), false),
            (">2024-01-01", json!("2024-01-01T10:00"), true),
            ("<2024", json!("2023-12-31"), true),
            ("<2024", json!(1999), true),
            ("<2024-05", json!("2024-04-30T23:59:59"), true),
            ("<2024-05", json!("2024"), true),
            ("<2024-05-01", json!("soon"), false),
        ] {
            let Some(QueryExpression::Compare { greater, with }) = comparison(word) else {
                panic!("{word}");
            };
            assert_eq!(compares(&value, greater, &with), expected, "{word} {value}");
        }
    }

    #[test]
    fn other_words_are_words() {
        for word in ["5", "<", "<b>", ">inf", "<nan", "=5", ">=5", "<é"] {
            assert!(comparison(word).is_none(), "{word}");
        }
    }

    #[test]
    fn values_as_text() {
        for (value, expected) in [
            (json!("a"), Some("a")),
            (json!(true), Some("true")),
            (json!(5), Some("5")),
            (json!(5.0), Some("5")),
            (json!(5.25), Some("5.25")),
            (json!(null), None),
            (json!({"a": 1}), None),
        ] {
            assert_eq!(text(&value).as_deref(), expected, "{value}");
        }
    }
}

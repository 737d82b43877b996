//! YAML dates as instants (`contracts.md` §3.2).

use jiff::civil::DateTime;
use jiff::{Span, ToSpan as _};
use serde_json::Value;

/// Returns the property `name` as an instant in UTC, `2025-03-01T00:00:00.000Z`, if its value is a
/// date without quotes. In quotes it is a text.
pub(super) fn written_as_instant(yaml: &str, name: &str, value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let instant = instant(text)?;
    (!is_quoted(yaml, name)).then_some(instant)
}

/// Whether the value of a property is certainly written in quotes.
fn is_quoted(yaml: &str, name: &str) -> bool {
    let value = yaml.lines().find_map(|line| {
        let quoted = [format!("\"{name}\""), format!("'{name}'"), name.to_owned()];
        let rest = quoted
            .iter()
            .find_map(|key| line.strip_prefix(key.as_str()))?;
        rest.trim_start().strip_prefix(':')
    });
    value.is_some_and(|value| value.trim_start().starts_with(['"', '\'', '!', '|', '>']))
}

/// Returns the instant of a YAML `timestamp`. Days and months beyond their end run over into the
/// next.
fn instant(text: &str) -> Option<String> {
    let mut rest = text;
    let year = digits(&mut rest, 4, 4)?;
    rest = rest.strip_prefix('-')?;
    let (month, month_digits) = counted(&mut rest, 1, 2)?;
    rest = rest.strip_prefix('-')?;
    let (day, day_digits) = counted(&mut rest, 1, 2)?;
    let mut after = Span::new();
    let mut milliseconds = 0;
    if rest.is_empty() {
        if (month_digits, day_digits) != (2, 2) {
            return None;
        }
    } else {
        let time = rest.strip_prefix(['T', 't']).or_else(|| {
            let time = rest.trim_start_matches([' ', '\t']);
            (time.len() < rest.len()).then_some(time)
        });
        rest = time?;
        let hour = digits(&mut rest, 1, 2)?;
        rest = rest.strip_prefix(':')?;
        let minute = digits(&mut rest, 2, 2)?;
        rest = rest.strip_prefix(':')?;
        let second = digits(&mut rest, 2, 2)?;
        after = after.hours(hour).minutes(minute).seconds(second);
        if let Some(fraction) = rest.strip_prefix('.') {
            let written: String = fraction.chars().take_while(char::is_ascii_digit).collect();
            rest = fraction.get(written.len()..)?;
            let thousandths: String = written.chars().chain("000".chars()).take(3).collect();
            milliseconds = thousandths.parse().ok()?;
        }
        after = after.checked_sub(zone(rest)?).ok()?;
    }
    let begin = DateTime::new(i16::try_from(year).ok()?, 1, 1, 0, 0, 0, 0).ok()?;
    let moment = begin
        .checked_add((month - 1).months())
        .and_then(|month| month.checked_add((day - 1).days()))
        .and_then(|day| day.checked_add(after))
        .ok()?;
    let shown = moment.strftime("%Y-%m-%dT%H:%M:%S");
    Some(format!("{shown}.{milliseconds:03}Z"))
}

/// Returns the offset of the time zone, to subtract for UTC.
fn zone(text: &str) -> Option<Span> {
    let text = text.trim_start_matches([' ', '\t']);
    if text.is_empty() || text == "Z" {
        return Some(Span::new());
    }
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let hours = digits(&mut rest, 1, 2)?;
    let minutes = match rest.strip_prefix(':') {
        Some(after) => {
            rest = after;
            digits(&mut rest, 2, 2)?
        }
        None => 0,
    };
    rest.is_empty()
        .then(|| Span::new().hours(sign * hours).minutes(sign * minutes))
}

/// Takes a number of `least` to `most` digits off the text.
fn digits(rest: &mut &str, least: usize, most: usize) -> Option<i64> {
    counted(rest, least, most).map(|(number, _)| number)
}

fn counted(rest: &mut &str, least: usize, most: usize) -> Option<(i64, usize)> {
    let count = rest
        .bytes()
        .take(most)
        .take_while(u8::is_ascii_digit)
        .count();
    if count < least {
        return None;
    }
    let (number, after) = rest.split_at(count);
    *rest = after;
    Some((number.parse().ok()?, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("timestamp_cases.txt");

    #[test]
    fn timestamps_of_yaml() {
        for (text, expected) in tables::typed::<(&str, Option<&str>)>(CASES, "timestamps of yaml") {
            assert_eq!(instant(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_date_in_quotes_is_a_text() {
        let value = Value::from("2025-03-01");
        let date = |yaml: &str| written_as_instant(yaml, "date", &value).is_some();
        assert!(date("date: 2025-03-01"));
        assert!(date("x: 'date'\ndate:    2025-03-01 # when"));
        assert!(date("\"date\": 2025-03-01"));
        for text in [
            "date: '2025-03-01'",
            "date: \"2025-03-01\"",
            "'date' : !!str 2025-03-01",
            "date: >-\n  2025-03-01",
        ] {
            assert!(!date(text), "{text}");
        }
        assert_eq!(written_as_instant("date: 5", "date", &Value::from(5)), None);
    }
}

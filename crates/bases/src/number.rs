//! Formats, parses and rounds numbers as JavaScript does.

use yaml_events::scalar::{number_in_base, number_text};

/// The result of `Number(text)`; `None` for NaN.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.is_empty() {
        return Some(0.0);
    }
    for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let digits = text
            .get(..2)
            .filter(|head| head.eq_ignore_ascii_case(prefix));
        if digits.is_some() {
            return number_in_base(&text[2..], base);
        }
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "Infinity" {
        return Some(if text.starts_with('-') {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        });
    }
    // Rust also parses `inf`, `nan` and similar texts.
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+');
    text.chars().all(is_plain).then(|| text.parse().ok())?
}

/// JavaScript's `Math.round`: halves go up.
pub(crate) fn round(number: f64) -> f64 {
    let below = number.floor();
    if number - below >= 0.5 {
        below + 1.0
    } else {
        below
    }
}

/// Rounds to a number of decimal places, which may be negative.
pub(crate) fn round_to(number: f64, places: f64) -> f64 {
    if places == 0.0 {
        return round(number);
    }
    let factor = 10_f64.powf(places.trunc());
    let rounded = round(number * factor) / factor;
    if rounded.is_finite() { rounded } else { number }
}

/// The most decimal places that [`fixed`] accepts.
const MOST_PLACES: f64 = 100.0;
/// The most decimal places of any double.
const ALL_PLACES: usize = 1_074;

/// JavaScript's `toFixed`; `None` for more than 100 or fewer than 0 places. Halves round away from
/// zero, by the exact value of the number.
pub(crate) fn fixed(number: f64, places: f64) -> Option<String> {
    let places = if places.is_nan() { 0.0 } else { places.trunc() };
    if !(0.0..=MOST_PLACES).contains(&places) {
        return None;
    }
    if !number.is_finite() || number.abs() >= 1e21 {
        return Some(number_text(number));
    }
    let places = whole(places);
    let exact = format!("{:.*}", ALL_PLACES, number.abs());
    let point = exact.find('.').unwrap_or(exact.len());
    let (kept, cut) = exact.split_at(point + 1 + places);
    let mut digits: Vec<u8> = kept.bytes().collect();
    if cut.as_bytes().first().is_some_and(|next| *next >= b'5') {
        increment(&mut digits);
    }
    if places == 0 {
        digits.pop();
    }
    let digits = String::from_utf8(digits).unwrap_or_default();
    // JavaScript keeps the sign of a number that rounds to zero: (-0.1).toFixed(0) is "-0".
    let sign = if number < 0.0 { "-" } else { "" };
    Some(format!("{sign}{digits}"))
}

/// Adds one to the last decimal place.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        match digit {
            b'.' => {}
            b'9' => *digit = b'0',
            other => {
                *other += 1;
                return;
            }
        }
    }
    digits.insert(0, b'1');
}

/// A number as a count; NaN and negative numbers become 0, too large ones the maximum.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, which is what is wanted"
)]
pub(crate) fn whole(number: f64) -> usize {
    number as usize
}

/// Converts whole numbers such as milliseconds; saturates, and NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`as` saturates, which is what is wanted"
)]
pub(crate) fn integer(number: f64) -> i64 {
    number as i64
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "JavaScript counts so too")]
pub(crate) fn from_count(count: usize) -> f64 {
    count as f64
}

/// Converts integers such as milliseconds to a number.
#[expect(clippy::cast_precision_loss, reason = "JavaScript counts so too")]
pub(crate) fn from_integer(integer: i64) -> f64 {
    integer as f64
}

/// A number as JSON, without a point if it is whole; null if it is not finite.
pub(crate) fn json(number: f64) -> serde_json::Value {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return integer(number).into();
    }
    number.into()
}

/// The range of a sequence of `length` items that JavaScript's `slice` selects.
pub(crate) fn slice(length: usize, start: f64, end: Option<f64>) -> std::ops::Range<usize> {
    let place = |place: f64| {
        let place = if place.is_nan() { 0.0 } else { place.trunc() };
        if place < 0.0 {
            length.saturating_sub(whole(-place))
        } else {
            whole(place).min(length)
        }
    };
    let start = place(start);
    let end = end.map_or(length, place);
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_as_javascript_reads_them() {
        for (text, expected) in [
            ("3.4", Some(3.4)),
            (" 12 ", Some(12.0)),
            ("", Some(0.0)),
            ("0x10", Some(16.0)),
            ("1e3", Some(1_000.0)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            (".5", Some(0.5)),
            ("inf", None),
            ("nan", None),
            ("1,5", None),
            ("12px", None),
            ("0x", None),
            ("é", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn halves_go_where_javascript_sends_them() {
        for (rounded, expected) in [
            (round(2.5), "3"),
            (round(-2.5), "-2"),
            (round(0.499_999_999_999_999_94), "0"),
            (round_to(2.3333, 2.0), "2.33"),
            (round_to(1234.0, -2.0), "1200"),
        ] {
            assert_eq!(number_text(rounded), expected);
        }
        for (number, places, expected) in [
            (2.71928, 2.0, "2.72"),
            (2.5, 0.0, "3"),
            (1.005, 2.0, "1.00"),
            (-1.5, 0.0, "-2"),
            (9.99, 1.0, "10.0"),
            (0.5, 0.0, "1"),
            (1.499_999_999_999_999_8, 0.0, "1"),
            (0.125, 2.0, "0.13"),
            (-0.1, 0.0, "-0"),
            (99.5, 0.0, "100"),
            (29_042_673_147_769.027, 7.0, "29042673147769.0273438"),
            (1e21, 2.0, "1e+21"),
            (12.0, 3.0, "12.000"),
            (f64::NAN, 2.0, "NaN"),
        ] {
            assert_eq!(fixed(number, places).as_deref(), Some(expected));
        }
        assert_eq!(fixed(1.0, 101.0), None);
        assert_eq!(fixed(1.0, -1.0), None);
    }

    #[test]
    fn slices_count_from_either_end() {
        assert_eq!(slice(5, 1.0, Some(4.0)), 1..4);
        assert_eq!(slice(5, -2.0, None), 3..5);
        assert_eq!(slice(5, 4.0, Some(1.0)), 4..4);
        assert_eq!(slice(5, f64::NAN, Some(f64::INFINITY)), 0..5);
        assert_eq!(slice(5, f64::NEG_INFINITY, Some(-9.0)), 0..0);
    }
}

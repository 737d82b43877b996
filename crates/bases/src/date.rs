//! Dates as values: an instant, shown with or without its time of day.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

use crate::duration::Duration;
use crate::number;

/// A date, with or without a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) at: Timestamp,
    /// Whether its text shows the time of day.
    pub(crate) shows_time: bool,
}

impl Date {
    pub(crate) fn from_timestamp(at: Timestamp) -> Self {
        Self {
            at,
            shows_time: true,
        }
    }

    /// Parses `2026-06-10`, `2026-06-10 12:34:56` and the other forms of ISO 8601 with month and
    /// day, `202606101234`, and with slashes `6/10/2026` and `2026/6/10`. A time without an offset
    /// is in `zone` (`vault-semantics.md` §5.3).
    pub(crate) fn parse(text: &str, zone: &TimeZone) -> Option<Self> {
        let text = text.trim();
        if text.contains('/') {
            return Self::with_slashes(text, zone);
        }
        if text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let (day, time) = text.split_at(8);
            let (hour, minute) = time.split_at(2);
            return Self::parse(&format!("{day} {hour}:{minute}"), zone);
        }
        let bytes = text.as_bytes();
        let digits = |from: usize, count: usize| -> Option<i16> {
            let part = text.get(from..from + count)?;
            let are_digits = part.bytes().all(|byte| byte.is_ascii_digit());
            are_digits.then(|| part.parse().ok())?
        };
        let year = digits(0, 4)?;
        let (month, day, mut at) = match bytes.get(4) {
            None => return Self::of_day(year, 1, 1, zone),
            Some(b'-') => match bytes.get(7) {
                None => return Self::of_day(year, digits(5, 2)?, 1, zone),
                Some(b'-') => (digits(5, 2)?, digits(8, 2)?, 10),
                Some(_) => return None,
            },
            Some(_) => (digits(4, 2)?, digits(6, 2)?, 8),
        };
        match bytes.get(at) {
            None => return Self::of_day(year, month, day, zone),
            Some(b'T' | b't' | b' ') => at += 1,
            Some(_) => return None,
        }
        let time = ClockTime::read(text.get(at..)?)?;
        let date = DateTime::new(
            year,
            i8::try_from(month).ok()?,
            i8::try_from(day).ok()?,
            time.hour,
            time.minute,
            time.second,
            time.nanosecond,
        )
        .ok()?;
        let zone = match time.offset {
            Some(seconds) => TimeZone::fixed(jiff::tz::Offset::from_seconds(seconds).ok()?),
            None => zone.clone(),
        };
        Some(Self::from_timestamp(date.to_zoned(zone).ok()?.timestamp()))
    }

    /// A date with slashes as JavaScript parses it, with or without a time.
    fn with_slashes(text: &str, zone: &TimeZone) -> Option<Self> {
        let (day, time) = match text.split_once(' ') {
            Some((day, time)) => (day, format!(" {}", time.trim_start())),
            None => (text, String::new()),
        };
        let parts: Vec<&str> = day.split('/').collect();
        let (year, month, day) = match parts[..] {
            [year, month, day] if year.len() == 4 => (year, month, day),
            [month, day, year] if year.len() == 4 => (year, month, day),
            _ => return None,
        };
        if [month, day].iter().any(|part| !matches!(part.len(), 1 | 2)) {
            return None;
        }
        Self::parse(&format!("{year}-{month:0>2}-{day:0>2}{time}"), zone)
    }

    /// As [`Self::parse`], for the texts that count as dates in properties: `2026-06-10`, and
    /// `2026-06-10T12:34` with or without seconds.
    pub(crate) fn from_shape(text: &str, zone: &TimeZone) -> Option<Self> {
        let shapes = ["0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00"];
        let shape = text.replace(|letter: char| letter.is_ascii_digit(), "0");
        let is_shaped = shapes.contains(&shape.as_str());
        is_shaped.then(|| Self::parse(text, zone))?
    }

    fn of_day(year: i16, month: i16, day: i16, zone: &TimeZone) -> Option<Self> {
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        let date = DateTime::new(year, month, day, 0, 0, 0, 0).ok()?;
        Some(Self {
            at: date.to_zoned(zone.clone()).ok()?.timestamp(),
            shows_time: false,
        })
    }

    pub(crate) fn zoned(self, zone: &TimeZone) -> Zoned {
        self.at.to_zoned(zone.clone())
    }

    /// The same day without its time.
    pub(crate) fn day(self, zone: &TimeZone) -> Option<Self> {
        let start = self.zoned(zone).start_of_day().ok()?;
        Some(Self {
            at: start.timestamp(),
            shows_time: false,
        })
    }

    pub(crate) fn text(self, zone: &TimeZone) -> String {
        let pattern = if self.shows_time {
            "YYYY-MM-DDTHH:mm:ss"
        } else {
            "YYYY-MM-DD"
        };
        moment_format::format(&self.zoned(zone), pattern)
    }

    /// Whether both are the same moment; the same day, if one of them has no time
    /// (`vault-semantics.md` §5.3).
    pub(crate) fn is(self, other: Self, zone: &TimeZone) -> bool {
        if self.shows_time && other.shows_time {
            return self.at == other.at;
        }
        self.zoned(zone).date() == other.zoned(zone).date()
    }

    /// The moment in milliseconds since 1970, as in JavaScript.
    pub(crate) fn milliseconds(self) -> f64 {
        number::from_integer(self.at.as_millisecond())
    }

    /// The date moved by a duration; back if `sign` is -1. Months and days follow the calendar,
    /// hours and less are exact. A date that no longer begins at midnight shows its time. `None`
    /// beyond the years -9999 to 9999.
    pub(crate) fn plus(self, duration: &Duration, sign: f64, zone: &TimeZone) -> Option<Self> {
        let span = |amount: f64| {
            number::integer(number::round((amount * sign).abs()) * (amount * sign).signum())
        };
        let span = Span::new()
            .try_months(span(duration.months))
            .ok()?
            .try_days(span(duration.days))
            .ok()?;
        let moved = self.zoned(zone).checked_add(span).ok()?;
        let exact = number::integer((duration.milliseconds * sign).trunc());
        let exact = jiff::SignedDuration::from_millis(exact);
        let at = moved.timestamp().checked_add(exact).ok()?;
        let is_day = Self::from_timestamp(at)
            .day(zone)
            .is_some_and(|day| day.at == at);
        Some(Self {
            at,
            shows_time: self.shows_time || !is_day,
        })
    }
}

/// A time of day as written.
struct ClockTime {
    hour: i8,
    minute: i8,
    second: i8,
    nanosecond: i32,
    /// The offset east of UTC in seconds; `None` if none is written.
    offset: Option<i32>,
}

impl ClockTime {
    /// Parses `12`, `12:34`, `12:34:56` or `12:34:56.789`, each with or without `Z`, `+10:00` or
    /// `+1000`.
    fn read(text: &str) -> Option<Self> {
        let zone_at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
        let (time, zone) = text.split_at(zone_at);
        let offset = match zone {
            "" => None,
            "Z" | "z" => Some(0),
            zone => Some(offset(zone)?),
        };
        let mut parts = time.trim_end().split(':');
        let two = |part: &str| -> Option<i8> {
            let is_short = part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            is_short.then(|| part.parse().ok())?
        };
        let hour = two(parts.next()?)?;
        let minute = parts.next().map_or(Some(0), two)?;
        let (second, nanosecond) = match parts.next() {
            None => (0, 0),
            Some(seconds) => match seconds.split_once(['.', ',']) {
                None => (two(seconds)?, 0),
                Some((seconds, fraction)) => (two(seconds)?, nanoseconds(fraction)?),
            },
        };
        parts.next().is_none().then_some(Self {
            hour,
            minute,
            second,
            nanosecond,
            offset,
        })
    }
}

fn nanoseconds(fraction: &str) -> Option<i32> {
    let are_digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let digits: String = fraction.chars().chain("00000000".chars()).take(9).collect();
    are_digits.then(|| digits.parse().ok())?
}

fn offset(zone: &str) -> Option<i32> {
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.get(1..)?.chars().filter(|c| *c != ':').collect();
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) = match digits.len() {
        2 if are_digits => (digits.as_str(), "0"),
        4 if are_digits => digits.split_at(2),
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    Some(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("date_cases.txt");

    fn read(text: &str) -> Option<String> {
        let zone = TimeZone::fixed(jiff::tz::offset(10));
        Date::parse(text, &zone).map(|date| date.text(&zone))
    }

    #[test]
    fn dates_are_read_in_the_forms_of_iso_8601() {
        for [text, expected] in tables::section(CASES, "dates are read in the forms of iso 8601") {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        for text in tables::lines(CASES, "dates are read in the forms of iso 8601, 2") {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn months_end_where_the_calendar_ends_them() {
        let zone = TimeZone::UTC;
        let moved = |text: &str, duration: &str, sign: f64| {
            let duration = Duration::parse(duration).unwrap();
            let date = Date::parse(text, &zone).unwrap();
            date.plus(&duration, sign, &zone)
                .map(|date| date.text(&zone))
        };
        assert_eq!(
            moved("2026-01-31", "1M", 1.0).as_deref(),
            Some("2026-02-28")
        );
        assert_eq!(
            moved("2024-02-29", "1y", 1.0).as_deref(),
            Some("2025-02-28")
        );
        assert_eq!(
            moved("2026-06-10 12:00:00", "1d 2h", -1.0).as_deref(),
            Some("2026-06-09T10:00:00")
        );
        assert_eq!(
            moved("2024-12-01", "1M 4h 3m", 1.0).as_deref(),
            Some("2025-01-01T04:03:00")
        );
        assert_eq!(
            moved("2024-12-01", "24h", 1.0).as_deref(),
            Some("2024-12-02")
        );
        assert_eq!(moved("9999-12-30", "1d", 1.0), None);
        assert_eq!(moved("2026-01-01", "1000000000y", 1.0), None);
    }
}

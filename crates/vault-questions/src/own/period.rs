//! The parameters `since` and `until`: a range of days or times.

use jiff::civil::{Date, DateTime, Time};
use jiff::{Span, Timestamp, Zoned};
use obsidian_note::VaultPath;
use vault_files::{Args, EngineError, FileFacts, Surroundings, Vault};

/// The days or times between which the property `date` of a note must be, both included.
#[derive(Default)]
pub(super) struct Days {
    since: Option<DayOrTime>,
    until: Option<DayOrTime>,
}

/// A day, with a time if one is written.
#[derive(Clone, Copy)]
struct DayOrTime {
    day: Date,
    time: Option<Time>,
}

impl DayOrTime {
    /// Returns the day at the start of a text, and the time behind it.
    fn parse(text: &str) -> Option<Self> {
        let day = text.get(..10).filter(|day| is_day(day))?;
        let time = text.parse::<DateTime>().ok().filter(|_| text != day);
        Some(Self {
            day: day.parse().ok()?,
            time: time.map(DateTime::time),
        })
    }

    /// Whether it is not after another one. If one of them has no time, only the days are compared.
    fn is_up_to(self, other: Self) -> bool {
        match (self.time, other.time) {
            (Some(time), Some(other_time)) if self.day == other.day => time <= other_time,
            _ => self.day <= other.day,
        }
    }
}

impl Days {
    /// Returns the requested days or times. A span before now, such as `7d`, means its day in the time zone of the
    /// surroundings.
    pub(super) fn from_arguments(
        arguments: &Args,
        surroundings: &Surroundings,
    ) -> Result<Self, EngineError> {
        let day = |name: &str| -> Result<Option<DayOrTime>, EngineError> {
            let Some(text) = arguments.text(name) else {
                return Ok(None);
            };
            let start = bound(text, 0, &surroundings.now);
            let start = start.and_then(|start| Timestamp::from_millisecond(start).ok());
            let start = start.ok_or_else(|| not_a_bound(name))?;
            let zone = surroundings.now.time_zone().clone();
            let day = start.to_zoned(zone).date();
            let written = DayOrTime::parse(text);
            Ok(Some(written.unwrap_or(DayOrTime { day, time: None })))
        };
        Ok(Self {
            since: day("since")?,
            until: day("until")?,
        })
    }

    /// Whether the range has no bounds and contains every date.
    pub(super) fn is_unbounded(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// Whether a date, as written, is in the range. A missing or invalid date is not.
    pub(super) fn contains(&self, date: Option<&str>) -> bool {
        if self.is_unbounded() {
            return true;
        }
        date.and_then(DayOrTime::parse).is_some_and(|date| {
            self.since.is_none_or(|since| since.is_up_to(date))
                && self.until.is_none_or(|until| date.is_up_to(until))
        })
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<Date>().is_ok()
}

/// A time of a file that the file system keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileTime {
    Modified,
    Created,
}

impl FileTime {
    /// Returns the time that an order sorts by; `None` for orders by something else.
    pub(super) fn of_order(order: &str) -> Option<Self> {
        match order {
            "modified" => Some(Self::Modified),
            "created" => Some(Self::Created),
            _ => None,
        }
    }

    /// Returns the time of a file in milliseconds since 1970.
    pub(super) fn milliseconds(self, facts: &FileFacts) -> i64 {
        match self {
            Self::Modified => facts.modified,
            Self::Created => facts.created,
        }
    }
}

/// Whether `since` or `until` is a span before now, such as `7d`.
pub(super) fn has_span(arguments: &Args) -> bool {
    let mut bounds = ["since", "until"]
        .iter()
        .filter_map(|name| arguments.text(name));
    bounds.any(|bound| {
        let count = bound.strip_suffix(['h', 'd', 'w']);
        count.is_some_and(|count| {
            !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

/// A period in which a file was changed or created.
pub(super) struct Period {
    time: FileTime,
    /// The first and the last millisecond since 1970.
    since: i64,
    until: i64,
}

impl Period {
    /// Returns the requested period, `None` without `since` and `until`. A bound is a day, a day with a time, or a span
    /// before now such as `7d` or `12h`, in the time zone of the surroundings.
    pub(super) fn from_arguments(
        time: FileTime,
        arguments: &Args,
        surroundings: &Surroundings,
    ) -> Result<Option<Self>, EngineError> {
        let since = arguments.text("since");
        let until = arguments.text("until");
        if since.is_none() && until.is_none() {
            return Ok(None);
        }
        let bound = |name: &str, text: Option<&str>, whole_day: i64, default: i64| {
            let Some(text) = text else {
                return Ok(default);
            };
            bound(text, whole_day, &surroundings.now).ok_or_else(|| not_a_bound(name))
        };
        Ok(Some(Self {
            time,
            since: bound("since", since, 0, i64::MIN)?,
            until: bound("until", until, 1, i64::MAX)?,
        }))
    }

    /// Whether the file's time is in the period. A file that was removed is in no period.
    pub(super) fn holds(&self, vault: &Vault, path: &VaultPath) -> bool {
        let facts = vault.facts(path).ok();
        facts.is_some_and(|facts| {
            (self.since..=self.until).contains(&self.time.milliseconds(&facts))
        })
    }
}

/// Returns a day: `2026-03-14` without a time, or `today`, `tomorrow`, `yesterday`.
pub(crate) fn named_day(text: &str, today: Date) -> Option<Date> {
    match text {
        "yesterday" => today.yesterday().ok(),
        "today" => Some(today),
        "tomorrow" => today.tomorrow().ok(),
        _ => text.parse().ok().filter(|_| is_day(text)),
    }
}

fn not_a_bound(name: &str) -> EngineError {
    EngineError::argument(
        name,
        "a day such as 2026-03-14 or yesterday, a time such as 2026-03-14T09:30, or a span before now such as 7d or 12h",
    )
}

/// Returns a bound in milliseconds since 1970. A day without a time means its start, or its last millisecond if
/// `whole_day` is 1, so that `until` includes its day.
fn bound(text: &str, whole_day: i64, now: &Zoned) -> Option<i64> {
    let zone = now.time_zone().clone();
    if let Some(day) = named_day(text, now.date()) {
        let day = day
            .checked_add(Span::new().try_days(whole_day).ok()?)
            .ok()?;
        return Some(day.to_zoned(zone).ok()?.timestamp().as_millisecond() - whole_day);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        return Some(time.to_zoned(zone).ok()?.timestamp().as_millisecond());
    }
    let unit = text.chars().last()?;
    let count = text.strip_suffix(unit)?.parse::<u32>().ok()?;
    let count = i64::from(count);
    let span = match unit {
        'h' => Span::new().try_hours(count),
        'd' => Span::new().try_days(count),
        'w' => Span::new().try_weeks(count),
        _ => return None,
    };
    let then = now.checked_sub(span.ok()?).ok()?;
    Some(then.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    const CASES: &str = include_str!("period_cases.txt");

    #[test]
    fn a_bound_is_a_day_a_time_or_a_span() {
        let now = date(2026, 3, 14).at(9, 30, 0, 0).to_zoned(TimeZone::UTC);
        let now = now.unwrap();
        let at = |text: &str, whole_day: i64| {
            let time = jiff::Timestamp::from_millisecond(bound(text, whole_day, &now)?);
            Some(time.unwrap().to_string())
        };
        for (text, whole_day, expected) in
            tables::typed::<(&str, _, &str)>(CASES, "a bound is a day a time or a span")
        {
            assert_eq!(at(text, whole_day).as_deref(), Some(expected), "{text}");
        }
        for wrong in tables::lines(CASES, "a bound is a day a time or a span, 2") {
            assert_eq!(at(wrong, 0), None, "{wrong}");
        }
    }
}

//! Lengths of time as values.

use jiff::SignedDuration;

use crate::number;

/// A length of time: months and days of the calendar, and exact milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Duration {
    pub(crate) months: f64,
    pub(crate) days: f64,
    pub(crate) milliseconds: f64,
}

/// Days in a month on average: the calendar repeats after 4,800 months, which are 146,097 days.
const DAYS_IN_MONTH: f64 = 146_097.0 / 4_800.0;
const MILLISECONDS_IN_DAY: f64 = 86_400_000.0;

impl Duration {
    pub(crate) fn from_milliseconds(milliseconds: f64) -> Self {
        Self {
            milliseconds,
            ..Self::default()
        }
    }

    /// Parses amounts with units, `1M`, `2 weeks`, `-1d 4h`; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let mut duration = Self::default();
        if rest.is_empty() {
            return None;
        }
        while !rest.is_empty() {
            let unit_at = rest.find(|c: char| c.is_alphabetic() || c.is_whitespace())?;
            let (amount, after) = rest.split_at(unit_at);
            let after = after.trim_start();
            let end = after
                .find(|c: char| !c.is_ascii_alphabetic())
                .unwrap_or(after.len());
            let (unit, after) = after.split_at(end);
            duration.add(number_without_exponent(amount)?, unit)?;
            rest = after.trim_start();
        }
        Some(duration)
    }

    fn add(&mut self, amount: f64, unit: &str) -> Option<()> {
        match unit {
            "y" | "year" | "years" => self.months += amount * 12.0,
            "M" | "month" | "months" => self.months += amount,
            "w" | "week" | "weeks" => self.days += amount * 7.0,
            "d" | "day" | "days" => self.days += amount,
            "h" | "hour" | "hours" => self.milliseconds += amount * 3_600_000.0,
            "m" | "minute" | "minutes" => self.milliseconds += amount * 60_000.0,
            "s" | "second" | "seconds" => self.milliseconds += amount * 1_000.0,
            "ms" | "millisecond" | "milliseconds" => self.milliseconds += amount,
            _ => return None,
        }
        Some(())
    }

    pub(crate) fn plus(&self, other: &Self, sign: f64) -> Self {
        Self {
            months: self.months + sign * other.months,
            days: self.days + sign * other.days,
            milliseconds: self.milliseconds + sign * other.milliseconds,
        }
    }

    pub(crate) fn times(&self, factor: f64) -> Self {
        Self {
            months: self.months * factor,
            days: self.days * factor,
            milliseconds: self.milliseconds * factor,
        }
    }

    /// The whole length in milliseconds, with months of average length.
    pub(crate) fn in_milliseconds(&self) -> f64 {
        let days = self.days + self.months * DAYS_IN_MONTH;
        days * MILLISECONDS_IN_DAY + self.milliseconds
    }

    /// The whole length in one unit, as moment's `asDays()` and similar functions give it: `days`,
    /// `hours`, `minutes`, `seconds`, `milliseconds`, `months`, `years` (`vault-semantics.md`
    /// §5.3).
    pub(crate) fn in_unit(&self, unit: &str) -> Option<f64> {
        let in_days = |months: f64| number::round(months * DAYS_IN_MONTH);
        let days = self.days + in_days(self.months);
        let parts =
            |in_a_day: f64, milliseconds: f64| days * in_a_day + self.milliseconds / milliseconds;
        let months = || {
            let days = self.days + self.milliseconds / MILLISECONDS_IN_DAY;
            self.months + days / DAYS_IN_MONTH
        };
        Some(match unit {
            "years" => months() / 12.0,
            "months" => months(),
            "days" => parts(1.0, MILLISECONDS_IN_DAY),
            "hours" => parts(24.0, 3_600_000.0),
            "minutes" => parts(1_440.0, 60_000.0),
            "seconds" => parts(86_400.0, 1_000.0),
            "milliseconds" => parts(MILLISECONDS_IN_DAY, 1.0),
            _ => return None,
        })
    }

    /// In words: `a day`, `14 days`.
    pub(crate) fn text(&self) -> String {
        let milliseconds = number::integer(self.in_milliseconds());
        moment_format::humanize(SignedDuration::from_millis(milliseconds), false)
    }
}

/// A number without an exponent, signed or not.
fn number_without_exponent(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let has_digit = unsigned.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = unsigned
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    (has_digit && is_plain).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("duration_cases.txt");

    #[test]
    fn units_have_short_and_long_names() {
        for [text, expected] in tables::section(CASES, "units have short and long names") {
            let duration = Duration::parse(text);
            assert_eq!(
                duration.map(|found| found.text()).as_deref(),
                Some(expected),
                "{text}"
            );
        }
        for text in [
            "", " ", "1", "d", "1 x", "1D", "due 1d", "1d later", "--1d", "1.2.3d", "1e3d",
        ] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}

//! Durations in words (`vault-semantics.md` §6.1), for moment's `en` locale.

use jiff::SignedDuration;

/// A duration in words: `a few seconds`, `an hour`, `3 days`.
///
/// With `suffix`, the direction is added: `in an hour`, or `an hour ago` for a negative duration. A
/// duration of zero counts as past. The next greater unit is used from 45 seconds, 45 minutes, 22
/// hours, 26 days and 11 months on, each unit rounded on its own. Computed in floating point and in
/// moment's order of steps, so that halves are rounded as in moment; fractions of a millisecond are
/// dropped.
pub fn humanize(duration: SignedDuration, suffix: bool) -> String {
    let words = words(whole_milliseconds(duration));
    match (suffix, duration.is_positive()) {
        (false, _) => words,
        (true, true) => format!("in {words}"),
        (true, false) => format!("{words} ago"),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "moment counts in floating point too"
)]
fn whole_milliseconds(duration: SignedDuration) -> f64 {
    duration.as_millis().unsigned_abs() as f64
}

fn words(milliseconds: f64) -> String {
    if (milliseconds / 1_000.0).round() <= 44.0 {
        return "a few seconds".to_owned();
    }
    let days = milliseconds / 86_400_000.0;
    // The calendar repeats after 400 years, which are 4,800 months and 146,097 days.
    let months = days * 4_800.0 / 146_097.0;
    // For each unit: the count of it, the count from which the next unit is used, and its words.
    let units = [
        (milliseconds / 60_000.0, 45.0, "a minute", "minutes"),
        (milliseconds / 3_600_000.0, 22.0, "an hour", "hours"),
        (days, 26.0, "a day", "days"),
        (months, 11.0, "a month", "months"),
    ];
    let rounded = units.map(|(count, end, one, many)| (count.round(), end, one, many));
    let found = rounded.into_iter().find(|(count, end, ..)| count < end);
    let years = ((months / 12.0).round(), f64::INFINITY, "a year", "years");
    let (count, _, one, many) = found.unwrap_or(years);
    if count <= 1.0 {
        one.to_owned()
    } else {
        format!("{count} {many}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_direction_is_added_only_on_request() {
        let hour = SignedDuration::from_hours(1);
        assert_eq!(humanize(hour, false), "an hour");
        assert_eq!(humanize(-hour, false), "an hour");
        assert_eq!(humanize(hour, true), "in an hour");
        assert_eq!(humanize(-hour, true), "an hour ago");
    }

    #[test]
    fn the_longest_durations_have_words() {
        for duration in [SignedDuration::MIN, SignedDuration::MAX] {
            assert_eq!(humanize(duration, false), "292277024627 years");
        }
    }
}

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

#[expect(clippy::cast_precision_loss, reason = "moment counts in floating point too")]
fn whole_milliseconds(duration: SignedDuration) -> f64 {
    duration.as_millis().unsigned_abs() as f64
}

fn words(milliseconds: f64) -> String {
    let days = milliseconds / 86_400_000.0;
    // The calendar repeats after 400 years, which are 4,800 months and 146,097 days.
    let months = days * 4_800.0 / 146_097.0;
    let seconds = (milliseconds / 1_000.0).round();
    let minutes = (milliseconds / 60_000.0).round();
    let hours = (milliseconds / 3_600_000.0).round();
    let years = (months / 12.0).round();
    let (days, months) = (days.round(), months.round());
    let fixed = if seconds <= 44.0 {
        "a few seconds"
    } else if minutes <= 1.0 {
        "a minute"
    } else if minutes < 45.0 {
        return format!("{minutes} minutes");
    } else if hours <= 1.0 {
        "an hour"
    } else if hours < 22.0 {
        return format!("{hours} hours");
    } else if days <= 1.0 {
        "a day"
    } else if days < 26.0 {
        return format!("{days} days");
    } else if months <= 1.0 {
        "a month"
    } else if months < 11.0 {
        return format!("{months} months");
    } else if years <= 1.0 {
        "a year"
    } else {
        return format!("{years} years");
    };
    fixed.to_owned()
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

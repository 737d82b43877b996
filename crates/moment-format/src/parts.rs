//! The calendar fields of one instant that format tokens show.

use jiff::Zoned;

/// The calendar fields of one instant in its own time zone.
pub(super) struct MomentParts {
    pub(super) year: i32,
    /// The month, from 1 to 12.
    pub(super) month: i32,
    pub(super) day: i32,
    /// The day of the year, from 1 to 366.
    pub(super) day_of_year: i32,
    /// The day of the week, from 0 for Sunday.
    pub(super) weekday: i32,
    pub(super) hour: i32,
    pub(super) minute: i32,
    pub(super) second: i32,
    pub(super) millisecond: i32,
    /// The offset from UTC in minutes, positive to the east, rounded towards zero.
    pub(super) offset: i32,
    /// Milliseconds since 1970, rounded down.
    pub(super) epoch_milliseconds: i64,
}

impl MomentParts {
    pub(super) fn new(moment: &Zoned) -> Self {
        let time = moment.datetime();
        let nanoseconds = moment.timestamp().as_nanosecond();
        // The offsets of local mean times have seconds. The app's JavaScript engine drops them in
        // `getTimezoneOffset`, both east and west of UTC, before moment would round them to
        // minutes.
        let offset = moment.offset().seconds() / 60;
        Self {
            year: time.year().into(),
            month: time.month().into(),
            day: time.day().into(),
            day_of_year: time.day_of_year().into(),
            weekday: time.weekday().to_sunday_zero_offset().into(),
            hour: time.hour().into(),
            minute: time.minute().into(),
            second: time.second().into(),
            millisecond: time.millisecond().into(),
            offset,
            epoch_milliseconds: i64::try_from(nanoseconds.div_euclid(1_000_000))
                .unwrap_or_default(),
        }
    }

    /// The year and number of the week, for weeks that start on Sunday. Week 1 is the week with January 1.
    pub(super) fn local_week(&self) -> (i32, i32) {
        self.week(0, 6)
    }

    /// The year and number of the ISO 8601 week.
    pub(super) fn iso_week(&self) -> (i32, i32) {
        self.week(1, 4)
    }

    /// The year and number of the week. Weeks start on `first_weekday`, which is moment's `dow`. With
    /// moment's `doy` as the `anchor`, week 1 is the week with January
    /// `7 + first_weekday - anchor`.
    fn week(&self, first_weekday: i32, anchor: i32) -> (i32, i32) {
        let in_first_week = 7 + first_weekday - anchor;
        // Days from January 1 of `year` to the first day of its week 1: -6 to 6.
        let offset_of = |year: i32| {
            let new_year = self.weekday_of_new_year(year);
            let position = (7 + new_year + in_first_week - 1 - first_weekday).rem_euclid(7);
            in_first_week - 1 - position
        };
        let weeks_in = |year: i32| (days_in(year) - offset_of(year) + offset_of(year + 1)) / 7;
        let week = (self.day_of_year - 1 - offset_of(self.year)).div_euclid(7) + 1;
        if week < 1 {
            (self.year - 1, week + weeks_in(self.year - 1))
        } else if week > weeks_in(self.year) {
            (self.year + 1, week - weeks_in(self.year))
        } else {
            (self.year, week)
        }
    }

    /// The weekday of January 1 of a year, from the year before this instant to two years after it.
    /// Counted from this instant's own weekday, so that it also works for years outside the range
    /// of the calendar library.
    fn weekday_of_new_year(&self, year: i32) -> i32 {
        let own = self.weekday - (self.day_of_year - 1);
        let days = match year - self.year {
            -1 => -days_in(year),
            1 => days_in(self.year),
            2 => days_in(self.year) + days_in(self.year + 1),
            _ => 0,
        };
        (own + days).rem_euclid(7)
    }
}

fn days_in(year: i32) -> i32 {
    let divides = |number: i32| year.rem_euclid(number) == 0;
    let leap = divides(400) || (divides(4) && !divides(100));
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn iso_weeks_agree_with_the_calendar_library() {
        let mut day = date(1895, 1, 1);
        while day.year() < 2105 {
            let parts = MomentParts::new(&day.to_zoned(TimeZone::UTC).unwrap());
            let iso = day.iso_week_date();
            assert_eq!(parts.iso_week(), (iso.year().into(), iso.week().into()), "{day}");
            day = day.tomorrow().unwrap();
        }
    }

    #[test]
    fn sunday_weeks_hold_january_1_in_week_1() {
        for year in 1990..2040 {
            let parts = MomentParts::new(&date(year, 1, 1).to_zoned(TimeZone::UTC).unwrap());
            assert_eq!(parts.local_week(), (year.into(), 1));
            let before = date(year, 1, 1).yesterday().unwrap();
            let parts = MomentParts::new(&before.to_zoned(TimeZone::UTC).unwrap());
            let same_week = date(year, 1, 1).weekday().to_sunday_zero_offset() != 0;
            assert_eq!(parts.local_week().1 == 1, same_week, "{before}");
        }
    }

    /// The offsets that moment 2.30.1 with Node 20 writes for Monrovia in 1922, Havana in 1906,
    /// London and Amsterdam in 1843, and Tokyo in 1874.
    #[test]
    fn seconds_of_an_offset_are_dropped_on_both_sides_of_utc() {
        for (seconds, minutes) in [
            (-2670, -44),
            (-19776, -329),
            (-75, -1),
            (1050, 17),
            (33539, 558),
            (-30, 0),
            (59, 0),
            (-3600, -60),
            (19800, 330),
        ] {
            let zone = TimeZone::fixed(jiff::tz::Offset::from_seconds(seconds).unwrap());
            let parts = MomentParts::new(&Timestamp::UNIX_EPOCH.to_zoned(zone));
            assert_eq!(parts.offset, minutes, "{seconds}");
        }
    }

    #[test]
    fn the_first_and_last_years_have_weeks() {
        for instant in [Timestamp::MIN, Timestamp::MAX] {
            let parts = MomentParts::new(&instant.to_zoned(TimeZone::UTC));
            assert!((1..=53).contains(&parts.iso_week().1));
            assert!((1..=53).contains(&parts.local_week().1));
        }
    }
}

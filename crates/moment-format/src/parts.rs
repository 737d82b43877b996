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

    /// The year and number of the week, for weeks that start on Sunday. Week 1 is the week with
    /// January 1, so a week belongs to the year of its Saturday.
    pub(super) fn local_week(&self) -> (i32, i32) {
        self.week(6 - self.weekday)
    }

    /// The year and number of the ISO 8601 week, which belongs to the year of its Thursday.
    pub(super) fn iso_week(&self) -> (i32, i32) {
        self.week(3 - (self.weekday + 6) % 7)
    }

    /// The year and number of the week that belongs to the year of the day this many days away.
    fn week(&self, days: i32) -> (i32, i32) {
        let (mut year, mut day) = (self.year, self.day_of_year + days);
        if day < 1 {
            year -= 1;
            day += days_in(year);
        } else if day > days_in(year) {
            day -= days_in(year);
            year += 1;
        }
        (year, (day + 6) / 7)
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

    const CASES: &str = include_str!("parts_cases.txt");

    #[test]
    fn iso_weeks_agree_with_the_calendar_library() {
        let mut day = date(1895, 1, 1);
        while day.year() < 2105 {
            let parts = MomentParts::new(&day.to_zoned(TimeZone::UTC).unwrap());
            let iso = day.iso_week_date();
            assert_eq!(
                parts.iso_week(),
                (iso.year().into(), iso.week().into()),
                "{day}"
            );
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
        for (seconds, minutes) in
            tables::typed::<(i32, i32)>(CASES, "seconds of an offset are dropped on both")
        {
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

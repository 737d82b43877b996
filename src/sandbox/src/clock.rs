//! The current time in the user's time zone.

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::environment::Environment;

/// A source of the current time. Tests pass their own.
pub type Clock = Arc<dyn Fn() -> Zoned + Send + Sync>;

/// The usual folder of the time zone database.
const TIME_ZONES: &str = "/usr/share/zoneinfo";
/// The usual file of the local time zone.
const LOCAL_TIME_ZONE: &str = "/etc/localtime";

/// Returns the system clock in the user's time zone: `TZ` if set, otherwise the local time zone of
/// the system.
pub fn system_clock(environment: &Environment) -> Clock {
    let zone = match environment.variable("TZ") {
        None => system_time_zone(),
        Some(name) => {
            // With TZDIR the user chose another database, which only the library looks up.
            let database = environment.variable("TZDIR").is_none();
            let named = name.to_str().filter(|_| database).and_then(named_time_zone);
            named.unwrap_or_else(TimeZone::system)
        }
    };
    Arc::new(move || Timestamp::now().to_zoned(zone.clone()))
}

/// Reads the local time zone from its file. Looking it up by name would read the whole time zone
/// database first, which costs more than most commands.
fn system_time_zone() -> TimeZone {
    fs_err::read(LOCAL_TIME_ZONE)
        .ok()
        .and_then(|data| TimeZone::tzif("Local", &data).ok())
        .unwrap_or_else(TimeZone::system)
}

/// Reads a named time zone from its file, for the same reason. `None` for the other forms of `TZ`,
/// which the library parses.
fn named_time_zone(name: &str) -> Option<TimeZone> {
    let is_plain = |part: &str| {
        let mut bytes = part.bytes();
        bytes.next().is_some_and(|first| first.is_ascii_uppercase())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+'))
    };
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    // A name without a slash may be a POSIX rule.
    if !name.contains('/') || !name.split('/').all(is_plain) {
        return None;
    }
    let data = fs_err::read(Path::new(TIME_ZONES).join(name)).ok()?;
    TimeZone::tzif(name, &data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("clock_cases.txt");

    #[test]
    fn the_quick_way_and_the_library_agree_on_the_local_time() {
        let now = Timestamp::now();
        let quick = now.to_zoned(system_time_zone());
        assert_eq!(
            quick.datetime(),
            now.to_zoned(TimeZone::system()).datetime()
        );
    }

    #[test]
    fn a_zone_given_by_its_name_is_the_librarys() {
        let now = Timestamp::now();
        for name in ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia"] {
            let Some(quick) = named_time_zone(name) else {
                continue; // This system has no such file.
            };
            let known = TimeZone::get(name).unwrap();
            let times = [now.to_zoned(quick.clone()), now.to_zoned(known.clone())];
            assert_eq!(times[0].datetime(), times[1].datetime(), "{name}");
            assert_eq!(quick.iana_name(), known.iana_name());
        }
        for name in tables::lines(CASES, "a zone given by its name is the librarys") {
            assert!(named_time_zone(name).is_none(), "{name}");
        }
    }
}

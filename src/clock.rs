//! The time of day where the user is.

use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::environment::Environment;

/// Where the time comes from; tests hand in their own.
pub type Clock = Arc<dyn Fn() -> Zoned + Send + Sync>;

/// Where most systems keep their time zones.
const TIME_ZONES: &str = "/usr/share/zoneinfo";
/// Where most systems keep the local time zone.
const LOCAL_TIME_ZONE: &str = "/etc/localtime";

/// The system's clock in the user's time zone: `TZ` where it is set, else the system's own.
pub fn system_clock(environment: &Environment) -> Clock {
    let zone = match environment.variable("TZ") {
        None => system_time_zone(),
        Some(name) => {
            let database = environment.variable("TZDIR").is_none();
            let named = name.to_str().filter(|_| database).and_then(named_time_zone);
            named.unwrap_or_else(TimeZone::system)
        }
    };
    Arc::new(move || Timestamp::now().to_zoned(zone.clone()))
}

/// The system's time zone from its one file. Looking it up by its name reads the whole time zone
/// database first, which costs more than most commands.
fn system_time_zone() -> TimeZone {
    fs_err::read(LOCAL_TIME_ZONE)
        .ok()
        .and_then(|data| TimeZone::tzif("Local", &data).ok())
        .unwrap_or_else(TimeZone::system)
}

/// A zone of the system's database from its one file, for the same reason. Other forms of `TZ` are
/// the library's to read.
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
        for name in [
            "EST5EDT",
            "../x",
            "a/b",
            "/etc/localtime",
            ":UTC",
            "Europe/../x",
        ] {
            assert!(named_time_zone(name).is_none(), "{name}");
        }
    }
}

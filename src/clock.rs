//! The time of day where the user is.

use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::environment::Environment;

/// Where the time comes from; tests hand in their own.
pub type Clock = Arc<dyn Fn() -> Zoned + Send + Sync>;

/// Where most systems keep the local time zone.
const LOCAL_TIME_ZONE: &str = "/etc/localtime";

/// The system's clock in the user's time zone: `TZ` where it is set, else the system's own.
pub fn system_clock(environment: &Environment) -> Clock {
    let zone = match environment.variable("TZ") {
        None => system_time_zone(),
        Some(_) => TimeZone::system(),
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
}

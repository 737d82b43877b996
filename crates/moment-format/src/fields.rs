//! All tokens with their output, in the order in which the tokeniser tries them.

use super::english::{MONTHS, WEEKDAYS, ordinal};
use super::parts::MomentParts;

/// Formats the field of a moment that one token shows.
pub(super) type Render = fn(&MomentParts) -> String;

/// The tokens and their functions. Longer tokens come before their prefixes, so the first match is
/// the longest.
pub(super) const FIELDS: &[(&str, Render)] = &[
    ("Hmmss", |p| {
        format!("{}{:02}{:02}", p.hour, p.minute, p.second)
    }),
    ("hmmss", |p| {
        format!("{}{:02}{:02}", hour_12(p), p.minute, p.second)
    }),
    ("Hmm", |p| format!("{}{:02}", p.hour, p.minute)),
    ("hmm", |p| format!("{}{:02}", hour_12(p), p.minute)),
    ("Mo", |p| ordinal(p.month)),
    ("MMMM", |p| name(&MONTHS, p.month - 1).to_owned()),
    ("MMM", |p| short(name(&MONTHS, p.month - 1), 3)),
    ("MM", |p| pad(p.month, 2)),
    ("M", |p| p.month.to_string()),
    ("Do", |p| ordinal(p.day)),
    ("DDDo", |p| ordinal(p.day_of_year)),
    ("DDDD", |p| pad(p.day_of_year, 3)),
    ("DDD", |p| p.day_of_year.to_string()),
    ("DD", |p| pad(p.day, 2)),
    ("D", |p| p.day.to_string()),
    ("dddd", |p| name(&WEEKDAYS, p.weekday).to_owned()),
    ("ddd", |p| short(name(&WEEKDAYS, p.weekday), 3)),
    ("dd", |p| short(name(&WEEKDAYS, p.weekday), 2)),
    ("do", |p| ordinal(p.weekday)),
    ("d", |p| p.weekday.to_string()),
    ("wo", |p| ordinal(p.local_week().1)),
    // Moment's regular expression takes `w|` for a token, finds no function for it, and copies it.
    ("w|", |_| "w|".to_owned()),
    ("ww", |p| pad(p.local_week().1, 2)),
    ("w", |p| p.local_week().1.to_string()),
    ("Wo", |p| ordinal(p.iso_week().1)),
    ("W|", |_| "W|".to_owned()),
    ("WW", |p| pad(p.iso_week().1, 2)),
    ("W", |p| p.iso_week().1.to_string()),
    ("Qo", |p| ordinal(quarter(p))),
    ("Q", |p| quarter(p).to_string()),
    ("NNNNN", |p| era(p, "AD", "BC")),
    ("NNNN", |p| era(p, "Anno Domini", "Before Christ")),
    ("NNN", |p| era(p, "AD", "BC")),
    ("NN", |p| era(p, "AD", "BC")),
    ("N", |p| era(p, "AD", "BC")),
    ("YYYYYY", |p| {
        format!("{}{}", if p.year < 0 { "" } else { "+" }, pad(p.year, 6))
    }),
    ("YYYYY", |p| pad(p.year, 5)),
    ("YYYY", |p| pad(p.year, 4)),
    ("YY", |p| pad(p.year % 100, 2)),
    ("Y", |p| pad(p.year, 4)),
    ("yyyy", |p| pad(era_year(p), 4)),
    ("yyy", |p| pad(era_year(p), 3)),
    ("yy", |p| pad(era_year(p), 2)),
    ("yo", |p| ordinal(era_year(p))),
    ("y", |p| era_year(p).to_string()),
    ("ggggg", |p| pad(p.local_week().0, 5)),
    ("gggg", |p| pad(p.local_week().0, 4)),
    ("gg", |p| pad(p.local_week().0 % 100, 2)),
    ("GGGGG", |p| pad(p.iso_week().0, 5)),
    ("GGGG", |p| pad(p.iso_week().0, 4)),
    ("GG", |p| pad(p.iso_week().0 % 100, 2)),
    ("e", |p| p.weekday.to_string()),
    ("E", |p| {
        (if p.weekday == 0 { 7 } else { p.weekday }).to_string()
    }),
    ("a", |p| (if p.hour < 12 { "am" } else { "pm" }).to_owned()),
    ("A", |p| (if p.hour < 12 { "AM" } else { "PM" }).to_owned()),
    ("hh", |p| pad(hour_12(p), 2)),
    ("h", |p| hour_12(p).to_string()),
    ("HH", |p| pad(p.hour, 2)),
    ("H", |p| p.hour.to_string()),
    ("kk", |p| pad(hour_24(p), 2)),
    ("k", |p| hour_24(p).to_string()),
    ("mm", |p| pad(p.minute, 2)),
    ("m", |p| p.minute.to_string()),
    ("ss", |p| pad(p.second, 2)),
    ("s", |p| p.second.to_string()),
    // Moment's times have milliseconds: further digits are zeros.
    ("SSSSSSSSS", |p| pad(p.millisecond * 1_000_000, 9)),
    ("SSSSSSSS", |p| pad(p.millisecond * 100_000, 8)),
    ("SSSSSSS", |p| pad(p.millisecond * 10_000, 7)),
    ("SSSSSS", |p| pad(p.millisecond * 1_000, 6)),
    ("SSSSS", |p| pad(p.millisecond * 100, 5)),
    ("SSSS", |p| pad(p.millisecond * 10, 4)),
    ("SSS", |p| pad(p.millisecond, 3)),
    ("SS", |p| pad(p.millisecond / 10, 2)),
    ("S", |p| (p.millisecond / 100).to_string()),
    ("x", |p| p.epoch_milliseconds.to_string()),
    ("X", |p| p.epoch_milliseconds.div_euclid(1_000).to_string()),
    // Moment writes the name of the zone only for UTC, and times are local here.
    ("zz", |_| String::new()),
    ("z", |_| String::new()),
    ("ZZ", |p| offset(p, "")),
    ("Z", |p| offset(p, ":")),
];

/// Adds zeros on the left up to `width` digits, after the sign.
fn pad(number: i32, width: usize) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:0width$}", number.unsigned_abs())
}

fn name<'names>(names: &[&'names str], index: i32) -> &'names str {
    usize::try_from(index)
        .ok()
        .and_then(|index| names.get(index))
        .copied()
        .unwrap_or_default()
}

fn short(name: &str, characters: usize) -> String {
    name.chars().take(characters).collect()
}

/// The hour from 1 to 12.
fn hour_12(parts: &MomentParts) -> i32 {
    match parts.hour % 12 {
        0 => 12,
        hour => hour,
    }
}

/// The hour from 1 to 24.
fn hour_24(parts: &MomentParts) -> i32 {
    match parts.hour {
        0 => 24,
        hour => hour,
    }
}

fn quarter(parts: &MomentParts) -> i32 {
    (parts.month + 2) / 3
}

fn era(parts: &MomentParts, after: &str, before: &str) -> String {
    (if parts.year > 0 { after } else { before }).to_owned()
}

/// The year in its era: year 0 is 1 BC.
fn era_year(parts: &MomentParts) -> i32 {
    if parts.year > 0 {
        parts.year
    } else {
        1 - parts.year
    }
}

fn offset(parts: &MomentParts, separator: &str) -> String {
    let sign = if parts.offset < 0 { '-' } else { '+' };
    let minutes = parts.offset.unsigned_abs();
    format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
}

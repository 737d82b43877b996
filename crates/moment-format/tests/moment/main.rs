//! Texts that moment 2.30.1 wrote, reproduced (`vault-semantics.md` §6.1). `make.mjs` recorded
//! them.

#![expect(clippy::unwrap_used, reason = "a test program")]

use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};
use moment_format::{format, humanize};

const TOKENS: &str = include_str!("tokens-en.tsv");
const PATTERNS: &str = include_str!("patterns-en.tsv");
const DURATIONS: &str = include_str!("humanize-en.tsv");

/// A recorded cell with its line breaks.
fn text(cell: &str) -> String {
    cell.replace('␊', "\n")
        .replace('␍', "\r")
        .replace('␤', "\u{2028}")
}

fn instant(milliseconds: &str, offset: &str) -> Zoned {
    let offset = Offset::from_seconds(offset.parse().unwrap()).unwrap();
    Timestamp::from_millisecond(milliseconds.parse().unwrap())
        .unwrap()
        .to_zoned(TimeZone::fixed(offset))
}

/// The first rows that differ, and how many do.
fn assert_none(differences: &[String]) {
    let first = &differences[..differences.len().min(20)];
    assert!(
        differences.is_empty(),
        "{} differ: {first:#?}",
        differences.len()
    );
}

fn compare(moment: &Zoned, pattern: &str, expected: &str, differences: &mut Vec<String>) {
    let written = format(moment, pattern);
    if written != expected {
        differences.push(format!(
            "{pattern:?} at {moment}: {written:?}, moment writes {expected:?}"
        ));
    }
}

#[test]
fn every_token_at_every_instant() {
    let mut rows = TOKENS.lines();
    let tokens: Vec<&str> = rows.next().unwrap().split('\t').skip(2).collect();
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('\t').collect();
        assert_eq!(cells.len(), tokens.len() + 2, "{row}");
        let moment = instant(cells[0], cells[1]);
        for (token, expected) in tokens.iter().zip(&cells[2..]) {
            compare(&moment, token, expected, &mut differences);
            compared += 1;
        }
    }
    assert_none(&differences);
    assert_eq!((tokens.len(), compared), (88, 13_024));
}

#[test]
fn whole_patterns_with_escapes_and_what_is_no_token() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in PATTERNS.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [milliseconds, offset, pattern, expected] = cells[..] else {
            panic!("{row}");
        };
        let moment = instant(milliseconds, offset);
        compare(&moment, &text(pattern), &text(expected), &mut differences);
        compared += 1;
    }
    assert_none(&differences);
    assert_eq!(compared, 1_090);
}

#[test]
fn durations_in_words() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in DURATIONS.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [milliseconds, plain, with_suffix, negative] = cells[..] else {
            panic!("{row}");
        };
        let duration = SignedDuration::from_millis(milliseconds.parse().unwrap());
        for (written, expected) in [
            (humanize(duration, false), plain),
            (humanize(-duration, false), plain),
            (humanize(duration, true), with_suffix),
            (humanize(-duration, true), negative),
        ] {
            if written != expected {
                differences.push(format!(
                    "{milliseconds} ms: {written:?}, moment writes {expected:?}"
                ));
            }
        }
        compared += 1;
    }
    assert_none(&differences);
    assert_eq!(compared, 796);
}

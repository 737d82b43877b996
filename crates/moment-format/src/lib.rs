#![doc = include_str!("../README.md")]
//!
//! The patterns give daily notes their names (`vault-semantics.md` §6.1).

mod english;
mod fields;
mod humanize;
mod parts;
mod pattern;

use jiff::Zoned;

pub use self::humanize::humanize;

use self::parts::MomentParts;
use self::pattern::PatternPiece;

/// The pattern that moment uses instead of an empty one.
const DEFAULT_PATTERN: &str = "YYYY-MM-DDTHH:mm:ssZ";

/// Formats `moment` by `pattern`. The time zone of `moment` counts as the local time zone; for local times, moment
/// writes nothing for `z`.
///
/// Never fails: text that is not a token is copied. As in moment, line breaks outside of brackets
/// are dropped, and an empty pattern means `YYYY-MM-DDTHH:mm:ssZ`.
pub fn format(moment: &Zoned, pattern: &str) -> String {
    let pattern = if pattern.is_empty() {
        DEFAULT_PATTERN
    } else {
        pattern
    };
    let expanded = pattern::expand(pattern);
    let parts = MomentParts::new(moment);
    let mut text = String::with_capacity(expanded.len());
    for piece in pattern::pieces(&expanded) {
        match piece {
            PatternPiece::Field(render) => text.push_str(&render(&parts)),
            PatternPiece::Literal(literal) => text.push_str(literal),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::civil::date;
    use jiff::tz::TimeZone;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_daily_note_name() {
        let moment = date(2024, 2, 29)
            .at(7, 5, 9, 0)
            .to_zoned(TimeZone::UTC)
            .unwrap();
        assert_eq!(
            format(&moment, "YYYY/MM-MMMM/YYYY-MM-DD-dddd"),
            "2024/02-February/2024-02-29-Thursday"
        );
        assert_eq!(format(&moment, "[Week] gggg-[W]ww"), "Week 2024-W09");
    }

    #[test]
    fn an_escaped_token_is_kept_as_a_whole() {
        let moment = date(2024, 2, 29)
            .at(7, 5, 9, 0)
            .to_zoned(TimeZone::UTC)
            .unwrap();
        assert_eq!(format(&moment, r"\YYYY \LLLL YY"), "YYYY LLLL 24");
        assert_eq!(format(&moment, "[a]YY]"), "a]YY");
        assert_eq!(format(&moment, "[YY"), "[24");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_pattern_and_no_instant_panics(
            seconds in -377_000_000_000_i64..253_000_000_000,
            pattern in r"([\PC\n]|[YMDdHhmsSwWgGQNyaAkxXzZLlToe|\[\]\\]){0,24}",
        ) {
            let moment = Timestamp::from_second(seconds).unwrap().to_zoned(TimeZone::UTC);
            let _text = format(&moment, &pattern);
        }

        #[test]
        fn a_bracketed_text_is_copied(text in r"[^\[\]]{0,12}") {
            let moment = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC);
            prop_assert_eq!(format(&moment, &format!("[{text}]")), text);
        }
    }
}

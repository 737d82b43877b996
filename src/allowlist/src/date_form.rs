//! Parameters that are dates: the valid texts, and the likely meaning of an invalid one.

use jiff::civil::{Date, DateTime};

use protocol::words;

words! {
    /// The forms in which a date can be written.
    pub enum DateForm {
        /// A day, such as `2026-03-14`.
        Day = "day",
        /// A day, or one of three words such as `today`.
        NamedDay = "named-day",
        /// A day, one of the three words, a day with a time, or a span before now.
        Moment = "moment",
    }
}

impl DateForm {
    /// Returns the valid forms in words, for a message.
    pub(super) const fn rule(self) -> &'static str {
        match self {
            Self::Day => "a day such as `2026-03-14`",
            Self::NamedDay => "a day such as `2026-03-14`, or `today`, `tomorrow`, `yesterday`",
            Self::Moment => {
                "a day such as `2026-03-14` or `yesterday`, a time such as `2026-03-14T09:30`, or a span before now such as `7d` or `12h`"
            }
        }
    }

    /// Whether a text is a date in this form.
    pub(super) fn holds(self, text: &str) -> bool {
        is_day(text)
            || match self {
                Self::Day => false,
                Self::NamedDay => is_named_day(text),
                Self::Moment => {
                    is_named_day(text) || text.parse::<DateTime>().is_ok() || is_span(text)
                }
            }
    }
}

/// Whether a text is a word for a day.
fn is_named_day(text: &str) -> bool {
    ["today", "tomorrow", "yesterday"].contains(&text)
}

/// Whether a text is a day: `2026-03-14`.
pub(super) fn is_day(text: &str) -> bool {
    text.len() == "2026-03-14".len() && text.parse::<Date>().is_ok()
}

/// Describes why a text in the form of a day, with or without a time, is not a day.
pub(super) fn impossible_day(text: &str) -> Option<String> {
    let text = text.split_once('T').map_or(text, |(day, _)| day);
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else {
        return None;
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let lengths = [year.len(), month.len(), day.len()] == [4, 2, 2];
    if !lengths || !parts.iter().all(|part| is_number(part)) || is_day(text) {
        return None;
    }
    let first: Option<Date> = format!("{year}-{month}-01").parse().ok();
    Some(match first {
        Some(first) => {
            format!(
                "there is no such day; {year}-{month} has {} days",
                first.days_in_month()
            )
        }
        None => "there is no such day; months go from `01` to `12`".to_owned(),
    })
}

/// Whether a text is a span: `7d`, `12h`, `2w`.
fn is_span(text: &str) -> bool {
    let count = text.strip_suffix(['h', 'd', 'w']);
    count.is_some_and(|count| count.parse::<u32>().is_ok() && !count.starts_with('+'))
}

/// Returns the days that a text in another form may mean: `2026/3/5`, `14.3.2026`, `20260314`. Two if day and month
/// could be swapped.
pub(super) fn days_meant(text: &str) -> Vec<String> {
    let plain = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = if plain {
        [0..4, 4..6, 6..8]
            .into_iter()
            .filter_map(|at| text.get(at))
            .collect()
    } else {
        text.trim().split(['/', '.', '-', ' ']).collect()
    };
    let [first, second, third] = parts.as_slice() else {
        return Vec::new();
    };
    let orders = match (first.len(), third.len()) {
        (4, _) => vec![(first, second, third)],
        (_, 4) => vec![(third, second, first), (third, first, second)],
        _ => Vec::new(),
    };
    let mut days: Vec<String> = orders
        .into_iter()
        .map(|(year, month, day)| format!("{year}-{month:0>2}-{day:0>2}"))
        .filter(|day| is_day(day))
        .collect();
    days.dedup();
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("date_form_cases.txt");

    #[test]
    fn each_form_takes_its_dates() {
        for (text, day, named, moment) in
            tables::typed::<(&str, bool, bool, bool)>(CASES, "each form takes its dates")
        {
            let forms = [DateForm::Day, DateForm::NamedDay, DateForm::Moment];
            let holds = forms.map(|form| form.holds(text));
            assert_eq!(holds, [day, named, moment], "{text}");
        }
    }

    #[test]
    fn a_day_that_does_not_exist_is_reported() {
        for (text, says) in
            tables::typed::<(&str, Option<&str>)>(CASES, "a day that does not exist is reported")
        {
            let shown = impossible_day(text);
            match says {
                Some(says) => assert!(shown.is_some_and(|shown| shown.contains(says)), "{text}"),
                None => assert_eq!(shown, None, "{text}"),
            }
        }
    }

    #[test]
    fn a_day_in_another_form_is_recognised() {
        for (text, days) in [
            ("2026/3/5", &["2026-03-05"][..]),
            ("14.3.2026", &["2026-03-14"]),
            ("3/14/2026", &["2026-03-14"]),
            ("01/02/2026", &["2026-02-01", "2026-01-02"]),
            ("03/03/2026", &["2026-03-03"]),
            ("20260314", &["2026-03-14"]),
            ("2026-13-45", &[]),
            ("next Friday", &[]),
            ("\u{e9}\u{e9}\u{e9}\u{e9}", &[]),
        ] {
            assert_eq!(days_meant(text), days, "{text}");
        }
    }
}

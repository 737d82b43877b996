//! The rules of recurring tasks, and the day on which a rule comes next (`vault-semantics.md` §3.4).
//!
//! The Tasks plugin reads a rule with the library rrule. Only rules whose next day is certain are read here; any other
//! rule is `None`.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan as _};

/// A rule such as `every 2 weeks on Monday when done`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recurrence {
    every: Interval,
    /// Whether the next day counts from the day on which the task is done, not from its own date.
    pub(super) when_done: bool,
}

/// The days of a rule. The number is how many units lie between two occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Interval {
    Days(i64),
    /// On these days of the week; on the day of the date if there are none.
    Weeks(i64, Vec<Weekday>),
    Months(i64, DayOfMonth),
    Years(i64),
}

/// The day of a monthly rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DayOfMonth {
    /// The day of the date, or the last of the month if it has no such day.
    OfDate,
    /// These days, from 1, or counted back from the end with -1 for the last. A month without such a day is left out.
    Numbers(Vec<i8>),
    /// The first Monday (1), the last Friday (-1).
    Nth(i8, Weekday),
}

/// The most months that are looked through for a day, as many as there are in 100 years.
const MOST_MONTHS: i64 = 1200;
/// The longest interval, so that no date leaves the calendar on the way.
const LONGEST: i64 = 10_000;

impl Recurrence {
    /// Reads a rule. `None` if the next day cannot be computed from it for certain.
    pub(super) fn parse(rule: &str) -> Option<Self> {
        let rule = rule.to_lowercase();
        let (rule, when_done) = match rule.trim().strip_suffix(" when done") {
            Some(rule) => (rule, true),
            None => (rule.trim(), false),
        };
        let spaced = rule.replace(',', " , ");
        let mut words = spaced.split_whitespace().peekable();
        if words.next()? != "every" {
            return None;
        }
        let number = words.peek().and_then(|word| word.parse::<i64>().ok());
        if number.is_some() {
            words.next();
        }
        let count = number.unwrap_or(1);
        if !(1..=LONGEST).contains(&count) {
            return None;
        }
        let unit = words.next()?;
        let rest: Vec<&str> = words.collect();
        let every = match unit {
            "day" | "days" if rest.is_empty() => Interval::Days(count),
            "week" | "weeks" if rest.is_empty() => Interval::Weeks(count, Vec::new()),
            "week" | "weeks" => Interval::Weeks(count, weekdays(after_on(&rest)?)?),
            "month" | "months" if rest.is_empty() => Interval::Months(count, DayOfMonth::OfDate),
            "month" | "months" => Interval::Months(count, day_of_month(after_on(&rest)?)?),
            "year" | "years" if rest.is_empty() => Interval::Years(count),
            "weekday" | "weekdays" if rest.is_empty() && number.is_none() => {
                Interval::Weeks(1, WORKING_DAYS.to_vec())
            }
            day if number.is_none() => {
                let days: Vec<&str> = std::iter::once(day).chain(rest).collect();
                Interval::Weeks(1, weekdays(&days)?)
            }
            _ => return None,
        };
        Some(Self { every, when_done })
    }

    /// Returns the first day of the rule after this one. `None` if it is not in the calendar.
    pub(super) fn next_after(&self, date: Date) -> Option<Date> {
        match &self.every {
            Interval::Days(days) => date.checked_add(days.days()).ok(),
            Interval::Weeks(weeks, days) if days.is_empty() => date.checked_add(weeks.weeks()).ok(),
            Interval::Weeks(weeks, days) => {
                let is_named = |date: &Date| days.contains(&date.weekday());
                let monday = date
                    .checked_sub(date.weekday().to_monday_zero_offset().days())
                    .ok()?;
                let next_week = monday.checked_add(weeks.weeks()).ok()?;
                let rest_of_week = date.series(1.day()).skip(1);
                let rest_of_week = rest_of_week.take_while(|day| day.weekday() != Weekday::Monday);
                rest_of_week
                    .chain(next_week.series(1.day()).take(7))
                    .find(is_named)
            }
            // A day that the month does not have becomes its last one.
            Interval::Months(months, DayOfMonth::OfDate) => date.checked_add(months.months()).ok(),
            Interval::Months(months, day) => {
                let first = date.first_of_month();
                let month = |step: i64| {
                    let ahead = Span::new().try_months(step * months).ok()?;
                    first.checked_add(ahead).ok()
                };
                (0..MOST_MONTHS)
                    .map_while(month)
                    .find_map(|month| day.first_after(date, month))
            }
            Interval::Years(years) => date.checked_add(years.years()).ok(),
        }
    }
}

impl DayOfMonth {
    /// Returns the first of the days in a month, which is named by its first day, that is after `date`.
    fn first_after(&self, date: Date, month: Date) -> Option<Date> {
        let days = match self {
            Self::OfDate => Vec::new(),
            Self::Numbers(numbers) => {
                let length = month.days_in_month();
                let day = |number: &i8| match *number {
                    back if back < 0 => length + 1 + back,
                    number => number,
                };
                let days = numbers.iter().map(day);
                days.filter_map(|day| Date::new(month.year(), month.month(), day).ok())
                    .collect()
            }
            Self::Nth(nth, weekday) => {
                let day = month.nth_weekday_of_month(*nth, *weekday);
                day.into_iter().collect()
            }
        };
        days.into_iter().filter(|day| *day > date).min()
    }
}

const WORKING_DAYS: [Weekday; 5] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
];

/// The words after `on` or `in`, and `the`.
fn after_on<'rest, 'word>(words: &'rest [&'word str]) -> Option<&'rest [&'word str]> {
    let (on, rest) = words.split_first()?;
    if !matches!(*on, "on" | "in") {
        return None;
    }
    Some(rest.strip_prefix(&["the"]).unwrap_or(rest))
}

/// The items of a list with commas, `and` or `or` between them. `None` if there is no item where one is needed.
fn items<'rest, 'word>(words: &'rest [&'word str]) -> Option<Vec<&'rest [&'word str]>> {
    let is_between = |word: &&str| matches!(*word, "," | "and" | "or");
    // `Monday, and Friday` has two separators in a row.
    let items: Vec<_> = words
        .split(is_between)
        .enumerate()
        .filter(|(place, item)| !item.is_empty() || *place == 0)
        .map(|(_, item)| item.strip_prefix(&["the"]).unwrap_or(item))
        .collect();
    let is_ended = words.last().is_some_and(|last| !is_between(last));
    (is_ended && items.iter().all(|item| !item.is_empty())).then_some(items)
}

/// A list of days of the week.
fn weekdays(words: &[&str]) -> Option<Vec<Weekday>> {
    let day = |item: &[&str]| match item {
        [word] => weekday(word),
        _ => None,
    };
    items(words)?.into_iter().map(day).collect()
}

/// A day of the week by its name or a form of it that rrule reads, such as `mo` or `mon`.
fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "mo" | "mon" | "monday" => Weekday::Monday,
        "tu" | "tue" | "tues" | "tuesday" => Weekday::Tuesday,
        "we" | "wed" | "wednesday" => Weekday::Wednesday,
        "th" | "thu" | "thur" | "thurs" | "thursday" => Weekday::Thursday,
        "fr" | "fri" | "friday" => Weekday::Friday,
        "sa" | "sat" | "saturday" => Weekday::Saturday,
        "su" | "sun" | "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

/// `1st and 15th`, `last`, `2nd Wednesday`, `last Friday`, `2nd last Friday`.
fn day_of_month(words: &[&str]) -> Option<DayOfMonth> {
    let items = items(words)?;
    if let [item] = items.as_slice()
        && let [nth @ .., day] = *item
        && let Some(day) = weekday(day)
    {
        let nth = ordinal(nth).filter(|nth| (1..=5).contains(&nth.abs()))?;
        return Some(DayOfMonth::Nth(nth, day));
    }
    let number = |item: &[&str]| ordinal(item).filter(|number| (1..=31).contains(&number.abs()));
    let numbers: Option<Vec<i8>> = items.into_iter().map(number).collect();
    numbers.map(DayOfMonth::Numbers)
}

/// `1st` is 1, `last` is -1, `2nd last` is -2.
fn ordinal(words: &[&str]) -> Option<i8> {
    let number = |word: &str| match word {
        "first" => Some(1),
        "second" => Some(2),
        "third" => Some(3),
        _ => {
            let endings = ["st", "nd", "rd", "th"];
            let digits = endings
                .iter()
                .find_map(|ending| word.strip_suffix(ending))?;
            digits.parse::<i8>().ok().filter(|number| *number > 0)
        }
    };
    match words {
        ["last"] => Some(-1),
        [word] => number(word),
        [word, "last"] => number(word).map(|number| -number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    const CASES: &str = include_str!("recurrence_cases.txt");

    /// The cases of the plugin itself: `recurrenceCases` in its `tests/Task/Task.test.ts`, and `tests/Task/Recurrence.test.ts`
    /// (obsidian-tasks at cc0fce3, MIT).
    #[test]
    fn the_next_day_is_that_of_the_plugin() {
        for [rule, date, next] in tables::section(CASES, "the next day is that of the plugin") {
            let read = Recurrence::parse(rule).unwrap();
            let found = read.next_after(date.parse().unwrap());
            assert_eq!(
                found.map(|day| day.to_string()).as_deref(),
                Some(next),
                "{rule} {date}"
            );
        }
    }

    #[test]
    fn a_rule_that_is_not_certain_is_none() {
        for rule in tables::lines(CASES, "a rule that is not certain is none") {
            assert_eq!(Recurrence::parse(rule), None, "{rule}");
        }
        let when_done = Recurrence::parse("every day When Done").unwrap();
        assert!(when_done.when_done);
        // Every February has a 29th only in leap years, and no year has a 30th.
        let leap: Date = "2096-02-29".parse().unwrap();
        let rule = |rule| Recurrence::parse(rule).unwrap();
        let next = rule("every 12 months on the 29th").next_after(leap);
        assert_eq!(next.unwrap().to_string(), "2104-02-29");
        assert_eq!(rule("every 12 months on the 30th").next_after(leap), None);
        assert_eq!(rule("every 9996 months on the 30th").next_after(leap), None);
        assert_eq!(rule("every day").next_after(Date::MAX), None);
    }
}

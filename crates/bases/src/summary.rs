//! Summaries of columns (`vault-semantics.md` §5.3).

use std::collections::HashSet;

use crate::date::Date;
use crate::duration::Duration;
use crate::evaluate::{Setting, unique_key};
use crate::number;
use crate::statistics;
use crate::value::Value;

type Summarise = fn(&Setting<'_>, &[Value]) -> Value;

/// The summaries that exist in every base.
const BUILT_IN: &[(&str, Summarise)] = &[
    ("Average", |_, values| statistics::mean(values)),
    ("Min", |_, values| statistics::least(values)),
    ("Max", |_, values| statistics::greatest(values)),
    ("Sum", |_, values| statistics::sum(values)),
    ("Range", |_, values| range(values)),
    ("Median", |_, values| statistics::median(values)),
    ("Stddev", |_, values| statistics::deviation(values)),
    ("Earliest", |_, values| {
        earliest(values).map_or(Value::Null, Value::Date)
    }),
    ("Latest", |_, values| {
        latest(values).map_or(Value::Null, Value::Date)
    }),
    ("Checked", |_, values| {
        count(values, |value| matches!(value, Value::Boolean(true)))
    }),
    ("Unchecked", |_, values| {
        count(values, |value| matches!(value, Value::Boolean(false)))
    }),
    ("Empty", |_, values| count(values, Value::is_empty)),
    ("Filled", |_, values| {
        count(values, |value| !value.is_empty())
    }),
    ("Unique", |setting, values| {
        let keys: HashSet<String> = values
            .iter()
            .map(|value| unique_key(setting, value))
            .collect();
        Value::Number(number::from_count(keys.len()))
    }),
];

/// Whether a summary of this name exists in every base.
pub(crate) fn is_summary(name: &str) -> bool {
    find(name).is_some()
}

pub(crate) fn find(name: &str) -> Option<Summarise> {
    let found = BUILT_IN.iter().find(|(known, _)| *known == name);
    found.map(|(_, summarise)| *summarise)
}

fn count(values: &[Value], is_it: impl Fn(&Value) -> bool) -> Value {
    let count = values.iter().filter(|value| is_it(value)).count();
    Value::Number(number::from_count(count))
}

fn dates(values: &[Value]) -> impl Iterator<Item = Date> {
    values.iter().filter_map(|value| match value {
        Value::Date(date) => Some(*date),
        _ => None,
    })
}

fn earliest(values: &[Value]) -> Option<Date> {
    dates(values).min_by_key(|date| date.at)
}

fn latest(values: &[Value]) -> Option<Date> {
    dates(values).max_by_key(|date| date.at)
}

/// The range of numbers is a number, the range of dates a duration.
fn range(values: &[Value]) -> Value {
    match (statistics::least(values), statistics::greatest(values)) {
        (Value::Number(least), Value::Number(greatest)) => Value::Number(greatest - least),
        _ => match (earliest(values), latest(values)) {
            (Some(earliest), Some(latest)) => {
                let difference = latest.milliseconds() - earliest.milliseconds();
                Value::Duration(Duration::from_milliseconds(difference))
            }
            _ => Value::Null,
        },
    }
}

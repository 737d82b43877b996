//! The order of rows.

use std::cmp::Ordering;

use jiff::Timestamp;

use crate::evaluate::{Setting, sort_text};
use crate::value::Value;

/// A sort key: computed once for each row, and bounded in size.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SortValue {
    Boolean(bool),
    Number(f64),
    Date(Timestamp),
    Duration(f64),
    Text(String),
    /// Empty values come last in both directions.
    Empty,
}

/// The most bytes of a text that are compared.
const MOST_COMPARED: usize = 1_024;

/// A text cut to the part that is compared.
pub(super) fn cut(mut text: String) -> String {
    let mut end = text.len().min(MOST_COMPARED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.shrink_to_fit();
    text
}

impl SortValue {
    pub(super) fn new(setting: &Setting<'_>, value: &Value) -> Self {
        match value {
            value if value.is_empty() => Self::Empty,
            Value::Boolean(truth) => Self::Boolean(*truth),
            Value::Number(number) => Self::Number(*number),
            Value::Date(date) => Self::Date(date.at),
            Value::Duration(duration) => Self::Duration(duration.in_milliseconds()),
            other => Self::Text(cut(sort_text(setting, other))),
        }
    }

    pub(super) fn compare(
        &self,
        other: &Self,
        setting: &Setting<'_>,
        descending: bool,
    ) -> Ordering {
        match (self, other) {
            (Self::Empty, Self::Empty) => return Ordering::Equal,
            (Self::Empty, _) => return Ordering::Greater,
            (_, Self::Empty) => return Ordering::Less,
            _ => {}
        }
        let ascending = match (self, other) {
            (Self::Boolean(left), Self::Boolean(right)) => left.cmp(right),
            (Self::Number(left), Self::Number(right))
            | (Self::Duration(left), Self::Duration(right)) => left.total_cmp(right),
            (Self::Date(left), Self::Date(right)) => left.cmp(right),
            (Self::Text(left), Self::Text(right)) => setting.notes.compare_texts(left, right),
            (left, right) => left.rank().cmp(&right.rank()),
        };
        if descending { ascending.reverse() } else { ascending }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Boolean(_) => 0,
            Self::Number(_) => 1,
            Self::Date(_) => 2,
            Self::Duration(_) => 3,
            Self::Text(_) => 4,
            Self::Empty => 5,
        }
    }
}

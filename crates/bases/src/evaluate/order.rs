//! The order of values: numbers by size, dates by time, texts as in the user's language. Values of
//! different kinds are in the order of their kinds.

use std::cmp::Ordering;

use jiff::Timestamp;

use super::setting::Setting;
use crate::value::Value;

/// A sort key, computed once for each row or item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SortValue {
    Boolean(bool),
    Number(f64),
    Date(Timestamp),
    Duration(f64),
    Text(String),
    /// Empty values come last in both directions.
    Empty,
}

/// A text cut to its first `most` bytes.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.shrink_to_fit();
    text
}

impl SortValue {
    /// The key of a value; at most `most` bytes of its text are compared.
    pub(crate) fn new(setting: &Setting<'_>, value: &Value, most: usize) -> Self {
        match value {
            value if value.is_empty() => Self::Empty,
            Value::Boolean(truth) => Self::Boolean(*truth),
            Value::Number(number) => Self::Number(*number),
            Value::Date(date) => Self::Date(date.at),
            Value::Duration(duration) => Self::Duration(duration.in_milliseconds()),
            other => Self::Text(cut(sort_text(setting, other), most)),
        }
    }

    pub(crate) fn compare(
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
        if descending {
            ascending.reverse()
        } else {
            ascending
        }
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

/// The text by which a value is sorted; for a link its display text.
fn sort_text(setting: &Setting<'_>, value: &Value) -> String {
    match value {
        Value::Link(link) => match &link.display {
            Some(display) => setting.text(display),
            None => link.target.to_string(),
        },
        other => setting.text(other),
    }
}

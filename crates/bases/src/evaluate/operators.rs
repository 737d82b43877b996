//! Operators, and the conversion of values to text and numbers.

use std::borrow::Cow;

use super::error::{ExpressionError, Outcome, may_make, no_number};
use super::evaluation::Evaluation;
use super::scope::Scope;
use super::setting::Setting;
use crate::date::Date;
use crate::duration::Duration;
use crate::link::Link;
use crate::notes::FileNumber;
use crate::number;
use crate::syntax::{Node, Operator};
use crate::value::Value;
use yaml_events::scalar::number_text;

/// The separator of list items in a list's text (`vault-semantics.md` §5.2).
const LIST_SEPARATOR: &str = ", ";

impl Setting<'_> {
    /// The text of a value, as `toString()` gives it.
    pub(crate) fn text(&self, value: &Value) -> String {
        match value {
            Value::Null => String::new(),
            Value::Boolean(truth) => truth.to_string(),
            Value::Number(number) => number_text(*number),
            Value::Text(text) | Value::Tag(text) | Value::Html(text) | Value::Icon(text) => {
                text.to_string()
            }
            Value::Date(date) => date.text(self.zone()),
            Value::Duration(duration) => duration.text(),
            Value::List(list) => {
                let texts: Vec<String> = list.items().iter().map(|item| self.text(item)).collect();
                texts.join(LIST_SEPARATOR)
            }
            Value::Object(_) => self.json(value).to_string(),
            Value::File(file) => self.notes.path(*file).to_owned(),
            Value::Link(link) => self.link_text(link),
            Value::Regexp(regexp) => regexp.text(),
            Value::Image(path) => format!("![]({path})"),
        }
    }

    /// The text of a value in a cell; tags have their `#` (`vault-semantics.md` §5.2).
    pub(crate) fn cell_text(&self, value: &Value) -> String {
        match value {
            Value::Tag(tag) => format!("#{tag}"),
            Value::List(list) => {
                let items = list.items().iter().map(|item| self.cell_text(item));
                items.collect::<Vec<_>>().join(LIST_SEPARATOR)
            }
            other => self.text(other),
        }
    }

    fn link_text(&self, link: &Link) -> String {
        let target = &link.target;
        if link.is_external() {
            return target.to_string();
        }
        match &link.display {
            Some(display) => format!("[[{target}|{}]]", self.text(display)),
            None => format!("[[{target}]]"),
        }
    }

    /// The value as JSON; links and files become their paths.
    pub(crate) fn json(&self, value: &Value) -> serde_json::Value {
        match value {
            Value::Null => serde_json::Value::Null,
            Value::Boolean(truth) => (*truth).into(),
            Value::Number(number) => number::json(*number),
            Value::List(list) => list.items().iter().map(|item| self.json(item)).collect(),
            Value::Object(object) => {
                let entries = object.entries().iter();
                entries
                    .map(|(name, value)| (name.to_string(), self.json(value)))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }
            other => self.plain_text(other).unwrap_or_default().into(),
        }
    }

    /// The text by which texts and similar values are compared; `None` for other values.
    fn plain_text<'value>(&'value self, value: &'value Value) -> Option<Cow<'value, str>> {
        if let Some(text) = value.characters() {
            return Some(Cow::Borrowed(text));
        }
        match value {
            Value::File(file) => Some(Cow::Borrowed(self.notes.path(*file))),
            Value::Date(_) | Value::Duration(_) | Value::Regexp(_) => {
                Some(Cow::Owned(self.text(value)))
            }
            _ => None,
        }
    }

    /// Whether two values are equal: links by the file that they lead to, or else by their text
    /// (`vault-semantics.md` §5.3); texts by their characters, other values by their parts.
    pub(crate) fn equal(&self, left: &Value, right: &Value) -> bool {
        match (left, right) {
            (Value::Null, Value::Null) => true,
            (Value::Boolean(left), Value::Boolean(right)) => left == right,
            #[expect(clippy::float_cmp, reason = "JavaScript compares so too")]
            (Value::Number(left), Value::Number(right)) => left == right,
            (Value::Date(left), Value::Date(right)) => left.is(*right, self.zone()),
            (Value::Date(date), Value::Text(text)) | (Value::Text(text), Value::Date(date)) => {
                let zone = self.zone();
                Date::parse(text, zone).is_some_and(|other| date.is(other, zone))
            }
            (Value::Link(left), Value::Link(right)) => {
                match (self.leads_to(left), self.leads_to(right)) {
                    (None, None) => left.target == right.target,
                    (left, right) => left == right,
                }
            }
            (Value::Link(link), Value::File(file)) | (Value::File(file), Value::Link(link)) => {
                self.leads_to(link) == Some(*file)
            }
            (Value::List(left), Value::List(right)) => {
                let (left, right) = (left.items(), right.items());
                let mut pairs = left.iter().zip(right);
                left.len() == right.len() && pairs.all(|(left, right)| self.equal(left, right))
            }
            (Value::Object(left), Value::Object(right)) => {
                let (left, right) = (left.entries(), right.entries());
                let mut pairs = left.iter().zip(right);
                left.len() == right.len()
                    && pairs.all(|(left, right)| left.0 == right.0 && self.equal(&left.1, &right.1))
            }
            (Value::Tag(tag), Value::Text(other) | Value::Tag(other))
            | (Value::Text(other), Value::Tag(tag)) => tag.to_lowercase() == bare(other),
            (left, right) => match (self.plain_text(left), self.plain_text(right)) {
                (Some(left), Some(right)) => left == right,
                _ => false,
            },
        }
    }

    /// The file that a link leads to.
    pub(crate) fn leads_to(&self, link: &Link) -> Option<FileNumber> {
        if link.is_external() {
            return None;
        }
        self.notes.resolve(link.linkpath(), link.source)
    }
}

/// A tag without its `#`, in the form in which tags are compared.
fn bare(tag: &str) -> String {
    tag.strip_prefix('#').unwrap_or(tag).to_lowercase()
}

/// Whether a tag is `wanted` or nested in it, in any case (`vault-semantics.md` §5.3).
pub(super) fn tag_is_within(tag: &str, wanted: &str) -> bool {
    let (tag, wanted) = (bare(tag), bare(wanted));
    tag.strip_prefix(wanted.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A value as a number.
pub(super) fn number_of(value: &Value) -> Result<f64, ExpressionError> {
    number_or(value, || {
        ExpressionError::new(format!("Cannot convert {} to number", value.kind()))
    })
}

/// A value as a number; fails with `no_numbers` for a type without numbers.
fn number_or(
    value: &Value,
    no_numbers: impl FnOnce() -> ExpressionError,
) -> Result<f64, ExpressionError> {
    Ok(match value {
        Value::Number(number) => *number,
        Value::Boolean(truth) => f64::from(u8::from(*truth)),
        Value::Null => 0.0,
        Value::Date(date) => date.milliseconds(),
        Value::Duration(duration) => duration.in_milliseconds(),
        Value::Text(text) | Value::Tag(text) => {
            return number::parse(text).ok_or_else(|| no_number(text));
        }
        _ => return Err(no_numbers()),
    })
}

impl Evaluation<'_> {
    pub(super) fn chain(
        &self,
        first: &Node,
        links: &[(Operator, Node)],
        scope: &Scope<'_>,
    ) -> Outcome {
        let mut left = self.node(first, scope)?;
        for (operator, node) in links {
            self.spent.step()?;
            left = match operator {
                Operator::And | Operator::Or => {
                    let is_open = left.is_truthy() == (*operator == Operator::And);
                    let right = is_open.then(|| self.node(node, scope)).transpose()?;
                    Value::Boolean(right.unwrap_or(left).is_truthy())
                }
                operator => {
                    let right = self.node(node, scope)?;
                    self.operate(*operator, &left, &right)?
                }
            };
        }
        Ok(left)
    }

    fn operate(&self, operator: Operator, left: &Value, right: &Value) -> Outcome {
        match operator {
            Operator::Equal => self.equal(left, right).map(Value::Boolean),
            Operator::NotEqual => self.equal(left, right).map(|equal| Value::Boolean(!equal)),
            Operator::Greater
            | Operator::Less
            | Operator::GreaterOrEqual
            | Operator::LessOrEqual => self.compare(operator, left, right),
            Operator::Plus => self.plus(left, right),
            Operator::Minus => self.minus(left, right),
            Operator::Times | Operator::Divided | Operator::Modulo => {
                multiplied(operator, left, right)
            }
            Operator::And | Operator::Or => Ok(Value::Null),
        }
    }

    /// As [`Setting::equal`]. Charges for the lighter of the two.
    pub(super) fn equal(&self, left: &Value, right: &Value) -> Result<bool, ExpressionError> {
        let weight = left.size().weight.min(right.size().weight);
        self.spent.weigh(weight)?;
        Ok(self.setting.equal(left, right))
    }

    fn plus(&self, left: &Value, right: &Value) -> Outcome {
        if let (Value::Date(date), Some(duration)) = (left, duration(right)) {
            return self.moved(*date, &duration, 1.0);
        }
        match (left, right) {
            (Value::Duration(duration), Value::Date(date)) => self.moved(*date, duration, 1.0),
            (Value::Duration(left), Value::Duration(right)) => {
                Ok(Value::Duration(left.plus(right, 1.0)))
            }
            (Value::List(left), Value::List(right)) => {
                self.made(Value::list([left.items(), right.items()].concat()))
            }
            (Value::Date(_), Value::Null) | (Value::Null, Value::Date(_)) => Ok(Value::Null),
            (left, right) if left.as_text().is_some() || right.as_text().is_some() => {
                let (left, right) = (self.text_of(left)?, self.text_of(right)?);
                may_make(left.len() + right.len())?;
                self.made_text([&*left, &*right].concat())
            }
            (left, right) => {
                let (left, right) = numbers(left, right)?;
                Ok(Value::Number(left + right))
            }
        }
    }

    fn minus(&self, left: &Value, right: &Value) -> Outcome {
        if let (Value::Date(date), Some(duration)) = (left, duration(right)) {
            return self.moved(*date, &duration, -1.0);
        }
        match (left, right) {
            (Value::Date(left), Value::Date(right)) => {
                let difference = left.milliseconds() - right.milliseconds();
                Ok(Value::Duration(Duration::from_milliseconds(difference)))
            }
            (Value::Date(_), Value::Null) | (Value::Null, Value::Date(_)) => Ok(Value::Null),
            (Value::Duration(left), Value::Duration(right)) => {
                Ok(Value::Duration(left.plus(right, -1.0)))
            }
            (left, right) => {
                let (left, right) = numbers(left, right)?;
                Ok(Value::Number(left - right))
            }
        }
    }

    fn moved(&self, date: Date, duration: &Duration, sign: f64) -> Outcome {
        let zone = self.setting.zone();
        let moved = date.plus(duration, sign, zone).map(Value::Date);
        moved.ok_or_else(|| ExpressionError::new("The date is out of range"))
    }

    /// A missing value is neither less nor greater than anything (`vault-semantics.md` §5.3).
    fn compare(&self, operator: Operator, left: &Value, right: &Value) -> Outcome {
        if matches!(left, Value::Null) || matches!(right, Value::Null) {
            return Ok(Value::Null);
        }
        let holds = if let (Some(left), Some(right)) = (left.characters(), right.characters()) {
            self.spent.weigh(left.len().min(right.len()))?;
            holds(operator, &Units(left), &Units(right))
        } else {
            let (left, right) = (self.magnitude(left, right)?, self.magnitude(right, left)?);
            holds(operator, &left, &right)
        };
        Ok(Value::Boolean(holds))
    }

    /// The number by which a value is compared with another. A text is read as the other value's type; if that fails it
    /// is NaN, for which every comparison is false (`vault-semantics.md` §5.3).
    fn magnitude(&self, value: &Value, other: &Value) -> Result<f64, ExpressionError> {
        let Some(text) = value.characters() else {
            return number_of(value);
        };
        let read = match other {
            Value::Date(_) => {
                let zone = self.setting.zone();
                Date::parse(text, zone).map(Date::milliseconds)
            }
            Value::Duration(_) => Duration::parse(text).map(|length| length.in_milliseconds()),
            _ => number::parse(text),
        };
        Ok(read.unwrap_or(f64::NAN))
    }
}

/// Compares texts by their UTF-16 code units, as JavaScript does.
#[derive(PartialEq)]
struct Units<'text>(&'text str);

impl PartialOrd for Units<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.0.encode_utf16().partial_cmp(other.0.encode_utf16())
    }
}

fn multiplied(operator: Operator, left: &Value, right: &Value) -> Outcome {
    match (operator, left, right) {
        (Operator::Times, Value::Duration(duration), Value::Number(factor)) => {
            return Ok(Value::Duration(duration.times(*factor)));
        }
        (_, Value::Number(_), Value::Duration(_)) => return Err(invalid(left, right)),
        _ => {}
    }
    let (left, right) = numbers(left, right)?;
    Ok(Value::Number(match operator {
        Operator::Times => left * right,
        Operator::Divided => left / right,
        _ => left % right,
    }))
}

/// Both values as numbers; the app's error if one of them has no number.
fn numbers(left: &Value, right: &Value) -> Result<(f64, f64), ExpressionError> {
    let number = |value: &Value| number_or(value, || invalid(left, right));
    Ok((number(left)?, number(right)?))
}

fn holds<T: PartialOrd>(operator: Operator, left: &T, right: &T) -> bool {
    match operator {
        Operator::Greater => left > right,
        Operator::Less => left < right,
        Operator::GreaterOrEqual => left >= right,
        _ => left <= right,
    }
}

/// The duration that a value is or that its text spells.
fn duration(value: &Value) -> Option<Duration> {
    match value {
        Value::Duration(duration) => Some(*duration),
        Value::Text(text) => Duration::parse(text),
        _ => None,
    }
}

fn invalid(left: &Value, right: &Value) -> ExpressionError {
    let (left, right) = (left.kind(), right.kind());
    ExpressionError::new(format!("Invalid operator between {left} and {right}"))
}

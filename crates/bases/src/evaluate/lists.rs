//! Functions of lists.

use std::collections::HashSet;

use super::call::{Call, Method};
use super::error::{ExpressionError, Outcome, may_make};
use super::operators::tag_is_within;
use super::order::SortValue;
use super::setting::Setting;
use crate::number;
use crate::statistics;
use crate::value::{List, Value};

pub(super) const METHODS: &[Method<List>] = &[
    ("contains", |call, list| {
        let wanted = call.argument(0)?;
        holds(call, list, &wanted).map(Value::Boolean)
    }),
    ("containsAll", |call, list| {
        let misses_one = holds_one(call, list, false)?;
        Ok(Value::Boolean(!misses_one))
    }),
    ("containsAny", |call, list| {
        holds_one(call, list, true).map(Value::Boolean)
    }),
    ("filter", |call, list| {
        let mut kept = Vec::new();
        for (index, value) in list.items().iter().enumerate() {
            if of_item(call, index, value)?.is_truthy() {
                kept.push(value.clone());
            }
        }
        call.evaluation.made(Value::list(kept))
    }),
    ("map", |call, list| {
        let mut mapped = Vec::new();
        let mut weight = 0_usize;
        for (index, value) in list.items().iter().enumerate() {
            let value = of_item(call, index, value)?;
            weight = weight.saturating_add(value.size().weight);
            may_make(weight)?;
            mapped.push(value);
        }
        call.evaluation.made(Value::list(mapped))
    }),
    ("reduce", |call, list| {
        let mut accumulated = call.argument(1)?;
        for (index, value) in list.items().iter().enumerate() {
            let names = [
                ("acc", accumulated),
                ("value", value.clone()),
                ("index", Value::Number(number::from_count(index))),
            ];
            accumulated = call.with_names(0, &names)?;
        }
        Ok(accumulated)
    }),
    ("flat", |call, list| {
        let mut flat = Vec::new();
        for value in list.items() {
            match value {
                Value::List(inner) => flat.extend_from_slice(inner.items()),
                other => flat.push(other.clone()),
            }
        }
        call.evaluation.made(Value::list(flat))
    }),
    ("join", |call, list| {
        let separator = match call.optional_argument(0)? {
            Some(separator) => call.evaluation.text_of(&separator)?,
            None => ",".into(),
        };
        let added = separator.len().saturating_mul(list.items().len());
        may_make(added)?;
        let texts = call.evaluation.texts_of(list.items())?;
        call.evaluation.made_text(texts.join(&*separator))
    }),
    ("reverse", |call, list| {
        let reversed = list.items().iter().rev().cloned().collect();
        call.evaluation.made(Value::list(reversed))
    }),
    ("slice", |call, list| {
        let start = call.given_number(0)?.unwrap_or_default();
        let end = call.given_number(1)?;
        let range = number::slice(list.items().len(), start, end);
        let kept = list.items().get(range).unwrap_or_default();
        call.evaluation.made(Value::list(kept.to_vec()))
    }),
    ("sort", |call, list| {
        let setting = call.evaluation.setting;
        // A sort compares each item about log2(length) times.
        let rounds =
            usize::try_from(usize::BITS - list.items().len().leading_zeros()).unwrap_or(64);
        let weight = Value::List(list.clone()).size().weight;
        call.evaluation.spent.weigh(weight.saturating_mul(rounds))?;
        let keyed = |item: &Value| (SortValue::new(setting, item, usize::MAX), item.clone());
        let mut items: Vec<_> = list.items().iter().map(keyed).collect();
        items.sort_by(|(left, _), (right, _)| left.compare(right, setting, false));
        call.evaluation.made(Value::list(
            items.into_iter().map(|(_, item)| item).collect(),
        ))
    }),
    ("unique", |call, list| {
        let mut seen = HashSet::new();
        let mut once = Vec::new();
        for value in list.items() {
            call.evaluation.spent.weigh(value.size().weight)?;
            if seen.insert(unique_key(call.evaluation.setting, value)) {
                once.push(value.clone());
            }
        }
        call.evaluation.made(Value::list(once))
    }),
    // Documented only for summaries (`values.mean()`).
    ("sum", |_, list| Ok(statistics::sum(list.items()))),
    ("mean", |_, list| Ok(statistics::mean(list.items()))),
    ("median", |_, list| Ok(statistics::median(list.items()))),
    ("stddev", |_, list| Ok(statistics::deviation(list.items()))),
    ("min", |_, list| Ok(statistics::least(list.items()))),
    ("max", |_, list| Ok(statistics::greatest(list.items()))),
];

fn of_item(call: &Call<'_>, index: usize, value: &Value) -> Outcome {
    let index = Value::Number(number::from_count(index));
    call.with_names(0, &[("value", value.clone()), ("index", index)])
}

/// Whether the list has one of the arguments, or has one of them not.
fn holds_one(call: &Call<'_>, list: &List, has: bool) -> Result<bool, ExpressionError> {
    for wanted in call.all()? {
        if holds(call, list, &wanted)? == has {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a list contains a value. A nested tag counts as its outer ones: `project/a` is a
/// `project` (`vault-semantics.md` §5.3).
fn holds(call: &Call<'_>, list: &List, wanted: &Value) -> Result<bool, ExpressionError> {
    for value in list.items() {
        let is_it = match (value, wanted.as_text()) {
            (Value::Tag(tag), Some(wanted)) => {
                call.evaluation.spent.weigh(tag.len() + wanted.len())?;
                tag_is_within(tag, wanted)
            }
            _ => call.evaluation.equal(value, wanted)?,
        };
        if is_it {
            return Ok(true);
        }
        call.evaluation.spent.step()?;
    }
    Ok(false)
}

/// A key that equal values share for [`List`]`.unique()`: for links their text, as in the app, for
/// others kind and contents.
pub(crate) fn unique_key(setting: &Setting<'_>, value: &Value) -> String {
    match value {
        Value::Link(_) => setting.text(value),
        Value::Text(_) | Value::Tag(_) => setting.json(value).to_string(),
        other => format!("{} {}", other.kind(), setting.json(other)),
    }
}

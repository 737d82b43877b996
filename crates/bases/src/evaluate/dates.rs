//! Fields and functions of dates.

use super::call::Method;
use super::error::{ExpressionError, Outcome, may_make, no_field};
use super::evaluation::Evaluation;
use crate::date::Date;
use crate::number;
use crate::value::Value;

pub(super) const METHODS: &[Method<Date>] = &[
    ("date", |call, date| {
        date.day(call.evaluation.setting.zone())
            .map(Value::Date)
            .ok_or_else(|| ExpressionError::new("The date is out of range"))
    }),
    ("format", |call, date| {
        let pattern = call.text(0)?;
        let zone = call.evaluation.setting.zone();
        // The longest token writes some fifty bytes per character.
        may_make(pattern.len().saturating_mul(64))?;
        call.evaluation
            .made_text(moment_format::format(&date.zoned(zone), &pattern))
    }),
    ("time", |call, date| {
        let moment = date.zoned(call.evaluation.setting.zone());
        call.evaluation
            .made_text(moment_format::format(&moment, "HH:mm:ss"))
    }),
    ("relative", |call, date| {
        let now = call.evaluation.setting.moment.now.timestamp();
        let words = moment_format::humanize(date.at.duration_since(now), true);
        call.evaluation.made_text(words)
    }),
];

pub(super) fn field(evaluation: &Evaluation<'_>, date: Date, name: &str) -> Outcome {
    let moment = date.zoned(evaluation.setting.zone());
    let time = moment.datetime();
    let number: i32 = match name {
        "year" => time.year().into(),
        "month" => time.month().into(),
        "day" => time.day().into(),
        "hour" => time.hour().into(),
        "minute" => time.minute().into(),
        "second" => time.second().into(),
        "millisecond" => time.millisecond().into(),
        _ => return Err(no_field(name, "Date")),
    };
    Ok(Value::Number(number::from_integer(number.into())))
}

/// Parses a text as a date.
pub(super) fn parse(evaluation: &Evaluation<'_>, text: &str) -> Outcome {
    Date::parse(text, evaluation.setting.zone())
        .map(Value::Date)
        .ok_or_else(|| ExpressionError::new(format!("Unable to parse \"{text}\" as a date.")))
}

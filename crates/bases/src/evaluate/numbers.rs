//! Functions of numbers.

use super::call::Method;
use super::error::ExpressionError;
use crate::number;
use crate::value::Value;

pub(super) const METHODS: &[Method<f64>] = &[
    ("abs", |_, number| Ok(Value::Number(number.abs()))),
    ("ceil", |_, number| Ok(Value::Number(number.ceil()))),
    ("floor", |_, number| Ok(Value::Number(number.floor()))),
    ("round", |call, number| {
        let places = call.given_number(0)?.unwrap_or_default();
        Ok(Value::Number(number::round_to(*number, places)))
    }),
    ("toFixed", |call, number| {
        let places = call.given_number(0)?.unwrap_or_default();
        match number::fixed(*number, places) {
            Some(text) => call.evaluation.made_text(text),
            None => Err(ExpressionError::new(
                "toFixed() digits argument must be between 0 and 100",
            )),
        }
    }),
];

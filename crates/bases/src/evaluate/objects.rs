//! Functions of objects.

use std::sync::Arc;

use super::call::Method;
use crate::value::{Object, Value};

pub(super) const METHODS: &[Method<Object>] = &[
    ("keys", |call, object| {
        let names = object.entries().iter();
        let names = names
            .map(|(name, _)| Value::Text(Arc::clone(name)))
            .collect();
        call.evaluation.made(Value::list(names))
    }),
    ("values", |call, object| {
        let values = object.entries().iter();
        let values = values.map(|(_, value)| value.clone()).collect();
        call.evaluation.made(Value::list(values))
    }),
];

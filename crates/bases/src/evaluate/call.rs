//! Calls of functions, and the names that have values in them.

use std::sync::Arc;

use super::error::{ExpressionError, Outcome, no_function};
use super::evaluation::Evaluation;
use super::operators::number_of;
use super::scope::Scope;
use crate::syntax::Node;
use crate::value::Value;

/// The arguments of a call. They are evaluated on demand, because functions of lists evaluate one
/// once for each item.
pub(super) struct Call<'call> {
    pub(super) evaluation: &'call Evaluation<'call>,
    pub arguments: &'call [Node],
    pub(super) scope: &'call Scope<'call>,
}

impl Call<'_> {
    /// The value of an argument; null if it is not given.
    pub(super) fn argument(&self, place: usize) -> Outcome {
        self.optional_argument(place).map(Option::unwrap_or_default)
    }

    /// The value of an argument; `None` if it is not given.
    pub(super) fn optional_argument(&self, place: usize) -> Result<Option<Value>, ExpressionError> {
        let argument = self.arguments.get(place);
        argument
            .map(|node| self.evaluation.node(node, self.scope))
            .transpose()
    }

    pub(super) fn text(&self, place: usize) -> Result<Arc<str>, ExpressionError> {
        self.evaluation.text_of(&self.argument(place)?)
    }

    /// The characters of an argument that must be a text; `None` if it is not given.
    pub(super) fn characters(
        &self,
        place: usize,
        function: &str,
        parameter: &str,
    ) -> Result<Option<Arc<str>>, ExpressionError> {
        let value = self.argument(place)?;
        match (&value, value.characters()) {
            (Value::Null, _) => Ok(None),
            (_, Some(text)) => Ok(Some(Arc::clone(text))),
            // The message is the app's.
            _ => Err(ExpressionError::new(format!(
                "Type error in \"{function}\", parameter \"{parameter}\". Expected String not, given {}.",
                value.kind()
            ))),
        }
    }

    pub(super) fn number(&self, place: usize) -> Result<f64, ExpressionError> {
        number_of(&self.argument(place)?)
    }

    pub(super) fn given_number(&self, place: usize) -> Result<Option<f64>, ExpressionError> {
        let given = self.optional_argument(place)?;
        given.map(|value| number_of(&value)).transpose()
    }

    /// The values of all arguments, in their order.
    pub(super) fn all(&self) -> Result<Vec<Value>, ExpressionError> {
        let arguments = self.arguments.iter();
        arguments
            .map(|node| self.evaluation.node(node, self.scope))
            .collect()
    }

    /// The value of an argument in which further names have values.
    pub(super) fn with_names(&self, place: usize, names: &[(&'static str, Value)]) -> Outcome {
        match self.arguments.get(place) {
            Some(node) => {
                let scope = Scope::within(Some(self.scope), names);
                self.evaluation.node(node, &scope)
            }
            None => Ok(Value::Null),
        }
    }
}

/// A method of one type of value, with its name.
pub(super) type Method<T> = (&'static str, fn(&Call<'_>, &T) -> Outcome);

/// Calls the method with this name; the app's error if there is none.
pub(super) fn dispatch<T>(
    methods: &[Method<T>],
    kind: &str,
    name: &str,
    call: &Call<'_>,
    receiver: &T,
) -> Outcome {
    match methods.iter().find(|(known, _)| *known == name) {
        Some((_, method)) => method(call, receiver),
        None => Err(no_function(name, kind)),
    }
}

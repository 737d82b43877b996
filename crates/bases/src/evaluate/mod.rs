//! The evaluation of expressions for one file.

mod call;
mod cost;
mod dates;
mod error;
mod evaluation;
mod files;
mod globals;
mod lists;
mod names;
mod numbers;
mod objects;
mod operators;
mod order;
mod scope;
mod setting;
mod texts;

use std::sync::Arc;

pub use self::cost::{Meter, QueryBudget, Spent};
pub use self::error::ExpressionError;
pub(crate) use self::error::Outcome;
pub(crate) use self::evaluation::Evaluation;
pub(crate) use self::globals::is_global;
pub(crate) use self::lists::unique_key;
pub(crate) use self::names::{is_method, like_method};
use self::operators::number_of;
pub(crate) use self::order::{SortValue, cut};
pub(crate) use self::scope::Scope;
pub(crate) use self::setting::Setting;
pub use self::setting::{Formulas, Moment, This};
use crate::limits::MAX_EVALUATION_DEPTH;
use crate::syntax::{Expression, Node};
use crate::value::Value;

impl Evaluation<'_> {
    /// The value of an expression for this file.
    ///
    /// # Errors
    ///
    /// Fails if the expression has no value, with the app's message if it is known, and if it
    /// exceeds a limit (see [`crate::limits`]).
    pub(crate) fn value(&self, expression: &Expression) -> Outcome {
        self.node(&expression.root, &Scope::empty())
    }

    /// A field of the file; null if files have no such field.
    pub(crate) fn file_field(&self, name: &str) -> Outcome {
        files::found(self, self.file, name).map(Option::unwrap_or_default)
    }

    pub(crate) fn node(&self, node: &Node, scope: &Scope<'_>) -> Outcome {
        self.spent.step()?;
        let depth = self.depth.get();
        if depth >= MAX_EVALUATION_DEPTH {
            return Err(ExpressionError::new(format!(
                "The evaluation goes more than {MAX_EVALUATION_DEPTH} levels deep"
            )));
        }
        self.depth.set(depth + 1);
        let outcome = self.node_within(node, scope);
        self.depth.set(depth);
        outcome
    }

    fn node_within(&self, node: &Node, scope: &Scope<'_>) -> Outcome {
        match node {
            Node::Null => Ok(Value::Null),
            Node::Boolean(truth) => Ok(Value::Boolean(*truth)),
            Node::Number(number) => Ok(Value::Number(*number)),
            Node::Text(text) => Ok(Value::Text(Arc::clone(text))),
            Node::Regexp(regexp) => Ok(Value::Regexp(Arc::clone(regexp))),
            Node::Name(name) => self.name(name, scope),
            Node::List(items) => {
                let items: Result<Vec<Value>, _> =
                    items.iter().map(|item| self.node(item, scope)).collect();
                self.made(Value::list(items?))
            }
            Node::Not(inner) => Ok(Value::Boolean(!self.node(inner, scope)?.is_truthy())),
            Node::Negative(inner) => {
                let number = number_of(&self.node(inner, scope)?)?;
                Ok(Value::Number(-number))
            }
            Node::Chain(first, links) => self.chain(first, links, scope),
            Node::Call(name, arguments) => self.call_global(name, arguments, scope),
            Node::Access(base, steps) => self.access(base, steps, scope),
        }
    }
}

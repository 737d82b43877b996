//! The evaluation of expressions for one file.

mod call;
mod cost;
mod dates;
mod files;
mod globals;
mod lists;
mod names;
mod numbers;
mod objects;
mod operators;
mod texts;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use jiff::Zoned;

pub(crate) use self::call::Scope;
pub use self::cost::{Meter, QueryBudget, Spent};
pub(crate) use self::globals::is_global;
pub(crate) use self::lists::{sort_text, unique_key};
pub(crate) use self::names::is_method;
use self::operators::number_of;
use crate::limits::{MAX_EVALUATION_DEPTH, MAX_VALUE_DEPTH, MAX_VALUE_WEIGHT};
use crate::notes::{FileNumber, Notes};
use crate::syntax::{Expression, Node, SyntaxError};
use crate::value::Value;

/// Why an expression has no value, in the app's words where they are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// What is wrong.
    pub message: String,
    /// Whether the work, rather than the expression, was at an end ([`QueryBudget`]).
    pub is_spent: bool,
}

impl ExpressionError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            is_spent: false,
        }
    }
}

/// The value of an expression, or why it has none.
pub(crate) type Outcome = Result<Value, ExpressionError>;

/// What an evaluation takes of the world: the time, its zone, and chance.
#[derive(Clone, Debug)]
pub struct Moment {
    /// `now()`, and the zone of all dates.
    pub now: Zoned,
    /// The seed of `random()`.
    pub seed: u64,
}

/// What `this` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum This {
    /// The base, or the note that holds the base.
    File(FileNumber),
    /// The active file, which only the app knows.
    Unknown,
}

/// The formulas of a base, by name.
pub type Formulas = HashMap<String, Result<Expression, SyntaxError>>;

/// What the evaluations of one query have in common.
pub(crate) struct Setting<'query> {
    pub(crate) notes: &'query dyn Notes,
    pub(crate) moment: &'query Moment,
    pub(crate) this: This,
    pub(crate) formulas: &'query Formulas,
    pub(crate) budget: &'query QueryBudget,
}

/// An evaluation about one file. Formulas are worked out once for it.
pub(crate) struct Evaluation<'query> {
    pub(crate) setting: &'query Setting<'query>,
    pub(crate) file: FileNumber,
    spent: cost::FileBudget<'query>,
    depth: Cell<usize>,
    formulas: RefCell<HashMap<Arc<str>, Outcome>>,
    /// The formulas that are being worked out.
    open: RefCell<Vec<Arc<str>>>,
    random: Cell<u64>,
}

impl<'query> Evaluation<'query> {
    pub(crate) fn new(
        setting: &'query Setting<'query>,
        meter: &'query Meter<'query>,
        file: FileNumber,
    ) -> Self {
        let seed = u64::try_from(file.0).unwrap_or_default();
        Self {
            setting,
            file,
            spent: cost::FileBudget::new(meter),
            depth: Cell::new(0),
            formulas: RefCell::default(),
            open: RefCell::default(),
            random: Cell::new(setting.moment.seed ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }

    /// The value of an expression for this file.
    ///
    /// # Errors
    ///
    /// Fails where the expression has no value, in the app's words where they are known, and where
    /// it exceeds a bound (see [`crate::limits`]).
    pub(crate) fn value(&self, expression: &Expression) -> Outcome {
        self.node(&expression.root, &Scope::empty())
    }

    /// As [`Self::value`], with names that stand for values.
    pub(crate) fn value_within(&self, expression: &Expression, scope: &Scope<'_>) -> Outcome {
        self.node(&expression.root, scope)
    }

    /// A field of the file itself; null where files have none of this name.
    pub(crate) fn file_field(&self, name: &str) -> Outcome {
        files::found(self, self.file, name).map(Option::unwrap_or_default)
    }

    fn node(&self, node: &Node, scope: &Scope<'_>) -> Outcome {
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

    /// A new value, within the bounds on values.
    pub(crate) fn made(&self, value: Value) -> Outcome {
        let size = value.size();
        self.spent.weigh(size.weight)?;
        if size.weight > MAX_VALUE_WEIGHT {
            return Err(too_large());
        }
        if size.depth > MAX_VALUE_DEPTH {
            return Err(ExpressionError::new(format!(
                "A list is nested more than {MAX_VALUE_DEPTH} levels deep"
            )));
        }
        Ok(value)
    }

    pub(crate) fn made_text(&self, text: impl Into<Arc<str>>) -> Outcome {
        self.made(Value::Text(text.into()))
    }

    /// The text of a value, which costs what the value weighs.
    pub(crate) fn text_of(&self, value: &Value) -> Result<Arc<str>, ExpressionError> {
        if let Value::Text(text) | Value::Tag(text) = value {
            return Ok(Arc::clone(text));
        }
        self.spent.weigh(value.size().weight)?;
        Ok(self.setting.text(value).into())
    }

    /// The next number of `random()`, from 0 up to 1.
    pub(crate) fn chance(&self) -> f64 {
        // SplitMix64.
        let state = self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.random.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default();
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Fails before so many bytes are made. Their cost counts when they are.
pub(super) fn may_make(bytes: usize) -> Result<(), ExpressionError> {
    if bytes > MAX_VALUE_WEIGHT {
        return Err(too_large());
    }
    Ok(())
}

fn too_large() -> ExpressionError {
    ExpressionError::new(format!("A value is larger than {MAX_VALUE_WEIGHT} bytes"))
}

//! The evaluation for one file: its cost, and the values that it creates.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use super::cost::{FileBudget, Meter};
use super::error::{ExpressionError, Outcome, too_large};
use super::setting::Setting;
use crate::limits::{MAX_VALUE_DEPTH, MAX_VALUE_WEIGHT};
use crate::link::Link;
use crate::notes::FileNumber;
use crate::value::Value;

/// An evaluation for one file. Each formula is evaluated at most once.
pub(crate) struct Evaluation<'query> {
    pub(crate) setting: &'query Setting<'query>,
    pub(crate) file: FileNumber,
    pub(super) spent: FileBudget<'query>,
    pub(super) depth: Cell<usize>,
    /// The values of formulas; while one is being evaluated, the error of a cycle.
    pub(super) formulas: RefCell<HashMap<Arc<str>, Outcome>>,
    pub(super) random: Cell<u64>,
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
            spent: FileBudget::new(meter),
            depth: Cell::new(0),
            formulas: RefCell::default(),
            random: Cell::new(setting.moment.seed ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }

    /// A new value, if it is within the limits.
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

    /// The text of a value, which costs the value's weight.
    pub(crate) fn text_of(&self, value: &Value) -> Result<Arc<str>, ExpressionError> {
        if let Value::Text(text) | Value::Tag(text) = value {
            return Ok(Arc::clone(text));
        }
        self.spent.weigh(value.size().weight)?;
        Ok(self.setting.text(value).into())
    }

    /// The link that a value is or that its text means.
    pub(super) fn link_of(&self, value: Value) -> Result<Arc<Link>, ExpressionError> {
        match value {
            Value::Link(link) => Ok(link),
            other => Ok(Arc::new(Link::from_text(
                &self.text_of(&other)?,
                Some(self.file),
            ))),
        }
    }

    pub(super) fn texts_of(&self, values: &[Value]) -> Result<Vec<Arc<str>>, ExpressionError> {
        values.iter().map(|value| self.text_of(value)).collect()
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

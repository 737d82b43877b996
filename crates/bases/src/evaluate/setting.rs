//! What the evaluations of one query have in common.

use std::collections::HashMap;

use jiff::Zoned;

use super::cost::QueryBudget;
use crate::notes::{FileNumber, Notes};
use crate::syntax::{Expression, SyntaxError};

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

//! The data that all evaluations of one query share.

use std::collections::HashMap;

use jiff::Zoned;
use jiff::tz::TimeZone;

use super::cost::QueryBudget;
use crate::notes::{FileNumber, Notes};
use crate::syntax::{Expression, SyntaxError};

/// The inputs of an evaluation from outside of the vault: time, time zone and random seed.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The value of `now()`; its time zone applies to all dates.
    pub now: Zoned,
    /// The seed of `random()`.
    pub seed: u64,
}

/// The file that `this` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum This {
    /// The base, or the note that contains the base.
    File(FileNumber),
    /// The active file, which only the app knows, so `this` is an error.
    Unknown,
}

/// The formulas of a base, by name.
pub type Formulas = HashMap<String, Result<Expression, SyntaxError>>;

/// The data that all evaluations of one query share.
pub(crate) struct Setting<'query> {
    pub(crate) notes: &'query dyn Notes,
    pub(crate) moment: &'query Moment,
    pub(crate) this: This,
    pub(crate) formulas: &'query Formulas,
    pub(crate) budget: &'query QueryBudget,
}

impl Setting<'_> {
    pub(super) fn zone(&self) -> &TimeZone {
        self.moment.now.time_zone()
    }
}

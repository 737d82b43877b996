#![doc = include_str!("../README.md")]
//!
//! # Three steps
//!
//! [`Base::parse`] reads a base and keeps its faults with their places. [`Query::new`] applies one
//! view of it to [`Notes`], a trait for the contents of the files. [`Query::keeps`] and
//! [`Query::table`] then give the results (`vault-semantics.md` §5, `design/questions.md`). For the
//! limits of expressions see [`limits`], for time and random seed [`Moment`].

mod base;
mod date;
mod duration;
mod evaluate;
pub mod limits;
mod link;
mod notes;
mod number;
mod query;
mod regexp;
mod statistics;
mod summary;
mod syntax;
mod value;

pub use base::{
    Base, BaseError, FilterInputs, NewNote, Place, PropertyId, SortKey, Statement, View,
};
pub use evaluate::{ExpressionError, Formulas, Meter, Moment, QueryBudget, Spent, This};
pub use notes::{FileNumber, NoteLink, Notes, PropertyKind};
pub use query::{Cell, Column, Group, Kept, Query, Row, Summary, Table};
pub use syntax::{Expression, SyntaxError};

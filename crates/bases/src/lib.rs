//! Bases: the views of a `.base` file over the files of a vault, and the expression language of
//! their filters, formulas and summaries (`vault-semantics.md` §5, `design/questions.md`).
//!
//! Three steps. [`Base::parse`] reads a base and keeps its faults with their places. [`Query::new`]
//! applies one view of it to [`Notes`], a trait for the contents of the files. [`Query::keeps`] and
//! [`Query::table`] then give the results. This crate opens no file, reads no clock and runs no
//! code: time, time zone and random seed are passed in ([`Moment`]).
//!
//! No expression can loop or use memory without limit: see [`limits`].

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

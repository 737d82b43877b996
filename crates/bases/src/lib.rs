//! Bases: the views of a `.base` file over the files of a vault, and the expression language of
//! their filters, formulas and summaries (`vault-semantics.md` §5, `design.md` §15).
//!
//! Three steps. [`Base::parse`] reads a base and keeps what is wrong with it, with its place.
//! [`Query::new`] puts one view of it over [`Notes`], a trait that tells what the files hold.
//! [`Query::keeps`] and [`Query::table`] then answer. Nothing here opens a file, asks for the time or
//! runs code: clock, zone and chance are handed in ([`Moment`]).
//!
//! No expression can loop or take memory without bound, whatever its text: see [`limits`].

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
    Base, BaseError, Diagnostic, Filter, FilterInputs, NewNote, Place, PropertyId, SortKey,
    Statement, View,
};
pub use evaluate::{ExpressionError, Formulas, Meter, Moment, QueryBudget, Spent, This};
pub use notes::{FileNumber, NoteLink, Notes, PropertyKind};
pub use query::{Cell, Column, Group, Kept, Query, Row, Summary, Table};
pub use syntax::{Expression, SyntaxError};

//! What exists: the catalogue of official commands, loaded from `config/*.toml`.
//!
//! [`Catalogue::builtin`] is the one table that help, tools, schemas and docs come from;
//! [`Command::admit`] turns its parameters into typed arguments. What of it is open is not known here.

mod admit;
mod call;
mod catalogue;
mod check;
mod command;
mod effect;
mod entry;
mod load;
mod nearest;
mod problem;
mod raw_value;
mod tier;
mod usage;
mod value;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use admit::shown;
pub use admit::{MAX_ARGUMENTS, MAX_NAME_BYTES};
pub use call::{Arguments, Call, REDACTED, Value};
pub use catalogue::{Catalogue, CatalogueFile, Lookup, Part};
pub use command::{
    BackendName, Command, Flag, Origin, Param, ParamKind, RefusedCommand, Target, ToolFacts,
    Verification,
};
pub use effect::{Effect, EffectSet};
pub(crate) use nearest::nearest;
pub use problem::{CatalogueError, Problem};
pub use raw_value::RawValue;
pub use tier::Tier;
pub use value::MAX_VALUE_BYTES;
pub use words::split_line;

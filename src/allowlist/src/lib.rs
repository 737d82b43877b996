//! The catalogue of commands, loaded from `config/*.toml`.
//!
//! [`Catalogue::builtin`] is the single source of help, MCP tools, schemas and documentation.
//! [`Command::admit`] turns raw parameters into typed arguments. Whether a command is allowed is
//! decided in `tiers`, not here.

mod admit;
mod call;
mod catalogue;
mod change_rules;
mod check;
mod command;
mod date_form;
mod effect;
mod entry;
mod error;
mod instead;
mod list_kind;
mod load;
mod nearest;
mod own_list;
pub mod paging;
mod problem;
mod raw_value;
mod task;
mod tier;
mod typed_text;
mod usage;
mod value;
mod words;

#[cfg(test)]
mod tests;

pub use admit::{ABOUT_THE_CALL, CALL_FIELDS, NO_PATH, shown};
pub use admit::{MAX_ARGUMENTS, MAX_NAME_BYTES};
pub use call::{Call, REDACTED};
pub use catalogue::naming_commands;
pub use catalogue::{Catalogue, CatalogueFile, CatalogueSection, Lookup};
pub use change_rules::{ChangeRules, Continuation, Placement, Sentence, Verification};
pub use command::{
    BackendName, Command, Flag, Param, ParamKind, RefusedCommand, Target, ToolFacts,
};
pub use date_form::DateForm;
pub use effect::{Effect, EffectSet};
pub use entry::{OriginName, shapes};
pub use list_kind::ListKind;
pub use nearest::{
    meant_or_nearest, nearest, nearest_part, of_equal_words, of_other_programs, of_same_words,
    of_shells,
};
pub use own_list::common;
pub use own_list::{OwnList, OwnListMistake, as_list, left_out};
pub use problem::{CatalogueError, CatalogueProblem};
pub use raw_value::RawValue;
pub use raw_value::with_whole_numbers;
pub use task::Task;
pub use tier::Tier;
pub use value::MAX_VALUE_BYTES;
pub use value::{bad_characters, name_instead, percent_decoded};

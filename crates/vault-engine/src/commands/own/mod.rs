//! The gateway's own commands, which the app does not have. Each is one file: its row of the table, the
//! types of its answer, its text, and the function that answers.
//!
//! They look at the vault through a [`View`]: what the caller may not see is not there for them, so
//! that neither a list nor a count tells of it.

mod audit;
mod broken;
mod describe;
mod export;
mod facets;
mod find;
mod get;
mod graph;
mod large;
mod likeness;
mod list;
mod markdown;
mod note;
mod outline;
mod pair;
mod project;
mod related;
mod sections;
mod slug;
mod stats;
mod structure;
mod timestamp;
mod tree;
mod view;

use cli_output::{Answer, Arguments, List, OwnAnswer, OwnForm, OwnItem};

use super::Reply;
use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::warning::Warning;

pub use audit::{AuditReport, Finding, FindingCount, FindingPage, Severity};
pub use export::{ExportedNote, exports, plan_export};
pub use get::{NoteParts, NoteSectionText};
pub(super) use view::View;

/// Answers one of the commands.
pub(super) type Serve = fn(&View<'_>, &Arguments, &Surroundings) -> Result<Reply, EngineError>;

/// One of the commands: what the catalogue and the gateway have to know of it.
pub(super) struct OwnCommand {
    /// Its name in the catalogue.
    pub(super) id: &'static str,
    /// What it answers with: `output` in the catalogue.
    pub(super) form: OwnForm,
    /// `None` for a command that [`plan_export`] plans.
    pub(super) serve: Option<Serve>,
}

/// The commands, by name.
pub(super) static COMMANDS: &[&OwnCommand] = &[
    &broken::COMMAND,
    &describe::COMMAND,
    &facets::COMMAND,
    &get::COMMAND,
    &outline::COMMAND,
    &related::COMMAND,
    &sections::COMMAND,
    &tree::COMMAND,
    &find::COMMAND,
    &large::COMMAND,
    &list::COMMAND,
    &audit::COMMAND,
    &export::COMMAND,
    &stats::COMMAND,
];

fn reply(answer: impl OwnAnswer, warnings: Vec<Warning>) -> Reply {
    Reply::new(Answer::own(answer), warnings)
}

/// One page of a list, its items as `told` shows them, or with `total` the length of the list alone.
fn page<T, U: OwnItem>(
    items: Vec<T>,
    arguments: &Arguments,
    limit: usize,
    told: impl FnMut(T) -> U,
) -> Result<Answer, EngineError> {
    if arguments.flag("total") {
        return Ok(super::total(items.len()));
    }
    Ok(Answer::own(page_of(items, arguments, limit)?.map(told)))
}

/// The page that `offset` and `limit` ask for.
fn page_of<T>(items: Vec<T>, arguments: &Arguments, limit: usize) -> Result<List<T>, EngineError> {
    let offset = number(arguments, "offset", 0)?;
    let limit = number(arguments, "limit", limit)?;
    Ok(List::page(items, offset, limit))
}

/// A whole number that the catalogue has checked, or `default` where it is not given.
fn number(arguments: &Arguments, name: &str, default: usize) -> Result<usize, EngineError> {
    let Some(text) = super::target::given(arguments, name) else {
        return Ok(default);
    };
    text.parse().map_err(|_| EngineError::Argument {
        name: name.to_owned(),
        rule: "a whole number",
    })
}

#[cfg(test)]
mod testing;

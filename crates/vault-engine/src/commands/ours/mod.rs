//! The gateway's own commands, which the app does not have: one table from id to function.
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
mod pair;
mod project;
mod related;
mod slug;
mod stats;
mod structure;
mod timestamp;
mod view;

use cli_output::{Answer, Arguments, List, Ours};

use super::Reply;
use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::warning::Warning;

pub use export::{exports, plan_export};
pub(super) use view::View;

/// Answers one of the commands.
pub(super) type Serve = fn(&View<'_>, &Arguments, &Surroundings) -> Result<Reply, EngineError>;

/// The commands.
pub(super) const COMMANDS: &[(&str, Serve)] = &[
    ("links:broken", broken::broken),
    ("note:describe", describe::describe),
    ("note:facets", facets::facets),
    ("note:get", get::get),
    ("note:outline", structure::outline),
    ("note:related", related::related),
    ("note:section", structure::sections),
    ("note:tree", structure::tree),
    ("notes:find", find::find),
    ("notes:large", large::large),
    ("notes:list", list::list),
    ("vault:audit", audit::audit),
    ("vault:stats", stats::stats),
];

fn reply(answer: Ours, warnings: Vec<Warning>) -> Reply {
    Reply::new(Answer::Ours(Box::new(answer)), warnings)
}

/// One page of a list, or with `total` its length alone.
fn page<T>(
    items: Vec<T>,
    arguments: &Arguments,
    limit: usize,
    wrap: impl FnOnce(List<T>) -> Ours,
) -> Result<Answer, EngineError> {
    if arguments.flag("total") {
        return Ok(super::total(items.len()));
    }
    let list = page_of(items, arguments, limit)?;
    Ok(Answer::Ours(Box::new(wrap(list))))
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

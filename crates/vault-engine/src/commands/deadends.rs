//! `deadends`.

use cli_output::Arguments;

use super::orphans::unmarked;
use super::reply::Reply;
use crate::error::EngineError;
use crate::index::ResolvedLinks;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// Files of every extension without a link to a file, though they may have links that lead
/// nowhere (`vault-semantics.md` §2.4).
pub(super) fn deadends(
    vault: &Vault,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    unmarked(vault, arguments, ResolvedLinks::sources)
}

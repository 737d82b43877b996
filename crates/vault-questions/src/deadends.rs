//! Implements the command `deadends`.

use vault_files::{Call, EngineError};
use vault_index::ResolvedLinks;

use super::orphans::unmarked;
use super::reply::Reply;

/// Files of every extension without a link to an existing file. They may have unresolved links
/// (`vault-semantics.md` §2.4).
pub(super) fn deadends(call: &Call<'_>) -> Result<Reply, EngineError> {
    unmarked(call.vault, call.arguments, ResolvedLinks::sources)
}

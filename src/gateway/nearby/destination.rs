//! The destination of a move: a folder that is not there, and a new name that was written as a folder.

use jiff::Zoned;
use serde_json::json;
use vault_engine::VaultPath;

use super::names::names;
use super::with_names;
use crate::allowlist::{Call, Value, nearest};
use crate::backend::PinnedVault;
use crate::code::Code;
use crate::failure::Failure;

/// Of a destination in a folder that is not there: how it is made, and the destinations in folders that are like it.
pub(super) fn with_new_name(
    mut failure: Failure,
    call: &Call,
    seen: &PinnedVault,
    now: &Zoned,
) -> Failure {
    let Some(Value::Path(to)) = call.arguments.values.get("to") else {
        return failure;
    };
    let folder = to.parent();
    let first = json!({ "path": format!("{folder}/{}.md", folder.name()) });
    failure.message = format!(
        "There is no folder `{folder}`. A folder is made with a note in it by `create`: send `{first}`, then this call again."
    );
    let known = names(seen, "folders", now);
    let near = nearest(folder.as_str(), known.iter().map(String::as_str));
    let near = near.iter().map(|folder| format!("{folder}/{}", to.name()));
    with_names(failure, near.collect())
}

/// What to write for a new name of the note, since a destination without extension is a folder. Only where the
/// folder of that name is there.
pub(in crate::gateway) fn as_new_name(
    call: &Call,
    note: &VaultPath,
    seen: &PinnedVault,
) -> Option<String> {
    let Some(Value::Path(to)) = call.arguments.values.get("to") else {
        return None;
    };
    let is_folder = call.command.moves_a_file() && !to.name().contains('.');
    let can_be = is_folder && !seen.engine.is_there(to) && holds_files(&to.parent(), seen);
    can_be.then(|| format!("As a new name write `{to}.{}`.", note.extension()))
}

/// Whether a folder is there, as the root always is.
fn holds_files(folder: &VaultPath, seen: &PinnedVault) -> bool {
    *folder == VaultPath::root() || seen.engine.is_there(folder)
}

/// That the folder of a destination is not there, which the call has not come to.
pub(in crate::gateway) fn no_such_destination(
    call: &Call,
    seen: &PinnedVault,
    now: &Zoned,
) -> Option<Failure> {
    let Some(Value::Path(to)) = call.arguments.values.get("to") else {
        return None;
    };
    let is_missing = call.command.moves_a_file() && !holds_files(&to.parent(), seen);
    let failure = Code::FolderNotFound.failure("");
    // A destination without a dot is a folder itself.
    (is_missing && to.name().contains('.')).then(|| with_new_name(failure, call, seen, now))
}

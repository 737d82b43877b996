//! `periodic:path` and `periodic:read`.

use vault_answers::PathAnswer;
use vault_files::{Call, EngineError, PeriodicNote};

use super::reply::Reply;

/// Returns the path of the note of a period, whether or not it exists.
pub(super) fn path(call: &Call<'_>) -> Result<Reply, EngineError> {
    let note = PeriodicNote::from_arguments(call.vault, call.arguments, &call.surroundings.now)?;
    let path = note.settings.path(&note.moment)?.to_string();
    Ok(Reply::new(PathAnswer { path }, note.warnings()))
}

/// The text of the note of a period, which must exist.
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let periodic = PeriodicNote::from_arguments(vault, call.arguments, &call.surroundings.now)?;
    let path = periodic.settings.path(&periodic.moment)?;
    let note = vault.note(&path, path.as_str())?;
    Ok(Reply::of_note(note, periodic.warnings()))
}

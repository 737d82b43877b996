//! `daily:path` and `daily:read`.

use vault_answers::PathAnswer;
use vault_files::{Call, EngineError, Refusal};

use super::reply::Reply;

/// Returns the path of today's note, whether or not it exists.
pub(super) fn path(call: &Call<'_>) -> Result<Reply, EngineError> {
    let settings = call.vault.daily_notes()?;
    let path = settings.path(&call.surroundings.now)?.to_string();
    Ok(Reply::new(PathAnswer { path }, settings.warnings))
}

/// Returns the text of today's note. Unlike the app's, this never creates it (`design/catalogue.md`).
pub(super) fn read(call: &Call<'_>) -> Result<Reply, EngineError> {
    let vault = call.vault;
    let settings = vault.daily_notes()?;
    let path = settings.path(&call.surroundings.now)?;
    match vault.read_note(&path) {
        Ok(note) => Ok(Reply::of_note(note, settings.warnings)),
        Err(EngineError::Refused(Refusal::FileNotFound { .. })) => {
            Err(EngineError::DailyNoteMissing { path })
        }
        Err(error) => Err(error),
    }
}

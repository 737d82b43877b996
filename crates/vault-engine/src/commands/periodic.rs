//! `periodic:path` and `periodic:read`.

use cli_output::{Answer, Arguments, NoteText, PathAnswer};

use super::reply::Reply;
use crate::error::EngineError;
use crate::periodic::PeriodicNote;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// Where the note of a period is, whether or not it exists.
pub(super) fn path(
    vault: &Vault,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let PeriodicNote { settings, moment } = PeriodicNote::of(vault, arguments, surroundings)?;
    let path = settings.path(&moment)?.to_string();
    Ok(Reply::new(
        Answer::Path(PathAnswer { path }),
        settings.warnings,
    ))
}

/// The note of a period, which must be there.
pub(super) fn read(
    vault: &Vault,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let PeriodicNote { settings, moment } = PeriodicNote::of(vault, arguments, surroundings)?;
    let path = settings.path(&moment)?;
    let note = vault.note(&path, path.as_str())?;
    Ok(Reply::of_note(note, settings.warnings, |path, content| {
        Answer::NoteText(NoteText {
            path: Some(path),
            content,
            sha256: None,
        })
    }))
}

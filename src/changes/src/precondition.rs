//! `ifHash`: the optimistic lock of a write. The call runs only if the note still has the SHA-256 that
//! the caller last read (`design/writes.md`).

use crate::error::Error;
use allowlist::Target;
use backend::{PinnedVault, ResolvedCall, engine_failure};
use protocol::{Code, Failure, digest::sha256};
use tiers::placed_file;

/// Compares the request's hash with the hash of the target note, or of the file that `create` would overwrite. Reads
/// that file. The failure does not contain the current hash: a caller gets it only by reading
/// the whole note (`threats.toml` F15).
///
/// # Errors
///
/// `PRECONDITION_FAILED` if the hashes differ; or the note cannot be read.
pub fn check(expected: &str, resolved: &ResolvedCall, vault: &PinnedVault) -> Result<(), Failure> {
    let is_new = resolved.call.acts_on() == Target::NewFile;
    // A change of today's note creates the note if it is missing.
    let makes = is_new
        || resolved.call.acts_on() == Target::DailyNote && resolved.call.effects().is_mutation();
    let written_over = is_new.then(|| placed_file(&resolved.call)).flatten();
    let Some(note) = resolved.note.as_ref().or(written_over.as_ref()) else {
        return Err(Error::NoHashOf.into());
    };
    let bytes = match vault.engine.read_bytes(note).map_err(engine_failure) {
        // The caller has seen the note, so a missing one has changed: this is no `FILE_NOT_FOUND`.
        Err(failure) if makes && failure.code == Code::FileNotFound => {
            return Err(Error::NoteGone(note.clone()).into());
        }
        read => read?,
    };
    if sha256(&bytes) == expected {
        return Ok(());
    }
    Err(Error::NoteChanged(note.clone()).into())
}

//! `ifHash`: a write only if the note is what the caller last saw (`design.md` §10).

use super::request::Request;
use super::target::Aimed;
use crate::allowlist::Target;
use crate::backend::{PinnedVault, engine_failure};
use crate::code::Code;
use crate::digest::sha256;
use crate::failure::Failure;
use crate::tiers::placed_file;

/// Compares the SHA-256 of the note, or of what stands where `create` writes, with the request's.
/// Reads exactly one file, and none without `ifHash`. The failure does not tell the hash that would
/// pass: only who has read the whole note learns it (`faults.md` F15).
pub(super) fn check(request: &Request, aimed: &Aimed, vault: &PinnedVault) -> Result<(), Failure> {
    let Some(expected) = &request.if_hash else {
        return Ok(());
    };
    let makes = aimed.call.acts_on() == Target::NewFile;
    let written_over = makes.then(|| placed_file(&aimed.call)).flatten();
    let Some(note) = aimed.note.as_ref().or(written_over.as_ref()) else {
        return Err(Failure::new(
            Code::UsageError,
            "`ifHash` needs a command that acts on one existing note, named by `path=` or `file=`.",
        ));
    };
    let bytes = match vault.engine.read_bytes(note).map_err(engine_failure) {
        // That it is gone is a change since the caller saw it.
        Err(failure) if makes && failure.code == Code::FileNotFound => {
            return Err(Failure::new(
                Code::PreconditionFailed,
                "The note that `ifHash` is of is not there. Nothing was changed; without `ifHash` a new one is made.",
            )
            .with("path", note.as_str()));
        }
        read => read?,
    };
    if sha256(&bytes) == *expected {
        return Ok(());
    }
    Err(Failure::new(
        Code::PreconditionFailed,
        "The note is not what `ifHash` says. Nothing was changed; read it again.",
    )
    .with("path", note.as_str()))
}

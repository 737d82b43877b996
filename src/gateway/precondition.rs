//! `ifHash`: a write only if the note is what the caller last saw (`design.md` §10).

use sha2::{Digest as _, Sha256};
use vault_engine::VaultPath;

use super::request::Request;
use crate::backend::{PinnedVault, engine_failure};
use crate::code::Code;
use crate::failure::Failure;

/// Compares the note's SHA-256 with the request's. Reads exactly one file, and none without
/// `ifHash`.
pub(super) fn check(
    request: &Request,
    note: Option<&VaultPath>,
    vault: &PinnedVault,
) -> Result<(), Failure> {
    let Some(expected) = &request.if_hash else {
        return Ok(());
    };
    let Some(note) = note else {
        return Err(Failure::new(
            Code::UsageError,
            "`ifHash` needs a command that acts on one existing note, named by `path=` or `file=`.",
        ));
    };
    let bytes = vault.engine.read_bytes(note).map_err(engine_failure)?;
    let actual = sha256(&bytes);
    if actual == *expected {
        return Ok(());
    }
    Err(Failure::new(
        Code::PreconditionFailed,
        "The note is not what `ifHash` says. Nothing was changed; read it again.",
    )
    .with("path", note.as_str())
    .with("sha256", actual))
}

/// SHA-256 as 64 lower-case hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Bytes as lower-case hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! Failpoints: a hook before every system call that changes something.

use std::io;

/// One system call that is about to change something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The system call: `open-create`, `write`, `fsync`, `chmod`, `chown`, `link`, `rename`, `exchange`, `unlink`,
    /// `mkdir` or `rmdir`.
    pub call: &'static str,
    /// Its target: a path below the vault's root, or below another folder that the caller passes.
    pub path: String,
}

/// A hook before every system call that changes something. Tests stop the process there, or let the
/// call fail.
pub trait Failpoints: Send + Sync {
    /// Runs before the call.
    ///
    /// # Errors
    ///
    /// An error is treated as the failure of the call, which is then not made.
    fn before(&self, step: Step) -> io::Result<()>;
}

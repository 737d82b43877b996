//! What will be run: a call whose target is one known path.

use vault_engine::VaultPath;

use crate::allowlist::Call;
use crate::backend::cancel::Cancel;
use crate::backend::obsidian::deadline::Deadline;
use crate::issue::Issue;

/// A call ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The call as it will be run: `file=` resolved to `path=`, and narrowed where the path
    /// scopes need it.
    pub call: Call,
    /// The one note it is about, where that is known: from `path=`, or today's daily note.
    pub note: Option<VaultPath>,
    /// The arguments as asked, which decide how the answer looks.
    pub asked: cli_output::Arguments,
    /// What should be known about the way the target was found.
    pub warnings: Vec<Issue>,
}

/// Bounds of one run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When the run must be over.
    pub deadline: Deadline,
    /// Bytes kept of each output stream.
    pub max_output_bytes: usize,
    /// Ends the run early.
    pub cancel: Cancel,
}

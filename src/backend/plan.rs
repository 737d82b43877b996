//! What will be run: a call whose target is one known path.

use vault_engine::VaultPath;

use crate::allowlist::Call;
use crate::backend::cancel::Cancel;
use crate::backend::obsidian::deadline::Deadline;
use crate::issue::Issue;

/// A call ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The call as it will be run: `file=` resolved to `path=`.
    pub call: Call,
    /// The one note it is about, where that is known: from `path=`, or today's daily note.
    pub note: Option<VaultPath>,
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
    /// Where the caller goes on in an answer that was cut before: characters of a text, items of a
    /// list.
    pub offset: usize,
    /// Most items of a list, from `offset` on: the `limit` of the call, where the gateway applies it.
    /// Whoever answers is asked for more, because the answer says how many there are before any limit.
    pub limit: Option<usize>,
    /// Ends the run early.
    pub cancel: Cancel,
}

/// Bytes that are kept of what the app prints where only a part of it is asked for: the part may lie
/// behind what the caller has seen already, and its list has to be counted to the end.
const LATER_PART_BYTES: usize = 16 * 1024 * 1024;

impl Limits {
    /// Bytes to keep of what a program prints, before the part that was asked for is taken out.
    pub fn capture_bytes(&self) -> usize {
        if self.offset == 0 && self.limit.is_none() {
            self.max_output_bytes
        } else {
            self.max_output_bytes.max(LATER_PART_BYTES)
        }
    }
}

//! A resolved call, and the limits of its run.

use cli_output::{Answer, Shape};
use vault_engine::{Args, VaultPath};

use crate::allowlist::Call;
use crate::backend::cancel::Cancel;
use crate::backend::captured::Captured;
use crate::deadline::Deadline;
use crate::issue::Issue;
use crate::paging::window_of;

/// A call whose target is resolved, ready to run.
#[derive(Clone, Debug)]
pub struct ResolvedCall {
    /// The call to run, with `file=` resolved to `path=`.
    pub call: Call,
    /// The note it concerns, if known: from `path=`, or today's daily note.
    pub note: Option<VaultPath>,
    /// Warnings from the resolution of the target.
    pub warnings: Vec<Issue>,
}

/// Limits of one run.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The time by which the run must be over.
    pub deadline: Deadline,
    /// Maximum number of bytes kept of each output stream.
    pub max_output_bytes: usize,
    /// The offset at which to continue a truncated answer: a number of characters of a text, or of items of a list.
    pub offset: usize,
    /// Maximum number of items of a list from `offset` on, if the gateway applies the call's
    /// `limit` itself. The backend is asked for more items, because the answer includes the total
    /// before any limit.
    pub limit: Option<usize>,
    /// Ends the run early when the call is cancelled.
    pub cancel: Cancel,
}

/// Bytes kept of the app's output if only a later part was requested: the part may be far behind,
/// and the items must be counted to the end.
const LATER_PART_BYTES: usize = 16 * 1024 * 1024;

impl Limits {
    /// Returns the wanted items of an answer that is a list, as many as fit, with their text; `None` for other answers.
    pub fn window_of(
        &self,
        answer: Answer,
        shape: Shape,
        arguments: &Args,
    ) -> Option<(Answer, Captured)> {
        let most = self.max_output_bytes;
        let window = window_of(answer, shape, arguments, self.offset, self.limit, most);
        let (answer, text, total) = window?;
        Some((answer, Captured::beginning(text.into_bytes(), total)))
    }

    /// Bytes to keep of the output before the requested part is extracted.
    pub fn capture_bytes(&self) -> usize {
        if self.offset == 0 && self.limit.is_none() {
            self.max_output_bytes
        } else {
            self.max_output_bytes.max(LATER_PART_BYTES)
        }
    }
}

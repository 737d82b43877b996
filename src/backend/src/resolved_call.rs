//! A resolved call, and the limits of its run.

use cli_output::Shape;
use vault_answers::Answer;
use vault_engine::{Args, VaultPath};

use crate::cancel::Cancel;
use allowlist::Call;
use allowlist::paging::{ListPage, cut_list};
use protocol::{Deadline, Issue};

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
    /// Keeps the wanted items of a list, as many as fit: their text, and for an own command their data. `None` for other
    /// answers.
    pub fn cut_list(
        &self,
        answer: &mut Answer,
        shape: Shape,
        arguments: &Args,
    ) -> Option<ListPage> {
        cut_list(
            answer,
            self.offset,
            self.limit,
            self.max_output_bytes,
            |page| {
                let text = cli_output::render_shown(page, shape, arguments);
                let data = if shape.is_own() { data_length(page) } else { 0 };
                let size = text.len().max(data);
                (text, size)
            },
        )
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

/// Returns the number of bytes of the answer's data.
pub(super) fn data_length(answer: &Answer) -> usize {
    serde_json::to_string(answer).map_or(0, |data| data.len())
}

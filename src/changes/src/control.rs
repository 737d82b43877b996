//! The caller's controls of a running call.

use std::sync::Arc;
use std::time::Duration;

use vault_engine::Progress;

use backend::cancel::Cancel;

/// Cancels a running call and reports its progress.
#[derive(Clone, Default)]
pub struct Control {
    /// The cancellation token. A cancelled call ends with the code `CANCELLED`, or with the status
    /// `unknown` if the app may have made the change.
    pub cancel: Cancel,
    /// Called while a whole vault is read.
    pub progress: Option<Arc<dyn Progress>>,
    /// Name and version of the client program, as it says itself; logged (`design/writes.md`).
    pub client: Option<String>,
    /// Number of characters of a note that the caller shows at once. The engine returns at most these.
    pub page: Option<usize>,
    /// Whether labelled notes are left out for a caller without a label, which then stays without one: for lists
    /// that a program asks for by itself.
    pub without_labelled: bool,
    /// Whether the agent does not read the warnings of the answer, so that news of a review wait for another call.
    pub leaves_news: bool,
    /// Time spent in the queue, which counts against the deadline (`threats.toml` J01).
    pub waited: Duration,
}

impl Control {
    /// Controls with the given cancellation token and without progress.
    pub fn cancelled_by(cancel: &Cancel) -> Self {
        Self {
            cancel: cancel.clone(),
            ..Self::default()
        }
    }
}

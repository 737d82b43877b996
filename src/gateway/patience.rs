//! Waiting for another program that is writing a note (`faults.md` H15).

use std::time::Duration;

use crate::backend::BEING_WRITTEN;
use crate::backend::cancel::Cancel;
use crate::backend::obsidian::deadline::Deadline;
use crate::failure::Failure;

/// How long a change waits for another program at most.
const LONGEST: Duration = Duration::from_secs(3);
/// The pause between two attempts while another program is writing.
const PAUSE: Duration = Duration::from_millis(2);

/// How much longer a change may wait.
pub(super) struct Patience(Deadline);

impl Patience {
    /// At most three seconds, and no longer than the call may take.
    pub(super) fn within(deadline: Deadline) -> Self {
        Self(deadline.at_most(LONGEST))
    }

    /// Whether another attempt is worth it.
    pub(super) fn is_left(&self) -> bool {
        !self.0.has_passed()
    }

    /// Waits a little. An error where the call was taken back.
    pub(super) fn pause(&self, cancel: &Cancel) -> Result<(), Failure> {
        std::thread::sleep(PAUSE.min(self.0.left()));
        cancel.check()
    }
}

/// Whether the same change may succeed when another program has written its file.
pub(super) fn is_being_written(failure: &Failure) -> bool {
    failure
        .details
        .get("reason")
        .is_some_and(|reason| reason == BEING_WRITTEN)
}

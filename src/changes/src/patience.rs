//! Bounded retries while another program writes a note (`threats.toml` H15).

use std::time::Duration;

use backend::BEING_WRITTEN;
use backend::cancel::Cancel;
use protocol::{Deadline, Failure};

/// The longest time for which a change is retried. Editors keep a file open for milliseconds; a program that keeps it
/// open for longer would block the call.
const LONGEST: Duration = Duration::from_secs(3);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// The deadline of the retries.
pub struct Patience(Deadline);

impl Patience {
    /// At most three seconds, and never beyond the call's own deadline.
    pub fn within(deadline: Deadline) -> Self {
        Self(deadline.at_most(LONGEST))
    }

    /// Whether there is time for another attempt.
    pub fn is_left(&self) -> bool {
        !self.0.has_passed()
    }

    /// Sleeps until the next attempt. Fails if the call was cancelled.
    ///
    /// # Errors
    ///
    /// If the call was cancelled.
    pub fn pause(&self, cancel: &Cancel) -> Result<(), Failure> {
        std::thread::sleep(PAUSE.min(self.0.left()));
        cancel.check()
    }
}

/// Whether the failure is transient: another program is writing the file, so a retry may succeed.
pub fn is_being_written(failure: &Failure) -> bool {
    failure.reason() == Some(BEING_WRITTEN)
}

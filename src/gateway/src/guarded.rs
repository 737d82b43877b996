//! What every run of the steps of a call is kept in.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;
use backend::Produced;
use changes::control::Control;
use protocol::code::Code;
use protocol::deadline::Deadline;
use protocol::failure::Failure;

/// Runs the steps of a call. A panic in one call must not end a server process, nor look like an answer (E13).
pub(super) fn guarded(
    control: &Control,
    deadline: Deadline,
    steps: impl FnOnce() -> Result<Produced, Failure>,
) -> Result<Produced, Failure> {
    let result = catch_unwind(AssertUnwindSafe(steps));
    let result = result.unwrap_or_else(|_| Err(Error::Panicked.into()));
    result.map_err(|failure| timed_out(failure, control, deadline))
}

/// Reports a stop at the deadline as `TIMEOUT`. The engine has one stop signal for deadline and
/// cancellation; without a cancellation it was the deadline (`threats.toml` E16).
fn timed_out(failure: Failure, control: &Control, deadline: Deadline) -> Failure {
    if failure.code != Code::Cancelled || control.cancel.is_cancelled() || !deadline.has_passed() {
        return failure;
    }
    Error::NotInTime.into()
}

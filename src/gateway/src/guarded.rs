//! What every run of the steps of a call is kept in.

use std::panic::{AssertUnwindSafe, catch_unwind};

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
    let result = catch_unwind(AssertUnwindSafe(steps)).unwrap_or_else(|_| {
        Err(Code::InternalError
            .failure("An internal error stopped the call. Please report this bug."))
    });
    result.map_err(|failure| timed_out(failure, control, deadline))
}

/// Reports a stop at the deadline as `TIMEOUT`. The engine has one stop signal for deadline and
/// cancellation; without a cancellation it was the deadline (`threats.toml` E16).
fn timed_out(failure: Failure, control: &Control, deadline: Deadline) -> Failure {
    if failure.code != Code::Cancelled || control.cancel.is_cancelled() || !deadline.has_passed() {
        return failure;
    }
    Code::Timeout.failure("The call exceeded `timeout_ms`. Nothing was changed.").hint(
        "Limit a search or a list, for example to one folder. If the call needs one large file, raise `timeout_ms`.",
    )
}

//! What the launcher ignores or blocks, and neither this process nor its children should
//! (`faults.md` E15).
//!
//! An ignored signal stays ignored across `exec`, a handled one becomes default. So each ignored
//! one gets a handler that does nothing: this process is as deaf to it as before, and the child
//! starts with the default.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

use crate::signals::ignored;

/// Ignored by Rust's own start-up code in every program; the standard library gives it back to
/// children.
const PIPE: i32 = 13;

/// Cannot be handled, or not in a safe way: ILL, FPE, KILL, SEGV, STOP.
const BEYOND_HANDLING: [i32; 5] = [4, 8, 9, 11, 19];

/// Puts handlers in place of what is ignored. To be called inside a runtime, before each start
/// that cannot set the child's dispositions itself; there is nothing left to do from the second
/// time on.
pub(super) fn handle_what_is_ignored() -> io::Result<()> {
    for number in ignored() {
        if number != PIPE && !BEYOND_HANDLING.contains(&number) {
            // The handler stays when the stream of its arrivals is dropped.
            drop(signal(SignalKind::from_raw(number))?);
        }
    }
    Ok(())
}

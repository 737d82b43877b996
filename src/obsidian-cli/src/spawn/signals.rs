//! Prevents children from inheriting ignored signals of the launcher (`threats.toml` E15).
//!
//! An ignored signal stays ignored across `exec`, but a handled one is reset to the default. So
//! each ignored signal gets a handler that does nothing: this process still ignores it, and the
//! child starts with the default.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

use sandbox::signals::ignored;

/// SIGPIPE. Rust's start-up code ignores it, and the standard library resets it for children.
const PIPE: i32 = 13;

/// Signals that cannot be handled, or not safely: ILL, FPE, KILL, SEGV, STOP.
const BEYOND_HANDLING: [i32; 5] = [4, 8, 9, 11, 19];

/// Installs handlers for ignored signals. Idempotent. Must be called inside a tokio runtime, before
/// each start that cannot reset the signals of the child itself.
pub(super) fn handle_what_is_ignored() -> io::Result<()> {
    for number in ignored() {
        if number != PIPE && !BEYOND_HANDLING.contains(&number) {
            // The handler stays installed when the stream is dropped.
            drop(signal(SignalKind::from_raw(number))?);
        }
    }
    Ok(())
}

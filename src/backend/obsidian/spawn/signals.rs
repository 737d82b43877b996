//! What the launcher ignores or blocks, and neither this process nor its children should
//! (`faults.md` E15).
//!
//! An ignored signal stays ignored across `exec`, a handled one becomes default. So each ignored
//! one gets a handler that does nothing: this process is as deaf to it as before, and the child
//! starts with the default.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Ignored by Rust's own start-up code in every program; the standard library gives it back to
/// children.
const PIPE: i32 = 13;

/// Cannot be handled, or not in a safe way: ILL, FPE, KILL, SEGV, STOP.
#[cfg(target_os = "linux")]
const BEYOND_HANDLING: [i32; 5] = [4, 8, 9, 11, 19];

/// The last signal that is not one of the real-time ones.
#[cfg(target_os = "linux")]
const LAST: i32 = 31;

/// Puts handlers in place of what is ignored. To be called inside a runtime, before each start
/// that cannot set the child's dispositions itself; there is nothing left to do from the second
/// time on.
pub(super) fn handle_what_is_ignored() -> io::Result<()> {
    for number in ignored() {
        if number != PIPE {
            // The handler stays when the stream of its arrivals is dropped.
            drop(signal(SignalKind::from_raw(number))?);
        }
    }
    Ok(())
}

/// Whether this process ignores HUP, because its launcher does, as `nohup`. Only Linux tells.
pub(super) fn ignores_hang_up() -> bool {
    const HANG_UP: i32 = 1;
    ignored().contains(&HANG_UP)
}

/// The numbers of the signals that this process ignores. A system without this file does not say.
#[cfg(target_os = "linux")]
fn ignored() -> Vec<i32> {
    let Ok(status) = fs_err::read_to_string("/proc/self/status") else {
        return Vec::new();
    };
    let set = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok())
        .unwrap_or_default();
    (1..=LAST)
        .filter(|number| set & (1 << (number - 1)) != 0)
        .filter(|number| !BEYOND_HANDLING.contains(number))
        .collect()
}

/// Only Linux tells a process in a safe way what it ignores.
#[cfg(not(target_os = "linux"))]
fn ignored() -> Vec<i32> {
    Vec::new()
}

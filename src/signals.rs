//! The signals that ask this process to end (`faults.md` E11).
//!
//! HUP is among them, which a terminal sends that is closed: without a handler it would stop a change
//! half-way. It stays ignored where the launcher ignored it, as `nohup` does.

use std::io;

use tokio::runtime::Runtime;

/// The number of HUP.
#[cfg(unix)]
const HANG_UP: i32 = 1;

/// The last signal that is not one of the real-time ones.
#[cfg(target_os = "linux")]
const LAST: i32 = 31;

/// The numbers of the signals that this process ignores, because its launcher did or the start-up
/// code of Rust does. Empty where the system does not show them.
#[cfg(target_os = "linux")]
pub(crate) fn ignored() -> Vec<i32> {
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
        .collect()
}

/// Only Linux shows them without `unsafe` code.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn ignored() -> Vec<i32> {
    Vec::new()
}

/// The signals of this process that ask for its end: TERM, INT and HUP, on Windows Ctrl-C. While this
/// is there they do not end the process by themselves.
#[cfg(unix)]
pub(crate) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    /// None where the launcher ignored it.
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Listens from here on. To be called inside a tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hang_up = if ignored().contains(&HANG_UP) {
            None
        } else {
            Some(signal(SignalKind::hangup())?)
        };
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up,
        })
    }

    /// Waits for the next one. Nothing is lost where the waiting is given up.
    pub(crate) async fn next(&mut self) -> Signal {
        let hang_up = async {
            match &mut self.hang_up {
                Some(hang_up) => {
                    hang_up.recv().await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            () = hang_up => Signal::HangUp,
        }
    }
}

/// The signals of this process that ask for its end: TERM and INT, on Windows Ctrl-C. While this
/// is there they do not end the process by themselves.
#[cfg(windows)]
pub(crate) struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    /// Listens from here on. To be called inside a tokio runtime.
    pub(crate) fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    /// Waits for the next one. Nothing is lost where the waiting is given up.
    pub(crate) async fn next(&mut self) -> Signal {
        self.0.recv().await;
        Signal::Interrupt
    }
}

/// Listens for signals on a current-thread runtime of their own, for a caller that is not
/// asynchronous: it waits with `runtime.block_on(signals.next())`.
///
/// # Errors
///
/// If the system gives no event queue or no signal handler.
pub(crate) fn listen_on_own_runtime() -> io::Result<(Runtime, Signals)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Registering a handler needs the runtime that will hear of it.
    let signals = {
        let _inside = runtime.enter();
        Signals::listen()?
    };
    Ok((runtime, signals))
}

/// A signal that asks for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// As from `kill` and service managers.
    #[cfg(unix)]
    Terminate,
    /// The terminal is gone.
    #[cfg(unix)]
    HangUp,
    /// As from the keys of a terminal.
    Interrupt,
}

impl Signal {
    /// The exit status of a process that ended because of it: 128 and its number.
    pub(crate) fn exit_status(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            #[cfg(unix)]
            Self::Terminate => 143,
            #[cfg(unix)]
            Self::HangUp => 129,
        }
    }
}

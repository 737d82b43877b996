//! The signals that ask this process to terminate (`threats.toml` E11).
//!
//! They include SIGHUP, which a closing terminal sends: without a handler it would interrupt a
//! change half-way. If the launcher ignores SIGHUP, as `nohup` does, it stays ignored.

use std::io;

use tokio::runtime::Runtime;

/// The number of SIGHUP.
#[cfg(unix)]
const HANG_UP: i32 = 1;

/// The last signal before the real-time signals.
#[cfg(target_os = "linux")]
const LAST: i32 = 31;

/// Returns the numbers of the signals that this process ignores, set by its launcher or by Rust's start-up code. Empty
/// if the system does not report them.
#[cfg(target_os = "linux")]
pub fn ignored() -> Vec<i32> {
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

/// Only Linux reports ignored signals without `unsafe` code.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn ignored() -> Vec<i32> {
    Vec::new()
}

/// A stream of the signals that ask this process to terminate: SIGTERM, SIGINT and SIGHUP, on
/// Windows Ctrl-C. While it exists, these signals do not terminate the process by themselves.
pub struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    /// The stream of SIGHUP; `None` if the launcher ignores SIGHUP, which then stays ignored.
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
    #[cfg(windows)]
    ctrl_c: tokio::signal::windows::CtrlC,
}

#[cfg(unix)]
impl Signals {
    /// Starts to listen. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// If a handler cannot be registered.
    pub fn listen() -> io::Result<Self> {
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

    /// Waits for the next signal. Cancel safe: no signal is lost if the future is dropped.
    pub async fn next(&mut self) -> Signal {
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

#[cfg(windows)]
impl Signals {
    /// Starts to listen. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// If a handler cannot be registered.
    pub fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(|ctrl_c| Self { ctrl_c })
    }

    /// Waits for the next signal. Cancel safe: no signal is lost if the future is dropped.
    pub async fn next(&mut self) -> Signal {
        self.ctrl_c.recv().await;
        Signal::Interrupt
    }
}

/// Listens for signals on a current-thread runtime of their own, for a caller that is not
/// asynchronous: it waits with `runtime.block_on(signals.next())`.
///
/// # Errors
///
/// If the system provides no event queue or no signal handler.
pub fn listen_on_own_runtime() -> io::Result<(Runtime, Signals)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Registering a handler needs the runtime that will receive the signal.
    let signals = {
        let _inside = runtime.enter();
        Signals::listen()?
    };
    Ok((runtime, signals))
}

/// A signal that asks the process to terminate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM, from `kill` and service managers.
    #[cfg(unix)]
    Terminate,
    /// SIGHUP: the terminal was closed.
    #[cfg(unix)]
    HangUp,
    /// SIGINT, or Ctrl-C on any system.
    Interrupt,
}

impl Signal {
    /// Returns the exit status of a process that this signal terminated: 128 plus its number.
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            #[cfg(unix)]
            Self::Terminate => 143,
            #[cfg(unix)]
            Self::HangUp => 129,
        }
    }
}

//! The signals that ask this process to end (`faults.md` E11).

use std::io;

/// The signals of this process that ask for its end: TERM and INT, on Windows Ctrl-C. While this
/// is there they do not end the process by themselves.
#[cfg(unix)]
pub(super) struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Listens from here on. To be called inside a tokio runtime.
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one. Nothing is lost where the waiting is given up.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
        }
    }
}

/// The signals of this process that ask for its end: TERM and INT, on Windows Ctrl-C. While this
/// is there they do not end the process by themselves.
#[cfg(windows)]
pub(super) struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    /// Listens from here on. To be called inside a tokio runtime.
    pub(super) fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    /// Waits for the next one. Nothing is lost where the waiting is given up.
    pub(super) async fn next(&mut self) -> Signal {
        self.0.recv().await;
        Signal::Interrupt
    }
}

/// A signal that asks for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// As from `kill` and service managers.
    #[cfg(unix)]
    Terminate,
    /// As from the keys of a terminal.
    Interrupt,
}

impl Signal {
    /// The exit status of a process that ended because of it: 128 and its number.
    pub(super) fn exit_status(self) -> u8 {
        match self {
            Self::Interrupt => 130,
            #[cfg(unix)]
            Self::Terminate => 143,
        }
    }
}

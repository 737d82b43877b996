//! Delays a signal until the current step of a verb ends: a file is replaced as a whole or not at all, the report says
//! what was done, and temporary files are removed (`threats.toml` E11).

use std::time::Duration;

use tokio::runtime::Runtime;

use super::error::Error;
use protocol::Failure;
use sandbox::{Signal, Signals, signals};

/// Time to wait for the system to report a signal that has arrived.
const REPORTED: Duration = Duration::from_millis(1);

/// Catches signals while this value exists, so that a signal does not end the process.
pub(super) struct StepsWatch {
    runtime: Runtime,
    signals: Signals,
    arrived: Option<Signal>,
}

impl StepsWatch {
    /// Starts to catch signals.
    ///
    /// # Errors
    ///
    /// `BUSY` if the system refuses a handler.
    pub(super) fn begin() -> Result<Self, Failure> {
        let listening = signals::listen_on_own_runtime();
        let (runtime, signals) = listening.map_err(Error::NoSignals)?;
        Ok(Self {
            runtime,
            signals,
            arrived: None,
        })
    }

    /// The signal that has arrived so far, if any; checked between two steps.
    pub(super) fn arrived(&mut self) -> Option<Signal> {
        self.wait(REPORTED)
    }

    /// Waits for this time, or until a signal arrives. Returns the signal that has arrived so far, if any.
    pub(super) fn wait(&mut self, time: Duration) -> Option<Signal> {
        if self.arrived.is_none() {
            let next = self.signals.next();
            self.arrived = self
                .runtime
                .block_on(async { tokio::time::timeout(time, next).await.ok() });
        }
        self.arrived
    }
}

//! Delays a signal until the current step ends: a file is replaced as a whole or not at all, and
//! the report says what was done and how to revert it (`threats.toml` E11).

use std::time::Duration;

use tokio::runtime::Runtime;

use protocol::code::Code;
use protocol::failure::Failure;
use sandbox::signals;
use sandbox::signals::{Signal, Signals};

/// Time to wait for the system to report a signal that has arrived.
const PATIENCE: Duration = Duration::from_millis(1);

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
        let (runtime, signals) = signals::listen_on_own_runtime().map_err(|error| {
            Code::Busy
                .failure(format!(
                    "`setup` cannot listen for signals such as Ctrl-C: {}. Nothing was changed.",
                    error.kind()
                ))
                .hint("Try again.")
        })?;
        Ok(Self {
            runtime,
            signals,
            arrived: None,
        })
    }

    /// The signal that has arrived so far, if any; checked between two steps.
    pub(super) fn arrived(&mut self) -> Option<Signal> {
        if self.arrived.is_none() {
            let next = self.signals.next();
            self.arrived = self
                .runtime
                .block_on(async { tokio::time::timeout(PATIENCE, next).await.ok() });
        }
        self.arrived
    }
}

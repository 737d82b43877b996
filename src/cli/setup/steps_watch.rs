//! Lets a step end before a signal does: a file is replaced as a whole or not at all, and the report says
//! what was done and how to take it back (`faults.md` E11).

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::code::Code;
use crate::failure::Failure;
use crate::signals::{self, Signal, Signals};

/// How long the system is given to tell of a signal that has arrived.
const PATIENCE: Duration = Duration::from_millis(1);

/// Listens for signals while it exists; none of them ends the process then.
pub(super) struct StepsWatch {
    runtime: Runtime,
    signals: Signals,
    arrived: Option<Signal>,
}

impl StepsWatch {
    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// `BUSY` if the system gives no handler.
    pub(super) fn begin() -> Result<Self, Failure> {
        let (runtime, signals) = signals::listen_on_own_runtime().map_err(|error| {
            Failure::new(
                Code::Busy,
                format!(
                    "Cannot listen for signals: {}. Nothing was changed. Try again.",
                    error.kind()
                ),
            )
        })?;
        Ok(Self {
            runtime,
            signals,
            arrived: None,
        })
    }

    /// The signal that has arrived so far; asked between two steps.
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

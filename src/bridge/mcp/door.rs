//! The server's access to the gateway: reloads the settings and keeps the vault's index in memory.

use std::sync::Arc;

use crate::bridge::confine::ServerSandbox;
use crate::bridge::host::Host;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::gateway::{Answered, Control, Gateway, Request};

/// The gateway for all calls of this process.
pub(super) struct Door {
    host: Host,
}

impl Door {
    /// Opens the gateway for agents with the user's settings and these options, unconfined.
    #[cfg(test)]
    pub(super) fn open(
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        Ok(Self {
            host: Host::start(options, environment)?,
        })
    }

    /// Confines this process, and opens the gateway for agents with the user's settings and these
    /// options.
    ///
    /// # Errors
    ///
    /// If the settings or the vault are unusable, or the sandbox that they require is.
    pub(super) fn open_confined(
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        let sandbox = ServerSandbox::enter(options, environment)?;
        Ok(Self {
            host: Host::start_inside(sandbox, options, environment)?,
        })
    }

    /// Replaces the clock.
    #[cfg(test)]
    pub(super) fn with_clock(mut self, clock: crate::clock::Clock) -> Self {
        self.host = self.host.with_clock(clock);
        self
    }

    /// The gateway under the current settings. Ask again for each request, because a reload
    /// replaces it.
    pub(super) fn gateway(&self) -> Arc<Gateway> {
        self.host.gateway()
    }

    /// Answers a request. Blocks.
    pub(super) fn answer(&self, request: &Request, control: &Control) -> Answered {
        self.host.answer(request, control)
    }

    /// Registers a callback for changes of the settings.
    pub(super) fn on_change(&self, callback: impl Fn() + Send + Sync + 'static) {
        self.host.on_change(callback);
    }
}

//! What the server asks: a gateway under the settings as they are, with the vault's index at hand.

use std::sync::Arc;

use crate::bridge::host::Host;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::gateway::{Answered, Control, Gateway, Request};
use crate::tiers::Policy;

/// The gateway for all calls of this process.
pub(super) struct Door {
    host: Host,
}

impl Door {
    /// A door for agents under the user's settings and these options.
    pub(super) fn open(
        options: &CommandLineOptions,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        Ok(Self {
            host: Host::start(options, environment)?,
        })
    }

    /// The same door with another clock.
    #[cfg(test)]
    pub(super) fn with_clock(mut self, clock: crate::clock::Clock) -> Self {
        self.host = self.host.with_clock(clock);
        self
    }

    /// The gateway, to be taken anew for each request.
    pub(super) fn gateway(&self) -> Arc<Gateway> {
        self.host.gateway()
    }

    /// What is open now.
    pub(super) fn policy(&self) -> Policy {
        self.gateway().policy().clone()
    }

    /// Answers a request; blocks.
    pub(super) fn answer(&self, request: &Request, control: &Control) -> Answered {
        self.host.answer(request, control)
    }

    /// Calls back after each change of the settings.
    pub(super) fn on_change(&self, callback: impl Fn() + Send + Sync + 'static) {
        self.host.on_change(callback);
    }
}

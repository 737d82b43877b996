//! What the server asks: a gateway under the settings as they are.

use std::sync::Arc;

use crate::cli;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::gateway::{Answered, Caller, Gateway, Request};
use crate::tiers::Policy;

/// The gateway for all calls of this process.
pub(super) struct Door {
    gateway: Arc<Gateway>,
}

impl Door {
    /// A door for agents under the user's settings and these options.
    pub(super) fn open(options: &cli::Options, environment: &Environment) -> Result<Self, Failure> {
        Ok(Self {
            gateway: Arc::new(cli::gateway(options, environment, Caller::Agent)?),
        })
    }

    /// The gateway, to be taken anew for each request.
    pub(super) fn gateway(&self) -> Arc<Gateway> {
        Arc::clone(&self.gateway)
    }

    /// What is open now.
    pub(super) fn policy(&self) -> Policy {
        self.gateway.policy().clone()
    }

    /// Answers a request; blocks.
    pub(super) fn answer(&self, request: &Request) -> Answered {
        self.gateway.answer(request)
    }
}

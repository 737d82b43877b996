//! Who answers, and why.

use super::Gateway;
use super::envelope::Answerer;
use crate::allowlist::{BackendName, Call};
use crate::backend::{PinnedVault, embedded};
use crate::code::Code;
use crate::failure::Failure;
use crate::settings::BackendChoice;

/// The backend of a call, with the reason that stands in `meta.backendReason`.
pub(super) struct Choice {
    pub(super) backend: Answerer,
    pub(super) reason: String,
}

impl Gateway {
    /// The app if its socket answers, else the engine, unless one of them was asked for.
    pub(super) fn choose(&self, call: &Call, vault: &PinnedVault) -> Result<Choice, Failure> {
        let chosen = self.options.backend.unwrap_or(self.settings.backend);
        let embedded = |reason: &str| {
            Ok(Choice {
                backend: Answerer::Embedded,
                reason: reason.to_owned(),
            })
        };
        match chosen {
            BackendChoice::Obsidian => {
                self.obsidian.ready(vault)?;
                Ok(Choice {
                    backend: Answerer::Obsidian,
                    reason: "asked for".to_owned(),
                })
            }
            BackendChoice::Embedded if served(call) => embedded("asked for"),
            BackendChoice::Embedded => Err(requires_app(call)),
            BackendChoice::Auto => match self.obsidian.ready(vault) {
                Ok(_) => Ok(Choice {
                    backend: Answerer::Obsidian,
                    reason: "the app answers".to_owned(),
                }),
                Err(failure) if served(call) => {
                    embedded(&format!("the app cannot answer ({})", failure.code.name()))
                }
                Err(failure) if failure.code == Code::AppNotRunning => {
                    Err(requires_app(call).with("app", failure.code.name()))
                }
                Err(failure) => Err(failure),
            },
        }
    }
}

fn served(call: &Call) -> bool {
    call.backends().contains(&BackendName::Embedded) && embedded::serves(&call.command.id)
}

fn requires_app(call: &Call) -> Failure {
    Failure::new(
        Code::RequiresApp,
        format!(
            "Only the running app can answer `{}`. Start Obsidian with this vault and its command line interface on, and use the backend `auto` or `obsidian`.",
            call.command.id
        ),
    )
}

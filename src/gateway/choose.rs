//! Who answers, and why.

use super::Gateway;
use super::envelope::Answerer;
use crate::allowlist::{BackendName, Call};
use crate::backend::obsidian::Ready;
use crate::backend::{PinnedVault, embedded};
use crate::code::Code;
use crate::failure::Failure;
use crate::settings::BackendChoice;

/// The backend of a call, with the reason that stands in `meta.backendReason`.
pub(super) struct Choice {
    pub(super) backend: Backend,
    pub(super) reason: String,
}

/// Who answers, with what it needs.
pub(super) enum Backend {
    /// The running app, found ready.
    Obsidian(Box<Ready>),
    /// The engine in this program.
    Embedded,
}

impl Choice {
    /// The name for the envelope.
    pub(super) fn answerer(&self) -> Answerer {
        match self.backend {
            Backend::Obsidian(_) => Answerer::Obsidian,
            Backend::Embedded => Answerer::Embedded,
        }
    }
}

impl Gateway {
    /// The app if its socket answers, else the engine, unless one of them was asked for.
    pub(super) fn choose(&self, call: &Call, vault: &PinnedVault) -> Result<Choice, Failure> {
        let chosen = self.options.backend.unwrap_or(self.settings.backend);
        let embedded = |reason: String| Choice {
            backend: Backend::Embedded,
            reason,
        };
        let official = |ready, reason: &str| Choice {
            backend: Backend::Obsidian(Box::new(ready)),
            reason: reason.to_owned(),
        };
        if call.command.is_ours() {
            return ours(call, chosen).map(embedded);
        }
        match chosen {
            BackendChoice::Obsidian if !understood(call) => Err(Failure::new(
                Code::UsageError,
                format!(
                    "The app ignores a parameter that was given to `{}` and would answer another question. Use the embedded backend, or leave it out.",
                    call.command.id
                ),
            )),
            BackendChoice::Auto if !understood(call) && served(call) => Ok(embedded(
                "the app ignores a parameter that was given".to_owned(),
            )),
            BackendChoice::Obsidian => Ok(official(self.obsidian.ready(vault)?, "asked for")),
            BackendChoice::Embedded if served(call) => Ok(embedded("asked for".to_owned())),
            BackendChoice::Embedded => Err(requires_app(call)),
            BackendChoice::Auto => match self.obsidian.ready(vault) {
                Ok(ready) => Ok(official(ready, "the app answers")),
                Err(failure) if served(call) => Ok(embedded(format!(
                    "the app cannot answer ({})",
                    failure.code
                ))),
                Err(failure) if failure.code == Code::AppNotRunning => {
                    Err(requires_app(call).with("app", failure.code.name()))
                }
                Err(failure) => Err(failure),
            },
        }
    }
}

/// A command that the app does not have is the engine's, whether the app runs or not.
fn ours(call: &Call, chosen: BackendChoice) -> Result<String, Failure> {
    match chosen {
        BackendChoice::Auto => Ok("the app has no such command".to_owned()),
        BackendChoice::Embedded => Ok("asked for".to_owned()),
        BackendChoice::Obsidian => Err(Failure::new(
            Code::UsageError,
            format!(
                "`{}` is a command of this gateway, which the app does not have. Use the backend `auto` or `embedded` for it.",
                call.command.id
            ),
        )),
    }
}

/// Whether the app honours every parameter of the call.
fn understood(call: &Call) -> bool {
    call.backends().contains(&BackendName::Obsidian)
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

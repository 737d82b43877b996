//! Who answers, and why.

use cli_output::AppError;
use vault_engine::{Detail, VaultPath, Warning};

use super::choice::{Backend, Choice};
use super::core::Gateway;
use super::{scope, target};
use crate::allowlist::{BackendName, Call, ParamKind, Value};
use crate::backend::{PinnedVault, app_error, embedded};
use crate::code::Code;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::settings::BackendChoice;
use crate::tiers::Switch;

impl Gateway {
    /// The app if its socket answers, else the engine, unless one of them was asked for.
    /// With `app_is_off` the app has just said that its command line is switched off.
    pub(super) fn choose(
        &self,
        call: &Call,
        vault: &PinnedVault,
        app_is_off: bool,
    ) -> Result<Choice, Failure> {
        // Nothing is started for what is no name to look for.
        target::check_names(call, &vault.clone().limited_to(self.sight.as_ref()))?;
        let chosen = self.options.backend.unwrap_or(self.settings.backend);
        let embedded = |reason: String| Choice {
            backend: Backend::Embedded,
            reason,
            may_fall_back: false,
            warning: None,
        };
        let official = |ready, reason: &str| Choice {
            backend: Backend::Obsidian(Box::new(ready)),
            reason: reason.to_owned(),
            may_fall_back: chosen == BackendChoice::Auto && served(call),
            warning: None,
        };
        let ready = || {
            if app_is_off {
                return Err(app_error::failure(&AppError::CliNotEnabled));
            }
            self.obsidian.ready(vault)
        };
        if call.command.is_ours() {
            return ours(call, chosen).map(embedded);
        }
        let is_limited = self.sight.is_some() && scope::depends_on_other_files(call);
        if is_limited && served(call) {
            return Ok(embedded(
                "only the engine can answer from the open files alone".to_owned(),
            ));
        }
        if chosen != BackendChoice::Embedded && served(call) && self.leaves_vault(call, vault) {
            return Ok(embedded(
                "the app would follow symlinks, which the settings close".to_owned(),
            ));
        }
        match chosen {
            BackendChoice::Obsidian if !understood(call) => Err(Failure::new(
                Code::UsageError,
                format!(
                    "The app ignores a parameter that was given to `{}` and would answer another question. Use the embedded backend, or leave it out.",
                    call.command.id
                ),
            )),
            BackendChoice::Obsidian if !names_what_it_says(call) => Err(not_named(call)),
            BackendChoice::Auto if !names_what_it_says(call) && served(call) => Ok(embedded(
                "the app would read a path that was given as another one".to_owned(),
            )),
            BackendChoice::Auto if !understood(call) && served(call) => Ok(embedded(
                "the app ignores a parameter that was given".to_owned(),
            )),
            BackendChoice::Obsidian if mixes_rows(call, vault) => Err(rows_mixed(call)),
            BackendChoice::Obsidian => Ok(official(self.obsidian.ready(vault)?, "asked for")),
            BackendChoice::Embedded if served(call) => Ok(embedded("asked for".to_owned())),
            BackendChoice::Embedded => Err(requires_app(call)),
            BackendChoice::Auto => match ready() {
                Ok(_) if served(call) && mixes_rows(call, vault) => Ok(embedded(
                    "the app would print a name with a line break as two".to_owned(),
                )),
                Ok(ready) => Ok(official(ready, "the app answers")),
                Err(failure) if served(call) => Ok(Choice {
                    warning: (failure.code == Code::CliDisabled).then(switched_off),
                    ..embedded(format!("the app cannot answer ({})", failure.code))
                }),
                Err(failure) if failure.code == Code::AppNotRunning => {
                    Err(requires_app(call).with("app", failure.code.name()))
                }
                Err(failure) => Err(failure),
            },
        }
    }
}

impl Gateway {
    /// Whether the app would answer with what lies outside of the vault: it follows symlinks, and the
    /// settings do not open them (`follow_symlinks`; `faults.md` D03). A walk over the names of the
    /// vault, which only reads of many files pay for.
    fn leaves_vault(&self, call: &Call, vault: &PinnedVault) -> bool {
        let is_closed = !self.policy.allows(Switch::SymlinkedFolders);
        if !is_closed || call.effects().is_mutation() || !scope::depends_on_other_files(call) {
            return false;
        }
        let contents = vault.engine.contents(&VaultPath::root(), Detail::Names);
        contents.is_ok_and(|contents| {
            let mut warnings = contents.warnings.iter();
            warnings.any(|warning| matches!(warning, Warning::SymlinksSkipped { .. }))
        })
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

/// Refuses a call on the app whose paths the app would read as others. A note that was found by its
/// name gets here too.
pub(super) fn refuse_other_path(call: &Call, backend: &Backend) -> Result<(), Failure> {
    match backend {
        Backend::Obsidian(_) if !names_what_it_says(call) => Err(not_named(call)),
        Backend::Obsidian(_) | Backend::Embedded => Ok(()),
    }
}

/// Whether the app takes every path of the call for the one that it is. A backslash it may take for
/// a separator, and so reach a file that no rule was asked about; a line break or another control
/// character is no part of a word that a command line keeps (`faults.md` B05, B10).
fn names_what_it_says(call: &Call) -> bool {
    let is_odd = |character: char| character == '\\' || character.is_control();
    let names = call.arguments.values.iter().filter(|(key, value)| {
        let kind = call.command.param(key).map(|param| &param.kind);
        matches!(value, Value::Text(_)) && matches!(kind, Some(ParamKind::Template))
    });
    let paths = call.paths().into_iter().map(|(_, path)| path.to_string());
    !names
        .map(|(_, value)| value.to_text())
        .chain(paths)
        .any(|text| text.contains(is_odd))
}

fn not_named(call: &Call) -> Failure {
    Failure::new(
        Code::UnrepresentableContent,
        format!(
            "The app would read the path that was given to `{}` as another one, because it holds a backslash or a control character. Use the backend `embedded` for it.",
            call.command.id
        ),
    )
}

/// Whether the rows that the app prints for the call cannot be told apart, because the vault has a
/// name with a line break or a tab: the app escapes neither (`faults.md` B10). A walk over the names
/// of the vault, which only calls that list files pay for.
fn mixes_rows(call: &Call, vault: &PinnedVault) -> bool {
    let arguments = call.as_cli_arguments();
    if !cli_output::prints_rows_of_files(call.command.output, &arguments) {
        return false;
    }
    let breaks = |path: &VaultPath| path.as_str().contains(['\n', '\r', '\t']);
    // Of a folder that cannot be listed the app prints no rows either.
    (vault.engine.contents(&VaultPath::root(), Detail::Names)).is_ok_and(|contents| {
        contents.files.iter().any(|file| breaks(&file.path)) || contents.folders.iter().any(breaks)
    })
}

fn rows_mixed(call: &Call) -> Failure {
    Failure::new(
        Code::UnrepresentableContent,
        format!(
            "The vault has a name with a line break or a tab, which the app prints as two, so the answer to `{}` could not be told apart. Use the backend `embedded` for it.",
            call.command.id
        ),
    )
}

fn served(call: &Call) -> bool {
    call.backends().contains(&BackendName::Embedded) && embedded::serves(&call.command.id)
}

/// The app runs, and its owner may not know that it is passed over.
fn switched_off() -> Issue {
    Issue::new(
        "APP_CLI_DISABLED",
        "Obsidian runs and its command line interface is switched off, so the embedded engine answered.",
    )
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

//! Chooses the backend of a call, and gives the reason.
//!
//! With `auto` the app is probed first, which takes no walk. Only if it can answer are the names in the vault checked: for
//! a symlink that the settings close, or a name that would break a row of a list, the engine answers instead. With
//! `obsidian` the names are checked even if the app does not run. If they cannot be listed, the call fails.

use cli_output::AppError;
use vault_engine::{Arg, IndexedVault};

use crate::caller::CallerContext;
use crate::error::Error;
use crate::{scope, target};
use allowlist::{BackendName, Call, ParamKind};
use backend::{PinnedVault, app_error, embedded, engine_failure};
use changes::{Backend, Choice};
use obsidian_cli::Obsidian;
use protocol::{Code, Failure, Issue};
use settings::BackendChoice;
use tiers::Switch;

/// The backends that may answer a caller.
#[derive(Clone, Copy)]
pub(crate) struct Backends<'gateway> {
    pub(crate) caller: &'gateway CallerContext,
    pub(crate) obsidian: &'gateway Obsidian,
}

impl Backends<'_> {
    /// Chooses the app if its socket answers and the engine otherwise, unless the settings or
    /// `--backend` name one. `app_is_off` means that the app has just reported its command line as
    /// switched off.
    pub(super) fn choose(
        &self,
        call: &Call,
        vault: &PinnedVault,
        app_is_off: bool,
    ) -> Result<Choice, Failure> {
        // Before the probe: an invalid name is refused without starting a process.
        if target::has_names(call) {
            target::check_names(call, &vault.clone().limited_to(self.caller.sight.as_ref())?)?;
        }
        let chosen = self.caller.backend();
        let is_served = engine_serves(call);
        let id = || call.command.id.clone();
        let requires_app = |app| {
            let failure = Error::RequiresApp(id(), app).into();
            call.command.other_ways().fold(failure, Failure::hint)
        };
        let official = |ready, reason: &str| Choice {
            backend: Backend::Obsidian(Box::new(ready)),
            reason: reason.to_owned(),
            may_fall_back: chosen == BackendChoice::Auto && is_served,
            warning: None,
        };
        let ready = || {
            if app_is_off {
                return Err(app_error::failure(&AppError::CliNotEnabled));
            }
            self.obsidian.ready(vault)
        };
        if call.command.is_ours() {
            return match chosen {
                BackendChoice::Auto => Ok(Choice::by_engine("the app has no such command")),
                BackendChoice::Embedded => Ok(Choice::by_engine(REQUESTED)),
                BackendChoice::Obsidian => Err(Error::NotOfTheApp(id()).into()),
            };
        }
        // Path rules decide before the app is probed. The app reads every file of the vault, so its
        // answer would include the closed ones.
        if scope::needs_the_engine(call, &self.caller.policy) && is_served {
            return Ok(Choice::by_engine(
                "only the engine can limit its answer to the allowed files",
            ));
        }
        // An app that the settings require is checked even if it does not run.
        let misled = match chosen {
            BackendChoice::Obsidian => self.misled_app(call, vault)?,
            BackendChoice::Auto | BackendChoice::Embedded => None,
        };
        let needs_next_instance = self.completes_recurring_task(call, vault)?;
        let wrongs = [
            (
                needs_next_instance,
                "the app does not write the next instance of a recurring task",
            ),
            (
                !reads_paths_as_given(call),
                "the app would misread the path",
            ),
            (
                !honours_parameters(call),
                "the app ignores a parameter that was given",
            ),
            (
                moves_into_new_folder(call, vault),
                "the app does not create the folder of a moved file",
            ),
        ];
        if is_served
            && chosen == BackendChoice::Auto
            && let Some((_, reason)) = wrongs.iter().find(|(is_wrong, _)| *is_wrong)
        {
            return Ok(Choice::by_engine(*reason));
        }
        match chosen {
            BackendChoice::Obsidian if needs_next_instance => Err(Error::NextInstance.into()),
            BackendChoice::Obsidian if misled == Some(Misled::BySymlinks) => {
                Ok(Choice::by_engine(BY_SYMLINKS))
            }
            BackendChoice::Obsidian if !honours_parameters(call) => {
                Err(Error::IgnoredParameter(id()).into())
            }
            BackendChoice::Obsidian if !reads_paths_as_given(call) => {
                Err(Error::MisreadPath(id()).into())
            }
            BackendChoice::Obsidian if misled == Some(Misled::ByNames) => {
                Err(Error::AmbiguousRows(id()).into())
            }
            BackendChoice::Obsidian => Ok(official(self.obsidian.ready(vault)?, REQUESTED)),
            BackendChoice::Embedded if is_served => Ok(Choice::by_engine(REQUESTED)),
            BackendChoice::Embedded => Err(requires_app(None)),
            BackendChoice::Auto => match ready() {
                Ok(ready) if !is_served => Ok(official(ready, "the app answers")),
                Ok(ready) => Ok(match self.misled_app(call, vault)? {
                    Some(Misled::BySymlinks) => Choice::by_engine(BY_SYMLINKS),
                    Some(Misled::ByNames) => {
                        Choice::by_engine("the app would print a name with a line break as two")
                    }
                    None => official(ready, "the app answers"),
                }),
                Err(failure) if is_served => Ok(Choice {
                    warning: (failure.code == Code::CliDisabled).then(switched_off),
                    ..Choice::by_engine(format!("the app cannot answer ({})", failure.code))
                }),
                Err(failure) if failure.code == Code::AppNotRunning => {
                    Err(requires_app(Some(failure.code.name())))
                }
                Err(failure) => Err(failure),
            },
        }
    }
}

/// The reason for which the app's answer would be wrong.
#[derive(PartialEq)]
enum Misled {
    /// The app follows symlinks that the settings forbid (`follow_symlinks`; `threats.toml` D03).
    BySymlinks,
    /// The app does not escape a line break or a tab in a name, so its rows are ambiguous
    /// (`threats.toml` B10).
    ByNames,
}

/// The reason for a backend that the settings or the command line name.
const REQUESTED: &str = "asked for";

const BY_SYMLINKS: &str = "the app would follow symlinks, which the settings do not allow";

impl Backends<'_> {
    /// Whether the call marks a recurring task as done. The Tasks plugin then writes the next instance, and so does the
    /// engine, but not the app alone (`vault-semantics.md` §3.4).
    fn completes_recurring_task(&self, call: &Call, vault: &PinnedVault) -> Result<bool, Failure> {
        let is_about_a_task = call
            .command
            .params
            .iter()
            .any(|param| param.kind == ParamKind::TaskRef);
        if !is_about_a_task || !call.effects().is_mutation() || !engine_serves(call) {
            return Ok(false);
        }
        let seen = vault.clone().limited_to(self.caller.sight.as_ref())?;
        Ok(embedded::completes_recurring_task(&seen, &call.arguments))
    }

    /// Checks for names and links that would mislead the app. Needs all names in the vault: from the index in a server,
    /// otherwise a walk. So only reads of many files and calls that list files are checked, and none that the engine
    /// answers anyway. If the names cannot be listed, the app is not asked.
    fn misled_app(&self, call: &Call, vault: &PinnedVault) -> Result<Option<Misled>, Failure> {
        let symlinks_matter = !self.caller.policy.allows(Switch::SymlinkedFolders)
            && engine_serves(call)
            && !call.effects().is_mutation()
            && scope::depends_on_other_files(call);
        let names_matter = cli_output::prints_rows_of_files(call.command.output, &call.arguments);
        if !symlinks_matter && !names_matter {
            return Ok(None);
        }
        let risks = IndexedVault(&vault.engine)
            .name_risks()
            .map_err(engine_failure)?;
        Ok(if symlinks_matter && risks.skipped_symlinks {
            Some(Misled::BySymlinks)
        } else if names_matter && risks.broken_rows {
            Some(Misled::ByNames)
        } else {
            None
        })
    }
}

/// Whether the app honours every parameter of the call. It silently ignores some.
fn honours_parameters(call: &Call) -> bool {
    call.backends().contains(&BackendName::Obsidian)
}

/// Whether the call moves a file into a folder that does not exist, for which the app reports an error
/// (`vault-semantics.md` §7.4).
fn moves_into_new_folder(call: &Call, vault: &PinnedVault) -> bool {
    let Some(to) = call.arguments.path("to") else {
        return false;
    };
    // With a dot it is the path of the file.
    let folder = if to.as_str().contains('.') {
        to.parent()
    } else {
        to.clone()
    };
    call.command.moves_a_file() && !folder.is_root() && !vault.engine.is_there(&folder)
}

/// Refuses a call on the app if the app would read one of its paths as another path. Called again
/// after `file=` is resolved, because the path found may have such characters.
pub(super) fn refuse_other_path(call: &Call, backend: &Backend) -> Result<(), Failure> {
    match backend {
        Backend::Obsidian(_) if !reads_paths_as_given(call) => {
            Err(Error::MisreadPath(call.command.id.clone()).into())
        }
        Backend::Obsidian(_) | Backend::Embedded => Ok(()),
    }
}

/// Whether the app reads every path of the call as given. The app may take a backslash as a
/// separator and reach a file that no path rule has checked; a line break or another control
/// character does not survive the app's command line (`threats.toml` B05, B10).
fn reads_paths_as_given(call: &Call) -> bool {
    let is_odd = |character: char| character == '\\' || character.is_control();
    let names = call.arguments.values.iter().filter(|(key, value)| {
        let kind = call.command.param(key).map(|param| &param.kind);
        matches!(value, Arg::Text(_)) && matches!(kind, Some(ParamKind::Template))
    });
    let paths = call.paths().into_iter().map(|(_, path)| path.to_string());
    !names
        .map(|(_, value)| value.to_text())
        .chain(paths)
        .any(|text| text.contains(is_odd))
}

pub(super) fn engine_serves(call: &Call) -> bool {
    call.backends().contains(&BackendName::Embedded) && embedded::serves(&call.command.id)
}

/// Returns the warning that the app runs but its command line is off. Its owner may not know that the engine answers
/// instead.
fn switched_off() -> Issue {
    Issue::new(
        "APP_CLI_DISABLED",
        "Obsidian is running, but its command line is turned off, so vault-gw answered without the \
        app.",
    )
}

//! Plans and applies commands, for tests.

use cli_output::{Arguments, Shape};

use super::Edit;
use crate::error::EngineError;
pub(crate) use crate::testing::surroundings;
use crate::vault::Vault;

pub(crate) fn arguments(params: &[(&str, &str)], flags: &[&str]) -> Arguments {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Arguments {
        params: params.iter().map(owned).collect(),
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
    }
}

pub(crate) fn plan(vault: &Vault, command: &str, params: &[(&str, &str)], flags: &[&str]) -> Edit {
    vault.plan(command, &arguments(params, flags), &surroundings()).unwrap()
}

/// Plans a command and applies it.
pub(crate) fn done(vault: &Vault, command: &str, params: &[(&str, &str)], flags: &[&str]) -> Edit {
    let edit = plan(vault, command, params, flags);
    vault.apply(&edit.changes, "run").unwrap();
    edit
}

pub(crate) fn error(
    vault: &Vault,
    command: &str,
    params: &[(&str, &str)],
    flags: &[&str],
) -> EngineError {
    vault.plan(command, &arguments(params, flags), &surroundings()).unwrap_err()
}

/// Returns the app's answer, without the line end.
pub(crate) fn confirmation(edit: &Edit) -> String {
    let text = cli_output::render(&edit.answer, Shape::Confirmation, &Arguments::default());
    text.trim_end().to_owned()
}

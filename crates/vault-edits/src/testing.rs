//! Plans and applies commands, for tests.

use cli_output::Shape;
use vault_files::testing::given;
pub(crate) use vault_files::testing::surroundings;
use vault_files::{EngineError, Vault};

use super::Edit;
use crate::Editor;

pub(crate) fn plan(vault: &Vault, command: &str, params: &[(&str, &str)], flags: &[&str]) -> Edit {
    Editor(vault)
        .plan(command, &given(command, params, flags), &surroundings())
        .unwrap()
}

/// Plans a command and applies it.
pub(crate) fn done(vault: &Vault, command: &str, params: &[(&str, &str)], flags: &[&str]) -> Edit {
    let edit = plan(vault, command, params, flags);
    Editor(vault).apply(&edit.changes, "run").unwrap();
    edit
}

pub(crate) fn error(
    vault: &Vault,
    command: &str,
    params: &[(&str, &str)],
    flags: &[&str],
) -> EngineError {
    Editor(vault)
        .plan(command, &given(command, params, flags), &surroundings())
        .unwrap_err()
}

/// Returns the app's answer, without the line end.
pub(crate) fn confirmation(edit: &Edit) -> String {
    let text = cli_output::render(&edit.answer, Shape::Confirmation, &());
    text.trim_end().to_owned()
}

//! Plans and applies commands, for tests.

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

/// Returns what was done, and the path of the file.
pub(crate) fn confirmation(edit: &Edit) -> String {
    let done = edit.answer.to_json();
    format!(
        "{}: {}",
        done["action"].as_str().unwrap(),
        done["path"].as_str().unwrap()
    )
}

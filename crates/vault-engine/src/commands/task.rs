//! `task`, as far as it shows.

use cli_output::{Answer, Arguments, RawText};

use super::reply::Reply;
use crate::error::EngineError;
use crate::surroundings::Surroundings;
use crate::target::given;
use crate::task_line::TaskLine;
use crate::vault::Vault;

/// One task: its line as written. Nobody has recorded what the app prints.
pub(super) fn task(
    vault: &Vault,
    arguments: &Arguments,
    surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let changes = ["toggle", "done", "todo"]
        .iter()
        .any(|flag| arguments.flag(flag));
    if changes || given(arguments, "status").is_some() {
        return Err(EngineError::NotServed {
            command: "task".to_owned(),
        });
    }
    let (text, warnings) = TaskLine::of(vault, arguments, surroundings)?.text(vault)?;
    Ok(Reply::new(Answer::Raw(RawText { text }), warnings))
}

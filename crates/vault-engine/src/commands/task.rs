//! `task`, as far as it shows.

use cli_output::{Answer, RawText};

use super::reply::Reply;
use crate::call::Call;
use crate::error::EngineError;
use crate::target::given;
use crate::task_line::TaskLine;

/// One task: its line as written. Nobody has recorded what the app prints.
pub(super) fn task(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let changes = ["toggle", "done", "todo"]
        .iter()
        .any(|flag| arguments.flag(flag));
    if changes || given(arguments, "status").is_some() {
        return Err(EngineError::NotServed {
            command: "task".to_owned(),
        });
    }
    let (text, warnings) = TaskLine::of(vault, arguments, call.surroundings)?.text(vault)?;
    Ok(Reply::new(Answer::Raw(RawText { text }), warnings))
}

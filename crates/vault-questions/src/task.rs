//! `task` as a read: it shows a task. `edit/task.rs` contains the changes.

use vault_answers::RawText;
use vault_files::{Call, EngineError};
use vault_index::TaskLine;

use super::reply::Reply;

/// Returns the line of one task, as written. The app's output is not recorded.
pub(super) fn task(call: &Call<'_>) -> Result<Reply, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let changes = ["toggle", "done", "todo"]
        .iter()
        .any(|flag| arguments.flag(flag));
    if changes || arguments.text("status").is_some() {
        return Err(EngineError::NotServed {
            command: "task".to_owned(),
        });
    }
    let (text, warnings) =
        TaskLine::from_arguments(vault, arguments, call.surroundings)?.text(vault)?;
    Ok(Reply::new(RawText::new(text), warnings))
}

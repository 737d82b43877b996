//! Converts warnings of the engine to issues. Only vault paths appear in them, never paths of this
//! machine.

use vault_engine::Warning;

use super::engine_error::as_sentence;
use protocol::{Issue, message};

/// Returns the issue for a warning, with its path, its line and its numbers.
pub fn engine_issue(warning: &Warning) -> Issue {
    let mut issue = Issue::new(warning.code(), as_sentence(&warning.to_string()));
    if let Warning::AnchorsLost { .. } = warning {
        issue.message.push_sentence(message!(
            "To rename a heading or block and update its links, use {heading:rename}."
        ));
    }
    issue.line = warning.line().and_then(|line| u64::try_from(line).ok());
    if let Warning::RankingIncomplete { covered, notes, .. } = warning {
        issue = issue.with("covered", *covered).with("notes", *notes);
    }
    if warning.path().is_root() {
        issue
    } else {
        issue.with_path(warning.path().as_str())
    }
}

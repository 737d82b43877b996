//! The engine's warnings as issues: vault paths only, never one of the machine.

use vault_engine::Warning;

use crate::issue::Issue;

/// The issue for a warning of the engine, at the path that it is about.
pub fn engine_issue(warning: &Warning) -> Issue {
    let mut issue = Issue::new(warning.code(), warning.to_string());
    issue.line = warning.line().and_then(|line| u64::try_from(line).ok());
    if warning.path().is_root() {
        issue
    } else {
        issue.at(warning.path().as_str())
    }
}

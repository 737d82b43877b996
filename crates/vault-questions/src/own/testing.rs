//! Calls the gateway's own commands as a caller does, for tests.

use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::Value;
use vault_files::testing;
use vault_files::testing::parsed;
use vault_files::vault::testing::without_sight_of;
use vault_files::{EngineError, Surroundings, Vault};

use crate::Reply;

fn surroundings() -> Surroundings {
    let now = date(2026, 3, 14).at(9, 26, 53, 0);
    Surroundings {
        now: now.to_zoned(TimeZone::UTC).unwrap(),
        ..testing::surroundings()
    }
}

pub(super) fn reply(vault: &Vault, line: &str) -> Result<Reply, EngineError> {
    let (command, arguments) = parsed(line);
    crate::reply(vault, &command, &arguments, &surroundings())
}

/// Returns the data of the answer to a command line.
pub(super) fn ask(vault: &Vault, line: &str) -> Value {
    serde_json::to_value(reply(vault, line).unwrap().answer).unwrap()
}

/// Returns the data and the warnings for a caller who sees nothing below the folder `hidden`.
pub(super) fn ask_without(vault: &Vault, hidden: &str, line: &str) -> (Value, Vec<String>) {
    let reply = reply_without(vault, hidden, line);
    let warnings = reply.warnings.iter().map(ToString::to_string).collect();
    (serde_json::to_value(reply.answer).unwrap(), warnings)
}

/// Returns the reply to a caller who does not see paths that begin with `hidden`.
pub(super) fn reply_without(vault: &Vault, hidden: &str, line: &str) -> Reply {
    reply(&without_sight_of(vault, hidden), line).unwrap()
}

/// Limits a vault to the files whose paths do not begin with `hidden`.
pub(super) fn without<'text>(
    files: &[(&'text str, &'text str)],
    hidden: &str,
) -> Vec<(&'text str, &'text str)> {
    let seen = files.iter().filter(|(path, _)| !path.starts_with(hidden));
    seen.copied().collect()
}

/// Returns the text of the answer for people, with the line end of its last line.
pub(super) fn text(vault: &Vault, line: &str) -> String {
    let text = reply(vault, line).unwrap().answer.text();
    if text.is_empty() || text.ends_with('\n') {
        text
    } else {
        text + "\n"
    }
}

pub(super) fn fails(vault: &Vault, line: &str) -> EngineError {
    reply(vault, line).unwrap_err()
}

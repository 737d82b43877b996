//! The user's state folder, and other processes that work on it.

use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::Command;

use vault_gw::settings::Folders;

use super::{World, fixture_binary};

impl World {
    /// Where the audit log and the approvals are.
    pub(crate) fn state(&self) -> PathBuf {
        Folders::new(&self.environment()).state().unwrap()
    }

    /// A second process of this user: a subcommand of `fixtures/stand-ins`.
    pub(crate) fn stand_in(&self, body: &str) -> Command {
        let mut command = self.command(&fixture_binary("stand-in"));
        command.arg(body);
        command
    }

    /// The same, working on the state folder with this id, name or number of a step.
    pub(crate) fn stand_in_on_state(&self, body: &str, word: impl AsRef<OsStr>) -> Command {
        let mut command = self.stand_in(body);
        command.arg(self.state()).arg(word);
        command
    }
}

/// Runs a stand-in that may kill itself. What it printed, or nothing if it was killed; any other
/// failure fails the test.
#[cfg(unix)]
pub(crate) fn unless_killed(mut stand_in: Command) -> Option<String> {
    let output = stand_in.output().unwrap();
    if output.status.signal() == Some(9) {
        return None;
    }
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

//! The user's state folder, and other processes that work on it.

use std::path::PathBuf;
use std::process::Command;

use vault_engine::{Failpoints, Step};
use vault_gw::environment::Environment;
use vault_gw::settings::Folders;

use super::World;

/// Says to a stand-in which state folder it works on.
pub(crate) const STATE: &str = "VAULT_GW_TEST_STATE";
/// A word for a stand-in: its name, or the number of the call at which it dies.
pub(crate) const WORD: &str = "VAULT_GW_TEST_WORD";

impl World {
    /// Where the audit log and the approvals are.
    pub(crate) fn state(&self) -> PathBuf {
        Folders::new(&self.environment()).state().unwrap()
    }

    /// This very test program, to run one test that stands in for another process.
    pub(crate) fn stand_in(&self, test: &str, word: &str) -> Command {
        let mut command = self.command(&std::env::current_exe().unwrap());
        command
            .args(["--exact", test, "--nocapture"])
            .env(STATE, self.state())
            .env(WORD, word);
        command
    }
}

/// The state folder and the word that a stand-in was given; nothing in an ordinary run.
pub(crate) fn given() -> Option<(PathBuf, String)> {
    let environment = Environment::capture();
    let state = PathBuf::from(environment.variable(STATE)?);
    let word = environment.variable(WORD)?.to_str()?.to_owned();
    Some((state, word))
}

/// Kills this process right before the call of this number, as `kill -9` would.
pub(crate) struct Reaper(std::sync::Mutex<usize>);

impl Reaper {
    pub(crate) fn at(call: usize) -> std::sync::Arc<dyn Failpoints> {
        std::sync::Arc::new(Self(std::sync::Mutex::new(call)))
    }
}

impl Failpoints for Reaper {
    fn before(&self, _step: Step) -> std::io::Result<()> {
        let mut left = self.0.lock().unwrap();
        if *left == 0 {
            super::processes::end(std::process::id().cast_signed());
        }
        *left -= 1;
        Ok(())
    }
}

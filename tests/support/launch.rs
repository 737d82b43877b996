//! The program, ready to be started, so that a test can change what is around it.

use std::path::Path;
use std::process::Command;

use super::World;

const PROGRAM: &str = env!("CARGO_BIN_EXE_vault-gw");

impl World {
    /// The program with these words.
    pub(crate) fn prepared(&self, words: &[&str]) -> Command {
        self.write_settings();
        let mut command = self.command(Path::new(PROGRAM));
        command.args(words);
        command
    }

    /// The same, started by another program: by the words of `launcher`, which come first.
    pub(crate) fn prepared_by(&self, launcher: &[&str], words: &[&str]) -> Command {
        self.write_settings();
        let mut command = self.command(Path::new(launcher[0]));
        command.args(&launcher[1..]).arg(PROGRAM).args(words);
        command
    }

    /// The same, started by a line of shell in which `"$@"` is the program with its words.
    pub(crate) fn prepared_by_shell(&self, line: &str, words: &[&str]) -> Command {
        self.write_settings();
        let mut command = self.command(Path::new("/bin/sh"));
        command.args(["-c", line, "sh", PROGRAM]).args(words);
        command
    }
}

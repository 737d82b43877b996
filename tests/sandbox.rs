//! What the official command line and the servers are kept from (`threats.toml` group L).

use std::process::Command;

use crate::support::World;

mod official;
mod server;
mod spare;

/// The newest version of Landlock, whatever that is.
const NEWEST: &str = "99";

/// The program, with its kernel's Landlock at most of this version, and first the stand-in's own
/// options.
fn program(world: &World, landlock: &str, words: &[&str]) -> Command {
    world.write_settings();
    let mut command = world.stand_in("program");
    command.arg(landlock).args(words);
    command
}

//! Chores of this repository; `cargo xtask` alone lists them.

mod check_all;
mod contracts;
mod dist;
#[cfg(test)]
mod features;
mod generate;
mod site;
mod targets;
mod threats;
mod wine;

use std::process::ExitCode;

use chores::Fault;
use clap::Parser;

/// Chores of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Writes the checked-in generated files
    Generate {
        /// Writes nothing, and fails where one is stale
        #[arg(long)]
        check: bool,
    },
    /// Lints the workspace for Windows, macOS and static Linux, and says which are not installed
    CheckAll {
        /// Has rustup install the missing ones first
        #[arg(long)]
        add: bool,
    },
    /// Runs the rows of the five source documents (tests/contracts/) and prints a table
    ///
    /// Id, what is asked, the command, and whether it works or why it differs. Fails where a row is not shown.
    Contracts,
    /// Builds the program for each system, and packs it for every channel into target/dist/packages
    ///
    /// With SHA-256 sums and lists of crates.
    Dist(dist::Options),
    /// Builds the documentation site from docs/ into target/site. Needs mdbook (cargo install mdbook)
    Site,
    /// Builds the integration suite for Windows with MinGW and runs it under Wine
    ///
    /// The parts that are known to pass there. Says what of them is left out, and why. Skipped where MinGW or Wine
    /// is not installed.
    Wine {
        /// Runs the tests whose names hold one of these words instead
        names: Vec<String>,
    },
}

impl Chore {
    /// Does it, and returns what there is to say.
    fn run(self) -> Result<String, Fault> {
        match self {
            Self::Generate { check } => generate::run(check),
            Self::CheckAll { add } => check_all::run(add),
            Self::Contracts => contracts::run(),
            Self::Dist(options) => dist::run(&options),
            Self::Site => site::run(),
            Self::Wine { names } => wine::run(&names),
        }
    }
}

fn main() -> ExitCode {
    chores::end(Chore::parse().run())
}

#[cfg(test)]
#[test]
fn the_command_line_is_sound() {
    <Chore as clap::CommandFactory>::command().debug_assert();
}

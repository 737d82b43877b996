//! Chores of this repository; `cargo xtask` alone lists them.

mod agents;
mod bench;
mod browser;
mod check_all;
mod conformance;
mod contracts;
mod dist;
mod everyday;
mod federation;
mod files;
mod generate;
mod rank;
mod screenshots;
mod site;
mod targets;
mod threats;
mod vault;
mod wine;
mod world;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// The error of a chore, for the user who runs it.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Chores of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Runs Claude Code, Codex, `OpenCode` and a shell in the fence of `vault-gw run`, as far as they are installed
    ///
    /// A model answers by a script: five tasks with their own tools, then a search for a closed folder. Prints a
    /// row for each: tasks done, the vault unchanged, the draft as expected, one accepted hunk alone in the vault,
    /// and that nothing closed reached the model.
    Agents(agents::Options),
    /// Writes the checked-in generated files
    Generate {
        /// Writes nothing, and fails where one is stale
        #[arg(long)]
        check: bool,
    },
    /// Writes a made-up vault into a new or empty folder
    ///
    /// The same number and seed give the same bytes: sizes with a median of 2 KB and a long tail, names that are
    /// ambiguous, tags, tasks, properties, links of every form, attachments, canvases, bases, daily notes, CJK and
    /// emoji, settings, and a few malformed notes.
    Vault {
        /// How many notes it has
        #[arg(long, default_value_t = 1_000)]
        notes: usize,
        #[arg(long, default_value_t = vault::DEFAULT_SEED)]
        seed: u64,
        folder: PathBuf,
    },
    /// Prints how long the release program takes for the commands that agents use most
    ///
    /// As ratios to rg, find and cat in the same run, on made-up vaults, with peak memory and growth. Build first:
    /// cargo build --release.
    Bench(bench::Options),
    /// Checks the review page in Chromium, and writes its pictures
    ///
    /// By keyboard alone, 1280 and 390 pixels wide, with 200 hunks, a diff of 5 MB, a conflict, changes while it is
    /// open, hostile names and texts, and axe-core. Needs Chromium with its driver; axe-core comes from npm, or is
    /// said to be left out.
    Browser {
        /// The program (the release one)
        #[arg(long)]
        binary: Option<PathBuf>,
        /// The folder of the pictures (docs/terminal)
        #[arg(long)]
        pictures: Option<PathBuf>,
    },
    /// Lints the workspace for Windows, macOS and static Linux, and says which are not installed
    CheckAll {
        /// Has rustup install the missing ones first
        #[arg(long)]
        add: bool,
    },
    /// Runs the conformance suites of the Model Context Protocol against a test build of the server
    ///
    /// The one with their fixtures. Fails where a check fails that is not listed with its reason
    /// (xtask/src/conformance/listed.json). Needs Node.js, and the network at the first run.
    Conformance,
    /// Runs the rows of the five source documents (tests/contracts/) and prints a table
    ///
    /// Id, what is asked, the command, and whether it works or why it differs. Fails where a row is not shown.
    Contracts,
    /// Builds the program for each system, and packs it for every channel into target/dist/packages
    ///
    /// With SHA-256 sums and lists of crates.
    Dist(dist::Options),
    /// Runs thirteen everyday tasks of an agent over MCP on a copy of a vault
    ///
    /// Prints the calls, the bytes on the wire and the bytes of text of each.
    Everyday {
        /// The program (the release one)
        #[arg(long)]
        binary: Option<PathBuf>,
        vault: PathBuf,
    },
    /// Runs two vaults with a gateway each behind `ContextForge`, an MCP gateway
    ///
    /// Prints what each agent sees, what the way through costs, and what a restart in the middle of calls does.
    /// Needs the network at the first run.
    Federation {
        /// The program (the release one)
        #[arg(long)]
        binary: Option<PathBuf>,
        /// Python 3.12 or 3.13
        #[arg(long)]
        python: Option<String>,
    },
    /// Prints how well ranked search answers questions whose answers are known, on a copy of the notes of a vault
    ///
    /// hit@1, hit@5, MRR@10, right passage first, how fast, and the time and size of its index. Build with --release
    /// for the times.
    Rank(rank::Options),
    /// Draws what the program shows on a terminal (demo, diff, search, doctor, approval) into docs/terminal/, as SVG
    Screenshots {
        /// The program (the release one)
        #[arg(long)]
        binary: Option<PathBuf>,
    },
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
            Self::Agents(options) => agents::run(&options),
            Self::Generate { check } => generate::run(check),
            Self::Vault {
                notes,
                seed,
                folder,
            } => vault::run(&folder, notes, seed),
            Self::Bench(options) => bench::run(&options),
            Self::Browser { binary, pictures } => browser::run(binary.as_deref(), pictures),
            Self::CheckAll { add } => check_all::run(add),
            Self::Conformance => conformance::run(),
            Self::Contracts => contracts::run(),
            Self::Dist(options) => dist::run(&options),
            Self::Everyday { binary, vault } => everyday::run(binary.as_deref(), &vault),
            Self::Federation { binary, python } => {
                federation::run(binary.as_deref(), python.as_deref())
            }
            Self::Rank(options) => rank::run(&options),
            Self::Screenshots { binary } => screenshots::run(binary.as_deref()),
            Self::Site => site::run(),
            Self::Wine { names } => wine::run(&names),
        }
    }
}

fn main() -> ExitCode {
    match Chore::parse().run() {
        Ok(message) => {
            drop(writeln!(std::io::stdout(), "{message}"));
            ExitCode::SUCCESS
        }
        Err(message) => {
            drop(writeln!(std::io::stderr(), "error: {message}"));
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_options_have_values() {
        Chore::command().debug_assert();
        let words = ["xtask", "vault", "--notes", "12", "dir"];
        let read = Chore::try_parse_from(words).unwrap();
        let Chore::Vault {
            notes,
            seed,
            folder,
        } = read
        else {
            unreachable!("another chore was read");
        };
        assert_eq!((notes, seed), (12, 1));
        assert_eq!(folder, PathBuf::from("dir"));
    }

    #[test]
    fn mistakes_are_errors() {
        for words in [
            "bench --note 1",
            "bench --notes",
            "bench --runs 1 --runs 2",
            "bench --notes many",
            "bench many",
            "vault --notes 3",
            "everyday",
        ] {
            let parsed = Chore::try_parse_from(["xtask"].into_iter().chain(words.split(' ')));
            assert!(parsed.is_err(), "{words}");
        }
    }
}

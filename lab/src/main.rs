//! Measures and tries the program from outside, as its users do; `cargo lab` alone lists how.

mod agents;
mod bench;
mod browser;
mod conformance;
mod everyday;
mod federation;
mod rank;
#[cfg(unix)]
mod screenshots;
mod vault;
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use chores::Fault;
use clap::Parser;

/// Measurements and trials of the program
#[derive(Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab")]
struct Lab {
    /// The program (the release one of this target folder)
    #[arg(long, global = true)]
    binary: Option<PathBuf>,
    #[command(subcommand)]
    trial: Trial,
}

#[derive(clap::Subcommand)]
enum Trial {
    /// Runs Claude Code, Codex, `OpenCode` and a shell in the fence of `vault-gw run`, as far as they are installed
    ///
    /// A model answers by a script: five tasks with their own tools, then a search for a closed folder. Prints a
    /// row for each: tasks done, the vault unchanged, the draft as expected, one accepted hunk alone in the vault,
    /// and that nothing closed reached the model.
    Agents(agents::Options),
    /// Writes a made-up vault into a new or empty folder
    ///
    /// The same number and seed give the same bytes: sizes with a median of 2 KB and a long tail, names that are
    /// ambiguous, tags, tasks, properties, links of every form, attachments, canvases, bases, daily notes, CJK and
    /// emoji, settings, and a few malformed notes.
    Vault {
        /// Number of notes
        #[arg(long, default_value_t = 1_000)]
        notes: usize,
        #[arg(long, default_value_t = vault::DEFAULT_SEED)]
        seed: u64,
        folder: PathBuf,
    },
    /// Prints how long the release program takes for the commands that agents use most
    ///
    /// As ratios to rg, find and cat in the same run, on made-up vaults, with peak memory and growth.
    Bench(bench::Options),
    /// Checks the review page in Chromium, and writes its pictures
    ///
    /// By keyboard alone, 1280 and 390 pixels wide, with 200 hunks, a diff of 5 MB, a conflict, changes while it is
    /// open, hostile names and texts, and axe-core. Needs Chromium with its driver; axe-core comes from npm, or is
    /// said to be left out.
    Browser {
        /// The folder of the pictures (target/pictures)
        #[arg(long)]
        pictures: Option<PathBuf>,
    },
    /// Runs the conformance suites of the Model Context Protocol against a test build of the server
    ///
    /// The one with their fixtures. Fails where a check fails that is not listed with its reason
    /// (lab/src/conformance/listed.json). Needs Node.js, and the network at the first run.
    Conformance,
    /// Runs thirteen everyday tasks of an agent over MCP on a copy of a vault
    ///
    /// Prints the calls, the bytes on the wire and the bytes of text of each.
    Everyday { vault: PathBuf },
    /// Runs sixteen longer jobs of an agent over MCP in a made-up vault
    ///
    /// Prints the calls, the bytes on the wire, and the bytes of text and of data of each.
    Jobs {
        /// Number of notes
        #[arg(long, default_value_t = 1_000)]
        notes: usize,
        /// The calls with which the jobs are done
        #[arg(long, value_enum, default_value_t = everyday::Way::Today)]
        way: everyday::Way,
    },
    /// Runs two vaults with a gateway each behind `ContextForge`, an MCP gateway
    ///
    /// Prints what each agent sees, what the way through costs, and what a restart in the middle of calls does.
    /// Needs the network at the first run.
    Federation {
        /// Python 3.12 or 3.13
        #[arg(long)]
        python: Option<String>,
    },
    /// Prints how well ranked search answers questions whose answers are known, on a copy of the notes of a vault
    ///
    /// hit@1, hit@5, MRR@10, right passage first, how fast, and the time and size of its index.
    Rank(rank::Options),
    /// Draws what the program shows on a terminal (demo, approval, review) into docs/terminal/, as SVG
    #[cfg(unix)]
    Screenshots,
}

impl Trial {
    /// Does it, and returns what there is to say.
    fn run(self, binary: Option<&Path>) -> Result<String, Fault> {
        match self {
            Self::Agents(options) => agents::run(&options, binary),
            Self::Vault {
                notes,
                seed,
                folder,
            } => vault::run(&folder, notes, seed),
            Self::Bench(options) => bench::run(&options, binary),
            Self::Browser { pictures } => browser::run(binary, pictures),
            Self::Conformance => conformance::run(),
            Self::Everyday { vault } => everyday::run(binary, &vault),
            Self::Jobs { notes, way } => everyday::jobs(binary, notes, way),
            Self::Federation { python } => federation::run(binary, python.as_deref()),
            Self::Rank(options) => rank::run(&options, binary),
            #[cfg(unix)]
            Self::Screenshots => screenshots::run(binary),
        }
    }
}

fn main() -> ExitCode {
    let lab = Lab::parse();
    chores::end(lab.trial.run(lab.binary.as_deref()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_options_have_values() {
        Lab::command().debug_assert();
        let words = ["lab", "vault", "--notes", "12", "dir"];
        let read = Lab::try_parse_from(words).unwrap();
        let Trial::Vault {
            notes,
            seed,
            folder,
        } = read.trial
        else {
            unreachable!("another trial was read");
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
            let parsed = Lab::try_parse_from(["lab"].into_iter().chain(words.split(' ')));
            assert!(parsed.is_err(), "{words}");
        }
    }
}

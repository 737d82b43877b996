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
mod vault;
mod wine;
mod words;
mod world;

use std::io::Write as _;
use std::process::ExitCode;

/// What went wrong, for whoever runs the chore.
type Fault = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "\
usage: cargo xtask <chore>

  agents [--binary FILE] [--programs DIR] [--only NAME]
      Runs Claude Code, Codex, OpenCode and a shell in the fence of `vault-gw run`, as far as they are
      installed (--programs: in this folder, else on PATH), with a model that answers by a script: five
      tasks with their own tools, then a search for a closed folder. Prints a row for each: tasks done,
      the vault unchanged, the draft as expected, one accepted hunk alone in the vault, and that nothing
      closed reached the model. --binary is the program (the release one).

  generate [--check]
      Writes the checked-in generated files, or fails where they are stale.

  vault [--notes N] [--seed S] DIR
      Writes a made-up vault of N notes (1000) into the new or empty folder DIR. The same N and
      seed (1) give the same bytes: sizes with a median of 2 KB and a long tail, names that are
      ambiguous, tags, tasks, properties, links of every form, attachments, canvases, bases,
      daily notes, CJK and emoji, settings, and a few malformed notes.

  bench [--notes N,N,...] [--dir DIR] [--binary FILE] [--runs R]
      Prints how long the release program takes for the commands that agents use most, as ratios
      to rg, find and cat in the same run, on made-up vaults of the given sizes
      (1000,10000,100000), with peak memory and growth. Build first: cargo build --release.
      --dir keeps the vaults there and uses those that are there; else they are temporary.
      --binary is the program (the release one of this target folder).
      --runs is the number of runs behind each median (7 at least).

  browser [--binary FILE] [--pictures DIR]
      Checks the review page in Chromium: by keyboard alone, 1280 and 390 pixels wide, with 200 hunks, a diff of
      5 MB, a conflict, changes while it is open, hostile names and texts, and axe-core. Writes its pictures
      (docs/terminal). Needs Chromium with its driver; axe-core comes from npm, or is said to be left out.

  check-all [--add]
      Lints the workspace for Windows, macOS and static Linux, as far as their targets are installed,
      and says which are not. --add has rustup install the missing ones first.

  conformance
      Runs the conformance suites of the Model Context Protocol against a test build of the server, the
      one with their fixtures, and fails where a check fails that is not listed with its reason
      (xtask/src/conformance/listed.json). Needs Node.js, and the network at the first run.

  contracts
      Runs the rows of the five source documents (tests/contracts/) and prints a table: id, what is
      asked, the command, and whether it works or why it differs. Fails where a row is not shown.

  dist [--targets T,T,...] [--binaries DIR] [--repository URL] [--maintainer \"NAME <ADDRESS>\"] [--try]
      Builds the program for each system that can be built for here (--targets: for these alone), and
      packs it for every channel into target/dist/packages, with SHA-256 sums and lists of crates.
      --binaries packs programs that were built elsewhere besides (DIR/TARGET/vault-gw).
      --repository is where the sources and releases are, if Cargo.toml does not say it; Homebrew and
      the MCP registry need it. --maintainer goes into the packages instead of the one in Cargo.toml.
      --try installs each package in a clean place and uses it once, builds the first system again
      in another folder and compares: a line for each. Fetches from npm and PyPI what checks packages.

  everyday [--binary FILE] VAULT
      Runs thirteen everyday tasks of an agent over MCP on a copy of VAULT, and prints the calls, the
      bytes on the wire and the bytes of text of each.

  federation [--binary FILE] [--python FILE]
      Runs two vaults with a gateway each behind ContextForge, an MCP gateway, and prints what each agent
      sees, what the way through costs, and what a restart in the middle of calls does. Needs Python 3.12
      or 3.13 (--python), and the network at the first run. --binary is the program (the release one).

  rank [--misses] QUERIES.json VAULT
      Prints how well ranked search answers questions whose answers are known (hit@1, hit@5,
      MRR@10, right passage first), how fast, and the time and size of its index, on a copy of the
      notes of VAULT. QUERIES.json is a list of {\"query\": TEXT, \"relevant\": [PATH, ...]}; those in
      benches/data/ are for the vaults that they are named after. --misses lists the questions that
      another note answered first. Build with --release for the times.

  screenshots [--binary FILE]
      Draws what the program shows on a terminal (demo, diff, search, doctor, approval) into
      docs/terminal/, as SVG. --binary is the program (the release one of this target folder).

  site
      Builds the documentation site from docs/ into target/site. Needs mdbook (cargo install mdbook).

  wine [NAME ...]
      Builds the integration suite for Windows with MinGW and runs it under Wine: the parts that are known
      to pass there, or the tests whose names hold one of the words. Says what of them is left out, and
      why. Skipped where MinGW or Wine is not installed.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["agents", rest @ ..] => agents::run(rest),
        ["generate"] => generate::run(false),
        ["generate", "--check"] => generate::run(true),
        ["vault", rest @ ..] => vault::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["browser", rest @ ..] => browser::run(rest),
        ["check-all", rest @ ..] => check_all::run(rest),
        ["conformance"] => conformance::run(),
        ["contracts"] => contracts::run(),
        ["dist", rest @ ..] => dist::run(rest),
        ["everyday", rest @ ..] => everyday::run(rest),
        ["federation", rest @ ..] => federation::run(rest),
        ["rank", rest @ ..] => rank::run(rest),
        ["screenshots", rest @ ..] => screenshots::run(rest),
        ["site"] => site::run(),
        ["wine", rest @ ..] => wine::run(rest),
        _ => Err(USAGE.into()),
    };
    match result {
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

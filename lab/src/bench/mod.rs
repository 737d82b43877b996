//! `cargo lab bench`: the cost of the commands that agents use most, as ratios to `rg`, `find`
//! and `cat` on the same vault in the same run.
//!
//! The two sides of a row take turns, so that a machine that speeds up or slows down
//! affects both; the result is the ratio of the medians. Every run is a whole process, except in
//! two tables: the same questions to one `vault-gw call`, and to an engine that keeps its index in
//! memory as `call` and `mcp` do. `cargo bench` measures calls that the app answers.

mod drafts;
mod http;
mod in_memory;
pub(crate) mod measure;
mod programs;
mod questions;
pub(crate) mod served;
mod table;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use chores::{Fault, renew};

use self::measure::Figures;
use self::programs::{Programs, User};
use self::questions::Question;
use crate::vault;

const FEWEST_RUNS: usize = 7;
/// The size of the vault on which drafts and HTTP clients are measured.
const DRAFTS_OF: usize = 10_000;

/// All rows of one vault.
struct Size {
    notes: usize,
    rows: Vec<(Question, Figures)>,
}

impl Size {
    /// The questions that our program answers with what it kept.
    fn answered(&self) -> impl Iterator<Item = &Question> {
        let rows = self.rows.iter();
        let answered = rows.filter(|(question, figures)| !question.is_cold() && figures.is_ok());
        answered.map(|(question, _)| question)
    }
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The sizes of the vaults
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,100000")]
    notes: Vec<usize>,
    /// Keeps the vaults there and uses those that are there; else they are temporary
    #[arg(long)]
    dir: Option<PathBuf>,
    /// The number of runs behind each median, 7 at least
    #[arg(long, default_value_t = FEWEST_RUNS)]
    runs: usize,
}

/// Measures, and prints each table when it is ready: a failure on a large vault does not lose those of the smaller ones.
pub(crate) fn run(options: &Options, binary: Option<&Path>) -> Result<String, Fault> {
    let runs = options.runs.max(FEWEST_RUNS);
    let programs = Programs::find(binary)?;
    let scratch = tempfile::tempdir()?;
    let folder = options.dir.clone();
    let folder = folder.unwrap_or_else(|| scratch.path().join("vaults"));

    show(&table::head(&programs, runs))?;
    let mut measured = Vec::new();
    for &notes in &options.notes {
        let root = vault_of(&folder, notes)?;
        let user = User::new(
            &scratch.path().join(format!("user-{notes}")),
            &root,
            &programs,
        )?;
        let questions = questions::of(&root, &user)?;
        let mut rows = Vec::new();
        for mut question in questions {
            let figures = measure::figures(&user, &mut question, runs)?;
            rows.push((question, figures));
        }
        let size = Size { notes, rows };
        show(&table::rows(&size, &root)?)?;
        let (served, memory) = served::times(&user, &size, runs)?;
        let title = "the same in one `vault-gw call`";
        show(&table::times(
            title,
            &["first ms", "later ms"],
            &served,
            &size,
        ))?;
        show(&memory.map_or_else(String::new, table::memory))?;
        let heads = ["first ms", "later ms", "best ms", "allowed"];
        let wanted = in_memory::times(&user, &size, runs)?;
        show(&table::times(
            "in process, the index in memory",
            &heads,
            &wanted,
            &size,
        ))?;
        if notes == DRAFTS_OF {
            show(&http::table(&user, vault::HUB)?)?;
            show(&drafts::table(&programs, scratch.path(), &root, runs)?)?;
        }
        measured.push(size);
    }
    for pair in measured.windows(2) {
        show(&table::growth(&pair[0], &pair[1]))?;
    }
    Ok(String::new())
}

fn show(text: &str) -> Result<(), Fault> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// The folder of the vault with that many notes, which is written if it does not exist.
fn vault_of(folder: &Path, notes: usize) -> Result<PathBuf, Fault> {
    let root = folder.join(format!("notes-{notes}"));
    // Renamed when complete, so that an interrupted run leaves no half of a vault.
    let unfinished = folder.join(format!("unfinished-{notes}"));
    if !root.exists() {
        renew(&unfinished)?;
        vault::write(&unfinished, notes, vault::DEFAULT_SEED)?;
        fs_err::rename(&unfinished, &root)?;
    }
    Ok(root)
}

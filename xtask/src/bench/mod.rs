//! `cargo xtask bench`: the cost of the commands that agents use most, as ratios to `rg`, `find`
//! and `cat` on the same vault in the same run.
//!
//! The two sides of a row take turns, so that a machine that speeds up or slows down meanwhile
//! affects both; the result is the ratio of the medians. Every run is a whole process, except in
//! two tables: the same questions to one `vault-gw call`, and to an engine that keeps its index in
//! memory as `call` and `mcp` do.

mod drafts;
mod in_memory;
pub(crate) mod measure;
pub(crate) mod programs;
mod questions;
mod served;
mod table;

use std::path::{Path, PathBuf};

use self::measure::Figures;
use self::programs::{Programs, User};
use self::questions::Question;
use crate::Fault;
use crate::files::remove;
use crate::vault;
use crate::words::{Words, number};

const DEFAULT_SIZES: &str = "1000,10000,100000";
const FEWEST_RUNS: usize = 7;
/// The size of the vault on which drafts are measured.
const DRAFTS_OF: usize = 10_000;

/// All rows of one vault.
struct Size {
    notes: usize,
    rows: Vec<(Question, Figures)>,
}

/// Measures and returns the tables.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let words = Words::read(words, &["--notes", "--dir", "--binary", "--runs"])?;
    words.expect_no_rest()?;
    let sizes: Vec<usize> = words
        .option("--notes")
        .unwrap_or(DEFAULT_SIZES)
        .split(',')
        .map(|size| number("--notes", size))
        .collect::<Result<_, _>>()?;
    let runs = words.number("--runs", FEWEST_RUNS)?.max(FEWEST_RUNS);
    let programs = Programs::find(words.option("--binary").map(Path::new))?;
    let scratch = tempfile::tempdir()?;
    let folder = words
        .option("--dir")
        .map_or_else(|| scratch.path().join("vaults"), PathBuf::from);

    let mut report = table::head(&programs, runs);
    let mut measured = Vec::new();
    for notes in sizes {
        let root = vault_of(&folder, notes)?;
        let user = User::new(
            &scratch.path().join(format!("user-{notes}")),
            &root,
            &programs,
        )?;
        let questions = questions::of(&root, &user)?;
        let mut rows = Vec::new();
        for question in questions {
            let figures = measure::figures(&user, &question, runs)?;
            rows.push((question, figures));
        }
        let size = Size { notes, rows };
        report += &table::rows(&size, &root)?;
        report += &table::served(&served::times(&user, &size, runs)?);
        report += &table::in_memory(&size, &in_memory::times(&user, &size, runs)?);
        if notes == DRAFTS_OF {
            report += &drafts::table(&programs, scratch.path(), &root, runs)?;
        }
        measured.push(size);
    }
    for pair in measured.windows(2) {
        report += &table::growth(&pair[0], &pair[1]);
    }
    Ok(report)
}

/// The folder of the vault with that many notes, which is written if it does not exist.
fn vault_of(folder: &Path, notes: usize) -> Result<PathBuf, Fault> {
    let root = folder.join(format!("notes-{notes}"));
    // Renamed when complete, so that an interrupted run leaves no half of a vault.
    let unfinished = folder.join(format!("unfinished-{notes}"));
    if !root.exists() {
        remove(&unfinished)?;
        vault::write(&unfinished, notes, vault::DEFAULT_SEED)?;
        fs_err::rename(&unfinished, &root)?;
    }
    Ok(root)
}

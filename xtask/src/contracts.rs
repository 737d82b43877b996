//! `cargo xtask contracts`: the rows of the five source documents, run one by one.

use std::collections::BTreeSet;
use std::process::Stdio;

use chores::{Fault, cargo, ensure, repository, succeeds};

/// The test that runs the rows with a command line and prints the table.
const TEST: &str = "contracts::every_row_of_the_five_documents_is_shown";

/// Runs the rows, the table goes to standard output, and the tests that rows name.
///
/// # Errors
///
/// If a row is not true, or a test that it names fails or does not exist.
pub(crate) fn run() -> Result<String, Fault> {
    let words = ["test", "-q", "--test", "integration", TEST, "--"];
    ensure(
        succeeds(cargo().args(words).arg("--nocapture"))?,
        "a row does not hold",
    )?;
    let named = named_tests()?;
    let words = "test --workspace --lib --test integration -- --exact".split(' ');
    let mut tests = cargo();
    let ran = tests
        .args(words)
        .args(&named)
        .stderr(Stdio::inherit())
        .output()?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    let is_missing = |name: &&String| !printed.contains(&format!("test {name} ... ok\n"));
    let missing: Vec<&String> = named.iter().filter(is_missing).collect();
    let otherwise = format!("{printed}\nthese tests did not pass: {missing:?}");
    ensure(missing.is_empty(), &otherwise)?;
    Ok(format!(
        "every row holds, and the {} tests that rows name pass",
        named.len()
    ))
}

/// The full names of the tests that rows name.
fn named_tests() -> Result<BTreeSet<String>, Fault> {
    let mut named = BTreeSet::new();
    for entry in fs_err::read_dir(repository().join("tests/contracts"))? {
        let text = fs_err::read_to_string(entry?.path())?;
        let found = text
            .lines()
            .filter_map(|line| line.strip_prefix("test = \"")?.strip_suffix('"'));
        named.extend(found.map(str::to_owned));
    }
    Ok(named)
}

//! `cargo xtask contracts`: the rows of the five source documents, run one by one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The test that runs the rows with a command line and prints the table.
const TEST: &str = "contracts::every_row_of_the_five_documents_is_shown";

/// Runs the rows, the table goes to standard output, and the tests that rows name.
///
/// # Errors
///
/// If a row does not hold, or a test that it names fails or does not exist.
pub(crate) fn run() -> Result<String, String> {
    let words = ["-q", "--test", "integration", TEST, "--", "--nocapture"];
    let is_shown = cargo_test()
        .args(words)
        .status()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if !is_shown.success() {
        return Err("a row does not hold".to_owned());
    }
    let named = named_tests()?;
    let ran = cargo_test()
        .args([
            "--workspace",
            "--lib",
            "--test",
            "integration",
            "--",
            "--exact",
        ])
        .args(&named)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    let passed: BTreeSet<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... ok"))
        .collect();
    let missing: Vec<&String> = named
        .iter()
        .filter(|name| !passed.contains(name.as_str()))
        .collect();
    if missing.is_empty() {
        Ok(format!(
            "every row holds, and the {} tests that rows name pass",
            named.len()
        ))
    } else {
        Err(format!("{printed}\nthese tests did not pass: {missing:?}"))
    }
}

#[expect(clippy::disallowed_methods, reason = "a chore starts cargo")]
fn cargo_test() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.arg("test").current_dir(root());
    cargo
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The full names of the tests that rows name.
fn named_tests() -> Result<BTreeSet<String>, String> {
    let folder = root().join("tests/contracts");
    let mut named = BTreeSet::new();
    let entries = fs_err::read_dir(folder).map_err(|error| error.to_string())?;
    for entry in entries {
        let file = entry.map_err(|error| error.to_string())?.path();
        let text = fs_err::read_to_string(file).map_err(|error| error.to_string())?;
        let found = text
            .lines()
            .filter_map(|line| line.strip_prefix("test = \"")?.strip_suffix('"'));
        named.extend(found.map(str::to_owned));
    }
    Ok(named)
}

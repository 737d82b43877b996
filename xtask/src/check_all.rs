//! `cargo xtask check-all`: the whole workspace, linted for every system that it is for.

use chores::{Fault, cargo, command, ensure, succeeds};

use crate::targets::{TARGETS, Toolchain};

/// Lints for every target whose standard library is installed, and says which were left out. With
/// `add`, installs the missing ones first, as far as rustup can.
pub(crate) fn run(add: bool) -> Result<String, Fault> {
    let toolchain = Toolchain::find()?;
    // Without a network, rustup explains why it fails for all of them.
    for target in TARGETS
        .into_iter()
        .filter(|target| add && !toolchain.has(target))
    {
        succeeds(command("rustup").args(["target", "add", target]))?;
    }
    let installed: Vec<&str> = TARGETS
        .into_iter()
        .filter(|target| toolchain.has(target))
        .collect();
    // One build of all crates keeps every core busy. The failing crate is searched for only after a failure.
    let are_all_clean = installed.is_empty() || are_clean(&installed)?;
    let mut report = String::new();
    let mut has_failed = false;
    for target in TARGETS {
        let result = if !installed.contains(&target) {
            "skipped: not installed (`check-all --add`)"
        } else if are_all_clean || are_clean(&[target])? {
            "clean"
        } else {
            has_failed = true;
            "FAILED"
        };
        report += &format!("{target:28} {result}\n");
    }
    ensure(
        !has_failed,
        &format!("not clean for every system\n{report}"),
    )?;
    Ok(report.trim_end().to_owned())
}

/// Runs clippy, which checks as well, and prints what it finds. Tests are linted on the system that
/// runs them.
fn are_clean(targets: &[&str]) -> Result<bool, Fault> {
    let targets = targets.iter().flat_map(|target| ["--target", target]);
    let words = ["clippy", "--quiet", "--workspace"];
    let mut cargo = cargo();
    succeeds(
        cargo
            .args(words)
            .args(targets)
            .args(["--", "-D", "warnings"]),
    )
}

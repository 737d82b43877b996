//! `cargo xtask check-all`: the whole workspace, linted for every system that it is for.

use crate::targets::{TARGETS, Toolchain, command};

/// Lints for every target whose standard library is installed, and says which were left out.
pub(crate) fn run(words: &[&str]) -> Result<String, String> {
    if let Some(word) = words.first() {
        return Err(format!("`{word}` belongs to no option"));
    }
    let toolchain = Toolchain::find()?;
    let mut report = String::new();
    let mut failed = Vec::new();
    for target in TARGETS {
        let result = if !toolchain.has(target) {
            "skipped: `rustup target add` has it"
        } else if is_clean(target)? {
            "clean"
        } else {
            failed.push(target);
            "FAILED"
        };
        report += &format!("{target:28} {result}\n");
    }
    if failed.is_empty() {
        Ok(report.trim_end().to_owned())
    } else {
        Err(format!("not clean for every system\n{report}"))
    }
}

/// Runs clippy, which checks as well, and prints what it finds. Tests are linted on the system that
/// runs them.
fn is_clean(target: &str) -> Result<bool, String> {
    let status = command(env!("CARGO"))
        .args(["clippy", "--quiet", "--workspace", "--target", target])
        .args(["--", "-D", "warnings"])
        .status();
    let status = status.map_err(|error| format!("cargo clippy: {error}"))?;
    Ok(status.success())
}

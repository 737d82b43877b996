//! `cargo xtask check-all`: the whole workspace, linted for every system that it is for.

use std::path::PathBuf;
use std::process::Command;

/// The systems besides the one that this runs on.
const TARGETS: [&str; 5] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
];

/// Lints for every target whose standard library is installed, and says which were left out.
pub(crate) fn run(words: &[&str]) -> Result<String, String> {
    if let Some(word) = words.first() {
        return Err(format!("`{word}` belongs to no option"));
    }
    let libraries = libraries()?;
    let mut report = String::new();
    let mut failed = Vec::new();
    for target in TARGETS {
        let result = if !libraries.join(target).is_dir() {
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

/// Where the toolchain keeps the standard library of each target.
fn libraries() -> Result<PathBuf, String> {
    let asked = command("rustc").args(["--print", "sysroot"]).output();
    let answer = asked.map_err(|error| format!("rustc: {error}"))?;
    let root = String::from_utf8_lossy(&answer.stdout);
    Ok(PathBuf::from(root.trim()).join("lib/rustlib"))
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

#[expect(
    clippy::disallowed_methods,
    reason = "the toolchain that this was built with"
)]
fn command(program: &str) -> Command {
    Command::new(program)
}

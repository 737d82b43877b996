//! `cargo xtask wine`: the integration suite of the Windows program under Wine.
//!
//! Tests that need Unix are not compiled there (`#[cfg(unix)]` in `tests/`), and tests of Windows alone are in
//! `tests/windows/`. The parts that were seen to pass are run by themselves; others are named to be run.

use chores::{Fault, cargo, command, ensure, printed, renew, repository, succeeds};

const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// The parts that run if none is named, one per line, and their tests that do not apply.
const LISTED: &str = include_str!("wine.txt");

/// Runs the parts, or the tests whose names contain one of the names.
///
/// # Errors
///
/// If a test fails, or the programs cannot be built.
pub(crate) fn run(names: &[String]) -> Result<String, Fault> {
    for (tool, package) in [(COMPILER, "gcc-mingw-w64-x86-64"), ("wine", "wine64")] {
        if printed(command(tool).arg("--version")).is_err() {
            return Ok(format!("skipped: there is no `{tool}` (Debian: {package})"));
        }
    }
    let prefix = repository().join("target/wine");
    renew(&prefix)?;
    let environment = [
        ("WINEPREFIX", prefix.as_os_str()),
        ("WINEDEBUG", "-all".as_ref()),
        // Ours for the library that old Wines lack; no offers to install more; no menu entries.
        (
            "WINEDLLOVERRIDES",
            "bcryptprimitives=n,b;mscoree=;mshtml=;winemenubuilder.exe=d".as_ref(),
        ),
        ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine".as_ref()),
        ("TZ", "UTC".as_ref()),
    ];
    printed(
        command("wine")
            .args(["wineboot", "--init"])
            .envs(environment),
    )?;
    let mut compiler = command(COMPILER);
    compiler.args(["-shared", "-Os", "-s", "-Wall", "-Wextra", "-Werror", "-o"]);
    compiler.arg(prefix.join("drive_c/windows/system32/bcryptprimitives.dll"));
    compiler.arg(repository().join("fixtures/wine-shim/bcryptprimitives.c"));
    printed(compiler.arg("-ladvapi32"))?;
    // The tests themselves cannot: no cargo runs under Wine. Naming the tests keeps the features of shared
    // dependencies as they are for them.
    let mut build = cargo();
    build.args(["build", "--quiet", "--target", TARGET, "--bins"]);
    build.args(["--test", "integration", "--package", "vault-gw"]);
    let mut test = cargo();
    test.args(["test", "--target", TARGET, "--test", "integration", "--"]);
    test.args(names);
    let lines = LISTED.lines().filter(|line| !line.starts_with('#'));
    let (left_out, parts): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.contains(": "));
    test.args(parts.iter().filter(|_| names.is_empty()));
    let skipped = left_out.iter().filter_map(|line| line.split(": ").next());
    test.args(skipped.flat_map(|name| ["--skip", name]));
    build.args(["--package", "fake-obsidian", "--package", "stand-ins"]);
    let has_passed = succeeds(&mut build)? && succeeds(test.envs(environment))?;
    ensure(has_passed, "the suite does not pass under Wine")?;
    let left_out = left_out.iter().map(|line| format!("left out: {line}\n"));
    Ok(left_out.collect())
}

//! `cargo xtask wine`: the integration suite of the Windows program under Wine.
//!
//! What needs Unix is not compiled there (`#[cfg(unix)]` in `tests/`), and what only Windows has is in
//! `tests/windows/`. The parts that were seen to pass are run by themselves; others are named to be run.

use crate::Fault;
use crate::files::renew;
use crate::targets::{cargo, command, printed, repository, succeeds};

const TARGET: &str = "x86_64-pc-windows-gnu";
const COMPILER: &str = "x86_64-w64-mingw32-gcc";

/// The parts that are run where none is named.
const PARTS: [&str; 17] = [
    "windows::",
    "approvals::",
    "argument_forms::",
    "attachments::",
    "bases::",
    "diagnostics::",
    "discovery::",
    "export::",
    "folder_move::",
    "import::",
    "list_limits::",
    "mcp::hostile_input::",
    "mcp::media::",
    "mcp::tools::",
    "note_edit::",
    "the_demo_needs_nothing",
    "writes_end_to_end::",
];

/// The tests of these parts that do not apply.
const LEFT_OUT: [(&str, &str); 9] = [
    ("context_for_a_person", "shows paths of Unix"),
    ("context_says_who", "the fake has another name"),
    ("the_total_counts_what", "takes many minutes under Wine"),
    ("random_edits_are_taken", "takes many minutes under Wine"),
    ("nothing_takes_the_place", "`/` is no whole path"),
    ("notes_are_resources_in", "a name that Windows cannot have"),
    ("nothing_can_be_recorded", "knows the state folder of Unix"),
    (
        "a_note_could_replace",
        "writes a path of Unix into settings",
    ),
    ("two_processes_lose_no", "takes many minutes under Wine"),
];

/// Runs the parts, or the tests whose names hold one of the words.
///
/// # Errors
///
/// If a test fails, or the programs cannot be built.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
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
    test.args(if words.is_empty() { &PARTS[..] } else { words });
    test.args(LEFT_OUT.iter().flat_map(|(name, _)| ["--skip", name]));
    if !succeeds(build.args(["--package", "fake-obsidian", "--package", "stand-ins"]))?
        || !succeeds(test.envs(environment))?
    {
        return Err("the suite does not pass under Wine".into());
    }
    let left_out = LEFT_OUT.map(|(name, why)| format!("left out: {name}: {why}"));
    Ok(left_out.join("\n"))
}

//! `cargo lab conformance`: runs the protocol's own conformance suites against a test build of the
//! server, the one with their fixtures.
//!
//! The suites speak HTTP and know no bearer token, so `front.mjs` adds it. Scenarios in which the server asks the
//! client back need a connection that stays. Our HTTP has none, so such scenarios run over standard input and output,
//! behind the same script, which keeps one server process for each session.

mod report;

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use chores::{Fault, cargo, command, ensure, repository, succeeds, write};
use serde::Deserialize;

use self::report::Listed;
use crate::world::{Running, World, free_port};

/// One version of the suite, what of it is run, and what of that may fail, as `listed.json` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    version: String,
    selection: Vec<String>,
    /// The scenarios that need a session, and so run over standard input and output.
    sessions: Vec<String>,
    listed: Listed,
}

/// Runs both suites and compares what fails with the list of what may.
pub(crate) fn run() -> Result<String, Fault> {
    let words = ["build", "--quiet", "--package", "vault-gw"];
    let is_built = succeeds(cargo().args(words).args(["--features", "conformance"]))?;
    ensure(is_built, "the test build failed")?;
    let name = format!("vault-gw{}", std::env::consts::EXE_SUFFIX);
    let program = std::env::current_exe()?.with_file_name(name);
    let scratch = tempfile::tempdir()?;
    let settings = "enabled = true\nbackend = \"embedded\"\n";
    let world = World::make(&program, scratch.path(), settings)?;
    write(&world.vault().join("watched.md"), "# Watched\n")?;
    let mut text = String::new();
    let mut surprises = Vec::new();
    let suites: Vec<Suite> = serde_json::from_str(include_str!("listed.json"))?;
    for suite in &suites {
        let results = scratch.path().join(&suite.version);
        let (served, front, url) = serve_http(&world)?;
        suite.run(&url, &suite.selection, &results)?;
        drop((served, front));
        let mut scenarios = report::scenarios(&results)?;
        if !suite.sessions.is_empty() {
            let ours = world.command();
            let mut words = vec![world.folder.as_ref(), ours.get_program()];
            words.extend(ours.get_args());
            words.push("mcp".as_ref());
            let (_front, url) = front_of(free_port()?, &words)?;
            let results = results.join("sessions");
            for scenario in &suite.sessions {
                suite.run(&url, &["--scenario", scenario], &results)?;
            }
            scenarios.extend(report::scenarios(&results)?);
        }
        let (version, listed) = (&suite.version, &suite.listed);
        text += &report::table(version, &scenarios, listed);
        surprises.extend(report::surprises(version, &scenarios, listed));
    }
    ensure(
        surprises.is_empty(),
        &format!("{text}\n{}", surprises.join("\n")),
    )?;
    Ok(text)
}

/// Serves over HTTP, behind the script that adds the token; with the address for the suites.
fn serve_http(world: &World) -> Result<(Running, Running, String), Fault> {
    let token = world.folder.join("token");
    // The server must know the origin of the proxy before it.
    let port = free_port()?;
    let origin = format!("http://localhost:{port}");
    let shown = token.to_str().ok_or("a folder that is not UTF-8")?;
    let words = ["--allow-origin", &origin, "--token-file", shown];
    let (served, server_port) = world.listen(0, &words)?;
    let token = fs_err::read_to_string(&token)?;
    let server_port = server_port.to_string();
    let (front, url) = front_of(port, &[token.trim().as_ref(), server_port.as_ref()])?;
    Ok((served, front, url))
}

/// Starts the script before a server, and waits until it listens; with the address for the suites.
fn front_of(port: u16, words: &[&OsStr]) -> Result<(Running, String), Fault> {
    let mut node = command("node");
    node.arg(repository().join("lab/src/conformance/front.mjs"));
    node.arg(port.to_string()).args(words);
    let (running, line) = Running::start(node)?;
    ensure(line == "ready", &format!("front.mjs: {line}"))?;
    Ok((running, format!("http://localhost:{port}/mcp")))
}

impl Suite {
    /// Runs it with its results in a folder. That scenarios fail is seen there.
    fn run(&self, url: &str, words: &[impl AsRef<OsStr>], results: &Path) -> Result<(), Fault> {
        fs_err::create_dir_all(results)?;
        let package = format!("@modelcontextprotocol/conformance@{}", self.version);
        let status = command("npx")
            // The suites need Node 22, even if another version is installed.
            .args(["--yes", "-p", "node@22", "-p", &package])
            .args(["conformance", "server", "--url", url, "-o"])
            .arg(results)
            .args(words)
            .current_dir(results)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|error| format!("npx: {error}. Install Node.js first."))?;
        let has_run = fs_err::read_dir(results)?.next().is_some();
        ensure(
            has_run,
            &format!("the suite {} did not run: {status}", self.version),
        )
    }
}

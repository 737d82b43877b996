//! `cargo xtask conformance`: runs the protocol's own conformance suites against a test build of the
//! server, the one with their fixtures.
//!
//! The suites speak HTTP and know no bearer token, so a proxy adds it. Scenarios in which the server asks
//! the client back need a connection that stays. Our HTTP has none, so those run over standard input and
//! output, behind a bridge that keeps one server process for each session.

mod bridge;
pub(crate) mod http;
mod report;
mod server;

use std::path::Path;
use std::process::Stdio;

use self::report::{Listed, Scenario};
use crate::Fault;
use crate::targets::command;

/// The suites, and what of them is run.
const SUITES: [Suite; 2] = [
    Suite {
        version: "0.2.0-alpha.12",
        selection: &["--requirements", "2026-07-28"],
        sessions: &[],
    },
    Suite {
        version: "0.1.16",
        selection: &["--suite", "all"],
        sessions: &[
            "tools-call-sampling",
            "tools-call-elicitation",
            "elicitation-sep1034-defaults",
            "elicitation-sep1330-enums",
            "resources-subscribe",
            "resources-unsubscribe",
        ],
    },
];

/// One version of the suite.
struct Suite {
    version: &'static str,
    selection: &'static [&'static str],
    /// The scenarios that need a session, and so run over standard input and output.
    sessions: &'static [&'static str],
}

/// Runs both suites and compares what fails with the list of what may.
pub(crate) fn run() -> Result<String, Fault> {
    let program = server::build()?;
    let scratch = tempfile::tempdir()?;
    let world = server::world(&program, scratch.path())?;
    let listed = Listed::load()?;
    let mut text = String::new();
    let mut surprises = Vec::new();
    for suite in &SUITES {
        let results = scratch.path().join(suite.version);
        fs_err::create_dir_all(&results)?;
        {
            let served = server::serve_http(&world)?;
            suite.run(&served.url, suite.selection, &results)?;
        }
        if !suite.sessions.is_empty() {
            let bridge = bridge::Bridge::start(world.clone())?;
            for scenario in suite.sessions {
                report::forget(&results, scenario)?;
                suite.run(&bridge.url, &["--scenario", scenario], &results)?;
            }
        }
        let scenarios = Scenario::read_all(&results)?;
        text += &report::table(suite.version, &scenarios, &listed);
        surprises.extend(report::surprises(suite.version, &scenarios, &listed));
    }
    if surprises.is_empty() {
        Ok(text)
    } else {
        Err(format!("{text}\n{}", surprises.join("\n")).into())
    }
}

impl Suite {
    /// Runs it with its results in a folder. That scenarios fail is seen there.
    fn run(&self, url: &str, words: &[&str], results: &Path) -> Result<(), Fault> {
        let package = format!("@modelcontextprotocol/conformance@{}", self.version);
        let status = command("npx")
            // The suites need Node 22, whatever is installed.
            .args(["--yes", "-p", "node@22", "-p", &package])
            .args(["conformance", "server", "--url", url, "-o"])
            .arg(results)
            .args(words)
            .current_dir(results)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|error| format!("npx: {error}. Install Node.js first."))?;
        let has_run = fs_err::read_dir(results).is_ok_and(|mut entries| entries.next().is_some());
        if has_run {
            Ok(())
        } else {
            Err(format!("the suite {} did not run: {status}", self.version).into())
        }
    }
}

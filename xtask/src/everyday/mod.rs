//! `cargo xtask everyday`: the cost of thirteen everyday tasks of an agent over MCP, in calls,
//! bytes on the wire and text for the model (`design.md` §13).
//!
//! The tasks are run on a copy of a vault, to which a small project is added, so that any vault will do.
//! Each task checks what it got, so a figure is never that of a refusal.

mod client;
mod tasks;

use std::path::Path;

use self::client::Client;
use self::tasks::{Project, TASKS};
use crate::Fault;
use crate::bench::programs::Programs;
use crate::files::{below, write};
use crate::words::Words;

/// The most calls, bytes on the wire and approvals for all tasks together (`design.md` §13).
const MOST_CALLS: usize = 30;
const MOST_BYTES: usize = 60_000;

/// What one task cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    calls: usize,
    /// Bytes of all messages, both ways.
    wire: usize,
    /// Bytes of text blocks.
    text: usize,
}

impl Cost {
    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.wire += other.wire;
        self.text += other.text;
    }
}

/// Runs the tasks and returns their table.
///
/// # Errors
///
/// If a task fails, needs an approval, or is not possible.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let words = Words::read(words, &["--binary"])?;
    let [vault] = words.rest.as_slice() else {
        return Err("name one vault, which is copied and not changed".into());
    };
    let programs = Programs::find(words.option("--binary").map(Path::new))?;
    let scratch = tempfile::tempdir()?;
    let copy = scratch.path().join("vault");
    for path in below(Path::new(vault), true)? {
        // Written anew and not copied with its mode, because the original may be read-only.
        write(
            &copy.join(&path),
            fs_err::read(Path::new(vault).join(&path))?,
        )?;
    }
    let project = Project::write(&copy)?;
    let mut client = Client::start(&programs.ours, scratch.path(), &copy)?;
    let listed = client.list_tools()?;

    let mut table = format!(
        "tools/list: {} tools, {} bytes ({} tokens at 4 bytes each)\n\n{:<46} {:>5} {:>7} {:>7}\n",
        listed.tools,
        listed.bytes,
        listed.bytes.div_ceil(4),
        "task",
        "calls",
        "wire",
        "text"
    );
    let mut whole = Cost::default();
    for (name, task) in TASKS {
        client.cost = Cost::default();
        task(&mut client, &project).map_err(|error| format!("{name}: {error}"))?;
        table += &row(name, client.cost);
        whole.add(client.cost);
    }
    table += &row("all", whole);
    if whole.calls > MOST_CALLS || whole.wire > MOST_BYTES {
        table += &format!("over the limit of {MOST_CALLS} calls and {MOST_BYTES} bytes\n");
    }
    Ok(table)
}

fn row(name: &str, cost: Cost) -> String {
    format!(
        "{name:<46} {:>5} {:>7} {:>7}\n",
        cost.calls, cost.wire, cost.text
    )
}

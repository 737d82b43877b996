//! `cargo lab everyday`: the cost of thirteen everyday tasks of an agent over MCP, in calls,
//! bytes on the wire and text for the model (`design/tasks.md`). `cargo lab jobs`: that of sixteen longer jobs, also as an
//! older program needs them, and as one change of several steps.
//!
//! The tasks are run on a copy of a vault, to which a small project is added, so that any vault will do. Each task
//! checks what it got, so no figure comes from a refusal.

mod client;
mod tasks;

use std::fmt::Display;
use std::ops::AddAssign;
use std::path::Path;

use chores::{Fault, below, printed, write};
use serde_json::json;

use self::client::Client;
use self::tasks::Project;
pub(crate) use self::tasks::Way;
use crate::vault;
use crate::world::{World, ours};

/// The most calls, bytes on the wire and approvals for all tasks together (`design/tasks.md`).
const MOST_CALLS: usize = 30;
const MOST_BYTES: usize = 60_000;

/// The cost of one task.
#[derive(Clone, Copy, Default)]
struct Cost {
    calls: usize,
    /// Bytes of all messages, both ways.
    wire: usize,
    /// Bytes of text blocks, which some clients show to the model.
    text: usize,
    /// Bytes of structured content, which other clients show to it.
    data: usize,
}

impl Cost {
    const HEADINGS: [&str; 4] = ["calls", "wire", "text", "data"];

    fn numbers(self) -> [usize; 4] {
        [self.calls, self.wire, self.text, self.data]
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.wire += other.wire;
        self.text += other.text;
        self.data += other.data;
    }
}

/// Runs the thirteen tasks on a copy of a vault and returns their table.
///
/// # Errors
///
/// If a task fails, needs an approval, or is not possible.
pub(crate) fn run(binary: Option<&Path>, vault: &Path) -> Result<String, Fault> {
    let project = include_str!("tasks.json");
    let (mut table, whole) = measured(binary, vault, project, Way::Today)?;
    if whole.calls > MOST_CALLS || whole.wire > MOST_BYTES {
        table += &format!("over the limit of {MOST_CALLS} calls and {MOST_BYTES} bytes\n");
    }
    Ok(table)
}

/// Runs the sixteen jobs in a made-up vault with so many notes, and returns their table.
///
/// # Errors
///
/// As [`run`].
pub(crate) fn jobs(binary: Option<&Path>, notes: usize, way: Way) -> Result<String, Fault> {
    let scratch = tempfile::tempdir()?;
    let made = scratch.path().join("vault");
    vault::run(&made, notes, vault::DEFAULT_SEED)?;
    let (table, _) = measured(binary, &made, include_str!("jobs.json"), way)?;
    Ok(table)
}

/// Runs the tasks of a project on a copy of a vault, and returns their table and what they cost together.
fn measured(
    binary: Option<&Path>,
    vault: &Path,
    project: &str,
    way: Way,
) -> Result<(String, Cost), Fault> {
    let scratch = tempfile::tempdir()?;
    let settings = "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\n";
    let world = World::make(&ours(binary)?, scratch.path(), settings)?;
    let copy = world.vault();
    for path in below(vault, true)? {
        // Written and not copied with its mode, because the original may be read-only.
        write(&copy.join(&path), fs_err::read(vault.join(&path))?)?;
    }
    let today = printed(world.command().arg("daily:path"))?;
    let project = Project::write(project, &copy, today.trim_end())?;
    // On a slow machine the first searches answer from some notes. That is not what is measured here.
    while printed(
        world
            .command()
            .args(["--json", "notes:search", "query=boat"]),
    )?
    .contains("RANKING_INCOMPLETE")
    {}
    let mut client = Client::start(&world)?;
    let mut listed = client.ask("tools/list", &json!({}))?;
    let tools = listed["tools"].take();
    let bytes = tools.to_string().len();
    let (count, tokens) = (tools.as_array().map_or(0, Vec::len), bytes.div_ceil(4));
    let mut table =
        format!("tools/list: {count} tools, {bytes} bytes ({tokens} tokens at 4 bytes each)\n\n");
    table += &row("task", Cost::HEADINGS);
    let mut whole = Cost::default();
    for task in &project.tasks {
        client.cost = Cost::default();
        let done = project.run((task, way), &mut client, &copy);
        done.map_err(|error| format!("{}: {error}", task.name))?;
        table += &row(&task.name, client.cost.numbers());
        whole += client.cost;
    }
    table += &row("all", whole.numbers());
    Ok((table, whole))
}

fn row(name: &str, [calls, wire, text, data]: [impl Display; 4]) -> String {
    format!("{name:<46} {calls:>5} {wire:>7} {text:>7} {data:>7}\n")
}

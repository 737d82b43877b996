//! `cargo lab everyday`: the cost of thirteen everyday tasks of an agent over MCP, in calls,
//! bytes on the wire and text for the model (`design/tasks.md`).
//!
//! The tasks are run on a copy of a vault, to which a small project is added, so that any vault will do. Each task
//! checks what it got, so no figure comes from a refusal.

mod client;
mod tasks;

use std::fmt::Display;
use std::path::Path;

use chores::{Fault, below, printed, write};
use serde_json::json;

use self::client::Client;
use self::tasks::Project;
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
    /// Bytes of text blocks.
    text: usize,
}

/// Runs the tasks and returns their table.
///
/// # Errors
///
/// If a task fails, needs an approval, or is not possible.
pub(crate) fn run(binary: Option<&Path>, vault: &Path) -> Result<String, Fault> {
    let scratch = tempfile::tempdir()?;
    let settings = "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\n";
    let world = World::make(&ours(binary)?, scratch.path(), settings)?;
    let copy = world.vault();
    for path in below(vault, true)? {
        // Written and not copied with its mode, because the original may be read-only.
        write(&copy.join(&path), fs_err::read(vault.join(&path))?)?;
    }
    let today = printed(world.command().arg("daily:path"))?;
    let project = Project::write(&copy, today.trim_end())?;
    let mut client = Client::start(&world)?;
    let mut listed = client.ask("tools/list", &json!({}))?;
    let tools = listed["tools"].take();
    let bytes = tools.to_string().len();
    let (count, tokens) = (tools.as_array().map_or(0, Vec::len), bytes.div_ceil(4));
    let mut table =
        format!("tools/list: {count} tools, {bytes} bytes ({tokens} tokens at 4 bytes each)\n\n");
    table += &row("task", ["calls", "wire", "text"]);
    let mut whole = Cost::default();
    for task in &project.tasks {
        client.cost = Cost::default();
        let done = project.run(task, &mut client, &copy);
        done.map_err(|error| format!("{}: {error}", task.name))?;
        let cost = client.cost;
        table += &row(&task.name, [cost.calls, cost.wire, cost.text]);
        whole.calls += cost.calls;
        whole.wire += cost.wire;
        whole.text += cost.text;
    }
    table += &row("all", [whole.calls, whole.wire, whole.text]);
    if whole.calls > MOST_CALLS || whole.wire > MOST_BYTES {
        table += &format!("over the limit of {MOST_CALLS} calls and {MOST_BYTES} bytes\n");
    }
    Ok(table)
}

fn row(name: &str, [calls, wire, text]: [impl Display; 3]) -> String {
    format!("{name:<46} {calls:>5} {wire:>7} {text:>7}\n")
}

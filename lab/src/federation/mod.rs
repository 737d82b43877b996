//! `cargo lab federation`: two vaults with a gateway each, behind `ContextForge` (`docs/many-vaults.md`).
//!
//! Everything is made up and on this machine. The run fails if an agent reaches another agent's notes, an answer
//! differs from the gateway's answer, or a change is made twice or lost.

mod front;
mod http;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use chores::{Fault, ensure, printed, write};
use serde_json::{Value, json};

use self::front::{Admitted, Front, VERSION};
use self::http::Endpoint;
use crate::bench::measure::median;
use crate::world::{Running, World, ours};

/// Calls behind each median.
const READS: usize = 60;
/// Changes with a restart in their middle, and the change during which the gateway is killed.
const APPENDS: usize = 40;
const KILLED_AT: usize = 12;
/// The time between the end of the gateway and its restart.
const AWAY: Duration = Duration::from_secs(1);
/// The time limit until the change [`KILLED_AT`] is on the disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// A vault, its gateway, its agent, and the agent's two ways to it.
struct Side {
    name: &'static str,
    agent: &'static str,
    world: World,
    running: Option<Running>,
    direct: Endpoint,
    admitted: Admitted,
}

/// Runs all of it and returns the tables.
pub(crate) fn run(binary: Option<&Path>, python: Option<&str>) -> Result<String, Fault> {
    let program = ours(binary)?;
    let python = front::install(python)?;
    let scratch = tempfile::tempdir()?;
    let front = Front::start(&python, scratch.path())?;
    let make =
        |name, agent, denied| Side::make(&program, scratch.path(), &front, name, agent, denied);
    let mut writer = make("work", "writer", "[]")?;
    let reader = make("home", "reader", "['files']")?;

    let vaults = "writer, vault `work` | reader, vault `home`";
    let mut text = row(&format!("ContextForge {VERSION}"), vaults);
    text += "|---|---|---|\n";
    text += &seen(&front, &writer, &reader)?;
    text += &cost(&writer)?;
    text += &restart(&mut writer, &reader)?;
    text += &closed(&front, &reader)?;
    printed(writer.world.command().args(["agents", "revoke", "writer"]))?;
    let revoked = writer.admitted.through.call("work_read", &writer.note())?;
    ensure(!revoked.is_done(), "a revoked agent reads")?;
    let cells = format!("{} | ", revoked.shown());
    Ok(text + &row("after `agents revoke writer`", &cells))
}

impl Side {
    /// Makes the vault and the agent, to which some commands are denied, starts the gateway, and has `ContextForge`
    /// know it.
    fn make(
        program: &Path,
        scratch: &Path,
        front: &Front,
        name: &'static str,
        agent: &'static str,
        denied: &str,
    ) -> Result<Self, Fault> {
        let settings = "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\n\
                        [http]\nshared_token = false\n";
        let world = World::make(program, &scratch.join(name), settings)?;
        let note = world.vault().join(format!("{name}.md"));
        write(&note, format!("# A note of {name}\n"))?;
        write(&world.vault().join("Log.md"), "# Log\n")?;
        let added = printed(world.command().args(["agents", "add", agent, "--json"]))?;
        let added: Value = serde_json::from_str(&added)?;
        let token = added["data"]["token"]
            .as_str()
            .ok_or("no token")?
            .to_owned();
        set(&world, agent, "commands.deny", denied)?;
        let (running, port) = world.listen(0, &[])?;
        let direct = Endpoint {
            port,
            path: "/mcp".to_owned(),
            token,
        };
        Ok(Self {
            name,
            agent,
            running: Some(running),
            admitted: front.admit(name, agent, &direct)?,
            direct,
            world,
        })
    }

    /// The arguments that read its note.
    fn note(&self) -> Value {
        json!({ "path": format!("{}.md", self.name) })
    }

    fn tool(&self, tool: &str) -> String {
        format!("{}_{tool}", self.name)
    }

    /// Checks which of both vaults its agent sees.
    fn seen(&self, front: &Front, other: &Self) -> Result<Vec<(&'static str, String)>, Fault> {
        let through = &self.admitted.through;
        let (tools, all) = (through.tools()?, self.direct.tools()?.len());
        let prefix = self.tool("");
        let are_own = |tools: &[String]| tools.iter().all(|tool| tool.starts_with(&prefix));
        ensure(are_own(&tools) && tools.len() == all, "the tools differ")?;
        let everywhere = front.endpoint("/mcp", &through.token);
        ensure(are_own(&everywhere.tools()?), "`/mcp` shows the other's")?;

        let read = through.call(&self.tool("read"), &self.note())?;
        let plain = self.direct.call("read", &self.note())?;
        ensure(read.is_done(), "an agent cannot read its note")?;
        ensure(
            read.for_model() == plain.for_model(),
            "an answer is changed",
        )?;
        let is_whole = !read.body["result"]["_meta"].is_null();
        let meta = if is_whole { "" } else { ", without `_meta`" };
        let mut cells = vec![
            (
                "tools listed",
                format!("{} of {all}, all `{prefix}…`", tools.len()),
            ),
            ("`read` of its note", format!("as from the gateway{meta}")),
        ];
        let there = front.endpoint(&other.admitted.through.path, &through.token);
        for (name, endpoint, side) in [
            ("`read` of the other's note by its own tool", through, self),
            ("the other's tool at its own server", through, other),
            ("the other's tool at the other's server", &there, other),
            (
                "the other's tool at the general endpoint",
                &everywhere,
                other,
            ),
        ] {
            let reply = endpoint.call(&side.tool("read"), &other.note())?;
            ensure(!reply.is_done(), "an agent reads the other vault")?;
            cells.push((name, reply.shown()));
        }
        let known = front.notes_of(&self.admitted)?.to_string();
        cells.push(("names of notes that ContextForge keeps", known));
        Ok(cells)
    }
}

/// Checks what each agent sees, and does not see.
fn seen(front: &Front, writer: &Side, reader: &Side) -> Result<String, Fault> {
    let [one, other] = [(writer, reader), (reader, writer)].map(|(own, it)| own.seen(front, it));
    let rows = one?.into_iter().zip(other?);
    Ok(rows
        .map(|((name, one), (_, other))| row(name, &format!("{one} | {other}")))
        .collect())
}

/// Measures the time of a call, each way in turn.
fn cost(side: &Side) -> Result<String, Fault> {
    let mut times = [Vec::new(), Vec::new()];
    let tool = side.tool("read");
    let ways = [(&side.direct, "read"), (&side.admitted.through, &tool)];
    for _ in 0..READS {
        for ((endpoint, tool), times) in ways.iter().zip(&mut times) {
            let started = Instant::now();
            let reply = endpoint.call(tool, &side.note())?;
            times.push(started.elapsed());
            ensure(reply.is_done(), "a measured call failed")?;
        }
    }
    let times = times.map(|times| median(times).unwrap_or_default().as_secs_f64() * 1000.0);
    let [direct, through] = times;
    let cells = format!("{direct:.1} ms at the gateway, {through:.1} ms through ContextForge | ");
    Ok(row(&format!("`read`, median of {READS}"), &cells))
}

/// Changes one after the other, while the gateway is killed in the middle of one and started again.
fn restart(writer: &mut Side, reader: &Side) -> Result<String, Fault> {
    let killed = writer.running.take();
    let side = &*writer;
    let (mut failed, mut done, mut others) = (Vec::new(), BTreeSet::new(), 0);
    let mut text = BTreeSet::new();
    let (again, back) = std::thread::scope(|scope| -> Result<_, Fault> {
        let restarted = scope.spawn(move || -> Result<(Running, Instant), Fault> {
            // The worst moment: the change is made, and its answer is not out yet.
            let begun = Instant::now();
            while times(&log(side)?, KILLED_AT) == 0 && begun.elapsed() < PATIENCE {}
            drop(killed);
            std::thread::sleep(AWAY);
            let (again, _) = side.world.listen(side.direct.port, &[])?;
            Ok((again, Instant::now()))
        });
        for number in 0..APPENDS {
            let begun = Instant::now();
            let wanted = json!({ "path": "Log.md", "content": line(number) });
            let reply = side.admitted.through.call("work_append", &wanted)?;
            if reply.is_done() {
                done.insert(number);
                continue;
            }
            failed.push((number, begun));
            text.insert(reply.shown());
            let other = reader.admitted.through.call("home_read", &reader.note())?;
            others += usize::from(other.is_done());
        }
        restarted.join().map_err(|_| "the restart panicked")?
    })?;
    writer.running = Some(again);
    let log = log(writer)?;
    let times = |number| times(&log, number);
    let twice = (0..APPENDS).filter(|number| times(*number) > 1).count();
    let lost = done.iter().filter(|number| times(**number) == 0).count();
    ensure(twice == 0 && lost == 0, "a change was made twice or lost")?;
    let unsure = failed
        .iter()
        .filter(|(number, _)| times(*number) > 0)
        .count();
    let late = failed.iter().filter(|(_, begun)| *begun > back).count();
    let fell = failed.len();
    let cells = format!(
        "{} done, {fell} failed ({}); {late} of these began after it was back; {unsure} made all the same; \
         0 made twice, 0 lost | {others} of {fell} reads meanwhile",
        done.len(),
        text.into_iter().collect::<Vec<_>>().join("; ")
    );
    let name = format!(
        "{APPENDS} `append`s, gateway `work` killed as one was on the disk, and away for 1 s"
    );
    Ok(row(&name, &cells))
}

/// Describes the result for an agent whose owner closes changes, before and after `ContextForge` lists the tools again.
fn closed(front: &Front, reader: &Side) -> Result<String, Fault> {
    set(&reader.world, reader.agent, "commands.allow", "['@reads']")?;
    let wanted = json!({ "path": "Log.md", "content": "x" });
    let through = &reader.admitted.through;
    let refused = through.call("home_append", &wanted)?;
    let plain = reader.direct.call("append", &wanted)?;
    let is_same = refused.for_model() == plain.for_model() && !refused.is_done();
    ensure(is_same, "the refusal differs from that of the gateway")?;
    front.refresh(&reader.admitted)?;
    let unknown = through.call("home_append", &wanted)?;
    let tools = through.tools()?.len();
    let after = format!(" | {}; {tools} tools", unknown.shown());
    Ok(row(
        "an `append` after `commands.allow = [\"@reads\"]`",
        &format!(" | word for word: {}", refused.shown()),
    ) + &row("the same after ContextForge's refresh", &after))
}

/// The note that the changes are made in.
fn log(side: &Side) -> Result<String, Fault> {
    Ok(fs_err::read_to_string(side.world.vault().join("Log.md"))?)
}

/// Counts a change in the note.
fn times(log: &str, number: usize) -> usize {
    let line = line(number);
    log.lines().filter(|found| *found == line).count()
}

/// The line that a change adds.
fn line(number: usize) -> String {
    format!("- change {number}")
}

/// Sets a rule of an agent.
fn set(world: &World, agent: &str, key: &str, value: &str) -> Result<(), Fault> {
    let key = format!("agents.{agent}.{key}");
    printed(world.command().args(["settings", "set", &key, value])).map(drop)
}

/// A row of the table; a line break in it would end it.
fn row(name: &str, cells: &str) -> String {
    format!("| {name} | {} |\n", cells.replace('\n', " "))
}

//! What the gateway costs, as ratios against a yardstick measured in the same run.
//!
//! `cargo bench` prints one row a question. The two sides take turns, so that a machine that
//! speeds up or slows down meanwhile changes both; the ratio of the medians is the figure.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench program")]

#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fake_obsidian::scenario::Scenario;
use support::{World, request};
use vault_gw::gateway::{Caller, Options};
use vault_gw::settings::BackendChoice;

const ROUNDS: usize = 101;

fn main() {
    let world = World::with_fixture_vault().with_fake(&Scenario::default());
    world.write("Note.md", "A note of ordinary size.\n".repeat(80));
    let today = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
    let daily = format!("Daily/{today}.md");
    world.write(&daily, "- [ ] A task\n".repeat(20));
    world.write_settings();
    let fake = world.home.binaries().join("obsidian");
    let gw = Path::new(env!("CARGO_BIN_EXE_vault-gw"));

    println!(
        "{:<58} {:>9} {:>9} {:>7}",
        "question (medians of whole runs)", "ours ms", "yard ms", "ratio"
    );
    let bare_read = || run(bare(&world, &fake));
    row(
        "process: read path= by the app / bare exec of the fake",
        || {
            run(gateway(
                &world,
                gw,
                &["--backend", "obsidian", "read", "path=Note.md"],
            ));
        },
        bare_read,
    );
    let mut options = Options::new(Caller::Agent);
    options.backend = Some(BackendChoice::Obsidian);
    let official = world.gateway_with(options);
    let read = request("read", &[("path", "Note.md")]);
    row(
        "in process: read path= by the app / bare spawn and read",
        || assert!(official.call(&read).success),
        bare_read,
    );
    row(
        "process: daily:read embedded / cat",
        || {
            run(gateway(
                &world,
                gw,
                &["--backend", "embedded", "daily:read"],
            ));
        },
        || run(cat(&world, &daily)),
    );
    let mut options = Options::new(Caller::Agent);
    options.backend = Some(BackendChoice::Embedded);
    let embedded = world.gateway_with(options);
    row(
        "in process: read path= embedded / reading the file",
        || assert!(embedded.call(&read).success),
        || drop(fs_err::read(world.vault.join("Note.md")).unwrap()),
    );
    #[cfg(target_os = "linux")]
    sandbox::rows();
}

/// The same with the sandbox and without.
#[cfg(target_os = "linux")]
mod sandbox {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Child, ChildStdin, ChildStdout};

    use serde_json::{Value, json};

    use super::support::World;
    use super::support::thin::{Hostile, hostile};
    use super::{gateway, row, run};

    pub(super) fn rows() {
        let Some(thin) = hostile(Hostile::Harmless) else {
            return;
        };
        let world = |sandbox: &str, backend: &str| {
            let mut world = World::with_fixture_vault().with_thin(thin);
            // The first line chooses the backend.
            world.settings = world
                .settings
                .replacen("\"obsidian\"", &format!("{backend:?}"), 1);
            let world = world
                .set("enabled = true")
                .set(&format!("sandbox = {sandbox:?}"));
            world.write_settings();
            world
        };
        println!(
            "\n{:<58} {:>9} {:>9} {:>7}",
            "with the sandbox / without", "with", "without", "ratio"
        );
        for backend in ["embedded", "obsidian"] {
            let [on, off] = ["best-effort", "off"].map(|sandbox| world(sandbox, backend));
            let gw = std::path::Path::new(env!("CARGO_BIN_EXE_vault-gw"));
            let read = |world: &World| run(gateway(world, gw, &["read", "path=Home.md"]));
            row(
                &format!("process: read, {backend}"),
                || read(&on),
                || read(&off),
            );
            for server in ["call", "mcp"] {
                let [mut confined, mut free] =
                    [&on, &off].map(|world| Server::start(world, server));
                row(
                    &format!("{server}: read, {backend}"),
                    || confined.read(),
                    || free.read(),
                );
            }
        }
    }

    /// `vault-gw call` or `vault-gw mcp`. Ends with its input.
    struct Server {
        child: Child,
        input: Option<ChildStdin>,
        output: BufReader<ChildStdout>,
        request: Value,
    }

    impl Server {
        fn start(world: &World, server: &str) -> Self {
            let arguments = json!({"command": "read", "params": {"path": "Home.md"}});
            let request = match server {
                "mcp" => json!({
                    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": {"name": "obsidianCli", "arguments": arguments},
                }),
                _ => arguments,
            };
            let mut command = world.program();
            let mut child = command.arg(server).spawn().unwrap();
            let mut input = child.stdin.take();
            if server == "mcp" {
                let hello = json!({
                    "jsonrpc": "2.0", "id": 0, "method": "initialize",
                    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
                });
                writeln!(input.as_mut().unwrap(), "{hello}").unwrap();
            }
            let mut output = BufReader::new(child.stdout.take().unwrap());
            if server == "mcp" {
                output.read_line(&mut String::new()).unwrap();
            }
            Self {
                child,
                input,
                output,
                request,
            }
        }

        fn read(&mut self) {
            writeln!(self.input.as_mut().unwrap(), "{}", self.request).unwrap();
            let mut answer = String::new();
            self.output.read_line(&mut answer).unwrap();
            assert!(answer.contains("# Home"), "{answer}");
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            drop(self.input.take());
            drop(self.child.wait());
        }
    }
}

fn row(name: &str, mut ours: impl FnMut(), mut yardstick: impl FnMut()) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (a, b) = (timed(&mut ours), timed(&mut yardstick));
        // The first round warms caches on both sides.
        if round > 0 {
            left.push(a);
            right.push(b);
        }
    }
    let (a, b) = (median(left), median(right));
    println!(
        "{name:<58} {:>9.3} {:>9.3} {:>7.2}",
        a.as_secs_f64() * 1e3,
        b.as_secs_f64() * 1e3,
        a.as_secs_f64() / b.as_secs_f64()
    );
}

fn timed(work: &mut impl FnMut()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn bare(world: &World, fake: &Path) -> Command {
    let mut command = world.command(fake);
    command.args(["vault=Notes", "read", "path=Note.md"]);
    command
}

fn gateway(world: &World, gw: &Path, words: &[&str]) -> Command {
    let mut command = world.command(gw);
    command.args(words);
    command
}

fn cat(world: &World, path: &str) -> Command {
    let mut command = world.command(Path::new("/bin/cat"));
    command.arg(world.vault.join(path));
    command
}

fn run(mut command: Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

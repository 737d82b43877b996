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
use vault_gw::gateway::{Answerer, Caller, Gateway, Options};

const ROUNDS: usize = 101;

fn main() {
    let with_app = World::with_fixture_vault().with_fake(&Scenario::default());
    let without = World::with_fixture_vault();
    let today = jiff::Zoned::now().strftime("%Y-%m-%d").to_string();
    let daily = format!("Daily/{today}.md");
    for world in [&with_app, &without] {
        world.write("Note.md", "A note of ordinary size.\n".repeat(80));
        world.write(&daily, "- [ ] A task\n".repeat(20));
        world.write_settings();
    }
    let fake = with_app.home.binaries().join("obsidian");
    let gw = Path::new(env!("CARGO_BIN_EXE_vault-gw"));

    println!(
        "{:<58} {:>9} {:>9} {:>7}",
        "question (medians of whole runs)", "ours ms", "yard ms", "ratio"
    );
    let bare_read = || run(bare(&with_app, &fake));
    row(
        "process: read path= by the app / bare exec of the fake",
        || run(gateway(&with_app, gw, &["read", "path=Note.md"])),
        bare_read,
    );
    let options = || Options::new(Caller::Agent);
    let official = with_app.gateway_with(options());
    let read = request("read", &[("path", "Note.md")]);
    let answered_by = |gateway: &Gateway, answerer: Answerer| {
        let envelope = gateway.call(&read);
        assert!(envelope.success && envelope.meta.backend == answerer);
    };
    row(
        "in process: read path= by the app / bare spawn and read",
        || answered_by(&official, Answerer::Obsidian),
        bare_read,
    );
    row(
        "process: daily:read without the app / cat",
        || run(gateway(&without, gw, &["daily:read"])),
        || run(cat(&without, &daily)),
    );
    let embedded = without.gateway_with(options());
    row(
        "in process: read path= without the app / reading the file",
        || answered_by(&embedded, Answerer::Embedded),
        || drop(fs_err::read(without.vault.join("Note.md")).unwrap()),
    );
    #[cfg(all(
        target_os = "linux",
        target_env = "gnu",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    served::rows();
    #[cfg(target_os = "linux")]
    sandbox::rows();
}

/// What a running server asks the system for at each question, in a small vault and in a large one.
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod served {
    use std::time::Duration;

    use super::support::traced::{QUESTIONS, SETTINGS, TracedServer, total, world_of};

    pub(super) fn rows() {
        let worlds = [100, 10_000].map(|notes| (notes, world_of(notes)));
        let servers = worlds.iter().flat_map(|(notes, world)| {
            let start = move |(backend, words): (&str, &[&str])| {
                let server = TracedServer::start(world, words).unwrap();
                (format!("{notes} {backend}"), server)
            };
            SETTINGS.map(start)
        });
        let (names, mut servers): (Vec<String>, Vec<TracedServer>) = servers.unzip();
        print!("\n{:<24}", "system calls of a server");
        for name in &names {
            print!(" {name:>14}");
        }
        for server in &mut servers {
            for (_, question) in QUESTIONS.iter().copied() {
                server.ask(question);
            }
        }
        // A settings file that is younger than two seconds is read at each question.
        std::thread::sleep(Duration::from_millis(2500));
        for server in &servers {
            server.count();
        }
        for (command, question) in QUESTIONS.iter().copied() {
            print!("\n{command:<24}");
            for server in &mut servers {
                print!(" {:>14}", total(&server.fewest(question)));
            }
        }
        println!();
    }
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
        script_rows();
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
        for backend in ["embedded", "obsidian", "auto"] {
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
        println!(
            "\n{:<58} {:>9} {:>9} {:>7}",
            "with the default settings / the bare command line", "ours", "bare", "ratio"
        );
        let defaults = world("best-effort", "auto");
        let bare = || {
            let mut command = defaults.command(thin);
            command.args(["vault=Notes", "read", "path=Home.md"]);
            run(command);
        };
        let gw = std::path::Path::new(env!("CARGO_BIN_EXE_vault-gw"));
        let one_shot = || run(gateway(&defaults, gw, &["read", "path=Home.md"]));
        row("process: read by the app", one_shot, bare);
        for server in ["call", "mcp"] {
            let mut server_of = Server::start(&defaults, server);
            row(
                &format!("{server}: read by the app"),
                || server_of.read(),
                bare,
            );
        }
    }

    /// The same for a command line that is a script of about a millisecond.
    fn script_rows() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        fs_err::write(&script, SCRIPT).unwrap();
        let [on, off] = ["best-effort", "off"].map(|sandbox| {
            let world = World::with_fixture_vault().with_thin(&script);
            let world = world.set(&format!("sandbox = {sandbox:?}"));
            world.write_settings();
            world
        });
        println!(
            "\n{:<58} {:>9} {:>9} {:>7}",
            "with the sandbox / without", "with", "without", "ratio"
        );
        let gw = std::path::Path::new(env!("CARGO_BIN_EXE_vault-gw"));
        let read = |world: &World| run(gateway(world, gw, &["read", "path=Home.md"]));
        row("process: read by a script", || read(&on), || read(&off));
    }

    const SCRIPT: &str = "#!/bin/sh\ncase $2 in version) echo '1.12.7 (installer 1.12.7)';; *) echo '# Home';; esac\n";

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

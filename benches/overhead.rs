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

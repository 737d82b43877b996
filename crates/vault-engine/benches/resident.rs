//! What questions cost in a process that keeps a vault's index in memory.
//!
//! `cargo bench -p vault-engine -- VAULT CACHE RUNS < QUESTIONS`: one question a line, its words
//! parted by tabs. For each it prints a line of numbers, in microseconds: the first answer, the
//! median and the best of the later ones. Before them stand a line for reading the index into
//! memory, and one for looking at the whole vault again when nothing has changed. The last line is
//! for one changed note and the next `backlinks` after it.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench program")]

use std::path::Path;
use std::time::{Duration, Instant};

use cli_output::Arguments;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use vault_engine::{Registry, Resident, Surroundings, Vault, VaultPath};

fn main() {
    // `cargo bench` adds a word of its own.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let [root, cache, runs] = words.as_slice() else {
        println!("VAULT CACHE RUNS are missing");
        return;
    };
    let runs: usize = runs.parse().unwrap();
    let open = || {
        let vault = Vault::open(Path::new(root)).unwrap();
        Resident::open(vault.with_cache(cache.into())).unwrap()
    };
    let resident = open();
    report("open", runs, open);
    resident.refresh().unwrap();
    report("refresh", runs, || resident.refresh().unwrap());
    let mut last = None;
    for line in std::io::stdin().lines() {
        let question = Question::of(&line.unwrap());
        report(&question.name, runs, || question.ask(&resident));
        last = Some(question);
    }
    let Some(question) = last else { return };
    let some_note = resident
        .vault()
        .index()
        .unwrap()
        .files()
        .iter()
        .find(|path| path.is_note())
        .cloned();
    let changed = [some_note.unwrap()];
    report("after a change", runs, || {
        after(&resident, &changed, &question);
    });
}

fn after(resident: &Resident, changed: &[VaultPath], question: &Question) {
    resident.refresh_paths(changed).unwrap();
    question.ask(resident);
}

struct Question {
    name: String,
    command: String,
    arguments: Arguments,
    surroundings: Surroundings,
}

impl Question {
    fn of(line: &str) -> Self {
        let mut words = line.split('\t');
        let command = words.next().unwrap().to_owned();
        let mut arguments = Arguments::default();
        for word in words {
            match word.split_once('=') {
                Some((key, value)) => {
                    arguments.params.insert(key.to_owned(), value.to_owned());
                }
                None => {
                    arguments.flags.insert(word.to_owned());
                }
            }
        }
        Self {
            name: line.replace('\t', " "),
            command,
            arguments,
            surroundings: Surroundings {
                now: Timestamp::now().to_zoned(TimeZone::UTC),
                random: 0,
                registry: Registry::default(),
            },
        }
    }

    fn ask(&self, resident: &Resident) {
        let reply = resident.reply(&self.command, &self.arguments, &self.surroundings);
        drop(std::hint::black_box(reply.unwrap()));
    }
}

/// Times one first run and the later ones.
fn report<T>(name: &str, runs: usize, mut run: impl FnMut() -> T) {
    let mut timed = || {
        let started = Instant::now();
        let result = std::hint::black_box(run());
        let time = started.elapsed();
        drop(result);
        time
    };
    let first = timed();
    let mut later: Vec<Duration> = (0..runs).map(|_| timed()).collect();
    later.sort_unstable();
    let microseconds = |time: Duration| time.as_nanos() / 1000;
    let median = later.get(later.len() / 2).copied().unwrap_or(first);
    let best = later.first().copied().unwrap_or(first);
    println!(
        "{}\t{}\t{}\t{name}",
        microseconds(first),
        microseconds(median),
        microseconds(best)
    );
}

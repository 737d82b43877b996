//! The cost of questions in a process that stays and keeps a vault's index in memory.
//!
//! `cargo bench -p vault-engine -- VAULT CACHE RUNS < QUESTIONS`: one question a line, its words parted by tabs. For
//! each it prints a line of numbers, in microseconds: the first answer, the median and the best of the later ones.
//! Before them come a line for a process's first question, which reads the index into memory, and one for a look at the
//! whole vault when nothing has changed. After the line of each question come lines for the same question through a
//! draft that changes 25 notes and adds 25 (`design/drafts.md`), and for a process that keeps nothing, without and with
//! the draft. The last line is for the last question after the time of one note has changed; that is all that is
//! written to the vault.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench program")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use vault_engine::{
    Arg, Args, Change, Editor, Followed, IndexedVault, Overlay, Registry, Surroundings, Vault,
    VaultPath, reply,
};

/// Needs the whole vault, and costs next to nothing beyond that.
const SIMPLEST: &str = "tags\ttotal";

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
    let vault = Vault::open(Path::new(root))
        .unwrap()
        .with_cache(cache.into());
    let kept_by =
        |followed: Followed| IndexedVault(&vault.clone()).with_followed(Arc::new(followed));
    let simplest = Question::parse(SIMPLEST);
    report("first question", runs, nothing, || {
        simplest.ask(&kept_by(Followed::new()));
    });
    let unwatched = kept_by(Followed::new().unwatched());
    simplest.ask(&unwatched);
    report("look at all", runs, nothing, || simplest.ask(&unwatched));
    let warm = kept_by(Followed::new());
    simplest.ask(&warm);
    let draft = draft(&warm);
    let mut last = None;
    for line in std::io::stdin().lines() {
        let question = Question::parse(&line.unwrap());
        // The draft is read from its store for each call, so it is another value each time.
        for (way, vault) in [("", &warm), ("alone: ", &vault)] {
            let name = format!("{way}{}", question.name);
            report(&name, runs, nothing, || question.ask(vault));
            report(&format!("{name}, drafted"), runs, nothing, || {
                question.ask(&vault.clone().with_overlay(draft.clone()));
            });
        }
        last = Some(question);
    }
    let Some(question) = last else { return };
    let names = IndexedVault(&warm).names_below(&VaultPath::root()).unwrap();
    let note = names
        .files
        .iter()
        .map(|file| &file.path)
        .find(|path| path.is_note())
        .unwrap();
    let file = File::options()
        .write(true)
        .open(warm.root().join(note.as_str()))
        .unwrap();
    let touch = || file.set_modified(SystemTime::now()).unwrap();
    report("after a change", runs, touch, || question.ask(&warm));
}

/// Planned changes of 50 notes.
fn draft(vault: &Vault) -> Overlay {
    let names = IndexedVault(vault).names_below(&VaultPath::root()).unwrap();
    let notes = names
        .files
        .iter()
        .map(|file| &file.path)
        .filter(|path| path.is_note());
    let changes = notes.take(25).enumerate().flat_map(|(number, path)| {
        let before = vault.read_bytes(path).unwrap();
        let added = b"\n[[Draft 1]] words of a draft #draft\n- [ ] review\n";
        let after = [before.as_slice(), added].concat();
        let new = VaultPath::file(&format!("Draft {number}.md")).unwrap();
        [
            Change::Create {
                path: new,
                after: after.clone(),
            },
            Change::Modify {
                path: path.clone(),
                before,
                after,
            },
        ]
    });
    let changes: Vec<Change> = changes.collect();
    let view = Editor(&vault.clone()).after_at(&changes, 0);
    view.overlay().unwrap().as_ref().clone()
}

struct Question {
    name: String,
    command: String,
    arguments: Args,
    surroundings: Surroundings,
}

impl Question {
    fn parse(line: &str) -> Self {
        let mut words = line.split('\t');
        let command = words.next().unwrap().to_owned();
        let mut arguments = Args::default();
        for word in words {
            match word.split_once('=') {
                Some((name, text)) => {
                    let value = match (name, text.parse()) {
                        ("path" | "folder", _) => Arg::Path(VaultPath::folder(text).unwrap()),
                        (_, Ok(number)) => Arg::Integer(number),
                        (_, Err(_)) => text.into(),
                    };
                    arguments = arguments.with(name, value);
                }
                None => arguments = arguments.with_flag(word),
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

    fn ask(&self, vault: &Vault) {
        let reply = reply(vault, &self.command, &self.arguments, &self.surroundings);
        drop(std::hint::black_box(reply.unwrap()));
    }
}

fn nothing() {}

/// Times one first run and the later ones, each after a preparation that does not count.
fn report(name: &str, runs: usize, prepare: impl Fn(), run: impl Fn()) {
    let timed = || {
        prepare();
        let started = Instant::now();
        run();
        started.elapsed()
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

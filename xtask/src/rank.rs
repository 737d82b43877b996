//! `cargo xtask rank`: how well and how fast ranked search answers questions with known answers.

use std::fmt::{Display, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cli_output::Arguments;
use jiff::Zoned;
use serde::Deserialize;
use serde_json::Value;
use vault_engine::{Followed, Registry, Surroundings, Vault, VaultPath};

use crate::Fault;
use crate::files::{below, copy};

const USAGE: &str = "usage: cargo xtask rank [--misses] QUERIES.json VAULT";
/// The ranks that count for MRR (mean reciprocal rank).
const MRR_RANKS: usize = 10;
/// The age from which a cache trusts notes.
const SETTLING: Duration = Duration::from_millis(2100);
/// The number of titles that are queried.
const TITLES: usize = 500;

/// A question, and the notes that answer it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    query: String,
    relevant: Vec<String>,
}

/// Asks all questions of a copy of the vault, so that an edit can be measured too.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let (shows_misses, queries, vault) = match words {
        ["--misses", queries, vault] => (true, queries, vault),
        [queries, vault] => (false, queries, vault),
        _ => return Err(USAGE.into()),
    };
    let judgements = read_judgements(Path::new(queries))?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("vault");
    let copied = copy_notes(Path::new(vault), &root)?;
    std::thread::sleep(SETTLING);
    let cache = folder.path().join("cache");
    let open = || Ok::<_, Fault>(Vault::open(&root)?.with_cache(cache.clone()));
    let first = judgements
        .first()
        .map_or("", |judgement| judgement.query.as_str());
    let mut report = Report::default();
    report.add("notes", copied.notes);
    report.add("bytes of text", copied.bytes);
    let (_, took) = timed(|| ask(&open()?, "notes:search", first))?;
    report.add("first index", format!("{took:.1?}"));
    let size = index_bytes(&cache)?;
    let part = share(size, copied.bytes.max(1));
    report.add("index", format!("{size} bytes, {part} of the text"));
    let once = (0..7).map(|_| Ok(timed(|| ask(&open()?, "notes:search", first))?.1));
    let once = median(once.collect::<Result<_, Fault>>()?);
    report.add("one query with the index", format!("{once:.1?}"));
    let served = open()?.with_followed(Arc::new(Followed::new()));
    ask(&served, "notes:search", first)?;
    questions(&mut report, &served, &judgements, shows_misses)?;
    titles(&mut report, &served)?;
    edit(&mut report, &served, &root, first)?;
    Ok(report.0.trim_end().to_owned())
}

fn questions(
    report: &mut Report,
    vault: &Vault,
    judgements: &[Judgement],
    shows_misses: bool,
) -> Result<(), Fault> {
    let mut misses = String::new();
    let (mut first, mut five, mut reciprocal, mut contexts, mut bytes) = (0, 0, 0.0, 0, 0);
    let mut times = Vec::new();
    for judgement in judgements {
        let (found, took) = timed(|| ask(vault, "notes:search", &judgement.query))?;
        times.push(took);
        bytes += found.text.len();
        let paths = paths(&found.data, "items");
        let is_relevant = |path: &&str| judgement.relevant.iter().any(|known| known == path);
        let rank = paths.iter().position(is_relevant);
        first += usize::from(rank == Some(0));
        five += usize::from(rank.is_some_and(|rank| rank < 5));
        if let Some(rank) = rank.filter(|rank| *rank < MRR_RANKS) {
            reciprocal += 1.0 / real(rank + 1);
        }
        if rank != Some(0) {
            let best = paths.iter().take(3).copied().collect::<Vec<_>>().join(", ");
            let rank = rank.map_or("none".to_owned(), |rank| (rank + 1).to_string());
            let _ = writeln!(misses, "  rank {rank}: {} -> {best}", judgement.query);
        }
        let context = ask(vault, "notes:context", &judgement.query)?;
        let passages = self::paths(&context.data, "passages");
        contexts += usize::from(passages.first().is_some_and(is_relevant));
    }
    let count = judgements.len().max(1);
    report.add("questions", judgements.len());
    report.add("hit@1", share(first, count));
    report.add("hit@5", share(five, count));
    report.add("MRR@10", format!("{:.3}", reciprocal / real(count)));
    report.add("right passage first", share(contexts, count));
    report.add("bytes of an answer", bytes / count);
    let slow = times.len() * 95 / 100;
    let mut sorted = times.clone();
    sorted.sort_unstable();
    let slow = sorted.get(slow).copied().unwrap_or_default();
    report.add(
        "query in a server",
        format!("{:.2?}, 95 % under {slow:.2?}", median(times)),
    );
    if shows_misses {
        report.0 += &misses;
    }
    Ok(())
}

/// Whether notes are found by their titles, without titles that several notes have.
fn titles(report: &mut Report, vault: &Vault) -> Result<(), Fault> {
    let index = vault.index()?;
    let notes: Vec<&VaultPath> = index.files().iter().filter(|path| path.is_note()).collect();
    let is_unique = |path: &&&VaultPath| {
        let same = |other: &&&VaultPath| other.basename().eq_ignore_ascii_case(path.basename());
        notes.iter().filter(same).count() == 1
    };
    let step = notes.len().div_ceil(TITLES).max(1);
    let asked: Vec<&&VaultPath> = notes.iter().step_by(step).filter(is_unique).collect();
    let mut first = 0;
    let mut others = String::new();
    for path in &asked {
        let found = ask(vault, "notes:search", path.basename())?;
        let is_first = paths(&found.data, "items").first() == Some(&path.as_str());
        first += usize::from(is_first);
        if !is_first {
            let _ = writeln!(others, "  not first: {path}");
        }
    }
    let count = asked.len();
    report.add(
        "exact titles first",
        format!("{} of {count}", share(first, count.max(1))),
    );
    report.0 += &others;
    Ok(())
}

/// How long the query after an edit takes.
fn edit(report: &mut Report, vault: &Vault, root: &Path, query: &str) -> Result<(), Fault> {
    let times = (0..9).map(|number| {
        let note = root.join("xtask rank.md");
        fs_err::write(note, format!("An edit, the number {number}.\n"))?;
        Ok(timed(|| ask(vault, "notes:search", query))?.1)
    });
    let times = times.collect::<Result<Vec<_>, Fault>>()?;
    // The first one adds a file, all others change it.
    let took = median(times.into_iter().skip(1).collect());
    report.add("query after an edit", format!("{took:.2?}"));
    if let Some(memory) = memory() {
        report.add("memory", memory);
    }
    Ok(())
}

struct Found {
    data: Value,
    text: String,
}

fn ask(vault: &Vault, command: &str, query: &str) -> Result<Found, Fault> {
    let mut arguments = Arguments::default();
    arguments
        .params
        .insert("query".to_owned(), query.to_owned());
    let surroundings = Surroundings {
        now: Zoned::now(),
        random: 0,
        registry: Registry::default(),
    };
    let reply = vault_engine::reply(vault, command, &arguments, &surroundings)
        .map_err(|error| format!("{query}: {error}"))?;
    let form = if command == "notes:search" {
        "note-hits"
    } else {
        "note-context"
    };
    let shape = vault_engine::shapes().find(|shape| shape.name() == form);
    let shape = shape.ok_or_else(|| format!("no form {form}"))?;
    Ok(Found {
        text: cli_output::render(&reply.answer, shape, &arguments),
        data: serde_json::to_value(&reply.answer)?,
    })
}

fn paths<'found>(data: &'found Value, list: &str) -> Vec<&'found str> {
    let items = data
        .get(list)
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    items
        .filter_map(|item| item.get("path")?.as_str())
        .collect()
}

fn read_judgements(file: &Path) -> Result<Vec<Judgement>, Fault> {
    let text = fs_err::read_to_string(file)?;
    Ok(serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?)
}

#[derive(Default)]
struct Copied {
    notes: usize,
    bytes: usize,
}

/// Copies the notes of a vault.
fn copy_notes(from: &Path, to: &Path) -> Result<Copied, Fault> {
    let mut copied = Copied::default();
    for path in below(from, false)? {
        if path.extension() == Some("md".as_ref()) {
            copy(&from.join(&path), &to.join(&path))?;
            copied.bytes += size(&to.join(path))?;
            copied.notes += 1;
        }
    }
    Ok(copied)
}

/// The size of the file of ranked search.
fn index_bytes(cache: &Path) -> Result<usize, Fault> {
    let files = below(cache, true)?.into_iter();
    let files = files.filter(|path| path.extension() == Some("ranking".as_ref()));
    let mut bytes = 0;
    for file in files {
        bytes += size(&cache.join(file))?;
    }
    Ok(bytes)
}

fn size(file: &Path) -> Result<usize, Fault> {
    Ok(usize::try_from(fs_err::metadata(file)?.len())?)
}

/// What this process has in memory, where the system tells.
fn memory() -> Option<String> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.trim_start_matches("VmRSS:").trim().to_owned())
}

fn timed<T>(run: impl FnOnce() -> Result<T, Fault>) -> Result<(T, Duration), Fault> {
    let start = Instant::now();
    let value = run()?;
    Ok((value, start.elapsed()))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn share(some: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * real(some) / real(all))
}

fn real(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// The lines of the report.
#[derive(Default)]
struct Report(String);

impl Report {
    fn add(&mut self, name: &str, value: impl Display) {
        self.0 += &format!("{name:<26}{value}\n");
    }
}

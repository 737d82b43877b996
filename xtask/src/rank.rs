//! `cargo xtask rank`: how well and how fast ranked search answers questions with known answers.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cli_output::Arguments;
use jiff::Zoned;
use serde::Deserialize;
use serde_json::Value;
use vault_engine::{Followed, Registry, Surroundings, Vault, VaultPath};

const USAGE: &str = "usage: cargo xtask rank [--misses] QUERIES.json VAULT";
/// Only these ranks count for MRR.
const MRR_RANKS: usize = 10;
/// A cache trusts only notes that are older.
const SETTLING: Duration = Duration::from_millis(2100);
/// So many titles are asked for.
const TITLES: usize = 500;

/// A question, and the notes that answer it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    query: String,
    relevant: Vec<String>,
}

/// Asks all questions of a copy of the vault, so that an edit can be measured too.
pub(crate) fn run(words: &[&str]) -> Result<String, String> {
    let (shows_misses, queries, vault) = match words {
        ["--misses", queries, vault] => (true, queries, vault),
        [queries, vault] => (false, queries, vault),
        _ => return Err(USAGE.to_owned()),
    };
    let judgements = read_judgements(Path::new(queries))?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let root = folder.path().join("vault");
    let copied = copy(Path::new(vault), &root)?;
    std::thread::sleep(SETTLING);
    let cache = folder.path().join("cache");
    let open = || {
        let vault = Vault::open(&root).map_err(|error| error.to_string())?;
        Ok::<Vault, String>(vault.with_cache(cache.clone()))
    };
    let first = judgements
        .first()
        .map_or("", |judgement| judgement.query.as_str());
    let mut report = format!("{} notes, {} bytes of text\n", copied.notes, copied.bytes);
    let (_, took) = timed(|| ask(&open()?, "notes:search", first))?;
    line(&mut report, "first index", &format!("{took:.1?}"));
    let size = index_bytes(&cache)?;
    let part = percent(size, copied.bytes);
    line(
        &mut report,
        "index",
        &format!("{size} bytes, {part} of the text"),
    );
    let once = (0..7).map(|_| Ok(timed(|| ask(&open()?, "notes:search", first))?.1));
    let once = median(once.collect::<Result<_, String>>()?);
    line(
        &mut report,
        "one query with the index",
        &format!("{once:.1?}"),
    );
    let served = open()?.with_followed(Arc::new(Followed::new()));
    ask(&served, "notes:search", first)?;
    report += &questions(&served, &judgements, shows_misses)?;
    report += &titles(&served)?;
    report += &edit(&served, &root, first)?;
    Ok(report.trim_end().to_owned())
}

fn questions(
    vault: &Vault,
    judgements: &[Judgement],
    shows_misses: bool,
) -> Result<String, String> {
    let mut report = String::new();
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
    line(&mut report, "questions", &judgements.len().to_string());
    line(&mut report, "hit@1", &share(first, count));
    line(&mut report, "hit@5", &share(five, count));
    line(
        &mut report,
        "MRR@10",
        &format!("{:.3}", reciprocal / real(count)),
    );
    line(&mut report, "right passage first", &share(contexts, count));
    line(
        &mut report,
        "bytes of an answer",
        &(bytes / count).to_string(),
    );
    let slow = times.len() * 95 / 100;
    let mut sorted = times.clone();
    sorted.sort_unstable();
    let slow = sorted.get(slow).copied().unwrap_or_default();
    line(
        &mut report,
        "query in a server",
        &format!("{:.2?}, 95 % under {slow:.2?}", median(times)),
    );
    if shows_misses {
        report += &misses;
    }
    Ok(report)
}

/// Whether notes are found by their names, those that several have aside.
fn titles(vault: &Vault) -> Result<String, String> {
    let index = vault.index().map_err(|error| error.to_string())?;
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
    let mut report = String::new();
    let count = asked.len();
    line(
        &mut report,
        "exact titles first",
        &format!("{} of {count}", share(first, count.max(1))),
    );
    Ok(report + &others)
}

/// How long the query after an edit takes.
fn edit(vault: &Vault, root: &Path, query: &str) -> Result<String, String> {
    let mut report = String::new();
    let times = (0..9).map(|number| {
        let note = root.join("xtask rank.md");
        fs_err::write(note, format!("An edit, the number {number}.\n"))
            .map_err(|error| error.to_string())?;
        Ok(timed(|| ask(vault, "notes:search", query))?.1)
    });
    let times = times.collect::<Result<Vec<_>, String>>()?;
    // The first one adds a file, all others change it.
    let took = median(times.into_iter().skip(1).collect());
    line(&mut report, "query after an edit", &format!("{took:.2?}"));
    if let Some(memory) = memory() {
        line(&mut report, "memory", &memory);
    }
    Ok(report)
}

struct Found {
    data: Value,
    text: String,
}

fn ask(vault: &Vault, command: &str, query: &str) -> Result<Found, String> {
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
        data: serde_json::to_value(&reply.answer).map_err(|error| error.to_string())?,
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

fn read_judgements(file: &Path) -> Result<Vec<Judgement>, String> {
    let text = fs_err::read_to_string(file).map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

#[derive(Default)]
struct Copied {
    notes: usize,
    bytes: u64,
}

/// Copies the notes of a vault.
fn copy(from: &Path, to: &Path) -> Result<Copied, String> {
    let failed = |error: std::io::Error| error.to_string();
    fs_err::create_dir_all(to).map_err(failed)?;
    let mut copied = Copied::default();
    let mut folders: Vec<PathBuf> = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(from.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let place = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                fs_err::create_dir_all(to.join(&place)).map_err(failed)?;
                folders.push(place);
            } else if kind.is_file() && place.extension().is_some_and(|end| end == "md") {
                copied.bytes += fs_err::copy(entry.path(), to.join(&place)).map_err(failed)?;
                copied.notes += 1;
            }
        }
    }
    Ok(copied)
}

/// The size of the file of ranked search.
fn index_bytes(cache: &Path) -> Result<u64, String> {
    let failed = |error: std::io::Error| error.to_string();
    let mut bytes = 0;
    for entry in fs_err::read_dir(cache).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().extension().is_some_and(|end| end == "ranking") {
            bytes += entry.metadata().map_err(failed)?.len();
        }
    }
    Ok(bytes)
}

/// What this process has in memory, where the system tells.
fn memory() -> Option<String> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.trim_start_matches("VmRSS:").trim().to_owned())
}

fn timed<T>(run: impl FnOnce() -> Result<T, String>) -> Result<(T, Duration), String> {
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

fn percent(some: u64, all: u64) -> String {
    let real = |number: u64| real(usize::try_from(number).unwrap_or(usize::MAX));
    format!("{:.1} %", 100.0 * real(some) / real(all.max(1)))
}

fn real(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

fn line(report: &mut String, name: &str, value: &str) {
    let _ = writeln!(report, "{name:<26}{value}");
}

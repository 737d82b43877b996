//! `cargo lab rank`: how well and how fast ranked search answers questions with known answers, beside a plain BM25.

mod bm25;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chores::{Fault, below, copy, printed};
use serde::Deserialize;
use serde_json::{Value, json};

use self::bm25::Bm25;
use crate::bench::measure::{median, real};
use crate::bench::served::memory_of;
use crate::world::{Pipes, World, ours};

/// The ranks that count for MRR (mean reciprocal rank).
const MRR_RANKS: usize = 10;
/// The age from which a cache trusts notes.
const SETTLING: Duration = Duration::from_millis(2100);
/// The number of titles that are queried.
const TITLES: usize = 500;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Lists the questions that another note answered first
    #[arg(long)]
    misses: bool,
    /// A list of {"query": TEXT, "relevant": [PATH, ...]}; those in lab/questions/ are for the vaults that they
    /// are named after
    queries: PathBuf,
    vault: PathBuf,
}

/// A question, and the notes that answer it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judgement {
    query: String,
    relevant: Vec<String>,
}

/// Asks all questions of a copy of the vault, so that an edit can be measured too.
pub(crate) fn run(options: &Options, binary: Option<&Path>) -> Result<String, Fault> {
    let text = fs_err::read_to_string(&options.queries)?;
    let judgements: Vec<Judgement> = serde_json::from_str(&text)?;
    let folder = tempfile::tempdir()?;
    // On a busy machine, the first index of a large vault takes longer than a call may by default.
    let settings = "enabled = true\nbackend = \"embedded\"\ntimeout_ms = 600000\n";
    let world = World::make(&ours(binary)?, folder.path(), settings)?;
    let root = world.vault();
    let sizes = copy_notes(&options.vault, &root)?;
    let bytes = sizes.iter().sum();
    std::thread::sleep(SETTLING);
    let first = judgements
        .first()
        .map_or("", |judgement| judgement.query.as_str());
    let query = format!("query={first}");
    let once = || {
        let start = Instant::now();
        loop {
            let answer = printed(world.command().args(["--json", "notes:search", &query]))?;
            if is_complete(&serde_json::from_str(&answer)?) {
                return Ok::<_, Fault>(start.elapsed());
            }
        }
    };
    let mut report = String::new();
    add(&mut report, "notes", sizes.len());
    add(&mut report, "bytes of text", bytes);
    add(&mut report, "first index", format!("{:.1?}", once()?));
    let size = index_bytes(folder.path())?;
    let size = format!("{size} bytes, {} of the text", share(size, bytes));
    add(&mut report, "index", size);
    let times = (0..7).map(|_| once()).collect::<Result<_, _>>()?;
    let took = format!("{:.1?}", median(times).unwrap_or_default());
    add(&mut report, "one query with the index", took);
    let mut served = Pipes::start(world.command().arg("call"))?;
    ask(&mut served, "notes:search", first)?;
    yardstick(&mut report, &root, &judgements)?;
    questions(&mut report, &mut served, &judgements, options.misses)?;
    titles(&mut report, &mut served, &root)?;
    edit(&mut report, &mut served, &root, first)?;
    Ok(report.trim_end().to_owned())
}

fn questions(
    report: &mut String,
    served: &mut Pipes,
    judgements: &[Judgement],
    shows_misses: bool,
) -> Result<(), Fault> {
    let mut misses = String::new();
    let (mut ranks, mut contexts, mut bytes) = (Vec::new(), 0, 0);
    let mut times = Vec::new();
    for judgement in judgements {
        let (found, time) = ask(served, "notes:search", &judgement.query)?;
        times.push(time);
        bytes += found["stdout"].as_str().map_or(0, str::len);
        let paths = paths(&found, "items");
        let is_relevant = |path: &&str| judgement.relevant.iter().any(|known| known == path);
        let rank = paths.iter().position(is_relevant).map(|place| place + 1);
        if rank != Some(1) {
            let best = paths[..paths.len().min(3)].join(", ");
            let rank = rank.map_or("none".to_owned(), |rank| rank.to_string());
            misses += &format!("  rank {rank}: {} -> {best}\n", judgement.query);
        }
        ranks.push(rank);
        let (context, _) = ask(served, "notes:context", &judgement.query)?;
        let passages = self::paths(&context, "passages");
        contexts += usize::from(passages.first().is_some_and(is_relevant));
    }
    let count = judgements.len().max(1);
    add(report, "questions", judgements.len());
    add(report, "hit@1, hit@5, MRR@10", quality(&ranks));
    add(report, "right passage first", share(contexts, count));
    add(report, "bytes of an answer", bytes / count);
    times.sort_unstable();
    let slow = times.get(times.len() * 95 / 100).copied();
    let [slow, usual] = [slow, median(times)].map(Option::unwrap_or_default);
    let times = format!("{usual:.2?}, 95 % under {slow:.2?}");
    add(report, "query in a server", times);
    if shows_misses {
        *report += &misses;
    }
    Ok(())
}

/// Asks the questions of a plain BM25 over whole notes: a search that is not better needs no code of its own.
fn yardstick(report: &mut String, root: &Path, judgements: &[Judgement]) -> Result<(), Fault> {
    let mut paths = Vec::new();
    let mut notes = Vec::new();
    for path in below(root, false)? {
        let bytes = fs_err::read(root.join(&path))?;
        let text = String::from_utf8_lossy(&bytes);
        notes.push(format!("{}\n{text}", path.display()));
        paths.push(path);
    }
    let index = Bm25::new(&notes);
    let rank = |Judgement { query, relevant }: &Judgement| {
        let is_relevant = |note: &usize| relevant.iter().any(|it| paths[*note] == Path::new(it));
        Some(index.rank(query).iter().position(is_relevant)? + 1)
    };
    let ranks: Vec<_> = judgements.iter().map(rank).collect();
    add(report, "  by a plain BM25", quality(&ranks));
    Ok(())
}

/// The shares of questions whose answer is first and among the first five, and the mean reciprocal rank.
fn quality(ranks: &[Option<usize>]) -> String {
    let found = |most| ranks.iter().flatten().filter(move |rank| **rank <= most);
    let hits = |most| share(found(most).count(), ranks.len());
    let reciprocal: f64 = found(MRR_RANKS).map(|rank| 1.0 / real(*rank)).sum();
    let mean = reciprocal / real(ranks.len().max(1));
    format!("{}, {}, {mean:.3}", hits(1), hits(5))
}

/// Whether notes are found by their titles, without titles that several notes have.
fn titles(report: &mut String, served: &mut Pipes, root: &Path) -> Result<(), Fault> {
    let mut notes = below(root, false)?;
    notes.retain(|path| path.extension() == Some("md".as_ref()));
    let title = |path: &PathBuf| path.file_stem().unwrap_or_default().to_owned();
    let titles: Vec<OsString> = notes.iter().map(title).collect();
    let step = notes.len().div_ceil(TITLES).max(1);
    let (mut count, mut first, mut others) = (0, 0, String::new());
    for (path, title) in notes.iter().zip(&titles).step_by(step) {
        let is_same = |other: &&OsString| other.eq_ignore_ascii_case(title);
        if titles.iter().filter(is_same).count() > 1 {
            continue;
        }
        count += 1;
        let (found, _) = ask(served, "notes:search", &title.to_string_lossy())?;
        if paths(&found, "items").first().map(Path::new) == Some(path) {
            first += 1;
        } else {
            others += &format!("  not first: {}\n", path.display());
        }
    }
    let titles = format!("{} of {count}", share(first, count));
    add(report, "exact titles first", titles);
    *report += &others;
    Ok(())
}

/// Reports the time of a query after an edit.
fn edit(report: &mut String, served: &mut Pipes, root: &Path, query: &str) -> Result<(), Fault> {
    let times = (0..9).map(|number| {
        let note = root.join("Lab rank.md");
        fs_err::write(note, format!("An edit, the number {number}.\n"))?;
        Ok(ask(served, "notes:search", query)?.1)
    });
    let times = times.collect::<Result<Vec<_>, Fault>>()?;
    // The first one adds a file, all others change it.
    let took = median(times.into_iter().skip(1).collect()).unwrap_or_default();
    add(report, "query after an edit", format!("{took:.2?}"));
    if let Some([_, kibibytes]) = memory_of(served.id()) {
        add(report, "memory", format!("{kibibytes} kB"));
    }
    Ok(())
}

/// The answer once all notes are indexed, and the time until it came.
fn ask(served: &mut Pipes, command: &str, query: &str) -> Result<(Value, Duration), Fault> {
    let request = json!({"command": command, "params": {"query": query}});
    loop {
        let (answer, time) = served.ask(&request)?;
        if is_complete(&answer) {
            return Ok((answer, time));
        }
    }
}

/// Whether all notes were indexed for an answer.
fn is_complete(answer: &Value) -> bool {
    let mut warnings = answer["warnings"].as_array().into_iter().flatten();
    warnings.all(|warning| warning["code"] != "RANKING_INCOMPLETE")
}

fn paths<'found>(answer: &'found Value, list: &str) -> Vec<&'found str> {
    let items = answer["data"][list].as_array().into_iter().flatten();
    items.filter_map(|item| item["path"].as_str()).collect()
}

/// Copies the notes of a vault; their sizes.
fn copy_notes(from: &Path, to: &Path) -> Result<Vec<usize>, Fault> {
    let files = below(from, false)?.into_iter();
    let notes = files.filter(|path| path.extension() == Some("md".as_ref()));
    notes
        .map(|note| copy(&from.join(&note), &to.join(note)))
        .collect()
}

/// The size of the file of ranked search.
fn index_bytes(folder: &Path) -> Result<usize, Fault> {
    let files = below(folder, true)?.into_iter();
    let files = files.filter(|path| path.extension() == Some("ranking".as_ref()));
    files
        .map(|file| Ok(fs_err::read(folder.join(file))?.len()))
        .sum()
}

fn share(some: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * real(some) / real(all.max(1)))
}

/// Adds a line to the report.
fn add(report: &mut String, name: &str, value: impl Display) {
    *report += &format!("{name:<26}{value}\n");
}

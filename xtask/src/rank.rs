//! `cargo xtask rank`: how well and how fast ranked search answers questions with known answers, beside a plain BM25.

mod bm25;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Zoned;
use serde::Deserialize;
use serde_json::Value;
use vault_engine::{Args, Followed, Registry, Surroundings, Vault, VaultPath};

use self::bm25::Bm25;
use crate::Fault;
use crate::bench::measure::{median, real};
use crate::bench::served::memory_of;
use crate::files::{below, copy};

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
    /// A list of {"query": TEXT, "relevant": [PATH, ...]}; those in benches/data/ are for the vaults that they are
    /// named after
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
pub(crate) fn run(options: &Options) -> Result<String, Fault> {
    let text = fs_err::read_to_string(&options.queries)?;
    let judgements: Vec<Judgement> = serde_json::from_str(&text)?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("vault");
    let sizes = copy_notes(&options.vault, &root)?;
    let bytes = sizes.iter().sum();
    std::thread::sleep(SETTLING);
    let cache = folder.path().join("cache");
    let open = || Ok::<_, Fault>(Vault::open(&root)?.with_cache(cache.clone()));
    let first = judgements
        .first()
        .map_or("", |judgement| judgement.query.as_str());
    let mut report = String::new();
    add(&mut report, "notes", sizes.len());
    add(&mut report, "bytes of text", bytes);
    let (_, took) = timed(|| ask(&open()?, "notes:search", first))?;
    add(&mut report, "first index", format!("{took:.1?}"));
    let size = index_bytes(&cache)?;
    let part = share(size, bytes);
    add(
        &mut report,
        "index",
        format!("{size} bytes, {part} of the text"),
    );
    let once = (0..7).map(|_| Ok(timed(|| ask(&open()?, "notes:search", first))?.1));
    let once = median(once.collect::<Result<_, Fault>>()?).unwrap_or_default();
    add(
        &mut report,
        "one query with the index",
        format!("{once:.1?}"),
    );
    let served = open()?.with_followed(Arc::new(Followed::new()));
    ask(&served, "notes:search", first)?;
    yardstick(&mut report, &root, &judgements)?;
    questions(&mut report, &served, &judgements, options.misses)?;
    titles(&mut report, &served)?;
    edit(&mut report, &served, &root, first)?;
    Ok(report.trim_end().to_owned())
}

fn questions(
    report: &mut String,
    vault: &Vault,
    judgements: &[Judgement],
    shows_misses: bool,
) -> Result<(), Fault> {
    let mut misses = String::new();
    let (mut ranks, mut contexts, mut bytes) = (Vec::new(), 0, 0);
    let mut times = Vec::new();
    for judgement in judgements {
        let ((found, text), took) = timed(|| ask(vault, "notes:search", &judgement.query))?;
        times.push(took);
        bytes += text.len();
        let paths = paths(&found, "items");
        let is_relevant = |path: &&str| judgement.relevant.iter().any(|known| known == path);
        let rank = paths.iter().position(is_relevant).map(|place| place + 1);
        if rank != Some(1) {
            let best = paths[..paths.len().min(3)].join(", ");
            let rank = rank.map_or("none".to_owned(), |rank| rank.to_string());
            misses += &format!("  rank {rank}: {} -> {best}\n", judgement.query);
        }
        ranks.push(rank);
        let (context, _) = ask(vault, "notes:context", &judgement.query)?;
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
    add(
        report,
        "query in a server",
        format!("{usual:.2?}, 95 % under {slow:.2?}"),
    );
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
        let text = fs_err::read(root.join(&path))?;
        notes.push(format!(
            "{}\n{}",
            path.display(),
            String::from_utf8_lossy(&text)
        ));
        paths.push(path);
    }
    let index = Bm25::new(&notes);
    let ranks = judgements.iter().map(|judgement| {
        let is_relevant = |note: &usize| {
            judgement
                .relevant
                .iter()
                .any(|known| Path::new(known) == paths[*note])
        };
        index
            .rank(&judgement.query)
            .iter()
            .position(is_relevant)
            .map(|place| place + 1)
    });
    add(
        report,
        "  by a plain BM25",
        quality(&ranks.collect::<Vec<_>>()),
    );
    Ok(())
}

/// The shares of questions whose answer is first and among the first five, and the mean reciprocal rank.
fn quality(ranks: &[Option<usize>]) -> String {
    let found = |most| ranks.iter().flatten().filter(move |rank| **rank <= most);
    let hits = |most| share(found(most).count(), ranks.len());
    let reciprocal: f64 = found(MRR_RANKS).map(|rank| 1.0 / real(*rank)).sum();
    format!(
        "{}, {}, {:.3}",
        hits(1),
        hits(5),
        reciprocal / real(ranks.len().max(1))
    )
}

/// Whether notes are found by their titles, without titles that several notes have.
fn titles(report: &mut String, vault: &Vault) -> Result<(), Fault> {
    let names = vault.names_below(&VaultPath::root())?;
    let mut notes: Vec<&VaultPath> = names.files.iter().map(|file| &file.path).collect();
    notes.retain(|path| path.is_note());
    let is_unique = |path: &&&VaultPath| {
        let same = |other: &&&VaultPath| other.basename().eq_ignore_ascii_case(path.basename());
        notes.iter().filter(same).count() == 1
    };
    let step = notes.len().div_ceil(TITLES).max(1);
    let wanted: Vec<&&VaultPath> = notes.iter().step_by(step).filter(is_unique).collect();
    let mut first = 0;
    let mut others = String::new();
    for path in &wanted {
        let (found, _) = ask(vault, "notes:search", path.basename())?;
        if paths(&found, "items").first() == Some(&path.as_str()) {
            first += 1;
        } else {
            others += &format!("  not first: {path}\n");
        }
    }
    let count = wanted.len();
    add(
        report,
        "exact titles first",
        format!("{} of {count}", share(first, count)),
    );
    *report += &others;
    Ok(())
}

/// Reports the time of a query after an edit.
fn edit(report: &mut String, vault: &Vault, root: &Path, query: &str) -> Result<(), Fault> {
    let times = (0..9).map(|number| {
        let note = root.join("xtask rank.md");
        fs_err::write(note, format!("An edit, the number {number}.\n"))?;
        Ok(timed(|| ask(vault, "notes:search", query))?.1)
    });
    let times = times.collect::<Result<Vec<_>, Fault>>()?;
    // The first one adds a file, all others change it.
    let took = median(times.into_iter().skip(1).collect()).unwrap_or_default();
    add(report, "query after an edit", format!("{took:.2?}"));
    if let Some([_, kibibytes]) = memory_of(std::process::id()) {
        add(report, "memory", format!("{kibibytes} kB"));
    }
    Ok(())
}

/// The data of an answer, and its text.
fn ask(vault: &Vault, command: &str, query: &str) -> Result<(Value, String), Fault> {
    let arguments = Args::default().with("query", query);
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
    let text = cli_output::render(&reply.answer, shape, &arguments);
    Ok((serde_json::to_value(&reply.answer)?, text))
}

fn paths<'found>(data: &'found Value, list: &str) -> Vec<&'found str> {
    let items = data[list].as_array().into_iter().flatten();
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
fn index_bytes(cache: &Path) -> Result<usize, Fault> {
    let files = below(cache, true)?.into_iter();
    let files = files.filter(|path| path.extension() == Some("ranking".as_ref()));
    files
        .map(|file| Ok(fs_err::read(cache.join(file))?.len()))
        .sum()
}

fn timed<T>(run: impl FnOnce() -> Result<T, Fault>) -> Result<(T, Duration), Fault> {
    let start = Instant::now();
    let value = run()?;
    Ok((value, start.elapsed()))
}

fn share(some: usize, all: usize) -> String {
    format!("{:.1} %", 100.0 * real(some) / real(all.max(1)))
}

/// Adds a line to the report.
fn add(report: &mut String, name: &str, value: impl Display) {
    *report += &format!("{name:<26}{value}\n");
}

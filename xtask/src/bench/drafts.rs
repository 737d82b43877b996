//! The cost of what keeps an agent in bounds: a draft, labels, and the scan for what acts. Each question is asked by
//! an agent that has it and by one that has not.

use std::path::Path;
use std::time::Duration;

use super::measure::{median, timed};
use super::programs::{Programs, User};
use crate::Fault;
use crate::files::{below, write};
use crate::targets::printed;
use crate::vault::{COMMON_WORD, HUB};

/// The notes that the draft changes.
const DRAFTED: usize = 50;
/// How much slower the side with the draft may be.
const READING: f64 = 1.1;
const RECORDING: f64 = 1.2;
/// How much slower a question may be where notes are labelled: it is answered twice.
const LABELLED: f64 = 2.2;
/// How much slower a change may be that is planned twice, or looked through for what acts.
const LOOKED_AT: f64 = 1.3;
/// The size of the text that is looked through, in bytes.
const SCANNED: usize = 10 << 10;
/// The settings file under which one note of ten is labelled.
const TAINT: &str = "taint.toml";
const SETTINGS: &str = "enabled = true\nallow_mutations = true\n[agents.drafting]\ndrafts = \"all\"\n[agents.plain]\ndrafts = \"off\"\n";

/// A name, a question, the options of both sides, and how much slower the first may be.
type Row<'r> = (&'r str, &'r [&'r str], [&'r [&'r str]; 2], f64);

/// Measures on a copy of the vault, and returns the table.
pub(super) fn table(
    programs: &Programs,
    scratch: &Path,
    root: &Path,
    runs: usize,
) -> Result<String, Fault> {
    let copy = scratch.join("drafts/Notes");
    let files = below(root, true)?;
    for file in &files {
        crate::files::copy(&root.join(file), &copy.join(file))?;
    }
    let user = User::new(&scratch.join("drafts/user"), &copy, programs)?;
    write(
        &user.folder().join("config/vault-gw/settings.toml"),
        SETTINGS,
    )?;
    let notes = files
        .iter()
        .filter(|file| file.extension() == Some("md".as_ref()));
    let notes: Vec<String> = notes
        .filter_map(|note| note.to_str().map(str::to_owned))
        .filter(|note| !note.contains('\n') && !note.starts_with('.'))
        .take(DRAFTED)
        .collect();
    let taint = user.folder().join("config/vault-gw").join(TAINT);
    write(
        &taint,
        format!("{SETTINGS}[taint]\nsources = [\"**/*7.md\"]\nproperties = [\"source\"]\n"),
    )?;
    let taint = format!("--settings={}", taint.display());
    for note in &notes {
        let append = [
            "--agent=drafting",
            "append",
            &format!("path={note}"),
            "content=drafted",
        ];
        printed(&mut user.ours(&append.map(str::to_owned)))?;
    }
    let path = notes.iter().find(|note| !note.ends_with("7.md"));
    let path = path.map(|note| format!("path={note}"));
    let path = path.ok_or("the vault has no notes")?;
    let hub = format!("path={HUB}");
    let query = format!("query={COMMON_WORD}");
    let long = format!("content={}", "A plain line of text. ".repeat(SCANNED / 22));
    let append: &[&str] = &["append", &path, "content=one more line"];
    let write_long: &[&str] = &["append", &path, &long];
    let read: &[&str] = &["read", &path];
    let search: &[&str] = &["search", &query];
    let backlinks: &[&str] = &["backlinks", &hub];
    let tags: &[&str] = &["tags", "counts"];
    let ranked: &[&str] = &["notes:search", &query, "limit=10"];
    let draft = ["--agent=drafting"].as_slice();
    let plain = ["--agent=plain"].as_slice();
    // The agent whose label a person has just cleared is looked at again with each answer.
    let labels = [taint.as_str(), "--agent=plain"];
    let labels = labels.as_slice();
    let rows: [Row<'_>; 13] = [
        ("read, draft", read, [draft, plain], READING),
        ("search, draft", search, [draft, plain], READING),
        ("backlinks, draft", backlinks, [draft, plain], READING),
        ("tags counts, draft", tags, [draft, plain], READING),
        ("notes:search, draft", ranked, [draft, plain], READING),
        ("append, draft", append, [draft, plain], RECORDING),
        ("append 10 KB, scanned", write_long, [plain, &[]], LOOKED_AT),
        ("read, labels", read, [labels, plain], READING),
        ("append, labels", append, [labels, plain], LOOKED_AT),
        ("search, labels", search, [labels, plain], LABELLED),
        ("backlinks, labels", backlinks, [labels, plain], LABELLED),
        ("tags counts, labels", tags, [labels, plain], LABELLED),
        ("notes:search, labels", ranked, [labels, plain], LABELLED),
    ];
    let mut text = format!(
        "\nagents: a draft of {} notes, labels, and the scan for what acts, against none of it; whole processes\n",
        notes.len()
    );
    let clear = [taint.as_str(), "taint", "clear", "--agents"].map(str::to_owned);
    for (name, question, sides, allowed) in rows {
        let words = sides.map(|side| {
            let all = side.iter().chain(question).copied();
            all.map(str::to_owned).collect::<Vec<String>>()
        });
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..=runs {
            for (times, words) in times.iter_mut().zip(&words) {
                let time = timed(&mut user.ours(words))?;
                if round > 0 {
                    times.push(time);
                }
            }
            if sides[0] == labels {
                printed(&mut user.ours(&clear))?;
            }
        }
        let [with, without] = times.map(|times| median(times).unwrap_or_default());
        text += &row(name, with, without, allowed);
    }
    Ok(text)
}

fn row(name: &str, with: Duration, without: Duration, allowed: f64) -> String {
    let ratio = with.as_secs_f64() / without.as_secs_f64().max(f64::EPSILON);
    let over = if ratio > allowed { "  over" } else { "" };
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    format!(
        "{name:<26} {:>10.2} {:>10.2} {ratio:>7.2} {allowed:>9.1}{over}\n",
        milliseconds(with),
        milliseconds(without)
    )
}

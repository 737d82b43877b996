//! The cost of what keeps an agent in bounds: a draft, labels, and the scan for what acts. Each question is asked by
//! an agent that has it and by one that has not.

use std::path::Path;

use super::measure::{median, timed};
use super::programs::{Programs, User};
use super::table::{line, mark, milliseconds};
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
/// The settings under which one note of ten is labelled.
const TAINT: &str = "[taint]\nsources = [\"**/*7.md\"]\nproperties = [\"source\"]\n";
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
    let mut notes = Vec::new();
    for file in below(root, true)? {
        crate::files::copy(&root.join(&file), &copy.join(&file))?;
        let is_note = file.extension() == Some("md".as_ref());
        let name = file.to_str().filter(|name| is_note && !name.starts_with('.'));
        notes.extend(name.filter(|name| !name.contains('\n')).map(str::to_owned));
    }
    notes.truncate(DRAFTED);
    let user = User::new(&scratch.join("drafts/user"), &copy, programs)?;
    let settings = user.folder().join("config/vault-gw");
    write(&settings.join("settings.toml"), SETTINGS)?;
    let taint = settings.join("taint.toml");
    write(&taint, format!("{SETTINGS}{TAINT}"))?;
    let taint = format!("--settings={}", taint.display());
    for note in &notes {
        let path = format!("path={note}");
        let append = ["--agent=drafting", "append", &path, "content=drafted"];
        printed(&mut user.ours(&append))?;
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
    let count = notes.len();
    let mut text = format!(
        "\nagents: a draft of {count} notes, labels, and the scan for what acts, against none of it; whole processes\n"
    );
    let clear = [taint.as_str(), "taint", "clear", "--agents"];
    for (name, question, sides, allowed) in rows {
        let words = sides.map(|side| [side, question].concat());
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
        let times = times.map(|times| milliseconds(median(times).unwrap_or_default()));
        let ratio = times[0] / times[1].max(f64::EPSILON);
        let allowed = format!("{allowed:.1}{}", mark(ratio > allowed));
        let [with, without] = times.map(|time| format!("{time:.2}"));
        text += &line(name, &[with, without, format!("{ratio:.2}"), allowed]);
    }
    Ok(text)
}

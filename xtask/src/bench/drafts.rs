//! The cost of a draft: the same questions by an agent that has 50 changed notes in its draft and by one that has
//! none, and a change that is recorded against one that is made.

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
const SETTINGS: &str = "enabled = true\nallow_mutations = true\n[agents.drafting]\ndrafts = \"all\"\n[agents.plain]\ndrafts = \"off\"\n";

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
    let words = |agent: &str, words: &[&str]| -> Vec<String> {
        let all = ["--agent", agent].into_iter().chain(words.iter().copied());
        all.map(str::to_owned).collect()
    };
    for note in &notes {
        let append = ["append", &format!("path={note}"), "content=drafted"];
        printed(&mut user.ours(&words("drafting", &append)))?;
    }
    let path = notes.first().map(|note| format!("path={note}"));
    let path = path.ok_or("the vault has no notes")?;
    let hub = format!("path={HUB}");
    let query = format!("query={COMMON_WORD}");
    let append = ["append", &path, "content=one more line"];
    let rows: [(&str, &[&str], f64); 6] = [
        ("read path=", &["read", &path], READING),
        ("search, common word", &["search", &query], READING),
        ("backlinks path=", &["backlinks", &hub], READING),
        ("tags counts", &["tags", "counts"], READING),
        (
            "notes:search",
            &["notes:search", &query, "limit=10"],
            READING,
        ),
        ("append", &append, RECORDING),
    ];
    let mut text = format!(
        "\na draft of {} notes, against none (or a change that is made); whole processes\n",
        notes.len()
    );
    for (name, question, allowed) in rows {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for round in 0..=runs {
            let drafting = timed(&mut user.ours(&words("drafting", question)))?;
            let plain = timed(&mut user.ours(&words("plain", question)))?;
            if round > 0 {
                with.push(drafting);
                without.push(plain);
            }
        }
        let [with, without] = [with, without].map(|times| median(times).unwrap_or_default());
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

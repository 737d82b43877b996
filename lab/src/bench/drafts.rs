//! The cost of an agent's limits: a draft, labels, and the scan for active content. Each question is asked by an agent
//! with the limit and by one without it.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use chores::{Fault, below, copy_folder, printed, write};
use serde_json::json;

use super::measure::{in_turn, median, real};
use super::programs::{Programs, User};
use super::questions::{rows, words};
use super::served;
use super::table::{line, mark, milliseconds};
use crate::vault::{COMMON_WORD, HUB};
use crate::world::Pipes;

/// The notes that the draft changes.
const DRAFTED: usize = 1000;
/// The size of the text that is looked through, in bytes.
const SCANNED: usize = 10 << 10;
/// The settings under which one note of ten is labelled.
const TAINT: &str = "[taint]\nsources = [\"**/*7.md\"]\nproperties = [\"source\"]\n";
/// The settings that close the notes with one tag.
const DENY: &str = "[paths]\ndeny_tags = [\"private\"]\n";
const SETTINGS: &str = "enabled = true\nallow_mutations = true\n[agents.drafting]\ndrafts = \"all\"\n[agents.plain]\ndrafts = \"off\"\n";

/// Measures on a copy of the vault, and returns the table.
pub(super) fn table(
    programs: &Programs,
    scratch: &Path,
    root: &Path,
    runs: usize,
) -> Result<String, Fault> {
    let copy = scratch.join("drafts/Notes");
    copy_folder(root, &copy)?;
    let mut notes: Vec<String> = below(&copy, false)?
        .iter()
        .filter(|file| file.extension() == Some("md".as_ref()))
        .filter_map(|file| {
            file.to_str()
                .filter(|path| !path.contains('\n'))
                .map(str::to_owned)
        })
        .collect();
    notes.truncate(DRAFTED);
    let user = User::new(&scratch.join("drafts/user"), &copy, programs)?;
    let settings = user.folder.join("config/vault-gw");
    write(&settings.join("settings.toml"), SETTINGS)?;
    let with = |name: &str, more: &str| {
        let file = settings.join(name);
        write(&file, format!("{SETTINGS}{more}"))?;
        Ok::<String, Fault>(format!("--settings={}", file.display()))
    };
    let (taint, deny) = (with("taint.toml", TAINT)?, with("deny.toml", DENY)?);
    let made = Instant::now();
    let mut pipes = Pipes::start(&mut user.ours(&["--agent=drafting", "call"]))?;
    for note in &notes {
        let params = json!({"path": note, "content": "drafted"});
        let request = json!({"command": "append", "params": params});
        served::row(&mut pipes, "append", &request, 0)?;
    }
    pipes.end()?;
    let made = milliseconds(made.elapsed()) / real(notes.len());
    let mut unlabelled = notes.iter().filter(|note| !note.ends_with("7.md"));
    let [note, other] = [unlabelled.next(), unlabelled.next()];
    let places = [
        ("@NOTE@", note.ok_or("the vault has no notes")?.as_str()),
        ("@OTHER@", other.ok_or("the vault has one note")?),
        ("@HUB@", HUB),
        ("@COMMON@", COMMON_WORD),
        ("@LINE@", "one more line"),
        ("@LONG@", &"A plain line of text. ".repeat(SCANNED / 22)),
        ("@TAINT@", &taint),
        ("@DENY@", &deny),
    ];
    let count = notes.len();
    let mut text = format!(
        "\nagents: a draft of {count} notes, labels, and the scan for what acts, against none of it; whole processes\n\
         each file of the draft was made in {made:.2} ms, served\n"
    );
    let mut clear = user.ours(&[&taint, "taint", "clear", "--agents"]);
    for [name, question, with, without, allowed] in rows(include_str!("drafts.txt"))? {
        let sides = [with, without].map(|side| words(&format!("{question} {side}"), &places));
        let is_labelled = with.contains("@TAINT@");
        let forget = || {
            if is_labelled {
                printed(&mut clear).map(drop)
            } else {
                Ok(())
            }
        };
        let times = in_turn(runs, &mut sides.map(|words| user.ours(&words)), forget)?;
        let times: Vec<f64> = times.into_iter().map(milliseconds).collect();
        let ratio = times[0] / times[1].max(f64::EPSILON);
        let cells = [times[0], times[1], ratio].map(|figure| format!("{figure:.2}"));
        let allowed = format!("{allowed}{}", mark(ratio > allowed.parse()?));
        text += &line(name, &[cells.as_slice(), &[allowed]].concat());
    }
    Ok(text + &served_append(&user, places[0].1, runs)?)
}

/// The row of `append` in a server beside one sync of this disk. Two syncs and a millisecond are allowed.
fn served_append(user: &User<'_>, note: &str, runs: usize) -> Result<String, Fault> {
    let mut pipes = Pipes::start(&mut user.ours(&["--agent=plain", "call"]))?;
    let params = json!({"path": note, "content": "one more line"});
    let request = json!({"command": "append", "params": params});
    let append = served::row(&mut pipes, "append", &request, runs)?;
    pipes.end()?;
    let mut file = fs_err::File::create(user.folder.join("synced"))?;
    let syncs: Result<Vec<Duration>, Fault> = (0..runs)
        .map(|_| {
            file.write_all(b"one more line")?;
            let started = Instant::now();
            file.sync_all()?;
            Ok(started.elapsed())
        })
        .collect();
    let append = append.times.last().copied().unwrap_or_default();
    let [append, sync] = [append, median(syncs?).unwrap_or_default()].map(milliseconds);
    let ratio = append / sync.max(f64::EPSILON);
    let allowed = 2.0 + 1.0 / sync.max(f64::EPSILON);
    let cells = [append, sync, ratio].map(|figure| format!("{figure:.2}"));
    let allowed = format!("{allowed:.1}{}", mark(ratio > allowed));
    Ok(line(
        "append, served / one sync",
        &[cells.as_slice(), &[allowed]].concat(),
    ))
}

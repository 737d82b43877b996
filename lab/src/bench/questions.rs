//! The questions, the yardstick of each, and how much slower than it we may be.

use std::path::Path;
use std::process::Command;

use chores::{Fault, printed, write};

use super::programs::User;
use crate::vault::{COMMON_WORD, HUB, PHRASE, RARE_WORD};

/// One row of the table.
pub(super) struct Question {
    /// Its name in the table.
    pub(super) name: &'static str,
    /// Command and arguments for our program.
    pub(super) words: Vec<String>,
    /// The command to compare with, as in `questions.txt`.
    pub(super) yardstick: &'static str,
    /// The same to be run; `None` if it is not installed.
    pub(super) command: Option<Command>,
    /// The limit: a multiple of the yardstick's time (`2.0x`), or a number of milliseconds (`10 ms`).
    pub(super) limit: &'static str,
}

/// A base with one filter on a property, sorted by another.
const BASE: &str = "filters: status == \"open\"\nviews:\n  - type: table\n    order: [file.name, rating]\n    sort: [{property: rating, direction: DESC}]\n    limit: 50\n";

impl Question {
    /// Whether every run starts without the kept index.
    pub(super) fn is_cold(&self) -> bool {
        self.name.starts_with("cold")
    }

    /// Whether these milliseconds, and this ratio to the yardstick, are over the limit.
    pub(super) fn is_slow(&self, ours: f64, ratio: Option<f64>) -> bool {
        let (number, unit) = self
            .limit
            .split_at(self.limit.find(['x', ' ']).unwrap_or_default());
        let cost = if unit == "x" { ratio } else { Some(ours) };
        let most: f64 = number.parse().unwrap_or_default();
        cost.is_some_and(|cost| cost > most)
    }
}

/// The questions for a vault. Writes a base, and today's daily note if it does not exist.
pub(super) fn of(root: &Path, user: &User<'_>) -> Result<Vec<Question>, Fault> {
    let (note, daily) = (some_note(root)?, daily_note(root, user)?);
    write(&root.join("Bench.base"), BASE)?;
    let folder = root.display().to_string();
    let ours = user.programs.ours.display().to_string();
    let places = [
        ("@OURS@", ours.as_str()),
        ("@ROOT@", folder.as_str()),
        ("@NOTE@", &note),
        ("@DAILY@", &daily),
        (
            "@FOLDER@",
            daily.rsplit_once('/').map_or("/", |(folder, _)| folder),
        ),
        ("@HUB@", HUB),
        ("@RARE@", RARE_WORD),
        ("@COMMON@", COMMON_WORD),
        ("@PHRASE@", PHRASE),
    ];
    let question = |[name, wanted, yardstick, limit]: [&'static str; 4]| {
        let other = words(yardstick, &places);
        let program = user.programs.installed(&other[0]);
        let command = program.map(|program| {
            let mut command = user.command(&program);
            command.args(&other[1..]);
            command
        });
        Question {
            name,
            words: words(wanted, &places),
            yardstick,
            command,
            limit,
        }
    };
    Ok(rows(include_str!("questions.txt"))?
        .into_iter()
        .map(question)
        .collect())
}

/// The rows in a text, with that many fields each.
pub(super) fn rows<const FIELDS: usize>(
    text: &'static str,
) -> Result<Vec<[&'static str; FIELDS]>, Fault> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let fields: Vec<&str> = line.split(" | ").collect();
        fields
            .try_into()
            .map_err(|_| format!("not {FIELDS} fields: {line}").into())
    };
    lines.map(row).collect()
}

/// The words of a row with their places filled.
pub(super) fn words(text: &str, places: &[(&str, &str)]) -> Vec<String> {
    let fill = |word: String, (place, value): &(&str, &str)| word.replace(place, value);
    let words = text.split_whitespace().map(str::to_owned);
    words.map(|word| places.iter().fold(word, fill)).collect()
}

/// The path of one note of the root folder, always the same.
fn some_note(root: &Path) -> Result<String, Fault> {
    let entries = fs_err::read_dir(root)?;
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension() == Some("md".as_ref()))
        .min()
        .ok_or_else(|| "the vault has no note in its root folder".into())
}

/// Today's daily note, where our program looks for it.
fn daily_note(root: &Path, user: &User<'_>) -> Result<String, Fault> {
    let path = printed(&mut user.ours(&["daily:path"]))?;
    let path = path.trim_end().to_owned();
    let file = root.join(&path);
    if !file.exists() {
        write(&file, "- [ ] A task of today with a [[link]]\n".repeat(50))?;
    }
    Ok(path)
}

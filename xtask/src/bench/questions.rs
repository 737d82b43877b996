//! The questions, the yardstick of each, and how much slower than it we may be.

use std::path::{Path, PathBuf};

use super::programs::{User, output};
use crate::Fault;
use crate::files::write;
use crate::vault::{COMMON_WORD, HUB, PHRASE, RARE_WORD};

/// One row of the table.
pub(super) struct Question {
    /// Its name in the table.
    pub(super) name: String,
    /// Command and arguments for our program.
    pub(super) words: Vec<String>,
    /// Whether every run starts without the kept index.
    pub(super) cold: bool,
    pub(super) yardstick: Yardstick,
    pub(super) limit: Limit,
}

/// The program that a row is compared with.
pub(super) enum Yardstick {
    /// `rg -c .`: read every file.
    ReadAll,
    /// `find -type f -printf '%s %T@\n'`: look at every file from outside.
    ListAll,
    /// `rg -il -F TEXT`, which lists the files with a text.
    Search(&'static str),
    /// `cat FILE`, which reads one file.
    Print(PathBuf),
}

/// The limit for a row.
#[derive(Clone, Copy)]
pub(super) enum Limit {
    /// That many times the yardstick.
    Times(f64),
    /// That many milliseconds, however large the vault is.
    Milliseconds(f64),
}

impl Yardstick {
    /// Its name in the table.
    pub(super) fn name(&self) -> String {
        match self {
            Self::ReadAll => "rg -c .".to_owned(),
            Self::ListAll => "find -printf".to_owned(),
            Self::Search(text) => format!("rg -il '{text}'"),
            Self::Print(_) => "cat".to_owned(),
        }
    }
}

/// A base with one filter on a property, sorted by another.
const BASE: &str = "Bench.base";

fn write_base(root: &Path) -> Result<(), Fault> {
    let text = "filters: status == \"open\"\nviews:\n  - type: table\n    order: [file.name, rating]\n    sort: [{property: rating, direction: DESC}]\n    limit: 50\n";
    write(&root.join(BASE), text)
}

/// The questions for a vault. Writes a base, and today's daily note if it does not exist.
pub(super) fn of(root: &Path, user: &User<'_>) -> Result<Vec<Question>, Fault> {
    let note = some_note(root)?;
    let daily = daily_note(root, user)?;
    write_base(root)?;
    let path = format!("path={note}");
    let hub = format!("path={HUB}");
    let all = Limit::Times(2.0);
    let search = Limit::Times(1.5);
    let one = Limit::Milliseconds(10.0);
    let list = || Yardstick::ListAll;
    let print = || Yardstick::Print(root.join(&note));
    Ok(vec![
        cold(
            "cold index: tags counts",
            &["tags", "counts"],
            Limit::Times(3.0),
        ),
        warm("files total", &["files", "total"], list(), all),
        warm("backlinks path=", &["backlinks", &hub], list(), all),
        warm("tags counts", &["tags", "counts"], list(), all),
        warm("tasks total", &["tasks", "total"], list(), all),
        warm("orphans", &["orphans"], list(), all),
        warm("unresolved total", &["unresolved", "total"], list(), all),
        warm(
            "search, rare word",
            &["search", &query(RARE_WORD)],
            Yardstick::Search(RARE_WORD),
            search,
        ),
        warm(
            "search, common word",
            &["search", &query(COMMON_WORD)],
            Yardstick::Search(COMMON_WORD),
            search,
        ),
        warm(
            "search, phrase",
            &["search", &query(&format!("\"{PHRASE}\""))],
            Yardstick::Search(PHRASE),
            search,
        ),
        warm("read path=", &["read", &path], print(), one),
        warm("daily:read", &["daily:read"], Yardstick::Print(daily), one),
        warm("outline path=", &["outline", &path], print(), one),
        warm("links path=", &["links", &path], list(), all),
        warm(
            "base:query, property and sort",
            &["base:query", &format!("path={BASE}")],
            list(),
            Limit::Times(3.0),
        ),
    ])
}

fn query(text: &str) -> String {
    format!("query={text}")
}

fn warm(name: &str, words: &[&str], yardstick: Yardstick, limit: Limit) -> Question {
    Question {
        name: name.to_owned(),
        words: words.iter().map(ToString::to_string).collect(),
        cold: false,
        yardstick,
        limit,
    }
}

fn cold(name: &str, words: &[&str], limit: Limit) -> Question {
    Question {
        cold: true,
        ..warm(name, words, Yardstick::ReadAll, limit)
    }
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
fn daily_note(root: &Path, user: &User<'_>) -> Result<PathBuf, Fault> {
    let answer = output(&mut user.ours(&["daily:path".to_owned()]))?;
    if !answer.status.success() {
        return Err(String::from_utf8_lossy(&answer.stderr).into());
    }
    let path = root.join(String::from_utf8_lossy(&answer.stdout).trim_end());
    if !path.exists() {
        write(&path, "- [ ] A task of today with a [[link]]\n".repeat(50))?;
    }
    Ok(path)
}

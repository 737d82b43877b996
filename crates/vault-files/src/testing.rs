//! Files and requests, for tests.

#![expect(
    clippy::unwrap_used,
    reason = "a failure here is a failure of the test"
)]

use std::path::Path;

use jiff::civil::date;
use jiff::tz::TimeZone;
use obsidian_note::VaultPath;

use crate::args::{Arg, Args};
use crate::registry::Registry;
use crate::surroundings::Surroundings;

/// Writes a file and creates its folders.
///
/// # Panics
///
/// If the system refuses.
pub fn write(root: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// Five past nine on 7 March 2026, where the app knows no vaults.
///
/// # Panics
///
/// Never.
pub fn surroundings() -> Surroundings {
    let now = date(2026, 3, 7).at(9, 5, 0, 0);
    Surroundings {
        now: now.to_zoned(TimeZone::UTC).unwrap(),
        random: 0,
        registry: Registry::default(),
    }
}

/// Returns the arguments of a command. `key=value` is a parameter, a bare word a flag.
pub fn arguments(command: &str, words: impl IntoIterator<Item = impl AsRef<str>>) -> Args {
    words.into_iter().fold(Args::default(), |arguments, word| {
        let word = word.as_ref();
        match word.split_once('=') {
            Some((name, text)) => arguments.with(name, typed(command, name, text)),
            None => arguments.with_flag(word),
        }
    })
}

/// Returns the value of a parameter, with the type that the catalogue gives it.
fn typed(command: &str, name: &str, text: &str) -> Arg {
    match (command, name) {
        (_, "path" | "folder" | "under" | "note" | "with" | "into")
        | ("bookmark", "file")
        | ("move" | "folder:move" | "links:path" | "note:extract", "to")
        | ("links:path" | "note:link", "from") => Arg::Path(VaultPath::folder(text).unwrap()),
        (_, "ref") => {
            let (path, line) = text.rsplit_once(':').unwrap();
            Arg::Line {
                path: VaultPath::file(path).unwrap(),
                line: line.parse().unwrap(),
            }
        }
        (
            _,
            "afterLine" | "budget" | "depth" | "limit" | "line" | "min" | "offset" | "size"
            | "snippet",
        ) => Arg::Integer(text.parse().unwrap()),
        (_, "changes" | "edits" | "notes" | "paths") | ("notes:list", "properties") => {
            Arg::List(serde_json::from_str(text).unwrap())
        }
        _ => text.into(),
    }
}

/// Returns the arguments of a command, from parameters and flags.
pub fn given(command: &str, params: &[(&str, &str)], flags: &[&str]) -> Args {
    let params = params.iter().map(|(name, text)| format!("{name}={text}"));
    arguments(command, params.chain(flags.iter().map(ToString::to_string)))
}

/// Returns a command and its arguments; in values `_` means a blank.
///
/// # Panics
///
/// If the line is empty.
pub fn parsed(line: &str) -> (String, Args) {
    let mut words = line.split(' ');
    let command = words.next().unwrap().to_owned();
    let words = words.map(|word| match word.split_once('=') {
        Some((name, text)) => format!("{name}={}", text.replace('_', " ")),
        None => word.to_owned(),
    });
    let arguments = arguments(&command, words);
    (command, arguments)
}

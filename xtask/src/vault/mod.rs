//! `cargo xtask vault`: a made-up vault of any size, the same bytes for the same seed.

mod links;
mod names;
mod others;
mod plan;
mod properties;
mod text;

use std::path::Path;

use rayon::prelude::*;

use self::plan::{Flaw, Plan};
use crate::Fault;
use crate::files::{self, below, copy};
use crate::targets::repository;
use crate::words::Words;

pub(crate) use self::names::{COMMON_WORD, PHRASE, RARE_WORD};
pub(crate) use self::plan::HUB;

/// Notes of a vault for which no number is given.
const DEFAULT_NOTES: usize = 1_000;
/// The seed where none is given.
pub(crate) const DEFAULT_SEED: u64 = 1;

/// What a vault that was written holds.
pub(crate) struct Written {
    pub(crate) notes: usize,
    /// All files that are not hidden.
    pub(crate) files: usize,
    /// Bytes of the notes.
    pub(crate) bytes: u64,
}

/// Writes the vault that the words ask for.
pub(crate) fn run(words: &[&str]) -> Result<String, Fault> {
    let words = Words::read(words, &["--notes", "--seed"])?;
    let [folder] = words.rest[..] else {
        return Err("name one folder for the vault".into());
    };
    let notes = words.number("--notes", DEFAULT_NOTES)?;
    let seed = words.number("--seed", DEFAULT_SEED)?;
    let written = write(Path::new(folder), notes, seed)?;
    Ok(format!(
        "{} notes with {} bytes, {} files in all, in {folder}",
        written.notes, written.bytes, written.files
    ))
}

/// Writes a vault of that many notes into a folder that is new or empty.
pub(crate) fn write(folder: &Path, notes: usize, seed: u64) -> Result<Written, Fault> {
    if notes == 0 {
        return Err("a vault has one note at least".into());
    }
    fs_err::create_dir_all(folder)?;
    if fs_err::read_dir(folder)?.next().is_some() {
        return Err(format!("{} is not empty", folder.display()).into());
    }
    let plan = Plan::new(notes, seed);
    for inside in plan.folders() {
        fs_err::create_dir_all(folder.join(inside))?;
    }
    let bytes = (0..notes)
        .into_par_iter()
        .map(|index| {
            let bytes = bytes_of_note(&plan, index);
            fs_err::write(folder.join(&plan.notes[index].path), &bytes)?;
            Ok::<_, Fault>(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
        })
        .try_reduce(|| 0, |sum, size| Ok(sum + size))?;
    write_others(&plan, folder)?;
    Ok(Written {
        notes,
        files: notes + plan.attachments.len() + plan.canvases.len() + plan.bases.len(),
        bytes,
    })
}

fn write_others(plan: &Plan, folder: &Path) -> Result<(), Fault> {
    for path in &plan.attachments {
        fs_err::write(folder.join(path), others::PNG)?;
    }
    for (index, path) in plan.canvases.iter().enumerate() {
        fs_err::write(folder.join(path), others::canvas(plan, index))?;
    }
    for (index, path) in plan.bases.iter().enumerate() {
        fs_err::write(folder.join(path), others::base(plan, index))?;
    }
    let hidden = repository().join(others::HIDDEN);
    for path in below(&hidden, true)? {
        copy(&hidden.join(&path), &folder.join(path))?;
    }
    for (path, value) in others::settings(plan) {
        files::write(&folder.join(path), format!("{value:#}\n"))?;
    }
    Ok(())
}

/// A note's bytes, with its fault.
fn bytes_of_note(plan: &Plan, index: usize) -> Vec<u8> {
    let text = text::of_note(plan, index);
    match plan.notes[index].fault {
        None => text.into_bytes(),
        Some(Flaw::BadYaml) => format!("---\ntags: [a, \"b\nkey: : x\n---\n{text}").into_bytes(),
        Some(Flaw::UnclosedFence) => format!("{text}\n```\n[[not a link]] #no\n").into_bytes(),
        Some(Flaw::NotUtf8) => [text.as_bytes(), b"\xff caf\xe9 \xe2\x82 [[caf\xe9]]\n"].concat(),
        Some(Flaw::CarriageReturns) => text.replace('\n', "\r\n").into_bytes(),
        Some(Flaw::ByteOrderMark) => format!("\u{feff}{text}").into_bytes(),
        Some(Flaw::NoFinalNewline) => text.trim_end().as_bytes().to_vec(),
        Some(Flaw::Empty) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let read = |path: std::path::PathBuf| {
            let bytes = fs_err::read(folder.join(&path)).unwrap();
            (path.to_str().unwrap().to_owned(), bytes)
        };
        below(folder, true).unwrap().into_iter().map(read).collect()
    }

    fn vault(notes: usize, seed: u64) -> BTreeMap<String, Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let written = write(folder.path(), notes, seed).unwrap();
        let files = files(folder.path());
        let visible = files.keys().filter(|path| !path.starts_with('.')).count();
        assert_eq!(written.files, visible);
        files
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
        let first = vault(120, 4);
        assert_eq!(first, vault(120, 4));
        assert_ne!(first, vault(120, 5));
    }

    #[test]
    fn a_vault_has_files_of_every_kind() {
        let files = vault(120, 4);
        let with = |extension: &str| {
            files
                .keys()
                .filter(|path| path.ends_with(extension))
                .count()
        };
        assert_eq!(with(".md"), 120 + 1, "the notes, and one in the trash");
        for extension in [".png", ".canvas", ".base", ".json", ".css"] {
            assert!(with(extension) > 0, "{extension}");
        }
        assert!(files.contains_key("Daily/2025/12/2025-12-31.md"));
        for (path, bytes) in &files {
            let extension = Path::new(path).extension().and_then(|name| name.to_str());
            if matches!(extension, Some("json" | "canvas")) {
                let parsed: Result<serde_json::Value, _> = serde_json::from_slice(bytes);
                assert!(parsed.is_ok(), "{path}");
            }
        }
    }

    #[test]
    fn malformed_notes_are_as_bad_as_they_should_be() {
        let files = vault(120, 4);
        let notes: Vec<&[u8]> = files.values().map(Vec::as_slice).collect();
        assert!(notes.iter().any(|note| note.starts_with(b"\xef\xbb\xbf")));
        assert!(notes.iter().any(|note| note.is_empty()));
        assert!(
            notes
                .iter()
                .any(|note| note.starts_with(b"---\ntags: [a, \"b\n"))
        );
        assert!(
            notes
                .iter()
                .any(|note| note.windows(4).any(|part| part == b"caf\xe9"))
        );
        assert!(
            notes
                .iter()
                .any(|note| note.ends_with(b"[[not a link]] #no\n"))
        );
        assert!(
            notes
                .iter()
                .any(|note| note.windows(2).any(|part| part == b"\r\n") && note.len() > 100)
        );
    }

    #[test]
    fn a_folder_with_files_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("mine.md"), "mine").unwrap();
        assert!(write(folder.path(), 3, 1).is_err());
        assert_eq!(files(folder.path()).len(), 1);
        assert!(run(&["--notes", "0", "/nowhere"]).is_err());
        assert!(run(&["--notes", "3"]).is_err());
    }
}

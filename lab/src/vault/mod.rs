//! `cargo lab vault`: a made-up vault of any size, the same bytes for the same seed.

mod grammar;
mod note;
mod others;
mod plan;

use std::path::Path;

use chores::{Fault, copy_folder, ensure, repository};
use rayon::prelude::*;

use self::plan::Plan;

pub(crate) use self::plan::HUB;

/// A word that very few notes contain.
pub(crate) const RARE_WORD: &str = "zephyrine";
/// A word that most notes contain.
pub(crate) const COMMON_WORD: &str = "harbour";
/// Two words that some notes contain next to each other.
pub(crate) const PHRASE: &str = "weekly review";
/// The default seed.
pub(crate) const DEFAULT_SEED: u64 = 1;

/// The faults of malformed notes.
const FLAWS: [fn(&str) -> Vec<u8>; 7] = [
    // Frontmatter that is not YAML.
    |text| format!("---\ntags: [a, \"b\nkey: : x\n---\n{text}").into_bytes(),
    // A code block that never ends.
    |text| format!("{text}\n```\n[[not a link]] #no\n").into_bytes(),
    // Bytes that are not UTF-8.
    |text| [text.as_bytes(), b"\xff caf\xe9 \xe2\x82 [[caf\xe9]]\n"].concat(),
    |text| text.replace('\n', "\r\n").into_bytes(),
    // A byte order mark.
    |text| format!("\u{feff}{text}").into_bytes(),
    |text| text.trim_end().into(),
    |_| Vec::new(),
];

/// Writes a vault, and describes its contents.
pub(crate) fn run(folder: &Path, notes: usize, seed: u64) -> Result<String, Fault> {
    let (files, bytes) = write(folder, notes, seed)?;
    let shown = folder.display();
    Ok(format!(
        "{notes} notes with {bytes} bytes, {files} files in all, in {shown}"
    ))
}

/// Writes a vault of that many notes into a folder that is new or empty. Counts its files that are not hidden, and the
/// bytes of the notes.
pub(crate) fn write(folder: &Path, notes: usize, seed: u64) -> Result<(usize, usize), Fault> {
    ensure(notes > 0, "a vault has one note at least")?;
    fs_err::create_dir_all(folder)?;
    let is_empty = fs_err::read_dir(folder)?.next().is_none();
    ensure(is_empty, &format!("{} is not empty", folder.display()))?;
    let plan = Plan::new(notes, seed);
    for inside in plan.folders() {
        fs_err::create_dir_all(folder.join(inside))?;
    }
    let bytes = (0..notes)
        .into_par_iter()
        .map(|index| {
            let bytes = bytes_of_note(&plan, index);
            fs_err::write(folder.join(&plan.notes[index].path), &bytes)?;
            Ok::<_, Fault>(bytes.len())
        })
        .try_reduce(|| 0, |sum, size| Ok(sum + size))?;
    write_others(&plan, folder)?;
    Ok((
        notes + plan.others.iter().map(Vec::len).sum::<usize>(),
        bytes,
    ))
}

fn write_others(plan: &Plan, folder: &Path) -> Result<(), Fault> {
    for (paths, bytes) in plan
        .others
        .iter()
        .zip([others::picture, others::canvas, others::base])
    {
        for (index, path) in paths.iter().enumerate() {
            fs_err::write(folder.join(path), bytes(plan, index))?;
        }
    }
    copy_folder(&repository().join(others::HIDDEN), folder)?;
    for (path, value) in others::settings(plan) {
        chores::write(&folder.join(path), format!("{value:#}\n"))?;
    }
    Ok(())
}

/// A note's bytes, with its fault.
fn bytes_of_note(plan: &Plan, index: usize) -> Vec<u8> {
    let text = note::of_note(plan, index);
    match plan.notes[index].fault {
        None => text.into_bytes(),
        Some(fault) => FLAWS[fault](&text),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use chores::below;

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
        let (count, _) = write(folder.path(), notes, seed).unwrap();
        let files = files(folder.path());
        let visible = files.keys().filter(|path| !path.starts_with('.')).count();
        assert_eq!(count, visible);
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
        assert!(run(Path::new("/nowhere"), 0, 1).is_err());
    }
}

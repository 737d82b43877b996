//! Copies that programs for synchronisation leave when two devices have changed one file, and the marks that Git leaves
//! in a text (`vault-semantics.md` §12).

use std::collections::HashSet;
use std::str;

/// The lines that Git writes around the two sides of a conflict: `git merge`, "How conflicts are presented".
const MARKS: [&str; 3] = ["<<<<<<< ", "=======", ">>>>>>> "];

/// The file that a conflict copy belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Original {
    /// Its name with the extension.
    pub(super) name: String,
    /// Whether the name alone does not prove that the file is a copy: `Part 2.md` may be a note of its own.
    pub(super) is_uncertain: bool,
}

/// Returns the file of which a file with this name is a conflict copy; `None` if the name is not that of a copy.
pub(super) fn original_of(name: &str) -> Option<Original> {
    let (stem, extension) = name.rsplit_once('.')?;
    let certain = of_syncthing(stem).or_else(|| in_brackets(stem));
    let (stem, is_uncertain) = match certain {
        Some(stem) => (stem, false),
        None => (numbered(stem)?, true),
    };
    (!stem.is_empty()).then(|| Original {
        name: format!("{stem}.{extension}"),
        is_uncertain,
    })
}

/// Syncthing: `note.sync-conflict-20260102-030405-ABCDEFG`, with the date, the time and the device.
fn of_syncthing(stem: &str) -> Option<&str> {
    let (original, mark) = stem.rsplit_once(".sync-conflict-")?;
    let mut parts = mark.split('-');
    let are_digits = |part: Option<&str>, length: usize| {
        part.is_some_and(|part| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_mark = are_digits(parts.next(), 8) && are_digits(parts.next(), 6);
    is_mark.then_some(original)
}

/// Obsidian Sync: `note (Conflicted copy Phone 202601020304)`. Dropbox: `note (Ann's conflicted copy 2026-01-02)`, and
/// ` (1)` after it if there is one already.
fn in_brackets(stem: &str) -> Option<&str> {
    let without_number = stem.strip_suffix(')').and_then(|rest| {
        let (rest, number) = rest.rsplit_once(" (")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(rest)
    });
    let stem = without_number.unwrap_or(stem);
    let (original, inner) = stem.strip_suffix(')')?.rsplit_once(" (")?;
    let inner = inner.to_lowercase();
    let words = inner.split_whitespace().collect::<Vec<_>>();
    let is_mark = words.windows(2).any(|pair| pair == ["conflicted", "copy"]);
    is_mark.then_some(original)
}

/// iCloud Drive: `note 2`.
fn numbered(stem: &str) -> Option<&str> {
    let (original, number) = stem.rsplit_once(' ')?;
    let number: u32 = number.parse().ok().filter(|_| !number.starts_with('0'))?;
    (2..=9).contains(&number).then_some(original)
}

/// Whether two texts are versions of one note: the same, or with most lines of the shorter one in both.
pub(super) fn are_versions(one: &[u8], other: &[u8]) -> bool {
    if one == other {
        return !one.is_empty();
    }
    let lines = |bytes: &[u8]| -> HashSet<Vec<u8>> {
        let lines = bytes.split(|byte| *byte == b'\n');
        lines
            .map(|line| line.trim_ascii().to_vec())
            .filter(|line| line.len() > 3)
            .collect()
    };
    let (one, other) = (lines(one), lines(other));
    let common = one.intersection(&other).count();
    common >= 2 && common * 2 > one.len().min(other.len())
}

/// Returns the line, from 1, of the first conflict that Git has marked in a text.
pub(super) fn marked_line(bytes: &[u8]) -> Option<usize> {
    // Most notes do not have the first mark anywhere.
    memchr::memmem::find(bytes, MARKS[0].as_bytes())?;
    let text = str::from_utf8(bytes).ok()?;
    let mut begun = None;
    let mut is_divided = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with(MARKS[0]) {
            (begun, is_divided) = (Some(index + 1), false);
        } else if line == MARKS[1] {
            is_divided = begun.is_some();
        } else if is_divided && line.starts_with(MARKS[2]) {
            return begun;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("conflict_cases.txt");

    #[test]
    fn names_of_copies() {
        for [name, original] in tables::section(CASES, "names of copies, 2") {
            let found = original_of(name).map(|found| (found.name, found.is_uncertain));
            assert_eq!(found, Some((original.to_owned(), false)), "{name}");
        }
        let numbered = original_of("a 2.md").unwrap();
        assert_eq!(
            (numbered.name.as_str(), numbered.is_uncertain),
            ("a.md", true)
        );
        for name in tables::lines(CASES, "names of copies") {
            assert_eq!(original_of(name), None, "{name}");
        }
    }

    #[test]
    fn versions_have_most_lines_in_common() {
        let note = "# Boat\nPaint it\nBuy rope\n";
        for (other, expected) in [
            (note, true),
            ("# Boat\nPaint it\nBuy varnish\n", true),
            ("# Boat\nSell it\n", false),
            ("", false),
        ] {
            assert_eq!(
                are_versions(note.as_bytes(), other.as_bytes()),
                expected,
                "{other}"
            );
        }
        assert!(!are_versions(b"", b""));
    }

    #[test]
    fn marks_of_git_are_found_in_their_order() {
        for (text, line) in
            tables::typed::<(&str, Option<usize>)>(CASES, "marks of git are found in their order")
        {
            assert_eq!(marked_line(text.as_bytes()), line, "{text:?}");
        }
    }
}

#![doc = include_str!("../README.md")]

mod hunks;
mod words;

use std::collections::HashMap;
use std::convert::Infallible;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::{DiffOp, group_diff_ops};

pub use self::hunks::{
    Conflict, Hunk, Merge, ShownHunk, apply, hunks, merge, numbered_diff, shown_hunks,
};
pub use self::words::{ChangedWords, changed_words};

/// The number of unchanged lines shown before and after each change.
const CONTEXT_LINES: usize = 3;
/// The maximum time for the search for the shortest diff. When it is over, the rest of the diff is
/// longer than necessary, but correct.
const PATIENCE: Duration = Duration::from_millis(200);

/// The difference between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineDiff {
    /// The number of lines that are added.
    pub added: usize,
    /// The number of lines that are removed.
    pub removed: usize,
    /// The hunks of the unified diff, without the two lines that name the files.
    hunks: String,
}

impl LineDiff {
    /// Compares two texts. The search for a short diff takes at most `time`, and never over 200 ms.
    pub fn within(time: Duration, before: &str, after: &str) -> Self {
        let sides = DiffSides::new(before, after);
        let changes = changes(&sides, PATIENCE.min(time));
        let count = |length: fn(&DiffOp) -> usize| {
            let changes = changes.iter().filter(|change| is_change(change));
            changes.map(length).sum()
        };
        Self {
            removed: count(|change| change.old_range().len()),
            added: count(|change| change.new_range().len()),
            hunks: group_diff_ops(changes, CONTEXT_LINES)
                .iter()
                .map(|hunk| sides.hunk(hunk))
                .collect(),
        }
    }

    /// The unified diff, with these names for the two texts. Empty if the texts are equal.
    ///
    /// The names are not escaped: a line break in a name would add a line to the diff.
    pub fn unified(&self, before: &str, after: &str) -> String {
        if self.hunks.is_empty() {
            return String::new();
        }
        format!("--- {before}\n+++ {after}\n{}", self.hunks)
    }
}

/// The lines of both texts, each with its line feed.
struct DiffSides<'text> {
    before: Vec<&'text str>,
    after: Vec<&'text str>,
}

impl<'text> DiffSides<'text> {
    fn new(before: &'text str, after: &'text str) -> Self {
        Self {
            before: lines_of(before),
            after: lines_of(after),
        }
    }

    /// Writes a hunk: changes that are close together, and the lines around them.
    fn hunk(&self, parts: &[DiffOp]) -> String {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return String::new();
        };
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        let mut hunk = format!("@@ -{} +{} @@\n", span(&before), span(&after));
        for part in parts {
            if is_change(part) {
                write_lines(&mut hunk, '-', &self.before, part.old_range());
                write_lines(&mut hunk, '+', &self.after, part.new_range());
            } else {
                write_lines(&mut hunk, ' ', &self.before, part.old_range());
            }
        }
        hunk
    }
}

fn lines_of(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The equal, removed, added and replaced ranges of lines, in order. The search takes at most `time`;
/// the texts are read before.
///
/// The functions of `similar` are generic, and compiled again for each type of slice and each algorithm. So this uses
/// slices of numbers only, and one algorithm.
fn changes(sides: &DiffSides<'_>, time: Duration) -> Vec<DiffOp> {
    let mut numbers = HashMap::new();
    let before = numbered(&mut numbers, &sides.before);
    let after = numbered(&mut numbers, &sides.after);
    let (before, after) = (before.as_slice(), after.as_slice());
    // `Replace` joins a removal and the insertion after it; `Compact` shifts and merges changes.
    let mut found = Compact::new(Replace::new(Capture::new()), before, after);
    let searched: Result<(), Infallible> = myers::diff_deadline(
        &mut found,
        before,
        0..before.len(),
        after,
        0..after.len(),
        Instant::now().checked_add(time),
    );
    match searched {
        Ok(()) => found.into_inner().into_inner().into_ops(),
    }
}

/// Numbers the lines; equal lines get the same number.
fn numbered<'text>(numbers: &mut HashMap<&'text str, usize>, lines: &[&'text str]) -> Vec<usize> {
    let number = |line: &&'text str| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    lines.iter().map(number).collect()
}

fn is_change(part: &DiffOp) -> bool {
    !matches!(part, DiffOp::Equal { .. })
}

fn write_lines(hunk: &mut String, sign: char, lines: &[&str], range: Range<usize>) {
    for line in lines.get(range).unwrap_or_default() {
        hunk.push(sign);
        hunk.push_str(line);
        if !line.ends_with('\n') {
            // Without this mark of `diff`, `patch` would add a line feed.
            hunk.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// A range of lines as in the header of a hunk: the number of the first line, from 1, and the number of lines if it is
/// not 1. For an empty range, the number belongs to the line before it.
fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => (lines.start + 1).to_string(),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unified(before: &str, after: &str) -> String {
        LineDiff::within(PATIENCE, before, after).unified("a", "b")
    }

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(
            unified("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            "--- a\n+++ b\n@@ -6,3 +6,4 @@\n 6\n 7\n 8\n+9\n"
        );
        assert_eq!(unified("1\n", "1\n"), "");
    }

    #[test]
    fn changed_lines_are_counted_and_context_is_not() {
        let diff = LineDiff::within(PATIENCE, "1\n2\n3\n", "1\ntwo\n3\n4\n");
        assert_eq!((diff.removed, diff.added), (1, 2));
    }

    #[test]
    fn line_endings_and_a_missing_one_are_shown() {
        assert_eq!(
            unified("a\r\nb", "a\r\nb\nc"),
            "--- a\n+++ b\n@@ -1,2 +1,3 @@\n a\r\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_lone_carriage_return_ends_no_line() {
        assert_eq!(
            unified("a\rb\nc\r", "a\rb\nd\r"),
            "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\rb\n-c\r\n\\ No newline at end of file\n+d\r\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn an_empty_side_is_named_by_the_line_above() {
        assert_eq!(unified("", "1\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+1\n");
        assert_eq!(
            unified("1\n2\n", ""),
            "--- a\n+++ b\n@@ -1,2 +0,0 @@\n-1\n-2\n"
        );
    }

    #[test]
    fn changes_share_a_hunk_where_their_context_touches() {
        let numbered = |changed: &[u32]| -> String {
            let end = |line| {
                if changed.contains(&line) {
                    " changed"
                } else {
                    ""
                }
            };
            let line = |line| format!("{line}{}\n", end(line));
            (1..=20).map(line).collect()
        };
        let hunks = |changed: &[u32]| {
            let diff = unified(&numbered(&[]), &numbered(changed));
            diff.matches("@@ -").count()
        };
        assert_eq!(hunks(&[5, 12]), 1);
        assert_eq!(hunks(&[5, 13]), 2);
    }

    #[test]
    fn without_time_the_diff_is_still_right() {
        let text = |lines: &mut dyn Iterator<Item = u32>| -> String {
            lines.map(|line| format!("{line}\n")).collect()
        };
        let (before, after) = (text(&mut (0..2000)), text(&mut (0..2000).rev()));
        let diff = LineDiff::within(Duration::ZERO, &before, &after);
        assert_eq!(apply(&before, &diff.hunks), after);
    }

    proptest! {
        /// Applying the diff to the first text gives the second, and the counts are those of the
        /// diff's lines.
        #[test]
        fn a_diff_leads_from_one_text_to_the_other(
            before in "([ab]?(\r|\r\n|\n)){0,12}[ab]?",
            after in "([ab]?(\r|\r\n|\n)){0,12}[ab]?",
        ) {
            let diff = LineDiff::within(PATIENCE, &before, &after);
            prop_assert_eq!(apply(&before, &diff.hunks), after.clone());
            let starting = |sign| {
                let lines = diff.hunks.split_inclusive('\n');
                lines.filter(|line| line.starts_with(sign)).count()
            };
            prop_assert_eq!((starting('-'), starting('+')), (diff.removed, diff.added));
            prop_assert_eq!(before == after, diff.unified("a", "b").is_empty());
        }
    }

    /// Applies hunks as `patch` does, without fuzz.
    pub(crate) fn apply(before: &str, hunks: &str) -> String {
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let (mut text, mut next) = (String::new(), 0);
        for line in hunks.split_inclusive('\n') {
            let (sign, rest) = line.split_at(1);
            match sign {
                "@" => {
                    let (start, count) = rest
                        .strip_prefix("@ -")
                        .and_then(|rest| rest.split_once(" +"))
                        .map(|(old, _)| old.split_once(',').unwrap_or((old, "1")))
                        .unwrap();
                    let start: usize = start.parse().unwrap();
                    let start = if count == "0" { start } else { start - 1 };
                    text.extend(old[next..start].iter().copied());
                    next = start;
                }
                "\\" => assert_eq!(text.pop(), Some('\n')),
                "+" => text += rest,
                " " => {
                    text += rest;
                    next += 1;
                }
                "-" => next += 1,
                other => unreachable!("{other:?}"),
            }
            // A removed line is not in `text`. This is the line feed that the mark after it will
            // remove.
            if sign == "-" && !old[next - 1].ends_with('\n') {
                text.push('\n');
            }
        }
        text.extend(old[next..].iter().copied());
        text
    }
}

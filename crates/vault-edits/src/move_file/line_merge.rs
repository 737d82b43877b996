//! Two notes as one, line by line (`note:merge position=lines`): for the copy of a note that a sync program made.
//!
//! The notes have no common version, so no line is known to be old: lines that both have occur once, and where they
//! differ, the lines of the target are followed by those of the other note.

use std::time::Duration;

use line_diff::{Hunk, hunks};
use obsidian_note::{Patch, Sheet};

/// The longest text that is merged line by line, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The differences between the text of a note and a text that is merged into it.
pub(super) struct LineMerge {
    hunks: Vec<Hunk>,
}

impl LineMerge {
    /// Compares the text below the properties of `target` with `text`, without line ends.
    pub(super) fn new(target: &Sheet<'_>, text: &str) -> Self {
        let lines = (target.first_body_line()..target.line_count()).map(|line| target.line(line));
        let own: String = lines.map(|line| format!("{line}\n")).collect();
        let other: String = text.lines().map(|line| format!("{line}\n")).collect();
        Self {
            hunks: hunks(&own, &other, Duration::MAX),
        }
    }

    /// Returns the note with the lines of `text` that it lacks. Both may have other links and properties than those that
    /// were compared, but no other lines.
    pub(super) fn merged(&self, note: &[u8], text: &str) -> Vec<u8> {
        let sheet = Sheet::new(note);
        let first = sheet.first_body_line();
        let lines: Vec<&str> = text.lines().collect();
        let added = self.hunks.iter().filter(|hunk| !hunk.after.is_empty());
        let patches = added.filter_map(|hunk| {
            let lines = lines.get(hunk.after.clone())?;
            Some(sheet.inserted(first + hunk.before.end, &lines.join(sheet.line_end())))
        });
        sheet.with(note, &patches.collect::<Vec<Patch>>())
    }

    /// Returns the line of the merged text with this line of the target; both counted from the first line of the text.
    pub(super) fn line_of_target(&self, line: usize) -> usize {
        let above = self.hunks.iter().take_while(|hunk| hunk.before.end <= line);
        line + above.map(|hunk| hunk.after.len()).sum::<usize>()
    }

    /// Returns the line of the merged text with this line of the other text.
    pub(super) fn line_of_text(&self, line: usize) -> usize {
        let next = self.hunks.partition_point(|hunk| hunk.after.end <= line);
        let (above, below) = self.hunks.split_at(next);
        let inserted: usize = above.iter().map(|hunk| hunk.after.len()).sum();
        match below.first() {
            Some(hunk) if hunk.after.contains(&line) => {
                hunk.before.end + inserted + (line - hunk.after.start)
            }
            _ => {
                let last = above.last();
                let (own, other) = last.map_or((0, 0), |hunk| (hunk.before.end, hunk.after.end));
                self.line_of_target(own + (line - other))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_line_of_both_is_in_the_merged_text_at_its_place(
            own in prop::collection::vec("[abc]{0,2}", 0..9),
            other in prop::collection::vec("[abc]{0,2}", 0..9),
            end in prop::sample::select(vec!["\n", "\r\n"]),
            is_open in any::<bool>(),
        ) {
            let mut note = own.iter().map(|line| format!("{line}{end}")).collect::<String>();
            if is_open {
                note.truncate(note.trim_end_matches(['\r', '\n']).len());
            }
            let text = other.join("\n");
            let sheet = Sheet::new(note.as_bytes());
            let merge = LineMerge::new(&sheet, &text);
            let merged = merge.merged(note.as_bytes(), &text);
            let merged = Sheet::new(&merged);
            for line in 0..sheet.line_count() {
                prop_assert_eq!(merged.line(merge.line_of_target(line)), sheet.line(line));
            }
            for (line, wanted) in text.lines().enumerate() {
                prop_assert_eq!(merged.line(merge.line_of_text(line)), wanted);
            }
            prop_assert!(merged.line_count() <= sheet.line_count() + text.lines().count());
        }
    }
}

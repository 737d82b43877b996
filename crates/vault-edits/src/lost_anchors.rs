//! Links to headings and blocks that an edit removes from their note.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::note_parts::heading::link_key;
use obsidian_note::scan::NoteFacts;
use obsidian_note::{Anchors, VaultPath, Warning};
use rayon::prelude::*;
use vault_files::EngineError;
use vault_index::anchors::{by_note, facts_of};
use vault_index::{AnchorLinks, IndexedVault};

use super::change::Change;
use crate::Editor;

/// The maximum number of places of one note that a warning names.
const MOST_NAMED: usize = 5;
/// The bytes with which headings, block ids and what can hide them are written. An edit of lines without any of them,
/// and of lines that begin with neither a digit nor a blank, removes neither.
const MARKS: &[u8] = b"#^=-*+>`~%<$";

/// The headings and blocks of a note before and after an edit.
struct Parts {
    before: NoteFacts,
    after: NoteFacts,
}

impl Editor<'_> {
    /// Returns a warning for each note that loses a heading or block to which links lead, also links in the note
    /// itself.
    pub(super) fn lost_anchors(&self, changes: &[Change]) -> Result<Vec<Warning>, EngineError> {
        let edited: BTreeMap<&VaultPath, Parts> = changes
            .par_iter()
            .filter_map(|change| match change {
                Change::Modify {
                    path,
                    before,
                    after,
                } if path.is_note() => Some((path, changed_parts(before, after)?)),
                _ => None,
            })
            .collect();
        if edited.is_empty() {
            return Ok(Vec::new());
        }
        let after = self.after(changes);
        let indexed = IndexedVault(&after).column::<AnchorLinks>()?;
        let files = &indexed.files;
        let is_edited = |path: &VaultPath| edited.contains_key(path);
        let mut warnings = Vec::new();
        for (note, links) in by_note(&indexed.column, files, |_| true, is_edited) {
            let Some((path, parts)) = files
                .get(note)
                .and_then(|path| Some((path, edited.get(path)?)))
            else {
                continue;
            };
            let (before, after) = (Anchors::new(&parts.before), Anchors::new(&parts.after));
            let (mut places, mut sources, mut count) = (BTreeSet::new(), BTreeSet::new(), 0);
            for found in links {
                let subpath = found.link.subpath.as_str();
                if before.find(subpath).is_some() && after.find(subpath).is_none() {
                    places.insert(subpath.trim_start_matches('#').to_owned());
                    sources.insert(found.source);
                    count += usize::try_from(found.link.count).unwrap_or(usize::MAX);
                }
            }
            if count > 0 {
                warnings.push(Warning::AnchorsLost {
                    path: path.clone(),
                    places: places.into_iter().take(MOST_NAMED).collect(),
                    links: count,
                    files: sources.len(),
                });
            }
        }
        Ok(warnings)
    }
}

/// Returns the headings and blocks of a note before and after; `None` if links find all of them as before.
fn changed_parts(before: &[u8], after: &[u8]) -> Option<Parts> {
    if !may_lose(before, after) {
        return None;
    }
    let parts = Parts {
        before: facts_of(before),
        after: facts_of(after),
    };
    let headings = |facts: &NoteFacts| -> Vec<(u8, String)> {
        let headings = facts.headings.iter();
        headings
            .map(|heading| (heading.level, link_key(&heading.text)))
            .collect()
    };
    let ids = |facts: &NoteFacts| -> BTreeSet<String> {
        let blocks = facts.blocks.iter();
        blocks.map(|block| block.id.to_lowercase()).collect()
    };
    // New headings at the end take nothing from links; further up they may, from nested ones.
    let is_same = headings(&parts.after).starts_with(&headings(&parts.before))
        && ids(&parts.before).is_subset(&ids(&parts.after));
    (!is_same).then_some(parts)
}

/// Whether an edit may remove a heading or block: a quick check, which may wrongly say yes. The changed lines are
/// looked at, one line above, and the lines below up to a blank one, of which one may be an underline.
fn may_lose(before: &[u8], after: &[u8]) -> bool {
    let start = before
        .iter()
        .zip(after)
        .take_while(|(one, other)| one == other)
        .count();
    // Text below a blank line at the end changes nothing above it.
    if start == before.len() && (before.ends_with(b"\n\n") || before.ends_with(b"\r\n\r\n")) {
        return false;
    }
    let (rest, new_rest) = (&before[start..], &after[start..]);
    let same_end = rest
        .iter()
        .rev()
        .zip(new_rest.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    let has_marks = |text: &[u8]| {
        let end = text.len() - same_end;
        let above = memchr::memrchr_iter(b'\n', &text[..start]).nth(1);
        let below =
            memchr::memchr(b'\n', &text[end..]).and_then(|at| blank_line(text, end + at + 1));
        let from = above.map_or(0, |at| at + 1);
        let to = below.unwrap_or(text.len());
        let lines = text[from..to].split(|byte| *byte == b'\n');
        lines.into_iter().any(|line| {
            let begins_list = line
                .first()
                .is_some_and(|first| first.is_ascii_digit() || matches!(first, b' ' | b'\t'));
            begins_list || line.iter().any(|byte| MARKS.contains(byte))
        })
    };
    has_marks(before) || has_marks(after)
}

/// Returns the place of the first blank line from this line on.
fn blank_line(text: &[u8], mut line: usize) -> Option<usize> {
    for one in text[line..].split_inclusive(|byte| *byte == b'\n') {
        if one.trim_ascii().is_empty() {
            return Some(line);
        }
        line += one.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vault_files::vault::testing::{vault, without_sight_of};

    use super::*;
    use crate::testing::plan;

    const CASES: &str = include_str!("lost_anchors_cases.txt");

    const FILES: &[(&str, &str)] = &[
        (
            "n.md",
            "# Plan\n\n[[#Aims]]\n\n## Aims\n\ntext ^b1\n\n## Steps\n\n- one\n",
        ),
        ("a.md", "[[n#Aims]] [[n#aims|x]] ![[n#^B1]] [[n#Steps]]"),
        ("hidden/b.md", "[x](../n.md#Plan#Aims)"),
    ];

    #[test]
    fn an_edit_that_removes_a_linked_heading_or_block_is_warned_of() {
        let (_folder, all) = vault(FILES);
        let shown = |vault: &vault_files::Vault, edits: &str| -> Vec<String> {
            let params = [("path", "n.md"), ("edits", edits)];
            let edit = plan(vault, "note:edit", &params, &[]);
            edit.warnings.iter().map(ToString::to_string).collect()
        };
        for [edits, expected] in tables::section(CASES, "an edit that removes a linked heading") {
            assert_eq!(shown(&all, edits).concat(), expected, "{edits}");
        }
        let seen = without_sight_of(&all, "hidden");
        assert_eq!(
            shown(&seen, r###"[{"old":"## Aims","new":"## Goals"}]"###),
            [
                "`n.md` no longer has the heading `Aims`, heading `aims`. 3 links in 2 files still lead there"
            ]
        );
    }

    proptest! {
        #[test]
        fn the_quick_check_misses_nothing(
            before in prop::collection::vec("[a1.#^`= \n-]{0,4}|  # b\n|\n# a\n|\nb \\^c\n|\n```\n|\na\n===\n", 0..8),
            at in 0_usize..8,
            new in "[a1.#^`= \n]{0,5}",
        ) {
            let mut after = before.clone();
            if let Some(part) = after.get_mut(at) {
                *part = new;
            } else {
                after.push(new);
            }
            let (before, after) = (before.concat(), after.concat());
            let names = |text: &str| -> Vec<(u8, String)> {
                let headings = facts_of(text.as_bytes()).headings.into_iter();
                headings.map(|heading| (heading.level, heading.text)).collect()
            };
            let ids = |text: &str| -> Vec<String> {
                let blocks = facts_of(text.as_bytes()).blocks.into_iter();
                blocks.map(|block| block.id).collect()
            };
            let is_beginning = names(&after).starts_with(&names(&before))
                && ids(&after).starts_with(&ids(&before));
            if !may_lose(before.as_bytes(), after.as_bytes()) {
                prop_assert!(is_beginning, "{before:?} {after:?}");
            }
        }
    }
}

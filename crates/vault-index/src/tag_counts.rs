//! Counts the uses of tags in the whole vault.

use foldhash::{HashMap, HashMapExt as _};
use std::cmp::Reverse;

use super::tags::Tags;

/// One tag of the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagCount {
    /// The tag in the casing that is shown, with its `#`.
    pub tag: String,
    /// The number of occurrences, including nested tags.
    pub count: usize,
}

struct Uses {
    /// Occurrences of exactly this tag.
    own: usize,
    /// Occurrences including nested tags.
    rolled_up: usize,
    /// Its index among the spellings in the order of their first use.
    first: usize,
}

/// Counts occurrences in the files that `counts` lets through, also for all outer tags. Casings are
/// merged into one tag, shown in the casing with the most occurrences of its own
/// (`vault-semantics.md` §3.1); of ties, in the first one file by file.
pub fn tag_counts(tags: &Tags, counts: impl Fn(usize) -> bool) -> Vec<TagCount> {
    let mut spellings: HashMap<&str, Uses> = HashMap::new();
    for (tag, count) in tags.occurrences(counts) {
        for part in above(tag) {
            let first = spellings.len();
            let uses = spellings.entry(part).or_insert(Uses {
                own: 0,
                rolled_up: 0,
                first,
            });
            uses.rolled_up += count;
            if part == tag {
                uses.own += count;
            }
        }
    }
    let mut merged: HashMap<String, Vec<(&str, Uses)>> = HashMap::new();
    for (tag, uses) in spellings {
        merged
            .entry(tag.to_lowercase())
            .or_default()
            .push((tag, uses));
    }
    merged
        .into_values()
        .filter_map(|casings| {
            let count = casings.iter().map(|(_, uses)| uses.rolled_up).sum();
            let (tag, _) = casings
                .into_iter()
                .max_by_key(|(_, uses)| (uses.own, uses.rolled_up, Reverse(uses.first)))?;
            Some(TagCount {
                tag: tag.to_owned(),
                count,
            })
        })
        .collect()
}

/// The most outer tags that are counted. Real tags nest less deep, and without a limit a line of
/// slashes would take quadratic time.
const MOST_LEVELS: usize = 64;

/// Returns the tag and its outer tags: `#a`, `#a/b` and `#a/b/c` for `#a/b/c`.
fn above(tag: &str) -> impl Iterator<Item = &str> {
    tag.match_indices('/')
        .filter_map(|(at, _)| tag.get(..at))
        .filter(|part| part.len() > 1 && !part.ends_with('/'))
        .take(MOST_LEVELS)
        .chain([tag])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_slashes_is_not_counted_for_every_prefix() {
        let deep = format!("#{}z", "a/".repeat(1000));
        let parts: Vec<&str> = above(&deep).collect();
        assert_eq!(parts.len(), MOST_LEVELS + 1);
        assert_eq!(parts.last(), Some(&deep.as_str()));
    }
    use obsidian_note::NoteRecord;

    use crate::column::Column as _;

    fn counted(notes: &[&[&str]]) -> Vec<(String, usize)> {
        let records: Vec<NoteRecord> = notes
            .iter()
            .map(|tags| NoteRecord {
                tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
                ..NoteRecord::default()
            })
            .collect();
        let records: Vec<&NoteRecord> = records.iter().collect();
        let mut counts: Vec<(String, usize)> =
            tag_counts(&Tags::from_records(&[], &records), |id| id != 9)
                .into_iter()
                .map(|TagCount { tag, count }| (tag, count))
                .collect();
        counts.sort();
        counts
    }

    fn counts(pairs: &[(&str, usize)]) -> Vec<(String, usize)> {
        pairs
            .iter()
            .map(|&(tag, count)| (tag.to_owned(), count))
            .collect()
    }

    #[test]
    fn occurrences_count_for_every_tag_above() {
        assert_eq!(
            counted(&[&["#a/b/c", "#a/b/c", "#a"], &["#a/d"]]),
            counts(&[("#a", 4), ("#a/b", 2), ("#a/b/c", 2), ("#a/d", 1)])
        );
    }

    #[test]
    fn casings_are_one_tag_shown_as_the_most_used_one() {
        assert_eq!(
            counted(&[&["#Work", "#work/x", "#work/y"], &["#WORK/X", "#Work"]]),
            counts(&[("#Work", 5), ("#work/x", 2), ("#work/y", 1)])
        );
        assert_eq!(counted(&[&["#b", "#B"]]), counts(&[("#b", 2)]));
        assert_eq!(counted(&[&["#B"], &["#b"]]), counts(&[("#B", 2)]));
        assert_eq!(
            counted(&[&["#x/a"], &["#X/b"]]),
            counts(&[("#X/b", 1), ("#x", 2), ("#x/a", 1)])
        );
    }

    #[test]
    fn odd_slashes_make_no_empty_tags() {
        assert_eq!(
            counted(&[&["#a//b", "#/c"]]),
            counts(&[("#/c", 1), ("#a", 1), ("#a//b", 1)])
        );
    }

    #[test]
    fn files_that_do_not_count_are_left_out() {
        let mut notes: Vec<&[&str]> = vec![&[]; 9];
        notes.push(&["#hidden"]);
        assert_eq!(counted(&notes), []);
    }
}

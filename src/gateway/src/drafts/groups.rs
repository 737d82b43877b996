//! Groups of changes of a draft that belong together (`design/bonds.md`): text that a command moved from file to file, and the
//! links that follow a rename. They are accepted, rejected and withdrawn together.
//!
//! - A bond remembers the lines of the base that its command replaced in each file. Hunks at these lines belong to it.
//!   If the note changes in the vault in the meantime, or the lines cannot be found any more, all hunks of the file
//!   belong to the bond. So does a hunk with a line that another file of the bond loses, and every hunk if the bond
//!   would otherwise take out more lines than it puts in.
//! - It contains the headings and blocks that were moved or renamed, with the names of the files in the vault, so that
//!   links in files that are not in the draft follow at the acceptance, in the order of the commands.
//! - The group of a rename is the rename, and each hunk or new note with a link that leads to its file only after the
//!   rename (a file card of a canvas is a link). If a file of a bond is renamed, or its text has such a link, bond and
//!   rename are one group.
//! - Paths that differ only in case count as the same path, and what is made below a removed folder takes its path.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use vault_engine::{BondKind, Carried, VaultPath, shown};

use super::links::DraftLinks;
use super::parts::{self, DraftPart, WHOLE};
use super::review::{ChosenHunks, part_named};
use changes::Happening;
use protocol::{Code, Failure, first_of};
use store::drafts::Draft;

/// The maximum number of reasons that a sentence names.
const MOST_REASONS: usize = 3;

/// Changes that are decided together, because the text of one file or its links depend on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeGroup {
    /// The id: the new path of the first renamed file, or the path of the first file.
    pub id: String,
    /// The reasons why they belong together.
    pub because: Vec<GroupReason>,
    /// The files with their hunks.
    pub members: Vec<GroupMember>,
}

/// The hunks of one file that belong to a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupMember {
    /// The path of the file in the draft.
    pub note: String,
    /// The numbers of its hunks. 0 is the file as a whole: that it is new, removed or renamed.
    pub hunks: BTreeSet<usize>,
}

/// A reason why changes belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupReason {
    /// The relation between the changes.
    pub reason: BondKind,
    /// The file before; for a renamed heading or block the note, `#` and the old name.
    pub from: String,
    /// The file afterwards; for a renamed heading or block the note, `#` and the new name.
    pub to: String,
}

impl ChangeGroup {
    /// Returns the hunks of this file in the group; `None` if the file is not in the group.
    pub fn hunks_of(&self, note: &str) -> Option<&BTreeSet<usize>> {
        let mut members = self.members.iter();
        let member = members.find(|member| member.note == note);
        member.map(|member| &member.hunks)
    }

    /// Returns the reasons in words for people: the first three, and how many more.
    pub fn in_words(&self) -> String {
        let sentences = self.because.iter().map(GroupReason::in_words);
        first_of(sentences.take(MOST_REASONS), self.because.len())
    }
}

impl GroupReason {
    /// Returns the reason in words for people, with the paths escaped.
    pub fn in_words(&self) -> String {
        let (from, to) = (shown::row(&self.from), shown::row(&self.to));
        match self.reason {
            BondKind::Renamed | BondKind::HeadingRenamed => {
                format!("renamed {from} to {to}")
            }
            BondKind::Extracted => format!("extracted from {from} into {to}"),
            BondKind::Merged => format!("merged {from} into {to}"),
            BondKind::LinesMoved => format!("moved lines from {from} to {to}"),
            BondKind::PathTaken => format!("{to} takes the path that {from} leaves"),
        }
    }
}

impl From<&Carried> for GroupReason {
    fn from(carried: &Carried) -> Self {
        let reason = carried.kind();
        let [from, to] = carried.files().map(ToString::to_string);
        match carried.names() {
            Some([old, new]) => Self {
                reason,
                from: format!("{from}#{old}"),
                to: format!("{to}#{new}"),
            },
            None => Self { reason, from, to },
        }
    }
}

/// A hunk: the index of its part, and its number.
pub(super) type HunkOfPart = (usize, usize);

/// Hunks that belong together, with the reasons.
#[derive(Default)]
struct Together {
    hunks: BTreeSet<HunkOfPart>,
    reasons: Vec<GroupReason>,
}

/// Returns what belongs together in a draft: the hunks of each bond, each rename with the hunks whose links need it, and
/// each file with those whose paths it takes. Groups with a common hunk are one. A hunk that belongs
/// to no other is not listed.
pub(super) fn groups(
    draft: &Draft,
    parts: &[DraftPart],
    links: Option<&DraftLinks>,
) -> Vec<ChangeGroup> {
    let mut all = Vec::new();
    for bond in &draft.bonds {
        let mut together = Together {
            reasons: bond.carried.iter().map(GroupReason::from).collect(),
            ..Together::default()
        };
        let of_bond: Vec<(usize, &DraftPart)> = (0..)
            .zip(parts)
            .filter(|(_, part)| bond.files.contains(&part.place))
            .collect();
        let lost = lost_lines(&of_bond);
        for (at, part) in &of_bond {
            let mut numbers = part.bonded_hunks(bond);
            let gains = |number: &usize| {
                let [_, gained] = part.lines_of(*number);
                let mut from = gained.iter().filter_map(|line| lost.get(line)).flatten();
                from.any(|from| from != at)
            };
            numbers.extend(part.numbers().into_iter().filter(gains));
            together
                .hunks
                .extend(numbers.into_iter().map(|number| (*at, number)));
        }
        if loses_lines(parts, &together.hunks) {
            // The comparison found the text of the command in other hunks too.
            let all = of_bond.iter().flat_map(|(at, part)| {
                let numbers = part.numbers().into_iter();
                numbers.map(|number| (*at, number))
            });
            together.hunks.extend(all);
        }
        all.push(together);
    }
    let is_moved = |(_, part): &(usize, &DraftPart)| part.change == Happening::Moved;
    for (at, part) in (0..).zip(parts).filter(is_moved) {
        let reason = part.from.as_ref().map(|from| GroupReason {
            reason: BondKind::Renamed,
            from: from.to_string(),
            to: part.path.to_string(),
        });
        all.push(Together {
            hunks: BTreeSet::from([(at, WHOLE)]),
            reasons: reason.into_iter().collect(),
        });
    }
    all.extend(paths_taken(parts));
    if let Some(links) = links {
        for (hunks, renames) in links.hunks_of_renames(parts) {
            let renames = renames.into_iter().map(|rename| (rename, WHOLE));
            all.push(Together {
                hunks: renames.chain([hunks]).collect(),
                reasons: Vec::new(),
            });
        }
    }
    let joined = joined(all).into_iter();
    joined
        .filter(|together| together.hunks.len() > 1)
        .filter_map(|together| change_group(together, parts))
        .collect()
}

/// Returns the lines with letters or digits that the draft takes out of these parts, with the indexes of the parts.
fn lost_lines<'p>(parts: &[(usize, &'p DraftPart)]) -> BTreeMap<&'p str, BTreeSet<usize>> {
    let mut lost: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, part) in parts {
        let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
        let [before, after] = part.all_lines();
        for line in after {
            *kept.entry(line).or_default() += 1;
        }
        for line in before {
            match kept.get_mut(line) {
                Some(times) if *times > 0 => *times -= 1,
                _ => drop(lost.entry(line).or_default().insert(*at)),
            }
        }
    }
    lost
}

/// Whether these hunks together take more lines with letters or digits out of files than they put into others.
fn loses_lines(parts: &[DraftPart], hunks: &BTreeSet<HunkOfPart>) -> bool {
    let lines = hunks.iter().filter_map(|(at, number)| {
        let part = parts.get(*at)?;
        Some(part.lines_of(*number))
    });
    let [removed, added] = lines.fold([0, 0], |[removed, added], [before, after]| {
        [removed + before.len(), added + after.len()]
    });
    added < removed
}

/// Returns each new or moved file with a file that leaves its path, and all changes of both: what would stay in the
/// draft without them would be about another file. Paths that differ only in case count as one, because not every disk
/// distinguishes them.
fn paths_taken(parts: &[DraftPart]) -> Vec<Together> {
    let folded = |path: &VaultPath| path.as_str().to_lowercase();
    let mut leaving: BTreeMap<String, Vec<(usize, &DraftPart)>> = BTreeMap::new();
    for (at, part) in (0..).zip(parts) {
        if let Some(left) = part.left_path() {
            let left = leaving.entry(folded(left)).or_default();
            left.push((at, part));
        }
    }
    let mut all = Vec::new();
    for (at, part) in (0..).zip(parts).filter(|(_, part)| part.takes_a_path()) {
        let count = part.place.components().count();
        // A folder that is removed is above what takes its path. A file above it has to be accepted before.
        let is_in_one_step = |left: &DraftPart| {
            let ends = left.left_path().map(|left| left.components().count());
            left.change == Happening::FolderRemoved || ends == Some(count)
        };
        let above = (1..=count).map(|count| folded(&part.place.beginning(count)));
        let others = above.filter_map(|path| leaving.get(&path)).flatten();
        all.extend(
            others
                .filter(|(other, left)| *other != at && is_in_one_step(left))
                .map(|(other, left)| Together {
                    hunks: [(at, part), (*other, *left)]
                        .into_iter()
                        .flat_map(|(at, part)| {
                            let numbers = part.numbers().into_iter();
                            numbers.map(move |number| (at, number))
                        })
                        .collect(),
                    reasons: vec![GroupReason {
                        reason: BondKind::PathTaken,
                        from: left.path.to_string(),
                        to: part.path.to_string(),
                    }],
                }),
        );
    }
    all
}

/// Joins those with a common hunk. The order is that of the first ones.
fn joined(all: Vec<Together>) -> Vec<Together> {
    let mut place_of: BTreeMap<HunkOfPart, usize> = BTreeMap::new();
    let mut joined: Vec<Together> = Vec::with_capacity(all.len());
    for together in all {
        let known = together.hunks.iter();
        let common: BTreeSet<usize> = known
            .filter_map(|hunk| place_of.get(hunk).copied())
            .collect();
        let Some(first) = common.first().copied() else {
            place_of.extend(together.hunks.iter().map(|hunk| (*hunk, joined.len())));
            joined.push(together);
            continue;
        };
        let others = common.into_iter().skip(1);
        let others = others.filter_map(|other| joined.get_mut(other).map(std::mem::take));
        for other in others.collect::<Vec<_>>().into_iter().chain([together]) {
            place_of.extend(other.hunks.iter().map(|hunk| (*hunk, first)));
            if let Some(target) = joined.get_mut(first) {
                target.hunks.extend(other.hunks);
                target.reasons.extend(other.reasons);
            }
        }
    }
    joined
}

fn change_group(together: Together, parts: &[DraftPart]) -> Option<ChangeGroup> {
    let mut notes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (part, hunk) in together.hunks {
        notes.entry(part).or_default().insert(hunk);
    }
    let named = |at: &usize| parts.get(*at);
    let is_moved = |part: &&DraftPart| part.change == Happening::Moved;
    let first = notes.keys().filter_map(named).find(is_moved);
    let first = first.or_else(|| notes.keys().find_map(named))?;
    let members = notes.iter().filter_map(|(at, hunks)| {
        Some(GroupMember {
            note: named(at)?.path.to_string(),
            hunks: hunks.clone(),
        })
    });
    Some(ChangeGroup {
        id: first.path.to_string(),
        because: together.reasons,
        members: members.collect(),
    })
}

/// Returns the parts that a choice names, with all that belongs together with them. The numbers of a file's hunks are
/// those in `named`; none are all of its hunks.
///
/// # Errors
///
/// `FILE_NOT_FOUND` if a file is not in the draft; `USAGE_ERROR` if it has no hunk of that number; `DRAFT_CONFLICT` if
/// numbers are given for a part of what belongs together.
pub(super) fn closed_choice(
    parts: &[DraftPart],
    groups: &[ChangeGroup],
    named: &BTreeMap<String, BTreeSet<usize>>,
) -> Result<ChosenHunks, Failure> {
    let mut chosen: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (note, hunks) in named {
        let part = part_named(parts, note)?;
        let numbers = part.numbers();
        if let Some(unknown) = hunks.difference(&numbers).next() {
            return Err(parts::no_such_hunk(part, *unknown));
        }
        let hunks = if hunks.is_empty() {
            numbers
        } else {
            hunks.clone()
        };
        chosen.insert(note, hunks);
    }
    for group in groups {
        let is_chosen = |(note, hunk): &(&str, usize)| {
            chosen.get(note).is_some_and(|hunks| hunks.contains(hunk))
        };
        let hunks = group.members.iter().flat_map(|member| {
            let hunks = member.hunks.iter();
            hunks.map(|hunk| (member.note.as_str(), *hunk))
        });
        let (taken, missing): (Vec<_>, Vec<_>) = hunks.partition(is_chosen);
        if taken.is_empty() || missing.is_empty() {
            continue;
        }
        let is_single =
            |(note, _): &&(&str, usize)| named.get(*note).is_some_and(|hunks| !hunks.is_empty());
        if let Some((note, hunk)) = taken.iter().find(is_single) {
            return Err(apart(group, note, *hunk));
        }
        for (note, hunk) in missing {
            chosen.entry(note).or_default().insert(hunk);
        }
    }
    let with_part =
        |(path, hunks): (&str, BTreeSet<usize>)| Ok((part_named(parts, path)?.clone(), hunks));
    chosen.into_iter().map(with_part).collect()
}

/// Returns the failure for hunks that are named without those that belong together with them.
fn apart(group: &ChangeGroup, note: &str, hunk: usize) -> Failure {
    let others = group.members.iter().filter(|member| member.note != note);
    let others: Vec<&str> = others.map(|member| member.note.as_str()).collect();
    let with = if others.is_empty() {
        "other hunks of the file".to_owned()
    } else {
        let named = others.iter().take(MOST_REASONS);
        first_of(
            named.map(|note| format!("`{}`", shown::row(note))),
            others.len(),
        )
    };
    Code::DraftConflict
        .failure(format!(
            "Nothing was changed. Hunk {hunk} of `{}` belongs to the same change as {with} ({}). \
            Accept, reject or withdraw them together.",
            shown::row(note),
            group.in_words()
        ))
        .hint("To choose all hunks of a file, pass its path without hunk numbers.")
        .with("path", note)
        .with("with", json!(others))
        .with("because", json!(group.because))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use vault_engine::{PlannedFile, VaultPath};

    use super::*;

    /// Returns the groups of a draft, as its members and reasons.
    fn shown(plan: impl FnOnce(&mut Draft)) -> Vec<String> {
        let mut draft = Draft::new(None, Timestamp::UNIX_EPOCH);
        plan(&mut draft);
        let groups = groups(&draft, &parts::parts(&draft), None).into_iter();
        let shown = groups.map(|group| {
            let members = group.members.iter().map(|member| member.note.as_str());
            let members: Vec<&str> = members.collect();
            format!("{}: {}", members.join(" "), group.in_words())
        });
        shown.collect()
    }

    #[test]
    fn a_file_belongs_together_with_those_whose_paths_it_takes() {
        fn path(text: &str) -> VaultPath {
            VaultPath::file(text).unwrap()
        }
        fn create(draft: &mut Draft, at: &str) {
            draft.overlay.put(path(at), b"new".to_vec(), true, 0);
        }
        let moved = |draft: &mut Draft, from: &str, to: &str| {
            let from = PlannedFile::From(path(from));
            draft.overlay.files.insert(path(to), from);
        };
        let found = [
            shown(|draft| {
                moved(draft, "b.md", "a.md");
                moved(draft, "a.md", "b.md");
            }),
            shown(|draft| {
                moved(draft, "x.md", "z.md");
                create(draft, "x.md");
            }),
            shown(|draft| {
                moved(draft, "x.md", ".trash/x.md");
                create(draft, "x.md");
            }),
            shown(|draft| {
                draft.overlay.remove(path("N.md"));
                create(draft, "n.md");
            }),
            shown(|draft| {
                draft.overlay.set_folder(path("Dir"), false);
                create(draft, "dir/n.md");
            }),
            // Its own name in another case.
            shown(|draft| {
                moved(draft, "a.md", "A.md");
                create(draft, "b.md");
            }),
        ];
        let expected = [
            vec![
                "a.md b.md: renamed b.md to a.md, renamed a.md to b.md, a.md takes the path that b.md leaves and 1 more",
            ],
            vec!["x.md z.md: renamed x.md to z.md, x.md takes the path that z.md leaves"],
            vec![".trash/x.md x.md: x.md takes the path that .trash/x.md leaves"],
            vec!["N.md n.md: n.md takes the path that N.md leaves"],
            vec!["Dir dir/n.md: dir/n.md takes the path that Dir leaves"],
            vec![],
        ];
        assert_eq!(found, expected);
    }
}

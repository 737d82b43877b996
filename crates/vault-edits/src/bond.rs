//! Files that an edit changes together, because the text or the links of one depend on another (`design/bonds.md`).
//!
//! A draft may be accepted in part. A bond says which files of it belong together, and has what links need to follow
//! later, in notes that were not open when the edit was planned.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use line_diff::Hunk;
use obsidian_note::VaultPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::Change;
use super::move_file::MovedAnchors;

/// Files that are changed together or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bond {
    /// The changed files, at their paths after the edit; a removed file at its path before.
    pub files: BTreeSet<VaultPath>,
    /// The lines, from 0, that the edits of the bond replaced in files of the vault, counted in the file as the vault had
    /// it. Later edits of other lines do not belong to the bond. All changes of a file that is not named here do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lines: BTreeMap<VaultPath, Vec<Range<usize>>>,
    /// The texts, headings and lines that were carried from file to file, in the order of the commands.
    pub carried: Vec<Carried>,
}

/// A text, heading or line that an edit carried from one place to another, so that files depend on each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Carried {
    /// Headings and blocks got into another note with their text, or got another name, and links follow them.
    Anchors(Box<MovedAnchors>),
    /// Steps of one change took lines out of a file and put them into another one. No link follows them.
    Lines {
        /// The file that had the lines.
        from: VaultPath,
        /// The file that has them now.
        to: VaultPath,
    },
}

/// The reason why changes belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum BondKind {
    /// The file was renamed, and links follow it.
    Renamed,
    /// A part of the note became a new note.
    Extracted,
    /// The text of the note was put into another note, and the note was removed.
    Merged,
    /// The heading or block was renamed, and links follow it.
    HeadingRenamed,
    /// Lines were taken out of the file and put into another one.
    LinesMoved,
    /// The file takes the path that another one leaves.
    PathTaken,
}

impl Carried {
    /// Returns the way in which it was carried, never [`BondKind::Renamed`] or [`BondKind::PathTaken`].
    pub fn kind(&self) -> BondKind {
        match self {
            Self::Anchors(anchors) => anchors.kind,
            Self::Lines { .. } => BondKind::LinesMoved,
        }
    }

    /// Returns the file that had it, and the file that has it now. They are one note if a heading was renamed.
    pub fn files(&self) -> [&VaultPath; 2] {
        match self {
            Self::Anchors(anchors) => [&anchors.from, &anchors.to],
            Self::Lines { from, to } => [from, to],
        }
    }

    /// Returns the old and the new name of a heading or block, the latter with `^`; `None` for a text.
    pub fn names(&self) -> Option<[String; 2]> {
        match self {
            Self::Anchors(anchors) => anchors.names.clone(),
            Self::Lines { .. } => None,
        }
    }

    fn rename(&mut self, named: &impl Fn(&VaultPath) -> VaultPath) {
        match self {
            Self::Anchors(anchors) => anchors.rename_notes(named),
            Self::Lines { from, to } => {
                *from = named(from);
                *to = named(to);
            }
        }
    }
}

impl Bond {
    /// Builds the bond of all files that these changes touch.
    pub fn of_changes(changes: &[Change], carried: Carried) -> Self {
        let files = changes.iter().filter_map(|change| match change {
            Change::Create { path, .. }
            | Change::Modify { path, .. }
            | Change::Remove { path, .. }
            | Change::Move { to: path, .. } => Some(path.clone()),
            Change::MakeFolder { .. } | Change::RemoveFolder { .. } => None,
        });
        Self::new(files, carried)
    }

    /// Builds the bond of all changes of these files.
    pub fn new(files: impl IntoIterator<Item = VaultPath>, carried: Carried) -> Self {
        Self {
            files: files.into_iter().collect(),
            lines: BTreeMap::new(),
            carried: vec![carried],
        }
    }

    /// Returns the numbers, from 1, of the hunks of a file that belong to the bond.
    pub fn hunks_of(&self, path: &VaultPath, hunks: &[Hunk]) -> BTreeSet<usize> {
        let touches = |hunk: &Hunk, lines: &Range<usize>| {
            hunk.before.start <= lines.end && lines.start <= hunk.before.end
        };
        let numbered = (1..).zip(hunks);
        match self.lines.get(path) {
            _ if !self.files.contains(path) => BTreeSet::new(),
            // If lines were compared in another way since, nobody can say which hunks are meant.
            Some(lines)
                if lines
                    .iter()
                    .all(|lines| hunks.iter().any(|hunk| touches(hunk, lines))) =>
            {
                let is_own = |hunk: &Hunk| lines.iter().any(|lines| touches(hunk, lines));
                let own = numbered.filter(|(_, hunk)| is_own(hunk));
                own.map(|(number, _)| number).collect()
            }
            _ => numbered.map(|(number, _)| number).collect(),
        }
    }

    /// Removes a file whose changes are decided.
    pub fn remove(&mut self, path: &VaultPath) {
        self.files.remove(path);
        self.lines.remove(path);
    }

    /// Adds the files of another bond, and what it carried.
    fn add(&mut self, other: Self) {
        for path in other.files {
            let lines = other.lines.get(&path).cloned();
            let lines = match (self.lines.remove(&path), lines) {
                (Some(own), Some(lines)) => Some([own, lines].concat()),
                // All changes of the file belong to this bond.
                _ if self.files.contains(&path) => None,
                (_, lines) => lines,
            };
            self.lines.extend(lines.map(|lines| (path.clone(), lines)));
            self.files.insert(path);
        }
        self.carried.extend(other.carried);
    }
}

/// Returns the bonds after these changes: those before them, with the new paths of moved files, and those that the
/// changes made. Bonds with a common file are one.
///
/// `file_at` returns the name of the file that was at a path before the changes, and `None` for a new file, which has
/// only its latest path. What was carried is remembered by these names, so that it can be found where the earlier
/// changes were not made.
pub fn bonds_after(
    bonds: Vec<Bond>,
    changes: &[Change],
    made: Vec<Bond>,
    file_at: impl Fn(&VaultPath) -> Option<VaultPath>,
) -> Vec<Bond> {
    let mut origins = BTreeMap::new();
    for change in changes {
        if let Change::Move { from, to, .. } = change {
            let origin = origins.remove(from).unwrap_or(from);
            origins.insert(to, origin);
        }
    }
    let moves = origins.into_iter().map(|(to, from)| (from, to));
    let moves: BTreeMap<&VaultPath, &VaultPath> = moves.collect();
    let now = |path: &VaultPath| (*moves.get(path).unwrap_or(&path)).clone();
    let is_new = |path: &VaultPath| file_at(path).is_none();
    // Links cannot lead to a note in the trash. Its last name outside of it is the one that links have.
    let name_now = |path: &VaultPath| {
        let to = moves.get(path).filter(|to| !to.is_hidden());
        (*to.unwrap_or(&path)).clone()
    };
    let mut all: Vec<Bond> = Vec::new();
    let earlier = bonds.into_iter().map(|mut bond| {
        bond.files = bond.files.iter().map(now).collect();
        let lines = std::mem::take(&mut bond.lines).into_iter();
        bond.lines = lines.map(|(path, lines)| (now(&path), lines)).collect();
        let named = |path: &VaultPath| {
            if is_new(path) {
                name_now(path)
            } else {
                path.clone()
            }
        };
        for carried in &mut bond.carried {
            carried.rename(&named);
        }
        bond
    });
    let later = made.into_iter().map(|mut bond| {
        let named = |path: &VaultPath| file_at(path).unwrap_or_else(|| name_now(path));
        for carried in &mut bond.carried {
            carried.rename(&named);
        }
        bond
    });
    for bond in earlier.chain(later) {
        let (common, rest): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|other| !other.files.is_disjoint(&bond.files));
        all = rest;
        let mut parts = common.into_iter().chain([bond]);
        all.extend(parts.next().map(|mut joined| {
            parts.for_each(|part| joined.add(part));
            joined
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    fn lines(from: &str, to: &str) -> Carried {
        Carried::Lines {
            from: path(from),
            to: path(to),
        }
    }

    fn bond(files: &[&str], carried: Carried) -> Bond {
        Bond::new(files.iter().map(|file| path(file)), carried)
    }

    fn only(lines: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(lines).collect()
    }

    fn shown(bonds: &[Bond]) -> Vec<String> {
        let bonds = bonds.iter().map(|bond| {
            let files = bond.files.iter().map(|path| match bond.lines.get(path) {
                Some(lines) => format!("{path}{lines:?}"),
                None => path.to_string(),
            });
            let files: Vec<String> = files.collect();
            let carried = bond.carried.iter().map(|carried| {
                let [from, to] = carried.files();
                format!("{from}>{to}")
            });
            format!(
                "{}: {}",
                files.join(" "),
                carried.collect::<Vec<_>>().join(" ")
            )
        });
        bonds.collect()
    }

    #[test]
    fn bonds_follow_moves_and_join_at_common_files() {
        let moved = |from: &str, to: &str| Change::Move {
            from: path(from),
            to: path(to),
            version: vault_files::Version::from_bytes(b""),
        };
        // `n.md` is new, and `c.md` was `old.md`.
        let file_at = |at: &VaultPath| match at.as_str() {
            "n.md" => None,
            "c.md" => Some(path("old.md")),
            _ => Some(at.clone()),
        };
        let before = vec![
            bond(&["a.md", "n.md"], lines("a.md", "n.md")),
            bond(&["x.md", "y.md"], lines("x.md", "y.md")),
        ];
        let changes = [moved("n.md", "m.md"), moved("a.md", "b.md")];
        let after = bonds_after(before.clone(), &changes, Vec::new(), file_at);
        assert_eq!(
            shown(&after),
            ["b.md m.md: a.md>m.md", "x.md y.md: x.md>y.md"]
        );
        let made = vec![bond(&["c.md", "n.md", "y.md"], lines("c.md", "n.md"))];
        let after = bonds_after(before, &[], made, file_at);
        assert_eq!(
            shown(&after),
            ["a.md c.md n.md x.md y.md: a.md>n.md x.md>y.md old.md>n.md"]
        );
    }
    #[test]
    fn files_that_exchange_their_paths_and_join_another_bond_keep_their_lines() {
        let mut one = bond(&["a.md", "b.md"], lines("a.md", "b.md"));
        one.lines.insert(path("a.md"), only(1..2));
        let mut made = bond(&["b.md", "c.md"], lines("b.md", "c.md"));
        made.lines.insert(path("b.md"), only(4..4));
        let version = vault_files::Version::from_bytes(b"");
        let moves = [("a.md", "t.md"), ("b.md", "a.md"), ("t.md", "b.md")];
        let moves = moves.map(|(from, to)| Change::Move {
            from: path(from),
            to: path(to),
            version,
        });
        let after = bonds_after(vec![one.clone()], &moves, Vec::new(), |at| Some(at.clone()));
        assert_eq!(shown(&after), ["a.md b.md[1..2]: a.md>b.md"]);
        let joined = bonds_after(after, &[], vec![made.clone()], |at| Some(at.clone()));
        assert_eq!(
            shown(&joined),
            ["a.md b.md[1..2, 4..4] c.md: a.md>b.md b.md>c.md"]
        );
        // All of `b.md` belongs to the first bond.
        let joined = bonds_after(vec![one], &[], vec![made], |at| Some(at.clone()));
        assert_eq!(
            shown(&joined),
            ["a.md[1..2] b.md c.md: a.md>b.md b.md>c.md"]
        );
    }

    #[test]
    fn hunks_of_later_edits_do_not_belong_to_a_bond() {
        let base = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let mut one = bond(&["a.md"], lines("a.md", "b.md"));
        one.lines.insert(path("a.md"), only(2..4));
        let numbers = |text: &str| {
            let hunks = line_diff::hunks(base, text, std::time::Duration::from_secs(9));
            Vec::from_iter(one.hunks_of(&path("a.md"), &hunks))
        };
        assert_eq!(numbers("1\n2\n5\n6\n7\n8\n"), [1]);
        assert_eq!(numbers("one\n2\n5\n6\n7\n8\nnine\n"), [2]);
        // A later edit of the same lines.
        assert_eq!(numbers("one\n2\nx\n5\n6\n7\nEight\n"), [2]);
        // The replaced lines are as before.
        assert_eq!(numbers("one\n2\n3\n4\n5\n6\n7\nEight\n"), [1, 2]);
    }
}

//! Files that an edit changes together, because the text or the links of one depend on another (`design/drafts.md`).
//!
//! A draft may be accepted in part. A bond says which files of it belong together, and has what links need to follow
//! later, in notes that were not open when the edit was planned.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::VaultPath;
use serde::{Deserialize, Serialize};

use super::change::Change;
use super::move_file::{MoveKind, MovedAnchors};

/// Files that are changed together or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Bond {
    /// The changed files, at their paths after the edit; a removed file at its path before.
    pub files: BTreeSet<VaultPath>,
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

/// The way in which something was carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedKind {
    /// A part of a note became a new note.
    Extracted,
    /// All text of a note was put into another note, and the note was removed.
    Merged,
    /// A heading or block was renamed.
    HeadingRenamed,
    /// Lines were taken out of one file and put into another one.
    LinesMoved,
}

impl Carried {
    /// Returns the way in which it was carried.
    pub fn kind(&self) -> CarriedKind {
        match self {
            Self::Anchors(anchors) => match anchors.kind {
                MoveKind::Whole => CarriedKind::Merged,
                MoveKind::Part => CarriedKind::Extracted,
                MoveKind::Names(_) => CarriedKind::HeadingRenamed,
            },
            Self::Lines { .. } => CarriedKind::LinesMoved,
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
            Self::Anchors(anchors) => match &anchors.kind {
                MoveKind::Names(names) => Some(names.clone()),
                MoveKind::Whole | MoveKind::Part => None,
            },
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
        Self {
            files: files.collect(),
            carried: vec![carried],
        }
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
    let moves = changes.iter().filter_map(|change| match change {
        Change::Move { from, to, .. } => Some((from, to)),
        _ => None,
    });
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
        let mut joined = Bond {
            files: BTreeSet::new(),
            carried: Vec::new(),
        };
        for part in common.into_iter().chain([bond]) {
            joined.files.extend(part.files);
            joined.carried.extend(part.carried);
        }
        all = rest;
        all.push(joined);
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
        Bond {
            files: files.iter().map(|file| path(file)).collect(),
            carried: vec![carried],
        }
    }

    fn shown(bonds: &[Bond]) -> Vec<String> {
        let bonds = bonds.iter().map(|bond| {
            let files: Vec<&str> = bond.files.iter().map(VaultPath::as_str).collect();
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
}

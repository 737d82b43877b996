//! The files that belong together after several steps (`design/bonds.md`).

use std::collections::{BTreeMap, BTreeSet};

use vault_engine::scan::scan;
use vault_engine::{Bond, Carried, Change, Vault, VaultPath, bonds_after, byte_order_mark};

/// The bonds of the steps so far.
#[derive(Default)]
pub(super) struct StepBonds {
    bonds: Vec<Bond>,
    /// The path before all steps of each file that is at another path now; `None` for a new file.
    origins: BTreeMap<VaultPath, Option<VaultPath>>,
}

impl StepBonds {
    /// Adds a step.
    pub(super) fn add(&mut self, changes: &[Change], made: Vec<Bond>) {
        let origins = &self.origins;
        let file_at = |path: &VaultPath| match origins.get(path) {
            Some(origin) => origin.clone(),
            None => Some(path.clone()),
        };
        self.bonds = bonds_after(std::mem::take(&mut self.bonds), changes, made, file_at);
        for change in changes {
            match change {
                Change::Create { path, .. } => drop(self.origins.insert(path.clone(), None)),
                Change::Move { from, to, .. } => {
                    let origin = self.origins.remove(from);
                    let origin = origin.unwrap_or_else(|| Some(from.clone()));
                    self.origins.insert(to.clone(), origin);
                }
                _ => {}
            }
        }
    }

    /// Returns the bonds after all steps, whose changes together are `changes`: also of files between which the steps
    /// moved lines of text, by an edit of each.
    pub(super) fn with_moved_lines(self, changes: &[Change], before: &Vault) -> Vec<Bond> {
        let mut removed: BTreeMap<String, BTreeSet<&VaultPath>> = BTreeMap::new();
        let mut added: BTreeMap<String, BTreeSet<&VaultPath>> = BTreeMap::new();
        for change in changes {
            let (path, old, new) = match change {
                Change::Create { path, after } => (path, BTreeMap::new(), lines(after)),
                Change::Modify {
                    path,
                    before,
                    after,
                } => (path, lines(before), lines(after)),
                Change::Move { from, to, .. } if to.is_hidden() => {
                    let text = before.read_bytes(from).unwrap_or_default();
                    (to, lines(&text), BTreeMap::new())
                }
                _ => continue,
            };
            for (lines, more, less) in [(&mut removed, &old, &new), (&mut added, &new, &old)] {
                for (line, times) in more {
                    if less.get(line).copied().unwrap_or(0) < *times {
                        lines.entry(line.clone()).or_default().insert(path);
                    }
                }
            }
        }
        let mut pairs = BTreeSet::new();
        for (line, sources) in &removed {
            let targets = added.get(line).into_iter().flatten();
            pairs.extend(targets.flat_map(|to| sources.iter().map(move |from| (*from, *to))));
        }
        pairs.retain(|(from, to)| from != to);
        let moved = pairs.into_iter().map(|(from, to)| {
            let (from, to) = (from.clone(), to.clone());
            Bond::new([from.clone(), to.clone()], Carried::Lines { from, to })
        });
        bonds_after(self.bonds, &[], moved.collect(), |path| Some(path.clone()))
    }
}

/// Returns the lines with letters or digits below the properties of a note, without the blanks around them, and how
/// often each occurs. The same property in several notes is not text that was moved.
fn lines(text: &[u8]) -> BTreeMap<String, usize> {
    let text = String::from_utf8_lossy(text);
    let text = byte_order_mark::strip(&text);
    let start = scan(text).frontmatter.map_or(0, |span| span.end.byte);
    let body = usize::try_from(start)
        .ok()
        .and_then(|start| text.get(start..));
    let mut lines = BTreeMap::new();
    for line in body.unwrap_or(text).lines() {
        if line.chars().any(char::is_alphanumeric) {
            *lines.entry(line.trim().to_owned()).or_default() += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use vault_engine::Version;

    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    fn modify(at: &str, before: &str, after: &str) -> Change {
        Change::Modify {
            path: path(at),
            before: before.into(),
            after: after.into(),
        }
    }

    #[test]
    fn lines_that_leave_a_file_for_another_one_bind_both() {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join("old.md"), "# Old\nmoved\n").unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        let trashed = Change::Move {
            from: path("old.md"),
            to: path(".trash/old.md"),
            version: Version::from_bytes(b"# Old\nmoved\n"),
        };
        let created = Change::Create {
            path: path("new.md"),
            after: b"moved\n".to_vec(),
        };
        let property = |at: &str, old: &str, new: &str| {
            modify(
                at,
                &format!("---\ns: {old}\n---\na\n"),
                &format!("---\ns: {new}\n---\na\n"),
            )
        };
        for (changes, expected) in [
            (
                vec![modify("a.md", "x\ny\n", "x\n"), modify("b.md", "", "  y\n")],
                "a.md>b.md",
            ),
            (vec![trashed, created], ".trash/old.md>new.md"),
            (
                vec![
                    modify("a.md", "y\ny\n", "y\n"),
                    modify("b.md", "y\n", "y\ny\n"),
                ],
                "a.md>b.md",
            ),
            // Properties, marks, and edits of their own.
            (
                vec![property("a.md", "1", "2"), property("b.md", "2", "1")],
                "",
            ),
            (
                vec![
                    modify("a.md", "---\nx\n", "x\n"),
                    modify("b.md", "x\n", "x\n---\n"),
                ],
                "",
            ),
            (
                vec![
                    modify("a.md", "- [ ] x\n", "- [x] x\n"),
                    modify("b.md", "- [ ] x\n", "- [x] x\n"),
                ],
                "",
            ),
        ] {
            let bonds = StepBonds::default().with_moved_lines(&changes, &vault);
            let shown = bonds.iter().flat_map(|bond| &bond.carried).map(|carried| {
                let [from, to] = carried.files();
                format!("{from}>{to}")
            });
            assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{changes:?}");
        }
    }
}

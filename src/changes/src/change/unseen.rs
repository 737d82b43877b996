//! Links in notes that are closed to the caller, which are still updated after a move (`design/path-rules.md`).
//!
//! The caller must learn nothing of these notes (`threats.toml` D13). So nothing here can fail: a link
//! that cannot be computed in time stays unchanged, and the audit log records it for the owner.

use std::collections::BTreeSet;

use vault_engine::{Change, Edit, Editor, LinksOutOfSight, VaultPath};

use super::planned::{self, FileChange};
use backend::{Limits, PinnedVault};

/// The closed notes with links to moved files, and their changes.
#[derive(Debug, Default)]
pub struct Unseen {
    /// The notes that change, in byte order.
    pub files: Vec<FileChange>,
    /// The paths of the notes in `files`.
    paths: BTreeSet<String>,
    /// The notes whose links stay unchanged.
    pub left: Left,
}

/// Closed notes whose links to a moved file stay unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Number of these notes that were found.
    pub notes: usize,
    /// Whether there may be more, because the search failed or ran out of time.
    pub may_be_more: bool,
}

impl Unseen {
    /// Adds the changes in closed notes to a move of files or of text, or to the renaming of a heading. They get half of
    /// the call's remaining time, so that they never delay the move itself too long.
    pub fn added_to(edit: &mut Edit, [vault, seen]: [&PinnedVault; 2], limits: &Limits) -> Self {
        if !seen.is_limited() || !edit.takes_links_along() {
            return Self::default();
        }
        let deadline = limits.deadline.at_most(limits.deadline.left() / 2);
        let vault = vault.clone().under(&limits.cancel, deadline, None);
        let Ok(LinksOutOfSight { changes, left }) =
            Editor(&vault.engine).links_out_of_sight(&seen.engine, edit)
        else {
            return Self {
                left: Left {
                    notes: 0,
                    may_be_more: true,
                },
                ..Self::default()
            };
        };
        let files = planned::files(&changes);
        // Folders that a move leaves empty are removed last.
        let is_removal = |change: &Change| matches!(change, Change::RemoveFolder { .. });
        let end = edit.changes.iter().position(is_removal);
        let end = end.unwrap_or(edit.changes.len());
        edit.changes.splice(end..end, changes);
        Self {
            paths: files.iter().map(|file| file.path.clone()).collect(),
            files,
            left: Left {
                notes: left,
                may_be_more: false,
            },
        }
    }

    /// Adds the notes of a later step of the same change.
    pub fn add(&mut self, other: &Self) {
        self.paths.extend(other.paths.iter().cloned());
        self.left.notes += other.left.notes;
        self.left.may_be_more |= other.left.may_be_more;
    }

    /// Recomputes the changes of these notes from all steps.
    pub fn describe(&mut self, changes: &[Change]) {
        self.files = planned::files(changes);
        self.files.retain(|file| self.paths.contains(&file.path));
    }

    /// Whether the file is one of these notes.
    pub fn holds(&self, path: &VaultPath) -> bool {
        self.paths.contains(path.as_str())
    }

    /// Removes all of these notes from the edit, so that they stay unchanged. Returns whether there were any.
    pub fn leave(&mut self, edit: Option<&mut Edit>) -> bool {
        let left = std::mem::take(&mut self.files).into_iter();
        let left: BTreeSet<String> = left.map(|file| file.path).collect();
        if let Some(edit) = edit {
            edit.changes.retain(|change| match change {
                Change::Modify { path, .. } => !left.contains(path.as_str()),
                _ => true,
            });
        }
        self.paths.retain(|path| !left.contains(path));
        self.left.notes += left.len();
        !left.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use vault_engine::{Registry, Sight, Vault, Version};

    use super::*;
    use backend::cancel::Cancel;
    use protocol::Deadline;

    /// Allows everything but the folder `Private`.
    struct Public;

    impl Sight for Public {
        fn sees_file(&self, path: &VaultPath) -> bool {
            !path.as_str().starts_with("Private/")
        }

        fn sees_folder(&self, path: &VaultPath) -> bool {
            path.as_str() != "Private"
        }
    }

    fn unseen(milliseconds: u64) -> (Unseen, usize) {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("Private")).unwrap();
        for (path, text) in [
            ("Old.md", ""),
            ("a.md", "[[Old]]"),
            ("Private/b.md", "[[Old]]"),
        ] {
            fs_err::write(folder.path().join(path), text).unwrap();
        }
        let vault = PinnedVault::new(
            Vault::open(folder.path()).unwrap(),
            Registry::default(),
            jiff::Zoned::now(),
        );
        let sight: Arc<dyn Sight> = Arc::new(Public);
        let seen = vault.clone().limited_to(Some(&sight)).unwrap();
        let renamed = vault_answers::Confirmation::Renamed {
            path: "Old.md".to_owned(),
            destination: "New.md".to_owned(),
        };
        let moved = Change::Move {
            from: VaultPath::file("Old.md").unwrap(),
            to: VaultPath::file("New.md").unwrap(),
            version: Version {
                size: 0,
                sha256: [0; 32],
            },
        };
        let mut edit = Edit::new(renamed, vec![moved], Vec::new());
        let limits = Limits {
            deadline: Deadline::after_ms(milliseconds),
            max_output_bytes: 1000,
            offset: 0,
            limit: None,
            cancel: Cancel::default(),
        };
        let unseen = Unseen::added_to(&mut edit, [&vault, &seen], &limits);
        (unseen, edit.changes.len())
    }

    #[test]
    fn d13_the_time_of_a_move_is_not_used_up_by_closed_notes() {
        let (reached, changes) = unseen(60_000);
        let paths: Vec<&str> = reached
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!((paths, changes), (vec!["Private/b.md"], 2));
        assert_eq!(reached.left, Left::default());
        let (not_reached, changes) = unseen(0);
        assert_eq!((not_reached.files.len(), changes), (0, 1));
        assert!(not_reached.left.may_be_more);
    }
}

//! The parts of a draft that a person judges and an agent can withdraw: files, and the hunks of notes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use line_diff::{Hunk, hunks};
use vault_engine::{PlannedBytes, PlannedFile, VaultPath};

use crate::code::Code;
use crate::failure::Failure;
use crate::gateway::Happening;
use crate::gateway::active::{FileResult, Finding};
use crate::records::drafts::Draft;

/// The number of the hunk that is not text: that a note is new, removed, or has another path.
pub(in crate::gateway) const WHOLE: usize = 0;
/// The time for the diff of one note.
pub(in crate::gateway) const DIFF_TIME: Duration = Duration::from_secs(2);
/// The folder of the vault's trash.
const TRASH: &str = ".trash/";

/// Whether a file at this path of a draft is in the trash.
pub(super) fn is_trashed(path: &VaultPath) -> bool {
    path.as_str().starts_with(TRASH)
}

/// What a draft does with one file.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct DraftPart {
    /// Where the file is in the draft; of a file that is removed, where it is in the vault.
    pub(in crate::gateway) path: VaultPath,
    /// What happens to it.
    pub(in crate::gateway) change: Happening,
    /// Where it is in the vault, if that is another path.
    pub(in crate::gateway) from: Option<VaultPath>,
    /// The texts before and after, if both are UTF-8; empty for a missing file.
    pub(in crate::gateway) texts: Option<(String, String)>,
    /// The hunks between the texts, numbered from 1 in their order.
    pub(in crate::gateway) hunks: Vec<Hunk>,
}

impl DraftPart {
    /// Whether [`WHOLE`] is one of its hunks.
    pub(in crate::gateway) fn has_whole(&self) -> bool {
        self.change != Happening::Modified
    }

    /// What it leaves that acts and was not there before.
    pub(in crate::gateway) fn findings(&self) -> Vec<Finding> {
        if !matches!(
            self.change,
            Happening::Created | Happening::Modified | Happening::Moved
        ) {
            return Vec::new();
        }
        let before = self.from.as_ref().unwrap_or(&self.path);
        let texts = self.texts.as_ref();
        let result = FileResult {
            from: (self.change != Happening::Created).then_some(before),
            before: texts.map(|(before, _)| before.as_bytes()),
            after: texts.map(|(_, after)| after.as_bytes()),
        };
        let found = result.findings(&self.path, &[], &|_| None);
        found.unwrap_or_default()
    }

    /// The numbers of its hunks. A new or removed note is judged as a whole.
    pub(in crate::gateway) fn numbers(&self) -> BTreeSet<usize> {
        let whole = self.has_whole().then_some(WHOLE);
        let of_text = match self.change {
            Happening::Modified | Happening::Moved => self.hunks.len(),
            _ => 0,
        };
        whole.into_iter().chain(1..=of_text).collect()
    }
}

impl Draft {
    /// What the draft does with each file and folder, in the order of the paths.
    pub(in crate::gateway) fn parts(&self) -> Vec<DraftPart> {
        let mut parts: Vec<DraftPart> = self
            .overlay
            .files
            .iter()
            .filter_map(|(path, file)| self.part(path, file))
            .collect();
        let folders = self.overlay.folders.iter().filter(|(folder, exists)| {
            let is_implied = **exists && parts.iter().any(|part| part.path.is_below(folder));
            !(folder.is_hidden() || is_implied)
        });
        let folders: Vec<DraftPart> = folders
            .map(|(path, exists)| DraftPart {
                path: path.clone(),
                change: if *exists {
                    Happening::FolderMade
                } else {
                    Happening::FolderRemoved
                },
                from: None,
                texts: None,
                hunks: Vec::new(),
            })
            .collect();
        parts.extend(folders);
        parts.sort_by(|left, right| left.path.cmp(&right.path));
        parts
    }

    /// `None` for the old path of a file that is at another one.
    fn part(&self, path: &VaultPath, file: &PlannedFile) -> Option<DraftPart> {
        let base = |origin: &VaultPath| self.bases.get(origin)?.bytes.as_deref().cloned();
        let (origin, before, after) = match file {
            PlannedFile::Bytes(planned) => {
                let before = match &planned.origin {
                    Some(origin) => base(origin),
                    None => Some(Vec::new()),
                };
                (planned.origin.clone(), before, Some(planned.bytes.clone()))
            }
            PlannedFile::From(origin) => (Some(origin.clone()), None, None),
            PlannedFile::Gone if self.goes_elsewhere(path) => return None,
            PlannedFile::Gone => (None, base(path), Some(Vec::new())),
        };
        let change = match (&origin, file) {
            (_, PlannedFile::Gone) => Happening::Removed,
            (Some(_), _) if is_trashed(path) => Happening::Trashed,
            (None, _) => Happening::Created,
            (Some(origin), _) if origin != path => Happening::Moved,
            (Some(_), _) => Happening::Modified,
        };
        let text = |bytes: Option<Vec<u8>>| String::from_utf8(bytes?).ok();
        let texts = text(before).zip(text(after));
        let hunks = texts
            .as_ref()
            .map_or_else(Vec::new, |(before, after)| hunks(before, after, DIFF_TIME));
        let moved = origin.filter(|origin| origin != path);
        let (path, from) = match (change, moved) {
            (Happening::Trashed, Some(origin)) => (origin, None),
            (_, moved) => (path.clone(), moved),
        };
        Some(DraftPart {
            path,
            change,
            from,
            texts,
            hunks,
        })
    }

    /// Whether the file of the folder at this path has another path in the draft.
    pub(super) fn goes_elsewhere(&self, path: &VaultPath) -> bool {
        self.overlay.files.iter().any(|(to, file)| {
            to != path
                && match file {
                    PlannedFile::Bytes(planned) => planned.origin.as_ref() == Some(path),
                    PlannedFile::From(origin) => origin == path,
                    PlannedFile::Gone => false,
                }
        })
    }

    /// Takes these hunks of a part out of the draft; `None` takes all of it.
    ///
    /// # Errors
    ///
    /// `USAGE_ERROR` if the part has no hunk of one of these numbers.
    pub(in crate::gateway) fn take_out(
        &mut self,
        part: &DraftPart,
        taken: Option<&BTreeSet<usize>>,
    ) -> Result<(), Failure> {
        let numbers = part.numbers();
        let taken = taken.unwrap_or(&numbers);
        if let Some(unknown) = taken.difference(&numbers).next() {
            return Err(no_such_hunk(part, *unknown));
        }
        let left = numbers.difference(taken).count();
        let origin = part.from.as_ref().unwrap_or(&part.path).clone();
        // In the draft a file in the trash has another path.
        let key = self.key_of(part);
        let planned = self.overlay.files.get(&key).cloned();
        self.overlay.folders.remove(&part.path);
        if part.change == Happening::Modified || part.change == Happening::Moved {
            let back = part.change == Happening::Moved && taken.contains(&WHOLE);
            let place = if back { &origin } else { &key };
            if back {
                self.overlay.files.remove(&key);
            }
            self.overlay.files.remove(&origin);
            let text = part.texts.as_ref().map(|(before, after)| {
                let text = line_diff::apply(before, after, &part.hunks, |number| {
                    !taken.contains(&number)
                });
                (text == *before, text)
            });
            let stays = match (text, planned) {
                (Some((false, text)), Some(PlannedFile::Bytes(planned))) => {
                    Some(PlannedFile::Bytes(Arc::new(PlannedBytes {
                        bytes: text.into_bytes(),
                        origin: planned.origin.clone(),
                        modified: planned.modified,
                    })))
                }
                (Some((true, _)), _) => None,
                // Not text: its bytes go or stay with the whole.
                (_, planned) => planned.filter(|_| left > 0),
            };
            let is_moved = *place != origin;
            match stays.or_else(|| is_moved.then(|| PlannedFile::From(origin.clone()))) {
                Some(file) => {
                    self.overlay.files.insert(place.clone(), file);
                    if is_moved {
                        self.overlay.files.insert(origin.clone(), PlannedFile::Gone);
                    }
                }
                None => {
                    self.bases.remove(&origin);
                }
            }
        } else {
            self.overlay.files.remove(&key);
            if key != origin {
                self.overlay.files.remove(&origin);
            }
            self.bases.remove(&origin);
            // The folders that the draft makes for this file alone.
            let files = &self.overlay.files;
            self.overlay.folders.retain(|folder, exists| {
                !*exists
                    || !part.path.is_below(folder)
                    || files.keys().any(|path| path.is_below(folder))
            });
        }
        self.forget_empty_folders();
        Ok(())
    }

    /// The path in the overlay of the file of a part.
    fn key_of(&self, part: &DraftPart) -> VaultPath {
        let trashed = self.overlay.files.iter().find(|(path, file)| {
            is_trashed(path)
                && match file {
                    PlannedFile::From(origin) => *origin == part.path,
                    PlannedFile::Bytes(planned) => planned.origin.as_ref() == Some(&part.path),
                    PlannedFile::Gone => false,
                }
        });
        match (part.change, trashed) {
            (Happening::Trashed, Some((path, _))) => path.clone(),
            _ => part.path.clone(),
        }
    }

    /// Leaves out the folders of the trash that the draft no longer needs.
    fn forget_empty_folders(&mut self) {
        let files = &self.overlay.files;
        self.overlay.folders.retain(|folder, exists| {
            !*exists || !folder.is_hidden() || files.keys().any(|path| path.is_below(folder))
        });
    }
}

pub(super) fn no_such_hunk(part: &DraftPart, number: usize) -> Failure {
    let numbers: Vec<String> = part.numbers().iter().map(ToString::to_string).collect();
    Failure::new(
        Code::UsageError,
        format!(
            "`{}` has no hunk {number} in the draft. It has: {}.",
            part.path,
            numbers.join(", ")
        ),
    )
    .with("path", part.path.as_str())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::records::drafts::Base;

    fn path(text: &str) -> VaultPath {
        VaultPath::file(text).unwrap()
    }

    fn draft(files: &[(&str, PlannedFile)], bases: &[(&str, &str)]) -> Draft {
        let mut draft = Draft::new(None, Timestamp::UNIX_EPOCH);
        for (name, file) in files {
            draft.overlay.files.insert(path(name), file.clone());
        }
        for (name, text) in bases {
            let base = Base::of(text.as_bytes().to_vec(), None);
            draft.bases.insert(path(name), base);
        }
        draft
    }

    fn bytes(text: &str, origin: Option<&str>) -> PlannedFile {
        PlannedFile::Bytes(Arc::new(PlannedBytes {
            bytes: text.as_bytes().to_vec(),
            origin: origin.map(path),
            modified: 1,
        }))
    }

    const BEFORE: &str = "1\n2\n3\n4\n5\n";
    const AFTER: &str = "one\n2\n3\n4\nfive\n";

    fn moved() -> Draft {
        let files = [
            ("b.md", bytes(AFTER, Some("a.md"))),
            ("a.md", PlannedFile::Gone),
        ];
        draft(&files, &[("a.md", BEFORE)])
    }

    fn without(mut draft: Draft, at: &str, taken: &[usize]) -> Draft {
        let parts = draft.parts();
        let part = parts.iter().find(|part| part.path == path(at)).unwrap();
        draft
            .take_out(part, Some(&taken.iter().copied().collect()))
            .unwrap();
        draft
    }

    #[test]
    fn a_draft_without_some_hunks_keeps_the_others() {
        let files = [("a.md", bytes(AFTER, Some("a.md")))];
        let changed = draft(&files, &[("a.md", BEFORE)]);
        for (taken, left) in [
            (&[1][..], "1\n2\n3\n4\nfive\n"),
            (&[2][..], "one\n2\n3\n4\n5\n"),
        ] {
            let rest = without(changed.clone(), "a.md", taken);
            assert_eq!(rest.overlay.files[&path("a.md")], bytes(left, Some("a.md")));
        }
        assert!(without(changed, "a.md", &[1, 2]).is_empty());
    }

    #[test]
    fn a_rename_and_its_text_are_judged_by_themselves() {
        let part = &moved().parts()[0];
        assert_eq!(
            (part.path.as_str(), part.change),
            ("b.md", Happening::Moved)
        );
        assert_eq!(part.numbers(), BTreeSet::from([0, 1, 2]));
        let back = without(moved(), "b.md", &[0]);
        assert_eq!(
            Vec::from_iter(back.overlay.files),
            [(path("a.md"), bytes(AFTER, Some("a.md")))]
        );
        let alone = without(moved(), "b.md", &[1, 2]);
        assert_eq!(
            Vec::from_iter(alone.overlay.files),
            [
                (path("a.md"), PlannedFile::Gone),
                (path("b.md"), PlannedFile::From(path("a.md"))),
            ]
        );
        assert!(without(moved(), "b.md", &[0, 1, 2]).is_empty());
    }

    #[test]
    fn new_removed_and_trashed_notes_are_judged_as_a_whole() {
        let files = [
            ("gone.md", PlannedFile::Gone),
            ("new.md", bytes(AFTER, None)),
            ("old.md", PlannedFile::Gone),
            (".trash/old.md", PlannedFile::From(path("old.md"))),
        ];
        let whole = draft(&files, &[("gone.md", BEFORE), ("old.md", BEFORE)]);
        let parts = whole.parts();
        let told: Vec<_> = parts
            .iter()
            .map(|part| (part.path.as_str(), part.change))
            .collect();
        assert_eq!(
            told,
            [
                ("gone.md", Happening::Removed),
                ("new.md", Happening::Created),
                ("old.md", Happening::Trashed),
            ]
        );
        let mut rest = whole.clone();
        for part in &parts {
            assert_eq!(part.numbers(), BTreeSet::from([WHOLE]));
            assert!(rest.take_out(part, Some(&BTreeSet::from([1]))).is_err());
            rest.take_out(part, None).unwrap();
        }
        assert!(rest.is_empty() && rest.bases.is_empty());
    }
}

//! Collects what a walk finds.

use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::Contents;
use super::listed::{FolderListing, PendingFolder, Skipped};
use crate::disk::{Disk, Folder, Linked, overlap};
use crate::path::VaultPath;
use crate::sight::Sight;
use crate::warning::Warning;

/// A walk in progress.
pub(super) struct ContentsWalk<'disk> {
    disk: &'disk Disk,
    sight: Option<&'disk dyn Sight>,
    found: Contents,
    /// Canonical paths of the folders behind symlinks that were followed.
    linked: Vec<PathBuf>,
    symlinks: Skipped,
    specials: Skipped,
}

impl<'disk> ContentsWalk<'disk> {
    pub(super) fn new(disk: &'disk Disk, sight: Option<&'disk dyn Sight>) -> Self {
        Self {
            disk,
            sight,
            found: Contents::default(),
            linked: Vec::new(),
            symlinks: Skipped::default(),
            specials: Skipped::default(),
        }
    }

    /// Adds one folder's entries. Returns the folders in it, still to be listed.
    pub(super) fn take(&mut self, listed: FolderListing) -> Vec<PendingFolder> {
        self.found.files.extend(listed.files);
        self.found.folders.extend(listed.path);
        self.found.warnings.extend(listed.warnings);
        self.specials.merge(listed.specials);
        let mut folders = listed.folders;
        for link in listed.symlinks {
            match self.follow(&link) {
                Some(folder) => folders.push(PendingFolder {
                    base: Arc::new(folder),
                    names: Vec::new(),
                    path: link,
                }),
                None if self.sight.is_none_or(|sight| sight.sees_file(&link)) => {
                    self.symlinks.add(link);
                }
                None => {}
            }
        }
        folders
    }

    /// The folder behind a symlink. Of links to folders that overlap only the first is followed,
    /// as in the app (`vault-semantics.md` §2.1), so that no note is listed twice.
    fn follow(&mut self, link: &VaultPath) -> Option<Folder> {
        if !self.sight.is_none_or(|sight| sight.sees_folder(link)) {
            return None;
        }
        let Linked { folder, place } = self.disk.linked(link)?;
        if self.linked.iter().any(|known| overlap(known, &place)) {
            return None;
        }
        self.linked.push(place);
        Some(folder)
    }

    pub(super) fn finish(self) -> Contents {
        let mut found = self.found;
        // Each folder's files are sorted already: a stable merge sort uses such runs.
        found
            .files
            .par_sort_by(|left, right| left.path.cmp(&right.path));
        found.folders.sort_unstable();
        if let Some(path) = self.symlinks.first {
            found.warnings.push(Warning::SymlinksSkipped {
                count: self.symlinks.count,
                path,
            });
        }
        if let Some(path) = self.specials.first {
            found.warnings.push(Warning::SpecialFilesSkipped {
                count: self.specials.count,
                path,
            });
        }
        found
            .warnings
            .sort_by(|left, right| left.path().cmp(right.path()));
        found
    }
}

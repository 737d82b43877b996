//! Collects the results of a walk.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use obsidian_note::{VaultPath, Warning};
use rayon::prelude::*;

use super::listed::{FolderListing, PendingFolder, Skipped};
use super::{AT_ONCE, Contents, MAX_OPEN_FOLDERS};
use crate::disk::{Disk, Folder, Linked, overlap};
use crate::sight::Sight;

/// A walk in progress.
pub(super) struct ContentsWalk<'disk> {
    disk: &'disk Disk,
    sight: Option<&'disk dyn Sight>,
    found: Contents,
    /// The folders to be listed. The last come next, so the contents of a folder come before its
    /// siblings.
    pending: Vec<PendingFolder>,
    /// The folders that stay open for their subfolders.
    open_folders: Vec<Weak<Folder>>,
    /// The symlinks to be followed.
    links: Vec<VaultPath>,
    /// Canonical paths of the folders that were reached through symlinks.
    linked: Vec<PathBuf>,
    symlinks: Skipped,
    specials: Skipped,
    too_deep: Skipped,
}

impl<'disk> ContentsWalk<'disk> {
    pub(super) fn new(disk: &'disk Disk, sight: Option<&'disk dyn Sight>) -> Self {
        Self {
            disk,
            sight,
            found: Contents::default(),
            pending: Vec::new(),
            open_folders: Vec::new(),
            links: Vec::new(),
            linked: Vec::new(),
            symlinks: Skipped::default(),
            specials: Skipped::default(),
            too_deep: Skipped::default(),
        }
    }

    /// Adds the entries of one folder.
    pub(super) fn take(&mut self, listed: FolderListing) {
        self.found.files.extend(listed.files);
        self.found.folders.extend(listed.path);
        self.found.warnings.extend(listed.warnings);
        self.specials.merge(listed.specials);
        self.too_deep.merge(listed.too_deep);
        self.links.extend(listed.symlinks);
        // All subfolders of one listing are opened from the same folder: this one, if it stays
        // open.
        if let Some(first) = listed.folders.first()
            && first.names.len() == 1
        {
            self.open_folders.push(Arc::downgrade(&first.base));
        }
        self.pending.extend(listed.folders);
    }

    /// Returns the folders to be listed next, and whether each is to stay open for its subfolders. `None` when the walk
    /// is complete.
    pub(super) fn next_batch(&mut self) -> Option<(Vec<PendingFolder>, bool)> {
        while self.pending.is_empty() && !self.links.is_empty() {
            self.follow_links();
        }
        let batch = self
            .pending
            .split_off(self.pending.len().saturating_sub(AT_ONCE));
        self.open_folders.retain(|folder| folder.strong_count() > 0);
        let hold = self.open_folders.len() + batch.len() <= MAX_OPEN_FOLDERS;
        (!batch.is_empty()).then_some((batch, hold))
    }

    /// Follows symlinks, in upper folders first. At most as many as are listed at once, since each folder behind a
    /// symlink stays open until it is listed.
    fn follow_links(&mut self) {
        let mut links = std::mem::take(&mut self.links);
        links.sort_by(|left, right| {
            (left.depth().cmp(&right.depth()))
                .then_with(|| left.components().cmp(right.components()))
        });
        self.links = links.split_off(links.len().min(AT_ONCE));
        for link in links {
            match self.follow(&link) {
                Some(folder) => self.pending.push(PendingFolder {
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
    }

    /// Returns the folder behind a symlink. If the targets of several symlinks overlap, only the first is followed, as
    /// in the app (`vault-semantics.md` §2.1), so that no note is listed twice.
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
        // The files of each folder are sorted already, and a stable merge sort makes use of such
        // runs.
        found
            .files
            .par_sort_by(|left, right| left.path.cmp(&right.path));
        found.folders.sort_unstable();
        let Skipped { count, first } = self.symlinks;
        let symlinks = first.map(|path| Warning::SymlinksSkipped { count, path });
        let Skipped { count, first } = self.specials;
        let specials = first.map(|path| Warning::SpecialFilesSkipped { count, path });
        let Skipped { count, first } = self.too_deep;
        let too_deep = first.map(|path| Warning::FoldersTooDeep { count, path });
        found
            .warnings
            .extend([symlinks, specials, too_deep].into_iter().flatten());
        found
            .warnings
            .sort_by(|left, right| left.path().cmp(right.path()));
        found
    }
}

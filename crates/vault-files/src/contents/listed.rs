//! Lists one folder of a walk.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use obsidian_note::name;
use obsidian_note::{MAX_DEPTH, VaultPath, Warning};
use rayon::prelude::*;

use super::{Detail, FileEntry, PARALLEL};
use crate::disk::{Disk, EntryKind, Folder, FolderEntry, Obstacle, list};
use crate::sight::Sight;

/// The details that a walk reads of each file, and the files that it reports.
#[derive(Clone, Copy)]
pub(super) struct WalkOptions<'walk> {
    pub(super) disk: &'walk Disk,
    pub(super) detail: Detail,
    pub(super) sight: Option<&'walk dyn Sight>,
}

/// A folder that is still to be listed.
pub(super) struct PendingFolder {
    pub(super) base: Arc<Folder>,
    /// The names on disk that lead from `base` to the folder; empty if it is `base` itself.
    pub(super) names: Vec<OsString>,
    pub(super) path: VaultPath,
}

impl PendingFolder {
    fn open(&self) -> Result<Folder, Obstacle> {
        let mut opened: Option<Folder> = None;
        for name in &self.names {
            opened = Some(opened.as_ref().unwrap_or(&self.base).folder(name)?);
        }
        opened.map_or_else(|| self.base.again().map_err(Obstacle::Io), Ok)
    }

    /// Lists the folder. With `hold` its descriptor stays open for its subfolders.
    pub(super) fn visit(self, looks: WalkOptions<'_>, hold: bool) -> FolderListing {
        let listed = self.open().and_then(|folder| {
            let entries = list(&folder).map_err(Obstacle::Io)?;
            Ok((Arc::new(folder), entries))
        });
        let mut listed = match listed {
            Ok((folder, entries)) => {
                let (base, names) = if hold {
                    (&folder, &[][..])
                } else {
                    (&self.base, &self.names[..])
                };
                FolderListing::new(&folder, base, names, &self.path, entries, looks)
            }
            Err(Obstacle::Io(error)) => FolderListing {
                warnings: vec![Warning::FolderUnreadable {
                    path: self.path.clone(),
                    reason: error.to_string(),
                }],
                ..FolderListing::default()
            },
            Err(Obstacle::Symlink) => {
                return FolderListing {
                    symlinks: vec![self.path],
                    ..FolderListing::default()
                };
            }
            // Race: it was removed or replaced after its parent was listed.
            Err(
                Obstacle::Missing | Obstacle::NotAFolder | Obstacle::IsFolder | Obstacle::Special,
            ) => return FolderListing::default(),
        };
        listed.path = Some(self.path);
        listed
    }
}

/// A number of entries that were left out.
#[derive(Default)]
pub(super) struct Skipped {
    pub(super) count: usize,
    /// The first of them in byte order, for the warning.
    pub(super) first: Option<VaultPath>,
}

impl Skipped {
    pub(super) fn add(&mut self, path: VaultPath) {
        self.merge(Self {
            count: 1,
            first: Some(path),
        });
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = match (self.first.take(), other.first) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
    }
}

/// The entries of one folder.
#[derive(Default)]
pub(super) struct FolderListing {
    /// The folder; `None` for the start of the walk.
    pub(super) path: Option<VaultPath>,
    pub(super) files: Vec<FileEntry>,
    pub(super) folders: Vec<PendingFolder>,
    pub(super) symlinks: Vec<VaultPath>,
    pub(super) specials: Skipped,
    /// The folder itself, if its path is too deep to be a vault path.
    pub(super) too_deep: Skipped,
    pub(super) warnings: Vec<Warning>,
}

impl FolderListing {
    /// Sorts a folder's entries by type. Its subfolders will be opened from `base` and `names`.
    pub(super) fn new(
        folder: &Folder,
        base: &Arc<Folder>,
        names: &[OsString],
        path: &VaultPath,
        entries: Vec<FolderEntry>,
        looks: WalkOptions<'_>,
    ) -> Self {
        let WalkOptions {
            disk,
            detail,
            sight,
        } = looks;
        let mut listed = Self::default();
        // Counted regardless of the folder's contents: they must not show in a limited caller's warnings.
        if path.depth() >= MAX_DEPTH {
            listed.too_deep.add(path.clone());
            return listed;
        }
        let mut children = listed.named(path, entries, sight);
        // Among entries with the same vault path, the entry in normal spelling comes first and is kept, because opening
        // by path finds the same one.
        children.sort_unstable_by(|(left, left_entry), (right, right_entry)| {
            let odd = |path: &VaultPath, entry: &FolderEntry| *entry.name != *path.name();
            // All entries share the folder, so comparing whole paths compares names.
            left.cmp(right).then_with(|| {
                (odd(left, left_entry), &left_entry.name)
                    .cmp(&(odd(right, right_entry), &right_entry.name))
            })
        });
        // `dedup_by` passes the later element first and removes it.
        children.dedup_by(|(later, _), (earlier, _)| {
            let collides = later == earlier;
            if collides {
                let path = later.clone();
                listed.warnings.push(Warning::SpellingsCollide { path });
            }
            collides
        });
        let mut files = Vec::with_capacity(children.len());
        for (child, entry) in children {
            match entry.kind {
                EntryKind::File => files.push((child, entry.name)),
                EntryKind::Folder => listed.folders.push(PendingFolder {
                    base: Arc::clone(base),
                    names: names.iter().cloned().chain([entry.name]).collect(),
                    path: child,
                }),
                EntryKind::Symlink => listed.symlinks.push(child),
                EntryKind::Special => listed.specials.add(child),
            }
        }
        let minds_names = disk.minds_other_names();
        let look = |(path, name): (VaultPath, OsString)| {
            let is_closed = || {
                let stamp = folder.stamp(&name);
                stamp.is_ok_and(|stamp| !disk.opens(&path, &stamp))
            };
            // Other files keep their place in lists, but cannot be opened.
            if minds_names && path.is_indexed() && is_closed() {
                return (None, None);
            }
            looked_at(folder, &name, path, detail)
        };
        let is_quick = detail == Detail::Names && !minds_names;
        let looked: Vec<_> = if is_quick || files.len() < PARALLEL {
            files.into_iter().map(look).collect()
        } else {
            files.into_par_iter().map(look).collect()
        };
        for (file, warning) in looked {
            listed.files.extend(file);
            listed.warnings.extend(warning);
        }
        listed
    }

    /// Gives entries their paths. Hidden entries are dropped. So are, with a warning, those that no
    /// path can name: too long, or on Windows a name that it cannot open. A limited caller gets no
    /// such warning, because no rule can say whether it may see these entries.
    fn named(
        &mut self,
        folder: &VaultPath,
        entries: Vec<FolderEntry>,
        sight: Option<&dyn Sight>,
    ) -> Vec<(VaultPath, FolderEntry)> {
        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(name) = name::from_disk(&entry.name) else {
                continue;
            };
            match folder.join(&name) {
                Ok(path) if sight.is_some_and(|sight| !is_seen(sight, &path, entry.kind)) => {}
                Ok(path) => {
                    if matches!(name, Cow::Owned(_)) {
                        let path = path.clone();
                        self.warnings.push(Warning::NameNotUnicode { path });
                    }
                    named.push((path, entry));
                }
                Err(_) if sight.is_some() => {}
                Err(reason) => self.warnings.push(Warning::NameUnusable {
                    folder: folder.clone(),
                    name: name.into_owned(),
                    reason: Some(reason),
                }),
            }
        }
        named
    }
}

/// Whether the caller can see this entry. A symlink may turn out to be a folder.
fn is_seen(sight: &dyn Sight, path: &VaultPath, kind: EntryKind) -> bool {
    match kind {
        EntryKind::File | EntryKind::Special => sight.sees_file(path),
        EntryKind::Folder => sight.sees_folder(path),
        EntryKind::Symlink => sight.sees_file(path) || sight.sees_folder(path),
    }
}

/// Returns a file with the requested detail; `None` if it was removed after its folder was listed.
fn looked_at(
    folder: &Folder,
    name: &OsString,
    path: VaultPath,
    detail: Detail,
) -> (Option<FileEntry>, Option<Warning>) {
    let looked = match detail {
        Detail::Sizes => folder.size(name).map(|size| (size, None)),
        Detail::Stamps if path.is_indexed() => folder.stamp(name).map(|stamp| (0, Some(stamp))),
        Detail::Names | Detail::Stamps => return (Some(FileEntry::named(path)), None),
    };
    match looked {
        Ok((size, stamp)) => (Some(FileEntry { path, size, stamp }), None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
        // A note without a stamp is read by the index, which then reports the failure.
        Err(_) if detail == Detail::Stamps => (Some(FileEntry::named(path)), None),
        Err(error) => {
            let warning = Warning::SizeUnknown {
                path: path.clone(),
                reason: error.to_string(),
            };
            (Some(FileEntry::named(path)), Some(warning))
        }
    }
}

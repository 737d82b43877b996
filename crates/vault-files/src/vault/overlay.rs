//! The planned state of a vault: a layer over its folder. Every read goes through it, so a change
//! can be planned on the result of planned ones, and a draft can be read as if it were written.
//!
//! A planned file has the time of its recording. A moved file without new content is the present file of its old path.
//! A removed folder exists as long as something new is in it.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, OnceLock};

use obsidian_note::VaultPath;
use obsidian_note::path::TRASH;

use super::Vault;
use super::reading::up_to;
use crate::contents::{Contents, Detail, FileEntry};
use crate::disk::FileStamp;
use crate::version::Version;

/// The planned changes of a vault: the files and folders that differ from its folder. A draft is stored as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The planned files by their paths in the view.
    pub files: BTreeMap<VaultPath, PlannedFile>,
    /// Folders that are made (true) or removed (false).
    pub folders: BTreeMap<VaultPath, bool>,
}

/// The planned state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlannedFile {
    /// A file with these bytes.
    Bytes(Arc<PlannedBytes>),
    /// The file that is now at this path of the folder.
    From(VaultPath),
    /// No file: it is moved away or removed.
    Gone,
}

/// The planned content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedBytes {
    /// All of its bytes.
    pub content: PlannedContent,
    /// The file of the folder that becomes this one; `None` for a new file.
    pub origin: Option<VaultPath>,
    /// When it was planned: milliseconds since 1970.
    pub modified: i64,
}

/// All bytes of a planned file. Those that a store keeps are read when they are asked for.
#[derive(Clone)]
pub struct PlannedContent {
    version: Version,
    bytes: OnceLock<Vec<u8>>,
    /// The store and the place in it.
    stored: Option<(Arc<dyn ContentStore>, u64)>,
}

/// A store of the contents of planned files.
pub trait ContentStore: Send + Sync {
    /// Reads the content with this length and hash at this place. The caller compares it with them.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read(&self, version: Version, place: u64) -> io::Result<Vec<u8>>;
}

impl PlannedContent {
    /// A content in memory.
    pub fn new(bytes: Vec<u8>) -> Self {
        let version = Version::from_bytes(&bytes);
        Self {
            version,
            bytes: bytes.into(),
            stored: None,
        }
    }

    /// Returns a content that a store has at this place.
    pub fn stored(version: Version, store: Arc<dyn ContentStore>, place: u64) -> Self {
        Self {
            version,
            bytes: OnceLock::new(),
            stored: Some((store, place)),
        }
    }

    /// Returns length and hash of the content, without reading it.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns all of its bytes.
    ///
    /// # Errors
    ///
    /// If the store cannot read them, or has other ones at the place.
    pub fn bytes(&self) -> io::Result<&[u8]> {
        if let Some(bytes) = self.bytes.get() {
            return Ok(bytes);
        }
        let (store, place) = self.stored.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let read = store.read(self.version, *place)?;
        if Version::from_bytes(&read) != self.version {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(self.bytes.get_or_init(|| read))
    }
}

impl PartialEq for PlannedContent {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
    }
}

impl Eq for PlannedContent {}

impl std::fmt::Debug for PlannedContent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.version.fmt(formatter)
    }
}

impl Overlay {
    /// Whether nothing is planned.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Plans these bytes for a file at this time.
    pub fn put(&mut self, path: VaultPath, bytes: Vec<u8>, is_new: bool, modified: i64) {
        let origin = match self.files.get(&path) {
            _ if is_new => None,
            None => Some(path.clone()),
            Some(PlannedFile::Bytes(before)) => before.origin.clone(),
            Some(PlannedFile::From(origin)) => Some(origin.clone()),
            Some(PlannedFile::Gone) => None,
        };
        let planned = PlannedBytes {
            content: PlannedContent::new(bytes),
            origin,
            modified,
        };
        self.files
            .insert(path, PlannedFile::Bytes(Arc::new(planned)));
    }

    /// Plans the move of a file to another path. A changed file goes to the trash as it is in the folder, and a new file
    /// does not go there.
    pub fn rename(&mut self, from: &VaultPath, to: VaultPath) {
        let planned = self.files.insert(from.clone(), PlannedFile::Gone);
        let mut planned = planned.unwrap_or_else(|| PlannedFile::From(from.clone()));
        if let PlannedFile::Bytes(changed) = &planned
            && to.components().next() == Some(TRASH)
        {
            planned = match &changed.origin {
                Some(origin) => PlannedFile::From(origin.clone()),
                None => return,
            };
        }
        match planned {
            // It is back at its place.
            PlannedFile::From(origin) if origin == to => self.files.remove(&to),
            planned => self.files.insert(to, planned),
        };
    }

    /// Plans the removal of a file.
    pub fn remove(&mut self, path: VaultPath) {
        self.files.insert(path, PlannedFile::Gone);
    }

    /// Plans that a folder is made or removed.
    pub fn set_folder(&mut self, path: VaultPath, exists: bool) {
        self.folders.insert(path, exists);
    }

    /// Whether the removal of a folder is planned.
    pub(super) fn removes(&self, folder: &VaultPath) -> bool {
        self.folders.get(folder) == Some(&false)
    }

    /// The planned files that are not hidden and for which `exists` is true.
    pub fn present(
        &self,
        exists: impl Fn(&VaultPath, &PlannedFile) -> bool,
    ) -> impl Iterator<Item = &VaultPath> {
        let files = self.files.iter();
        let present = files.filter(move |(path, file)| !path.is_hidden() && exists(path, file));
        present.map(|(path, _)| path)
    }

    /// Turns the names of a folder into the planned ones, in byte order. Only the `present` planned
    /// files exist; folders are added if they are `wanted`.
    pub fn merge(
        &self,
        files: &mut Vec<VaultPath>,
        folders: &mut Vec<VaultPath>,
        present: &[&VaultPath],
        wanted: impl Fn(&VaultPath) -> bool,
    ) {
        files.retain(|path| !self.files.contains_key(path));
        let made = self.folders.iter().filter(|(_, exists)| **exists);
        let mut new: Vec<VaultPath> = made.map(|(path, _)| path.clone()).collect();
        for path in present {
            files.push((*path).clone());
            // The folder of a planned file exists, even if it was removed in between.
            let above = 1..path.components().count();
            new.extend(above.map(|count| path.beginning(count)));
        }
        new.retain(|path| !path.is_hidden() && wanted(path));
        folders.extend(new);
        files.sort();
        folders.sort();
        folders.dedup();
        let is_removed = |path: &VaultPath| self.removes(path);
        if self.folders.values().all(|exists| *exists) {
            return;
        }
        // A folder that is removed stays as long as something new is in it.
        let kept: Vec<VaultPath> = folders
            .iter()
            .filter(|folder| {
                let mut inside = files.iter().chain(folders.iter());
                !is_removed(folder) || inside.any(|path| !is_removed(path) && path.is_below(folder))
            })
            .cloned()
            .collect();
        *folders = kept;
    }
}

impl Vault {
    /// Returns the same vault with these planned changes, which replace its present ones; an empty overlay has no
    /// effect. Every read and every plan shows their result.
    ///
    /// Rules that close notes by what is in them ([`Self::with_sight`]) are judged when the limit is
    /// set, so the overlay must be set before.
    #[must_use]
    pub fn with_overlay(self, overlay: Overlay) -> Self {
        Self {
            overlay: (!overlay.is_empty()).then(|| Arc::new(overlay)),
            ..self
        }
    }

    /// Returns the same vault without planned changes. A limit stays.
    #[must_use]
    pub fn as_in_the_folder(&self) -> Self {
        Self {
            overlay: None,
            ..self.clone()
        }
    }

    /// Returns the planned changes that the vault shows; `None` if there are none.
    pub fn overlay(&self) -> Option<&Arc<Overlay>> {
        self.overlay.as_ref()
    }

    /// Returns the overlay without the entries at these paths that say nothing new: a file or a folder that is gone and
    /// was not there, a folder to make that is there, content that the file has.
    pub fn without_unchanged<'path>(
        &self,
        mut overlay: Overlay,
        paths: impl Iterator<Item = &'path VaultPath>,
    ) -> Overlay {
        let disk = self.whole().disk;
        let is_there = |path: &VaultPath| match disk.file(path) {
            Ok(_) => !disk.is_spelled_otherwise(path),
            Err(blocked) => !blocked.obstacle.is_absence(),
        };
        let holds = |path: &VaultPath, version: Version| {
            let file = disk.file(path).ok();
            let now = file.and_then(|file| up_to(file, version.size).ok().flatten());
            now.is_some_and(|now| Version::from_bytes(&now) == version)
        };
        for path in paths {
            let is_unchanged = match overlay.files.get(path) {
                Some(PlannedFile::Gone) => !is_there(path),
                Some(PlannedFile::From(origin)) => origin == path,
                Some(PlannedFile::Bytes(planned)) => {
                    planned.origin.as_ref() == Some(path) && holds(path, planned.content.version())
                }
                None => false,
            };
            if is_unchanged {
                overlay.files.remove(path);
            }
            if let Some(exists) = overlay.folders.get(path)
                && *exists == disk.folder(path).is_ok()
            {
                overlay.folders.remove(path);
            }
        }
        let Overlay { files, folders } = &mut overlay;
        let is_empty = |folder: &VaultPath| !files.keys().any(|path| path.is_below(folder));
        folders.retain(|folder, _| !folder.is_hidden() || !is_empty(folder));
        overlay
    }

    /// Returns the planned state of a file; `None` if no plan changes it.
    pub fn planned(&self, path: &VaultPath) -> Option<&PlannedFile> {
        self.overlay.as_ref()?.files.get(path)
    }

    /// Whether there is a file in this planned state.
    pub fn exists_planned(&self, planned: &PlannedFile) -> bool {
        match planned {
            PlannedFile::Bytes(_) => true,
            PlannedFile::From(origin) => self.disk.has_file(origin),
            PlannedFile::Gone => false,
        }
    }

    /// Whether a folder is planned that does not exist yet.
    pub fn plans_folder(&self, path: &VaultPath) -> bool {
        let overlay = self.overlay.as_ref();
        overlay.is_some_and(|overlay| {
            overlay.folders.get(path) == Some(&true)
                || below(&overlay.files, path)
                    .any(|(file, planned)| !file.is_hidden() && self.exists_planned(planned))
        })
    }

    /// Whether the removal of a folder is planned, and nothing new is in it.
    pub fn plans_no_folder(&self, path: &VaultPath) -> bool {
        let overlay = self.overlay.as_ref();
        overlay.is_some_and(|overlay| overlay.removes(path)) && {
            let whole = Self {
                sight: None,
                ..self.clone()
            };
            let below = whole.contents(path, Detail::Names);
            below.is_err()
        }
    }

    /// Returns the planned files and folders directly in `folder` that the caller sees.
    pub fn planned_in(&self, folder: &VaultPath) -> Vec<&VaultPath> {
        let is_in = |path: &VaultPath| path.parent() == *folder;
        let overlay = self.overlay.iter();
        let paths = overlay.flat_map(|overlay| {
            let files = below(&overlay.files, folder)
                .filter(|(path, file)| is_in(path) && self.exists_planned(file) && self.sees(path));
            let folders = below(&overlay.folders, folder)
                .filter(|(path, exists)| is_in(path) && **exists && self.sees_folder(path));
            files
                .map(|(path, _)| path)
                .chain(folders.map(|(path, _)| path))
        });
        paths.collect()
    }

    /// Returns the contents of a folder in their planned state, as far as the caller sees them.
    pub(super) fn planned_contents(
        &self,
        overlay: &Overlay,
        folder: &VaultPath,
        contents: Contents,
        detail: Detail,
    ) -> Contents {
        let is_below = |path: &VaultPath| folder.is_root() || path.is_below(folder);
        let present: Vec<&VaultPath> = overlay
            .present(|path, file| is_below(path) && self.sees(path) && self.exists_planned(file))
            .collect();
        let (mut known, mut folders) = (contents.files, contents.folders);
        let mut files: Vec<VaultPath> = known.iter().map(|file| file.path.clone()).collect();
        let wanted = |path: &VaultPath| is_below(path) && self.sees_folder(path);
        overlay.merge(&mut files, &mut folders, &present, wanted);
        known.retain(|file| !overlay.files.contains_key(&file.path));
        let mut known = known.into_iter().peekable();
        let entry = |path: VaultPath| {
            if let Some(entry) = known.next_if(|file| file.path == path) {
                return entry;
            }
            let size = match detail {
                Detail::Names => 0,
                Detail::Sizes | Detail::Stamps => self
                    .facts(&path)
                    .map(|facts| facts.size)
                    .unwrap_or_default(),
            };
            let has_stamp = detail == Detail::Stamps && path.is_indexed();
            FileEntry {
                path,
                size: if detail == Detail::Sizes { size } else { 0 },
                stamp: has_stamp.then(|| FileStamp {
                    size,
                    ..FileStamp::default()
                }),
            }
        };
        Contents {
            files: files.into_iter().map(entry).collect(),
            folders,
            warnings: contents.warnings,
        }
    }
}

/// Returns the entries below a folder, without a look at the others.
fn below<'map, T>(
    planned: &'map BTreeMap<VaultPath, T>,
    folder: &VaultPath,
) -> impl Iterator<Item = (&'map VaultPath, &'map T)> {
    let with_its_name = planned
        .range(folder..)
        .take_while(|(path, _)| path.as_str().starts_with(folder.as_str()));
    with_its_name.filter(|(path, _)| path.is_below(folder))
}

//! What a vault holds once changes are made that are only planned: a layer over its folder, so that
//! the next change can be planned on their result.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Vault;
use crate::path::VaultPath;

/// The files and folders that differ from those of the vault's folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    files: BTreeMap<VaultPath, PlannedFile>,
    folders: BTreeSet<VaultPath>,
}

/// What is planned for a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlannedFile {
    /// A file with these bytes.
    Bytes(Arc<Vec<u8>>),
    /// The file that is at this path of the folder.
    From(VaultPath),
    /// No file.
    Gone,
}

impl Overlay {
    /// A file gets these bytes.
    pub(crate) fn put(&mut self, path: VaultPath, bytes: Vec<u8>) {
        self.files.insert(path, PlannedFile::Bytes(Arc::new(bytes)));
    }

    /// A file goes to another path.
    pub(crate) fn rename(&mut self, from: &VaultPath, to: VaultPath) {
        let planned = self.files.insert(from.clone(), PlannedFile::Gone);
        let planned = planned.unwrap_or_else(|| PlannedFile::From(from.clone()));
        self.files.insert(to, planned);
    }

    /// A folder is made.
    pub(crate) fn make_folder(&mut self, path: VaultPath) {
        self.folders.insert(path);
    }

    /// These files of the folder as they will be, in byte order, with those planned ones that are `seen`.
    pub(crate) fn files_after(
        &self,
        files: impl Iterator<Item = VaultPath>,
        seen: impl Fn(&VaultPath) -> bool,
    ) -> Vec<VaultPath> {
        let mut files: BTreeSet<VaultPath> = files.collect();
        for (path, file) in &self.files {
            if *file == PlannedFile::Gone {
                files.remove(path);
            } else if !path.is_hidden() && seen(path) {
                files.insert(path.clone());
            }
        }
        files.into_iter().collect()
    }
}

impl Vault {
    /// The same vault under this layer, which replaces the one that it has.
    pub(crate) fn with_overlay(self, overlay: Overlay) -> Self {
        Self {
            overlay: Some(Arc::new(overlay)),
            ..self
        }
    }

    /// The same vault as its folder is now.
    pub(crate) fn as_in_the_folder(&self) -> Self {
        Self {
            overlay: None,
            ..self.clone()
        }
    }

    /// The planned changes under which the vault is seen.
    pub(crate) fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_deref()
    }

    /// What is planned for a file; none where the folder tells.
    pub(crate) fn planned(&self, path: &VaultPath) -> Option<&PlannedFile> {
        self.overlay.as_ref()?.files.get(path)
    }

    /// Whether a folder is planned, which is not there yet.
    pub(crate) fn plans_folder(&self, path: &VaultPath) -> bool {
        let overlay = self.overlay.as_ref();
        overlay.is_some_and(|overlay| overlay.folders.contains(path))
    }

    /// The files and folders directly in `folder` that are planned, as far as the caller sees them.
    pub(crate) fn planned_in<'vault>(
        &'vault self,
        folder: &VaultPath,
    ) -> impl Iterator<Item = &'vault VaultPath> {
        let folder = folder.clone();
        let overlay = self.overlay.iter();
        let paths = overlay.flat_map(|overlay| {
            let files = overlay.files.iter();
            let files = files.filter(|(path, file)| **file != PlannedFile::Gone && self.sees(path));
            let folders = overlay.folders.iter().filter(|path| self.sees_folder(path));
            files.map(|(path, _)| path).chain(folders)
        });
        paths.filter(move |path| path.parent() == folder)
    }
}

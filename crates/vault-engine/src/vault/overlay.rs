//! The planned state of a vault: a layer over its folder, so that a change can be planned on the
//! result of planned ones.

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

/// The planned state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlannedFile {
    /// A file with these bytes.
    Bytes(Arc<Vec<u8>>),
    /// The file that is now at this path of the folder.
    From(VaultPath),
    /// No file: it is moved away.
    Gone,
}

impl Overlay {
    /// Plans these bytes for a file.
    pub(crate) fn put(&mut self, path: VaultPath, bytes: Vec<u8>) {
        self.files.insert(path, PlannedFile::Bytes(Arc::new(bytes)));
    }

    /// Plans the move of a file to another path.
    pub(crate) fn rename(&mut self, from: &VaultPath, to: VaultPath) {
        let planned = self.files.insert(from.clone(), PlannedFile::Gone);
        let planned = planned.unwrap_or_else(|| PlannedFile::From(from.clone()));
        self.files.insert(to, planned);
    }

    /// Plans a new folder.
    pub(crate) fn make_folder(&mut self, path: VaultPath) {
        self.folders.insert(path);
    }

    /// These files of the folder in their planned state, in byte order, with those planned files
    /// that are `seen`.
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
    /// The same vault under this layer, which replaces its present one.
    pub(crate) fn with_overlay(self, overlay: Overlay) -> Self {
        Self {
            overlay: Some(Arc::new(overlay)),
            ..self
        }
    }

    /// The same vault without planned changes.
    pub(crate) fn as_in_the_folder(&self) -> Self {
        Self {
            overlay: None,
            ..self.clone()
        }
    }

    /// The planned changes that the vault shows.
    pub(crate) fn overlay(&self) -> Option<&Overlay> {
        self.overlay.as_deref()
    }

    /// The planned state of a file; `None` if no plan changes it.
    pub(crate) fn planned(&self, path: &VaultPath) -> Option<&PlannedFile> {
        self.overlay.as_ref()?.files.get(path)
    }

    /// Whether a folder is planned that does not exist yet.
    pub(crate) fn plans_folder(&self, path: &VaultPath) -> bool {
        let overlay = self.overlay.as_ref();
        overlay.is_some_and(|overlay| overlay.folders.contains(path))
    }

    /// The planned files and folders directly in `folder` that the caller sees.
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

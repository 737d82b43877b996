//! The path of a new file: a free name, in folders that exist or are made.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::name::{check_new_name, with_added};
use obsidian_note::path::{PathError, normal_spelling};
use obsidian_note::{VaultPath, Warning};
use vault_files::disk::list;
use vault_files::file_type::is_binary_extension;
use vault_files::{Blocked, EngineError, Obstacle, PlannedFile, Refusal, Vault};
use vault_index::target::file_path;

use super::Change;
use crate::Editor;

/// Returns the path of a note to create or overwrite: no name in it starts with a dot.
pub(super) fn note_path(text: &str) -> Result<VaultPath, EngineError> {
    let path = file_path(text)?;
    if path.is_hidden() {
        return Err(EngineError::path(text, PathError::Hidden));
    }
    Ok(path)
}

/// As [`note_path`], for a note that does not exist yet: its name must be allowed for a new file
/// (`vault-semantics.md` §7.2).
pub(super) fn new_path(text: &str) -> Result<VaultPath, EngineError> {
    let path = note_path(text)?;
    check_new_path(&path).map_err(|reason| EngineError::path(text, reason))?;
    Ok(path)
}

/// As [`new_path`], for a file that is made from text.
pub(super) fn new_text_path(text: &str) -> Result<VaultPath, EngineError> {
    let path = new_path(text)?;
    check_text_path(&path)?;
    Ok(path)
}

/// Fails if the extension is one of a file type that is never text.
pub(super) fn check_text_path(path: &VaultPath) -> Result<(), EngineError> {
    if is_binary_extension(path.extension()) {
        return Err(EngineError::NoTextFile { path: path.clone() });
    }
    Ok(())
}

/// Checks the path of a new file: its name must be allowed for a new file, and no system may read
/// the path as one outside the vault (`threats.toml` D01).
pub(crate) fn check_new_path(path: &VaultPath) -> Result<(), PathError> {
    if path.is_absolute_elsewhere() {
        return Err(PathError::Escape);
    }
    check_new_name(path.name())
}

impl Editor<'_> {
    /// `path` if its name is free in its folder, ignoring case; else the first free one of
    /// `a 1.md`, `a 2.md` … A name that would be too long is shortened.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn free_path(&self, path: &VaultPath) -> Result<VaultPath, EngineError> {
        let folder = path.parent();
        let taken = names(self, &folder)?;
        let named = |added: &str| {
            EngineError::path_below(&folder, [with_added(path.name(), added).as_str()])
        };
        let mut candidate = named("")?;
        // Each name that is taken rules out one number at most, so one of these is free.
        for number in 1..=taken.len() + 1 {
            if !taken.contains(&candidate.name().to_lowercase()) {
                break;
            }
            candidate = named(&format!(" {number}"))?;
        }
        Ok(candidate)
    }

    /// Returns the paths of what is directly in this folder, by its name in lower case; empty if there is no such folder.
    /// Some disks do not distinguish names that differ only in case, so only one of them can be made.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn paths_in_any_case(
        &self,
        folder: &VaultPath,
    ) -> Result<BTreeMap<String, Vec<VaultPath>>, EngineError> {
        let mut paths: BTreeMap<String, Vec<VaultPath>> = BTreeMap::new();
        for name in seen_names(self, folder)? {
            // A name that no path can have is no twin of a path.
            if let Ok(path) = folder.join(&name) {
                paths.entry(name.to_lowercase()).or_default().push(path);
            }
        }
        Ok(paths)
    }

    /// As [`Self::free_path`], with a warning if that is another path than the one that the caller named.
    pub(super) fn path_for_name(
        &self,
        wanted: VaultPath,
        warnings: &mut Vec<Warning>,
    ) -> Result<VaultPath, EngineError> {
        let path = self.free_path(&wanted)?;
        if path != wanted {
            warnings.push(Warning::NameTaken {
                path: path.clone(),
                wanted,
            });
        }
        Ok(path)
    }

    /// Checks that a file may be created at this path (`vault-semantics.md` §7.2).
    ///
    /// # Errors
    ///
    /// If its name, or the name of a folder that would be made for it, is not allowed for a new one, or if another
    /// system would read the path as outside the vault.
    pub fn check_new_path(&self, path: &VaultPath) -> Result<(), EngineError> {
        let refused = |reason| EngineError::path(path.as_str(), reason);
        check_new_path(path).map_err(refused)?;
        let names = path.components().enumerate();
        let folders = names.take(path.components().count().saturating_sub(1));
        for (index, name) in folders {
            if !self.is_there(&path.beginning(index + 1)) {
                check_new_name(name).map_err(refused)?;
            }
        }
        Ok(())
    }
}

/// Returns the names in a folder in lower case, empty if there is no such folder.
fn names(vault: &Vault, folder: &VaultPath) -> Result<BTreeSet<String>, EngineError> {
    let names = seen_names(vault, folder)?;
    Ok(names.into_iter().map(|name| name.to_lowercase()).collect())
}

/// Whether a file that the caller cannot see keeps a new file from this path, in any letter case.
pub(super) fn is_taken_in_any_case(vault: &Vault, path: &VaultPath) -> Result<bool, EngineError> {
    let (folder, wanted) = (path.parent(), path.name().to_lowercase());
    let names = if vault.is_limited() {
        seen_names(vault, &folder)?
    } else {
        Vec::new()
    };
    let mut same = names.iter().filter(|name| name.to_lowercase() == wanted);
    Ok(same.any(|name| {
        folder
            .join(name)
            .is_ok_and(|path| vault.is_taken_unseen(&path))
    }))
}

/// Returns the names in a folder that the caller may see or that are taken; empty if there is no such folder.
pub(super) fn seen_names(vault: &Vault, folder: &VaultPath) -> Result<Vec<String>, EngineError> {
    let planned = vault
        .planned_in(folder)
        .into_iter()
        .map(|path| path.name().to_owned());
    let opened = match vault.folder(folder) {
        Ok(opened) => opened,
        // If a file is in the place of the folder, `missing_folders` reports that later.
        Err(blocked) if blocked.obstacle.is_absence() => {
            return Ok(planned.collect());
        }
        Err(blocked) => return Err(EngineError::from_blocked_path(folder, blocked)),
    };
    let entries = list(&opened).map_err(|source| EngineError::io(folder, source))?;
    Ok(entries
        .iter()
        .map(|entry| entry.name.to_string_lossy())
        .filter(|name| is_seen(vault, folder, name))
        .map(|name| normal_spelling(&name))
        .chain(planned)
        .collect())
}

/// Whether the caller may see the entry with this name or it is taken, and no planned step changes it.
fn is_seen(vault: &Vault, folder: &VaultPath, name: &str) -> bool {
    let seen = |path: VaultPath| {
        (vault.sees(&path) || vault.sees_folder(&path) || vault.is_taken_unseen(&path))
            && vault.planned(&path).is_none()
            && !vault.plans_no_folder(&path)
    };
    vault.sight().is_none() && vault.overlay().is_none() || folder.join(name).is_ok_and(seen)
}

/// Returns the steps that make a folder and its parents, without those that exist.
pub(super) fn missing_folders(
    vault: &Vault,
    folder: &VaultPath,
) -> Result<Vec<Change>, EngineError> {
    // A folder that a planned step removes is still on the disk, below which only what is new would be missing.
    let mut above = (1..=folder.components().count()).map(|count| folder.beginning(count));
    let removed = above.find(|path| vault.plans_no_folder(path));
    let opened = match &removed {
        Some(removed) => vault.folder(removed),
        None => vault.folder(folder),
    };
    match opened {
        Ok(_) => Ok(Vec::new()),
        Err(Blocked {
            obstacle: Obstacle::Missing,
            at,
        }) => (at.components().count()..=folder.components().count())
            .map(|count| folder.beginning(count))
            .filter(|path| !vault.plans_folder(path))
            .map(|path| match vault.planned(&path) {
                None | Some(PlannedFile::Gone) if !vault.is_taken_unseen(&path) => {
                    Ok(Change::MakeFolder { path })
                }
                _ => Err(EngineError::Refused(Refusal::NotAFolder {
                    target: path.to_string(),
                })),
            })
            .collect(),
        Err(Blocked {
            obstacle: Obstacle::NotAFolder,
            at,
        }) => {
            let target = at.to_string();
            Err(EngineError::Refused(Refusal::NotAFolder { target }))
        }
        Err(blocked) => {
            let at = blocked.at.clone();
            Err(EngineError::from_blocked_path(&at, blocked))
        }
    }
}

/// Returns the steps that create a note at a free path, with the folders that are missing.
pub(super) fn made(
    vault: &Vault,
    path: &VaultPath,
    after: Vec<u8>,
) -> Result<Vec<Change>, EngineError> {
    let mut changes = folders_for(vault, path)?;
    changes.push(Change::Create {
        path: path.clone(),
        after,
    });
    Ok(changes)
}

/// As [`made`], for a path that the caller names: fails as [`check_case`] does.
pub(super) fn made_as_named(
    vault: &Vault,
    path: &VaultPath,
    after: Vec<u8>,
) -> Result<Vec<Change>, EngineError> {
    let changes = made(vault, path, after)?;
    check_case(vault, path, &changes)?;
    Ok(changes)
}

/// Fails if the first folder that these steps make for a path differs from something that exists only in case. Not every
/// system distinguishes the two.
pub(super) fn check_case(
    vault: &Vault,
    path: &VaultPath,
    steps: &[Change],
) -> Result<(), EngineError> {
    let Some(Change::MakeFolder { path: first }) = steps.first() else {
        return Ok(());
    };
    let parent = first.parent();
    let wanted = first.name().to_lowercase();
    let names = seen_names(vault, &parent)?;
    let Some(name) = names.iter().find(|name| name.to_lowercase() == wanted) else {
        return Ok(());
    };
    let refused = |reason| EngineError::path(path.as_str(), reason);
    let twin = parent.join(name).map_err(refused)?;
    let below = path.components().skip(first.components().count());
    let mut below = below.map(ToString::to_string);
    let instead = below.try_fold(twin.clone(), |folder, name| folder.join(&name));
    Err(EngineError::FolderTaken {
        path: twin,
        instead: instead.map_err(refused)?,
    })
}

/// Returns the steps that make the missing folders of a file at its new path. No folder with a forbidden name is made
/// for it.
pub(super) fn folders_for(vault: &Vault, path: &VaultPath) -> Result<Vec<Change>, EngineError> {
    let changes = missing_folders(vault, &path.parent())?;
    for change in &changes {
        if let Change::MakeFolder { path: folder } = change {
            check_new_name(folder.name())
                .map_err(|reason| EngineError::path(path.as_str(), reason))?;
        }
    }
    Ok(changes)
}

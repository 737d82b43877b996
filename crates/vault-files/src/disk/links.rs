//! Reading through symlinked folders, if the owner has allowed it.
//!
//! As in the app, the target must be apart from the vault: neither inside nor around it (`vault-semantics.md` §2.1).
//! Stricter than the app, only links in the vault itself are followed, not links behind a link: so no chain and no loop
//! can arise. Links to files, and to folders below a name that starts with a dot, are not followed either.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use obsidian_note::VaultPath;
use obsidian_note::name;

use super::system::is_still_at;
use super::{Blocked, Disk, Folder, Obstacle, named};

/// The folder that a symlink leads to.
pub(crate) struct Linked {
    pub(crate) folder: Folder,
    /// Its canonical path on this machine.
    pub(crate) place: PathBuf,
}

impl Disk {
    /// Returns the same vault; with `reads_links`, reading follows symlinks to folders outside of it.
    pub(crate) fn reading_links(self, reads_links: bool) -> Self {
        Self {
            reads_links,
            ..self
        }
    }

    /// The folder that the symlink at `path` leads to; `None` if it must not be read.
    pub(crate) fn linked(&self, path: &VaultPath) -> Option<Linked> {
        if !self.reads_links {
            return None;
        }
        let (parent, place) = self.placed_folder(&path.parent()).ok()?;
        let link = |folder: &Folder, on_disk: &OsStr| match folder.folder(on_disk) {
            Err(Obstacle::Symlink) => Ok(place.join(on_disk)),
            Ok(_) => Err(Obstacle::Missing),
            Err(other) => Err(other),
        };
        let link = named(&parent, path.name(), link).ok()?;
        // Resolves chains of links outside of the vault; the checks below see only the final
        // target.
        let place = std::fs::canonicalize(link).ok()?;
        if !may_be_read(&place, &self.place) {
            return None;
        }
        let folder = Folder::open(&place).ok()?;
        // Race: a symlink may have come into the path between `canonicalize` and `open`.
        is_still_at(&folder, &place).then_some(Linked { folder, place })
    }

    /// Opens the folder `path` through the symlink `link`, which is a part of that path.
    pub(super) fn folder_through_link(
        &self,
        path: &VaultPath,
        link: VaultPath,
    ) -> Result<Folder, Blocked> {
        let Some(Linked { mut folder, .. }) = self.linked(&link) else {
            return Err(Obstacle::Symlink.at(link));
        };
        let below = path.components().enumerate();
        for (index, name) in below.skip(link.components().count()) {
            folder = named(&folder, name, Folder::folder)
                .map_err(|obstacle| obstacle.at(path.beginning(index + 1)))?;
        }
        Ok(folder)
    }
}

/// Whether two canonical paths are equal, or one contains the other.
pub(crate) fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// Whether the folder at the canonical path `place` is apart from the vault at `vault`, and not
/// below a name that starts with a dot, unless the vault is below the same one.
fn may_be_read(place: &Path, vault: &Path) -> bool {
    let apart = place
        .components()
        .zip(vault.components())
        .take_while(|(one, other)| one == other)
        .count();
    let is_hidden = |component: Component<'_>| matches!(component, Component::Normal(name) if name::from_disk(name).is_none());
    !overlap(place, vault) && !place.components().skip(apart).any(is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("links_cases.txt");

    #[test]
    fn a_folder_counts_apart_from_the_vault_and_from_hidden_ones() {
        for (place, expected) in
            tables::typed::<(&str, bool)>(CASES, "a folder counts apart from the vault")
        {
            let found = may_be_read(Path::new(place), Path::new("/home/me/vault"));
            assert_eq!(found, expected, "{place}");
        }
        let vault = Path::new("/home/me/.notes/vault");
        assert!(may_be_read(Path::new("/home/me/.notes/shared"), vault));
        assert!(!may_be_read(Path::new("/home/me/.ssh"), vault));
    }
}

//! The folders outside of the vault that its owner has set in the settings: notes are exported to one
//! and imported from the other.

use std::path::Path;

use vault_engine::Vault;

use crate::error::Error;
use crate::vault::Vaults;
use backend::PinnedVault;
use protocol::failure::Failure;
use sandbox::private_dir;
use settings::Folders;

/// A folder outside of the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutsideFolder {
    /// Copies of notes are exported to it.
    Export,
    /// Notes are imported from it.
    Import,
}

impl OutsideFolder {
    /// Returns the key of the folder in the settings.
    const fn key(self) -> &'static str {
        match self {
            Self::Export => "export_folder",
            Self::Import => "import_folder",
        }
    }

    /// The failure does not name the folder, because it is a path of this machine.
    fn unusable(self, what: &'static str) -> Error {
        let key = self.key();
        Error::UnusableFolder(key.replace('_', " "), key, what)
    }
}

impl Vaults<'_> {
    /// Checks the folder that the settings name with this key, `export_folder` or `import_folder`.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if exports or imports would refuse the folder.
    pub fn check_outside(&self, key: &str, vault: &PinnedVault) -> Result<(), Failure> {
        let mut folders = [OutsideFolder::Export, OutsideFolder::Import].into_iter();
        let folder = folders.find(|folder| folder.key() == key);
        folder.map_or(Ok(()), |folder| self.open_outside(folder, vault).map(drop))
    }

    /// Opens a folder outside of the vault.
    ///
    /// # Errors
    ///
    /// `CONFIG_INVALID` if it is not set, is a symlink, or overlaps with the vault or a folder of this
    /// program.
    pub(super) fn open_outside(
        &self,
        which: OutsideFolder,
        vault: &PinnedVault,
    ) -> Result<Vault, Failure> {
        let folder = match which {
            OutsideFolder::Export => &self.caller.settings.export_folder,
            OutsideFolder::Import => &self.caller.settings.import_folder,
        };
        let unusable = |what| which.unusable(what);
        let folder = folder.as_deref().ok_or_else(|| unusable("is not set"))?;
        let found = fs_err::symlink_metadata(folder)
            .map_err(|_| unusable("does not exist or cannot be accessed"))?;
        if found.is_symlink() {
            return Err(unusable("is a symlink, whose target could change at any time").into());
        }
        let opened = Vault::open(folder).map_err(|_| unusable("cannot be opened as a folder"))?;
        if overlap(opened.root(), vault.root()) {
            return Err(unusable("overlaps with the vault").into());
        }
        let folders = Folders::new(&self.caller.environment);
        let own = [folders.settings_file(), folders.state(), folders.cache()];
        let own = own.into_iter().flatten();
        if own.into_iter().any(|own| overlap(opened.root(), &own)) {
            return Err(unusable("overlaps with a folder of this program").into());
        }
        Ok(opened)
    }
}

/// Whether one path is the other or contains it. A missing folder contains nothing; one that cannot
/// be examined counts as overlapping, to fail closed.
fn overlap(one: &Path, other: &Path) -> bool {
    let within = |inner: &Path, outer: &Path| match private_dir::lies_within(inner, outer) {
        Ok(within) => within,
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    };
    let is_same = fs_err::canonicalize(other).is_ok_and(|other| other == one);
    is_same || within(one, other) || within(other, one)
}

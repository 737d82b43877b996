//! Lost contents that are too large for an entry. Each is stored once, compressed, in a file named
//! after the SHA-256 of the content.

use vault_engine::Version;

use super::enclosed::Enclosed;
use super::name;
use super::packed::unpack;
use crate::error::StoreError;
use crate::state_folder::StateFolder;
use protocol::{Code, Failure, digest::hexadecimal};

/// Largest file that is read, in bytes: an entry of a hundred thousand paths, or one content.
pub(super) const MAX_BYTES: u64 = 2 << 30;

/// Stores a packed content. When this returns, the file and its name are durable.
///
/// An existing file is read and compared first, because it may be damaged.
pub(super) fn keep(
    folder: &StateFolder,
    version: &Version,
    packed: &[u8],
) -> Result<(), StoreError> {
    let name = name::blob(&version.sha256);
    let kept = folder.read(&name, MAX_BYTES)?;
    if kept.is_none_or(|kept| unpack(&kept, version).is_none()) {
        folder.write(&name, packed)?;
    }
    // Also for an existing file: its writer may have been killed before this.
    folder.sync_names()
}

/// Reads the content of this version from the entry or from its own file. Fails if it is missing or
/// has another hash.
pub(super) fn read(
    folder: &StateFolder,
    enclosed: &Enclosed,
    version: &Version,
) -> Result<Vec<u8>, Failure> {
    let from_file = || {
        let kept = folder
            .read(&name::blob(&version.sha256), MAX_BYTES)
            .ok()??;
        unpack(&kept, version)
    };
    enclosed.get(version).or_else(from_file).ok_or_else(|| {
        Code::IoError
            .failure(
                "Nothing was changed. The content that this call needs is missing from the undo \
                history, or is damaged there.",
            )
            .with("sha256", hexadecimal(&version.sha256))
    })
}

/// Whether the journal stores a content of this version, damaged or not.
pub(super) fn is_kept(folder: &StateFolder, enclosed: &Enclosed, version: &Version) -> bool {
    enclosed.holds(&version.sha256) || folder.state_of(&name::blob(&version.sha256)).is_some()
}

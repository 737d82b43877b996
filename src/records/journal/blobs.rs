//! Contents that would be lost and are too large for an entry: each once, compressed, named by the
//! SHA-256 of what it holds.

use vault_engine::{State, Version};

use super::enclosed::Enclosed;
use super::name;
use super::packed::unpack;
use crate::code::Code;
use crate::digest::hexadecimal;
use crate::failure::Failure;
use crate::private_dir::Unsafe;
use crate::records::state_folder::StateFolder;

/// Largest file that is read, in bytes: an entry of a hundred thousand paths, or a content.
pub(super) const MAX_BYTES: u64 = 2 << 30;

/// Keeps a packed content. It is on the disk then, and so is its name.
///
/// One that is there already is read and compared first: a damaged one is no copy.
pub(super) fn keep(folder: &StateFolder, version: &Version, packed: &[u8]) -> Result<(), Unsafe> {
    let name = name::blob(&version.sha256);
    let kept = folder.read(&name, MAX_BYTES)?;
    if kept.is_none_or(|kept| unpack(&kept, version).is_none()) {
        folder.write(&name, packed)?;
    }
    // Also where it was there: whoever wrote it may have been killed before this.
    folder.sync_names()
}

/// The content of this version, from the entry that needs it or from its own file. One that is
/// missing or not what its name says is refused.
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
    enclosed
        .get(version)
        .or_else(from_file)
        .ok_or_else(|| {
            Failure::new(
                Code::IoError,
                "The journal has lost a content that is needed for this, or it was damaged. Nothing was changed.",
            )
            .with("sha256", hexadecimal(&version.sha256))
        })
}

/// Whether there is a content of this version, damaged or not.
pub(super) fn is_kept(folder: &StateFolder, enclosed: &Enclosed, version: &Version) -> bool {
    enclosed.holds(&version.sha256) || folder.state_of(&name::blob(&version.sha256)).is_some()
}

/// The hash of a state's content; none for what has none.
pub(super) fn hash(state: &State) -> Option<[u8; 32]> {
    state.version().map(|version| version.sha256)
}

//! Contents that would be lost: each once, compressed, named by the SHA-256 of what it holds.

use std::io;

use vault_engine::{State, Version};

use super::folder::Folder;
use super::name;
use crate::code::Code;
use crate::failure::Failure;

/// Keeps a content. It is on the disk then, but for its name.
///
/// One that is there already is read and compared first: a damaged one is no copy.
pub(super) fn keep(folder: &Folder, version: &Version, bytes: &[u8]) -> io::Result<()> {
    let name = name::blob(&version.sha256);
    match folder.read(&name) {
        Ok(kept) if unpack(&kept, version).is_some() => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    folder.write(&name, &lz4_flex::block::compress(bytes))
}

/// The content of this version. One that is missing or not what its name says is refused.
pub(super) fn read(folder: &Folder, version: &Version) -> Result<Vec<u8>, Failure> {
    folder
        .read(&name::blob(&version.sha256))
        .ok()
        .and_then(|kept| unpack(&kept, version))
        .ok_or_else(|| {
            Failure::new(
                Code::IoError,
                "The journal has lost a content that is needed for this, or it was damaged. Nothing was changed.",
            )
            .with("sha256", name::hexadecimal(&version.sha256))
        })
}

/// The content, where it is the right one. Its size is known, so that a damaged file cannot make
/// this program hold more than that.
fn unpack(kept: &[u8], version: &Version) -> Option<Vec<u8>> {
    let size = usize::try_from(version.size).ok()?;
    let bytes = lz4_flex::block::decompress(kept, size).ok()?;
    (Version::of(&bytes) == *version).then_some(bytes)
}

/// The hash of a state's content; none for what has none.
pub(super) fn hash(state: &State) -> Option<[u8; 32]> {
    state.version().map(|version| version.sha256)
}

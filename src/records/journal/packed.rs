//! Contents compressed for the journal.

use vault_engine::Version;

/// A content as it is kept.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(bytes)
}

/// The content, where it is the right one. Its size is known, so that a damaged file cannot make
/// this program hold more than that.
pub(super) fn unpack(kept: &[u8], version: &Version) -> Option<Vec<u8>> {
    let size = usize::try_from(version.size).ok()?;
    let bytes = lz4_flex::block::decompress(kept, size).ok()?;
    (Version::of(&bytes) == *version).then_some(bytes)
}

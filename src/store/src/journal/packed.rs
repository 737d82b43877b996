//! Contents compressed for the journal.

use vault_engine::Version;

/// Compresses a content with LZ4, without a header.
pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(bytes)
}

/// Decompresses a content and checks its hash. The expected size bounds the memory, so that a damaged
/// file cannot exhaust it.
pub(super) fn unpack(kept: &[u8], version: &Version) -> Option<Vec<u8>> {
    let size = usize::try_from(version.size).ok()?;
    let bytes = lz4_flex::block::decompress(kept, size).ok()?;
    (Version::from_bytes(&bytes) == *version).then_some(bytes)
}

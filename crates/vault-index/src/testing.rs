//! Damaged files, for tests.

use std::path::Path;

use proptest::sample::Index;

/// Changes bytes of a file by XOR at these places, and cuts it off at `end`.
pub(crate) fn damage(path: &Path, patches: Vec<(Index, u8)>, end: Option<Index>) {
    let mut bytes = fs_err::read(path).unwrap();
    for (place, change) in patches {
        let place = place.index(bytes.len());
        bytes[place] ^= change;
    }
    if let Some(end) = end {
        bytes.truncate(end.index(bytes.len()));
    }
    fs_err::write(path, bytes).unwrap();
}

//! Remembers nothing: on this system no single call proves that a path is still canonical.

use std::path::Path;

pub(super) fn is_known(_path: &Path, _folder: &Path) -> bool {
    false
}

pub(super) fn remember(_path: &Path, _folder: &Path) {}

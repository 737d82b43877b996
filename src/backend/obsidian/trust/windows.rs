//! Windows keeps rights in access lists, which the standard library cannot read. What stands
//! under the install folders is protected by the system; the rest is the user's own choice.

use std::path::Path;

use super::Distrust;

/// Checks that the file can be looked at at all; access lists are not read.
pub fn check(path: &Path) -> Result<(), Distrust> {
    fs_err::metadata(path)
        .map(drop)
        .map_err(|_unreadable| Distrust::Unreadable)
}

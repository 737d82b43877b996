//! Windows stores permissions in access control lists, which the standard library cannot read. The
//! system protects the install folders; any other location is the user's own choice.

use std::path::Path;

use super::Distrust;

/// Checks that the file's metadata can be read. Does not read access control lists.
///
/// # Errors
///
/// [`Distrust::Unreadable`] if the metadata cannot be read.
pub fn check(path: &Path) -> Result<(), Distrust> {
    fs_err::metadata(path)
        .map(drop)
        .map_err(|_unreadable| Distrust::Unreadable)
}

//! Files and folders that a program made in its working copy and that are never taken over.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;

use vault_engine::VaultPath;

use super::WorkingCopy;

/// The maximum number of entries that are named.
const MOST: usize = 1000;

impl WorkingCopy {
    /// Returns the files and folders of the copy that are never taken over because of their kind or name, with the
    /// reason.
    pub fn left_out(&self) -> BTreeMap<String, &'static str> {
        let root = self.root();
        let mut left_out = BTreeMap::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let name = entry.file_name();
                let path = entry.path();
                let path = path
                    .strip_prefix(&root)
                    .unwrap_or(&path)
                    .to_string_lossy()
                    .into_owned();
                let reason = if name.as_bytes().starts_with(b".") {
                    "its name begins with a dot"
                } else if name.to_str().is_none() {
                    "its name is not UTF-8 text"
                } else if kind.is_symlink() {
                    "it is a symbolic link"
                } else if VaultPath::file(&path).is_err() {
                    "its path is too long or has more than 128 levels"
                } else if kind.is_dir() {
                    folders.push(entry.path());
                    continue;
                } else if kind.is_file() {
                    continue;
                } else {
                    "it is not a file"
                };
                left_out.insert(path, reason);
                if left_out.len() == MOST {
                    return left_out;
                }
            }
        }
        left_out
    }
}

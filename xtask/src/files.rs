//! File operations for chores.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::Fault;

/// The files below a folder, relative to it; with `with_hidden` also those that begin with a dot.
pub(crate) fn below(folder: &Path, with_hidden: bool) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(inside) = waiting.pop() {
        for entry in fs_err::read_dir(folder.join(&inside))? {
            let entry = entry?;
            let name = entry.file_name();
            if !with_hidden && name.to_string_lossy().starts_with('.') {
                continue;
            }
            let path = inside.join(name);
            if entry.file_type()?.is_dir() {
                waiting.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Writes a file, with the folders above it.
pub(crate) fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Fault> {
    make_folder_of(file)?;
    Ok(fs_err::write(file, bytes)?)
}

/// Copies a file with its permissions, and makes the folders above its copy; its size.
pub(crate) fn copy(source: &Path, target: &Path) -> Result<usize, Fault> {
    make_folder_of(target)?;
    Ok(usize::try_from(fs_err::copy(source, target)?)?)
}

fn make_folder_of(file: &Path) -> Result<(), Fault> {
    let folder = file.parent().ok_or("a file without a folder")?;
    Ok(fs_err::create_dir_all(folder)?)
}

/// Makes an empty folder, and removes its former contents.
pub(crate) fn renew(folder: &Path) -> Result<(), Fault> {
    remove(folder)?;
    Ok(fs_err::create_dir_all(folder)?)
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove(folder: &Path) -> Result<(), Fault> {
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

//! Determines the parts of a folder that a program may read if a person names the folder.

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use sandbox::{Access, Place};

/// Returns the places of a folder that may be read. A mount for reading does not keep a program from connecting to a
/// socket or from writing to a pipe in it, so a folder with one is shown entry by entry, without these and without
/// links.
pub(super) fn places(folder: &Path, closed: &[PathBuf]) -> Vec<Place> {
    let mut places = vec![Place::same(folder, Access::Read)];
    let mut folders = vec![fs_err::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())];
    while let Some(folder) = folders.pop() {
        let entries = fs_err::read_dir(&folder).into_iter().flatten().flatten();
        let entries = entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)));
        let entries: Vec<_> = entries.filter(|(path, _)| !closed.contains(path)).collect();
        let inner = entries.iter().filter(|(_, kind)| kind.is_dir());
        folders.extend(inner.map(|(path, _)| path.clone()));
        if entries
            .iter()
            .any(|(_, kind)| kind.is_socket() || kind.is_fifo())
        {
            // The content of this place outside would cover it.
            places.retain(|place| place.at != folder);
            places.push(Place::private(&folder, Access::Read));
            let shown = entries
                .iter()
                .filter(|(_, kind)| kind.is_dir() || kind.is_file());
            places.extend(shown.map(|(path, _)| Place::same(path, Access::Read)));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn m04_no_socket_of_a_folder_for_reading_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        let at = |name: &str| root.join(name);
        for name in ["a/b", "a/c", "d"] {
            fs_err::create_dir_all(at(name)).unwrap();
        }
        fs_err::write(at("a/file"), "").unwrap();
        assert_eq!(places(&root, &[]), [Place::same(&root, Access::Read)]);
        let _bound = ["a/socket", "a/c/socket", "d/socket"]
            .map(|name| UnixListener::bind(at(name)).unwrap());
        let mut found = places(&root, &[at("d")]);
        let mut expected = vec![
            Place::same(&root, Access::Read),
            Place::private(at("a"), Access::Read),
            Place::same(at("a/b"), Access::Read),
            Place::same(at("a/file"), Access::Read),
            Place::private(at("a/c"), Access::Read),
        ];
        let name = |place: &Place| place.at.clone();
        found.sort_by_key(name);
        expected.sort_by_key(name);
        assert_eq!(found, expected);
    }
}

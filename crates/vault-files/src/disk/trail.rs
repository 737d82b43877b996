//! Opens folders one after another in the order of their paths.

use obsidian_note::VaultPath;

use super::{Blocked, Disk, Folder, Obstacle, named};

/// The open folders on the way to the last opened folder. They stay open, so each following folder is opened from its
/// parent (`threats.toml` D15).
pub struct FolderTrail<'disk> {
    disk: &'disk Disk,
    /// The path of the last of `open`.
    path: VaultPath,
    /// One folder for each component of `path`.
    open: Vec<Folder>,
    /// The requested folder, if a symlink is on the way to it.
    behind_link: Option<Folder>,
}

impl<'disk> FolderTrail<'disk> {
    /// A trail that begins at the root of the vault.
    pub fn new(disk: &'disk Disk) -> Self {
        Self {
            disk,
            path: VaultPath::root(),
            open: Vec::new(),
            behind_link: None,
        }
    }

    /// Opens a folder for reading, as `Disk::folder_to_read` does.
    ///
    /// # Errors
    ///
    /// Fails if a part of the path is missing, a symlink, or of another type.
    pub fn folder_to_read(&mut self, path: &VaultPath) -> Result<&Folder, Blocked> {
        let shared = self
            .path
            .components()
            .zip(path.components())
            .take_while(|(left, right)| left == right)
            .count();
        self.open.truncate(shared);
        for name in path.components().skip(shared) {
            let above = self.open.last().unwrap_or(&self.disk.root);
            match named(above, name, Folder::folder) {
                Ok(folder) => self.open.push(folder),
                Err(obstacle) => {
                    self.path = path.beginning(self.open.len());
                    if self.disk.reads_links && matches!(obstacle, Obstacle::Symlink) {
                        let folder = self.disk.folder_to_read(path)?;
                        return Ok(self.behind_link.insert(folder));
                    }
                    return Err(obstacle.at(path.beginning(self.open.len() + 1)));
                }
            }
        }
        self.path = path.clone();
        Ok(self.open.last().unwrap_or(&self.disk.root))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::{Obstacle, trace};
    use super::*;

    const CASES: &str = include_str!("trail_cases.txt");

    fn folder(text: &str) -> VaultPath {
        VaultPath::folder(text).unwrap()
    }

    #[test]
    fn d15_neighbours_are_opened_from_the_folders_above_them() {
        let vault = tempfile::tempdir().unwrap();
        for name in ["a/b/c/d", "a/b/e", "f"] {
            fs_err::create_dir_all(vault.path().join(name)).unwrap();
            fs_err::write(vault.path().join(name).join("x.md"), name).unwrap();
        }
        let (disk, _) = Disk::open(vault.path()).unwrap();
        let mut trail = FolderTrail::new(&disk);
        for (name, steps) in tables::typed::<(&str, usize)>(CASES, "d15 neighbours are opened") {
            let (is_open, opened) =
                trace::count_folders(|| trail.folder_to_read(&folder(name)).is_ok());
            assert_eq!((is_open, opened), (true, steps), "{name}");
        }
        for missing in ["f/x.md", "f/y", "a/b/z/c"] {
            let alone = disk.folder_to_read(&folder(missing)).err().unwrap();
            let blocked = trail.folder_to_read(&folder(missing)).err().unwrap();
            assert_eq!(alone.at, blocked.at, "{missing}");
        }
        assert!(trail.folder_to_read(&folder("a/b/e")).is_ok());
    }

    #[test]
    fn d03_a_symlink_is_followed_only_where_that_is_allowed() {
        let place = tempfile::tempdir().unwrap();
        let (vault, outside) = (place.path().join("vault"), place.path().join("outside"));
        fs_err::create_dir_all(outside.join("in")).unwrap();
        fs_err::create_dir_all(vault.join("a")).unwrap();
        std::os::unix::fs::symlink(outside, vault.join("a/link")).unwrap();
        let (disk, _) = Disk::open(&vault).unwrap();
        let mut trail = FolderTrail::new(&disk);
        let blocked = trail.folder_to_read(&folder("a/link/in")).err().unwrap();
        assert!(matches!(blocked.obstacle, Obstacle::Symlink));
        assert_eq!(blocked.at, folder("a/link"));
        let disk = disk.reading_links(true);
        let mut trail = FolderTrail::new(&disk);
        assert!(trail.folder_to_read(&folder("a/link/in")).is_ok());
        assert!(trail.folder_to_read(&folder("a")).is_ok());
    }
}

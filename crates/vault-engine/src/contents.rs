//! What is in a vault: every regular file and every folder that is not hidden.

use std::ffi::OsString;
use std::io;
use std::rc::Rc;

use crate::disk::{Disk, Entry, Folder, Kind, Obstacle, list};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::warning::Warning;

/// How many levels of folders are kept open, so that a deep vault does not use up descriptors.
/// Deeper ones are opened again from the deepest kept one.
const HELD_LEVELS: usize = 32;

/// How much of each file a walk looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Names alone: one system call for many files.
    Names,
    /// Sizes too: one more call for each file.
    Sizes,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path.
    pub path: VaultPath,
    /// Its size in bytes; 0 for a walk with [`Detail::Names`].
    pub size: u64,
}

/// Everything below one folder (`vault-semantics.md` §2.1).
///
/// Names that start with a dot are left out with all that is below them, symlinks are counted and
/// not followed; nothing else is skipped. Both lists are in byte order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Files of every extension.
    pub files: Vec<FileEntry>,
    /// Folders, without the one that was walked.
    pub folders: Vec<VaultPath>,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

impl Contents {
    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.files
            .iter()
            .fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// Walks the folder `start`, which must be there and listable; what is wrong below it becomes
    /// warnings.
    pub(crate) fn read(
        disk: &Disk,
        start: &VaultPath,
        target: &str,
        detail: Detail,
    ) -> Result<Self, EngineError> {
        let folder = disk
            .folder(start)
            .map_err(|blocked| EngineError::of_folder(target, start, blocked))?;
        let entries = list(&folder).map_err(|source| EngineError::Io {
            path: start.clone(),
            source,
        })?;
        let mut walk = Walk {
            detail,
            found: Self::default(),
            symlinks: Skipped::default(),
            specials: Skipped::default(),
            pending: Vec::new(),
        };
        let root = Rc::new(folder);
        walk.take(&root, &Rc::clone(&root), &[], start, 0, entries);
        while let Some(next) = walk.pending.pop() {
            walk.visit(next);
        }
        Ok(walk.finish())
    }
}

/// A folder yet to be listed.
struct Pending {
    base: Rc<Folder>,
    /// Names on disk that lead from `base` to the folder.
    names: Vec<OsString>,
    path: VaultPath,
    level: usize,
}

impl Pending {
    fn open(&self) -> Result<Folder, Obstacle> {
        let mut opened: Option<Folder> = None;
        for name in &self.names {
            opened = Some(opened.as_ref().unwrap_or(&self.base).folder(name)?);
        }
        opened.ok_or(Obstacle::Missing)
    }
}

#[derive(Default)]
struct Skipped {
    count: usize,
    first: Option<VaultPath>,
}

impl Skipped {
    fn add(&mut self, path: VaultPath) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|first| path < *first) {
            self.first = Some(path);
        }
    }
}

struct Walk {
    detail: Detail,
    found: Contents,
    symlinks: Skipped,
    specials: Skipped,
    pending: Vec<Pending>,
}

impl Walk {
    fn visit(&mut self, next: Pending) {
        let listed = next.open().and_then(|folder| {
            let entries = list(&folder).map_err(Obstacle::Io)?;
            Ok((Rc::new(folder), entries))
        });
        match listed {
            Ok((folder, entries)) => {
                let Pending {
                    base,
                    names,
                    path,
                    level,
                } = next;
                if level < HELD_LEVELS {
                    let base = Rc::clone(&folder);
                    self.take(&folder, &base, &[], &path, level, entries);
                } else {
                    self.take(&folder, &base, &names, &path, level, entries);
                }
                self.found.folders.push(path);
            }
            Err(Obstacle::Io(error)) => {
                self.found.warnings.push(Warning::FolderUnreadable {
                    path: next.path.clone(),
                    reason: error.to_string(),
                });
                self.found.folders.push(next.path);
            }
            Err(Obstacle::Symlink) => self.symlinks.add(next.path),
            // It was a folder when its parent was listed, and is gone now.
            Err(
                Obstacle::Missing | Obstacle::NotAFolder | Obstacle::IsFolder | Obstacle::Special,
            ) => {}
        }
    }

    /// Sorts a folder's entries into the result and the folders yet to be listed.
    fn take(
        &mut self,
        folder: &Folder,
        base: &Rc<Folder>,
        names: &[OsString],
        path: &VaultPath,
        level: usize,
        entries: Vec<Entry>,
    ) {
        let mut children = self.named(path, entries);
        // The normal spelling comes first, as a look-up by path finds it first.
        children.sort_unstable_by(|(left, left_entry), (right, right_entry)| {
            let odd = |path: &VaultPath, entry: &Entry| *entry.name != *path.name();
            (left, odd(left, left_entry), &left_entry.name).cmp(&(
                right,
                odd(right, right_entry),
                &right_entry.name,
            ))
        });
        let mut previous: Option<VaultPath> = None;
        for (child, entry) in children {
            if previous.as_ref() == Some(&child) {
                self.found
                    .warnings
                    .push(Warning::SpellingsCollide { path: child });
                continue;
            }
            previous = Some(child.clone());
            match entry.kind {
                Kind::File => self.file(folder, &entry, child),
                Kind::Folder => self.pending.push(Pending {
                    base: Rc::clone(base),
                    names: names.iter().cloned().chain([entry.name]).collect(),
                    path: child,
                    level: level + 1,
                }),
                Kind::Symlink => self.symlinks.add(child),
                Kind::Special => self.specials.add(child),
            }
        }
    }

    /// Gives entries their paths; drops hidden ones, and with a warning those that have none.
    fn named(&mut self, folder: &VaultPath, entries: Vec<Entry>) -> Vec<(VaultPath, Entry)> {
        let mut named = Vec::with_capacity(entries.len());
        for entry in entries {
            if entry.name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let checked = match entry.name.to_str() {
                Some(name) => folder.join(name).map_err(Some),
                None => Err(None),
            };
            match checked {
                Ok(path) => named.push((path, entry)),
                Err(reason) => self.found.warnings.push(Warning::NameUnusable {
                    folder: folder.clone(),
                    name: entry.name.to_string_lossy().into_owned(),
                    reason,
                }),
            }
        }
        named
    }

    fn file(&mut self, folder: &Folder, entry: &Entry, path: VaultPath) {
        let size = match self.detail {
            Detail::Names => 0,
            Detail::Sizes => match folder.size(&entry.name) {
                Ok(size) => size,
                // It was there when the folder was listed, and is gone now.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return,
                Err(error) => {
                    self.found.warnings.push(Warning::SizeUnknown {
                        path: path.clone(),
                        reason: error.to_string(),
                    });
                    0
                }
            },
        };
        self.found.files.push(FileEntry { path, size });
    }

    fn finish(self) -> Contents {
        let mut found = self.found;
        found
            .files
            .sort_unstable_by(|left, right| left.path.cmp(&right.path));
        found.folders.sort_unstable();
        if let Some(path) = self.symlinks.first {
            found.warnings.push(Warning::SymlinksSkipped {
                count: self.symlinks.count,
                path,
            });
        }
        if let Some(path) = self.specials.first {
            found.warnings.push(Warning::SpecialFilesSkipped {
                count: self.specials.count,
                path,
            });
        }
        found
            .warnings
            .sort_by(|left, right| left.path().cmp(right.path()));
        found
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(root: &Path, detail: Detail) -> Contents {
        let (disk, _) = Disk::open(root).unwrap();
        Contents::read(&disk, &VaultPath::root(), "/", detail).unwrap()
    }

    fn files(contents: &Contents) -> Vec<&str> {
        contents
            .files
            .iter()
            .map(|file| file.path.as_str())
            .collect()
    }

    #[test]
    fn every_extension_and_no_hidden_name() {
        let vault = tempfile::tempdir().unwrap();
        for name in [
            "a.md",
            "bin/setup.sh",
            "node_modules/x.js",
            "README",
            ".obsidian/app.json",
            ".OBSIDIAN/x.md",
            "sub/.git/HEAD",
            "sub/.hidden.md",
            "sub/deep/b.png",
            ".gitignore",
        ] {
            let path = vault.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "12345").unwrap();
        }
        fs_err::create_dir(vault.path().join("empty")).unwrap();
        let contents = read(vault.path(), Detail::Sizes);
        assert_eq!(
            files(&contents),
            [
                "README",
                "a.md",
                "bin/setup.sh",
                "node_modules/x.js",
                "sub/deep/b.png"
            ]
        );
        let folders: Vec<&str> = contents.folders.iter().map(VaultPath::as_str).collect();
        assert_eq!(folders, ["bin", "empty", "node_modules", "sub", "sub/deep"]);
        assert_eq!(contents.size(), 25);
        assert_eq!(contents.warnings, []);
        assert_eq!(read(vault.path(), Detail::Names).size(), 0);
    }

    #[test]
    fn names_that_are_no_vault_paths_are_warnings() {
        let vault = tempfile::tempdir().unwrap();
        fs_err::write(vault.path().join("good.md"), "").unwrap();
        fs_err::write(vault.path().join("bad:name.md"), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(files(&contents), ["good.md"]);
        assert_eq!(
            contents.warnings,
            [Warning::NameUnusable {
                folder: VaultPath::root(),
                name: "bad:name.md".into(),
                reason: Some(crate::PathError::Character(':')),
            }]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn d08_two_spellings_of_one_name_are_one_file_and_a_warning() {
        let vault = tempfile::tempdir().unwrap();
        fs_err::write(vault.path().join("\u{e9}.md"), "composed").unwrap();
        fs_err::write(vault.path().join("e\u{301}.md"), "").unwrap();
        let contents = read(vault.path(), Detail::Sizes);
        assert_eq!(files(&contents), ["\u{e9}.md"]);
        assert_eq!(contents.size(), 8);
        let path = VaultPath::file("\u{e9}.md").unwrap();
        assert_eq!(contents.warnings, [Warning::SpellingsCollide { path }]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_name_that_is_not_unicode_is_a_warning() {
        use std::os::unix::ffi::OsStrExt as _;
        let vault = tempfile::tempdir().unwrap();
        let name = std::ffi::OsStr::from_bytes(b"\xff.md");
        fs_err::write(vault.path().join(name), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(contents.files, []);
        assert!(matches!(
            &contents.warnings[..],
            [Warning::NameUnusable { reason: None, .. }]
        ));
    }

    #[cfg(unix)]
    #[test]
    fn d03_symlinks_are_counted_and_not_followed() {
        use std::os::unix::fs::symlink;
        let vault = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs_err::write(outside.path().join("secret.md"), "").unwrap();
        symlink(outside.path(), vault.path().join("folder")).unwrap();
        symlink(".", vault.path().join("loop")).unwrap();
        symlink("nowhere", vault.path().join("dangling.md")).unwrap();
        let contents = read(vault.path(), Detail::Sizes);
        assert_eq!((contents.files.len(), contents.folders.len()), (0, 0));
        let path = VaultPath::file("dangling.md").unwrap();
        assert_eq!(
            contents.warnings,
            [Warning::SymlinksSkipped { count: 3, path }]
        );
    }

    #[cfg(unix)]
    #[test]
    fn an_unreadable_folder_is_one_warning() {
        use std::os::unix::fs::PermissionsExt as _;
        let vault = tempfile::tempdir().unwrap();
        let locked = vault.path().join("locked");
        fs_err::create_dir(&locked).unwrap();
        fs_err::write(vault.path().join("a.md"), "").unwrap();
        fs_err::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
        // The superuser may list it all the same; then there is nothing to see here.
        let readable = fs_err::read_dir(&locked).is_ok();
        let contents = read(vault.path(), Detail::Names);
        fs_err::set_permissions(&locked, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(files(&contents), ["a.md"]);
        assert_eq!(contents.folders.len(), 1);
        assert_eq!(contents.warnings.len(), usize::from(!readable));
    }

    #[test]
    fn d14_a_vault_deeper_than_the_held_folders_is_walked_to_its_end() {
        let vault = tempfile::tempdir().unwrap();
        let deep = ["d"; 3 * HELD_LEVELS].join("/");
        fs_err::create_dir_all(vault.path().join(&deep)).unwrap();
        fs_err::write(vault.path().join(&deep).join("end.md"), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(files(&contents), [format!("{deep}/end.md")]);
        assert_eq!(contents.folders.len(), 3 * HELD_LEVELS);
    }
}

//! What is in a vault: every regular file and every folder that is not hidden.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use crate::disk::{Disk, Entry, Folder, Kind, Linked, Obstacle, Stamp, list, overlap};
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::warning::Warning;

/// Up to how many folders side by side are kept open for what is below them, so that a wide vault
/// does not use up descriptors. Where there are more, each is opened again from one that is kept.
const HELD_FOLDERS: usize = 128;
/// From how many folders or files on it pays to look at them in parallel.
const PARALLEL: usize = 64;

/// How much of each file a walk looks up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Names alone: one system call for many files.
    Names,
    /// Sizes too: one more call for each file.
    Sizes,
    /// What tells whether notes and canvases were changed: one more call for each of them.
    Stamps,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path.
    pub path: VaultPath,
    /// Its size in bytes; 0 unless the walk was one with [`Detail::Sizes`].
    pub size: u64,
    /// What tells whether it was changed; only for notes and canvases, and with
    /// [`Detail::Stamps`].
    pub(crate) stamp: Option<Stamp>,
}

/// Everything below one folder (`vault-semantics.md` §2.1).
///
/// Names that start with a dot are left out with all that is below them; symlinks are counted and
/// not followed, but for folders where the vault was opened so. Nothing else is skipped. Both lists are in byte order of their paths.
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
            .folder_to_read(start)
            .map_err(|blocked| EngineError::of_folder(target, start, blocked))?;
        let entries = list(&folder).map_err(|source| EngineError::Io {
            path: start.clone(),
            source,
        })?;
        let mut walk = Walk::new(disk);
        let root = Arc::new(folder);
        let mut level = walk.take(Listed::of(&root, &root, &[], start, entries, detail));
        while !level.is_empty() {
            let hold = level.len() <= HELD_FOLDERS;
            let visit = |next: Pending| {
                if disk.stop().is_wished() {
                    return Listed::default();
                }
                next.visit(detail, hold)
            };
            let listed: Vec<Listed> = if level.len() < PARALLEL {
                level.into_iter().map(visit).collect()
            } else {
                level.into_par_iter().map(visit).collect()
            };
            level = listed
                .into_iter()
                .flat_map(|listed| walk.take(listed))
                .collect();
        }
        disk.stop().check()?;
        Ok(walk.finish())
    }
}

/// A folder yet to be listed.
struct Pending {
    base: Arc<Folder>,
    /// Names on disk that lead from `base` to the folder; none where it is `base`.
    names: Vec<OsString>,
    path: VaultPath,
}

impl Pending {
    fn open(&self) -> Result<Folder, Obstacle> {
        let mut opened: Option<Folder> = None;
        for name in &self.names {
            opened = Some(opened.as_ref().unwrap_or(&self.base).folder(name)?);
        }
        opened.map_or_else(|| self.base.again().map_err(Obstacle::Io), Ok)
    }

    /// Lists the folder; with `hold` it stays open for the folders in it.
    fn visit(self, detail: Detail, hold: bool) -> Listed {
        let listed = self.open().and_then(|folder| {
            let entries = list(&folder).map_err(Obstacle::Io)?;
            Ok((Arc::new(folder), entries))
        });
        let mut listed = match listed {
            Ok((folder, entries)) => {
                let (base, names) = if hold {
                    (&folder, &[][..])
                } else {
                    (&self.base, &self.names[..])
                };
                Listed::of(&folder, base, names, &self.path, entries, detail)
            }
            Err(Obstacle::Io(error)) => Listed {
                warnings: vec![Warning::FolderUnreadable {
                    path: self.path.clone(),
                    reason: error.to_string(),
                }],
                ..Listed::default()
            },
            Err(Obstacle::Symlink) => {
                return Listed {
                    symlinks: vec![self.path],
                    ..Listed::default()
                };
            }
            // It was a folder when its parent was listed, and is gone now.
            Err(
                Obstacle::Missing | Obstacle::NotAFolder | Obstacle::IsFolder | Obstacle::Special,
            ) => return Listed::default(),
        };
        listed.path = Some(self.path);
        listed
    }
}

#[derive(Default)]
struct Skipped {
    count: usize,
    first: Option<VaultPath>,
}

impl Skipped {
    fn add(&mut self, path: VaultPath) {
        self.merge(Self {
            count: 1,
            first: Some(path),
        });
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.first = match (self.first.take(), other.first) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
    }
}

/// What is in one folder.
#[derive(Default)]
struct Listed {
    /// The folder, where it is one below the start.
    path: Option<VaultPath>,
    files: Vec<FileEntry>,
    folders: Vec<Pending>,
    symlinks: Vec<VaultPath>,
    specials: Skipped,
    warnings: Vec<Warning>,
}

impl Listed {
    /// Sorts a folder's entries; the folders among them are opened from `base` by way of `names`.
    fn of(
        folder: &Folder,
        base: &Arc<Folder>,
        names: &[OsString],
        path: &VaultPath,
        entries: Vec<Entry>,
        detail: Detail,
    ) -> Self {
        let mut listed = Self::default();
        let mut children = listed.named(path, entries);
        // The normal spelling comes first, as a look-up by path finds it first.
        children.sort_unstable_by(|(left, left_entry), (right, right_entry)| {
            let odd = |path: &VaultPath, entry: &Entry| *entry.name != *path.name();
            // All have the same folder before their names.
            left.cmp(right).then_with(|| {
                (odd(left, left_entry), &left_entry.name)
                    .cmp(&(odd(right, right_entry), &right_entry.name))
            })
        });
        children.dedup_by(|(later, _), (earlier, _)| {
            let collides = later == earlier;
            if collides {
                let path = later.clone();
                listed.warnings.push(Warning::SpellingsCollide { path });
            }
            collides
        });
        let mut files = Vec::with_capacity(children.len());
        for (child, entry) in children {
            match entry.kind {
                Kind::File => files.push((child, entry.name)),
                Kind::Folder => listed.folders.push(Pending {
                    base: Arc::clone(base),
                    names: names.iter().cloned().chain([entry.name]).collect(),
                    path: child,
                }),
                Kind::Symlink => listed.symlinks.push(child),
                Kind::Special => listed.specials.add(child),
            }
        }
        let look = |(path, name): (VaultPath, OsString)| looked_at(folder, &name, path, detail);
        let looked: Vec<_> = if detail == Detail::Names || files.len() < PARALLEL {
            files.into_iter().map(look).collect()
        } else {
            files.into_par_iter().map(look).collect()
        };
        for (file, warning) in looked {
            listed.files.extend(file);
            listed.warnings.extend(warning);
        }
        listed
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
                Err(reason) => self.warnings.push(Warning::NameUnusable {
                    folder: folder.clone(),
                    name: entry.name.to_string_lossy().into_owned(),
                    reason,
                }),
            }
        }
        named
    }
}

/// A file with the asked-for detail; none where it is gone since its folder was listed.
fn looked_at(
    folder: &Folder,
    name: &OsString,
    path: VaultPath,
    detail: Detail,
) -> (Option<FileEntry>, Option<Warning>) {
    let plain = |path| FileEntry {
        path,
        size: 0,
        stamp: None,
    };
    let looked = match detail {
        Detail::Sizes => folder.size(name).map(|size| (size, None)),
        Detail::Stamps if path.is_indexed() => folder.stamp(name).map(|stamp| (0, Some(stamp))),
        Detail::Names | Detail::Stamps => return (Some(plain(path)), None),
    };
    match looked {
        Ok((size, stamp)) => (Some(FileEntry { path, size, stamp }), None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (None, None),
        // A note without a stamp is read, which fails with a warning of its own.
        Err(_) if detail == Detail::Stamps => (Some(plain(path)), None),
        Err(error) => {
            let warning = Warning::SizeUnknown {
                path: path.clone(),
                reason: error.to_string(),
            };
            (Some(plain(path)), Some(warning))
        }
    }
}

struct Walk<'disk> {
    disk: &'disk Disk,
    found: Contents,
    /// Canonical paths of the folders behind symlinks that were followed.
    linked: Vec<PathBuf>,
    symlinks: Skipped,
    specials: Skipped,
}

impl<'disk> Walk<'disk> {
    fn new(disk: &'disk Disk) -> Self {
        Self {
            disk,
            found: Contents::default(),
            linked: Vec::new(),
            symlinks: Skipped::default(),
            specials: Skipped::default(),
        }
    }

    /// Adds what is in one folder; gives the folders in it, yet to be listed.
    fn take(&mut self, listed: Listed) -> Vec<Pending> {
        self.found.files.extend(listed.files);
        self.found.folders.extend(listed.path);
        self.found.warnings.extend(listed.warnings);
        self.specials.merge(listed.specials);
        let mut folders = listed.folders;
        for link in listed.symlinks {
            match self.follow(&link) {
                Some(folder) => folders.push(Pending {
                    base: Arc::new(folder),
                    names: Vec::new(),
                    path: link,
                }),
                None => self.symlinks.add(link),
            }
        }
        folders
    }

    /// The folder behind a symlink. Of links to folders that overlap only the first is followed,
    /// as in the app (`vault-semantics.md` §2.1), so that no note is listed twice.
    fn follow(&mut self, link: &VaultPath) -> Option<Folder> {
        let Linked { folder, place } = self.disk.linked(link)?;
        if self.linked.iter().any(|known| overlap(known, &place)) {
            return None;
        }
        self.linked.push(place);
        Some(folder)
    }

    fn finish(self) -> Contents {
        let mut found = self.found;
        // Each folder's files are in order, which a stable sort makes use of.
        found
            .files
            .par_sort_by(|left, right| left.path.cmp(&right.path));
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
        let deep = ["d"; 3 * 32].join("/");
        fs_err::create_dir_all(vault.path().join(&deep)).unwrap();
        fs_err::write(vault.path().join(&deep).join("end.md"), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(files(&contents), [format!("{deep}/end.md")]);
        assert_eq!(contents.folders.len(), 3 * 32);
    }

    #[test]
    fn d14_more_folders_side_by_side_than_are_held_are_walked_to_their_ends() {
        let vault = tempfile::tempdir().unwrap();
        let count = HELD_FOLDERS + 20;
        for index in 0..count {
            let folder = vault.path().join(format!("{index}/a b"));
            fs_err::create_dir_all(&folder).unwrap();
            fs_err::write(folder.join("c.md"), "").unwrap();
        }
        let contents = read(vault.path(), Detail::Stamps);
        let found = (contents.files.len(), contents.folders.len());
        assert_eq!(found, (count, 2 * count));
        assert_eq!(contents.warnings, []);
        let files = &contents.files;
        assert!(files.is_sorted_by(|left, right| left.path < right.path));
        assert!(files.iter().all(|file| file.stamp.is_some()));
    }

    #[test]
    fn only_notes_and_canvases_have_stamps() {
        let vault = tempfile::tempdir().unwrap();
        for name in ["a.md", "b.MD", "c.canvas", "d.png", "md"] {
            fs_err::write(vault.path().join(name), "x").unwrap();
        }
        let contents = read(vault.path(), Detail::Stamps);
        let stamped: Vec<&str> = contents
            .files
            .iter()
            .filter(|file| file.stamp.is_some_and(|stamp| stamp.size == 1))
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!(stamped, ["a.md", "b.MD", "c.canvas"]);
    }
}

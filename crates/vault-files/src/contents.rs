//! The walk: lists every regular file and folder of a vault that is not hidden.

mod listed;
mod walk;

use std::sync::Arc;

use obsidian_note::{VaultPath, Warning};
use rayon::prelude::*;

use self::listed::{FolderListing, PendingFolder, WalkOptions};
use self::walk::ContentsWalk;
use crate::disk::{Disk, FileStamp, Obstacle, list};
use crate::error::EngineError;
use crate::sight::{Sight, blocked_in};

/// The maximum number of folders that stay open for their subfolders, to limit open descriptors. Beyond it, a
/// folder is opened again from an ancestor that is open.
const MAX_OPEN_FOLDERS: usize = 192;
/// The number of folders that are listed at once. Their subfolders come next, so that wide and deep vaults need no more
/// open folders (`threats.toml` D15).
const AT_ONCE: usize = PARALLEL;
/// The number of folders or files from which parallel work is faster.
const PARALLEL: usize = 64;

/// The metadata that a walk reads of each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Names only: one system call for many files.
    Names,
    /// Sizes too: one more system call for each file.
    Sizes,
    /// The stamps of notes and canvases: one more system call for each of them.
    Stamps,
}

/// One file of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path in normal spelling, below the vault's root.
    pub path: VaultPath,
    /// Its size in bytes; 0 unless the walk was one with [`Detail::Sizes`].
    pub size: u64,
    /// Recognises changes. `Some` only for notes and canvases, and with [`Detail::Stamps`].
    pub stamp: Option<FileStamp>,
}

/// Whether a name has a line break or a tab, which a list with one row per file cannot show
/// unchanged.
pub fn breaks_rows(path: &VaultPath) -> bool {
    path.as_str().contains(['\n', '\r', '\t'])
}

impl FileEntry {
    /// Returns the entry that a walk with [`Detail::Names`] gives.
    pub fn named(path: VaultPath) -> Self {
        Self {
            path,
            size: 0,
            stamp: None,
        }
    }

    /// Whether both walks found the same total size; false unless both read stamps
    /// ([`Detail::Stamps`]).
    pub fn is_as_long_as(&self, other: &Self) -> bool {
        let sizes = self.stamp.zip(other.stamp);
        sizes.is_some_and(|(one, other)| one.size == other.size)
    }
}

/// Everything below one folder (`vault-semantics.md` §2.1).
///
/// Names that start with a dot are left out, with everything below them. Symlinks are left out too
/// and counted; symlinks to folders are followed if the vault was opened that way. Both lists are
/// in byte order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Files of every extension.
    pub files: Vec<FileEntry>,
    /// Folders, without the one that was walked.
    pub folders: Vec<VaultPath>,
    /// Warnings about what was left out, in byte order of the paths.
    pub warnings: Vec<Warning>,
}

impl Contents {
    /// Whether the folder is empty.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// Returns the sum of all file sizes, in bytes.
    pub fn size(&self) -> u64 {
        self.files
            .iter()
            .fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// Walks the folder `start`. Folders outside of `sight` are skipped with everything below them.
    ///
    /// # Errors
    ///
    /// Fails if `start` is missing or cannot be listed, and after a cancellation. A folder below it that cannot be
    /// listed is a warning.
    pub fn read(
        disk: &Disk,
        sight: Option<&dyn Sight>,
        start: &VaultPath,
        detail: Detail,
    ) -> Result<Self, EngineError> {
        // A path has one spelling here, even if the disk accepts others.
        let opened = match disk.folder_to_read(start) {
            Ok(_) if disk.is_spelled_otherwise(start) => Err(Obstacle::Missing.at(start.clone())),
            other => other,
        };
        let folder = opened.map_err(|blocked| {
            let blocked = blocked_in(sight, blocked);
            EngineError::from_blocked_folder(start.as_written(), start, blocked)
        })?;
        let looks = WalkOptions {
            disk,
            detail,
            sight,
        };
        let entries = list(&folder).map_err(|source| EngineError::io(start, source))?;
        let mut walk = ContentsWalk::new(disk, sight);
        let root = Arc::new(folder);
        let below = FolderListing::new(&root, &root, &[], start, entries, looks);
        walk.take(below);
        while let Some((batch, hold)) = walk.next_batch() {
            disk.cancellation().check()?;
            let visit = |next: PendingFolder| {
                // Skips the remaining folders. The error is raised after the loop.
                if disk.cancellation().is_cancelled() {
                    return FolderListing::default();
                }
                next.visit(looks, hold)
            };
            let listed: Vec<FolderListing> = if batch.len() < PARALLEL {
                batch.into_iter().map(visit).collect()
            } else {
                batch.into_par_iter().map(visit).collect()
            };
            // Collected in order, so the result does not depend on thread timing.
            for listed in listed {
                walk.take(listed);
            }
        }
        disk.cancellation().check()?;
        Ok(walk.finish())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const CASES: &str = include_str!("contents_cases.txt");

    fn read(root: &Path, detail: Detail) -> Contents {
        let (disk, _) = Disk::open(root).unwrap();
        Contents::read(&disk, None, &VaultPath::root(), detail).unwrap()
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
        for name in tables::lines(CASES, "every extension and no hidden name") {
            crate::testing::write(vault.path(), name, "12345");
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

    #[cfg(target_os = "linux")]
    #[test]
    fn b10_whatever_the_names_are_the_files_are_listed() {
        let names = tables::lines(CASES, "b10 whatever the names are the files");
        let vault = tempfile::tempdir().unwrap();
        for name in &names {
            fs_err::write(vault.path().join(name), "").unwrap();
        }
        fs_err::write(vault.path().join("\u{200c}.hidden.md"), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        let mut expected = names;
        expected.sort_unstable();
        assert_eq!(files(&contents), expected);
        assert_eq!(contents.warnings, []);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn d10_what_is_too_deep_to_have_a_path_is_a_warning() {
        let vault = tempfile::tempdir().unwrap();
        let (disk, _) = Disk::open(vault.path()).unwrap();
        let mut folder = disk.folder(&VaultPath::root()).unwrap();
        let name = "d".repeat(250);
        // 17 names of 250 bytes are more than 4096.
        for _ in 0..17 {
            rustix::fs::mkdirat(folder.descriptor(), &*name, rustix::fs::Mode::RWXU).unwrap();
            folder = folder.folder(name.as_ref()).unwrap();
        }
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(contents.folders.len(), 16);
        assert!(matches!(
            &contents.warnings[..],
            [Warning::NameUnusable {
                reason: Some(obsidian_note::path_error::PathError::TooLong { .. }),
                ..
            }]
        ));
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
    fn b10_a_name_that_is_not_unicode_is_listed_with_a_warning() {
        use std::os::unix::ffi::OsStrExt as _;
        let vault = tempfile::tempdir().unwrap();
        for name in [&b"caf\xe9.md"[..], b".\xff"] {
            let name = std::ffi::OsStr::from_bytes(name);
            fs_err::write(vault.path().join(name), "").unwrap();
        }
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(files(&contents), ["caf\u{fffd}.md"]);
        let path = VaultPath::file("caf\u{fffd}.md").unwrap();
        assert_eq!(contents.warnings, [Warning::NameNotUnicode { path }]);
        // The second of two such names has no normal spelling of its own.
        let other = std::ffi::OsStr::from_bytes(b"caf\xe8.md");
        fs_err::write(vault.path().join(other), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        let codes: Vec<_> = contents.warnings.iter().map(Warning::code).collect();
        assert_eq!(files(&contents), ["caf\u{fffd}.md"]);
        assert!(codes.contains(&"SPELLINGS_COLLIDE"), "{codes:?}");
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
        // The superuser can list it in spite of its mode; then this test proves nothing.
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
    fn d15_what_is_deeper_than_a_path_is_reported_and_left_out() {
        use obsidian_note::MAX_DEPTH;
        let vault = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            let deep = [name; MAX_DEPTH + 2].join("/");
            fs_err::create_dir_all(vault.path().join(deep)).unwrap();
        }
        let last = vault.path().join(["a"; MAX_DEPTH - 1].join("/"));
        fs_err::write(last.join("end.md"), "").unwrap();
        let deepest = VaultPath::folder(&["a"; MAX_DEPTH].join("/")).unwrap();
        fs_err::write(vault.path().join(deepest.as_str()).join("no.md"), "").unwrap();
        let contents = read(vault.path(), Detail::Names);
        assert_eq!(contents.files.len(), 1);
        assert_eq!(contents.folders.len(), 2 * MAX_DEPTH);
        let shown = Warning::FoldersTooDeep {
            count: 2,
            path: deepest.clone(),
        };
        assert_eq!(contents.warnings, [shown]);
        let (disk, _) = Disk::open(vault.path()).unwrap();
        let within = Contents::read(&disk, None, &deepest, Detail::Names).unwrap();
        assert_eq!(within.files, []);
        assert_eq!(within.warnings.len(), 1);
    }

    /// The counter sees only one thread, so the walk must use one.
    #[cfg(unix)]
    #[test]
    fn d15_a_vault_that_is_wide_and_deep_is_walked_step_by_step() {
        let vault = tempfile::tempdir().unwrap();
        let (chains, depth) = (300, 40);
        for chain in 0..chains {
            let deep = format!("{chain}{}", "/d".repeat(depth - 1));
            fs_err::create_dir_all(vault.path().join(deep)).unwrap();
        }
        // Only the folders that one thread opens are counted.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let (contents, opened) = pool
            .unwrap()
            .install(|| crate::disk::trace::count_folders(|| read(vault.path(), Detail::Names)));
        assert_eq!(contents.folders.len(), chains * depth);
        assert!(opened < 2 * chains * depth, "{opened} for {chains} chains");
    }

    #[test]
    fn d14_more_folders_side_by_side_than_are_held_are_walked_to_their_ends() {
        let vault = tempfile::tempdir().unwrap();
        let count = MAX_OPEN_FOLDERS + 20;
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

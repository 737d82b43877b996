//! The rule for owners and modes. It applies to a path, to every link on the way, and to every
//! folder above each of them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Distrust;

/// Maximum number of symbolic links to follow.
const MOST_LINKS: usize = 16;

/// The group that may write to `/Applications` and `/usr/local` on macOS.
const MACOS_ADMINISTRATORS: u32 = 80;

/// The metadata that the rule depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Permission bits, including the sticky bit.
    pub mode: u32,
    /// The id of the owner.
    pub owner: u32,
    /// The id of the group.
    pub group: u32,
    /// Whether it is a folder.
    pub folder: bool,
    /// Whether it is a symbolic link. The mode of a link has no meaning.
    pub link: bool,
}

impl FileFacts {
    fn read(path: &Path) -> Result<Self, Distrust> {
        let found = fs_err::symlink_metadata(path).map_err(|_unreadable| Distrust::Unreadable)?;
        Ok(Self {
            mode: found.mode(),
            owner: found.uid(),
            group: found.gid(),
            folder: found.is_dir(),
            link: found.is_symlink(),
        })
    }
}

/// Returns the rule: owned by `user` or root, and not writable by others. A sticky folder may be writable by all,
/// because only owners can replace files in it. Group write is allowed for the owner's private group (same number), for
/// root's group, and for administrators on macOS.
///
/// # Errors
///
/// The reason for distrust.
pub fn judge(facts: FileFacts, user: u32) -> Result<(), Distrust> {
    const STICKY: u32 = 0o1000;
    let in_folder = facts.folder || facts.link;
    if facts.owner != user && facts.owner != 0 {
        return Err(if in_folder {
            Distrust::FolderOwner
        } else {
            Distrust::FileOwner
        });
    }
    if facts.link || (facts.folder && facts.mode & STICKY != 0) {
        return Ok(());
    }
    let group_is_fine = facts.group == facts.owner
        || facts.group == 0
        || (cfg!(target_os = "macos") && facts.group == MACOS_ADMINISTRATORS);
    if facts.mode & 0o002 != 0 || (facts.mode & 0o020 != 0 && !group_is_fine) {
        return Err(if in_folder {
            Distrust::FolderWritable
        } else {
            Distrust::FileWritable
        });
    }
    Ok(())
}

/// Applies [`judge`] to `path`, to the target of every link on the way, and to all their parents.
///
/// # Errors
///
/// The first reason for distrust, also if metadata cannot be read or there are too many links.
pub fn check(path: &Path) -> Result<(), Distrust> {
    let user = rustix::process::geteuid().as_raw();
    let mut next = Some(path.to_path_buf());
    for _hop in 0..MOST_LINKS {
        let Some(current) = next.take() else { break };
        for part in current.ancestors() {
            judge(FileFacts::read(part)?, user)?;
        }
        next = link_target(&current)?;
    }
    if next.is_some() {
        return Err(Distrust::Unreadable);
    }
    let real = fs_err::canonicalize(path).map_err(|_unreadable| Distrust::Unreadable)?;
    for part in real.ancestors() {
        judge(FileFacts::read(part)?, user)?;
    }
    Ok(())
}

fn link_target(path: &Path) -> Result<Option<PathBuf>, Distrust> {
    if !FileFacts::read(path)?.link {
        return Ok(None);
    }
    let target = fs_err::read_link(path).map_err(|_unreadable| Distrust::Unreadable)?;
    Ok(Some(match path.parent() {
        Some(folder) => folder.join(target),
        None => target,
    }))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn facts(mode: u32, owner: u32, group: u32, folder: bool) -> FileFacts {
        FileFacts {
            mode,
            owner,
            group,
            folder,
            link: false,
        }
    }

    #[test]
    fn c02_owner_and_mode_table() {
        let me = 1000;
        let table = [
            (facts(0o755, me, me, false), Ok(())),
            (facts(0o755, 0, 0, false), Ok(())),
            (facts(0o775, 0, 0, true), Ok(())),
            (facts(0o775, me, me, true), Ok(())),
            (facts(0o755, 1001, me, false), Err(Distrust::FileOwner)),
            (facts(0o700, 1001, 1001, true), Err(Distrust::FolderOwner)),
            (facts(0o757, me, me, false), Err(Distrust::FileWritable)),
            (facts(0o777, 0, 0, true), Err(Distrust::FolderWritable)),
            (facts(0o1777, 0, 0, true), Ok(())),
            (facts(0o1757, me, me, false), Err(Distrust::FileWritable)),
            (facts(0o775, me, 50, false), Err(Distrust::FileWritable)),
            (facts(0o775, me, 50, true), Err(Distrust::FolderWritable)),
        ];
        for (row, (facts, wanted)) in table.into_iter().enumerate() {
            assert_eq!(judge(facts, me), wanted, "row {row}");
        }
        let foreign_link = FileFacts {
            link: true,
            ..facts(0o777, 1001, 1001, false)
        };
        assert_eq!(judge(foreign_link, me), Err(Distrust::FolderOwner));
    }

    #[test]
    fn c02_the_file_its_folders_and_its_links_are_all_looked_at() {
        let root = tempfile::tempdir().unwrap();
        let open = root.path().join("open");
        let inner = open.join("inner");
        let safe = root.path().join("safe");
        fs_err::create_dir_all(&inner).unwrap();
        fs_err::create_dir_all(&safe).unwrap();
        let binary = inner.join("obsidian");
        fs_err::write(&binary, "#!/bin/sh\n").unwrap();
        let mode = |path: &Path, bits: u32| {
            fs_err::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
        };
        mode(&binary, 0o755);
        assert_eq!(check(&binary), Ok(()));
        mode(&binary, 0o757);
        assert_eq!(check(&binary), Err(Distrust::FileWritable));
        mode(&binary, 0o755);
        mode(&open, 0o777);
        assert_eq!(check(&binary), Err(Distrust::FolderWritable));

        // A link from a safe place does not hide the open folder, nor the other way round.
        let link = safe.join("link");
        fs_err::os::unix::fs::symlink(&binary, &link).unwrap();
        assert_eq!(check(&link), Err(Distrust::FolderWritable));
        mode(&open, 0o755);
        assert_eq!(check(&link), Ok(()));
        mode(&safe, 0o777);
        assert_eq!(check(&link), Err(Distrust::FolderWritable));
        assert_eq!(check(&safe.join("absent")), Err(Distrust::Unreadable));
    }

    #[test]
    fn c02_a_foreign_owner_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let binary = root.path().join("obsidian");
        fs_err::write(&binary, "#!/bin/sh\n").unwrap();
        if rustix::process::geteuid().is_root() {
            fs_err::os::unix::fs::chown(&binary, Some(12_345), Some(12_345)).unwrap();
            assert_eq!(check(&binary), Err(Distrust::FileOwner));
        } else {
            // Only root can give a file away; root's own files are trusted by everyone.
            assert_eq!(check(Path::new("/bin/sh")), Ok(()));
        }
    }
}

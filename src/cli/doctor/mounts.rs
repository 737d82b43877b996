//! Finds the file system of a folder in Linux's table of mounts (`man 5 proc_pid_mountinfo`).

use std::path::{Path, PathBuf};

use super::places::{Finding, NO_EXCHANGE, NOT_ANNOUNCED};
use sandbox::unescaped;

const WINDOWS_SIDE: &str = "Each call reads the whole folder again, because Windows does not report changes to WSL. A vault in Linux's own file system is much faster. To use Obsidian for Windows, run vault-gw for Windows.";
const READ_ONLY: &str = "Notes can be read, but every change fails.";

/// Returns the findings about the file system of `root`, a path without links.
pub(super) fn findings(root: &Path, table: &str) -> Vec<Finding> {
    let mount = Mount::containing(root, table);
    mount.map_or_else(Vec::new, |mount| {
        let place = mount.place_of_files();
        let further = mount.read_only().into_iter().chain(mount.no_exchange());
        place.into_iter().chain(further).collect()
    })
}

/// A line of the table: where a file system is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount<'a> {
    place: PathBuf,
    options: &'a str,
    kind: &'a str,
    source: &'a str,
    file_system_options: &'a str,
}

impl<'a> Mount<'a> {
    /// The mount that contains `root`, a path without links: the last one of the deepest.
    fn containing(root: &Path, table: &'a str) -> Option<Self> {
        table
            .lines()
            .filter_map(Self::parse)
            .filter(|mount| root.starts_with(&mount.place))
            .max_by_key(|mount| mount.place.components().count())
    }

    fn parse(line: &'a str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(4);
        let (place, options) = (mount.next()?, mount.next()?);
        let mut file_system = file_system.splitn(3, ' ');
        Some(Self {
            place: PathBuf::from(plain(place)),
            options,
            kind: file_system.next()?,
            source: file_system.next()?,
            file_system_options: file_system.next().unwrap_or_default(),
        })
    }

    /// Returns where the files are, if they are not on a local disk.
    fn place_of_files(&self) -> Option<Finding> {
        let kind = self.kind;
        // WSL 2 mounts Windows drives by 9P or virtiofs, WSL 1 by its own driver.
        let is_windows_drive = kind == "drvfs"
            || self.source.starts_with("drvfs")
            || self.file_system_options.contains("aname=drvfs");
        if is_windows_drive {
            let what = format!("on a Windows drive, accessed from WSL ({kind})");
            return Some(Finding::new(what, WINDOWS_SIDE));
        }
        is_elsewhere(kind).then(|| {
            let what = format!("on a network share or another machine's folder ({kind})");
            Finding::new(what, NOT_ANNOUNCED)
        })
    }

    fn read_only(&self) -> Option<Finding> {
        let is_read_only = self.options.split(',').any(|option| option == "ro");
        is_read_only.then(|| Finding::new("on a file system that is mounted read-only", READ_ONLY))
    }
    /// Returns a finding if two files cannot be exchanged in one step (`RENAME_EXCHANGE`, `man 2 renameat2`).
    ///
    /// Taken from the drivers of Linux, which refuse the flag or pass it on. A test would have to write into the vault,
    /// which `doctor` never does.
    fn no_exchange(&self) -> Option<Finding> {
        const NONE: [&str; 15] = [
            "9p", "ceph", "cifs", "ecryptfs", "exfat", "hfs", "hfsplus", "jfs", "msdos", "nfs",
            "nfs4", "nilfs2", "ntfs", "ntfs3", "smb3",
        ];
        // FAT supports it since Linux 6.0, ZFS since 2.2; for the others it depends on a server or
        // a host.
        const SOME: [&str; 6] = ["afs", "drvfs", "vboxsf", "vfat", "virtiofs", "zfs"];
        let kind = self.kind;
        let what = if NONE.contains(&kind) {
            "that cannot exchange files atomically"
        } else if kind.starts_with("fuse") || SOME.contains(&kind) {
            "that may be unable to exchange files atomically"
        } else {
            return None;
        };
        Some(Finding::new(
            format!("on a file system {what} ({kind})"),
            NO_EXCHANGE,
        ))
    }
}

/// Whether other machines may change files on such a file system without this kernel noticing.
fn is_elsewhere(kind: &str) -> bool {
    const KINDS: [&str; 18] = [
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "prl_fs",
        "smb3",
        "vboxsf",
        "virtiofs",
    ];
    // A file system in user space may be anything: sshfs, rclone, a cloud service.
    kind.starts_with("fuse") || KINDS.contains(&kind)
}

/// Decodes the escapes of the table, such as `\040` for a space.
fn plain(text: &str) -> String {
    String::from_utf8_lossy(&unescaped(text.as_bytes())).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = include_str!("mounts_table.txt");

    fn describe(root: &str) -> Option<String> {
        let found = findings(Path::new(root), TABLE);
        let shown: Vec<String> = found.into_iter().map(|found| found.what).collect();
        (!shown.is_empty()).then(|| shown.join("; "))
    }

    #[test]
    fn the_mount_says_where_the_folder_is() {
        assert_eq!(describe("/home/a/Notes"), None);
        // The last mount on a folder hides earlier ones.
        assert_eq!(describe("/mnt/c/Notes"), None);
        let first = TABLE.rsplit_once("34 ").map(|(before, _)| before);
        let windows = findings(Path::new("/mnt/c/Notes"), first.unwrap_or_default());
        let follows = windows.first().map(|found| found.follows);
        assert_eq!(follows, Some(WINDOWS_SIDE));
        assert!(describe("/mnt/my share/x").is_some_and(|what| what.contains("(cifs)")));
        let both = describe("/mnt/frozen").unwrap_or_default();
        assert!(
            both.contains("(nfs4)") && both.contains("read-only"),
            "{both}"
        );
        assert!(describe("/home/a/cloud/x").is_some_and(|what| what.contains("(fuse.rclone)")));
        assert!(describe("/media/dvd").is_some_and(|what| what.contains("read-only")));
        // A longer name is a different folder.
        assert_eq!(describe("/media/dvd2"), None);
    }

    #[test]
    fn h15_where_files_cannot_be_exchanged_the_owner_learns_it() {
        let says = |root, words: &str| describe(root).is_some_and(|what| what.contains(words));
        assert!(says(
            "/media/stick/Notes",
            "cannot exchange files atomically (exfat)"
        ));
        assert!(says(
            "/mnt/my share/x",
            "cannot exchange files atomically (cifs)"
        ));
        assert!(says(
            "/home/a/cloud/x",
            "may be unable to exchange files atomically (fuse.rclone)"
        ));
        assert!(!says("/mnt/c/Notes", "exchange"));
    }

    #[test]
    fn escapes_of_the_table_are_read() {
        assert_eq!(plain(r"a\040b\134c"), r"a b\c");
        assert_eq!(plain(r"a\9"), r"a\9");
        assert_eq!(plain("é\\0"), "é\\0");
    }
}

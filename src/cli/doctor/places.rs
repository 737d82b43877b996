//! Where the vault lies and who else changes it: a share, a Windows drive under WSL, a synced folder, a
//! Git working tree; and what follows from it (`design.md` §19).

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::DoctorCheck;
use crate::environment::Environment;

const NAME: &str = "place";
/// Longest file of another program that is read here, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Most vaults of the headless client that are looked at.
const MAX_SYNCED_VAULTS: usize = 1000;

/// Something about the place of the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    /// What it is.
    what: String,
    /// What follows for the owner.
    follows: &'static str,
}

impl Finding {
    fn new(what: impl Into<String>, follows: &'static str) -> Self {
        Self {
            what: what.into(),
            follows,
        }
    }
}

/// One check for each thing that was found; one that says so if nothing was.
pub(super) fn checks(root: &Path, environment: &Environment) -> Vec<DoctorCheck> {
    let mut findings: Vec<Finding> = file_system(root).into_iter().collect();
    findings.extend(by_path(root));
    findings.extend(marked(root));
    findings.extend(headless_sync(root, environment));
    if findings.is_empty() {
        return vec![DoctorCheck::ok(
            NAME,
            "a local folder, synced by nothing that is known here",
        )];
    }
    findings
        .into_iter()
        .map(|Finding { what, follows }| DoctorCheck::noted(NAME, what, follows))
        .collect()
}

const NOT_ANNOUNCED: &str = "Changes made elsewhere are not announced here, so each question walks the folder. Locks hold on this machine only: let one machine write at a time.";
#[cfg_attr(not(target_os = "linux"), cfg(test))]
const WINDOWS_SIDE: &str = "Windows announces no changes here, so each question walks the folder; a copy on the Linux side is much faster. Obsidian on Windows cannot be reached from WSL: the embedded engine answers, or use vault-gw for Windows.";
const LINUX_SIDE: &str =
    "Each file goes through WSL's file server, which is slow. Use vault-gw inside WSL.";
#[cfg_attr(not(target_os = "linux"), cfg(test))]
const READ_ONLY: &str = "Notes can be read; every change fails.";
const CLOUD: &str = "A file that is kept online only is downloaded when it is read, which can take long or fail: keep the folder on this device. A conflict makes a second copy of the note.";
const GIT: &str = "vault-gw never touches `.git`. Its undo is independent of Git: a checkout that changes a note makes its undo refuse.";
const SYNCTHING: &str =
    "A conflict makes a note `NAME.sync-conflict-….md` beside the other: merge it by hand.";
const OBSIDIAN_SYNC: &str = "Changes reach the other devices when the client runs (`ob sync`, `ob sync --continuous`). What vault-gw keeps is outside of the vault and is not synced.";

/// What the mount says of the folder.
#[cfg(target_os = "linux")]
fn file_system(root: &Path) -> Option<Finding> {
    // Without the table nothing is known of it.
    let table = fs_err::read_to_string("/proc/self/mountinfo").ok()?;
    Mount::containing(root, &table)?.finding()
}

/// Only Linux tells file systems in a form that the standard library can read.
#[cfg(not(target_os = "linux"))]
fn file_system(_root: &Path) -> Option<Finding> {
    None
}

/// A line of `/proc/self/mountinfo` (`man 5 proc_pid_mountinfo`).
#[cfg_attr(not(target_os = "linux"), cfg(test))]
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mount<'a> {
    place: PathBuf,
    options: &'a str,
    kind: &'a str,
    source: &'a str,
    file_system_options: &'a str,
}

#[cfg_attr(not(target_os = "linux"), cfg(test))]
impl<'a> Mount<'a> {
    /// The mount that holds `root`, a path without links: the last of the deepest ones.
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
            place: PathBuf::from(unescaped(place)),
            options,
            kind: file_system.next()?,
            source: file_system.next()?,
            file_system_options: file_system.next().unwrap_or_default(),
        })
    }

    fn finding(&self) -> Option<Finding> {
        let kind = self.kind;
        // WSL 2 mounts the drives of Windows by 9P or virtiofs, WSL 1 by a driver of its own.
        let is_windows_drive = kind == "drvfs"
            || self.source.starts_with("drvfs")
            || self.file_system_options.contains("aname=drvfs");
        if is_windows_drive {
            let what = format!("on a drive of Windows, seen from WSL ({kind})");
            return Some(Finding::new(what, WINDOWS_SIDE));
        }
        if is_elsewhere(kind) {
            let what = format!("on a network share or another machine's folder ({kind})");
            return Some(Finding::new(what, NOT_ANNOUNCED));
        }
        let is_read_only = self.options.split(',').any(|option| option == "ro");
        is_read_only.then(|| Finding::new("on a file system that is mounted read-only", READ_ONLY))
    }
}

/// Whether others may change files of this type of file system without this kernel's knowledge.
#[cfg_attr(not(target_os = "linux"), cfg(test))]
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
    // A file system in user space can be anything: sshfs, rclone, a cloud's own.
    kind.starts_with("fuse") || KINDS.contains(&kind)
}

/// The table writes a space as `\040`, and so on.
#[cfg_attr(not(target_os = "linux"), cfg(test))]
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain += before;
        let code = after
            .get(..3)
            .and_then(|code| u8::from_str_radix(code, 8).ok());
        if let Some(code) = code {
            plain.push(char::from(code));
            rest = &after[3..];
        } else {
            plain.push('\\');
            rest = after;
        }
    }
    plain + rest
}

/// What the path itself says.
fn by_path(root: &Path) -> Vec<Finding> {
    let text = root.to_string_lossy().replace('\\', "/");
    // A canonical path on Windows begins with `\\?\`, and that of a share with `\\?\UNC\`.
    let text = text
        .strip_prefix("//?/UNC/")
        .map(|rest| format!("//{rest}"))
        .unwrap_or(text);
    let text = text.strip_prefix("//?/").unwrap_or(&text);
    let mut findings = Vec::new();
    if cfg!(windows) && (text.starts_with("//wsl.localhost/") || text.starts_with("//wsl$/")) {
        findings.push(Finding::new(
            "on the Linux side of WSL, seen from Windows",
            LINUX_SIDE,
        ));
    } else if cfg!(windows) && text.starts_with("//") {
        findings.push(Finding::new("on a network share", NOT_ANNOUNCED));
    }
    if text.contains("/Library/Mobile Documents/") {
        findings.push(Finding::new("in iCloud Drive", CLOUD));
        return findings;
    }
    let cloud = text.split('/').find_map(|segment| match segment {
        "iCloudDrive" => Some("iCloud Drive"),
        "Dropbox" => Some("Dropbox"),
        "Google Drive" | "My Drive" => Some("Google Drive"),
        _ if segment.starts_with("OneDrive") => Some("OneDrive"),
        _ if segment.starts_with("GoogleDrive-") => Some("Google Drive"),
        _ => None,
    });
    if let Some(cloud) = cloud {
        findings.push(Finding::new(
            format!("in a folder of {cloud}, by its path"),
            CLOUD,
        ));
    }
    findings
}

/// What the marks of other programs say, in the folder or above it.
fn marked(root: &Path) -> Vec<Finding> {
    let is_marked = |mark: &str| root.ancestors().any(|folder| folder.join(mark).exists());
    let mut findings = Vec::new();
    if is_marked(".stfolder") {
        findings.push(Finding::new("in a folder of Syncthing", SYNCTHING));
    }
    if is_marked(".git") {
        findings.push(Finding::new("in a Git working tree", GIT));
    }
    findings
}

/// What the official headless client keeps of a vault that it syncs.
#[derive(Deserialize)]
struct SyncedVault {
    #[serde(rename = "vaultPath")]
    vault_path: PathBuf,
}

/// Whether the official headless client, `ob`, syncs this folder.
fn headless_sync(root: &Path, environment: &Environment) -> Option<Finding> {
    let home = environment.absolute_path("HOME");
    let home = home.or_else(|| environment.absolute_path("USERPROFILE"));
    let folder = if cfg!(target_os = "linux") {
        let configuration = environment.absolute_path("XDG_CONFIG_HOME");
        configuration
            .or_else(|| home.map(|home| home.join(".config")))?
            .join("obsidian-headless")
    } else {
        home?.join(".obsidian-headless")
    };
    let entries = fs_err::read_dir(folder.join("sync")).ok()?;
    let syncs_it = entries.take(MAX_SYNCED_VAULTS).flatten().any(|entry| {
        let vault = synced_vault(&entry.path().join("config.json"));
        vault.is_some_and(|vault| {
            fs_err::canonicalize(vault).is_ok_and(|vault| dunce::simplified(&vault) == root)
        })
    });
    syncs_it.then(|| {
        Finding::new(
            "synced by Obsidian Sync's headless client (`ob`)",
            OBSIDIAN_SYNC,
        )
    })
}

fn synced_vault(file: &Path) -> Option<PathBuf> {
    let is_small =
        fs_err::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_FILE_BYTES);
    let bytes = is_small.then(|| fs_err::read(file).ok())??;
    let vault: SyncedVault = serde_json::from_slice(&bytes).ok()?;
    Some(vault.vault_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /mnt/c rw,noatime shared:2 - 9p C:\\134 rw,dirsync,aname=drvfs;path=C:\\;uid=1000
31 22 0:41 / /mnt/my\\040share rw - cifs //server/notes rw
32 22 0:42 / /media/dvd ro,nosuid - udf /dev/sr0 ro
33 22 0:43 / /home/a/cloud rw - fuse.rclone remote: rw
34 22 0:44 / /mnt/c rw - ext4 /dev/sdb1 rw
";

    fn told(root: &str) -> Option<String> {
        Some(Mount::containing(Path::new(root), TABLE)?.finding()?.what)
    }

    #[test]
    fn the_mount_says_where_the_folder_is() {
        assert_eq!(told("/home/a/Notes"), None);
        // The last mount on a folder hides the one before.
        assert_eq!(told("/mnt/c/Notes"), None);
        let first = TABLE.rsplit_once("34 ").map(|(before, _)| before);
        let windows = Mount::containing(Path::new("/mnt/c/Notes"), first.unwrap_or_default());
        assert_eq!(
            windows
                .and_then(|mount| mount.finding())
                .map(|found| found.follows),
            Some(WINDOWS_SIDE)
        );
        assert!(told("/mnt/my share/x").is_some_and(|what| what.contains("(cifs)")));
        assert!(told("/home/a/cloud/x").is_some_and(|what| what.contains("(fuse.rclone)")));
        assert!(told("/media/dvd").is_some_and(|what| what.contains("read-only")));
        // A longer name is another folder.
        assert_eq!(told("/media/dvd2"), None);
    }

    #[test]
    fn escapes_of_the_table_are_read() {
        assert_eq!(unescaped(r"a\040b\134c"), r"a b\c");
        assert_eq!(unescaped(r"a\9"), r"a\9");
        assert_eq!(unescaped("é\\0"), "é\\0");
    }

    #[test]
    fn clouds_are_known_by_their_folders() {
        let cloud = |path: &str| {
            let found = by_path(Path::new(path)).pop();
            found.map(|found| found.what)
        };
        for (path, name) in [
            (
                "/Users/a/Library/Mobile Documents/iCloud~md~obsidian/Documents/Notes",
                "iCloud Drive",
            ),
            (
                "/Users/a/Library/CloudStorage/OneDrive-Firm/Notes",
                "OneDrive",
            ),
            ("/home/a/Dropbox/Notes", "Dropbox"),
        ] {
            assert!(
                cloud(path).is_some_and(|what| what.contains(name)),
                "{path}"
            );
        }
        assert_eq!(cloud("/home/a/Dropboxes/Notes"), None);
    }
}

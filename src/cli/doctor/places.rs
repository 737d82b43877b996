//! Checks where the vault is and what else changes it: a network share, a Windows drive under WSL,
//! a synced folder, a Git working tree; and the consequences (`design/platforms.md`).

use std::path::Path;

use super::check::DoctorCheck;
use crate::cli::headless_sync;
use sandbox::Environment;

const NAME: &str = "place";

/// A finding about the location of the vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// The finding, as a sentence.
    pub(super) what: String,
    /// The consequence for the owner, as a sentence.
    pub(super) follows: &'static str,
}

impl Finding {
    pub(super) fn new(what: impl Into<String>, follows: &'static str) -> Self {
        Self {
            what: what.into(),
            follows,
        }
    }
}

/// One check for each finding, or one check that nothing was found.
pub(super) fn checks(root: &Path, environment: &Environment) -> Vec<DoctorCheck> {
    let mut findings = file_system(root);
    findings.extend(by_path(root));
    findings.extend(marked(root));
    findings.extend(headless_sync(root, environment));
    if findings.is_empty() {
        return vec![DoctorCheck::ok(
            NAME,
            "a local folder; no known sync service",
        )];
    }
    findings
        .into_iter()
        .map(|Finding { what, follows }| DoctorCheck::noted(NAME, what, follows))
        .collect()
}

/// The consequence if two files cannot be exchanged in one step (`SECURITY.md`).
pub(super) const NO_EXCHANGE: &str = "vault-gw cannot replace a note in one step here. If another program saves the note at the same moment, the change of that program can be lost. Let only one program write at a time.";
pub(super) const NOT_ANNOUNCED: &str = "Each call reads the whole folder again, because other machines do not report their changes. Locks work only on this machine. Let only one machine write at a time.";
const LINUX_SIDE: &str =
    "Every file access goes through WSL's file server, which is slow. Run vault-gw inside WSL.";
const CLOUD: &str = "Files that are only online must be downloaded first, which can be slow or fail. Keep the whole folder on this device. A sync conflict creates a second copy of the note.";
const GIT: &str = "vault-gw never changes `.git`. If `git checkout` changes a note, vault-gw can no longer undo its own earlier changes to that note.";
const SYNCTHING: &str = "A sync conflict creates a note `NAME.sync-conflict-….md` next to the original note. Merge the two notes by hand.";
const OBSIDIAN_SYNC: &str = "Changes are synced when `ob sync` or `ob sync --continuous` runs. vault-gw stores its own data outside the vault, so its data is not synced.";

/// Findings from the table of mounts.
#[cfg(target_os = "linux")]
fn file_system(root: &Path) -> Vec<Finding> {
    // If the table cannot be read, nothing is found.
    let table = fs_err::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    super::mounts::findings(root, &table)
}

/// Only Linux reports file systems in a form that the standard library can read. On Windows, no
/// file system can exchange two files.
#[cfg(not(target_os = "linux"))]
fn file_system(_root: &Path) -> Vec<Finding> {
    let no_exchange = cfg!(windows).then(|| {
        Finding::new(
            "on Windows, where files cannot be exchanged atomically",
            NO_EXCHANGE,
        )
    });
    no_exchange.into_iter().collect()
}

/// Findings from the path itself.
fn by_path(root: &Path) -> Vec<Finding> {
    let text = root.to_string_lossy().replace('\\', "/");
    // A canonical path on Windows begins with `\\?\`, and a share with `\\?\UNC\`.
    let text = text
        .strip_prefix("//?/UNC/")
        .map(|rest| format!("//{rest}"))
        .unwrap_or(text);
    let text = text.strip_prefix("//?/").unwrap_or(&text);
    let mut findings = Vec::new();
    if cfg!(windows) && (text.starts_with("//wsl.localhost/") || text.starts_with("//wsl$/")) {
        findings.push(Finding::new(
            "in the Linux file system of WSL, accessed from Windows",
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
            format!("in a folder of {cloud}, judging by the path"),
            CLOUD,
        ));
    }
    findings
}

/// Findings from files of other programs, in the folder or above it.
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

/// Whether the official headless client, `ob`, syncs this folder.
fn headless_sync(root: &Path, environment: &Environment) -> Option<Finding> {
    let syncs_it = headless_sync::vaults(environment).iter().any(|vault| {
        fs_err::canonicalize(vault).is_ok_and(|vault| dunce::simplified(&vault) == root)
    });
    syncs_it.then(|| {
        Finding::new(
            "synced by Obsidian Sync's headless client (`ob`)",
            OBSIDIAN_SYNC,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("places_cases.txt");

    #[test]
    fn clouds_are_known_by_their_folders() {
        let cloud = |path: &str| {
            let found = by_path(Path::new(path)).pop();
            found.map(|found| found.what)
        };
        for [path, name] in tables::section(CASES, "clouds are known by their folders") {
            assert!(
                cloud(path).is_some_and(|what| what.contains(name)),
                "{path}"
            );
        }
        assert_eq!(cloud("/home/a/Dropboxes/Notes"), None);
    }
}

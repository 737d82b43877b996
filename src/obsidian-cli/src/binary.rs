//! The binary that was found, with the identity of its file.

use std::io;
use std::path::{Path, PathBuf};

use super::kind::BinaryKind;
use crate::error::Error;
use protocol::Failure;

/// A binary that passed all checks of [`super::locate::examine`].
#[derive(Clone, Debug)]
pub struct Binary {
    /// The path without symbolic links. Agents never see it.
    pub(super) path: PathBuf,
    /// The place where the binary was found, in words that agents may see.
    pub place_for_agents: String,
    /// Whether it is the command line or the desktop app.
    pub kind: BinaryKind,
    pub(super) identity: BinaryIdentity,
}

/// Identifies a file. A replaced file differs in at least one field (`threats.toml` C03).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BinaryIdentity {
    device: u64,
    inode: u64,
    modified: Option<std::time::SystemTime>,
    /// The size in bytes.
    pub(super) size: u64,
}

impl BinaryIdentity {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let found = fs_err::metadata(path)?;
        let (device, inode) = device_and_inode(&found);
        Ok(Self {
            device,
            inode,
            modified: found.modified().ok(),
            size: found.len(),
        })
    }

    /// Returns the identity as one line, for use in a cache key.
    pub(super) fn as_text(&self) -> String {
        let modified = self
            .modified
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |time| time.as_nanos());
        let Self {
            device,
            inode,
            size,
            ..
        } = self;
        format!("{device}:{inode}:{size}:{modified}")
    }
}

#[cfg(unix)]
fn device_and_inode(found: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(windows)]
fn device_and_inode(found: &std::fs::Metadata) -> (u64, u64) {
    // The standard library has no stable access to the file index, so use the creation time
    // instead.
    use std::os::windows::fs::MetadataExt;
    (0, found.creation_time())
}

/// Whether starting this path would run another file: Windows first tries the program's name with
/// `.exe` appended.
pub(super) fn is_shadowed(path: &Path) -> bool {
    let is_exe = || {
        path.extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("exe"))
    };
    cfg!(windows) && !is_exe() && {
        let mut longer = path.as_os_str().to_owned();
        longer.push(".exe");
        // If unsure, assume that the other file exists.
        Path::new(&longer).try_exists().unwrap_or(true)
    }
}

impl Binary {
    /// Checks right before each run that the file is still the one that was checked (`threats.toml`
    /// C03).
    ///
    /// # Errors
    ///
    /// `CLI_UNTRUSTED` if the file was replaced or changed.
    pub fn verify_unchanged(&self) -> Result<(), Failure> {
        let is_same = BinaryIdentity::read(&self.path).is_ok_and(|now| now == self.identity);
        if is_same && !is_shadowed(&self.path) {
            return Ok(());
        }
        Err(Error::Replaced(self.place_for_agents.clone()).into())
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use protocol::Code;

    use super::*;
    use crate::locate::examine;

    const SCRIPT: &str = "#!/bin/sh\nexit 0\n";

    fn program(path: &Path, text: &str) {
        fs_err::write(path, text).unwrap();
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn c03_a_replaced_binary_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("obsidian");
        program(&path, SCRIPT);
        let binary = examine(&path, "here").unwrap();
        assert!(binary.verify_unchanged().is_ok());
        let other = root.path().join("other");
        program(&other, SCRIPT);
        fs_err::rename(&other, &path).unwrap();
        let failure = binary.verify_unchanged().unwrap_err();
        assert_eq!(failure.code, Code::CliUntrusted);
        assert_eq!(failure.details["reason"], "replaced");

        let again = examine(&path, "here").unwrap();
        program(&path, "#!/bin/sh\nexit 3\n#longer\n");
        assert!(again.verify_unchanged().is_err(), "changed in place");
        fs_err::remove_file(&path).unwrap();
        assert!(again.verify_unchanged().is_err(), "gone");
    }
}

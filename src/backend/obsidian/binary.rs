//! The binary that was found, and which file it was.

use std::io;
use std::path::{Path, PathBuf};

use super::image::Image;
use super::kind::Kind;
use crate::code::Code;
use crate::failure::Failure;

/// A binary that may be run.
#[derive(Clone, Debug)]
pub struct Binary {
    path: PathBuf,
    shown: String,
    kind: Kind,
    image: Image,
    identity: Identity,
}

/// Which file it was: a replaced one differs in at least one of these (`faults.md` C03).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    modified: Option<std::time::SystemTime>,
    size: u64,
}

impl Identity {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let found = fs_err::metadata(path)?;
        let (device, inode) = device_and_inode(&found);
        Ok(Self {
            device,
            inode,
            modified: found.modified().ok(),
            size: found.len(),
        })
    }

    /// One line that differs for another file.
    fn as_text(&self) -> String {
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

    /// In bytes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }
}

#[cfg(unix)]
fn device_and_inode(found: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(windows)]
fn device_and_inode(found: &std::fs::Metadata) -> (u64, u64) {
    // The file index is not stable in the standard library; creation time tells files apart.
    use std::os::windows::fs::MetadataExt;
    (0, found.creation_time())
}

impl Binary {
    /// A binary that was looked at by [`super::locate::examine`].
    pub(super) fn new(
        path: PathBuf,
        shown: &str,
        kind: Kind,
        image: Image,
        identity: Identity,
    ) -> Self {
        Self {
            path,
            shown: shown.to_owned(),
            kind,
            image,
            identity,
        }
    }

    /// Its path without symbolic links; never shown to an agent.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it was found, in words an agent may see.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Which file it was, as one line to be compared (`faults.md` C03).
    pub(super) fn identity(&self) -> String {
        self.identity.as_text()
    }

    /// Which of the two programs it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What kind of executable it is.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Refuses to go on when the file is no longer the one that was checked (`faults.md` C03).
    /// To be called right before each run.
    pub fn verify_unchanged(&self) -> Result<(), Failure> {
        if Identity::of(&self.path).is_ok_and(|now| now == self.identity) {
            return Ok(());
        }
        Err(Failure::new(
            Code::CliUntrusted,
            "The obsidian binary was replaced after it was checked. Restart vault-gw to check \
             and use the new one.",
        )
        .with("reason", "replaced")
        .with("place", self.shown.as_str()))
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::backend::obsidian::locate::examine;

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

//! A client's configuration file: follows links, reads it once, and replaces it atomically with a
//! backup next to it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::client::McpClient;
use super::edit::UnusableConfig;
use protocol::{Code, Failure, Shell};
use sandbox::{PrivateFolder, Unsafe, private_dir};

/// The largest file in bytes. Generous, because Claude Code keeps its history in the same file.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum number of backups within one second.
const MAX_BACKUPS: u32 = 100;
/// A time in the name of a backup.
const TIME: &str = "20260314-092653";

/// The configuration file of a client.
#[derive(Debug)]
pub struct ClientConfigFile {
    client: McpClient,
    /// The resolved path, without links.
    path: PathBuf,
    /// Whether the path was a symbolic link.
    is_linked: bool,
}

impl ClientConfigFile {
    /// Resolves `path`. Follows a link, so that a dotfiles folder keeps its file and the link stays
    /// a link.
    ///
    /// # Errors
    ///
    /// If the link is dangling, or the path cannot be resolved.
    pub fn find(client: McpClient, path: PathBuf) -> Result<Self, Failure> {
        let is_linked = fs_err::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
        let mut file = Self {
            client,
            path,
            is_linked,
        };
        if is_linked {
            file.path = fs_err::canonicalize(&file.path).map_err(|_| {
                file.unusable("is a broken symbolic link", &file.repair_hint())
                    .with("reason", "dangling")
            })?;
        }
        Ok(file)
    }

    /// The client whose file this is.
    pub(super) fn client(&self) -> McpClient {
        self.client
    }

    /// Returns the path of the file, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path was a symbolic link.
    pub(super) fn is_linked(&self) -> bool {
        self.is_linked
    }

    /// Rejects a file inside the vault, where anyone who can write notes could change it.
    ///
    /// # Errors
    ///
    /// If it is inside, or this cannot be determined.
    pub fn ensure_outside(&self, vault: &Path) -> Result<(), Failure> {
        let inside = private_dir::lies_within(&self.path, vault);
        if inside.is_ok_and(|inside| inside) {
            return Err(self.unusable("is inside the vault", "Move the file out of the vault."));
        }
        Ok(())
    }

    /// Reads the text; `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// If the file is unsafe, unreadable or not UTF-8.
    pub fn read(&self) -> Result<Option<String>, Failure> {
        let (folder, name) = self.place()?;
        let read = PrivateFolder::open(folder).and_then(|folder| folder.read(name, MAX_BYTES));
        match read {
            Ok(bytes) => String::from_utf8(bytes)
                .map(Some)
                .map_err(|_| self.unusable("is not UTF-8", &self.repair_hint())),
            Err(Unsafe::Missing) => Ok(None),
            Err(reason) => Err(self.refused(&reason)),
        }
    }

    /// Returns the texts of the backups next to the file, newest first. One that cannot be read proves nothing, so it
    /// is left out.
    pub(super) fn backups(&self) -> Vec<String> {
        let Ok((path, name)) = self.place() else {
            return Vec::new();
        };
        let start = format!("{}.", name.to_string_lossy());
        let mut names: Vec<String> = fs_err::read_dir(path)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|found| found.starts_with(&start))
            .filter(|found| Path::new(found).extension() == Some(OsStr::new("bak")))
            .collect();
        // A number is added to the second backup of a second, and a longer number is a higher one.
        names.sort_by_key(|name| {
            let time = name.get(..start.len() + TIME.len()).map(str::to_owned);
            std::cmp::Reverse((time, name.len(), name.clone()))
        });
        let Ok(folder) = PrivateFolder::open(path) else {
            return Vec::new();
        };
        names
            .iter()
            .filter_map(|name| folder.read(OsStr::new(name), MAX_BYTES).ok())
            .filter_map(|bytes| String::from_utf8(bytes).ok())
            .collect()
    }

    /// Replaces `old`, the text that [`Self::read`] returned, by `new`, and keeps a backup of it. Without `new` it
    /// removes the file, and the empty folders that are left; if `is_backed_up` is false, without a backup.
    ///
    /// Returns `None` and writes nothing if the file has changed since.
    ///
    /// # Errors
    ///
    /// If the file is unsafe, or on any I/O error.
    pub fn replace(
        &self,
        old: Option<&str>,
        new: Option<&str>,
        is_backed_up: bool,
        now: Timestamp,
    ) -> Result<Option<ReplacedConfig>, Failure> {
        let refused = |reason: Unsafe| self.refused(&reason);
        let (folder_path, name) = self.place()?;
        let folder = PrivateFolder::create(folder_path).map_err(refused)?;
        folder.lock().map_err(refused)?;
        folder.remove_leftovers(name).map_err(refused)?;
        let backup = match old.filter(|_| is_backed_up) {
            Some(old) => {
                let backup = free_name(&folder, name, now).map_err(refused)?;
                folder.replace(&backup, old.as_bytes()).map_err(refused)?;
                Some(folder_path.join(backup))
            }
            None => None,
        };
        // Compare as late as possible: the client may be writing too.
        let present = match folder.read(name, MAX_BYTES) {
            Ok(bytes) => Some(bytes),
            Err(Unsafe::Missing) => None,
            Err(reason) => return Err(refused(reason)),
        };
        if present.as_deref() != old.map(str::as_bytes) {
            if let Some(backup) = &backup {
                fs_err::remove_file(backup).map_err(|error| self.io(&error))?;
            }
            return Ok(None);
        }
        if let Some(new) = new {
            folder.replace(name, new.as_bytes()).map_err(refused)?;
        } else {
            fs_err::remove_file(&self.path).map_err(|error| self.io(&error))?;
            let folders = self.path.ancestors().skip(1);
            let mut made = folders.take_while(|folder| is_made_by_us(folder));
            // The first folder that is not empty cannot be removed.
            let _full = made.find(|folder| fs_err::remove_dir(folder).is_err());
        }
        Ok(Some(ReplacedConfig { backup }))
    }

    /// Removes temporary files that a killed run left next to the file, if nothing else is written
    /// (`threats.toml` H22). If this fails, the next run tries again.
    pub(super) fn sweep(&self) {
        let swept = private_dir::split(&self.path).and_then(|(folder, name)| {
            let folder = PrivateFolder::open(folder)?;
            folder.lock()?;
            folder.remove_leftovers(name)
        });
        drop(swept);
    }

    fn place(&self) -> Result<(&Path, &OsStr), Failure> {
        private_dir::split(&self.path).map_err(|reason| self.refused(&reason))
    }

    fn refused(&self, reason: &Unsafe) -> Failure {
        match reason {
            Unsafe::Io(error) => self.io(error),
            other => self.unusable(&other.to_string(), &self.about_rights(other)),
        }
    }

    /// Says how to protect a file that others can change.
    fn about_rights(&self, reason: &Unsafe) -> String {
        let closed = match reason {
            Unsafe::Writable => Some(self.path.as_path()),
            Unsafe::WritableFolder => self.path.parent(),
            _ => None,
        };
        let closed = closed.filter(|_| cfg!(unix)).map(Path::to_string_lossy);
        closed.map_or_else(
            || self.repair_hint(),
            |closed| {
                format!(
                    "Remove the write permission of other users: `chmod go-w {}`.",
                    Shell::native().quoted(&closed)
                )
            },
        )
    }

    /// Returns the hint for most problems of the file.
    fn repair_hint(&self) -> String {
        format!(
            "Fix the file, or change the entry by hand: `vault-gw install {} --print` prints the entry.",
            self.client.word()
        )
    }

    /// Returns the failure for a text that cannot be parsed or edited.
    pub(super) fn unfit(&self, reason: &UnusableConfig) -> Failure {
        let advice = match reason {
            UnusableConfig::OtherKind { .. } => format!(
                "`vault-gw install {} --name NAME` gives the new entry another name.",
                self.client.word(),
            ),
            _ => self.repair_hint(),
        };
        self.unusable(&reason.to_string(), &advice)
    }

    /// Returns the failure for an unusable file.
    fn unusable(&self, what: &str, advice: &str) -> Failure {
        let file = self.path.display().to_string();
        Code::ValidationError
            .failure(format!("{file} {what}. {advice}"))
            .with("file", file)
    }

    /// Returns the failure for an error of the system.
    pub fn io(&self, error: &std::io::Error) -> Failure {
        let file = self.path.display().to_string();
        Code::IoError
            .failure(format!(
                "{} cannot be read or changed: {}.",
                file,
                error.kind()
            ))
            .with("file", file)
    }

    /// Rejects a file that its owner has made read-only. Replacing the file would ignore that.
    ///
    /// # Errors
    ///
    /// If the file has no write permission.
    pub(super) fn ensure_writable(&self) -> Result<(), Failure> {
        let found = fs_err::metadata(&self.path);
        if found.is_ok_and(|found| found.permissions().readonly()) {
            return Err(self.unusable("is read-only", &self.repair_hint()));
        }
        Ok(())
    }
}

/// Whether a folder looks like one that [`ClientConfigFile::replace`] makes: only its owner can open it.
#[cfg(unix)]
fn is_made_by_us(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let found = fs_err::symlink_metadata(folder);
    found.is_ok_and(|found| found.permissions().mode() & 0o777 == 0o700)
}

/// Whether a folder may be one that [`ClientConfigFile::replace`] made. Its mode says nothing here.
#[cfg(not(unix))]
const fn is_made_by_us(_folder: &Path) -> bool {
    true
}

/// The result of [`ClientConfigFile::replace`].
#[derive(Debug)]
pub struct ReplacedConfig {
    /// The path of the backup; `None` if the file is new.
    pub backup: Option<PathBuf>,
}

/// An unused backup name such as `mcp.json.20260314-092653.bak`, with a number if that is taken.
fn free_name(folder: &PrivateFolder, name: &OsStr, now: Timestamp) -> Result<OsString, Unsafe> {
    let time = now.strftime("%Y%m%d-%H%M%S").to_string();
    for number in 1..MAX_BACKUPS {
        let mut backup = name.to_owned();
        backup.push(match number {
            1 => format!(".{time}.bak"),
            _ => format!(".{time}-{number}.bak"),
        });
        if let Err(Unsafe::Missing) = folder.read(&backup, 0) {
            return Ok(backup);
        }
    }
    Err(Unsafe::Io(std::io::ErrorKind::AlreadyExists.into()))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn now() -> Timestamp {
        "2026-03-14T09:26:53Z".parse().unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs_err::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_leaves_a_private_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        fs_err::write(&path, "old").unwrap();
        fs_err::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let file = ClientConfigFile::find(McpClient::Cursor, path.clone()).unwrap();
        // A temporary file of a killed process.
        fs_err::write(folder.path().join(".c.json.4194304-0.tmp"), "torn").unwrap();
        for (old, new, backup) in [
            ("old", "new", "c.json.20260314-092653.bak"),
            ("new", "newer", "c.json.20260314-092653-2.bak"),
        ] {
            assert_eq!(file.read().unwrap().as_deref(), Some(old));
            let replaced = file
                .replace(Some(old), Some(new), true, now())
                .unwrap()
                .unwrap();
            let backup = folder.path().join(backup);
            assert_eq!(replaced.backup.as_ref(), Some(&backup));
            assert_eq!(fs_err::read_to_string(&backup).unwrap(), old);
            assert_eq!((mode(&path), mode(&backup)), (0o644, 0o600));
        }
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 3);
        assert_eq!(file.backups(), ["new", "old"]);
        file.replace(Some("newer"), None, true, now())
            .unwrap()
            .unwrap();
        assert_eq!(file.backups(), ["newer", "new", "old"]);
        assert_eq!(file.read().unwrap(), None);
    }

    #[test]
    fn what_somebody_else_wrote_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        fs_err::write(&path, "theirs").unwrap();
        let file = ClientConfigFile::find(McpClient::Cursor, path.clone()).unwrap();
        assert!(
            file.replace(Some("old"), Some("new"), true, now())
                .unwrap()
                .is_none()
        );
        assert!(
            file.replace(None, Some("new"), true, now())
                .unwrap()
                .is_none()
        );
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_file_is_made_with_its_folders_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/c.json");
        let file = ClientConfigFile::find(McpClient::Cursor, path.clone()).unwrap();
        assert_eq!(file.read().unwrap(), None);
        let replaced = file
            .replace(None, Some("new"), true, now())
            .unwrap()
            .unwrap();
        assert_eq!(replaced.backup, None);
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn a_link_is_followed_and_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("dotfiles/c.json");
        fs_err::create_dir(target.parent().unwrap()).unwrap();
        fs_err::write(&target, "old").unwrap();
        let link = folder.path().join("c.json");
        symlink(&target, &link).unwrap();
        let file = ClientConfigFile::find(McpClient::Cursor, link.clone()).unwrap();
        assert!(file.is_linked());
        file.replace(Some("old"), Some("new"), true, now())
            .unwrap()
            .unwrap();
        assert!(fs_err::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs_err::read_to_string(&target).unwrap(), "new");
        assert!(file.ensure_outside(target.parent().unwrap()).is_err());
        fs_err::remove_file(&target).unwrap();
        let failure = ClientConfigFile::find(McpClient::Cursor, link).unwrap_err();
        assert_eq!(failure.details["reason"], "dangling");
    }

    #[test]
    fn what_others_could_change_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        fs_err::write(&path, b"\xff").unwrap();
        let read = || {
            ClientConfigFile::find(McpClient::Cursor, path.clone())
                .unwrap()
                .read()
        };
        assert!(read().unwrap_err().to_string().contains("is not UTF-8"));
        fs_err::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        let message = read().unwrap_err().to_string();
        assert!(message.contains("other users"), "{message}");
        assert!(
            message.contains("c.json`") && message.contains("`chmod go-w "),
            "{message}"
        );
        fs_err::remove_file(&path).unwrap();
        fs_err::create_dir(&path).unwrap();
        assert!(
            read()
                .unwrap_err()
                .to_string()
                .contains("not a regular file")
        );
    }
}

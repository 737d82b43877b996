//! Folders and files that only their owner can change. They are opened without following links and
//! without blocking, judged by owner and mode, and replaced atomically (`threats.toml` D14, H05, H11).
//!
//! The owner's own configuration goes through [`PrivateFolder`]. The files below the state folder,
//! which this program writes for itself, follow the stricter rule of `state_file`.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

#[cfg_attr(unix, path = "state_file_unix.rs")]
#[cfg_attr(windows, path = "state_file_windows.rs")]
pub mod state_file;

#[cfg_attr(target_os = "linux", path = "outside_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "outside_other.rs")]
mod outside;

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::Path;

pub use system::PrivateFolder;

use protocol::{Code, Failure, for_person};

/// Whether the file is in the folder or below it. If the system has file numbers, files and folders
/// are compared by them, so another spelling, a link or a second mount cannot hide it.
///
/// # Errors
///
/// If one of the paths cannot be read.
pub fn lies_within(file: &Path, folder: &Path) -> io::Result<bool> {
    if outside::is_known(file, folder) {
        return Ok(false);
    }
    let is_inside = system::lies_within(file, folder)?;
    if !is_inside {
        outside::remember(file, folder);
    }
    Ok(is_inside)
}

/// Whether `path`, which may not exist yet, would be in the folder or is the folder. True if that
/// cannot be determined.
pub fn would_lie_within(path: &Path, folder: &Path) -> bool {
    let mut places = path.ancestors();
    let Some(place) = places.find(|place| fs_err::metadata(place).is_ok()) else {
        return false;
    };
    if outside::is_known(place, folder) {
        return false;
    }
    let Ok(canonical) = fs_err::canonicalize(place) else {
        return true;
    };
    let is_folder = fs_err::canonicalize(folder).is_ok_and(|folder| folder == canonical);
    is_folder || lies_within(place, folder).unwrap_or(true)
}

/// Whether a file is a temporary one of `name`, left by a process that was killed while it replaced
/// the file: `.NAME.PROCESS-ATTEMPT.tmp`. `NAME` may also be the name of a backup of the file.
fn is_leftover(found: &OsStr, name: &OsStr) -> bool {
    let (Some(found), Some(name)) = (found.to_str(), name.to_str()) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let middle = found.strip_prefix('.').and_then(|rest| {
        rest.strip_prefix(name)?
            .strip_prefix('.')?
            .strip_suffix(".tmp")
    });
    let Some(middle) = middle else {
        return false;
    };
    let (backup, numbers) = middle.rsplit_once('.').unwrap_or(("bak", middle));
    let numbers = numbers.split_once('-');
    backup.ends_with("bak")
        && numbers.is_some_and(|(process, attempt)| is_number(process) && is_number(attempt))
}

/// Reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unsafe {
    /// The file does not exist.
    #[error("does not exist")]
    Missing,
    /// It is a symbolic link, whose target could change at any time.
    #[error("is a symbolic link")]
    Symlink,
    /// It is a folder, pipe, socket or device.
    #[error("is not a regular file")]
    NotAFile,
    /// It belongs to another user.
    #[error("belongs to another user")]
    ForeignOwner,
    /// Other users can write it.
    #[error("can be changed by other users")]
    Writable,
    /// Its folder belongs to another user.
    #[error("is in a folder that belongs to another user")]
    ForeignFolder,
    /// Other users can replace it, because they can write to its folder.
    #[error("is in a folder that other users can change")]
    WritableFolder,
    /// It is larger than expected.
    #[error("has more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system reported an error.
    #[error("cannot be used: {}", .0.kind())]
    Io(#[source] io::Error),
}

impl Unsafe {
    /// Converts to a failure about a configuration file. `file` is its name without folders.
    pub fn into_failure(self, file: &str) -> Failure {
        let code = match &self {
            Self::Missing => Code::ConfigMissing,
            Self::Io(_) => Code::IoError,
            _ => Code::ConfigInvalid,
        };
        let remedy = match &self {
            Self::Missing => {
                "With `--settings FILE`, pass a file that exists. Or omit `--settings`."
            }
            Self::Symlink => "With `--settings FILE`, pass the file that the link points to.",
            Self::NotAFile => "The settings file must be a regular file.",
            Self::ForeignOwner => {
                "Take ownership of the file: `chown \"$USER\" \"$(vault-gw settings path)\"`."
            }
            Self::Writable => {
                "Run `chmod go-w \"$(vault-gw settings path)\"`. If you pass `--settings FILE`, run `chmod go-w FILE` instead."
            }
            Self::ForeignFolder => "Move the file to a folder that belongs to you.",
            Self::WritableFolder => "Run `chmod go-w` on the folder that contains the file.",
            Self::TooLarge { .. } => "Shorten the file.",
            Self::Io(_) => "Check the permissions of the file and the free disk space.",
        };
        let failure = code.failure(format!("The file `{file}` {self}."));
        failure.hint(for_person(remedy)).with("file", file)
    }
}

/// Reads a file of at most `limit` bytes that only its owner or root can change.
///
/// Opens the file once and checks the open descriptor, so the file cannot be swapped between check
/// and read.
///
/// # Errors
///
/// If the file is missing, unsafe, too large or unreadable.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Unsafe> {
    let (folder, name) = split(path)?;
    PrivateFolder::open(folder)?.read(name, limit)
}

/// Reads all of a file that has at most `limit` bytes. Reads at most one byte more, even if the
/// file is larger or grows during the read.
///
/// # Errors
///
/// [`Unsafe::TooLarge`] if it is larger, or if it cannot be read.
pub fn read_at_most(file: impl io::Read, limit: u64) -> Result<Vec<u8>, Unsafe> {
    // Most files are small: one read for all of it, and one that finds the end.
    let mut bytes = Vec::with_capacity(usize::try_from(limit.min(4095)).unwrap_or_default() + 1);
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(Unsafe::Io)?;
    if bytes.len() as u64 > limit {
        return Err(Unsafe::TooLarge { limit });
    }
    Ok(bytes)
}

/// Splits a path into its folder and file name.
///
/// # Errors
///
/// [`Unsafe::NotAFile`] if the path has no file name.
pub fn split(path: &Path) -> Result<(&Path, &OsStr), Unsafe> {
    let name = path.file_name().ok_or(Unsafe::NotAFile)?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Ok((folder, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("cases.txt");

    #[test]
    fn a_leftover_is_known_by_its_name() {
        let is = |found: &str| is_leftover(OsStr::new(found), OsStr::new(".claude.json"));
        for found in [
            "..claude.json.123-0.tmp",
            "..claude.json.20260314-092653.bak.123-4.tmp",
        ] {
            assert!(is(found), "{found}");
        }
        for found in tables::lines(CASES, "a leftover is known by its name") {
            assert!(!is(found), "{found}");
        }
    }
}

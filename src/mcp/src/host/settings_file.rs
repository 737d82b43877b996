//! Detects changes of the settings file by its metadata.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::confine::ServerSandbox;
use crate::error::Error;
use frontend::{CommandLineOptions, setup};
use protocol::{Code, Failure};
use sandbox::Environment;
use settings::Settings;

/// A file counts as settled if its last change is this old. File systems record times in steps of
/// up to two seconds, so a younger file could change again without a new timestamp.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// The path of the settings file and how it was chosen.
pub(crate) struct SettingsFile {
    /// The path of the file; `None` without a home folder, so that the defaults apply.
    pub(crate) path: Option<PathBuf>,
    /// Whether the user named it, so that it must exist.
    is_named: bool,
}

/// The metadata of the file at one point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileLook {
    /// The size and times of the file; `None` if the file does not exist.
    stamp: Option<SettingsStamp>,
    /// Whether an equal stamp guarantees equal content.
    pub(super) is_settled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SettingsStamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Device, inode, and change time (seconds, nanoseconds).
    identity: (u64, u64, i64, i64),
}

impl SettingsFile {
    /// The file named by `--settings`, else the user's own.
    pub(crate) fn new(options: &CommandLineOptions, environment: &Environment) -> Self {
        Self {
            path: setup::settings_file(options, environment).ok(),
            is_named: options.settings.is_some(),
        }
    }

    /// Reads the metadata. Costs one system call.
    pub(super) fn look(&self) -> FileLook {
        FileLook::read(self.path.as_deref())
    }

    /// Reads the metadata of the lists that the settings name. Costs one system call for each.
    pub(super) fn look_at_lists(settings: &Settings) -> Vec<FileLook> {
        let files = settings.list_files().into_iter();
        files.map(|file| FileLook::read(Some(&file))).collect()
    }

    /// Loads the settings.
    ///
    /// # Errors
    ///
    /// If the file is invalid, or if it existed before and is gone: falling back to the defaults
    /// could widen access (`threats.toml` H02).
    pub(super) fn load(
        &self,
        was_there: bool,
        sandbox: &ServerSandbox,
    ) -> Result<Settings, Failure> {
        let path = self.path.as_ref().ok_or(Error::NoSettingsFolder)?;
        match sandbox.settings_at(path) {
            Err(failure) if failure.code == Code::ConfigMissing && !self.is_named && !was_there => {
                Ok(Settings::default())
            }
            loaded => loaded,
        }
    }
}

impl FileLook {
    /// Reads the metadata of a file. Costs one system call.
    pub(super) fn read(path: Option<&Path>) -> Self {
        let metadata = path.and_then(|path| fs_err::symlink_metadata(path).ok());
        let stamp = metadata.map(|metadata| SettingsStamp {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            identity: identity(&metadata),
        });
        let now = SystemTime::now();
        let is_settled = stamp.as_ref().is_none_or(|stamp| stamp.is_settled(now));
        Self { stamp, is_settled }
    }

    /// Whether what was loaded at this look is still what the look `now` saw.
    pub(super) fn holds(&self, now: &Self) -> bool {
        self.is_settled && self.is_same_file(now)
    }

    /// Whether the file exists.
    pub(super) fn is_there(&self) -> bool {
        self.stamp.is_some()
    }

    /// Whether both looks saw the same metadata.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.stamp == other.stamp
    }
}

impl SettingsStamp {
    fn is_settled(&self, now: SystemTime) -> bool {
        let is_old = |time: SystemTime| {
            now.duration_since(time)
                .is_ok_and(|age| age > SETTLED_AFTER)
        };
        let (_, _, seconds, _) = self.identity;
        let changed = u64::try_from(seconds)
            .ok()
            .and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
        self.modified.is_some_and(is_old) && changed.is_some_and(is_old)
    }
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> (u64, u64, i64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (
        metadata.dev(),
        metadata.ino(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    )
}

#[cfg(windows)]
fn identity(_metadata: &std::fs::Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}

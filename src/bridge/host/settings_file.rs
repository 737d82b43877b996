//! Whether the settings file is still the one that was read.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::frontend::options::CommandLineOptions;
use crate::settings::{Folders, Settings};

/// How long before a look a file's last change must be, so that a change right after the look shows
/// in its times: file systems count time in steps of up to two seconds.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// The file that the settings come from.
pub(super) struct SettingsFile {
    /// None where there is no home: the defaults hold then.
    path: Option<PathBuf>,
    /// Whether it was named, and so has to be there.
    is_named: bool,
}

/// How the file stood when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingsLook {
    /// None where there is no such file.
    stamp: Option<SettingsStamp>,
    /// Whether an equal stamp means the same content.
    is_settled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct SettingsStamp {
    size: u64,
    modified: Option<SystemTime>,
    /// Device, inode, and when content or attributes last changed.
    identity: (u64, u64, i64, i64),
}

impl SettingsFile {
    /// The one that was named, else the user's own.
    pub(super) fn of(options: &CommandLineOptions, environment: &Environment) -> Self {
        match &options.settings {
            Some(path) => Self {
                path: Some(environment.absolute(path)),
                is_named: true,
            },
            None => Self {
                path: Folders::new(environment).settings_file().ok(),
                is_named: false,
            },
        }
    }

    /// How it stands now. Costs one system call.
    pub(super) fn look(&self) -> SettingsLook {
        let metadata = self
            .path
            .as_ref()
            .and_then(|path| fs_err::symlink_metadata(path).ok());
        let stamp = metadata.map(|metadata| SettingsStamp {
            size: metadata.len(),
            modified: metadata.modified().ok(),
            identity: identity(&metadata),
        });
        let now = SystemTime::now();
        let is_settled = stamp.as_ref().is_none_or(|stamp| stamp.is_settled(now));
        SettingsLook { stamp, is_settled }
    }

    /// Reads it. One that was there and is gone is a failure: nobody meant the defaults
    /// (`faults.md` H02).
    pub(super) fn load(&self, was_there: bool) -> Result<Settings, Failure> {
        match &self.path {
            Some(path) if self.is_named || was_there => Settings::load(path),
            Some(path) => Settings::load_or_default(path),
            None => Err(Failure::new(
                Code::ConfigMissing,
                "There is no folder for settings.",
            )),
        }
    }
}

impl SettingsLook {
    /// Whether what was read then is what `now` is.
    pub(super) fn holds(&self, now: &Self) -> bool {
        self.is_settled && self.is_same_file(now)
    }

    /// Whether there is a file.
    pub(super) fn is_there(&self) -> bool {
        self.stamp.is_some()
    }

    /// Whether nothing tells them apart.
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

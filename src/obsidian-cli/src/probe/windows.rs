//! The probe on Windows: opens the app's named pipe.

use std::fs::OpenOptions;
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

use super::AppInstance;
use crate::error::Error;

/// `ERROR_ACCESS_DENIED`: the app runs in another session or with another elevation
/// (`official-cli.md` §3).
const ACCESS_DENIED: i32 = 5;

/// `ERROR_PIPE_BUSY`: every instance of the pipe is in use, so the app is running.
const PIPE_BUSY: i32 = 231;

/// `SECURITY_ANONYMOUS`: the process that made the pipe cannot act as this user.
const ANONYMOUS: u32 = 0;

pub(super) fn probe(path: &Path) -> Result<AppInstance, Error> {
    // `fs_err` would hide the error number.
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .security_qos_flags(ANONYMOUS)
        .open(path);
    match opened {
        Ok(pipe) => {
            drop(pipe);
            Ok(AppInstance::default())
        }
        Err(error) if error.raw_os_error() == Some(PIPE_BUSY) => Ok(AppInstance::default()),
        Err(error) if error.raw_os_error() == Some(ACCESS_DENIED) => {
            Err(Error::Unreachable("permission"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::NotRunning(false)),
        Err(_other) => Err(Error::Unreachable("error")),
    }
}

//! Checks whether the app is running, before every spawn, so that nothing is started if it is not
//! (`threats.toml` G01 to G04).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::environment::ChildEnvironment;
use protocol::Failure;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

/// The name of the app's socket since 1.12.6 (`official-cli.md` §3).
const SOCKET_NAME: &str = ".obsidian-cli.sock";

/// Identifies a running app, to detect later that another one took its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppInstance {
    /// The process that listens on the socket, if the operating system reports it.
    pub peer_pid: Option<u32>,
    /// The socket file. `None` on Windows, whose pipes have no file.
    pub socket: Option<SocketIdentity>,
}

/// Identifies a socket file. An app that starts unlinks the old socket and binds a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketIdentity {
    /// The number of the device that contains the file.
    pub device: u64,
    /// The inode number, which may be reused after the file is removed.
    pub inode: u64,
    /// Last status change in nanoseconds since 1970, to detect a reused inode number.
    pub changed: i128,
}

/// Returns the socket path that a child with `environment` would connect to.
pub fn socket_path(environment: &ChildEnvironment) -> PathBuf {
    if cfg!(windows) {
        let user = environment
            .variable("USERNAME")
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        PathBuf::from(pipe_name(&user))
    } else {
        environment.socket_folder.join(SOCKET_NAME)
    }
}

/// Returns the name of the app's pipe on Windows (`official-cli.md` §3).
fn pipe_name(user: &str) -> String {
    format!(r"\\.\pipe\obsidian-cli-{user}")
}

/// Connects to the app that a child with `environment` would talk to. Spawns nothing, sends
/// nothing, and takes at most about 250 ms.
///
/// # Errors
///
/// - `APP_NOT_RUNNING`: no socket, or nothing listens on it.
/// - `APP_UNREACHABLE`: this process may not connect.
/// - `CLI_UNTRUSTED`: another user owns the socket or could have created it.
pub fn probe(environment: &ChildEnvironment) -> Result<AppInstance, Failure> {
    platform::probe(&socket_path(environment)).map_err(Failure::from)
}

/// Checks only the socket's file, which often shows already that the app cannot answer. Unlike
/// [`probe`] it opens nothing, so a confined server can do it.
///
/// # Errors
///
/// As [`probe`].
#[cfg(target_os = "linux")]
pub(super) fn look(environment: &ChildEnvironment) -> Result<(), Failure> {
    platform::look(&socket_path(environment)).map_err(Failure::from)
}

/// Returns the identity of the current socket file, without connecting; `None` if it does not
/// exist.
#[cfg(unix)]
pub(super) fn socket_identity(environment: &ChildEnvironment) -> Option<SocketIdentity> {
    platform::socket_identity(&socket_path(environment))
}

/// Returns the process that listens now; `None` if the app does not listen or the operating system does not report the
/// process.
#[cfg(unix)]
pub(super) fn listener_pid(environment: &ChildEnvironment) -> Option<u32> {
    platform::probe(&socket_path(environment))
        .ok()
        .and_then(|instance| instance.peer_pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_pipe_bears_the_user_name() {
        assert_eq!(pipe_name("Ann"), r"\\.\pipe\obsidian-cli-Ann");
    }
}

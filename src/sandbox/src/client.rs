//! The process that sends a server its requests over standard input (`design/agents.md`, "The end of a server").
//!
//! The input ends when every process that has the other end open has closed it. A child that the client starts later
//! may inherit that end and keep it open for as long as it runs, so the end of the input alone does not show that the
//! client is gone (`threats.toml` E21).
//!
//! An ancestor whose own standard input is the same stream is a launcher (a shell, `npx`, `docker-init`) and is
//! skipped. The client is found once, before the server is confined; a pidfd reports its end. No process counts as the
//! client if the input is a file, a terminal or a named pipe, if the launcher ended first, or if the system does not
//! show the descriptors of an ancestor (another user or container). On macOS the parent after the first second counts,
//! unless it is process 1: a launcher that ends by itself has done so by then.

#[cfg(target_os = "linux")]
use rustix::event::{PollFd, PollFlags, poll};
#[cfg(target_os = "linux")]
use rustix::process::{Pid, PidfdFlags, getppid, pidfd_open};

/// The process that has the other end of this process's standard input.
#[derive(Debug)]
pub struct ClientProcess {
    #[cfg(target_os = "linux")]
    process: std::os::fd::OwnedFd,
}

#[cfg(target_os = "linux")]
impl ClientProcess {
    /// Finds the client: the nearest ancestor that has the other end of standard input, a pipe or a socket. Ancestors
    /// whose own standard input is the same stream only pass it on, as a shell, `npx` or `docker-init` does. `None` if
    /// the input is not a pipe or a socket, or if another process made it: the end of the input is then the only sign.
    pub fn find() -> Option<Self> {
        let input = linux::OwnInput::of_this_process()?;
        let mut candidate = getppid();
        while let Some(pid) = candidate {
            // Opened first: if the process ends while it is examined, its number may belong to another one, and this
            // descriptor still reports its end.
            let process = pidfd_open(pid, PidfdFlags::empty()).ok()?;
            if !input.is_passed_on_by(pid)? {
                return input.comes_from(pid).then_some(Self { process });
            }
            candidate = parent_of(pid.as_raw_pid()).and_then(Pid::from_raw);
        }
        None
    }

    /// Waits until the client has ended, on a thread of its own. Never returns if the system cannot report the end.
    pub async fn ended(self) {
        let (report, ended) = tokio::sync::oneshot::channel();
        let watch = move || {
            let mut source = [PollFd::new(&self.process, PollFlags::IN)];
            if rustix::io::retry_on_intr(|| poll(&mut source, None)).is_ok() {
                // The server may have ended in the meantime.
                let _not_needed = report.send(());
            }
        };
        let thread = std::thread::Builder::new().name("client".to_owned());
        if let Err(error) = thread.spawn(watch) {
            tracing::warn!("vault-gw cannot notice the end of the client: {error}");
        }
        if ended.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Other systems do not show which process has the other end of a pipe. On Unix the parent counts as the client.
#[cfg(not(target_os = "linux"))]
impl ClientProcess {
    /// Returns the client, which is known later: see [`Self::ended`].
    pub fn find() -> Option<Self> {
        Some(Self {})
    }

    /// Waits until the process that is the parent after one second has ended. A launcher that starts this process and
    /// ends does so earlier, and process 1 is not a client. Never returns on Windows, where the input ends with the
    /// client.
    pub async fn ended(self) {
        #[cfg(unix)]
        {
            const BETWEEN_LOOKS: std::time::Duration = std::time::Duration::from_secs(1);

            tokio::time::sleep(BETWEEN_LOOKS).await;
            let parent = rustix::process::getppid();
            if parent.is_some_and(|parent| !parent.is_init()) {
                while rustix::process::getppid() == parent {
                    tokio::time::sleep(BETWEEN_LOOKS).await;
                }
                return;
            }
        }
        std::future::pending().await
    }
}

/// Waits until a client that is known has ended; without one, forever.
pub async fn end_of(client: Option<ClientProcess>) {
    match client {
        Some(client) => client.ended().await,
        None => std::future::pending().await,
    }
}

/// Returns the number of the parent of a process; 0 if that is not visible here. `None` if the process is gone.
#[cfg(target_os = "linux")]
pub fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may contain anything; the state and the parent follow it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    use rustix::net::sockopt::socket_peercred;
    use rustix::process::Pid;

    /// The bit of a descriptor's link in `/proc` that shows that it is open for writing.
    const OPEN_FOR_WRITING: u32 = 0o200;

    /// The standard input of this process.
    pub(super) struct OwnInput {
        /// The name of the stream in `/proc`, the same in all processes: `pipe:[7]` or `socket:[8]`.
        name: PathBuf,
        /// The number of the process that made both ends, if the input is a socket; 0 for one outside of this
        /// container.
        maker: Option<i32>,
    }

    impl OwnInput {
        pub(super) fn of_this_process() -> Option<Self> {
            let name = fs_err::read_link("/proc/self/fd/0").ok()?;
            let text = name.to_str()?;
            let maker = if text.starts_with("socket:[") {
                Some(socket_peercred(std::io::stdin()).ok()?.pid.as_raw_pid())
            } else if text.starts_with("pipe:[") {
                None
            } else {
                // Any process can open a named pipe.
                return None;
            };
            Some(Self { name, maker })
        }

        /// Whether a process has the same standard input; `None` if the system does not show it.
        pub(super) fn is_passed_on_by(&self, pid: Pid) -> Option<bool> {
            let folder = format!("/proc/{}/fd", pid.as_raw_nonzero());
            match fs_err::read_link(format!("{folder}/0")) {
                Ok(name) => Some(name == self.name),
                // It has no standard input, or nobody may look.
                Err(_) => fs_err::read_dir(folder).is_ok().then_some(false),
            }
        }

        /// Whether a process has the other end: of a pipe it has the end for writing open, and it made the socket.
        pub(super) fn comes_from(&self, pid: Pid) -> bool {
            if let Some(maker) = self.maker {
                return maker == pid.as_raw_pid();
            }
            let descriptors = fs_err::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero()));
            descriptors.is_ok_and(|entries| {
                entries.flatten().any(|entry| {
                    let link = entry.path();
                    fs_err::read_link(&link).is_ok_and(|name| name == self.name)
                        && fs_err::symlink_metadata(&link).is_ok_and(|metadata| {
                            metadata.permissions().mode() & OPEN_FOR_WRITING != 0
                        })
                })
            })
        }
    }
}

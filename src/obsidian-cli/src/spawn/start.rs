//! Starts a child on Linux and macOS: in its own session, with no signals blocked or ignored, with
//! only three descriptors, and without a shell (`threats.toml` C04, C10, C11, E15).
//!
//! Calls `posix_spawn` directly, because the standard library has no stable way to create a
//! session. `posix_spawn` cannot set the working directory, so the child inherits the working
//! directory of the thread that starts it.

use std::ffi::{CString, NulError, OsStr};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus};

use super::signals;
use super::working_directory::WORKING_DIRECTORY;
use crate::error::Error;

/// `POSIX_SPAWN_SETSID`, which nix does not define. `None` if the operating system has no such
/// flag.
const NEW_SESSION: Option<i32> = if cfg!(any(target_os = "linux", target_os = "android")) {
    Some(0x80)
} else if cfg!(target_vendor = "apple") {
    Some(0x400)
} else {
    None
};

/// The pipes for a child that has not started yet.
#[derive(Debug)]
pub(super) struct ChildPipes {
    stdout: (PipeReader, PipeWriter),
    stderr: (PipeReader, PipeWriter),
}

impl ChildPipes {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self {
            stdout: io::pipe()?,
            stderr: io::pipe()?,
        })
    }

    /// Returns the write end, which becomes the child's standard output.
    pub(super) fn stdout(&self) -> BorrowedFd<'_> {
        self.stdout.1.as_fd()
    }

    /// Returns the write end, which becomes the child's standard error.
    #[cfg(target_os = "linux")]
    pub(super) fn stderr(&self) -> BorrowedFd<'_> {
        self.stderr.1.as_fd()
    }

    /// Returns the read ends of standard output and standard error, after the child has started. Closes the write ends,
    /// so that the streams end with the child.
    pub(super) fn into_ours(self) -> [OwnedFd; 2] {
        [self.stdout.0.into(), self.stderr.0.into()]
    }
}

/// The child's descriptors 0, 1 and 2. It gets no others.
pub struct ChildDescriptors<'a> {
    /// Its standard input.
    pub stdin: BorrowedFd<'a>,
    /// Its standard output.
    pub stdout: BorrowedFd<'a>,
    /// Its standard error.
    pub stderr: BorrowedFd<'a>,
}

/// Starts the binary from a dedicated thread; on Linux the thread changes its own working
/// directory. Returns the process id, which is also the id of the process group, and stays valid
/// until the child is reaped.
///
/// If a sandbox forbids the change of directory, the child gets its own process group instead of a
/// session. `main` has already moved the whole process, so this affects only embedders.
pub(super) fn start_once<'a>(
    binary: &Path,
    words: &[String],
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
    ends: &ChildPipes,
) -> io::Result<Pid> {
    if NEW_SESSION.is_none() || !moved_to(Path::new(WORKING_DIRECTORY)) {
        return in_a_group(binary, words, variables, ends);
    }
    let stdin = File::open("/dev/null")?;
    let streams = ChildDescriptors {
        stdin: stdin.as_fd(),
        stdout: ends.stdout.1.as_fd(),
        stderr: ends.stderr.1.as_fd(),
    };
    start_in_a_session(binary, words, variables, &streams)
}

/// Whether this thread works in `folder`.
pub(super) fn is_in(folder: &Path) -> bool {
    rustix::process::getcwd(Vec::new())
        .is_ok_and(|here| here.to_bytes() == folder.as_os_str().as_bytes())
}

/// Moves this thread to `folder`. Returns whether it is there.
pub(super) fn moved_to(folder: &Path) -> bool {
    if is_in(folder) {
        return true;
    }
    // On Linux a thread can have its own working directory.
    #[cfg(target_os = "linux")]
    if nix::sched::unshare(nix::sched::CloneFlags::CLONE_FS).is_ok() {
        return std::env::set_current_dir(folder).is_ok();
    }
    false
}

/// Starts a process as the leader of a new session and process group, without a terminal, in the
/// working directory of this thread.
///
/// # Errors
///
/// If the program cannot be started.
pub fn start_in_a_session<'a>(
    program: &Path,
    words: &[String],
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
    streams: &ChildDescriptors<'_>,
) -> io::Result<Pid> {
    let new_session = NEW_SESSION.ok_or(io::ErrorKind::Unsupported)?;
    let (arguments, variables) = for_exec(program.as_os_str(), words, variables)?;

    // `dup2` clears close-on-exec for these three. All other descriptors are close-on-exec.
    let mut descriptors = PosixSpawnFileActions::init()?;
    descriptors.add_dup2(streams.stdin.as_raw_fd(), 0)?;
    descriptors.add_dup2(streams.stdout.as_raw_fd(), 1)?;
    descriptors.add_dup2(streams.stderr.as_raw_fd(), 2)?;

    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_flags(
        PosixSpawnFlags::from_bits_retain(new_session)
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF,
    )?;
    attributes.set_sigmask(&SigSet::empty())?;
    let mut by_default = SigSet::all();
    // These two always have the default action and cannot be changed.
    by_default.remove(Signal::SIGKILL);
    by_default.remove(Signal::SIGSTOP);
    attributes.set_sigdefault(&by_default)?;

    let pid = posix_spawn(
        arguments[0].as_c_str(),
        &descriptors,
        &attributes,
        &arguments,
        &variables,
    )?;
    Pid::from_raw(pid.as_raw()).ok_or_else(|| io::ErrorKind::Other.into())
}

/// Returns the arguments, of which the first is the program, and the environment of a new program.
pub(super) fn for_exec<'a>(
    program: &OsStr,
    words: &[String],
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
) -> Result<(Vec<CString>, Vec<CString>), NulError> {
    let words = words.iter().map(String::as_bytes);
    let arguments = std::iter::once(program.as_bytes()).chain(words);
    let variables = variables.map(|(name, value)| [name.as_bytes(), value.as_bytes()].join(&b'='));
    Ok((
        arguments.map(CString::new).collect::<Result<_, _>>()?,
        variables.map(CString::new).collect::<Result<_, _>>()?,
    ))
}

fn in_a_group<'a>(
    binary: &Path,
    words: &[String],
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
    ends: &ChildPipes,
) -> io::Result<Pid> {
    signals::handle_what_is_ignored()?;
    // The child inherits the signal mask of this thread.
    SigSet::empty().thread_set_mask()?;
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the spawn module that the rule speaks of"
    )]
    let mut command = Command::new(binary);
    let child = command
        .args(words)
        .env_clear()
        .envs(variables)
        .current_dir(WORKING_DIRECTORY)
        .stdin(Stdio::null())
        .stdout(ends.stdout.1.try_clone()?)
        .stderr(ends.stderr.1.try_clone()?)
        .process_group(0)
        .spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::ErrorKind::Other.into())
}

/// Returns the failure for an error of the operating system at the start (`threats.toml` E14).
pub(super) fn start_failure(error: &io::Error) -> Error {
    match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) => Error::CannotStart("missing"),
        Some(Errno::ACCESS | Errno::PERM) => Error::CannotStart("not-executable"),
        Some(Errno::NOEXEC) => Error::CannotStart("not-a-program"),
        Some(Errno::TOOBIG) => Error::TooLong,
        Some(Errno::TXTBSY) => Error::CannotStartNow("being-written"),
        Some(Errno::MFILE | Errno::NFILE) => Error::CannotStartNow("open-files"),
        Some(Errno::AGAIN) => Error::CannotStartNow("processes"),
        Some(Errno::NOMEM) => Error::CannotStartNow("memory"),
        Some(_) | None if error.kind() == io::ErrorKind::InvalidInput => Error::NulByte,
        Some(_) | None => Error::NotStarted,
    }
}

/// Waits for the child and reaps it. `None` if it was already reaped elsewhere.
pub(super) fn wait_for(pid: Pid) -> Option<WaitIdStatus> {
    rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED))
        .ok()
        .flatten()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use rustix::process::{WaitId, WaitIdOptions};

    use super::*;

    /// Returns the output of the child, once it has ended.
    fn printed(way: Way, binary: &Path, words: &[String]) -> String {
        let ends = ChildPipes::open().unwrap();
        let pid = way(binary, words, &ends).unwrap();
        let [stdout, _stderr] = ends.into_ours();
        let mut text = String::new();
        File::from(stdout).read_to_string(&mut text).unwrap();
        let ended = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
        assert_eq!(ended.unwrap().unwrap().exit_status(), Some(0), "{text}");
        text
    }

    fn variables() -> impl Iterator<Item = (&'static OsStr, &'static OsStr)> {
        [("A", "b=c d"), ("PATH", "/usr/bin:/bin")]
            .into_iter()
            .map(|(name, value)| (OsStr::new(name), OsStr::new(value)))
    }

    /// Ways to start a child, by name.
    type Way = fn(&Path, &[String], &ChildPipes) -> io::Result<Pid>;

    fn ways() -> [(&'static str, Way); 2] {
        [
            ("session", |binary, words, ends| {
                assert!(moved_to(Path::new(WORKING_DIRECTORY)));
                start_once(binary, words, variables(), ends)
            }),
            ("group", |binary, words, ends| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                let _inside = runtime.enter();
                in_a_group(binary, words, variables(), ends)
            }),
        ]
    }

    #[test]
    fn c04_neither_way_has_a_shell_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("obsidian");
        fake_obsidian::home::write_program(&text, b"echo pwned\n").unwrap();
        for (name, start) in ways() {
            let error = start(&text, &["x".into()], &ChildPipes::open().unwrap()).unwrap_err();
            assert_eq!(Errno::from_io_error(&error), Some(Errno::NOEXEC), "{name}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn c11_e15_either_way_the_child_stands_apart_and_hears_every_signal() {
        let mut deaf = SigSet::empty();
        deaf.add(Signal::SIGTERM);
        deaf.add(Signal::SIGCHLD);
        let script = "pwd; echo \"$A\"; grep '^SigBlk' /proc/self/status; \
                      cut -d' ' -f1,5,6 </proc/$$/stat; read line || echo no-input";
        for (name, start) in ways() {
            // The signal mask and the working directory belong to a thread.
            let text = std::thread::spawn(move || {
                deaf.thread_block().unwrap();
                printed(start, Path::new("/bin/sh"), &["-c".into(), script.into()])
            });
            let text = text.join().unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let ids: Vec<&str> = lines[3].split(' ').collect();
            let [pid, group, session] = ids[..] else {
                panic!("{lines:?}");
            };
            assert_eq!(group, pid, "{name}");
            assert_eq!(session == pid, name == "session", "{name}: {lines:?}");
            let blocked = "SigBlk:\t0000000000000000";
            assert_eq!(
                [lines[0], lines[1], lines[2], lines[4]],
                ["/", "b=c d", blocked, "no-input"]
            );
        }
    }
}

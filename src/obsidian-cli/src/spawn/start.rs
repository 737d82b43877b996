//! Starts a child on Linux and macOS: in its own session, with no signals blocked or ignored, with
//! only three descriptors, and without a shell (`threats.toml` C04, C10, C11, E15).
//!
//! Calls `posix_spawn` directly, because the standard library has no stable way to create a
//! session without a `pre_exec` hook. With a hook it calls `execvp`, which runs a text file without `#!` through
//! `/bin/sh`; here such a file is an error. `posix_spawn` cannot set the working directory, so the child inherits the working
//! directory of the thread that starts it.

use std::ffi::{CString, NulError, OsStr};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus};

use super::working_directory::WORKING_DIRECTORY;
use crate::error::Error;

/// `POSIX_SPAWN_SETSID` of macOS and Linux, which nix does not define.
const NEW_SESSION: i32 = if cfg!(target_vendor = "apple") {
    0x400
} else {
    0x80
};

/// Reason why the binary was not started.
#[derive(Debug)]
pub(super) enum LaunchError {
    /// An error of the operating system.
    System(io::Error),
    /// The kernel cannot enforce all that the settings require.
    #[cfg(target_os = "linux")]
    FallsShort(sandbox::Confinement),
    /// The sandbox could not be applied.
    #[cfg(target_os = "linux")]
    Sandbox(String),
}

impl From<io::Error> for LaunchError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

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

/// Starts the binary from a dedicated thread, which moves to the working directory of children.
/// Returns the process id, which is also the id of the process group, and stays valid until the
/// child is reaped.
pub(super) fn start_once<'a>(
    binary: &Path,
    words: &[String],
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
    ends: &ChildPipes,
) -> io::Result<Pid> {
    move_to(Path::new(WORKING_DIRECTORY))?;
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

/// Moves this thread to `folder`. `main` has moved the whole process already; a program that embeds
/// the gateway is moved as a whole if its system does not let a thread have a working directory of
/// its own.
pub(super) fn move_to(folder: &Path) -> io::Result<()> {
    if is_in(folder) {
        return Ok(());
    }
    #[cfg(target_os = "linux")]
    let _forbidden = nix::sched::unshare(nix::sched::CloneFlags::CLONE_FS);
    std::env::set_current_dir(folder)
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
    let (arguments, variables) = for_exec(program.as_os_str(), words, variables)?;

    // `dup2` clears close-on-exec for these three. All other descriptors are close-on-exec.
    let mut descriptors = PosixSpawnFileActions::init()?;
    descriptors.add_dup2(streams.stdin.as_raw_fd(), 0)?;
    descriptors.add_dup2(streams.stdout.as_raw_fd(), 1)?;
    descriptors.add_dup2(streams.stderr.as_raw_fd(), 2)?;

    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_flags(
        PosixSpawnFlags::from_bits_retain(NEW_SESSION)
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

/// Kills a helper process of ours and reaps it.
pub(super) fn end(pid: Pid) {
    let _gone_already = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    let _status = wait_for(pid);
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use std::io::Read as _;

    use super::*;

    fn start(binary: &Path, words: &[String], ends: &ChildPipes) -> io::Result<Pid> {
        let variables = [("A", "b=c d"), ("PATH", "/usr/bin:/bin")];
        let variables = variables.map(|(name, value)| (OsStr::new(name), OsStr::new(value)));
        start_once(binary, words, variables.into_iter(), ends)
    }

    #[test]
    fn c04_no_shell_is_behind_a_start() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("obsidian");
        fake_obsidian::home::write_program(&text, b"echo pwned\n").unwrap();
        let ends = ChildPipes::open().unwrap();
        // The working directory belongs to a thread.
        let started = std::thread::spawn(move || start(&text, &["x".into()], &ends));
        let error = started.join().unwrap().unwrap_err();
        assert_eq!(Errno::from_io_error(&error), Some(Errno::NOEXEC));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn c11_e15_the_child_has_a_session_of_its_own_and_hears_every_signal() {
        let mut deaf = SigSet::empty();
        deaf.add(Signal::SIGTERM);
        deaf.add(Signal::SIGCHLD);
        let script = "pwd; echo \"$A\"; grep '^SigBlk' /proc/self/status; \
                      cut -d' ' -f1,5,6 </proc/$$/stat; read line || echo no-input";
        // The signal mask and the working directory belong to a thread.
        let (pid, text) = std::thread::spawn(move || {
            deaf.thread_block().unwrap();
            let ends = ChildPipes::open().unwrap();
            let pid = start(Path::new("/bin/sh"), &["-c".into(), script.into()], &ends).unwrap();
            let [stdout, _stderr] = ends.into_ours();
            let mut text = String::new();
            File::from(stdout).read_to_string(&mut text).unwrap();
            assert_eq!(wait_for(pid).unwrap().exit_status(), Some(0), "{text}");
            (pid.as_raw_nonzero(), text)
        })
        .join()
        .unwrap();
        let blocked = "SigBlk:\t0000000000000000";
        let wanted = format!("/\nb=c d\n{blocked}\n{pid} {pid} {pid}\nno-input\n");
        assert_eq!(text, wanted);
    }
}

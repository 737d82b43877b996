//! Ends the runs of a gateway that was killed (`threats.toml` E12).
//!
//! A killed process cannot clean up its children, and `PR_SET_PDEATHSIG` is bound to the *thread*
//! that started the child (`threats.toml` E12). So with its first run, a gateway starts one
//! helper for all runs: this program again, in its own session, reading from a pipe. When the pipe
//! closes while runs are active, the gateway is gone, and the guardian kills the process groups of
//! those runs. It does nothing else.
//!
//! A run is announced before it starts. It has no process id yet, so it is identified by the inode
//! of the pipe that will be its standard output. On Linux this leaves no moment at which a killed
//! gateway leaves a run unknown to the guardian. Elsewhere the owner of a pipe cannot be found.
//!
//! | line | meaning |
//! |---|---|
//! | `?INODE` | a run with this pipe is about to start |
//! | `+INODE PID` | its process, which leads a session |
//! | `-INODE` | the run has ended |

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use super::guard::AppGuard;
use super::start::{ChildDescriptors, end, start_in_a_session};
use crate::environment::ChildEnvironment;
use sandbox::Environment;

/// The only argument of a guardian's command line. No command or verb has this name.
pub const GUARDIAN_WORD: &str = "__guardian";

/// Time during which a process that does not seem to be a run of our gateway is checked again. When
/// a gateway dies, the kernel reparents its children one after the other, so for a moment the run
/// and the guardian can have different parents.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// The gateway's handle of its guardian.
#[derive(Debug)]
pub struct Guardian {
    program: PathBuf,
    post: Mutex<Option<Post>>,
}

/// The gateway's end of the pipe, and the guardian's process.
#[derive(Debug)]
struct Post {
    line: PipeWriter,
    /// The read end, until the guardian's process has it.
    listener: Option<PipeReader>,
    process: Option<Pid>,
}

/// A run that the guardian watches. Dropping this reports to the guardian that the run has ended.
#[derive(Debug)]
pub(super) struct Watched {
    guardian: Arc<Guardian>,
    inode: u64,
}

impl Guardian {
    /// A guardian that is not started yet. `None` if the environment does not name the program to
    /// start.
    pub fn from_environment(environment: &Environment) -> Option<Arc<Self>> {
        let program = environment.helper.clone()?;
        let post = Mutex::default();
        Some(Arc::new(Self { program, post }))
    }

    /// Starts the guardian's process unless it is running. If the operating system cannot start
    /// another process, runs continue without it and the next run tries again.
    pub(super) fn wake(&self, surroundings: &ChildEnvironment) {
        self.with_post(|post| {
            let Some(listener) = post.listener.take() else {
                return Ok(());
            };
            let silence = File::options().read(true).write(true).open("/dev/null")?;
            let streams = ChildDescriptors {
                stdin: listener.as_fd(),
                stdout: silence.as_fd(),
                stderr: silence.as_fd(),
            };
            let words = [GUARDIAN_WORD.to_owned()];
            let variables = surroundings.iter();
            let started = start_in_a_session(&self.program, &words, variables, &streams)?;
            post.process = Some(started);
            Ok(())
        });
    }

    /// Announces the run whose standard output will be this pipe.
    pub(super) fn watch_over(self: &Arc<Self>, stdout: impl AsFd) -> Option<Watched> {
        let watched = Watched {
            inode: rustix::fs::fstat(stdout).ok()?.st_ino,
            guardian: Arc::clone(self),
        };
        self.send(&format!("?{}\n", watched.inode));
        Some(watched)
    }

    fn send(&self, line: &str) {
        self.with_post(|post| post.line.write_all(line.as_bytes()));
    }

    /// Runs `work` with the pipe, creating it first if needed. Drops the pipe on an error.
    fn with_post(&self, work: impl FnOnce(&mut Post) -> io::Result<()>) {
        let mut present = self.post.lock().unwrap_or_else(PoisonError::into_inner);
        let post = present.take().map_or_else(Post::new, Ok);
        *present = post
            .and_then(|mut post| work(&mut post).map(|()| post))
            .ok();
    }
}

impl Watched {
    /// Sends the guardian the process id of the run, which is also the id of its group.
    pub(super) fn is(&self, pid: Pid) {
        let pid = pid.as_raw_nonzero();
        self.guardian.send(&format!("+{} {pid}\n", self.inode));
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.guardian.send(&format!("-{}\n", self.inode));
    }
}

impl Post {
    fn new() -> io::Result<Self> {
        let (listener, line) = io::pipe()?;
        // Non-blocking, so that a guardian that hangs cannot block the gateway.
        rustix::io::ioctl_fionbio(&line, true)?;
        Ok(Self {
            line,
            listener: Some(listener),
            process: None,
        })
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        // Dropped at shutdown, when no run is left, or because the guardian does not read its pipe.
        if let Some(pid) = self.process {
            end(pid);
        }
    }
}

/// Returns the main function of the guardian process. Runs until its standard input closes.
///
/// Ends only processes that its own parent started, so that starting it by hand gives a person no
/// power over other processes.
pub fn watch_over_runs(environment: &Environment) -> ExitCode {
    let Ok(surroundings) = ChildEnvironment::from_environment(environment) else {
        return ExitCode::FAILURE;
    };
    let our_parent = || nix::unistd::getppid().as_raw();
    let Some(left) = runs_left(io::stdin().lock(), &our_parent) else {
        return ExitCode::FAILURE;
    };
    for (inode, leader) in left {
        let leader = leader.or_else(|| RunLeader::with_stdout(inode, &our_parent));
        if let Some(leader) = leader
            && leader.is_ours(&our_parent)
        {
            leader.end_with_its_group(&surroundings);
        }
    }
    ExitCode::SUCCESS
}

/// Returns the id of our parent process. After the parent's death that is init or a subreaper.
type OurParent<'a> = &'a dyn Fn() -> i32;

/// Returns the runs that were active when the input ended, by the inode of their standard output. `None` if a line is
/// malformed, because then the input does not come from a gateway.
fn runs_left(
    lines: impl io::BufRead,
    our_parent: OurParent<'_>,
) -> Option<BTreeMap<u64, Option<RunLeader>>> {
    let mut runs = BTreeMap::new();
    // A read error ends the input like EOF: in both cases the gateway is gone.
    for line in lines.lines().map_while(Result::ok) {
        match line.split_at_checked(1)? {
            ("?", inode) => runs.insert(inode.parse().ok()?, None),
            ("+", both) => {
                let (inode, pid) = both.split_once(' ')?;
                let pid = Pid::from_raw(pid.parse().ok()?)?;
                runs.insert(inode.parse().ok()?, Some(RunLeader::new(pid, our_parent)))
            }
            ("-", inode) => runs.remove(&inode.parse().ok()?),
            _ => return None,
        };
    }
    Some(runs)
}

/// The first process of a run, with a handle that detects reuse of its process id.
struct RunLeader {
    pid: Pid,
    /// A pidfd; `None` on operating systems without them.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only Linux has such handles")
    )]
    process: Option<OwnedFd>,
    /// Whether it had the same parent as the guardian when it was announced.
    was_seen_to_be_ours: bool,
}

impl RunLeader {
    fn new(pid: Pid, our_parent: OurParent<'_>) -> Self {
        let process = open(pid);
        Self {
            pid,
            process,
            was_seen_to_be_ours: is_run_of(our_parent, pid),
        }
    }

    /// Finds a run that was announced with this pipe and had started, but whose process id was not
    /// reported before the gateway died. Only Linux has such a list of processes.
    fn with_stdout(inode: u64, our_parent: OurParent<'_>) -> Option<Self> {
        let pipe = PathBuf::from(format!("pipe:[{inode}]"));
        let processes = fs_err::read_dir("/proc").ok()?.filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            Pid::from_raw(pid)
        });
        processes
            .filter(|pid| {
                let stdout = format!("/proc/{}/fd/1", pid.as_raw_nonzero());
                fs_err::read_link(stdout).is_ok_and(|target| target == pipe)
            })
            .map(|pid| Self::new(pid, our_parent))
            .find(|leader| leader.is_ours(our_parent))
    }

    /// Whether the gateway that started the guardian started this process too. The gateway may be
    /// dying right now, and only one of the two may be reparented yet, so the check is repeated for
    /// a while.
    fn is_ours(&self, our_parent: OurParent<'_>) -> bool {
        let limit = Instant::now() + PATIENCE;
        let mut is_ours = self.was_seen_to_be_ours;
        while !is_ours && leads_a_session(self.pid) && Instant::now() < limit {
            std::thread::sleep(LOOK_AGAIN);
            is_ours = is_run_of(our_parent, self.pid);
        }
        is_ours
    }

    fn end_with_its_group(&self, surroundings: &ChildEnvironment) {
        // A run that became the app is never killed (`threats.toml` G07).
        let guard = AppGuard {
            environment: surroundings.clone(),
            before: None,
            child: self.pid,
        };
        if !guard.app_started_by_run() && self.is_there() {
            let _gone_meanwhile = rustix::process::kill_process_group(self.pid, Signal::KILL);
        }
    }

    /// Whether the process id still refers to the same process.
    fn is_there(&self) -> bool {
        #[cfg(target_os = "linux")]
        if let Some(process) = &self.process {
            // SIGCONT does not affect a running process, and fails for one that has ended.
            return rustix::process::pidfd_send_signal(process, Signal::CONT).is_ok();
        }
        leads_a_session(self.pid)
    }
}

/// Opens a pidfd, so that a reused process id is detected.
#[cfg(target_os = "linux")]
fn open(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open(_pid: Pid) -> Option<OwnedFd> {
    None
}

fn is_run_of(our_parent: OurParent<'_>, pid: Pid) -> bool {
    has_parent(pid, our_parent) && leads_a_session(pid)
}

fn leads_a_session(pid: Pid) -> bool {
    // Not rustix: it rejects the session id 0, which the kernel reports for a leader outside our
    // PID namespace.
    let pid = nix::unistd::Pid::from_raw(pid.as_raw_pid());
    nix::unistd::getsid(Some(pid)) == Ok(pid)
}

/// Whether a process has the same parent as the guardian.
#[cfg(target_os = "linux")]
fn has_parent(pid: Pid, our_parent: OurParent<'_>) -> bool {
    sandbox::client::parent_of(pid.as_raw_pid()) == Some(our_parent())
}

/// Other operating systems do not report the parent without `unsafe` code.
#[cfg(not(target_os = "linux"))]
fn has_parent(_pid: Pid, _our_parent: OurParent<'_>) -> bool {
    true
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;
    use crate::spawn::start::{ChildPipes, start_once, wait_for};

    /// Returns a process that lasts, with a session of its own, and its pipe.
    fn run() -> (Pid, ChildPipes) {
        let ends = ChildPipes::open().unwrap();
        let path = [(OsStr::new("PATH"), OsStr::new("/usr/bin:/bin"))];
        let words = ["-c".into(), "exec sleep 60".into()];
        let start = || start_once(Path::new("/bin/sh"), &words, path.into_iter(), &ends);
        // The thread moves to the working directory of a run.
        let pid = std::thread::scope(|scope| scope.spawn(start).join().unwrap().unwrap());
        (pid, ends)
    }

    fn inode(ends: &ChildPipes) -> u64 {
        rustix::fs::fstat(ends.stdout()).unwrap().st_ino
    }

    /// Returns the signal that ended a run; `None` if it exited.
    fn signal_that_ended(pid: Pid) -> Option<i32> {
        wait_for(pid).unwrap().terminating_signal()
    }

    fn parse_runs(lines: &str) -> Option<BTreeMap<u64, Option<RunLeader>>> {
        runs_left(lines.as_bytes(), &this_process)
    }

    fn this_process() -> i32 {
        rustix::process::getpid().as_raw_pid()
    }

    #[test]
    fn e12_a_run_that_was_only_announced_is_found_by_its_pipe() {
        let (pid, ends) = run();
        let (other_pid, _other_ends) = run();
        let inode = inode(&ends);
        let left = parse_runs(&format!("?{inode}\n")).unwrap();
        assert!(matches!(left.get(&inode), Some(None)));
        let found = RunLeader::with_stdout(inode, &this_process).unwrap();
        assert_eq!(found.pid, pid);
        let folder = tempfile::tempdir().unwrap();
        let home = [("HOME".into(), folder.path().into())];
        let surroundings =
            ChildEnvironment::from_environment(&Environment::new(home, None)).unwrap();
        found.end_with_its_group(&surroundings);
        assert_eq!(signal_that_ended(pid), Some(Signal::KILL.as_raw()));
        assert!(leads_a_session(other_pid), "another run was ended");
        rustix::process::kill_process(other_pid, Signal::KILL).unwrap();
        assert_eq!(signal_that_ended(other_pid), Some(Signal::KILL.as_raw()));
    }

    #[test]
    fn e12_what_was_started_by_another_process_is_nobody_to_us() {
        let (pid, ends) = run();
        assert!(RunLeader::with_stdout(inode(&ends), &|| 0).is_none());
        assert!(!RunLeader::new(pid, &|| 0).is_ours(&|| 0));
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
        signal_that_ended(pid);
    }

    #[test]
    fn e12_the_children_of_a_dying_gateway_are_handed_on_one_after_the_other() {
        let (pid, _ends) = run();
        let looks = std::cell::Cell::new(0);
        // The first checks see a parent that is about to change.
        let parent = || {
            looks.set(looks.get() + 1);
            if looks.get() < 4 { 0 } else { this_process() }
        };
        let leader = RunLeader::new(pid, &parent);
        assert!(!leader.was_seen_to_be_ours);
        assert!(leader.is_ours(&parent));
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
        signal_that_ended(pid);
    }

    #[test]
    fn e12_a_run_that_is_over_is_forgotten() {
        let number = this_process();
        let left = parse_runs(&format!("?5\n+5 {number}\n?6\n-5\n?7\n-7\n")).unwrap();
        assert_eq!(left.into_keys().collect::<Vec<_>>(), [6]);
        for lines in ["x5\n", "?\n", "+5\n", "+5 0\n", "-x\n", "\n", "é\n"] {
            assert!(parse_runs(lines).is_none(), "{lines:?}");
        }
    }
}

//! Ends runs whose gateway was killed (`faults.md` E12).
//!
//! A process that is killed cannot see to its children, and the kernel's own means bind a child to
//! the *thread* that started it (`faults.md` finding 7). So a gateway has one helper for all its
//! runs: this program once more, in a session of its own, at the end of a pipe. When the pipe closes
//! while a run is on, the gateway is gone, and so is that run's group a moment later. It does
//! nothing else and is started with the first run.
//!
//! A run is announced before it starts, by the inode of the pipe that will be its standard output,
//! since it has no process id yet. So there is no moment at which a killed gateway leaves a run
//! that the guardian does not know (on Linux; elsewhere nobody tells who holds a pipe).
//!
//! | line | says |
//! |---|---|
//! | `?INODE` | a run with this pipe is about to start |
//! | `+INODE PID` | it is this process, which leads a session |
//! | `-INODE` | it is over |

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::guard::AppGuard;
use super::start::{Streams, start_in_a_session};
use crate::backend::obsidian::environment::ChildEnvironment;
use crate::environment::Environment;

/// The only word of a guardian's command line. No command or verb is called like this.
pub const GUARDIAN_WORD: &str = "__guardian";

/// How long a process that looks like a stranger's is looked at again: the system hands the
/// children of a killed process on one after the other.
const PATIENCE: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// The helper, as the gateway sees it.
#[derive(Debug)]
pub struct Guardian {
    program: PathBuf,
    post: Mutex<Option<Post>>,
}

/// The gateway's end of the pipe, and the process behind it.
#[derive(Debug)]
struct Post {
    line: PipeWriter,
    /// Until there is a process that reads it.
    listener: Option<PipeReader>,
    process: Option<Pid>,
}

/// The guardian while it is being woken: no run is announced before that is over.
#[derive(Debug)]
pub(super) struct Waking<'a> {
    program: &'a Path,
    post: MutexGuard<'a, Option<Post>>,
}

/// One run that is watched over. The guardian forgets it when this is dropped.
#[derive(Debug)]
pub(super) struct Watched {
    guardian: Arc<Guardian>,
    inode: u64,
}

impl Guardian {
    /// A guardian that is not started yet; none where the environment does not say which program
    /// can be one.
    pub fn of(environment: &Environment) -> Option<Arc<Self>> {
        let program = environment.guardian()?.to_owned();
        let post = Mutex::default();
        Some(Arc::new(Self { program, post }))
    }

    /// Keeps runs from being announced until the guardian is there to hear it.
    pub(super) fn hold(&self) -> Waking<'_> {
        Waking {
            program: &self.program,
            post: self.post.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Watches over the run whose standard output will be this pipe, from here on.
    pub(super) fn watch_over(self: &Arc<Self>, stdout: impl AsFd) -> Option<Watched> {
        let watched = Watched {
            inode: rustix::fs::fstat(stdout).ok()?.st_ino,
            guardian: Arc::clone(self),
        };
        self.tell(&format!("?{}\n", watched.inode));
        Some(watched)
    }

    fn tell(&self, line: &str) {
        with_post(&mut self.hold().post, |post| {
            post.line.write_all(line.as_bytes())
        });
    }
}

impl Waking<'_> {
    /// Starts the process, where that has not happened yet. Runs go on without it where the system
    /// has no room for one more; the next run tries again.
    pub(super) fn wake(mut self, surroundings: &ChildEnvironment) {
        let program = self.program;
        with_post(&mut self.post, |post| {
            let Some(listener) = post.listener.take() else {
                return Ok(());
            };
            let silence = File::options().read(true).write(true).open("/dev/null")?;
            let streams = Streams {
                stdin: listener.as_fd(),
                stdout: silence.as_fd(),
                stderr: silence.as_fd(),
            };
            let words = [GUARDIAN_WORD.to_owned()];
            let started = start_in_a_session(program, &words, surroundings.iter(), &streams)?;
            post.process = Some(started);
            Ok(())
        });
    }
}

/// Does something with the post, which is set up first; a post that fails is given up.
fn with_post(held: &mut Option<Post>, work: impl FnOnce(&mut Post) -> io::Result<()>) {
    let mut post = match held.take() {
        Some(post) => post,
        None => match Post::new() {
            Ok(post) => post,
            Err(_no_descriptors) => return,
        },
    };
    if work(&mut post).is_ok() {
        *held = Some(post);
    }
}

impl Watched {
    /// The run has started. Its group is its process id.
    pub(super) fn is(&self, pid: Pid) {
        let pid = pid.as_raw_nonzero();
        self.guardian.tell(&format!("+{} {pid}\n", self.inode));
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.guardian.tell(&format!("-{}\n", self.inode));
    }
}

impl Post {
    fn new() -> io::Result<Self> {
        let (listener, line) = io::pipe()?;
        // A guardian that does not listen is given up, not waited for.
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
        let Some(pid) = self.process.take() else {
            return;
        };
        // It has nothing to do any more, or does not do it.
        let _gone_already = rustix::process::kill_process(pid, Signal::KILL);
        let _status = rustix::io::retry_on_intr(|| {
            rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED)
        });
    }
}

/// What the guardian does, from its start to the end of its standard input.
///
/// It ends nothing but what its own parent has started, so that whoever calls it by hand can do no
/// more than before.
pub fn watch_over_runs(environment: &Environment) -> ExitCode {
    let Ok(surroundings) = ChildEnvironment::of(environment) else {
        return ExitCode::FAILURE;
    };
    let our_parent = || nix::unistd::getppid().as_raw();
    let Some(left) = runs_left(io::stdin().lock(), &our_parent) else {
        return ExitCode::FAILURE;
    };
    for (inode, leader) in left {
        let leader = leader.or_else(|| Leader::with_stdout(inode, &our_parent));
        if let Some(leader) = leader
            && leader.is_ours(&our_parent)
        {
            leader.end_with_its_group(&surroundings);
        }
    }
    ExitCode::SUCCESS
}

/// The process that started us, by its number; init or the like once that one is gone.
type OurParent<'a> = &'a dyn Fn() -> i32;

/// The runs that were on when the lines ended, by the inode of their standard output; none where
/// the lines are not a gateway's.
fn runs_left(
    lines: impl io::BufRead,
    our_parent: OurParent<'_>,
) -> Option<BTreeMap<u64, Option<Leader>>> {
    let mut runs = BTreeMap::new();
    for line in lines.lines().map_while(Result::ok) {
        match line.split_at_checked(1)? {
            ("?", inode) => runs.insert(inode.parse().ok()?, None),
            ("+", both) => {
                let (inode, pid) = both.split_once(' ')?;
                let pid = Pid::from_raw(pid.parse().ok()?)?;
                runs.insert(inode.parse().ok()?, Some(Leader::of(pid, our_parent)))
            }
            ("-", inode) => runs.remove(&inode.parse().ok()?),
            _ => return None,
        };
    }
    Some(runs)
}

/// The first process of a run, held so that its number cannot come to mean another one.
struct Leader {
    pid: Pid,
    /// None on systems without such descriptors.
    process: Option<OwnedFd>,
    /// Whether the gateway that started us was seen to have started it too.
    was_seen_to_be_ours: bool,
}

impl Leader {
    fn of(pid: Pid, our_parent: OurParent<'_>) -> Self {
        let process = open(pid);
        Self {
            pid,
            process,
            was_seen_to_be_ours: is_run_of(our_parent, pid),
        }
    }

    /// The run that was announced with this pipe and has started, but was not told of any more.
    #[cfg(target_os = "linux")]
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
            .map(|pid| Self::of(pid, our_parent))
            .find(|leader| leader.is_ours(our_parent))
    }

    #[cfg(not(target_os = "linux"))]
    fn with_stdout(_inode: u64, _our_parent: OurParent<'_>) -> Option<Self> {
        None
    }

    /// Whether it is a run of the gateway that started us. That may be dying just now, and has then
    /// handed on one of its children but not yet the other.
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
        // What became the app is never ended (`faults.md` G07).
        let guard = AppGuard::new(surroundings.clone(), None, self.pid);
        if !guard.app_started_by_run() && self.is_there() {
            let _gone_meanwhile = rustix::process::kill_process_group(self.pid, Signal::KILL);
        }
    }

    /// Whether the number still means the process that it meant at first.
    fn is_there(&self) -> bool {
        #[cfg(target_os = "linux")]
        if let Some(process) = &self.process {
            // A signal that does no harm to what goes on anyway, and none to what has ended.
            return rustix::process::pidfd_send_signal(process, Signal::CONT).is_ok();
        }
        leads_a_session(self.pid)
    }
}

/// Holds a process, so that its number is not mistaken for a later one's.
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
    // Not rustix: it takes the 0 of a leader outside of our process namespace for impossible.
    let pid = nix::unistd::Pid::from_raw(pid.as_raw_pid());
    nix::unistd::getsid(Some(pid)) == Ok(pid)
}

/// Whether a process was started by the one that started us. Both have a new parent together when
/// that one ends.
#[cfg(target_os = "linux")]
fn has_parent(pid: Pid, our_parent: OurParent<'_>) -> bool {
    let file = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let parent = fs_err::read_to_string(file).ok().and_then(|text| {
        let (_name, fields) = text.rsplit_once(')')?;
        fields.split_whitespace().nth(1)?.parse().ok()
    });
    parent == Some(our_parent())
}

/// Other systems do not tell in a safe way.
#[cfg(not(target_os = "linux"))]
fn has_parent(_pid: Pid, _our_parent: OurParent<'_>) -> bool {
    true
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::backend::obsidian::spawn::start::{Ends, start_once};

    /// A process that lasts, with a session of its own, and its pipe.
    fn run() -> (Pid, Ends) {
        let ends = Ends::open().unwrap();
        let path = [(OsStr::new("PATH"), OsStr::new("/usr/bin:/bin"))];
        let words = ["-c".into(), "exec sleep 60".into()];
        let start = || start_once(Path::new("/bin/sh"), &words, path.into_iter(), &ends);
        // The thread moves to the working directory of a run.
        let pid = std::thread::scope(|scope| scope.spawn(start).join().unwrap().unwrap());
        (pid, ends)
    }

    fn inode(ends: &Ends) -> u64 {
        rustix::fs::fstat(ends.stdout()).unwrap().st_ino
    }

    /// How a run ended.
    fn signal_that_ended(pid: Pid) -> Option<i32> {
        let ended = rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED);
        ended.unwrap().unwrap().terminating_signal()
    }

    fn told(lines: &str) -> Option<BTreeMap<u64, Option<Leader>>> {
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
        let left = told(&format!("?{inode}\n")).unwrap();
        assert!(matches!(left.get(&inode), Some(None)));
        let found = Leader::with_stdout(inode, &this_process).unwrap();
        assert_eq!(found.pid, pid);
        let folder = tempfile::tempdir().unwrap();
        let home = [("HOME".into(), folder.path().into())];
        let surroundings = ChildEnvironment::of(&Environment::new(home, None)).unwrap();
        found.end_with_its_group(&surroundings);
        assert_eq!(signal_that_ended(pid), Some(Signal::KILL.as_raw()));
        assert!(leads_a_session(other_pid), "another run was ended");
        rustix::process::kill_process(other_pid, Signal::KILL).unwrap();
        assert_eq!(signal_that_ended(other_pid), Some(Signal::KILL.as_raw()));
    }

    #[test]
    fn e12_what_was_started_by_another_process_is_nobody_to_us() {
        let (pid, ends) = run();
        assert!(Leader::with_stdout(inode(&ends), &|| 0).is_none());
        assert!(!Leader::of(pid, &|| 0).is_ours(&|| 0));
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
        signal_that_ended(pid);
    }

    #[test]
    fn e12_the_children_of_a_dying_gateway_are_handed_on_one_after_the_other() {
        let (pid, _ends) = run();
        let looks = std::cell::Cell::new(0);
        // The first looks see a parent that is about to change.
        let parent = || {
            looks.set(looks.get() + 1);
            if looks.get() < 4 { 0 } else { this_process() }
        };
        let leader = Leader::of(pid, &parent);
        assert!(!leader.was_seen_to_be_ours);
        assert!(leader.is_ours(&parent));
        rustix::process::kill_process(pid, Signal::KILL).unwrap();
        signal_that_ended(pid);
    }

    #[test]
    fn e12_a_run_that_is_over_is_forgotten() {
        let number = this_process();
        let left = told(&format!("?5\n+5 {number}\n?6\n-5\n?7\n-7\n")).unwrap();
        assert_eq!(left.into_keys().collect::<Vec<_>>(), [6]);
        for lines in ["x5\n", "?\n", "+5\n", "+5 0\n", "-x\n", "\n", "é\n"] {
            assert!(told(lines).is_none(), "{lines:?}");
        }
    }
}

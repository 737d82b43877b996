//! Ends runs whose gateway was killed (`faults.md` E12).
//!
//! A process that is killed cannot see to its children, and the kernel's own means bind a child to
//! the *thread* that started it (`faults.md` finding 7). So a gateway has one helper for all its
//! runs: this program once more, in a session of its own, at the end of a pipe. It is told of each
//! run's start and end. When the pipe closes while a run is on, the gateway is gone, and so is that
//! run's group a moment later. It does nothing else and is started with the first run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::guard::AppGuard;
use super::start::{Streams, start_in_a_session};
use crate::backend::obsidian::environment::ChildEnvironment;
use crate::environment::Environment;

/// The only word of a guardian's command line. No command or verb is called like this.
pub const GUARDIAN_WORD: &str = "__guardian";

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

/// One run that is watched over. The guardian forgets it when this is dropped.
#[derive(Debug)]
pub(super) struct Watched {
    guardian: Arc<Guardian>,
    pid: Pid,
}

impl Guardian {
    /// A guardian that is not started yet; none where the environment does not say which program
    /// can be one.
    pub fn of(environment: &Environment) -> Option<Arc<Self>> {
        let program = environment.guardian()?.to_owned();
        let post = Mutex::default();
        Some(Arc::new(Self { program, post }))
    }

    /// Starts the process, where that has not happened yet. Runs go on without it where the system
    /// has no room for one more; the next run tries again.
    pub(super) fn wake(&self, surroundings: &ChildEnvironment) {
        self.with_post(|post| {
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
            let started = start_in_a_session(&self.program, &words, surroundings.iter(), &streams)?;
            post.process = Some(started);
            Ok(())
        });
    }

    /// Watches over a run from here on. Its group is its process id.
    pub(super) fn watch_over(self: &Arc<Self>, pid: Pid) -> Watched {
        self.tell('+', pid);
        Watched {
            guardian: Arc::clone(self),
            pid,
        }
    }

    fn tell(&self, what: char, pid: Pid) {
        let line = format!("{what}{}\n", pid.as_raw_nonzero());
        self.with_post(|post| post.line.write_all(line.as_bytes()));
    }

    /// Does something with the post, which is set up first; a post that fails is given up.
    fn with_post(&self, work: impl FnOnce(&mut Post) -> io::Result<()>) {
        let mut held = self.post.lock().unwrap_or_else(PoisonError::into_inner);
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
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.guardian.tell('-', self.pid);
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
    let mut runs = BTreeMap::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let told = line.split_at_checked(1);
        let Some((what, Some(pid))) = told.map(|(what, pid)| (what, number(pid))) else {
            return ExitCode::FAILURE;
        };
        match what {
            "+" => {
                if let Some(leader) = Leader::of(pid) {
                    runs.insert(pid.as_raw_nonzero(), leader);
                }
            }
            "-" => drop(runs.remove(&pid.as_raw_nonzero())),
            _ => return ExitCode::FAILURE,
        }
    }
    for leader in runs.into_values() {
        leader.end_with_its_group(&surroundings);
    }
    ExitCode::SUCCESS
}

fn number(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

/// The first process of a run, held so that its number cannot come to mean another one.
struct Leader {
    pid: Pid,
    /// None on systems without such descriptors.
    process: Option<OwnedFd>,
}

impl Leader {
    /// None for what is not a run of the gateway that started us.
    fn of(pid: Pid) -> Option<Self> {
        let process = open(pid);
        // Twice: the gateway may die between the two looks that one comparison takes.
        let is_ours = (0..2).any(|_| has_our_parent(pid)) && leads_a_session(pid);
        is_ours.then_some(Self { pid, process })
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

fn leads_a_session(pid: Pid) -> bool {
    // Not rustix: it takes the 0 of a leader outside of our process namespace for impossible.
    let pid = nix::unistd::Pid::from_raw(pid.as_raw_pid());
    nix::unistd::getsid(Some(pid)) == Ok(pid)
}

/// Whether a process was started by the one that started us. Both have a new parent together when
/// that one ends.
#[cfg(target_os = "linux")]
fn has_our_parent(pid: Pid) -> bool {
    let file = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let parent = fs_err::read_to_string(file).ok().and_then(|text| {
        let (_name, fields) = text.rsplit_once(')')?;
        fields.split_whitespace().nth(1)?.parse().ok()
    });
    parent == Some(nix::unistd::getppid().as_raw())
}

/// Other systems do not tell in a safe way.
#[cfg(not(target_os = "linux"))]
fn has_our_parent(_pid: Pid) -> bool {
    true
}

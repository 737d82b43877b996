//! Starts, watches and ends a child on Linux and macOS.
//!
//! The order that keeps signals away from strangers (`faults.md` §2.9, E08): learn of the
//! leader's end without reaping it, sweep its group while its process id still belongs to us,
//! reap last, and never signal after that.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus};
use tokio::net::unix::pipe::Receiver;
use tokio::signal::unix::{Signal as SignalStream, SignalKind};

use super::guard::AppGuard;
use super::guardian::Watched;
use super::start::{Ends, start_once};
use super::streams::Streams;
use super::{
    BUSY_FILE_PAUSE, BUSY_FILE_TRIES, CANCEL_GRACE, Confinement, DRAIN, Event, Exit, GOING,
    LAST_DRAIN, Output, Run, Watch, confine, not_started,
};
use crate::backend::obsidian::probe;
use crate::code::Code;
use crate::failure::Failure;

/// How often a group is swept while something in it still holds a stream.
const MOST_SWEEPS: u32 = 4;

/// Pause between two looks at the child, for a launcher that had `SIGCHLD` blocked.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

type Pipes = Streams<Receiver, Receiver>;

/// Runs the child on the calling thread, which must be one of its own.
pub(super) fn supervise(run: &Run, watch: impl Watch) -> Result<Output, Failure> {
    let confinement = confine::confine_this_thread(&run.binary)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| start_failure(&error))?;
    runtime.block_on(start_and_watch(run, confinement, watch))
}

/// Why the first part of a run is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Exited,
    TimeIsUp,
    Cancelled,
}

async fn start_and_watch(
    run: &Run,
    confinement: Confinement,
    mut watch: impl Watch,
) -> Result<Output, Failure> {
    // Before the start: where the launcher had SIGCHLD ignored, the kernel would reap the child
    // by itself and its status would be lost (`faults.md` E15).
    let child_signals =
        tokio::signal::unix::signal(SignalKind::child()).map_err(|error| start_failure(&error))?;
    let started = Instant::now();
    let ends = Ends::open().map_err(|error| start_failure(&error))?;
    // Before the start too: a gateway that is killed right after it has a guardian that knows.
    let guardian = run.guardian.as_ref();
    let watched = guardian.and_then(|it| it.watch_over(ends.stdout()));
    let pid = start(run, &ends, &mut watch).await?;
    let mut leader = Leader::new(pid, run, watched, watch);
    let mut pipes = pipes(ends, run.max_output_bytes)?;
    let mut exit = ExitWatch {
        pid: leader.pid,
        signals: child_signals,
    };

    let end = watch_until_end(run, leader.pid, &mut pipes, &mut exit).await;
    let mut left_running = false;
    if end == End::Exited {
        pipes.drain_until(tokio::time::Instant::now() + DRAIN).await;
    } else {
        left_running = !leader.ask_to_end();
        if !left_running {
            let grace = if end == End::Cancelled {
                CANCEL_GRACE.min(run.grace)
            } else {
                run.grace
            };
            let grace = tokio::time::Instant::now() + grace;
            read_until_exit(&mut pipes, &mut exit, grace).await;
        }
    }
    let app_started_by_run = left_running || !leader.sweep(&mut pipes).await;
    left_running = app_started_by_run && end != End::Exited;
    if !app_started_by_run {
        read_until_exit(&mut pipes, &mut exit, tokio::time::Instant::now() + GOING).await;
        pipes
            .drain_until(tokio::time::Instant::now() + LAST_DRAIN)
            .await;
    }

    let pid = leader.pid_number();
    let timed_out = end == End::TimeIsUp;
    let exit = match end {
        End::Exited => leader.reap()?,
        End::TimeIsUp | End::Cancelled if left_running => {
            leader.leave();
            Exit::LeftRunning { timed_out }
        }
        End::TimeIsUp | End::Cancelled => {
            if leader.has_exited() {
                leader.reap()?;
            } else {
                // Hangs in the kernel; it is dead as soon as it comes back.
                leader.leave();
            }
            Exit::Killed { timed_out }
        }
    };
    let descendants_leaked = !pipes.have_ended() && !app_started_by_run;
    let (stdout, stderr, open_stdout, open_stderr) = pipes.finish();
    if app_started_by_run {
        // The app must never meet a closed pipe.
        let open = [open_stdout, open_stderr].into_iter().flatten();
        for pipe in open.flat_map(Receiver::into_blocking_fd) {
            drain_for_ever(pipe);
        }
    }
    Ok(Output {
        exit,
        stdout,
        stderr,
        duration: started.elapsed(),
        pid,
        descendants_leaked,
        app_started_by_run,
        app_instance_changed: instance_changed(run),
        confinement,
    })
}

/// Reads until the child ends, its time is up or it is cancelled. A child that ends at the very
/// moment counts as ended by itself (`faults.md` E16).
async fn watch_until_end(run: &Run, pid: Pid, pipes: &mut Pipes, exit: &mut ExitWatch) -> End {
    let time_is_up = tokio::time::sleep_until(run.deadline.instant().into());
    tokio::pin!(time_is_up);
    let cancelled = run.cancel.cancelled();
    tokio::pin!(cancelled);
    let end = loop {
        tokio::select! {
            () = exit.exited() => break End::Exited,
            () = &mut time_is_up => break End::TimeIsUp,
            () = &mut cancelled => break End::Cancelled,
            () = pipes.read(), if !pipes.have_ended() => {}
        }
    };
    if has_exited(pid) { End::Exited } else { end }
}

/// Reads until the child has ended, at most until `limit`.
async fn read_until_exit(pipes: &mut Pipes, exit: &mut ExitWatch, limit: tokio::time::Instant) {
    let limit = tokio::time::sleep_until(limit);
    tokio::pin!(limit);
    loop {
        tokio::select! {
            () = exit.exited() => return,
            () = &mut limit => return,
            () = pipes.read(), if !pipes.have_ended() => {}
        }
    }
}

async fn start(run: &Run, ends: &Ends, watch: &mut impl Watch) -> Result<Pid, Failure> {
    let mut tries = 0;
    loop {
        match start_once(run.binary.path(), &run.words, run.environment.iter(), ends) {
            Ok(pid) => return Ok(pid),
            Err(error)
                if Errno::from_io_error(&error) == Some(Errno::TXTBSY)
                    && tries < BUSY_FILE_TRIES
                    && !run.deadline.has_passed() =>
            {
                tries += 1;
                watch.see(Event::FileBusy);
                tokio::time::sleep(BUSY_FILE_PAUSE).await;
            }
            Err(error) => return Err(start_failure(&error)),
        }
    }
}

/// What the system said about a start, as a failure (`faults.md` E14).
pub(super) fn start_failure(error: &io::Error) -> Failure {
    let (code, reason, retryable) = match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) => (Code::CliUnavailable, "missing", false),
        Some(Errno::ACCESS | Errno::PERM) => (Code::CliUnavailable, "not-executable", false),
        Some(Errno::NOEXEC) => (Code::CliUnavailable, "not-a-program", false),
        Some(Errno::TOOBIG) => (Code::ArgumentTooLarge, "system-limit", false),
        Some(Errno::TXTBSY) => (Code::Busy, "being-written", true),
        Some(Errno::MFILE | Errno::NFILE) => (Code::Busy, "open-files", true),
        Some(Errno::AGAIN) => (Code::Busy, "processes", true),
        Some(Errno::NOMEM) => (Code::Busy, "memory", true),
        Some(_) | None if error.kind() == io::ErrorKind::InvalidInput => {
            (Code::ValidationError, "nul-byte", false)
        }
        Some(_) | None => (Code::IoError, "system-error", false),
    };
    not_started(code, reason, retryable)
}

fn exit_of(status: &WaitIdStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}

/// Our ends of the streams, to be read at most `most` bytes each.
fn pipes(ends: Ends, most: usize) -> Result<Pipes, Failure> {
    let lost = |_error| not_started(Code::InternalError, "pipes", false).with("started", true);
    let [stdout, stderr] = ends.into_ours();
    let stdout = Receiver::from_owned_fd(stdout).map_err(lost)?;
    let stderr = Receiver::from_owned_fd(stderr).map_err(lost)?;
    Ok(Streams::new(stdout, stderr, most))
}

/// Whether the child has ended; leaves it to be reaped.
fn has_exited(pid: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    match rustix::process::waitid(WaitId::Pid(pid), look) {
        Ok(found) => found.is_some(),
        // No such child any more: somebody else took its status.
        Err(error) => error == Errno::CHILD,
    }
}

/// Waits for the child to end and gives its process id back; none where somebody else took its
/// status.
fn wait_for(pid: Pid) -> Option<WaitIdStatus> {
    rustix::io::retry_on_intr(|| rustix::process::waitid(WaitId::Pid(pid), WaitIdOptions::EXITED))
        .ok()
        .flatten()
}

fn instance_changed(run: &Run) -> Option<bool> {
    let before = run.instance?.socket?;
    Some(probe::socket_identity(&run.environment) != Some(before))
}

/// Keeps reading to nowhere, on a thread of its own.
fn drain_for_ever(pipe: OwnedFd) {
    let mut file = std::fs::File::from(pipe);
    // Without a thread the pipe closes, which the app has to bear then.
    drop(
        std::thread::Builder::new()
            .name("obsidian-drain".into())
            .spawn(move || io::copy(&mut file, &mut io::sink())),
    );
}

/// Tells when the child has ended.
struct ExitWatch {
    pid: Pid,
    signals: SignalStream,
}

impl ExitWatch {
    async fn exited(&mut self) {
        while !has_exited(self.pid) {
            tokio::select! {
                _signal = self.signals.recv() => {}
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
        }
    }
}

/// The child while its process id is ours. When this is dropped early, by an error or a panic,
/// the child does not survive (`faults.md` E13).
struct Leader<W: Watch> {
    pid: Pid,
    /// Until it is reaped or left alone, the process id means this child and nobody else.
    is_ours: bool,
    guard: AppGuard,
    watched: Option<Watched>,
    watch: W,
}

impl<W: Watch> Leader<W> {
    fn new(pid: Pid, run: &Run, watched: Option<Watched>, watch: W) -> Self {
        if let Some(watched) = &watched {
            watched.is(pid);
        }
        // From here on a panic ends the child.
        let mut leader = Self {
            pid,
            is_ours: true,
            guard: AppGuard::new(run.environment.clone(), run.instance, pid),
            watched,
            watch,
        };
        let pid = leader.pid_number();
        leader.watch.see(Event::Started { pid });
        leader
    }

    fn pid_number(&self) -> u32 {
        u32::try_from(self.pid.as_raw_nonzero().get()).unwrap_or_default()
    }

    fn has_exited(&self) -> bool {
        has_exited(self.pid)
    }

    /// Sends a signal to the group. Only while the leader is not reaped.
    fn signal(&mut self, signal: Signal, name: &'static str) -> Result<(), Errno> {
        if !self.is_ours {
            return Err(Errno::SRCH);
        }
        self.watch.see(Event::Signalled(name));
        rustix::process::kill_process_group(self.pid, signal)
    }

    /// Asks the group to end, a stopped one too. False, and no signal, when the run has become
    /// the app.
    fn ask_to_end(&mut self) -> bool {
        if self.guard.app_started_by_run() {
            return false;
        }
        // Either may fail only because everybody has gone already.
        let _nobody_left = self.signal(Signal::TERM, "TERM");
        let _nobody_left = self.signal(Signal::CONT, "CONT");
        true
    }

    /// Kills what is left of the group, again while something in it holds a stream. False, and no
    /// signal, when the app is in it.
    async fn sweep(&mut self, pipes: &mut Pipes) -> bool {
        if self.guard.app_started_by_run() {
            return false;
        }
        for _round in 0..MOST_SWEEPS {
            // An error means that nobody is left: no such group, or on macOS only its zombie.
            if self.signal(Signal::KILL, "KILL").is_err() {
                break;
            }
            if self.has_exited() && pipes.have_ended() {
                break;
            }
            let limit = tokio::time::Instant::now() + LAST_DRAIN / MOST_SWEEPS;
            pipes.drain_until(limit).await;
        }
        true
    }

    /// Ends our hold on the child, and the guardian's before that; whether there was one.
    fn give_up(&mut self) -> bool {
        self.watched = None;
        std::mem::take(&mut self.is_ours)
    }

    /// Takes the status of a leader that has ended, and gives its process id back.
    fn reap(&mut self) -> Result<Exit, Failure> {
        let status = if self.give_up() {
            wait_for(self.pid)
        } else {
            None
        };
        self.watch.see(Event::Reaped);
        status.map(|status| exit_of(&status)).ok_or_else(|| {
            Failure::new(
                Code::InternalError,
                "A command ended, but its exit status was lost. Check the vault before trying \
                 again.",
            )
            .with("started", true)
        })
    }

    /// Leaves the child alone; a thread reaps it whenever it ends.
    fn leave(&mut self) {
        if self.give_up() {
            let pid = self.pid;
            // Without a thread it stays a zombie until this process ends; no harm else.
            drop(
                std::thread::Builder::new()
                    .name("obsidian-reap".into())
                    .spawn(move || {
                        let _status = wait_for(pid);
                    }),
            );
        }
    }
}

impl<W: Watch> Drop for Leader<W> {
    fn drop(&mut self) {
        if self.is_ours && !self.guard.app_started_by_run() {
            let _nobody_left = rustix::process::kill_process_group(self.pid, Signal::KILL);
        }
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::backend::obsidian::environment::ChildEnvironment;
    use crate::environment::Environment;

    fn child_environment(home: &Path) -> ChildEnvironment {
        let home = home.as_os_str().to_owned();
        ChildEnvironment::of(&Environment::new([("HOME".into(), home)], None)).unwrap()
    }

    #[test]
    fn e14_every_answer_of_the_system_has_its_code() {
        let table = [
            (Errno::NOENT, Code::CliUnavailable, false),
            (Errno::ACCESS, Code::CliUnavailable, false),
            (Errno::NOEXEC, Code::CliUnavailable, false),
            (Errno::TOOBIG, Code::ArgumentTooLarge, false),
            (Errno::TXTBSY, Code::Busy, true),
            (Errno::MFILE, Code::Busy, true),
            (Errno::NFILE, Code::Busy, true),
            (Errno::AGAIN, Code::Busy, true),
            (Errno::NOMEM, Code::Busy, true),
            (Errno::IO, Code::IoError, false),
        ];
        for (errno, code, retryable) in table {
            let failure = start_failure(&errno.into());
            assert_eq!(failure.code, code, "{errno:?}");
            assert_eq!(failure.details["retryable"], retryable, "{errno:?}");
            assert_eq!(failure.details["started"], false, "{errno:?}");
        }
    }

    #[test]
    fn e14_a_nul_byte_and_a_too_long_word_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let environment = child_environment(folder.path());
        let ends = Ends::open().unwrap();
        let start =
            |word: String| start_once(Path::new("/bin/sh"), &[word], environment.iter(), &ends);
        let failure = start_failure(&start("a\0b".into()).unwrap_err());
        assert_eq!(failure.code, Code::ValidationError);
        if cfg!(target_os = "linux") {
            let failure = start_failure(&start("x".repeat(131_072)).unwrap_err());
            assert_eq!(failure.code, Code::ArgumentTooLarge);
        }
    }
}

//! Starts, watches and ends a child on Linux and macOS.
//!
//! The order prevents signals to unrelated processes (`threats.toml` E08): detect the leader's
//! exit without reaping it, kill its group while the process id still belongs to us, reap last, and
//! never signal after that.

use std::future::{Future, pending};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus};
use tokio::net::unix::pipe::Receiver;
use tokio::signal::unix::{Signal as SignalStream, SignalKind};
use tokio::time::Instant;

use super::child_run::{
    BUSY_FILE_PAUSE, BUSY_FILE_TRIES, CANCEL_GRACE, DRAIN, GOING, LAST_DRAIN, Run, RunTarget,
};
use super::guard::AppGuard;
use super::guardian::Watched;
use super::in_background;
#[cfg(target_os = "linux")]
use super::launcher::Launch;
use super::observer::{ChildEvent, Observer};
use super::output::{Exit, Output};
use super::start::{ChildPipes, LaunchError, start_failure, start_once, wait_for};
use super::streams::CapturedStreams;
use crate::error::Error;
use crate::kind::BinaryKind;
use crate::probe;
use protocol::Failure;
use sandbox::{Confinement, ConfinementReason, SandboxMode};

/// Number of attempts to kill a group while a process in it still has a stream open.
const MOST_SWEEPS: u32 = 4;

/// Poll interval for the child's exit, in case the launcher blocked SIGCHLD.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

type Pipes = CapturedStreams<Receiver, Receiver>;

/// Runs the child on the calling thread, which must be dedicated to it.
pub(super) fn supervise(run: &Run, watch: Observer) -> Result<Output, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| start_failure(&error))?;
    runtime.block_on(start_and_watch(run, watch))
}

/// Reason for the end of the wait for the child.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaitEnd {
    Exited,
    TimeIsUp,
    Cancelled,
}

async fn start_and_watch(run: &Run, mut watch: Observer) -> Result<Output, Failure> {
    // Install the handler before the start: if the launcher ignored SIGCHLD, the kernel would reap
    // the child itself and its status would be lost (`threats.toml` E15).
    let child_signals =
        tokio::signal::unix::signal(SignalKind::child()).map_err(|error| start_failure(&error))?;
    let StartedChild {
        pid,
        confinement,
        watched,
        ends,
    } = start(run, &mut watch).await?;
    let mut leader = ChildLeader::new(pid, run, watched, watch);
    let mut pipes = pipes(ends, run.max_output_bytes)?;
    let mut exit = ExitWatch {
        pid: leader.pid,
        signals: child_signals,
    };

    let (limit, cancelled) = (run.deadline.instant().into(), run.cancel.cancelled());
    let end = read_until_exit(&mut pipes, &mut exit, limit, cancelled).await;
    let mut left_running = false;
    if end == WaitEnd::Exited {
        // Only for a moment: a descendant may keep the pipes open for as long as it runs.
        pipes.drain_until(Instant::now() + DRAIN).await;
    } else {
        left_running = !leader.ask_to_end();
        if !left_running {
            let grace = if end == WaitEnd::Cancelled {
                CANCEL_GRACE.min(run.grace)
            } else {
                run.grace
            };
            read_until_exit(&mut pipes, &mut exit, Instant::now() + grace, pending()).await;
        }
    }
    let app_started_by_run = left_running || !leader.sweep(&mut pipes).await;
    left_running = app_started_by_run && end != WaitEnd::Exited;
    if !app_started_by_run {
        read_until_exit(&mut pipes, &mut exit, Instant::now() + GOING, pending()).await;
        pipes.drain_until(Instant::now() + LAST_DRAIN).await;
    }

    let pid = leader.pid_number();
    let timed_out = end == WaitEnd::TimeIsUp;
    let exit = match end {
        WaitEnd::Exited => leader.reap()?,
        WaitEnd::TimeIsUp | WaitEnd::Cancelled if left_running => {
            leader.leave();
            Exit::LeftRunning { timed_out }
        }
        WaitEnd::TimeIsUp | WaitEnd::Cancelled => {
            if has_exited(leader.pid) {
                leader.reap()?;
            } else {
                // It hangs in the kernel, and dies as soon as it returns from there.
                leader.leave();
            }
            Exit::Killed { timed_out }
        }
    };
    let descendants_leaked = !pipes.have_ended() && !app_started_by_run;
    if app_started_by_run {
        pipes.read_at_hand(|pipe, chunk| Ok(rustix::io::read(pipe, chunk)?));
    }
    let (stdout, stderr, open_stdout, open_stderr) = pipes.finish();
    if app_started_by_run {
        // Keep reading, because a write to a closed pipe would kill the app.
        let open = [open_stdout, open_stderr].into_iter().flatten();
        for pipe in open.flat_map(Receiver::into_blocking_fd) {
            drain_for_ever(pipe);
        }
    }
    Ok(Output {
        exit,
        stdout,
        stderr,
        pid,
        descendants_leaked,
        app_started_by_run,
        app_instance_changed: instance_changed(run),
        confinement,
    })
}

/// Reads until the child exits, this moment passes or the run is cancelled. A child that exits
/// exactly at the deadline counts as exited (`threats.toml` E16).
async fn read_until_exit(
    pipes: &mut Pipes,
    exit: &mut ExitWatch,
    limit: Instant,
    cancelled: impl Future<Output = ()>,
) -> WaitEnd {
    let time_is_up = tokio::time::sleep_until(limit);
    tokio::pin!(time_is_up);
    tokio::pin!(cancelled);
    let end = loop {
        tokio::select! {
            () = exit.exited() => break WaitEnd::Exited,
            () = &mut time_is_up => break WaitEnd::TimeIsUp,
            () = &mut cancelled => break WaitEnd::Cancelled,
            () = pipes.read(), if !pipes.have_ended() => {}
        }
    };
    if has_exited(exit.pid) {
        WaitEnd::Exited
    } else {
        end
    }
}

/// A child that runs, and the pipes for its output.
pub(super) struct StartedChild {
    pub(super) pid: Pid,
    pub(super) confinement: Confinement,
    pub(super) watched: Option<Watched>,
    pub(super) ends: ChildPipes,
}

async fn start(run: &Run, watch: &mut Observer) -> Result<StartedChild, Failure> {
    let way = StartWay::choose(&run.target)?;
    #[cfg(target_os = "linux")]
    if let (StartWay::Confined(launch), Some(spare)) = (&way, &run.target.sandbox.spare) {
        let rules = launch.rules(&run.target.binary.path, &run.target.environment);
        let rules = rules.map_err(launch_failure)?;
        if let Some(started) = spare.start(run, launch, rules) {
            return Ok(started);
        }
        // A helper that did not answer has used up time.
        run.check_start()?;
    }
    let ends = ChildPipes::open().map_err(|error| start_failure(&error))?;
    // Announce the run before the start, so that the guardian knows it even if the gateway is
    // killed right after the start.
    let guardian = run.target.guardian.as_ref();
    let watched = guardian.and_then(|it| it.watch_over(ends.stdout()));
    let mut tries = 0;
    loop {
        match way.start(run, &ends) {
            Ok((pid, confinement)) => {
                return Ok(StartedChild {
                    pid,
                    confinement,
                    watched,
                    ends,
                });
            }
            Err(LaunchError::System(error))
                if Errno::from_io_error(&error) == Some(Errno::TXTBSY)
                    && tries < BUSY_FILE_TRIES
                    && !run.deadline.has_passed() =>
            {
                tries += 1;
                watch(ChildEvent::FileBusy);
                tokio::time::sleep(BUSY_FILE_PAUSE).await;
            }
            Err(error) => {
                // The deadline of the run also limits the wait for the helper.
                run.check_time()?;
                return Err(launch_failure(error));
            }
        }
    }
}

fn launch_failure(error: LaunchError) -> Failure {
    match error {
        LaunchError::System(error) => start_failure(&error).into(),
        #[cfg(target_os = "linux")]
        LaunchError::FallsShort(found) => found.refusal(),
        #[cfg(target_os = "linux")]
        LaunchError::Sandbox(why) => Error::Unconfined(why).into(),
    }
}

/// Whether a child is started directly or through a helper.
pub(super) enum StartWay {
    /// The binary starts directly, because it cannot or must not be confined.
    Direct(Confinement),
    /// A helper starts, confines itself, and becomes the binary.
    #[cfg(target_os = "linux")]
    Confined(Launch),
}

impl StartWay {
    pub(super) fn choose(target: &RunTarget) -> Result<Self, Failure> {
        let mode = target.sandbox.mode;
        let direct = |reason| Confinement::without_sandbox(mode, reason).map(Self::Direct);
        if mode == SandboxMode::Off {
            return Ok(Self::Direct(Confinement::off()));
        }
        if target.binary.kind == BinaryKind::App {
            return direct(ConfinementReason::DesktopApp);
        }
        #[cfg(target_os = "linux")]
        {
            let Some(helper) = &target.sandbox.helper else {
                return direct(ConfinementReason::NoHelper);
            };
            Ok(Self::Confined(Launch {
                helper: helper.clone(),
                mode,
                kernel_limits: target.sandbox.kernel_limits,
            }))
        }
        #[cfg(not(target_os = "linux"))]
        direct(ConfinementReason::OperatingSystem)
    }

    fn start(&self, run: &Run, ends: &ChildPipes) -> Result<(Pid, Confinement), LaunchError> {
        match self {
            Self::Direct(confinement) => {
                let RunTarget {
                    binary,
                    environment,
                    ..
                } = &run.target;
                let pid = start_once(&binary.path, &run.words, environment.iter(), ends)?;
                Ok((pid, confinement.clone()))
            }
            #[cfg(target_os = "linux")]
            Self::Confined(launch) => launch.start(run, ends),
        }
    }
}

fn exit_of(status: &WaitIdStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}

/// Returns the read ends of the streams. Keeps at most `most` bytes of each.
fn pipes(ends: ChildPipes, most: usize) -> Result<Pipes, Failure> {
    let lost = |_error| Error::NoOutput;
    let [stdout, stderr] = ends.into_ours();
    let stdout = Receiver::from_owned_fd(stdout).map_err(lost)?;
    let stderr = Receiver::from_owned_fd(stderr).map_err(lost)?;
    Ok(CapturedStreams::new(stdout, stderr, most))
}

/// Whether the child has exited. Does not reap it.
fn has_exited(pid: Pid) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    match rustix::process::waitid(WaitId::Pid(pid), look) {
        Ok(found) => found.is_some(),
        // ECHILD: someone else has reaped it.
        Err(error) => error == Errno::CHILD,
    }
}

fn instance_changed(run: &Run) -> Option<bool> {
    let before = run.target.instance?.socket?;
    Some(probe::socket_identity(&run.target.environment) != Some(before))
}

/// Reads and discards everything, on a thread of its own.
fn drain_for_ever(pipe: OwnedFd) {
    let mut file = std::fs::File::from(pipe);
    // Best effort: if no thread can be started, the pipe closes.
    in_background("obsidian-drain", move || {
        io::copy(&mut file, &mut io::sink())
    });
}

/// Waits for the exit of the child.
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

/// The child, as long as its process id belongs to us. If this is dropped early by an error or a
/// panic, it kills the child (`threats.toml` E13).
struct ChildLeader {
    pid: Pid,
    /// True until the child is reaped or left to the reaper thread. Only then is the process id
    /// certain to refer to this child.
    is_ours: bool,
    guard: AppGuard,
    watched: Option<Watched>,
    watch: Observer,
}

impl ChildLeader {
    fn new(pid: Pid, run: &Run, watched: Option<Watched>, watch: Observer) -> Self {
        if let Some(watched) = &watched {
            watched.is(pid);
        }
        // From here on a panic kills the child.
        let mut leader = Self {
            pid,
            is_ours: true,
            guard: AppGuard {
                environment: run.target.environment.clone(),
                before: run.target.instance,
                child: pid,
            },
            watched,
            watch,
        };
        let pid = leader.pid_number();
        (leader.watch)(ChildEvent::Started { pid });
        leader
    }

    fn pid_number(&self) -> u32 {
        u32::try_from(self.pid.as_raw_nonzero().get()).unwrap_or_default()
    }

    /// Sends a signal to the group, unless the leader has been reaped.
    fn signal(&mut self, signal: Signal, name: &'static str) -> Result<(), Errno> {
        if !self.is_ours {
            return Err(Errno::SRCH);
        }
        (self.watch)(ChildEvent::Signalled(name));
        rustix::process::kill_process_group(self.pid, signal)
    }

    /// Sends SIGTERM to the group, and SIGCONT in case it is stopped. Sends nothing and returns
    /// false if the run has become the app.
    fn ask_to_end(&mut self) -> bool {
        if self.guard.app_started_by_run() {
            return false;
        }
        // Both fail only if the group is already empty.
        let _nobody_left = self.signal(Signal::TERM, "TERM");
        let _nobody_left = self.signal(Signal::CONT, "CONT");
        true
    }

    /// Kills the group, repeatedly while a process in it still has a stream open. Sends nothing and
    /// returns false if the group contains the app.
    async fn sweep(&mut self, pipes: &mut Pipes) -> bool {
        if self.guard.app_started_by_run() {
            return false;
        }
        for _round in 0..MOST_SWEEPS {
            // An error means that the group is empty, or on macOS that only its zombie is left.
            if self.signal(Signal::KILL, "KILL").is_err() {
                break;
            }
            if has_exited(self.pid) && pipes.have_ended() {
                break;
            }
            let limit = Instant::now() + LAST_DRAIN / MOST_SWEEPS;
            pipes.drain_until(limit).await;
        }
        true
    }

    /// Gives up the process id, first in the guardian and then here. Returns whether it was ours.
    fn give_up(&mut self) -> bool {
        self.watched = None;
        std::mem::take(&mut self.is_ours)
    }

    /// Reaps a leader that has exited.
    fn reap(&mut self) -> Result<Exit, Failure> {
        let is_ours = self.give_up();
        let status = is_ours.then(|| wait_for(self.pid)).flatten();
        (self.watch)(ChildEvent::Reaped);
        let exit = status.map(|status| exit_of(&status));
        exit.ok_or_else(|| Error::NoStatus.into())
    }

    /// Leaves the child running. A thread reaps it when it exits.
    fn leave(&mut self) {
        if self.give_up() {
            let pid = self.pid;
            // Best effort: without the thread it stays a zombie until this process ends.
            in_background("obsidian-reap", move || wait_for(pid));
        }
    }
}

impl Drop for ChildLeader {
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

    use protocol::Code;

    use super::*;
    use crate::environment::ChildEnvironment;
    use sandbox::Environment;

    fn child_environment(home: &Path) -> ChildEnvironment {
        let home = home.as_os_str().to_owned();
        ChildEnvironment::from_environment(&Environment::new([("HOME".into(), home)], None))
            .unwrap()
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
            let failure = Failure::from(start_failure(&errno.into()));
            assert_eq!(failure.code, code, "{errno:?}");
            assert_eq!(failure.details["retryable"], retryable, "{errno:?}");
            assert_eq!(failure.details["started"], false, "{errno:?}");
        }
    }

    #[test]
    fn e14_a_nul_byte_and_a_too_long_word_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let environment = child_environment(folder.path());
        let ends = ChildPipes::open().unwrap();
        let start =
            |word: String| start_once(Path::new("/bin/sh"), &[word], environment.iter(), &ends);
        let failure = Failure::from(start_failure(&start("a\0b".into()).unwrap_err()));
        assert_eq!(failure.code, Code::ValidationError);
        if cfg!(target_os = "linux") {
            let failure = Failure::from(start_failure(&start("x".repeat(131_072)).unwrap_err()));
            assert_eq!(failure.code, Code::ArgumentTooLarge);
        }
    }
}

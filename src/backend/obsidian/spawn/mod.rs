//! Runs the binary once: no shell, its own session, nothing inherited by accident, both streams
//! read to the end, and always a bounded end (`faults.md` groups C, E, F, G).
//!
//! Each run has its own thread. On Linux the thread first forbids itself, and so the child, to
//! execute any other program. Other threads are not affected.

#[cfg(unix)]
use std::sync::Arc;
use std::time::Duration;

use super::binary::Binary;
use super::deadline::Deadline;
use super::environment::ChildEnvironment;
use super::probe::AppInstance;
use crate::backend::cancel::Cancel;
use crate::backend::captured::Captured;
use crate::code::Code;
use crate::failure::Failure;

mod confine;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod guardian;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod start;
mod streams;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
mod working_directory;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use confine::Confinement;
#[cfg(unix)]
pub use guardian::{GUARDIAN_WORD, Guardian, watch_over_runs};
pub use working_directory::WORKING_DIRECTORY;

/// Time between SIGTERM and SIGKILL.
pub const GRACE: Duration = Duration::from_secs(2);

/// The same for a cancelled run, which must be gone within a second (`faults.md` E10). Nobody waits
/// for its output.
#[cfg(unix)]
const CANCEL_GRACE: Duration = Duration::from_millis(100);

/// How long to read the streams after the child has ended.
const DRAIN: Duration = Duration::from_millis(250);

/// How long to read the streams after the process group was killed.
#[cfg(unix)]
const LAST_DRAIN: Duration = Duration::from_millis(50);

/// How long to wait for a killed child. A child that hangs in the kernel is then left to a reaper
/// thread.
const GOING: Duration = Duration::from_secs(1);

/// Number of retries, with [`BUSY_FILE_PAUSE`] in between, while the binary's file is open for
/// writing (`ETXTBSY`).
#[cfg(unix)]
const BUSY_FILE_TRIES: u32 = 20;
#[cfg(unix)]
const BUSY_FILE_PAUSE: Duration = Duration::from_millis(5);

/// What to run, and its limits. Not `Debug`, because the words may contain note text (`faults.md`
/// F12).
#[derive(Clone)]
pub struct Run {
    /// The binary, already checked.
    pub binary: Binary,
    /// The arguments, from [`super::argv::lay_out`].
    pub words: Vec<String>,
    /// The child's environment.
    pub environment: ChildEnvironment,
    /// The app that the probe found; `None` without a probe.
    pub instance: Option<AppInstance>,
    /// When the run must have ended.
    pub deadline: Deadline,
    /// Time between SIGTERM at the deadline and SIGKILL; usually [`GRACE`].
    pub grace: Duration,
    /// Maximum number of bytes kept of each stream.
    pub max_output_bytes: usize,
    /// Cancels the run.
    pub cancel: Cancel,
    /// Ends the run if this process is killed. `None` in an embedding program.
    #[cfg(unix)]
    pub guardian: Option<Arc<Guardian>>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// A signal that we did not send ended it.
    Signal(i32),
    /// We killed it. What it asked the app to do may still happen (`faults.md` finding 1).
    Killed {
        /// True at the deadline, false if cancelled.
        timed_out: bool,
    },
    /// It timed out or was cancelled, but was left running because it had become the app itself
    /// (`faults.md` G07).
    LeftRunning {
        /// True at the deadline, false if cancelled.
        timed_out: bool,
    },
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// Time from the start to the end of the child.
    pub duration: Duration,
    /// The child's process id, for reports only: it may be reused by now.
    pub pid: u32,
    /// A descendant outside the child's process group still held a stream open at the end. It is
    /// not killed.
    pub descendants_leaked: bool,
    /// The run became or started the app, and was therefore not signalled.
    pub app_started_by_run: bool,
    /// Whether another app listens than before the run; `None` without a probe.
    pub app_instance_changed: Option<bool>,
    /// Whether the child was prevented from executing other programs.
    pub confinement: Confinement,
}

/// An event in the life of the child. Tests check the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "there are no signals on Windows"))]
enum ChildEvent {
    /// The binary's file was open for writing; the start is retried.
    FileBusy,
    /// The child started.
    Started {
        /// Its process id.
        pid: u32,
    },
    /// A signal was sent to the child's process group.
    Signalled(&'static str),
    /// The child was reaped, so its process id may be reused.
    Reaped,
}

/// Observes the life of the child.
trait ChildObserver: Send + 'static {
    fn see(&mut self, event: ChildEvent);
}

/// Ignores all events.
struct NoObserver;

impl ChildObserver for NoObserver {
    fn see(&mut self, _event: ChildEvent) {}
}

/// Sets close-on-exec on every inherited descriptor above 2, so that the binary never sees what the
/// launcher left open (`faults.md` C10). Must be called first in `main`.
pub fn seal_inherited_descriptors() {
    // On Windows handles are inherited only on request.
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}

/// Sets the umask to 077, so that all files that this process creates are private (`faults.md`
/// C11). Returns the previous umask, which new notes are created with (`design.md` §6). Must be
/// called in `main`, before any thread starts.
pub fn close_new_files_to_others() -> u32 {
    #[cfg(unix)]
    {
        rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO).bits()
    }
    // Windows has no umask.
    #[cfg(windows)]
    {
        0
    }
}

/// Unblocks signals that the launcher blocked, so that the gateway receives requests to terminate
/// (`faults.md` E15). Must be called in `main`, before any thread starts.
pub fn unblock_signals() {
    // Fails only for an invalid mask.
    #[cfg(unix)]
    let _set = nix::sys::signal::SigSet::empty().thread_set_mask();
}

/// Handles SIGXFSZ, so that a write past the file size limit (`ulimit -f`) fails with `EFBIG` and
/// is rolled back, instead of killing this process (`faults.md` H08). Must be called in `main`.
/// Children start with the default handler.
pub fn outlive_file_size_limit() {
    #[cfg(unix)]
    {
        const FILE_SIZE: i32 = 25;
        // Best effort: without the handler, exceeding the limit kills the process.
        drop(signal_hook::flag::register(FILE_SIZE, Arc::default()));
    }
}

/// Changes to [`WORKING_DIRECTORY`], which children inherit. Must be called in `main`, after the
/// user's working directory was captured.
pub fn leave_working_directory() {
    // Best effort: each run tries again.
    drop(std::env::set_current_dir(WORKING_DIRECTORY));
}

/// Runs the binary once and waits for it.
///
/// # Errors
///
/// If the binary could not be started (`details.started` is false), or if supervision failed after
/// the start.
pub fn run(run: Run) -> Result<Output, Failure> {
    watched(run, NoObserver)
}

fn watched(run: Run, watch: impl ChildObserver) -> Result<Output, Failure> {
    if run.words.is_empty() {
        // Without arguments the app opens its start window (`faults.md` G15).
        return Err(Failure::new(
            Code::InternalError,
            "A run without a command was asked for. Report this.",
        )
        .with("started", false));
    }
    run.cancel
        .check()
        .map_err(|failure| failure.with("started", false))?;
    if run.deadline.has_passed() {
        return Err(Failure::new(
            Code::Timeout,
            "The time was up before the command could be started. Nothing was run.",
        )
        .with("started", false));
    }
    run.binary
        .verify_unchanged()
        .map_err(|failure| failure.with("started", false))?;
    tracing::debug!(words = run.words.len(), "child starts");
    #[cfg(unix)]
    let guardian = run.guardian.clone();
    #[cfg(unix)]
    let waking = guardian
        .as_ref()
        .map(|it| (it.hold(), run.environment.clone()));
    let thread = std::thread::Builder::new()
        .name("obsidian-run".into())
        .spawn(move || platform::supervise(&run, watch))
        .map_err(|error| platform::start_failure(&error))?;
    // The guardian must start on this thread, because the run's thread may execute only the binary.
    // The run's thread prepares the run at the same time, and waits for the guardian's lock before
    // it announces the run.
    #[cfg(unix)]
    if let Some((waking, surroundings)) = waking {
        waking.wake(&surroundings);
    }
    let ended = thread.join().unwrap_or_else(|_panic| {
        // Unwinding has killed the child. The panic message is dropped, because it may contain note
        // text.
        Err(Failure::new(
            Code::InternalError,
            "The supervision of a command failed; the command was ended. Check the vault before \
             trying again.",
        )
        .with("started", true))
    });
    match &ended {
        Ok(output) => tracing::debug!(
            exit = ?output.exit,
            stdout_bytes = output.stdout.total,
            stderr_bytes = output.stderr.total,
            "child ended"
        ),
        Err(failure) => tracing::debug!(code = failure.code.name(), "child failed"),
    }
    ended
}

/// The failure for a child that could not be started (`faults.md` E14).
fn not_started(code: Code, reason: &'static str, retryable: bool) -> Failure {
    let message = if code == Code::ArgumentTooLarge {
        "The arguments are too long for this system. Send less at a time."
    } else if code == Code::Busy {
        "The system cannot start another process now. Nothing was run; try again."
    } else if code == Code::CliUnavailable {
        "The obsidian binary could not be started. Check the setting obsidian_path."
    } else {
        "The obsidian binary could not be started. Nothing was run."
    };
    Failure::new(code, message)
        .with("started", false)
        .with("reason", reason)
        .with("retryable", retryable)
}

#[cfg(unix)]
#[cfg(test)]
mod tests;

//! One run of the binary: no shell, a session of its own, nothing inherited that was not
//! asked for, both streams read to the end, and an end that always comes
//! (`faults.md` groups C, E, F, G).
//!
//! Each run has a thread of its own. On Linux the thread first forbids itself, and so the child,
//! to execute anything but the binary; the rest of the program is not touched by that.

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

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use confine::Confinement;
#[cfg(unix)]
pub use guardian::{GUARDIAN_WORD, Guardian, watch_over_runs};

/// The child's working directory: in no vault, since the app would take the vault around it for
/// a call without `vault=` (`official-cli.md` §4).
pub const WORKING_DIRECTORY: &str = if cfg!(windows) { "C:\\" } else { "/" };

/// Between the polite signal and the last one.
pub const GRACE: Duration = Duration::from_secs(2);

/// The same for a run that was cancelled: nobody waits for what it might still say, and it must be
/// gone within a second (`faults.md` E10).
#[cfg(unix)]
const CANCEL_GRACE: Duration = Duration::from_millis(100);

/// How long the streams are still read after the child has ended.
const DRAIN: Duration = Duration::from_millis(250);

/// How long they are read after the group was swept.
#[cfg(unix)]
const LAST_DRAIN: Duration = Duration::from_millis(50);

/// How long a killed child may take to go; one that hangs in the kernel is left to a thread.
const GOING: Duration = Duration::from_secs(1);

/// A process that is still writing its own file is waited for this often, this long.
#[cfg(unix)]
const BUSY_FILE_TRIES: u32 = 20;
#[cfg(unix)]
const BUSY_FILE_PAUSE: Duration = Duration::from_millis(5);

/// What to run, and within which bounds. Not `Debug`: its words may hold note text
/// (`faults.md` F12).
#[derive(Clone)]
pub struct Run {
    /// The binary, as it was checked.
    pub binary: Binary,
    /// The words after it, laid out by [`super::argv::lay_out`].
    pub words: Vec<String>,
    /// The child's environment.
    pub environment: ChildEnvironment,
    /// The app that the probe saw; none where it was not looked for.
    pub instance: Option<AppInstance>,
    /// When it must have ended.
    pub deadline: Deadline,
    /// How long after the deadline the child may take to end politely, [`GRACE`].
    pub grace: Duration,
    /// How many bytes of each stream are kept.
    pub max_output_bytes: usize,
    /// Ends the run early.
    pub cancel: Cancel,
    /// Ends the run where this process is killed; none where it is the program of somebody else.
    #[cfg(unix)]
    pub guardian: Option<Arc<Guardian>>,
}

/// How a run ended. Exactly one of these, also when the child ends at the very deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It ended by itself with this code.
    Code(i32),
    /// Somebody else's signal ended it.
    Signal(i32),
    /// We ended it. What it had asked the app to do may still happen (`faults.md` finding 1).
    Killed {
        /// Whether its time was up; otherwise it was cancelled.
        timed_out: bool,
    },
    /// Its time was up or it was cancelled, and it was not ended because it had become the app
    /// itself (`faults.md` G07).
    LeftRunning {
        /// Whether its time was up; otherwise it was cancelled.
        timed_out: bool,
    },
}

/// What a run brought.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From the start to the end of the child.
    pub duration: Duration,
    /// The child's process id, for reports only.
    pub pid: u32,
    /// A descendant outside the child's group still held a stream at the end. It is not hunted.
    pub descendants_leaked: bool,
    /// The run became or started the app itself, which was therefore not signalled.
    pub app_started_by_run: bool,
    /// Whether another app listens now than before the run; none where that was not looked at.
    pub app_instance_changed: Option<bool>,
    /// Whether the child was kept from executing anything else.
    pub confinement: Confinement,
}

/// What happens to the child, in order; lets tests see the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "there are no signals on Windows"))]
enum Event {
    /// The file was being written to; it is tried again.
    FileBusy,
    /// The child runs.
    Started {
        /// Its process id.
        pid: u32,
    },
    /// A signal went to the child's group.
    Signalled(&'static str),
    /// The child's process id was given back to the system.
    Reaped,
}

/// Sees what happens to the child.
trait Watch: Send + 'static {
    fn see(&mut self, event: Event);
}

/// Nobody looks.
struct Unwatched;

impl Watch for Unwatched {
    fn see(&mut self, _event: Event) {}
}

/// Makes every inherited descriptor above 2 invisible to children. To be called first thing in
/// `main`: what the launcher left open is then never seen by the binary (`faults.md` C10).
pub fn seal_inherited_descriptors() {
    // Windows handles are inherited only where a program says so.
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}

/// Closes to others whatever this process and its children make from now on: the mask becomes
/// 077 (`faults.md` C11). To be called in `main`, before any thread starts. Gives the mask that
/// was in force: the user's own, which notes are made with (`design.md` §6).
pub fn close_new_files_to_others() -> u32 {
    #[cfg(unix)]
    {
        rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO).bits()
    }
    // Windows has no such mask.
    #[cfg(windows)]
    {
        0
    }
}

/// Lets through what the launcher has blocked (`faults.md` E15): a gateway that is asked to end
/// hears it. To be called in `main`, before any thread starts.
pub fn unblock_signals() {
    // It fails for no mask that there is.
    #[cfg(unix)]
    let _set = nix::sys::signal::SigSet::empty().thread_set_mask();
}

/// Lets a write past the limit of file sizes (`ulimit -f`) fail with `EFBIG`, which is rolled back and
/// answered, instead of ending this process (`faults.md` H08). To be called in `main`. A child starts
/// with the default again.
pub fn outlive_file_size_limit() {
    #[cfg(unix)]
    {
        const FILE_SIZE: i32 = 25;
        // Without the handler the process ends there, as any other.
        drop(signal_hook::flag::register(FILE_SIZE, Arc::default()));
    }
}

/// Moves this process to where its children shall be, [`WORKING_DIRECTORY`]. To be called in
/// `main`, when the folder that the user stands in is known.
pub fn leave_working_directory() {
    // Where there is no such place, each run looks again.
    drop(std::env::set_current_dir(WORKING_DIRECTORY));
}

/// Runs the binary once and waits for it.
///
/// Nothing was started where this fails with `details.started` false.
pub fn run(run: Run) -> Result<Output, Failure> {
    watched(run, Unwatched)
}

fn watched(run: Run, watch: impl Watch) -> Result<Output, Failure> {
    if run.words.is_empty() {
        // Without words the app opens its starter window (`faults.md` G15).
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
    // Here and not there: that thread may execute nothing but the binary. And while that thread
    // prepares the run, which is announced when this is done.
    #[cfg(unix)]
    if let Some((waking, surroundings)) = waking {
        waking.wake(&surroundings);
    }
    thread.join().unwrap_or_else(|_panic| {
        // What the panic said may hold note text; the child was ended while unwinding.
        Err(Failure::new(
            Code::InternalError,
            "The supervision of a command failed; the command was ended. Check the vault before \
             trying again.",
        )
        .with("started", true))
    })
}

/// A child that could not be started, by what the system said (`faults.md` E14).
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

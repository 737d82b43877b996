//! A run of the binary as data: what to run within which limits, how it ended, and what observers see.

use std::path::PathBuf;
#[cfg(unix)]
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

#[cfg(unix)]
use super::guardian::Guardian;
#[cfg(target_os = "linux")]
use super::runner::Runner;
#[cfg(target_os = "linux")]
use super::spare::Spare;
use crate::backend::cancel::Cancel;
use crate::backend::captured::Captured;
use crate::backend::obsidian::binary::Binary;
use crate::backend::obsidian::deadline::Deadline;
use crate::backend::obsidian::environment::ChildEnvironment;
use crate::backend::obsidian::probe::AppInstance;
use crate::environment::Environment;
use crate::sandbox::{Confinement, KernelLimits, SandboxMode};

/// Time between SIGTERM and SIGKILL.
pub const GRACE: Duration = Duration::from_secs(2);

/// The same for a cancelled run, which must be gone within a second (`faults.md` E10). Nobody waits
/// for its output.
#[cfg(unix)]
pub(super) const CANCEL_GRACE: Duration = Duration::from_millis(100);

/// How long to read the streams after the child has ended.
pub(super) const DRAIN: Duration = Duration::from_millis(250);

/// How long to read the streams after the process group or job was killed.
pub(super) const LAST_DRAIN: Duration = Duration::from_millis(50);

/// How long to wait for a killed child. A child that hangs in the kernel is then left to a reaper
/// thread.
pub(super) const GOING: Duration = Duration::from_secs(1);

/// Number of retries, with [`BUSY_FILE_PAUSE`] in between, while the binary's file is open for
/// writing (`ETXTBSY`).
#[cfg(unix)]
pub(super) const BUSY_FILE_TRIES: u32 = 20;
#[cfg(unix)]
pub(super) const BUSY_FILE_PAUSE: Duration = Duration::from_millis(5);

/// What to run, and its limits. Not `Debug`, because the words may contain note text (`faults.md`
/// F12).
#[derive(Clone)]
pub struct Run {
    /// The binary, already checked.
    pub binary: Binary,
    /// The arguments, from [`crate::backend::obsidian::argv::lay_out`].
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
    /// What the child is kept from.
    pub sandbox: RunSandbox,
    /// The process that does the run for a confined server.
    #[cfg(target_os = "linux")]
    pub runner: Option<Arc<Runner>>,
    /// Ends the run if this process is killed. `None` in an embedding program.
    #[cfg(unix)]
    pub guardian: Option<Arc<Guardian>>,
}

/// How children are to be confined.
#[derive(Clone, Debug)]
pub struct RunSandbox {
    /// The setting `sandbox`.
    pub mode: SandboxMode,
    /// The program that confines itself and becomes the binary. `None` in an embedding program that
    /// names none.
    pub helper: Option<PathBuf>,
    /// Uses no more of the kernel than this. Only tests set it.
    pub kernel_limits: Option<KernelLimits>,
    /// Where a confined helper waits for the next run. A runner has one for all its runs, and a call
    /// for its first.
    #[cfg(target_os = "linux")]
    pub spare: Option<Arc<Spare>>,
}

impl RunSandbox {
    /// With the helper of this environment.
    pub fn new(mode: SandboxMode, environment: &Environment) -> Self {
        Self {
            mode,
            helper: environment.guardian().map(ToOwned::to_owned),
            kernel_limits: environment.kernel_limits(),
            #[cfg(target_os = "linux")]
            spare: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What the child was kept from.
    pub confinement: Confinement,
}

/// An event in the life of the child. Tests check the order of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "there are no signals on Windows"))]
pub(super) enum ChildEvent {
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
pub(super) trait ChildObserver: Send + 'static {
    fn see(&mut self, event: ChildEvent);
}

/// Ignores all events.
pub(super) struct NoObserver;

impl ChildObserver for NoObserver {
    fn see(&mut self, _event: ChildEvent) {}
}

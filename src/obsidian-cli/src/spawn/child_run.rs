//! A run of the binary as data: what to run, within which limits.

use std::path::PathBuf;
#[cfg(unix)]
use std::sync::Arc;
use std::time::Duration;

#[cfg(unix)]
use super::guardian::Guardian;
#[cfg(target_os = "linux")]
use super::runner::Runner;
#[cfg(target_os = "linux")]
use super::spare::Spare;
use crate::binary::Binary;
use crate::environment::ChildEnvironment;
use crate::error::Error;
use crate::probe::AppInstance;
use backend::cancel::Cancel;
use protocol::{Deadline, Failure};
use sandbox::{Environment, KernelLimits, SandboxMode};

/// Time between SIGTERM and SIGKILL.
pub const GRACE: Duration = Duration::from_secs(2);

/// Time between SIGTERM and SIGKILL for a cancelled run, which must end within a second
/// (`threats.toml` E10). Its output is not used.
#[cfg(unix)]
pub(super) const CANCEL_GRACE: Duration = Duration::from_millis(100);

/// Time to read the streams after the child has ended.
pub(super) const DRAIN: Duration = Duration::from_millis(250);

/// Time to read the streams after the process group or job was killed.
pub(super) const LAST_DRAIN: Duration = Duration::from_millis(50);

/// Time to wait for a killed child. A child that hangs in the kernel is then left to a reaper
/// thread.
pub(super) const GOING: Duration = Duration::from_secs(1);

/// Number of retries, with [`BUSY_FILE_PAUSE`] in between, while the binary's file is open for
/// writing (`ETXTBSY`).
#[cfg(unix)]
pub(super) const BUSY_FILE_TRIES: u32 = 20;
#[cfg(unix)]
pub(super) const BUSY_FILE_PAUSE: Duration = Duration::from_millis(5);

/// A binary and its surroundings: everything that a run needs except its arguments and limits.
#[derive(Clone, Debug)]
pub struct RunTarget {
    /// The binary, already checked.
    pub binary: Binary,
    /// The variables of the child, from a short allowlist.
    pub environment: ChildEnvironment,
    /// The app that the probe found; `None` without a probe.
    pub instance: Option<AppInstance>,
    /// The confinement of the child.
    pub sandbox: RunSandbox,
    /// The process that does the run for a confined server.
    #[cfg(target_os = "linux")]
    pub runner: Option<Arc<Runner>>,
    /// Ends the run if this process is killed. `None` in an embedding program.
    #[cfg(unix)]
    pub guardian: Option<Arc<Guardian>>,
}

/// A binary with its arguments and limits. Not `Debug`, because the words may contain note text
/// (`threats.toml` F12).
#[derive(Clone)]
pub struct Run {
    /// The binary and its surroundings.
    pub target: RunTarget,
    /// The arguments, from [`crate::argv::lay_out`].
    pub words: Vec<String>,
    /// The time by which the run must have ended.
    pub deadline: Deadline,
    /// Time between SIGTERM at the deadline and SIGKILL; usually [`GRACE`].
    pub grace: Duration,
    /// Maximum number of bytes kept of each stream.
    pub max_output_bytes: usize,
    /// Ends the run early when the call is cancelled.
    pub cancel: Cancel,
}

impl Run {
    /// Checks right before a start whether the call still wants it and its deadline allows it.
    pub(super) fn check_start(&self) -> Result<(), Failure> {
        if self.words.is_empty() {
            // Without arguments the app opens its start window (`threats.toml` G15).
            return Err(Error::NoCommand.into());
        }
        self.cancel
            .check()
            .map_err(|failure| failure.with("started", false))?;
        self.check_time()?;
        self.target
            .binary
            .verify_unchanged()
            .map_err(|failure| failure.with("started", false))
    }

    /// Checks whether a run may still start.
    pub(super) fn check_time(&self) -> Result<(), Failure> {
        if !self.deadline.has_passed() {
            return Ok(());
        }
        Err(Error::NoTimeLeft.into())
    }
}

/// The confinement to apply to children.
#[derive(Clone, Debug)]
pub struct RunSandbox {
    /// The setting `sandbox`: whether the child is confined, and whether it must be.
    pub mode: SandboxMode,
    /// The program that confines itself and becomes the binary. `None` in an embedding program that
    /// does not name a helper.
    pub helper: Option<PathBuf>,
    /// Limits the kernel features used, so that tests can imitate an older kernel. `None` outside
    /// of tests.
    pub kernel_limits: Option<KernelLimits>,
    /// Keeps a confined helper for the next run. A runner uses one for all its runs, a call for its
    /// first.
    #[cfg(target_os = "linux")]
    pub spare: Option<Arc<Spare>>,
}

impl RunSandbox {
    /// Takes the helper program from this environment.
    pub fn new(mode: SandboxMode, environment: &Environment) -> Self {
        Self {
            mode,
            helper: environment.helper.clone(),
            kernel_limits: environment.kernel_limits,
            #[cfg(target_os = "linux")]
            spare: None,
        }
    }
}

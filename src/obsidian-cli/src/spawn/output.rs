//! The result of a run: its exit and its output.

use serde::{Deserialize, Serialize};

use backend::captured::Captured;
use sandbox::Confinement;

/// The way in which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// The process exited with this code.
    Code(i32),
    /// A signal that we did not send ended it.
    Signal(i32),
    /// We killed it. What it asked the app to do may still happen (`threats.toml` E17).
    Killed {
        /// True at the deadline, false if cancelled.
        timed_out: bool,
    },
    /// The process timed out or was cancelled, but was left running because it had become the app itself
    /// (`threats.toml` G07).
    LeftRunning {
        /// True at the deadline, false if cancelled.
        timed_out: bool,
    },
}

/// The output and the exit of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Output {
    /// Whether it exited, was killed, or was left running.
    pub exit: Exit,
    /// Bytes of standard output, at most `max_output_bytes`.
    pub stdout: Captured,
    /// Bytes of standard error, at most `max_output_bytes`.
    pub stderr: Captured,
    /// The child's process id, for reports only: another process may have the same id already.
    pub pid: u32,
    /// Whether a descendant outside the child's process group still had a stream open at the end.
    /// It is not killed.
    pub descendants_leaked: bool,
    /// The run became or started the app, and was therefore not signalled.
    pub app_started_by_run: bool,
    /// Whether another app listens than before the run; `None` without a probe.
    pub app_instance_changed: Option<bool>,
    /// The confinement of the child.
    pub confinement: Confinement,
}

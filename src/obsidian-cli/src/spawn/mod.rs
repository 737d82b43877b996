//! Runs the binary once: no shell, its own session, nothing inherited by accident, both streams
//! read to the end, and always a bounded end (`threats.toml` groups C, E, F, G).
//!
//! Each run has its own thread. On Linux a helper confines itself and then becomes the binary
//! (`launcher`); the gateway itself stays as it is.

use crate::error::Error;
use protocol::Failure;

mod child_run;
#[cfg(target_os = "linux")]
pub mod descriptor;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod guardian;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
pub mod message;
mod observer;
mod output;
mod own_process;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod spare;
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

pub use child_run::{GRACE, Run, RunSandbox, RunTarget};
#[cfg(unix)]
pub use guardian::{GUARDIAN_WORD, Guardian, watch_over_runs};
#[cfg(target_os = "linux")]
pub use launcher::{LAUNCHER_WORD, launch, try_confinement};
use observer::Observer;
pub use output::{Exit, Output};
pub use own_process::{
    close_new_files_to_others, keep_memory_private, leave_working_directory,
    outlive_file_size_limit, seal_inherited_descriptors, unblock_signals,
};
#[cfg(target_os = "linux")]
pub use runner::{RUNNER_WORD, Runner, serve_runs};
#[cfg(target_os = "linux")]
pub(crate) use spare::prepare;
#[cfg(unix)]
use start::start_failure;
#[cfg(target_os = "linux")]
pub use start::{ChildDescriptors, start_in_a_session};
#[cfg(windows)]
use windows::start_failure;
pub use working_directory::WORKING_DIRECTORY;

/// Does this on a thread of its own; nothing if no thread can be started.
#[cfg(unix)]
fn in_background<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) {
    drop(
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(work),
    );
}

/// Runs the binary once and waits for it.
///
/// # Errors
///
/// If the binary could not be started (`details.started` is false), or if supervision failed after
/// the start.
pub fn run(run: Run) -> Result<Output, Failure> {
    #[cfg(target_os = "linux")]
    if let Some(runner) = &run.target.runner {
        run.check_start()?;
        return runner.run(&run);
    }
    watched(run, Box::new(|_| {}))
}

fn watched(run: Run, watch: Observer) -> Result<Output, Failure> {
    run.check_start()?;
    tracing::debug!(words = run.words.len(), "child starts");
    // The guardian must start on this thread, because the run's thread may execute only the binary.
    #[cfg(unix)]
    if let Some(guardian) = &run.target.guardian {
        guardian.wake(&run.target.environment);
    }
    let thread = std::thread::Builder::new()
        .name("obsidian-run".into())
        .spawn(move || platform::supervise(&run, watch))
        .map_err(|error| start_failure(&error))?;
    let ended = thread.join().unwrap_or_else(|_panic| {
        // Unwinding has killed the child. The panic message is dropped, because it may contain note
        // text.
        Err(Error::RunEnded.into())
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

#[cfg(unix)]
#[cfg(test)]
mod tests;

//! Runs the binary once: no shell, its own session, nothing inherited by accident, both streams
//! read to the end, and always a bounded end (`faults.md` groups C, E, F, G).
//!
//! Each run has its own thread. On Linux a helper confines itself and then becomes the binary
//! (`launcher`); the gateway itself stays as it is.

use crate::code::Code;
use crate::failure::Failure;

mod child_run;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod guardian;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod message;
mod not_started;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(unix)]
mod signals;
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

use child_run::{ChildObserver, NoObserver};
pub use child_run::{Exit, GRACE, Output, Run, RunSandbox};
#[cfg(unix)]
pub use guardian::{GUARDIAN_WORD, Guardian, watch_over_runs};
#[cfg(target_os = "linux")]
pub use launcher::{LAUNCHER_WORD, launch, try_confinement};
#[cfg(target_os = "linux")]
pub use runner::{RUNNER_WORD, Runner, serve_runs};
#[cfg(target_os = "linux")]
pub(super) use spare::prepare;
pub use working_directory::WORKING_DIRECTORY;

/// Sets close-on-exec on every inherited descriptor above 2, so that the binary never sees what the
/// launcher left open (`faults.md` C10). Must be called first in `main`.
pub fn seal_inherited_descriptors() {
    // On Windows handles are inherited only on request.
    #[cfg(unix)]
    close_fds::set_fds_cloexec(3, &[]);
}

/// Keeps other processes of the same user from tracing this one and reading its memory, and the
/// kernel from writing it to a core file: it holds note text, and a server the token of its clients
/// (`faults.md` L08). A program that is started is as any other again.
pub fn keep_memory_private() {
    // Fails on no kernel that runs this program.
    #[cfg(target_os = "linux")]
    let _set =
        rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Sets the umask to 077, so that all files that this process creates are private (`faults.md`
/// C11). Returns the previous umask, which new notes are created with (`design.md` §6). Must be
/// called in `main`, before any thread starts.
pub fn close_new_files_to_others() -> u32 {
    #[cfg(unix)]
    {
        let others = rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO;
        // The width of the number differs between systems.
        #[cfg_attr(
            target_os = "linux",
            expect(clippy::useless_conversion, reason = "it is narrower on macOS")
        )]
        rustix::process::umask(others).bits().into()
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
        drop(signal_hook::flag::register(
            FILE_SIZE,
            std::sync::Arc::default(),
        ));
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
    #[cfg(target_os = "linux")]
    if let Some(runner) = &run.runner {
        check_start(&run)?;
        return runner.run(&run);
    }
    watched(run, NoObserver)
}

/// Checks right before a start whether it is still wanted, and may still be.
fn check_start(run: &Run) -> Result<(), Failure> {
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
    check_time(run)?;
    run.binary
        .verify_unchanged()
        .map_err(|failure| failure.with("started", false))
}

/// Checks whether a run may still start.
fn check_time(run: &Run) -> Result<(), Failure> {
    if !run.deadline.has_passed() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Timeout,
        "The time was up before the command could be started. Nothing was run.",
    )
    .with("started", false))
}

fn watched(run: Run, watch: impl ChildObserver) -> Result<Output, Failure> {
    check_start(&run)?;
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

#[cfg(unix)]
#[cfg(test)]
mod tests;

//! Starts, watches and ends a child on Windows, which has no process groups or signals. A job object contains the
//! child and all of its descendants, and is ended as a whole.

use std::io;
use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::Command;
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

use super::child_run::{DRAIN, GOING, LAST_DRAIN, Run};
use super::observer::{ChildEvent, Observer};
use super::output::{Exit, Output};
use super::streams::CapturedStreams;
use super::working_directory::WORKING_DIRECTORY;
use crate::error::Error;
use protocol::Failure;
use sandbox::{Confinement, ConfinementReason};

/// Runs the child on the calling thread, which must be dedicated to it.
pub(super) fn supervise(run: &Run, watch: Observer) -> Result<Output, Failure> {
    let confinement =
        Confinement::without_sandbox(run.target.sandbox.mode, ConfinementReason::OperatingSystem)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| start_failure(&error))?;
    runtime.block_on(start_and_watch(run, confinement, watch))
}

async fn start_and_watch(
    run: &Run,
    confinement: Confinement,
    mut watch: Observer,
) -> Result<Output, Failure> {
    let mut child = start(run).map_err(|error| start_failure(&error))?;
    let pid = child.id().unwrap_or_default();
    watch(ChildEvent::Started { pid });
    let lost = || Error::NoOutput;
    let stdout = child.stdout().take().ok_or_else(lost)?;
    let stderr = child.stderr().take().ok_or_else(lost)?;
    let mut pipes = CapturedStreams::new(stdout, stderr, run.max_output_bytes);

    let time_is_up = tokio::time::sleep_until(run.deadline.instant().into());
    tokio::pin!(time_is_up);
    let cancelled = run.cancel.cancelled();
    tokio::pin!(cancelled);
    let killed = |timed_out| Exit::Killed { timed_out };
    let mut exit = loop {
        // The job's own `wait` would wait for descendants too.
        let leader = child.inner_mut();
        tokio::select! {
            status = leader.wait() => break exit_of(status.map_err(|_lost| lost())?),
            () = &mut time_is_up => break killed(true),
            () = &mut cancelled => break killed(false),
            () = pipes.read(), if !pipes.have_ended() => {}
        }
    };
    if matches!(exit, Exit::Killed { .. }) {
        // A child that exits exactly at the deadline counts as exited (`threats.toml` E16).
        if let Ok(Some(status)) = child.inner_mut().try_wait() {
            exit = exit_of(status);
        }
    } else {
        // Only for a moment: a descendant may keep the pipes open for as long as it runs.
        pipes.drain_until(tokio::time::Instant::now() + DRAIN).await;
    }
    end(child.as_mut()).await;
    watch(ChildEvent::Reaped);
    pipes
        .drain_until(tokio::time::Instant::now() + LAST_DRAIN)
        .await;
    let descendants_leaked = !pipes.have_ended();
    let (stdout, stderr, _open_stdout, _open_stderr) = pipes.finish();
    Ok(Output {
        exit,
        stdout,
        stderr,
        pid,
        descendants_leaked,
        app_started_by_run: false,
        app_instance_changed: None,
        confinement,
    })
}

/// Starts the child suspended, puts it into a job, and lets it run: all its descendants are in the job too. The
/// system ends the job when its last handle is closed, so also when this process is killed.
fn start(run: &Run) -> io::Result<Box<dyn ChildWrapper>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the spawn module that the rule speaks of"
    )]
    let mut command = Command::new(&run.target.binary.path);
    command
        .args(&run.words)
        .env_clear()
        .envs(run.target.environment.iter())
        .current_dir(WORKING_DIRECTORY)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    CommandWrap::from(command)
        .wrap(CreationFlags(CREATE_NO_WINDOW))
        .wrap(KillOnDrop)
        .wrap(JobObject)
        .spawn()
}

/// Ends the processes left in the job. The app is not among them: the thin command line does not start it.
async fn end(child: &mut dyn ChildWrapper) {
    // Fails only if all of it has already exited.
    drop(child.start_kill());
    drop(tokio::time::timeout(GOING, child.inner_mut().wait()).await);
}

fn exit_of(status: std::process::ExitStatus) -> Exit {
    Exit::Code(status.code().unwrap_or(-1))
}

/// Returns the failure for an error of the operating system at the start (`threats.toml` E14).
pub(super) fn start_failure(error: &io::Error) -> Error {
    /// `ERROR_BAD_EXE_FORMAT`: the file is not a program for this Windows.
    const BAD_FORMAT: i32 = 193;
    /// `ERROR_FILENAME_EXCED_RANGE`: the command line has more than 32,767 characters.
    const TOO_LONG: i32 = 206;
    match (error.kind(), error.raw_os_error()) {
        (_, Some(BAD_FORMAT)) => Error::CannotStart("not-a-program"),
        (_, Some(TOO_LONG)) => Error::TooLong,
        (io::ErrorKind::NotFound, _) => Error::CannotStart("missing"),
        (io::ErrorKind::PermissionDenied, _) => Error::CannotStart("not-executable"),
        (io::ErrorKind::OutOfMemory, _) => Error::CannotStartNow("memory"),
        (io::ErrorKind::InvalidInput, _) => Error::NulByte,
        _ => Error::NotStarted,
    }
}

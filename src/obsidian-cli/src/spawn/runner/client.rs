//! The server's side of its runner.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::RUNNER_WORD;
use super::wire::{Question, RunQuestion, RunnerSetup, SentFailure, receive_output};
use crate::binary::Binary;
use crate::error::Error;
use crate::probe::AppInstance;
use crate::spawn::child_run::{Run, RunSandbox};
use crate::spawn::descriptor;
use crate::spawn::message::{receive, send};
use crate::spawn::output::Output;
use crate::spawn::start::{ChildDescriptors, start_in_a_session};
use protocol::Failure;
use sandbox::Environment;
use settings::SettingsFiles;

/// Variables that the runner gets: the places of the app and its lists.
const PASSED: [&str; 7] = [
    "HOME",
    "LOGNAME",
    "PATH",
    "TMPDIR",
    "USER",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

/// Time limit for a question without a run. The runner answers in milliseconds, unless it was
/// stopped.
const PATIENCE: Duration = Duration::from_secs(3);
/// Time for the report of a run after its deadline and grace: the runner still reads the rest of
/// the streams ([`DRAIN`](super::super::child_run::DRAIN)).
const REPORT_TIME: Duration = Duration::from_secs(2);

/// A helper that starts the official program for a confined server.
#[derive(Debug)]
pub struct Runner {
    socket: UnixStream,
    obsidian_path: String,
    binary: Result<Binary, Failure>,
}

impl Runner {
    /// Starts the helper. Must be called before the server confines itself. `binary` is the result
    /// of the setting `obsidian_path` now; the runner starts no other.
    ///
    /// # Errors
    ///
    /// If the helper cannot be started.
    pub fn start(
        environment: &Environment,
        sandbox: &RunSandbox,
        vault: &Path,
        settings: Option<PathBuf>,
        obsidian_path: &str,
        binary: Result<Binary, Failure>,
    ) -> io::Result<Arc<Self>> {
        let helper = sandbox.helper.as_deref().ok_or(io::ErrorKind::NotFound)?;
        let (mut socket, theirs) = UnixStream::pair()?;
        let silence = fs_err::OpenOptions::new().write(true).open("/dev/null")?;
        let streams = ChildDescriptors {
            stdin: theirs.as_fd(),
            stdout: silence.file().as_fd(),
            stderr: silence.file().as_fd(),
        };
        let variables = PASSED.into_iter().filter_map(|name| {
            let value = environment.variable(name)?;
            Some((std::ffi::OsStr::new(name), value))
        });
        start_in_a_session(helper, &[RUNNER_WORD.to_owned()], variables, &streams)?;
        let setup = RunnerSetup {
            obsidian_path: obsidian_path.to_owned(),
            sandbox: sandbox.mode,
            kernel_limits: sandbox.kernel_limits,
            vault: PathBuf::from(vault),
            settings,
        };
        send(&mut socket, &setup)?;
        Ok(Arc::new(Self {
            socket,
            obsidian_path: setup.obsidian_path,
            binary,
        }))
    }

    /// Returns the binary that the runner starts.
    ///
    /// # Errors
    ///
    /// If no binary was found when the server started, or the setting has changed since.
    pub fn binary(&self, obsidian_path: &str) -> &Result<Binary, Failure> {
        static CHANGED: std::sync::LazyLock<Result<Binary, Failure>> =
            std::sync::LazyLock::new(|| Err(Error::PathChanged.into()));
        if obsidian_path == self.obsidian_path {
            &self.binary
        } else {
            &CHANGED
        }
    }

    /// Asks whether the app listens.
    ///
    /// # Errors
    ///
    /// As the probe, or if the runner is gone.
    pub fn probe(&self) -> Result<AppInstance, Failure> {
        self.answer_to(&Question::Probe)
    }

    /// Returns the settings file and the lists that it names, as they are now.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, others could have written it, or the runner is gone.
    pub fn settings(&self) -> Result<SettingsFiles, Failure> {
        self.answer_to(&Question::Settings)
    }

    /// Returns the files, of the given ones, that another process has open for writing; `None` if
    /// that is unknown.
    pub fn open_for_writing(&self, files: Vec<(u64, u64)>) -> Option<Vec<(u64, u64)>> {
        let mut connection = self.ask(&Question::Writers(files), PATIENCE).ok()?;
        receive(&mut connection).ok().flatten()
    }

    /// Sends the run to the runner and waits for its result.
    ///
    /// # Errors
    ///
    /// If the runner cannot start the program, or ends before it answers.
    pub fn run(&self, run: &Run) -> Result<Output, Failure> {
        let question = RunQuestion {
            words: run.words.clone(),
            instance: run.target.instance,
            time: run.deadline.left(),
            grace: run.grace,
            max_output_bytes: run.max_output_bytes,
        };
        let time = question.time + question.grace + REPORT_TIME;
        let connection = self.ask(&Question::Run(question), time)?;
        let lost = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::HelperSilent,
            _ => helper_gone(&error, true),
        };
        let mut answers = connection.try_clone().map_err(lost)?;
        let (cancel, ends) = (run.cancel.clone(), backend::cancel::Cancel::new());
        let is_over = ends.clone();
        std::thread::scope(|scope| {
            // Closes the connection if the call is cancelled; the runner still answers.
            scope.spawn(move || {
                cancel.wait_for_either(&is_over);
                if cancel.is_cancelled() && !is_over.is_cancelled() {
                    drop(connection.shutdown(std::net::Shutdown::Write));
                }
            });
            let answer = receive_output(&mut answers, run.max_output_bytes);
            ends.cancel();
            answer.map_err(lost)?
        })
    }

    fn answer_to<T: DeserializeOwned>(&self, question: &Question) -> Result<T, Failure> {
        let mut connection = self.ask(question, PATIENCE)?;
        let answer: Result<T, SentFailure> =
            receive(&mut connection).map_err(|error| helper_gone(&error, false))?;
        answer.map_err(SentFailure::into_failure)
    }

    /// Opens a new connection for one question.
    fn ask(&self, question: &Question, time: Duration) -> Result<UnixStream, Failure> {
        let query = || -> io::Result<UnixStream> {
            let (mut ours, theirs) = UnixStream::pair()?;
            ours.set_read_timeout(Some(time))?;
            ours.set_write_timeout(Some(PATIENCE))?;
            descriptor::give(&self.socket, theirs.as_fd())?;
            drop(theirs);
            send(&mut ours, question)?;
            Ok(ours)
        };
        query().map_err(|error| helper_gone(&error, false).into())
    }
}

fn helper_gone(error: &io::Error, started: bool) -> Error {
    Error::HelperGone(started, error.kind().to_string())
}

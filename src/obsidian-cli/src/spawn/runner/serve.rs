//! The runner's side of the connection.

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use vault_engine::{OperatingSystem, Registry};

use super::wire::{Question, RunQuestion, RunnerSetup, SentFailure, send_output};
use super::words::checked_words;
use crate::binary::Binary;
use crate::environment::ChildEnvironment;
use crate::error::Error;
use crate::kind::{BinaryKind, refuse_app_start};
use crate::locate::locate;
use crate::probe;
use crate::spawn::child_run::{Run, RunSandbox, RunTarget};
use crate::spawn::descriptor;
use crate::spawn::guardian::Guardian;
use crate::spawn::in_background;
use crate::spawn::message::{receive, send};
use crate::spawn::output::Output;
use crate::spawn::spare::{LIFE, Spare};
use backend::cancel::Cancel;
use protocol::{Deadline, Failure};
use sandbox::Environment;
use settings::SettingsFiles;

/// The state of a runner between two messages.
struct RunnerState {
    setup: RunnerSetup,
    environment: Environment,
    /// Located once, when it is first needed, and checked before each run.
    binary: std::sync::OnceLock<Result<Binary, Failure>>,
    guardian: Option<Arc<Guardian>>,
    spare: Arc<Spare>,
}

/// Returns the main function of the runner process. Serves until its standard input closes.
pub fn serve_runs(environment: &Environment) -> ExitCode {
    match serve(environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_malformed) => ExitCode::FAILURE,
    }
}

fn serve(environment: &Environment) -> io::Result<()> {
    let mut socket = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    let setup: RunnerSetup = receive(&mut socket)?;
    let state = Arc::new(RunnerState {
        guardian: Guardian::from_environment(environment),
        environment: environment.clone(),
        setup,
        binary: std::sync::OnceLock::new(),
        spare: Spare::for_many_runs(),
    });
    socket.set_read_timeout(Some(LIFE))?;
    loop {
        let next = descriptor::take(&socket);
        state.spare.expire();
        let connection = match next {
            Ok(Some(connection)) => UnixStream::from(connection),
            Ok(None) => break,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
            Err(error) => return Err(error),
        };
        while Arc::strong_count(&state) > MOST_QUESTIONS {
            std::thread::sleep(LOOK_AGAIN);
        }
        let state = Arc::clone(&state);
        // If no thread can be started, the connection closes, which the server reports.
        in_background("runner", move || state.answer(connection));
    }
    state.spare.end();
    // The server is gone, and with it every connection: runs are being cancelled. The guardian ends
    // those that are left when this process is gone.
    let limit = Instant::now() + TIME_TO_END;
    while Arc::strong_count(&state) > 1 && Instant::now() < limit {
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// Maximum number of questions answered at the same time. A server asks far fewer, but a
/// compromised one must not start processes without limit.
const MOST_QUESTIONS: usize = 64;

/// Longest run and largest output that a server may request: the maximum of the settings.
const LONGEST_RUN: Duration = Duration::from_secs(3_600);
const MOST_OUTPUT: usize = 1 << 30;

/// Time that cancelled runs may take to end.
const TIME_TO_END: Duration = Duration::from_millis(1_500);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

impl RunnerState {
    /// Answers the question of one connection. A malformed question, or an answer that the server
    /// no longer reads, ends only this connection.
    fn answer(&self, mut connection: UnixStream) {
        let Ok(question) = receive(&mut connection) else {
            return;
        };
        let answered = match question {
            Question::Probe => {
                let found = self.child_environment().and_then(|it| probe::probe(&it));
                send(&mut connection, &found.map_err(SentFailure::from))
            }
            Question::Settings => {
                let files = self.settings().map_err(SentFailure::from);
                send(&mut connection, &files)
            }
            Question::Writers(files) => {
                let files: BTreeSet<(u64, u64)> = files.into_iter().collect();
                send(
                    &mut connection,
                    &vault_engine::files_open_for_writing(&files),
                )
            }
            Question::Run(question) => {
                let result = self.run(question, &connection);
                let sent = send_output(&mut connection, result);
                // Closed before the next helper is made, which takes longer than most runs.
                drop(connection);
                self.spare.renew(self.guardian.as_ref());
                sent
            }
        };
        drop(answered);
    }

    fn run(&self, question: RunQuestion, connection: &UnixStream) -> Result<Output, Failure> {
        let environment = self.child_environment()?;
        let binary = self
            .binary
            .get_or_init(|| locate(&self.setup.obsidian_path, &self.environment))
            .clone()?;
        // Only the runner decides whether the app is running, because that decides whether the
        // app's own binary may be started.
        let instance = match binary.kind {
            BinaryKind::Cli => question.instance,
            BinaryKind::App | BinaryKind::Unknown => Some(probe::probe(&environment)?),
        };
        refuse_app_start(binary.kind, instance.as_ref())?;
        checked_words(&question.words, &self.setup.vault, &self.registry())?;
        let cancel = Cancel::new();
        cancel_at_end(connection, cancel.clone());
        super::super::run(Run {
            target: RunTarget {
                binary,
                environment,
                instance,
                sandbox: RunSandbox {
                    kernel_limits: self.setup.kernel_limits,
                    spare: Some(Arc::clone(&self.spare)),
                    ..RunSandbox::new(self.setup.sandbox, &self.environment)
                },
                runner: None,
                guardian: self.guardian.clone(),
            },
            words: question.words,
            deadline: Deadline::after(question.time.min(LONGEST_RUN)),
            grace: question.grace.min(super::super::GRACE),
            max_output_bytes: question.max_output_bytes.min(MOST_OUTPUT),
            cancel,
        })
    }

    fn settings(&self) -> Result<SettingsFiles, Failure> {
        match &self.setup.settings {
            Some(file) => SettingsFiles::read(file),
            None => Err(Error::NoSettingsFolder.into()),
        }
    }

    fn child_environment(&self) -> Result<ChildEnvironment, Failure> {
        ChildEnvironment::from_environment(&self.environment)
    }

    /// Returns the app's current list of vaults; empty if it cannot be read.
    fn registry(&self) -> Registry {
        let variable = |name| self.environment.absolute_path(name);
        let places = Registry::places(
            OperatingSystem::CURRENT,
            variable("HOME").as_deref(),
            variable("XDG_CONFIG_HOME").as_deref(),
            None,
        );
        let found = places.iter().find_map(|place| Registry::read(place).ok());
        found.unwrap_or_default()
    }
}

/// Cancels the run when the server closes its side of the connection: the call was cancelled, or
/// the server is gone.
fn cancel_at_end(connection: &UnixStream, cancel: Cancel) {
    let Ok(mut watched) = connection.try_clone() else {
        return;
    };
    // If no thread can be started, the deadline ends the run. The thread ends with the connection.
    in_background("runner-cancel", move || {
        let mut byte = [0];
        while watched.read(&mut byte).is_ok_and(|read| read > 0) {}
        cancel.cancel();
    });
}

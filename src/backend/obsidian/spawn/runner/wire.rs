//! The messages between a confined server and its runner. After the message about a run come the
//! bytes that the child printed.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::backend::captured::Captured;
use crate::backend::obsidian::probe::AppInstance;
use crate::backend::obsidian::spawn::message::{receive, send};
use crate::backend::obsidian::spawn::output::{Exit, Output};
use crate::code::Code;
use crate::failure::{Failure, Fault};
use crate::sandbox::{Confinement, KernelLimits, SandboxMode};

/// The first message: the settings of the runner for its whole life.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunnerSetup {
    /// The setting `obsidian_path`: a name to search for, or an absolute path.
    pub(super) obsidian_path: String,
    pub(super) sandbox: SandboxMode,
    pub(super) kernel_limits: Option<KernelLimits>,
    /// The folder of the pinned vault.
    pub(super) vault: PathBuf,
    /// The settings file, which may be replaced while the server runs.
    pub(super) settings: Option<PathBuf>,
}

/// A question. Not `Debug`, because words may contain note text (`faults.md` F12).
#[derive(Serialize, Deserialize)]
pub(super) enum Question {
    /// A question whether the app listens.
    Probe,
    /// The content of the settings file and of the lists that it names.
    Settings,
    /// Asks which of these files, by device and inode, another process has open for writing.
    Writers(Vec<(u64, u64)>),
    /// Run the binary with checked arguments.
    Run(RunQuestion),
}

/// A request for a run of the binary.
#[derive(Serialize, Deserialize)]
pub(super) struct RunQuestion {
    pub(super) words: Vec<String>,
    pub(super) instance: Option<AppInstance>,
    pub(super) time: Duration,
    pub(super) grace: Duration,
    pub(super) max_output_bytes: usize,
}

/// A failure in the form in which it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentFailure {
    code: Code,
    faults: Vec<Fault>,
    details: Map<String, Value>,
}

/// The result of a run. The bytes of standard output and then of standard error follow the message.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SentOutput {
    exit: Exit,
    stdout: SentStream,
    stderr: SentStream,
    duration: Duration,
    pid: u32,
    descendants_leaked: bool,
    app_started_by_run: bool,
    app_instance_changed: Option<bool>,
    confinement: Confinement,
}

#[derive(Debug, Serialize, Deserialize)]
struct SentStream {
    kept: u64,
    total: u64,
    line_feeds: u64,
}

impl From<Failure> for SentFailure {
    fn from(failure: Failure) -> Self {
        let (code, details) = (failure.code, failure.details.clone());
        Self { code, faults: failure.into_faults(), details }
    }
}

impl SentFailure {
    /// Returns the failure that was sent.
    pub(super) fn into_failure(self) -> Failure {
        Failure::from_parts(self.code, self.faults, self.details)
    }
}

impl From<&Captured> for SentStream {
    fn from(stream: &Captured) -> Self {
        Self { kept: stream.head.len() as u64, total: stream.total, line_feeds: stream.line_feeds }
    }
}

impl SentStream {
    fn receive(&self, connection: &mut impl Read, most: u64) -> io::Result<Captured> {
        // The runner keeps a few bytes more than requested, so that it ends at a character.
        if self.kept > most.saturating_add(1 << 16) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut head = Vec::new();
        connection.take(self.kept).read_to_end(&mut head)?;
        if (head.len() as u64) < self.kept {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Captured { head, total: self.total, line_feeds: self.line_feeds })
    }
}

/// Sends the result of a run.
pub(super) fn send_output(
    connection: &mut impl Write,
    result: Result<Output, Failure>,
) -> io::Result<()> {
    let output = match result {
        Ok(output) => output,
        Err(failure) => {
            let sent: Result<SentOutput, SentFailure> = Err(failure.into());
            return send(connection, &sent);
        }
    };
    let sent: Result<SentOutput, SentFailure> = Ok(SentOutput {
        exit: output.exit,
        stdout: (&output.stdout).into(),
        stderr: (&output.stderr).into(),
        duration: output.duration,
        pid: output.pid,
        descendants_leaked: output.descendants_leaked,
        app_started_by_run: output.app_started_by_run,
        app_instance_changed: output.app_instance_changed,
        confinement: output.confinement,
    });
    send(connection, &sent)?;
    connection.write_all(&output.stdout.head)?;
    connection.write_all(&output.stderr.head)
}

/// Receives the result of a run; at most `most` bytes of each stream.
pub(super) fn receive_output(
    connection: &mut impl Read,
    most: usize,
) -> io::Result<Result<Output, Failure>> {
    let sent = match receive::<Result<SentOutput, SentFailure>>(connection)? {
        Ok(sent) => sent,
        Err(failure) => return Ok(Err(failure.into_failure())),
    };
    Ok(Ok(Output {
        exit: sent.exit,
        stdout: sent.stdout.receive(connection, most as u64)?,
        stderr: sent.stderr.receive(connection, most as u64)?,
        duration: sent.duration,
        pid: sent.pid,
        descendants_leaked: sent.descendants_leaked,
        app_started_by_run: sent.app_started_by_run,
        app_instance_changed: sent.app_instance_changed,
        confinement: sent.confinement,
    }))
}

//! The messages between a confined server and its runner. After the message about a run come the
//! bytes that the child printed.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::probe::AppInstance;
use crate::spawn::message::{receive, send};
use crate::spawn::output::Output;
use protocol::{Code, Failure, Fault};
use sandbox::{KernelLimits, SandboxMode};

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

/// A question. Not `Debug`, because words may contain note text (`threats.toml` F12).
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

/// The result of a run, with the lengths of standard output and standard error, whose bytes follow
/// the message.
type SentOutput<T> = Result<(T, [usize; 2]), SentFailure>;

impl From<Failure> for SentFailure {
    fn from(failure: Failure) -> Self {
        Self {
            code: failure.code,
            faults: failure.faults,
            details: failure.details,
        }
    }
}

impl SentFailure {
    /// Returns the failure that was sent.
    pub(super) fn into_failure(self) -> Failure {
        Failure {
            code: self.code,
            faults: self.faults,
            details: self.details,
        }
    }
}

/// Sends the result of a run.
pub(super) fn send_output(
    connection: &mut impl Write,
    result: Result<Output, Failure>,
) -> io::Result<()> {
    let output = match result {
        Ok(output) => output,
        Err(failure) => return send(connection, &SentOutput::<Output>::Err(failure.into())),
    };
    let heads = [&output.stdout.head, &output.stderr.head];
    send(connection, &SentOutput::Ok((&output, heads.map(Vec::len))))?;
    heads
        .into_iter()
        .try_for_each(|head| connection.write_all(head))
}

/// Receives the result of a run; at most `most` bytes of each stream.
pub(super) fn receive_output(
    connection: &mut impl Read,
    most: usize,
) -> io::Result<Result<Output, Failure>> {
    let (mut output, [stdout, stderr]) = match receive::<SentOutput<Output>>(connection)? {
        Ok(sent) => sent,
        Err(failure) => return Ok(Err(failure.into_failure())),
    };
    output.stdout.head = receive_head(connection, stdout, most)?;
    output.stderr.head = receive_head(connection, stderr, most)?;
    Ok(Ok(output))
}

fn receive_head(connection: &mut impl Read, length: usize, most: usize) -> io::Result<Vec<u8>> {
    // The runner keeps a few bytes more than requested, so that it ends at a character.
    if length > most.saturating_add(1 << 16) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut head = Vec::new();
    connection.take(length as u64).read_to_end(&mut head)?;
    if head.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(head)
}

//! What a backend came back with.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::captured::{Captured, CapturedText};
use super::part::Part;
use crate::failure::Failure;
use crate::issue::Issue;

/// The result of a run, good or bad, with everything it printed.
#[derive(Clone, Debug)]
pub struct Produced {
    /// The command's own exit code; none where it was killed or no process ran it.
    pub exit_code: Option<i32>,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// The exact bytes for a person's terminal, where they differ from `stdout`.
    pub exact_text: Option<Vec<u8>>,
    /// The child process.
    pub process: Option<Process>,
    /// What the call tells, or why it failed.
    pub outcome: Result<Payload, Failure>,
    /// Which part of its text `outcome` holds, where that is not all of it.
    pub part: Option<Part>,
    /// Warnings for the envelope.
    pub warnings: Vec<Issue>,
    /// What an audit found.
    pub violations: Vec<Issue>,
    /// What an audit found that is worth a look and not wrong.
    pub advice: Vec<Issue>,
    /// A failed write that may have happened all the same.
    pub may_have_happened: bool,
}

/// What a call that succeeded tells: `data` of the envelope is made from it.
#[derive(Clone, Debug)]
pub enum Payload {
    /// The backend's typed answer.
    Answer(cli_output::Answer),
    /// The backend printed a text that could not be read as an answer.
    Unread,
    /// Facts of the gateway itself, without a backend: a question about it, a dry run, an undo.
    Facts(Facts),
}

impl From<Option<cli_output::Answer>> for Payload {
    fn from(answer: Option<cli_output::Answer>) -> Self {
        answer.map_or(Self::Unread, Self::Answer)
    }
}

/// Facts of the gateway itself.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The facts, as `data` of the envelope.
    pub data: Map<String, Value>,
    /// Whether the time ran out before all facts were found.
    pub is_partial: bool,
}

/// What was cut from the output streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// The cut in standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<Cut>,
    /// The cut in standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<Cut>,
}

/// The end of a stream left out: the field holds the head, and nothing of what comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Bytes the command printed.
    pub total_bytes: u64,
    /// Bytes left out.
    pub omitted_bytes: u64,
    /// Bytes of UTF-8 in the field.
    pub head_bytes: usize,
}

/// The child process of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Process {
    /// The binary's file name.
    pub binary: String,
    /// The words after the binary, of the part that is shown. Of a text only the size in bytes and
    /// the SHA-256 stand here.
    pub arguments: Vec<String>,
    /// Its process id.
    pub pid: u32,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How many processes were started; more than one where content was sent in parts.
    pub runs: u32,
    /// A descendant with a session of its own still held the output when the call returned.
    pub descendants_leaked: bool,
    /// The run turned into the app itself and was left alone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub app_started_by_run: bool,
}

impl Truncated {
    /// What was cut from the two streams; none where both are whole.
    pub fn of(stdout: &CapturedText, stderr: &CapturedText, totals: (u64, u64)) -> Option<Self> {
        let truncated = Self {
            stdout: cut(stdout, totals.0),
            stderr: cut(stderr, totals.1),
        };
        (truncated != Self::default()).then_some(truncated)
    }
}

fn cut(stream: &CapturedText, total_bytes: u64) -> Option<Cut> {
    stream.is_cut().then_some(Cut {
        total_bytes,
        omitted_bytes: stream.omitted,
        head_bytes: stream.text.len(),
    })
}

impl Default for Produced {
    /// Nothing printed, nothing failed.
    fn default() -> Self {
        Self {
            exit_code: None,
            stdout: Captured::default(),
            stderr: Captured::default(),
            exact_text: None,
            process: None,
            outcome: Ok(Payload::Unread),
            part: None,
            warnings: Vec::new(),
            violations: Vec::new(),
            advice: Vec::new(),
            may_have_happened: false,
        }
    }
}

//! The output and the outcome of a backend.

use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{Answer, AnswerData, PlaceInText};

use super::captured::{Captured, CapturedText};
use allowlist::Call;
use protocol::{Failure, Issue};
use sandbox::Confinement;

/// The result of a run, successful or not, with its output.
#[derive(Clone, Debug)]
pub struct Produced {
    /// The exit code; `None` if the process was killed or there was none.
    pub exit_code: Option<i32>,
    /// Standard output of the process, or the text that the engine prints like the app.
    pub stdout: Captured,
    /// Standard error of the process; empty for the engine.
    pub stderr: Captured,
    /// The exact bytes for a terminal, if they differ from `stdout`.
    pub exact_text: Option<Vec<u8>>,
    /// The child process; `None` for the engine.
    pub process: Option<Process>,
    /// The confinement of the child process.
    pub confinement: Option<Confinement>,
    /// The answer, or the failure. `None` if the backend printed a text that could not be parsed as an answer.
    pub outcome: Result<Option<Answer>, Failure>,
    /// Whether the answer is of the gateway itself, without a backend: to a question about it, a dry run, an undo.
    pub is_of_gateway: bool,
    /// The position of `outcome` in a longer text, if it is only a part.
    pub part: Option<PlaceInText>,
    /// Warnings for the envelope.
    pub warnings: Vec<Issue>,
    /// Findings of a vault audit that are wrong.
    pub violations: Vec<Issue>,
    /// Findings of a vault audit that are only advice.
    pub advice: Vec<Issue>,
    /// Whether the answer is incomplete: it exceeds its size limit, or time ran out.
    pub is_partial: bool,
    /// Whether a failed write may have happened anyway.
    pub may_have_happened: bool,
}

/// The truncation of the output streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// Truncation of standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<Cut>,
    /// Truncation of standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<Cut>,
}

/// A truncated stream. The field contains the head only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Bytes printed.
    pub total_bytes: u64,
    /// Bytes left out.
    pub omitted_bytes: u64,
    /// Bytes of UTF-8 text in the field.
    pub head_bytes: usize,
}

/// The child process of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Process {
    /// The binary's file name.
    pub binary: String,
    /// The arguments of the part that is shown. Texts are replaced by their size in bytes and
    /// SHA-256.
    pub arguments: Vec<String>,
    /// The process id.
    pub pid: u32,
    /// The signal that ended it; null where none did (`contracts.md` D38).
    pub signal: Option<i32>,
    /// Number of processes started. More than one if the content was sent in parts.
    pub runs: u32,
    /// Whether a descendant in another session still held the output open when the call returned.
    pub descendants_leaked: bool,
    /// Whether the run became the app and was left running.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub app_started_by_run: bool,
}

impl Truncated {
    /// Returns the truncation of two streams; `None` if both are complete.
    pub fn from_streams(
        stdout: &CapturedText,
        stderr: &CapturedText,
        totals: (u64, u64),
    ) -> Option<Self> {
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

impl Produced {
    /// Returns the answer of the backend; `None` without one, and for an answer of the gateway itself.
    pub fn backend_answer(&mut self) -> Option<&mut Answer> {
        self.outcome
            .as_mut()
            .ok()?
            .as_mut()
            .filter(|_| !self.is_of_gateway)
    }

    /// Makes the text again from a changed answer. Bytes that were left out before still count as missing.
    pub fn render_again(&mut self, call: &Call) {
        if let Ok(Some(answer)) = &mut self.outcome {
            let text = cli_output::render_shown(answer, call.command.output, &call.arguments);
            let omitted = self.stdout.omitted();
            self.stdout = Captured::from_bytes(text.into_bytes(), usize::MAX);
            self.stdout.total += omitted;
            self.exact_text = None;
        }
    }

    /// Returns an answer of the gateway itself, with its text for a terminal.
    pub fn with_text(answer: impl AnswerData, text: impl Into<Vec<u8>>) -> Self {
        Self {
            outcome: Ok(Some(answer.into())),
            is_of_gateway: true,
            exact_text: Some(text.into()),
            ..Self::default()
        }
    }
}

impl Default for Produced {
    /// Returns an empty output without failure.
    fn default() -> Self {
        Self {
            exit_code: None,
            stdout: Captured::default(),
            stderr: Captured::default(),
            exact_text: None,
            process: None,
            confinement: None,
            outcome: Ok(None),
            is_of_gateway: false,
            part: None,
            warnings: Vec::new(),
            violations: Vec::new(),
            advice: Vec::new(),
            is_partial: false,
            may_have_happened: false,
        }
    }
}

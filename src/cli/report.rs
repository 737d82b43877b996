//! How a result leaves the process: stdout, stderr and the exit status.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Map, Value};

use super::options::{Options, OutputMode};
use super::terminal::{Terminal, Written};
use crate::failure::Failure;
use crate::gateway::{Answered, Envelope};

/// The answer to an official command.
pub(crate) fn answer(terminal: Terminal, options: &Options, answered: &Answered) -> ExitCode {
    let envelope = &answered.envelope;
    let status = envelope.exit_status();
    let written = match options.output_mode() {
        OutputMode::Json => terminal.data(format!("{}\n", envelope.to_json()).as_bytes()),
        OutputMode::Text => {
            let written = terminal.data(&answered.text);
            for warning in &envelope.warnings {
                terminal.warning(&warning.message);
            }
            if let Some(error) = &envelope.error {
                terminal.failure(&Failure {
                    code: error.code,
                    message: error.message.clone(),
                    details: Map::new(),
                });
            }
            if options.verbose {
                let backend = serde_json::to_value(envelope.meta.backend).unwrap_or_default();
                let reason = envelope
                    .meta
                    .backend_reason
                    .as_deref()
                    .unwrap_or("nothing ran");
                terminal.note(&format!(
                    "answered by {} in {} ms ({reason})",
                    backend.as_str().unwrap_or_default(),
                    envelope.duration_ms
                ));
            }
            written
        }
    };
    exit(written, status)
}

/// What one of our own verbs found: `text` for people, `data` for programs.
pub(crate) fn verb(
    terminal: Terminal,
    options: &Options,
    name: &str,
    started: Instant,
    text: &str,
    data: Map<String, Value>,
) -> ExitCode {
    let written = match options.output_mode() {
        OutputMode::Json => {
            let envelope = Envelope::of_verb(name, started.elapsed(), data);
            terminal.data(format!("{}\n", envelope.to_json()).as_bytes())
        }
        OutputMode::Text => terminal.data(text.as_bytes()),
    };
    exit(written, 0)
}

/// A failure outside any call: wrong words, an unusable settings file.
pub(crate) fn failure(
    terminal: Terminal,
    mode: OutputMode,
    command: &str,
    failure: Failure,
) -> ExitCode {
    let status = failure.code.exit();
    let written = match mode {
        OutputMode::Json => {
            let envelope = Envelope::of_failure(command, failure);
            terminal.data(format!("{}\n", envelope.to_json()).as_bytes())
        }
        OutputMode::Text => {
            terminal.failure(&failure);
            Written::All
        }
    };
    exit(written, status)
}

/// Plain text for people, such as help.
pub(crate) fn text(terminal: Terminal, text: &str) -> ExitCode {
    exit(terminal.data(text.as_bytes()), 0)
}

/// A reader that left does not change what happened; a full disk does (74, `IO_ERROR`).
fn exit(written: Written, status: u8) -> ExitCode {
    match written {
        Written::All | Written::ReaderLeft => ExitCode::from(status),
        Written::Failed => ExitCode::from(crate::code::Code::IoError.exit()),
    }
}

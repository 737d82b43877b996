//! Questions to the app, for changes that the folder alone cannot prove.

use cli_output::Shape;
use vault_engine::Args;

use crate::error::Error;
use backend::{Limits, PinnedVault};
use obsidian_cli::Obsidian;
use obsidian_cli::classify::{CommandRequest, classify};
use protocol::Failure;

/// Most bytes of one answer: as much as the journal keeps of a file by default.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Asks the app about the pinned vault, within the deadline of the call.
pub struct Questions<'call> {
    /// The official program.
    pub obsidian: &'call Obsidian,
    /// The vault that it is asked about.
    pub vault: &'call PinnedVault,
    /// The limits of the call.
    pub limits: &'call Limits,
}

impl Questions<'_> {
    /// Returns the output of a read-only command. Fails if the output is truncated, is not text, or begins like an
    /// error of the app.
    ///
    /// # Errors
    ///
    /// If the program cannot be run, or its output is truncated, is not text, or begins like an error of the app.
    pub fn ask(&self, command: &str, shape: Shape, arguments: &Args) -> Result<String, Failure> {
        let limits = Limits {
            max_output_bytes: MAX_ANSWER_BYTES,
            ..self.limits.clone()
        };
        let output = self.obsidian.ask(self.vault, command, arguments, &limits)?;
        let question = CommandRequest {
            command,
            shape,
            arguments,
            confirms: &[],
        };
        let printed = classify(question, &output).printed(false)?;
        if printed.is_cut || printed.lossy || printed.ambiguous {
            return Err(Error::UnclearAnswer(command.to_owned()).into());
        }
        Ok(printed.text)
    }
}

//! Questions to the app that prove a change which the folder cannot show alone.

use cli_output::{Arguments, Shape};

use crate::backend::obsidian::Obsidian;
use crate::backend::obsidian::classify::{Asked, Verdict, classify};
use crate::backend::{Limits, PinnedVault};
use crate::code::Code;
use crate::failure::Failure;

/// The most that one answer may hold, in bytes: as much as the journal keeps of a file by default.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// Asks the app, about the pinned vault and within the time of the call.
pub(crate) struct Questions<'call> {
    pub(crate) obsidian: &'call Obsidian,
    pub(crate) vault: &'call PinnedVault,
    pub(crate) limits: &'call Limits,
}

impl Questions<'_> {
    /// What a command that only reads prints. An answer that is cut, is no text, or begins
    /// like an error of the app is a failure.
    pub(super) fn ask(
        &self,
        command: &str,
        shape: Shape,
        params: &[(&str, &str)],
        flags: &[&str],
    ) -> Result<String, Failure> {
        let arguments = Arguments {
            params: params
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect(),
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        };
        let limits = Limits {
            max_output_bytes: MAX_ANSWER_BYTES,
            ..self.limits.clone()
        };
        let output = self
            .obsidian
            .ask(self.vault, command, &arguments, &limits)?;
        let asked = Asked {
            command,
            shape,
            arguments: &arguments,
            confirms: &[],
        };
        let verdict = classify(asked, &output);
        if let Some(failure) = verdict.failure(false) {
            return Err(failure);
        }
        match verdict {
            Verdict::Printed(printed)
                if !printed.is_cut && !printed.lossy && !printed.ambiguous =>
            {
                Ok(printed.text)
            }
            _ => Err(Failure::new(
                Code::CliReportedError,
                format!("The answer of `{command}` is too large, no text, or may be an error."),
            )),
        }
    }
}

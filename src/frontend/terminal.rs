//! The only place that writes to stdout and stderr.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cli_output::shown;
use vault_engine::Progress;

use super::sanitise;
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;

/// The process's output streams and how to write to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    person_reads_stdout: bool,
    person_reads_stderr: bool,
    colour: bool,
}

/// How long work must take before a progress bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The shortest time between two updates of the progress bar.
const REFRESH: Duration = Duration::from_millis(100);

/// The longest answer to a question, in bytes.
const LONGEST_ANSWER: u64 = 64;

/// The outcome of writing to stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// Everything was written.
    All,
    /// The reader closed the pipe, as `| head` does. Not an error.
    ReaderLeft,
    /// Writing failed, for example because the disk is full.
    Failed,
}

impl Terminal {
    /// Detects which streams are terminals, and whether to use colours.
    pub(crate) fn detect(environment: &Environment) -> Self {
        Self {
            person_reads_stdout: io::stdout().is_terminal(),
            person_reads_stderr: io::stderr().is_terminal(),
            colour: io::stderr().is_terminal()
                && environment.variable("NO_COLOR").is_none()
                && environment
                    .variable("TERM")
                    .is_none_or(|term| term != "dumb"),
        }
    }

    /// Writes data to stdout: unchanged to a pipe or file, without control sequences to a terminal.
    pub(crate) fn data(self, bytes: &[u8]) -> WriteOutcome {
        let mut stdout = io::stdout().lock();
        let result = if self.person_reads_stdout {
            let text = sanitise::for_terminal(&String::from_utf8_lossy(bytes));
            stdout.write_all(text.as_bytes())
        } else {
            stdout.write_all(bytes)
        };
        match result.and_then(|()| stdout.flush()) {
            Ok(()) => WriteOutcome::All,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => WriteOutcome::ReaderLeft,
            Err(error) => {
                self.message(
                    "error",
                    "31",
                    &format!("cannot write to standard output: {error}"),
                );
                WriteOutcome::Failed
            }
        }
    }

    /// Writes data to stderr, where some profiles put their errors.
    pub(crate) fn error_data(self, bytes: &[u8]) -> WriteOutcome {
        let mut stderr = io::stderr().lock();
        let result = if self.person_reads_stderr {
            let text = sanitise::for_terminal(&String::from_utf8_lossy(bytes));
            stderr.write_all(text.as_bytes())
        } else {
            stderr.write_all(bytes)
        };
        match result.and_then(|()| stderr.flush()) {
            Ok(()) => WriteOutcome::All,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => WriteOutcome::ReaderLeft,
            Err(_) => WriteOutcome::Failed,
        }
    }

    /// A progress bar, if standard error is a terminal. It disappears when the work is done.
    pub(crate) fn progress(self) -> Option<Arc<dyn Progress>> {
        if !self.person_reads_stderr {
            return None;
        }
        let started = Instant::now();
        let shown = Mutex::new(None::<Instant>);
        Some(Arc::new(move |done: usize, total: usize| {
            // Another thread is drawing right now; its numbers are as good as ours.
            let Ok(mut last) = shown.try_lock() else {
                return;
            };
            let line = match *last {
                None if done >= total || started.elapsed() < PATIENCE => return,
                Some(last) if done < total && last.elapsed() < REFRESH => return,
                _ if done >= total => "\r\u{1b}[K".to_owned(),
                _ => format!("\r\u{1b}[Kreading notes: {done} of {total}"),
            };
            *last = Some(Instant::now());
            // Failing to draw the bar must not fail the work.
            drop(io::stderr().lock().write_all(line.as_bytes()));
        }))
    }

    /// Shows a text, asks a question and reads a line. `None` without a terminal. Leaves standard
    /// output free for the result.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be read or written.
    pub(crate) fn ask(self, text: &str, question: &str) -> Result<Option<String>, Failure> {
        if !self.person_reads_stderr || !io::stdin().is_terminal() {
            return Ok(None);
        }
        let failed = |error: io::Error| {
            Failure::new(
                Code::IoError,
                format!(
                    "The terminal cannot be used: {}. Try another one.",
                    error.kind()
                ),
            )
        };
        let shown = sanitise::for_terminal(&format!("{text}{question}"));
        let mut stderr = io::stderr().lock();
        stderr
            .write_all(shown.as_bytes())
            .and_then(|()| stderr.flush())
            .map_err(failed)?;
        let mut answer = String::new();
        io::stdin()
            .lock()
            .take(LONGEST_ANSWER)
            .read_line(&mut answer)
            .map_err(failed)?;
        Ok(Some(answer))
    }

    /// Prints an error and a hint.
    pub(crate) fn failure(self, message: &str, hint: Option<&str>) {
        self.message("error", "31", message);
        if let Some(hint) = hint {
            self.message("hint", "36", hint);
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(self, text: &str) {
        self.message("warning", "33", text);
    }

    /// Prints a note.
    pub(crate) fn note(self, text: &str) {
        self.message("note", "36", text);
    }

    /// Installs a panic hook that prints only the source location: the panic message may hold note
    /// text or values of a request (`faults.md` E13, F12).
    pub(crate) fn keep_panics_quiet(self) {
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map_or_else(
                || "an unknown place".to_owned(),
                |place| format!("{}:{}", place.file(), place.line()),
            );
            self.message("error", "31", &format!("internal error at {place}"));
        }));
    }

    fn message(self, label: &str, colour: &str, text: &str) {
        // A message must stay on one line, so that quoted text cannot forge another. The quoted
        // text is escaped rather than removed, to stay readable (`faults.md` B10).
        let text = shown::row(text);
        let line = if self.colour {
            format!("\u{1b}[{colour};1m{label}\u{1b}[0m: {text}\n")
        } else {
            format!("{label}: {text}\n")
        };
        // There is no other place to report that stderr failed.
        drop(io::stderr().lock().write_all(line.as_bytes()));
    }
}

//! The only place that writes to stdout and stderr.

use std::borrow::Cow;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use vault_engine::{Progress, shown};

use super::display::{Role, StyledLine, StyledText};
use super::options::{ColourChoice, NO_PAGER};
use super::pager::Pager;
use super::sanitise;
use protocol::{Code, FOR_PERSON, Failure, Message, Reader};
use sandbox::Environment;

/// The process's output streams and how to write to them. Detected once, at the start: no other
/// code asks the environment about the streams.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Standard output, for the result.
    pub stdout: OutputStream,
    /// Standard error, where questions are asked.
    pub stderr: OutputStream,
    /// Whether the terminal obeys control sequences; `TERM=dumb` names one that does not.
    pub can_move_cursor: bool,
    pager: Option<Pager>,
}

/// One of the two output streams.
#[derive(Clone, Copy, Debug)]
pub struct OutputStream {
    /// Whether the stream is a terminal, so that a person reads it.
    pub is_terminal: bool,
    /// Whether it gets the form for people, with tables and indented JSON: it is a terminal, or colour was requested
    /// in any case.
    pub is_styled: bool,
    /// Whether it has colours.
    pub colour: bool,
    /// Its width.
    pub columns: usize,
    /// Number of rows of the screen; `None` if the stream is not a terminal.
    rows: Option<usize>,
}

/// The width if no terminal reports one, in columns.
const USUAL_COLUMNS: usize = 80;
/// A narrower terminal is treated as this wide, in columns.
const FEWEST_COLUMNS: usize = 20;
/// Prose is not wider than this, in columns, because longer lines are hard to read.
const WIDEST_PROSE: usize = 100;

/// Time that work must take before a progress bar appears.
const PATIENCE: Duration = Duration::from_millis(500);
/// The shortest time between two updates of the progress bar.
const REFRESH: Duration = Duration::from_millis(100);

/// The longest answer to a question, in bytes.
const LONGEST_ANSWER: u64 = 8192;

/// The outcome of writing to stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// Everything was written to stdout.
    All,
    /// The reader closed the pipe, as `| head` does. Not an error.
    ReaderLeft,
    /// Writing failed, for example because the disk is full.
    Failed,
}

impl Terminal {
    /// Detects which streams are terminals, how wide they are, and whether to use colours, by the
    /// environment and the options among the words of the command line.
    pub fn detect(environment: &Environment, words: &[String]) -> Self {
        let choice = ColourChoice::from_words(words);
        let of = |size, is_terminal| OutputStream::detect(size, is_terminal, choice, environment);
        let size = terminal_size::terminal_size_of(io::stdout());
        let stdout = of(size, io::stdout().is_terminal());
        let size = terminal_size::terminal_size_of(io::stderr());
        let stderr = of(size, io::stderr().is_terminal());
        let is_paged = stdout.is_terminal
            && io::stdin().is_terminal()
            && !is_dumb(environment)
            && !words.iter().any(|word| word == NO_PAGER);
        Self {
            stdout,
            stderr,
            can_move_cursor: !is_dumb(environment),
            pager: is_paged
                .then(|| Pager::from_environment(environment))
                .flatten(),
        }
    }

    /// Returns the same terminal without a pager.
    #[must_use]
    pub fn without_pager(&self) -> Self {
        Self {
            pager: None,
            ..self.clone()
        }
    }

    /// Returns the columns for prose on standard output.
    pub fn prose_columns(&self) -> usize {
        self.stdout.columns.min(WIDEST_PROSE)
    }

    /// Writes text to stdout: unchanged to a pipe or file; to a terminal without control sequences,
    /// broken between words, and through the pager if it is longer than the screen.
    pub fn data(&self, bytes: &[u8]) -> WriteOutcome {
        if self.stdout.is_terminal {
            let text = StyledText::unstyled(&String::from_utf8_lossy(bytes));
            self.page(&text.render(self.stdout.columns, false))
        } else {
            self.write(bytes)
        }
    }

    /// Writes text that must keep its lines, such as JSON. Otherwise like [`Self::data`].
    pub fn data_as_it_is(&self, bytes: &[u8]) -> WriteOutcome {
        if self.stdout.is_terminal {
            self.page(&sanitise::for_terminal(&String::from_utf8_lossy(bytes)))
        } else {
            self.write(bytes)
        }
    }

    /// Writes lines that arrive over time: like [`Self::data`], without the pager.
    pub fn news(&self, bytes: &[u8]) -> WriteOutcome {
        if self.stdout.is_terminal {
            let text = StyledText::unstyled(&String::from_utf8_lossy(bytes));
            self.write(text.render(self.stdout.columns, false).as_bytes())
        } else {
            self.write(bytes)
        }
    }

    /// Waits this long for more to write, or until the reader of stdout closes the pipe.
    pub fn wait(time: Duration) -> WriteOutcome {
        #[cfg(unix)]
        {
            let stdout = io::stdout();
            // The end of a pipe is always reported.
            let mut pipe = [PollFd::new(&stdout, PollFlags::empty())];
            let limit = Timespec::try_from(time).ok();
            let end = PollFlags::ERR | PollFlags::HUP;
            if poll(&mut pipe, limit.as_ref()).is_ok_and(|count| count == 0) {
                return WriteOutcome::All;
            }
            if pipe.iter().any(|pipe| pipe.revents().intersects(end)) {
                return WriteOutcome::ReaderLeft;
            }
        }
        std::thread::sleep(time);
        WriteOutcome::All
    }

    /// Writes text with roles, in colour if the terminal has any, through the pager if it is long.
    pub fn styled(&self, text: &StyledText) -> WriteOutcome {
        self.page(&text.render(self.stdout.columns, self.stdout.colour))
    }

    /// Shows clean text, page by page if it does not fit on the screen. On a terminal the last line
    /// is ended, so that the prompt begins on a new line.
    fn page(&self, text: &str) -> WriteOutcome {
        let is_open = self.stdout.is_terminal && !text.is_empty() && !text.ends_with('\n');
        let text = &if is_open {
            Cow::Owned(format!("{text}\n"))
        } else {
            Cow::Borrowed(text)
        };
        if let Some(pager) = self.pager.as_ref().filter(|_| !self.stdout.fits(text)) {
            match pager.show(text) {
                Ok(true) => return WriteOutcome::All,
                Ok(false) => {}
                Err(error) => return self.outcome(Err(error)),
            }
        }
        self.write(text.as_bytes())
    }

    fn write(&self, bytes: &[u8]) -> WriteOutcome {
        let mut stdout = io::stdout().lock();
        self.outcome(stdout.write_all(bytes).and_then(|()| stdout.flush()))
    }

    fn outcome(&self, result: io::Result<()>) -> WriteOutcome {
        match result {
            Ok(()) => WriteOutcome::All,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => WriteOutcome::ReaderLeft,
            Err(error) => {
                let text = format!("cannot write to standard output: {error}");
                self.failure(&Code::IoError.failure(text), &[], FOR_PERSON);
                WriteOutcome::Failed
            }
        }
    }

    /// Writes data to stderr, where some profiles put their errors.
    pub fn error_data(&self, bytes: &[u8]) -> WriteOutcome {
        let mut stderr = io::stderr().lock();
        let result = if self.stderr.is_terminal {
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

    /// Returns a progress bar for this work, if standard error is a terminal. It disappears when the work is done.
    pub fn progress_of(&self, work: &'static str) -> Option<Arc<dyn Progress>> {
        if !self.stderr.is_terminal {
            return None;
        }
        let started = Instant::now();
        let shown = Mutex::new(None::<Instant>);
        Some(Arc::new(move |done: usize, total: usize| {
            // Another thread is drawing right now, and its numbers are as recent.
            let Ok(mut last) = shown.try_lock() else {
                return;
            };
            let line = match *last {
                None if done >= total || started.elapsed() < PATIENCE => return,
                Some(last) if done < total && last.elapsed() < REFRESH => return,
                _ if done >= total => "\r\u{1b}[K".to_owned(),
                _ => format!("\r\u{1b}[K{work}: {done} of {total}"),
            };
            *last = Some(Instant::now());
            // Failing to draw the bar must not fail the work.
            drop(io::stderr().lock().write_all(line.as_bytes()));
        }))
    }

    /// Shows text with roles, asks a question and reads a line. `None` without a terminal. Leaves
    /// standard output free for the result.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be read or written.
    pub fn ask_about(&self, text: &StyledText, question: &str) -> Result<Option<String>, Failure> {
        let text = text.render(self.stderr.columns, self.stderr.colour);
        self.ask_on_terminal(&text, question, true)
    }

    /// Whether a person can be asked: standard input and standard error are terminals.
    pub fn can_ask(&self) -> bool {
        self.stderr.is_terminal && io::stdin().is_terminal()
    }

    /// Shows a text, asks a question and reads a line. `None` without a terminal. Leaves standard
    /// output free for the result.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be read or written.
    pub fn ask(&self, text: &str, question: &str) -> Result<Option<String>, Failure> {
        let text = StyledText::unstyled(text).render(self.stderr.columns, false);
        self.ask_on_terminal(&text, question, false)
    }

    /// Shows a text and asks a question to which an empty line answers yes. No without a terminal, and at the end of
    /// the input.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be read or written.
    pub fn agrees(&self, text: &str, question: &str) -> Result<bool, Failure> {
        let answer = self.ask(text, question)?.unwrap_or_default();
        Ok(match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => true,
            "" => !answer.is_empty(),
            _ => false,
        })
    }

    /// Shows text without control sequences, then asks the question. If it `decides`, what was typed before the question
    /// is shown does not answer it.
    fn ask_on_terminal(
        &self,
        clean: &str,
        question: &str,
        decides: bool,
    ) -> Result<Option<String>, Failure> {
        if !self.can_ask() {
            return Ok(None);
        }
        let failed = |error: io::Error| {
            Code::IoError
                .failure(format!(
                    "The terminal cannot be read or written: {}.",
                    error.kind()
                ))
                .hint("Try again in another terminal.")
        };
        let question = StyledText::unstyled(question).render(self.stderr.columns, false);
        // Not locked while waiting, because a signal that ends the question is reported on this
        // stream too.
        let mut stderr = io::stderr();
        stderr
            .write_all(clean.as_bytes())
            .and_then(|()| stderr.flush())
            .map_err(failed)?;
        #[cfg(unix)]
        if decides {
            rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush)
                .map_err(|error| failed(error.into()))?;
        }
        #[cfg(not(unix))]
        let _no_queue = decides;
        stderr
            .write_all(question.as_bytes())
            .and_then(|()| stderr.flush())
            .map_err(failed)?;
        let mut answer = String::new();
        io::stdin()
            .lock()
            .take(LONGEST_ANSWER)
            .read_line(&mut answer)
            .map_err(failed)?;
        if !answer.ends_with('\n') {
            // The input ended without a line break.
            self.end_question();
        }
        Ok(Some(answer))
    }

    /// Ends the line of a question that was not answered.
    pub fn end_question(&self) {
        if self.stderr.is_terminal {
            // If the terminal is gone, there is no line to end.
            drop(io::stderr().lock().write_all(b"\n"));
        }
    }

    /// Prints an error with its code, which `explain` accepts, and a line for each hint.
    pub fn failure(&self, failure: &Failure, hints: &[Message], reader: Reader<'_>) {
        self.message(
            &error_label(failure.code),
            Role::Bad,
            &failure.what().render(reader),
        );
        for hint in hints {
            let hint = hint.render(reader);
            if !hint.is_empty() {
                self.message("hint", Role::Hint, &hint);
            }
        }
    }

    /// Prints a line that begins with `warning:`.
    pub fn warning(&self, text: &str) {
        self.message("warning", Role::Caution, text);
    }

    /// Prints a line that begins with `note:`.
    pub fn note(&self, text: &str) {
        self.message("note", Role::Hint, text);
    }

    /// Installs a panic hook that prints only the source location: the panic message may contain
    /// note text or values of a request (`threats.toml` E13, F12).
    pub fn keep_panics_quiet(&self) {
        let terminal = self.clone();
        std::panic::set_hook(Box::new(move |panic| {
            let place = panic.location().map_or_else(
                || "an unknown place".to_owned(),
                |place| format!("{}:{}", place.file(), place.line()),
            );
            terminal.message("error", Role::Bad, &format!("internal error at {place}"));
        }));
    }

    fn message(&self, label: &str, role: Role, text: &str) {
        // A message must stay on one line, so that quoted text cannot forge another. The quoted
        // text is escaped rather than removed, to stay readable (`threats.toml` B10). On a terminal its
        // further rows are indented, so that none of them looks like a message.
        let line = StyledLine::new(role, label)
            .with(Role::Plain, ": ")
            .with(Role::Plain, &shown::row(text))
            .with_hanging_indent(MESSAGE_INDENT);
        let mut message = StyledText::default();
        message.line(line);
        let columns = if self.stderr.is_terminal {
            self.stderr.columns.min(WIDEST_PROSE)
        } else {
            usize::MAX
        };
        let message = message.render(columns, self.stderr.colour);
        // There is no other place to report that stderr failed.
        drop(io::stderr().lock().write_all(message.as_bytes()));
    }
}

/// Returns the beginning of an error message: `error[FILE_NOT_FOUND]`.
pub fn error_label(code: Code) -> String {
    format!("error[{code}]")
}

/// The indentation of a message's later rows, in columns.
const MESSAGE_INDENT: usize = 2;

impl OutputStream {
    fn detect(
        size: Option<(terminal_size::Width, terminal_size::Height)>,
        is_terminal: bool,
        choice: ColourChoice,
        environment: &Environment,
    ) -> Self {
        let colour = match choice {
            ColourChoice::Always => true,
            ColourChoice::Never => false,
            ColourChoice::Auto => wants_colour(is_terminal, environment),
        };
        let shown = || environment.variable("COLUMNS")?.to_str()?.parse().ok();
        // A terminal that reports 0 columns does not know its size.
        let size = size.filter(|(width, _)| width.0 > 0);
        let columns = size.map(|(width, _)| usize::from(width.0)).or_else(shown);
        Self {
            is_terminal,
            is_styled: is_terminal || colour,
            colour,
            columns: columns.unwrap_or(USUAL_COLUMNS).max(FEWEST_COLUMNS),
            rows: size.map(|(_, height)| usize::from(height.0)),
        }
    }

    /// Whether the text leaves a row of the screen free for the next prompt.
    fn fits(self, text: &str) -> bool {
        self.rows
            .is_none_or(|rows| text.matches('\n').count() < rows)
    }
}

/// Any `NO_COLOR` turns colour off. A terminal that supports colour gets it, another one only with
/// `CLICOLOR_FORCE`. A pipe never does, because programs read it; `--color always` is for those.
fn wants_colour(is_terminal: bool, environment: &Environment) -> bool {
    let is_zero = |name| environment.variable(name).is_some_and(|value| value == "0");
    let is_forced = environment.variable("CLICOLOR_FORCE").is_some() && !is_zero("CLICOLOR_FORCE");
    is_terminal
        && environment.variable("NO_COLOR").is_none()
        && (is_forced || (!is_dumb(environment) && !is_zero("CLICOLOR")))
}

/// Whether the terminal can show only plain text. On Unix a terminal without a name counts as such.
fn is_dumb(environment: &Environment) -> bool {
    environment
        .variable("TERM")
        .map_or(cfg!(unix), |term| term == "dumb")
}

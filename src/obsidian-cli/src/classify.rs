//! Interprets the output of a run. The exit status proves nothing: the app exits with 0 and prints
//! errors to standard output (`official-cli.md` §1), so the text decides (`threats.toml` F10).
//!
//! The order: exit status other than 0; start-up noise, removed at the head only; error shapes of a whole line. For
//! commands that return note text, only the exact shapes of a whole output are errors. Commands that confirm must show
//! their confirmation. Sentences for empty results are empty lists.

use std::time::Duration;

use cli_output::{AppError, CommandHint, Shape, startup_noise};
use vault_engine::Args;

use super::spawn::{Exit, Output};
use crate::error::Error;
use allowlist::{Effect, EffectSet, Sentence};
use backend::app_error;
use protocol::{Failure, Message, Part};

/// Time to wait before the one retry that a [`Verdict::ColdStart`] allows (`official-cli.md` §9,
/// point 8).
pub const COLD_START_PAUSE: Duration = Duration::from_millis(750);

/// The parts of the request that decide how to read the answer.
#[derive(Clone, Copy, Debug)]
pub struct CommandRequest<'call> {
    /// The command's id, from the catalogue, so the app knows it.
    pub command: &'call str,
    /// The shape of the command's answer.
    pub shape: Shape,
    /// The arguments that were sent.
    pub arguments: &'call Args,
    /// The sentences of which the app must print one to confirm a change; empty for a read.
    pub confirms: &'call [Sentence],
}

/// The interpretation of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An answer, still to be parsed by its shape.
    Printed(Printed),
    /// An error that the app reported.
    AppError(AppError),
    /// The app does not know one of its own commands: the vault is still loading, or the plugin
    /// behind the command is off.
    ColdStart,
    /// The output does not confirm the change, which may or may not have happened.
    NoConfirmation,
    /// The app exited between the probe and the run.
    NotRunning,
    /// The process exited with this status and printed no known text.
    ExitNonzero(i32),
    /// The process was killed by this signal.
    Signalled(i32),
    /// The process was stopped or abandoned after its timeout or a cancellation.
    Unfinished {
        /// Whether it timed out; otherwise it was cancelled.
        timed_out: bool,
    },
}

/// The text of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Standard output without start-up lines. Always valid text.
    pub text: String,
    /// Whether start-up lines of an outdated installer were dropped (`official-cli.md` §2).
    pub startup_noise: bool,
    /// The text begins like an error but is taken for note text.
    pub ambiguous: bool,
    /// Whether invalid UTF-8 was replaced.
    pub lossy: bool,
    /// Whether the stream continues after `text`.
    pub is_cut: bool,
}

/// Decides what a run's output means.
pub fn classify(wanted: CommandRequest<'_>, output: &Output) -> Verdict {
    let mut stdout = output.stdout.text();
    let (text, startup_noise) = startup_noise::strip(&stdout.text);
    let code = match output.exit {
        Exit::Killed { timed_out } | Exit::LeftRunning { timed_out } => {
            return Verdict::Unfinished { timed_out };
        }
        Exit::Signal(signal) => return Verdict::Signalled(signal),
        Exit::Code(code) => code,
    };
    let error = if text.trim().is_empty() {
        on_stderr(output)
    } else if code == 0 {
        error_in(wanted, text)
    } else {
        AppError::parse_exact(text)
    };
    if code != 0 {
        return error.map_or(Verdict::ExitNonzero(code), |error| {
            error_verdict(wanted, error)
        });
    }
    if let Some(error) = error {
        return error_verdict(wanted, error);
    }
    if wanted.shape == Shape::Confirmation && !is_confirmed(wanted, text) {
        return Verdict::NoConfirmation;
    }
    let ambiguous = AppError::looks_like_error(text);
    let noise = stdout.text.len() - text.len();
    stdout.text.drain(..noise);
    Verdict::Printed(Printed {
        ambiguous,
        startup_noise,
        lossy: stdout.lossy,
        is_cut: stdout.is_cut(),
        text: stdout.text,
    })
}

/// Returns the error on standard error, which never contains note text. Checked only if standard output is silent: one
/// error of the app is printed there. Display, GPU or bus messages may surround it (`official-cli.md` §2, "headless
/// Linux").
fn on_stderr(output: &Output) -> Option<AppError> {
    let stderr = output.stderr.text();
    let text = startup_noise::strip(&stderr.text).0;
    AppError::parse_exact(text).or_else(|| {
        text.lines()
            .filter_map(AppError::parse_exact)
            .find(|error| matches!(error, AppError::AppNotRunning | AppError::CliNotEnabled))
    })
}

/// Returns the printed error, if there is one.
fn error_in(wanted: CommandRequest<'_>, text: &str) -> Option<AppError> {
    if !prints_note_text(wanted.shape) {
        return AppError::parse(text);
    }
    // A note may begin with `Error:` or even consist of an error sentence of the app. The app
    // repeats the target of the call; a sentence about another target is note text.
    let given = ["path", "file"].map(|key| wanted.arguments.param(key));
    AppError::parse_exact(text).filter(|error| {
        let (AppError::FileNotFound { target } | AppError::NotAFile { target }) = error else {
            return true;
        };
        given == [None, None] || given.contains(&Some(target.as_str()))
    })
}

/// Whether the first line may be arbitrary note text.
fn prints_note_text(shape: Shape) -> bool {
    [
        Shape::NoteText,
        Shape::RandomNote,
        Shape::PropertyValue,
        Shape::Search,
        Shape::SearchContext,
    ]
    .contains(&shape)
}

fn error_verdict(wanted: CommandRequest<'_>, error: AppError) -> Verdict {
    if error == AppError::AppNotRunning {
        return Verdict::NotRunning;
    }
    if let AppError::CommandNotFound { command, hint } = &error
        && command == wanted.command
        && *hint != CommandHint::UnknownId
    {
        return Verdict::ColdStart;
    }
    Verdict::AppError(error)
}

/// Whether the text is the command's confirmation.
fn is_confirmed(wanted: CommandRequest<'_>, text: &str) -> bool {
    let Ok(answer) = cli_output::parse(Shape::Confirmation, wanted.arguments, text) else {
        return false;
    };
    // `random` in an empty vault has nothing to confirm.
    let Ok(done) = answer.downcast() else {
        return true;
    };
    // Only sentences recorded for the command count (`official-cli.md` §5.1).
    wanted
        .confirms
        .iter()
        .any(|sentence| sentence.is_said_by(&done))
}

impl Verdict {
    /// Whether the call may be retried after [`COLD_START_PAUSE`]: the app did not know the
    /// command, so it did nothing, and repeating a read is harmless anyway (`threats.toml` G10).
    pub fn allows_retry(&self, effects: EffectSet) -> bool {
        *self == Self::ColdStart && !effects.is_mutation() && !effects.contains(Effect::Ui)
    }

    /// Whether a requested change may have happened without an answer: the app continues when the
    /// command line exits (`threats.toml` E17).
    pub fn leaves_outcome_unknown(&self) -> bool {
        !matches!(
            self,
            Self::Printed(_) | Self::AppError(_) | Self::ColdStart | Self::NotRunning
        )
    }

    /// Returns the answer.
    ///
    /// # Errors
    ///
    /// Every other verdict. The failure says that a change may have happened only if the call `mutates`.
    pub fn printed(self, mutates: bool) -> Result<Printed, Failure> {
        let next = if mutates && self.leaves_outcome_unknown() {
            Message::from(Part::MayHaveHappened)
        } else {
            "The call does not change the vault, so you can retry it.".into()
        };
        let error = match self {
            Self::Printed(printed) => return Ok(printed),
            Self::AppError(error) => return Err(app_error::failure(&error)),
            Self::NotRunning => return Err(app_error::failure(&AppError::AppNotRunning)),
            Self::ColdStart => Error::NotOffered,
            Self::NoConfirmation => Error::Unconfirmed(next),
            Self::ExitNonzero(code) => Error::Exited(code, next),
            Self::Signalled(signal) => Error::Killed(signal, next),
            Self::Unfinished { timed_out: true } => Error::NotInTime(next),
            Self::Unfinished { timed_out: false } => Error::Cancelled(next),
        };
        Err(error.into())
    }
}

#[cfg(test)]
mod tests {
    use protocol::Code;

    use super::*;
    use allowlist::Catalogue;
    use backend::captured::Captured;
    use sandbox::Confinement;

    const CASES: &str = include_str!("classify_cases.txt");

    const NOT_RUNNING: &str = "The CLI is unable to find Obsidian. Please make sure Obsidian is \
                               running and try again.\n";
    const BANNER: &str = "2026-05-11 03:38:10 Loading updated app package C:\\o.asar\nYour \
                          Obsidian installer is out of date. Please download the latest installer\n";

    fn captured(text: &str) -> Captured {
        Captured {
            head: text.into(),
            total: text.len() as u64,
            line_feeds: text.matches('\n').count() as u64,
        }
    }

    fn output(exit: Exit, stdout: &str, stderr: &str) -> Output {
        Output {
            exit,
            stdout: captured(stdout),
            stderr: captured(stderr),
            pid: 1,
            descendants_leaked: false,
            app_started_by_run: false,
            app_instance_changed: None,
            confinement: Confinement::off(),
        }
    }

    fn arguments(params: &[(&str, &str)]) -> Args {
        params
            .iter()
            .fold(Args::default(), |args, (key, value)| args.with(key, *value))
    }

    fn verdict(command: &str, shape: Shape, stdout: &str) -> Verdict {
        let arguments = arguments(&[("path", "a.md")]);
        let catalogued = Catalogue::find_builtin(command).unwrap();
        let question = CommandRequest {
            command,
            shape,
            arguments: &arguments,
            confirms: catalogued.confirmations(),
        };
        classify(question, &output(Exit::Code(0), stdout, ""))
    }

    fn printed(verdict: Verdict) -> Printed {
        let Verdict::Printed(printed) = verdict else {
            panic!("{verdict:?}");
        };
        printed
    }

    #[test]
    fn f10_exit_zero_with_an_error_text_is_an_error() {
        for text in [
            "Error: Folder \"x\" not found.\n",
            "Vault not found.\n",
            "TypeError: Cannot read properties of null (reading 'getParentPrefix')\n",
            "Command line interface is not enabled. Please turn it on in Settings > General > Advanced.\n",
        ] {
            for noise in ["", BANNER] {
                let got = verdict("files", Shape::Files, &format!("{noise}{text}"));
                assert!(matches!(got, Verdict::AppError(_)), "{text}: {got:?}");
                assert!(got.printed(true).is_err());
            }
        }
        // The output of these was never recorded, but their errors look like all others.
        for command in ["theme", "task", "bookmark", "history:restore"] {
            let text = "Error: Line 3 is not a task.\n";
            let got = verdict(command, Shape::Raw, text);
            assert!(matches!(got, Verdict::AppError(_)), "{command}: {got:?}");
            let text = "- [ ] Error: not one\n";
            assert!(!printed(verdict(command, Shape::Raw, text)).ambiguous);
        }
        let text = "Error: Destination file already exists!\n";
        let got = verdict("rename", Shape::Confirmation, text);
        assert_eq!(got, Verdict::AppError(AppError::DestinationExists));
    }

    #[test]
    fn f10_a_note_that_begins_like_an_error_is_the_notes_own_and_flagged() {
        for text in [
            "Error: the printer is on fire\nand more\n",
            "Error: anything else\n",
            "Error: File \"other.md\" not found.\n",
            "Vault not found.\nsecond line\n",
        ] {
            let got = printed(verdict("read", Shape::NoteText, text));
            assert_eq!(got.text, text);
            assert!(got.ambiguous, "{text}");
        }
        assert!(!printed(verdict("read", Shape::NoteText, "plain\n")).ambiguous);
        let got = verdict("read", Shape::NoteText, "Error: File \"a.md\" not found.\n");
        let target = "a.md".into();
        assert_eq!(got, Verdict::AppError(AppError::FileNotFound { target }));
    }

    #[test]
    fn f10_a_change_must_be_confirmed_by_its_own_sentence() {
        let confirmation = |command: &str, text: &str| verdict(command, Shape::Confirmation, text);
        for [command, text] in tables::section(CASES, "f10 a change must be confirmed") {
            assert_eq!(printed(confirmation(command, text)).text, text);
        }
        for (command, text) in [
            ("create", ""),
            ("create", "\n"),
            ("create", "Appended to: a.md\n"),
            ("append", "Created: a.md\n"),
            ("delete", "something else\n"),
            ("append", BANNER),
        ] {
            let got = confirmation(command, text);
            assert_eq!(got, Verdict::NoConfirmation, "{command} {text:?}");
            assert!(got.leaves_outcome_unknown());
        }
    }

    #[test]
    fn f10_not_running_is_reported_wherever_it_is_printed() {
        let arguments = arguments(&[]);
        let question = CommandRequest {
            command: "daily:read",
            shape: Shape::NoteText,
            arguments: &arguments,
            confirms: &[],
        };
        for (exit, stdout, stderr) in [
            (1, "", NOT_RUNNING),
            (0, NOT_RUNNING, ""),
            (0, "", NOT_RUNNING),
            (1, "", &format!("{BANNER}{NOT_RUNNING}")),
            (
                1,
                "",
                &format!("ERROR:gpu_init.cc(523) Exiting\n{NOT_RUNNING}"),
            ),
            (0, "\n", &format!("{NOT_RUNNING}dbus: failed to connect\n")),
        ] {
            let got = classify(question, &output(Exit::Code(exit), stdout, stderr));
            assert_eq!(got, Verdict::NotRunning);
            assert_eq!(got.printed(true).unwrap_err().code, Code::AppNotRunning);
        }
        for (code, stdout, stderr) in [
            (134, "", "boom"),
            (1, "a.md\n", NOT_RUNNING),
            (1, "", &format!("not a line of its own: {NOT_RUNNING}")),
        ] {
            let got = classify(question, &output(Exit::Code(code), stdout, stderr));
            assert_eq!(got, Verdict::ExitNonzero(code));
        }
        let got = classify(question, &output(Exit::Code(134), "", "boom"));
        assert_eq!(got.printed(true).unwrap_err().code, Code::CliExitNonzero);
    }

    #[test]
    fn banners_are_dropped_at_the_head_only() {
        let got = printed(verdict(
            "read",
            Shape::NoteText,
            &format!("{BANNER}note\n{BANNER}"),
        ));
        assert_eq!(got.text, format!("note\n{BANNER}"));
        assert!(got.startup_noise);
    }

    #[test]
    fn g10_a_cold_start_is_retried_for_reads_only() {
        let text = "Error: Command \"read\" not found. It may require a plugin to be enabled.\n";
        let got = verdict("read", Shape::NoteText, text);
        assert_eq!(got, Verdict::ColdStart);
        assert_eq!(
            got.clone().printed(true).unwrap_err().code,
            Code::AppNotReady
        );
        let set = |effects: &[Effect]| effects.iter().copied().collect::<EffectSet>();
        assert!(got.allows_retry(set(&[Effect::Read])));
        for effect in [Effect::Ui, Effect::Write, Effect::Destroy, Effect::Publish] {
            assert!(
                !got.allows_retry(set(&[Effect::Read, effect])),
                "{effect:?}"
            );
        }
        let suggested = "Error: Command \"read\" not found. Did you mean: sync:read, daily:read?\n";
        assert_eq!(
            verdict("read", Shape::NoteText, suggested),
            Verdict::ColdStart
        );
        let other = "Error: Command \"eval\" not found. It may require a plugin to be enabled.\n";
        assert!(!verdict("files", Shape::Files, other).allows_retry(set(&[Effect::Read])));
        assert!(!Verdict::NotRunning.allows_retry(set(&[Effect::Read])));
    }

    #[test]
    fn a_run_that_was_ended_leaves_the_outcome_unknown() {
        let arguments = arguments(&[]);
        let question = CommandRequest {
            command: "append",
            shape: Shape::Confirmation,
            arguments: &arguments,
            confirms: &[Sentence::Appended],
        };
        for exit in [
            Exit::Killed { timed_out: true },
            Exit::Killed { timed_out: false },
            Exit::LeftRunning { timed_out: true },
            Exit::Signal(9),
        ] {
            // Even if it had printed something that looks like an answer.
            let got = classify(question, &output(exit, "Appended to: a.md\n", ""));
            assert!(got.leaves_outcome_unknown(), "{exit:?}");
            assert!(got.printed(true).is_err());
        }
    }

    #[test]
    fn e01_only_a_write_is_said_to_be_in_doubt() {
        for verdict in [
            Verdict::Unfinished { timed_out: true },
            Verdict::Unfinished { timed_out: false },
            Verdict::Signalled(9),
            Verdict::ExitNonzero(3),
            Verdict::NoConfirmation,
        ] {
            let message = |mutates| verdict.clone().printed(mutates).unwrap_err().to_string();
            assert!(message(true).contains("may have happened"));
            assert!(message(true).contains("Check the vault before you retry"));
            assert!(!message(false).contains("happened"), "{}", message(false));
        }
    }
}

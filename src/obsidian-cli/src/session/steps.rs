//! Runs the steps of one call on the binary, classifies and parses what each printed, and records
//! how the runs ended.

use vault_answers::{Answer, Confirmation};
use vault_engine::{Arg, VaultPath};

use super::{Obsidian, Ready};
use crate::argv;
use crate::classify::{COLD_START_PAUSE, CommandRequest, Printed, Verdict, classify};
use crate::error::Error;
use crate::spawn::{Exit, Output};
use crate::split::SplitStep;
use allowlist::ParamKind;
use backend::captured::{is_text, whole_rows};
use backend::{Captured, Limits, Process, Produced, ResolvedCall};
use protocol::{Failure, Issue, Part, digest::sha256};

/// Runs the steps of one call and collects what they print.
pub(super) struct StepRunner<'run> {
    ready: &'run Ready,
    resolved: &'run ResolvedCall,
    limits: &'run Limits,
    mutates: bool,
    runs: u32,
    /// The path in the confirmation of the first part.
    first_path: Option<String>,
    produced: Produced,
}

impl<'run> StepRunner<'run> {
    /// Runs the steps and returns what the call produced.
    pub(super) fn run(
        ready: &'run Ready,
        resolved: &'run ResolvedCall,
        limits: &'run Limits,
        steps: Vec<SplitStep>,
    ) -> Produced {
        let mut runner = Self {
            ready,
            resolved,
            limits,
            mutates: resolved.call.effects().is_mutation(),
            runs: 0,
            first_path: None,
            produced: Produced {
                warnings: resolved.warnings.clone(),
                ..Produced::default()
            },
        };
        runner.run_all(steps);
        runner.show_names();
        runner.produced
    }

    /// Runs the steps in order, up to the first failure.
    fn run_all(&mut self, steps: Vec<SplitStep>) {
        let count = steps.len();
        for (index, step) in steps.into_iter().enumerate() {
            let result = self.run_one(step);
            let failed = result.is_err();
            let outcome = match (index, result) {
                (0, result) => result,
                // The answer is the output of the first part. The other parts only confirm.
                (_, Ok(_)) => continue,
                (sent, Err(failure)) => {
                    self.produced.may_have_happened = true;
                    Err(failure.with("partsSent", sent).with("parts", count))
                }
            };
            self.produced.outcome = outcome;
            if failed {
                return;
            }
        }
    }

    fn run_one(&mut self, step: SplitStep) -> Result<Option<Answer>, Failure> {
        let step = match (step.needs_path, &self.first_path) {
            (true, Some(path)) => step.on_path(path),
            (true, None) => return Err(Error::UnknownNote.into()),
            (false, _) => step,
        };
        let question = CommandRequest {
            command: &step.command,
            shape: self.resolved.call.command.output,
            arguments: &step.arguments,
            confirms: &step.confirms,
        };
        let mut output = self.spawn(&step)?;
        let mut verdict = classify(question, &output);
        if verdict.allows_retry(self.resolved.call.effects()) {
            let pause = COLD_START_PAUSE.min(self.limits.deadline.left());
            self.limits.cancel.wait(pause);
            output = self.spawn(&step)?;
            verdict = classify(question, &output);
        }
        let shown = self.produced.process.is_none() || !matches!(verdict, Verdict::Printed(_));
        self.note_run(output, shown.then_some(&step));
        self.answer_of(verdict)
    }

    fn spawn(&mut self, step: &SplitStep) -> Result<Output, Failure> {
        let output = Obsidian::spawn(self.ready, &step.command, &step.arguments, self.limits)
            .map_err(|mut failure| {
                let started = failure.details.get("started") != Some(&false.into());
                if started && self.mutates {
                    self.produced.may_have_happened = true;
                    failure.add_hint(Part::MayHaveHappened);
                }
                failure
            })?;
        self.runs += 1;
        Ok(output)
    }

    /// Records how a run ended. If `shown`, also its arguments and output; that is the case for the
    /// first part and for any part that failed.
    fn note_run(&mut self, output: Output, shown: Option<&SplitStep>) {
        let (exit_code, signal) = match output.exit {
            Exit::Code(code) => (Some(code), None),
            Exit::Signal(signal) => (None, Some(signal)),
            Exit::Killed { .. } | Exit::LeftRunning { .. } => (None, None),
        };
        if shown.is_some() {
            // Moved, since both may be as large as the settings allow (`threats.toml` J04).
            self.produced.stdout = output.stdout;
            self.produced.stderr = output.stderr;
            self.produced.exit_code = exit_code;
        }
        self.produced.confinement = Some(output.confinement);
        let before = self.produced.process.take();
        let binary = self
            .ready
            .target
            .binary
            .path
            .file_name()
            .unwrap_or_default();
        self.produced.process = Some(Process {
            binary: binary.to_string_lossy().into_owned(),
            arguments: match (shown, &before) {
                (Some(step), _) => self.shown_words(step),
                (None, Some(before)) => before.arguments.clone(),
                (None, None) => Vec::new(),
            },
            pid: output.pid,
            signal,
            runs: self.runs,
            descendants_leaked: output.descendants_leaked
                || before.is_some_and(|before| before.descendants_leaked),
            app_started_by_run: output.app_started_by_run,
        });
        if output.app_instance_changed == Some(true) {
            self.produced.warnings.push(Issue::new(
                "APP_INSTANCE_CHANGED",
                "Obsidian was restarted during the call, or another Obsidian process replaced it.",
            ));
        }
    }

    /// Returns the arguments of a step in the order of [`argv::lay_out`], with texts replaced by size and hash.
    fn shown_words(&self, step: &SplitStep) -> Vec<String> {
        let command = &self.resolved.call.command;
        let is_text = |key: &str| {
            command
                .param(key)
                .is_none_or(|param| param.sensitive || param.kind == ParamKind::Text)
        };
        let mut arguments = step.arguments.clone();
        for (key, value) in &mut arguments.values {
            // The command of a step may differ from that of the call (`append` after `create`).
            if key != "path" && is_text(key) {
                *value = Arg::Text(size_and_hash(&value.to_text()));
            }
        }
        argv::lay_out(&self.ready.vault, &step.command, &arguments).unwrap_or_default()
    }

    /// Renders the answer again if it contains misleading names (`threats.toml` B10), because the app
    /// does not escape them. A truncated text keeps its head as printed.
    fn show_names(&mut self) {
        let shape = self.resolved.call.command.output;
        let Ok(Some(answer)) = &mut self.produced.outcome else {
            return;
        };
        let omitted = self.produced.stdout.omitted();
        if (is_text(shape) && omitted > 0) || !cli_output::has_odd_names(answer) {
            return;
        }
        let text = cli_output::render_shown(answer, shape, &self.resolved.call.arguments);
        let line_feeds = self.produced.stdout.line_feeds;
        self.produced.stdout = Captured::from_bytes(text.into_bytes(), usize::MAX);
        if omitted > 0 {
            self.produced.stdout.total += omitted;
            self.produced.stdout.line_feeds = line_feeds;
        }
    }

    fn answer_of(&mut self, verdict: Verdict) -> Result<Option<Answer>, Failure> {
        self.produced.may_have_happened |= self.mutates && verdict.leaves_outcome_unknown();
        let printed = verdict.printed(self.mutates)?;
        if printed.startup_noise {
            self.produced.warnings.push(Issue::new(
                "STARTUP_NOISE",
                "Obsidian's command line printed start-up lines, because Obsidian's installer is out of date. Update Obsidian with its installer.",
            ));
        }
        if printed.ambiguous {
            self.produced.warnings.push(ambiguous_output());
        }
        self.parsed(&printed)
    }

    fn parsed(&mut self, printed: &Printed) -> Result<Option<Answer>, Failure> {
        let shape = self.resolved.call.command.output;
        let arguments = &self.resolved.call.arguments;
        match cli_output::parse(
            shape,
            arguments,
            whole_rows(&printed.text, printed.is_cut, shape),
        ) {
            Ok(answer) => {
                if let Some(confirmation) = answer.downcast_ref()
                    && self.first_path.is_none()
                {
                    self.first_path = written_path(confirmation);
                }
                Ok(Some(answer))
            }
            Err(_) if printed.text.trim().is_empty() => Err(Error::Silent.into()),
            Err(error) => {
                self.produced.warnings.push(
                    Issue::new(
                        "UNPARSED_OUTPUT",
                        "The output of Obsidian's command line has an unknown format. `stdout` contains it unchanged.",
                    )
                    .with("line", error.line),
                );
                Ok(None)
            }
        }
    }
}

/// Returns the warning for note text that looks like an error of the app.
pub fn ambiguous_output() -> Issue {
    Issue::new(
        "AMBIGUOUS_OUTPUT",
        "The text starts like an error message of the app, but vault-gw took it as the text of the \
        note.",
    )
}

/// Returns the replacement for a text: its size and hash.
fn size_and_hash(value: &str) -> String {
    let hash = sha256(value.as_bytes());
    format!("<{} bytes, sha256 {hash}>", value.len())
}

/// Returns the path of the note that a confirmation reports as written.
fn written_path(confirmation: &Confirmation) -> Option<String> {
    match confirmation {
        Confirmation::Created { path }
        | Confirmation::Overwrote { path }
        | Confirmation::Appended { path }
        | Confirmation::Prepended { path } => {
            VaultPath::file(path).ok().map(|path| path.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f12_a_text_is_shown_by_its_size_and_hash() {
        let shown = size_and_hash("secret");
        assert!(shown.starts_with("<6 bytes, sha256 2bb80d53"), "{shown}");
    }
}

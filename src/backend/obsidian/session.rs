//! Runs calls on the official binary: checks preconditions, sends the call in parts if needed,
//! classifies and parses the output.

mod app_version;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cli_output::{Answer, AppError, Arguments, Confirmation, Shape};
use sha2::{Digest as _, Sha256};
use vault_engine::VaultPath;

use super::argv;
use super::binary::Binary;
use super::classify::{Asked, COLD_START_PAUSE, Printed, Verdict, classify};
use super::environment::ChildEnvironment;
use super::kind::refuse_app_start;
use super::known_version::KnownVersion;
use super::limits::ArgumentLimits;
use super::locate::locate;
use super::permits::{RunAccess, RunPermits};
use super::probe::{AppInstance, probe};
#[cfg(unix)]
use super::spawn::Guardian;
use super::spawn::{Exit, GRACE, Output, Run, run};
use super::split::{Sender, SplitStep, StepPath, steps};
use crate::allowlist::ParamKind;
use crate::backend::captured::{is_text, whole_rows};
use crate::backend::{
    Captured, Limits, Payload, PinnedVault, Process, Produced, ResolvedCall, app_error,
};
use crate::code::Code;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::issue::Issue;
use crate::release::Release;
use crate::settings::{Folders, Settings};

/// The official binary and the app that it talks to. Located once, checked before each use.
#[derive(Debug)]
pub struct Obsidian {
    setting: String,
    probe_app: bool,
    open_vault: bool,
    min_version: Option<Release>,
    environment: Environment,
    found: OnceLock<Result<Binary, Failure>>,
    permits: Arc<RunPermits>,
    known_version: Arc<KnownVersion>,
    #[cfg(unix)]
    guardian: Option<Arc<Guardian>>,
    /// The vault and app instance for which `vault info=path` has confirmed the pinned folder.
    proved: Mutex<Option<(PathBuf, Option<AppInstance>)>>,
}

/// Everything that a run needs except its arguments.
#[derive(Clone, Debug)]
pub struct Ready {
    binary: Binary,
    environment: ChildEnvironment,
    instance: Option<AppInstance>,
    /// The value of `vault=`: the name, or the id if two vaults have the same name.
    vault: String,
    #[cfg(unix)]
    guardian: Option<Arc<Guardian>>,
}

impl Ready {
    /// A run with these arguments.
    fn run(&self, words: Vec<String>, limits: &Limits) -> Run {
        Run {
            binary: self.binary.clone(),
            words,
            environment: self.environment.clone(),
            instance: self.instance,
            deadline: limits.deadline,
            grace: GRACE,
            max_output_bytes: limits.capture_bytes(),
            cancel: limits.cancel.clone(),
            #[cfg(unix)]
            guardian: self.guardian.clone(),
        }
    }
}

impl Obsidian {
    /// Creates the backend. Does not access the disk yet.
    pub fn new(settings: &Settings, environment: &Environment) -> Self {
        Self {
            setting: settings.obsidian_path.to_string_lossy().into_owned(),
            probe_app: settings.probe_app,
            open_vault: settings.open_vault,
            min_version: settings.min_version,
            environment: environment.clone(),
            found: OnceLock::new(),
            permits: Arc::default(),
            known_version: Arc::new(KnownVersion::new(Folders::new(environment).cache().ok())),
            #[cfg(unix)]
            guardian: Guardian::from_environment(environment),
            proved: Mutex::new(None),
        }
    }

    /// Shares permits, guardian and version cache with another backend for the same app.
    #[must_use]
    pub fn sharing_permits_with(self, other: &Self) -> Self {
        Self {
            permits: Arc::clone(&other.permits),
            known_version: Arc::clone(&other.known_version),
            #[cfg(unix)]
            guardian: other.guardian.clone(),
            ..self
        }
    }

    /// The binary. Located at the first call.
    ///
    /// # Errors
    ///
    /// Those of [`locate`].
    pub fn binary(&self) -> Result<&Binary, Failure> {
        self.found
            .get_or_init(|| locate(&self.setting, &self.environment))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The running app; `None` if `probe_app` is off. Spawns nothing.
    ///
    /// # Errors
    ///
    /// Those of [`probe`] and [`ChildEnvironment::from_environment`].
    pub fn app(&self) -> Result<Option<AppInstance>, Failure> {
        let environment = ChildEnvironment::from_environment(&self.environment)?;
        if self.probe_app {
            probe(&environment).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Checks all preconditions before anything is spawned: the app listens, the binary exists, is
    /// trusted and would not start an app, and the app knows the pinned vault and has it open.
    ///
    /// # Errors
    ///
    /// The first precondition that does not hold.
    pub fn ready(&self, vault: &PinnedVault) -> Result<Ready, Failure> {
        check_platform(std::env::consts::OS)?;
        let environment = ChildEnvironment::from_environment(&self.environment)?;
        let instance = if self.probe_app {
            Some(probe(&environment)?)
        } else {
            None
        };
        if vault.registry.cli == Some(false) {
            return Err(app_error::failure(&AppError::CliNotEnabled));
        }
        let binary = self.binary()?.clone();
        refuse_app_start(binary.kind(), instance.as_ref())?;
        binary.verify_unchanged()?;
        let vault = self.vault_argument(vault)?;
        Ok(Ready {
            binary,
            environment,
            instance,
            vault,
            #[cfg(unix)]
            guardian: self.guardian.clone(),
        })
    }

    /// The value of `vault=` for the pinned folder.
    fn vault_argument(&self, vault: &PinnedVault) -> Result<String, Failure> {
        let registry = &vault.registry;
        let Some(entry) = registry.find_by_root(vault.root()) else {
            return Err(Failure::new(
                Code::VaultNotFound,
                "Obsidian does not list this vault. Open its folder once in Obsidian, or use the embedded backend.",
            ));
        };
        // An entry without `open` means closed only if the app sets `open` on other entries.
        let marks = registry.vaults.iter().any(|other| other.open == Some(true));
        let closed = entry.open == Some(false) || (entry.open.is_none() && marks);
        if closed && !self.open_vault {
            return Err(Failure::new(
                Code::AppNotReady,
                "The vault is not open in Obsidian, and a command would open its window. Open it there, or set `open_vault = true`.",
            )
            .with("reason", "vault-closed"));
        }
        let name = entry.name();
        if registry.named(&name).count() > 1 {
            Ok(entry.id.clone())
        } else {
            Ok(name)
        }
    }

    /// The number of processes that a call needs.
    ///
    /// # Errors
    ///
    /// If the content cannot be sent without damage.
    pub fn parts(resolved: &ResolvedCall, ready: &Ready) -> Result<usize, Failure> {
        Ok(Self::steps(resolved, ready)?.len())
    }

    fn steps(resolved: &ResolvedCall, ready: &Ready) -> Result<Vec<SplitStep>, Failure> {
        let sender = Sender {
            binary: ready.binary.path(),
            vault: &ready.vault,
            limits: ArgumentLimits::here(),
        };
        steps(&resolved.call, sender)
    }

    /// Runs one read-only command of the gateway itself, such as `version`.
    ///
    /// # Errors
    ///
    /// If a precondition does not hold, no permit becomes free, or the run fails.
    pub fn ask(
        &self,
        vault: &PinnedVault,
        command: &str,
        arguments: &Arguments,
        limits: &Limits,
    ) -> Result<Output, Failure> {
        let ready = self.ready(vault)?;
        let _permit = self
            .permits
            .acquire(RunAccess::Read, limits.deadline, &limits.cancel)?;
        Self::spawn(&ready, command, arguments, limits)
    }

    /// Checks that the app resolves `vault=` to the pinned folder, as before the first write.
    ///
    /// # Errors
    ///
    /// If it resolves to another folder, or the app cannot be asked.
    pub fn proves(&self, vault: &PinnedVault, limits: &Limits) -> Result<(), Failure> {
        let ready = self.ready(vault)?;
        let _permit = self
            .permits
            .acquire(RunAccess::Read, limits.deadline, &limits.cancel)?;
        self.prove(&ready, vault, limits)
    }

    fn spawn(
        ready: &Ready,
        command: &str,
        arguments: &Arguments,
        limits: &Limits,
    ) -> Result<Output, Failure> {
        run(ready.run(argv::lay_out(&ready.vault, command, arguments)?, limits))
    }

    /// Runs a plan. `allowed` says whether a follow-up command of a text sent in parts is open.
    ///
    /// The app's confirmation of a change is no proof. The gateway verifies the folder afterwards.
    ///
    /// # Errors
    ///
    /// If the app cannot be started or proven to have this vault open, or if an argument cannot be sent.
    /// What the app itself refuses is an outcome and not an error.
    pub fn answer(
        &self,
        resolved: &ResolvedCall,
        vault: &PinnedVault,
        ready: &Ready,
        limits: &Limits,
        allowed: &dyn Fn(&str) -> bool,
    ) -> Result<Produced, Failure> {
        let steps = Self::steps(resolved, ready)?;
        if let Some(step) = steps.iter().find(|step| !allowed(&step.command)) {
            return Err(Failure::new(
                Code::UnrepresentableContent,
                format!(
                    "The text must be sent in parts with `{}`, which the settings do not allow. Remove the \\n and \\t pairs, or send less text.",
                    step.command
                ),
            ));
        }
        let mutates = resolved.call.effects().is_mutation();
        let access = if mutates {
            RunAccess::Write
        } else {
            RunAccess::Read
        };
        let _permit = self
            .permits
            .acquire(access, limits.deadline, &limits.cancel)?;
        if mutates {
            self.prove(ready, vault, limits)?;
        }
        let mut session = Session {
            ready,
            resolved,
            limits,
            mutates,
            runs: 0,
            first_path: None,
            produced: Produced {
                warnings: resolved.warnings.clone(),
                ..Produced::default()
            },
        };
        session.run_all(steps);
        session.show_names();
        Ok(session.produced)
    }

    /// Checks once per app instance that `vault=` resolves to the pinned folder (`faults.md` G11):
    /// the app has been seen to answer for another vault.
    fn prove(&self, ready: &Ready, vault: &PinnedVault, limits: &Limits) -> Result<(), Failure> {
        let claim = (vault.root().to_owned(), ready.instance);
        // Keep the lock while asking the app, so that concurrent writers do not all ask.
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a probe a restart of the app cannot be detected, so ask each time.
        if claim.1.is_some() && proved.as_ref() == Some(&claim) {
            return Ok(());
        }
        let arguments = Arguments {
            params: [("info".to_owned(), "path".to_owned())].into(),
            ..Arguments::default()
        };
        let output = Self::spawn(ready, "vault", &arguments, limits)?;
        let asked = Asked {
            command: "vault",
            shape: Shape::VaultInfo,
            arguments: &arguments,
            confirms: &[],
        };
        let verdict = classify(asked, &output);
        if let Some(failure) = verdict.failure(false) {
            return Err(no_proof(failure));
        }
        let Verdict::Printed(printed) = verdict else {
            return Err(wrong_vault());
        };
        let said = PathBuf::from(printed.text.trim_end_matches(['\n', '\r']));
        if !same_folder(&said, vault) {
            return Err(wrong_vault());
        }
        *proved = Some(claim);
        Ok(())
    }
}

/// Refuses a system for which there is no official command line (`official-cli.md` §3); `system` is
/// its name as in [`std::env::consts::OS`].
fn check_platform(system: &str) -> Result<(), Failure> {
    if ["linux", "macos", "windows"].contains(&system) {
        return Ok(());
    }
    Err(Failure::new(
        Code::UnsupportedPlatform,
        "Obsidian has no command line interface for this system. Use the embedded backend, or a desktop system.",
    )
    .with("system", system))
}

fn wrong_vault() -> Failure {
    Failure::new(
        Code::VaultNotFound,
        "Obsidian answers for another vault than the pinned one, so nothing was written. Two vaults may have the same name, or the vault was moved.",
    )
    .with("reason", "vault-proof")
}

/// The failure if the question for the vault failed. Rewrites messages that would suggest that a
/// change was requested.
fn no_proof(failure: Failure) -> Failure {
    let message = match failure.code {
        Code::Timeout => "Obsidian did not answer in time when it was asked for its vault before the write. Nothing was written; try again.".to_owned(),
        Code::Cancelled => "The call was cancelled before the write. Nothing was written.".to_owned(),
        Code::CliExitNonzero => format!(
            "Obsidian could not be asked for its vault, so nothing was written. {}",
            failure.message
        ),
        _ => failure.message,
    };
    Failure { message, ..failure }.with("reason", "vault-proof")
}

fn same_folder(said: &std::path::Path, vault: &PinnedVault) -> bool {
    said.is_absolute() && fs_err::canonicalize(said).is_ok_and(|said| said == vault.root())
}

/// A call in progress.
struct Session<'run> {
    ready: &'run Ready,
    resolved: &'run ResolvedCall,
    limits: &'run Limits,
    mutates: bool,
    runs: u32,
    /// The path in the confirmation of the first part.
    first_path: Option<String>,
    produced: Produced,
}

impl Session<'_> {
    /// Runs the steps in order, up to the first failure.
    fn run_all(&mut self, steps: Vec<SplitStep>) {
        let count = steps.len();
        for (index, step) in steps.into_iter().enumerate() {
            let result = self.run_one(step);
            let failed = result.is_err();
            let outcome = match (index, result) {
                (0, result) => result,
                // The answer is that of the first part. The others only confirm.
                (_, Ok(_)) => continue,
                (sent, Err(failure)) => {
                    self.produced.may_have_happened = true;
                    Err(failure.with("partsSent", sent).with("parts", count))
                }
            };
            self.produced.outcome = outcome.map(Payload::from);
            if failed {
                return;
            }
        }
    }

    fn run_one(&mut self, step: SplitStep) -> Result<Option<Answer>, Failure> {
        let step = match (step.path, &self.first_path) {
            (StepPath::FromFirst, Some(path)) => step.on_path(path),
            (StepPath::FromFirst, None) => {
                return Err(Failure::new(
                    Code::CliReportedError,
                    "The official CLI did not say which note it wrote, so the rest of the text was not sent.",
                ));
            }
            (StepPath::Given, _) => step,
        };
        let asked = Asked {
            command: &step.command,
            shape: self.resolved.call.command.output,
            arguments: &step.arguments,
            confirms: &step.confirms,
        };
        let mut output = self.spawn(&step)?;
        let mut verdict = classify(asked, &output);
        if verdict.allows_retry(self.resolved.call.effects()) {
            let pause = COLD_START_PAUSE.min(self.limits.deadline.left());
            self.limits.cancel.wait(pause);
            output = self.spawn(&step)?;
            verdict = classify(asked, &output);
        }
        let shown = self.produced.process.is_none() || verdict.failure(self.mutates).is_some();
        self.note_run(output, shown.then_some(&step));
        self.answer_of(verdict)
    }

    fn spawn(&mut self, step: &SplitStep) -> Result<Output, Failure> {
        let output = Obsidian::spawn(self.ready, &step.command, &step.arguments, self.limits)
            .inspect_err(|failure| {
                let started = failure.details.get("started") != Some(&false.into());
                self.produced.may_have_happened |= started && self.mutates;
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
            // Moved, since both may be as large as the settings allow (`faults.md` J04).
            self.produced.stdout = output.stdout;
            self.produced.stderr = output.stderr;
            self.produced.exit_code = exit_code;
        }
        let before = self.produced.process.take();
        let binary = self.ready.binary.path().file_name().unwrap_or_default();
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
                "Another Obsidian answered than before the run: the app was restarted, or a second one took its place.",
            ));
        }
    }

    /// The arguments of a step in the order of [`argv::lay_out`], with texts replaced by size and
    /// hash.
    fn shown_words(&self, step: &SplitStep) -> Vec<String> {
        let command = &self.resolved.call.command;
        let is_text = |key: &str| {
            command
                .param(key)
                .is_none_or(|param| param.sensitive || param.kind == ParamKind::Text)
        };
        let mut arguments = step.arguments.clone();
        for (key, value) in &mut arguments.params {
            // The command of a step may differ from that of the call (`append` after `create`).
            if key != "path" && is_text(key) {
                *value = hidden(value);
            }
        }
        argv::lay_out(&self.ready.vault, &step.command, &arguments).unwrap_or_default()
    }

    /// Renders the answer again if it contains misleading names (`faults.md` B10), because the app
    /// does not escape them. A truncated text keeps its head as printed.
    fn show_names(&mut self) {
        let shape = self.resolved.call.command.output;
        let Ok(Payload::Answer(answer)) = &mut self.produced.outcome else {
            return;
        };
        let omitted = self.produced.stdout.omitted();
        if (is_text(shape) && omitted > 0) || !cli_output::has_odd_names(answer) {
            return;
        }
        let text = cli_output::render_shown(answer, shape, &self.resolved.call.as_cli_arguments());
        let line_feeds = self.produced.stdout.line_feeds;
        self.produced.stdout = Captured::from_bytes(text.into_bytes(), usize::MAX);
        if omitted > 0 {
            self.produced.stdout.total += omitted;
            self.produced.stdout.line_feeds = line_feeds;
        }
    }

    fn answer_of(&mut self, verdict: Verdict) -> Result<Option<Answer>, Failure> {
        self.produced.may_have_happened |= self.mutates && verdict.leaves_outcome_unknown();
        if let Some(failure) = verdict.failure(self.mutates) {
            return Err(failure);
        }
        let Verdict::Printed(printed) = verdict else {
            return Ok(None);
        };
        if printed.startup_noise {
            self.produced.warnings.push(Issue::new(
                "STARTUP_NOISE",
                "The official CLI printed start-up lines: Obsidian's installer is out of date. Update it.",
            ));
        }
        if printed.ambiguous {
            self.produced.warnings.push(ambiguous_output());
        }
        self.parsed(&printed)
    }

    fn parsed(&mut self, printed: &Printed) -> Result<Option<Answer>, Failure> {
        let shape = self.resolved.call.command.output;
        let arguments = self.resolved.call.as_cli_arguments();
        match cli_output::parse(
            shape,
            &arguments,
            whole_rows(&printed.text, printed.is_cut, shape),
        ) {
            Ok(answer) => {
                if let Answer::Confirmation(confirmation) = &answer
                    && self.first_path.is_none()
                {
                    self.first_path = written_path(confirmation);
                }
                Ok(Some(answer))
            }
            Err(_) if printed.text.trim().is_empty() => Err(silence()),
            Err(error) => {
                self.produced.warnings.push(
                    Issue::new(
                        "UNPARSED_OUTPUT",
                        "The output of the official CLI has an unknown format. `stdout` contains it unchanged.",
                    )
                    .with("line", error.line),
                );
                Ok(None)
            }
        }
    }
}

/// The warning for note text that looks like an error of the app.
pub(crate) fn ambiguous_output() -> Issue {
    Issue::new(
        "AMBIGUOUS_OUTPUT",
        "The text starts like an error message of the app. It was treated as note text.",
    )
}

/// The failure for empty output of a command that always prints something. The app silently drops
/// some messages (`official-cli.md` §4, `faults.md` F10).
pub(crate) fn silence() -> Failure {
    Failure::new(
        Code::CliReportedError,
        "Obsidian printed no answer. Try again; if that does not help, restart Obsidian.",
    )
    .with("reason", "no-output")
}

/// The replacement for a text: its size and hash.
fn hidden(value: &str) -> String {
    let hash: String = Sha256::digest(value.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("<{} bytes, sha256 {hash}>", value.len())
}

/// The path of the note that a confirmation reports as written.
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
    fn a_system_without_an_official_command_line_is_unsupported() {
        for system in ["linux", "macos", "windows"] {
            assert_eq!(check_platform(system), Ok(()));
        }
        for system in ["android", "ios", "freebsd", ""] {
            let failure = check_platform(system).unwrap_err();
            assert_eq!(failure.code, Code::UnsupportedPlatform);
        }
    }

    #[test]
    fn f12_a_text_is_shown_by_its_size_and_hash() {
        let shown = hidden("secret");
        assert!(shown.starts_with("<6 bytes, sha256 2bb80d53"), "{shown}");
    }
}

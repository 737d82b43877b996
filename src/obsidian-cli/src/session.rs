//! Runs calls on the official binary: checks preconditions, sends the call in parts if needed,
//! classifies and parses the output.

mod app_version;
mod steps;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cli_output::{AppError, Shape};
use vault_engine::Args;

use super::argv;
use super::binary::Binary;
use super::classify::{CommandRequest, Printed, Verdict, classify};
use super::environment::ChildEnvironment;
use super::kind::refuse_app_start;
use super::known_version::KnownVersion;
use super::limits::ArgumentLimits;
use super::locate::locate;
use super::permits::{RunAccess, RunPermits};
#[cfg(target_os = "linux")]
use super::probe::look;
use super::probe::{AppInstance, probe};
#[cfg(unix)]
use super::spawn::Guardian;
#[cfg(target_os = "linux")]
use super::spawn::Runner;
use super::spawn::{GRACE, Output, Run, RunSandbox, RunTarget, run};
use super::split::{Sender, SplitStep, steps};
use crate::error::{Error, VAULT_PROOF};
use backend::{Limits, PinnedVault, Produced, ResolvedCall, app_error};
use protocol::{Failure, Release};
use sandbox::{Environment, SandboxMode};
use settings::{Folders, Settings};
use steps::StepRunner;
pub use steps::ambiguous_output;

/// The vault and app instance for which `vault info=path` has confirmed the pinned folder.
type Proved = (PathBuf, Option<AppInstance>);

/// The official binary and the app that it talks to. Located once, checked before each use.
#[derive(Clone, Debug)]
pub struct Obsidian {
    setting: String,
    probe_app: bool,
    open_vault: bool,
    min_version: Option<Release>,
    sandbox: SandboxMode,
    environment: Environment,
    found: Arc<OnceLock<Result<Binary, Failure>>>,
    #[cfg(target_os = "linux")]
    runner: Option<Arc<Runner>>,
    permits: Arc<RunPermits>,
    known_version: Arc<KnownVersion>,
    #[cfg(unix)]
    guardian: Option<Arc<Guardian>>,
    proved: Arc<Mutex<Option<Proved>>>,
}

/// Everything that a run needs except its arguments.
#[derive(Clone, Debug)]
pub struct Ready {
    target: RunTarget,
    /// The value of `vault=`: the name, or the id if two vaults have the same name.
    vault: String,
}

impl Ready {
    /// Starts a helper for the first run; it confines itself in the background. Used by a call that
    /// runs something.
    #[cfg(target_os = "linux")]
    pub fn prepare(&self) {
        if self.target.runner.is_none() {
            super::spawn::prepare(&self.target);
        }
    }

    /// Returns a run with these arguments.
    fn run(&self, words: Vec<String>, limits: &Limits) -> Run {
        Run {
            target: self.target.clone(),
            words,
            deadline: limits.deadline,
            grace: GRACE,
            max_output_bytes: limits.capture_bytes(),
            cancel: limits.cancel.clone(),
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
            sandbox: settings.sandbox,
            environment: environment.clone(),
            found: Arc::default(),
            #[cfg(target_os = "linux")]
            runner: None,
            permits: Arc::default(),
            known_version: Arc::new(KnownVersion::new(Folders::new(environment).cache().ok())),
            #[cfg(unix)]
            guardian: Guardian::from_environment(environment),
            proved: Arc::default(),
        }
    }

    /// Returns the same backend with a runner, a process that does its runs and probes.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn with_runner(self, runner: Option<Arc<Runner>>) -> Self {
        Self { runner, ..self }
    }

    /// Starts the runner of a server, before the server confines itself. The runner also reads the
    /// settings file `settings`.
    ///
    /// # Errors
    ///
    /// If the process cannot be started.
    #[cfg(target_os = "linux")]
    pub fn start_runner(
        &self,
        vault: &std::path::Path,
        settings: Option<PathBuf>,
    ) -> std::io::Result<Arc<Runner>> {
        let sandbox = RunSandbox::new(self.sandbox, &self.environment);
        let binary = self.binary().cloned();
        Runner::start(
            &self.environment,
            &sandbox,
            vault,
            settings,
            &self.setting,
            binary,
        )
    }

    fn probe_if_set(&self, environment: &ChildEnvironment) -> Result<Option<AppInstance>, Failure> {
        if !self.probe_app {
            return Ok(None);
        }
        #[cfg(target_os = "linux")]
        if let Some(runner) = &self.runner {
            // If the socket does not exist, the runner need not be asked.
            look(environment)?;
            return runner.probe().map(Some);
        }
        probe(environment).map(Some)
    }

    /// Shares permits, guardian, runner and version cache with another backend for the same app.
    #[must_use]
    pub fn sharing_permits_with(self, other: &Self) -> Self {
        Self {
            permits: Arc::clone(&other.permits),
            known_version: Arc::clone(&other.known_version),
            #[cfg(target_os = "linux")]
            runner: other.runner.clone(),
            #[cfg(unix)]
            guardian: other.guardian.clone(),
            ..self
        }
    }

    /// Returns the binary. Located at the first call.
    ///
    /// # Errors
    ///
    /// As [`locate`].
    pub fn binary(&self) -> Result<&Binary, Failure> {
        #[cfg(target_os = "linux")]
        if let Some(runner) = &self.runner {
            return runner.binary(&self.setting).as_ref().map_err(Clone::clone);
        }
        self.found
            .get_or_init(|| locate(&self.setting, &self.environment))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Returns the running app; `None` if `probe_app` is off. Spawns nothing.
    ///
    /// # Errors
    ///
    /// As [`probe`] and [`ChildEnvironment::from_environment`].
    pub fn app(&self) -> Result<Option<AppInstance>, Failure> {
        let environment = ChildEnvironment::from_environment(&self.environment)?;
        self.probe_if_set(&environment)
    }

    /// Checks all preconditions before anything is spawned: the app listens, the binary exists, is
    /// trusted and would not start an app, and the app knows the pinned vault and has it open.
    ///
    /// # Errors
    ///
    /// The first unmet precondition.
    pub fn ready(&self, vault: &PinnedVault) -> Result<Ready, Failure> {
        check_platform(std::env::consts::OS)?;
        let environment = ChildEnvironment::from_environment(&self.environment)?;
        let instance = self.probe_if_set(&environment)?;
        if vault.registry.cli == Some(false) {
            return Err(app_error::failure(&AppError::CliNotEnabled));
        }
        let binary = self.binary()?.clone();
        refuse_app_start(binary.kind, instance.as_ref())?;
        binary.verify_unchanged()?;
        let vault = self.vault_argument(vault)?;
        Ok(Ready {
            target: RunTarget {
                binary,
                environment,
                instance,
                sandbox: RunSandbox {
                    #[cfg(target_os = "linux")]
                    spare: Some(Arc::default()),
                    ..RunSandbox::new(self.sandbox, &self.environment)
                },
                #[cfg(target_os = "linux")]
                runner: self.runner.clone(),
                #[cfg(unix)]
                guardian: self.guardian.clone(),
            },
            vault,
        })
    }

    /// Returns the value of `vault=` for the pinned folder.
    fn vault_argument(&self, vault: &PinnedVault) -> Result<String, Failure> {
        let registry = &vault.registry;
        let Some(entry) = registry.find_by_root(vault.root()) else {
            return Err(Error::NotListed.into());
        };
        // An entry without `open` means closed only if the app sets `open` on other entries.
        let marks = registry.vaults.iter().any(|other| other.open == Some(true));
        let closed = entry.open == Some(false) || (entry.open.is_none() && marks);
        if closed && !self.open_vault {
            return Err(Error::VaultClosed.into());
        }
        let name = entry.name();
        if registry.named(&name).count() > 1 {
            Ok(entry.id.clone())
        } else {
            Ok(name)
        }
    }

    /// Returns the number of processes that a call needs.
    ///
    /// # Errors
    ///
    /// If the content cannot be sent without damage.
    pub fn parts(resolved: &ResolvedCall, ready: &Ready) -> Result<usize, Failure> {
        Ok(Self::steps(resolved, ready)?.len())
    }

    fn steps(resolved: &ResolvedCall, ready: &Ready) -> Result<Vec<SplitStep>, Failure> {
        let sender = Sender {
            binary: &ready.target.binary.path,
            vault: &ready.vault,
            limits: ArgumentLimits::here(),
        };
        steps(&resolved.call, sender)
    }

    /// Runs one read-only command of the gateway itself, such as `version`.
    ///
    /// # Errors
    ///
    /// If a precondition is not met, no permit becomes free, or the run fails.
    pub fn ask(
        &self,
        vault: &PinnedVault,
        command: &str,
        arguments: &Args,
        limits: &Limits,
    ) -> Result<Output, Failure> {
        let ready = self.ready(vault)?;
        let _permit = self.permit(RunAccess::Read, limits)?;
        Self::spawn(&ready, command, arguments, limits)
    }

    /// Checks that the app resolves `vault=` to the pinned folder, as before the first write.
    ///
    /// # Errors
    ///
    /// If it resolves to another folder, or the app cannot be asked.
    pub fn proves(&self, vault: &PinnedVault, limits: &Limits) -> Result<(), Failure> {
        let ready = self.ready(vault)?;
        let _permit = self.permit(RunAccess::Read, limits)?;
        self.prove(&ready, vault, limits)
    }

    fn permit(
        &self,
        access: RunAccess,
        limits: &Limits,
    ) -> Result<tokio::sync::SemaphorePermit<'_>, Failure> {
        self.permits
            .acquire(access, limits.deadline, &limits.cancel)
    }

    fn spawn(
        ready: &Ready,
        command: &str,
        arguments: &Args,
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
    /// A refusal by the app itself is an outcome and not an error.
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
            return Err(Error::PartClosed(step.command.clone()).into());
        }
        let mutates = resolved.call.effects().is_mutation();
        let access = if mutates {
            RunAccess::Write
        } else {
            RunAccess::Read
        };
        let _permit = self.permit(access, limits)?;
        if mutates {
            self.prove(ready, vault, limits)?;
        }
        Ok(StepRunner::run(ready, resolved, limits, steps))
    }

    /// Checks once per app instance that `vault=` resolves to the pinned folder (`threats.toml` G11):
    /// the app has been seen to answer for another vault.
    fn prove(&self, ready: &Ready, vault: &PinnedVault, limits: &Limits) -> Result<(), Failure> {
        let claim = (vault.root().to_owned(), ready.target.instance);
        // Keep the lock while asking the app, so that concurrent writers do not all ask.
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a probe a restart of the app cannot be detected, so ask each time.
        if claim.1.is_some() && proved.as_ref() == Some(&claim) {
            return Ok(());
        }
        let arguments = Args::default().with("info", "path");
        let output = Self::spawn(ready, "vault", &arguments, limits)?;
        let question = CommandRequest {
            command: "vault",
            shape: Shape::VaultInfo,
            arguments: &arguments,
            confirms: &[],
        };
        let printed = printed_vault(classify(question, &output))?;
        let said = PathBuf::from(printed.text.trim_end_matches(['\n', '\r']));
        if said.as_os_str().is_empty() {
            return Err(Error::NoVault.into());
        }
        if !same_folder(&said, vault) {
            return Err(Error::OtherVault.into());
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
    Err(Error::NoCommandLine(system.to_owned()).into())
}

/// Returns the answer to the question for the vault. If there is none, no change was requested yet.
fn printed_vault(verdict: Verdict) -> Result<Printed, Failure> {
    let ended_badly = matches!(verdict, Verdict::ExitNonzero(_) | Verdict::Signalled(_));
    let printed = match verdict {
        Verdict::Unfinished { timed_out: true } => Err(Error::NoVaultInTime.into()),
        Verdict::Unfinished { timed_out: false } => Err(Error::CancelledBefore.into()),
        _ => verdict.printed(false),
    };
    printed.map_err(|mut failure| {
        if ended_badly {
            failure = failure.begin_with(
                "Nothing was written, because Obsidian did not report which vault is open.",
            );
        }
        failure.with("reason", VAULT_PROOF)
    })
}

fn same_folder(said: &std::path::Path, vault: &PinnedVault) -> bool {
    said.is_absolute()
        && fs_err::canonicalize(said).is_ok_and(|said| dunce::simplified(&said) == vault.root())
}

#[cfg(test)]
mod tests {
    use protocol::Code;

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
}

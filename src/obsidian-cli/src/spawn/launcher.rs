//! Starts the official command line confined: this program again, as a helper that confines itself
//! and becomes the command line (`design/sandbox.md`, `threats.toml` L02).
//!
//! No code of ours runs between `fork` and `exec`, and nothing that is confined stays in the
//! gateway. The helper gets two orders over its standard input, a socket: what to confine itself
//! to, and then what to become. Between the two it may wait (`spare`). It reports over the same
//! socket, which closes by itself when the helper becomes the command line.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::child_run::{Run, RunSandbox};
use super::message::{receive, send};
use super::start::{
    ChildDescriptors, ChildPipes, LaunchError, end, for_exec, move_to, start_failure,
    start_in_a_session,
};
use super::working_directory::WORKING_DIRECTORY;
use crate::binary::BinaryIdentity;
use crate::environment::ChildEnvironment;
use crate::error::Error;
use crate::probe;
use crate::program_files::ProgramFiles;
use crate::trust;
use protocol::Failure;
use sandbox::{
    AccessRules, Confinement, ConfinementReason, Confiner, Environment, KernelLimits,
    KernelSupport, SandboxMode,
};

/// The only argument of a launcher's command line. No command or verb has this name.
pub const LAUNCHER_WORD: &str = "__launcher";

/// The maximum time that a helper may take to read an order and to report.
const PATIENCE: Duration = Duration::from_secs(10);

/// The second order: what to become. Not `Debug`, because the words may contain note text
/// (`threats.toml` F12).
#[derive(Serialize, Deserialize)]
struct BecomeOrder {
    binary: OsString,
    words: Vec<String>,
    variables: Vec<(OsString, OsString)>,
}

/// The result of an order. None is sent once the helper has become the command line.
#[derive(Debug, Serialize, Deserialize)]
enum LaunchReport {
    /// The confinement is in force. The helper reads the second order.
    Confined(Confinement),
    /// The kernel cannot enforce all that the settings require.
    FallsShort(Confinement),
    /// Applying the confinement failed, with this reason.
    Failed(String),
    /// The start failed with this error of the operating system.
    NotStarted(i32),
}

/// The parameters for starting confined children.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    /// The program that serves as launcher.
    pub(super) helper: PathBuf,
    pub(super) mode: SandboxMode,
    pub(super) kernel_limits: Option<KernelLimits>,
}

/// The rules to which a helper confines itself, and as a message the first order. Two are equal only
/// if the named files are also the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LaunchRules {
    access: AccessRules,
    filtered: bool,
    is_all_required: bool,
    kernel: KernelSupport,
    /// The identity of the file at each path. After an update of an interpreter, or a restart of
    /// the app, whose socket is then a new file, the file tree must be built again. Not sent.
    #[serde(skip)]
    found: Vec<Option<BinaryIdentity>>,
}

impl Launch {
    /// Returns the rules for `binary`, with its files as they are now.
    pub(super) fn rules(
        &self,
        binary: &Path,
        environment: &ChildEnvironment,
    ) -> Result<LaunchRules, LaunchError> {
        let search: Vec<PathBuf> = environment
            .variable("PATH")
            .map(|path| std::env::split_paths(path).collect())
            .unwrap_or_default();
        let unusable = |why: &dyn std::fmt::Display| {
            LaunchError::Sandbox(format!("its interpreter or loader: {why}"))
        };
        let files = ProgramFiles::find(binary, &search).map_err(|error| unusable(&error.kind()))?;
        for program in &files.execute {
            // An interpreter that others can replace is as dangerous as such a binary.
            trust::check(program).map_err(|distrust| unusable(&distrust))?;
        }
        let filtered = !files.has_narrow;
        let access = files.rules(probe::socket_path(environment));
        let found = access
            .paths()
            .map(|path| BinaryIdentity::read(path).ok())
            .collect();
        Ok(LaunchRules {
            found,
            access,
            filtered,
            is_all_required: self.mode == SandboxMode::Require,
            kernel: kernel().within(self.kernel_limits),
        })
    }

    /// Starts the binary. Returns its process id and its confinement.
    pub(super) fn start(
        &self,
        run: &Run,
        ends: &ChildPipes,
    ) -> Result<(Pid, Confinement), LaunchError> {
        let mut helper = self.begin(ends)?;
        // The rules are worked out while the helper starts.
        let rules = self.rules(&run.target.binary.path, &run.target.environment)?;
        helper.confine(&rules)?;
        helper.finish(run)
    }

    /// Starts a helper, which waits for its orders.
    pub(super) fn begin(&self, ends: &ChildPipes) -> io::Result<Helper> {
        move_to(Path::new(WORKING_DIRECTORY))?;
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_write_timeout(Some(PATIENCE))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let streams = ChildDescriptors {
            stdin: theirs.as_fd(),
            stdout: ends.stdout(),
            stderr: ends.stderr(),
        };
        let word = [LAUNCHER_WORD.to_owned()];
        let pid = start_in_a_session(&self.helper, &word, std::iter::empty(), &streams)?;
        Ok(Helper {
            pid,
            socket,
            is_ours: true,
        })
    }
}

impl BecomeOrder {
    fn from_run(run: &Run) -> Self {
        let variables = run.target.environment.iter();
        Self {
            binary: run.target.binary.path.clone().into(),
            words: run.words.clone(),
            variables: variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }
}

/// A helper's process, until it becomes the command line. Dropping this kills it.
#[derive(Debug)]
pub(super) struct Helper {
    pub(super) pid: Pid,
    socket: UnixStream,
    is_ours: bool,
}

impl Helper {
    /// Gives the first order. Does not wait for the confinement.
    pub(super) fn confine(&mut self, rules: &LaunchRules) -> io::Result<()> {
        send(&mut self.socket, rules)
    }

    /// Gives the second order once the helper is confined, and waits until it is the binary of `run`.
    /// On an error nothing was started.
    pub(super) fn finish(&mut self, run: &Run) -> Result<(Pid, Confinement), LaunchError> {
        self.wait_as_long_as(run)?;
        let confinement = self.confined()?;
        // Waiting took time, and nothing may start after the deadline.
        self.wait_as_long_as(run)?;
        // A helper ignores an incomplete order.
        send(&mut self.socket, &BecomeOrder::from_run(run))?;
        match receive::<LaunchReport>(&mut self.socket) {
            Ok(report) => return Err(report.into()),
            // Either the socket closed because the helper became the binary, or there is no report.
            // Both count as started, so that no command runs twice. The time limit of the run ends
            // it.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::UnexpectedEof
                        | io::ErrorKind::WouldBlock
                        | io::ErrorKind::TimedOut
                ) => {}
            Err(error) => return Err(unreadable(&error)),
        }
        self.is_ours = false;
        Ok((self.pid, confinement))
    }

    /// Limits each wait for the helper to the time that the run has left.
    fn wait_as_long_as(&self, run: &Run) -> io::Result<()> {
        let left = run.deadline.left();
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let patience = left.clamp(Duration::from_millis(1), PATIENCE);
        self.socket.set_write_timeout(Some(patience))?;
        self.socket.set_read_timeout(Some(patience))
    }

    fn confined(&mut self) -> Result<Confinement, LaunchError> {
        match receive(&mut self.socket) {
            Ok(LaunchReport::Confined(confinement)) => Ok(confinement),
            Ok(report) => Err(report.into()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(LaunchError::Sandbox("the helper ended".to_owned()))
            }
            Err(error) => Err(unreadable(&error)),
        }
    }
}

fn unreadable(error: &io::Error) -> LaunchError {
    LaunchError::Sandbox(format!("the helper: {}", error.kind()))
}

impl Drop for Helper {
    fn drop(&mut self) {
        if self.is_ours {
            // The helper may have become another program; it must not continue.
            end(self.pid);
        }
    }
}

impl From<LaunchReport> for LaunchError {
    fn from(report: LaunchReport) -> Self {
        match report {
            LaunchReport::Confined(_) => Self::Sandbox("an unexpected report".to_owned()),
            LaunchReport::FallsShort(found) => Self::FallsShort(found),
            LaunchReport::Failed(why) => Self::Sandbox(why),
            LaunchReport::NotStarted(errno) => Self::System(io::Error::from_raw_os_error(errno)),
        }
    }
}

/// Returns the features of the kernel, detected once.
fn kernel() -> KernelSupport {
    static FOUND: OnceLock<KernelSupport> = OnceLock::new();
    *FOUND.get_or_init(KernelSupport::detect)
}

/// Tests how the binary would be confined: a helper confines itself and ends.
///
/// # Errors
///
/// If the helper cannot be started, or a confinement that the kernel supports failed.
pub fn try_confinement(environment: &Environment) -> Result<Confinement, Failure> {
    let sandbox = RunSandbox::new(SandboxMode::BestEffort, environment);
    let Some(helper) = sandbox.helper else {
        return Confinement::without_sandbox(sandbox.mode, ConfinementReason::NoHelper);
    };
    let launch = Launch {
        helper,
        mode: sandbox.mode,
        kernel_limits: sandbox.kernel_limits,
    };
    let surroundings = ChildEnvironment::from_environment(environment)?;
    let tried = || -> Result<Confinement, LaunchError> {
        let mut helper = launch.begin(&ChildPipes::open()?)?;
        helper.confine(&launch.rules(&launch.helper, &surroundings)?)?;
        helper.confined()
    };
    match tried() {
        Ok(confinement) | Err(LaunchError::FallsShort(confinement)) => Ok(confinement),
        Err(LaunchError::System(error)) => Err(start_failure(&error).into()),
        Err(LaunchError::Sandbox(why)) => Err(Error::Unconfined(why).into()),
    }
}

/// Returns the main function of the launcher process. Returns only if the command line was not
/// started.
pub fn launch() -> ExitCode {
    let Ok(socket) = rustix::stdio::stdin().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let mut socket = UnixStream::from(socket);
    let report = match become_the_binary(&mut socket) {
        Ok(never) => match never {},
        Err(report) => report,
    };
    match send(&mut socket, &report) {
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

fn become_the_binary(socket: &mut UnixStream) -> Result<std::convert::Infallible, LaunchReport> {
    let rules: LaunchRules = receive(socket).map_err(|error| system(&error))?;
    // The command line reads nothing, and gets the signal handling that a shell would give it:
    // Rust's runtime ignores SIGPIPE, which `exec` would keep, but a handler is reset by `exec`.
    let silence = fs_err::File::open("/dev/null").map_err(|error| system(&error))?;
    rustix::stdio::dup2_stdin(&silence).map_err(|errno| system(&errno.into()))?;
    signal_hook::flag::register(
        nix::sys::signal::Signal::SIGPIPE as i32,
        std::sync::Arc::default(),
    )
    .map_err(|error| system(&error))?;
    let confinement = Confiner::new(rules.kernel)
        .cli(&rules.access, rules.filtered)
        .map_err(|error| LaunchReport::Failed(error.to_string()))?;
    if rules.is_all_required && confinement.clone().accepted(SandboxMode::Require).is_err() {
        return Err(LaunchReport::FallsShort(confinement));
    }
    super::own_process::keep_memory_private();
    send(socket, &LaunchReport::Confined(confinement)).map_err(|error| system(&error))?;
    let order: BecomeOrder = receive(socket).map_err(|error| system(&error))?;
    let nul = |_nul| LaunchReport::Failed("a NUL byte in an argument".to_owned());
    let variables = order.variables.iter();
    let variables = variables.map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    let (arguments, variables) = for_exec(&order.binary, &order.words, variables).map_err(nul)?;
    nix::unistd::execve(&arguments[0], &arguments, &variables)
        .map_err(|errno| LaunchReport::NotStarted(errno as i32))
}

fn system(error: &io::Error) -> LaunchReport {
    match error.raw_os_error() {
        Some(errno) => LaunchReport::NotStarted(errno),
        None => LaunchReport::Failed(error.to_string()),
    }
}

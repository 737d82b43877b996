//! Starts the official command line confined: this program again, as a helper that reads an order,
//! confines itself and becomes the command line (`design.md` §16, `faults.md` §4.3).
//!
//! No code of ours runs between `fork` and `exec`, and nothing that is confined stays in the
//! gateway. The order comes, and the report goes, over the helper's standard input, a socket that
//! closes by itself when the helper becomes the command line.

use std::ffi::{CString, OsStr};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::child_run::RunSandbox;
use super::start::{ChildDescriptors, ChildPipes, moved_to, start_in_a_session};
use super::unix::{no_sandbox, start_failure, wait_for};
use super::working_directory::WORKING_DIRECTORY;
use crate::backend::obsidian::environment::ChildEnvironment;
use crate::backend::obsidian::probe;
use crate::backend::obsidian::program_files::ProgramFiles;
use crate::backend::obsidian::trust;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::sandbox::{
    Confinement, ConfinementReason, Confiner, KernelLimits, KernelSupport, SandboxMode,
};

/// The only argument of a launcher's command line. No command or verb has this name.
pub const LAUNCHER_WORD: &str = "__launcher";

/// The most time that an order may take until its report is complete.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest order that a launcher reads, in bytes. The kernel limits arguments to about 2 MiB.
const LONGEST_ORDER: u64 = 8 << 20;

/// What to start, and how. Not `Debug`, because the words may contain note text (`faults.md` F12).
#[derive(Serialize, Deserialize)]
struct LaunchOrder {
    binary: Vec<u8>,
    words: Vec<String>,
    variables: Vec<(Vec<u8>, Vec<u8>)>,
    socket: Vec<u8>,
    is_all_required: bool,
    kernel_limits: Option<KernelLimits>,
    /// Whether the helper ends after its report.
    is_trial: bool,
}

/// What became of an order. None is sent after the helper has become the command line.
#[derive(Debug, Serialize, Deserialize)]
enum LaunchReport {
    /// The confinement is in force. The start follows.
    Confined(Confinement),
    /// Not all of what is required can be in force.
    FallsShort(Confinement),
    /// The confinement failed.
    Failed(String),
    /// The start failed with this error of the operating system.
    NotStarted(i32),
}

/// Why nothing was started.
#[derive(Debug)]
pub(super) enum LaunchError {
    /// An error of the operating system, as from a start without a sandbox.
    System(io::Error),
    /// Not all of what is required can be in force.
    FallsShort(Confinement),
    /// The sandbox could not be applied.
    Sandbox(String),
}

impl From<io::Error> for LaunchError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// How children are confined.
#[derive(Clone, Debug)]
pub(super) struct Launch<'a> {
    /// The program that serves as launcher.
    pub(super) helper: &'a Path,
    pub(super) mode: SandboxMode,
    pub(super) kernel_limits: Option<KernelLimits>,
}

impl Launch<'_> {
    /// Starts the binary. Returns its process id, and what it is kept from.
    pub(super) fn start(
        &self,
        binary: &Path,
        words: &[String],
        environment: &ChildEnvironment,
        ends: &ChildPipes,
    ) -> Result<(Pid, Confinement), LaunchError> {
        if !moved_to(Path::new(WORKING_DIRECTORY)) {
            return Err(io::Error::from(io::ErrorKind::Unsupported).into());
        }
        let (mut ours, theirs) = UnixStream::pair()?;
        let streams = ChildDescriptors {
            stdin: theirs.as_fd(),
            stdout: ends.stdout(),
            stderr: ends.stderr(),
        };
        let word = [LAUNCHER_WORD.to_owned()];
        let pid = start_in_a_session(self.helper, &word, std::iter::empty(), &streams)?;
        drop(theirs);
        let order = self.order(binary, words, environment);
        let confined = send(&mut ours, &order).and_then(|()| receive(ours));
        if confined.is_err() {
            // Whatever it is by now, it must not go on.
            let _gone_already = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            let _status = wait_for(pid);
        }
        Ok((pid, confined?))
    }

    fn order(
        &self,
        binary: &Path,
        words: &[String],
        environment: &ChildEnvironment,
    ) -> LaunchOrder {
        let bytes = |text: &OsStr| text.as_bytes().to_vec();
        LaunchOrder {
            binary: bytes(binary.as_os_str()),
            words: words.to_vec(),
            variables: environment
                .iter()
                .map(|(name, value)| (bytes(name), bytes(value)))
                .collect(),
            socket: bytes(probe::socket_path(environment).as_os_str()),
            is_all_required: self.mode == SandboxMode::Require,
            kernel_limits: self.kernel_limits,
            is_trial: false,
        }
    }
}

/// What the binary would be kept from: a helper confines itself, and ends.
///
/// # Errors
///
/// If the helper cannot be started, or a confinement that the kernel supports failed.
pub fn try_confinement(environment: &Environment) -> Result<Confinement, Failure> {
    let sandbox = RunSandbox::new(SandboxMode::BestEffort, environment);
    let Some(helper) = sandbox.helper else {
        return Confinement::without_sandbox(sandbox.mode, ConfinementReason::NoHelper);
    };
    let order = LaunchOrder {
        binary: helper.as_os_str().as_bytes().to_vec(),
        words: Vec::new(),
        variables: Vec::new(),
        socket: Vec::new(),
        is_all_required: false,
        kernel_limits: sandbox.kernel_limits,
        is_trial: true,
    };
    match try_order(&helper, &order) {
        Ok(confinement) => Ok(confinement),
        Err(LaunchError::System(error)) => Err(start_failure(&error)),
        Err(LaunchError::FallsShort(found)) => Ok(found),
        Err(LaunchError::Sandbox(why)) => Err(no_sandbox(&why)),
    }
}

fn try_order(helper: &Path, order: &LaunchOrder) -> Result<Confinement, LaunchError> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let silence = fs_err::OpenOptions::new().write(true).open("/dev/null")?;
    let streams = ChildDescriptors {
        stdin: theirs.as_fd(),
        stdout: silence.file().as_fd(),
        stderr: silence.file().as_fd(),
    };
    let word = [LAUNCHER_WORD.to_owned()];
    let pid = start_in_a_session(helper, &word, std::iter::empty(), &streams)?;
    drop(theirs);
    let confined = send(&mut ours, order).and_then(|()| receive(ours));
    if confined.is_err() {
        let _gone_already = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    let _status = wait_for(pid);
    confined
}

fn send(socket: &mut UnixStream, order: &LaunchOrder) -> Result<(), LaunchError> {
    let order = serde_json::to_vec(order).map_err(io::Error::other)?;
    socket.set_write_timeout(Some(PATIENCE))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.write_all(&order)?;
    Ok(socket.shutdown(std::net::Shutdown::Write)?)
}

/// Reads the reports until the helper has become the command line, or has ended.
fn receive(mut socket: UnixStream) -> Result<Confinement, LaunchError> {
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes)?;
    let mut confinement = None;
    for report in serde_json::Deserializer::from_slice(&bytes).into_iter() {
        match report.map_err(io::Error::other)? {
            LaunchReport::Confined(found) => confinement = Some(found),
            LaunchReport::FallsShort(found) => return Err(LaunchError::FallsShort(found)),
            LaunchReport::Failed(why) => return Err(LaunchError::Sandbox(why)),
            LaunchReport::NotStarted(errno) => {
                return Err(io::Error::from_raw_os_error(errno).into());
            }
        }
    }
    confinement.ok_or_else(|| LaunchError::Sandbox("the helper ended".to_owned()))
}

/// The main function of the launcher process. Returns only if the command line was not started.
pub fn launch() -> ExitCode {
    let Ok(socket) = rustix::stdio::stdin().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let mut socket = UnixStream::from(socket);
    let report = match become_the_binary(&mut socket) {
        Ok(never) => match never {},
        Err(report) => report,
    };
    match tell(&mut socket, &report) {
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

fn tell(socket: &mut UnixStream, report: &LaunchReport) -> io::Result<()> {
    let report = serde_json::to_vec(report).map_err(io::Error::other)?;
    socket.write_all(&report)
}

fn become_the_binary(socket: &mut UnixStream) -> Result<std::convert::Infallible, LaunchReport> {
    let system = |error: io::Error| match error.raw_os_error() {
        Some(errno) => LaunchReport::NotStarted(errno),
        None => LaunchReport::Failed(error.to_string()),
    };
    let mut order = Vec::new();
    io::Read::by_ref(socket)
        .take(LONGEST_ORDER)
        .read_to_end(&mut order)
        .map_err(system)?;
    let order: LaunchOrder =
        serde_json::from_slice(&order).map_err(|error| system(io::Error::other(error)))?;
    let nul = |_nul| LaunchReport::Failed("a NUL byte in an argument".to_owned());
    let program = CString::new(order.binary.clone()).map_err(nul)?;
    let mut arguments = vec![program.clone()];
    for word in &order.words {
        arguments.push(CString::new(word.as_str()).map_err(nul)?);
    }
    let variables = order.variables.iter();
    let variables = variables
        .map(|(name, value)| CString::new([&name[..], &value[..]].join(&b'=')))
        .collect::<Result<Vec<_>, _>>()
        .map_err(nul)?;
    // The command line reads nothing, and handles signals as a program does that a shell starts.
    // Rust's runtime ignores SIGPIPE; a handler, unlike that, ends with the start of a program.
    let silence = fs_err::File::open("/dev/null").map_err(system)?;
    rustix::stdio::dup2_stdin(&silence).map_err(|errno| system(errno.into()))?;
    signal_hook::flag::register(
        nix::sys::signal::Signal::SIGPIPE as i32,
        std::sync::Arc::default(),
    )
    .map_err(system)?;
    let confinement = confine(&order, system)?;
    if order.is_all_required && confinement.clone().accepted(SandboxMode::Require).is_err() {
        return Err(LaunchReport::FallsShort(confinement));
    }
    if order.is_trial {
        return Err(LaunchReport::Confined(confinement));
    }
    tell(socket, &LaunchReport::Confined(confinement)).map_err(system)?;
    nix::unistd::execve(&program, &arguments, &variables)
        .map_err(|errno| LaunchReport::NotStarted(errno as i32))
}

fn confine(
    order: &LaunchOrder,
    system: impl Fn(io::Error) -> LaunchReport,
) -> Result<Confinement, LaunchReport> {
    let search: Vec<PathBuf> = order
        .variables
        .iter()
        .filter(|(name, _)| name == b"PATH")
        .flat_map(|(_, value)| std::env::split_paths(OsStr::from_bytes(value)))
        .collect();
    let files = ProgramFiles::of(Path::new(OsStr::from_bytes(&order.binary)), &search);
    let files = files.map_err(system)?;
    for program in files.programs() {
        // An interpreter that others can replace is as bad as such a binary.
        trust::check(program).map_err(|distrust| {
            LaunchReport::Failed(format!("its interpreter or loader: {distrust}"))
        })?;
    }
    let filtered = !files.has_narrow();
    let confiner = Confiner::new(KernelSupport::detect().within(order.kernel_limits));
    let rules = files.rules(PathBuf::from(OsStr::from_bytes(&order.socket)));
    confiner
        .cli(&rules, filtered)
        .map_err(|error| LaunchReport::Failed(error.to_string()))
}

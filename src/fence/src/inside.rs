//! The gateway inside the fence: `vault-gw` there hands its words and its three streams to the process outside,
//! which runs them for the agent of the fence (`design/run.md`).
//!
//! That process refuses every option that could name a file, another agent, other settings or another vault. It reads
//! no text from a file (`@FILE`), asks nobody, starts no pager, and ends with the run.

use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, PipeWriter, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{PidfdFlags, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::sync::Semaphore;

use super::fence::OWN_FOLDER;
use crate::error::Error;
use frontend::options::NO_PAGER;
use obsidian_cli::spawn::descriptor::{give, take};
use obsidian_cli::spawn::message::{receive, send};
use obsidian_cli::spawn::{ChildDescriptors, start_in_a_session};
use protocol::Failure;
use sandbox::Environment;

/// The variable with the path of the socket.
pub const SOCKET: &str = "VAULT_GW_RUN_SOCKET";

/// The options that an agent may use: they never name a file, another agent or other settings.
const OPTIONS: [&str; 25] = [
    "--backend",
    "--color",
    "--colour",
    "--correlation-id",
    "--deep",
    "--dry-run",
    "--escapes",
    "--format",
    "--help",
    "--if-hash",
    "--include-timestamp",
    "--json",
    "--links",
    "--list",
    "--no-pager",
    "--no-stdout",
    "--offset",
    "--output",
    "--run-id",
    "--tier",
    "--timeout-ms",
    "-h",
    "-j",
    "-o",
    "--version",
];

/// The options that an entry of an MCP client may repeat as the run has them.
const OF_AN_ENTRY: [&str; 7] = [
    "--agent",
    "--backend",
    "--sandbox",
    "--settings",
    "--tier",
    "--timeout-ms",
    "--vault",
];

/// The verbs that answer many requests from their input.
const SERVERS: [&str; 2] = ["call", "mcp"];

/// The maximum number of bytes of requests that are passed on at once.
const MOST_BYTES: usize = 1 << 16;

/// Maximum number of calls at the same time.
const MOST: usize = 16;

/// The maximum time for a call to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time in which a call may end after the program that sent it has gone.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The maximum time that a call waits for a sync. In a large vault that takes longer.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// Poll interval for states that are not reported.
const PAUSE: Duration = Duration::from_millis(10);

/// The answer to a call, whose request is its words: its exit status, or the reason why it did not run.
type Replied = Result<u8, String>;

/// The socket of a fence. Dropping it ends the calls.
pub struct Inside {
    listener: Arc<UnixListener>,
    socket: PathBuf,
    /// The permits for calls that run.
    permits: Arc<Semaphore>,
}

/// The parameters for running calls from inside.
#[derive(Clone)]
pub struct Served {
    /// This program.
    pub program: PathBuf,
    /// The words before the words of the call: the agent, the settings, the vault, and the person's other options for
    /// the run.
    pub words: Vec<String>,
    /// The agent that the program's own entry names, as `vault-gw install` writes it. It means the agent of the run.
    pub of_program: Option<String>,
    /// The variables of the outer process.
    pub environment: Environment,
    /// Receives a sender for each call, and drops it after the next sync.
    pub calls: Sender<Sender<()>>,
}

impl Inside {
    /// Returns the path of the socket in the fence.
    pub fn place() -> PathBuf {
        Path::new(OWN_FOLDER).join("socket")
    }

    /// Serves calls on a socket in this folder, which other users cannot enter.
    ///
    /// # Errors
    ///
    /// `IO_ERROR` if the socket cannot be made.
    pub fn serve(folder: &Path, served: Served) -> Result<Self, Failure> {
        let socket = folder.join("socket");
        let _old = fs_err::remove_file(&socket);
        // The path of a socket is short, so the folder is named by its descriptor.
        let present = fs_err::File::open(folder).map_err(Error::NoSocket)?;
        let short = format!("/proc/self/fd/{}/socket", present.as_raw_fd());
        let listener = Arc::new(UnixListener::bind(short).map_err(Error::NoSocket)?);
        let permits = Arc::new(Semaphore::new(MOST));
        let (listening, free) = (Arc::clone(&listener), Arc::clone(&permits));
        std::thread::spawn(move || {
            loop {
                let connection = match listening.accept() {
                    Ok((connection, _)) => connection,
                    // The fence is gone.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => break,
                    // For example too many open files: later calls must still be answered.
                    Err(_) => {
                        std::thread::park_timeout(PAUSE);
                        continue;
                    }
                };
                let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
                    continue;
                };
                let served = served.clone();
                std::thread::spawn(move || {
                    served.answer(connection);
                    drop(permit);
                });
            }
        });
        Ok(Self {
            listener,
            socket,
            permits,
        })
    }

    /// Returns the socket outside of the fence.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let _closed = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        let _gone = fs_err::remove_file(&self.socket);
        // Calls do not outlive the run: their callers are gone, so each call is being ended.
        let limit = Instant::now() + LAST_WORDS * 2;
        while self.permits.available_permits() < MOST && Instant::now() < limit {
            std::thread::park_timeout(PAUSE);
        }
    }
}

impl Served {
    fn answer(&self, mut connection: UnixStream) {
        // The caller may be gone, or send anything.
        let Ok((words, streams)) = receive_request(&mut connection) else {
            return;
        };
        let words = self.without_what_holds(words);
        let words = self.without_another_value(words).and_then(check);
        let replied: Replied = words.and_then(|words| {
            let ran = self.run(&words, &streams, &connection);
            ran.map_err(|error| format!("The call could not be started ({}).", error.kind()))
        });
        let _gone = send(&mut connection, &replied);
    }

    /// Returns the words without options that repeat the options of the run, as in the entry of an MCP client, which
    /// names its settings.
    fn without_what_holds(&self, words: Vec<String>) -> Vec<String> {
        let holds = |option: &str, value: &str| {
            if option == "--agent" && self.of_program.as_deref() == Some(value) {
                return true;
            }
            let mut pairs = self.words.iter().zip(self.words.iter().skip(1));
            OF_AN_ENTRY.contains(&option)
                && pairs.any(|pair| pair == (&option.to_owned(), &value.to_owned()))
        };
        let mut kept = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let next = words.peek().map_or("", String::as_str);
            match word.split_once('=') {
                Some((option, value)) if holds(option, value) => {}
                None if holds(&word, next) => drop(words.next()),
                _ => kept.push(word),
            }
        }
        kept
    }

    /// Refuses an option that the run has with another value: the later of the two would apply.
    fn without_another_value(&self, words: Vec<String>) -> Result<Vec<String>, String> {
        let is_of_the_run = |word: &&String| {
            let name = option_of(word);
            OF_AN_ENTRY.contains(&name) && self.words.iter().any(|present| present == name)
        };
        match words.iter().find(is_of_the_run) {
            Some(word) => Err(format!(
                "Programs in a fence cannot use `{word}`, because `vault-gw run` was started with another value for this option."
            )),
            None => Ok(words),
        }
    }

    /// Waits until the session has taken over what the program wrote before its call. Otherwise the call would not see
    /// that, and could change the same lines.
    fn wait_for_sync(&self) {
        let (waiting, synced) = channel();
        if self.calls.send(waiting).is_ok() {
            let _late = synced.recv_timeout(LONGEST_WAIT);
        }
    }

    /// Passes requests on to a server once the session has taken over what the program wrote before them. Returns
    /// whether there may be more.
    fn pass_on(&self, stdin: BorrowedFd<'_>, server: &mut PipeWriter) -> bool {
        let mut requests = vec![0; MOST_BYTES];
        let length = rustix::io::retry_on_intr(|| rustix::io::read(stdin, &mut *requests));
        let length = length.unwrap_or_default();
        if length > 0 {
            self.wait_for_sync();
        }
        requests.truncate(length);
        length > 0 && server.write_all(&requests).is_ok()
    }

    /// Runs the words as a process of their own, away from the terminal, and returns its exit status.
    fn run(
        &self,
        words: &[String],
        [stdin, stdout, stderr]: &[OwnedFd; 3],
        connection: &UnixStream,
    ) -> io::Result<u8> {
        let is_server = words.iter().any(|word| SERVERS.contains(&word.as_str()));
        if !is_server {
            self.wait_for_sync();
        }
        // A pager would be started outside of the fence.
        let words = [&self.words[..], &[NO_PAGER.to_owned()], words].concat();
        // Input typed into a terminal of the program would count as a person's.
        let nothing = fs_err::File::open("/dev/null")?;
        let stdin = if stdin.is_terminal() {
            nothing.as_fd()
        } else {
            stdin.as_fd()
        };
        // Each request to a server waits for a sync, so they go through this process.
        let (requests, server) = io::pipe()?;
        let mut server = is_server.then_some(server);
        let streams = ChildDescriptors {
            stdin: if is_server { requests.as_fd() } else { stdin },
            stdout: stdout.as_fd(),
            stderr: stderr.as_fd(),
        };
        let variables = self.environment.variables();
        let pid = start_in_a_session(&self.program, &words, variables, &streams)?;
        drop(requests);
        let process = rustix::process::pidfd_open(pid, PidfdFlags::empty());
        let has_ended = process.map_err(io::Error::from).and_then(|process| {
            loop {
                let mut sources = vec![
                    PollFd::new(&process, PollFlags::IN),
                    PollFd::new(connection, PollFlags::IN | PollFlags::RDHUP),
                ];
                if server.is_some() {
                    sources.push(PollFd::from_borrowed_fd(stdin, PollFlags::IN));
                }
                rustix::io::retry_on_intr(|| poll(&mut sources, None))?;
                let mut ready = sources.iter().map(|source| !source.revents().is_empty());
                match (ready.next(), ready.next()) {
                    (Some(true), _) => return Ok(true),
                    (_, Some(true)) => break,
                    // At the end of its input, or if it does not read any more.
                    _ if !server
                        .as_mut()
                        .is_some_and(|server| self.pass_on(stdin, server)) =>
                    {
                        server = None;
                    }
                    _ => {}
                }
            }
            let _gone = kill_process_group(pid, Signal::TERM);
            let time = Timespec::try_from(LAST_WORDS).ok();
            let mut source = [PollFd::new(&process, PollFlags::IN)];
            Ok(poll(&mut source, time.as_ref())? > 0)
        });
        if !has_ended.unwrap_or_default() {
            let _gone = kill_process_group(pid, Signal::KILL);
        }
        let waited = rustix::io::retry_on_intr(|| waitpid(Some(pid), WaitOptions::empty()))?;
        let status = waited.and_then(|(_, status)| status.exit_status());
        Ok(status.map_or(1, |status| u8::try_from(status).unwrap_or(1)))
    }
}

/// Receives a request: its words and its three streams.
fn receive_request(connection: &mut UnixStream) -> io::Result<(Vec<String>, [OwnedFd; 3])> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let words = receive(connection)?;
    let stream = || take(connection)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into());
    let streams: [io::Result<OwnedFd>; 3] = [stream(), stream(), stream()];
    let [stdin, stdout, stderr] = streams;
    Ok((words, [stdin?, stdout?, stderr?]))
}

/// Returns a word without its value.
fn option_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// Refuses every option that could extend the agent's permissions, and another vault. Verbs for people, and texts
/// from files, are refused by the code that reads them.
fn check(words: Vec<String>) -> Result<Vec<String>, String> {
    let is_closed = |word: &&String| {
        word.starts_with('-') && !OPTIONS.contains(&option_of(word)) || word.starts_with("vault=")
    };
    match words.iter().find(is_closed) {
        Some(word) => Err(format!("Programs in a fence cannot use `{word}`.")),
        None => Ok(words),
    }
}

/// Runs these words outside of the fence in which this process is.
///
/// # Errors
///
/// `USAGE_ERROR` if the process outside refuses them; `IO_ERROR` if it cannot be reached.
pub fn relayed(words: &[String], socket: &OsStr) -> Result<ExitCode, Failure> {
    match relay(words, socket) {
        Ok(Ok(status)) => Ok(ExitCode::from(status)),
        Ok(Err(why)) => Err(Error::RefusedOutside(why).into()),
        Err(error) => {
            let hint = match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    "A sandbox of this program blocks sockets. Use the tools of the MCP server `vault-gw mcp` instead."
                }
                _ => "The `vault-gw run` that started this program may have ended.",
            };
            Err(Error::NotReached(error.kind(), hint).into())
        }
    }
}

fn relay(words: &[String], socket: &OsStr) -> io::Result<Replied> {
    let mut connection = UnixStream::connect(Path::new(socket))?;
    send(&mut connection, &words)?;
    give(&connection, rustix::stdio::stdin())?;
    give(&connection, rustix::stdio::stdout())?;
    give(&connection, rustix::stdio::stderr())?;
    receive(&mut connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("inside_cases.txt");

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn served(line: &str, of_program: Option<&str>) -> Served {
        Served {
            program: PathBuf::new(),
            words: words(line),
            of_program: of_program.map(str::to_owned),
            environment: Environment::new([], None),
            calls: channel().0,
        }
    }

    #[test]
    fn m09_no_option_names_a_file_another_agent_or_another_vault() {
        for line in tables::lines(CASES, "m09 no option names a file another agent, 2") {
            assert_eq!(check(words(line)), Ok(words(line)), "{line}");
        }
        for line in tables::lines(CASES, "m09 no option names a file another agent") {
            assert!(check(words(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn an_entry_of_a_client_may_name_what_the_run_has() {
        let of_program = Some("claude-code");
        let served = served("--in-run --vault /v --agent a --settings /s", of_program);
        for [line, left] in tables::section(CASES, "an entry of a client may name") {
            let kept = served.without_what_holds(words(line));
            assert_eq!(kept, words(left), "{line}");
        }
    }

    #[test]
    fn no_call_has_another_value_than_the_run() {
        let served = served("--in-run --vault /v --tier v0", None);
        let checked = |line: &str| {
            let words = served.without_what_holds(words(line));
            served.without_another_value(words).and_then(check)
        };
        for line in ["--tier v0 read", "read --tier=v0", "read --timeout-ms 9"] {
            assert!(checked(line).is_ok(), "{line}");
        }
        for line in ["--tier v3 read", "read --tier=v3", "--tier v0 --tier v3"] {
            assert!(checked(line).is_err(), "{line}");
        }
    }
}

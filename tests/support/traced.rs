//! A running `vault-gw call` whose system calls are counted, by `ptrace`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::process::{ChildStdin, ChildStdout};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use fake_obsidian::scenario::Scenario;
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::Value;

use super::World;

const CASES: &str = include_str!("../data/support_traced.txt");

/// Calls of the runtime: memory, threads and their clocks. Their number depends on the machine.
const OF_THE_RUNTIME: [i64; 18] = [
    libc::SYS_brk,
    libc::SYS_clock_nanosleep,
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_epoll_pwait,
    libc::SYS_exit,
    libc::SYS_futex,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
];
/// More of them, which not every processor has or that have new numbers.
#[cfg(target_arch = "x86_64")]
const OF_THE_RUNTIME_HERE: [i64; 3] = [libc::SYS_epoll_wait, libc::SYS_poll, libc::SYS_sigaltstack];
#[cfg(not(target_arch = "x86_64"))]
const OF_THE_RUNTIME_HERE: [i64; 1] = [libc::SYS_sigaltstack];

/// How often each system call was begun, by its number.
pub(crate) type SystemCalls = BTreeMap<i64, usize>;

pub(crate) fn total(calls: &SystemCalls) -> usize {
    calls.values().sum()
}

/// Questions of each kind, by their commands. The word that is searched for stands in few notes.
pub(crate) static QUESTIONS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| tables::typed(CASES, "questions"));

/// Questions about one note that need the names in the vault, and not its index. They are asked first.
pub(crate) static QUESTIONS_OF_NAMES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| tables::typed(CASES, "questions of names"));

/// The settings that a server is started with: as installed, and the engine asked for by name.
pub(crate) const SETTINGS: [(&str, &[&str]); 2] =
    [("auto", &[]), ("embedded", &["--backend", "embedded"])];

/// A user with a vault of so many notes, one of them changed through the gateway, and with the app
/// installed, which does not run. The caches of the vault are warm.
pub(crate) fn world_of(notes: usize) -> World {
    let mut world = World::empty()
        .set("enabled = true")
        .set("allow_mutations = true");
    world.install(&Scenario::logged());
    for number in 3..notes {
        let text = format!("# Note {number}\nBread and flour. #tag{}\n", number % 7);
        world.write(&format!("{}/{number}.md", number / 500), text);
    }
    world.write(
        "Folder/Deep/Rare.md",
        "# Rare\nA zyzzyva is a weevil. #rare\n",
    );
    world.write("Link.md", "[[Rare]]: zyzzyva.\n");
    world.write("Other.md", "zyzzyva\n");
    // The change makes the folders of the journal, which each question looks into.
    let append: &[&str] = &["append", "path=Other.md", "content=weevil"];
    for words in [
        append,
        &["search", "query=zyzzyva"],
        &["notes:search", "query=zyzzyva"],
    ] {
        let ran = world.run(words);
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
    world
}

/// The signal that tells the tracer to count. The server does not get it.
const COUNT: Signal = Signal::SIGWINCH;

/// The server, and what it asked the system for since the last question. Ends when dropped.
pub(crate) struct TracedServer {
    pid: Pid,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    counts: Receiver<()>,
    calls: Arc<Mutex<SystemCalls>>,
    /// Returns how the server ended.
    tracer: Option<std::thread::JoinHandle<Option<WaitStatus>>>,
    stderr: File,
}

impl TracedServer {
    /// Starts the program with these words before `call`. An error where the system forbids tracing.
    pub(crate) fn start(world: &World, words: &[&str]) -> Result<Self, Errno> {
        let (shown, started) = channel();
        let (begins, counts) = channel();
        let calls = Arc::new(Mutex::new(SystemCalls::new()));
        let counted = Arc::clone(&calls);
        // Waits in the shell until it is traced: the program closes itself to tracers that come later.
        let words = [words, &["call"]].concat();
        let mut command = world.prepared_by_shell("read go; exec \"$@\"", &words);
        let stderr = tempfile::tempfile().unwrap();
        command.stderr(stderr.try_clone().unwrap());
        // Only the thread that traces a process may give it orders.
        let tracer = std::thread::spawn(move || trace(command, &shown, &begins, &counted));
        let (pid, mut input, output) = started.recv().unwrap()?;
        writeln!(input, "go").unwrap();
        Ok(Self {
            pid,
            input: Some(input),
            output: BufReader::new(output),
            counts,
            calls,
            tracer: Some(tracer),
            stderr,
        })
    }

    /// Counts from now on. Until then the server runs at its usual speed.
    pub(crate) fn count(&self) {
        kill(self.pid, COUNT).unwrap();
        self.counts.recv().unwrap();
    }

    /// Sends a question, which must succeed. Returns the system calls since the last answer.
    pub(crate) fn ask(&mut self, line: &str) -> SystemCalls {
        let sent = writeln!(self.input.as_mut().unwrap(), "{line}");
        let mut answer = String::new();
        let read = sent.and_then(|()| self.output.read_line(&mut answer));
        // A server that cannot start prints one envelope and ends.
        let succeeds =
            serde_json::from_str(&answer).is_ok_and(|answer: Value| answer["success"] == true);
        assert!(succeeds, "{line}: {read:?} {answer} {}", self.end());
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    /// Ends the server. Returns its status and what it printed but nobody has read.
    fn end(&mut self) -> String {
        drop(self.input.take());
        let mut printed = String::new();
        self.output.read_to_string(&mut printed).unwrap();
        let status = self.tracer.take().map(std::thread::JoinHandle::join);
        self.stderr.rewind().unwrap();
        self.stderr.read_to_string(&mut printed).unwrap();
        format!("{status:?} {printed}")
    }

    /// The fewest system calls that this question needs in some rounds, without those of the runtime.
    pub(crate) fn fewest(&mut self, line: &str) -> SystemCalls {
        // What the last question left to do is not counted.
        self.ask(line);
        let rounds = (0..6).map(|_| {
            let mut calls = self.ask(line);
            for number in OF_THE_RUNTIME.iter().chain(&OF_THE_RUNTIME_HERE) {
                calls.remove(number);
            }
            calls
        });
        rounds.min_by_key(total).unwrap()
    }
}

impl Drop for TracedServer {
    fn drop(&mut self) {
        // The end of its input ends the program, and with it the tracer.
        self.end();
    }
}

type Started = Result<(Pid, ChildStdin, ChildStdout), Errno>;

/// Starts the command and follows its threads until it ends. Returns how it ended.
fn trace(
    mut command: std::process::Command,
    started: &Sender<Started>,
    begins: &Sender<()>,
    counted: &Mutex<SystemCalls>,
) -> Option<WaitStatus> {
    let mut child = command.spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    // The official command line and the process that starts it are counted by nobody.
    let options = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE;
    if let Err(error) = ptrace::seize(pid, options) {
        child.kill().unwrap();
        child.wait().unwrap();
        started.send(Err(error)).unwrap();
        return None;
    }
    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    started.send(Ok((pid, input, output))).unwrap();
    let every_thread_of_ours = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    let mut threads = BTreeSet::from([pid]);
    let mut counts = false;
    let mut ended = None;
    loop {
        let (thread, signal) = match waitpid(None, Some(every_thread_of_ours)) {
            Ok(WaitStatus::PtraceSyscall(thread)) => {
                if let Some(number) = begun(thread) {
                    *counted.lock().unwrap().entry(number).or_default() += 1;
                }
                (thread, None)
            }
            Ok(WaitStatus::PtraceEvent(thread, ..)) => (thread, None),
            Ok(WaitStatus::Stopped(thread, COUNT)) => {
                counts = true;
                // None of them goes on before it was stopped and told to stop at each call. One may
                // have ended.
                for other in threads.iter().filter(|other| **other != thread) {
                    let _gone = ptrace::interrupt(*other);
                }
                begins.send(()).unwrap();
                (thread, None)
            }
            Ok(WaitStatus::Stopped(thread, signal)) => (thread, Some(signal)),
            Ok(status) => {
                ended = ended.or(Some(status).filter(|status| status.pid() == Some(pid)));
                continue;
            }
            Err(Errno::EINTR) => continue,
            Err(error) => {
                assert_eq!(error, Errno::ECHILD, "everything has ended");
                break;
            }
        };
        threads.insert(thread);
        let goes_on = if counts {
            ptrace::syscall(thread, signal)
        } else {
            ptrace::cont(thread, signal)
        };
        // It may have been killed meanwhile.
        assert!(matches!(goes_on, Ok(()) | Err(Errno::ESRCH)), "{goes_on:?}");
    } // Waited for above.
    drop(child.wait());
    ended
}

/// The number of the system call that a stopped thread begins; none where it ends one.
fn begun(thread: Pid) -> Option<i64> {
    let begins = ptrace::syscall_info(thread).ok()?.op == libc::PTRACE_SYSCALL_INFO_ENTRY;
    let registers = ptrace::getregs(thread).ok().filter(|_| begins)?;
    #[cfg(target_arch = "x86_64")]
    let number = registers.orig_rax;
    #[cfg(target_arch = "aarch64")]
    let number = registers.regs[8];
    i64::try_from(number).ok()
}

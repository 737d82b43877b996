//! The terminal of a program: a terminal of its own, so that it never has the person's terminal. A thread passes on
//! the output and the typed input while the run is in the foreground.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::SigSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp};
use serde::{Deserialize, Serialize};

use super::relay::{Ends, Relay};
use super::screen::Screen;

/// The controlling terminal of a process, regardless of its streams.
const CONTROLLING: &str = "/dev/tty";

/// The maximum time that a terminal may take to answer.
const ANSWER: Duration = Duration::from_millis(200);

/// A question that every terminal answers, and the ends of the answer (`DA1`).
const QUESTION: &[u8] = b"\x1b[c";
const ANSWER_START: &[u8] = b"\x1b[?";
const ANSWER_END: u8 = b'c';

/// The terminal that a program gets.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct TerminalOrder {
    /// Whether each of the three streams is on it.
    streams: [bool; 3],
    /// Whether the program has the keyboard from the start.
    pub(super) foreground: bool,
}

/// Both ends of a terminal for the program, in the process that leads the fence.
pub(super) struct OwnTerminal {
    screen: OwnedFd,
    device: OwnedFd,
}

impl OwnTerminal {
    pub(super) fn make() -> io::Result<Self> {
        let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&screen)?;
        unlockpt(&screen)?;
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        Ok(Self {
            device: ioctl_tiocgptpeer(&screen, flags)?,
            screen,
        })
    }

    /// Returns the end that the person sees.
    pub(super) fn screen(&self) -> BorrowedFd<'_> {
        self.screen.as_fd()
    }

    /// Makes the terminal the one of this process, which leads a session, and of its standard streams that are on a
    /// terminal.
    pub(super) fn attach(self, order: TerminalOrder) -> io::Result<()> {
        rustix::process::ioctl_tiocsctty(&self.device)?;
        let [stdin, stdout, stderr] = order.streams;
        if stdin {
            rustix::stdio::dup2_stdin(&self.device)?;
        }
        if stdout {
            rustix::stdio::dup2_stdout(&self.device)?;
        }
        if stderr {
            rustix::stdio::dup2_stderr(&self.device)?;
        }
        Ok(())
    }
}

/// The terminal on which a run was started.
pub(super) struct Terminal {
    device: Arc<File>,
    resized: Arc<UnixStream>,
    streams: [bool; 3],
    own: Pid,
    /// The other end of the terminal of the program.
    program: Option<Arc<File>>,
    relay: Option<Relay>,
    /// The modes of the terminal before the program got the keyboard.
    modes: Option<Termios>,
}

impl Terminal {
    /// Finds the terminal of this process; `None` if none of its streams is a terminal.
    pub(super) fn find() -> io::Result<Option<Self>> {
        let streams = streams().map(|stream| stream.is_terminal());
        let Some(first) = streams.iter().position(|is_terminal| *is_terminal) else {
            return Ok(None);
        };
        let device = match open() {
            Ok(device) => device,
            // It belongs to another session or to no session.
            Err(_) => self::streams()[first].try_clone_to_owned()?.into(),
        };
        let (resized, theirs) = UnixStream::pair()?;
        resized.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(Signal::WINCH.as_raw(), theirs)?;
        Ok(Some(Self {
            device: Arc::new(device),
            resized: Arc::new(resized),
            streams,
            own: rustix::process::getpgrp(),
            program: None,
            relay: None,
            modes: None,
        }))
    }

    /// Returns the terminal that the program gets instead. In a pipeline another program may want the keyboard, so
    /// the program has it only once it reads from its terminal.
    pub(super) fn order(&self) -> TerminalOrder {
        let [stdin, stdout, _] = self.streams;
        TerminalOrder {
            streams: self.streams,
            foreground: stdin && stdout && self.is_ours(),
        }
    }

    /// Whether this process is in the foreground. Without control of jobs every process is.
    fn is_ours(&self) -> bool {
        tcgetpgrp(&self.device).map_or(true, |group| group == self.own)
    }

    /// Takes the other end of the program's terminal, and gives it the size and, in the foreground, the modes of this
    /// terminal.
    pub(super) fn connect(&mut self, screen: OwnedFd) -> io::Result<()> {
        rustix::io::ioctl_fionbio(&screen, true)?;
        let program = Arc::new(File::from(screen));
        // In the background it has the modes of the shell, which reads a line at this moment.
        if self.is_ours() {
            tcsetattr(&program, OptionalActions::Now, &tcgetattr(&self.device)?)?;
        }
        self.program = Some(program);
        if let Some(ends) = self.ends() {
            ends.resize();
        }
        Ok(())
    }

    fn ends(&self) -> Option<Ends> {
        let program = Arc::clone(self.program.as_ref()?);
        Some(Ends {
            device: Arc::clone(&self.device),
            program,
            resized: Arc::clone(&self.resized),
        })
    }

    /// Begins to pass on the program's output, and typed input if the program should have the keyboard. Returns
    /// whether it has the keyboard.
    ///
    /// # Errors
    ///
    /// If the thread for that cannot be started.
    pub(super) fn enter(&mut self, has_keyboard: bool) -> io::Result<bool> {
        let Some(ends) = self.ends().filter(|_| self.relay.is_none()) else {
            return Ok(false);
        };
        let has_keyboard = has_keyboard && self.is_ours();
        if has_keyboard {
            let modes = tcgetattr(&self.device)?;
            let mut raw = modes.clone();
            raw.make_raw();
            tcsetattr(&self.device, OptionalActions::Drain, &raw)?;
            self.modes = Some(modes);
        }
        ends.resize();
        self.relay = Some(Relay::start(ends, Screen::default(), has_keyboard)?);
        Ok(has_keyboard)
    }

    /// Prints the program's output so far, and leaves the terminal as it was. Returns whether the program had the
    /// keyboard.
    pub(super) fn leave(&mut self) -> bool {
        let Some(relay) = self.relay.take() else {
            return false;
        };
        let mut screen = relay.end();
        let expects_answer = screen.expects_answer;
        let _gone = (&*self.device).write_all(&screen.leave());
        let Some(modes) = self.modes.take() else {
            return false;
        };
        if self.is_ours() {
            if expects_answer {
                self.discard_answers();
            }
            // Answers of the terminal are not for the shell.
            let action = if expects_answer {
                OptionalActions::Flush
            } else {
                OptionalActions::Drain
            };
            let _gone = tcsetattr(&self.device, action, &modes);
        }
        true
    }

    /// Asks the terminal a question, and reads up to its answer: then it has answered all questions of the program.
    fn discard_answers(&self) {
        let limit = Instant::now() + ANSWER;
        let _gone = (&*self.device).write_all(QUESTION);
        let mut read = Vec::new();
        loop {
            let time = Timespec::try_from(limit.saturating_duration_since(Instant::now())).ok();
            let mut polled = [PollFd::new(&*self.device, PollFlags::IN)];
            let mut chunk = [0; 1024];
            match poll(&mut polled, time.as_ref()) {
                Err(Errno::INTR) => continue,
                Ok(1..) => {}
                _ => return,
            }
            let Ok(count @ 1..) = (&*self.device).read(&mut chunk) else {
                return;
            };
            read.extend_from_slice(&chunk[..count]);
            let starts = read
                .windows(ANSWER_START.len())
                .rposition(|bytes| bytes == ANSWER_START);
            if starts.is_some_and(|start| read[start..].contains(&ANSWER_END)) {
                return;
            }
        }
    }

    /// Stops this process and the processes that were started with it, as the person asked of the program, until the
    /// shell continues them. `by_itself` if the program stopped because it does not have the keyboard, which may be
    /// free by then. Returns whether the program has the keyboard now.
    ///
    /// # Errors
    ///
    /// As for [`Self::enter`].
    pub(super) fn stop(&mut self, by_itself: bool) -> io::Result<bool> {
        let had_keyboard = self.leave();
        if !(by_itself && self.is_ours()) {
            stop_this_job();
        }
        self.enter(by_itself || had_keyboard)
    }
}

/// Stops the processes of this group until the shell continues them, unless there is no shell to do so.
pub(super) fn stop_this_job() {
    let Ok(leader) = rustix::process::getsid(None) else {
        return;
    };
    let is_there = rustix::process::test_kill_process(leader) != Err(Errno::SRCH);
    if is_there && leader != rustix::process::getpgrp() {
        let _stopped = rustix::process::kill_current_process_group(Signal::STOP);
    }
}

/// The state of the three streams at the start. Other programs with the same streams, such as a shell, get the
/// settings that a program makes there.
pub(super) struct Streams([Option<OFlags>; 3]);

impl Streams {
    pub(super) fn find() -> Self {
        Self(streams().map(|stream| fcntl_getfl(stream).ok()))
    }

    /// Restores the modes that the terminal had before.
    pub(super) fn put_right(&self) {
        for (stream, before) in streams().into_iter().zip(self.0) {
            if let Some(before) = before {
                let _gone = fcntl_setfl(stream, before);
            }
        }
    }
}

fn streams() -> [BorrowedFd<'static>; 3] {
    [
        rustix::stdio::stdin(),
        rustix::stdio::stdout(),
        rustix::stdio::stderr(),
    ]
}

/// Gives the terminal of this session to a group. A process in the background may do that only while it does not hear
/// the signal that forbids it.
pub(super) fn give(group: Pid) -> io::Result<()> {
    let device = open()?;
    let mut forbidding = SigSet::empty();
    forbidding.add(nix::sys::signal::Signal::SIGTTOU);
    let before = forbidding.thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_BLOCK)?;
    let given = tcsetpgrp(device, group);
    before.thread_set_mask()?;
    Ok(given?)
}

/// Whether the terminal of this session belongs to a group.
pub(super) fn belongs_to(group: Pid) -> bool {
    open().is_ok_and(|device| tcgetpgrp(device) == Ok(group))
}

fn open() -> io::Result<File> {
    let options = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let device = rustix::fs::open(CONTROLLING, options, rustix::fs::Mode::empty())?;
    Ok(File::from(device))
}

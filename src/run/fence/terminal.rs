//! Who has the terminal: the program while it runs in the foreground, and we otherwise.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;

use nix::sys::signal::{SigSet, Signal};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::Pid;
use rustix::termios::{
    OptionalActions, Termios, ioctl_tiocnxcl, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp,
};

/// The controlling terminal of a process, whatever its streams are.
const CONTROLLING: &str = "/dev/tty";

/// The terminal on which a fence was started.
pub(super) struct Terminal {
    device: File,
    modes: Option<Termios>,
    own: Pid,
    is_given: bool,
}

impl Terminal {
    /// The terminal of this process; `None` without one.
    pub(super) fn find() -> Option<Self> {
        let device = open().ok()?;
        Some(Self {
            modes: tcgetattr(&device).ok(),
            own: rustix::process::getpgrp(),
            is_given: false,
            device,
        })
    }

    /// Whether we have it.
    pub(super) fn is_ours(&self) -> bool {
        tcgetpgrp(&self.device) == Ok(self.own)
    }

    /// Notes that the program takes it.
    pub(super) fn is_given(&mut self) {
        self.is_given = true;
    }

    /// Stops this process and those that were started with it, as the person asked of the program,
    /// until the shell lets them go on. `by_itself` if the program stopped because it has not got the
    /// terminal, which may be ours meanwhile. Returns whether the program is to have it now.
    pub(super) fn stop(&mut self, by_itself: bool) -> bool {
        if !(by_itself && self.is_ours()) {
            self.take_back();
            // Ignored where no shell could let us go on.
            let _stopped = nix::sys::signal::kill(nix::unistd::Pid::from_raw(0), Signal::SIGTSTP);
        }
        self.is_given = self.is_ours();
        self.is_given
    }

    /// Takes it back, unless the shell has taken it.
    pub(super) fn take_back(&mut self) {
        if std::mem::take(&mut self.is_given) {
            let _gone = give(&self.device, self.own);
        }
    }

    /// Puts back how it was at the start, after a program that did not.
    pub(super) fn put_right(&self) {
        let _gone = ioctl_tiocnxcl(&self.device);
        if let Some(modes) = &self.modes
            && self.is_ours()
        {
            let _gone = tcsetattr(&self.device, OptionalActions::Drain, modes);
        }
    }
}

/// How the three streams were at the start. Who else has them, such as a shell, gets what a program
/// sets there.
pub(super) struct Streams([Option<OFlags>; 3]);

impl Streams {
    pub(super) fn find() -> Self {
        Self(streams().map(|stream| fcntl_getfl(stream).ok()))
    }

    /// Puts back how they were.
    pub(super) fn put_right(&self) {
        for (stream, before) in streams().into_iter().zip(self.0) {
            if let Some(before) = before {
                let _gone = fcntl_setfl(stream, before);
            }
        }
    }
}

fn streams() -> [BorrowedFd<'static>; 3] {
    [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()]
}

/// Takes the terminal for a group.
pub(super) fn take(group: Pid) -> io::Result<()> {
    give(&open()?, group)
}

fn open() -> io::Result<File> {
    let options = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let device = rustix::fs::open(CONTROLLING, options, rustix::fs::Mode::empty())?;
    Ok(File::from(device))
}

/// Gives the terminal to a group. A process in the background may do that only if it does not hear
/// the signal that forbids it.
fn give(device: &File, group: Pid) -> io::Result<()> {
    let mut forbidding = SigSet::empty();
    forbidding.add(Signal::SIGTTOU);
    let before = forbidding.thread_swap_mask(nix::sys::signal::SigmaskHow::SIG_BLOCK)?;
    let given = tcsetpgrp(device, group);
    before.thread_set_mask()?;
    Ok(given?)
}

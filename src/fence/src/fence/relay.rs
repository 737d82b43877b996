//! Passes on what a program prints on its terminal, and what the person types.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::{tcgetwinsize, tcsetwinsize};

use super::screen::Screen;

/// The maximum number of bytes that are read at once.
const CHUNK: usize = 16 * 1024;

/// Maximum bytes that are passed on after the relay is asked to end, because other programs may still print.
const MOST_LATE: usize = 1 << 20;

/// The ends between which bytes are passed.
#[derive(Clone)]
pub(super) struct Ends {
    /// The terminal of the person.
    pub(super) device: Arc<File>,
    /// The other end of the terminal of the program. Reads and writes do not wait.
    pub(super) program: Arc<File>,
    /// Reports that the terminal has another size.
    pub(super) resized: Arc<UnixStream>,
}

impl Ends {
    /// Gives the terminal of the program the size of the person's.
    pub(super) fn resize(&self) {
        if let Ok(size) = tcgetwinsize(&self.device) {
            let _gone = tcsetwinsize(&self.program, size);
        }
    }
}

/// A thread that passes bytes on.
pub(super) struct Relay {
    thread: JoinHandle<Screen>,
    stop: UnixStream,
}

impl Relay {
    /// Starts the thread. It reads what is typed only if `has_keyboard`.
    pub(super) fn start(ends: Ends, screen: Screen, has_keyboard: bool) -> io::Result<Self> {
        let (stop, stopped) = UnixStream::pair()?;
        let relayed = move || {
            Relayed {
                ends,
                screen,
                typed: Vec::new(),
                has_keyboard,
            }
            .run(&stopped)
        };
        Ok(Self {
            thread: std::thread::Builder::new().spawn(relayed)?,
            stop,
        })
    }

    /// Ends the thread, and returns what the program has changed on the terminal.
    pub(super) fn end(self) -> Screen {
        let _ended = self.stop.shutdown(std::net::Shutdown::Both);
        self.thread.join().unwrap_or_default()
    }
}

/// The state of the relay's thread.
struct Relayed {
    ends: Ends,
    screen: Screen,
    /// Typed bytes that the program has not read yet.
    typed: Vec<u8>,
    has_keyboard: bool,
}

impl Relayed {
    fn run(mut self, stopped: &UnixStream) -> Screen {
        let mut is_printing = true;
        loop {
            let mut wanted = [
                PollFlags::IN,
                PollFlags::IN,
                PollFlags::empty(),
                PollFlags::empty(),
            ];
            wanted[2].set(PollFlags::IN, is_printing);
            wanted[2].set(PollFlags::OUT, is_printing && !self.typed.is_empty());
            wanted[3].set(PollFlags::IN, self.has_keyboard && self.typed.is_empty());
            let sources = [
                stopped.as_fd(),
                self.ends.resized.as_fd(),
                self.ends.program.as_fd(),
                self.ends.device.as_fd(),
            ];
            // A source from which no event is wanted still reports its end all the time.
            let mut polled: Vec<PollFd<'_>> = std::iter::zip(&sources, wanted)
                .filter(|(_, wanted)| !wanted.is_empty())
                .map(|(source, wanted)| PollFd::from_borrowed_fd(*source, wanted))
                .collect();
            if rustix::io::retry_on_intr(|| poll(&mut polled, None)).is_err() {
                break;
            }
            let mut ready = polled.iter().map(PollFd::revents);
            let mut ready = wanted.map(|wanted| {
                (!wanted.is_empty())
                    .then(|| ready.next())
                    .flatten()
                    .unwrap_or(PollFlags::empty())
            });
            if !ready[0].is_empty() {
                break;
            }
            if !ready[1].is_empty() {
                let _nothing = (&*self.ends.resized).read(&mut [0; 64]);
                self.ends.resize();
            }
            if ready[2].contains(PollFlags::OUT) {
                self.pass_in();
                ready[2].remove(PollFlags::OUT);
            }
            if !ready[2].is_empty() {
                is_printing = self.pass_out().is_some();
            }
            if !ready[3].is_empty() {
                self.hear();
            }
        }
        let mut late = 0;
        while late < MOST_LATE
            && let Some(count @ 1..) = self.pass_out()
        {
            late += count;
        }
        self.screen
    }

    /// Prints the output of the program. Returns the number of bytes; `None` after the last program has closed the
    /// terminal.
    fn pass_out(&mut self) -> Option<usize> {
        let mut chunk = [0; CHUNK];
        match (&*self.ends.program).read(&mut chunk) {
            Ok(0) => None,
            Ok(count) => {
                let passed = self.screen.pass(&chunk[..count]);
                // Without the person's terminal the program still works on its own.
                let _gone = (&*self.ends.device).write_all(&passed);
                Some(count)
            }
            Err(error) if is_for_now(&error) => Some(0),
            Err(_closed) => None,
        }
    }

    fn hear(&mut self) {
        let mut chunk = [0; CHUNK];
        match (&*self.ends.device).read(&mut chunk) {
            Ok(count @ 1..) => {
                self.typed.extend_from_slice(&chunk[..count]);
                self.pass_in();
            }
            Err(error) if is_for_now(&error) => {}
            Ok(_) | Err(_) => self.has_keyboard = false,
        }
    }

    fn pass_in(&mut self) {
        match (&*self.ends.program).write(&self.typed) {
            Ok(count) => drop(self.typed.drain(..count)),
            Err(error) if is_for_now(&error) => {}
            Err(_closed) => self.typed.clear(),
        }
    }
}

/// Whether the same can be tried again later.
fn is_for_now(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

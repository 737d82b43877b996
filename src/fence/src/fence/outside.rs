//! A fence from outside: starts it, passes signals on, and waits for its end.

use std::io::{self, IsTerminal as _, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::Signal;

use super::order::{FenceEnd, FenceOrder, News, Way, Wish};
use super::role::FenceRole;
use super::terminal::{Streams, Terminal, stop_this_job};
use super::{Fence, PROXY_PORT, port};
use crate::error::Error;
use crate::network::Network;
use obsidian_cli::spawn::descriptor;
use obsidian_cli::spawn::message::{receive, send};
use protocol::{Code, Failure};
use sandbox::{
    Content, Environment, KeptFolder, KernelSupport, Made, Protection, signals::ignored,
};

/// The maximum time that the processes of a fence may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The signals that are passed on to the program: requests to end or to stop, and signals that only it understands.
const PASSED_ON: [Signal; 7] = [
    Signal::HUP,
    Signal::INT,
    Signal::QUIT,
    Signal::TERM,
    Signal::TSTP,
    Signal::USR1,
    Signal::USR2,
];

/// A program in its fence. Dropping this ends it, and all that it started.
pub struct Fenced {
    helper: Child,
    socket: UnixStream,
    way: Way,
    missing: Vec<Protection>,
    terminal: Option<Terminal>,
    /// Whether the program has the keyboard from the start.
    has_keyboard: bool,
    streams: Streams,
    signals: Vec<(Signal, UnixStream)>,
    end: Option<FenceEnd>,
}

impl Fence {
    /// Makes the fence and starts the program in it.
    ///
    /// # Errors
    ///
    /// `SANDBOX_UNAVAILABLE` if the system does not allow it, or the failure of the program's start.
    pub fn start(&self, environment: &Environment) -> Result<Fenced, Failure> {
        let kernel = KernelSupport::detect().within(environment.kernel_limits);
        match self.start_by(Way::Tree, kernel, environment) {
            // Without namespaces, only the network of the computer or no network is possible.
            Err(failure)
                if failure.code == Code::SandboxUnavailable
                    && kernel.landlock > 0
                    && matches!(self.network, Network::On | Network::Off) =>
            {
                self.start_by(Way::Rules, kernel, environment)
            }
            started => started,
        }
    }

    fn start_by(
        &self,
        way: Way,
        kernel: KernelSupport,
        environment: &Environment,
    ) -> Result<Fenced, Failure> {
        let helper = environment
            .helper
            .as_deref()
            .ok_or_else(|| unavailable("vault-gw does not know the path of its helper program"))?;
        if way == Way::Rules {
            self.link_what_is_lent().map_err(unavailable)?;
        }
        let signals = listen().map_err(unavailable)?;
        let pair = UnixStream::pair().and_then(|(socket, theirs)| {
            socket.set_read_timeout(Some(PATIENCE))?;
            socket.set_write_timeout(Some(PATIENCE))?;
            Ok((socket, FenceRole::Helper.start(helper, &theirs)?))
        });
        let (socket, helper) = pair.map_err(unavailable)?;
        let mut fenced = Fenced {
            helper,
            socket,
            way,
            missing: Vec::new(),
            terminal: Terminal::find().map_err(unavailable)?,
            has_keyboard: false,
            streams: Streams::find(),
            signals,
            end: None,
        };
        let terminal = fenced.terminal.as_ref().map(Terminal::order);
        fenced.has_keyboard = terminal.is_some_and(|terminal| terminal.foreground);
        fenced.run(&FenceOrder {
            way,
            kernel,
            umask: environment.umask,
            terminal,
            fence: self.by(way),
        })?;
        Ok(fenced)
    }

    /// Returns the fence as it is made. Without a file tree of its own, the program has another folder as its home, and
    /// starts in the real folder of the files at its working directory.
    fn by(&self, way: Way) -> Self {
        let mut fence = self.clone();
        if way == Way::Tree {
            return fence;
        }
        if let Some(home) = &self.home {
            fence.variables.retain(|(name, _)| name != "HOME");
            fence.variables.push(("HOME".into(), home.into()));
        }
        let here = &self.working_directory;
        let mut places = self.places.iter().rev();
        let elsewhere = places.find_map(|place| match &place.content {
            Content::Other { from, .. } => Some(from.join(here.strip_prefix(&place.at).ok()?)),
            _ => None,
        });
        fence.working_directory = elsewhere.unwrap_or_else(|| here.clone());
        fence
    }

    /// Puts links to lent files into the home of a program that has no file tree of its own.
    fn link_what_is_lent(&self) -> io::Result<()> {
        let kept = self.places.iter().find_map(|place| match &place.content {
            Content::Kept { from } => Some((KeptFolder::open(from), &place.at)),
            _ => None,
        });
        let Some((kept, at)) = kept else {
            return Ok(());
        };
        let kept = kept?;
        for place in &self.places {
            if let Content::Lent { from } = &place.content
                && let Ok(below) = place.at.strip_prefix(at)
            {
                // A folder that the program filled stays.
                let _full = kept.make(below, Made::Link(from));
            }
        }
        Ok(())
    }
}

impl Fenced {
    /// Whether the program sees a file tree of its own, with the copy at the place of the vault.
    pub fn has_own_tree(&self) -> bool {
        self.way == Way::Tree
    }

    /// Returns the protections that should be in force and are not.
    pub fn missing(&self) -> &[Protection] {
        &self.missing
    }

    /// Has the helper make the fence, and then the process that it starts or becomes start the program.
    fn run(&mut self, order: &FenceOrder) -> Result<(), Failure> {
        let fence = &order.fence;
        send(&mut self.socket, order).map_err(unavailable)?;
        match self.news()? {
            News::Made => {}
            other => return Err(refused(&other, fence).into()),
        }
        send(&mut self.socket, order).map_err(unavailable)?;
        match self.news()? {
            News::Closed(missing) => self.missing = missing,
            other => return Err(refused(&other, fence).into()),
        }
        if fence.is_all_required && (self.way == Way::Rules || !self.missing.is_empty()) {
            let why = "the settings require the whole fence, but this system supports only a part";
            return Err(unavailable(why).into());
        }
        self.connect_terminal().map_err(unavailable)?;
        self.pass_in(fence).map_err(unavailable)?;
        match self.news()? {
            News::Started => Ok(()),
            other => Err(refused(&other, fence).into()),
        }
    }

    fn connect_terminal(&mut self) -> io::Result<()> {
        let Some(terminal) = &mut self.terminal else {
            return Ok(());
        };
        let screen = descriptor::take(&self.socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        terminal.connect(screen)
    }

    /// Begins to show the program's output, and to pass on typed input.
    ///
    /// # Errors
    ///
    /// If the system does not let us.
    pub fn show(&mut self) -> Result<(), Failure> {
        if let Some(terminal) = &mut self.terminal {
            terminal.enter(self.has_keyboard).map_err(Error::Lost)?;
        }
        Ok(())
    }

    /// Gives the first process the input of the person if that is not a terminal, and the ends of the ports.
    fn pass_in(&self, fence: &Fence) -> io::Result<()> {
        let stdin = rustix::stdio::stdin();
        let nothing = fs_err::File::open("/dev/null")?;
        let stdin = if stdin.is_terminal() {
            nothing.as_fd()
        } else {
            stdin
        };
        descriptor::give(&self.socket, stdin)?;
        for port in &fence.ports {
            let (ours, theirs) = UnixStream::pair()?;
            match &fence.proxy {
                Some(proxy) if *port == PROXY_PORT => Arc::clone(proxy).answer(ours)?,
                _ => port::answer(*port, ours)?,
            }
            descriptor::give(&self.socket, theirs.as_fd())?;
        }
        Ok(())
    }

    fn news(&mut self) -> Result<News, Failure> {
        receive(&mut self.socket)
            .map_err(|error| unavailable(format!("the helper process failed: {error}")).into())
    }

    /// Waits until the program has ended, with all that it started, or for `time`.
    ///
    /// # Errors
    ///
    /// If the system cannot wait.
    pub fn wait(&mut self, time: Option<Duration>) -> Result<Option<FenceEnd>, Failure> {
        let limit = time.map(|time| Instant::now() + time);
        while self.end.is_none() {
            let left = limit.map(|limit| limit.saturating_duration_since(Instant::now()));
            if !self.attend(left).map_err(Error::Lost)? {
                return Ok(None);
            }
        }
        Ok(self.end)
    }

    /// Handles the next event. False if none came in this time.
    fn attend(&mut self, time: Option<Duration>) -> io::Result<bool> {
        let sources = std::iter::once(&self.socket).chain(self.signals.iter().map(|(_, it)| it));
        let mut polled: Vec<_> = sources
            .map(|source| PollFd::from_borrowed_fd(source.as_fd(), PollFlags::IN))
            .collect();
        let time = time.map(Timespec::try_from).transpose();
        match poll(&mut polled, time.unwrap_or_default().as_ref()) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(true),
            Err(errno) => return Err(errno.into()),
        }
        let ready: Vec<bool> = polled.iter().map(|it| !it.revents().is_empty()).collect();
        for ((signal, source), _) in self.signals.iter().zip(&ready[1..]).filter(|it| *it.1) {
            source.take(1).read_to_end(&mut Vec::new())?;
            // The program may have just ended.
            let _gone = send(&mut &self.socket, &Wish::Signal(signal.as_raw()));
        }
        if ready[0] {
            self.hear();
        }
        Ok(true)
    }

    fn hear(&mut self) {
        match receive(&mut self.socket) {
            Ok(News::Stopped(signal)) => {
                let by_itself = [Signal::TTIN, Signal::TTOU].map(Signal::as_raw);
                let by_itself = by_itself.contains(&signal);
                let foreground = if let Some(terminal) = &mut self.terminal {
                    terminal.stop(by_itself).unwrap_or(false)
                } else {
                    stop_this_job();
                    false
                };
                let _gone = send(&mut self.socket, &Wish::Continue { foreground });
            }
            Ok(News::Ended(end)) => self.is_over(end),
            // The process was killed from outside.
            _ => self.is_over(FenceEnd::Signal(Signal::KILL.as_raw())),
        }
    }

    /// Ends the program, and all that it started.
    pub fn end(&mut self) {
        if self.end.is_none() {
            self.is_over(FenceEnd::Signal(Signal::KILL.as_raw()));
        }
    }

    fn is_over(&mut self, end: FenceEnd) {
        self.end = Some(end);
        // The first process ends when this closes, and the helper when all processes are gone.
        let _closed = self.socket.shutdown(std::net::Shutdown::Both);
        let _status = self.helper.wait();
        self.streams.put_right();
        if let Some(terminal) = &mut self.terminal {
            terminal.leave();
        }
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns a source for each signal that is passed on. What the launcher ignores stays ignored.
fn listen() -> io::Result<Vec<(Signal, UnixStream)>> {
    let ignored = ignored();
    let heard = PASSED_ON
        .into_iter()
        .filter(|signal| !ignored.contains(&signal.as_raw()));
    heard
        .map(|signal| {
            let (source, theirs) = UnixStream::pair()?;
            signal_hook::low_level::pipe::register(signal.as_raw(), theirs)?;
            Ok((signal, source))
        })
        .collect()
}

fn refused(news: &News, fence: &Fence) -> Error {
    match news {
        News::NotStarted(errno) => {
            let name = fence.program.file_name().unwrap_or_default();
            let error = io::Error::from_raw_os_error(*errno).kind();
            Error::NotStarted(name.to_string_lossy().into_owned(), error)
        }
        News::NotMade(why) => Error::NotMade(why.clone()),
        _ => unavailable("the helper sent an unexpected report"),
    }
}

fn unavailable(why: impl std::fmt::Display) -> Error {
    Error::NotMade(why.to_string())
}

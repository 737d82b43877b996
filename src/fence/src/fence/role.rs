//! The processes of a fence that are this program again.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

/// The role of this process in a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceRole {
    /// The helper, which makes the fence.
    Helper,
    /// The first process inside the fence.
    Init,
    /// The process that confines itself and becomes the program, on a system without namespaces.
    Stage,
}

impl FenceRole {
    /// Returns the only argument on the command line of this role. No command or verb has this name.
    const fn word(self) -> &'static str {
        match self {
            Self::Helper => "__fence",
            Self::Init => "__fence-init",
            Self::Stage => "__fence-stage",
        }
    }

    /// Returns the role that these words ask for, without the program's name.
    pub fn from_words(words: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = words.into_iter();
        let word = words.next().filter(|_| words.next().is_none())?;
        [Self::Helper, Self::Init, Self::Stage]
            .into_iter()
            .find(|role| word == role.word())
    }

    /// Does the work of this role. Its standard input is the socket of the fence.
    pub fn play(self) -> ExitCode {
        let Ok(socket) = rustix::stdio::stdin().try_clone_to_owned() else {
            return ExitCode::FAILURE;
        };
        let socket = UnixStream::from(socket);
        let played = match self {
            Self::Helper => super::helper::make(socket),
            Self::Init => super::init::lead(socket),
            Self::Stage => super::stage::become_the_program(socket),
        };
        // The reader of the socket knows more than an exit status says.
        played.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
    }

    /// Starts `program`, which is this one, in this role.
    #[expect(
        clippy::disallowed_methods,
        reason = "the spawn module starts the official program, without a terminal; a fence has one"
    )]
    pub(super) fn start(self, program: &Path, socket: &UnixStream) -> io::Result<Child> {
        Command::new(program)
            .arg(self.word())
            .env_clear()
            .stdin(Stdio::from(socket.as_fd().try_clone_to_owned()?))
            .spawn()
    }
}

//! The messages over the socket of a fence.

use std::process::Command;

use rustix::fs::Mode;
use serde::{Deserialize, Serialize};

use super::Fence;
use super::terminal::TerminalOrder;
use sandbox::{KernelSupport, Protection};

/// The method that separates a program from the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Way {
    /// Namespaces and a separate file tree.
    Tree,
    /// Rules for the existing files.
    Rules,
}

/// Message to the helper, and then to the process that starts the program: the fence, and the features of the kernel.
#[derive(Serialize, Deserialize)]
pub(super) struct FenceOrder {
    pub(super) way: Way,
    pub(super) kernel: KernelSupport,
    pub(super) umask: u32,
    /// The terminal of the program, if the run has one.
    pub(super) terminal: Option<TerminalOrder>,
    pub(super) fence: Fence,
}

impl FenceOrder {
    /// The command that starts the program.
    #[expect(
        clippy::disallowed_methods,
        reason = "the spawn module starts the official program, without a terminal; a fence has one"
    )]
    pub(super) fn command(&self) -> Command {
        rustix::process::umask(Mode::from_bits_truncate(self.umask));
        let Fence {
            program,
            words,
            variables,
            working_directory,
            ..
        } = &self.fence;
        let mut command = Command::new(program);
        command
            .args(words)
            .env_clear()
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .current_dir(working_directory);
        command
    }
}

/// A request to the first process, while the program runs.
#[derive(Serialize, Deserialize)]
pub(super) enum Wish {
    /// Send this signal to the program.
    Signal(i32),
    /// Continue it after a stop.
    Continue {
        /// Whether it has the keyboard.
        foreground: bool,
    },
}

/// Message from the helper and the first process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum News {
    /// The fence could not be made.
    NotMade(String),
    /// The tree exists, and the first process takes over.
    Made,
    /// The rights are given up. The program can start; this is missing.
    Closed(Vec<Protection>),
    /// The program runs.
    Started,
    /// The system did not start it, with this error.
    NotStarted(i32),
    /// The program was stopped by this signal.
    Stopped(i32),
    /// The program ended.
    Ended(FenceEnd),
}

/// The way in which a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FenceEnd {
    /// The program exited with this status.
    Code(i32),
    /// The program was killed by this signal.
    Signal(i32),
}

impl FenceEnd {
    /// Returns the exit status of a process that passes this on.
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Code(code) => u8::try_from(code).unwrap_or(u8::MAX),
            Self::Signal(signal) => 128_u8.saturating_add(u8::try_from(signal).unwrap_or_default()),
        }
    }
}

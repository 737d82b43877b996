//! Restricts what a process of this program may do: files by Landlock, system calls by seccomp, and
//! resource limits (`design/sandbox.md`).
//!
//! Two processes are confined: the official command line, before it starts ([`Confiner::cli`]), and
//! a server for agents, before it reads its first request ([`Confiner::server`]). Neither can be
//! undone, and both apply to every process that starts below. Nothing here decides *what* is
//! allowed; the callers list the paths ([`AccessRules`]).

pub mod account;
pub mod client;
pub mod clock;
mod confinement;
#[cfg(target_os = "linux")]
mod confiner;
pub mod diagnostics;
pub mod environment;
#[cfg(target_os = "linux")]
mod fenced_root;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod kept_folder;
#[cfg(target_os = "linux")]
mod kernel;
mod kernel_limits;
#[cfg(target_os = "linux")]
mod limits;
mod mode;
#[cfg(target_os = "linux")]
mod own_network;
#[cfg(target_os = "linux")]
mod own_root;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod place_rules;
pub mod private_dir;
mod rules;
#[cfg(target_os = "linux")]
mod ruleset;
pub mod signals;

pub use confinement::{Confinement, ConfinementReason, ConfinementState, Protection};
#[cfg(target_os = "linux")]
pub use confiner::{Confiner, SandboxError};
#[cfg(target_os = "linux")]
pub use fenced_root::{FencedRoot, finish};
#[cfg(target_os = "linux")]
pub use kept_folder::{KeptFolder, Made};
#[cfg(target_os = "linux")]
pub use kernel::KernelSupport;
pub use kernel_limits::KernelLimits;
pub use mode::SandboxMode;
#[cfg(target_os = "linux")]
pub use place::{Access, Content, Place, any_path};
pub use rules::AccessRules;

/// Returns a path of the table of mounts: blanks and the like are a backslash and three octal digits there.
#[cfg(any(target_os = "linux", test))]
pub fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, more @ ..] = rest {
        let code = more.get(..3).filter(|_| *first == b'\\');
        let code = code.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &more[3..] } else { more };
    }
    bytes
}

pub use account::Account;
pub use client::ClientProcess;
pub use clock::Clock;
pub use diagnostics::Diagnostics;
pub use environment::Environment;
pub use private_dir::{PrivateFolder, Unsafe};
pub use signals::{Signal, Signals};

//! The backend of the official `obsidian` command line (`official-cli.md`, `threats.toml` groups C and G).
//!
//! Steps of a call: [`locate`] the binary and check that it can be trusted, build the child's
//! [`environment`], [`probe`] the app's socket (nothing is spawned without it), lay out the
//! [`argv`] within the [`limits`], acquire a permit from [`permits`], [`spawn`] one run, and
//! [`classify`] its output. All of this is synchronous; each run has its own thread and runtime.

pub mod argv;
pub mod binary;
pub mod classify;
pub mod drift;
pub mod environment;
mod error;
pub mod image;
pub mod kind;
mod known_version;
pub mod limits;
pub mod locate;
pub mod permits;
pub mod probe;
#[cfg(target_os = "linux")]
mod program_files;
mod session;
pub mod spawn;
pub mod split;
pub mod trust;
pub mod version;

pub use error::Error;
pub use session::{Obsidian, Ready, ambiguous_output};

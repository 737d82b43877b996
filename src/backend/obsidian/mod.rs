//! The official `obsidian` command line: everything between an admitted call and the bytes the
//! app printed (`official-cli.md`, `faults.md` sections 4 and 5).
//!
//! The order of use is the order of the promises: [`locate`] the binary and trust it,
//! build the child's [`environment`], [`probe`] the app's socket (nothing is spawned where it is
//! absent), lay out the [`argv`] within the [`limits`], take a place in the [`slots`],
//! [`spawn`] one run, then [`classify`] what it printed. All of it is synchronous; the run has a
//! thread and a runtime of its own.

pub mod argv;
pub mod binary;
pub mod classify;
pub mod deadline;
pub mod drift;
pub mod environment;
pub mod image;
pub mod kind;
mod known_version;
pub mod limits;
pub mod locate;
pub mod probe;
mod session;
pub mod slots;
pub mod spawn;
pub mod split;
pub mod trust;
pub mod version;

pub use session::{Obsidian, Ready};
pub(crate) use session::{ambiguous_output, silence};

//! The two backends: the official binary with the running app, and the embedded engine.

pub mod app_error;
pub mod cancel;
pub mod captured;
pub mod embedded;
mod engine_error;
mod engine_issue;

mod pinned_vault;
mod produced;
mod resolved_call;

pub use captured::Captured;
pub use engine_error::check_vault;
pub use engine_error::{BEING_WRITTEN, NOT_REGULAR, engine_failure};
pub use engine_issue::engine_issue;
pub use pinned_vault::PinnedVault;
pub use produced::{Cut, Process, Produced, Truncated};
pub use resolved_call::{Limits, ResolvedCall};

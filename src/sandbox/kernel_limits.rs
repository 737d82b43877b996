//! Limits that let a test imitate an older kernel.

use serde::{Deserialize, Serialize};

/// The most that is used of the kernel. It can only reduce what the kernel offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLimits {
    /// The version of Landlock; 0 without Landlock.
    pub landlock: i32,
    /// Whether processes may have a file tree of their own.
    pub trees: bool,
}

//! Limits that let a test imitate an older kernel.

use serde::{Deserialize, Serialize};

/// The limits of the kernel features to use. They can only reduce the features of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLimits {
    /// The version of Landlock; 0 without Landlock.
    pub landlock: i32,
    /// Whether processes may have a file tree of their own.
    pub trees: bool,
}

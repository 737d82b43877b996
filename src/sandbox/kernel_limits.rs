//! What a test takes away of a kernel.

use serde::{Deserialize, Serialize};

/// What is used of the system at most, so that a test sees what an older one gets. Can only take
/// away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelLimits {
    /// The version of Landlock; 0 for none.
    pub landlock: i32,
    /// Whether processes may have a file tree of their own.
    pub trees: bool,
}

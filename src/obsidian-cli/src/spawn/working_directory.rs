//! The working directory of children.

/// The child's working directory. Outside any vault, because without `vault=` the app would use the
/// vault that contains the working directory (`official-cli.md` §4).
pub const WORKING_DIRECTORY: &str = if cfg!(windows) { "C:\\" } else { "/" };

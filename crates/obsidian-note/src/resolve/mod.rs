//! Resolves links to files (`vault-semantics.md` §2.3).

mod choice;
mod everywhere;
mod index;
mod kin;
mod spelling;
#[cfg(test)]
mod tests;

pub use everywhere::FromEverywhere;
pub use index::LinkIndex;
pub use kin::Kin;
pub use spelling::unresolved_name;

use crate::path::VaultPath;

/// The result of resolving a linkpath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The link leads to no file.
    Missing,
    /// The link leads to one file.
    Found(ResolvedFile),
}

impl Resolution {
    /// Returns the file that the link leads to.
    pub fn path(self) -> Option<VaultPath> {
        match self {
            Self::Missing => None,
            Self::Found(found) => Some(found.path),
        }
    }
}

/// The file that a linkpath leads to, by which rule, and the alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedFile {
    /// The path of the file that the app would open.
    pub path: VaultPath,
    /// The rule that chose this file.
    pub rule: Rule,
    /// Every other file that the same text could mean, in byte order.
    pub others: Vec<VaultPath>,
    /// Whether the app's own choice is unpredictable (rule 8). The engine always chooses the same
    /// file.
    pub unstable: bool,
}

/// The rule by which a file was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// An empty linkpath means the note that contains it (rule 1).
    Source,
    /// `./` or `../`: a path from the source's folder (rule 2).
    Relative,
    /// A leading `/`: a path from the root (rule 3).
    Absolute,
    /// The text is the file's whole path, with or without `.md` (rule 4).
    ExactPath,
    /// The only file whose path ends like this (rule 5).
    OnlyOne,
    /// The shortest one below the source's folder, at any depth (rule 6).
    BelowSource,
    /// The one with the shortest path (rule 7).
    Shortest,
}

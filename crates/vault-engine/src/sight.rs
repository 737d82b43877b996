//! What a caller may know of a vault (`faults.md` D13).
//!
//! A vault that is limited to a sight answers every question as if the files and
//! folders out of sight were not there. The limit is applied where the engine learns of a file:
//! in the walk, in the index, and in each look at the disk for one path. So it holds before
//! anything is matched, limited, ranked or resolved, and no command has to think of it.

use crate::disk::{Blocked, Obstacle};
use crate::path::VaultPath;

/// Which files and folders a caller may know of. The answers must depend on the paths alone.
///
/// A folder stays in sight when all files in it are out of sight: it is what is left when those
/// files are removed. No file is in sight in a folder that is not.
pub trait Sight: Send + Sync {
    /// Whether the caller may know of the file at this path.
    fn sees_file(&self, path: &VaultPath) -> bool;
    /// Whether the caller may know of the folder at this path.
    fn sees_folder(&self, path: &VaultPath) -> bool;
}

/// The obstacle as the caller may know of it: what is out of sight is missing.
pub(crate) fn blocked_in(sight: &dyn Sight, blocked: Blocked) -> Blocked {
    let at = &blocked.at;
    let is_seen = match &blocked.obstacle {
        Obstacle::Missing => true,
        Obstacle::NotAFolder | Obstacle::Special => sight.sees_file(at),
        Obstacle::IsFolder => sight.sees_folder(at),
        Obstacle::Symlink | Obstacle::Io(_) => sight.sees_file(at) || sight.sees_folder(at),
    };
    if is_seen {
        return blocked;
    }
    Blocked {
        obstacle: Obstacle::Missing,
        ..blocked
    }
}

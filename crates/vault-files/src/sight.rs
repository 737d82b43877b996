//! Limits a vault to the files that a caller can see (`threats.toml` D13).
//!
//! A vault that is limited to a [`Sight`] answers every request as if the other files and folders did not exist. The
//! limit is applied at each place where the engine learns of a file: in the walk, in the index, and when one path is
//! opened. So it applies before anything is matched, limited, ranked or resolved, and no command has to apply it
//! itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use obsidian_note::{NoteRules, VaultPath};

use crate::disk::{Blocked, Obstacle};

/// The files and folders that a caller can see. The answers must depend on the paths alone.
///
/// A folder stays visible when all files in it are hidden: it then looks empty. No file is visible
/// in a folder that is not. Notes that [`Self::note_rules`] close are hidden too.
pub trait Sight: Send + Sync {
    /// Whether the caller can see the file at this path.
    fn sees_file(&self, path: &VaultPath) -> bool;
    /// Whether the caller can see the folder at this path.
    fn sees_folder(&self, path: &VaultPath) -> bool;
    /// Whether the caller can see a folder of its draft at this path, even if a closed note has the path.
    fn sees_new_folder(&self, path: &VaultPath) -> bool {
        self.sees_folder(path)
    }
    /// Whether a file with several hard links is hidden unless the caller sees all of its names in the vault.
    fn minds_hard_links(&self) -> bool {
        false
    }
    /// Returns the rules that close notes by what is in them; `None` if none does.
    fn note_rules(&self) -> Option<&NoteRules> {
        None
    }
    /// Whether the file at this path is a note that these rules close.
    fn closes_content(&self, _path: &VaultPath) -> bool {
        false
    }
}

/// A sight together with the notes that its rules close at one moment, so that it depends on paths
/// alone.
pub struct SightNow {
    /// The sight itself.
    pub sight: Arc<dyn Sight>,
    /// The notes that its rules close.
    pub closed: BTreeSet<VaultPath>,
}

impl Sight for SightNow {
    fn sees_file(&self, path: &VaultPath) -> bool {
        self.sight.sees_file(path) && !self.closed.contains(path)
    }

    fn sees_folder(&self, path: &VaultPath) -> bool {
        // Otherwise a closed note would count as something that might be a folder.
        self.sight.sees_folder(path) && !self.closed.contains(path)
    }

    fn sees_new_folder(&self, path: &VaultPath) -> bool {
        self.sight.sees_new_folder(path)
    }

    fn minds_hard_links(&self) -> bool {
        self.sight.minds_hard_links()
    }

    fn note_rules(&self) -> Option<&NoteRules> {
        self.sight.note_rules()
    }

    fn closes_content(&self, path: &VaultPath) -> bool {
        self.sight.sees_file(path) && self.closed.contains(path)
    }
}

/// Returns the obstacle as the caller can see it: what is out of sight is reported as missing.
pub(crate) fn blocked_in(sight: Option<&dyn Sight>, blocked: Blocked) -> Blocked {
    let Some(sight) = sight else {
        return blocked;
    };
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
    Obstacle::Missing.at(blocked.at)
}

//! A vault whose index stays in memory between questions.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use cli_output::Arguments;

use crate::commands::{Reply, reply};
use crate::error::EngineError;
use crate::index::Snapshot;
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::vault::Vault;

/// A vault with its index in memory, for a process that stays: a question about the whole vault
/// costs what its answer does, and no walk.
///
/// It does not look after changes by itself. Whoever holds it says when to look ([`Self::refresh`])
/// or where ([`Self::refresh_paths`]); until then it answers about the vault as it was. What a
/// question about one note asks of that note is always read from the disk.
///
/// Questions may be asked from many threads, and while a refresh is under way: they are answered
/// from what was known before it.
pub struct Resident {
    vault: Vault,
    snapshot: RwLock<Arc<Snapshot>>,
    /// So that of two refreshes none undoes the other.
    refreshing: Mutex<()>,
}

impl Resident {
    /// Reads the vault's index into memory: from its cache file what that knows, else from the
    /// notes.
    pub fn open(vault: Vault) -> Result<Self, EngineError> {
        let snapshot = Snapshot::read(&vault)?;
        Ok(Self {
            vault,
            snapshot: RwLock::new(Arc::new(snapshot)),
            refreshing: Mutex::new(()),
        })
    }

    /// The vault, answering about the whole of it from memory as it is known now. To be taken anew
    /// for each question: it does not see later refreshes.
    pub fn vault(&self) -> Vault {
        self.vault.with_snapshot(self.snapshot())
    }

    /// Answers a command as [`reply`] does.
    pub fn reply(
        &self,
        command: &str,
        arguments: &Arguments,
        surroundings: &Surroundings,
    ) -> Result<Reply, EngineError> {
        reply(&self.vault(), command, arguments, surroundings)
    }

    /// Looks at the whole vault: a walk, and one look at the size, times and inode of every note.
    /// Notes that differ are read, and those that were changed less than two seconds before they
    /// were last read. Whether anything was read, or files came or went.
    pub fn refresh(&self) -> Result<bool, EngineError> {
        self.replace(|snapshot| snapshot.again(&self.vault))
    }

    /// Looks at these paths, of files or folders, and at all that is below them: what is there is
    /// read, what is not there any more is forgotten. As for [`Self::refresh`], whether anything
    /// was.
    ///
    /// A renamed file or folder has to be given under both names. Where a look at the paths alone
    /// does not tell enough, as with symlinks among them, it looks at the whole vault.
    pub fn refresh_paths(&self, paths: &[VaultPath]) -> Result<bool, EngineError> {
        self.replace(|snapshot| snapshot.again_at(&self.vault, paths))
    }

    fn replace(
        &self,
        next: impl FnOnce(&Snapshot) -> Result<Option<Snapshot>, EngineError>,
    ) -> Result<bool, EngineError> {
        let _alone = self
            .refreshing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some(next) = next(&self.snapshot())? else {
            return Ok(false);
        };
        *self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(true)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = self.snapshot.read();
        Arc::clone(&snapshot.unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;

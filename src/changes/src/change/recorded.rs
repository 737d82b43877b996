//! Makes changes that are planned to the byte under a journal entry of their own: an undo, a redo, or what a
//! person accepts of a draft.

use vault_engine::{EngineError, VaultPath};

use crate::file_change::{FileChange, Happening};
use crate::patience::{Patience, is_being_written};
use backend::cancel::Cancel;
use backend::{PinnedVault, engine_failure};
use protocol::{Deadline, Failure, Issue};
use store::journal::{NewEntry, Restoration, RunEnd, VaultLock, kept_folders};

/// Makes all of the changes or none, so that the run can be undone, and a killed one can be recovered. Returns
/// warnings. The entry plans the changes of the restoration.
///
/// An editor may have a file open for writing. Then nothing is changed, and this tries again for three seconds.
///
/// # Errors
///
/// If a file differs from the plan or cannot be written, or the call was cancelled.
pub fn make_recorded(
    lock: &VaultLock,
    vault: &PinnedVault,
    entry: &NewEntry<'_>,
    restoration: &Restoration,
    (deadline, cancel): (Deadline, &Cancel),
) -> Result<Vec<Issue>, Failure> {
    let patience = Patience::within(deadline);
    loop {
        match attempt(lock, vault, entry.clone(), restoration) {
            Err(failure) if is_being_written(&failure) && patience.is_left() => {
                patience.pause(cancel)?;
            }
            result => return result,
        }
    }
}

fn attempt(
    lock: &VaultLock,
    vault: &PinnedVault,
    entry: NewEntry<'_>,
    restoration: &Restoration,
) -> Result<Vec<Issue>, Failure> {
    let (run, now) = (entry.run_id.to_string(), entry.now);
    let open = lock.begin(&vault.engine, entry)?;
    let mut warnings = match restoration.apply(&vault.engine, &run) {
        Ok(warnings) => warnings,
        // The entry stays open, so that the next call can roll back.
        Err(error @ EngineError::HalfDone { .. }) => return Err(engine_failure(error)),
        Err(error) => {
            open.abandon()?;
            return Err(engine_failure(error));
        }
    };
    let kept: Vec<VaultPath> = kept_folders(&warnings)
        .filter_map(|path| VaultPath::folder(path).ok())
        .collect();
    let ended = RunEnd {
        kept: &kept,
        ..RunEnd::AS_REQUESTED
    };
    if let Err(failure) = open.finish(&vault.engine, now, ended) {
        // The changes are made. The recovery of the next call closes the entry.
        warnings.push(Issue::new("JOURNAL_NOT_CLOSED", failure.message()));
    }
    Ok(warnings)
}

/// Leaves out folders that a run did not remove, because they are in use, as its warnings say.
#[must_use]
pub fn without_kept(mut files: Vec<FileChange>, warnings: &[Issue]) -> Vec<FileChange> {
    files.retain(|file| {
        file.change != Happening::FolderRemoved
            || kept_folders(warnings).all(|kept| *kept != *file.path)
    });
    files
}

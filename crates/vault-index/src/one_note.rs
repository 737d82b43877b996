//! The contents of one file, read without a walk.

use obsidian_note::note_record::record_of;
use obsidian_note::{NoteRecord, VaultPath, Warning};
use vault_files::{EngineError, Refusal, Surroundings, Vault};

use crate::target::Target;

/// The parsed contents of one file.
pub struct OneNote {
    /// Its path.
    pub path: VaultPath,
    /// The facts about it.
    pub record: NoteRecord,
    /// Warnings about what could not be read or was left out.
    pub warnings: Vec<Warning>,
}

impl OneNote {
    /// Fails if the file does not exist. A file that is not a note or canvas, or is too large, counts as empty.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn read(vault: &Vault, mut target: Target) -> Result<Self, EngineError> {
        let mut record = NoteRecord::default();
        if !target.path.is_indexed() {
            target.must_exist(vault)?;
        } else if let Some(bytes) = target.indexed_bytes(vault)? {
            let (found, problem) = record_of(&target.path, &bytes);
            let warning = problem.and_then(|problem| problem.warning(&target.path));
            target.warnings.extend(warning);
            record = found;
        }
        Ok(Self {
            path: target.path,
            record,
            warnings: target.warnings,
        })
    }

    /// Today's daily note, which must exist.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if a parameter is missing or names nothing; otherwise the error that keeps the vault from being read.
    pub fn daily(vault: &Vault, surroundings: &Surroundings) -> Result<Self, EngineError> {
        Self::read_daily(vault, Target::daily(vault, surroundings)?)
    }

    /// Today's daily note from its target.
    pub(crate) fn read_daily(vault: &Vault, target: Target) -> Result<Self, EngineError> {
        let path = target.path.clone();
        match Self::read(vault, target) {
            Err(EngineError::Refused(Refusal::FileNotFound { .. })) => {
                Err(EngineError::DailyNoteMissing { path })
            }
            other => other,
        }
    }
}

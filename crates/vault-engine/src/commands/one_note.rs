//! What one file holds, read without a walk.

use cli_output::{AppError, Arguments};

use super::target::{Target, is_about_one};
use crate::error::EngineError;
use crate::index::{NoteRecord, record_of};
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::vault::Vault;
use crate::warning::Warning;

/// What one file holds.
pub(super) struct OneNote {
    pub(super) path: VaultPath,
    pub(super) record: NoteRecord,
    pub(super) warnings: Vec<Warning>,
}

impl OneNote {
    /// The file must be there; what is neither note nor canvas, or too large, holds nothing.
    pub(super) fn read(vault: &Vault, mut target: Target) -> Result<Self, EngineError> {
        let mut record = NoteRecord::default();
        if !target.path.is_indexed() {
            target.must_exist(vault)?;
        } else if let Some(bytes) = target.indexed_bytes(vault)? {
            let (found, problem) = record_of(&target.path, &bytes);
            let warning = problem.map(|problem| problem.warning(&target.path));
            target.warnings.extend(warning);
            record = found;
        }
        Ok(Self {
            path: target.path,
            record,
            warnings: target.warnings,
        })
    }

    /// Today's daily note, which must be there.
    pub(super) fn daily(vault: &Vault, surroundings: &Surroundings) -> Result<Self, EngineError> {
        Self::read_daily(vault, daily_target(vault, surroundings)?)
    }

    /// Today's daily note from its target.
    pub(super) fn read_daily(vault: &Vault, target: Target) -> Result<Self, EngineError> {
        let path = target.path.clone();
        match Self::read(vault, target) {
            Err(EngineError::App(AppError::FileNotFound { .. })) => {
                Err(EngineError::DailyNoteMissing { path })
            }
            other => other,
        }
    }
}

/// Where today's daily note is, whether it exists or not.
pub(super) fn daily_target(
    vault: &Vault,
    surroundings: &Surroundings,
) -> Result<Target, EngineError> {
    let settings = vault.daily_notes()?;
    let path = settings.path(&surroundings.now)?;
    Ok(Target {
        asked: path.to_string(),
        path,
        warnings: settings.warnings,
    })
}

/// The one file that a command about vault or file is asked about; none for the vault.
pub(super) fn asked_for(
    vault: &Vault,
    arguments: &Arguments,
) -> Result<Option<Target>, EngineError> {
    if is_about_one(arguments) {
        Target::of(vault, arguments).map(Some)
    } else {
        Ok(None)
    }
}

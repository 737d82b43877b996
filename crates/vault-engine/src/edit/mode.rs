//! Permissions of a file that was made anew in the place of one that is gone.

use super::calls::Calls;
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::vault::Vault;

impl Vault {
    /// Gives the file at a path these permission bits, where it has others. No effect on systems
    /// without them.
    pub fn set_mode_at(&self, path: &VaultPath, mode: u32) -> Result<(), EngineError> {
        let place = self.place(path)?;
        let file = place.open()?;
        Calls::of(self)
            .give_mode(&place, &file, mode)
            .map_err(|source| EngineError::Write {
                path: path.clone(),
                source,
            })
    }
}

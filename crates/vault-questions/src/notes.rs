//! The properties of notes: of one, and of all. All commands read them through this module.

use obsidian_note::{Frontmatter, VaultPath, Warning};
use vault_files::{EngineError, Vault};
use vault_index::{Indexed, IndexedVault, Properties, Target};

use super::reply::Found;

/// Notes, each with its properties.
type NotesWithProperties = Vec<(VaultPath, Frontmatter)>;

/// Returns the properties of every note that has some, in byte order of the paths. Malformed
/// properties count as none.
pub(super) fn every_note(
    vault: &Vault,
) -> Result<(NotesWithProperties, Vec<Warning>), EngineError> {
    let Indexed {
        files,
        column: properties,
        warnings,
    } = IndexedVault(vault).column::<Properties>()?;
    let notes = properties
        .iter()
        .filter_map(|(id, properties)| {
            let properties = serde_json::from_str(&properties.0).ok()?;
            Some((files.get(id)?.clone(), Frontmatter { properties }))
        })
        .collect();
    Ok((notes, warnings))
}

/// Returns the properties of one file, empty unless it is markdown. Malformed properties count as none, with a warning.
///
/// # Errors
///
/// The app's error if there is no such file; otherwise the error that keeps it from being read.
pub fn properties_of(vault: &Vault, mut target: Target) -> Result<Found<Frontmatter>, EngineError> {
    let mut frontmatter = Frontmatter::default();
    if !target.path.is_note() {
        target.must_exist(vault)?;
    } else if let Some(text) = target.indexed_text(vault)? {
        frontmatter = frontmatter_of(&target.path, &text, &mut target.warnings);
    }
    Ok(Found::new(frontmatter, target.warnings))
}

/// Returns the properties in the text of a note; none, with a warning, if they cannot be read.
pub(super) fn frontmatter_of(
    path: &VaultPath,
    text: &str,
    warnings: &mut Vec<Warning>,
) -> Frontmatter {
    Frontmatter::parse_note(text).unwrap_or_else(|error| {
        warnings.push(error.warning(path));
        Frontmatter::default()
    })
}

//! The properties of notes: of one, and of all. All commands read them through this module.

use obsidian_note::{Frontmatter, FrontmatterError, VaultPath, Warning};
use vault_files::{Args, EngineError, Vault};
use vault_index::{Indexed, IndexedVault, Properties, Target};

/// A note with its properties.
pub(super) struct NoteFrontmatter {
    pub(super) path: VaultPath,
    pub(super) frontmatter: Frontmatter,
}

/// Returns the properties of every note that has some, in byte order of the paths. Malformed
/// properties count as none.
pub(super) fn every_note(
    vault: &Vault,
) -> Result<(Vec<NoteFrontmatter>, Vec<Warning>), EngineError> {
    let Indexed {
        files,
        column: properties,
        warnings,
    } = IndexedVault(vault).column::<Properties>()?;
    let notes = properties
        .iter()
        .filter_map(|(id, properties)| {
            Some(NoteFrontmatter {
                path: files.get(id)?.clone(),
                frontmatter: Frontmatter {
                    properties: serde_json::from_str(&properties.0).ok()?,
                },
            })
        })
        .collect();
    Ok((notes, warnings))
}

/// Returns the file that a command names, with its properties; they are empty unless it is
/// markdown.
pub(super) fn one_note(
    vault: &Vault,
    arguments: &Args,
) -> Result<(NoteFrontmatter, Vec<Warning>), EngineError> {
    let mut target = Target::from_arguments(vault, arguments)?;
    let mut frontmatter = Frontmatter::default();
    if !target.path.is_note() {
        target.must_exist(vault)?;
    } else if let Some(text) = target.indexed_text(vault)? {
        frontmatter = read(&target.path, &text, &mut target.warnings);
    }
    let note = NoteFrontmatter {
        path: target.path,
        frontmatter,
    };
    Ok((note, target.warnings))
}

fn read(path: &VaultPath, text: &str, warnings: &mut Vec<Warning>) -> Frontmatter {
    Frontmatter::parse_note(text).unwrap_or_else(|FrontmatterError { line, fault }| {
        warnings.push(Warning::InvalidFrontmatter {
            path: path.clone(),
            line,
            reason: fault.to_string(),
        });
        Frontmatter::default()
    })
}

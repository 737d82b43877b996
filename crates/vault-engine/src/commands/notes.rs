//! The properties of notes: of one, and of all. The one place where commands get them.

use cli_output::{AppError, Arguments};

use super::target::Target;
use crate::contents::Detail;
use crate::error::EngineError;
use crate::frontmatter::{Frontmatter, FrontmatterError};
use crate::path::VaultPath;
use crate::vault::{Note, Vault};
use crate::warning::Warning;

/// A note with its properties.
pub(super) struct NoteFrontmatter {
    pub(super) path: VaultPath,
    pub(super) frontmatter: Frontmatter,
}

/// The properties of every note of the vault, in byte order of the paths, read now one by one. A
/// note that cannot be read is left out, malformed properties count as none: one warning each.
pub(super) fn every_note(
    vault: &Vault,
) -> Result<(Vec<NoteFrontmatter>, Vec<Warning>), EngineError> {
    let contents = vault.contents(&VaultPath::root(), Detail::Names)?;
    let mut warnings = contents.warnings;
    let mut notes = Vec::new();
    for file in contents.files {
        let path = file.path;
        if !is_note(&path) {
            continue;
        }
        match vault.read_head(&path) {
            Ok(text) => notes.push(NoteFrontmatter {
                frontmatter: read(&path, &text, &mut warnings),
                path,
            }),
            // It went away between the walk and now.
            Err(EngineError::App(AppError::FileNotFound { .. })) => {}
            Err(error) => warnings.push(Warning::NoteUnreadable {
                path,
                reason: error.to_string(),
            }),
        }
    }
    Ok((notes, warnings))
}

/// The file that a command is about, with its properties: none where it is not markdown.
pub(super) fn one_note(
    vault: &Vault,
    arguments: &Arguments,
) -> Result<(NoteFrontmatter, Vec<Warning>), EngineError> {
    let Target {
        path,
        asked,
        mut warnings,
    } = Target::of(vault, arguments)?;
    let frontmatter = if is_note(&path) {
        let Note { text, lossy, .. } = vault.note(&path, &asked)?;
        if lossy {
            warnings.push(Warning::NotUtf8 { path: path.clone() });
        }
        read(&path, &text, &mut warnings)
    } else {
        vault.facts_of_target(&path, &asked)?;
        Frontmatter::default()
    };
    Ok((NoteFrontmatter { path, frontmatter }, warnings))
}

fn read(path: &VaultPath, text: &str, warnings: &mut Vec<Warning>) -> Frontmatter {
    Frontmatter::of_note(text).unwrap_or_else(|FrontmatterError { line, fault }| {
        warnings.push(Warning::InvalidFrontmatter {
            path: path.clone(),
            line,
            reason: fault.to_string(),
        });
        Frontmatter::default()
    })
}

/// Whether a file is markdown: only those have properties (`vault-semantics.md` §2.1).
pub(super) fn is_note(path: &VaultPath) -> bool {
    path.extension().eq_ignore_ascii_case("md")
}

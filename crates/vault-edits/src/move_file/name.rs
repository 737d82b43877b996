//! Names that links cannot contain (`vault-semantics.md` §2.2).

use obsidian_note::{VaultPath, Warning};
use vault_files::link_text::NOT_IN_NAMES;
use vault_files::{EngineError, Vault};

use crate::Editor;
use crate::change::Change;
use crate::edit_command::Edit;

/// The name of a file of whose name nothing remains.
const UNTITLED: &str = "Untitled";

/// Refuses a move to a name with characters that links cannot contain, if links to the file would break. The app moves
/// the file and breaks the links.
pub(super) fn keep_links(vault: &Vault, edit: Edit) -> Result<Edit, EngineError> {
    let moved = edit.changes.iter().find_map(|change| match change {
        Change::Move { from, to, .. } if from.name() != to.name() => Some(to.clone()),
        _ => None,
    });
    match moved {
        Some(to) => refuse_if_broken(vault, &to, edit),
        None => Ok(edit),
    }
}

/// Refuses a new path, of a file or a folder, with characters in its name that links cannot contain, if the edit breaks
/// links.
pub(super) fn refuse_if_broken(
    vault: &Vault,
    to: &VaultPath,
    edit: Edit,
) -> Result<Edit, EngineError> {
    if !to.name().contains(NOT_IN_NAMES) {
        return Ok(edit);
    }
    let broken = edit.warnings.iter().map(|warning| match warning {
        Warning::LinksUnwritable { links, .. } => *links,
        _ => 0,
    });
    let links = broken.sum();
    if links == 0 {
        return Ok(edit);
    }
    Err(EngineError::NameBreaksLinks {
        instead: instead_of(vault, to)?,
        path: to.clone(),
        links,
    })
}

/// Returns a free path in the same folder whose name links can contain.
fn instead_of(vault: &Vault, path: &VaultPath) -> Result<VaultPath, EngineError> {
    let name = path.name();
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, Some(extension)),
        _ => (name, None),
    };
    let cleaned = stem.replace(NOT_IN_NAMES, " ");
    let words: Vec<&str> = cleaned.split_whitespace().collect();
    let mut name = words.join(" ");
    if name.is_empty() {
        UNTITLED.clone_into(&mut name);
    }
    if let Some(extension) = extension {
        name = format!("{name}.{}", extension.replace(NOT_IN_NAMES, ""));
    }
    let cleaned = path.parent().join(&name);
    let cleaned = cleaned.map_err(|reason| EngineError::path(path.as_str(), reason))?;
    Editor(vault).free_path(&cleaned)
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use crate::testing::{done, error};

    const CASES: &str = include_str!("name_cases.txt");

    #[test]
    fn a_name_that_breaks_links_is_refused_with_another_one() {
        for (command, name, expected) in tables::typed::<(&str, &str, Option<&str>)>(
            CASES,
            "a name that breaks links is refused",
        ) {
            let (_folder, vault) = vault(&[
                ("a/n.md", ""),
                ("a/Issue 12.md", ""),
                ("o.md", "[[n]] [x](a/n.md) [[n#H|y]]"),
            ]);
            let key = if command == "move" { "to" } else { "name" };
            let params = [("path", "a/n.md"), (key, name)];
            match expected {
                None => assert_eq!(done(&vault, command, &params, &[]).warnings, [], "{name}"),
                Some(instead) => {
                    let shown = format!("{:?}", error(&vault, command, &params, &[]));
                    assert!(shown.starts_with("NameBreaksLinks"), "{name}: {shown}");
                    assert!(
                        shown.contains(&format!("(\"{instead}\")")),
                        "{name}: {shown}"
                    );
                    let forced = done(&vault, command, &params, &["force"]);
                    assert_eq!(forced.warnings.len(), 1, "{name}");
                }
            }
        }
        // Without links to the file, the name breaks none.
        let (_folder, vault) = vault(&[("n.md", "")]);
        let params = [("path", "n.md"), ("name", "a#b")];
        assert_eq!(done(&vault, "rename", &params, &[]).warnings, []);
    }
}

//! The new path of a moved file (`vault-semantics.md` §7.4).

use obsidian_note::VaultPath;
use obsidian_note::path::PathError;
use vault_files::{EngineError, Refusal, Vault};

use crate::new_file::{check_new_path, is_taken_in_any_case};

/// `to=`: the whole new path if it contains a dot, else the folder to move to.
pub(super) fn of_move(from: &VaultPath, to: &VaultPath) -> Result<VaultPath, EngineError> {
    let refused = |reason| EngineError::path(to.as_written(), reason);
    let is_whole = to.as_str().contains('.');
    let path = if is_whole {
        Ok(to.clone())
    } else {
        to.join(from.name())
    };
    path.and_then(|path| checked(from, path)).map_err(refused)
}

/// `name=`: without a dot in it, the old extension is added.
pub(super) fn of_rename(from: &VaultPath, name: &str) -> Result<VaultPath, EngineError> {
    let refused = |reason| EngineError::path(name, reason);
    if name.contains('/') {
        return Err(refused(PathError::Character('/')));
    }
    let extension = from.extension();
    let name = if name.contains('.') || extension.is_empty() {
        name.to_owned()
    } else {
        format!("{name}.{extension}")
    };
    let to = from.parent().join(&name).map_err(refused)?;
    checked(from, to).map_err(refused)
}

/// Checks the new path. A new name must be allowed for a new file (`vault-semantics.md` §7.2), and
/// no system may read the path as one outside the vault (`threats.toml` D01). The file may keep its
/// present name, also in another case. Hidden folders are not part of the vault.
pub(super) fn checked(from: &VaultPath, to: VaultPath) -> Result<VaultPath, PathError> {
    if to.is_hidden() {
        return Err(PathError::Hidden);
    }
    if to.name().to_lowercase() != from.name().to_lowercase() {
        check_new_path(&to)?;
    } else if to.parent() != from.parent() && to.is_absolute_elsewhere() {
        return Err(PathError::Escape);
    }
    Ok(to)
}

/// Fails if something exists at `to`.
///
/// A name that differs from another file's only in case counts as taken, because on many systems it
/// is. The file's own name in another case does not.
pub(super) fn must_be_free(
    vault: &Vault,
    files: &[VaultPath],
    from: &VaultPath,
    to: &VaultPath,
) -> Result<(), EngineError> {
    let in_any_case = |path: &VaultPath| path.as_str().to_lowercase();
    let wanted = in_any_case(to);
    let is_taken = if wanted == in_any_case(from) {
        files.binary_search(to).is_ok()
    } else {
        files.iter().any(|file| in_any_case(file) == wanted) || is_there(vault, to)
    };
    if is_taken || is_taken_in_any_case(vault, to)? {
        return Err(EngineError::Refused(Refusal::DestinationExists));
    }
    Ok(())
}

/// Whether anything has that name, also a folder, a link or a device.
fn is_there(vault: &Vault, path: &VaultPath) -> bool {
    if let Some(planned) = vault.planned(path) {
        return vault.exists_planned(planned) || vault.plans_folder(path);
    }
    let is_seen = || vault.sees(path) || vault.sees_folder(path);
    vault.plans_folder(path)
        || is_seen()
            && !matches!(
                vault.disk().file(path).map_err(|blocked| vault.visible_obstacle(blocked)),
                // A file on the way is removed by a planned change.
                Err(blocked) if blocked.obstacle.is_absence()
            )
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::path;

    use super::*;

    const CASES: &str = include_str!("destination_cases.txt");

    fn moved(from: &str, to: &str) -> Option<String> {
        of_move(&path(from), &VaultPath::folder(to).unwrap())
            .ok()
            .map(|path| path.to_string())
    }

    fn renamed(from: &str, name: &str) -> Option<String> {
        of_rename(&path(from), name)
            .ok()
            .map(|path| path.to_string())
    }

    #[test]
    fn a_dot_anywhere_makes_to_the_whole_path() {
        for [to, expected] in tables::section(CASES, "a dot anywhere makes to the whole path") {
            assert_eq!(moved("x/a.md", to).as_deref(), Some(expected), "{to}");
        }
    }

    #[test]
    fn d01_a_destination_outside_is_refused() {
        let is_path = |to: &&str| VaultPath::file(to).is_ok();
        for to in ["~/a.md", "C:\\a.md"].into_iter().filter(is_path) {
            assert_eq!(moved("a.md", to), None, "{to}");
        }
        for name in ["..", ".", "../x", "a/b", "a\\b", "CON", "a:b"] {
            assert_eq!(renamed("x/a.md", name), None, "{name}");
        }
    }

    #[test]
    fn a_name_without_a_dot_keeps_the_extension() {
        for [from, name, expected] in
            tables::section(CASES, "a name without a dot keeps the extension")
        {
            assert_eq!(renamed(from, name).as_deref(), Some(expected), "{name}");
        }
    }
}

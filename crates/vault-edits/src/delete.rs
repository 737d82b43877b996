//! `delete` (`vault-semantics.md` §7.6).

use obsidian_note::path::TRASH;
use obsidian_note::{VaultPath, Warning};
use vault_answers::Confirmation;
use vault_files::disk::list;
use vault_files::{Call, ConfigKeys, EngineError, EntryKind, Vault, Version};
use vault_index::Target;
use vault_index::target::file_path;

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::new_file::missing_folders;
use super::state::version_of;
use crate::Editor;

pub(super) const DELETE: EditCommand = EditCommand::new("delete", delete);

/// The key of `app.json` about deleting.
const TRASH_OPTION: &str = "trashOption";

impl Editor<'_> {
    /// Whether the vault's settings move deleted files to the vault's own trash.
    pub fn has_own_trash(&self) -> bool {
        ConfigKeys::read(self, "app.json")
            .is_ok_and(|settings| settings.text(TRASH_OPTION) == "local")
    }

    /// Whether a file with this content is in the vault's own trash, under any name.
    pub fn trash_holds(&self, version: &Version) -> bool {
        let mut folders: Vec<VaultPath> = VaultPath::file(TRASH).into_iter().collect();
        while let Some(folder) = folders.pop() {
            let opened = self.disk().folder(&folder).ok();
            let entries = opened.and_then(|opened| list(&opened).ok());
            for entry in entries.unwrap_or_default() {
                let Ok(path) = folder.join(&entry.name.to_string_lossy()) else {
                    continue;
                };
                match entry.kind {
                    EntryKind::Folder => folders.push(path),
                    EntryKind::File if self.is_version(&path, version) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether the file has this version. Reads it only if its size is right.
    fn is_version(&self, path: &VaultPath, version: &Version) -> bool {
        let Ok(file) = self.file_at(path) else {
            return false;
        };
        let size = file.metadata().map(|metadata| metadata.len());
        size.is_ok_and(|size| size == version.size)
            && version_of(file, path, self.disk().cancellation(), |_| ())
                .is_ok_and(|found| found == *version)
    }

    /// Plans the move of a file to the vault's trash, `.trash`, or with `is_permanent` its removal. Links to it stay, and
    /// so does its folder, even if it is empty then.
    ///
    /// # Errors
    ///
    /// The app's error if there is no such file; [`EngineError::NoTrash`] if the vault's settings delete files for good
    /// and this is not wanted; otherwise the error that keeps the vault from being read.
    pub fn plan_delete(&self, path: &VaultPath, is_permanent: bool) -> Result<Edit, EngineError> {
        self.checked(deleted(self, Target::exact(path.clone()), is_permanent)?)
    }
}

fn delete(call: &Call<'_>) -> Result<Edit, EngineError> {
    let target = Target::from_arguments(call.vault, call.arguments)?;
    deleted(call.vault, target, call.arguments.flag("permanent"))
}

fn deleted(vault: &Vault, target: Target, is_permanent: bool) -> Result<Edit, EngineError> {
    target.must_exist(vault)?;
    let path = target.path;
    let mut warnings = target.warnings;
    let changes = removal(vault, &path, is_permanent, &mut warnings)?;
    let path = path.to_string();
    let done = if is_permanent {
        Confirmation::Deleted { path }
    } else {
        Confirmation::Trashed { path }
    };
    Ok(Edit::new(done, changes, warnings))
}

/// Returns the steps that move a file to the vault's trash, or remove it for good.
pub(super) fn removal(
    vault: &Vault,
    path: &VaultPath,
    is_permanent: bool,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Change>, EngineError> {
    let version = Editor(vault).planned_version(path)?;
    let from = path.clone();
    if is_permanent {
        return Ok(vec![Change::Remove {
            path: from,
            version,
        }]);
    }
    let settings = ConfigKeys::read_keys_for_change(vault, "app.json", &[TRASH_OPTION])?;
    if settings.text(TRASH_OPTION) == "none" {
        return Err(EngineError::NoTrash);
    }
    warnings.extend(settings.warnings);
    let to = Editor(vault).free_path(&file_path(&format!("{TRASH}/{path}"))?)?;
    let mut changes = missing_folders(vault, &to.parent())?;
    changes.push(Change::Move { from, to, version });
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::apply::testing::picture;
    use crate::testing::{confirmation, done, error};

    const CASES: &str = include_str!("delete_cases.txt");

    #[test]
    fn a_deleted_note_is_in_the_trash_under_its_path() {
        let (_folder, vault) = vault(&[("sub/Is it?/a.md", "one"), ("b.md", "[[a]]")]);
        for number in ["a", "a 1", "a 2"] {
            let edit = done(&vault, "delete", &[("path", "sub/Is it?/a.md")], &[]);
            assert_eq!(confirmation(&edit), "trashed: sub/Is it?/a.md");
            let now = picture(vault.root());
            assert_eq!(now[&format!(".trash/sub/Is it?/{number}.md")].1, "one");
            assert!(now.contains_key("sub/Is it?") && !now.contains_key("sub/Is it?/a.md"));
            assert_eq!(now["b.md"].1, "[[a]]");
            fs_err::write(vault.root().join("sub/Is it?/a.md"), "one").unwrap();
        }
    }

    #[test]
    fn d10_a_note_with_the_longest_name_is_deleted_again_and_again() {
        let (long, number) = ("é".repeat(126), "é".repeat(125));
        let path = format!("{long}.md");
        let (_folder, vault) = vault(&[]);
        for there in [
            format!("{long}.md"),
            format!("{number} 1.md"),
            format!("{number} 2.md"),
        ] {
            fs_err::write(vault.root().join(&path), "one").unwrap();
            done(&vault, "delete", &[("path", &path)], &[]);
            assert_eq!(picture(vault.root())[&format!(".trash/{there}")].1, "one");
        }
    }

    #[test]
    fn permanently_is_for_good() {
        let (_folder, vault) = vault(&[("a.md", "one"), ("b.png", "\u{1}")]);
        let edit = done(&vault, "delete", &[("file", "a")], &["permanent"]);
        assert_eq!(confirmation(&edit), "deleted: a.md");
        assert_eq!(
            picture(vault.root()).into_keys().collect::<Vec<_>>(),
            ["b.png"]
        );
    }

    #[test]
    fn a_vault_without_a_trash_deletes_only_what_is_meant_for_good() {
        let settings = (".obsidian/app.json", r#"{"trashOption":"none"}"#);
        let (_folder, none) = vault(&[settings, ("a.md", "")]);
        let refused = error(&none, "delete", &[("path", "a.md")], &[]);
        assert!(matches!(refused, EngineError::NoTrash));
        done(&none, "delete", &[("path", "a.md")], &["permanent"]);
        for other in [
            r#"{"trashOption":"local"}"#,
            r#"{"trashOption":7}"#,
            "{}",
            "{",
        ] {
            let (_folder, vault) = vault(&[(".obsidian/app.json", other), ("a.md", "")]);
            done(&vault, "delete", &[("path", "a.md")], &[]);
            assert!(picture(vault.root()).contains_key(".trash/a.md"));
        }
    }

    #[test]
    fn only_a_file_of_the_vault_is_deleted() {
        let (_folder, vault) = vault(&[("sub/a.md", ""), (".obsidian/app.json", "{}")]);
        for [path, expected] in tables::section(CASES, "only a file of the vault is deleted") {
            for flags in [&[][..], &["permanent"]] {
                let refused = error(&vault, "delete", &[("path", path)], flags);
                assert_eq!(refused.to_string(), expected);
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn d03_a_trash_that_leads_out_is_no_trash() {
        let (folder, vault) = vault(&[("a.md", "")]);
        std::os::unix::fs::symlink(folder.path(), vault.root().join(".trash")).unwrap();
        let refused = error(&vault, "delete", &[("path", "a.md")], &[]);
        assert!(matches!(refused, EngineError::Symlink { .. }), "{refused}");
    }
}

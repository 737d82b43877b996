//! Changing a vault: plan first, then apply.
//!
//! A command is planned from the current state of the folder ([`Editor::plan`]): every change, byte
//! for byte, and the app's answer. Planning writes nothing. [`Editor::apply`] then does exactly that
//! plan, or stops if the folder has changed since.

mod append;
mod apply;
mod attachment;
mod base_create;
mod bond;
mod bookmark;
mod calls;
mod change;
mod config_folder;
mod create;
mod daily;
mod delete;
mod diff;
mod edit_command;
mod export;
mod fix;
mod folder_create;
mod import;
mod json_text;
mod lost_anchors;
mod move_file;
mod new_file;
mod note_edit;
mod periodic;
mod place;
mod property;
mod redirected;
mod spellings;
mod state;
mod steps;
mod tags;
mod task;
mod temporary;
mod unique;

pub use self::apply::Original;
pub use self::bond::{Bond, BondKind, Carried, bonds_after};
pub use self::change::Change;
pub use self::edit_command::Edit;
use self::edit_command::EditCommand;
pub use self::export::{ExportedNote, exports, plan_export};
pub use self::import::ImportedNote;
pub use self::move_file::{FollowedText, LinkFollower, LinksOutOfSight, MovedAnchors};
pub use self::note_edit::{Instruction, MAX_EDITS};
pub use self::property::items::ChangedList;
pub use self::redirected::RedirectedLinks;
pub use self::state::{State, Touched};
pub use self::steps::{ChangedNotes, joined};
pub use self::tags::is_tag;
pub use vault_files::Version;

use std::ops::Deref;

use obsidian_note::path::PathError;
use obsidian_note::{MAX_PATH_BYTES, VaultPath};
use vault_answers::OwnForm;
use vault_files::{Args, Call, EngineError, Surroundings, Vault};

/// The commands that change a folder, in order of their ids.
const COMMANDS: &[EditCommand] = &[
    append::APPEND,
    attachment::ADD,
    base_create::BASE_CREATE,
    bookmark::BOOKMARK,
    create::CREATE,
    daily::APPEND,
    daily::PREPEND,
    delete::DELETE,
    folder_create::CREATE,
    move_file::FOLDER_MOVE,
    move_file::HEADING_RENAME,
    move_file::MOVE,
    note_edit::NOTE_EDIT,
    move_file::EXTRACT,
    move_file::MERGE,
    steps::CHANGE,
    periodic::APPEND,
    periodic::PREPEND,
    append::PREPEND,
    property::items::ADD,
    property::items::DROP,
    property::REMOVE,
    property::SET,
    move_file::RENAME,
    tags::ADD,
    tags::DROP,
    tags::RENAME,
    task::TASK,
    unique::UNIQUE,
    fix::FIX,
    import::IMPORT,
];

/// Whether commands may change this path although no caller can name it: the vault's trash, and the
/// settings with bookmarks and the types of properties in the configuration folder of this vault.
pub fn is_changed_by_commands(vault: &Vault, path: &VaultPath) -> bool {
    const SETTINGS: [&str; 2] = ["bookmarks.json", "types.json"];
    let mut components = path.components();
    let in_trash = components.next() == Some(".trash");
    if in_trash {
        return components.all(|name| !name.starts_with('.'));
    }
    let folder = &vault.config_folder().path;
    path == folder || (path.parent() == *folder && SETTINGS.contains(&path.name()))
}

/// Whether the engine can plan this command. A command can be both a read and a change: `task`
/// without its flags shows a task, with them it changes one.
pub fn plans(command: &str) -> bool {
    find(command).is_some()
}

/// Returns the forms of the answers to own commands that change a folder.
pub fn own_forms() -> impl Iterator<Item = &'static OwnForm> {
    let forms = COMMANDS.iter().filter_map(|command| command.form);
    forms.chain([&export::FORM])
}

fn find(id: &str) -> Option<&'static EditCommand> {
    COMMANDS.iter().find(|command| command.id == id)
}

/// Plans and makes changes in a vault. A reader of a [`Vault`] cannot change it by accident.
pub struct Editor<'vault>(pub &'vault Vault);

impl Deref for Editor<'_> {
    type Target = Vault;

    fn deref(&self) -> &Vault {
        self.0
    }
}

impl Editor<'_> {
    /// Plans what a command would change, as the app does it (`vault-semantics.md` §7), without
    /// changing anything.
    ///
    /// Parameters that a command does not have are ignored, as for read commands.
    ///
    /// # Errors
    ///
    /// [`EngineError::Refused`] if the app would refuse too; [`EngineError::NotServed`]
    /// for a command that the engine cannot plan; otherwise the error that keeps the vault from
    /// being read.
    pub fn plan(
        &self,
        command: &str,
        arguments: &Args,
        surroundings: &Surroundings,
    ) -> Result<Edit, EngineError> {
        let found = find(command).ok_or_else(|| EngineError::NotServed {
            command: command.to_owned(),
        })?;
        self.checked((found.plan)(&Call {
            vault: self,
            arguments,
            surroundings,
        })?)
    }

    /// Returns the planned edit with warnings about lost headings and blocks. Fails if its new paths are not allowed.
    fn checked(&self, mut edit: Edit) -> Result<Edit, EngineError> {
        self.check_planned(&edit)?;
        edit.warnings.extend(self.lost_anchors(&edit.changes)?);
        Ok(edit)
    }

    /// Whether a plan of a `task` call has more than the app's own change: the next instance of a recurring task, which
    /// the Tasks plugin writes and the app does not. A call that fails has not.
    pub fn completes_recurring_task(&self, arguments: &Args, surroundings: &Surroundings) -> bool {
        let vault = self.0;
        task::completes_recurring(&Call {
            vault,
            arguments,
            surroundings,
        })
    }

    /// Checks the new paths of a plan.
    fn check_planned(&self, edit: &Edit) -> Result<(), EngineError> {
        self.check_lengths(&edit.changes)?;
        self.check_spellings(&edit.changes)
    }

    /// Checks that other programs can open every created or moved file by its path on this machine,
    /// which no system accepts from [`MAX_PATH_BYTES`] on (`threats.toml` D15).
    fn check_lengths(&self, changes: &[Change]) -> Result<(), EngineError> {
        let limit = MAX_PATH_BYTES.saturating_sub(self.root().as_os_str().len() + 2);
        let new = changes.iter().filter_map(|change| match change {
            Change::MakeFolder { path } | Change::Create { path, .. } => Some(path),
            Change::Move { to, .. } => Some(to),
            Change::Modify { .. } | Change::Remove { .. } | Change::RemoveFolder { .. } => None,
        });
        for path in new {
            let bytes = path.as_str().len();
            if bytes > limit {
                let reason = PathError::TooLong { bytes, limit };
                return Err(EngineError::path(path.as_str(), reason));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod view_tests;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vault_files::vault::testing::vault;

    use super::testing::plan;
    use super::*;

    #[test]
    fn commands_stand_in_order_and_once() {
        assert!(COMMANDS.is_sorted_by(|one, other| one.id < other.id));
        let (_folder, vault) = vault(&[]);
        let unknown = Editor(&vault).plan("read", &Args::default(), &testing::surroundings());
        assert!(matches!(unknown, Err(EngineError::NotServed { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_is_done_is_what_was_planned(
            before in proptest::collection::vec(any::<u8>(), 0..60),
            content in "[^\u{0}]{1,20}",
            command in prop_oneof![
                Just("append"), Just("prepend"), Just("create"), Just("daily:append"), Just("delete"),
            ],
            flag in prop_oneof![Just("inline"), Just("overwrite"), Just("permanent")],
        ) {
            let (_folder, vault) = vault(&[("other.md", "kept")]);
            fs_err::write(vault.root().join("a.md"), &before).unwrap();
            let edit = plan(&vault, command, &[("path", "a.md"), ("content", &content)], &[flag]);
            let touched = Editor(&vault).touched(&edit.changes).unwrap();
            for place in &touched {
                prop_assert_eq!(Editor(&vault).state_at(&place.path).unwrap(), place.before);
            }
            Editor(&vault).apply(&edit.changes, "run").unwrap();
            for place in &touched {
                prop_assert_eq!(Editor(&vault).state_at(&place.path).unwrap(), place.after);
            }
            for change in &edit.changes {
                if let Change::Create { path, after } | Change::Modify { path, after, .. } = change {
                    prop_assert_eq!(&vault.read_bytes(path).unwrap(), after);
                }
            }
            prop_assert_eq!(vault.read_bytes(&vault_files::vault::testing::path("other.md")).unwrap(), b"kept");
        }
    }
}

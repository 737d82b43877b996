//! `folder:create`: makes a folder, and the folders above it that are missing.

use obsidian_note::path::PathError;
use obsidian_note::shown;
use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{AnswerData, OwnForm};
use vault_files::{Call, EngineError};
use vault_index::target::folder;

use super::edit_command::{Edit, EditCommand};
use super::new_file::{check_case, missing_folders};
use crate::Editor;

pub(super) const CREATE: EditCommand = EditCommand::own("folder:create", create, &FORM);

static FORM: OwnForm = OwnForm::new::<CreatedFolder>("created-folder");

/// A folder that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreatedFolder {
    /// The folder.
    path: String,
    /// Whether it is new.
    created: bool,
}

impl AnswerData for CreatedFolder {
    /// Returns a line such as `Created: Projects/Garden`.
    fn text(&self) -> String {
        let word = if self.created {
            "Created"
        } else {
            "Already there"
        };
        format!("{word}: {}", shown::row(&self.path))
    }
}

fn create(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, path) = (call.vault, folder(call.arguments, "path"));
    if path.is_root() {
        let rule = "a folder below the vault's root";
        return Err(EngineError::argument("path", rule));
    }
    if path.is_hidden() {
        return Err(EngineError::path(path.as_str(), PathError::Hidden));
    }
    let changes = missing_folders(vault, &path)?;
    if !changes.is_empty() {
        Editor(vault).check_new_path(&path)?;
        check_case(vault, &path, &changes)?;
    }
    let answer = CreatedFolder {
        path: path.to_string(),
        created: !changes.is_empty(),
    };
    Ok(Edit::new(answer, changes, Vec::new()))
}

#[cfg(test)]
mod tests {
    use obsidian_note::VaultPath;
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::apply::testing::picture;
    use crate::testing::{done, error};

    const CASES: &str = include_str!("folder_create_cases.txt");

    #[test]
    fn a_folder_is_made_with_those_above_it_and_one_that_exists_stays() {
        let (_folder, vault) = vault(&[("Area/a.md", "")]);
        let answer = |path| done(&vault, "folder:create", &[("path", path)], &[]).answer;
        let texts = ["Area/1.5/Plan", "Area/1.5/Plan/", "Area"].map(|path| answer(path).text());
        insta::assert_debug_snapshot!(texts, @r#"
        [
            "Created: Area/1.5/Plan",
            "Already there: Area/1.5/Plan",
            "Already there: Area",
        ]
        "#);
        assert!(picture(vault.root()).contains_key("Area/1.5/Plan"));
    }

    #[test]
    fn a_name_that_is_taken_or_not_allowed_makes_no_folder() {
        let (_folder, vault) = vault(&[("Area/a.md", ""), ("b.md", "")]);
        let before = picture(vault.root());
        let paths = tables::lines(CASES, "a name that is taken or not allowed");
        // On some systems a caller cannot even name it.
        let paths = paths
            .into_iter()
            .filter(|path| VaultPath::folder(path).is_ok());
        let errors: Vec<String> = paths
            .map(|path| {
                let refused = error(&vault, "folder:create", &[("path", path)], &[]);
                format!("{path}: {refused}")
            })
            .collect();
        assert_eq!(picture(vault.root()), before);
        insta::assert_debug_snapshot!(errors, @r#"
    [
        "/: `path` must be a folder below the vault's root",
        ".hidden: `.hidden` is not a valid path: the path has a name that starts with a dot",
        "x/.git: `x/.git` is not a valid path: the path has a name that starts with a dot",
        "b.md: `b.md` is a file",
        "b.md/x: `b.md` is a file",
        "area/New: `Area` already exists",
        "AREA: `Area` already exists",
        "Area/A.MD: `Area/a.md` already exists",
        "CON: `CON` is not a valid path: the path contains a name that Windows reserves for a device, such as `CON`",
        "x/a:b: `x/a:b` is not a valid path: a file name cannot contain `:`",
        "x/aux/y: `x/aux/y` is not a valid path: the path contains a name that Windows reserves for a device, such as `CON`",
        "end.: `end.` is not a valid path: the path has a name that ends in a dot or a space",
    ]
    "#);
        let EngineError::FolderTaken { instead, .. } =
            error(&vault, "folder:create", &[("path", "area/New/x")], &[])
        else {
            panic!("a folder of this name exists in another case");
        };
        assert_eq!(instead.as_str(), "Area/New/x");
    }
}

//! `base:create`: creates a note that is a row of a view (`vault-semantics.md` §1.2, `design/questions.md`).

use bases::NewNote;
use obsidian_note::{Frontmatter, VaultPath, Warning};
use vault_answers::Confirmation;
use vault_files::extension::with_extension;
use vault_files::{Call, ConfigKeys, EngineError, Refusal, Vault};
use vault_index::ChosenView;
use vault_index::chosen_view::beginning;

use super::edit_command::{Edit, EditCommand};
use super::new_file::{made_as_named, new_text_path};
use super::property::with_property;
use crate::Editor;

pub(super) const BASE_CREATE: EditCommand = EditCommand::new("base:create", create);

/// The most conditions that a warning names.
const MOST_LISTED: usize = 10;

const UNTITLED: &str = "Untitled";

/// Creates a note in the folder, with the tags and the properties that the filters of the view
/// require. A condition from which none of these follows is a warning: the note may not be a row.
fn create(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let ChosenView {
        path: base_path,
        base,
        view,
        mut warnings,
    } = ChosenView::read(vault, arguments)?;
    let needed = base.new_note(&view);
    let name = arguments.text("name").unwrap_or(UNTITLED);
    if name.contains('/') {
        return Err(EngineError::Refused(Refusal::NameContainsSlash));
    }
    let folder = match &needed.folder {
        Some(folder) => folder.clone(),
        None => usual_folder(vault, &base_path, &mut warnings)?,
    };
    let joined = format!("{folder}/{}", with_extension(name));
    let wanted = new_text_path(joined.trim_start_matches('/'))?;
    let path = match arguments.text("name") {
        Some(_) => Editor(vault).path_for_name(wanted, &mut warnings)?,
        None => Editor(vault).free_path(&wanted)?,
    };
    let content = arguments.text("content").unwrap_or_default();
    let text = with_properties(vault, &path, content, &needed)?;
    if !needed.unmet.is_empty() {
        let conditions: Vec<String> = needed
            .unmet
            .iter()
            .take(MOST_LISTED)
            .map(|text| format!("`{}`", beginning(text)))
            .collect();
        warnings.push(Warning::BaseConditionsUnmet {
            path: base_path,
            conditions: conditions.join(", "),
        });
    }
    let changes = made_as_named(vault, &path, text)?;
    let path = path.to_string();
    Ok(Edit::new(Confirmation::Created { path }, changes, warnings))
}

/// Returns the folder for new notes in the app's settings. "Beside the active note" means beside the base here, because
/// there is no active note.
fn usual_folder(
    vault: &Vault,
    base: &VaultPath,
    warnings: &mut Vec<Warning>,
) -> Result<String, EngineError> {
    let keys = ["newFileLocation", "newFileFolderPath"];
    let settings = ConfigKeys::read_keys_for_change(vault, "app.json", &keys)?;
    let folder = match settings.text("newFileLocation") {
        "current" => base.parent().to_string(),
        "folder" => settings
            .text("newFileFolderPath")
            .trim_matches('/')
            .to_owned(),
        _ => String::new(),
    };
    warnings.extend(settings.warnings);
    Ok(folder)
}

/// Adds the properties that the content does not set itself.
fn with_properties(
    vault: &Vault,
    path: &VaultPath,
    content: &str,
    needed: &NewNote,
) -> Result<Vec<u8>, EngineError> {
    let own = Frontmatter::parse_note(content)
        .unwrap_or_default()
        .properties;
    let missing = needed.properties.iter();
    let mut missing = missing.filter(|(name, _)| !own.contains_key(name));
    missing.try_fold(content.as_bytes().to_vec(), |text, (name, value)| {
        with_property(vault, path, &text, name, Some(value))
    })
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::testing::{confirmation, done, error};

    const CASES: &str = include_str!("base_create_cases.txt");

    const BASE: &str = "filters:\n  and:\n    - file.hasTag(\"book\")\n    - status == \"to read\"\nviews:\n  - type: table\n    name: All\n  - type: cards\n    name: Old\n    filters: file.inFolder(\"Books/Old\") && price > 5\n";

    #[test]
    fn a_new_note_is_a_row_of_the_view() {
        let (_folder, vault) = vault(&[("Lists/Books.base", BASE), ("Emma.md", "")]);
        let arguments = [("file", "Books"), ("name", "Emma"), ("content", "# Emma\n")];
        let edit = done(&vault, "base:create", &arguments, &[]);
        assert_eq!(confirmation(&edit), "created: Emma 1.md");
        let warnings: Vec<String> = edit.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            ["the name `Emma.md` is taken, so the new file is `Emma 1.md`"]
        );
        let text = |path: &str| fs_err::read_to_string(vault.root().join(path)).unwrap();
        assert_eq!(
            text("Emma 1.md"),
            "---\ntags:\n  - book\nstatus: to read\n---\n# Emma\n"
        );
        let arguments = [
            ("path", "Lists/Books.base"),
            ("view", "Old"),
            ("content", "---\nstatus: read\n---\n"),
        ];
        let edit = done(&vault, "base:create", &arguments, &[]);
        assert_eq!(confirmation(&edit), "created: Books/Old/Untitled.md");
        let old = text("Books/Old/Untitled.md");
        assert_eq!(old, "---\nstatus: read\ntags:\n  - book\n---\n");
        let message: Vec<_> = edit.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            message,
            [
                "`Lists/Books.base` might not show the new note, because the note does not meet these conditions: `file.inFolder(\"Books/Old\") && price > 5`"
            ]
        );
    }

    #[test]
    fn a_file_that_is_no_text_is_not_made_of_one() {
        let (_folder, vault) = vault(&[("Books.base", BASE)]);
        let arguments = [("file", "Books"), ("name", "x.zip")];
        let refused = error(&vault, "base:create", &arguments, &[]);
        assert!(
            matches!(refused, EngineError::NoTextFile { .. }),
            "{refused}"
        );
    }

    #[test]
    fn the_settings_say_where_else_it_goes() {
        for [settings, expected] in tables::section(CASES, "the settings say where else it goes") {
            let files = [(".obsidian/app.json", settings), ("Lists/X.base", "")];
            let (_folder, vault) = vault(&files);
            let arguments = [("path", "Lists/X.base"), ("name", "a")];
            let edit = done(&vault, "base:create", &arguments, &[]);
            assert_eq!(confirmation(&edit), format!("created: {expected}"));
        }
    }

    #[test]
    fn d01_a_base_cannot_send_a_note_out_of_the_vault() {
        for folder in ["../out", ".obsidian/plugins", "/../x", "a/../../b"] {
            let base = format!("filters: file.inFolder(\"{folder}\")\nviews: []");
            let (_folder, vault) = vault(&[("X.base", &base)]);
            let refused = error(&vault, "base:create", &[("path", "X.base")], &[]);
            assert!(
                matches!(refused, EngineError::Path { .. }),
                "{folder}: {refused}"
            );
        }
        let (_folder, vault) = vault(&[("X.base", "")]);
        let arguments = [("path", "X.base"), ("name", "a/b")];
        let refused = error(&vault, "base:create", &arguments, &[]);
        assert_eq!(refused.to_string(), Refusal::NameContainsSlash.to_string());
    }
}

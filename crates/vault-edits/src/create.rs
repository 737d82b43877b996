//! `create` (`vault-semantics.md` §7.2).

use obsidian_note::{VaultPath, Warning};
use vault_answers::Confirmation;
use vault_files::extension::with_extension;
use vault_files::{Args, Call, EngineError, Refusal, Surroundings, Vault};
use vault_index::template;

use super::change::Change;
use super::edit_command::{Edit, EditCommand};
use super::new_file::{check_new_path, check_text_path, made_as_named, note_path};
use super::property::given::with_properties;
use crate::Editor;

pub(super) const CREATE: EditCommand = EditCommand::new("create", create);

impl Editor<'_> {
    /// Plans a new file with this text. The folders that are missing are made.
    ///
    /// # Errors
    ///
    /// The app's error if its folder has the name, in any letter case; [`EngineError::Path`] if a new file may not have it;
    /// [`EngineError::NoTextFile`] if files with its extension are not text; otherwise the error that keeps the folder
    /// from being read.
    pub fn plan_create(&self, path: &VaultPath, text: &str) -> Result<Edit, EngineError> {
        let wanted = note_path(path.as_str())?;
        check_text_path(&wanted)?;
        if self.free_path(&wanted)? != wanted {
            return Err(EngineError::Refused(Refusal::DestinationExists));
        }
        let content = |_: &VaultPath| Ok((text.as_bytes().to_vec(), Vec::new()));
        self.checked(created(self, &wanted, content)?)
    }
}

/// Creates a note, under a numbered name if the name is taken. With `overwrite` the existing note
/// gets the new content.
fn create(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let question = path_argument(arguments)?;
    check_text_path(&question)?;
    let content = |path: &VaultPath| content(vault, arguments, call.surroundings, path);
    if arguments.flag("overwrite") && vault.has_file(&question) {
        let (after, warnings) = content(&question)?;
        let done = Confirmation::Overwrote {
            path: question.to_string(),
        };
        let before = vault.read_bytes(&question)?;
        let changes = vec![Change::modify(question, before, after)];
        return Ok(Edit::new(done, changes, warnings));
    }
    created(vault, &Editor(vault).free_path(&question)?, content)
}

/// Creates a file at a free path.
fn created(
    vault: &Vault,
    path: &VaultPath,
    content: impl FnOnce(&VaultPath) -> Result<(Vec<u8>, Vec<Warning>), EngineError>,
) -> Result<Edit, EngineError> {
    check_new_path(path).map_err(|reason| EngineError::path(path.as_str(), reason))?;
    let (after, warnings) = content(path)?;
    let changes = made_as_named(vault, path, after)?;
    let path = path.to_string();
    Ok(Edit::new(Confirmation::Created { path }, changes, warnings))
}

/// Returns the requested path: `path/name`, `path`, `name` in the vault's root, or `Untitled`.
fn path_argument(arguments: &Args) -> Result<VaultPath, EngineError> {
    let name = arguments.text("name");
    if name.is_some_and(|name| name.contains('/')) {
        return Err(EngineError::Refused(Refusal::NameContainsSlash));
    }
    let wanted = match (arguments.text("path"), name) {
        (Some(path), Some(name)) => format!("{}/{name}", path.trim_end_matches('/')),
        (Some(path), None) => path.to_owned(),
        (None, name) => name.unwrap_or("Untitled").to_owned(),
    };
    note_path(&with_extension(&wanted))
}

/// Returns the text of the new note: the template before `content` (`official-cli.md` §5.1).
fn content(
    vault: &Vault,
    arguments: &Args,
    surroundings: &Surroundings,
    path: &VaultPath,
) -> Result<(Vec<u8>, Vec<Warning>), EngineError> {
    let Some(template) = arguments.text("template") else {
        let content = arguments.text("content").unwrap_or_default();
        let content = with_properties(content.into(), vault, path, arguments)?;
        return Ok((content, Vec::new()));
    };
    let (text, warnings) = template::filled(vault, template, path.basename(), &surroundings.now)?;
    let text = with_properties(text.into_bytes(), vault, path, arguments)?;
    Ok((text, warnings))
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::vault;

    use super::*;
    use crate::apply::testing::picture;
    use crate::testing::{confirmation, done, error};

    const CASES: &str = include_str!("create_cases.txt");

    #[test]
    fn the_place_is_what_the_app_takes() {
        for (wanted, expected) in [
            (vec![("name", "Trip")], "Trip.md"),
            (vec![("path", "a/b/Trip.md")], "a/b/Trip.md"),
            (vec![("path", "a"), ("name", "Trip")], "a/Trip.md"),
            (
                vec![("path", "a/"), ("name", "Trip.canvas")],
                "a/Trip.canvas",
            ),
            (vec![], "Untitled.md"),
            (vec![("path", "Plan v1.2")], "Plan v1.2.md"),
            (vec![("name", "e\u{301}")], "\u{e9}.md"),
        ] {
            let (_folder, vault) = vault(&[]);
            let wanted: Vec<_> = wanted.into_iter().chain([("content", "x")]).collect();
            let edit = done(&vault, "create", &wanted, &[]);
            assert_eq!(confirmation(&edit), format!("created: {expected}"));
            let now = picture(vault.root());
            assert_eq!(now[expected].1, "x");
            assert_eq!(now.len(), expected.split('/').count());
        }
    }

    /// A text under an image's name is not an image, although the answer would say that it was created.
    #[test]
    fn what_is_no_text_is_not_made_of_one() {
        let (_folder, vault) = vault(&[("there.png", "x")]);
        for path in tables::lines(CASES, "what is no text is not made of one") {
            for flags in [&[][..], &["overwrite"]] {
                let arguments = [("path", path), ("content", "iVBORw0KGgo=")];
                let refused = error(&vault, "create", &arguments, flags);
                assert!(
                    matches!(refused, EngineError::NoTextFile { .. }),
                    "{path}: {refused}"
                );
            }
        }
        for path in ["a.svg", "a.canvas", "a.csv", "About a.png.md", "v1.2"] {
            done(&vault, "create", &[("path", path), ("content", "x")], &[]);
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let (_folder, vault) = vault(&[
            ("a.md", "old"),
            ("A 1.md", "old"),
            ("b", "old"),
            ("c.md/x.md", ""),
        ]);
        for (path, flags, expected) in [
            ("a.md", &[][..], "a 2.md"),
            ("A.md", &[], "A 3.md"),
            ("A.md", &["overwrite"], "A 4.md"),
            ("c.md", &["overwrite"], "c 1.md"),
            ("b.md", &[], "b.md"),
            ("b.md", &["overwrite", "open", "newtab"], "b.md"),
        ] {
            let arguments = [("path", path), ("content", "new")];
            let edit = done(&vault, "create", &arguments, flags);
            let is_there = flags.len() == 3;
            let word = if is_there { "overwrote" } else { "created" };
            assert_eq!(confirmation(&edit), format!("{word}: {expected}"));
            assert_eq!(picture(vault.root())[expected].1, "new");
        }
        for kept in ["a.md", "A 1.md", "b"] {
            assert_eq!(picture(vault.root())[kept].1, "old");
        }
    }

    #[test]
    fn overwriting_replaces_all_of_the_note() {
        let (_folder, vault) = vault(&[("a.md", "old\r\n")]);
        let edit = done(&vault, "create", &[("path", "a.md")], &["overwrite"]);
        assert_eq!(confirmation(&edit), "overwrote: a.md");
        assert_eq!(picture(vault.root())["a.md"].1, "");
    }

    #[test]
    fn a_template_is_filled_in_and_comes_before_content() {
        let files = [
            (
                ".obsidian/templates.json",
                r#"{"folder":"T","timeFormat":"HH.mm"}"#,
            ),
            ("T/Trip.md", "# {{title}} {{DATE}} {{time}}\r\n\\n"),
            ("Paris.md", "there"),
        ];
        let (_folder, vault) = vault(&files);
        let arguments = [("name", "Paris"), ("template", "trip"), ("content", "x")];
        let edit = done(&vault, "create", &arguments, &[]);
        assert_eq!(confirmation(&edit), "created: Paris 1.md");
        let text = fs_err::read_to_string(vault.root().join("Paris 1.md")).unwrap();
        assert_eq!(text, "# Paris 1 2026-03-07 09.05\r\n\\n");
        done(
            &vault,
            "create",
            &[("name", "b"), ("template", ""), ("content", "x")],
            &[],
        );
        assert_eq!(picture(vault.root())["b.md"].1, "x");
        let missing = error(&vault, "create", &[("template", "none")], &[]);
        assert_eq!(missing.to_string(), "the template `none` does not exist");
        fs_err::write(vault.root().join("T/Latin.md"), b"caf\xe9").unwrap();
        let lossy = error(&vault, "create", &[("template", "Latin")], &[]);
        assert!(matches!(lossy, EngineError::NotText { .. }));
    }

    #[test]
    fn k06_d01_places_that_are_none_are_refused() {
        let (_folder, vault) = vault(&[("file.md", ""), ("Is it?/a.md", "")]);
        for path in tables::lines(CASES, "k06 d01 places that are none are refused") {
            // On some systems a caller cannot even name it.
            if VaultPath::file(path).is_err() {
                continue;
            }
            let refused = error(&vault, "create", &[("path", path)], &[]);
            assert!(
                matches!(refused, EngineError::Path { .. }),
                "{path}: {refused}"
            );
        }
        // Existing folders may have any name.
        done(&vault, "create", &[("path", "Is it?/b.md")], &[]);
        let slash = error(&vault, "create", &[("name", "a/b")], &[]);
        assert_eq!(slash.to_string(), Refusal::NameContainsSlash.to_string());
        let below = error(&vault, "create", &[("path", "file.md/b.md")], &[]);
        assert_eq!(below.to_string(), "`file.md` is a file");
        done(&vault, "create", &[("path", "Area/b.md")], &[]);
        let twin = error(&vault, "create", &[("path", "AREA/c/d.md")], &[]);
        assert!(
            matches!(&twin, EngineError::FolderTaken { instead, .. } if instead.as_str() == "Area/c/d.md"),
            "{twin}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn d03_a_symlink_is_neither_followed_nor_replaced() {
        let (folder, vault) = vault(&[]);
        let outside = folder.path().join("outside");
        fs_err::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, vault.root().join("out")).unwrap();
        std::os::unix::fs::symlink("none.md", vault.root().join("a.md")).unwrap();
        let refused = error(&vault, "create", &[("path", "out/a.md")], &[]);
        assert!(matches!(refused, EngineError::Symlink { .. }), "{refused}");
        let edit = done(&vault, "create", &[("path", "a.md")], &["overwrite"]);
        assert_eq!(confirmation(&edit), "created: a 1.md");
        assert_eq!(picture(vault.root())["a.md"].1, "a symlink");
        assert_eq!(fs_err::read_dir(outside).unwrap().count(), 0);
    }
}

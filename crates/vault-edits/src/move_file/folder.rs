//! `folder:move`: moves a folder with all its contents, and updates the links to its files, as when
//! the app moves a folder (`vault-semantics.md` §7.5).
//!
//! Its files are moved one by one into new folders, and then the old, empty folders are removed.
//! Entries that are not files of the vault, or that the caller may not see, would be left behind; a
//! folder with such entries is not moved.

use obsidian_note::path::PathError;
use obsidian_note::{VaultPath, plural, shown};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use vault_answers::{AnswerData, OwnForm};
use vault_files::disk::list;
use vault_files::{Call, Contents, Detail, EngineError, Vault};
use vault_index::target::{file_path, folder};
use vault_index::{IndexedVault, LinkTexts};

use super::moved::Moved;
use super::name;
use crate::Editor;
use crate::change::Change;
use crate::edit_command::{Edit, EditCommand};
use crate::new_file::{check_case, missing_folders, seen_names};

pub(crate) const FOLDER_MOVE: EditCommand = EditCommand::own("folder:move", move_folder, &FORM);

static FORM: OwnForm = OwnForm::new::<MovedFolder>("moved-folder");

/// A folder after its move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MovedFolder {
    /// The old path.
    path: String,
    /// The new path.
    destination: String,
    /// Number of files in it and below it.
    files: usize,
}

impl AnswerData for MovedFolder {
    /// Returns a line such as `Moved: A -> B/A (12 files)`.
    fn text(&self) -> String {
        if self.path == self.destination {
            return format!("Already there: {}", shown::row(&self.path));
        }
        format!(
            "Moved: {} -> {} ({})",
            shown::row(&self.path),
            shown::row(&self.destination),
            plural::count(self.files, "file")
        )
    }
}

fn move_folder(call: &Call<'_>) -> Result<Edit, EngineError> {
    let (vault, arguments) = (call.vault, call.arguments);
    let [from, to] = ["path", "to"].map(|name| folder(arguments, name));
    for (name, path) in [("path", &from), ("to", &to)] {
        if path.is_root() {
            return Err(EngineError::argument(
                name,
                "a folder below the vault's root",
            ));
        }
    }
    let contents = vault.contents(&from, Detail::Names)?;
    let answer = MovedFolder {
        path: from.to_string(),
        destination: to.to_string(),
        files: contents.files.len(),
    };
    let mut edit = Edit::new(answer, Vec::new(), Vec::new());
    // Moving to the same path is not an error, as for a file.
    if from == to {
        return Ok(edit);
    }
    must_be_free(vault, &from, &to)?;
    must_be_whole(vault, &from, &contents)?;
    let place = |path: &VaultPath| {
        let rest = path.as_str().get(from.as_str().len()..).unwrap_or_default();
        let place = format!("{to}{rest}");
        file_path(&place)
    };
    edit.changes = missing_folders(vault, &to)?;
    // Its own name may be the old one in another case.
    if edit.changes.len() > 1 {
        check_case(vault, &to, &edit.changes)?;
    }
    for path in &contents.folders {
        edit.changes.push(Change::MakeFolder { path: place(path)? });
    }
    let moved: Vec<Moved> = contents
        .files
        .into_par_iter()
        .map(|file| {
            vault.disk().cancellation().check()?;
            let to = place(&file.path)?;
            Moved::read(vault, file.path, to)
        })
        .collect::<Result<_, EngineError>>()?;
    edit.changes.extend(moved.iter().map(Moved::change));
    let indexed = IndexedVault(vault).column::<LinkTexts>()?;
    super::follow(
        vault,
        &indexed,
        &moved,
        &from,
        (&mut edit.changes, &mut edit.warnings),
    )?;
    // In byte order a folder comes before its subfolders; they must be removed first.
    let keeps_name = from.name() == to.name();
    let emptied = contents.folders.into_iter().rev().chain([from]);
    edit.changes
        .extend(emptied.map(|path| Change::RemoveFolder { path }));
    if keeps_name || arguments.flag("force") {
        return Ok(edit);
    }
    name::refuse_if_broken(vault, &to, edit)
}

/// Fails if no folder can be made at `to`. A name that differs from another one only in case counts
/// as taken, except for the folder's own name if the file system distinguishes the two.
fn must_be_free(vault: &Vault, from: &VaultPath, to: &VaultPath) -> Result<(), EngineError> {
    let refused = |reason| EngineError::path(to.as_str(), reason);
    if to.is_hidden() {
        return Err(refused(PathError::Hidden));
    }
    if to.is_below(from) {
        return Err(EngineError::argument(
            "to",
            "a path outside the folder that is moved",
        ));
    }
    let wanted = to.name().to_lowercase();
    let is_own = |name: &str| {
        to.parent() == from.parent() && name == from.name() && wanted == name.to_lowercase()
    };
    let names = seen_names(vault, &to.parent())?;
    let mut others = names.iter().filter(|name| !is_own(name));
    let is_taken = others.any(|name| name.to_lowercase() == wanted) || vault.is_there(to);
    if is_taken {
        return Err(EngineError::FolderTaken {
            path: to.clone(),
            instead: to.join(from.name()).map_err(refused)?,
        });
    }
    // The folder may keep its present name, also a forbidden one; the folders above it may be new.
    if wanted == from.name().to_lowercase() {
        if to.is_absolute_elsewhere() {
            return Err(refused(PathError::Escape));
        }
        return match to.parent() {
            above if above.is_root() || vault.folder(&above).is_ok() => Ok(()),
            above => Editor(vault).check_new_path(&above),
        };
    }
    Editor(vault).check_new_path(to)
}

/// Fails if the folder contains entries that the walk left out, so that the caller cannot move them. The error does not
/// name them.
fn must_be_whole(vault: &Vault, from: &VaultPath, contents: &Contents) -> Result<(), EngineError> {
    // A file or folder that is only planned is not an entry of a folder.
    let is_planned =
        |path: &VaultPath| vault.planned(path).is_some() || vault.plans_no_folder(path);
    let files = contents.files.iter();
    let mut known = files.filter(|file| !is_planned(&file.path)).count();
    let mut entries = 0;
    for folder in contents.folders.iter().chain([from]) {
        vault.disk().cancellation().check()?;
        let opened = match vault.folder(folder) {
            Err(_) if vault.plans_folder(folder) => continue,
            other => other.map_err(|blocked| EngineError::from_blocked_path(folder, blocked))?,
        };
        known += usize::from(folder != from);
        let listed = list(&opened).map_err(|source| EngineError::io(folder, source))?;
        let paths = listed
            .iter()
            .map(|entry| folder.join(&entry.name.to_string_lossy()));
        entries += paths
            .filter(|path| !path.as_ref().is_ok_and(is_planned))
            .count();
    }
    if entries == known {
        return Ok(());
    }
    Err(EngineError::FolderHoldsMore {
        path: from.clone(),
        is_limited: vault.is_limited(),
    })
}

#[cfg(test)]
mod tests {
    use vault_files::vault::testing::{vault, without_sight_of};

    use super::*;
    use crate::apply::testing::picture;
    use crate::testing::{done, error};

    const CASES: &str = include_str!("folder_cases.txt");

    const CANVAS: &str = r#"{"nodes":[{"id":"1","type":"file","file":"A/n.md"},{"id":"2","type":"text","text":"[[A/n]]"}]}"#;

    const FILES: &[(&str, &str)] = &[
        (
            "A/n.md",
            "[[sub/q]] [[../out]] ![](sub/p.png) [[n]] [[A/n#h]]",
        ),
        ("A/sub/p.png", "x"),
        ("A/sub/q.md", "[up](../n.md) [[Other]]"),
        ("B/Other.md", ""),
        ("c.canvas", CANVAS),
        (
            "out.md",
            "---\nup: \"[[A/n]]\"\n---\n[[n]] [[A/n|n]] [x](A/sub/p.png) ![[A/sub/p.png|100]] [[A]] `[[A/n]]`",
        ),
    ];

    fn moved(vault: &Vault, from: &str, to: &str) -> String {
        let edit = done(vault, "folder:move", &[("path", from), ("to", to)], &[]);
        assert_eq!(edit.warnings, []);
        edit.answer.text()
    }

    #[test]
    fn a_folder_moves_with_all_that_is_in_it_and_links_follow() {
        let (_folder, vault) = vault(FILES);
        fs_err::create_dir_all(vault.root().join("A/empty/deep")).unwrap();
        assert_eq!(
            moved(&vault, "A/", "New/B 2"),
            "Moved: A -> New/B 2 (3 files)"
        );
        let now = picture(vault.root());
        let read = |path: &str| fs_err::read_to_string(vault.root().join(path)).unwrap();
        assert!(!now.keys().any(|path| path == "A" || path.starts_with("A/")));
        assert!(now.contains_key("New/B 2/empty/deep"));
        assert_eq!(
            read("out.md"),
            "---\nup: \"[[New/B 2/n]]\"\n---\n[[n]] [[New/B 2/n|n]] [x](New/B%202/sub/p.png) ![[New/B 2/sub/p.png|100]] [[A]] `[[A/n]]`"
        );
        assert_eq!(
            read("New/B 2/n.md"),
            "[[sub/q]] [[../../out]] ![](sub/p.png) [[n]] [[New/B 2/n#h]]"
        );
        assert_eq!(read("New/B 2/sub/q.md"), "[up](../n.md) [[Other]]");
        assert_eq!(read("c.canvas"), CANVAS.replace("A/n", "New/B 2/n"));
        assert_eq!(
            moved(&vault, "New/B 2", "A"),
            "Moved: New/B 2 -> A (3 files)"
        );
    }

    #[test]
    fn a_name_that_breaks_links_is_refused_with_another_one() {
        let (_folder, vault) = vault(FILES);
        let params = [("path", "A"), ("to", "New/C#")];
        let before = picture(vault.root());
        let refused = error(&vault, "folder:move", &params, &[]);
        assert!(
            matches!(&refused, EngineError::NameBreaksLinks { instead, .. } if instead.as_str() == "New/C"),
            "{refused}"
        );
        assert_eq!(picture(vault.root()), before);
        let forced = done(&vault, "folder:move", &params, &["force"]);
        assert_ne!(forced.warnings, []);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_can_change_the_case_of_its_name_alone() {
        let (_folder, vault) = vault(FILES);
        moved(&vault, "A", "a");
        let now = picture(vault.root());
        assert!(now.contains_key("a/sub/p.png") && !now.contains_key("A"));
        // A link finds its file in any case; a file node of a canvas needs the exact path.
        let read = |path: &str| fs_err::read_to_string(vault.root().join(path)).unwrap();
        assert_eq!(read("out.md"), FILES[5].1);
        assert!(read("c.canvas").contains("\"a/n.md\""));
        assert_eq!(moved(&vault, "a", "a"), "Already there: a");
    }

    #[test]
    fn where_a_folder_cannot_go_nothing_is_moved() {
        let (_folder, vault) = vault(FILES);
        fs_err::write(vault.root().join("b 2"), "").unwrap();
        let before = picture(vault.root());
        for [from, to] in tables::section(CASES, "where a folder cannot go nothing") {
            // On some systems a caller cannot even name it.
            if VaultPath::folder(to).is_err() {
                continue;
            }
            error(&vault, "folder:move", &[("path", from), ("to", to)], &[]);
        }
        let taken = error(&vault, "folder:move", &[("path", "A"), ("to", "B")], &[]);
        assert!(
            matches!(&taken, EngineError::FolderTaken { instead, .. } if instead.as_str() == "B/A"),
            "{taken}"
        );
        assert_eq!(picture(vault.root()), before);
    }

    #[test]
    fn d13_a_folder_that_holds_more_than_the_vault_shows_stays_and_does_not_say_what() {
        let (_folder, vault) = vault(FILES);
        let arguments = [("path", "A"), ("to", "Z")];
        let limited = without_sight_of(&vault, "A/sub/q.md");
        let closed = error(&limited, "folder:move", &arguments, &[]).to_string();
        fs_err::write(vault.root().join("A/sub/.q"), "").unwrap();
        let hidden = error(&limited, "folder:move", &arguments, &[]).to_string();
        assert_eq!(closed, hidden);
        let hidden = error(&vault, "folder:move", &arguments, &[]).to_string();
        assert!(!hidden.contains("sub"), "{hidden}");
        fs_err::remove_file(vault.root().join("A/sub/.q")).unwrap();
        #[cfg(unix)]
        {
            let link = vault.root().join("A/link");
            std::os::unix::fs::symlink(vault.root().join("B"), &link).unwrap();
            error(&vault, "folder:move", &arguments, &[]);
            let following = vault.clone().with_symlinked_folders(true);
            error(&following, "folder:move", &arguments, &[]);
            fs_err::remove_file(link).unwrap();
        }
        moved(&vault, "A", "Z");
    }

    #[test]
    fn what_comes_into_the_folder_meanwhile_keeps_it_where_it_is() {
        let (_folder, vault) = vault(FILES);
        let arguments = [("path", "A"), ("to", "Z")];
        let edit = crate::testing::plan(&vault, "folder:move", &arguments, &[]);
        fs_err::write(vault.root().join("A/sub/new.md"), "new").unwrap();
        let before = picture(vault.root());
        Editor(&vault).apply(&edit.changes, "run").unwrap_err();
        assert_eq!(picture(vault.root()), before);
        fs_err::remove_file(vault.root().join("A/sub/new.md")).unwrap();
        #[cfg(unix)]
        {
            // A symlink in the place of a planned folder must not lead outside.
            let outside = tempfile::tempdir().unwrap();
            fs_err::rename(vault.root().join("A/sub"), vault.root().join("kept")).unwrap();
            std::os::unix::fs::symlink(outside.path(), vault.root().join("A/sub")).unwrap();
            let before = picture(vault.root());
            Editor(&vault).apply(&edit.changes, "run").unwrap_err();
            assert_eq!(picture(vault.root()), before);
            assert_eq!(fs_err::read_dir(outside.path()).unwrap().count(), 0);
        }
    }
}

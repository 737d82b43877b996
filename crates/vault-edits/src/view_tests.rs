//! The view of planned changes (`vault/overlay.rs`), with the changes of real commands.

use std::sync::Arc;

use obsidian_note::VaultPath;
#[cfg(unix)]
use vault_files::Sight;
use vault_files::vault::testing::{path, vault};
use vault_files::{Detail, PlannedFile, Vault};
use vault_index::IndexedVault;

use super::Change;
use super::testing::plan;
use crate::Editor;

/// A command with its parameters and flags.
type Step<'words> = (
    &'words str,
    &'words [(&'words str, &'words str)],
    &'words [&'words str],
);

#[test]
fn a_draft_holds_only_what_differs_from_the_folder() {
    let (_folder, vault) = vault(&[("a.md", "bread"), ("b.md", "[[a]]"), ("x/c.md", "")]);
    let step = |view: Vault, (command, params, flags): &Step<'_>| {
        let edit = plan(&view, command, params, flags);
        Editor(&view).after_at(&edit.changes, 1)
    };
    let back = r#"[{"old":"bread\nx","new":"bread"}]"#;
    let append: Step<'_> = ("append", &[("path", "a.md"), ("content", "x")], &[]);
    let moved: Step<'_> = ("append", &[("path", "x/a.md"), ("content", "x")], &[]);
    let create: Step<'_> = ("create", &[("path", "y/n.md"), ("content", "x")], &[]);
    let trash: Step<'_> = ("delete", &[("path", "a.md")], &[]);
    let trash_new: Step<'_> = ("delete", &[("path", "n.md")], &[]);
    let remove: Step<'_> = ("delete", &[("path", "a.md")], &["permanent"]);
    let new: Step<'_> = ("create", &[("path", "n.md"), ("content", "x")], &[]);
    let again: Step<'_> = ("create", &[("path", "a.md"), ("content", "x")], &[]);
    let edit_back: Step<'_> = ("note:edit", &[("path", "a.md"), ("edits", back)], &[]);
    let there: Step<'_> = ("move", &[("path", "a.md"), ("to", "x/a.md")], &[]);
    let home: Step<'_> = ("move", &[("path", "x/a.md"), ("to", "a.md")], &[]);
    for (steps, files) in [
        (vec![new, trash_new], vec![]),
        (vec![append, edit_back], vec![]),
        (vec![there, home], vec![]),
        (vec![there, moved, home], vec!["a.md"]),
        (vec![append, trash], vec![".trash/a.md", "a.md"]),
        (vec![create], vec!["y/n.md"]),
        (vec![remove, again], vec!["a.md"]),
        (vec![remove, again, remove], vec!["a.md"]),
    ] {
        let view = steps.iter().fold(vault.clone(), step);
        let overlay = view.overlay().map(|overlay| overlay.as_ref().clone());
        let overlay = overlay.unwrap_or_default();
        let planned: Vec<&str> = overlay.files.keys().map(VaultPath::as_str).collect();
        assert_eq!(planned, files, "{steps:?}");
        if steps == [append, trash] {
            let kept = &overlay.files[&path(".trash/a.md")];
            assert_eq!(*kept, PlannedFile::From(path("a.md")));
        }
        let gone = steps.ends_with(&[again, remove]);
        assert!(!gone || overlay.files[&path("a.md")] == PlannedFile::Gone);
    }
    let folder = || path("new");
    let view = Editor(&vault).after_at(&[Change::MakeFolder { path: folder() }], 1);
    assert!(view.overlay().is_some() && view.clone().plans_folder(&folder()));
    let view = Editor(&view).after_at(&[Change::RemoveFolder { path: folder() }], 1);
    assert!(view.overlay().is_none());
}

#[test]
fn what_is_planned_in_a_folder_is_found_between_names_that_begin_alike() {
    let (_folder, vault) = vault(&[("a/old.md", "")]);
    // In the order of the overlay, some of these are between `a` and `a/…`, and some after it.
    let created = [
        "a b.md", "a.md", "a!/x.md", "a/b/y.md", "a/x.md", "a0/z.md", "ab.md",
    ];
    let create = |file: &&str| Change::Create {
        path: path(file),
        after: Vec::new(),
    };
    let folders = ["a!", "a/b", "a0"].map(|folder| Change::MakeFolder { path: path(folder) });
    let changes: Vec<Change> = folders
        .into_iter()
        .chain(created.iter().map(create))
        .collect();
    let view = Editor(&vault).after_at(&changes, 1);
    let planned = |folder: &VaultPath| -> Vec<String> {
        view.planned_in(folder)
            .into_iter()
            .map(ToString::to_string)
            .collect()
    };
    assert_eq!(planned(&path("a")), ["a/x.md", "a/b"]);
    assert_eq!(planned(&path("a/b")), ["a/b/y.md"]);
    assert_eq!(
        planned(&VaultPath::root()),
        ["a b.md", "a.md", "ab.md", "a!", "a0"]
    );
    assert!(view.plans_folder(&path("a/b")) && !view.plans_folder(&path("ab")));
}

#[cfg(unix)]
#[test]
fn d17_a_moved_file_is_closed_by_its_other_names() {
    struct Outside;
    impl Sight for Outside {
        fn sees_file(&self, path: &VaultPath) -> bool {
            !path.as_str().starts_with("Private/")
        }
        fn sees_folder(&self, path: &VaultPath) -> bool {
            path.as_str() != "Private"
        }
        fn minds_hard_links(&self) -> bool {
            true
        }
    }
    let (_folder, vault) = vault(&[("Private/b.md", "#b"), ("c.md", "#c")]);
    let root = vault.root().to_owned();
    fs_err::hard_link(root.join("Private/b.md"), root.join("b.md")).unwrap();
    fs_err::hard_link(root.join("c.md"), root.join("d.md")).unwrap();
    let moves = |(from, to)| plan(&vault, "move", &[("path", from), ("to", to)], &[]).changes;
    let moves = [("b.md", "b 2.md"), ("c.md", "c 2.md")].map(moves).concat();
    let view = Editor(&vault.clone()).after_at(&moves, 1);
    let seen = IndexedVault(&view).limited_to(Arc::new(Outside)).unwrap();
    let files = IndexedVault(&seen).index().unwrap().files().to_vec();
    assert_eq!(files, [path("c 2.md"), path("d.md")]);
    assert!(seen.read_bytes(&path("b 2.md")).is_err());
    assert!(seen.read_bytes(&path("c 2.md")).is_ok());
}

#[test]
fn what_is_written_is_compared_with_the_folder_alone() {
    let (_folder, vault) = vault(&[("a.md", "bread")]);
    let params = [("path", "a.md"), ("content", "flour")];
    let changes = plan(&vault, "append", &params, &[]).changes;
    let view = Editor(&vault.clone()).after_at(&changes, 1);
    let state = |vault: &Vault| Editor(vault).state_at(&path("a.md")).unwrap();
    assert_eq!(state(&view), state(&vault));
    assert_eq!(
        Editor(&view).touched(&changes).unwrap(),
        Editor(&vault).touched(&changes).unwrap()
    );
    Editor(&view).apply(&changes, "run").unwrap();
    assert_eq!(vault.read_bytes(&path("a.md")).unwrap(), b"bread\nflour");
}

#[test]
fn a_removed_folder_stays_while_something_new_is_in_it() {
    let (_folder, vault) = vault(&[("x/a.md", ""), ("x/y/b.md", "")]);
    let edit = plan(&vault, "folder:move", &[("path", "x"), ("to", "z")], &[]);
    let view = Editor(&vault.clone()).after(&edit.changes);
    let folders = |view: &Vault| {
        let contents = view.contents(&VaultPath::root(), Detail::Names).unwrap();
        let folders: Vec<String> = contents.folders.iter().map(ToString::to_string).collect();
        folders
    };
    assert_eq!(folders(&view), ["z", "z/y"]);
    assert!(!view.is_there(&path("x")) && view.folder(&path("x")).is_err());
    vault_files::testing::write(vault.root(), "x/y/new.md", "");
    assert_eq!(folders(&view), ["x", "x/y", "z", "z/y"]);
    assert!(view.is_there(&path("x")) && view.folder(&path("x")).is_ok());
}

//! Requests that need names alone: what is kept of them is what a walk finds, and no index is read.

use std::sync::Arc;

use obsidian_note::VaultPath;
use vault_edits::Change;
use vault_edits::Editor;
use vault_files::Sight;
use vault_index::IndexedVault;

use super::*;

const QUESTIONS_OF_NAMES: &[&[&str]] = &[
    &["links", "path=a.md"],
    &["links", "file=c"],
    &["links:list", "path=a.md"],
    &["note:link", "path=b.md"],
    &["read", "file=d"],
    &["files"],
    &["folders"],
    &["vault", "info=files"],
];

/// Compares every such request with the answer of a newly opened vault.
fn check(world: &World, edit: &str) {
    for words in QUESTIONS_OF_NAMES {
        let [warm, fresh] = [world.warm(), world.fresh()].map(|vault| answer(&vault, words));
        assert_eq!(warm, fresh, "{edit}: {words:?}");
    }
    assert!(!world.followed.has_index().unwrap(), "no index was read");
}

/// A change of a vault, with its description.
type NamedEdit = (&'static str, fn(&World));

const EDITS: &[NamedEdit] = &[
    ("none", |_| {}),
    ("an edit", |world| world.write("a.md", "[[new]] [[d]]")),
    ("a new note", |world| world.write("x/new.md", "")),
    ("a note in the place of another", |world| {
        world.write("x/draft.tmp", "[[b]]");
        world.rename("x/draft.tmp", "x/c.md");
    }),
    ("another name", |world| world.rename("b.md", "x/B.md")),
    ("no note", |world| world.remove("x/new.md")),
    ("a new folder", |world| world.write("z/deep/d.md", "")),
    ("an empty folder", |world| {
        fs_err::create_dir(world.path("bare")).unwrap();
    }),
    ("another folder", |world| world.rename("x/y", "w/y")),
    ("a note that comes again", |world| {
        world.remove("w/y/d.md");
        world.write("w/y/d.md", "again");
    }),
    ("a folder in the place of a note", |world| {
        world.remove("w/y/d.md");
        world.write("w/y/d.md/e.md", "");
    }),
    ("no folder", |world| {
        fs_err::remove_dir_all(world.path("z")).unwrap();
    }),
    ("an attachment", |world| world.write("z/pic.png", "")),
];

#[test]
fn the_names_are_those_of_a_walk_after_every_edit() {
    for followed in [Followed::new(), Followed::new().unwatched()] {
        let world = World::new(followed);
        for (edit, make) in EDITS {
            make(&world);
            check(&world, edit);
        }
    }
}

#[cfg(unix)]
#[test]
fn symlinks_come_and_go() {
    use std::os::unix::fs::symlink;
    let world = World::new(Followed::new());
    check(&world, "none");
    symlink("x", world.path("link")).unwrap();
    check(&world, "a link to a folder");
    world.remove("a.md");
    symlink("b.md", world.path("a.md")).unwrap();
    check(&world, "a link in the place of a note");
    world.remove("link");
    check(&world, "one link less");
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_request_walks_nothing_and_an_edit_costs_no_walk() {
    let world = World::new(Followed::new());
    check(&world, "none");
    for edit in [&[][..], &["a.md", "x/c.md"]] {
        for name in edit {
            world.write(name, "[[d]] [[none]]");
        }
        for words in QUESTIONS_OF_NAMES {
            let (_, listings, _) = trace::count(|| answer(&world.warm(), words).unwrap());
            // The root, to look for a configuration folder, and for a second one.
            let most = 1 + usize::from(words[0] == "note:link");
            assert!(listings <= most, "{words:?}: {listings}");
        }
    }
    world.write("x/new.md", "");
    let (_, listings, _) = trace::count(|| answer(&world.warm(), &["links", "path=a.md"]).unwrap());
    assert!(listings > 0);
    // The index has all names, so they are kept once.
    IndexedVault(&world.warm()).index().unwrap();
    assert!(!world.followed.has_names().unwrap());
}

#[test]
fn d13_a_limited_caller_and_a_draft_have_names_of_their_own() {
    let world = World::new(Followed::new());
    let sights: Vec<Arc<dyn Sight>> = ["x", "a.md", "x/y"]
        .map(|hidden| Arc::new(Without(hidden.to_owned())) as Arc<dyn Sight>)
        .into();
    for (edit, make) in EDITS {
        make(&world);
        for _ in 0..2 {
            check(&world, edit);
            for sight in &sights {
                let limited = [world.warm(), world.fresh()]
                    .map(|vault| IndexedVault(&vault).limited_to(Arc::clone(sight)).unwrap());
                let planned = ["x/plan.md", "plan.md"].map(|name| Change::Create {
                    path: VaultPath::file(name).unwrap(),
                    after: b"[[plan]]".to_vec(),
                });
                let drafts = [0, 1].map(|of| Editor(&limited[of].clone()).after_at(&planned, 1));
                for words in QUESTIONS_OF_NAMES {
                    for [warm, fresh] in [&limited, &drafts] {
                        assert_eq!(
                            answer(warm, words),
                            answer(fresh, words),
                            "{edit}: {words:?}"
                        );
                    }
                }
            }
        }
    }
}

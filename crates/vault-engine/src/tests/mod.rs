//! Tests that need several layers of the engine.

mod cancellation;
mod followed;
mod note_rules;
#[cfg(unix)]
mod symlinks;

use vault_answers::{List, PropertyItem, TagItem};
use vault_edits::Editor;
use vault_files::testing::{arguments, given, surroundings, write};
use vault_files::vault::testing::{path, vault};
use vault_files::{EngineError, Vault};
use vault_index::IndexedVault;
use vault_questions::{Reply, reply};

/// Returns the reply to a command and its arguments.
fn ask(vault: &Vault, words: &[&str]) -> Result<Reply, EngineError> {
    reply(
        vault,
        words[0],
        &arguments(words[0], &words[1..]),
        &surroundings(),
    )
}

#[test]
fn kept_names_are_those_of_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    let (notes, cache) = (folder.path().join("notes"), folder.path().join("cache"));
    fs_err::create_dir_all(&notes).unwrap();
    for (name, text) in [
        (
            "a.md",
            "---\nKey: {deep: 1}\n\"qu\\\"ote\": 2\n---\n#boat/red #Boat\n",
        ),
        ("b.md", "---\nkey: 2\ntags: [x]\n---\n#boat/blue\n"),
    ] {
        write(&notes, name, text);
    }
    let vault = Vault::open(&notes).unwrap().with_cache(cache);
    assert_eq!(IndexedVault(&vault).kept_tags(), None);
    let ask = |command| ask(&vault, &[command]).unwrap().answer;
    let tags: List<TagItem> = ask("tags").downcast().unwrap();
    let names: List<PropertyItem> = ask("properties").downcast().unwrap();
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    let shown = tags.items.into_iter().map(|item| item.tag).collect();
    assert_eq!(
        sorted(IndexedVault(&vault).kept_tags().unwrap()),
        sorted(shown)
    );
    let shown = names.items.into_iter().map(|item| item.name).collect();
    assert_eq!(
        sorted(IndexedVault(&vault).kept_property_names().unwrap()),
        sorted(shown)
    );
}

#[test]
fn a_planned_file_has_the_time_of_its_plan_and_is_found_by_its_path() {
    let (_folder, vault) = vault(&[("a.md", "bread")]);
    let created = vault.facts(&path("a.md")).unwrap().created;
    let mut view = vault.clone();
    for (command, params) in [
        ("append", [("path", "a.md"), ("content", "flour")]),
        ("create", [("path", "new.md"), ("content", "bread")]),
    ] {
        let arguments = given(command, &params, &[]);
        let edit = Editor(&view)
            .plan(command, &arguments, &surroundings())
            .unwrap();
        view = Editor(&view).after_at(&edit.changes, 7);
    }
    let facts = view.facts(&path("a.md")).unwrap();
    assert_eq!(
        (facts.size, facts.created, facts.modified),
        (11, created, 7)
    );
    let facts = view.facts(&path("new.md")).unwrap();
    assert_eq!((facts.created, facts.modified), (7, 7));
    let found = |vault| ask(vault, &["search", "query=bread", "path=new.md"]).unwrap();
    let written = vault.clone();
    write(vault.root(), "new.md", "bread");
    assert_eq!(found(&view), found(&written));
}

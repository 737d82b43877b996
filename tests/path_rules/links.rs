//! Files with several names, of which some are closed (`threats.toml` D17), one question at a time.

use vault_gw::settings::BackendChoice;

use super::{OPEN, reported};
use crate::support::{Outcome as _, World, answer, asked, request};

const RULES: &str = "[paths]\ndeny = [\"Private/**\"]";

fn world(rules: &str) -> World {
    let world = World::empty().set(OPEN).with_tables(rules);
    world.write("Private/Diary.md", "word [[Other]]\n");
    world.write("Other.md", "text\n");
    world
}

fn link(world: &World, from: &str, to: &str) {
    fs_err::create_dir_all(world.vault.join(to).parent().unwrap()).unwrap();
    fs_err::hard_link(world.vault.join(from), world.vault.join(to)).unwrap();
}

#[test]
fn d17_a_second_name_of_a_closed_note_is_closed() {
    let world = world(RULES);
    let gateway = world.gateway();
    let calls = [
        asked("read path=Open.md"),
        asked("read file=Open"),
        asked("file path=Open.md"),
        asked("files"),
        asked("tags counts"),
        asked("search query=word"),
        asked("notes:search query=word"),
        request("notes:read", &[("paths", r#"["Open.md"]"#)]),
        asked("backlinks path=Other.md"),
        asked("orphans"),
        asked("append path=Open.md content=x"),
        asked("move path=Open.md to=Elsewhere.md"),
        asked("delete path=Open.md"),
    ];
    let ask = || calls.each_ref().map(|call| reported(&gateway.call(call)));
    let absent = ask();
    link(&world, "Private/Diary.md", "Open.md");
    for (call, (absent, closed)) in calls.iter().zip(absent.iter().zip(ask())) {
        assert_eq!(*absent, closed, "{call:?}");
    }
    assert_eq!(world.read("Open.md"), "word [[Other]]\n");
    let create = asked("create path=Open.md content=x overwrite");
    gateway.call(&create).fails_with("FILE_EXISTS");
    assert_eq!(world.read("Private/Diary.md"), "word [[Other]]\n");
}

#[test]
fn d17_the_names_of_a_file_decide_and_the_owner() {
    for (from, to, rules, is_open) in [
        ("Other.md", "Second.md", RULES, true),
        ("Private/Diary.md", "Open.md", RULES, false),
        ("Private/Diary.md", "Open.md", "", true),
        (
            "Private/Diary.md",
            "Open.md",
            "[paths]\ndeny = [\"Private/**\"]\nallow_hard_links = true",
            true,
        ),
        // A name that no rule opens.
        ("Other.md", ".trash/Other.md", RULES, false),
    ] {
        let world = world(rules);
        link(&world, from, to);
        let open = if from == "Other.md" { from } else { to };
        let envelope = world.call("read", &[("path", open)]);
        assert_eq!(
            envelope.success, is_open,
            "{from} {to} {rules}: {envelope:#?}"
        );
    }
    // A name outside of the vault, as tools for backups make it.
    let world = world(RULES);
    let outside = world.scratch().join("backup.md");
    fs_err::hard_link(world.vault.join("Other.md"), outside).unwrap();
    world.ask("read path=Other.md").succeeds();
}

/// A link that is made while a server runs, and one in the place of an open note.
#[test]
fn d17_a_link_that_is_made_later_is_closed_at_once() {
    let world = world(RULES);
    let followed = std::sync::Arc::new(vault_engine::Followed::new().unwatched());
    let gateway = world.gateway().with_followed(followed);
    let search = asked("search query=word");
    let before = reported(&gateway.call(&search));
    link(&world, "Private/Diary.md", "Open.md");
    assert_eq!(reported(&gateway.call(&search)), before);
    fs_err::remove_file(world.vault.join("Other.md")).unwrap();
    link(&world, "Private/Diary.md", "Other.md");
    for call in [search, asked("read path=Other.md"), asked("notes:list")] {
        let envelope = gateway.call(&call);
        assert!(!envelope.to_json().contains("word ["), "{envelope:#?}");
        assert!(
            !envelope.to_json().contains("\"Other.md\"") || !envelope.success,
            "{envelope:#?}"
        );
    }
}

/// A closed note whose links would follow a move keeps its text: written anew, it would be a file of its own, and
/// its other names would look like open notes.
#[test]
fn d17_a_move_does_not_separate_the_names_of_a_closed_note() {
    let world = world(RULES);
    link(&world, "Private/Diary.md", "Open.md");
    let gateway = world.gateway();
    answer(&gateway, "move path=Other.md to=Moved.md").succeeds();
    answer(&gateway, "read path=Open.md").fails_with("FILE_NOT_FOUND");
}

/// The app would open the file, and change it under all of its names.
#[test]
fn d17_the_app_is_not_asked_for_a_file_with_a_closed_name() {
    let world = world(RULES).with_fake(&fake_obsidian::scenario::Scenario::logged());
    let world = world.set("backend = \"obsidian\"");
    link(&world, "Private/Diary.md", "Open.md");
    link(&world, "Other.md", "Second.md");
    let gateway = world.through(BackendChoice::Obsidian);
    answer(&gateway, "read path=Open.md").fails_with("FILE_NOT_FOUND");
    answer(&gateway, "read path=Second.md").succeeds();
    for path in ["Open.md", "Second.md"] {
        gateway
            .call(&request("append", &[("path", path), ("content", "x")]))
            .fails_with("PATH_DENIED");
    }
    let runs = world.runs();
    assert!(runs.iter().all(|run| !run.contains("Open.md")), "{runs:?}");
    assert_eq!(world.read("Private/Diary.md"), "word [[Other]]\n");
}

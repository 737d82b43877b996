//! `folder:move` from end to end: plan, change, journal, undo, path rules, and the app beside it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fake_obsidian::scenario::Scenario;
use serde_json::json;
use vault_gw::gateway::{Answerer, Envelope, Request, Status};
use vault_gw::settings::BackendChoice;

use crate::support::{
    Outcome as _, World, checked, code, dry_run_of, everything_below, has, request, warnings,
};

const CASES: &str = include_str!("data/folder_move.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

fn world() -> World {
    let world = World::empty().set("allow_mutations = true");
    for (path, text) in NOTES.iter().copied() {
        world.write(path, text);
    }
    world
}

fn asked(from: &str, to: &str) -> Request {
    request("folder:move", &[("path", from), ("to", to)])
}

/// Every file that is not hidden, with its bytes, and every folder.
fn files(world: &World) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = everything_below(&world.vault);
    found.retain(|path, _| !path.starts_with('.'));
    found
}

fn agent(world: &World, request: &Request) -> Envelope {
    checked(world.gateway().call(request))
}

fn undo(world: &World) -> Envelope {
    let person = world.person();
    person.undo(None, false)
}

#[test]
fn a_folder_moves_as_one_run_beside_a_running_app_and_comes_back_with_every_byte() {
    let world = world().with_fake(&Scenario::logged());
    fs_err::create_dir(world.vault.join("Projects/Garden/empty")).unwrap();
    let before = files(&world);
    let call = asked("Projects/Garden/", "Archive/2026/Garden");
    let dry = dry_run_of(call.clone());
    let planned = agent(&world, &dry);
    assert_eq!(
        planned.data.as_map()["effects"],
        json!(["write"]),
        "{planned:?}"
    );
    let rows = planned.data.as_map()["files"].as_array().unwrap();
    let of = |change: &str| rows.iter().filter(|row| row["change"] == change).count();
    assert_eq!(
        (
            of("moved"),
            of("folderMade"),
            of("folderRemoved"),
            of("modified")
        ),
        (3, 4, 3, 2),
        "{rows:#?}"
    );
    let home = rows.iter().find(|row| row["path"] == "Home.md").unwrap();
    assert!(
        home["diff"]
            .as_str()
            .unwrap()
            .contains("+[[Beds]] [[Archive/2026/Garden/Beds|Beds]]")
    );
    assert_eq!(files(&world), before);

    let done = agent(&world, &call);
    assert_eq!(done.status, Status::Ok, "{done:?}");
    assert_eq!(done.meta.backend, Answerer::Embedded);
    assert_eq!(
        done.stdout,
        "Moved: Projects/Garden -> Archive/2026/Garden (3 files)\n"
    );
    assert_eq!(done.data.as_map()["files"], 3);
    let after = files(&world);
    assert!(!after.contains_key("Projects/Garden") && after.contains_key("Projects"));
    assert!(after.contains_key("Archive/2026/Garden/empty"));
    assert_eq!(
        world.read("Archive/2026/Garden/Beds.md"),
        "[[Tools]] [[Archive/2026/Garden/plan.pdf]] [up](../../../Home.md)"
    );
    has(
        &world.read("Board.canvas"),
        &["\"Archive/2026/Garden/Beds.md\""],
    );
    undo(&world).succeeds();
    assert_eq!(files(&world), before);
    let person = world.person();
    person.redo(None, false).succeeds();
    assert_eq!(files(&world), after);
    undo(&world).succeeds();
    assert_eq!(files(&world), before);
    assert!(world.nothing_spawned());
    let refused = checked(world.through(BackendChoice::Obsidian).call(&call));
    assert_eq!(
        code(&refused),
        "USAGE_ERROR",
        "the app's command line moves no folder"
    );
}

#[test]
fn a_file_command_that_is_given_a_folder_names_the_one_for_folders() {
    let world = world();
    let moved = [("path", "Projects/Garden"), ("to", "Archive")];
    let named = [("path", "Projects/Garden"), ("name", "Yard")];
    for refused in [world.call("move", &moved), world.call("rename", &named)] {
        let error = refused.error.as_ref().unwrap();
        assert!(error.to_string().contains("`folder:move`"), "{refused:?}");
    }
    for [from, to, expected] in tables::section(CASES, "a file command that is given a folder") {
        let refused = agent(&world, &asked(from, to));
        assert_eq!(code(&refused), expected, "{from} {to}: {refused:?}");
    }
    let taken = agent(&world, &asked("Projects/Garden", "Archive"));
    let message = &taken.error.as_ref().unwrap().to_string();
    assert!(message.contains("`Archive/Garden`"), "{message}");
    let tied = Request {
        if_hash: Some("0".repeat(64)),
        ..asked("Projects/Garden", "x")
    };
    agent(&world, &tied).fails_with("USAGE_ERROR");
    let expected = NOTES.iter().map(|(path, _)| (*path).to_owned());
    let mut kept: Vec<String> = files(&world)
        .into_iter()
        .filter_map(|(path, text)| text.map(|_| path))
        .collect();
    kept.sort_unstable();
    let mut expected: Vec<_> = expected.collect();
    expected.sort_unstable();
    assert_eq!(kept, expected);
}

/// What is in a folder decides nothing: a rule that could close anything in it keeps it where it is.
#[test]
fn d13_a_folder_with_closed_files_is_refused_by_the_rules_alone() {
    let refused = |rules: &str, file: Option<&str>| {
        let world = world().set(rules);
        if let Some(file) = file {
            world.write(file, "secret");
        }
        let before = files(&world);
        let answer = agent(&world, &asked("Projects/Garden", "New"));
        assert_eq!(files(&world), before);
        let error = answer.error.as_ref().unwrap();
        // The list that may close something in the folder, also if it does not close the folder itself.
        let list = rules.split(' ').next().unwrap();
        assert_eq!(
            error.details["needs"],
            serde_json::json!([list]),
            "{error:?}"
        );
        (code(&answer), error.to_string())
    };
    for [rules, file] in tables::section(CASES, "d13 a folder with closed files") {
        let with = refused(rules, Some(file));
        assert_eq!(with, refused(rules, None), "{rules}");
        assert_eq!(with.0, "PATH_DENIED", "{rules}");
        assert!(
            !with.1.contains("Key") && !with.1.contains("Secret"),
            "{with:?}"
        );
    }
    let world = world().set("paths.write = [\"Projects/**\", \"New/**\", \"*\"]");
    agent(&world, &asked("Projects/Garden", "New/Garden")).succeeds();
    // What links to it and may not be written keeps it too.
    let world = self::world().set("paths.write = [\"Projects/**\", \"New/**\"]");
    agent(&world, &asked("Projects/Garden", "New/Garden")).fails_with("PATH_DENIED");
}

#[test]
fn d13_links_in_closed_notes_follow_a_folder_and_are_not_reported() {
    let world = world().set("paths.deny = [\"Private/**\"]");
    let closed = "[[Projects/Garden/Beds]] [[Projects/Garden/Tools/Tools|x]]";
    world.write("Private/p.md", closed);
    let done = agent(&world, &asked("Projects/Garden", "Yard")).succeeds();
    assert_eq!(
        world.read("Private/p.md"),
        "[[Yard/Beds]] [[Yard/Tools/Tools|x]]"
    );
    assert!(!serde_json::to_string(&done).unwrap().contains("Private"));
    // The owner, whom no rule keeps from it, takes it back.
    undo(&world).succeeds();
    assert_eq!(world.read("Private/p.md"), closed);
}

#[test]
fn d06_a_folder_with_hidden_files_or_symlinks_stays_as_it_is() {
    let world = world();
    let hidden = world.vault.join("Projects/Garden/Tools/.keep");
    fs_err::write(&hidden, "").unwrap();
    let refused = agent(&world, &asked("Projects/Garden", "Yard")).fails_with("VALIDATION_ERROR");
    assert!(!refused.error.unwrap().to_string().contains("keep"));
    fs_err::remove_file(hidden).unwrap();
    #[cfg(unix)]
    {
        let outside = world.scratch();
        let link = world.vault.join("Projects/Garden/link");
        std::os::unix::fs::symlink(&outside, &link).unwrap();

        agent(&world, &asked("Projects/Garden", "Yard")).fails_with("VALIDATION_ERROR");
        agent(&world, &asked("Projects/Garden/link", "Yard")).fails_with("PATH_ESCAPE");
        fs_err::remove_file(link).unwrap();
    }
    agent(&world, &asked("Projects/Garden", "Yard")).succeeds();
}

#[test]
fn where_links_may_not_be_updated_a_moved_folder_says_how_many_stay() {
    let world = world();
    world.write(".obsidian/app.json", r#"{"alwaysUpdateLinks":false}"#);
    let done = agent(&world, &asked("Projects/Garden", "Yard")).succeeds();
    assert_eq!(warnings(&done), ["LINKS_NOT_UPDATED"]);
    has(&world.read("Home.md"), &["[[Projects/Garden/Beds|Beds]]"]);
}

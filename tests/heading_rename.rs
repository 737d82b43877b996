//! `heading:rename` from end to end: plan, change, undo, draft, closed notes, and the warning of an edit instead.

use std::sync::LazyLock;

use serde_json::json;
use vault_gw::gateway::{Envelope, Request, Status};

use crate::support::{Outcome as _, World, asked, checked, warnings};

const CASES: &str = include_str!("data/heading_rename.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

fn world() -> World {
    with_notes(World::empty().set("allow_mutations = true"))
}

fn with_notes(world: World) -> World {
    for (path, text) in NOTES.iter().copied() {
        world.write(path, text);
    }
    world
}

fn texts(world: &World) -> Vec<String> {
    NOTES.iter().map(|(path, _)| world.read(path)).collect()
}

fn agent(world: &World, request: &Request) -> Envelope {
    checked(world.gateway().call(request))
}

fn rename() -> Request {
    asked("heading:rename path=Plan.md heading=Aims to=Goals")
}

#[test]
fn a_heading_is_renamed_with_its_links_as_one_run_and_comes_back_with_every_byte() {
    let world = world();
    let before = texts(&world);
    let dry = Request {
        dry_run: true,
        ..rename()
    };
    let planned = agent(&world, &dry);
    assert_eq!(planned.data.as_map()["effects"], json!(["write"]));
    let rows = planned.data.as_map()["files"].as_array().unwrap();
    let paths: Vec<&str> = rows
        .iter()
        .map(|row| row["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths.len(), 4, "{rows:#?}");
    assert!(planned.to_json().contains("+## Goals"), "{rows:#?}");
    assert_eq!(texts(&world), before);
    let done = agent(&world, &rename());
    assert_eq!(done.status, Status::Ok, "{done:?}");
    assert_eq!(warnings(&done), [""; 0]);
    assert_eq!(
        done.stdout,
        "Renamed: Plan.md#Aims -> Plan.md#Goals (5 links)\nBoard.canvas\nHome.md\nPlan.md\nPrivate/Diary.md\n"
    );
    let after = NOTES.iter().map(|(_, text)| text.replace("Aims", "Goals"));
    let after: Vec<_> = after.collect();
    assert_eq!(texts(&world), after);
    let person = world.person();
    person.undo(None, false).succeeds();
    assert_eq!(texts(&world), before);
    person.redo(None, false).succeeds();
    assert_eq!(texts(&world), after);
}

#[test]
fn a_draft_has_the_heading_and_its_links() {
    let world = World::empty().set("backend = \"embedded\"");
    let world = world.set("drafts = \"closed\"");
    let world = with_notes(world.with_tables("[agents.helper]"));
    let before = texts(&world);
    let helper = world.agent("helper");
    let drafted = helper.call(&rename());
    assert!(
        drafted.success && drafted.meta.draft.is_some(),
        "{drafted:?}"
    );
    assert_eq!(texts(&world), before);
    let broken = helper.call(&asked("links:broken total"));
    assert_eq!(broken.data.as_map()["total"], 0, "{broken:?}");
}

#[test]
fn d13_links_in_closed_notes_follow_a_heading_and_are_not_shown() {
    let world = world().set("paths.deny = [\"Private/**\"]");
    let done = agent(&world, &rename()).succeeds();
    assert!(!done.to_json().contains("Private"), "{done:?}");
    assert!(done.to_json().contains("4 links"), "{done:?}");
    assert_eq!(world.read("Private/Diary.md"), "![[Plan#Goals]]");
}

#[test]
fn an_edit_that_breaks_links_to_a_heading_offers_the_renaming() {
    let world = world();
    let edit = asked("note:edit path=Plan.md old='## Aims' new='## Goals'");
    let edited = agent(&world, &edit).succeeds();
    assert_eq!(warnings(&edited), ["ANCHORS_LOST"]);
    assert!(edited.to_json().contains("heading:rename"), "{edited:?}");
    let broken = agent(&world, &asked("links:broken"));
    let items = broken.data.as_map()["items"].as_array().unwrap();
    let missing: Vec<&str> = items
        .iter()
        .map(|item| item["missing"].as_str().unwrap())
        .collect();
    assert_eq!(missing, ["heading"; 4], "{items:#?}");
    agent(&world, &rename()).fails_with("TARGET_NOT_FOUND");
}

#[test]
fn a_name_that_breaks_links_is_refused_with_the_next_call() {
    let world = world();
    let call = [("path", "Plan.md"), ("name", "Plan #2")];
    let refused = world.call("rename", &call).fails_with("VALIDATION_ERROR");
    let error = refused.error.as_ref().unwrap();
    assert_eq!(error.details["instead"], json!("Plan 2.md"), "{error:?}");
    assert!(error.to_string().contains("`force`"), "{error}");
    let forced = agent(&world, &asked("rename path=Plan.md name='Plan #2' force")).succeeds();
    assert!(
        warnings(&forced).contains(&"LINKS_UNWRITABLE"),
        "{forced:?}"
    );
}

//! Bases through the program, without the app: `base:query`, `base:create`, and what path rules close.

use serde_json::json;
use vault_gw::gateway::{Answerer, Caller, Options};

use crate::support::{Outcome as _, World, asked, checked, detail, dry_run_of, request, warnings};

const BASE: &str = "filters: file.hasTag(\"book\")\nviews:\n  - type: table\n    name: Open\n    filters: status == \"open\"\n    order: [file.name, price, file.backlinks]\n    sort: [{property: price, direction: DESC}]\n";

/// A vault of books without the app.
fn world() -> World {
    let world = World::empty().set("backend = \"embedded\"\ntier = \"v3\"\nallow_mutations = true");
    world.write("Lists/Books.base", BASE);
    world.write(
        "Emma.md",
        "---\ntags: [book]\nstatus: open\nprice: 5\n---\n",
    );
    world.write(
        "Shelf/Old.md",
        "---\ntags: [book]\nstatus: open\nprice: 7\n---\n",
    );
    world.write(
        "Private/Diary.md",
        "---\ntags: [book]\nstatus: open\n---\n[[Emma]]\n",
    );
    world
}

#[test]
fn a_view_is_answered_without_the_app() {
    let world = world();
    let envelope = world
        .ask("base:query path=Lists/Books.base view=Open")
        .succeeds();
    assert_eq!(envelope.meta.backend, Answerer::Embedded);
    assert_eq!(envelope.data.as_map()["total"], 3);
    assert_eq!(
        envelope.data.as_map()["items"][1],
        json!({"path": "Emma.md", "file name": "Emma", "price": "5", "file backlinks": "[[Private/Diary.md|Diary]]"})
    );
    assert_eq!(
        envelope.data.as_map()["view"]["columns"][1]["type"],
        "number"
    );
    let paths = world.ask("base:query file=Books format=paths");
    assert_eq!(paths.stdout, "Shelf/Old.md\nEmma.md\nPrivate/Diary.md\n");
    let table = world.ask("base:query file=Books format=md");
    assert_eq!(
        table.stdout,
        "| file name | price |       file backlinks        |\n| --------- | ----- | --------------------------- |\n|    Old    |   7   |                             |\n|   Emma    |   5   | [[Private/Diary.md\\|Diary]] |\n|   Diary   |       |                             |\n"
    );
    assert_eq!(
        table.data.as_map()["items"][0],
        json!({"file name": "Old", "price": "7", "file backlinks": null})
    );
}

#[test]
fn what_is_wrong_with_a_base_is_reported_with_its_place() {
    let world = world();
    world.write("Bad.base", "views:\n  - a: b: c\n");
    let refused = world
        .ask("base:query path=Bad.base")
        .fails_with("VALIDATION_ERROR");
    assert_eq!(detail(&refused, "line"), 2);
    world.write(
        "View.base",
        "views:\n  - {type: list, filters: file.hasTag('book')}\n  - filters: a ==\n",
    );
    let list = world.ask("base:query path=View.base");
    assert_eq!(
        (&list.data.as_map()["total"], warnings(&list)),
        (&json!(3), vec![])
    );
    let broken = world.ask("base:query path=View.base view=table");
    assert_eq!(
        (
            broken.success,
            &broken.data.as_map()["total"],
            warnings(&broken)
        ),
        (true, &json!(0), vec!["BASE_FAULT"])
    );
    let refused = world.ask("base:query path=Lists/Books.base view=Shut");
    assert_eq!(detail(&refused, "views"), json!(["Open"]));
    world.write("Odd.base", "filters: price.nope > 1\nviews: []");
    let odd = world.ask("base:query path=Odd.base");
    assert_eq!(
        (odd.success, warnings(&odd)),
        (true, vec!["BASE_FILTER_FAILED"])
    );
}

#[test]
fn d13_closed_notes_are_in_no_row_link_or_count() {
    let world = world().with_tables("[paths]\ndeny = [\"Private/**\"]");
    let gateway = world.gateway_with(Options::new(Caller::Agent));
    let asked = asked("base:query path=Lists/Books.base");
    let envelope = checked(gateway.call(&asked));
    assert_eq!(envelope.data.as_map()["total"], 2);
    assert!(!envelope.to_json().contains("Diary"), "{envelope:#?}");
}

#[test]
fn a_new_note_is_planned_made_and_taken_back() {
    let world = world();
    let gateway = world.person();
    let given = [("path", "Lists/Books.base"), ("name", "Dracula")];
    checked(gateway.call(&dry_run_of(request("base:create", &given)))).succeeds();
    assert!(!world.vault.join("Dracula.md").exists());
    checked(gateway.call(&request("base:create", &given))).succeeds();
    assert_eq!(
        world.read("Dracula.md"),
        "---\ntags:\n  - book\nstatus: open\n---\n"
    );
    let rows = world.ask("base:query path=Lists/Books.base format=paths");
    assert!(rows.stdout.contains("Dracula.md\n"), "{rows:#?}");
    world.run(&["undo"]).ended(0);
    assert!(!world.vault.join("Dracula.md").exists());
}

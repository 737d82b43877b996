//! What the journal keeps of a run, for a person whom an undo is refused (`threats.toml` H21).

use fake_obsidian::scenario::Scenario;
use serde_json::json;
use vault_engine::Change;

use super::{create, path, run, world};
use crate::support::{Outcome as _, World, answer, checked, request};

/// Calls in this process have the clock of the tests, runs of the program that of the machine.
fn lasting(world: World) -> World {
    world.with_tables("[journal]\nmax_age_days = 3650")
}

/// What the app has damaged is in the journal, and a person reaches it there.
#[cfg(unix)]
#[test]
fn h21_what_the_journal_keeps_is_shown_written_beside_or_put_back_over() {
    let damaging = || {
        let world = lasting(World::empty().set("allow_mutations = true"));
        world.write("deep/n.md", "all\r\nof it\n");
        let note = world.vault.join("deep/n.md");
        let scenario = Scenario::logged().always(
            "append",
            [
                fake_obsidian::scenario::Action::WriteFile {
                    path: note,
                    text: "damaged".to_owned(),
                },
                fake_obsidian::scenario::Action::ConfirmOnly,
            ],
        );
        let world = world.with_fake(&scenario).set("backend = \"obsidian\"");
        let append = [("path", "deep/n.md"), ("content", "more")];
        let done = checked(world.gateway().call(&request("append", &append)));
        assert!(!done.success, "{done:#?}");
        assert_eq!(world.read("deep/n.md"), "damaged");
        (world, done.run_id.to_string())
    };
    let (world, run) = damaging();
    let refused = world.run(&["undo", &run]);
    refused.ended(75);
    for option in ["--show", "--beside", "--over"] {
        refused.reports(option);
    }
    // An agent is told of none of them, and may ask for none.
    let agent = world.gateway();
    let answer = checked(agent.undo(None, false));
    assert!(
        !answer.error.unwrap().to_string().contains("--"),
        "no command line"
    );
    for kept in ["show", "beside", "over"] {
        checked(agent.call(&request("undo", &[("run", &run), ("kept", kept)])))
            .fails_with("USAGE_ERROR");
    }

    let shown = world.run(&["undo", &run, "--show"]);
    assert_eq!((shown.status, shown.text()), (Some(0), "all\r\nof it\n"));
    let shown = world.run(&["undo", &run[..8], "--show", "--json"]).json();
    assert_eq!(shown["data"]["text"], "all\r\nof it\n");
    assert_eq!(shown["data"]["path"], "deep/n.md");
    world
        .run(&["undo", &run, "--show", "--path", "a.md"])
        .ended(66);

    let beside = format!("deep/n (before {}).md", &run[..8]);
    for name in [&beside, &format!("deep/n (before {}) 1.md", &run[..8])] {
        world.run(&["--dry-run", "undo", &run, "--beside"]).ended(0);
        assert!(!world.vault.join(name).exists());
        let written = world.run(&["undo", &run, "--beside", "--json"]).json();
        assert_eq!(written["data"]["writtenTo"], **name, "{written}");
        assert_eq!(world.read(name), "all\r\nof it\n");
    }
    assert_eq!(world.read("deep/n.md"), "damaged");
    // It is a change of its own.
    world.run(&["undo"]).ended(0);
    assert!(world.vault.join(&beside).exists());
    world.run(&["undo"]).ended(0);
    assert!(!world.vault.join(&beside).exists());

    world.write("deep/n.md", "damaged, and mended by hand");
    let tried = world
        .run(&["--dry-run", "undo", &run, "--over", "--json"])
        .json();
    assert_eq!(
        tried["warnings"][0]["code"], "OVERWRITTEN_BY_UNDO",
        "{tried}"
    );
    assert_eq!(world.read("deep/n.md"), "damaged, and mended by hand");
    let over = world.run(&["undo", &run, "--over", "--json"]).json();
    assert_eq!(over["success"], true, "{over}");
    assert_eq!(over["warnings"][0]["path"], "deep/n.md", "{over}");
    assert_eq!(world.read("deep/n.md"), "all\r\nof it\n");
    // And so is what it has overwritten.
    world.run(&["redo"]).ended(0);
    assert_eq!(world.read("deep/n.md"), "damaged, and mended by hand");
}

#[test]
fn h21_the_longest_name_is_shortened_for_the_content_beside_it() {
    let world = lasting(world().set("backend = \"embedded\"\napprove = []"));
    let name = "é".repeat(126);
    world.write(&format!("{name}.md"), "two");
    let person = world.person();
    let gone = answer(&person, &format!("delete path={name}.md permanent"));
    let run = gone.run_id.to_string();
    let beside = world.run(&["undo", &run, "--beside", "--json"]).json();
    let written = format!("{} (before {}).md", "é".repeat(117), &run[..8]);
    assert_eq!(beside["data"]["writtenTo"], written, "{beside}");
    assert_eq!(world.read(&written), "two");
}

#[test]
fn h21_what_was_removed_or_undone_is_reached_too_and_several_files_are_distinguished() {
    let world = lasting(world().set("backend = \"embedded\"\napprove = []"));
    let person = world.person();
    let gone = answer(&person, "delete path=b.md permanent");
    let run = gone.run_id.to_string();
    // Another note has the name by now: an undo would lose it.
    world.write("b.md", "mine");
    world.run(&["undo", &run]).ended(75);
    assert_eq!(world.run(&["undo", &run, "--show"]).text(), "two");
    world.run(&["undo", &run, "--over"]).ended(0);
    assert_eq!(world.read("b.md"), "two");
    world.run(&["--yes", "redo"]).ended(0);
    assert_eq!(world.read("b.md"), "mine");
    // Undone or not, what it kept is there.
    assert_eq!(world.run(&["undo", &run, "--show"]).text(), "two");

    let changes = [
        Change::Modify {
            path: path("a.md"),
            before: b"[[b]]\r\n".to_vec(),
            after: b"A".to_vec(),
        },
        Change::Modify {
            path: path("private/c.md"),
            before: b"three".to_vec(),
            after: b"C".to_vec(),
        },
    ];
    let both = run_of(&world, &changes);
    let several = world.run(&["undo", &both, "--show", "--json"]).json();
    assert_eq!(several["error"]["code"], "AMBIGUOUS_TARGET", "{several}");
    assert_eq!(
        several["error"]["details"]["candidates"],
        json!(["a.md", "private/c.md"])
    );
    let one = world.run(&["undo", &both, "--show", "--path", "private/c.md"]);
    assert_eq!(one.text(), "three");
    fs_err::remove_dir_all(world.vault.join("private")).unwrap();
    let beside = [
        "undo",
        &both,
        "--beside",
        "--path",
        "private/c.md",
        "--json",
    ];
    let written = world.run(&beside).json();
    let name = written["data"]["writtenTo"].as_str().unwrap();
    assert!(!name.contains('/'), "its folder is gone: {written}");
    assert_eq!(world.read(name), "three");
    // A file that is only moved, also to the trash, is not copied.
    world.write("z.md", "moved");
    let trashed = answer(&person, "delete path=z.md").run_id.to_string();
    for option in ["--show", "--beside"] {
        let none = world.run(&["undo", &trashed, option]);
        none.ended(64);
        none.reports(".trash/z.md");
    }
    fs_err::remove_dir_all(world.vault.join(".trash")).unwrap();
    for options in [["undo", &trashed].as_slice(), &["undo", &trashed, "--over"]] {
        let gone = world.run(options);
        gone.ended(75);
        gone.reports("no copy of `z.md`");
    }
    // What removed nothing has nothing to show.
    let made = create(&world).to_string();
    let none = world.run(&["undo", &made, "--show", "--json"]).json();
    assert_eq!(none["error"]["details"]["reason"], "nothing-left", "{none}");
}

fn run_of(world: &World, changes: &[Change]) -> String {
    run(world, "test", changes, true).to_string()
}

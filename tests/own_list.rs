//! The owner's own list: what it leaves of the catalogue, on every way in (`design/catalogue.md`).

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::service::Service;
use crate::support::{Ran, World, has, lacks, write_private};

const LIST: &str = include_str!("data/own_list.toml");

/// A world with a note and the settings of the owner; the list lies beside the file of [`Service`].
fn world() -> World {
    let world = World::empty().set(
        "backend = \"embedded\"\nallow_mutations = true\napprove = []\nallowlist = \"mine.toml\"",
    );
    world.write("Home.md", "# Home\n#a\n");
    write_list(&world, LIST);
    world
}

/// Writes the list beside both settings files.
fn write_list(world: &World, list: &str) {
    let beside = world.write_settings();
    for file in [beside.with_file_name("mine.toml"), list_of_service(world)] {
        write_private(&file, list);
    }
}

fn list_of_service(world: &World) -> PathBuf {
    world.scratch().join("mine.toml")
}

fn ask(service: &mut Service, command: &str, params: &Value) -> Value {
    service.ask(&json!({ "command": command, "params": params }).to_string())
}

fn shown(ran: &Ran) -> String {
    String::from_utf8(ran.stdout.clone()).unwrap()
}

#[test]
fn a14_what_a_list_leaves_out_is_closed_on_every_way() {
    let world = world();
    let mut service = Service::start(&world);
    let step = |params: Value| json!({ "changes": [{ "command": "create", "params": params }] });
    for (command, params, argument) in [
        ("read", json!({ "path": "Home.md" }), None),
        ("read", json!({ "file": "Home" }), Some("file")),
        ("tags", json!({ "format": "json", "counts": true }), None),
        ("tags", json!({ "format": "tsv" }), Some("format=tsv")),
        ("tags", json!({ "total": true }), Some("total")),
        ("tags", json!({ "total": false }), None),
        ("notes:list", json!({ "limit": 3 }), None),
        ("notes:list", json!({ "limit": 4 }), Some("limit=4")),
        ("search", json!({ "query": "Home" }), Some("")),
        (
            "create",
            json!({ "path": "Home.md", "content": "x", "overwrite": true }),
            Some("overwrite"),
        ),
        (
            "notes:change",
            step(json!({ "path": "Home.md", "content": "x", "overwrite": true })),
            Some("overwrite"),
        ),
        (
            "notes:change",
            step(json!({ "path": "New.md", "content": "x" })),
            None,
        ),
    ] {
        let answer = ask(&mut service, command, &params);
        let Some(argument) = argument else {
            assert_eq!(answer["success"], true, "{command} {params}: {answer:#}");
            continue;
        };
        let error = &answer["error"];
        assert_eq!(
            error["code"], "COMMAND_DENIED",
            "{command} {params}: {answer:#}"
        );
        let named = error["details"]["argument"].as_str().unwrap_or_default();
        assert_eq!(named, argument, "{answer:#}");
        let message = error["message"].as_str().unwrap();
        has(&message, &["`allowlist` does not include the "]);
    }
    assert_eq!(world.read("Home.md"), "# Home\n#a\n");
    assert_eq!(world.read("New.md"), "x");
}

#[test]
fn a14_help_tools_capabilities_and_completion_show_what_is_left() {
    let world = world();
    let help = shown(&world.run(&["help", "create"]));
    has(&help, &["create [path=<path>] [content=<text>]\n"]);
    lacks(&help, &["\n  overwrite", "template="]);
    let line = ["vault-gw", "tags", ""];
    let offers =
        shown(&world.run(&[&["completions", "fish", "--complete", "--"], &line[..]].concat()));
    let mut words: Vec<&str> = offers
        .lines()
        .filter_map(|line| line.split('\t').next())
        .collect();
    words.sort_unstable();
    assert_eq!(words, ["counts", "format="]);
    let mut service = Service::start(&world);
    let answer = ask(&mut service, "capabilities", &json!({ "command": "tags" }));
    let takes = answer["data"]["commands"][0]["takes"].as_object().unwrap();
    let names: Vec<&String> = takes.keys().collect();
    assert_eq!(names, ["format", "counts"], "{answer:#}");
    let settings = vault_gw::settings::Settings::load(&world.write_settings()).unwrap();
    let policy = settings
        .policy(vault_gw::protocol::Caller::Agent, None)
        .unwrap();
    let catalogue = vault_gw::allowlist::Catalogue::builtin().unwrap();
    let tools = vault_gw::frontend::tools::tools(catalogue, &policy);
    let create = tools.iter().find(|tool| tool.name == "create").unwrap();
    let mut names: Vec<&String> = create.input_schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["approval", "content", "dryRun", "ifHash", "path"]);
    assert!(tools.iter().all(|tool| tool.name != "search"));
}

/// An agent undoes what its list leaves to it, and not a run with an argument that is left out since.
#[test]
fn a14_an_agent_takes_back_no_run_with_an_argument_that_was_left_out() {
    let world = world();
    let mut service = Service::start(&world);
    let made = ask(
        &mut service,
        "create",
        &json!({ "path": "New.md", "content": "x" }),
    );
    assert_eq!(made["success"], true, "{made:#}");
    write_list(
        &world,
        &LIST.replace("{ name = \"content\" }", "{ name = \"template\" }"),
    );
    let undone = ask(&mut service, "undo", &json!({}));
    assert_eq!(undone["error"]["code"], "COMMAND_DENIED", "{undone:#}");
    assert_eq!(undone["error"]["details"]["argument"], "content");
    write_list(&world, LIST);
    let undone = ask(&mut service, "undo", &json!({}));
    assert_eq!(undone["success"], true, "{undone:#}");
    assert!(!world.vault.join("New.md").exists());
}

#[test]
fn a14_a_server_reads_its_list_again() {
    let world = world();
    let mut service = Service::start(&world);
    let read = json!({ "path": "Home.md" });
    assert_eq!(ask(&mut service, "read", &read)["success"], true);
    write_list(&world, &LIST.replace("id = \"read\"", "id = \"outline\""));
    let answer = ask(&mut service, "read", &read);
    assert_eq!(answer["error"]["code"], "COMMAND_DENIED", "{answer:#}");
    // A bad or missing list keeps the last good one, with a warning.
    let spoil: [&dyn Fn(); 2] = [
        &|| write_list(&world, "[[command]]\nid = \"raed\""),
        &|| {
            fs_err::remove_file(list_of_service(&world)).unwrap();
        },
    ];
    for spoil in spoil {
        spoil();
        let answer = ask(&mut service, "read", &read);
        assert_eq!(answer["error"]["code"], "COMMAND_DENIED", "{answer:#}");
        let warning = answer["warnings"][0]["code"].as_str().unwrap();
        assert_eq!(warning, "SETTINGS_NOT_RELOADED");
    }
    write_list(&world, LIST);
    let answer = ask(&mut service, "read", &read);
    assert_eq!(answer["success"], true, "{answer:#}");
    assert_eq!(answer["warnings"], json!([]));
}

#[test]
fn the_verb_prints_checks_and_compares_lists() {
    let world = world();
    let mine = world.write_settings().with_file_name("mine.toml");
    let file = mine.to_str().unwrap();
    let all = shown(&world.run(&["allowlist", "show"]));
    fs_err::write(&mine, &all).unwrap();
    let check = shown(&world.run(&["allowlist", "check", file]));
    assert!(check.starts_with("The list is valid."), "{check}");
    let some = shown(&world.run(&["allowlist", "show", "random:*", "vault"]));
    insta::assert_snapshot!("shown", some);
    fs_err::write(&mine, LIST).unwrap();
    let check = shown(&world.run(&["allowlist", "check", file]));
    has(&check, &["\nThe list is valid. It contains 5 of "]);
    let of_tags: Vec<&str> = check
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with("tags "))
        .collect();
    insta::assert_snapshot!("left_out_of_tags", of_tags.join("\n"));
    assert!(check.lines().any(|line| line == "  search"), "{check}");
    fs_err::write(
        &mine,
        "[[command]]\nid = \"tags\"\nflags = [\n  { name = \"cuonts\" },\n]",
    )
    .unwrap();
    let wrong = world.run(&["allowlist", "check", file]);
    wrong.ended(78);
    let says = "mine.toml, line 4: `tags` has no flag `cuonts`. Did you mean `counts`?";
    wrong.reports(says);
    world.run(&["allowlist", "show", "@linksx"]).ended(64);
    // Settings with a bad list can still be mended.
    world
        .run_as_it_is(&["settings", "unset", "allowlist"], b"")
        .ended(0);
    fs_err::write(&mine, LIST).unwrap();
    let set = world.run_as_it_is(&["settings", "set", "allowlist", "mine.toml"], b"");
    set.ended(0);
    // They are not changed to name a list that cannot be read.
    let set = world.run_as_it_is(&["settings", "set", "agents.x.allowlist", "none.toml"], b"");
    set.ended(78);
    set.reports("The setting `allowlist` names the file `none.toml`, which does not exist");
}

//! The gateway's own commands: who answers them, what policy keeps out of them, how they end.

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::gateway::{Answerer, Caller, Options, Request, Status};
use vault_gw::settings::BackendChoice;

use crate::argument_forms::{answered_by_the_engine, forms_of, furnish};
use crate::support::{Outcome as _, World, asked, assert_envelope, checked, has, request};

fn with_backend(world: &World, backend: Option<BackendChoice>) -> vault_gw::gateway::Gateway {
    let mut options = Options::new(Caller::Agent);
    options.backend = backend;
    world.gateway_with(options)
}

#[test]
fn the_engine_answers_whether_the_app_runs_or_not() {
    let world = World::with_fixture_vault().with_fake(&Scenario::logged());
    let asked = asked("note:outline path=Home.md");
    for (backend, reason) in [
        (None, "the app has no such command"),
        (Some(BackendChoice::Embedded), "asked for"),
    ] {
        let envelope = checked(with_backend(&world, backend).call(&asked)).succeeds();
        assert_eq!(envelope.meta.backend, Answerer::Embedded);
        assert_eq!(envelope.meta.backend_reason.as_deref(), Some(reason));
        assert_eq!(
            envelope.data.as_map()["headings"]["items"][0]["id"],
            "h1-home-0001"
        );
    }
    let refused = checked(with_backend(&world, Some(BackendChoice::Obsidian)).call(&asked))
        .fails_with("USAGE_ERROR");
    has(
        &refused.error.unwrap().to_string(),
        &["The app does not have"],
    );
    assert!(world.nothing_spawned());
}

#[test]
fn a_canvas_is_named_without_its_extension() {
    let world = World::empty();
    world.write("Board.canvas", "{}");
    world.write("Board.md", "");
    for name in ["Board", "Board.canvas"] {
        let read = world.ask(&format!("canvas:read file={name}")).succeeds();
        assert_eq!(read.data.as_map()["path"], "Board.canvas");
    }
    let missing = world.ask("canvas:read file=Herd");
    has(
        &missing
            .fails_with("FILE_NOT_FOUND")
            .error
            .unwrap()
            .to_string(),
        &["canvas"],
    );
}

/// As if the files that may not be read did not exist: the same vault without them is answered for
/// in the same words.
#[test]
fn d13_our_own_commands_answer_as_if_what_is_denied_were_not_there() {
    let all = World::with_fixture_vault();
    let without = World::with_fixture_vault();
    furnish(&all);
    furnish(&without);
    for folder in ["Projects/Boat", "People"] {
        fs_err::remove_dir_all(without.vault.join(folder)).unwrap();
    }
    let denied = all.with_tables("[paths]\ndeny = [\"Projects/Boat/**\", \"People/**\"]");
    let (denied, without) = (denied.gateway(), without.gateway());
    let mut wanted = 0;
    for command in answered_by_the_engine().filter(|command| command.is_ours()) {
        for form in forms_of(command) {
            // Nor are the times of the files in both copies in the same order.
            let is_by_time =
                |(_, value): &(String, String)| ["modified", "created"].contains(&value.as_str());
            if form.arguments.iter().any(is_by_time) {
                continue;
            }
            let shown = |gateway: &vault_gw::gateway::Gateway| {
                let envelope = checked(gateway.call(&form.request()));
                let mut value: Value = serde_json::from_str(&envelope.to_json()).unwrap();
                // The two copies of the vault were not made in the same moment.
                for key in ["created", "modified"] {
                    if let Some(data) = value["data"].as_object_mut() {
                        data.remove(key);
                    }
                }
                let is_printed_json = form.arguments.iter().any(|(_, value)| value == "json");
                let stdout = if is_printed_json {
                    json!(null)
                } else {
                    value["stdout"].clone()
                };
                json!([
                    value["data"],
                    value["status"],
                    value["error"],
                    value["violations"],
                    value["advice"],
                    stdout
                ])
            };
            wanted += 1;
            assert_eq!(shown(&denied), shown(&without), "{form:?}");
        }
    }
    assert!(wanted > 40, "{wanted}");
    for path in ["Projects/Boat/Boat.md", "Nope.md"] {
        let envelope = checked(denied.call(&request("note:get", &[("path", path)])));
        assert!(!envelope.success && envelope.data.is_empty(), "{path}");
    }
}

#[test]
fn an_audit_that_finds_something_ends_with_1() {
    let world = World::empty();
    world.write("a.md", "[[b]] [[Nope]]");
    world.write("b.md", "[[a]]");
    world.write("lone.md", "text");
    let ran = world.run(&["-j", "vault:audit"]);
    ran.ended(1);
    let envelope = ran.json();
    assert_envelope(&envelope);
    assert_eq!(envelope["success"], true);
    assert_eq!(
        envelope["violations"],
        json!([{
            "code": "UNRESOLVED_LINK", "message": "The link `Nope` is broken.", "path": "a.md",
            "details": {"severity": "error"},
        }])
    );
    assert_eq!(envelope["advice"][0]["code"], "ORPHAN");
    assert_eq!(envelope["data"]["findings"]["total"], 2);

    // What is worth a look is nothing wrong.
    world.write("a.md", "[[b]]");
    let ran = world.run(&["vault:audit"]);
    ran.ended(0);
    assert!(
        ran.text().starts_with("advice\tORPHAN\tlone.md\t"),
        "{}",
        ran.text()
    );
}

#[test]
fn a_list_that_does_not_fit_is_a_page() {
    let world = World::empty();
    for number in 0..60 {
        world.write(&format!("Notes/{number:02}.md"), "x");
    }
    let request = Request {
        budget: Some(600),
        ..asked("notes:list order=path limit=1000 fields=path")
    };
    let envelope = checked(world.gateway().call(&request));
    let returned = envelope.data.as_map()["returned"].as_u64().unwrap();
    assert!((5..30).contains(&returned), "{returned}");
    assert_eq!(envelope.data.as_map()["total"], 60);
    assert_eq!(envelope.data.as_map()["truncated"], true);
    assert_eq!(envelope.stdout.lines().count() as u64, returned);
    assert_eq!(envelope.meta.truncated, None);
    let data = serde_json::to_string(&envelope.data).unwrap();
    assert!(data.len() <= 600 && envelope.stdout.len() <= 600);

    let none = world.ask("notes:find name=Nope");
    assert_eq!((none.status, none.success), (Status::NoMatches, true));
    let bare = world.ask("note:outline path=Notes/00.md");
    assert_eq!(bare.status, Status::NoMatches);
    world.ask("notes:list since=soon").fails_with("USAGE_ERROR");
}

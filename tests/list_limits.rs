//! The `limit` of the app's own lists: what is listed is what the app prints, `total` counts everything,
//! and the answer says how to go on (`design.md` §4).

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::gateway::{Envelope, Request};

use crate::support::{World, asked, checked, request};

const BACKENDS: [&str; 2] = ["embedded", "obsidian"];
const ALL: usize = 7;

fn world(backend: &str) -> World {
    let world = World::with_fixture_vault()
        .with_fake(&Scenario::logged())
        .set(&format!("backend = \"{backend}\""));
    for number in 1..=ALL {
        world.write(&format!("Zebras/{number}.md"), "a zebra\nand a zebra\n");
    }
    world
}

fn search(command: &str, format: &str, limit: &str, offset: usize) -> Request {
    let params = [("query", "zebra"), ("format", format), ("limit", limit)];
    let mut request = request(command, &params);
    request.offset = offset;
    request
}

fn numbers(envelope: &Envelope) -> [Value; 5] {
    ["total", "returned", "offset", "truncated", "nextOffset"]
        .map(|key| envelope.data.as_map().get(key).cloned().unwrap_or_default())
}

#[test]
fn the_total_counts_what_is_beyond_a_limit_in_every_form_of_both_backends() {
    for (command, format) in [
        ("search", "text"),
        ("search", "json"),
        ("search:context", "text"),
        ("search:context", "json"),
    ] {
        let told = BACKENDS.map(|backend| {
            let world = world(backend);
            let ask = |limit: &str, offset| {
                checked(world.gateway().call(&search(command, format, limit, offset)))
            };
            let whole = ask("0", 0);
            assert_eq!(
                numbers(&whole),
                [json!(ALL), json!(ALL), json!(0), json!(false), Value::Null]
            );
            let first = ask("2", 0);
            let cut = [json!(ALL), json!(2), json!(0), json!(true), json!(2)];
            assert_eq!(numbers(&first), cut, "{backend} {command} {format}");
            assert_eq!((first.meta.truncated, first.status), (None, whole.status));
            let mut items = Vec::new();
            for offset in [0, 2, 4, 6] {
                let page = ask("2", offset);
                items.extend(page.data.as_map()["items"].as_array().unwrap().clone());
                let next = page.data.as_map().get("nextOffset").and_then(Value::as_u64);
                assert_eq!(next, [Some(2), Some(4), Some(6), None][offset / 2]);
                assert_eq!(page.data.as_map()["total"], ALL);
            }
            assert_eq!(json!(items), whole.data.as_map()["items"]);
            let enough = ask("7", 0);
            assert_eq!((&enough.data, &enough.stdout), (&whole.data, &whole.stdout));
            (first.stdout, first.data)
        });
        assert_eq!(told[0], told[1], "{command} {format}");
    }
}

#[test]
fn what_is_printed_after_a_limit_is_what_the_app_prints() {
    let world = world("obsidian");
    for command in ["search", "search:context"] {
        for format in ["text", "json"] {
            let words = ["query=zebra", "limit=2"].map(str::to_owned);
            let told = world.run(&[
                "--backend",
                "obsidian",
                command,
                &words[0],
                &words[1],
                &format!("format={format}"),
            ]);
            let mut app = world.command(crate::support::fake_binary());
            app.args([command, &words[0], &words[1], &format!("format={format}")]);
            let app = crate::support::finish(app, b"");
            assert_eq!(told.text(), app.text(), "{command} {format}");
            assert!(told.stderr.contains("2 of 7 items are shown"), "{}", told.stderr);
        }
    }
}

#[test]
fn a_number_alone_has_no_limit() {
    for backend in BACKENDS {
        let mut request = search("search", "text", "2", 0);
        request.params.0.insert("total".to_owned(), vault_gw::allowlist::RawValue::Bool(true));
        let envelope = checked(world(backend).gateway().call(&request));
        assert_eq!(Value::from(envelope.data), json!({ "total": ALL }));
    }
}

/// A limit does not widen the bound on the output.
#[test]
fn f15_a_limited_list_is_bounded_in_bytes_too() {
    for backend in BACKENDS {
        let world = world(backend).set("max_output_bytes = 30");
        let envelope = checked(world.gateway().call(&search("search", "text", "5", 0)));
        assert_eq!(
            numbers(&envelope),
            [json!(ALL), json!(2), json!(0), json!(true), json!(2)],
            "{backend}"
        );
        assert_eq!(envelope.stdout, "Zebras/1.md\nZebras/2.md\n");
    }
}

/// Whoever goes on comes to the end, also past an item that no answer can hold.
#[test]
fn f15_an_item_that_does_not_fit_alone_is_passed_with_a_warning() {
    let world = World::empty().set("backend = \"embedded\"").set("max_output_bytes = 40");
    let long = "x".repeat(100);
    for name in ["a", "b", long.as_str(), "y", "z"] {
        world.write(&format!("{name}.md"), "");
    }
    let (mut offset, mut seen, mut left_out) = (0, Vec::new(), 0);
    loop {
        let mut request = asked("files");
        request.offset = offset;
        let envelope = checked(world.gateway().call(&request));
        let items = envelope.data.as_map()["items"].as_array().unwrap();
        seen.extend(items.iter().map(|item| item["path"].as_str().unwrap().to_owned()));
        let codes = crate::support::warnings(&envelope);
        if items.is_empty() {
            assert_eq!(codes, ["ITEM_LEFT_OUT"]);
            left_out += 1;
        }
        let Some(next) = envelope.data.as_map().get("nextOffset").and_then(Value::as_u64) else {
            break;
        };
        let next = usize::try_from(next).unwrap();
        assert!(next > offset);
        offset = next;
    }
    assert_eq!((seen.join(" ").as_str(), left_out), ("a.md b.md y.md z.md", 1));
}

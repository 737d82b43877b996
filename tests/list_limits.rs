//! The pages of lists. The `limit` of the app's own lists: what is listed is what the app prints, `total` counts everything,
//! and the answer says how to go on (`design/envelope.md`).

use std::collections::BTreeSet;
use std::sync::Arc;

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::allowlist::{Catalogue, Command, Effect, RawValue};
use vault_gw::gateway::{Envelope, Request};

use crate::argument_forms::{answered_by_the_engine, forms_of, furnish};
use crate::mcp::client::Client;
use crate::support::{Outcome as _, World, asked, checked, quoted, request};

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
        let shown = BACKENDS.map(|backend| {
            let world = world(backend);
            let ask = |limit: &str, offset| {
                checked(
                    world
                        .gateway()
                        .call(&search(command, format, limit, offset)),
                )
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
        assert_eq!(shown[0], shown[1], "{command} {format}");
    }
}

#[test]
fn what_is_printed_after_a_limit_is_what_the_app_prints() {
    let world = world("obsidian");
    for command in ["search", "search:context"] {
        for format in ["text", "json"] {
            let words = ["query=zebra", "limit=2"].map(str::to_owned);
            let shown = world.run(&[
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
            assert_eq!(shown.text(), app.text(), "{command} {format}");
            shown.reports("2 of 7 items are shown");
        }
    }
}

#[test]
fn a_number_alone_has_no_limit() {
    for backend in BACKENDS {
        let mut request = search("search", "text", "2", 0);
        request
            .params
            .0
            .insert("total".to_owned(), RawValue::Bool(true));
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
    let world = World::empty().set("max_output_bytes = 40\nbackend = \"embedded\"");
    let long = "x".repeat(100);
    let last = "z".repeat(100);
    for name in ["a", "b", long.as_str(), "y", "z", last.as_str()] {
        world.write(&format!("{name}.md"), "");
    }
    let (mut offset, mut seen, mut left_out) = (0, Vec::new(), 0);
    loop {
        let mut request = asked("files");
        request.offset = offset;
        let envelope = checked(world.gateway().call(&request));
        let items = envelope.data.as_map()["items"].as_array().unwrap();
        seen.extend(
            items
                .iter()
                .map(|item| item["path"].as_str().unwrap().to_owned()),
        );
        let codes = crate::support::warnings(&envelope);
        if items.is_empty() {
            assert_eq!(codes, ["ITEM_LEFT_OUT"]);
            left_out += 1;
        }
        let next = envelope
            .data
            .as_map()
            .get("nextOffset")
            .and_then(Value::as_u64);
        assert_eq!(envelope.data.as_map()["truncated"], json!(next.is_some()));
        let Some(next) = next else {
            break;
        };
        let next = usize::try_from(next).unwrap();
        assert!(next > offset);
        offset = next;
    }
    assert_eq!(
        (seen.join(" ").as_str(), left_out),
        ("a.md b.md y.md z.md", 2)
    );
}

/// An answer that is cut to its size limit says so, and keeps a part of each note that was asked for.
#[test]
fn f15_an_answer_of_several_notes_is_cut_in_each_of_them() {
    let world = World::empty().set("backend = \"embedded\"");
    for name in ["a", "b", "c"] {
        world.write(&format!("{name}.md"), "word ".repeat(200));
    }
    let read = |budget: u64| {
        let mut request = asked("notes:read");
        let notes = json!(["a.md", "b.md", "c.md"]);
        request.params.0.insert("notes".to_owned(), notes.into());
        request.budget = Some(budget);
        checked(world.gateway().call(&request))
    };
    let whole = read(900);
    assert_eq!(whole.data.as_map()["items"].as_array().unwrap().len(), 3);
    let tiny = read(100);
    assert_eq!(tiny.status, vault_gw::protocol::Status::Partial, "{tiny:?}");
    assert_eq!(crate::support::warnings(&tiny), ["ITEM_LEFT_OUT"]);
}

/// Every command of the engine that takes a `limit`.
fn commands_with_limit() -> impl Iterator<Item = &'static Arc<Command>> {
    let commands = Catalogue::builtin().unwrap().commands();
    commands.filter(|command| {
        let is_served = vault_engine::serves(&command.id)
            || vault_engine::plans(&command.id)
            || vault_engine::exports(&command.id);
        command.param("limit").is_some() && is_served
    })
}

/// What such a command is asked to have several items. A new one has to be added.
fn params_of(command: &Command) -> Vec<(&'static str, &'static str)> {
    let params = match command.id.as_str() {
        "search" | "search:context" | "notes:search" => Ok(vec![("query", "zebra")]),
        "base:query" => Ok(vec![("path", "Herd.base")]),
        "canvas:read" => Ok(vec![("path", "Herd.canvas")]),
        "note:related" | "note:neighbors" | "note:outline" | "note:section" => {
            Ok(vec![("path", "Hub.md")])
        }
        "note:chunks" => Ok(vec![("path", "Hub.md"), ("size", "100")]),
        "notes:find" => Ok(vec![("name", "Stripe")]),
        "notes:large" => Ok(vec![("min", "1")]),
        "vault:import" => Ok(vec![("from", "/"), ("path", "Inbox")]),
        "vault:export" => Ok(vec![("folder", "Zebras"), ("to", "Herd")]),
        "files" | "folders" | "tasks" | "notes:list" | "links:list" | "links:broken"
        | "notes:unlinked" | "vault:audit" => Ok(Vec::new()),
        other => Err(format!("say of what `{other}` has several items")),
    };
    params.unwrap()
}

/// A vault in which every such command has several items; its import and export folders go with the
/// first value.
fn herd() -> (tempfile::TempDir, World) {
    let place = tempfile::tempdir().unwrap();
    let [imports, exports] = ["Imports", "Exports"].map(|name| place.path().join(name));
    for folder in [&imports, &exports] {
        fs_err::create_dir(folder).unwrap();
    }
    let mut world = World::empty().set("backend = \"embedded\"\nallow_mutations = true");
    for (key, folder) in [("import_folder", &imports), ("export_folder", &exports)] {
        world = world.set(&format!("{key} = {}", quoted(folder)));
    }
    let mut hub = String::new();
    for number in 1..=ALL {
        let stripe =
            format!("# Zebra {number}\n\nA zebra [[Hub]] [[Gone {number}]]\n\n- [ ] feed\n");
        world.write(&format!("Zebras/{number}/Stripe.md"), stripe);
        world.write(&format!("Alone/{number}.md"), "No links.\n");
        hub += &format!("## Part {number}\n\n[[Zebras/{number}/Stripe]]\n\n");
        fs_err::write(imports.join(format!("{number}.md")), "A clip.\n").unwrap();
    }
    world.write("Hub.md", hub);
    let node = |id: usize| {
        let mut node = json!({ "id": format!("n{id}"), "type": "text", "text": "a zebra" });
        for (key, pixels) in [("x", id * 300), ("y", 0), ("width", 250), ("height", 60)] {
            node[key] = json!(pixels);
        }
        node
    };
    let nodes: Vec<Value> = (0..ALL).map(node).collect();
    world.write(
        "Herd.canvas",
        json!({ "nodes": nodes, "edges": [] }).to_string(),
    );
    world.write(
        "Herd.base",
        "filters: 'file.inFolder(\"Zebras\")'\nviews:\n  - type: table\n    name: All\n    order: [file.path]\n",
    );
    (place, world)
}

/// The part of a list in an answer, and its items.
fn part_of<'data>(data: &'data Value, issues: &[Value]) -> (&'data Value, Vec<Value>) {
    list_of(data, issues).unwrap()
}

/// As [`part_of`]; `None` if the answer is not a list.
fn list_of<'data>(data: &'data Value, issues: &[Value]) -> Option<(&'data Value, Vec<Value>)> {
    let is_list = |value: &&Value| value.get("returned").is_some();
    let list = std::iter::once(data)
        .chain(data.as_object()?.values())
        .find(is_list)?;
    let items = list.get("items").and_then(Value::as_array);
    Some((list, items.map_or_else(|| issues.to_vec(), Clone::clone)))
}

/// The findings of an audit, which are not in its data.
fn issues_of(answer: &Value) -> Vec<Value> {
    let of = |key: &str| answer[key].as_array().cloned().unwrap_or_default();
    [of("violations"), of("advice")].concat()
}

/// Checks one page of a list, adds its items, and gives the `offset` of the next one.
fn follow(
    (list, items): (&Value, Vec<Value>),
    next: &Value,
    (offset, limit, total): (usize, usize, usize),
    all: &mut Vec<Value>,
    about: &str,
) -> Option<usize> {
    let expected = limit.min(total - offset);
    let end = offset + expected;
    let wanted = (end < total).then_some(end);
    assert_eq!(items.len(), expected, "{about}: {list}");
    assert_eq!(
        (
            &list["total"],
            &list["returned"],
            &list["offset"],
            &list["truncated"],
            next
        ),
        (
            &json!(total),
            &json!(expected),
            &json!(offset),
            &json!(wanted.is_some()),
            &json!(wanted)
        ),
        "{about}: {list}"
    );
    all.extend(items);
    wanted
}

/// Checks that the pages have the items of the whole list. The findings of an audit are in the order of
/// their paths on each page.
fn assert_same(command: &Command, mut all: Vec<Value>, whole: &[Value], limit: usize) {
    let mut whole = whole.to_vec();
    if command.id == "vault:audit" {
        for list in [&mut all, &mut whole] {
            list.sort_by_key(Value::to_string);
        }
    }
    assert_eq!(all, whole, "{} limit={limit}", command.id);
}

#[test]
fn every_list_counts_the_whole_says_what_follows_and_goes_on_to_its_end() {
    let mut seen = Vec::new();
    for command in commands_with_limit() {
        let is_read = command.effects.iter().all(|effect| effect == Effect::Read);
        let ask = |world: &World, limit: usize, offset: usize| {
            let (limit, from) = (limit.to_string(), offset.to_string());
            let mut params = params_of(command);
            params.push(("limit", &limit));
            let has_offset = command.param("offset").is_some();
            if has_offset {
                params.push(("offset", &from));
            }
            let mut question = request(&command.id, &params);
            question.offset = if has_offset { 0 } else { offset };
            let envelope = checked(world.gateway().call(&question)).succeeds();
            json!(envelope)
        };
        let (place, world) = herd();
        if command.id == "note:neighbors" {
            let cut = ask(&world, 2, 0)["data"].clone();
            let whole = ask(&world, 100, 0)["data"].clone();
            assert_eq!(cut["truncated"]["nodes"], true, "{cut}");
            assert_eq!(whole["truncated"]["nodes"], false, "{whole}");
            continue;
        }
        let answer = ask(&world, 100, 0);
        let (list, whole) = part_of(&answer["data"], &issues_of(&answer));
        let (list, total) = (list.clone(), whole.len());
        let next = &list["nextOffset"];
        follow(
            (&list, whole.clone()),
            next,
            (0, 100, total),
            &mut Vec::new(),
            &command.id,
        );
        assert!(total >= ALL, "{}: {total}", command.id);
        for limit in [1, 2, 3, total - 1, total, total + 1] {
            // A change makes each item once.
            let fresh = (!is_read).then(herd);
            let world = fresh.as_ref().map_or(&world, |(_, world)| world);
            let (mut all, mut offset) = (Vec::new(), Some(0));
            while let Some(from) = offset {
                let answer = ask(world, limit, from);
                let part = part_of(&answer["data"], &issues_of(&answer));
                let about = format!("{} limit={limit} offset={from}", command.id);
                let next = &part.0["nextOffset"];
                offset = follow(part, next, (from, limit, total), &mut all, &about);
            }
            assert_same(command, all, &whole, limit);
        }
        seen.push(command.id.as_str());
        drop(place);
    }
    assert!(
        seen.contains(&"files") && seen.contains(&"vault:audit"),
        "{seen:?}"
    );
}

/// The pages of MCP are those of the command.
#[test]
fn every_list_goes_on_to_its_end_over_mcp() {
    let (_place, world) = herd();
    let mut client = Client::open(&world, &[]);
    let reads = commands_with_limit().filter(|command| {
        let is_read = command.effects.iter().all(|effect| effect == Effect::Read);
        is_read && command.id != "note:neighbors"
    });
    for command in reads {
        let mut ask = |limit: usize, offset: usize| {
            let mut params: Value = params_of(command).into_iter().collect();
            params["limit"] = json!(limit);
            for key in ["min", "size"] {
                if let Some(Ok(number)) = params.get(key).and_then(Value::as_str).map(str::parse) {
                    let number: u64 = number;
                    params[key] = json!(number);
                }
            }
            let call = json!({ "command": command.id, "params": params, "offset": offset });
            let result = client.call("obsidianCli", &call);
            assert_ne!(result["isError"], true, "{result}");
            result["structuredContent"].clone()
        };
        let answer = ask(100, 0);
        let (_, whole) = part_of(&answer["data"], &issues_of(&answer));
        for limit in [1, 3, whole.len()] {
            let (mut all, mut offset) = (Vec::new(), Some(0));
            while let Some(from) = offset {
                let answer = ask(limit, from);
                let part = part_of(&answer["data"], &issues_of(&answer));
                let next = &answer["page"]["nextOffset"];
                let about = format!("{} limit={limit} offset={from}", command.id);
                offset = follow(part, next, (from, limit, whole.len()), &mut all, &about);
            }
            assert_same(command, all, &whole, limit);
        }
    }
}

/// Every list, also without a `limit` of its own, goes on to its end if a size limit cuts it: over MCP, and in the
/// gateway's answers, which are those of `call`.
#[test]
fn every_list_that_a_size_limit_cuts_goes_on_to_its_end() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    furnish(&world);
    let gateway = world.gateway();
    let mut client = Client::open(&world, &["--budget", "200"]);
    let mut seen = BTreeSet::new();
    for command in answered_by_the_engine() {
        let has_offset = command.param("offset").is_some();
        for form in forms_of(command).into_iter().take(6) {
            let from = |budget: Option<u64>, offset: usize| {
                let mut question = form.request();
                question.budget = budget;
                if has_offset {
                    let offset = RawValue::Text(offset.to_string());
                    question.params.0.insert("offset".to_owned(), offset);
                } else {
                    question.offset = offset;
                }
                json!(checked(gateway.call(&question)))
            };
            let whole = from(None, 0);
            let Some((list, items)) = list_of(&whole["data"], &issues_of(&whole)) else {
                continue;
            };
            if items.len() < 2 || list["truncated"] == true {
                continue;
            }
            seen.insert(command.id.as_str());
            let mut over_mcp = |offset: usize| {
                let params = form.arguments.iter().filter(|(name, _)| name != "offset");
                let params = params.map(|(name, value)| {
                    let is_flag = command.flags.iter().any(|flag| flag.name == *name);
                    (
                        name.clone(),
                        if is_flag { json!(true) } else { json!(value) },
                    )
                });
                let params: Value = params.collect();
                let call = json!({ "command": command.id, "params": params, "offset": offset });
                client.call("obsidianCli", &call)["structuredContent"].clone()
            };
            let mut in_call = |offset: usize| from(Some(600), offset);
            let audiences: [(&str, &mut dyn FnMut(usize) -> Value); 2] =
                [("call", &mut in_call), ("mcp", &mut over_mcp)];
            for (audience, page) in audiences {
                // The daily note of the tests is that of a fixed day, and a server of its own has today.
                if audience == "mcp" && form.arguments.iter().any(|(name, _)| name == "daily") {
                    continue;
                }
                let (mut all, mut left_out, mut offset) = (Vec::new(), 0, 0);
                loop {
                    let answer = page(offset);
                    let about = format!("{audience} {form:?} offset={offset}: {answer}");
                    let (part, items) =
                        list_of(&answer["data"], &issues_of(&answer)).expect(&about);
                    assert_eq!(part["total"], list["total"], "{about}");
                    assert_eq!(part["offset"], json!(offset), "{about}");
                    assert_eq!(part["returned"], json!(items.len()), "{about}");
                    let next = part.get("nextOffset").and_then(Value::as_u64);
                    assert_eq!(part["truncated"], json!(next.is_some()), "{about}");
                    // An item that exceeds the limit alone is left out, with a warning.
                    left_out += usize::from(items.is_empty());
                    let end = offset + items.len().max(1);
                    all.extend(items);
                    let Some(next) = next else { break };
                    assert_eq!(next, end as u64, "{about}");
                    offset = end;
                }
                assert_eq!(
                    json!(all.len() + left_out),
                    list["total"],
                    "{audience} {form:?}"
                );
                if audience == "call" && left_out == 0 {
                    assert_same(command, all, &items, 0);
                }
            }
        }
    }
    assert!(seen.len() > 15, "{seen:?}");
}

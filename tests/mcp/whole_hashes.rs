//! An answer has the hash of a note only if it has the whole note (`threats.toml` F15). Tested for every command of the
//! catalogue and every resource, at any budget, on each of their pages.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;

use super::client::Client;
use crate::argument_forms::{answered_by_the_engine, forms_of, furnish};
use crate::support::{World, sha256_of};

fn is_note(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "md")
}

/// The files of the vault: hash, path, text or base64.
fn files(world: &World) -> BTreeMap<String, (String, Vec<String>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![world.vault.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes = fs_err::read(&path).unwrap();
            if bytes.is_empty() {
                continue;
            }
            let shown = vec![
                String::from_utf8_lossy(&bytes).into_owned(),
                BASE64_STANDARD.encode(&bytes),
            ];
            let name = path
                .strip_prefix(&world.vault)
                .unwrap()
                .display()
                .to_string();
            found.insert(sha256_of(&bytes), (name, shown));
        }
    }
    found
}

fn texts<'value>(value: &'value Value, found: &mut Vec<&'value str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}

/// Whether properties and body of the answer are all of the file, whose properties were read.
fn shows_parts(answer: &Value, whole: &[String]) -> bool {
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    let printed = serde_json::from_str(text).unwrap_or_default();
    let shown = |data: &Value| {
        let body = data["body"].as_str().filter(|body| !body.is_empty());
        data["frontmatter"].is_object() && body.is_some_and(|body| whole[0].ends_with(body))
    };
    shown(&answer["structuredContent"]["data"]) && (printed == Value::Null || shown(&printed))
}

/// Whether a text of the answer, or one in a line of JSON of it, is all of the file.
fn shows(answer: &Value, whole: &[String]) -> bool {
    let mut found = Vec::new();
    texts(answer, &mut found);
    let quoted: Vec<String> = whole
        .iter()
        .map(|text| json!(text).to_string().trim_matches('"').to_owned())
        .collect();
    found.iter().any(|text| {
        whole
            .iter()
            .chain(&quoted)
            .any(|whole| text.contains(whole))
    })
}

/// How often a hash was told, and each time with the whole file.
fn look(answer: &Value, files: &BTreeMap<String, (String, Vec<String>)>, wanted: &str) -> usize {
    let text = answer.to_string();
    let shown = files.iter().filter(|(hash, _)| text.contains(*hash));
    shown
        .map(|(_, (path, whole))| {
            assert!(
                shows(answer, whole) || shows_parts(answer, whole),
                "{wanted} tells the hash of {path} without all of it: {text}"
            );
        })
        .count()
}

fn world() -> World {
    let world = World::with_fixture_vault()
        .set("approve = []\nallow_mutations = true\nbackend = \"embedded\"");
    furnish(&world);
    let long: String = (0..400)
        .map(|line| format!("Line {line} of the garden.\n"))
        .collect();
    world.write("Long.md", format!("# Garden\n\n{long}"));
    world
}

#[test]
fn f15_no_answer_of_a_command_reports_the_hash_of_what_it_does_not_show_whole() {
    let world = world();
    let files = files(&world);
    let (mut wanted, mut shown) = (0, 0);
    let budgets = ["200", "3000", "1000000"];
    for (turn, budget) in budgets.into_iter().enumerate() {
        let mut client = Client::open(&world, &["--budget", budget]);
        let mut ask = |command: &str, params: &Value, offset: usize| {
            let call = json!({ "command": command, "params": params, "offset": offset });
            let result = client.call("obsidianCli", &call);
            wanted += 1;
            shown += look(&result, &files, &format!("{budget} {call}"));
        };
        for command in answered_by_the_engine() {
            // Each form at one of the budgets, in turn.
            for form in forms_of(command)
                .into_iter()
                .skip(turn)
                .step_by(budgets.len())
            {
                let arguments = form.arguments.iter().map(|(name, value)| {
                    let value = if value == "true" {
                        json!(true)
                    } else {
                        json!(value)
                    };
                    (name.clone(), value)
                });
                let params = Value::Object(arguments.collect());
                for offset in [0, 7] {
                    ask(&form.command, &params, offset);
                }
            }
        }
        // A long note, whole and in parts.
        for (command, params) in [
            ("read", json!({ "path": "Long.md" })),
            ("note:get", json!({ "path": "Long.md" })),
            ("notes:read", json!({ "notes": ["Long.md", "Home.md"] })),
            (
                "notes:read",
                json!({ "notes": [{ "path": "Long.md", "offset": 50 }] }),
            ),
            (
                "notes:read",
                json!({ "notes": [{ "path": "Long.md", "lines": "3-9" }] }),
            ),
            (
                "notes:read",
                json!({ "notes": [{ "path": "Long.md", "heading": "Garden" }] }),
            ),
            ("notes:context", json!({ "query": "garden line" })),
            (
                "notes:search",
                json!({ "query": "garden", "fields": "full" }),
            ),
            ("notes:list", json!({ "fields": "full" })),
            ("note:chunks", json!({ "path": "Long.md" })),
            (
                "note:compare",
                json!({ "path": "Long.md", "with": "Home.md" }),
            ),
        ] {
            for offset in [0, 1, 5000] {
                ask(command, &params, offset);
            }
        }
    }
    assert!(wanted > 600 && shown > 10, "{wanted} {shown}");
}

/// A plan, or a change of a part, tells no hash of the note around it.
#[test]
fn f15_no_answer_of_a_change_reports_the_hash_of_what_the_caller_has_not_seen() {
    let world = world();
    let files = files(&world);
    let mut client = Client::open(&world, &[]);
    let mut wanted = 0;
    for command in Catalogue::builtin().unwrap().commands() {
        if !command.effects.is_mutation() && command.id != "task" {
            continue;
        }
        let params = json!({
            "path": "Long.md", "name": "n", "value": "v", "content": "x", "to": "Places",
            "edits": [{ "old": "Line 7 of", "new": "Line seven of" }], "tag": "t", "line": 13,
            "toggle": true, "data": "R0lGODlhAQABAA==", "period": "weekly",
        });
        let mut params = params.as_object().unwrap().clone();
        params.retain(|name, _| command.argument_names().any(|known| known == name));
        for dry_run in [true, false] {
            let call = json!({ "command": command.id, "params": params, "dryRun": dry_run });
            let result = client.call("obsidianCli", &call);
            // A change leaves other hashes: those are of notes that the caller has not seen either.
            let now = self::files(&world);
            for files in [&files, &now] {
                // The text that was sent is known.
                let sent = sha256_of(b"x");
                let unseen = files
                    .iter()
                    .filter(|(hash, (path, _))| is_note(path) && **hash != sent);
                let unseen = unseen
                    .map(|(hash, file)| (hash.clone(), file.clone()))
                    .collect();
                assert_eq!(
                    look(&result, &unseen, &call.to_string()),
                    0,
                    "{call}: {result}"
                );
            }
            wanted += 1;
        }
    }
    assert!(wanted > 30, "{wanted}");
}

#[test]
fn f15_no_resource_reports_the_hash_of_what_it_does_not_show_whole() {
    let world = world().set("max_output_bytes = 2000");
    let files = files(&world);
    let mut client = Client::open(&world, &[]);
    let mut uris = vec!["obsidian://note/Assets/mill.png".to_owned()];
    for at in [0, 5, 9000] {
        uris.push(format!("obsidian://note/Long.md?offset={at}"));
    }
    let mut cursor = json!({});
    loop {
        let listed = client.ask("resources/list", &cursor)["result"].clone();
        look(&listed, &files, "resources/list");
        let resources = listed["resources"].as_array().unwrap().iter();
        uris.extend(resources.map(|resource| resource["uri"].as_str().unwrap().to_owned()));
        match listed["nextCursor"].as_str() {
            Some(next) => cursor = json!({ "cursor": next }),
            None => break,
        }
    }
    for uri in &uris {
        let answer = client.ask("resources/read", &json!({ "uri": uri }));
        look(&answer, &files, uri);
    }
    for method in [
        "resources/templates/list",
        "prompts/list",
        "skills/list",
        "tools/list",
    ] {
        look(&client.ask(method, &json!({})), &files, method);
    }
    assert!(uris.len() > 10, "{uris:?}");
}

//! The contract as published: the checked-in schemas are the ones of the types, and they refuse
//! what the contract refuses.

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;
use vault_gw::protocol::Code;

use crate::support::{World, asked, checked, published_schema, request};

const CASES: &str = include_str!("data/schemas.txt");

fn accepts(name: &str, instance: &Value) -> bool {
    let validator = jsonschema::options().should_validate_formats(true);
    validator
        .build(&published_schema(name))
        .unwrap()
        .is_valid(instance)
}

#[test]
fn f13_every_schema_is_checked_in_valid_json_schema_2020_12_and_needs_no_other() {
    let all = vault_gw::frontend::schema::all(Catalogue::whole().unwrap());
    assert!(all.len() > 30, "{}", all.len());
    for published in all {
        let (name, schema) = (published.name, published.schema);
        assert_eq!(schema, published_schema(&name), "{name}");
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        jsonschema::validator_for(&schema).unwrap();
        let text = schema.to_string();
        for reference in text.split("\"$ref\":\"").skip(1) {
            assert!(reference.starts_with('#'), "{name}: {reference:.40}");
        }
    }
}

/// An envelope as a program would get it.
fn envelope() -> Value {
    let envelope = World::with_fixture_vault().call("read", &[("path", "nope.md")]);
    serde_json::from_str(&envelope.to_json()).unwrap()
}

#[test]
fn f13_the_envelope_schema_refuses_what_is_no_envelope() {
    let good = envelope();
    assert!(accepts("envelope", &good));
    for key in tables::lines(CASES, "f13 the envelope schema refuses") {
        let mut without = good.clone();
        without.as_object_mut().unwrap().remove(key).unwrap();
        assert!(!accepts("envelope", &without), "without {key}");
    }
    for (place, wrong) in [
        ("/schemaVersion", json!("2.0")),
        ("/success", json!("true")),
        ("/status", json!("failed")),
        ("/exitCode", json!("0")),
        ("/durationMs", json!(-1)),
        ("/stdout", Value::Null),
        ("/runId", json!("run-1")),
        ("/params", json!([])),
        ("/data", Value::Null),
        ("/warnings", json!([{"code": "X"}])),
        ("/error/code", json!("NO_SUCH_CODE")),
        ("/error/message", Value::Null),
        ("/meta/backend", json!("cloud")),
        ("/meta/tier", json!("v9")),
        ("/meta/effects", json!(["explode"])),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).unwrap() = wrong.clone();
        assert!(!accepts("envelope", &bad), "{place} = {wrong}");
    }
}

#[test]
fn f13_the_request_schema_agrees_with_the_reader() {
    for (text, fits) in tables::typed::<(&str, bool)>(CASES, "f13 the request schema agrees") {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(accepts("request", &value), fits, "schema: {text}");
        let read = vault_gw::gateway::Request::from_json(text.as_bytes());
        assert_eq!(read.is_ok(), fits, "reader: {text}");
    }
    let long = json!({"command": "read", "correlationId": "a".repeat(129)});
    assert!(!accepts("request", &long));
}

#[test]
fn f13_the_settings_schema_knows_every_key_and_no_other() {
    let shown = World::empty().run(&["-j", "settings"]).json();
    let settings = &shown["data"]["settings"];
    assert!(accepts("settings", settings), "{settings:#}");
    for (key, value) in [
        ("alow_mutations", json!(true)),
        ("allow_mutations", json!("true")),
        ("tier", json!("v4")),
        ("approve", json!(["everything"])),
        ("paths", json!({"raed": []})),
    ] {
        let mut bad = settings.clone();
        bad[key] = value;
        assert!(!accepts("settings", &bad), "{key}");
    }
}

#[test]
fn f13_the_keys_of_an_envelope_and_their_order_are_fixed() {
    let keys: Vec<String> = envelope().as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys.join(" "),
        "schemaVersion command success status exitCode durationMs stdout stderr runId summary params data \
         warnings violations advice error meta"
    );
    let properties = published_schema("envelope")["properties"]
        .as_object()
        .unwrap()
        .clone();
    let published: Vec<String> = properties.keys().cloned().collect();
    assert_eq!(
        published.join(" "),
        "schemaVersion command success status exitCode durationMs stdout stderr runId \
         correlationId id timestamp summary params data warnings violations advice error meta"
    );
}

#[test]
fn f13_codes_and_exit_statuses_are_never_renumbered() {
    let table: Vec<String> = Code::ALL
        .iter()
        .map(|code| format!("{} {code}", code.exit()))
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn every_command_has_a_published_schema_for_its_data() {
    for command in Catalogue::builtin().unwrap().commands() {
        let schema = published_schema(command.output.name());
        let named = schema["description"].as_str().unwrap();
        assert!(
            named.split(&[' ', ','][..]).any(|word| word == command.id),
            "{}: {named}",
            command.id
        );
    }
}

#[test]
fn the_data_schema_refuses_the_data_of_another_command() {
    let world = World::with_fixture_vault();
    let data =
        |command: &str, params: &[(&str, &str)]| Value::from(world.call(command, params).data);
    let note = data("read", &[("path", "Home.md")]);
    let files = data("files", &[]);
    assert!(accepts("note-text", &note) && accepts("files", &files));
    assert!(!accepts("note-text", &files));
    assert!(!accepts("files", &note));
    for key in ["total", "returned", "offset", "truncated", "items"] {
        let mut without = files.clone();
        without.as_object_mut().unwrap().remove(key).unwrap();
        assert!(!accepts("files", &without), "without {key}");
    }
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let world = World::with_fixture_vault().with_fake(&Scenario::logged());
    for line in tables::lines(CASES, "the same question gets the same answer") {
        for backend in ["obsidian", "embedded"] {
            let ask = || {
                let mut options = vault_gw::gateway::Options::new(vault_gw::gateway::Caller::Agent);
                options.backend = Some(serde_json::from_value(json!(backend)).unwrap());
                let envelope = checked(world.gateway_with(options).call(&asked(line)));
                let mut value: Value = serde_json::from_str(&envelope.to_json()).unwrap();
                assert!(value.get("timestamp").is_none());
                value["runId"] = Value::Null;
                value["durationMs"] = Value::Null;
                if let Some(process) = value["meta"].get_mut("process") {
                    process["pid"] = Value::Null;
                }
                value.to_string()
            };
            assert_eq!(ask(), ask(), "{line} {backend}");
        }
    }
}

/// The keys that the schema of a shape knows at the top of `data`.
fn known_keys(schema: &Value) -> Vec<String> {
    let types = schema["$defs"].as_object().unwrap().values();
    let properties = types.filter_map(|of| of["properties"].as_object());
    properties.flat_map(|of| of.keys().cloned()).collect()
}

#[test]
fn f15_an_answer_that_is_cut_is_of_its_schema_and_has_no_key_beside_it() {
    for backend in ["embedded", "obsidian"] {
        let world = World::with_fixture_vault()
            .with_fake(&Scenario::logged())
            .set(&format!("backend = \"{backend}\""))
            .set("max_output_bytes = 60");
        world.write(
            "long.md",
            format!("---\na: 1\n---\n# One\n{}", "text ".repeat(100)),
        );
        let wanted: [(&str, &[(&str, &str)]); 9] = [
            ("files", &[]),
            ("folders", &[]),
            ("tags", &[]),
            ("tag", &[("name", "project"), ("verbose", "true")]),
            ("search", &[("query", "e"), ("limit", "2")]),
            ("search:context", &[("query", "e"), ("limit", "1")]),
            ("read", &[("path", "long.md")]),
            ("random:read", &[("folder", "Projects")]),
            ("note:get", &[("path", "long.md")]),
        ];
        let mut cut = 0;
        for (command, params) in wanted {
            // The app does not have it.
            if backend == "obsidian" && command == "note:get" {
                continue;
            }
            let envelope = checked(world.gateway().call(&request(command, params)));
            let data = Value::from(envelope.data);
            let shape = Catalogue::find_builtin(command).unwrap().output.name();
            assert!(accepts(shape, &data), "{backend} {command}: {data}");
            let known = known_keys(&published_schema(shape));
            for key in data.as_object().unwrap().keys() {
                assert!(known.contains(key), "{backend} {command}: {key} in {data}");
            }
            cut += usize::from(data.get("nextOffset").is_some());
        }
        assert!(cut >= 6, "{backend}: {cut}");
    }
}

//! A client shows a model the text or the structured part of a result, and each alone is enough to go
//! on (`design/agents.md`): for every tool and every command that reads, in many forms.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;

use super::client::{Client, text};
use crate::argument_forms::{Form, answered_by_the_engine, forms_of, furnish};
use crate::support::{Outcome as _, World};

/// The facts behind the text, which are a text too.
fn facts(result: &Value) -> Value {
    let blocks = result["content"].as_array().unwrap();
    let last = blocks
        .last()
        .and_then(|block| block["text"].as_str())
        .unwrap();
    if blocks.len() < 2 {
        return json!({});
    }
    serde_json::from_str(last).unwrap_or_else(|_| json!({}))
}

/// Every text of a result.
fn all_text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap();
    let texts = blocks.iter().filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// What the text or the structured part says less than the other of what a model needs.
fn missing(result: &Value) -> Vec<String> {
    let shown = facts(result);
    let whole = all_text(result);
    let structured = &result["structuredContent"];
    let data = &structured["data"];
    let mut missing = Vec::new();
    let mut need = |holds: bool, what: &str| {
        if !holds {
            missing.push(what.to_owned());
        }
    };
    if let Some(path) = data["path"].as_str() {
        need(whole.contains(path), "path");
    }
    // A hash that a write accepts stands in both, or in none.
    let in_structure = structured.to_string().contains("sha256");
    // Of a plan the hash is that of the text that the caller has sent.
    let is_plan = data["dryRun"] == true;
    need(
        is_plan || whole.contains("sha256") == in_structure,
        "sha256",
    );
    if let Some(hash) = data["sha256"].as_str() {
        need(whole.contains(hash), "sha256 of the note");
    }
    need(shown["warnings"] == structured["warnings"], "warnings");
    need(how_to_go_on_is_said(structured, &shown), "how to go on");
    if data["truncated"] == true && data["total"].is_u64() {
        // A list of the gateway's own says it in the data that is its text.
        let in_text = whole.contains(&format!("\"total\":{}", data["total"]));
        need(shown["total"] == data["total"] || in_text, "total");
    }
    if let Some(content) = data["content"].as_str() {
        need(whole.contains(content.trim_end_matches('\n')), "content");
    }
    for item in data["items"].as_array().into_iter().flatten() {
        for key in ["path", "tag", "name", "link", "heading", "text"] {
            if let Some(name) = item[key].as_str() {
                let quoted = json!(name).to_string();
                let quoted = quoted.trim_matches('"');
                need(whole.contains(name) || whole.contains(quoted), key);
            }
        }
    }
    let error = &structured["error"];
    if error.is_object() {
        for key in ["code", "message"] {
            let said = error[key].as_str().unwrap();
            need(whole.contains(said), key);
        }
        // What the message says need not stand in the text twice.
        for (key, detail) in error["details"].as_object().into_iter().flatten() {
            let is_reported = shown["details"][key] == *detail;
            let is_said = key != "reason" && is_said(detail, &error["message"]);
            need(is_reported || is_said, "details");
        }
        for advice in structured["advice"].as_array().into_iter().flatten() {
            let said = advice["message"].as_str().unwrap();
            need(whole.contains(said), "advice");
        }
    }
    missing
}

/// Whether a message has each of the texts of a detail.
fn is_said(detail: &Value, message: &Value) -> bool {
    match detail {
        Value::Array(items) => items.iter().all(|item| is_said(item, message)),
        Value::String(text) => {
            let message = message.as_str().unwrap();
            message.contains(&format!("`{text}`")) || message.contains(&format!("\"{text}\""))
        }
        _ => false,
    }
}

/// Whether text and structure name the same offset to go on from, or neither names one.
fn how_to_go_on_is_said(structured: &Value, shown: &Value) -> bool {
    let page = &structured["page"];
    match (page["nextOffset"].as_u64(), shown["next"].as_str()) {
        (Some(next), Some(said)) => said.contains(&format!("`offset` {next}")),
        (None, None) => true,
        (None, Some(said)) => {
            page.get("nextCall").is_some()
                || page.get("omitted").is_some()
                || structured["next"] == *said
        }
        (Some(_), None) => false,
    }
}

/// Fails with all that is missing, each once.
fn assert_nothing_missing(found: &BTreeMap<String, String>) {
    assert!(found.is_empty(), "{found:#?}");
}

/// Notes what is missing of a result.
fn look(result: &Value, wanted: &str, found: &mut BTreeMap<String, String>) {
    let command = result["structuredContent"]["command"]
        .as_str()
        .unwrap_or_default();
    for what in missing(result) {
        let brief: String = result.to_string().chars().take(1500).collect();
        found
            .entry(format!("{command}: {what}"))
            .or_insert_with(|| format!("{wanted}\n{brief}"));
    }
}

/// The arguments of a form as a tool takes them.
fn params(form: &Form) -> Value {
    let one = |(key, value): &(String, String)| {
        let value = if value == "true" {
            json!(true)
        } else {
            json!(value)
        };
        (key.clone(), value)
    };
    Value::Object(form.arguments.iter().map(one).collect())
}

fn world() -> World {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    furnish(&world);
    world
}

#[test]
fn text_alone_and_structure_alone_are_enough_for_every_command_that_reads() {
    let world = world();
    let mut found = BTreeMap::new();
    for budget in ["20000", "120"] {
        let mut client = Client::open(&world, &["--budget", budget]);
        let mut count = 0;
        for command in answered_by_the_engine() {
            for form in forms_of(command).into_iter().step_by(3) {
                let wanted = json!({ "command": form.command, "params": params(&form) });
                let result = client.call("obsidianCli", &wanted);
                look(&result, &format!("{budget} {form:?}"), &mut found);
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }
    assert_nothing_missing(&found);
}

/// A form of each typed tool that writes.
fn write_form(command: &str) -> Form {
    Form::of_line(match command {
        "daily:append" => "daily:append content=x",
        "append" => "append path=Home.md content=x",
        "create" => "create path=New.md content=x",
        "move" => "move path=Home.md to=Places",
        "property:set" => "property:set path=Places/One.md name=a value=b",
        "task" => "task path=Daily/2026-03-14.md line=1 done",
        // A new tool needs a form here.
        other => other,
    })
}

#[test]
fn text_alone_and_structure_alone_are_enough_for_every_typed_tool() {
    let world = world().set("allow_mutations = true").set("approve = []");
    let mut client = Client::open(&world, &["--budget", "400"]);
    let tools = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let reads: Vec<&str> = answered_by_the_engine()
        .map(|command| command.id.as_str())
        .collect();
    let mut found = BTreeMap::new();
    for command in Catalogue::builtin().unwrap().commands() {
        let name = command.id.replace(':', "_");
        let Some(tool) = tools
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == *name)
        else {
            continue;
        };
        let offered = tool["inputSchema"]["properties"].as_object().unwrap();
        let forms = if reads.contains(&command.id.as_str()) {
            forms_of(command)
        } else {
            BTreeSet::from([write_form(&command.id)])
        };
        let fits = |form: &&Form| {
            form.arguments
                .iter()
                .all(|(key, _)| offered.contains_key(key))
        };
        let mut done = 0;
        for form in forms.iter().filter(fits) {
            for dry in [true, false] {
                let mut arguments = params(form);
                if dry && !offered.contains_key("dryRun") {
                    continue;
                }
                if dry {
                    arguments["dryRun"] = json!(true);
                }
                let result = client.call(&name, &arguments);
                look(&result, &format!("{name} {arguments}"), &mut found);
                done += 1;
            }
        }
        assert!(done > 0, "{name} was not asked: {forms:?}");
    }
    assert_nothing_missing(&found);
}

#[test]
fn a_name_that_fits_several_notes_is_reported_in_both() {
    let world = World::empty().set("backend = \"embedded\"");
    for path in ["A/Templates.md", "B/Deep/Templates.md"] {
        world.write(path, path);
    }
    let mut client = Client::open(&world, &[]);
    let result = client.call("read", &json!({ "file": "Templates" }));
    assert!(missing(&result).is_empty(), "{result:#}");
    assert_eq!(facts(&result)["path"], "A/Templates.md");
    let warned = &facts(&result)["warnings"][0];
    assert_eq!(warned["code"], "AMBIGUOUS_NAME", "{result:#}");
    assert!(
        warned.to_string().contains("B/Deep/Templates.md"),
        "{result:#}"
    );
}

#[test]
fn whole_notes_in_a_list_are_the_same_in_both() {
    let world = World::empty().set("backend = \"embedded\"");
    for name in ["a", "b"] {
        world.write(
            &format!("{name}.md"),
            format!("---\nk: {name}\n---\nBody of {name}\n"),
        );
    }
    let mut client = Client::open(&world, &[]);
    let wanted = json!({ "command": "notes:list", "params": { "fields": "full" } });
    let result = client.call("obsidianCli", &wanted).succeeds();
    let lines: Vec<Value> = text(&result)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(json!(lines), result["structuredContent"]["data"]["items"]);
    assert!(text(&result).contains("Body of a"), "{result:#}");
}

//! The tools are generated from one table and stay small.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use allowlist::{BackendName, Effect};
use gateway::UNDO;
use protocol::{Code, json::object};
use tiers::{Restriction, Switch};

/// Largest `tools/list` in bytes: 4,000 tokens of about 4 characters (`docs/agents.md`).
const MOST_BYTES: usize = 16_000;

fn catalogue() -> &'static Catalogue {
    Catalogue::builtin().unwrap()
}

fn reading() -> Policy {
    Policy::built_in().tightened(&Restriction {
        closed: BTreeSet::from([Switch::Mutations, Switch::Publish, Switch::ActiveFile]),
        ..Restriction::default()
    })
}

fn named<'a>(tools: &'a [Tool], name: &str) -> &'a Tool {
    tools.iter().find(|tool| tool.name == name).unwrap()
}

/// The arguments that the command's own tool shows, listed or not.
fn shown(policy: &Policy, id: &str) -> BTreeSet<String> {
    let tool = typed(&catalogue().find(id).unwrap(), policy).unwrap();
    tool.input_schema["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect()
}

#[test]
fn i10_the_list_is_the_same_each_time_and_at_most_4000_tokens() {
    let listed = |policy| serde_json::to_string(&tools(catalogue(), &policy)).unwrap();
    let all = listed(Policy::built_in());
    assert_eq!(all, listed(Policy::built_in()));
    let (all, read) = (all.len(), listed(reading()).len());
    assert!(all <= MOST_BYTES, "{all} bytes with everything open");
    assert!(
        read <= MOST_BYTES * 3 / 4,
        "{read} bytes with mutations off"
    );
}

/// The names between backquotes in a part of `docs/agents.md`.
fn describe(from: &str, until: &str) -> BTreeSet<String> {
    let page = include_str!("../../../../docs/agents.md");
    let (_, rest) = page.split_once(from).unwrap();
    let (part, _) = rest.split_once(until).unwrap();
    part.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_page_on_agents_lists_the_tools_that_there_are() {
    let listed = |policy: &Policy| {
        let tools = tools(catalogue(), policy).into_iter();
        tools.map(|tool| tool.name).collect::<BTreeSet<_>>()
    };
    let by_default = describe("By default these are ", ";");
    assert_eq!(by_default, listed(&reading()));
    let more = describe("`allow_mutations` adds ", ". ");
    assert_eq!(&by_default | &more, listed(&Policy::built_in()));
}

#[test]
fn i11_hints_are_the_effects_of_what_the_schema_shows() {
    for policy in [Policy::built_in(), reading()] {
        for tool in tools(catalogue(), &policy) {
            let Some(command) = catalogue()
                .commands()
                .find(|command| name_of(command) == tool.name)
            else {
                assert!(
                    [GENERIC, UNDO].contains(&tool.name.as_str()),
                    "{}",
                    tool.name
                );
                continue;
            };
            // Computed again from the entry, for the arguments that an agent can see and send.
            let properties = tool.input_schema["properties"].as_object().unwrap();
            let effects: Vec<Effect> = command
                .params
                .iter()
                .map(|param| (&param.name, param.effects))
                .chain(command.flags.iter().map(|flag| (&flag.name, flag.effects)))
                .filter(|(name, _)| properties.contains_key(*name))
                .flat_map(|(_, effects)| effects.iter())
                .chain(command.effects.iter())
                .collect();
            let has = |effect| effects.contains(&effect);
            let read_only_hint = effects.iter().all(|one| *one == Effect::Read);
            let hints = Annotations {
                read_only_hint,
                destructive_hint: (!read_only_hint).then_some(has(Effect::Destroy)),
                open_world_hint: has(Effect::Publish),
            };
            let writes = has(Effect::Write) || has(Effect::Destroy);
            assert_eq!(
                (tool.annotations, properties.contains_key("approval")),
                (hints, writes),
                "{}",
                tool.name
            );
        }
    }
}

#[test]
fn i11_what_policy_closes_is_not_listed() {
    let names = |tools: &[Tool]| {
        let names: Vec<_> = tools.iter().map(|tool| tool.name.clone()).collect();
        names.join(" ")
    };
    let set = |names: &str| names.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    let closed = tools(catalogue(), &reading());
    let expected = "obsidianCli daily_read tasks read backlinks notes_list notes_search \
        notes_context notes_read";
    assert_eq!(names(&closed), expected);
    for tool in &closed {
        let hints = tool.annotations;
        let of_app = tool.name == GENERIC;
        assert_eq!(hints.read_only_hint, !of_app, "{}", tool.name);
        assert!(hints.destructive_hint != Some(true) && !hints.open_world_hint);
    }
    let ids = &named(&closed, GENERIC).input_schema["properties"]["command"]["enum"];
    let ids = ids.as_array().unwrap();
    let has = |id: &str| ids.contains(&json!(id));
    assert!(has("random:read") && !has("delete") && !has("eval"));
    let task = shown(&reading(), "task");
    assert_eq!(task, set("ref file path line text daily offset"));
    let task = shown(&Policy::built_in(), "task");
    assert!(task.is_superset(&set("toggle status dryRun")));
    let open = tools(catalogue(), &Policy::built_in());
    let create = named(&open, "create").annotations;
    assert_eq!(create.destructive_hint, Some(true));
    let few = tools(
        catalogue(),
        &Policy::built_in().tightened(&Restriction {
            tier: Some(allowlist::Tier::V0),
            ..Restriction::default()
        }),
    );
    assert_eq!(names(&few), "obsidianCli daily_read daily_append undo");
}

#[test]
fn every_everyday_tool_makes_a_request_that_its_command_admits() {
    let tools = tools(catalogue(), &Policy::built_in());
    let is_everyday = |tool: &&Tool| ![GENERIC, UNDO].contains(&tool.name.as_str());
    for tool in tools.iter().filter(is_everyday) {
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let has_offset = properties.contains_key("offset");
        let required = tool.input_schema.get("required").and_then(Value::as_array);
        let arguments: Map<String, Value> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|name| {
                let value = match name {
                    "notes" => json!(["x.md"]),
                    "edits" => json!([{ "old": "x", "new": "y" }]),
                    _ => json!("x"),
                };
                (name.to_owned(), value)
            })
            .chain(has_offset.then(|| ("offset".to_owned(), json!(3))))
            .collect();
        let call = call(catalogue(), &tool.name, arguments).unwrap().unwrap();
        let offset = call.start.passed + call.start.skip;
        assert_eq!(offset, if has_offset { 3 } else { 0 });
        let command = catalogue().find(&call.request.command).unwrap();
        command.admit(&call.request.params.0).unwrap();
        assert!(
            command.backends.contains(&BackendName::Embedded),
            "everyday means everywhere"
        );
        assert!(
            tool.name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        );
        for reserved in ABOUT {
            assert!(command.argument_names().all(|name| name != reserved));
        }
    }
}

const ABOUT: [&str; 3] = allowlist::ABOUT_THE_CALL;

#[test]
fn calls_are_read_strictly() {
    let read = |name: &str, value: Value| call(catalogue(), name, object(value));
    let request = |name: &str, value: Value| read(name, value).unwrap().unwrap().request;
    assert!(read("nothing", json!({})).is_none());
    assert!(
        read("delete", json!({})).is_none(),
        "it has no tool of its own"
    );
    let append = request(
        "append",
        json!({ "path": "a.md", "content": "x", "dryRun": true, "ifHash": "0".repeat(64), "approval": "A-1" }),
    );
    assert!(
        append.dry_run && append.if_hash.is_some() && append.approval.as_deref() == Some("A-1")
    );
    assert_eq!(
        append.params.0.keys().collect::<Vec<_>>(),
        ["content", "path"]
    );
    let tasks = request("tasks", json!({ "todo": true }));
    assert_eq!(
        tasks.params.0["format"],
        allowlist::RawValue::Text("tsv".to_owned())
    );
    for wrong in [
        json!({ "offset": -1 }),
        json!({ "offset": "three" }),
        json!({ "offset": 1.5 }),
        json!({ "dryRun": "yes" }),
        json!({ "ifHash": "abc" }),
    ] {
        // An invalid value is kept in the request, so that one answer reports everything that is
        // wrong.
        let failure = request("read", wrong.clone()).check().unwrap_err();
        assert_eq!(failure.code, Code::UsageError, "{wrong}");
    }
    let written = request("read", json!({ "path": "a.md", "offset": "3" }));
    assert_eq!(written.offset, 3);
    let failure = read(GENERIC, json!({ "command": "read", "shell": "sh" }))
        .unwrap()
        .unwrap_err();
    assert_eq!(failure.code, Code::UsageError);
}

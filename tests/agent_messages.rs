//! What a model is told when something is closed or fails: facts, no command lines, and each sentence
//! once (`threats.toml` I16).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use seeded_random::Random;
use serde_json::{Value, json};
use vault_gw::allowlist::Catalogue;
use vault_gw::gateway::{Caller, Gateway, Options};
use vault_gw::protocol::Code;

use crate::support::service::Service;
use crate::support::{World, asked, request};

const CASES: &str = include_str!("data/agent_messages.txt");

/// Every text of a value.
fn texts<'value>(value: &'value Value, found: &mut Vec<&'value str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Fails where a text of the value is a command line, or names an option of one.
pub(crate) fn assert_for_a_model(answer: &Value) {
    let mut all = Vec::new();
    texts(answer, &mut all);
    for text in all {
        // The only command that an agent passes on to the person.
        let text = text.replace("`vault-gw review`", "");
        let typed = [
            "`vault-gw ",
            "vault-gw settings",
            "`chmod",
            " at a terminal",
            "t a terminal: ",
            "settings set ",
        ];
        assert!(
            !typed.iter().any(|typed| text.contains(typed)),
            "{answer:#}"
        );
        let option = text
            .split("`--")
            .skip(1)
            .any(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()));
        assert!(!option, "{answer:#}");
    }
}

/// Fails where the message and the advice of an answer repeat each other.
pub(crate) fn assert_says_each_thing_once(answer: &Value) {
    let mut shown = Vec::new();
    texts(&answer["error"]["message"], &mut shown);
    for issue in answer["advice"].as_array().into_iter().flatten() {
        texts(&issue["message"], &mut shown);
    }
    let mut seen = BTreeSet::new();
    for sentence in shown.iter().flat_map(|text| text.split(". ")) {
        let sentence = sentence.trim().trim_end_matches('.');
        assert!(sentence.is_empty() || seen.insert(sentence), "{answer:#}");
    }
}

#[test]
fn i16_no_refusal_or_failure_gives_a_model_a_command_to_type() {
    let closed = World::with_fixture_vault().set("backend = \"embedded\"");
    let open = World::with_fixture_vault()
        .set("tier = \"v2\"\nallow_mutations = true\nbackend = \"embedded\"");
    let app = World::with_fixture_vault().set("backend = \"obsidian\"");
    let narrow = World::with_fixture_vault()
        .set("backend = \"embedded\"")
        .with_tables("[paths]\nread = [\"Projects/**\"]");
    let mut codes = BTreeSet::new();
    for world in [&closed, &open, &app, &narrow] {
        for line in tables::lines(CASES, "i16 no refusal or failure gives a model") {
            let gateway = world.gateway_with(Options::new(Caller::Agent));
            let envelope = gateway.call(&asked(line));
            codes.extend(envelope.error.as_ref().map(|error| error.code));
            let answer = serde_json::from_str(&envelope.to_json()).unwrap();
            assert_for_a_model(&answer);
            assert_says_each_thing_once(&answer);
        }
    }
    for code in [
        Code::MutationDisabled,
        Code::TierClosed,
        Code::ApprovalRequired,
        Code::PathDenied,
        Code::PathEscape,
        Code::CommandRefused,
        Code::UnknownCommand,
        Code::UsageError,
        Code::FileNotFound,
    ] {
        assert!(codes.contains(&code), "{code} was not tried: {codes:?}");
    }
}

#[test]
fn i16_the_setting_that_closes_a_call_is_reported_as_a_fact() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let gateway = world.gateway_with(Options::new(Caller::Agent));
    let params = [("path", "Home.md"), ("content", "x")];
    let refused = gateway.call(&request("append", &params));
    assert_eq!(
        refused.advice[0].message.text(),
        "The owner of the vault can allow the call with `allow_mutations = true` in the settings."
    );
    // A person is told what to type.
    world
        .run(&["append", "path=Home.md", "content=x"])
        .reports("`vault-gw settings set allow_mutations me`");
}

#[test]
fn i16_the_bridge_gives_a_model_no_command_line() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let mut service = Service::start(&world);
    let catalogue = Catalogue::whole().unwrap();
    let ids = catalogue.commands().map(|command| command.id.clone());
    for id in ids.chain(["eval".to_owned(), "zzz".to_owned()]) {
        for params in [json!({}), json!({ "path": "None.md" })] {
            let wanted = json!({ "command": id, "params": params });
            let answer = service.ask(&wanted.to_string());
            if answer["success"] == false {
                assert_for_a_model(&answer);
                assert_says_each_thing_once(&answer);
            }
        }
    }
    for line in [
        "{",
        "[]",
        "{\"command\":1}",
        "{\"command\":\"read\",\"x\":1}",
    ] {
        assert_for_a_model(&service.ask(line));
    }
}

#[test]
fn a_mistake_is_reported_once_and_about_what_is_wrong() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("Sub folder/a.md", "a\n");
    let mut service = Service::start(&world);
    for wanted in [
        json!({ "command": "folder", "params": { "path": "Sub" } }),
        json!({ "command": "delete", "params": { "path": "Sub folder" }, "dryRun": true }),
        json!({ "command": "files", "params": { "sort": "xx" } }),
    ] {
        let answer = service.ask(&wanted.to_string());
        assert_eq!(answer["success"], false, "{answer:#}");
        assert_says_each_thing_once(&answer);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.matches("Did you mean").count() < 2, "{message}");
        // `sort` is known; its value is wrong.
        assert!(!message.contains("has `sort`"), "{message}");
    }
}

#[test]
fn i16_an_agent_reads_no_command_line_in_an_explanation() {
    let world = World::with_fixture_vault().set("backend = \"embedded\"");
    let world = world.with_tables("[agents.helper]\n");
    let catalogue = Catalogue::whole().unwrap();
    let mut words: Vec<String> = (catalogue.commands().step_by(9))
        .map(|command| command.id.clone())
        .collect();
    words.extend(["append", "eval", "install", "undo"].map(str::to_owned));
    words.extend(
        Code::ALL
            .iter()
            .step_by(4)
            .map(|code| code.name().to_owned()),
    );
    words.push("CONFIG_MISSING".to_owned());
    // Each form of every other word.
    for (number, word) in words.iter().enumerate() {
        if number % 2 == 0 {
            let shown = world.run(&["--agent", "helper", "explain", word]);
            assert_for_a_model(&Value::from(shown.text()));
            shown.shows_not("vault-gw ");
        } else {
            let data = world.run(&["-j", "--agent", "helper", "explain", word]);
            assert_for_a_model(&data.json());
        }
    }
    world
        .run(&["explain", "append"])
        .shows("`vault-gw settings set allow_mutations me`");
}

/// A name of a note that looks like our words, from pieces.
fn hostile_name(random: &mut Random) -> String {
    static PIECES: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "pieces"));
    let pieces = (0..=random.below(6)).map(|_| PIECES[random.below(PIECES.len())]);
    let name = pieces.collect::<String>();
    // A longer one is cut.
    let name: String = name.chars().take(50).collect();
    format!("Qzx {}", name.trim())
}

/// The parts of a failed answer that quote the name, with the name replaced.
fn without_name(answer: &Value, name: &str) -> String {
    let mut found = Vec::new();
    texts(&answer["error"]["message"], &mut found);
    for issue in answer["advice"].as_array().into_iter().flatten() {
        texts(&issue["message"], &mut found);
    }
    found
        .join("\n")
        .replace(&*vault_engine::shown::row(name), "NAME")
}

#[test]
fn i16_no_name_of_a_user_changes_a_sentence() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("Home.md", "x");
    let callers = [Caller::Person, Caller::Agent];
    let gateways = callers.map(|caller| world.gateway_with(Options::new(caller)));
    let calls = |name: &str| {
        let path = format!("{name}.md");
        [
            request("read", &[("path", &path)]),
            request("read", &[("file", name)]),
            request("append", &[("path", &path), ("content", "x")]),
            request("move", &[("path", &path), ("to", "Other.md")]),
            request("property:read", &[("path", "Home.md"), ("name", name)]),
            request("template:read", &[("name", name)]),
            request("files", &[(name, "x")]),
        ]
    };
    let failed = |gateway: &Gateway, name: &str| {
        calls(name).map(|call| without_name(&json!(gateway.call(&call)), name))
    };
    for gateway in &gateways {
        let plain = failed(gateway, "Qzx Plain");
        // A name with a dot may be one of a file that is not a note.
        let with_dot = failed(gateway, "Qzx Pl.ain");
        let mut random = Random::new(57);
        for _ in 0..50 {
            let name = hostile_name(&mut random);
            let answers = failed(gateway, &name);
            let plain = if name.contains('.') {
                &with_dot
            } else {
                &plain
            };
            for (answer, plain) in answers.iter().zip(plain) {
                assert_eq!(answer, plain, "{name}");
            }
        }
    }
}

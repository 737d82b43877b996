//! An agent that tries every path out of the vault, through every command that is open to it.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use fake_obsidian::scenario::Scenario;
use serde_json::{Map, Value, json};
use vault_gw::allowlist::{Catalogue, Command, ListKind, ParamKind};

use super::client::{Client, text};
use super::http::Server;
use crate::support::World;

const CASES: &str = include_str!("../data/mcp_outside.txt");

/// Stands in every file outside of the vault, and nowhere else.
const CANARY: &str = "canary of a file outside";

/// A vault with links out of it, beside a folder that nobody may reach.
struct Prey {
    world: World,
    outside: PathBuf,
}

impl Prey {
    fn new(world: World) -> Self {
        let outside = world.vault.parent().unwrap().join("outside");
        fs_err::create_dir_all(outside.join("sub")).unwrap();
        for name in ["secret.md", "sub/secret.md", "notes.base", "image.png"] {
            fs_err::write(outside.join(name), format!("# Out\n- [ ] {CANARY} #out\n")).unwrap();
        }
        symlink(&outside, world.vault.join("link")).unwrap();
        symlink(outside.join("secret.md"), world.vault.join("leak.md")).unwrap();
        symlink(outside.join("planted.md"), world.vault.join("dangling.md")).unwrap();
        symlink(outside.join("notes.base"), world.vault.join("leak.base")).unwrap();
        Self { world, outside }
    }

    /// Ways to name something out there.
    fn names(&self) -> Vec<String> {
        let absolute = self.outside.join("secret.md");
        let absolute = absolute.to_str().unwrap();
        let mut names: Vec<String> = tables::lines(CASES, "names")
            .into_iter()
            .map(str::to_owned)
            .collect();
        names.extend([
            absolute.to_owned(),
            format!("/{absolute}"),
            format!("file://{absolute}"),
            format!("/proc/self/root{absolute}"),
        ]);
        names
    }

    /// All files outside, with their contents.
    fn seen(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut seen = BTreeMap::new();
        for folder in [
            self.outside.clone(),
            self.world.home.path().join(".ssh"),
            self.world.home.path().join(".config"),
        ] {
            collect(&folder, &mut seen);
        }
        seen
    }
}

fn collect(folder: &Path, seen: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, seen);
            seen.insert(path, Vec::new());
        } else if path.is_file() {
            let bytes = fs_err::read(&path).unwrap();
            seen.insert(path, bytes);
        }
    }
}

/// A vault whose owner allows everything that can be allowed.
fn prey(world: World) -> Prey {
    let key = world.home.path().join(".ssh/id_ed25519");
    fs_err::create_dir_all(key.parent().unwrap()).unwrap();
    fs_err::write(key, CANARY).unwrap();
    Prey::new(world.set("allow_mutations = true").set("tier = \"v3\""))
}

/// The arguments of the first call that the catalogue gives as an example.
fn example(command: &Command) -> Map<String, Value> {
    let mut arguments = Map::new();
    for word in words(&command.accept[0]).into_iter().skip(1) {
        match word.split_once('=') {
            Some((name, value)) => arguments.insert(name.to_owned(), value.into()),
            None => arguments.insert(word, true.into()),
        };
    }
    arguments
}

/// The words of a line, without their quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (None, ' ') => words.push(String::new()),
            (Some(open), _) if open == letter => quote = None,
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Calls of a command in which one argument that names a file is one of `names`, and those in which
/// any other text is one of a few of them. Each argument has every name with this `step`, the next
/// argument the names after these, so that each name is somewhere.
fn calls(command: &Command, names: &[String], step: usize, turn: &mut usize) -> Vec<Value> {
    let is_place = |kind: &ParamKind| {
        !matches!(
            kind,
            ParamKind::Integer { .. }
                | ParamKind::Character
                | ParamKind::Choice(_)
                | ParamKind::List(ListKind::Edits | ListKind::Names)
        )
    };
    let is_text = |kind: &ParamKind| {
        matches!(
            kind,
            ParamKind::Text
                | ParamKind::Line
                | ParamKind::Scalar
                | ParamKind::ScalarOrList
                | ParamKind::Object
                | ParamKind::Url
                | ParamKind::Tag
                | ParamKind::Property
                | ParamKind::Identifier
        )
    };
    let mut calls = Vec::new();
    for param in command.params.iter().filter(|param| is_place(&param.kind)) {
        let mut arguments = example(command);
        for group in &command.exclusive {
            if group.contains(&param.name) {
                arguments.retain(|name, _| !group.contains(name));
            }
        }
        let step = if is_text(&param.kind) { 7 * step } else { step };
        *turn += 1;
        for name in names.iter().skip(*turn % step).step_by(step) {
            let value = match param.kind {
                ParamKind::List(ListKind::Changes) => {
                    json!([{ "command": "append", "params": { "path": name, "content": "x" } }])
                }
                ParamKind::List(_) => json!([name]),
                _ => json!(name),
            };
            arguments.insert(param.name.clone(), value);
            calls.push(json!({ "command": command.id, "params": arguments }));
        }
    }
    calls
}

/// Makes all calls, and checks that none reached anything.
fn nothing_is_reached(prey: &Prey, step: usize, mut call: impl FnMut(&str, &Value) -> Value) {
    let (before, names) = (prey.seen(), prey.names());
    let (mut made, mut turn) = (0, 0);
    for command in Catalogue::builtin().unwrap().commands() {
        for arguments in calls(command, &names, step, &mut turn) {
            let answer = call("obsidianCli", &arguments);
            assert!(
                !answer.to_string().contains(CANARY),
                "{arguments}: {answer}"
            );
            made += 1;
        }
        let now = prey.seen();
        assert!(now == before, "{}: {:?}", command.id, now.keys());
    }
    assert!(made > 50 * names.len() / step, "{made}");
}

#[test]
fn l09_no_command_over_stdio_reaches_out_of_the_vault() {
    let prey = prey(World::with_fixture_vault().set("backend = \"embedded\""));
    let mut client = Client::open(&prey.world, &[]);
    nothing_is_reached(&prey, 1, |tool, arguments| client.call(tool, arguments));
    for name in prey.names() {
        let answer = client.resource(&name);
        assert!(!answer.to_string().contains(CANARY), "{name}: {answer}");
    }
    let read = client.call("read", &json!({ "path": "Home.md" }));
    assert!(text(&read).contains("# Home"));
}

#[test]
fn l09_no_tool_of_its_own_reaches_out_of_the_vault() {
    let prey = prey(World::with_fixture_vault().set("backend = \"embedded\""));
    let mut client = Client::open(&prey.world, &[]);
    let before = prey.seen();
    let tools = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    // Those of the conformance suites ask the client, which does not answer.
    let is_asked = |tool: &&Value| {
        !cfg!(feature = "conformance") || !tool["name"].as_str().unwrap().starts_with("test_")
    };
    for tool in tools.as_array().unwrap().iter().filter(is_asked) {
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        let required = tool["inputSchema"]["required"].as_array();
        let required = required.map(Vec::as_slice).unwrap_or_default();
        let is_text = |schema: &Value| schema["type"] == "string" && schema["enum"].is_null();
        for (place, _) in properties.iter().filter(|(_, schema)| is_text(schema)) {
            for name in prey.names() {
                let mut arguments: Map<String, Value> = required
                    .iter()
                    .filter_map(|needed| Some((needed.as_str()?.to_owned(), json!("Home.md"))))
                    .collect();
                arguments.insert(place.clone(), json!(name));
                let answer = client.ask(
                    "tools/call",
                    &json!({ "name": tool["name"], "arguments": arguments }),
                );
                assert!(
                    !answer.to_string().contains(CANARY),
                    "{}: {answer}",
                    tool["name"]
                );
            }
        }
        assert!(prey.seen() == before, "{}", tool["name"]);
    }
}

#[test]
fn l09_no_command_over_http_reaches_out_of_the_vault() {
    let prey = prey(World::with_fixture_vault().set("backend = \"embedded\""));
    let server = Server::of(&prey.world);
    // The way to the gateway is another one; the gateway is the same.
    nothing_is_reached(&prey, 12, |tool, arguments| server.call(tool, arguments));
}

#[test]
fn l09_no_command_of_the_official_program_reaches_out_of_the_vault() {
    let world = World::with_fixture_vault().with_fake(&Scenario::logged());
    let prey = prey(world.set("backend = \"obsidian\""));
    let mut client = Client::open(&prey.world, &[]);
    // Each call that is let through starts a program.
    nothing_is_reached(&prey, 8, |tool, arguments| client.call(tool, arguments));
}

//! The fakes themselves, as somebody uses them: by hand, and for every command of the tiers.

use std::collections::BTreeSet;
use std::path::Path;

use fake_obsidian::home::NOTES_OF_EXAMPLES;
use fake_obsidian::log::Event;
use fake_obsidian::scenario::Scenario;
use vault_gw::allowlist::{BackendName, Catalogue, Command, Target, Tier};
use vault_gw::gateway::{Envelope, Params, Request};

use crate::argument_forms::furnish;
use crate::support::{NOW, World, checked};

/// One example of the catalogue in a vault of its own, approved by a person; with what the log says.
fn run(command: &Command, example: &str) -> (Envelope, Vec<Event>) {
    let scenario = Scenario {
        now: Some(NOW.parse().unwrap()),
        active_file: Some(active_file(command).to_owned()),
        ..Scenario::logged()
    };
    let world = World::with_fixture_vault()
        .with_fake(&scenario)
        .set("backend = \"obsidian\"")
        .set("allow_active_file = true\nallow_publish = true\nallow_mutations = true");
    furnish(&world);
    // What a command makes is not there yet, and what it takes away is.
    let taken = match command.id.as_str() {
        "rename" => "b.md",
        _ if command.target == Target::NewFile => "a.md",
        _ => "",
    };
    for (path, text) in NOTES_OF_EXAMPLES {
        if path != taken {
            world.write(path, text);
        }
    }
    world.write("Archive/Old.md", "");
    world.write("Daily/2026-03-14.md", "- [ ] 1\n- [ ] 2\n- [ ] 3\n");
    if command.id == "publish:remove" {
        let list = world.home.registry_file().with_file_name("fake-site");
        fs_err::write(list, "a.md").unwrap();
    }
    let words = shell_words::split(example).unwrap();
    let request = Request {
        params: Params(command.read_words(&words[1..]).unwrap()),
        ..Request::new(&command.id)
    };
    let gateway = world.approving();
    let envelope = checked(gateway.call(&request));
    let events = fake_obsidian::log::read(&world.home.log()).unwrap();
    (envelope, events)
}

/// Whether the app honours all that is given.
fn is_for_the_app(command: &Command, example: &str) -> bool {
    let words = shell_words::split(example).unwrap();
    let given = command.read_words(&words[1..]).unwrap();
    let catalogue = Catalogue::builtin().unwrap();
    let call = catalogue.admit(&command.id, &given).unwrap();
    call.backends().contains(&BackendName::Obsidian)
}

fn active_file(command: &Command) -> &'static str {
    if command.id == "base:views" {
        "Books.base"
    } else {
        "Home.md"
    }
}

#[test]
fn every_command_of_v0_to_v2_runs_from_end_to_end() {
    let catalogue = Catalogue::builtin().unwrap();
    let of_the_app = |command: &&std::sync::Arc<Command>| {
        command.tier <= Tier::V2
            && !command.is_ours()
            && command.backends.contains(&BackendName::Obsidian)
    };
    let mut scripted = BTreeSet::new();
    let mut failed = Vec::new();
    for command in catalogue.commands().filter(of_the_app) {
        for example in &command.accept {
            if !is_for_the_app(command, example) {
                continue;
            }
            let (envelope, events) = run(command, example);
            // What it publishes is named nowhere, so nothing can prove it.
            let is_unproved = example == "publish:add changed";
            if envelope.success == is_unproved {
                failed.push(format!("{example}: {:?}", envelope.error));
            }
            let is_run = |event: &Event| matches!(event, Event::Start(_));
            if !events.iter().any(is_run) {
                failed.push(format!("{example} was never run"));
            }
            scripted.extend(events.into_iter().filter_map(|event| match event {
                Event::Unrecorded { command, .. } => Some(command),
                _ => None,
            }));
        }
    }
    assert_eq!(failed, [""; 0]);
    // No more are scripted than must be: the others answer from the evidence, or through the engine.
    let known: BTreeSet<String> = fake_obsidian::UNRECORDED.map(str::to_owned).into();
    assert_eq!(scripted, known);
}

/// With the sandbox as it is by default, and with the programs of this build.
#[cfg(target_os = "linux")]
#[test]
fn the_recipe_of_the_readme_ends_well() {
    use crate::support::{fake_binary, finish};

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs_err::read_to_string(root.join("fixtures/README.md")).unwrap();
    let recipe = readme.split("```sh\n").nth(1).unwrap();
    let recipe = recipe.split("```").next().unwrap();
    assert!(!recipe.contains("sandbox"), "{recipe}");
    let world = World::empty();
    let user = world.scratch().join("user");
    let user = user.to_str().unwrap();
    let built = fake_binary().parent().unwrap().to_str().unwrap();
    let lines = recipe
        .replace("$PWD/target/release/", &format!("{built}/"))
        .replace("target/release/vault-gw", env!("CARGO_BIN_EXE_vault-gw"))
        .replace("target/release/", &format!("{built}/"))
        .replace("/tmp/user", user);
    let mut script = String::new();
    for line in lines.lines().filter(|line| !line.starts_with("cargo ")) {
        script += &format!("{line}\n");
        if line.contains('&') {
            // Whoever types is slower than the app.
            let socket = format!("{user}/runtime/.obsidian-cli.sock");
            script += &format!("app=$!; until [ -S {socket} ]; do sleep 0.05; done\n");
        }
    }
    script += "status=$?; kill $app; exit $status\n";
    let mut shell = world.command(Path::new("/bin/sh"));
    shell.args(["-c", &script]).current_dir(root);
    shell.env("PATH", "/usr/bin:/bin");
    for folder in ["CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME"] {
        shell.env_remove(format!("XDG_{folder}"));
    }
    let ran = finish(shell, b"");
    ran.ended(0);
    let note = fs_err::read_to_string(root.join("fixtures/vault/Home.md")).unwrap();
    assert!(ran.text().ends_with(&note), "{ran:?}");
}

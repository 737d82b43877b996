//! `vault-gw agents`, by real processes.

use serde_json::{Value, json};

use crate::support::{Ran, World, write_private};

const CASES: &str = include_str!("data/agents.txt");

const SETTINGS: &str =
    "# mine\nenabled = true # on\nbackend = \"embedded\"\n\n[agents.\"*\"]\ntier = \"v2\"\n";

/// A world whose settings file is this text and a vault.
fn world() -> World {
    let world = World::with_fixture_vault();
    let file = world.write_settings();
    let vault = fs_err::read_to_string(&file).unwrap();
    let vault = vault
        .lines()
        .find(|line| line.starts_with("vault"))
        .unwrap();
    write_private(
        &file,
        SETTINGS.replace("# mine\n", &format!("# mine\n{vault}\n")),
    );
    world
}

fn settings(world: &World) -> String {
    fs_err::read_to_string(world.settings_file()).unwrap()
}

fn run(world: &World, line: &str) -> Ran {
    let words: Vec<&str> = line.split(' ').collect();
    world.run_as_it_is(&words, b"")
}

/// The run's standard output, with stand-ins for what differs between runs.
fn shown(world: &World, ran: &Ran) -> String {
    let text = format!("{}{}", ran.text(), ran.stderr);
    let file = world.settings_file();
    let text = text.replace(&file.display().to_string(), "SETTINGS");
    let text = text.replace(&world.vault.display().to_string(), "VAULT");
    let is_token =
        |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lines = text
        .lines()
        .map(|line| if is_token(line) { "TOKEN" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn agents_are_added_listed_shown_renamed_and_revoked() {
    let world = world();
    let before = settings(&world);
    let mut rows = Vec::new();
    for line in tables::lines(CASES, "agents are added listed shown renamed") {
        let ran = run(&world, line);
        assert!(ran.status == Some(0) || line == "doctor", "{line} {ran:?}");
        let mut shown = shown(&world, &ran);
        if line == "doctor" {
            let agents = |line: &&str| line.contains("agents ");
            shown = shown.lines().filter(agents).collect::<Vec<_>>().join("\n");
        }
        rows.push(format!("$ vault-gw {line}\n{shown}"));
    }
    insta::assert_snapshot!(rows.join("\n"));
    assert_eq!(settings(&world).trim_end(), before.trim_end());
    let state = fs_err::read_to_string(world.state().join("agent-tokens.json")).unwrap();
    let former: Value = serde_json::from_str(&state).unwrap();
    let names = serde_json::json!({ "helper": "", "quiet": "", "reader": "" });
    assert_eq!(former, names, "former names, and no token");
}

#[test]
fn a_new_agent_does_not_get_the_name_of_a_former_one_unasked() {
    let world = world();
    for (line, status) in tables::typed::<(&str, i32)>(CASES, "a new agent does not get the name") {
        let before = settings(&world);
        let ran = run(&world, line);
        ran.ended(status);
        if status != 0 {
            ran.reports("earlier agent was named `bob`");
            assert_eq!(settings(&world), before);
        }
    }
}

#[test]
fn a_token_is_shown_once_and_only_its_hash_is_kept() {
    let world = world();
    let added = run(&world, "-j agents add helper").json();
    let token = added["data"]["token"].as_str().unwrap();
    let hash = crate::support::sha256_of(token.as_bytes());
    let file = world.state().join("agent-tokens.json");
    let kept = fs_err::read_to_string(&file).unwrap();
    assert!(kept.contains(&hash) && !kept.contains(token), "{kept}");
    assert!(!settings(&world).contains(token));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs_err::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    for line in "-j agents|-j rules --agent helper|-j doctor|-j audit".split('|') {
        let ran = run(&world, line);
        assert!(
            !ran.text().contains(token) && !ran.text().contains(&hash),
            "{line}"
        );
    }
}

#[test]
fn what_is_wrong_changes_neither_file() {
    let world = world();
    run(&world, "agents add helper").ended(0);
    let state = world.state().join("agent-tokens.json");
    let before = (settings(&world), fs_err::read_to_string(&state).unwrap());
    let mut rows = Vec::new();
    for line in tables::lines(CASES, "what is wrong changes neither file") {
        let ran = run(&world, line);
        assert!(matches!(ran.status, Some(64 | 78)), "{line} {ran:?}");
        rows.push(format!("$ vault-gw {line}\n{}", shown(&world, &ran)));
    }
    insta::assert_snapshot!(rows.join("\n"));
    let after = (settings(&world), fs_err::read_to_string(&state).unwrap());
    assert_eq!(after, before);
}

#[test]
fn i21_what_ends_between_the_two_files_leaves_nothing_open() {
    let world = world();
    run(&world, "agents add helper").ended(0);
    let with = settings(&world);
    run(&world, "agents revoke helper").ended(0);
    let without = settings(&world);
    let file = world.settings_file();
    let state = world.state().join("agent-tokens.json");
    let put = |settings: &str, tokens: &str| {
        fs_err::write(&file, settings).unwrap();
        fs_err::write(&state, tokens).unwrap();
    };
    let tokens = |name: &str| format!("{{\"{name}\":\"{}\"}}", "0".repeat(64));
    let has = |name: &str| {
        let agents = run(&world, "-j agents").json()["data"]["agents"].clone();
        let agents = agents.as_array().unwrap().clone();
        let agent = agents.into_iter().find(|agent| agent["name"] == name);
        agent.map(|agent| agent["hasToken"] == true)
    };
    // Adding: the table without its token, and a token that was left before.
    put(&without, &tokens("helper"));
    run(&world, "agents add helper --no-token").ended(0);
    assert_eq!(has("helper"), Some(false));
    // Revoking: the token is gone first. Again, and also where only a token is left.
    put(&with, "{}");
    run(&world, "agents revoke helper").ended(0);
    assert_eq!(has("helper"), None);
    put(&without, &tokens("helper"));
    run(&world, "doctor")
        .shows("the settings do not define these agents, so their tokens give no access: helper");
    run(&world, "agents revoke helper").ended(0);
    let former: Value = serde_json::from_str(&fs_err::read_to_string(&state).unwrap()).unwrap();
    assert_eq!(former, json!({ "helper": "" }));
    // Renaming: the token went to a name without a table. Again completes it, without a token.
    put(&with, &tokens("reader"));
    assert_eq!(has("helper"), Some(false));
    run(&world, "agents rename helper reader").ended(0);
    assert_eq!(has("reader"), Some(false));
    // A damaged file of tokens holds none and is an error of each change.
    put(&with, "{");
    for line in "agents|agents add b|agents revoke helper|agents token helper".split('|') {
        assert_eq!(run(&world, line).status, Some(78), "{line}");
    }
}

/// Runs one request of an agent that `call` serves.
fn call(world: &World, agent: &str, request: &Value) -> Value {
    let words = ["call", "--agent", agent];
    let ran = world.run_as_it_is(&words, request.to_string().as_bytes());
    if ran.text().is_empty() {
        return ran.stderr.into();
    }
    ran.json()
}

fn append(world: &World, agent: &str) -> Value {
    let content = format!("by {agent}");
    let params = json!({ "path": "Home.md", "content": content });
    call(
        world,
        agent,
        &json!({ "command": "append", "params": params }),
    )
}

/// Without a table for any of them: drafts, undo and the log tell the clients apart.
#[test]
fn each_client_that_is_set_up_is_an_agent_of_its_own() {
    let world = World::with_fixture_vault();
    for client in [".cursor", ".codex"] {
        fs_err::create_dir_all(world.home.path().join(client)).unwrap();
    }
    run(&world, "setup --yes").ended(0);
    insta::assert_snapshot!(shown(&world, &run(&world, "agents")), @r"
    codex: tier v3, reads and proposes changes, with the rules of all agents
    cursor: tier v3, reads and proposes changes, with the rules of all agents
    ");
    for name in ["cursor", "codex"] {
        assert_eq!(append(&world, name)["status"], "drafted", "{name}");
    }
    for (name, other) in [("cursor", "codex"), ("codex", "cursor")] {
        let (own, other) = (format!("by {name}"), format!("by {other}"));
        let read = json!({ "command": "read", "params": { "path": "Home.md" } });
        let text = call(&world, name, &read).to_string();
        assert!(text.contains(&own) && !text.contains(&other), "{text}");
        // No request names another agent, and none shows its draft.
        for request in [
            json!({ "command": "draft:status" }),
            json!({ "command": "draft:show", "params": { "path": "Home.md" } }),
            json!({ "command": "draft:status", "agent": "codex" }),
            json!({ "command": "draft:status", "params": { "agent": "cursor" } }),
            json!({ "command": "draft:status", "_meta": { "agent": "cursor" } }),
        ] {
            let answer = call(&world, name, &request).to_string();
            assert!(!answer.contains(&other), "{request}: {answer}");
        }
    }
    let review = run(&world, "review --list");
    for shown in ["agent cursor", "agent codex"] {
        review.shows(shown);
    }
    run(&world, "setup --yes --agents write").ended(0);
    assert_eq!(append(&world, "zed")["status"], "ok");
    run(&world, "undo --list").shows("agent zed");
    for shown in ["agent:cursor", "agent:zed"] {
        run(&world, "audit").shows(shown);
    }
    let undone = call(&world, "cursor", &json!({ "command": "undo" }));
    assert_ne!(undone["status"], "ok", "{undone}");
    // The owner closes one of them alone.
    run(&world, "settings set agents.cursor.enabled false").ended(0);
    let closed = &append(&world, "cursor")["error"];
    assert_eq!(closed["code"], "BRIDGE_DISABLED");
    assert!(
        closed["message"]
            .to_string()
            .contains("`agents.cursor.enabled`"),
        "{closed}"
    );
    let read = json!({ "command": "read", "params": { "path": "Home.md" } });
    assert_eq!(call(&world, "codex", &read)["status"], "ok");
}

/// An agent whose rules are gone, and one whose name may be mistyped, do not get the rules of all agents instead
/// (`threats.toml` H04).
#[test]
fn h04_no_name_without_a_table_opens_more_than_the_one_it_may_stand_for() {
    let world = world();
    for name in ["reader", "former", "renamed", "edited"] {
        run(&world, &format!("agents add {name} --tier v0")).ended(0);
    }
    for line in ["revoke former", "rename renamed later"] {
        run(&world, &format!("agents {line}")).ended(0);
    }
    // By hand, which leaves its token.
    let text = settings(&world).replace("[agents.edited]\nenabled = true\ntier = \"v0\"\n", "");
    assert!(!text.contains("edited"), "{text}");
    fs_err::write(world.settings_file(), text).unwrap();
    let read = json!({ "command": "read", "params": { "path": "Home.md" } });
    for [name, code] in tables::section(CASES, "h04 no name without a table opens more") {
        let answer = call(&world, name, &read).to_string();
        assert!(answer.contains(code), "{name}: {answer}");
    }
}

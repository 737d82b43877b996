//! Which vault answers whom, and who may change it (`design/settings.md`).

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Ran, World, finish, has};

/// A user with a vault in the settings, and another vault with a folder in it.
fn two_vaults() -> (World, PathBuf) {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("Home.md", "set\n");
    let other = world.scratch().join("Work");
    fs_err::create_dir_all(other.join(".obsidian")).unwrap();
    fs_err::create_dir_all(other.join("Projects")).unwrap();
    fs_err::write(other.join("Home.md"), "here\n").unwrap();
    (world, other)
}

fn run_in(world: &World, folder: &Path, words: &[&str], input: &[u8]) -> Ran {
    let mut program = world.prepared(words);
    program.current_dir(folder);
    finish(program, input)
}

#[test]
fn the_vault_around_the_folder_comes_before_the_setting() {
    let (world, other) = two_vaults();
    let below = other.join("Projects");
    for here in [&other, &below] {
        let ran = run_in(&world, here, &["read", "file=Home"], b"");
        ran.prints("here\n");
        assert_eq!(
            ran.stderr,
            "note: vault Work (this folder), not Notes (settings)\n"
        );
    }
    run_in(&world, &below, &["create", "name=Oops"], b"").ended(0);
    assert!(other.join("Oops.md").exists() && !world.vault.join("Oops.md").exists());
    // The journal is that of the vault that answers, too.
    run_in(&world, &below, &["undo"], b"").ended(0);
    assert!(!other.join("Oops.md").exists());
    let json = run_in(&world, &below, &["-j", "vault"], b"").json();
    assert_eq!(json["meta"]["vault"], "Work");
    assert_eq!(json["warnings"][0]["code"], "OTHER_VAULT");
    // A refusal says it too.
    let missing = run_in(&world, &below, &["read", "file=Nope"], b"");
    let (error, note) = missing
        .stderr
        .split_once("note: vault Work (this folder)")
        .unwrap();
    assert!(error.starts_with("error[FILE_NOT_FOUND]"), "{missing:?}");
    assert_eq!(note, ", not Notes (settings)\n");
}

#[test]
fn an_option_comes_before_both_and_nothing_is_said_where_they_agree() {
    let (world, other) = two_vaults();
    let set = world.vault.clone();
    let option = set.to_str().unwrap();
    let before_command = format!("vault={option}");
    for words in [
        &["--vault", option, "read", "file=Home"][..],
        &[&before_command, "read", "file=Home"],
    ] {
        let ran = run_in(&world, &other, words, b"");
        assert_eq!((ran.text(), ran.stderr.as_str()), ("set\n", ""));
    }
    for here in [set.clone(), world.scratch()] {
        let ran = run_in(&world, &here, &["read", "file=Home"], b"");
        assert_eq!((ran.text(), ran.stderr.as_str()), ("set\n", ""));
    }
    // The folder of the settings is a vault without `.obsidian` too, and nearer than one around it.
    let (mut world, other) = two_vaults();
    let inner = other.join("Projects");
    fs_err::write(inner.join("Home.md"), "inner\n").unwrap();
    world.settings = world
        .settings
        .replace(&format!("{:?}", world.vault), &format!("{inner:?}"));
    let ran = run_in(&world, &inner, &["read", "path=Home.md"], b"");
    assert_eq!((ran.text(), ran.stderr.as_str()), ("inner\n", ""));
    run_in(&world, &other, &["read", "path=Home.md"], b"").prints("here\n");
}

#[test]
fn agents_keep_the_vault_of_the_settings_wherever_they_stand() {
    let (world, other) = two_vaults();
    let world = world.set("enabled = true").with_tables("[agents.helper]");
    let line = br#"{"command":"read","params":{"path":"Home.md"}}"#;
    let answered = run_in(&world, &other, &["call"], line).json();
    assert_eq!(answered["stdout"], "set\n", "{answered:#}");
    assert_eq!(answered["warnings"], json!([]));
    let words = ["--agent", "helper", "read", "path=Home.md"];
    let ran = run_in(&world, &other, &words, b"");
    assert_eq!((ran.text(), ran.stderr.as_str()), ("set\n", ""));
}

#[test]
fn doctor_says_which_vault_it_looked_at() {
    let (world, other) = two_vaults();
    let ran = run_in(&world, &other, &["doctor"], b"");
    ran.shows("`Work` is a folder");
    ran.shows("The vault in the settings is `Notes`.");
}

const ONLY_ME: &str =
    "[agents.\"*\"]\nallow_mutations = false\n[agents.helper]\nallow_mutations = true";

#[test]
fn what_is_closed_to_all_agents_is_open_to_the_person() {
    let world = World::with_fixture_vault()
        .set("allow_mutations = true\nenabled = true\nbackend = \"embedded\"")
        .with_tables(ONLY_ME);
    world
        .run(&["append", "path=Home.md", "content=mine"])
        .ended(0);
    let line = br#"{"command":"append","params":{"path":"Home.md","content":"theirs"}}"#;
    for words in [&["call"][..], &["--agent", "helper", "call"]] {
        let answered = world.run_with_input(words, line).json();
        assert_eq!(
            answered["error"]["code"], "MUTATION_DISABLED",
            "{answered:#}"
        );
        assert_eq!(
            answered["advice"][0]["message"],
            "The owner of the vault can allow the call with `agents.\"*\".allow_mutations = true` in the settings."
        );
    }
    // The name alone makes a person at a terminal an agent, who learns who can open it.
    let words = ["--agent", "helper", "append", "path=Home.md", "content=x"];
    let ran = world.run(&words);
    ran.ended(77);
    let opens = "The owner of the vault can allow the call with `vault-gw settings set 'agents.\"*\".allow_mutations' true`.";
    ran.reports(opens);
    // The command that is named is one.
    let set = ["settings", "set", "agents.\"*\".allow_mutations", "true"];
    let ran = world.run(&set);
    ran.ended(0);
    assert!(
        ran.text()
            .starts_with("agents.\"*\".allow_mutations = true"),
        "{ran:?}"
    );
    // What agents are offered, and what is said of them, is by the same rules.
    world.run(&["schema", "tools"]).shows_not("daily_append");
    let shown = world.run(&["doctor"]);
    let shown = shown.text();
    has(&shown, &["agents can read, and change nothing (tier v3)"]);
    let context = world.run(&["context"]);
    let context = context.text();
    has(&context, &["agents can read, and change nothing"]);
}

/// What a refusal offers to a person opens nothing to agents, and what opens it to them says so.
#[test]
fn who_opens_something_learns_to_whom() {
    let world = World::with_fixture_vault()
        .set("enabled = true\nbackend = \"embedded\"")
        .with_tables("[agents.helper]");
    let line = br#"{"command":"append","params":{"path":"Home.md","content":"x"}}"#;
    world.write_settings();
    let may_agents = || world.run_as_it_is(&["call"], line).json()["success"] == true;
    let vault = world.vault.to_str().unwrap();
    let words = ["--vault", vault, "append", "path=Home.md", "content=x"];
    let append = || world.run_as_it_is(&words, b"");
    let set = |words: &[&str]| {
        let ran = world.run_as_it_is(&[&["settings"], words].concat(), b"");
        ran.ended(0);
        ran
    };
    append().ended(77);
    let mine = set(&["set", "allow_mutations", "me"]);
    let text = "note: You can now change notes, but agents cannot.";
    mine.reports(text);
    mine.shows("agents.\"*\".allow_mutations = false");
    append().ended(0);
    assert!(!may_agents());
    set(&["set", "allow_mutations", "true"]).shows(
        "This setting is still off for agents, because `agents.\"*\".allow_mutations` is false.",
    );
    let one = set(&["set", "agents.helper.allow_mutations", "true"]);
    let text = "This setting has no effect yet, because `agents.\"*\".allow_mutations` is false";
    one.reports(text);
    let all = set(&["unset", "agents.\"*\".allow_mutations"]);
    all.reports("note: Agents can now change notes.");
    assert!(may_agents());
    let closed = set(&["set", "allow_mutations", "false"]);
    assert_eq!(closed.stderr, "", "{closed:?}");
    let all = set(&["set", "allow_mutations", "true"]);
    let text = "To allow this only for you: `vault-gw settings set allow_mutations me`.";
    all.reports(text);
    let json = set(&["set", "-j", "allow_publish", "me"]);
    assert_eq!(json.stderr, "", "{json:?}");
    assert_eq!(json.json()["data"]["agents"]["after"], "false");
    let wrong = world.run_as_it_is(&["settings", "set", "export_folder", "me"], b"");
    assert_ne!(wrong.status, Some(0), "a folder, not a switch: {wrong:?}");
}

#[test]
fn a_dry_run_is_open_to_people_and_closed_to_agents() {
    let world = World::with_fixture_vault().set("enabled = true\nbackend = \"embedded\"");
    for words in [
        &["append", "path=Home.md", "content=x"][..],
        &["create", "name=New", "open"],
        &["delete", "path=Home.md", "permanent"],
        &["rename", "path=Home.md", "name=Start"],
    ] {
        world.run(&[&["--dry-run"], words].concat()).ended(0);
        let refused = world.run(words);
        assert_eq!(refused.status, Some(77), "{words:?}");
        let opens = "hint: To allow the call for you but not for agents: `vault-gw settings set allow_mutations me`.";
        refused.reports(opens);
        refused.omits("owner");
    }
    world
        .run(&["--dry-run", "vault:export", "folder=Projects"])
        .ended(77);
    let line = br#"{"command":"append","params":{"path":"Home.md","content":"x"},"dryRun":true}"#;
    let answered = world.run_with_input(&["call"], line).json();
    assert_eq!(
        answered["error"]["code"], "MUTATION_DISABLED",
        "{answered:#}"
    );
    // What an undo would do, too.
    let mut world = world.set("allow_mutations = true");
    world.run(&["append", "path=Home.md", "content=x"]).ended(0);
    world.settings = world.settings.replace("allow_mutations = true", "");
    world.run(&["--dry-run", "undo"]).ended(0);
    world.run(&["undo"]).ended(77);
}

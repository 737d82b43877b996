//! `vault-gw setup`: from nothing to a client that is answered.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::pty::Pty;
use crate::support::{Ran, World};

/// A user whose app knows the fixture vault, without settings, with these clients.
fn world(clients: &[&str]) -> World {
    let world = World::with_fixture_vault();
    for client in clients {
        fs_err::create_dir_all(world.home.path().join(client)).unwrap();
    }
    world
}

fn setup(world: &World, words: &[&str]) -> Ran {
    world.run_as_it_is(&[&["setup"], words].concat(), b"")
}

fn settings_file(world: &World) -> PathBuf {
    world.home.config().join("vault-gw/settings.toml")
}

fn settings(world: &World) -> Value {
    let shown = world.run_as_it_is(&["-j", "settings", "show"], b"");
    shown.json()["data"]["settings"].clone()
}

/// Whether neither the settings nor a client was written.
fn is_untouched(world: &World) -> bool {
    !settings_file(world).exists() && !world.home.path().join(".cursor/mcp.json").exists()
}

#[test]
fn the_only_vault_is_taken_and_every_client_that_is_here_gets_its_entry() {
    let world = world(&[".cursor", ".codex"]);
    let ran = setup(&world, &[]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let vault = world.vault.canonicalize().unwrap();
    let now = settings(&world);
    assert_eq!(now["vault"], vault.to_str().unwrap());
    assert_eq!(now["enabled"], true);
    assert_eq!(now["allow_mutations"], false);
    let home = world.home.path();
    let cursor = fs_err::read_to_string(home.join(".cursor/mcp.json")).unwrap();
    let entry: Value = serde_json::from_str(&cursor).unwrap();
    let args = entry["mcpServers"]["vault-gw"]["args"].as_array().unwrap();
    // The settings name the vault, so that the owner can choose another one in one place.
    assert!(!args.contains(&"--vault".into()), "{args:?}");
    let codex = fs_err::read_to_string(home.join(".codex/config.toml")).unwrap();
    assert!(codex.contains("[mcp_servers.vault-gw]"), "{codex}");
    assert!(!home.join(".claude.json").exists());
    let shown = ran.text().replace(home.to_str().unwrap(), "[HOME]");
    let shown = shown.replace(vault.to_str().unwrap(), "[VAULT]");
    let program = env!("CARGO_BIN_EXE_vault-gw");
    insta::assert_snapshot!("setup", shown.replace(program, "[PROGRAM]"));
}

/// What it says takes it back does: afterwards the files say what they said before.
#[test]
fn every_line_that_takes_it_back_does_so() {
    let world = world(&[".cursor"]);
    fs_err::create_dir_all(settings_file(&world).parent().unwrap()).unwrap();
    fs_err::write(settings_file(&world), "vault = \"Notes\"\ntier = \"v1\"\n").unwrap();
    crate::support::private(&settings_file(&world));
    let before = settings(&world);
    let vault = world.vault.to_str().unwrap().to_owned();
    let ran = setup(&world, &["-j", "--vault", &vault, "--allow-writes"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(settings(&world)["allow_mutations"], true);
    assert_eq!(settings(&world)["tier"], "v1");
    let lines = ran.json()["data"]["takeBack"].clone();
    assert_eq!(lines.as_array().unwrap().len(), 4, "{lines}");
    for line in lines.as_array().unwrap() {
        let words = shell_words::split(line.as_str().unwrap()).unwrap();
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let ran = world.run_as_it_is(&words, b"");
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
    }
    assert_eq!(settings(&world), before);
    let cursor = fs_err::read_to_string(world.home.path().join(".cursor/mcp.json")).unwrap();
    assert!(!cursor.contains("vault-gw"), "{cursor}");
}

#[test]
fn without_a_terminal_several_vaults_are_named_and_none_is_taken() {
    let world = world(&[".cursor"]);
    let other = world.scratch().join("Other");
    fs_err::create_dir_all(other.join(".obsidian")).unwrap();
    let mut command = world.program();
    command.args(["-j", "setup"]).current_dir(&other);
    let ran = crate::support::finish(command, b"");
    let error = &ran.json()["error"];
    assert_eq!(error["code"], "AMBIGUOUS_TARGET", "{ran:?}");
    let other = other.canonicalize().unwrap();
    assert_eq!(error["details"]["vaults"][0], other.to_str().unwrap());
    assert!(is_untouched(&world));
    world.home.write_registry(&[]).unwrap();
    let ran = setup(&world, &["-j"]);
    assert_eq!(ran.json()["error"]["code"], "VAULT_NOT_FOUND", "{ran:?}");
    assert!(is_untouched(&world));
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = world(&[".cursor"]);
    let ran = setup(&world, &["--dry-run", "--allow-writes"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for part in ["allow_mutations = true", "+++ ", "\"vault-gw\"", "dry run"] {
        assert!(ran.text().contains(part), "{part}: {ran:?}");
    }
    assert!(is_untouched(&world));
}

/// The settings would be writable by whoever writes notes (`faults.md` D09).
#[test]
fn a_vault_around_the_settings_is_refused() {
    let world = world(&[".cursor"]);
    for vault in [world.home.path(), world.home.config()] {
        let ran = setup(&world, &["-j", "--vault", vault.to_str().unwrap()]);
        assert_eq!(ran.json()["error"]["code"], "CONFIG_INVALID", "{ran:?}");
        assert!(is_untouched(&world), "{}", vault.display());
    }
    let inside = world.vault.join("settings.toml");
    let ran = setup(&world, &["-j", "--settings", inside.to_str().unwrap()]);
    assert_eq!(ran.json()["error"]["code"], "CONFIG_INVALID", "{ran:?}");
    assert!(!inside.exists());
}

#[test]
fn one_client_that_cannot_be_changed_does_not_keep_the_others_from_it() {
    let world = world(&[".cursor", ".codex"]);
    let broken = world.home.path().join(".cursor/mcp.json");
    fs_err::write(&broken, "{ this is no JSON").unwrap();
    let ran = setup(&world, &["-j"]);
    let told = ran.json();
    assert_eq!(ran.status, Some(65), "{ran:?}");
    assert_eq!(told["error"]["code"], "VALIDATION_ERROR");
    assert_eq!(told["data"]["clients"][0]["action"], "failed");
    assert_eq!(told["data"]["clients"][1]["action"], "added");
    assert_eq!(fs_err::read_to_string(broken).unwrap(), "{ this is no JSON");
    assert_eq!(settings(&world)["enabled"], true);
}

#[test]
fn a_second_time_changes_nothing() {
    let world = world(&[".cursor"]);
    assert_eq!(setup(&world, &[]).status, Some(0));
    let written = fs_err::read_to_string(settings_file(&world)).unwrap();
    let again = setup(&world, &["-j"]).json();
    assert_eq!(again["data"]["takeBack"], Value::Array(Vec::new()));
    assert_eq!(again["data"]["clients"][0]["action"], "unchanged");
    assert_eq!(
        fs_err::read_to_string(settings_file(&world)).unwrap(),
        written
    );
}

/// Types the answers at a terminal; returns the exit status and what was on the screen.
fn at_a_terminal(world: &World, here: &Path, answers: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = world.program();
    command.arg("setup").current_dir(here).env("TERM", "xterm");
    let mut session = Pty::new().start(command);
    for (question, answer) in answers {
        session.wait_for(question);
        session.type_in(answer);
    }
    let (status, screen, _) = session.finish();
    (status, String::from_utf8_lossy(&screen).into_owned())
}

#[test]
fn at_a_terminal_each_choice_is_asked() {
    let world = world(&[".cursor"]);
    let other = world.scratch().join("Other");
    fs_err::create_dir_all(other.join(".obsidian")).unwrap();
    let answers = [
        ("Which vault? [1] to 2", "7\n"),
        ("Which vault? [1] to 2", "2\n"),
        ("change notes too?", "y\n"),
        ("Add vault-gw to Cursor?", "n\n"),
    ];
    let (status, screen) = at_a_terminal(&world, &other, &answers);
    assert_eq!(status, Some(0), "{screen}");
    // A client that is not wanted is not one that was not found.
    assert!(!screen.contains("none found"), "{screen}");
    let vault = world.vault.canonicalize().unwrap();
    assert_eq!(settings(&world)["vault"], vault.to_str().unwrap());
    assert_eq!(settings(&world)["allow_mutations"], true);
    assert!(!world.home.path().join(".cursor/mcp.json").exists());
}

#[test]
fn the_end_of_the_input_is_no_answer() {
    let world = world(&[".cursor"]);
    let here = world.scratch();
    let answers = [("Which vault?", "\n"), ("change notes too?", "\u{4}")];
    let (status, screen) = at_a_terminal(&world, &here, &answers);
    assert_eq!(status, Some(64), "{screen}");
    assert!(is_untouched(&world));
}

/// Where the vault and the app are, and what follows (`design.md` §19).
#[cfg(target_os = "linux")]
#[test]
fn the_doctor_tells_where_vault_and_app_are() {
    let world = world(&[]);
    let told = |world: &World| {
        let checks = world.run(&["-j", "doctor"]).json()["data"]["checks"].clone();
        let named = |check: &&Value| check["name"] == "place" || check["name"] == "package";
        let checks = checks.as_array().unwrap().iter().filter(named);
        let lines = checks.map(|check| {
            assert_eq!(check["state"], "ok", "{check}");
            check["message"].as_str().unwrap().to_owned()
        });
        lines.collect::<Vec<_>>().join("; ")
    };
    assert!(
        told(&world).starts_with("a local folder"),
        "{}",
        told(&world)
    );
    fs_err::create_dir_all(world.vault.join(".stfolder")).unwrap();
    fs_err::create_dir_all(world.vault.join(".git")).unwrap();
    let synced = world.home.config().join("obsidian-headless/sync/abc");
    fs_err::create_dir_all(&synced).unwrap();
    let entry = serde_json::json!({ "vaultPath": world.vault });
    fs_err::write(synced.join("config.json"), entry.to_string()).unwrap();
    fs_err::create_dir_all(world.home.path().join("snap/obsidian")).unwrap();
    let all = told(&world);
    for part in ["Syncthing", "Git working tree", "`ob`", "Snap"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    fs_err::create_dir_all(world.home.path().join(".var/app/md.obsidian.Obsidian")).unwrap();
    assert!(told(&world).contains("Flatpak"));
}

/// After `setup` nothing is wrong on a machine without the app (`design.md` §19).
#[cfg(target_os = "linux")]
#[test]
fn the_doctor_is_content_afterwards() {
    let world = world(&[".cursor"]);
    assert_eq!(setup(&world, &[]).status, Some(0));
    let told = world.run_as_it_is(&["-j", "doctor"], b"").json();
    for check in told["data"]["checks"].as_array().unwrap() {
        // What the machine of the test is does not depend on `setup`.
        if check["name"] == "account" || check["name"] == "sandbox" {
            continue;
        }
        let state = check["state"].as_str().unwrap();
        assert!(["ok", "skipped"].contains(&state), "{check}");
    }
}

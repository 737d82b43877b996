//! `vault-gw setup`: from nothing to a client that is answered.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::processes::comes_true;
use crate::support::pty::Pty;
use crate::support::{Outcome as _, Ran, World, has, lacks, write_private};

const CASES: &str = include_str!("data/setup.txt");

/// A user whose app knows the fixture vault, without settings, with these clients.
fn world(clients: &[&str]) -> World {
    let world = World::with_fixture_vault();
    for client in clients {
        made(world.home.path().join(client));
    }
    world
}

/// Without a terminal, and without asking.
fn setup(world: &World, words: &[&str]) -> Ran {
    world.run_as_it_is(&[&["setup", "--yes"], words].concat(), b"")
}

/// The program without a word of the tests, started in this folder.
fn setup_in(world: &World, folder: &Path) -> Ran {
    let mut command = world.program();
    command.args(["-j", "setup", "--yes"]).current_dir(folder);
    crate::support::finish(command, b"")
}

fn text_of(file: impl AsRef<Path>) -> String {
    fs_err::read_to_string(file.as_ref()).unwrap()
}

/// A folder with everything above it.
fn made(folder: PathBuf) -> PathBuf {
    fs_err::create_dir_all(&folder).unwrap();
    folder
}

fn settings(world: &World) -> Value {
    world.run_line_as_it_is("-j settings show").json()["data"]["settings"].clone()
}

/// Whether neither the settings nor a client was written.
fn is_untouched(world: &World) -> bool {
    !world.settings_file().exists() && !world.home.path().join(".cursor/mcp.json").exists()
}

#[test]
fn the_only_vault_is_taken_and_every_client_that_is_here_gets_its_entry() {
    let world = world(&[".cursor", ".codex"]);
    setup(&world, &[]).ended(0);
    let vault = world.vault.canonicalize().unwrap();
    let now = settings(&world);
    assert_eq!(now["vault"], vault.to_str().unwrap());
    let everyone = &now["agents"]["*"];
    let agents = json!([everyone["allow_mutations"], everyone["allow_ui"]]);
    assert_eq!(agents, json!([false, false]));
    let own = json!([now["enabled"], now["allow_mutations"], now["drafts"]]);
    assert_eq!(own, json!([true, true, "closed"]));
    let home = world.home.path();
    let cursor = text_of(home.join(".cursor/mcp.json"));
    let entry: Value = serde_json::from_str(&cursor).unwrap();
    let args = entry["mcpServers"]["vault-gw"]["args"].as_array().unwrap();
    // The settings name the vault, so that the owner can choose another one in one place.
    assert!(!args.contains(&"--vault".into()), "{args:?}");
    let codex = text_of(home.join(".codex/config.toml"));
    let entry = ["[mcp_servers.vault-gw]", "\"--agent\", \"codex\""];
    has(&codex, &entry);
    assert!(!home.join(".claude.json").exists());
    assert!(!home.join(".zed").exists());
}

/// Nobody decides for a person who cannot be asked: what no option answers is named, and nothing is written.
#[test]
fn without_a_terminal_the_options_decide_or_nothing_does() {
    let world = world(&[".cursor"]);
    let vault = world.vault.to_str().unwrap().to_owned();
    let setup = |words: &[&str]| world.run_as_it_is(&[&["-j", "setup"], words].concat(), b"");
    let named = ["--vault", &vault];
    for (given, missing) in [
        (&[][..], &["--vault", "--agents", "--client"][..]),
        (&named, &["--agents", "--client"]),
        (&["--agents=read"], &["--vault", "--client"]),
        (&[named[0], named[1], "--no-clients"], &["--agents"]),
    ] {
        let ran = setup(given);
        ran.ended(64);
        let message = ran.json()["error"]["message"].to_string();
        for option in ["--vault", "--agents", "--client", "--yes"] {
            let is_reported = missing.contains(&option) || option == "--yes";
            assert_eq!(message.contains(option), is_reported, "{option}: {message}");
        }
        assert!(message.contains("Nothing was changed"), "{message}");
        assert!(is_untouched(&world), "{given:?}");
    }
    setup(&["--dry-run"]).ended(0);
    assert!(is_untouched(&world));
    let all = [named[0], named[1], "--agents=read", "--client=cursor"];
    setup(&all).ended(0);
    assert_eq!(settings(&world)["drafts"], "off");
    assert!(world.home.path().join(".cursor/mcp.json").exists());
}

/// What is proposed works in this vault, and what is missing is told as that: nothing says twice what to do.
#[test]
fn the_first_step_is_one_that_works_here() {
    let world = world(&[]);
    let ran = setup(&world, &[]);
    ran.shows("\nTry        vault-gw context\n");
    ran.shows_not("daily:read");
    let doctor = world.run_line_as_it_is("doctor");
    doctor.shows("(does not exist yet)\n");
    let read = world.run_line_as_it_is("-j daily:read").json();
    assert_eq!(read["error"]["details"]["reason"], "no-daily-note");
    lacks(&read.to_string(), &["Find the note"]);
    let today = world.run_line_as_it_is("daily:path");
    world.write(today.text().trim(), "x");
    setup(&world, &[]).shows("\nTry        vault-gw daily:read\n");
    world.run_line_as_it_is("doctor").shows_not("not there yet");
}

/// What it says takes it back does: afterwards the files say what they said before.
#[test]
fn every_line_that_takes_it_back_does_so() {
    let world = world(&[".cursor"]);
    write_private(&world.settings_file(), "vault = \"Notes\"\ntier = \"v1\"\n");
    let before = settings(&world);
    let vault = world.vault.to_str().unwrap().to_owned();
    let ran = setup(&world, &["-j", "--vault", &vault, "--agents=write"]);
    ran.ended(0);
    assert_eq!(settings(&world)["allow_mutations"], true);
    assert_eq!(settings(&world)["tier"], "v1");
    take_back(&world, &ran, 7);
    assert_eq!(settings(&world), before);
    let folder = world.home.path().join(".cursor").canonicalize().unwrap();
    assert_eq!(ran.json()["data"]["leftBehind"], json!([]));
    assert_eq!(fs_err::read_dir(&folder).unwrap().count(), 0);
    fs_err::write(folder.join("mcp.json"), "{}").unwrap();
    let again = setup(&world, &["-j", "--vault", &vault]);
    let copies = format!("{}/mcp.json.*.bak (copies of it)", folder.display());
    assert_eq!(again.json()["data"]["leftBehind"], json!([copies]));
}

/// Runs each of the lines that take it back, as a shell would.
fn take_back(world: &World, ran: &Ran, count: usize) {
    let lines = ran.json()["data"]["takeBack"].clone();
    let lines = lines.as_array().unwrap();
    assert_eq!(lines.len(), count, "{lines:?}");
    for line in lines {
        let words = shell_words::split(line.as_str().unwrap()).unwrap();
        let (program, words) = words.split_first().unwrap();
        let mut command = if program == "vault-gw" {
            world.program()
        } else {
            assert_eq!(program, "cp");
            world.command(Path::new("/bin/cp"))
        };
        let ran = command.args(words).output().unwrap();
        assert!(ran.status.success(), "{line}: {ran:?}");
    }
}

/// An entry that was there comes back too, and with `--settings` each line acts on that file.
#[test]
fn what_was_updated_comes_back_and_each_line_names_the_settings() {
    let world = world(&[".cursor"]);
    let cursor = world.home.path().join(".cursor/mcp.json");
    let before =
        "{\"mcpServers\": {\"vault-gw\": {\"command\": \"/old/vault-gw\", \"args\": [\"mcp\"]}}}";
    fs_err::write(&cursor, before).unwrap();
    let other = world.home.path().join("of mine.toml");
    let ran = setup(&world, &["-j", "--settings", other.to_str().unwrap()]);
    ran.ended(0);
    assert_ne!(text_of(&cursor), before);
    take_back(&world, &ran, 8);
    assert_eq!(text_of(&cursor), before);
    lacks(&text_of(&other), &["\nenabled"]);
    assert!(!world.settings_file().exists());
    let text = setup(&world, &["--settings", other.to_str().unwrap()]);
    let lines = text.text().lines();
    for line in lines.filter(|line| line.contains(" vault-gw ")) {
        assert!(line.contains("of mine.toml"), "{line}");
    }
    text.shows("of mine.toml' setup --remove");
}

#[test]
fn a_folder_that_only_has_notes_is_not_taken_for_a_vault() {
    let world = world(&[".cursor"]);
    world.home.write_registry(&[]).unwrap();
    let downloads = made(world.scratch().join("Downloads"));
    fs_err::write(downloads.join("a.md"), "a").unwrap();
    let failed = setup_in(&world, &downloads).json();
    let failed = failed.fails_with("VAULT_NOT_FOUND");
    has(&failed["error"]["message"].to_string(), &["--vault ."]);
    assert!(is_untouched(&world));
    // One that the headless client syncs is a vault, whatever is in it.
    let synced = made(world.home.config().join("obsidian-headless/sync/abc"));
    let entry = serde_json::json!({ "vaultPath": downloads });
    fs_err::write(synced.join("config.json"), entry.to_string()).unwrap();
    setup_in(&world, &downloads).ended(0);
    let taken = downloads.canonicalize().unwrap();
    assert_eq!(settings(&world)["vault"], taken.to_str().unwrap());
}

#[test]
fn a_vault_that_is_gone_is_reported_and_can_be_replaced() {
    let world = world(&[]);
    write_private(&world.settings_file(), "vault = \"/gone/Notes\"\n");
    let ran = setup(&world, &["-j"]);
    ran.ended(66);
    let message = ran.json()["error"]["message"].clone();
    let vault = world.vault.canonicalize().unwrap();
    let vault = vault.to_str().unwrap();
    let message = message.to_string();
    has(&message, &["from the settings", "/gone/Notes"]);
    has(&message, &["--vault FOLDER", vault]);
    let ran = setup(&world, &["-j", "--vault", vault]);
    take_back(&world, &ran, 6);
    setup(&world, &["--vault", vault]).ended(0);
}

/// Without a choice, two vaults are reported.
fn two_vaults(world: &World) {
    let refused = setup(world, &["-j"]).json().fails_with("AMBIGUOUS_TARGET");
    let vaults = refused["error"]["details"]["vaults"].as_array();
    assert_eq!(vaults.unwrap().len(), 2);
}

/// The app as a Flatpak or a Snap has a list of its own.
#[cfg(target_os = "linux")]
#[test]
fn the_vaults_of_every_list_are_found() {
    let world = world(&[".cursor"]);
    let other = made(world.scratch().join("Other"));
    let list = ".var/app/md.obsidian.Obsidian/config/obsidian";
    let list = made(world.home.path().join(list));
    let entry = serde_json::json!({ "vaults": { "a": { "path": other } } });
    fs_err::write(list.join("obsidian.json"), entry.to_string()).unwrap();
    two_vaults(&world);
    assert!(is_untouched(&world));
}

/// One level below the home folder and in the usual places below it; nobody chooses among several.
#[test]
fn vaults_below_the_home_folder_are_found() {
    let world = world(&[]);
    world.home.write_registry(&[]).unwrap();
    let make = |folder: &str| {
        made(world.home.path().join(folder).join(".obsidian"));
        world.home.path().join(folder).canonicalize().unwrap()
    };
    let taken = make("Documents/Work");
    setup(&world, &[]).ended(0);
    assert_eq!(settings(&world)["vault"], taken.to_str().unwrap());
    fs_err::remove_file(world.settings_file()).unwrap();
    make("Boat");
    make("far/below/Hidden");
    two_vaults(&world);
}

#[test]
fn without_a_vault_that_is_what_a_person_learns_first() {
    let mut world = world(&[]);
    world.settings.clear();
    world.home.write_registry(&[]).unwrap();
    let ran = world.run(&["append", "path=a.md", "content=x"]);
    assert!(ran.stderr.starts_with("error[VAULT_NOT_SET]"), "{ran:?}");
}

/// What the options of the run close is closed in what the doctor says.
#[test]
fn the_doctor_reports_what_is_open_under_its_options() {
    let world = World::with_fixture_vault()
        .set("allow_mutations = true\nenabled = true")
        .with_tables("[agents.helper]\nallow_mutations = false\n");
    let shown = |words: &[&str]| {
        let ran = world.run(&[&["doctor"], words].concat());
        let is_access = |line: &&str| line.split_whitespace().nth(1) == Some("access");
        let line = ran.text().lines().find(is_access);
        line.unwrap_or_default().to_owned()
    };
    has(&shown(&[]), &["can read and change notes"]);
    has(&shown(&["--tier", "v0"]), &["tier v0"]);
    has(&shown(&["--agent", "helper"]), &["change nothing"]);
}

#[test]
fn a_damaged_entry_of_the_apps_list_does_not_hide_the_others() {
    let world = world(&[]);
    let list = world.home.config().join("obsidian/obsidian.json");
    let text = text_of(&list);
    let mut registry: Value = serde_json::from_str(&text).unwrap();
    registry["vaults"]["bad"] = serde_json::json!({ "path": 7 });
    fs_err::write(&list, registry.to_string()).unwrap();
    // Which one was opened last is not known then.
    let elsewhere = world.scratch();
    let mut command = world.program();
    command.args(["-j", "files"]).current_dir(elsewhere);
    let ran = crate::support::finish(command, b"");
    ran.json().fails_with("CONFIG_INVALID");
    let ran = setup(&world, &[]);
    ran.ended(0);
    ran.reports("1 entry");
    world.run_line_as_it_is("doctor").shows("warning  list");
}

/// It says why, and a name that misleads is shown as what it is.
#[test]
fn a_path_with_characters_that_nobody_sees_is_reported() {
    let world = world(&[]);
    let folder = |name: &str| made(world.scratch().join(name)).display().to_string();
    let ran = setup(&world, &["--vault", &folder("a\tb")]);
    ran.ended(64);
    ran.reports("control character");
    let ran = setup(&world, &["--vault", "./no\tne"]);
    ran.reports("no\\u{9}ne` does not exist");
    let ran = setup(&world, &["--vault", &folder("a\u{202e}b"), "--dry-run"]);
    ran.ended(0);
    assert!(!ran.text().contains('\u{202e}'), "{ran:?}");
}

/// What the settings say counts, not what was asked for in this run.
#[test]
fn what_agents_may_do_is_reported_by_the_settings() {
    let world = world(&[]);
    let file = world.settings_file();
    write_private(&file, "allow_mutations = true\napprove = []\n");
    let ran = setup(&world, &["-j"]);
    assert_eq!(ran.json()["data"]["allowsWrites"], true, "{ran:?}");
    setup(&world, &[]).shows("needs no approval");
}

/// Opened as a vault, the folder of the app's configuration would take plugins as notes.
#[test]
fn d06_the_apps_configuration_is_no_vault() {
    let world = world(&[".cursor"]);
    let configuration = world.vault.join(".obsidian");
    let link = world.scratch().join("Link");
    std::os::unix::fs::symlink(&configuration, &link).unwrap();
    for folder in [configuration.clone(), configuration.join("plugins"), link] {
        fs_err::create_dir_all(&folder).unwrap();
        let folder = folder.to_str().unwrap();
        let ran = setup(&world, &["-j", "--vault", folder, "--agents=write"]);
        let refused = ran.json().fails_with("VAULT_NOT_FOUND");
        let message = refused["error"]["message"].to_string();
        has(&message, &["cannot be a vault"]);
        assert!(is_untouched(&world));
        let ran = world.run_as_it_is(&["-j", "--vault", folder, "files"], b"");
        ran.json().fails_with("VAULT_NOT_FOUND");
    }
}

#[test]
fn without_a_terminal_several_vaults_are_named_and_none_is_taken() {
    let world = world(&[".cursor"]);
    let other = world.scratch().join("Other");
    fs_err::create_dir_all(other.join(".obsidian")).unwrap();
    let ran = setup_in(&world, &other);
    let error = &ran.json()["error"];
    assert_eq!(error["code"], "AMBIGUOUS_TARGET", "{ran:?}");
    let other = other.canonicalize().unwrap();
    assert_eq!(error["details"]["vaults"][0], other.to_str().unwrap());
    assert!(is_untouched(&world));
    world.home.write_registry(&[]).unwrap();
    let ran = setup(&world, &["-j"]);
    ran.json().fails_with("VAULT_NOT_FOUND");
    assert!(is_untouched(&world));
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = world(&[".cursor"]);
    let ran = setup(&world, &["--dry-run", "--agents=write"]);
    ran.ended(0);
    for part in ["allow_mutations = true", "+++ ", "\"vault-gw\"", "dry run"] {
        ran.shows(part);
    }
    assert!(is_untouched(&world));
}

/// The settings would be writable by whoever writes notes (`threats.toml` D09).
#[test]
fn a_vault_around_the_settings_is_refused() {
    let world = world(&[".cursor"]);
    for vault in [world.home.path(), world.home.config()] {
        let ran = setup(&world, &["-j", "--vault", vault.to_str().unwrap()]);
        ran.json().fails_with("CONFIG_INVALID");
        assert!(is_untouched(&world), "{}", vault.display());
    }
    let inside = world.vault.join("settings.toml");
    let ran = setup(&world, &["-j", "--settings", inside.to_str().unwrap()]);
    ran.json().fails_with("CONFIG_INVALID");
    assert!(!inside.exists());
}

#[test]
fn one_client_that_cannot_be_changed_does_not_keep_the_others_from_it() {
    let world = world(&[".cursor", ".codex"]);
    let broken = world.home.path().join(".cursor/mcp.json");
    fs_err::write(&broken, "{ this is no JSON").unwrap();
    let ran = setup(&world, &["-j"]);
    let shown = ran.json();
    ran.ended(65);
    assert_eq!(shown["error"]["code"], "VALIDATION_ERROR");
    let clients = &shown["data"]["clients"];
    let actions = json!([clients[0]["action"], clients[1]["action"]]);
    assert_eq!(actions, json!(["failed", "added"]));
    assert_eq!(text_of(broken), "{ this is no JSON");
    assert_eq!(settings(&world)["enabled"], true);
    // Each reason stands once, beside its client.
    fs_err::write(world.home.path().join(".codex/config.toml"), "a = ").unwrap();
    let ran = setup(&world, &[]);
    let message = "These clients were not changed: Cursor, Codex. The report gives the reasons.";
    assert_eq!(ran.stderr, format!("error[VALIDATION_ERROR]: {message}\n"));
    let count = |words: &str| ran.text().matches(words).count();
    let counts = [count("is not valid JSON"), count("not changed")];
    assert_eq!(counts, [1, 2], "{ran:?}");
}

#[test]
fn a_second_time_changes_nothing() {
    let world = world(&[".cursor"]);
    setup(&world, &[]).ended(0);
    let written = text_of(world.settings_file());
    let again = setup(&world, &["-j"]).json();
    assert_eq!(again["data"]["takeBack"], Value::Array(Vec::new()));
    assert_eq!(again["data"]["clients"][0]["action"], "unchanged");
    assert_eq!(text_of(world.settings_file()), written);
}

/// What was done before a signal is told with the way back, and nothing half done is left.
#[test]
fn e11_an_interruption_ends_the_step_and_reports_what_was_done() {
    let world = world(&[".cursor", ".codex"]);
    let folder = fs_err::File::open(world.home.path().join(".cursor")).unwrap();
    // Cursor's file cannot be replaced while somebody else holds its folder.
    rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let mut command = world.program();
    command.args(["-j", "setup", "--yes"]);
    let program = command.spawn().unwrap();
    let written = || {
        let text = fs_err::read_to_string(world.settings_file()).unwrap_or_default();
        text.lines().any(|line| line == "enabled = true")
    };
    assert!(comes_true(written));
    let pid = rustix::process::Pid::from_child(&program);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    drop(folder);
    let output = program.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["error"]["code"], "CANCELLED", "{shown}");
    let lines = shown["data"]["takeBack"].as_array().unwrap();
    assert!(lines.len() >= 2, "{shown}");
    assert!(!world.home.path().join(".codex/config.toml").exists());
    // Run again, it does the rest.
    setup(&world, &[]).ended(0);
    assert!(world.home.path().join(".codex/config.toml").exists());
}

/// Lines that are pasted stay whole, however narrow the terminal is.
#[test]
fn no_line_to_paste_is_broken_on_a_terminal() {
    let world = world(&[".cursor"]);
    let mut command = world.program();
    command.args(["setup", "--yes", "--agents=write"]);
    command.env("TERM", "xterm");
    let screen = Pty::sized(40, 200).start(command).ended(0);
    let settings = format!("Settings   {}\r\n", world.settings_file().display());
    has(
        &screen,
        &["Way back   vault-gw setup --remove\r\n", &settings],
    );
}

/// Types the answers at a terminal, in the scratch folder; returns what was on the screen.
fn at_a_terminal(world: &World, answers: &[(&str, &str)], status: i32) -> String {
    at_a_terminal_in(world, &world.scratch(), answers, status)
}

fn at_a_terminal_in(world: &World, here: &Path, answers: &[(&str, &str)], status: i32) -> String {
    let mut command = world.program();
    command.arg("setup").current_dir(here).env("TERM", "xterm");
    let mut session = Pty::new().start(command);
    for (question, answer) in answers {
        session.when(question, answer);
    }
    session.ended(status)
}

#[test]
fn at_a_terminal_each_choice_is_asked() {
    let world = world(&[".cursor"]);
    let other = world.scratch().join("Other");
    fs_err::create_dir_all(other.join(".obsidian")).unwrap();
    let answers = tables::typed::<(&str, &str)>(CASES, "at a terminal each choice is asked");
    at_a_terminal_in(&world, &other, &answers, 0);
    let vault = world.vault.canonicalize().unwrap();
    let now = settings(&world);
    assert_eq!(now["vault"], vault.to_str().unwrap());
    assert_eq!(now["allow_mutations"], true);
    assert!(world.home.path().join(".cursor/mcp.json").exists());
}

/// The whole screen of `setup` at 80 columns, with these stand-ins for what differs between runs.
fn screen_of_answer(world: &World, answer: &str) -> String {
    let mut command = world.program();
    command.arg("setup").env("TERM", "xterm");
    command.env("PAGER", "false");
    let mut session = Pty::sized(80, 10).start(command);
    session.when("1 to 3 [", answer);
    let screen = session.ended(0).replace("\r\n", "\n");
    let summary = screen.split_once(&format!("]: {answer}")).unwrap().1;
    let widest = screen.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{screen}");
    assert!(summary.lines().count() <= 12, "{screen}");
    without_folders(world, &screen)
}

/// A report without what differs between runs.
fn without_folders(world: &World, text: &str) -> String {
    let vault = world.vault.canonicalize().unwrap();
    let text = text.replace(vault.to_str().unwrap(), "[VAULT]");
    text.replace(world.home.path().to_str().unwrap(), "[HOME]")
}

/// One question, and a report that fits on the screen, without a pager, and does not contradict itself.
#[test]
fn the_only_question_is_what_agents_may_do() {
    let clients = [".cursor", ".codex", ".claude", ".config/zed"];
    let everything = world(&clients);
    everything.write("Clippings/a.md", "---\nsource: https://example.org\n---\n");
    insta::assert_snapshot!("setup_read", screen_of_answer(&world(&[]), "1\n"));
    let proposed = screen_of_answer(&world(&[".cursor"]), "\n");
    insta::assert_snapshot!("setup_propose", proposed);
    insta::assert_snapshot!("setup_write", screen_of_answer(&everything, "write\n"));
    insta::assert_snapshot!("setup_again", screen_of_answer(&everything, "\n"));
    // In a pipe, the same report.
    let ran = setup(&everything, &["--agents=write"]);
    let again = without_folders(&everything, ran.text());
    let screen = screen_of_answer(&everything, "\n");
    assert!(screen.ends_with(&again), "{screen}\n{again}");
}

#[test]
fn what_agents_may_do_has_three_answers() {
    for [answer, expected] in tables::section(CASES, "what agents may do has three answers") {
        let world = world(&[]);
        let answers = [("What may agents do?", &*format!("{answer}\n"))];
        at_a_terminal(&world, &answers, 0);
        assert_eq!(rights(&world), expected, "{answer}");
        // Run again, Enter keeps what was chosen.
        let usual = match expected {
            "read" => "1 to 3 [1]: ",
            "propose" => "1 to 3 [2]: ",
            _ => "1 to 3 [3]: ",
        };
        let screen = at_a_terminal(&world, &[(usual, "\n")], 0);
        has(&screen, &["nothing was changed"]);
    }
}

/// What an agent may do by the answer to a change; the owner can change notes with each answer.
fn rights(world: &World) -> &'static str {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // Each time other notes, so that no draft of before is in the way.
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    world
        .run_line_as_it_is(&format!("create path=mine-{number}.md"))
        .ended(0);
    let line = json!({ "command": "create", "params": { "path": format!("theirs-{number}.md") } });
    let words = ["call", "--agent", "cursor"];
    let call = world.run_as_it_is(&words, line.to_string().as_bytes());
    let call = call.json();
    match call["status"].as_str().unwrap() {
        "ok" => "write",
        "drafted" => "propose",
        _ => {
            assert_eq!(call["error"]["code"], "MUTATION_DISABLED", "{call:#}");
            "read"
        }
    }
}

/// From each answer to each other one, also where the owner has set the same keys before.
#[test]
fn each_answer_can_be_replaced_by_each_other_one() {
    let answers = ["read", "propose", "write"];
    for before in tables::lines(CASES, "each answer can be replaced") {
        let world = world(&[]);
        write_private(&world.settings_file(), before);
        for (from, to) in answers.iter().flat_map(|from| answers.map(|to| (from, to))) {
            for answer in [from, to] {
                let ran = setup(&world, &[&format!("--agents={answer}")]);
                ran.ended(0);
                assert_eq!(rights(&world), answer, "{before}: {from} to {to}: {ran:?}");
            }
        }
    }
    // An owner who has closed changes for everyone keeps them closed, unless agents are to write.
    let world = world(&[]);
    setup(&world, &[]).ended(0);
    let off = "settings set allow_mutations false";
    for (answer, mine) in [("propose", false), ("read", false), ("write", true)] {
        world.run_line_as_it_is(off).ended(0);
        setup(&world, &[&format!("--agents={answer}")]).ended(0);
        assert_eq!(settings(&world)["allow_mutations"], mine, "{answer}");
    }
    // No word is no answer.
    let ran = setup(&world, &["--agents"]);
    ran.ended(64);
    for word in answers {
        ran.reports(word);
    }
}

/// The line that the report ends with.
#[test]
fn setup_can_be_taken_back_by_one_line() {
    let world = world(&[".cursor", ".codex"]);
    let other = world.home.path().join(".cursor/mcp.json");
    let before = "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}\n";
    fs_err::write(&other, before).unwrap();
    setup(&world, &[]).ended(0);
    setup(&world, &["--remove", "--dry-run"]).shows("nothing was changed");
    assert_ne!(text_of(&other), before);
    let one = setup(&world, &["--remove", "--client", "codex"]);
    insta::assert_snapshot!(one.text(), @r"
    Agents     may not call any more: `agents.codex.enabled` is false
    Clients    removed from Codex
    Kept       your notes, the other settings, the undo history, and copies of the changed files
    Way back   vault-gw setup --client codex
    ");
    assert_eq!(settings(&world)["enabled"], true);
    let is_closed = |agent: &str| {
        let words = ["-j", "call", "--agent", agent];
        let call = world.run_as_it_is(&words, b"{\"command\": \"files\"}");
        call.json()["error"]["code"] == "BRIDGE_DISABLED"
    };
    assert!(is_closed("codex") && !is_closed("cursor"));
    // Only a run that names the client opens it again.
    let closed = "Codex may still not call: vault-gw settings set agents.codex.enabled true\n";
    setup(&world, &[]).shows(closed);
    assert!(is_closed("codex"));
    setup(&world, &["--client", "codex"]).ended(0);
    assert!(!is_closed("codex"));
    setup(&world, &["--remove", "--client", "codex"]).ended(0);
    let ran = setup(&world, &["--remove"]);
    ran.ended(0);
    insta::assert_snapshot!(ran.text(), @r"
    Agents     may not call any more: `enabled` is false
    Clients    removed from Cursor
    Kept       your notes, the other settings, the undo history, and copies of the changed files
    Way back   vault-gw setup
    ");
    assert_eq!(text_of(&other), before);
    assert_eq!(settings(&world)["enabled"], false);
    setup(&world, &["--remove"]).shows("none has an entry that `setup` wrote");
    // What the owner wrote into the settings stays, and `setup` brings the rest back.
    assert_eq!(settings(&world)["drafts"], "closed");
    setup(&world, &[]).ended(0);
    assert_eq!(settings(&world)["enabled"], true);
}

/// The files of the clients, below the home folder.
const CLIENT_FILES: [&str; 6] = [
    ".config/Claude/claude_desktop_config.json",
    ".claude.json",
    ".cursor/mcp.json",
    ".config/Code/User/mcp.json",
    ".codex/config.toml",
    ".config/zed/settings.json",
];

#[test]
fn after_setup_and_its_removal_every_file_of_a_client_has_the_same_bytes() {
    let json = [
        None,
        Some(""),
        Some("\n"),
        Some("{ }"),
        Some("{\r\n}\r\n"),
        Some("\u{feff}{\"mcpServers\": {\n}, \"a\": [1 ,2]}"),
        Some(
            "{\"servers\": {}, \"context_servers\": { }, \"mcpServers\":{\"x\":{\"command\":\"x\"}} }\n",
        ),
    ];
    let comments = [
        None,
        Some("// mine\n{\n}\n"),
        Some("{\n\t// first\n\t\"servers\": { /* none */ },\n\t\"context_servers\": {},\n}\n"),
    ];
    let toml = [
        None,
        Some(""),
        Some("# mine"),
        Some("[mcp_servers]\n"),
        Some("mcp_servers = { }\r\n"),
        Some("a = 1 # why\n\n\n[mcp_servers.x]\ncommand = 'x'\n\n"),
    ];
    for number in 0..json.len() {
        let world = world(&[]);
        let all = [&json[..], &comments].concat();
        let text_of = |file: &str| match file {
            _ if file.contains("codex") => toml[number % toml.len()],
            _ if ["ode/", "zed", "cursor"]
                .iter()
                .any(|part| file.contains(part)) =>
            {
                all[(number + 3) % all.len()]
            }
            _ => json[number],
        };
        let home = world.home.path();
        for file in CLIENT_FILES {
            made(home.join(file).parent().unwrap().to_owned());
            if let Some(text) = text_of(file) {
                fs_err::write(home.join(file), text).unwrap();
            }
        }
        made(home.join(".claude"));
        let ran = setup(&world, &["-j"]);
        ran.ended(0);
        let clients = ran.json()["data"]["clients"].as_array().unwrap().len();
        assert_eq!(clients, CLIENT_FILES.len(), "{ran:?}");
        setup(&world, &["--remove"]).ended(0);
        for file in CLIENT_FILES {
            let now = fs_err::read_to_string(home.join(file)).ok();
            assert_eq!(now.as_deref(), text_of(file), "{file}");
        }
    }
}

/// An entry that is gone, an agent that another client has too, and what was done before.
#[test]
fn the_removal_of_one_client_reports_what_it_found_and_what_may_still_call() {
    let world = world(&[".cursor", ".codex"]);
    setup(&world, &[]).ended(0);
    let home = world.home.path();
    fs_err::remove_file(home.join(".codex/config.toml")).unwrap();
    let mut shown = String::new();
    let remove = |client: &str| {
        let ran = setup(&world, &["--remove", "--client", client]);
        ran.text().to_owned()
    };
    shown += &remove("codex");
    shown += &remove("codex");
    for client in ["cursor", "zed"] {
        world
            .run_line_as_it_is(&format!("install {client} --agent shared"))
            .ended(0);
    }
    shown += &remove("cursor");
    let shown = shown.replace(home.to_str().unwrap(), "[HOME]");
    insta::assert_snapshot!(shown, @r"
    Agents     may not call any more: `agents.codex.enabled` is false
    Clients    Codex has no entry of vault-gw in [HOME]/.codex/config.toml
    Kept       your notes, the other settings, the undo history, and copies of the changed files
    Way back   vault-gw setup --client codex
    Agents     could not call before: `agents.codex.enabled` was false already
    Clients    Codex has no entry of vault-gw in [HOME]/.codex/config.toml
    Kept       your notes, the other settings, the undo history, and copies of the changed files
    Way back   vault-gw setup --client codex
    Agents     `shared` may still call, because Zed has it in an entry: vault-gw settings set agents.shared.enabled false
    Clients    removed from Cursor
    Kept       your notes, the other settings, the undo history, and copies of the changed files
    Way back   vault-gw setup --client cursor
    ");
    let revoked = world.run_line_as_it_is("agents revoke shared");
    revoked.ended(64);
    revoked.reports("Zed has an entry for the agent `shared`, but ");
    revoked.reports(" but the settings do not define this agent.");
    revoked.reports("`vault-gw setup --remove --client zed`");
}

#[test]
fn a_folder_that_the_app_never_opened_is_taken_with_a_warning() {
    let world = world(&[]);
    let other = world.home.path().join("Other");
    fs_err::create_dir(&other).unwrap();
    let vault = |path: &Path| setup(&world, &["--no-clients", "--vault", path.to_str().unwrap()]);
    let ran = vault(&other);
    ran.ended(0);
    ran.reports("Other has no folder `.obsidian`, so Obsidian has not opened it as a vault yet.");
    vault(&world.vault).omits("has no folder");
    assert_ne!(vault(&other.join("none")).status, Some(0));
}

#[test]
fn an_entry_that_setup_does_not_change_is_not_removed_by_it() {
    let world = world(&[".cursor"]);
    let file = world.home.path().join(".cursor/mcp.json");
    let entry = "{\"mcpServers\": {\"vault-gw\": {\"url\": \"http://localhost:1\"}}}\n";
    fs_err::write(&file, entry).unwrap();
    let ran = setup(&world, &["--remove"]);
    ran.ended(0);
    let kept = "Cursor keeps an entry that `setup` did not write";
    ran.shows(&format!("{kept}: {}\n", file.display()));
    let remove = || world.run_line_as_it_is("install cursor --remove");
    remove().shows("does not start this program and stays");
    assert_eq!(text_of(&file), entry);
    // An entry that starts this program is removed, also if the user wrote it.
    let own = entry
        .replace("url", "command")
        .replace("http://localhost:1", "vault-gw");
    fs_err::write(&file, own).unwrap();
    remove().shows("Removed `vault-gw`");
    // The agent of a call is not that of the clients.
    let ran = setup(&world, &["--remove", "--agent", "cursor"]);
    ran.ended(64);
    ran.reports("does not take `--agent`");
    assert!(!world.settings_file().exists());
}

/// What the user had under the same name comes back, entries under other names go, and so do folders that were made.
#[test]
fn the_removal_leaves_the_clients_as_they_were() {
    let world = world(&[".cursor"]);
    let cursor = world.home.path().join(".cursor/mcp.json");
    // The entry with other settings is not one of these.
    let before = "{\"mcpServers\": {\"vault-gw\": {\"command\": \"node\", \"args\": [\"my.js\"], \"env\": {\"A\": \"b\"}}, \"mine\": {\"command\": \"/opt/vault-gw\", \"args\": [\"mcp\", \"--settings\", \"/other.toml\", \"--agent\", \"mine\"]}}}\n";
    fs_err::write(&cursor, before).unwrap();
    let zed = world.home.config().join("zed");
    let ran = setup(&world, &["--client", "cursor", "--client", "zed"]);
    ran.ended(0);
    ran.shows("Cursor had another entry of this name, which `setup --remove` brings back: node");
    assert!(zed.join("settings.json").exists());
    world
        .run_as_it_is(
            &["install", "cursor", "--name", "work", "--tier", "v0"],
            b"",
        )
        .ended(0);
    has(&text_of(&cursor), &["\"work\""]);
    let ran = setup(&world, &["--remove"]);
    ran.ended(0);
    ran.shows("\nClients    removed from Cursor, Zed\n           the earlier entry is back");
    assert_eq!(text_of(&cursor), before);
    assert!(!zed.exists());
    // `install` has the same way back.
    world.run_line_as_it_is("install cursor").ended(0);
    assert_ne!(text_of(&cursor), before);
    let restored = world.run_line_as_it_is("install cursor --remove");
    restored.shows("Restored the earlier `vault-gw` in Cursor");
    assert_eq!(text_of(&cursor), before);
}

#[test]
fn the_removal_reports_what_it_could_not_change() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world(&[".cursor", ".codex"]);
    setup(&world, &[]).ended(0);
    let (cursor, codex) = (".cursor/mcp.json", ".codex/config.toml");
    let at = |file: &str| world.home.path().join(file);
    fs_err::set_permissions(at(cursor), std::fs::Permissions::from_mode(0o444)).unwrap();
    let ran = setup(&world, &["--remove"]);
    ran.ended(65);
    ran.shows("removed from Codex\n");
    ran.shows("is read-only. Fix the file, or change the entry by hand");
    ran.reports("These clients were not changed: Cursor.");
    let only = setup(&world, &["--remove", "--client", "cursor"]);
    only.ended(65);
    only.shows_not("none has an entry");
    fs_err::set_permissions(at(cursor), std::fs::Permissions::from_mode(0o644)).unwrap();
    setup(&world, &[]).ended(0);
    assert!(at(codex).exists());
    // Settings that nobody can read keep no client from being changed back.
    fs_err::write(world.settings_file(), "nope = 1\n").unwrap();
    let ran = setup(&world, &["--remove"]);
    ran.ended(78);
    ran.shows("removed from Cursor, Codex\n");
    ran.reports(
        "A running server may still answer agents, because the settings could not be changed.",
    );
    assert!(!at(cursor).exists() && !at(codex).exists());
    setup(&world, &["--remove", "--settings", "/gone.toml"]).ended(66);
}

/// The owner turned these on before; the answer alone would not say so.
#[test]
fn switches_that_open_more_than_the_answer_are_named() {
    let world = world(&[]);
    fs_err::create_dir_all(world.settings_file().parent().unwrap()).unwrap();
    let before = "allow_active = true\nallow_publish = true\nfollow_symlinks = true\n";
    write_private(&world.settings_file(), before);
    for [answer, keys] in tables::section(CASES, "switches that open more than the answer") {
        let ran = setup(&world, &[&format!("--agents={answer}")]);
        ran.shows(&format!(
            "\nAlso open  {keys}, set before: vault-gw rules\n"
        ));
    }
}

#[test]
fn the_end_of_the_input_is_no_answer() {
    let world = world(&[".cursor"]);
    at_a_terminal(&world, &[("What may agents do?", "\u{4}")], 64);
    assert!(is_untouched(&world));
}

/// Where the vault and the app are, and what follows (`design/platforms.md`).
#[cfg(target_os = "linux")]
#[test]
fn the_doctor_reports_where_vault_and_app_are() {
    let world = world(&[]);
    let shown = |world: &World| {
        let checks = world.run(&["-j", "doctor"]).json()["data"]["checks"].clone();
        let named = |check: &&Value| check["name"] == "place" || check["name"] == "package";
        let checks = checks.as_array().unwrap().iter().filter(named);
        let lines = checks.map(|check| {
            assert_eq!(check["state"], "ok", "{check}");
            check["message"].as_str().unwrap().to_owned()
        });
        lines.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(shown(&world).find("a local folder"), Some(0));
    made(world.vault.join(".stfolder"));
    made(world.vault.join(".git"));
    let synced = made(world.home.config().join("obsidian-headless/sync/abc"));
    let entry = serde_json::json!({ "vaultPath": world.vault });
    fs_err::write(synced.join("config.json"), entry.to_string()).unwrap();
    made(world.home.path().join("snap/obsidian"));
    let all = ["Syncthing", "Git working tree", "`ob`", "Snap"];
    has(&shown(&world), &all);
    made(world.home.path().join(".var/app/md.obsidian.Obsidian"));
    has(&shown(&world), &["Flatpak"]);
}

/// After `setup` nothing is wrong on a machine without the app (`design/platforms.md`).
#[cfg(target_os = "linux")]
#[test]
fn the_doctor_is_content_afterwards() {
    let world = world(&[".cursor"]);
    setup(&world, &[]).ended(0);
    let shown = world.run_line_as_it_is("-j doctor").json();
    for check in shown["data"]["checks"].as_array().unwrap() {
        // What the machine of the test is does not depend on `setup`.
        if check["name"] == "account" || check["name"] == "sandbox" {
            continue;
        }
        let state = check["state"].as_str().unwrap();
        assert!(["ok", "skipped"].contains(&state), "{check}");
    }
}

#[test]
fn sources_of_text_from_outside_are_proposed_and_what_the_owner_says_stays() {
    // The first clipping may come later.
    let without = world(&[]);
    setup(&without, &[]).ended(0);
    let taint = settings(&without)["taint"].clone();
    assert_eq!(taint["sources"], json!(["Clippings/**"]));
    assert_eq!(taint["properties"], json!([]));
    let world = world(&[]);
    world.write("Clippings/a.md", "---\nsource: https://example.org\n---\n");
    let ran = setup(&world, &[]);
    ran.ended(0);
    ran.shows("\nWeb text   agents that read clippings are restricted: vault-gw outside\n");
    let now = settings(&world);
    assert_eq!(now["taint"]["sources"][0], "Clippings/**");
    assert_eq!(now["taint"]["properties"][0], "source");
    world
        .run_line_as_it_is("settings set taint.sources []")
        .ended(0);
    setup(&world, &[]).ended(0);
    assert_eq!(settings(&world)["taint"]["sources"], json!([]));
}

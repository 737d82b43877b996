//! Notes that others hold open, and where the program keeps what is its own (`threats.toml` H15).

use fs_err::os::windows::fs::OpenOptionsExt as _;
use serde_json::{Value, json};
use vault_gw::settings::Folders;

use super::{Files, ends, files, open, undo};
use crate::support::{World, finish};

/// Lets others read a file that is open, and nothing else (`FILE_SHARE_READ`).
const SHARE_READ: u32 = 1;

fn hold(world: &World, path: &str) -> fs_err::File {
    let mut options = fs_err::OpenOptions::new();
    let options = options.read(true).share_mode(SHARE_READ);
    options.open(world.vault.join(path)).unwrap()
}

#[test]
fn h15_what_another_program_holds_open_is_busy_and_nothing_is_changed() {
    let world = open();
    world.write("held.md", "held\n");
    world.write("links.md", "[[held]]\n");
    world.write("Sub/other.md", "\n");
    let before = files(&world);
    let rename = [("path", "held.md"), ("name", "new")];
    let present = hold(&world, "held.md");
    for (command, params) in [
        ("rename", &rename[..]),
        ("move", &[("path", "held.md"), ("to", "Sub/held.md")]),
        ("delete", &[("path", "held.md")]),
        ("delete", &[("path", "held.md"), ("permanent", "true")]),
        ("append", &[("path", "held.md"), ("content", "x")]),
    ] {
        assert_eq!(ends(&world, command, params), "BUSY", "{command}");
        assert_eq!(files(&world), before, "{command}");
    }
    drop(present);
    assert_eq!(ends(&world, "rename", &rename), "OK");
    let after = files(&world);
    let present = hold(&world, "new.md");
    assert_ne!(undo(&world), "OK");
    assert_eq!(files(&world), after);
    drop(present);
    assert_eq!(undo(&world), "OK");
    assert_eq!(files(&world), before);
}

#[test]
fn h15_a_read_only_note_moves_and_goes_with_its_attribute_and_comes_back() {
    let world = open();
    for name in ["a.md", "b.md"] {
        world.write(name, "text\n");
        let file = world.vault.join(name);
        let mut permissions = fs_err::metadata(&file).unwrap().permissions();
        permissions.set_readonly(true);
        fs_err::set_permissions(file, permissions).unwrap();
    }
    let before: Files = files(&world);
    let appended = [("path", "a.md"), ("content", "x")];
    assert_eq!(ends(&world, "append", &appended), "IO_ERROR");
    for (command, params) in [
        ("rename", &[("path", "a.md"), ("name", "c")][..]),
        ("delete", &[("path", "c.md")]),
        ("delete", &[("path", "b.md"), ("permanent", "true")]),
    ] {
        assert_eq!(ends(&world, command, params), "OK", "{command}");
    }
    let left: Vec<String> = files(&world).into_keys().collect();
    assert_eq!(left, [".trash/c.md"]);
    let kept = fs_err::metadata(world.vault.join(".trash/c.md")).unwrap();
    assert!(kept.permissions().readonly());
    assert_eq!([undo(&world), undo(&world), undo(&world)], ["OK"; 3]);
    assert_eq!(files(&world), before);
}

/// What one process of two that append to one note at the same time is told is so.
#[test]
fn two_processes_that_append_to_one_note_learn_what_is_so() {
    const LINES: usize = 15;
    let world = open().set("enabled = true");
    world.write("log.md", "log\n");
    world.write_settings();
    let said = |name: char| {
        let lines = (0..LINES).map(|line| {
            let params = json!({ "path": "log.md", "content": format!("{name}{line}.") });
            format!("{}\n", json!({ "command": "append", "params": params }))
        });
        let mut program = world.program();
        program.arg("call");
        finish(program, lines.collect::<String>().as_bytes())
    };
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| said('a'));
        let other = said('b');
        (one.join().unwrap(), other)
    });
    let note = world.read("log.md");
    for (name, ran) in [('a', one), ('b', other)] {
        let answers: Vec<&str> = ran.text().lines().collect();
        assert_eq!(answers.len(), LINES, "{ran:?}");
        for (line, answer) in answers.into_iter().enumerate() {
            let answer: Value = serde_json::from_str(answer).unwrap();
            let is_there = note.lines().any(|kept| kept == format!("{name}{line}."));
            assert_eq!(answer["success"] == true, is_there, "{answer}");
        }
    }
}

#[test]
fn settings_are_in_appdata_and_state_and_cache_in_localappdata() {
    let world = open();
    world.write("a.md", "a\n");
    let vault = world.vault.to_str().unwrap();
    world
        .run_as_it_is(&["settings", "set", "vault", vault], b"")
        .ended(0);
    let settings = world.settings_file();
    let written = fs_err::read_to_string(&settings).unwrap();
    assert!(!written.contains(r"\\?\"), "{written}");
    world.run(&["append", "path=a.md", "content=b"]).ended(0);
    assert_eq!(world.run(&["backlinks", "path=a.md"]).status, Some(0));
    let environment = world.environment();
    let folders = Folders::new(&environment);
    for folder in [folders.state().unwrap(), folders.cache().unwrap()] {
        assert!(folder.starts_with(world.home.data()), "{folder:?}");
        assert!(folder.is_dir(), "{folder:?}");
    }
}

#[test]
fn doctor_finds_nothing_wrong_but_the_app() {
    let mut world = open();
    world.install(&fake_obsidian::scenario::Scenario::logged());
    let answer = world.run(&["doctor", "-o", "json"]).json();
    let checks = answer["data"]["checks"].as_array().unwrap();
    let failed = checks.iter().filter(|check| check["status"] == "failed");
    let failed: Vec<_> = failed.map(|check| &check["name"]).collect();
    assert!(
        failed
            .iter()
            .all(|name| *name == "app" || *name == "official"),
        "{answer:#}"
    );
}

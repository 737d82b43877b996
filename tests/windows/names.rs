//! Names that Windows reads otherwise than they are written (`threats.toml` D07, D09).

use super::{ends, files, open, undo};

const CASES: &str = include_str!("../data/windows_names.txt");

#[test]
fn the_case_of_a_name_opens_nothing_that_is_closed_and_replaces_nothing() {
    let world = open().with_tables("[paths]\ndeny = [\"Secret/**\"]");
    world.write("Home.md", "home\n");
    world.write("Secret/Key.md", "key\n");
    world.write("b.md", "[[Home]]\n");
    let before = files(&world);
    for path in "Secret/Key.md SECRET/KEY.md secret/key.md Secret/Key.MD".split(' ') {
        assert_ne!(ends(&world, "read", &[("path", path)]), "OK", "{path}");
        for command in ["append", "create"] {
            let params = [("path", path), ("content", "x")];
            assert_ne!(ends(&world, command, &params), "OK", "{command} {path}");
        }
    }
    let taken = [("path", "HOME.md"), ("content", "x")];
    assert_ne!(ends(&world, "create", &taken), "OK");
    assert_ne!(ends(&world, "append", &taken), "OK");
    let taken = [("path", "b.md"), ("to", "home.md")];
    assert_ne!(ends(&world, "move", &taken), "OK");
    for command in ["read", "note:outline", "backlinks"] {
        let ended = ends(&world, command, &[("path", "HOME.md")]);
        assert_ne!(ended, "OK", "{command}");
    }
    assert_eq!(files(&world), before);
    let respelled = ends(&world, "rename", &[("path", "Home.md"), ("name", "home")]);
    let after = files(&world);
    match respelled {
        "OK" => assert_eq!(after.get("home.md"), before.get("Home.md")),
        // Wine 8 takes it for a rename to itself.
        other => assert_eq!((other, after), ("IO_ERROR", before)),
    }
}

#[test]
fn a_folder_in_another_case_holds_nothing_and_what_goes_into_it_can_be_undone() {
    let world = open();
    world.write("Open/a.md", "a\n");
    world.write("b.md", "b\n");
    let before = files(&world);
    let missing = "FOLDER_NOT_FOUND";
    assert_eq!(ends(&world, "folder", &[("path", "OPEN")]), missing);
    assert_eq!(ends(&world, "vault:audit", &[("folder", "OPEN")]), missing);
    let made = [("path", "OPEN/n.md"), ("content", "n")];
    assert_eq!(ends(&world, "create", &made), "OK");
    let moved = [("path", "b.md"), ("to", "OPEN/b.md")];
    assert_eq!(ends(&world, "move", &moved), "OK");
    assert_eq!([undo(&world), undo(&world)], ["OK", "OK"]);
    assert_eq!(files(&world), before);
}

/// Devices, streams, and endings that Windows drops.
#[test]
fn devices_streams_and_short_names_are_no_notes() {
    let world = open();
    world.write("a.md", "a\n");
    world.write("Sub/a.md", "a\n");
    let before = files(&world);
    for path in tables::lines(CASES, "devices streams and short names") {
        assert_ne!(ends(&world, "read", &[("path", path)]), "OK", "{path}");
        for command in ["create", "append"] {
            let params = [("path", path), ("content", "x")];
            assert_ne!(ends(&world, command, &params), "OK", "{command} {path}");
        }
        assert_eq!(files(&world), before, "{path}");
        // `a.md..md` and its like are names of their own, once `.md` is behind them.
        let params = [("path", "a.md"), ("to", &*format!("{path}.md"))];
        if ends(&world, "move", &params) == "OK" {
            assert_eq!(undo(&world), "OK", "{path}");
        }
        assert_eq!(files(&world), before, "{path}");
    }
}

/// Drive letters, shares and backslashes lead nowhere.
#[test]
fn no_path_leads_out_of_the_vault() {
    let world = open();
    world.write("a.md", "a\n");
    world.write("Sub/a.md", "a\n");
    fs_err::write(world.vault.with_file_name("outside.md"), "outside\n").unwrap();
    let before = files(&world);
    for path in tables::lines(CASES, "no path leads out of the vault") {
        assert_ne!(ends(&world, "read", &[("path", path)]), "OK", "{path}");
        assert_ne!(ends(&world, "files", &[("folder", path)]), "OK", "{path}");
        for command in ["append", "create"] {
            let params = [("path", path), ("content", "x")];
            assert_ne!(ends(&world, command, &params), "OK", "{command} {path}");
        }
        let params = [("path", "a.md"), ("to", path)];
        assert_ne!(ends(&world, "move", &params), "OK", "move {path}");
    }
    assert_eq!(files(&world), before);
}

#[test]
fn paths_of_more_than_260_characters_work() {
    let world = open();
    world.write("a.md", "[[deep]]\n");
    let folders = ["a folder with a long name, no. 1"; 11].join("/");
    let path = format!("{folders}/deep.md");
    for (command, params) in [
        (
            "create",
            &[("path", &*path), ("content", "a deep word")][..],
        ),
        ("append", &[("path", &*path), ("content", "and more")]),
        ("read", &[("path", &*path)]),
        ("backlinks", &[("path", &*path)]),
        ("search", &[("query", "deep word")]),
        ("rename", &[("path", &*path), ("name", "deeper")]),
    ] {
        assert_eq!(ends(&world, command, params), "OK", "{command}");
    }
    assert_eq!(
        world.read(&format!("{folders}/deeper.md")),
        "a deep word\nand more"
    );
    assert_eq!(world.read("a.md"), "[[deeper]]\n");
    assert_eq!([undo(&world), undo(&world), undo(&world)], ["OK"; 3]);
    assert!(!world.vault.join(path).exists());
}

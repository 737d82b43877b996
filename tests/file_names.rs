//! Names: whatever the disk holds is listed, read, linked and changed, and only new names are
//! judged (`threats.toml` B10, D01, D07, D09).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use proptest::prelude::*;
use vault_gw::gateway::{Caller, Envelope, Options};
use vault_gw::settings::BackendChoice;

use crate::support::{Outcome as _, World, checked, code, request, warnings};

const CASES: &str = include_str!("data/file_names.txt");

const OPEN: &str = "backend = \"embedded\"\nallow_mutations = true\napprove = []";

fn world() -> World {
    // Names of every kind.
    World::empty().set(OPEN).set("allow_active = true")
}

fn listed(world: &World, command: &str) -> Vec<String> {
    let envelope = world.call(command, &[]).succeeds();
    let items = envelope.data.as_map()["items"].as_array().cloned();
    let path = |item: &serde_json::Value| item["path"].as_str().unwrap().to_owned();
    items.unwrap_or_default().iter().map(path).collect()
}

fn content(envelope: &Envelope) -> &str {
    assert!(envelope.success, "{envelope:#?}");
    envelope.data.as_map()["content"].as_str().unwrap()
}

#[test]
fn b10_notes_with_joiners_are_listed_found_counted_and_followed() {
    let world = world();
    world.write("راهنما/می\u{200c}خواهم.md", "متن #برچسب\n");
    world.write(
        "ខ្មែរ\u{200b}ភាសា.md",
        "[[می\u{200c}خواهم]] and [x](راهنما/می\u{200c}خواهم.md)\n",
    );
    assert_eq!(listed(&world, "files").len(), 2);
    let found = world.ask("search query=متن");
    assert_eq!(
        found.data.as_map()["items"][0]["path"],
        "راهنما/می\u{200c}خواهم.md"
    );
    let tags = world.ask("tags counts");
    assert_eq!(tags.data.as_map()["items"][0]["tag"], "#برچسب", "{tags:#?}");
    assert_eq!(listed(&world, "orphans"), ["ខ្មែរ\u{200b}ភាសា.md"]);
    world
        .ask("rename path=راهنما/می\u{200c}خواهم.md name=نمی\u{200c}خواهم")
        .succeeds();
    assert_eq!(
        world.read("ខ្មែរ\u{200b}ភាសា.md"),
        "[[نمی\u{200c}خواهم]] and [x](راهنما/نمی\u{200c}خواهم.md)\n"
    );
    let unresolved = world.ask("unresolved");
    assert_eq!(unresolved.data.as_map()["total"], 0, "{unresolved:#?}");
}

#[test]
fn b10_names_of_other_systems_are_listed_read_and_changed() {
    for name in tables::lines(CASES, "b10 names of other systems are listed") {
        let world = world();
        world.write(name, "old");
        assert_eq!(listed(&world, "files"), [name]);
        assert_eq!(content(&world.call("read", &[("path", name)])), "old");
        world
            .call("append", &[("path", name), ("content", "new")])
            .succeeds();
        assert_eq!(world.read(name), "old\nnew");
        world
            .call("rename", &[("path", name), ("name", "plain.md")])
            .succeeds();
        assert_eq!(listed(&world, "files"), ["plain.md"]);
        world.person().undo(None, false).succeeds();
        assert_eq!(world.read(name), "old\nnew");
        world.call("delete", &[("path", name)]).succeeds();
        assert!(listed(&world, "files").is_empty());
    }
}

#[test]
fn b10_a_name_that_is_not_unicode_is_listed_read_and_changed() {
    let world = world();
    let file = world.vault.join(OsStr::from_bytes(b"caf\xe9.md"));
    fs_err::write(&file, "old").unwrap();
    let files = world.ask("files");
    assert_eq!(files.data.as_map()["items"][0]["path"], "caf\u{fffd}.md");
    assert_eq!(warnings(&files), ["NAME_NOT_UNICODE"]);
    assert_eq!(content(&world.ask("read path=caf\u{fffd}.md")), "old");
    world
        .ask("append path=caf\u{fffd}.md content=new")
        .succeeds();
    // The file keeps the name that it has.
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "old\nnew");
    world.ask("rename path=caf\u{fffd}.md name=café").succeeds();
    assert_eq!(world.read("café.md"), "old\nnew");
}

#[test]
fn d01_what_looks_like_a_place_elsewhere_is_an_escape_unless_it_is_there() {
    let world = world();
    for path in tables::lines(CASES, "d01 what looks like a place elsewhere") {
        for (command, more) in [
            ("read", None),
            ("append", Some(("content", "x"))),
            ("create", Some(("content", "x"))),
            ("delete", None),
        ] {
            let params: Vec<_> = [("path", path)].into_iter().chain(more).collect();
            let refused = world.call(command, &params);
            assert!(
                ["PATH_ESCAPE", "PATH_DENIED"].contains(&code(&refused)),
                "{command} {path}: {refused:#?}"
            );
        }
        assert!(listed(&world, "files").is_empty());
    }
    world
        .call("task", &[("ref", "C:\\x.md:1")])
        .fails_with("PATH_ESCAPE");
    world.ask("files folder='~'").fails_with("PATH_ESCAPE");
    world.ask("read file='~/x'").fails_with("PATH_ESCAPE");
    // On this system such a folder can be in the vault, and is a folder like any other.
    world.write("~/x.md", "here");
    assert_eq!(content(&world.ask("read path='~/x.md'")), "here");
}

#[test]
fn b10_d09_new_names_are_refused_on_both_backends() {
    let mut world = World::empty().set("allow_mutations = true\napprove = []");
    world.install(&fake_obsidian::scenario::Scenario::logged());
    world.start_app(fake_obsidian::app::Mode::Normal);
    world.write("a.md", "x");
    for backend in [BackendChoice::Obsidian, BackendChoice::Embedded] {
        let options = || Options {
            backend: Some(backend),
            ..Options::new(Caller::Agent)
        };
        let call = |command: &str, params: &[(&str, &str)]| {
            checked(
                world
                    .gateway_with(options())
                    .call(&request(command, params)),
            )
        };
        for name in ["CON", "a:b", "a\\b", "a\nb", "a\u{202e}b"] {
            let whole = format!("{name}.md");
            for refused in [
                call("rename", &[("path", "a.md"), ("name", &whole)]),
                call("create", &[("path", &whole), ("content", "x")]),
                call(
                    "create",
                    &[("path", &format!("{name}/x.md")), ("content", "x")],
                ),
                call("move", &[("path", "a.md"), ("to", &whole)]),
            ] {
                assert!(!refused.success, "{backend:?} {name:?}: {refused:#?}");
            }
        }
        let files: Vec<_> = fs_err::read_dir(&world.vault).unwrap().collect();
        assert_eq!(files.len(), 2, "{files:?}");
    }
}

/// Characters that matter somewhere, and a few that do not.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let part = prop::sample::select(tables::lines(CASES, "name"));
    let text = proptest::collection::vec(part, 1..6).prop_map(|parts| parts.concat().into_bytes());
    let bytes = proptest::collection::vec(1_u8..=255, 1..12);
    let ending = prop::sample::select(vec![&b".md"[..], b".md", b"", b".png"]);
    (prop_oneof![4 => text, 1 => bytes], ending).prop_map(|(mut name, ending)| {
        name.extend(ending);
        name
    })
}

/// Whether the vault has such a file: no hidden one, no separator.
fn is_a_file_of_the_vault(name: &[u8]) -> bool {
    let shown = String::from_utf8_lossy(name);
    let shown = shown.trim_start_matches(vault_engine::is_ignorable);
    !name.contains(&b'/') && !shown.starts_with('.')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn b10_every_file_of_the_disk_is_in_the_vault(
        names in proptest::collection::vec(name().prop_filter("of the vault", |name| is_a_file_of_the_vault(name)), 1..5),
        denied in any::<prop::sample::Index>(),
    ) {
        let world = world();
        let folder = world.vault.join("x\u{200c}y");
        fs_err::create_dir(&folder).unwrap();
        // Names of one spelling are one path: the first stands for them.
        let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for name in &names {
            let path = vault_engine::VaultPath::file(&format!("x\u{200c}y/{}", String::from_utf8_lossy(name))).unwrap();
            files.entry(path.to_string()).or_insert_with(|| name.clone());
        }
        for name in files.values() {
            fs_err::write(folder.join(Path::new(OsStr::from_bytes(name))), name).unwrap();
        }
        let mut expected: Vec<&str> = files.keys().map(String::as_str).collect();
        expected.sort_unstable();
        let mut found = listed(&world, "files");
        found.sort_unstable();
        prop_assert_eq!(&found, &expected);
        for (path, name) in &files {
            let read = world.call("read", &[("path", path)]);
            prop_assert_eq!(content(&read), String::from_utf8_lossy(name));
        }
        // One file is renamed, the rename is undone.
        let (path, name) = files.iter().nth(denied.index(files.len())).unwrap();
        let renamed = world.call("rename", &[("path", path), ("name", "new name.txt")]);
        prop_assert!(renamed.success, "{:#?}", renamed);
        let is_new = |path: &String| path.ends_with("/new name.txt");
        prop_assert!(listed(&world, "files").iter().any(is_new));
        let undone = world.person().undo(None, false);
        prop_assert!(undone.success, "{undone:#?}");
        let read = world.call("read", &[("path", path)]);
        prop_assert_eq!(content(&read), String::from_utf8_lossy(name));
        // What the folder's name denies without its joiner is closed in full.
        let world = world.with_tables("[paths]\ndeny = [\"XY/**\"]");
        prop_assert!(listed(&world, "files").is_empty());
        for path in files.keys() {
            let refused = world.call("read", &[("path", path)]);
            prop_assert_eq!(code(&refused), "PATH_DENIED");
        }
    }
}

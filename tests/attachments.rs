//! `attachment:add`: files that are no texts, in the folder that the vault's settings name.

use fake_obsidian::scenario::Scenario;
use serde_json::{Value, json};
use vault_gw::gateway::{Caller, Options};

use crate::support::{Outcome as _, World, dry_run_of, quoted, request};

/// A GIF of ten bytes, in base64.
const GIF: &str = "R0lGODlhAQABAA==";

fn world() -> World {
    let world = World::empty().set("allow_mutations = true");
    world.write(".obsidian/app.json", r#"{"attachmentFolderPath":"Files"}"#);
    world.write("Home.md", "home");
    world
}

#[test]
fn a_file_comes_in_as_one_run_that_is_shown_before_and_can_be_undone() {
    let world = world();
    let arguments = [("path", "mill.gif"), ("data", GIF)];
    let dry = dry_run_of(request("attachment:add", &arguments));
    let plan = world.gateway().call(&dry);
    let files: Vec<&Value> = plan.data.as_map()["files"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    let shown: Vec<_> = files
        .iter()
        .map(|file| (&file["change"], &file["path"]))
        .collect();
    let folder = (&json!("folderMade"), &json!("Files"));
    assert_eq!(
        shown,
        [folder, (&json!("created"), &json!("Files/mill.gif"))]
    );
    assert!(!world.vault.join("Files").exists(), "{plan:#?}");

    let added = world.call("attachment:add", &arguments).succeeds();
    assert_eq!(added.data.as_map()["path"], "Files/mill.gif");
    assert_eq!(added.data.as_map()["embed"], "![[mill.gif]]");
    assert_eq!(added.stdout, "Added Files/mill.gif: ![[mill.gif]]\n");
    assert!(!added.to_json().contains(GIF), "the bytes are not repeated");
    let bytes = fs_err::read(world.vault.join("Files/mill.gif")).unwrap();
    assert_eq!(bytes, b"GIF89a\x01\0\x01\0");

    world.ask("undo").succeeds();
    assert!(!world.vault.join("Files").exists());
}

#[test]
fn it_is_a_change_and_closed_like_one() {
    let world = World::empty();
    world
        .call("attachment:add", &[("path", "a.gif"), ("data", GIF)])
        .fails_with("MUTATION_DISABLED");
}

#[test]
fn d12_the_path_rules_judge_where_the_file_goes() {
    let world = world().with_tables("[paths]\nread = [\"**\"]\nwrite = [\"Files/**\"]\n");
    let add = |wanted: &[(&str, &str)]| {
        let gateway = world.gateway_with(Options::new(Caller::Agent));
        gateway.call(&request("attachment:add", wanted))
    };
    let open = add(&[("path", "a.gif"), ("data", GIF), ("note", "Home.md")]);
    assert!(open.success, "a name goes into the open folder: {open:#?}");
    add(&[("path", "Other/a.gif"), ("data", GIF)]).fails_with("PATH_DENIED");
    assert!(!world.vault.join("Other").exists());
}

#[test]
fn d13_a_closed_place_is_closed_whether_it_is_taken_or_not() {
    let world = world().with_tables("[paths]\ndeny = [\"Files/**\"]\n");
    let refusal = || {
        let gateway = world.gateway_with(Options::new(Caller::Agent));
        let mut envelope = gateway
            .call(&request(
                "attachment:add",
                &[("path", "a.gif"), ("data", GIF)],
            ))
            .fails_with("PATH_DENIED");
        let error = envelope.error.as_ref().unwrap();
        assert_eq!(error.details["reason"], "new-file", "{envelope:#?}");
        assert!(
            error.to_string().contains("Pass a full path"),
            "{envelope:#?}"
        );
        envelope.run_id = uuid::Uuid::nil();
        envelope.duration_ms = 0;
        envelope.to_json()
    };
    world.write("Files/other.gif", "GIF89a");
    let free = refusal();
    for content in ["other", "GIF89a\u{1}\0\u{1}\0"] {
        world.write("Files/a.gif", content);
        assert_eq!(refusal(), free);
    }
}

#[test]
fn a_file_of_the_import_folder_comes_in_by_its_name() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("Imports");
    fs_err::create_dir_all(folder.join(".hidden")).unwrap();
    for name in ["scan.pdf", ".hidden/s.pdf"] {
        fs_err::write(folder.join(name), b"%PDF-1.7\n").unwrap();
    }
    let world = world().set(&format!("import_folder = {}", quoted(&folder)));
    let add = |from: &str| world.call("attachment:add", &[("from", from)]);
    let added = add("scan.pdf").succeeds();
    assert_eq!(added.data.as_map()["embed"], "![[scan.pdf]]");
    assert!(world.vault.join("Files/scan.pdf").is_file());
    assert!(folder.join("scan.pdf").is_file());
    for wrong in ["none.pdf", ".hidden/s.pdf", "../scan.pdf"] {
        let refused = add(wrong);
        assert!(!refused.success, "{wrong}: {refused:#?}");
        assert!(!refused.to_json().contains(folder.to_str().unwrap()));
    }
}

#[test]
fn without_an_import_folder_only_bytes_come_in() {
    world()
        .ask("attachment:add from=scan.pdf")
        .fails_with("MUTATION_DISABLED");
}

/// What is no text is no `create`, on either backend, and its place is named.
#[test]
fn a_text_is_not_written_as_an_image() {
    let app = world().with_fake(&Scenario::logged());
    for world in [
        world().set("backend = \"embedded\""),
        app.set("backend = \"obsidian\""),
    ] {
        for path in ["img.png", "a/b.pdf", "x.zip"] {
            let refused = world
                .call("create", &[("path", path), ("content", GIF)])
                .fails_with("VALIDATION_ERROR");
            let message = &refused.error.as_ref().unwrap().to_string();
            assert!(message.contains("`attachment:add`"), "{message}");
            assert!(!world.vault.join(path).exists());
        }
        let runs = world.runs();
        assert!(!runs.iter().any(|run| run.contains("create")), "{runs:?}");
    }
}

//! `vault:export`: copies of notes in the folder that the owner set aside, and nowhere else.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use vault_engine::{Failpoints, Step};
use vault_gw::allowlist::Effect;
use vault_gw::gateway::{Envelope, Request, Status};

use crate::support::{
    NOW, Outcome as _, World, checked, code, detail, dry_run_of, files_below, has, quoted, request,
};

const CASES: &str = include_str!("data/export.txt");

/// A vault of three notes, one of them private, with this folder to export to.
fn world_for(folder: &Path) -> World {
    let world = World::empty()
        .set("allow_mutations = true")
        .set(&format!("export_folder = {}", quoted(folder)));
    world.write("a.md", "\u{feff}---\ntags: [x]\n---\r\n<b>&\n");
    world.write("Work/b.md", "[[a]] work");
    world.write("Private/c.md", "private work");
    world
}

/// The same with a folder of its own, which goes with the first value.
fn world() -> (tempfile::TempDir, PathBuf, World) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("Exports");
    fs_err::create_dir(&folder).unwrap();
    let world = world_for(&folder);
    (place, folder, world)
}

const ALL: &[(&str, &str)] = &[("folder", "/"), ("to", "Mine")];

fn export(world: &World, params: &[(&str, &str)]) -> Envelope {
    world.call("vault:export", params)
}

/// The files below a folder, by their paths.
fn files(folder: &Path) -> Vec<String> {
    files_below(folder).into_keys().collect()
}

#[test]
fn notes_are_copied_byte_for_byte_and_the_vault_stays_as_it_is() {
    let (_place, folder, world) = world();
    let before = files(&world.vault);
    let envelope = export(&world, ALL).succeeds();
    assert_eq!(envelope.meta.effects, [Effect::Export]);
    assert_eq!(
        files(&folder),
        ["Mine/Private/c.md", "Mine/Work/b.md", "Mine/a.md"]
    );
    for path in ["a.md", "Work/b.md", "Private/c.md"] {
        assert_eq!(
            fs_err::read(folder.join("Mine").join(path)).unwrap(),
            fs_err::read(world.vault.join(path)).unwrap()
        );
    }
    assert_eq!(
        envelope.data.as_map()["items"][0]["output"],
        "Mine/Private/c.md"
    );
    assert_eq!(envelope.data.as_map()["items"][2]["written"], true);
    assert_eq!(
        envelope.stdout,
        "Private/c.md\tMine/Private/c.md\nWork/b.md\tMine/Work/b.md\na.md\tMine/a.md\n"
    );
    assert_eq!(files(&world.vault), before);
    assert!(envelope.meta.journal.is_none() && envelope.meta.changes.is_empty());
    // The folder of the machine is the owner's business.
    let shown = envelope.to_json();
    assert!(!shown.contains(folder.to_str().unwrap()), "{shown}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &str| {
            let found = fs_err::metadata(folder.join(path)).unwrap();
            found.permissions().mode() & 0o777
        };
        assert_eq!((mode("Mine"), mode("Mine/a.md")), (0o700, 0o600));
    }

    // Again, there is nothing to write; changed since, there is no place.
    let again = export(&world, ALL);
    assert!(
        again.success && again.data.as_map()["items"][2]["written"] == false,
        "{again:#?}"
    );
    world.write("a.md", "new");
    let taken = export(&world, ALL).fails_with("FILE_EXISTS");
    assert_eq!(detail(&taken, "paths"), json!(["Mine/a.md"]));
    assert_ne!(fs_err::read(folder.join("Mine/a.md")).unwrap(), b"new");
    let page = export(&world, &[("query", "tag:#x OR new"), ("as", "html")]);
    assert_eq!(
        page.data.as_map()["items"][0]["output"],
        "a.html",
        "{page:#?}"
    );
}

#[test]
fn without_a_folder_and_without_mutations_nothing_is_exported() {
    let (_place, folder, world) = world();
    let needs = |settings: &str| {
        let mut world = World::empty();
        world.settings.insert_str(0, settings);
        world.write("a.md", "text");
        let envelope = export(&world, &[("path", "a.md")]);
        assert_eq!(code(&envelope), "MUTATION_DISABLED", "{settings}");
        assert_eq!(envelope.status, Status::Refused);
        detail(&envelope, "needs")
    };
    let named = format!("export_folder = {}\n", quoted(&folder));
    assert_eq!(needs("allow_mutations = true\n"), json!(["export_folder"]));
    assert_eq!(
        needs("allow_mutations = true\nexport_folder = \"\"\n"),
        json!(["export_folder"])
    );
    assert_eq!(needs(&named), json!(["allow_mutations"]));
    assert_eq!(needs(""), json!(["allow_mutations", "export_folder"]));

    // Nor is anything by an agent that may not change the vault.
    let world = world.with_tables("[agents.reader]\nallow_mutations = false");
    checked(world.agent("reader").call(&request("vault:export", ALL)))
        .fails_with("MUTATION_DISABLED");
    assert_eq!(files(&folder), [""; 0]);
}

#[test]
fn d13_what_may_not_be_read_is_not_exported() {
    let (_place, folder, world) = world();
    let world = world.with_tables("[paths]\ndeny = [\"Private/**\"]\nwrite = []");
    export(&world, &[("path", "Private/c.md")]).fails_with("PATH_DENIED");
    export(&world, &[("folder", "Private")]).fails_with("PATH_DENIED");
    export(&world, &[("path", ".obsidian/app.md")]).fails_with("PATH_DENIED");
    let found = export(&world, &[("query", "work")]);
    assert_eq!(found.data.as_map()["total"], 1, "{found:#?}");
    let envelope = export(&world, ALL);
    assert_eq!(envelope.data.as_map()["total"], 2, "{envelope:#?}");
    assert!(envelope.warnings.is_empty());
    assert_eq!(files(&folder), ["Mine/Work/b.md", "Mine/a.md", "Work/b.md"]);
}

#[test]
fn d01_an_agent_names_no_place_outside_of_the_folder() {
    let (place, folder, world) = world();
    for to in tables::lines(CASES, "d01 an agent names no place outside") {
        let envelope = export(&world, &[("folder", "/"), ("to", to)]);
        assert!(
            ["USAGE_ERROR", "PATH_ESCAPE"].contains(&code(&envelope)),
            "{to}: {envelope:#?}"
        );
    }
    for (key, value) in [
        ("path", "../a.md"),
        ("folder", "../"),
        ("output", "x"),
        ("export_folder", "/tmp"),
    ] {
        assert!(!export(&world, &[(key, value)]).success, "{key}");
    }
    assert_eq!(files(place.path()), [""; 0], "{}", folder.display());
}

#[test]
fn a_folder_that_is_none_of_the_owners_choice_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    fs_err::write(&file, "").unwrap();
    let refused = |folder: &Path| {
        let world = world_for(folder);
        let envelope = export(&world, ALL);
        assert_eq!(code(&envelope), "CONFIG_INVALID", "{}", folder.display());
        assert_eq!(detail(&envelope, "key"), "export_folder");
        let shown = envelope.to_json();
        assert!(!shown.contains(folder.to_str().unwrap()), "{shown}");
        world
    };
    refused(&place.path().join("none"));
    refused(&file);
    #[cfg(unix)]
    {
        let link = place.path().join("link");
        fs_err::create_dir(place.path().join("real")).unwrap();
        fs_err::os::unix::fs::symlink(place.path().join("real"), &link).unwrap();
        refused(&link);
        assert_eq!(files(&place.path().join("real")), [""; 0]);
    }
    let relative =
        vault_gw::settings::Settings::parse("settings.toml", "export_folder = \"Exports\"");
    assert!(relative.unwrap_err().to_string().contains("absolute path"));

    // The vault, a folder in it, one around it, and the gateway's own.
    let within = |folder: &dyn Fn(&World) -> PathBuf| {
        let world = World::empty().set("allow_mutations = true");
        world.write("a.md", "text");
        world.write("Exports/b.md", "text");
        let folder = folder(&world);
        fs_err::create_dir_all(&folder).unwrap();
        let world = world.set(&format!("export_folder = {}", quoted(&folder)));
        // The state folder is there.
        world.ask("read path=a.md").succeeds();
        let before = files(&world.vault);
        let envelope = export(&world, &[("path", "a.md"), ("to", "Mine")]);
        assert_eq!(code(&envelope), "CONFIG_INVALID", "{}", folder.display());
        assert_eq!(files(&world.vault), before);
    };
    within(&|world| world.vault.clone());
    within(&|world| world.vault.join("Exports"));
    within(&|world| world.vault.join(".obsidian/plugins"));
    within(&|world| world.vault.parent().unwrap().to_owned());
    within(&|world| world.state());
    within(&|world| world.state().join("mine"));
    within(&|world| world.state().parent().unwrap().to_owned());
}

#[test]
fn a_dry_run_reports_the_copies_and_makes_none() {
    let (_place, folder, world) = world();
    let question = dry_run_of(request("vault:export", ALL));
    let envelope = checked(world.gateway().call(&question)).succeeds();
    let planned: Vec<(&str, &str)> = envelope.data.as_map()["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            (
                file["change"].as_str().unwrap(),
                file["path"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        planned,
        [
            ("folderMade", "Mine"),
            ("folderMade", "Mine/Private"),
            ("folderMade", "Mine/Work"),
            ("created", "Mine/Private/c.md"),
            ("created", "Mine/Work/b.md"),
            ("created", "Mine/a.md"),
        ]
    );
    assert_eq!(envelope.data.as_map()["effects"], json!(["export"]));
    assert_eq!(
        envelope.data.as_map()["planHash"].as_str().unwrap().len(),
        64
    );
    assert_eq!(files(&folder), [""; 0]);
}

#[test]
fn i14_an_approval_is_for_these_copies_in_this_folder() {
    let (place, folder, world) = world();
    let world = world.set("approve = [\"export\"]");
    let refused = export(&world, ALL).fails_with("APPROVAL_REQUIRED");
    assert_eq!(files(&folder), [""; 0]);
    let id = detail(&refused, "approval").as_str().unwrap().to_owned();
    let now: jiff::Zoned = NOW.parse().unwrap();
    let approvals = world.gateway().approvals().store().unwrap();
    approvals
        .grant(
            &id,
            vault_gw::tiers::ApprovalChannel::Terminal,
            now.timestamp(),
        )
        .unwrap();
    let approved = Request {
        approval: Some(id),
        ..request("vault:export", ALL)
    };
    // Another folder is another plan, and so is another text.
    let other = place.path().join("Other");
    fs_err::create_dir(&other).unwrap();
    let mut elsewhere = world;
    let settings = elsewhere.settings.clone();
    elsewhere.settings = settings.replace(&quoted(&folder), &quoted(&other));
    elsewhere
        .gateway()
        .call(&approved)
        .fails_with("APPROVAL_REQUIRED");
    elsewhere.settings = settings;
    let world = elsewhere;
    world.write("Work/b.md", "changed");
    world
        .gateway()
        .call(&approved)
        .fails_with("APPROVAL_REQUIRED");
    world.write("Work/b.md", "[[a]] work");
    checked(world.gateway().call(&approved)).succeeds();
    assert_eq!(files(&folder).len(), 3);
    assert_eq!(files(&other), [""; 0]);
}

#[test]
fn h11_every_copy_is_on_record_before_it_is_made() {
    let (_place, folder, world) = world();
    export(&world, &[("path", "a.md")]).succeeds();
    let shown = world.run(&["-o", "jsonl", "audit"]);
    let lines: Vec<Value> = shown
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let phases: Vec<&str> = lines
        .iter()
        .map(|line| line["phase"].as_str().unwrap())
        .collect();
    assert_eq!(phases, ["intent", "result"]);
    for line in &lines {
        assert_eq!(line["effects"], json!(["export"]), "{line}");
        assert_eq!(line["files"][0]["path"], "a.md", "{line}");
        assert_eq!(line["files"][0]["afterSha256"].as_str().unwrap().len(), 64);
    }

    // Where it cannot be recorded, it is not done.
    let log = world.state();
    fs_err::remove_dir_all(&log).unwrap();
    fs_err::write(&log, "no folder").unwrap();
    let envelope = export(&world, &[("path", "Work/b.md")]);
    assert!(!envelope.success, "{envelope:#?}");
    assert_eq!(files(&folder), ["a.md"]);
}

/// Fails every step from the first copy that is to take its place on: as good as a kill there, for
/// nothing can be cleaned up.
#[derive(Default)]
struct Killed(AtomicBool);

impl Failpoints for Killed {
    fn before(&self, step: Step) -> io::Result<()> {
        let ends = step.call == "rename" && step.path.contains(".md");
        if ends || self.0.load(Ordering::Relaxed) {
            self.0.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

#[test]
fn h11_what_a_killed_export_left_is_gone_after_the_next_one() {
    let (_place, folder, world) = world();
    let gateway = world.gateway().with_failpoints(Arc::new(Killed::default()));
    let killed = gateway.call(&request("vault:export", ALL));
    assert!(!killed.success, "{killed:#?}");
    let left = files(&folder);
    assert_eq!(left.len(), 3, "{left:?}");
    for name in &left {
        has(&name, &["/.vault-gw-", ".tmp"]);
    }
    // What only looks like one is nobody's to remove.
    let foreign = [
        ".vault-gw-notes.tmp",
        ".vault-gw-6f9619ff-8b86-4011-b42d-00c04fc964ff-0.tmp",
    ];
    for name in foreign {
        fs_err::write(folder.join("Mine").join(name), "mine").unwrap();
    }
    export(&world, &[("path", "a.md"), ("to", "Other")]).succeeds();
    assert_eq!(
        files(&folder),
        [
            format!("Mine/{}", foreign[1]),
            format!("Mine/{}", foreign[0]),
            "Other/a.md".to_owned()
        ]
    );
}

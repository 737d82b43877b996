//! `vault:import`: notes from the folder that the owner set aside, and from nowhere else.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use vault_engine::{Failpoints, Step};
use vault_gw::allowlist::Effect;
use vault_gw::gateway::{Caller, Envelope, Options, Request, Status};

use crate::support::{
    Outcome as _, World, checked, code, detail, dry_run_of, files_below, has, quoted, request,
    warnings,
};

const CASES: &str = include_str!("data/import.txt");

/// A vault of one note, and a folder to import from, which goes with the first value.
fn world() -> (tempfile::TempDir, PathBuf, World) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("Imports");
    for (path, bytes) in [
        ("a.md", &b"\xef\xbb\xbf---\ntags: [own]\n---\r\n# A\n"[..]),
        ("deep/b.md", b"[[a]]"),
        ("deep/er/c.md", b"c #tag"),
        ("latin.md", b"caf\xe9"),
        ("image.png", b"png"),
        (".hidden/s.md", b"secret"),
        (".dot.md", b"secret"),
    ] {
        let file = folder.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, bytes).unwrap();
    }
    let world = World::empty()
        .set("allow_mutations = true")
        .set(&format!("import_folder = {}", quoted(&folder)));
    world.write("Home.md", "home");
    (place, folder, world)
}

fn import(world: &World, params: &[(&str, &str)]) -> Envelope {
    world.call("vault:import", params)
}

const INBOX: &[(&str, &str)] = &[("from", "/"), ("path", "Inbox")];

/// The files of a folder with their bytes, hidden ones aside.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = files_below(folder).into_iter();
    files.filter(|(path, _)| !path.starts_with('.')).collect()
}

/// The vault after an import of the inbox.
const WITH_INBOX: [&str; 4] = [
    "Home.md",
    "Inbox/a.md",
    "Inbox/deep/b.md",
    "Inbox/deep/er/c.md",
];

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn notes_come_in_byte_for_byte_as_one_run_that_can_be_undone() {
    let (_place, folder, world) = world();
    let (before, outside) = (files(&world.vault), files(&folder));
    let envelope = import(&world, INBOX).succeeds();
    assert_eq!(envelope.meta.effects, [Effect::Write, Effect::Import]);
    assert_eq!(names(&world.vault), WITH_INBOX);
    for path in ["a.md", "deep/b.md", "deep/er/c.md"] {
        assert_eq!(
            fs_err::read(world.vault.join("Inbox").join(path)).unwrap(),
            fs_err::read(folder.join(path)).unwrap()
        );
    }
    assert_eq!(envelope.data.as_map()["items"][1]["source"], "deep/b.md");
    assert_eq!(
        [
            &envelope.data.as_map()["total"],
            &envelope.data.as_map()["returned"],
            &envelope.data.as_map()["truncated"]
        ],
        [&json!(4), &json!(4), &json!(false)]
    );
    let left = &envelope.data.as_map()["items"][3];
    assert_eq!(
        [&left["source"], &left["written"], &left["size"]],
        [&json!("latin.md"), &json!(false), &json!(0)]
    );
    assert!(
        left["leftOut"].as_str().unwrap().contains("UTF-8"),
        "{left}"
    );
    assert_eq!(envelope.data.as_map()["items"][0].get("leftOut"), None);
    // What is no UTF-8 stays out, and the answer says so.
    assert_eq!(warnings(&envelope), ["IMPORT_LEFT_OUT"]);
    assert!(envelope.warnings[0].message.text().contains("latin.md"));
    let shown = envelope.to_json();
    assert!(!shown.contains(folder.to_str().unwrap()), "{shown}");
    assert_eq!(files(&folder), outside);

    // Once more there is nothing to do.
    let again = import(&world, INBOX);
    assert!(
        again.success && again.data.as_map()["items"][0]["written"] == false,
        "{again:#?}"
    );
    world.ask("undo").succeeds();
    assert_eq!(files(&world.vault), before);
}

#[test]
fn properties_are_added_and_the_notes_own_tags_stay() {
    let (_place, folder, world) = world();
    let arguments = [
        ("from", "a.md"),
        ("project", "Garden"),
        ("tags", "web, #OWN,idea"),
        ("properties", r#"{"source":"markdown"}"#),
    ];
    import(&world, &arguments).succeeds();
    let text = world.read("a.md");
    assert!(text.ends_with("---\r\n# A\n"), "{text:?}");
    let note = world.ask("note:get path=a.md");
    assert_eq!(
        note.data.as_map()["frontmatter"],
        json!({"tags": ["own", "web", "idea"], "source": "markdown", "project": "Garden"})
    );
    // Tags in one text are several, before and after.
    fs_err::write(folder.join("text.md"), "---\ntags: b, c\n---\n").unwrap();
    import(&world, &[("from", "text.md"), ("tags", "w")]).succeeds();
    let note = world.ask("note:get path=text.md");
    assert_eq!(
        note.data.as_map()["frontmatter"],
        json!({"tags": ["b", "c", "w"]})
    );
    for (key, value) in [
        ("tags", "a b"),
        ("tags", "1"),
        ("properties", "[]"),
        ("properties", "{\"a\":{\"b\":1}}"),
    ] {
        let refused = import(&world, &[("from", "deep"), (key, value)]);
        assert_eq!(code(&refused), "USAGE_ERROR", "{key}={value}: {refused:#?}");
    }
}

#[test]
fn nothing_takes_the_place_of_what_is_there() {
    let (_place, folder, world) = world();
    fs_err::write(folder.join("deep/B.MD"), "twin").unwrap();
    let before = files(&world.vault);
    let refused = |params: &[(&str, &str)], paths: Value| {
        let envelope = import(&world, params).fails_with("FILE_EXISTS");
        assert_eq!(detail(&envelope, "paths"), paths);
    };
    // Twins but for case, which many disks cannot hold.
    refused(INBOX, json!(["Inbox/deep/b.md"]));
    fs_err::remove_file(folder.join("deep/B.MD")).unwrap();
    assert_eq!(files(&world.vault), before);
    world.write("Inbox/A.md", "other");
    world.write("Inbox/deep", "a file where a folder is needed");
    let before = files(&world.vault);
    refused(
        &[("from", "a.md"), ("path", "Inbox")],
        json!(["Inbox/a.md"]),
    );
    refused(
        &[("from", "a.md"), ("path", "inbox")],
        json!(["inbox/a.md"]),
    );
    assert!(!import(&world, &[("from", "deep/b.md"), ("path", "Inbox/deep")]).success);
    assert!(!import(&world, INBOX).success);
    assert_eq!(files(&world.vault), before);
    fs_err::create_dir(world.vault.join("Folder.md")).unwrap();
    fs_err::write(folder.join("Folder.md"), "x").unwrap();
    import(&world, &[("from", "Folder.md")]).fails_with("FILE_EXISTS");
}

#[test]
fn d01_no_name_leads_out_of_the_folder_or_the_vault() {
    let (place, folder, world) = world();
    fs_err::write(place.path().join("secret.md"), "secret").unwrap();
    let outside = place.path().join("secret.md");
    for from in [
        "../secret.md",
        "..",
        "deep/../../secret.md",
        outside.to_str().unwrap(),
        "~/x.md",
        ".hidden/s.md",
        ".dot.md",
        "none.md",
        "C:\\x.md",
        "image.png",
        "\u{202e}a.md",
    ] {
        let envelope = import(&world, &[("from", from), ("path", "Inbox")]);
        assert!(!envelope.success, "{from}: {envelope:#?}");
        assert!(!envelope.to_json().contains("secret\""), "{envelope:#?}");
    }
    for (key, value) in [
        ("path", "../x"),
        ("path", "/tmp/x"),
        ("path", ".obsidian/plugins"),
        ("import_folder", "/"),
    ] {
        assert!(
            !import(&world, &[("from", "/"), (key, value)]).success,
            "{key}"
        );
    }
    assert_eq!(names(&world.vault), ["Home.md"], "{}", folder.display());
}

#[cfg(unix)]
#[test]
fn d03_d14_symlinks_pipes_and_large_files_stay_out() {
    let (place, folder, world) = world();
    let secret = place.path().join("secret");
    fs_err::create_dir(&secret).unwrap();
    fs_err::write(secret.join("s.md"), "secret").unwrap();
    fs_err::os::unix::fs::symlink(&secret, folder.join("link")).unwrap();
    fs_err::os::unix::fs::symlink(secret.join("s.md"), folder.join("link.md")).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        folder.join("pipe.md"),
        rustix::fs::Mode::RWXU,
    )
    .unwrap();
    let large = fs_err::File::create(folder.join("large.md")).unwrap();
    large.set_len(u64::from(u32::MAX)).unwrap();
    for from in "link link/s.md link.md pipe.md large.md latin.md".split(' ') {
        let envelope = import(&world, &[("from", from)]);
        assert!(!envelope.success, "{from}: {envelope:#?}");
    }
    let envelope = import(&world, INBOX).succeeds();
    assert_eq!(names(&world.vault), WITH_INBOX);
    let shown: String = envelope
        .warnings
        .iter()
        .map(|issue| issue.message.text())
        .collect();
    has(&shown, &["large.md", "latin.md"]);

    // Into a folder of the vault that is a link, nothing goes.
    fs_err::os::unix::fs::symlink(&secret, world.vault.join("Out")).unwrap();
    assert!(!import(&world, &[("from", "a.md"), ("path", "Out")]).success);
    assert_eq!(names(&secret), ["s.md"]);
}

#[test]
fn without_a_folder_and_without_mutations_nothing_is_imported() {
    let (place, folder, world) = world();
    let needs = |settings: &str| {
        let mut world = World::empty();
        world.settings.insert_str(0, settings);
        let envelope = import(&world, INBOX);
        assert_eq!(code(&envelope), "MUTATION_DISABLED", "{settings}");
        assert_eq!(envelope.status, Status::Refused);
        detail(&envelope, "needs")
    };
    let named = format!("import_folder = {}\n", quoted(&folder));
    assert_eq!(needs("allow_mutations = true\n"), json!(["import_folder"]));
    assert_eq!(needs(&named), json!(["allow_mutations"]));
    assert_eq!(needs(""), json!(["allow_mutations", "import_folder"]));

    // A folder that is none, a link, or one that overlaps with the vault.
    let refused = |folder: &Path| {
        let world = World::empty()
            .set("allow_mutations = true")
            .set(&format!("import_folder = {}", quoted(folder)));
        let envelope = import(&world, INBOX);
        assert_eq!(code(&envelope), "CONFIG_INVALID", "{}", folder.display());
        assert_eq!(detail(&envelope, "key"), "import_folder");
        assert!(!envelope.to_json().contains(folder.to_str().unwrap()));
    };
    refused(&place.path().join("none"));
    refused(&folder.join("a.md"));
    #[cfg(unix)]
    {
        let link = place.path().join("link");
        fs_err::os::unix::fs::symlink(&folder, &link).unwrap();
        refused(&link);
    }
    let mut within = world;
    for folder in [
        within.vault.clone(),
        within.vault.parent().unwrap().to_owned(),
        within.state(),
    ] {
        fs_err::create_dir_all(&folder).unwrap();
        within.settings = format!(
            "enabled = true\nallow_mutations = true\nbackend = \"embedded\"\nvault = {}\nimport_folder = {}\n",
            quoted(&within.vault),
            quoted(&folder)
        );
        assert_eq!(
            code(&import(&within, INBOX)),
            "CONFIG_INVALID",
            "{}",
            folder.display()
        );
    }
}

#[test]
fn d13_under_path_rules_a_closed_place_is_closed_whether_it_is_taken_or_not() {
    let (_place, folder, world) = world();
    let world = world.with_tables(
        "[paths]\nread = [\"Inbox/**\"]\nwrite = [\"Inbox/**\"]\ndeny = [\"Inbox/deep/er/**\"]",
    );
    import(&world, &[("from", "/")]).fails_with("PATH_DENIED");
    import(&world, &[("from", "a.md"), ("path", "Work")]).fails_with("PATH_DENIED");
    let refusal = |world: &World| {
        let mut envelope = import(world, INBOX).fails_with("PATH_DENIED");
        envelope.run_id = uuid::Uuid::nil();
        envelope.duration_ms = 0;
        envelope.to_json()
    };
    let free = refusal(&world);
    world.write("Inbox/deep/er/c.md", "closed");
    assert_eq!(refusal(&world), free, "taken");
    fs_err::copy(
        folder.join("deep/er/c.md"),
        world.vault.join("Inbox/deep/er/c.md"),
    )
    .unwrap();
    assert_eq!(refusal(&world), free, "the same");
    import(&world, &[("from", "a.md"), ("path", "Inbox")]).succeeds();
    // What was left out is told under path rules too.
    import(&world, &[("from", "/"), ("path", "Inbox"), ("limit", "1")]).succeeds();
    fs_err::remove_dir_all(folder.join("deep")).unwrap();
    let left = import(&world, INBOX);
    assert_eq!(warnings(&left), ["IMPORT_LEFT_OUT"], "{left:#?}");
}

#[test]
fn a_dry_run_shows_the_notes_and_an_approval_is_for_them() {
    let (_place, folder, world) = world();
    let question = dry_run_of(request("vault:import", INBOX));
    let envelope = checked(world.gateway().call(&question)).succeeds();
    let files = envelope.data.as_map()["files"].as_array().unwrap();
    let created = files.iter().filter(|file| file["change"] == "created");
    assert_eq!(created.count(), 3);
    assert!(files.iter().any(|file| {
        file["diff"]
            .as_str()
            .is_some_and(|diff| diff.contains("+[[a]]"))
    }));
    assert_eq!(names(&world.vault), ["Home.md"]);

    let world = world.set("approve = [\"import\"]");
    let mut options = Options::new(Caller::Agent);
    options.agent = None;
    let refused = world
        .gateway_with(options)
        .call(&request("vault:import", INBOX))
        .fails_with("APPROVAL_REQUIRED");
    let id = detail(&refused, "approval").as_str().unwrap().to_owned();
    let now: jiff::Zoned = crate::support::NOW.parse().unwrap();
    let approvals = world.gateway().approvals().store().unwrap();
    let channel = vault_gw::tiers::ApprovalChannel::Terminal;
    approvals.grant(&id, channel, now.timestamp()).unwrap();
    let approved = Request {
        approval: Some(id),
        ..request("vault:import", INBOX)
    };
    // Another text since then is another plan.
    let options = || Options::new(Caller::Agent);
    fs_err::write(folder.join("deep/b.md"), "changed").unwrap();
    world
        .gateway_with(options())
        .call(&approved)
        .fails_with("APPROVAL_REQUIRED");
    fs_err::write(folder.join("deep/b.md"), "[[a]]").unwrap();
    checked(world.gateway_with(options()).call(&approved)).succeeds();
}

/// Fails every step from the second file that takes its place on: as good as a kill there.
#[derive(Default)]
struct Killed {
    renamed: AtomicBool,
    dead: AtomicBool,
}

impl Failpoints for Killed {
    fn before(&self, step: Step) -> io::Result<()> {
        let ends = step.call == "rename" && step.path.contains("/deep/");
        if ends && self.renamed.swap(true, Ordering::Relaxed) || self.dead.load(Ordering::Relaxed) {
            self.dead.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

#[test]
fn h11_an_import_that_is_killed_is_taken_back_whole() {
    let (_place, _folder, world) = world();
    let before = files(&world.vault);
    let gateway = world.gateway().with_failpoints(Arc::new(Killed::default()));
    let killed = gateway.call(&request("vault:import", INBOX));
    assert!(!killed.success, "{killed:#?}");
    // The next call recovers first.
    world.ask("read path=Home.md").succeeds();
    assert_eq!(files(&world.vault), before);
    import(&world, INBOX).succeeds();
}

#[test]
fn k26_the_profile_reports_paths_and_ids_of_a_plan_and_of_the_import() {
    let (_place, _folder, world) = world();
    let words = |more: &[&str]| {
        let words = tables::lines(CASES, "k26 the profile reports paths and ids");
        let ran = world.run(&[&words[..], more].concat());
        ran.ended(0);
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    };
    let expected = json!({"count": 2, "imported": [
        {"path": "Inbox/b.md", "source_id": "b.md"},
        {"path": "Inbox/er/c.md", "source_id": "er/c.md"},
    ]});
    assert_eq!(words(&["--dry-run"]), expected);
    assert_eq!(names(&world.vault), ["Home.md"]);
    assert_eq!(words(&["--tags", "web"]), expected);
    assert_eq!(world.read("Inbox/b.md"), "---\ntags:\n  - web\n---\n[[a]]");
}

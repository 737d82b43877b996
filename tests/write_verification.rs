//! A command line that lies: whatever it prints, the envelope says what the vault's folder shows
//! (`threats.toml` G12, F10; `design/backends.md`).

use std::collections::{BTreeMap, BTreeSet};

use fake_obsidian::scenario::Scenario;
use vault_gw::allowlist::Catalogue;
use vault_gw::gateway::{Caller, Envelope, Happening, Options, Status};

use crate::support::{NOW, Outcome as _, World, answer, code, detail, files_below, warnings};

const CASES: &str = include_str!("data/write_verification.txt");

/// Today's note in a vault without settings for daily notes.
const TODAY: &str = "2026-03-14.md";

/// One command with what it is given, and the sentence with which the app confirms it.
struct Row {
    line: &'static str,
    confirmation: &'static str,
}

impl Row {
    fn command(&self) -> &'static str {
        self.line.split(' ').next().unwrap()
    }
}

/// At least one row for every command of the app that may change something.
fn rows() -> Vec<Row> {
    let rows = tables::section(CASES, "rows").into_iter();
    rows.map(|[line, confirmation]| Row { line, confirmation })
        .collect()
}

/// The first row of a command.
fn row_of(command: &str) -> Row {
    let mut rows = rows().into_iter();
    rows.find(|row| row.command() == command).unwrap()
}

/// What a lying command line does before it confirms.
const LIES: [(&str, &str); 6] = [
    ("does nothing", ":"),
    ("changes another file", "echo changed >other.md"),
    ("empties the note", ": >n.md"),
    ("creates a file elsewhere", "echo x >Elsewhere.md"),
    ("writes into another vault", "echo x >../n.md"),
    ("writes a part", "printf '\\n' >>n.md"),
];

/// A vault whose command line runs this script for what is to change something.
fn world(script: &str) -> World {
    let world = World::empty()
        .with_fake(&Scenario {
            now: Some(NOW.parse().unwrap()),
            ..Scenario::default()
        })
        .unconfined("writes to the vault by itself")
        .set("allow_mutations = true\nbackend = \"obsidian\"")
        .set("allow_active_file = true\nallow_active = true\nallow_publish = true");
    world.write("n.md", "---\nkept: word\n---\n# N\n\n- [ ] task\n");
    world.write("other.md", "See [[n]] and [[n|it]].\n");
    world.write("b.base", "views: []\n");
    world.write("F/keep.md", "");
    world.write("Templates/T.md", "template\n");
    world.write(".obsidian/templates.json", r#"{"folder":"Templates"}"#);
    let root = world.vault.display().to_string();
    let text = format!(
        "#!/bin/sh
cd '{root}' || exit 1
case \"$2\" in
  vault) echo '{root}' ;;
  version) echo '1.13.7 (installer 1.13.7)' ;;
  history:read) echo 'old text' ;;
  file) printf 'path\\tn.md\\nname\\tn\\n' ;;
  publish:list) cat ../list 2>/dev/null || echo 'No published files.' ;;
  publish:status) cat ../status 2>/dev/null || echo 'No changes.' ;;
  *) {script} ;;
esac
"
    );
    world.with_script(&text)
}

/// One call that a person has approved.
fn call(world: &World, line: &str) -> Envelope {
    answer(&world.approving(), line)
}

/// The paths that changed between two looks.
fn changed(
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
    names.retain(|name| before.get(name) != after.get(name));
    names
}

/// The paths that the envelope says have changed.
fn reported(envelope: &Envelope) -> BTreeSet<String> {
    let files = envelope.meta.changes.iter();
    files
        .filter(|file| file.change != Happening::FolderMade)
        .flat_map(|file| [Some(file.path.clone()), file.from.clone()])
        .flatten()
        .collect()
}

/// Runs one row against one script; gives the envelope, which tells exactly what changed.
fn reported_rightly(row: &Row, script: &str) -> Envelope {
    let world = world(&format!("{script}; echo '{}'", row.confirmation));
    let before = files_below(&world.vault);
    let envelope = call(&world, row.line);
    let changed = changed(&before, &files_below(&world.vault));
    let case = format!("{} {script}: {envelope:#?}", row.line);
    assert_eq!(reported(&envelope), changed, "{case}");
    envelope
}

#[test]
fn g12_every_command_that_the_app_changes_something_by_has_a_row() {
    let known: BTreeSet<&str> = rows().iter().map(Row::command).collect();
    let commands = Catalogue::builtin().unwrap().commands();
    let changing: BTreeSet<&str> = commands
        .filter(|command| command.change.is_some() && !command.is_ours())
        .map(|command| command.id.as_str())
        .collect();
    assert_eq!(changing, known);
}

#[test]
fn g12_no_lie_is_a_success_and_only_real_changes_are_reported() {
    std::thread::scope(|scope| {
        for row in rows() {
            scope.spawn(move || {
                for (name, script) in LIES {
                    let makes_elsewhere = script.contains("Elsewhere");
                    let envelope = reported_rightly(&row, script);
                    let what = format!("{} {name}", row.line);
                    // A file that is there under a name which the app may choose is no lie, but
                    // these confirm another one.
                    assert!(!envelope.success, "{what}: {envelope:#?}");
                    assert_eq!(code(&envelope), "CLI_REPORTED_ERROR", "{what}");
                    let nothing_changed = envelope.meta.changes.is_empty();
                    let may_still = row.line.starts_with("publish:");
                    let status = if nothing_changed && !may_still {
                        Status::Error
                    } else {
                        Status::Unknown
                    };
                    assert_eq!(envelope.status, status, "{what}: {envelope:#?}");
                    assert!(!makes_elsewhere || !nothing_changed, "{what}");
                    assert!(envelope.data.is_empty(), "{what}");
                }
            });
        }
    });
}

#[test]
fn g12_what_really_happened_passes_the_same_look() {
    for [command, script] in tables::section(CASES, "g12 what really happened passes the same") {
        let envelope = reported_rightly(&row_of(command), script).succeeds();
        assert!(!envelope.meta.changes.is_empty(), "{command}");
    }
}

#[test]
fn g12_a_write_that_comes_late_is_waited_for() {
    let append = row_of("append");
    let late =
        "setsid sh -c \"{ sleep 0.2; printf '\\nx' >>n.md; } >/dev/null 2>&1 </dev/null &\";";
    let world = world(&format!("{late} echo '{}'", append.confirmation));
    let envelope = call(&world, append.line).succeeds();
    assert_eq!(reported(&envelope), ["n.md".to_owned()].into());
}

#[test]
fn g12_nothing_to_change_is_a_success_without_changes() {
    for (line, said) in [
        (
            "property:set path=n.md name=kept value=word",
            "Set kept: word",
        ),
        ("history:restore path=same.md version=1", "Restored"),
        ("daily", "Opened: 2026-03-14.md"),
    ] {
        let world = world(&format!("echo '{said}'"));
        world.write("same.md", "old text");
        world.write(TODAY, "today");
        let envelope = call(&world, line).succeeds();
        assert!(envelope.meta.changes.is_empty(), "{line}: {envelope:#?}");
        assert_eq!(envelope.meta.journal, None, "{line}: nothing to undo");
    }
}

#[test]
fn g12_an_error_that_changed_the_vault_all_the_same_is_unknown() {
    let script = "printf '\\nx' >>n.md; echo 'Error: File \"n.md\" not found.'";
    let world = world(script);
    let envelope = call(&world, "append path=n.md content=x");
    assert!(!envelope.success);
    assert_eq!(envelope.status, Status::Unknown, "{envelope:#?}");
    assert_eq!(reported(&envelope), ["n.md".to_owned()].into());
    assert!(warnings(&envelope).contains(&"CHANGED_DESPITE_ERROR"));
}

#[test]
fn g12_another_file_than_the_one_named_is_no_success() {
    // It does what was asked for, and says that it did something else.
    for (command, script) in [
        ("append", "printf '\\nx' >>n.md; echo 'Appended to: z.md'"),
        ("create", "printf x >new.md; echo 'Created: z.md'"),
        ("move", "mv n.md F/n.md; echo 'Moved: n.md -> z.md'"),
        ("delete", "rm n.md; echo 'Deleted permanently: n.md'"),
    ] {
        let envelope = call(&world(script), row_of(command).line);
        assert!(!envelope.success, "{command}: {envelope:#?}");
        assert_eq!(envelope.status, Status::Unknown, "{command}");
    }
}

/// The app was told to use the vault's own trash, says that it did, and deletes for good.
#[test]
fn g16_a_file_that_is_not_in_the_trash_is_not_reported_as_trashed() {
    let settings = "{\"trashOption\":\"local\"}";
    let confirm = "echo 'Moved to trash: n.md'";
    for (script, is_trashed) in [
        ("rm n.md", false),
        ("mkdir .trash; echo other >.trash/n.md; rm n.md", false),
        ("mkdir .trash; mv n.md .trash/n.md", true),
        ("mkdir -p .trash/old; mv n.md '.trash/old/n 2.md'", true),
    ] {
        let world = world(&format!("{script}; {confirm}"));
        world.write(".obsidian/app.json", settings);
        let before = world.read("n.md");
        let envelope = call(&world, "delete path=n.md");
        let change = envelope.meta.changes[0].change;
        if is_trashed {
            assert!(envelope.success, "{script}: {envelope:#?}");
            assert_eq!(change, Happening::Trashed, "{script}");
            continue;
        }
        assert!(!envelope.success, "{script}: {envelope:#?}");
        assert_eq!(envelope.status, Status::Unknown, "{script}");
        assert_eq!(detail(&envelope, "reason"), "read-back", "{script}");
        assert_eq!(change, Happening::Removed, "{script}");
        // What is gone is in the journal. Whether the run removed it is not certain.
        world.run(&["undo", "--over"]).ended(0);
        assert_eq!(world.read("n.md"), before);
    }
}

#[test]
fn g12_a_rename_that_leaves_links_stale_is_no_success() {
    let envelope = reported_rightly(&row_of("rename"), "mv n.md m.md");
    assert!(!envelope.success, "{envelope:#?}");
    assert_eq!(envelope.status, Status::Unknown);
    assert_eq!(detail(&envelope, "reason"), "read-back");
}

#[test]
fn g12_a_note_that_the_site_lists_afterwards_is_published() {
    let add = "echo n.md >../list; : >../status";
    for (command, list, status, script) in [
        ("publish:add", "", "n.md\n", add),
        ("publish:remove", "n.md\n", "", ": >../list"),
    ] {
        let row = row_of(command);
        let world = world(&format!("{script}; echo '{}'", row.confirmation));
        fs_err::write(world.vault.join("../list"), list).unwrap();
        fs_err::write(world.vault.join("../status"), status).unwrap();
        let envelope = call(&world, row.line).succeeds();
        assert!(envelope.meta.changes.is_empty(), "no file changed");
    }
}

/// Publishing changes no file, so it is neither drafted nor hindered by drafts.
#[test]
fn what_changes_no_file_is_not_drafted() {
    let world = world("echo 'Published: n.md'").set("drafts = \"all\"");
    let agent = world.gateway_with(Options::new(Caller::Agent));
    answer(&agent, "publish:add path=n.md").fails_with("APPROVAL_REQUIRED");
}

#[test]
fn g12_a_version_that_cannot_be_read_is_not_restored() {
    let world = world("echo restored >n.md; echo Restored");
    let file = world.home.binaries().join("scripted");
    let text = fs_err::read_to_string(&file).unwrap();
    let message = "history:read) echo 'Error: Version 9 not found.' ;;";
    let text = text.replace("history:read) echo 'old text' ;;", message);
    fs_err::write(&file, text).unwrap();
    let before = files_below(&world.vault);
    let envelope = call(&world, "history:restore path=n.md version=9");
    assert!(!envelope.success);
    assert_eq!(detail(&envelope, "reason"), "version-not-read");
    assert_eq!(envelope.status, Status::Error);
    assert_eq!(files_below(&world.vault), before);
}

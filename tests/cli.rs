//! The program as somebody at a prompt, or a script, meets it.

use std::io::Read as _;
use std::process::Stdio;

use fake_obsidian::app::Mode;
use fake_obsidian::scenario::{Action, Scenario, Stream};
use serde_json::Value;
use vault_gw::allowlist::Catalogue;
use vault_gw::code::Code;

use crate::support::{Ran, World, finish};

fn world() -> World {
    World::with_fixture_vault()
}

/// Printed nothing to stdout, and told in plain words on stderr what went wrong and what to do.
#[track_caller]
fn assert_told(ran: &Ran, status: u8) {
    assert_eq!(ran.status, Some(status.into()), "{ran:?}");
    assert!(ran.stdout.is_empty(), "{ran:?}");
    let (error, hint) = ran.stderr.split_once('\n').expect("two lines");
    let hint = hint.trim_end_matches('\n');
    assert!(!hint.contains('\n'), "{ran:?}");
    let message = error.strip_prefix("error: ").unwrap();
    // A message that says what to do needs no hint beside it.
    let advice = if hint.is_empty() {
        let says_more = [". ", "; "].iter().any(|end| message.contains(end));
        assert!(says_more, "{ran:?}");
        message
    } else {
        hint.strip_prefix("hint: ").unwrap()
    };
    for sentence in [message, advice] {
        assert!(sentence.ends_with(['.', '?', '`']), "{ran:?}");
        let of_a_file = sentence.starts_with("settings.toml");
        assert!(
            of_a_file || !sentence.starts_with(char::is_lowercase),
            "{ran:?}"
        );
    }
    assert!(
        hint.is_empty() || !message.contains(advice),
        "said twice: {ran:?}"
    );
    assert_calm(ran);
}

/// Nothing that looks like a crash.
#[track_caller]
fn assert_calm(ran: &Ran) {
    for word in ["panicked", "RUST_BACKTRACE", "src/"] {
        assert!(!ran.stderr.contains(word), "{ran:?}");
    }
}

// Text mode.

#[test]
fn a_note_is_printed_byte_for_byte_and_nothing_else() {
    let world = world();
    for (path, bytes) in [
        ("plain.md", &b"# A\n\ntext\n"[..]),
        ("open end.md", b"no line feed at the end"),
        ("windows.md", b"\xef\xbb\xbfone\r\ntwo\r\n"),
        ("latin.md", b"caf\xe9 \xff\xfe\n"),
        ("control.md", b"a\x1b[31mred\x1b[0m\x07\x00b\n"),
        ("empty.md", b""),
        ("blank.md", b"\n\n\n"),
        ("like an error.md", b"Error: File \"x\" not found.\n"),
    ] {
        world.write(path, bytes);
        let ran = world.run(&["read", &format!("path={path}")]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert_eq!(ran.stdout, bytes, "{path}");
    }
}

#[test]
fn a_note_is_the_same_bytes_through_the_official_program() {
    let world = world().with_fake(&Scenario::logged());
    for (path, bytes) in [
        ("plain.md", &b"# A\n\ntext\n"[..]),
        ("open end.md", b"no line feed at the end"),
        ("windows.md", b"one\r\ntwo\r\n"),
    ] {
        world.write(path, bytes);
        let ran = world.run(&["--backend", "obsidian", "read", &format!("path={path}")]);
        assert_eq!(
            (ran.status, ran.stdout.as_slice()),
            (Some(0), bytes),
            "{path}: {ran:?}"
        );
    }
}

#[test]
fn lists_and_numbers_are_printed_as_the_official_program_does() {
    let world = world();
    let ran = world.run(&["files", "folder=People"]);
    assert_eq!(
        ran.text(),
        "People/Ana Reyes.md\nPeople/Tomás Ó Briain.md\n"
    );
    assert_eq!(
        world.run(&["files", "folder=People", "total"]).text(),
        "2\n"
    );
    let none = world.run(&["files", "folder=Nowhere"]);
    assert_eq!(
        (none.status, none.text(), none.stderr.as_str()),
        (Some(0), "", "")
    );
}

#[test]
fn warnings_go_to_standard_error() {
    let ran = world().run(&["read", "file=Log"]);
    assert_eq!(ran.status, Some(0));
    assert!(ran.text().starts_with("# Log"));
    assert!(
        ran.stderr.starts_with("warning: 2 notes have this name"),
        "{ran:?}"
    );
}

#[test]
fn what_is_left_out_of_a_long_output_is_said() {
    let ran = world()
        .set("max_output_bytes = 100")
        .run(&["read", "path=Home.md"]);
    assert_eq!(ran.status, Some(0));
    assert_eq!(ran.stdout.len(), 100);
    assert!(ran.stderr.contains("were left out"), "{ran:?}");
}

#[test]
fn verbose_tells_who_answered() {
    let world = world();
    let ran = world.run(&["-v", "read", "path=Home.md"]);
    assert!(
        ran.stderr
            .starts_with("note: answered by the embedded engine in "),
        "{ran:?}"
    );
    let ran = world.run(&["read", "path=nope.md", "--verbose"]);
    assert!(ran.stderr.contains("\nnote: "), "{ran:?}");
    let ran = world.run(&["-v", "read"]);
    assert!(ran.stderr.contains("\nnote: nothing was run"), "{ran:?}");
    assert!(world.run(&["read", "path=Home.md"]).stderr.is_empty());
}

#[test]
fn a_dry_run_says_what_would_happen() {
    let ran = world().run(&["--dry-run", "read", "file=Garden"]);
    assert_eq!(
        ran.text(),
        "Nothing was run. It would be answered by the embedded engine.\neffects: read\nnote: Projects/Garden/Garden.md\n"
    );
}

#[test]
fn colour_is_for_terminals() {
    let world = world();
    for variables in [
        &[][..],
        &[("NO_COLOR", "1")],
        &[("TERM", "dumb")],
        &[("CLICOLOR_FORCE", "1")],
    ] {
        let mut command = world.program();
        command.arg("raed").envs(variables.iter().copied());
        let ran = finish(command, b"");
        assert!(
            ran.stderr.starts_with("error: ") && !ran.stderr.contains('\u{1b}'),
            "{ran:?}"
        );
    }
}

#[test]
fn f05_control_sequences_of_the_caller_are_not_echoed() {
    let world = world();
    for word in [
        "\u{1b}]0;owned\u{7}",
        "a\u{9b}31m",
        "x\r\nerror: forged",
        "\u{202e}daer",
    ] {
        for words in [
            &[word][..],
            &["read", word],
            &["read", &format!("path={word}")],
            &["read", &format!("file={word}")],
            &["explain", word],
            &["help", word],
            &["settings", "set", word, "1"],
            &["--vault", word, "files"],
            &["--agent", word, "files"],
        ] {
            let ran = world.run(words);
            assert_ne!(ran.status, Some(0), "{words:?}");
            assert!(
                ran.stderr
                    .lines()
                    .filter(|line| line.starts_with("error: "))
                    .count()
                    == 1,
                "{ran:?}"
            );
            for forbidden in ['\u{1b}', '\u{9b}', '\u{7}', '\r', '\u{202e}'] {
                assert!(!ran.stderr.contains(forbidden), "{words:?}: {ran:?}");
            }
        }
    }
}

// Exit statuses.

#[test]
fn every_family_of_codes_has_its_exit_status_in_both_modes() {
    let mut world = world().set("allow_mutations = true");
    world.write("Projects/Beat/Log.md", "as long a path as the boat's");
    for (words, expected) in [
        (&["read"][..], Code::UsageError),
        (&["read", "nope=1"], Code::UsageError),
        (&["raed"], Code::UnknownCommand),
        (&["read", "path=Projects"], Code::ValidationError),
        (&["read", "file=Log"], Code::AmbiguousTarget),
        (&["read", "path=nope.md"], Code::FileNotFound),
        (&["folder", "path=Nope"], Code::FolderNotFound),
        (&["--vault", "Nope", "files"], Code::VaultNotFound),
        (
            &["--settings", "/nonexistent/settings.toml", "files"],
            Code::ConfigMissing,
        ),
        (&["--backend", "obsidian", "files"], Code::AppNotRunning),
        (&["--backend", "embedded", "tabs"], Code::RequiresApp),
        (&["eval", "code=1"], Code::CommandRefused),
        (&["--tier", "v0", "files"], Code::TierClosed),
        (&["delete", "path=Home.md"], Code::ApprovalRequired),
        (&["read", "path=.obsidian/app.json"], Code::PathDenied),
        (&["read", "path=../../etc/passwd"], Code::PathEscape),
        (&["publish:add", "path=Home.md"], Code::MutationDisabled),
        (
            &["--if-hash", &"0".repeat(64), "read", "path=Home.md"],
            Code::PreconditionFailed,
        ),
    ] {
        both_modes(&world, words, expected);
    }
    world.start_app(Mode::Normal);
    both_modes(
        &world,
        &["--backend", "obsidian", "files"],
        Code::CliUnavailable,
    );
}

#[test]
fn failures_of_the_official_program_have_their_exit_status() {
    let printed = |text: &str, code| {
        vec![
            Action::Write {
                stream: Stream::Stdout,
                bytes: text.as_bytes().to_vec().into(),
            },
            Action::Exit { code },
        ]
    };
    for (actions, expected) in [
        (printed("", 3), Code::CliExitNonzero),
        (
            printed("Error: Something odd happened.\n", 0),
            Code::CliReportedError,
        ),
        (vec![Action::NotEnabled], Code::CliDisabled),
        (
            printed("Error: Destination file already exists!\n", 0),
            Code::FileExists,
        ),
        (vec![Action::Hang], Code::Timeout),
    ] {
        let world = world()
            .set("backend = \"obsidian\"\ntimeout_ms = 400")
            .with_fake(&Scenario::logged().always("files", actions));
        both_modes(&world, &["files"], expected);
    }
}

fn both_modes(world: &World, words: &[&str], expected: Code) {
    let text = world.run(words);
    assert_told(&text, expected.exit());
    let json = world.run(&[&["--json"], words].concat());
    assert_eq!(json.status, Some(expected.exit().into()), "{words:?}");
    assert!(json.stderr.is_empty(), "{json:?}");
    let envelope = json.json();
    assert_eq!(
        envelope["error"]["code"],
        expected.name(),
        "{words:?}: {envelope:#}"
    );
    assert_eq!(envelope["advice"][0]["code"], "REMEDY");
    assert!(text.stderr.starts_with(&format!(
        "error: {}",
        envelope["error"]["message"].as_str().unwrap()
    )));
}

#[test]
fn unsafe_or_mistaken_settings_are_refused() {
    let mut world = world();
    world.settings.push_str("alow_mutations = true\n");
    let ran = world.run(&["files"]);
    assert_told(&ran, 78);
    assert!(
        ran.stderr.contains("line 2") && ran.stderr.contains("allow_mutations"),
        "{ran:?}"
    );
}

#[cfg(unix)]
#[test]
fn h05_settings_that_others_can_write_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = world();
    let file = world.write_settings();
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    for words in [
        &["files"][..],
        &["doctor"],
        &["settings", "set", "tier", "v1"],
    ] {
        let ran = world.run_as_it_is(words, b"");
        assert_told(&ran, 78);
        assert!(ran.stderr.contains("chmod"), "{ran:?}");
    }
    let inside = world.vault.join("settings.toml");
    fs_err::write(&inside, "").unwrap();
    crate::support::private(&inside);
    let ran = world.run(&[
        "--settings",
        inside.to_str().unwrap(),
        "--vault",
        "Notes",
        "files",
    ]);
    assert_told(&ran, 78);
}

// JSON mode.

#[test]
fn every_spelling_of_json_works_before_and_after_the_command() {
    let world = world();
    for spelling in [
        &["-o", "json"][..],
        &["-ojson"],
        &["-o=json"],
        &["--output", "json"],
        &["--output=json"],
        &["--json"],
        &["-j"],
        &["--format", "json"],
        &["--format=json"],
        &["-vj"],
    ] {
        let command = &["daily:path"][..];
        for words in [[spelling, command].concat(), [command, spelling].concat()] {
            let envelope = world.run(&words).json();
            assert_eq!(envelope["command"], "daily:path", "{words:?}");
            assert_eq!(envelope["exitCode"], 0);
        }
        let wrong = [&["--nonsense"], spelling].concat();
        assert_eq!(
            world.run(&wrong).json()["error"]["code"],
            "USAGE_ERROR",
            "{wrong:?}"
        );
    }
    let text = world.run(&["--json", "-o", "text", "files", "total"]);
    assert_eq!(text.text(), "28\n", "the last one counts");
}

#[test]
fn mistakes_in_the_words_are_envelopes_in_json_mode() {
    let world = world();
    for words in [
        &["-j", "--bogus", "read"][..],
        &["-j", "read", "path=a", "--bogus"],
        &["-j", "--vault"],
        &["-j", "--tier", "v9", "files"],
        &["-j", "--timeout-ms", "0", "files"],
        &["-j", "--timeout-ms", "3600001", "files"],
        &["-j", "--run-id", "5", "files"],
        &["-j", "--correlation-id", "a b", "files"],
        &["-j", "settings", "set"],
        &["-j", "completions"],
        &["-j", "explain", "NOPE"],
        &["-j", "schema", "nope"],
        &["-j", "read", "path=a", "path=b"],
        &["-j", "vault=a", "--vault", "b", "files"],
        &["-j", "vault=Notes"],
    ] {
        let ran = world.run(words);
        assert_eq!(ran.status, Some(64), "{words:?}");
        let envelope = ran.json();
        assert_eq!(envelope["error"]["code"], "USAGE_ERROR", "{words:?}");
        let message = envelope["error"]["message"].as_str().unwrap();
        assert!(
            message.ends_with(['.', '?']) && !message.contains("::"),
            "{message}"
        );
    }
}

#[cfg(unix)]
#[test]
fn words_that_are_not_utf8_are_an_error_like_any_other() {
    use std::os::unix::ffi::OsStringExt as _;

    let world = world();
    for json in [false, true] {
        let mut command = world.program();
        command.args(json.then_some("--json"));
        command
            .args(["read"])
            .arg(std::ffi::OsString::from_vec(b"path=\xff.md".to_vec()));
        let ran = finish(command, b"");
        assert_eq!(ran.status, Some(64));
        if json {
            assert_eq!(ran.json()["error"]["code"], "USAGE_ERROR");
        } else {
            assert_told(&ran, 64);
        }
    }
}

#[test]
fn the_options_of_the_envelope_do_what_they_say() {
    let world = world();
    let id = "3f0a7f62-9f0c-4b7e-8a52-0d4f6a4c2b11";
    let envelope = world
        .run(&[
            "-j",
            "vault",
            "info=name",
            "--correlation-id",
            "me-1",
            "--run-id",
            id,
            "--include-timestamp",
        ])
        .json();
    assert_eq!(envelope["correlationId"], "me-1");
    assert_eq!(envelope["runId"], id);
    let time = envelope["timestamp"].as_str().unwrap();
    assert!(
        time.parse::<jiff::Timestamp>().is_ok() && time.ends_with('Z'),
        "{time}"
    );
    let keys: Vec<&String> = envelope.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "schemaVersion",
            "command",
            "success",
            "status",
            "exitCode",
            "durationMs",
            "stdout",
            "stderr",
            "runId",
            "correlationId",
            "timestamp",
            "params",
            "data",
            "warnings",
            "violations",
            "advice",
            "meta",
        ]
    );
    assert!(
        world
            .run(&["-j", "vault"])
            .json()
            .get("timestamp")
            .is_none()
    );
}

// The official syntax.

#[test]
fn the_vault_may_be_named_first_as_the_official_program_has_it() {
    let world = world();
    let other = world.scratch().join("Other");
    fs_err::create_dir_all(other.join(".obsidian")).unwrap();
    fs_err::write(other.join("a.md"), "of the other").unwrap();
    world
        .home
        .register([world.vault.as_path(), other.as_path()])
        .unwrap();
    for words in [
        &["vault=Other", "read", "path=a.md"][..],
        &["--vault", "Other", "read", "path=a.md"],
        &["read", "path=a.md", "--vault", other.to_str().unwrap()],
        &["--vault", "./Other", "read", "path=a.md"],
        &["--vault=Other", "--", "read", "path=a.md"],
    ] {
        let ran = world.run(words);
        assert_eq!(
            (ran.status, ran.text()),
            (Some(0), "of the other"),
            "{words:?} {ran:?}"
        );
    }
    let late = world.run(&["read", "vault=Other", "path=a.md"]);
    assert_told(&late, 64);
    world.home.register([world.vault.as_path()]).unwrap();
    let ran = world.run(&["--vault", "Other", "files"]);
    assert_told(&ran, 66);
    assert!(ran.stderr.contains("`./Other`"), "{ran:?}");
}

#[test]
fn somebody_who_stands_in_a_vault_works_on_it() {
    let mut world = world();
    world.settings.clear();
    world.home.write_registry(&[]).unwrap();
    world.write_settings();
    let mut command = world.program();
    command
        .args(["vault", "info=name"])
        .current_dir(world.vault.join("Projects/Boat"));
    assert_eq!(finish(command, b"").text(), "Notes\n");
    let nowhere = world.run(&["files"]);
    assert_told(&nowhere, 66);
    assert!(nowhere.stderr.contains("--vault"), "{nowhere:?}");
}

#[test]
fn a_bare_value_is_met_with_the_right_way_to_write_it() {
    let world = world();
    for (words, right) in [
        (&["read", "Home.md"][..], "`path=Home.md`"),
        (&["read", "Ana Reyes"], "`file=\"Ana Reyes\"`"),
        (&["daily:append", "Buy milk"], "`content=\"Buy milk\"`"),
        (&["search", "boat"], "`query=boat`"),
        (&["docter"], "`vault-gw doctor`"),
        (&["raed", "path=a"], "`read`"),
        (&["files", "totl"], "`total`"),
        (&["explain", "FILE_NOT_FUOND"], "`FILE_NOT_FOUND`"),
        (&["--ouput", "json", "files"], "--output"),
        (&["--output", "xml", "files"], "json"),
        (
            &["settings", "set", "allow_mutation", "true"],
            "allow_mutations",
        ),
        (&["settings", "set", "tier"], "<VALUE>"),
    ] {
        let ran = world.run(words);
        assert_told(&ran, 64);
        assert!(ran.stderr.contains(right), "{words:?}: {}", ran.stderr);
    }
}

// Help.

#[test]
fn help_lists_every_verb_command_and_option() {
    let world = world();
    let help = world.run(&["--help"]);
    for words in [&["-h"][..], &["help"], &[]] {
        assert_eq!(world.run(words).text(), help.text(), "{words:?}");
    }
    for command in Catalogue::builtin().unwrap().commands() {
        assert!(
            help.text().contains(&format!("\n  {}", command.id)),
            "{}",
            command.id
        );
    }
    for word in [
        "call",
        "capabilities",
        "context",
        "explain",
        "install",
        "schema",
        "doctor",
        "settings",
        "demo",
        "completions",
        "man",
        "--vault",
        "--backend",
        "--tier",
        "--settings",
        "--output",
        "--json",
        "--timeout-ms",
        "--dry-run",
        "--if-hash",
        "--yes",
        "--include-timestamp",
        "--correlation-id",
        "--agent",
        "--verbose",
    ] {
        assert!(help.text().contains(word), "{word}");
    }
    assert!(help.stderr.is_empty());
}

#[test]
fn help_on_a_command_shows_what_it_takes() {
    let world = world();
    let page = world.run(&["help", "daily:append"]);
    assert_eq!(page.status, Some(0));
    for part in [
        "Usage: vault-gw daily:append content=<text>",
        "Tier v0, effects: write",
        "paneType=tab|split|window",
        "(required)",
        "vault-gw daily:append content=\"- [ ] Milk\"",
    ] {
        assert!(page.text().contains(part), "{part} in {}", page.text());
    }
    for words in [
        &["daily:append", "--help"][..],
        &["daily:append", "content=x", "-h"],
    ] {
        assert_eq!(world.run(words).text(), page.text());
    }
    for verb in ["settings", "call", "explain"] {
        let page = world.run(&["help", verb]);
        assert!(
            page.text().contains(&format!("Usage: vault-gw {verb}")),
            "{page:?}"
        );
        assert_eq!(world.run(&[verb, "--help"]).status, Some(0));
    }
    assert_told(&world.run(&["help", "raed"]), 64);
    assert_told(&world.run(&["help", "eval"]), 77);
    assert_told(&world.run(&["nope", "--help"]), 64);
}

#[test]
fn the_version_is_the_packages() {
    let world = world();
    let version = format!("vault-gw {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(world.run(&["--version"]).text(), version);
    assert_eq!(world.run(&["-V"]).text(), version);
}

// Verbs.

#[test]
fn explain_knows_every_code() {
    let world = world();
    let all = world.run(&["explain"]);
    let issues = vault_gw::issue_code::IssueCode::ALL.len();
    assert_eq!(all.text().lines().count(), Code::ALL.len() + issues);
    for code in Code::ALL {
        let ran = world.run(&["explain", code.name()]);
        assert_eq!(ran.status, Some(0));
        let head = format!("{code} (exit status {})\n", code.exit());
        assert!(ran.text().starts_with(&head), "{ran:?}");
        assert!(ran.text().contains(code.explanation().remedy));
    }
    assert_eq!(world.run(&["explain", "timeout"]).status, Some(0));
    let json = world.run(&["-j", "explain", "TIMEOUT"]).json();
    assert_eq!(json["data"]["retryable"], true);
    assert_told(&world.run(&["explain", "NO_SUCH_CODE"]), 64);
}

#[test]
fn schemas_are_printed_by_name_or_by_command() {
    let world = world();
    let names = world.run(&["schema"]);
    for name in ["envelope", "request", "settings", "note-text"] {
        assert!(names.text().lines().any(|line| line == name), "{name}");
    }
    let by_command: Value =
        serde_json::from_str(world.run(&["schema", "daily:read"]).text()).unwrap();
    let by_shape: Value = serde_json::from_str(world.run(&["schema", "note-text"]).text()).unwrap();
    assert_eq!(by_command, by_shape);
    let json = world.run(&["-j", "schema", "read"]).json();
    assert_eq!(json["data"]["schema"], by_shape);
    let json = world.run(&["-j", "schema"]).json();
    assert_eq!(
        json["data"]["names"].as_array().unwrap().len(),
        names.text().lines().count()
    );
}

#[test]
fn capabilities_tell_what_is_open_here() {
    let world = world();
    let text = world.run(&["capabilities"]);
    let line = |ran: &Ran, id: &str| {
        let line = ran
            .text()
            .lines()
            .find(|line| line.split_whitespace().nth(2) == Some(id));
        line.unwrap().split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(
        (line(&text, "read"), line(&text, "create")),
        ("open".into(), "closed".into())
    );
    let json = world.run(&["-j", "capabilities"]).json();
    let commands = json["data"]["commands"].as_array().unwrap();
    let listed = |line: &&str| {
        ["open", "asks", "closed"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    assert_eq!(commands.len(), text.text().lines().filter(listed).count());
    let create = commands
        .iter()
        .find(|command| command["id"] == "create")
        .unwrap();
    assert_eq!(
        (&create["open"], &create["closedBy"]),
        (&"closed".into(), &"MUTATION_DISABLED".into())
    );
    let refused = json["data"]["refused"].as_array().unwrap();
    assert!(refused.iter().any(|command| command["id"] == "eval"));
    let open = world.set("allow_mutations = true");
    let text = open.run(&["capabilities"]);
    assert_eq!(
        (line(&text, "create"), line(&text, "delete")),
        ("open".into(), "asks".into())
    );
    let text = open.run(&["--tier", "v0", "capabilities"]);
    assert_eq!(line(&text, "read"), "closed");
}

#[test]
fn settings_are_shown_and_set_and_comments_stay() {
    let world = world();
    let file = world.home.config().join("vault-gw/settings.toml");
    let run = |words: &[&str]| world.run_as_it_is(words, b"");
    assert_eq!(
        run(&["settings", "path"]).text(),
        format!("{}\n", file.display())
    );
    assert!(
        run(&["settings", "show"])
            .text()
            .contains("allow_mutations = false")
    );
    assert!(!file.exists(), "showing makes no file");
    let set = run(&["settings", "set", "vault", world.vault.to_str().unwrap()]);
    assert_eq!(set.status, Some(0), "{set:?}");
    let commented = fs_err::read_to_string(&file).unwrap();
    assert!(commented.contains("# Whether calls may change the vault."));
    fs_err::write(&file, format!("{commented}\n# my own words\n")).unwrap();
    crate::support::private(&file);
    assert_eq!(run(&["daily:append", "content=x"]).status, Some(77));
    let set = run(&["-j", "settings", "set", "allow_mutations", "true"]).json();
    assert_eq!(
        (&set["data"]["key"], &set["data"]["after"]),
        (&"allow_mutations".into(), &"true".into())
    );
    assert!(
        fs_err::read_to_string(&file)
            .unwrap()
            .contains("# my own words")
    );
    assert!(run(&["settings"]).text().contains("allow_mutations = true"));
    let open = run(&["-j", "--dry-run", "daily:append", "content=x"]);
    assert_ne!(open.status, Some(77), "{open:?}");
    let before = fs_err::read(&file).unwrap();
    for words in [
        &["settings", "set", "nope", "1"][..],
        &["settings", "set", "tier", "v9"],
        &["settings", "set", "timeout_ms", "0"],
        &["settings", "set", "allow_mutations", "maybe"],
        &["settings", "set", "vault", "relative/path"],
        &["settings", "frobnicate"],
    ] {
        assert_told(&run(words), 64);
    }
    assert_eq!(fs_err::read(&file).unwrap(), before);
    let elsewhere = world.scratch().join("mine.toml");
    let elsewhere = elsewhere.to_str().unwrap();
    let set = run(&["--settings", elsewhere, "settings", "set", "tier", "v0"]);
    assert_eq!(set.status, Some(0), "{set:?}");
    assert_eq!(
        run(&["--settings", elsewhere, "--vault", "Notes", "files"]).status,
        Some(77)
    );
}

#[test]
fn doctor_looks_at_everything() {
    let world = world().with_fake(&Scenario::logged());
    let healthy = world.run(&["-j", "doctor"]);
    assert_eq!(healthy.status, Some(0));
    let envelope = healthy.json();
    let state = |name: &str| {
        let checks = envelope["data"]["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name);
        check.map_or_else(
            || "absent".to_owned(),
            |check| check["state"].as_str().unwrap().to_owned(),
        )
    };
    for (name, expected) in [
        ("settings", "ok"),
        ("bridge", "warning"),
        ("vault", "ok"),
        ("daily", "ok"),
        ("binary", "warning"),
        ("app", "ok"),
        ("version", "ok"),
        ("drift", "ok"),
    ] {
        assert_eq!(state(name), expected, "{name}: {envelope:#}");
    }
    let text = world.run(&["doctor"]);
    assert!(text.text().contains("Obsidian 1.12.7"), "{text:?}");
}

/// Rights that the file lends to whoever starts it are an attack on their lender.
#[cfg(unix)]
#[test]
fn c12_with_borrowed_rights_nothing_is_done() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = world();
    let checks = world.run(&["-j", "doctor"]).json()["data"]["checks"].clone();
    let is_root = rustix::process::geteuid().is_root();
    let account = &checks[0];
    assert_eq!(account["name"], "account");
    assert_eq!(account["state"], if is_root { "warning" } else { "ok" });
    let lends = rustix::fs::statvfs(world.scratch()).unwrap().f_flag;
    if !is_root || lends.contains(rustix::fs::StatVfsMountFlags::NOSUID) {
        // Only root can lend rights of somebody else, and only on such a file system.
        return;
    }
    let borrowed = world.scratch().join("vault-gw");
    fs_err::copy(env!("CARGO_BIN_EXE_vault-gw"), &borrowed).unwrap();
    for (owner, group, mode) in [(Some(12_345), None, 0o4755), (None, Some(12_345), 0o2755)] {
        fs_err::os::unix::fs::chown(&borrowed, owner, group).unwrap();
        let mode = std::fs::Permissions::from_mode(mode);
        fs_err::set_permissions(&borrowed, mode).unwrap();
        for words in [
            &["-j", "files"][..],
            &["-j", "settings", "set", "enabled", "true"],
        ] {
            world.write_settings();
            let mut program = world.command(&borrowed);
            program.args(words);
            let ran = crate::support::finish(program, b"");
            assert_eq!(ran.status, Some(77), "{ran:?}");
            let envelope = ran.json();
            assert_eq!(envelope["error"]["code"], "COMMAND_REFUSED");
            assert_eq!(envelope["error"]["details"]["reason"], "set-uid");
        }
        fs_err::os::unix::fs::chown(&borrowed, Some(0), Some(0)).unwrap();
    }
}

#[test]
fn doctor_on_a_bare_machine_says_what_to_do() {
    let mut world = world();
    let ran = world.run(&["doctor"]);
    assert_eq!(
        ran.status,
        Some(0),
        "the embedded engine can answer: {ran:?}"
    );
    let failed: Vec<&str> = ran
        .text()
        .lines()
        .filter(|line| line.starts_with("failed"))
        .collect();
    assert_eq!(failed.len(), 3, "{ran:?}");
    assert!(ran.text().contains("Looked for: "), "{ran:?}");
    world.settings.clear();
    world.home.write_registry(&[]).unwrap();
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.status, Some(66), "{ran:?}");
    assert!(ran.text().contains("--vault"));
    let json = world.run(&["-j", "doctor"]).json();
    assert_eq!(json["error"]["code"], "VAULT_NOT_FOUND");
    assert!(!json["data"]["checks"].as_array().unwrap().is_empty());
}

#[test]
fn doctor_warns_of_commands_that_nobody_knows() {
    let scenario = Scenario {
        version: Some("1.12.4 (installer 1.12.4)".to_owned()),
        ..Scenario::logged()
    };
    let completions = Action::Write {
        stream: Stream::Stdout,
        bytes: br#"{"read":[],"brand:new":[]}"#.to_vec().into(),
    };
    let scenario = scenario.always("__completions", [completions, Action::Exit { code: 0 }]);
    let ran = world().with_fake(&scenario).run(&["doctor"]);
    assert!(ran.text().contains("brand:new"), "{ran:?}");
    assert!(ran.text().contains("failed   version"), "{ran:?}");
}

#[test]
fn completions_and_the_man_page_are_the_published_ones() {
    let world = world();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (words, file) in [
        (
            &["completions", "bash"][..],
            "docs/completions/vault-gw.bash",
        ),
        (&["completions", "zsh"], "docs/completions/_vault-gw"),
        (&["completions", "fish"], "docs/completions/vault-gw.fish"),
        (
            &["completions", "powershell"],
            "docs/completions/_vault-gw.ps1",
        ),
        (&["man"], "docs/man/vault-gw.1"),
    ] {
        let ran = world.run(words);
        assert_eq!(ran.status, Some(0));
        assert_eq!(
            ran.text(),
            fs_err::read_to_string(root.join(file)).unwrap(),
            "{file}"
        );
    }
}

#[test]
fn the_demo_needs_nothing_and_leaves_nothing() {
    let world = world();
    let temporary = world.scratch();
    for home in [true, false] {
        let mut command = world.program();
        if !home {
            command.env_clear();
        }
        command.arg("demo").env("TMPDIR", &temporary);
        let ran = finish(command, b"");
        assert_eq!(ran.status, Some(0), "{ran:?}");
        for part in [
            "$ vault-gw daily:read\n",
            "Water the plants",
            "MUTATION_DISABLED",
            "PATH_ESCAPE",
            "+- [ ] Buy seeds",
            "Appended to: ",
            "Undid run ",
        ] {
            assert!(ran.text().contains(part), "{part}: {ran:?}");
        }
        assert_eq!(fs_err::read_dir(&temporary).unwrap().count(), 0);
    }
    let json = world.run(&["-j", "demo"]).json();
    assert_eq!(json["data"]["steps"].as_array().unwrap().len(), 9);
}

// F11: streams that fail, and users without a home.

#[test]
fn f11_a_reader_that_leaves_changes_nothing() {
    let world = world();
    world.write("long.md", "line\n".repeat(100_000));
    world.write_settings();
    for (words, status) in [
        (&["read", "path=long.md"][..], 0),
        (&["-j", "read", "path=long.md"], 0),
    ] {
        let mut child = world.program().args(words).spawn().unwrap();
        let mut first = [0];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let mut complaint = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaint)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status), "{complaint}");
        assert!(!complaint.contains("panicked"), "{complaint}");
    }
}

#[test]
fn f11_a_service_whose_reader_left_ends_quietly() {
    let world = world().set("enabled = true");
    world.write_settings();
    let mut child = world.program().arg("call").spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"{\"command\":\"vault\"}\n").unwrap();
    let mut complaint = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), complaint.as_str()),
        (Some(0), "")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn f11_a_full_disk_is_an_input_output_error() {
    let world = world().set("enabled = true");
    world.write_settings();
    let full = || {
        Stdio::from(
            std::fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
    };
    for words in [
        &["read", "path=Home.md"][..],
        &["-j", "read", "path=Home.md"],
        &["-j", "raed"],
        &["--help"],
        &["--version"],
        &["man"],
        &["call"],
    ] {
        let mut command = world.program();
        command.args(words).stdout(full());
        let ran = finish(command, b"{\"command\":\"vault\"}\n");
        assert_eq!(ran.status, Some(74), "{words:?} {ran:?}");
        assert!(
            words == ["call"] || ran.stderr.contains("tandard output"),
            "{ran:?}"
        );
        assert_calm(&ran);
    }
    let mut command = world.program();
    command.args(["raed"]).stdout(full()).stderr(full());
    assert_eq!(finish(command, b"").status, Some(64));
}

#[test]
fn f11_a_user_without_a_home_can_still_read() {
    let world = world();
    let vault = world.vault.to_str().unwrap();
    for home in [None, Some("/proc/nowhere"), Some("relative"), Some("")] {
        let mut command = world.program();
        command
            .env_clear()
            .args(["--vault", vault, "read", "path=Reading/Fields.md"]);
        command.envs(home.map(|home| ("HOME", home)));
        let ran = finish(command, b"");
        assert_eq!(ran.status, Some(0), "{home:?} {ran:?}");
        assert_eq!(ran.text(), world.read("Reading/Fields.md"));
        assert_eq!(ran.stderr, "");
        for words in [
            &["doctor"][..],
            &["settings", "path"],
            &["settings", "set", "tier", "v0"],
            &["demo"],
        ] {
            let mut command = world.program();
            command.env_clear().args(words);
            command.envs(home.map(|home| ("HOME", home)));
            assert_calm(&finish(command, b""));
        }
    }
}

#[test]
fn f11_everything_stays_calm_in_an_odd_place() {
    let world = world();
    world.write_settings();
    let gone = world.scratch().join("gone");
    for words in [
        &["read", "path=Home.md"][..],
        &["--help"],
        &["doctor"],
        &["--vault", "./x", "files"],
    ] {
        fs_err::create_dir_all(&gone).unwrap();
        let mut command = world.program();
        command.args(words).current_dir(&gone);
        let child = command.spawn().unwrap();
        fs_err::remove_dir_all(&gone).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code().is_some() && !stderr.contains("panicked"),
            "{stderr}"
        );
    }
}

#[test]
fn an_option_that_holds_back_is_heeded_or_refused() {
    let world = world()
        .with_fake(&Scenario::default())
        .set("enabled = true\nallow_mutations = true");
    let before = fs_err::read(world.vault.join("Home.md")).unwrap();
    let line = br#"{"command":"append","params":{"path":"Home.md","content":"x"}}"#;
    let ran = world.run_with_input(&["call", "--dry-run"], line);
    assert_eq!(ran.json()["data"]["dryRun"], true, "{ran:?}");
    let hash = "0".repeat(64);
    for words in [
        &["call", "--if-hash", &hash][..],
        &["settings", "set", "tier", "v0", "--dry-run"],
        &["demo", "--dry-run"],
    ] {
        let ran = world.run_with_input(words, line);
        assert_eq!(ran.status, Some(64), "{words:?} {ran:?}");
    }
    assert_eq!(fs_err::read(world.vault.join("Home.md")).unwrap(), before);
    assert!(!world.run(&["settings", "show"]).text().contains("\"v0\""));
}

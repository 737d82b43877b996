//! The program as somebody at a prompt, or a script, meets it.

mod help;
mod streams;
mod vault_choice;
mod verbs;

use std::path::{Path, PathBuf};

use fake_obsidian::app::Mode;
use fake_obsidian::scenario::{Action, Scenario, Stream};
use vault_gw::allowlist::Catalogue;
use vault_gw::gateway::{Caller, Gateway, Options};
use vault_gw::protocol::Code;

use crate::support::{Outcome as _, Ran, World, asked, finish, has, lacks, write_private};

const CASES: &str = include_str!("data/cli.txt");

fn world() -> World {
    World::with_fixture_vault()
}

/// The code and the message of an error in words.
#[track_caller]
fn split_error(error: &str) -> (&str, &str) {
    let error = error.strip_prefix("error[").unwrap();
    error.split_once("]: ").unwrap()
}

/// Printed nothing to stdout, and told in plain words on stderr what went wrong and what to do.
#[track_caller]
fn assert_reported(ran: &Ran, status: u8) {
    assert_eq!(ran.status, Some(status.into()), "{ran:?}");
    ran.prints("");
    let mut lines = ran.stderr.lines();
    let (code, message) = split_error(lines.next().expect("an error"));
    let code = Code::named(code).unwrap();
    assert_eq!(code.exit(), status, "{ran:?}");
    let hints = lines.map(|line| line.strip_prefix("hint: ").expect("a hint"));
    let hints: Vec<&str> = hints.collect();
    assert!(hints.len() <= 3, "{ran:?}");
    assert!(!hints.contains(&message), "{ran:?}");
    for sentence in [message].iter().chain(&hints) {
        assert!(sentence.ends_with(['.', '?', '!', '`']), "{ran:?}");
        let is_of_a_file = sentence.starts_with("settings.toml");
        let is_lower = sentence.starts_with(char::is_lowercase);
        assert!(is_of_a_file || !is_lower, "{ran:?}");
    }
    assert_calm(ran);
}

/// Runs a line that is refused with this status.
#[track_caller]
fn refused(world: &World, line: &str, status: u8) -> Ran {
    let ran = world.run_line(line);
    assert_reported(&ran, status);
    ran
}

/// Runs the words of a line in this folder.
fn run_in(world: &World, folder: &Path, line: &str) -> Ran {
    let mut command = world.program();
    command.args(line.split(' ')).current_dir(folder);
    finish(command, b"")
}

/// A note in a new folder, which is the vault of somebody if it is registered.
fn another_vault(world: &World, name: &str) -> PathBuf {
    let folder = world.scratch().join(name);
    fs_err::create_dir_all(folder.join(".obsidian")).unwrap();
    fs_err::write(folder.join("a.md"), "of the other").unwrap();
    folder
}

/// An agent whose vault is named so.
fn agent_of(world: &World, vault: &str) -> Gateway {
    world.gateway_with(Options {
        vault: Some(vault.to_owned()),
        ..Options::new(Caller::Agent)
    })
}

/// Nothing that looks like a crash.
#[track_caller]
fn assert_calm(ran: &Ran) {
    for word in ["panicked", "RUST_BACKTRACE", "src/"] {
        ran.omits(word);
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
        ran.ended(0);
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
        ran.ended(0);
        assert_eq!(ran.stdout, bytes, "{path}: {ran:?}");
    }
}

#[test]
fn lists_and_numbers_are_printed_as_the_official_program_does() {
    let world = world();
    for [line, text, shown] in tables::section(CASES, "lists and numbers are printed") {
        let ran = world.run_line(line);
        ran.ended(0);
        assert_eq!((ran.text(), ran.stderr.as_str()), (text, shown), "{line}");
    }
}

#[test]
fn warnings_go_to_standard_error() {
    let ran = world().run_line("read file=Log");
    ran.ended(0);
    assert!(ran.text().starts_with("# Log"));
    let is_reported = ran.stderr.starts_with("warning: 2 notes have this name");
    assert!(is_reported, "{ran:?}");
}

#[test]
fn what_is_left_out_of_a_long_output_is_said() {
    let ran = world().set("max_output_bytes = 100");
    let ran = ran.run_line("read path=Home.md");
    ran.ended(0);
    assert_eq!(ran.stdout.len(), 100);
    ran.reports("bytes are omitted");
    ran.reports("`--offset 100` to the command for more");
    // With the default, a text is whole, because it does not say where it was cut.
    let world = world();
    world.write("Long.md", "word\n".repeat(300_000));
    let ran = world.run_line("read path=Long.md");
    ran.ended(0);
    assert_eq!(ran.stdout.len(), 1_500_000);
    let json = world.run_line("read path=Long.md --json");
    assert_eq!(json.json()["status"], "partial");
}

#[test]
fn verbose_reports_who_answered() {
    let world = world();
    let ran = world.run_line("-v read path=Home.md");
    ran.reports("\nnote: answered without the app in ");
    let missing = world.run_line("read path=nope.md --verbose");
    missing.reports("\nnote: ");
    world.run_line("-v read").reports("\nnote: nothing was run");
    assert!(world.run_line("read path=Home.md").stderr.is_empty());
}

#[test]
fn a_dry_run_says_what_would_happen() {
    world().run_line("--dry-run read file=Garden").prints("Nothing was run. It would be answered by the embedded engine.\neffects: read\nnote: Projects/Garden/Garden.md\n");
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
        ran.reports("error[UNKNOWN_COMMAND]: ");
        ran.omits("\u{1b}");
    }
}

#[test]
fn f05_control_sequences_of_the_caller_are_not_echoed() {
    let world = world();
    let forged = "x\r\nerror: forged";
    for word in ["\u{1b}]0;owned\u{7}", "a\u{9b}31m", forged, "\u{202e}daer"] {
        for line in tables::lines(CASES, "f05 control sequences of the caller") {
            let ran = world.run_line(&line.replace("WORD", word));
            assert_ne!(ran.status, Some(0), "{line}");
            let errors = ran.stderr.lines().filter(|line| line.starts_with("error"));
            assert_eq!(errors.count(), 1, "{line}: {ran:?}");
            let forbidden = ['\u{1b}', '\u{9b}', '\u{7}', '\r', '\u{202e}'];
            assert!(!ran.stderr.contains(forbidden), "{ran:?}");
        }
    }
}

// Exit statuses.

#[test]
fn every_family_of_codes_has_its_exit_status_in_both_modes() {
    let mut world = world().set("allow_mutations = true");
    world.write("Projects/Beat/Log.md", "as long a path as the boat's");
    let wrong_hash = format!("--if-hash {} read path=Home.md", "0".repeat(64));
    for (words, expected) in [
        ("read", Code::UsageError),
        ("read nope=1", Code::UsageError),
        ("raed", Code::UnknownCommand),
        ("read path=Projects", Code::ValidationError),
        ("read file=Log", Code::AmbiguousTarget),
        ("read path=nope.md", Code::FileNotFound),
        ("folder path=Nope", Code::FolderNotFound),
        ("--vault Nope files", Code::VaultNotFound),
        ("--settings /none/settings.toml files", Code::ConfigMissing),
        ("--backend obsidian files", Code::AppNotRunning),
        ("--backend embedded tabs", Code::RequiresApp),
        ("eval code=1", Code::CommandRefused),
        ("--tier v0 files", Code::TierClosed),
        ("delete path=Home.md", Code::ApprovalRequired),
        ("read path=.obsidian/app.json", Code::PathDenied),
        ("read path=../../etc/passwd", Code::PathEscape),
        ("publish:add path=Home.md", Code::MutationDisabled),
        (&wrong_hash, Code::PreconditionFailed),
    ] {
        both_modes(&world, words, expected);
    }
    world.start_app(Mode::Normal);
    both_modes(&world, "--backend obsidian files", Code::CliUnavailable);
}

#[test]
fn failures_of_the_official_program_have_their_exit_status() {
    let printed = |text: &str, code| {
        let bytes = text.as_bytes().to_vec().into();
        let stream = Stream::Stdout;
        vec![Action::Write { stream, bytes }, Action::Exit { code }]
    };
    let odd = printed("Error: Something odd happened.\n", 0);
    let taken = printed("Error: Destination file already exists!\n", 0);
    for (actions, expected) in [
        (printed("", 3), Code::CliExitNonzero),
        (odd, Code::CliReportedError),
        (vec![Action::NotEnabled], Code::CliDisabled),
        (taken, Code::FileExists),
        (vec![Action::Hang], Code::Timeout),
    ] {
        let world = world()
            .set("backend = \"obsidian\"\ntimeout_ms = 3000")
            .with_fake(&Scenario::logged().always("files", actions));
        both_modes(&world, "files", expected);
    }
}

/// Runs the words of a line in text mode and in JSON mode.
fn both_modes(world: &World, line: &str, expected: Code) {
    let text = world.run_line(line);
    assert_reported(&text, expected.exit());
    let json = world.run_line(&format!("--json {line}"));
    json.ended(expected.exit().into());
    assert!(json.stderr.is_empty(), "{json:?}");
    let envelope = json.json();
    let code = expected.name();
    assert_eq!(envelope["error"]["code"], code, "{line}: {envelope:#}");
    // A message that says what to do has no advice beside it.
    if let Some(advice) = envelope["advice"].get(0) {
        assert_eq!(advice["code"], "REMEDY");
    }
    // A person gets the next step in lines of their own.
    let message = envelope["error"]["message"].as_str().unwrap();
    let (_, what) = split_error(text.stderr.lines().next().unwrap());
    let what = what.replace("`--if-hash`", "`ifHash`");
    let first = what.split(". ").next().unwrap();
    assert!(message.starts_with(first), "{message}: {text:?}");
}

#[test]
fn unsafe_or_mistaken_settings_are_refused() {
    let mut world = world();
    world.settings.push_str("alow_mutations = true\n");
    let ran = refused(&world, "files", 78);
    ran.reports("line 2");
    ran.reports("allow_mutations");
}

#[cfg(unix)]
#[test]
fn h05_settings_that_others_can_write_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = world();
    let file = world.write_settings();
    fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    for words in [&["files"][..], &["settings", "set", "tier", "v1"]] {
        let ran = world.run_as_it_is(words, b"");
        assert_reported(&ran, 78);
        ran.reports("chmod");
    }
    // Who looks for what is wrong is told that beside the rest.
    let ran = world.run_as_it_is(&["doctor"], b"");
    ran.ended(78);
    ran.shows("chmod");
    let inside = world.vault.join("settings.toml");
    write_private(&inside, "");
    let line = format!("--settings {} --vault Notes files", inside.display());
    assert_reported(&world.run_line(&line), 78);
}

// JSON mode.

#[test]
fn every_spelling_of_json_works_before_and_after_the_command() {
    let world = world();
    for spelling in tables::lines(CASES, "every spelling of json works before") {
        let before = format!("{spelling} daily:path");
        for line in [before, format!("daily:path {spelling}")] {
            let envelope = world.run_line(&line).json();
            assert_eq!(envelope["command"], "daily:path", "{line}");
            assert_eq!(envelope["exitCode"], 0, "{line}");
        }
        let wrong = world.run_line(&format!("--nonsense {spelling}")).json();
        assert_eq!(wrong["error"]["code"], "USAGE_ERROR", "{spelling}");
    }
    let text = world.run_line("--json -o text files total");
    assert_eq!(text.text(), "28\n", "the last one counts");
}

#[test]
fn mistakes_in_the_words_are_envelopes_in_json_mode() {
    let world = world();
    for line in tables::lines(CASES, "mistakes in the words are envelopes") {
        let ran = world.run_line(line);
        ran.ended(64);
        let envelope = ran.json();
        assert_eq!(envelope["error"]["code"], "USAGE_ERROR", "{line}");
        let message = envelope["error"]["message"].as_str().unwrap();
        assert!(message.ends_with(['.', '?']), "{line}: {message}");
        assert!(!message.contains("::"), "{line}: {message}");
    }
}

#[cfg(unix)]
#[test]
fn words_that_are_not_utf8_are_an_error_like_any_other() {
    use std::os::unix::ffi::OsStringExt as _;

    let world = world();
    for json in [false, true] {
        let mut command = world.program();
        command.args(json.then_some("--json")).arg("read");
        let path = b"path=\xff.md".to_vec();
        command.arg(std::ffi::OsString::from_vec(path));
        let ran = finish(command, b"");
        ran.ended(64);
        if json {
            ran.json().fails_with("USAGE_ERROR");
        } else {
            assert_reported(&ran, 64);
        }
    }
}

#[test]
fn the_options_of_the_envelope_do_what_they_say() {
    let world = world();
    let id = "3f0a7f62-9f0c-4b7e-8a52-0d4f6a4c2b11";
    let options = format!("--correlation-id me-1 --run-id {id} --include-timestamp");
    let envelope = world
        .run_line(&format!("-j vault info=name {options}"))
        .json();
    assert_eq!(envelope["correlationId"], "me-1");
    assert_eq!(envelope["runId"], id);
    let time = envelope["timestamp"].as_str().unwrap();
    let is_utc = time.parse::<jiff::Timestamp>().is_ok() && time.ends_with('Z');
    assert!(is_utc, "{time}");
    let keys: Vec<&str> = envelope
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    let run = "schemaVersion command success status exitCode durationMs stdout stderr runId";
    let rest = "timestamp summary params data warnings violations advice meta";
    assert_eq!(keys.join(" "), format!("{run} correlationId {rest}"));
    assert!(world.run_line("-j vault").json().get("timestamp").is_none());
}

// The official syntax.

#[test]
fn the_vault_may_be_named_first_as_the_official_program_has_it() {
    let world = world();
    let other = another_vault(&world, "Other");
    let both = [world.vault.as_path(), other.as_path()];
    world.home.register(both).unwrap();
    let by_path = format!("read path=a.md --vault {}", other.display());
    for line in [
        "vault=Other read path=a.md",
        "--vault Other read path=a.md",
        &by_path,
        "--vault ./Other read path=a.md",
        "--vault=Other -- read path=a.md",
    ] {
        let ran = world.run_line(line);
        ran.prints("of the other");
        ran.ended(0);
    }
    assert_reported(&world.run_line("read vault=Other path=a.md"), 64);
    world.home.register([world.vault.as_path()]).unwrap();
    let ran = refused(&world, "--vault Other files", 66);
    ran.reports("`./Other`");
}

#[test]
fn a_vault_is_named_by_its_id_too_which_parts_two_of_one_name() {
    let world = world();
    let other = another_vault(&world, "Notes");
    let both = [world.vault.as_path(), other.as_path()];
    let known = world.home.register(both).unwrap();
    let by_name = refused(&world, "vault=Notes read path=a.md", 65);
    for vault in &known {
        by_name.reports(&format!("(id `{}`)", vault.id));
    }
    let by_id = format!("vault={} read path=a.md", known[1].id);
    world.run_line(&by_id).prints("of the other");
}

#[test]
fn who_names_no_vault_or_a_wrong_one_learns_what_there_is() {
    let mut world = world();
    let gone = world.scratch().join("Gone");
    fs_err::create_dir_all(&gone).unwrap();
    world.home.register([gone.as_path()]).unwrap();
    let wrong = refused(&world, "--vault Nots files", 66);
    wrong.reports("`Gone`");
    // An agent is told of no other vault.
    let shown = agent_of(&world, "Nots").call(&asked("files")).to_json();
    has(&shown, &["VAULT_NOT_FOUND"]);
    lacks(&shown, &["Gone"]);
    // The one that was open last is on a disk that does not exist.
    fs_err::remove_dir(&gone).unwrap();
    world.settings.clear();
    let last = refused(&world, "files", 66);
    last.reports("vault that Obsidian opened last");
    // A list that cannot be read is no matter to who stands in a vault.
    fs_err::write(world.home.registry_file(), "{").unwrap();
    let broken = refused(&world, "files", 78);
    broken.omits("settings path");
    run_in(&world, &world.vault, "vault info=name").prints("Notes\n");
}

#[test]
fn a_person_learns_which_folder_is_no_vault_and_an_agent_is_not() {
    let world = world();
    let file = world.vault.join("Home.md");
    let gone = world.scratch().join("Nope");
    for (path, why) in [(&file, "is a file"), (&gone, "does not exist")] {
        let path = path.to_str().unwrap();
        let ran = world.run(&["--vault", path, "files"]);
        assert_reported(&ran, 66);
        ran.reports(&format!("`{path}` {why}"));
        let shown = agent_of(&world, path).call(&asked("files")).to_json();
        has(&shown, &["VAULT_NOT_FOUND"]);
        lacks(&shown, &[path]);
    }
}

#[test]
fn a_value_that_cannot_be_read_is_answered_with_what_the_option_takes() {
    let world = world();
    for [line, shown] in tables::section(CASES, "a value that cannot be read is answered") {
        let ran = refused(&world, line, 64);
        let (_, message) = split_error(&ran.stderr);
        assert!(message.starts_with(shown), "{ran:?}");
    }
}

#[test]
fn a_hint_leads_on_and_says_nothing_twice() {
    let world = world().set("allow_mutations = true");
    world.write("Home.md", "x");
    let version = world.run_line("version");
    version.reports("`vault-gw --version`");
    let taken = world.run_line("create path=Home.md content=x");
    assert_eq!(taken.stderr.matches("overwrite").count(), 1, "{taken:?}");
    // `file` of `bookmark` is a path, so a name would be refused again.
    for name in ["Home", "home.md"] {
        let wrong = world.run_line(&format!("bookmark file={name}"));
        wrong.reports("Did you mean `Home.md`?");
    }
    let closed = self::world().run_line("append Home x");
    let named = closed.stderr.matches("allow_mutations").count();
    assert_eq!(named, 1, "{closed:?}");
    let help = world.run_line("help daily:append");
    help.shows("Where to open the note. (adds: ui)");
}

#[test]
fn without_a_home_nothing_is_said_to_be_answered() {
    let world = World::empty();
    let homeless = |words: &[&str]| {
        let mut program = world.program();
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "USERPROFILE"] {
            program.env_remove(name);
        }
        program.args(words);
        finish(program, b"")
    };
    let ran = homeless(&["files"]);
    ran.reports("is not in the audit log");
    ran.omits("was answered");
    let ran = homeless(&["settings", "path"]);
    ran.reports("`HOME`");
    ran.omits("creates the file");
}

#[test]
fn a_path_rule_that_names_a_folder_is_warned_of() {
    let world = world();
    world.write("Plans/a.md", "x");
    let vault = world.vault.to_str().unwrap();
    let run = |words: &[&str]| world.run_as_it_is(words, b"");
    run(&["settings", "set", "vault", vault]).ended(0);
    let set = |key: &str, value: &str, message: &str| {
        let set = run(&["settings", "set", key, value]);
        set.ended(0);
        set.reports(message);
        run(&["doctor"]).shows(message);
    };
    for (key, value) in [
        ("paths.read", "Plans"),
        ("agents.helper.paths.write", "[\"Plans\", \"*.md\"]"),
    ] {
        let only =
            "matches only the folder, not the notes in it. To match the notes, write `Plans/**`.";
        set(key, value, &format!("`Plans` in `{key}` {only}"));
        run(&["settings", "unset", key]).ended(0);
    }
    run(&["settings", "set", "paths.read", "Plans/**"]).omits("matches");
    for value in ["Plans", "**/A.MD", ".trash/**"] {
        run(&["settings", "set", "paths.deny", value]).omits("matches");
    }
    for (value, meant) in [
        ("Plans/a", " Did you mean `Plans/a.md`?"),
        ("Plan/**", ""),
        ("a.md", ""),
    ] {
        let key = "agents.helper.paths.deny";
        let none = "matches no file of the vault, so it closes nothing.";
        set(key, value, &format!("`{value}` in `{key}` {none}{meant}"));
    }
}

#[test]
fn a_folder_of_the_settings_has_to_be_there_and_what_is_not_set_is_named() {
    let world = world();
    let run = |words: &[&str]| world.run_as_it_is(words, b"");
    let gone = world.scratch().join("gone");
    for key in ["export_folder", "import_folder"] {
        let ran = run(&["settings", "set", key, gone.to_str().unwrap()]);
        assert_reported(&ran, 64);
        ran.reports("does not exist");
        let there = world.scratch();
        let there = there.to_str().unwrap();
        run(&["settings", "set", key, there]).ended(0);
        run(&["settings", "set", key, ""]).ended(0);
        let inside = world.vault.join("Exports");
        fs_err::create_dir_all(&inside).unwrap();
        let ran = run(&["settings", "set", key, inside.to_str().unwrap()]);
        assert_reported(&ran, 78);
        ran.reports("overlaps with the vault");
    }
    let shown = run(&["settings", "show"]);
    let (_, unset) = shown.text().split_once("# Not set: ").unwrap();
    has(&unset, &["vault, "]);
    lacks(&unset, &["tier"]);
}

#[test]
fn a_hint_changes_the_settings_file_that_was_given() {
    let world = world();
    let file = world.scratch().join("my settings.toml");
    let named = file.to_str().unwrap();
    let ran = world.run_as_it_is(&["--settings", named, "files"], b"");
    let typed = format!("`vault-gw --settings '{named}' settings set KEY VALUE`");
    ran.reports(&typed);
    fs_err::write(&file, "").unwrap();
    let vault = world.vault.to_str().unwrap();
    let line = format!("--settings '{named}' --vault '{vault}' append path=Home.md content=x");
    let ran = world.run_line_as_it_is(&line);
    let typed = format!("`vault-gw --settings '{named}' settings set allow_mutations me`");
    ran.reports(&typed);
}

#[test]
fn somebody_who_stands_in_a_vault_works_on_it() {
    let mut world = world();
    world.settings.clear();
    world.home.write_registry(&[]).unwrap();
    world.write_settings();
    let inside = world.vault.join("Projects/Boat");
    run_in(&world, &inside, "vault info=name").prints("Notes\n");
    let nowhere = refused(&world, "files", 66);
    nowhere.reports("--vault");
}

#[test]
fn one_bare_word_is_the_obvious_parameter() {
    let world = world().set("allow_mutations = true\nbackend = \"embedded\"");
    for [bare, named] in tables::section(CASES, "one bare word is the obvious parameter") {
        let (bare, named) = (world.run_line(bare), world.run_line(named));
        bare.ended(0);
        assert_eq!(bare.stdout, named.stdout, "{bare:?}");
    }
    assert_eq!(world.run_line("create Test").text(), "Created: Test.md\n");
    let help = world.run_line("help create");
    help.shows("vault-gw create <name> [<text>]\n");
}

#[test]
fn an_error_carries_the_code_that_explain_explains() {
    let mut world = world().set("backend = \"embedded\"");
    let missing = refused(&world, "read Nope", 66);
    missing.reports("error[FILE_NOT_FOUND]: ");
    let explained = world.run_line("explain 66");
    explained.shows("66 (exit status): not found\n");
    explained.shows("FILE_NOT_FOUND");
    explained.shows("VAULT_NOT_SET");
    let statuses = Code::ALL.map(Code::exit).into_iter();
    for status in statuses.chain([0, 1, 130, 143]) {
        world.run(&["explain", &status.to_string()]).ended(0);
    }
    assert_reported(&world.run_line("explain 67"), 64);
    // What adds to a note names what makes one.
    let writes = self::world().set("allow_mutations = true\nbackend = \"embedded\"");
    let missing = writes.run_line("append Nope content=x");
    assert_reported(&missing, 66);
    missing.reports("To make a new note, use `vault-gw create`");
    // Without a vault a person learns how to take the folder where they stand.
    world.settings.clear();
    world.home.write_registry(&[]).unwrap();
    world.write_settings();
    let plain = world.scratch().join("plain");
    fs_err::create_dir_all(&plain).unwrap();
    let here = |line| run_in(&world, &plain, line);
    let nothing = here("files");
    assert_reported(&nothing, 66);
    nothing.reports("error[VAULT_NOT_SET]: ");
    nothing.reports("`vault-gw setup`");
    fs_err::write(plain.join("a.md"), "a").unwrap();
    let notes = here("files");
    assert_reported(&notes, 66);
    notes.reports("`vault-gw setup --vault .`");
    notes.omits("Change to");
    here("--vault . files").prints("a.md\n");
}

#[test]
fn words_of_a_shell_lead_to_the_command() {
    let world = world();
    for [word, meant] in tables::section(CASES, "words of a shell lead to the command") {
        let ran = world.run(&[word, "x"]);
        assert_reported(&ran, 64);
        ran.reports(meant);
        // The command is one.
        let id = meant.trim_matches('`').split(' ').nth(1).unwrap();
        assert!(Catalogue::find_builtin(id).is_ok(), "{id}");
    }
}

#[test]
fn a_bare_value_is_met_with_the_right_way_to_write_it() {
    let world = world();
    for [line, right] in tables::section(CASES, "a bare value is met with the right way") {
        let ran = refused(&world, line, 64);
        ran.reports(right);
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
    let bound = ["call", "--if-hash", &hash];
    world.run_with_input(&bound, line).ended(64);
    for line in ["settings set tier v0 --dry-run", "demo --dry-run"] {
        world.run_line(line).ended(64);
    }
    assert_eq!(fs_err::read(world.vault.join("Home.md")).unwrap(), before);
    assert!(!world.run_line("settings show").text().contains("\"v0\""));
}

#[test]
fn help_takes_options_around_it_and_parts_of_verbs() {
    let world = world();
    let general = world.run_line("help");
    let read = world.run_line("help read");
    for line in ["--vault X help", "help help", "-v help"] {
        assert_eq!(world.run_line(line).text(), general.text(), "{line}");
    }
    let embedded = "--backend embedded help read";
    for line in [embedded, "help -v read", "help read --vault X"] {
        assert_eq!(world.run_line(line).text(), read.text(), "{line}");
    }
    let part = world.run_line("help settings set");
    part.shows("Usage: vault-gw settings set");
    part.shows_not("see more");
    let json = world.run_line("help read -j").json();
    assert_eq!(json["data"]["text"], read.text());
    for line in ["help read files", "help settings nope", "help --nope"] {
        assert_reported(&world.run_line(line), 64);
    }
}

#[test]
fn help_pages_keep_names_and_what_they_are_apart() {
    let world = world();
    for command in Catalogue::builtin().unwrap().commands() {
        let page = world_help(&world, &command.id);
        for param in &command.params {
            let usage = param.usage();
            let mut lines = page.lines();
            let line = lines.find(|line| line.trim_start().starts_with(&usage));
            let rest = line.unwrap().trim_start().strip_prefix(&usage).unwrap();
            assert!(rest.is_empty() || rest.starts_with(' '), "{page}");
            let about = line.unwrap().get(31..).unwrap_or(" ");
            assert!(rest.is_empty() || !about.starts_with(' '), "{page}");
        }
    }
}

fn world_help(world: &World, command: &str) -> String {
    let ran = world.run_as_it_is(&["help", command], b"");
    ran.text().to_owned()
}

#[test]
fn what_is_written_with_dashes_is_shown_without() {
    let world = world();
    for (line, right) in [
        ("files --total", "`total`"),
        ("read --path Home.md", "`path=<path>`"),
        ("read --file=Home", "`file=<name>`"),
    ] {
        let ran = refused(&world, line, 64);
        ran.reports(right);
        ran.omits("as a value");
    }
    // A mistyped option is still told from its neighbour.
    let ran = refused(&world, "files --bakend embedded", 64);
    ran.reports("'--backend'");
}

#[test]
fn a_refusal_at_the_prompt_names_the_words_that_help() {
    let world = world()
        .set("allow_mutations = true")
        .with_tables("[agents.helper]");
    let delete = ["delete", "path=Reading/Orphan.md"];
    let ran = world.run(&delete);
    assert_reported(&ran, 77);
    ran.reports("`--yes`");
    ran.reports("`--dry-run`");
    let as_agent = world.run(&[&["--agent", "helper"], &delete[..]].concat());
    as_agent.omits("`--yes`");
    let as_agent = refused(&world, "--agent helper --tier v0 files", 77);
    as_agent.omits("settings set");
    let closed = refused(&world, "--tier v0 files", 77);
    closed.reports("`--tier`");
    closed.omits("settings set tier");
    for (option, value) in [("--correlation-id", "a b"), ("--if-hash", "abc")] {
        let ran = world.run(&[option, value, "read", "path=Home.md"]);
        assert_reported(&ran, 64);
        ran.reports(option);
    }
}

#[test]
fn the_doctor_looks_at_the_rest_where_the_settings_are_broken() {
    let world = world().set("nope = 1");
    let ran = world.run_line("doctor");
    ran.ended(78);
    for part in "failed   settings|`nope` is not a setting|binary|skipped  vault".split('|') {
        ran.shows(part);
    }
    let vault = world.vault.to_str().unwrap();
    let ran = world.run(&["doctor", "--vault", vault]);
    ran.shows("ok       vault");
    ran.ended(78);
    let json = world.run_line("-j doctor").json();
    assert_eq!(json["error"]["code"], "CONFIG_INVALID");
    assert!(json["data"]["checks"].as_array().unwrap().len() > 3);
}

/// What a command is stands in no settings.
#[test]
fn explain_reports_what_it_can_where_the_settings_are_broken() {
    let world = world().set("nope = 1");
    let ran = world.run_line("explain daily:append");
    ran.ended(78);
    for part in [
        "Append text to today's daily note",
        "Here:          not known. settings.toml, line 1: `nope` is not a setting",
        "vault-gw daily:append content=<text>",
    ] {
        ran.shows(part);
    }
    ran.shows_not("To open it");
    let json = world.run_line("-j explain daily:append").json();
    assert_eq!(json["error"]["code"], "CONFIG_INVALID");
    assert_eq!(json["data"]["id"], "daily:append");
    assert_eq!(json["data"].get("open"), None, "{json:#}");
    // What needs no settings is told as ever.
    world.run_line("explain TIMEOUT").ended(0);
    world.run_line("explain eval").ended(0);
}

#[test]
fn ids_given_to_a_verb_are_echoed_or_refused_and_never_dropped() {
    const RUN: &str = "550e8400-e29b-41d4-a716-446655440000";
    let world = world().set("allow_mutations = true\nenabled = true");
    for verb in ["settings path", "help", "context", "doctor"] {
        let ran = world.run_line(&format!("-j --run-id {RUN} --correlation-id c1 {verb}"));
        let envelope = ran.json();
        assert_eq!(envelope["runId"], RUN, "{verb}");
        assert_eq!(envelope["correlationId"], "c1", "{verb}");
    }
    for (option, value) in [
        ("--run-id", "550e8400-e29b-11d4-a716-446655440000"),
        ("--correlation-id", "a b"),
    ] {
        let ran = world.run(&[option, value, "settings", "path"]);
        assert_reported(&ran, 64);
        ran.reports(option);
    }
    // Requests have ids of their own, and an undoing is named by the journal.
    for verb in ["call", "undo"] {
        for (option, value) in [("--run-id", RUN), ("--correlation-id", "c1")] {
            world.run(&[option, value, verb]).ended(64);
        }
    }
}

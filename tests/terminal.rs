//! What a person sees on a real terminal, and what their answers do (`threats.toml` F05, K07, I14).

mod completion;
mod snapshots;

use std::sync::LazyLock;

use fake_obsidian::scenario::Scenario;
use serde_json::json;

use crate::support::pty::{Pty, Session};
use crate::support::{Outcome as _, World, answer, executable, has, lacks};

const CASES: &str = include_str!("data/terminal.txt");

/// What notes may hold against a terminal, and the text that is left of it there: colours, the
/// screen cleared, the clipboard set, a link that is not what it says, a window's title, C1 forms of
/// them, a forged line, text in another direction, and bare controls.
static ATTACKS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "attacks"));

fn hostile_note() -> String {
    ATTACKS
        .iter()
        .map(|(line, _)| format!("{line}\n"))
        .collect()
}

/// Nothing on the screen but text: no control but the line breaks and tabs that a terminal makes of
/// ours, and nothing that turns the direction of the rest.
#[track_caller]
fn assert_only_text(seen: &[u8]) {
    let text = std::str::from_utf8(seen).expect("UTF-8");
    let dangerous = |character: char| {
        (character.is_control() && !matches!(character, '\n' | '\t'))
            || matches!(
                character,
                '\u{61c}'
                    | '\u{200e}'
                    | '\u{200f}'
                    | '\u{202a}'..='\u{202e}'
                    | '\u{2066}'..='\u{2069}'
            )
    };
    let lines = text.replace("\r\n", "\n");
    assert!(!lines.contains(dangerous), "{lines:?}");
}

/// A program at a terminal, without colours of its own.
fn at_a_terminal(world: &World, words: &[&str]) -> Session {
    let mut program = world.prepared(words);
    program.env("NO_COLOR", "1");
    Pty::new().start(program)
}

fn seen(world: &World, words: &[&str]) -> (Option<i32>, Vec<u8>) {
    let (status, screen, _) = at_a_terminal(world, words).finish();
    (status, screen)
}

#[test]
fn f05_no_sequence_of_a_note_reaches_a_terminal() {
    let cleaned: String = ATTACKS
        .iter()
        .map(|(_, clean)| format!("{clean}\r\n"))
        .collect();
    for backend in ["embedded", "obsidian"] {
        let world = World::empty()
            .with_fake(&Scenario::logged())
            .set(&format!("backend = {backend:?}"));
        world.write("attack.md", hostile_note());
        let (status, screen) = seen(&world, &["read", "path=attack.md"]);
        assert_eq!(status, Some(0));
        assert_only_text(&screen);
        assert_eq!(String::from_utf8(screen).unwrap(), cleaned, "{backend}");
        // The whole envelope on the screen: nothing is taken out, all of it is escaped.
        let (status, screen) = seen(&world, &["-j", "read", "path=attack.md"]);
        assert_eq!(status, Some(0));
        assert_only_text(&screen);
        let envelope: serde_json::Value = serde_json::from_slice(&screen).unwrap();
        assert_eq!(envelope["data"]["content"], hostile_note(), "{backend}");
    }
}

#[test]
fn f05_no_answer_at_a_terminal_holds_a_sequence() {
    let world = World::empty().set("backend = \"embedded\"");
    let note = hostile_note();
    world.write("attack.md", &note);
    // As properties, tags, headings, tasks and links too.
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}evil";
    let rich = format!(
        "---\n\"ti{evil}tle\": \"{}\"\ntags: [a]\n---\n# {evil}\n- [ ] {evil}\n[[{evil}]] #t{evil}\n",
        "x\\u001b[2J\\u009b\\u202e"
    );
    world.write("rich.md", rich);
    world.write(&format!("name{evil}.md"), "x\n");
    for words in [
        &["files"][..],
        &["search", "query=evil"],
        &["search:context", "query=evil"],
        &["outline", "path=rich.md"],
        &["properties", "path=rich.md"],
        &["tags"],
        &["tasks"],
        &["links", "path=rich.md"],
        &["unresolved"],
        &["read", "file=rich"],
        &["read", evil],
        &["read", &format!("path={evil}")],
        &["read", &format!("{evil}=x")],
        &[evil],
        &["explain", evil],
        &["--vault", evil, "files"],
        &["context"],
        &["audit"],
    ] {
        let (status, screen) = seen(&world, words);
        assert!(status.is_some(), "{words:?}");
        assert!(!screen.is_empty(), "{words:?}");
        assert_only_text(&screen);
    }
    // In colour too, every sequence is one of ours.
    let mut program = world.prepared(&["read", evil]);
    program.env("TERM", "xterm");
    let (_, screen, _) = Pty::new().start(program).finish();
    let text = String::from_utf8(screen).unwrap();
    let ours = ["1", "31", "36", "0"]
        .iter()
        .fold(text.clone(), |text, code| {
            text.replace(&format!("\u{1b}[{code}m"), "")
        });
    assert_ne!(ours, text);
    assert_only_text(ours.as_bytes());
}

#[test]
fn settings_edited_by_hand_are_taken_only_if_they_are_valid() {
    let world = World::empty().set("enabled = true");
    let file = world.settings_file();
    world.write_settings();
    let editor = world.scratch().join("editor");
    let edit = |script: &str| {
        executable(&editor, format!("#!/bin/sh\n{script}\n"));
        // Without new settings before each run.
        let mut program = world.program();
        program
            .args(["--no-pager", "settings", "edit"])
            .env("NO_COLOR", "1")
            .env("EDITOR", &editor);
        let (status, screen, _) = Pty::sized(200, 24).start(program).finish();
        (status, String::from_utf8(screen).unwrap())
    };
    let text = || fs_err::read_to_string(&file).unwrap();
    let left = || -> Vec<String> {
        let names = fs_err::read_dir(file.parent().unwrap()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with(".settings-"))
            .collect()
    };
    let copies = || left().len();
    let before = text();
    let (status, screen) = edit("exit 0");
    assert_eq!((status, text()), (Some(0), before.clone()), "{screen}");
    assert!(screen.contains("is unchanged"), "{screen}");
    let (status, screen) = edit("printf '\\ntier = \"v1\"\\n' >> \"$1\"");
    assert_eq!(status, Some(0), "{screen}");
    assert_eq!(text(), format!("{before}\ntier = \"v1\"\n"));
    // The rules of one agent go.
    let before = text();
    let (_, screen) = edit("printf '[agents.helper]\\ntier = \"v0\"\\n' >> \"$1\"");
    assert!(!screen.contains("can now"), "{screen}");
    let (_, screen) = edit("sed -i '/agents.helper/,$d' \"$1\"");
    assert!(screen.contains("The agent `helper` can now"), "{screen}");
    assert_eq!(text(), before);
    // An editor that fails changes nothing.
    let (status, screen) = edit("echo 'tier = \"v0\"' > \"$1\"; exit 3");
    assert_eq!((status, text()), (Some(74), before.clone()), "{screen}");
    assert_eq!(copies(), 0);
    // The system's own words say less.
    let mut program = world.program();
    program
        .args(["settings", "edit"])
        .env("VISUAL", "/nowhere/ed");
    let (_, screen, _) = Pty::new().start(program).finish();
    let screen = String::from_utf8_lossy(&screen);
    let screen = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(screen.contains("there is no such program"), "{screen}");
    // What is not valid does not take the place of what is, and is not lost.
    let invalid = |answer: &str| {
        executable(
            &editor,
            "#!/bin/sh\ngrep -q nope \"$1\" && echo 'tier = \"v2\"' > \"$1\" || echo 'nope = 1' > \"$1\"\n",
        );
        let mut program = world.program();
        program.args(["settings", "edit"]).env("EDITOR", &editor);
        let mut session = Pty::sized(200, 24).start(program);
        session.when("Edit them again? [Y/n] ", answer);
        let (status, screen, _) = session.finish();
        (status, String::from_utf8(screen).unwrap())
    };
    let (status, screen) = invalid("n\n");
    assert_eq!((status, text()), (Some(78), before), "{screen}");
    assert!(screen.contains("Your edited version is in"), "{screen}");
    assert_eq!(copies(), 1);
    let (status, screen) = invalid("\n");
    assert_eq!(
        (status, text()),
        (Some(0), "tier = \"v2\"\n".to_owned()),
        "{screen}"
    );
    fs_err::remove_file(file.parent().unwrap().join(left()[0].clone())).unwrap();
    // The editor removes the file that it was given.
    let (status, screen) = edit("rm \"$1\"");
    assert_eq!((status, copies()), (Some(74), 0), "{screen}");
    assert!(screen.contains("The editor deleted"), "{screen}");
    let again = |script: String, answer: &str| {
        executable(&editor, format!("#!/bin/sh\n{script}\n"));
        let mut program = world.program();
        program.args(["settings", "edit"]).env("EDITOR", &editor);
        let mut session = Pty::sized(200, 24).start(program);
        session.when("Edit them again? [Y/n] ", answer);
        let (status, screen, _) = session.finish();
        (status, String::from_utf8(screen).unwrap())
    };
    // What another program writes in the meantime stays, and the person goes on with both changes.
    let theirs = format!("cat {0}.new > {0}", file.display());
    let before = "enabled = true\n\ntimeout_ms = 5000\n";
    fs_err::write(&file, before).unwrap();
    fs_err::write(
        file.with_extension("toml.new"),
        format!("# theirs\n{before}"),
    )
    .unwrap();
    let mine = "grep -q v0 \"$1\" || echo 'tier = \"v0\"' >> \"$1\"";
    let (status, screen) = again(format!("{mine}\n{theirs}"), "\n");
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("now has that change and yours"), "{screen}");
    assert_eq!(text(), format!("# theirs\n{before}tier = \"v0\"\n"));
    // If both changed the same lines, the text of the person is kept apart.
    let before = text();
    let other = before.replace("v0", "v1");
    fs_err::write(file.with_extension("toml.new"), &other).unwrap();
    let mine = "sed -i 's/v0/v2/' \"$1\"";
    let (status, screen) = again(format!("{mine}\n{theirs}"), "n\n");
    assert_eq!((status, text()), (Some(78), other), "{screen}");
    assert!(screen.contains("in the same lines"), "{screen}");
    let kept = left();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = file.parent().unwrap().join(&kept[0]);
    assert_eq!(
        fs_err::read_to_string(&kept).unwrap(),
        before.replace("v0", "v2")
    );
    fs_err::remove_file(kept).unwrap();
    // A file that was broken before is not reported as unchanged.
    fs_err::write(&file, "nope = 1\n").unwrap();
    let (status, screen) = again("exit 0".to_owned(), "n\n");
    assert_eq!((status, copies()), (Some(78), 0), "{screen}");
    has(&screen, &["`nope`"]);
    lacks(&screen, &["unchanged"]);
}

/// A note that is lost when it is written over, and that would like to look like another one.
const OLD: &str = "old \u{202e}text\u{1b}[2J\u{1b}[1A\nThat is all of approval\n";

fn with_writes() -> World {
    let world = World::empty().set("allow_mutations = true\nbackend = \"embedded\"");
    world.write("a.md", OLD);
    world
}

/// What must have been on the screen before the question, which ends so.
fn assert_shows_the_plan(screen: &str, lines: &[&str], question: &str) {
    assert_only_text(screen.as_bytes());
    for line in lines {
        let found = screen.lines().filter(|found| found.trim_end() == *line);
        assert_eq!(found.count(), 1, "{line:?} in {screen}");
    }
    assert!(screen.ends_with(question), "{screen}");
}

/// The end of the question about a person's own call.
const OWN: &str = "? [y/N/details] ";
/// The end of the question about the call of somebody else.
const THEIRS: &str = "? [y]es, [N]o, [d]etails: ";

#[test]
fn k07_deleting_at_a_terminal_shows_its_plan_and_waits_for_a_clear_yes() {
    for (answer, approved) in
        tables::typed::<(&str, bool)>(CASES, "k07 deleting at a terminal shows")
    {
        let world = with_writes();
        let mut session = at_a_terminal(&world, &["delete", "path=a.md"]);
        let question = "Move \"a.md\" to the trash of Notes? [y/N/details] ";
        session.wait_for(question);
        assert_eq!(session.shown(), question, "one sentence, no plan");
        session.type_in("d\n");
        session.wait_for("is valid until");
        session.wait_for(&format!(".\r\n{question}"));
        let shown = [
            "delete in vault Notes: write, destroy",
            "  | path=a.md",
            "  | trash a.md",
        ];
        assert_shows_the_plan(&session.shown(), &shown, question);
        assert!(!session.shown().contains("sha256"), "{}", session.shown());
        assert_eq!(world.read("a.md"), OLD, "nothing happens before the answer");
        session.type_in(answer);
        let (status, screen, _) = session.finish();
        let screen = String::from_utf8(screen).unwrap();
        if approved {
            assert_eq!(status, Some(0), "{answer:?}: {screen}");
            assert!(screen.contains("Moved to trash: a.md"), "{screen}");
            assert!(!world.vault.join("a.md").exists(), "{answer:?}");
        } else {
            assert_eq!(status, Some(77), "{answer:?}: {screen}");
            assert!(screen.contains("You did not approve the call."), "{screen}");
            assert_eq!(world.read("a.md"), OLD, "{answer:?}");
            let listed = world.run(&["review", "--list", "-j"]).json();
            let waiting = listed["data"]["approvals"].as_array().unwrap();
            assert_eq!(waiting.len(), 0, "the person's own call is over");
        }
    }
}

#[test]
fn k07_writing_over_a_note_shows_what_is_lost_escaped() {
    let world = with_writes();
    let words = ["create", "path=a.md", "content=new\u{200b}", "overwrite"];
    let mut session = at_a_terminal(&world, &words);
    session.when(
        "Write over text of \"a.md\" in Notes? [y/N/details] ",
        "d\n",
    );
    session.wait_for("is valid until");
    session.wait_for(".\r\nWrite over");
    session.wait_for(OWN);
    let shown = [
        "  | -old \\u{202e}text\\u{1b}[2J\\u{1b}[1A",
        "  | -That is all of approval",
        "  | +new\\u{200b}",
    ];
    assert_shows_the_plan(&session.shown(), &shown, OWN);
    session.type_in("y\n");
    let (status, ..) = session.finish();
    assert_eq!(status, Some(0));
    assert_eq!(world.read("a.md"), "new\u{200b}");
}

#[test]
fn k07_the_question_never_goes_where_the_result_goes() {
    let world = with_writes();
    let program = world.prepared(&["-j", "delete", "path=a.md"]);
    let mut session = Pty::new().start_with_piped_output(program);
    session.when(OWN, "y\n");
    let (status, _, output) = session.finish();
    assert_eq!(status, Some(0));
    let envelope: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(envelope["success"], true);
    let lines = String::from_utf8(output).unwrap();
    assert_eq!(lines.matches('\n').count(), 1, "one line: {lines}");
}

#[test]
fn a_server_at_a_terminal_says_what_it_waits_for() {
    for (verb, shown) in [
        ("mcp", "serving MCP on"),
        ("call", "one JSON object a line"),
    ] {
        let world = World::empty().set("enabled = true");
        let mut session = at_a_terminal(&world, &[verb]);
        session.when(shown, "\u{4}");
        assert_eq!(session.finish().0, Some(0), "{verb}");
    }
}

#[test]
fn i24_what_is_typed_before_a_question_decides_nothing() {
    for verb in ["accept", "reject"] {
        let world = World::empty()
            .set("enabled = true\ndrafts = \"closed\"\nbackend = \"embedded\"")
            .with_tables("[agents.helper]");
        world.write("a.md", OLD);
        answer(&world.agent("helper"), "append path=a.md content=x").succeeds();
        let waiting = || world.run(&["review", "--list", "-j"]).json()["data"]["drafts"][0].clone();
        let id = waiting()["draft"].as_str().unwrap().to_owned();
        let mut session = at_a_terminal(&world, &["review", verb, &id]);
        session.type_in("y\ny\n");
        session.when("[y]es, [N]o: ", "n\n");
        let (status, screen, _) = session.finish();
        assert_ne!(status, Some(0), "{}", String::from_utf8_lossy(&screen));
        assert_eq!(world.read("a.md"), OLD);
        assert_eq!(waiting()["draft"], id);
    }
}

#[test]
fn i14_a_person_at_a_terminal_answers_for_an_agent() {
    for (answer, status) in [("y\n", 0), ("no\n", 77), ("hm\n", 77)] {
        let world = with_writes().set("enabled = true");
        let line = r#"{"command":"delete","params":{"path":"a.md"}}"#;
        let wanted = world.run_with_input(&["call"], line.as_bytes()).json();
        assert_eq!(wanted["error"]["code"], "APPROVAL_REQUIRED");
        let id = wanted["error"]["details"]["approval"].as_str().unwrap();
        let mut session = at_a_terminal(&world, &["review", "accept", id]);
        session.wait_for(&format!("Approve `delete`{THEIRS}"));
        let shown = [
            "asked by agent",
            "delete in vault Notes: write, destroy",
            "  | trash a.md",
        ];
        assert_shows_the_plan(&session.shown(), &shown, THEIRS);
        session.type_in(answer);
        let (ended, screen, _) = session.finish();
        assert_eq!(ended, Some(status), "{answer:?}");
        // A no is a no; what is neither leaves it waiting.
        let screen = String::from_utf8(screen).unwrap();
        let is_denied = screen.contains("Denied: `delete`");
        assert_eq!(is_denied, answer == "no\n", "{screen}");
        let waiting = world.run(&["review", "--list", "-j"]).json();
        let waiting = waiting["data"]["approvals"].as_array().unwrap().len();
        assert_eq!(waiting, usize::from(answer == "hm\n"), "{answer:?}");
        let again = json!({
            "command": "delete", "params": { "path": "a.md" }, "approval": id
        });
        let ran = world.run_with_input(&["call"], again.to_string().as_bytes());
        assert_eq!(ran.json()["success"], status == 0, "{ran:?}");
        assert_eq!(world.vault.join("a.md").exists(), status != 0);
    }
    // Where an answer at a terminal does not count, nobody is asked for one.
    let world = with_writes().set("approve_by = [\"dialog\"]");
    let (status, screen) = seen(&world, &["delete", "path=a.md"]);
    assert_eq!(status, Some(77), "{}", String::from_utf8_lossy(&screen));
    assert!(!String::from_utf8_lossy(&screen).contains("[y/N/details]"));
    // An agent that says it is one is asked nothing, terminal or not.
    let world = with_writes().with_tables("[agents.helper]");
    let words = ["--agent", "helper", "delete", "path=a.md"];
    let (status, screen) = seen(&world, &words);
    assert_eq!(status, Some(77), "{}", String::from_utf8_lossy(&screen));
    assert!(!String::from_utf8_lossy(&screen).contains("[y/N/details]"));
    assert_eq!(world.read("a.md"), OLD);
}

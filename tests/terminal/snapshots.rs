//! What a person sees at 40, 80 and 120 columns, with and without colour (`design/command-line.md`).

use crate::support::pty::Pty;
use crate::support::{World, executable};

/// What is typed, one after the other, on a copy of the fixture vault.
const LINES: [&[&str]; 20] = [
    &["-h"],
    &["undo", "-h"],
    &["search:context", "query=boat OR /gard[a-z]+/"],
    &["notes:list", "folder=Projects", "order=path"],
    &["files", "folder=Daily"],
    &["outline", "path=Home.md"],
    &["unresolved", "counts", "verbose"],
    &["folder", "path=Projects", "info=files"],
    &[
        "--dry-run",
        "append",
        "path=Home.md",
        "content=one more line of words, which is longer than a narrow terminal",
    ],
    &["append", "path=Home.md", "content=x"],
    &["undo", "--list"],
    &["read", "path=Hme.md"],
    &["search", "query=\"open"],
    &["tags", "counts", "-o", "table"],
    &["note:describe", "path=Home.md"],
    &[
        "note:edit",
        "path=Home.md",
        "heading=Projcts",
        "mode=append",
        "content=x",
    ],
    &["files", "folder=Projcts"],
    &["explain", "TARGET_NOT_FOUND"],
    &["review", "--list"],
    &["rename", "Home", "Start", "of", "all"],
];

/// The screen of a program at a terminal of this size.
fn screen(world: &World, words: &[&str], columns: u16, colour: bool, keys: &str) -> String {
    let mut program = world.prepared(words);
    program
        .env("TERM", "xterm-256color")
        .env("VAULT_GW_PAGER", "cat");
    if !colour {
        program.env("NO_COLOR", "1");
    }
    let mut session = Pty::sized(columns, 24).start(program);
    if !keys.is_empty() {
        session.when("[y/N/details] ", keys);
    }
    let (_, seen, _) = session.finish();
    String::from_utf8(seen)
        .unwrap()
        .replace("\r\n", "\n")
        .replace('\u{1b}', "␛")
}

/// Ids, times and hashes as signs of the same width, so that the layout stays.
fn settled(screen: &str) -> String {
    let mut settled = String::new();
    for word in screen.split_inclusive([' ', '\n', '.', '`', 'm', '␛', '(', ')']) {
        let bare = word.trim_end_matches([' ', '\n', '.', '`', 'm', '␛', '(', ')']);
        let is_hash = bare.len() >= 8
            && bare
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
            && bare.bytes().any(|byte| byte.is_ascii_digit());
        let is_time = bare.len() >= 8
            && bare
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b":-".contains(&byte));
        if is_hash || is_time {
            settled += &"·".repeat(bare.len());
            settled += &word[bare.len()..];
        } else {
            settled += word;
        }
    }
    settled
}

/// Every session of one width, and that nothing is wider than the terminal.
fn sessions(columns: u16, colour: bool) -> String {
    let world = World::with_fixture_vault().set("allow_mutations = true\nbackend = \"embedded\"");
    let mut all = String::new();
    for words in LINES {
        let screen = settled(&screen(&world, words, columns, colour, ""));
        assert_fits(&screen, columns);
        all += &format!("$ vault-gw {}\n{screen}\n", words.join(" "));
    }
    let words = ["delete", "path=Projects/Boat/Boat.md"];
    let screen = settled(&screen(&world, &words, columns, colour, "n\n"));
    all += &format!("$ vault-gw {}\n{screen}\n", words.join(" "));
    all
}

/// No row is wider than the terminal, so that the terminal itself breaks none in the middle of a word; but
/// for the lines of a diff, which are copied whole.
fn assert_fits(screen: &str, columns: u16) {
    for row in screen.lines() {
        let text: String = row
            .split('␛')
            .enumerate()
            .map(|(at, part)| {
                if at == 0 {
                    part
                } else {
                    part.split_once('m').map_or("", |(_, text)| text)
                }
            })
            .collect();
        assert!(
            text.starts_with(['+', '-', '@', ' ']) || text.chars().count() <= usize::from(columns),
            "{columns}: {text:?}"
        );
    }
}

fn assert_sessions(columns: u16) {
    insta::assert_snapshot!(format!("{columns}_plain"), sessions(columns, false));
    insta::assert_snapshot!(format!("{columns}_colour"), sessions(columns, true));
}

/// The pages that a new user sees first.
#[test]
fn pages_of_help() {
    let world = World::with_fixture_vault();
    let mut all = String::new();
    for words in [
        &[][..],
        &["--help"],
        &["help", "agents"],
        &["help", "settings"],
    ] {
        let screen = screen(&world, words, 80, false, "");
        assert_fits(&screen, 80);
        let lines = screen.lines().count();
        assert!(
            words != ["--help"] || lines <= 45,
            "{lines} lines: {screen}"
        );
        all += &format!("$ vault-gw {}\n{screen}\n", words.join(" "));
    }
    insta::assert_snapshot!("pages_of_help", all);
}

#[test]
fn narrow_terminal() {
    assert_sessions(40);
}

#[test]
fn usual_terminal() {
    assert_sessions(80);
}

#[test]
fn wide_terminal() {
    assert_sessions(120);
}

#[test]
fn colour_is_for_terminals_that_have_it_and_for_who_asks() {
    let world = World::with_fixture_vault();
    let coloured = |variables: &[(&str, &str)], words: &[&str]| {
        let mut program = world.prepared(words);
        program.env("PAGER", "cat").envs(variables.iter().copied());
        let (_, seen, _) = Pty::sized(80, 24).start(program).finish();
        seen.contains(&0x1b)
    };
    let files = &["files"][..];
    for (variables, words, colour) in [
        (&[("TERM", "xterm")][..], files, true),
        (&[("TERM", "dumb")], files, false),
        (&[], files, false),
        (&[("TERM", "xterm"), ("NO_COLOR", "1")], files, false),
        (&[("TERM", "xterm"), ("CLICOLOR", "0")], files, false),
        (&[("TERM", "xterm")], &["--color", "never", "files"], false),
        (&[("TERM", "dumb")], &["--color=always", "files"], true),
        (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], files, true),
        (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], files, false),
    ] {
        assert_eq!(
            coloured(variables, words),
            colour,
            "{variables:?} {words:?}"
        );
    }
    let piped = |words: &[&str]| world.run(words).stdout;
    assert!(!piped(files).contains(&0x1b));
    assert!(piped(&["--color=always", "files"]).contains(&0x1b));
}

#[test]
fn long_output_goes_through_the_pager_and_short_output_does_not() {
    let world = World::with_fixture_vault();
    let pager = world.scratch().join("pager");
    executable(&pager, "#!/bin/sh\necho \"PAGED $LESS\"\nexec cat\n");
    let shown = |words: &[&str], rows: u16| {
        let mut program = world.prepared(words);
        program
            .env("TERM", "xterm")
            .env("PAGER", &pager)
            .env("NO_COLOR", "1");
        let (status, seen, _) = Pty::sized(80, rows).start(program).finish();
        assert_eq!(status, Some(0), "{words:?}");
        String::from_utf8(seen).unwrap()
    };
    assert!(shown(&["files"], 10).starts_with("PAGED FRX\r\n"));
    assert!(shown(&["--help"], 24).starts_with("PAGED FRX\r\n"));
    assert!(!shown(&["files"], 100).contains("PAGED"));
    assert!(!shown(&["--no-pager", "files"], 10).contains("PAGED"));
    let mut program = world.prepared(&["files"]);
    program.env("TERM", "xterm").env("PAGER", "/not/there");
    let (status, seen, _) = Pty::sized(80, 5).start(program).finish();
    assert_eq!(status, Some(0));
    assert!(String::from_utf8(seen).unwrap().contains("Home.md"));
}

#[test]
fn json_is_indented_on_a_terminal_and_one_line_in_a_pipe() {
    let world = World::with_fixture_vault();
    let mut program = world.prepared(&["-j", "--no-pager", "files"]);
    program.env("TERM", "xterm");
    let (_, seen, _) = Pty::sized(40, 24).start(program).finish();
    let text = String::from_utf8(seen).unwrap();
    assert!(text.starts_with("{\r\n  \"schemaVersion\": "), "{text}");
    let shown: serde_json::Value = serde_json::from_str(&text).unwrap();
    let piped = world.run(&["-j", "files"]).json();
    assert_eq!(shown["data"], piped["data"]);
}

#[test]
fn no_to_ones_own_command_ends_it_and_details_are_on_a_key() {
    let world = World::with_fixture_vault().set("allow_mutations = true\nbackend = \"embedded\"");
    let words = ["delete", "path=Home.md"];
    let start = || {
        let mut program = world.prepared(&words);
        program.env("NO_COLOR", "1");
        Pty::sized(80, 24).start(program)
    };
    let mut session = start();
    session.when("[y/N/details] ", "d\n");
    session.when("is valid until", "n\n");
    let (status, seen, _) = session.finish();
    assert_eq!(status, Some(77));
    assert!(
        String::from_utf8(seen)
            .unwrap()
            .contains("Nothing was done.")
    );
    let waiting = world.run(&["review", "--list", "-j"]).json();
    assert_eq!(waiting["data"]["approvals"], serde_json::json!([]));
    // So does Ctrl-C, and it leaves the line of the question.
    let mut session = start();
    session.wait_for("[y/N/details] ");
    session.interrupt();
    let (status, seen, _) = session.finish();
    assert_eq!(status, Some(130));
    let seen = String::from_utf8(seen).unwrap();
    assert!(
        seen.ends_with(
            "[y/N/details] \r\nerror[APPROVAL_REQUIRED]: You did not approve the call. Nothing was done.\r\n"
        ),
        "{seen}"
    );
    let waiting = world.run(&["review", "--list", "-j"]).json();
    assert_eq!(waiting["data"]["approvals"], serde_json::json!([]));
    // The same command asks again.
    let mut session = start();
    session.when("[y/N/details] ", "y\n");
    assert_eq!(session.finish().0, Some(0));
    assert!(!world.vault.join("Home.md").exists());
}

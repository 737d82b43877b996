//! Help, for people and for scripts.

use vault_gw::allowlist::Catalogue;

use super::{assert_reported, world};
use crate::support::Outcome as _;

const CASES: &str = include_str!("../data/cli_help.txt");

#[test]
fn help_is_one_screen_and_help_all_lists_every_verb_command_and_option() {
    let world = world();
    let screen = world.run(&["--help"]);
    for words in [&["-h"][..], &["help"]] {
        assert_eq!(world.run(words).text(), screen.text(), "{words:?}");
    }
    // Each line that it shows can be typed.
    let shown = screen
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("  "));
    let mut commands = 0;
    for line in shown.map(|line| line.split("  ").next().unwrap()) {
        let words = shell_words::split(line).unwrap();
        let Some((command, arguments)) = words.split_first() else {
            continue;
        };
        if let Ok(command) = Catalogue::find_builtin(command) {
            commands += 1;
            command.admit_words(arguments).unwrap();
        }
    }
    assert_eq!(commands, 10, "{}", screen.text());
    let help = world.run(&["help", "--all"]);
    assert_eq!(world.run(&["help", "all"]).text(), help.text());
    let options = world.run(&["help", "options"]);
    assert!(help.text().ends_with(options.text()), "{options:?}");
    for command in Catalogue::builtin().unwrap().commands() {
        assert!(
            help.text().contains(&format!("\n  {}", command.id)),
            "{}",
            command.id
        );
    }
    for word in tables::lines(CASES, "help is one screen and help all lists") {
        assert!(help.text().contains(word), "{word}");
    }
    assert!(help.stderr.is_empty());
}

#[test]
fn help_on_a_command_shows_what_it_takes() {
    let world = world();
    let page = world.run(&["help", "daily:append"]);
    page.ended(0);
    for part in tables::lines(CASES, "help on a command shows what it takes") {
        page.shows(part);
    }
    for words in [
        &["daily:append", "--help"][..],
        &["daily:append", "content=x", "-h"],
    ] {
        assert_eq!(world.run(words).text(), page.text());
    }
    for verb in ["settings", "call", "explain"] {
        world
            .run(&["help", verb])
            .shows(&format!("Usage: vault-gw {verb}"));
        world.run(&[verb, "--help"]).ended(0);
    }
    // Its own options, and where the others are.
    let own = world.run(&["undo", "-h"]);
    own.shows("--forget");
    own.shows("help options");
    own.shows_not("--vault");
    assert!(world.run(&["undo", "--help"]).text().contains("--vault"));
    let wanted = world.run(&["help", "undo"]);
    assert_eq!(
        wanted.text(),
        own.text(),
        "`help` has its own options alone too"
    );
    let operators = world.run(&["search", "--help"]);
    for operator in "OR tag:# task-todo: [rating:>3] match-case: section:(".split(' ') {
        assert!(operators.text().contains(operator), "{operator}");
    }
    assert_reported(&world.run(&["help", "raed"]), 64);
    assert_reported(&world.run(&["help", "eval"]), 77);
    assert_reported(&world.run(&["nope", "--help"]), 64);
}

#[test]
fn the_version_is_the_packages() {
    let world = world();
    let version = format!("vault-gw {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(world.run(&["--version"]).text(), version);
    assert_eq!(world.run(&["-V"]).text(), version);
}

/// What was asked for as JSON is told as JSON, help and what is wrong with its words too.
#[test]
fn help_by_an_option_is_json_where_json_is_asked_for() {
    let world = world();
    for (option, wanted) in [
        (&["-j", "read", "--help"][..], &["-j", "help", "read"][..]),
        (
            &["read", "path=a.md", "-o", "json", "-h"],
            &["-j", "help", "read"],
        ),
        (&["--json", "--help"], &["-j", "help"]),
        (&["-jh"], &["-j", "help"]),
        (
            &["-j", "settings", "set", "--help"],
            &["-j", "help", "settings", "set"],
        ),
        (
            &["-j", "audit", "--limit", "5", "--help"],
            &["-j", "help", "audit"],
        ),
        (
            &["-j", "explain", "read", "--help"],
            &["-j", "help", "explain"],
        ),
    ] {
        let by_option = world.run(option);
        by_option.ended(0);
        let text = |ran: &crate::support::Ran| ran.json()["data"]["text"].clone();
        assert_eq!(text(&by_option), text(&world.run(wanted)), "{option:?}");
    }
    let unknown = world.run(&["-j", "nope", "--help"]);
    unknown.ended(64);
    unknown.json().fails_with("UNKNOWN_COMMAND");
}

#[test]
fn a_word_that_is_no_command_leads_to_a_similar_one_even_if_that_is_closed_or_to_the_help() {
    let world = world();
    for [word, shown] in tables::section(CASES, "a word that is no command leads") {
        let hint =
            format!("error[UNKNOWN_COMMAND]: There is no command `{word}`.\nhint: {shown}\n");
        assert_eq!(world.run(&[word]).stderr, hint);
    }
}

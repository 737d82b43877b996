//! What is known of a command stands in the catalogue and in the engine's tables. Code that compares
//! an id instead of asking `Command` is one more place to change when a command is added.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use vault_gw::allowlist::Catalogue;

use crate::support::sources;

const CASES: &str = include_str!("../data/docs_command_ids.txt");

/// Files below `src/` that name command ids in literals all the same, and why.
static NAMES_COMMANDS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| tables::typed(CASES, "names commands"));

/// The ids that are not everyday words: those that change something, and those with a colon.
/// Others, such as `file` and `tags`, are keys of answers too.
fn telling_ids() -> BTreeSet<String> {
    let commands = Catalogue::builtin().unwrap().commands();
    commands
        .filter(|command| command.change.is_some() || command.id.contains(':'))
        .map(|command| command.id.clone())
        .collect()
}

/// The part of a source file before its unit tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or(text)
}

/// The quoted texts of a line of code.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

#[test]
fn no_code_matches_command_ids_outside_the_catalogue() {
    let ids = telling_ids();
    assert!(ids.contains("append") && ids.contains("property:set"));
    for (path, text) in sources(&["src"]) {
        let is_listed = NAMES_COMMANDS
            .iter()
            .any(|(listed, _)| path.starts_with(listed));
        if is_listed || path.contains("test") {
            continue;
        }
        for (number, line) in without_tests(&text).lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            let named: Vec<&str> = literals(line).filter(|text| ids.contains(*text)).collect();
            assert!(
                named.is_empty(),
                "{path}:{}: {named:?}: ask `Command` what holds for the command instead of its id",
                number + 1
            );
        }
    }
}

/// The methods that look into a text.
static INSPECTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "inspections"));

#[test]
fn no_code_inspects_a_message() {
    let renderings = [
        "message.text()",
        "message().text()",
        "failure.to_string()",
        "error.to_string()",
        "for_person()",
    ];
    let of_failures =
        |text: &str| text.contains("failure::Failure") || text.contains("issue::Issue");
    for (path, text) in sources(&["src"]) {
        let text = text.split("mod tests {").next().unwrap_or(&text);
        if path.contains("test") || !of_failures(text) {
            continue;
        }
        // A chain of methods may be on several lines.
        let code: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let code: String = code.split_whitespace().collect();
        for rendering in renderings {
            for inspection in INSPECTIONS.iter() {
                let inspected = format!("{rendering}.{inspection}(");
                // The messages of libraries are no sentences of ours.
                let is_ours = !code.contains(&inspected) || of_libraries(&path);
                assert!(
                    is_ours,
                    "{path}: {inspected}: decide by the code, the details or the parts"
                );
            }
        }
    }
}

/// Files that read the message of `serde_json`, `toml` or clap.
fn of_libraries(path: &str) -> bool {
    ["src/changes/src/request.rs", "src/program/mod.rs"].contains(&path)
}

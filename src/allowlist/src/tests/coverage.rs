//! The catalogue against the official command list, and against the tiers of document 003.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::*;
use protocol::Code;

const CASES: &str = include_str!("coverage_cases.txt");

const OFFICIAL: &str = include_str!("official.txt");

/// Every command of document 003 §6.4, by tier.
const DOCUMENT_003: [(Tier, &str); 3] = [
    (
        Tier::V0,
        "daily daily:read daily:append daily:prepend random random:read",
    ),
    (
        Tier::V1,
        "aliases properties property:read property:set property:remove tags tag tasks task file files \
         folder folders open create read append prepend move delete",
    ),
    (
        Tier::V2,
        "diff history history:list history:read history:restore history:open backlinks links unresolved \
         orphans deadends outline bases base:views base:create base:query publish:site publish:list \
         publish:status publish:add publish:remove publish:open templates template:read template:insert",
    ),
];

/// Intended differences from the official usage line: the reason, and the commands with their arguments.
static DIFFERENCES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| tables::typed(CASES, "differences"));

/// Whether the embedded engine answers the command.
fn is_served(id: &str) -> bool {
    vault_engine::serves(id) || vault_engine::plans(id) || vault_engine::exports(id)
}

fn official() -> BTreeMap<&'static str, BTreeSet<String>> {
    OFFICIAL
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (id, rest) = line.split_once(' ').unwrap_or((line, ""));
            (id, rest.split_whitespace().map(bare).collect())
        })
        .collect()
}

/// An argument of a usage line without the name of its placeholder: `[path=<>]`.
fn bare(atom: &str) -> String {
    match (atom.find('<'), atom.rfind('>')) {
        (Some(start), Some(end)) => format!("{}<>{}", &atom[..start], &atom[end + 1..]),
        _ => atom.to_owned(),
    }
}

#[test]
fn a01_every_official_command_is_offered_or_refused_and_nothing_else_is() {
    let catalogue = builtin();
    let offered = catalogue
        .commands()
        .filter(|command| !command.is_ours())
        .map(|command| command.id.as_str());
    let refused = catalogue
        .refused()
        .iter()
        .map(|command| command.id.as_str());
    let known: BTreeSet<&str> = offered.chain(refused).collect();
    let official: BTreeSet<&str> = official().into_keys().collect();
    assert_eq!(official.len(), 102 + 13);
    assert_eq!(known, official);
}

#[test]
fn a01_our_own_commands_are_none_of_the_official_ones() {
    let official = official();
    let ours: Vec<_> = builtin()
        .commands()
        .filter(|command| command.is_ours())
        .collect();
    assert!(ours.len() > 5);
    for command in ours {
        assert!(
            !official.contains_key(command.id.as_str()),
            "{}",
            command.id
        );
        assert!(
            !builtin()
                .refused()
                .iter()
                .any(|refused| refused.id == command.id)
        );
        assert_eq!(command.tier, Tier::V3, "{}", command.id);
        assert_eq!(command.backends, [BackendName::Embedded], "{}", command.id);
        assert_eq!(command.since.as_deref(), None);
        // Commands that do for other notes what a command of the app does have that command's form.
        let has_form_of_the_app = command.id.starts_with("periodic:");
        assert!(
            command.output.is_own() != has_form_of_the_app && is_served(&command.id),
            "{}",
            command.id
        );
    }
    for command in builtin().commands().filter(|command| !command.is_ours()) {
        assert!(!command.output.is_own(), "{}", command.id);
        assert_eq!(
            command.backends.contains(&BackendName::Embedded),
            is_served(&command.id),
            "{}",
            command.id
        );
    }
}

#[test]
fn a_command_is_the_app_s_or_ours_and_says_which() {
    let entry = |origin: &str, backends: &str| {
        let text = format!(
            "[[command]]\nid = \"x\"\ngroup = \"x\"\ntask = \"read\"\nsummary = \"X.\"\neffects = [\"read\"]\ntarget = \"none\"\noutput = \"raw\"\nbackends = [{backends}]\n{origin}\naccept = [\"x\"]\n"
        );
        Catalogue::load(&[CatalogueFile {
            name: "x.toml",
            part: CatalogueSection::Tier(Tier::V3),
            text: &text,
        }])
        .map_err(|error| error.to_string())
    };
    assert!(entry("since = \"1.12.0\"", "\"obsidian\"").is_ok());
    assert!(entry("origin = \"gateway\"", "\"embedded\"").is_ok());
    for [origin, backends] in tables::section(CASES, "a command is the app s or ours and says") {
        let error = entry(origin, backends).unwrap_err();
        assert!(error.starts_with("x.toml:"), "{error}");
    }
}

#[test]
fn a03_every_command_takes_exactly_what_the_official_one_takes() {
    let official = official();
    for command in builtin().commands().filter(|command| !command.is_ours()) {
        let mut ours: BTreeSet<String> = command
            .usage()
            .split_whitespace()
            .skip(1)
            .map(bare)
            .collect();
        for difference in DIFFERENCES.iter().flat_map(|(_, all)| all.split("; ")) {
            let (id, atom) = difference.split_once(' ').unwrap();
            if id == command.id && !ours.remove(atom) {
                ours.insert(atom.to_owned());
            }
        }
        assert_eq!(ours, official[command.id.as_str()], "{}", command.id);
    }
}

#[test]
fn the_first_three_tiers_are_those_of_document_003() {
    let mut count = 0;
    for (tier, ids) in DOCUMENT_003 {
        let ours: BTreeSet<&str> = builtin()
            .commands()
            .filter(|command| command.tier == tier)
            .map(|command| command.id.as_str())
            .collect();
        let mut expected: BTreeSet<&str> = ids.split(' ').collect();
        count += expected.len();
        match tier {
            Tier::V0 => assert!(expected.insert("daily:path")),
            Tier::V1 => assert!(expected.insert("rename")),
            Tier::V2 | Tier::V3 => {}
        }
        assert_eq!(ours, expected, "{tier:?}");
    }
    assert_eq!(count, 51);
}

#[test]
fn a01_what_is_refused_says_why() {
    for refused in builtin().refused() {
        let failure = builtin().find(&refused.id).unwrap_err();
        assert_eq!(failure.code, Code::CommandRefused, "{}", refused.id);
        assert!(failure.to_string().contains(&refused.reason));
    }
    for hidden in ["__completions", "__files", "__commands", "", "bogus"] {
        let failure = builtin().find(hidden).unwrap_err();
        assert_eq!(failure.code, Code::UnknownCommand, "{hidden}");
    }
}

#[test]
fn listing_is_by_tier_and_groups_never_scatter() {
    let catalogue = builtin();
    assert!(catalogue.commands().map(|command| command.tier).is_sorted());
    let mut runs: Vec<&str> = catalogue
        .commands()
        .map(|command| command.group.as_str())
        .collect();
    runs.dedup();
    assert_eq!(runs, catalogue.groups());
}

#[test]
fn the_other_ways_of_a_command_work_without_the_app() {
    for command in builtin().commands() {
        for (task, id) in &command.instead {
            assert!(is_served(id), "{}: {task}: {id}", command.id);
        }
    }
}

#[test]
fn usage_lines_look_like_the_official_ones() {
    let lines =
        ["create", "search", "task", "property:set", "version"].map(|id| command(id).usage());
    insta::assert_snapshot!(lines.join("\n"), @r#"
    create [name=<name>] [path=<path>] [content=<text>] [template=<template>] [properties=<json>] [overwrite] [number] [open] [newtab] [silent]
    search query=<text> [path=<path>] [limit=<n>] [format=text|json] [total] [case] [canvas]
    task [ref=<path:line>] [file=<name>] [path=<path>] [line=<n>] [text=<text>] [status="<char>"] [toggle] [done] [todo] [force] [daily]
    property:set name=<name> value=<value> [type=text|list|number|checkbox|date|datetime] [file=<name>] [path=<path>] [paths=<json>] [empty] [force]
    version
    "#);
}

use obsidian_note::Warning;
use vault_files::vault::testing::{vault, without_sight_of};
use vault_files::{EngineError, LinkUpdates, Vault};

use super::*;
use crate::Editor;
use crate::apply::testing::picture;
use crate::testing::{done, error, plan};

const CASES: &str = include_str!("cases.txt");

fn read(vault: &Vault, path: &str) -> String {
    fs_err::read_to_string(vault.root().join(path)).unwrap()
}

const NOTE: &str = "\u{feff}---\r\nup: \"[[#Old plan]]\"\r\n---\r\n# Top\r\n\r\n[[#Old plan]] [[#Top#old PLAN|shown]] [[n#Old plan]] `[[#Old plan]]` %%[[#Old plan]]%%\r\n\r\n## Old: *plan* ##\r\n\r\ntext ^b1\r\n\r\n### Deep\r\n\r\n```\r\n## Old plan\r\n[[#Old plan]]\r\n```\r\n\r\n# Other\r\n\r\n## Deep\r\n";

#[test]
fn every_link_to_a_heading_follows_and_nothing_else_changes() {
    let files = [
        ("sub/n.md", NOTE),
        (
            "a.md",
            "---\nsee:\n  - '[[n#Old plan|it''s]]'\nat: \"[x](sub/n.md#Old%20plan)\"\n---\n[[n#Old plan]] ![[sub/n#Old plan#Deep]] [x](n.md#Old%20plan \"t\") [y](<sub/n.md#Old plan>) [[n#Deep]] [[n#Other#Deep]] [[n#Lost]] [[n#^b1]] [[other#Old plan]] [[n]]\n|[[n#Old plan\\|cell]]|x|\n|-|-|\n",
        ),
        ("other.md", "# Old plan\n[[#Old plan]]\n"),
        (
            "c.canvas",
            r##"{"nodes":[{"id":"1","type":"file","file":"sub/n.md","subpath":"#Old plan"},{"id":"2","type":"file","file":"other.md","subpath":"#Old plan"},{"id":"3","type":"text","text":"[[n#Old plan]] \"x\""}]}"##,
        ),
    ];
    let (_folder, vault) = vault(&files);
    let params = [
        ("path", "sub/n.md"),
        ("heading", "Old plan"),
        ("to", "New & \"good\": aims"),
    ];
    let edit = done(&vault, "heading:rename", &params, &[]);
    assert_eq!(
        read(&vault, "sub/n.md"),
        NOTE.replace("## Old: *plan* ##", "## New & \"good\": aims ##")
            .replace("up: \"[[#Old plan]]\"", "up: \"[[#New & \\\"good\\\" aims]]\"")
            .replace("[[#Old plan]] [[#Top#old PLAN|shown]] [[n#Old plan]]", "[[#New & \"good\" aims]] [[#Top#New & \"good\" aims|shown]] [[n#New & \"good\" aims]]")
            .replace("%%[[#Old plan]]%%", "%%[[#New & \"good\" aims]]%%")
    );
    assert_eq!(
        read(&vault, "a.md"),
        "---\nsee:\n  - '[[n#New & \"good\" aims|it''s]]'\nat: \"[x](sub/n.md#New%20&%20\\\"good\\\"%20aims)\"\n---\n[[n#New & \"good\" aims]] ![[sub/n#New & \"good\" aims#Deep]] [x](n.md#New%20&%20\"good\"%20aims \"t\") [y](<sub/n.md#New & \"good\" aims>) [[n#Deep]] [[n#Other#Deep]] [[n#Lost]] [[n#^b1]] [[other#Old plan]] [[n]]\n|[[n#New & \"good\" aims\\|cell]]|x|\n|-|-|\n"
    );
    assert_eq!(read(&vault, "other.md"), files[2].1);
    assert_eq!(
        read(&vault, "c.canvas"),
        r##"{"nodes":[{"id":"1","type":"file","file":"sub/n.md","subpath":"#New & \"good\" aims"},{"id":"2","type":"file","file":"other.md","subpath":"#Old plan"},{"id":"3","type":"text","text":"[[n#New & \"good\" aims]] \"x\""}]}"##
    );
    assert_eq!(edit.warnings, []);
    let answer = serde_json::to_value(&edit.answer).unwrap();
    assert_eq!(
        answer,
        serde_json::json!({
            "path": "sub/n.md", "from": "Old: *plan*", "to": "New & \"good\": aims", "links": 14,
            "paths": ["a.md", "c.canvas", "sub/n.md"],
        })
    );
}

#[test]
fn links_lead_where_they_led_before() {
    for [case, note, heading, to, expected] in
        tables::section(CASES, "links lead where they led before")
    {
        let (_folder, vault) = vault(&[("n.md", note)]);
        let params = [("path", "n.md"), ("heading", heading), ("to", to)];
        let edit = done(&vault, "heading:rename", &params, &[]);
        assert_eq!(read(&vault, "n.md"), expected, "{case}");
        assert_eq!(edit.warnings, [], "{case}");
    }
}

#[test]
fn the_id_of_a_block_is_renamed_with_its_links() {
    let (_folder, vault) = vault(&[
        (
            "n.md",
            "a ^b1 b ^b1\n\n- item ^Li\n  - inner\n\n> quote\n\n^q-1\n\n`^b1` [[#^B1]]\n",
        ),
        (
            "o.md",
            "![[n#^b1]] [x](n.md#^li) [[n#^q-1|shown]] [[n#b1]]\n",
        ),
    ]);
    for (block, to) in [("b1", "^first"), ("^li", "second"), ("q-1", "q-2")] {
        let params = [("path", "n.md"), ("block", block), ("to", to)];
        let edit = done(&vault, "heading:rename", &params, &[]);
        assert_eq!(edit.warnings, [], "{block}");
    }
    assert_eq!(
        read(&vault, "n.md"),
        "a ^b1 b ^first\n\n- item ^second\n  - inner\n\n> quote\n\n^q-2\n\n`^b1` [[#^first]]\n"
    );
    assert_eq!(
        read(&vault, "o.md"),
        "![[n#^first]] [x](n.md#^second) [[n#^q-2|shown]] [[n#b1]]\n"
    );
}

#[test]
fn what_cannot_be_renamed_is_refused_with_the_reason() {
    let (_folder, vault) = vault(&[
        (
            "n.md",
            "# A\n## X\n## Y!\n# B\n## X\ntext ^b1\n\nmore ^b2\n",
        ),
        ("p.png", ""),
    ]);
    fs_err::write(vault.root().join("latin.md"), b"# A \xe9\n").unwrap();
    let refused = |path: &str, place: (&str, &str), to: &str| {
        let params = [("path", path), place, ("to", to)];
        let error = error(&vault, "heading:rename", &params, &[]);
        match error {
            EngineError::EditMiss(miss) => {
                let candidates = miss.candidates.iter().map(|near| near.text.as_str());
                let candidates: Vec<&str> = candidates.collect();
                format!("{miss} {candidates:?}")
            }
            other => other.to_string(),
        }
    };
    let rule = "`to` must be one line of text with letters or digits, without `#` before it, that is valid as a heading";
    for [path, key, place, to, expected] in
        tables::section(CASES, "what cannot be renamed is refused")
    {
        let shown = refused(path, (key, place), to);
        assert!(shown.contains(expected), "{place:?} {to:?}: {shown}");
    }
    for to in [" ", "a\nb", "***", "x #", "# x", "x ^b3"] {
        let shown = refused("n.md", ("heading", "A"), to);
        assert!(shown.contains(rule), "{to:?}: {shown}");
    }
    let params = [("path", "n.md"), ("heading", "B"), ("to", "B")];
    assert_eq!(done(&vault, "heading:rename", &params, &[]).changes, []);
}

#[test]
fn links_stay_where_the_settings_say_so() {
    let (_folder, mut vault) = vault(&[("n.md", "# A\n"), ("o.md", "[[n#A]] [[n#A|x]]")]);
    vault.link_updates = LinkUpdates::Never;
    let params = [("path", "n.md"), ("heading", "A"), ("to", "B")];
    let edit = plan(&vault, "heading:rename", &params, &[]);
    assert_eq!(edit.changes.len(), 1);
    let codes: Vec<_> = edit.warnings.iter().map(Warning::code).collect();
    assert!(codes.contains(&"LINKS_NOT_UPDATED"), "{codes:?}");
}

#[test]
fn d13_links_in_closed_notes_follow_unseen() {
    let files = [
        ("n.md", "# A\n"),
        ("o.md", "[[n#A]]"),
        ("Private/p.md", "[[n#A]] ![[n#A|x]]"),
    ];
    let (_folder, vault) = vault(&files);
    let seen = without_sight_of(&vault, "Private");
    let params = [("path", "n.md"), ("heading", "A"), ("to", "B")];
    let edit = plan(&seen, "heading:rename", &params, &[]);
    let paths = |changes: &[Change]| -> Vec<String> {
        let paths = changes.iter().flat_map(Change::paths);
        paths.map(ToString::to_string).collect()
    };
    assert_eq!(paths(&edit.changes), ["n.md", "o.md"]);
    let unseen = Editor(&vault).links_out_of_sight(&seen, &edit).unwrap();
    assert_eq!(paths(&unseen.changes), ["Private/p.md"]);
    assert_eq!(unseen.left, 0);
    Editor(&vault).apply(&unseen.changes, "run").unwrap();
    assert_eq!(read(&vault, "Private/p.md"), "[[n#B]] ![[n#B|x]]");
}

#[test]
fn a_rename_back_restores_every_byte() {
    let (_folder, vault) = vault(&[
        (
            "n.md",
            "---\nup: '[[#One]]'\n---\r\n# One\n## Two ^id\n[[#One#Two id]] [x](#One)\n",
        ),
        ("o.md", "[[n#One]] [[n#Two id|x]] ![[n#^id]]"),
    ]);
    let before = picture(vault.root());
    let rename = |place: (&str, &str), to: &str| {
        let params = [("path", "n.md"), place, ("to", to)];
        done(&vault, "heading:rename", &params, &[]);
    };
    rename(("heading", "One"), "Eins (1)");
    rename(("heading", "Two id"), "Zwei");
    rename(("block", "id"), "other");
    assert_ne!(picture(vault.root()), before);
    rename(("block", "other"), "id");
    rename(("heading", "Zwei id"), "Two");
    rename(("heading", "Eins 1"), "One");
    assert_eq!(picture(vault.root()), before);
}

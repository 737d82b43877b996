//! Each form of an edit on notes with every construct, byte for byte.

use obsidian_note::note_parts::hash_of_lines;
use serde_json::json;
use vault_files::vault::testing::{path, vault};

use super::*;
use crate::Editor;
use crate::testing::{done, error, plan, surroundings};

const CASES: &str = include_str!("cases.txt");

/// The result of a list of edits.
fn edited_by(note: impl AsRef<[u8]>, edits: &Value) -> Result<EditedText, EditMiss> {
    let edits = Instruction::parse_list(edits.as_array().unwrap()).unwrap();
    let stop = CancellationToken::default();
    edited(note.as_ref(), &path("a.md"), &edits, &stop)
}

/// The note after the edits, or the error with the `line` numbers of its candidates.
fn after(note: &str, edits: &Value) -> Result<String, String> {
    match edited_by(note, edits) {
        Ok(edited) => Ok(String::from_utf8(edited.note).unwrap()),
        Err(miss) => {
            let lines: Vec<usize> = miss.candidates.iter().map(|found| found.line).collect();
            Err(format!("{:?}: {miss} {lines:?}", miss.kind))
        }
    }
}

fn one(note: &str, edit: &Value) -> Result<String, String> {
    after(note, &json!([edit]))
}

#[test]
fn text_is_replaced_where_it_stands_once() {
    let replace = |note: &str, old: &str, new: &str| one(note, &json!({"old": old, "new": new}));
    for [note, old, new, expected] in
        tables::section(CASES, "text is replaced where it stands once")
    {
        assert_eq!(replace(note, old, new), Ok(expected.to_owned()), "{note:?}");
    }
    for [note, old, expected] in tables::section(CASES, "text is replaced where it stands once, 2")
    {
        assert_eq!(
            replace(note, old, "x"),
            Err(expected.to_owned()),
            "{note:?}"
        );
    }
    let all = |note: &str| one(note, &json!({"old": "a", "new": "aa", "all": true}));
    assert_eq!(
        all("---\na: a\n---\na b a\r\na"),
        Ok("---\na: a\n---\naa b aa\r\naa".into())
    );
    assert!(all("b").is_err());
}

/// A caller that sends an offered text as `old` must not leave parts of lines in the note.
#[test]
fn an_offered_text_replaces_whole_lines() {
    let note = "---\r\nstatus: active\r\ntags: [a]\r\n---\r\n\r\n- [ ] Mend the gate\r\n\r\nThe plot is hard work, mostly at weekends. #outdoors\r\n";
    for (old, new, in_frontmatter, expected) in [
        (
            "status: done",
            "status: x",
            true,
            ("status: active", "status: x"),
        ),
        (
            "---\n\n- [ ] Mend the fence\n",
            "- [ ] Rest\n",
            false,
            ("- [ ] Mend the gate", "- [ ] Rest"),
        ),
        (
            "The plot is hard work, mostly in summer.",
            "It rests.",
            false,
            ("The plot is hard work, mostly at weekends.", "It rests."),
        ),
    ] {
        let edit = |old: &str| json!({"old": old, "new": new, "frontmatter": in_frontmatter});
        let miss = edited_by(note, &json!([edit(old)])).unwrap_err();
        let [offered] = miss.candidates.as_slice() else {
            panic!("{miss:?}")
        };
        let (from, to) = expected;
        assert_eq!(
            one(note, &edit(&offered.text)),
            Ok(note.replace(from, to)),
            "{offered:?}"
        );
    }
    let below = json!({"old": "The plot", "new": "x", "frontmatter": true});
    insta::assert_snapshot!(one(note, &below).unwrap_err(), @"NotFound: in `edits[0]`: `old` occurs only below the properties of the note []");
    let nowhere = json!({"old": "zebra", "new": "x", "frontmatter": true});
    insta::assert_snapshot!(one(note, &nowhere).unwrap_err(), @"NotFound: in `edits[0]`: the properties of the note do not contain the text of `old` []");
    insta::assert_snapshot!(one("The gate and the water.\n", &json!({"old": "The plot's great", "new": "x"})).unwrap_err(), @"NotFound: in `edits[0]`: the note does not contain the text of `old` []");
}

#[test]
fn line_ends_outside_and_inside_stay_where_the_text_is_the_same() {
    let note = "one\r\ntwo\nthree\r\nfour\r\n";
    let edit = json!({"old": "one\ntwo\nthree", "new": "one\n2\nthree"});
    assert_eq!(one(note, &edit), Ok("one\r\n2\nthree\r\nfour\r\n".into()));
}

#[test]
fn text_goes_below_the_heading_that_is_meant() {
    let note = "intro\n\n# Plan\n\n- a\n- b\n\n## Later\n\ntext\n\n# Log\n";
    let at = |heading: &str, mode: &str, content: &str| {
        one(
            note,
            &json!({"heading": heading, "mode": mode, "content": content}),
        )
    };
    for (heading, mode, content, expected) in [
        ("Plan", "append", "- c\n", ["- a\n- b\n- c", "text", ""]),
        ("plan", "prepend", "- c", ["- c\n- a\n- b", "text", ""]),
        ("Plan/Later", "replace", "x\ny", ["- a\n- b", "x\ny", ""]),
        ("# Log", "append", "end", ["- a\n- b", "text", "end\n"]),
    ] {
        let [plan, later, log] = expected;
        let expected = format!("intro\n\n# Plan\n\n{plan}\n\n## Later\n\n{later}\n\n# Log\n{log}");
        assert_eq!(at(heading, mode, content), Ok(expected), "{heading} {mode}");
    }
    let section =
        json!({"heading": "Plan", "mode": "append", "reach": "section", "content": "- c"});
    assert_eq!(
        one(note, &section),
        Ok("intro\n\n# Plan\n\n- a\n- b\n\n## Later\n\ntext\n- c\n\n# Log\n".into())
    );
    assert_eq!(
        at("Plan", "replace", "x"),
        Err(
            "Ambiguous: in `edits[0]`: the heading has a subheading, so the edit needs `reach` [8]"
                .into()
        )
    );
    let whole = json!({"heading": "Plan", "mode": "replace", "reach": "section", "content": "x"});
    assert_eq!(
        one(note, &whole),
        Ok("intro\n\n# Plan\n\nx\n\n# Log\n".into())
    );
    let text = json!({"heading": "Plan", "mode": "replace", "reach": "text", "content": ""});
    assert_eq!(
        one(note, &text),
        Ok("intro\n\n# Plan\n\n\n## Later\n\ntext\n\n# Log\n".into())
    );
    assert_eq!(
        at("Lator", "append", "x"),
        Err("NotFound: in `edits[0]`: the note does not have this heading [8]".into())
    );
    assert_eq!(
        at("Plan/Later", "replace", "## Later\nx"),
        Err("Unfit: in `edits[0]`: `content` repeats the heading, which the edit keeps []".into())
    );
    assert!(
        at("Plan", "append", "```\nopen")
            .unwrap_err()
            .contains("other headings")
    );
}

#[test]
fn headings_are_found_as_links_to_them_are() {
    let note =
        "# A: *b* [[c]]\nx\n```\n# not a heading\n```\n## In/Out\ny\n# D\n## In/Out\n> # quoted\n";
    let at = |heading: &str| {
        one(
            note,
            &json!({"heading": heading, "mode": "append", "content": "!"}),
        )
        .map(|after| {
            let line = after.lines().position(|line| line == "!");
            line.unwrap()
        })
    };
    // The heading below the code block; the `#` in the block is not a heading.
    for heading in ["A: *b* [[c]]", "a b c", "A *b* c", "# A: *b* [[c]]"] {
        assert_eq!(at(heading), Ok(5), "{heading}");
    }
    assert!(at("not a heading").unwrap_err().starts_with("NotFound"));
    // The ids of `note:outline` count the quoted heading too, which is not a heading here.
    for (id, line) in [
        ("h1-a-b-c-0001", 5),
        ("h2-in-out-0002", 7),
        ("h1-d-0003", 8),
        ("h2-in-out-0004", 11),
    ] {
        assert_eq!(at(id), Ok(line), "{id}");
    }
    for id in tables::lines(CASES, "headings are found as links to them") {
        assert!(at(id).unwrap_err().starts_with("NotFound"), "{id}");
    }
    assert!(at("quoted").unwrap_err().starts_with("NotFound"));
    assert!(
        at("In/Out")
            .unwrap_err()
            .ends_with("2 headings have this text [6, 9]")
    );
    // A blank line separates it from the quote.
    assert_eq!(at("D#In/Out"), Ok(11));
    assert_eq!(at("a b c#In/Out"), Ok(7));
    assert!(at("D/A").unwrap_err().starts_with("NotFound"));
}

#[test]
fn text_beside_a_block_does_not_become_a_part_of_it() {
    let append = |note: &str, content: &str| {
        one(
            note,
            &json!({"heading": "H", "mode": "append", "content": content}),
        )
        .unwrap()
    };
    for [block, content, expected] in tables::section(CASES, "text beside a block does not become")
    {
        assert_eq!(
            append(&format!("# H\n{block}"), content),
            format!("# H\n{expected}"),
            "{block:?}"
        );
    }
    let prepend = |content: &str| {
        one(
            "# H\ntext",
            &json!({"heading": "H", "mode": "prepend", "content": content}),
        )
        .unwrap()
    };
    assert_eq!(prepend("- a"), "# H\n- a\n\ntext");
    assert_eq!(prepend("a"), "# H\na\ntext");
    // Text right above an underlined heading would become part of it.
    assert_eq!(append("# H\nNext\n====\n", "x"), "# H\nx\n\nNext\n====\n");
}

#[test]
fn a_note_keeps_its_last_line_as_it_ends() {
    for [note, edit, expected] in tables::section(CASES, "a note keeps its last line as it ends") {
        let edit = serde_json::from_str(edit).unwrap();
        assert_eq!(one(note, &edit), Ok(expected.to_owned()), "{note:?} {edit}");
    }
    assert_eq!(
        one("a\nb", &json!({"lines": "2-3", "content": "x"})),
        Err("NotFound: in `edits[0]`: the note has 2 lines, so line 3 does not exist [2]".into())
    );
    assert!(one("a\nb", &json!({"afterLine": 3, "content": "x"})).is_err());
}

#[test]
fn f16_lines_are_replaced_only_for_who_knows_their_text() {
    let note = "\u{feff}a\r\n b \r\n\r\nd\nb";
    let edit = |edit: Value| edited_by(note, &json!([edit]));
    let unread = edit(json!({"lines": "1-2", "content": "x"}));
    let unread = unread.unwrap().unread.unwrap();
    assert!(unread.reason.contains("line numbers alone"));
    // The lines are shown as they are, so that the next call can name them by their hash.
    let [shown] = unread.candidates.as_slice() else {
        panic!("{unread:?}")
    };
    assert_eq!((shown.line, shown.text.as_str()), (1, "a\r\n b "));
    assert_eq!(shown.lines_hash, Some(hash_of_lines(b"a\r\n b ")));
    let long = "a\n".repeat(1000);
    let edits = json!([{"lines": "1-900", "content": "x"}, {"lines": "1000", "content": "y"}]);
    let unread = edited_by(long, &edits).unwrap().unread.unwrap();
    assert_eq!(
        unread.candidates[0].lines_hash, None,
        "a hash only with all of the text"
    );
    assert!(unread.advice.contains("`ifHash`"), "{}", unread.advice);
    assert_eq!(unread.others[0].candidates[0].line, 1000);
    let hash = hash_of_lines(b"a\r\n b ");
    for known in [
        json!({"linesHash": hash}),
        json!({"linesHash": hash.to_uppercase()}),
        json!({"linesHash": hash_of_lines(b"a\r\n b \r\n")}),
        json!({"first": "a", "last": "b"}),
        json!({"first": "a  ", "last": " b"}),
    ] {
        let mut known = known;
        known["lines"] = json!("1-2");
        known["content"] = json!("x");
        let edited = edit(known.clone()).unwrap();
        assert_eq!(edited.unread, None, "{known}");
        assert_eq!(edited.note, "\u{feff}x\r\n\r\nd\nb".as_bytes());
    }
    for (known, reason) in [
        (
            json!({"lines": "1-3", "linesHash": hash, "content": "x"}),
            "Unfit: in `edits[0]`: lines 1-3 do not match `linesHash` [1]",
        ),
        (
            json!({"lines": "4-5", "first": "b", "last": "b", "content": "x"}),
            "NotFound: in `edits[0]`: line 4 does not contain the text of `first` [2, 5]",
        ),
        (
            json!({"lines": 4, "last": "nowhere", "content": "x"}),
            "NotFound: in `edits[0]`: line 4 does not contain the text of `last` [4]",
        ),
    ] {
        assert_eq!(one(note, &known), Err(reason.to_owned()));
    }
    // For a blank line its hash is proof.
    let blank = json!({"lines": 3, "linesHash": hash_of_lines(b""), "content": "x"});
    assert_eq!(edit(blank).unwrap().unread, None);
}

#[test]
fn what_replaces_all_text_is_an_overwrite() {
    let is_overwrite = |note: &str, edits: &Value| edited_by(note, edits).unwrap().is_overwrite;
    let note = "---\na: 1\n---\n\none\n\ntwo ^id\n\n";
    for [edits, expected] in tables::section(CASES, "what replaces all text is an overwrite") {
        let found = is_overwrite(note, &serde_json::from_str(edits).unwrap());
        assert_eq!(found.to_string(), expected, "{edits}");
    }
    let lines = json!([{"lines": "1-3", "frontmatter": true, "content": "x"}]);
    assert!(is_overwrite("---\na: 1\n---\n\n", &lines));
    let blank = json!([{"lines": "1-2", "content": "x"}]);
    assert!(!is_overwrite("\n\n", &blank));
}

#[test]
fn a_block_is_edited_and_keeps_its_id() {
    let note = "para\nmore ^p\n\n- a\n- [ ] task ^t\n\t- inner ^i\n\n| a |\n|---|\n| 1 |\n\n^tab\n\n> q ^q\n";
    let at = |id: &str, mode: &str, content: &str| {
        one(
            note,
            &json!({"block": id, "mode": mode, "content": content}),
        )
        .map(|after| after.replace('\n', "/"))
    };
    let rest = "- a/- [ ] task ^t/\t- inner ^i//| a |/|---|/| 1 |//^tab//> q ^q/";
    assert_eq!(at("P", "replace", "new"), Ok(format!("new ^p//{rest}")));
    assert_eq!(
        at("p", "append", "new\n"),
        Ok(format!("para/more/new ^p//{rest}"))
    );
    assert_eq!(
        at("^p", "prepend", "new"),
        Ok(format!("new/para/more ^p//{rest}"))
    );
    for [id, mode, content, expected] in
        tables::section(CASES, "a block is edited and keeps its id, 2")
    {
        let done = at(id, mode, content).unwrap();
        assert!(done.contains(expected), "{done}");
    }
    for (id, mode, content, reason) in [
        ("p", "replace", "a\n\nb", "another block"),
        ("t", "append", "- b", "another list item"),
        ("tab", "replace", "no table", "another block"),
        ("q", "replace", "no quote", "another block"),
    ] {
        let refused = at(id, mode, content).unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
    for (mode, content, quote) in [
        ("append", "more\nand more", "> q/> more/> and more ^q/"),
        ("prepend", "first", "> first/> q ^q/"),
        ("append", "> more", "> q/> more ^q/"),
        ("replace", "> new", "> new ^q/"),
    ] {
        let done = at("q", mode, content).unwrap();
        assert!(done.ends_with(&format!("//{quote}")), "{done}");
    }
    let edit = json!([{"block": "elsewhere", "mode": "append", "content": "x"}]);
    let miss = edited_by(note, &edit).unwrap_err();
    let ids: Vec<&str> = miss
        .candidates
        .iter()
        .map(|block| block.text.as_str())
        .collect();
    assert_eq!(ids, ["p", "t", "i", "tab", "q"]);
    let miss = edited_by("text\n", &edit).unwrap_err();
    insta::assert_snapshot!(miss.advice, @"No block of this note has an id. Name a heading or lines instead.");
    let missing = at("tap", "append", "x").unwrap_err();
    assert!(
        missing.starts_with("NotFound") && missing.contains("with this id [8, "),
        "{missing}"
    );
    for [id, mode, content, expected] in
        tables::section(CASES, "a block is edited and keeps its id")
    {
        let done = at(id, mode, content).unwrap();
        assert!(done.contains(expected), "{done}");
        assert_eq!(
            done.matches(&format!(" ^{id}/")).count(),
            usize::from(id != "tab"),
            "{done}"
        );
    }
    let twice = one(
        "a ^x\n\nb ^X\n",
        &json!({"block": "x", "mode": "append", "content": "c"}),
    );
    assert!(twice.unwrap_err().ends_with("2 blocks have this id [1, 3]"));
}

#[test]
fn properties_are_touched_only_where_they_are_named() {
    let note = "---\ntitle: A\ntags: [x]\n---\nA\n";
    let named = "properties of the note";
    for (edit, expected) in [
        (json!({"lines": "2", "content": "x"}), named),
        (json!({"lines": "4-5", "content": "x"}), named),
        (json!({"afterLine": 0, "content": "x"}), named),
        (json!({"afterLine": 3, "content": "x"}), named),
        (
            json!({"old": "title: A", "new": "title: [", "frontmatter": true}),
            "could not be read",
        ),
        (
            json!({"old": "tags: [x]\n", "new": "---\n", "frontmatter": true}),
            "move the end of the properties",
        ),
    ] {
        let error = one(note, &edit).unwrap_err();
        assert!(error.contains(expected), "{edit} {error}");
    }
    let named = json!({"old": "A", "new": "B", "frontmatter": true});
    assert_eq!(one(note, &named), Ok(note.replace("title: A", "title: B")));
    let named = json!({"afterLine": 3, "content": "n: 1", "frontmatter": true});
    assert_eq!(one(note, &named), Ok(note.replace("[x]\n", "[x]\nn: 1\n")));
    assert_eq!(
        one(note, &json!({"afterLine": 4, "content": "x"})),
        Ok(note.replace("\nA\n", "\nx\nA\n"))
    );
    // A lone id below the properties refers to them.
    let block = json!({"block": "x", "mode": "replace", "content": "y"});
    let refused = one("---\na: 1\n---\n^x\n", &block).unwrap_err();
    assert!(refused.contains("in the properties"), "{refused}");
    // Inserted text must not become properties by accident.
    let made = json!({"afterLine": 0, "content": "---\na: 1\n---"});
    assert!(
        one("x", &made)
            .unwrap_err()
            .contains("would become properties")
    );
    let made = json!({"afterLine": 0, "content": "---\na: 1\n---", "frontmatter": true});
    assert_eq!(one("x", &made), Ok("---\na: 1\n---\nx".into()));
}

#[test]
fn edits_are_made_together_or_not_at_all() {
    let note = "# A\na\n\n# B\nb\n";
    assert_eq!(
        after(
            note,
            &json!([
                {"afterLine": 5, "content": "end"},
                {"old": "b", "new": "B1\nB2"},
                {"heading": "A", "mode": "append", "content": "x"},
                {"lines": "1", "content": "# AA"},
            ])
        ),
        Ok("# AA\na\nx\n\n# B\nB1\nB2\nend\n".into())
    );
    let miss = after(
        note,
        &json!([{"old": "a", "new": "x"}, {"old": "z", "new": "x"}]),
    );
    assert!(miss.unwrap_err().starts_with("NotFound: in `edits[1]`"));
    let both = after(
        note,
        &json!([{"old": "a\n\n", "new": "x"}, {"lines": "2", "content": "y"}]),
    );
    assert!(
        both.unwrap_err()
            .contains("`edits[0]` and `edits[1]` are about the same text")
    );
    // Two insertions in one place keep their order.
    let two = json!([{"afterLine": 2, "content": "1"}, {"afterLine": 2, "content": "2"}]);
    assert_eq!(after(note, &two), Ok("# A\na\n1\n2\n\n# B\nb\n".into()));
}

#[test]
fn the_answer_reports_where_the_edits_are_now() {
    let (_folder, vault) = vault(&[("a.md", "# A\na\n\n# B\nb")]);
    let edits = r#"[{"heading":"B","mode":"append","content":"c\nd"},{"old":"a","new":"x\ny"}]"#;
    let edit = done(&vault, "note:edit", &[("file", "a"), ("edits", edits)], &[]);
    assert_eq!(
        serde_json::to_value(&edit.answer).unwrap(),
        json!({"path": "a.md", "changed": true, "places": [
            {"edit": 1, "line": 2, "endLine": 3},
            {"edit": 0, "line": 7, "endLine": 8},
        ]})
    );
    assert_eq!(edit.answer.text(), "Edited: a.md (lines 2-3, lines 7-8)");
    let same = plan(
        &vault,
        "note:edit",
        &[("path", "a.md"), ("old", "x"), ("new", "x")],
        &[],
    );
    assert!(same.changes.is_empty());
    assert_eq!(same.answer.text(), "Unchanged: a.md");
}

#[test]
fn a_single_edit_comes_as_plain_parameters() {
    let (_folder, vault) = vault(&[("a.md", "a a"), ("b.canvas", "{}")]);
    let fails = |params: &[(&str, &str)], flags: &[&str]| {
        error(&vault, "note:edit", params, flags).to_string()
    };
    assert_eq!(
        fails(&[("path", "a.md"), ("old", "a"), ("new", "b")], &[]),
        "the note contains the text of `old` 2 times"
    );
    assert_eq!(
        fails(&[("path", "a.md"), ("old", "a")], &[]),
        ".new is missing"
    );
    insta::assert_snapshot!(fails(&[("path", "a.md"), ("content", "a")], &[]), @r#".edits is missing; pass a list such as `[{"old":"tpyo","new":"typo"}]`, or an edit with `heading`, `block`, `lines` or `afterLine` instead of `old`"#);
    insta::assert_snapshot!(fails(&[("path", "a.md"), ("content", "a")], &["frontmatter"]), @".frontmatter only lets `old`, `lines` or `afterLine` be in the properties, so pass one of them too");
    assert_eq!(
        fails(
            &[("path", "a.md"), ("edits", "[]"), ("mode", "append")],
            &[]
        ),
        ".edits holds every key of an edit; leave the other parameters out"
    );
    assert_eq!(
        fails(&[("path", "none.md"), ("old", "a"), ("new", "b")], &[]),
        "the file `none.md` does not exist"
    );
    let edit = plan(
        &vault,
        "note:edit",
        &[("path", "a.md"), ("old", "a"), ("new", "b")],
        &["all"],
    );
    let [Change::Modify { after, .. }] = edit.changes.as_slice() else {
        panic!("{edit:?}")
    };
    assert_eq!(after, b"b b");
    let edit = plan(
        &vault,
        "note:edit",
        &[("path", "a.md"), ("afterLine", "1"), ("content", "x")],
        &[],
    );
    let [Change::Modify { after, .. }] = edit.changes.as_slice() else {
        panic!("{edit:?}")
    };
    assert_eq!(after, b"a a\nx");
}

#[test]
fn bytes_that_are_no_text_stay_as_they_are() {
    let note = b"caf\xe9\r\n# H\r\n\xff\xfe b\r\n";
    let edits = json!([
        {"old": "b", "new": "c"},
        {"heading": "H", "mode": "prepend", "content": "x"},
    ]);
    let edited = edited_by(note, &edits).unwrap().note;
    insta::assert_snapshot!(edited.escape_ascii(), @r"caf\xe9\r\n# H\r\nx\r\n\xff\xfe c\r\n");
}

#[test]
fn a_cancelled_edit_says_so_and_not_that_its_place_is_missing() {
    let (_folder, vault) = vault(&[("a.md", "# A\ntext\n")]);
    let stop = CancellationToken::default();
    let vault = vault.with_cancellation(stop.clone());
    let params = [
        ("path", "a.md"),
        ("heading", "A"),
        ("mode", "replace"),
        ("content", "new"),
    ];
    plan(&vault, "note:edit", &params, &[]);
    stop.cancel();
    let found = error(&vault, "note:edit", &params, &[]);
    assert!(matches!(found, EngineError::Stopped), "{found}");
}

#[test]
fn both_ends_of_lines_are_compared_at_once() {
    let edit = |first: &str, last: &str| {
        let edit = json!([{"lines": "1-3", "first": first, "last": last, "content": "x"}]);
        let miss = edited_by("one\ntwo\nthree\n", &edit).unwrap_err();
        let all = std::iter::once(&miss).chain(&miss.others);
        all.map(ToString::to_string).collect::<Vec<_>>()
    };
    let first = "in `edits[0]`: line 1 does not contain the text of `first`";
    assert_eq!(
        edit("eins", "drei"),
        [
            first,
            "in `edits[0]`: line 3 does not contain the text of `last`"
        ]
    );
    assert_eq!(edit("eins", "three"), [first]);
    assert_eq!(
        edit("eins", ""),
        [
            first,
            "in `edits[0]`: `last` is missing; it must be the text of line 3"
        ]
    );
}

#[test]
fn each_of_several_equal_headings_can_be_named() {
    let note = "# A\n## N\na\n# B\n## N\nb\n## N\nc\n# B\n## N\nd\n";
    let append = |heading: &str| {
        let edit = json!([{"heading": heading, "mode": "append", "content": "x"}]);
        edited_by(note, &edit)
    };
    let miss = append("N").unwrap_err();
    let names: Vec<&str> = miss
        .candidates
        .iter()
        .map(|heading| heading.text.as_str())
        .collect();
    assert_eq!(names, ["A/N", "N (line 5)", "N (line 7)", "N (line 10)"]);
    for (name, letter) in names.into_iter().zip(["a", "b", "c", "d"]) {
        let text = String::from_utf8(append(name).unwrap().note).unwrap();
        assert!(text.contains(&format!("\n{letter}\nx\n")), "{name}: {text}");
    }
    for wrong in ["N (line 4)", "N (line 6)", "Z (line 5)"] {
        append(wrong).unwrap_err();
    }
    // A heading that is named so is meant rather than one on that line.
    let own = "# N\n# N (line 1)\n";
    assert_eq!(
        one(
            own,
            &json!({"heading": "N (line 1)", "mode": "append", "content": "x"})
        ),
        Ok("# N\n# N (line 1)\nx\n".to_owned())
    );
}

/// The board of the Kanban plugin as it writes it (`boardToMd` in its sources).
const BOARD: &str = "---\n\nkanban-plugin: board\n\n---\n\n## To do\n\n- [ ] a\n\n\n\n## Empty\n\n\n\n## Done\n\n**Complete**\n- [x] b\n\n\n\n***\n\n## Archive\n\n- [x] c\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%";

#[test]
fn a_card_is_added_to_the_list_of_its_lane() {
    let edit = |heading: &str, mode: &str, content: &str| {
        let edit =
            json!({"heading": heading, "mode": mode, "reach": "section", "content": content});
        one(BOARD, &edit)
    };
    for [heading, mode, old, new] in
        tables::section(CASES, "a card is added to the list of its lane")
    {
        let expected = BOARD.replacen(old, new, 1);
        assert_eq!(
            edit(heading, mode, "- [ ] x"),
            Ok(expected),
            "{heading} {mode}"
        );
    }
    let many = edit("To do", "append", "- [ ] x\n\tmore\n- y").unwrap();
    assert!(many.contains("- [ ] a\n- [ ] x\n\tmore\n- y\n\n"), "{many}");
    insta::assert_snapshot!(edit("To do", "append", "Call Ana").unwrap_err(), @"Unfit: in `edits[0]`: a lane of a board can contain only cards, because Kanban deletes other text []");
    insta::assert_snapshot!(edit("To do", "append", "- a\n\ntext").unwrap_err(), @"Unfit: in `edits[0]`: a lane of a board can contain only cards, because Kanban deletes other text []");
    let below = json!({"afterLine": 33, "content": "- [ ] x"});
    insta::assert_snapshot!(one(BOARD, &below).unwrap_err(), @"Unfit: in `edits[0]`: the note is a Kanban board, and Kanban drops text below its settings on line 30 []");
    // Text elsewhere on a board is dropped too.
    for edit in [
        json!({"old": "- [ ] a", "new": "a"}),
        json!({"afterLine": 9, "content": "\ntext"}),
        json!({"afterLine": 6, "content": "text"}),
        json!({"lines": "9", "first": "- [ ] a", "content": "> a"}),
        json!({"old": "%%", "new": "%%\n\n- [ ] x", "all": true}),
    ] {
        let refused = one(BOARD, &edit).unwrap_err();
        assert!(refused.contains("a Kanban board"), "{edit} {refused}");
    }
    let edit = json!({"old": "- [ ] a", "new": "- [x] a\n- [ ] b"});
    assert!(one(BOARD, &edit).is_ok());
    // A board without an archive.
    let (lanes, rest) = BOARD.split_once("***").unwrap();
    let settings = rest.split_once("%%").unwrap().1;
    let plain = format!("{lanes}\n\n%%{settings}");
    let edit = json!({"heading": "Done", "mode": "append", "content": "- [ ] x"});
    assert_eq!(
        one(&plain, &edit),
        Ok(plain.replacen("- [x] b\n", "- [x] b\n- [ ] x\n", 1))
    );
}

/// A line `---` below a text, or in front of one, must make no heading that `content` does not have.
#[test]
fn text_next_to_an_underline_does_not_become_a_heading() {
    for (mode, below, content, expected) in
        tables::typed::<(&str, &str, &str, Option<&str>)>(CASES, "text next to an underline does")
    {
        let edit = json!({"heading": "A", "mode": mode, "content": content});
        let found = one(&format!("# A\n{below}"), &edit);
        let expected = expected.map(|expected| format!("# A\n{expected}"));
        assert_eq!(found.ok(), expected, "{mode} {below:?} {content:?}");
    }
}

#[test]
fn an_item_is_added_to_the_list_of_its_section() {
    for [below, expected] in tables::section(CASES, "an item is added to the list") {
        let edit = json!({"heading": "A", "mode": "append", "content": "- x"});
        let found = one(&format!("# Top\n## A\n{below}"), &edit);
        assert_eq!(found, Ok(format!("# Top\n## A\n{expected}")), "{below:?}");
    }
    // Text that is not a list goes to the end.
    let text = json!({"heading": "A", "mode": "append", "content": "x"});
    assert_eq!(
        one("## A\n- a\n\n---\n", &text),
        Ok("## A\n- a\n\n---\nx\n".into())
    );
}

#[test]
fn only_the_text_above_the_data_of_a_drawing_is_edited() {
    let head = "---\nexcalidraw-plugin: parsed\n---\n\n## Back\n\ntext a\n\n#\n";
    let data =
        "%%\n# Excalidraw Data\n\n## Text Elements\ntext b ^id\n\n## Drawing\n```json\n{}\n```\n%%";
    let note = format!("{head}{data}");
    for (edit, expected) in [
        (
            json!({"old": "text a", "new": "x"}),
            head.replace("text a", "x"),
        ),
        (
            json!({"heading": "Back", "mode": "append", "content": "x"}),
            head.replace("text a\n", "text a\nx\n"),
        ),
        (
            json!({"heading": "Back", "mode": "replace", "reach": "section", "content": "x"}),
            head.replace("text a\n", "x\n"),
        ),
        (
            json!({"afterLine": 7, "content": "x"}),
            head.replace("text a\n", "text a\nx\n"),
        ),
    ] {
        assert_eq!(one(&note, &edit), Ok(format!("{expected}{data}")), "{edit}");
    }
    let refused = json!({"old": "text b", "new": "x"});
    insta::assert_snapshot!(one(&note, &refused).unwrap_err(), @"Unfit: in `edits[0]`: the note is an Excalidraw drawing, and only Excalidraw can change its data from line 9 []");
    for edit in [
        json!({"old": "text", "new": "x", "all": true}),
        json!({"afterLine": 20, "content": "x"}),
        json!({"afterLine": 10, "content": "x"}),
        json!({"lines": "20", "first": "%%", "content": "x"}),
        json!({"old": "text a", "new": "# Excalidraw Data"}),
        json!({"afterLine": 7, "content": "# Excalidraw Data"}),
    ] {
        assert!(
            one(&note, &edit)
                .unwrap_err()
                .contains("an Excalidraw drawing"),
            "{edit}"
        );
    }
}

#[test]
fn a_heading_that_ends_the_edited_section_is_refused() {
    let note = "# Top\n\n## A\n\ntext\n\n### C\n\nmore\n\n## B\n";
    let at = |heading: &str, mode: &str, reach: &str, content: &str| {
        let edit = json!({"heading": heading, "mode": mode, "reach": reach, "content": content});
        one(note, &edit).map_err(|error| error.split(": ").nth(2).unwrap_or_default().to_owned())
    };
    for mode in ["append", "prepend", "replace"] {
        for reach in ["text", "section"] {
            insta::allow_duplicates! {
                insta::assert_snapshot!(at("A", mode, reach, "## A\nx").unwrap_err(), @"`content` repeats the heading, which the edit keeps []");
                insta::assert_snapshot!(at("A", mode, reach, "x\n\n# D\n").unwrap_err(), @"`content` has a heading of level 1, which ends the section of the edited heading of level 2 []");
            }
        }
    }
    // One of the same level would take over the rest of the section.
    for (mode, reach, is_refused) in
        tables::typed::<(&str, &str, bool)>(CASES, "a heading that ends the edited section")
    {
        assert_eq!(
            at("A", mode, reach, "x\n\n## D\n").is_err(),
            is_refused,
            "{mode} {reach}"
        );
    }
    assert!(at("B", "prepend", "text", "x\n\n## D\n").is_ok());
    assert!(at("A", "append", "text", "### D\n").is_ok());
}

#[test]
fn a_base_is_edited_by_its_text_and_stays_a_base() {
    let base = "# Open\nviews:\n  - type: table\n    name: Open\n    filters: status == \"open\"\n";
    let (_folder, vault) = vault(&[("Tasks.base", base), ("Board.canvas", "{}")]);
    let planned = |path: &str, edit: Value| {
        let arguments = Args::default()
            .with("path", Arg::Path(VaultPath::file(path).unwrap()))
            .with("edits", Arg::List(vec![edit]));
        let edit = Editor(&vault).plan("note:edit", &arguments, &surroundings());
        edit.map_err(|error| error.to_string()).map(|edit| {
            let warnings = edit.warnings.iter().map(ToString::to_string);
            (edit.answer.text(), warnings.collect::<Vec<_>>())
        })
    };
    let results = [
        (
            "Tasks.base",
            json!({"old": "name: Open", "new": "name: All"}),
        ),
        (
            "Tasks.base",
            json!({"lines": "4", "first": "    name: Open", "content": "    name: All"}),
        ),
        ("Tasks.base", json!({"afterLine": 1, "content": "# note"})),
        ("Tasks.base", json!({"old": "== \"open\"", "new": "=="})),
        ("Tasks.base", json!({"old": "views:", "new": "views: ["})),
        (
            "Tasks.base",
            json!({"heading": "Open", "mode": "append", "content": "x"}),
        ),
        ("Board.canvas", json!({"old": "{", "new": "["})),
    ]
    .map(|(path, edit)| planned(path, edit));
    insta::assert_debug_snapshot!(results, @r#"
    [
        Ok(
            (
                "Edited: Tasks.base (line 4)",
                [],
            ),
        ),
        Ok(
            (
                "Edited: Tasks.base (line 4)",
                [],
            ),
        ),
        Ok(
            (
                "Edited: Tasks.base (line 2)",
                [],
            ),
        ),
        Ok(
            (
                "Edited: Tasks.base (line 5)",
                [
                    "a part of the base `Tasks.base` is ignored, because line 5 is invalid: the filter `status ==` is not an expression: The expression ends where a value is expected (at character 10)",
                ],
            ),
        ),
        Err(
            "after the edit, the base cannot be read (line 3: \"-\" is only valid inside a block)",
        ),
        Err(
            "in `edits[0]`: a base has no headings and no blocks",
        ),
        Err(
            "the file is not a note",
        ),
    ]
    "#);
}

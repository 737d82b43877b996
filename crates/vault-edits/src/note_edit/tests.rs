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

/// An edit below a heading.
fn below(heading: &str, mode: &str, content: &str) -> Value {
    json!({"heading": heading, "mode": mode, "content": content})
}

/// The same with all that is below it.
fn in_section(heading: &str, mode: &str, content: &str) -> Value {
    json!({"heading": heading, "mode": mode, "reach": "section", "content": content})
}

/// The edit makes this of the note.
#[track_caller]
fn gives(note: &str, edit: &Value, expected: &str) {
    assert_eq!(one(note, edit).as_deref(), Ok(expected), "{edit}");
}

/// The edit is refused with an error that has this part.
#[track_caller]
fn fails(note: &str, edit: &Value, part: &str) {
    let error = one(note, edit).unwrap_err();
    assert!(error.contains(part), "{edit}: {error}");
}

/// The texts that an error offers.
fn offered(miss: &EditMiss) -> Vec<&str> {
    let candidates = miss.candidates.iter();
    candidates.map(|found| found.text.as_str()).collect()
}

#[test]
fn text_is_replaced_where_it_stands_once() {
    for [note, old, new, expected] in
        tables::section(CASES, "text is replaced where it stands once")
    {
        gives(note, &json!({"old": old, "new": new}), expected);
    }
    for [note, old, expected] in tables::section(CASES, "text is replaced where it stands once, 2")
    {
        fails(note, &json!({"old": old, "new": "x"}), expected);
    }
    let all = json!({"old": "a", "new": "aa", "all": true});
    let note = "---\na: a\n---\na b a\r\na";
    gives(note, &all, "---\na: a\n---\naa b aa\r\naa");
    assert!(one("b", &all).is_err());
}

/// A caller that sends an offered text as `old` must not leave parts of lines in the note.
#[test]
fn an_offered_text_replaces_whole_lines() {
    let note = "---\r\nstatus: active\r\ntags: [a]\r\n---\r\n\r\n- [ ] Mend the gate\r\n\r\nThe plot is hard work, mostly at weekends. #outdoors\r\n";
    let task = "---\n\n- [ ] Mend the fence\n";
    let plot = "The plot is hard work, mostly ";
    let (summer, weekends) = (format!("{plot}in summer."), format!("{plot}at weekends."));
    for (old, in_frontmatter, from, to) in [
        ("status: done", true, "status: active", "status: x"),
        (task, false, "- [ ] Mend the gate", "- [ ] Rest"),
        (&summer, false, &weekends, "It rests."),
    ] {
        let end = if old.ends_with('\n') { "\n" } else { "" };
        let new = format!("{to}{end}");
        let edit = |old: &str| json!({"old": old, "new": new, "frontmatter": in_frontmatter});
        let miss = edited_by(note, &json!([edit(old)])).unwrap_err();
        let [offered] = offered(&miss)[..] else {
            panic!("{miss:?}")
        };
        gives(note, &edit(offered), &note.replace(from, to));
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
    gives(note, &edit, "one\r\n2\nthree\r\nfour\r\n");
}

#[test]
fn text_goes_below_the_heading_that_is_meant() {
    let note = "intro\n\n# Plan\n\n- a\n- b\n\n## Later\n\ntext\n\n# Log\n";
    for (heading, mode, content, expected) in [
        ("Plan", "append", "- c\n", ["- a\n- b\n- c", "text", ""]),
        ("plan", "prepend", "- c", ["- c\n- a\n- b", "text", ""]),
        ("Plan/Later", "replace", "x\ny", ["- a\n- b", "x\ny", ""]),
        ("# Log", "append", "end", ["- a\n- b", "text", "end\n"]),
    ] {
        let [plan, later, log] = expected;
        let expected = format!("intro\n\n# Plan\n\n{plan}\n\n## Later\n\n{later}\n\n# Log\n{log}");
        gives(note, &below(heading, mode, content), &expected);
    }
    let (head, later) = ("intro\n\n# Plan\n\n", "## Later\n\ntext\n");
    let expected = format!("{head}- a\n- b\n\n{later}- c\n\n# Log\n");
    gives(note, &in_section("Plan", "append", "- c"), &expected);
    let whole = in_section("Plan", "replace", "x");
    gives(note, &whole, &format!("{head}x\n\n# Log\n"));
    let text = json!({"heading": "Plan", "mode": "replace", "reach": "text", "content": ""});
    gives(note, &text, &format!("{head}\n{later}\n# Log\n"));
    for (edit, expected) in [
        (
            below("Plan", "replace", "x"),
            "Ambiguous: in `edits[0]`: the heading has a subheading, so the edit needs `reach` [8]",
        ),
        (
            below("Lator", "append", "x"),
            "NotFound: in `edits[0]`: the note does not have this heading [8]",
        ),
        (
            below("Plan/Later", "replace", "## Later\nx"),
            "Unfit: in `edits[0]`: `content` repeats the heading, which the edit keeps []",
        ),
        (below("Plan", "append", "```\nopen"), "other headings"),
    ] {
        fails(note, &edit, expected);
    }
}

#[test]
fn headings_are_found_as_links_to_them_are() {
    let note =
        "# A: *b* [[c]]\nx\n```\n# not a heading\n```\n## In/Out\ny\n# D\n## In/Out\n> # quoted\n";
    let at = |heading: &str| {
        let after = one(note, &below(heading, "append", "!"))?;
        Ok::<_, String>(after.lines().position(|line| line == "!").unwrap())
    };
    let is_missing = |heading: &str| fails(note, &below(heading, "append", "!"), "NotFound: ");
    // The heading below the code block; the `#` in the block is not a heading.
    for heading in ["A: *b* [[c]]", "a b c", "A *b* c", "# A: *b* [[c]]"] {
        assert_eq!(at(heading), Ok(5), "{heading}");
    }
    is_missing("not a heading");
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
        is_missing(id);
    }
    is_missing("quoted");
    let two = "2 headings have this text [6, 9]";
    fails(note, &below("In/Out", "append", "!"), two);
    // A blank line separates it from the quote.
    assert_eq!(at("D#In/Out"), Ok(11));
    assert_eq!(at("a b c#In/Out"), Ok(7));
    is_missing("D/A");
}

#[test]
fn text_beside_a_block_does_not_become_a_part_of_it() {
    for [block, content, expected] in tables::section(CASES, "text beside a block does not become")
    {
        let edit = below("H", "append", content);
        gives(&format!("# H\n{block}"), &edit, &format!("# H\n{expected}"));
    }
    let prepend = |content: &str| below("H", "prepend", content);
    gives("# H\ntext", &prepend("- a"), "# H\n- a\n\ntext");
    gives("# H\ntext", &prepend("a"), "# H\na\ntext");
    // Text right above an underlined heading would become part of it.
    let (note, expected) = ("# H\nNext\n====\n", "# H\nx\n\nNext\n====\n");
    gives(note, &below("H", "append", "x"), expected);
}

#[test]
fn a_note_keeps_its_last_line_as_it_ends() {
    for [note, edit, expected] in tables::section(CASES, "a note keeps its last line as it ends") {
        gives(note, &serde_json::from_str(edit).unwrap(), expected);
    }
    let two = "NotFound: in `edits[0]`: the note has 2 lines, so line 3 does not exist [2]";
    fails("a\nb", &json!({"lines": "2-3", "content": "x"}), two);
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
    // There is a hash only with all of the text.
    assert_eq!(unread.candidates[0].lines_hash, None);
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
        fails(note, &known, reason);
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
    let edit = |id: &str, mode: &str, content: &str| json!({"block": id, "mode": mode, "content": content});
    let at = |id: &str, mode: &str, content: &str| {
        let after = one(note, &edit(id, mode, content));
        after.unwrap().replace('\n', "/")
    };
    let rest = "- a/- [ ] task ^t/\t- inner ^i//| a |/|---|/| 1 |//^tab//> q ^q/";
    for (id, mode, content, expected) in [
        ("P", "replace", "new", "new ^p"),
        ("p", "append", "new\n", "para/more/new ^p"),
        ("^p", "prepend", "new", "new/para/more ^p"),
    ] {
        assert_eq!(at(id, mode, content), format!("{expected}//{rest}"));
    }
    for [id, mode, content, expected] in
        tables::section(CASES, "a block is edited and keeps its id, 2")
    {
        let done = at(id, mode, content);
        assert!(done.contains(expected), "{done}");
    }
    for (id, mode, content, reason) in [
        ("p", "replace", "a\n\nb", "another block"),
        ("t", "append", "- b", "another list item"),
        ("tab", "replace", "no table", "another block"),
        ("q", "replace", "no quote", "another block"),
    ] {
        fails(note, &edit(id, mode, content), reason);
    }
    for (mode, content, quote) in [
        ("append", "more\nand more", "> q/> more/> and more ^q/"),
        ("prepend", "first", "> first/> q ^q/"),
        ("append", "> more", "> q/> more ^q/"),
        ("replace", "> new", "> new ^q/"),
    ] {
        let done = at("q", mode, content);
        assert!(done.ends_with(&format!("//{quote}")), "{done}");
    }
    let elsewhere = json!([edit("elsewhere", "append", "x")]);
    let miss = edited_by(note, &elsewhere).unwrap_err();
    assert_eq!(offered(&miss), ["p", "t", "i", "tab", "q"]);
    let miss = edited_by("text\n", &elsewhere).unwrap_err();
    insta::assert_snapshot!(miss.advice, @"No block of this note has an id. Name a heading or lines instead.");
    fails(note, &edit("tap", "append", "x"), "NotFound: ");
    fails(note, &edit("tap", "append", "x"), "with this id [8, ");
    for [id, mode, content, expected] in
        tables::section(CASES, "a block is edited and keeps its id")
    {
        let done = at(id, mode, content);
        assert!(done.contains(expected), "{done}");
        let ids = done.matches(&format!(" ^{id}/")).count();
        assert_eq!(ids, usize::from(id != "tab"), "{done}");
    }
    let twice = "2 blocks have this id [1, 3]";
    fails("a ^x\n\nb ^X\n", &edit("x", "append", "c"), twice);
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
        fails(note, &edit, expected);
    }
    let named = json!({"old": "A", "new": "B", "frontmatter": true});
    gives(note, &named, &note.replace("title: A", "title: B"));
    let named = json!({"afterLine": 3, "content": "n: 1", "frontmatter": true});
    gives(note, &named, &note.replace("[x]\n", "[x]\nn: 1\n"));
    let inserted = json!({"afterLine": 4, "content": "x"});
    gives(note, &inserted, &note.replace("\nA\n", "\nx\nA\n"));
    // A lone id below the properties refers to them.
    let block = json!({"block": "x", "mode": "replace", "content": "y"});
    fails("---\na: 1\n---\n^x\n", &block, "change the properties");
    // Inserted text must not become properties by accident.
    let made = json!({"afterLine": 0, "content": "---\na: 1\n---"});
    fails("x", &made, "would be read as properties");
    let made = json!({"afterLine": 0, "content": "---\na: 1\n---", "frontmatter": true});
    gives("x", &made, "---\na: 1\n---\nx");
}

#[test]
fn edits_are_made_together_or_not_at_all() {
    let note = "# A\na\n\n# B\nb\n";
    let edits = json!([
        {"afterLine": 5, "content": "end"},
        {"old": "b", "new": "B1\nB2"},
        {"heading": "A", "mode": "append", "content": "x"},
        {"lines": "1", "content": "# AA"},
    ]);
    let expected = "# AA\na\nx\n\n# B\nB1\nB2\nend\n";
    assert_eq!(after(note, &edits).as_deref(), Ok(expected));
    let miss = json!([{"old": "a", "new": "x"}, {"old": "z", "new": "x"}]);
    let both = json!([{"old": "a\n\n", "new": "x"}, {"lines": "2", "content": "y"}]);
    for (edits, part) in [
        (miss, "NotFound: in `edits[1]`"),
        (both, "`edits[0]` and `edits[1]` change the same text"),
    ] {
        let error = after(note, &edits).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    // Two insertions in one place keep their order.
    let two = json!([{"afterLine": 2, "content": "1"}, {"afterLine": 2, "content": "2"}]);
    assert_eq!(after(note, &two), Ok("# A\na\n1\n2\n\n# B\nb\n".into()));
}

#[test]
fn the_answer_reports_where_the_edits_are_now() {
    let (_folder, vault) = vault(&[("a.md", "# A\na\n\n# B\nb")]);
    let edits = r#"[{"heading":"B","mode":"append","content":"c\nd"},{"old":"a","new":"x\ny"}]"#;
    let edit = done(&vault, "note:edit", &[("file", "a"), ("edits", edits)], &[]);
    let places = json!([
        {"edit": 1, "line": 2, "endLine": 3},
        {"edit": 0, "line": 7, "endLine": 8},
    ]);
    let expected = json!({"path": "a.md", "changed": true, "places": places});
    assert_eq!(edit.answer.to_json(), expected);
    assert_eq!(edit.answer.text(), "Edited: a.md (lines 2-3, lines 7-8)");
    let same = [("path", "a.md"), ("old", "x"), ("new", "x")];
    let same = plan(&vault, "note:edit", &same, &[]);
    assert!(same.changes.is_empty());
    assert_eq!(same.answer.text(), "Unchanged: a.md");
}

#[test]
fn a_single_edit_comes_as_plain_parameters() {
    let (_folder, vault) = vault(&[("a.md", "a a"), ("b.canvas", "{}")]);
    let fails = |params: &[(&str, &str)], flags: &[&str]| {
        let params = [&[("path", "a.md")], params].concat();
        error(&vault, "note:edit", &params, flags).to_string()
    };
    let (old, new) = (("old", "a"), ("new", "b"));
    let twice = "the note contains the text of `old` 2 times";
    assert_eq!(fails(&[old, new], &[]), twice);
    assert_eq!(fails(&[old], &[]), ".new is missing");
    insta::assert_snapshot!(fails(&[("content", "a")], &[]), @r#".edits is missing; pass a list such as `[{"old":"tpyo","new":"typo"}]`, or an edit with `heading`, `block`, `lines` or `afterLine` instead of `old`"#);
    insta::assert_snapshot!(fails(&[("content", "a")], &["frontmatter"]), @".frontmatter works only together with `old`, `lines` or `afterLine`");
    insta::assert_snapshot!(fails(&[("edits", "[]"), ("mode", "append")], &[]), @".edits contains every key of an edit. Omit the other parameters");
    insta::assert_snapshot!(fails(&[("path", "none.md"), old, new], &[]), @"the file `none.md` does not exist");
    for (params, flags, expected) in [
        ([old, new], &["all"][..], "b b"),
        ([("afterLine", "1"), ("content", "x")], &[], "a a\nx"),
    ] {
        let params = [&[("path", "a.md")], &params[..]].concat();
        let edit = plan(&vault, "note:edit", &params, flags);
        let [Change::Modify { after, .. }] = edit.changes.as_slice() else {
            panic!("{edit:?}")
        };
        assert_eq!(after, expected.as_bytes());
    }
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
    let params = ["path=a.md", "heading=A", "mode=replace", "content=new"];
    let params = params.map(|param| param.split_once('=').unwrap());
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
    let last = "in `edits[0]`: line 3 does not contain the text of `last`";
    let none = "in `edits[0]`: `last` is missing. `last` must be the text of line 3";
    assert_eq!(edit("eins", "drei"), [first, last]);
    assert_eq!(edit("eins", "three"), [first]);
    assert_eq!(edit("eins", ""), [first, none]);
}

#[test]
fn each_of_several_equal_headings_can_be_named() {
    let note = "# A\n## N\na\n# B\n## N\nb\n## N\nc\n# B\n## N\nd\n";
    let append = |heading: &str| edited_by(note, &json!([below(heading, "append", "x")]));
    let miss = append("N").unwrap_err();
    let names = offered(&miss);
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
    let edit = below("N (line 1)", "append", "x");
    gives(own, &edit, "# N\n# N (line 1)\nx\n");
}

/// The board of the Kanban plugin as it writes it (`boardToMd` in its sources).
const BOARD: &str = "---\n\nkanban-plugin: board\n\n---\n\n## To do\n\n- [ ] a\n\n\n\n## Empty\n\n\n\n## Done\n\n**Complete**\n- [x] b\n\n\n\n***\n\n## Archive\n\n- [x] c\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%";

#[test]
fn a_card_is_added_to_the_list_of_its_lane() {
    let edit = |heading, mode, content| one(BOARD, &in_section(heading, mode, content));
    for [heading, mode, old, new] in
        tables::section(CASES, "a card is added to the list of its lane")
    {
        let expected = BOARD.replacen(old, new, 1);
        gives(BOARD, &in_section(heading, mode, "- [ ] x"), &expected);
    }
    let many = edit("To do", "append", "- [ ] x\n\tmore\n- y").unwrap();
    assert!(many.contains("- [ ] a\n- [ ] x\n\tmore\n- y\n\n"), "{many}");
    insta::assert_snapshot!(edit("To do", "append", "Call Ana").unwrap_err(), @"Unfit: in `edits[0]`: a lane of a Kanban board can contain only cards, because Kanban deletes other text []");
    insta::assert_snapshot!(edit("To do", "append", "- a\n\ntext").unwrap_err(), @"Unfit: in `edits[0]`: a lane of a Kanban board can contain only cards, because Kanban deletes other text []");
    let below = json!({"afterLine": 33, "content": "- [ ] x"});
    insta::assert_snapshot!(one(BOARD, &below).unwrap_err(), @"Unfit: in `edits[0]`: the note is a Kanban board, and Kanban drops text below its settings, which begin on line 30 []");
    // Text elsewhere on a board is dropped too.
    for edit in [
        json!({"old": "- [ ] a", "new": "a"}),
        json!({"afterLine": 9, "content": "\ntext"}),
        json!({"afterLine": 6, "content": "text"}),
        json!({"lines": "9", "first": "- [ ] a", "content": "> a"}),
        json!({"old": "%%", "new": "%%\n\n- [ ] x", "all": true}),
    ] {
        fails(BOARD, &edit, "a Kanban board");
    }
    let edit = json!({"old": "- [ ] a", "new": "- [x] a\n- [ ] b"});
    assert!(one(BOARD, &edit).is_ok());
    // A board without an archive.
    let (lanes, rest) = BOARD.split_once("***").unwrap();
    let settings = rest.split_once("%%").unwrap().1;
    let plain = format!("{lanes}\n\n%%{settings}");
    let expected = plain.replacen("- [x] b\n", "- [x] b\n- [ ] x\n", 1);
    gives(&plain, &self::below("Done", "append", "- [ ] x"), &expected);
}

/// A line `---` below a text, or in front of one, must make no heading that `content` does not have.
#[test]
fn text_next_to_an_underline_does_not_become_a_heading() {
    for (mode, below, content, expected) in
        tables::typed::<(&str, &str, &str, Option<&str>)>(CASES, "text next to an underline does")
    {
        let edit = self::below("A", mode, content);
        let found = one(&format!("# A\n{below}"), &edit);
        let expected = expected.map(|expected| format!("# A\n{expected}"));
        assert_eq!(found.ok(), expected, "{mode} {below:?} {content:?}");
    }
}

#[test]
fn an_item_is_added_to_the_list_of_its_section() {
    for [below, expected] in tables::section(CASES, "an item is added to the list") {
        let (note, edit) = (
            format!("# Top\n## A\n{below}"),
            self::below("A", "append", "- x"),
        );
        gives(&note, &edit, &format!("# Top\n## A\n{expected}"));
    }
    // Text that is not a list goes to the end.
    let note = "## A\n- a\n\n---\n";
    gives(note, &below("A", "append", "x"), &format!("{note}x\n"));
}

#[test]
fn only_the_text_above_the_data_of_a_drawing_is_edited() {
    let head = "---\nexcalidraw-plugin: parsed\n---\n\n## Back\n\ntext a\n\n#\n";
    let data =
        "%%\n# Excalidraw Data\n\n## Text Elements\ntext b ^id\n\n## Drawing\n```json\n{}\n```\n%%";
    let note = format!("{head}{data}");
    for (edit, text) in [
        (json!({"old": "text a", "new": "x"}), "x\n"),
        (below("Back", "append", "x"), "text a\nx\n"),
        (in_section("Back", "replace", "x"), "x\n"),
        (json!({"afterLine": 7, "content": "x"}), "text a\nx\n"),
    ] {
        gives(&note, &edit, &note.replace("text a\n", text));
    }
    let refused = json!({"old": "text b", "new": "x"});
    insta::assert_snapshot!(one(&note, &refused).unwrap_err(), @"Unfit: in `edits[0]`: the note is an Excalidraw drawing. Its data begins on line 9, and only Excalidraw can change the data []");
    for edit in [
        json!({"old": "text", "new": "x", "all": true}),
        json!({"afterLine": 20, "content": "x"}),
        json!({"afterLine": 10, "content": "x"}),
        json!({"lines": "20", "first": "%%", "content": "x"}),
        json!({"old": "text a", "new": "# Excalidraw Data"}),
        json!({"afterLine": 7, "content": "# Excalidraw Data"}),
    ] {
        fails(&note, &edit, "an Excalidraw drawing");
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
                insta::assert_snapshot!(at("A", mode, reach, "x\n\n# D\n").unwrap_err(), @"`content` has a heading of level 1, which would end the section of the edited heading (level 2) []");
            }
        }
    }
    // One of the same level would take over the rest of the section.
    for (mode, reach, is_refused) in
        tables::typed::<(&str, &str, bool)>(CASES, "a heading that ends the edited section")
    {
        let done = at("A", mode, reach, "x\n\n## D\n");
        assert_eq!(done.is_err(), is_refused, "{mode} {reach}");
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
    let (tasks, board) = ("Tasks.base", "Board.canvas");
    let lines = json!({"lines": "4", "first": "    name: Open", "content": "    name: All"});
    let results = [
        planned(tasks, json!({"old": "name: Open", "new": "name: All"})),
        planned(tasks, lines),
        planned(tasks, json!({"afterLine": 1, "content": "# note"})),
        planned(tasks, json!({"old": "== \"open\"", "new": "=="})),
        planned(tasks, json!({"old": "views:", "new": "views: ["})),
        planned(tasks, below("Open", "append", "x")),
        planned(board, json!({"old": "{", "new": "["})),
    ];
    let results = results.map(|result| format!("{result:?}"));
    insta::assert_snapshot!(results.join("\n"), @r#"
    Ok(("Edited: Tasks.base (line 4)", []))
    Ok(("Edited: Tasks.base (line 4)", []))
    Ok(("Edited: Tasks.base (line 2)", []))
    Ok(("Edited: Tasks.base (line 5)", ["a part of the base `Tasks.base` is ignored, because line 5 is invalid: the filter `status ==` is not an expression: The expression ends where a value is expected (at character 10)"]))
    Err("after the edit, the base could not be read (line 3: \"-\" is only valid inside a block)")
    Err("in `edits[0]`: a base has no headings and no blocks")
    Err("the file is not a note")
    "#);
}

//! `note:merge` and `note:extract` by the rules of `vault-semantics.md` §7.8.

use std::collections::{BTreeMap, BTreeSet};

use obsidian_note::VaultPath;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use tables::unescaped;
use vault_files::Vault;
use vault_files::testing::{given, parsed};
use vault_files::vault::testing::vault;

use super::random_vaults::{Case, case};
use super::testing::{applied, files, graph};
use crate::Editor;
use crate::testing::{error, surroundings};

type Notes<'text> = &'text [(&'text str, &'text str)];

/// Makes a change, and returns its answer, its warnings, and each file that is new, changed or gone.
fn outcome(notes: Notes<'_>, line: &str) -> String {
    let (_folder, vault) = vault(notes);
    let before = files(vault.root());
    let (command, arguments) = parsed(line);
    let edit = match Editor(&vault).plan(&command, &arguments, &surroundings()) {
        Ok(edit) => edit,
        Err(error) => return format!("{error}"),
    };
    Editor(&vault).apply(&edit.changes, "run").unwrap();
    let after = files(vault.root());
    let mut lines = vec![edit.answer.text()];
    lines.extend(edit.warnings.iter().map(|warning| format!("! {warning}")));
    let paths: BTreeSet<&VaultPath> = before.keys().chain(after.keys()).collect();
    for path in paths {
        let new = after.get(path);
        if before.get(path) != new {
            let new = new.map_or("-".to_owned(), |bytes| {
                String::from_utf8_lossy(bytes).escape_debug().to_string()
            });
            lines.push(format!("{path}: {new}"));
        }
    }
    lines.join("\n")
}

/// Compares the outcomes of calls. Each case is a paragraph: the files, the call after `> `, and its outcome.
fn cases(table: &str) {
    for case in table.split("\n\n") {
        let lines = case.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("//"));
        let lines: Vec<&str> = lines.collect();
        let call = lines.iter().position(|line| line.starts_with("> "));
        let (notes, outcomes) = lines.split_at(call.unwrap());
        let notes = notes.iter().map(|line| {
            let (path, text) = line.split_once(':').unwrap();
            (path, unescaped(text.strip_prefix(' ').unwrap_or(text)))
        });
        let notes: Vec<(&str, &str)> = notes.collect();
        let expected = outcomes[1..].join("\n");
        assert_eq!(outcome(&notes, &outcomes[0][2..]), expected, "{case}");
    }
}

#[test]
fn a_merged_note_is_at_the_place_that_was_named_with_blank_lines_around_it() {
    cases(
        r"
        a.md: one\n
        b.md: two\n
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: two\n\none\n

        a.md: one\n
        b.md: two\n
        > note:merge path=a.md into=b.md position=start
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: one\n\ntwo\n

        // No final line end, none is added; blank lines around the text are not doubled.
        a.md: \n\n    one\n\n
        b.md: two
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: two\n\n    one

        a.md: one
        b.md: two\n\n
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: two\n\none\n

        a.md: one
        b.md:
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: one\n

        // Line ends and byte order mark are those of the target.
        a.md: \u{feff}one\ntwo\n
        b.md: \u{feff}x\r\ny\r\n
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: \u{feff}x\r\ny\r\n\r\none\r\ntwo\r\n

        a.md: # H\r\none\r\n
        b.md: two\n
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: two\n\n# H\none\n

        a.md: one
        b.md: ---\nx: 1\n---
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: ---\nx: 1\n---\none

        a.md: one
        b.md: ---\nx: 1\n---\n# A\none\n## In\n\n# B\ntwo
        > note:merge path=a.md into=b.md position=start
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: ---\nx: 1\n---\none\n\n# A\none\n## In\n\n# B\ntwo

        a.md: one
        b.md: ---\nx: 1\n---\n# A\none\n## In\n\n# B\ntwo
        > note:merge path=a.md into=b.md heading=A
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: ---\nx: 1\n---\n# A\none\n## In\n\none\n\n# B\ntwo

        a.md: one
        b.md: ---\nx: 1\n---\n# A\none\n## In\n\n# B\ntwo
        > note:merge path=a.md into=b.md heading=A position=start
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: ---\nx: 1\n---\n# A\n\none\n\none\n## In\n\n# B\ntwo

        a.md: one
        b.md: ---\nx: 1\n---\n# A\none\n## In\n\n# B\ntwo
        > note:merge path=a.md into=b.md heading=B
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: ---\nx: 1\n---\n# A\none\n## In\n\n# B\ntwo\n\none
        ",
    );
}

#[test]
fn properties_are_united_and_the_targets_own_values_win() {
    cases(
        r#"
        a.md: ---\ntags: [x, y]\nstatus: old\nauthor: "[[me]]"\ndue:\nlist: [1]\nrel: "[x](me.md)"\n---\n
        b.md: ---\ntags: y, z\nstatus: new\nlist: [2]\n---\ntext\n
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        Properties left out: status
        a.md: -
        b.md: ---\ntags:\n  - y\n  - z\n  - x\nstatus: new\nlist: [2, 1]\nauthor: \"[[me]]\"\ndue:\nrel: \"[x](me.md)\"\n---\ntext\n

        a.md: ---\ntags: [x, y]\nstatus: old\nauthor: "[[me]]"\ndue:\nlist: [1]\nrel: "[x](me.md)"\n---\n
        b.md: ---\ntags: y, z\nstatus: new\nlist: [2]\n---\ntext\n
        > note:merge path=a.md into=b.md properties=target
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -

        a.md: ---\nx: {a: [1]}\n---\none
        b.md: two
        > note:merge path=a.md into=b.md alias
        Merged: a.md -> b.md (0 links in 0 files)
        a.md: -
        b.md: ---\nx:\n  a:\n    - 1\naliases:\n  - a\n---\ntwo\n\none

        a.md: ---\nx: [\n---\none
        b.md: two
        > note:merge path=a.md into=b.md
        the properties of `a.md` cannot be read: while parsing a node, did not find expected node content

        a.md: ---\nx: [\n---\none
        b.md: two
        > note:merge path=a.md into=b.md properties=target
        Merged: a.md -> b.md (0 links in 0 files)
        ! the properties of `a.md` are ignored, because line 3 is invalid: while parsing a node, did not find expected node content
        a.md: -
        b.md: two\n\none
        "#,
    );
}

/// `007` and `7` are the same number for YAML, and different names for a person.
#[test]
fn numbers_of_a_merged_note_are_written_as_they_were() {
    cases(
        r"
        a.md: ---\nisbn: 12345678901234567890\npostcode: 00712\nversion: 1.10\nx: 0x1F\nlist:\n  - 007\n  - 1.0\naliases: 007\nid: 01\n---\none
        b.md: ---\naliases: b\nid: 1\n---\ntwo
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (0 links in 0 files)
        Properties left out: id
        a.md: -
        b.md: ---\naliases:\n  - b\n  - 007\nid: 1\nisbn: 12345678901234567890\npostcode: 00712\nversion: 1.10\nx: 0x1F\nlist:\n  - 007\n  - 1.0\n---\ntwo\n\none

        a.md: ---\nx: {a: 1.10}\n---\none
        b.md: two
        > note:merge path=a.md into=b.md
        the properties of `a.md` cannot be read: `x` has a number that cannot be kept as it is written
        ",
    );
}

#[test]
fn links_to_a_merged_note_lead_to_the_target_and_its_own_links_stay_right() {
    cases(
        r##"
        S/a.md: # H\n[[#H]] [[a]] [[a#^id]] [x](../c.md) [[n]] ![](p.png) `[[a]]`\n\ntext ^id\n
        S/n.md:
        S/p.png: x
        T/b.md: [[S/a|a]]\n
        T/n.md:
        c.md: ---\nup: "[[a#H]]"\n---\n[[A|shown]] ![[S/a#H]] [a](S/a.md#H)
        d.canvas: {"nodes":[{"id":"1","type":"file","file":"S/a.md","subpath":"#H"}]}
        > note:merge path=S/a.md into=T/b.md
        Merged: S/a.md -> T/b.md (9 links in 4 files)
        S/a.md: -
        T/b.md: [[T/b|b]]\n\n# H\n[[#H]] [[b]] [[b#^id]] [x](../c.md) [[S/n]] ![](p.png) `[[a]]`\n\ntext ^id\n
        c.md: ---\nup: \"[[b#H]]\"\n---\n[[b|shown]] ![[T/b#H]] [b](T/b.md#H)
        d.canvas: {\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"T/b.md\",\"subpath\":\"#H\"}]}

        // A link must not lead to a namesake that is left, and text that led to the target still does.
        a.md: [[b]]
        X/a.md:
        b.md: [[a]] [[X/a]]
        c.md: [[a]]
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (2 links in 2 files)
        a.md: -
        b.md: [[b]] [[X/a]]\n\n[[b]]
        c.md: [[b]]

        a.md: [^1]\n\n[^1]: one
        b.md: ![[a]] [^1]\n\n[^1]: two
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (1 link in 1 file)
        ! `b.md` now embeds itself: 1 embed
        ! `b.md` has 1 footnote twice; the first is `[^1]`
        a.md: -
        b.md: ![[b]] [^1]\n\n[^1]: two\n\n[^1]\n\n[^1]: one

        // A link with a repeated name leads to the first heading, so the other one is named with the headings above it.
        a.md: # A\n## S\n\none
        b.md: # B\n## S\n\n[[a#S]] [[#S]]
        c.md: [[a#S|s]] [[a#A#S]] [[b#S]] [x](a.md#S)
        d.canvas: {"nodes":[{"type":"file","file":"a.md","subpath":"#S"}]}
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (5 links in 3 files)
        a.md: -
        b.md: # B\n## S\n\n[[b#A#S]] [[#S]]\n\n# A\n## S\n\none
        c.md: [[b#A#S|s]] [[b#A#S]] [[b#S]] [x](b.md#A#S)
        d.canvas: {\"nodes\":[{\"type\":\"file\",\"file\":\"b.md\",\"subpath\":\"#A#S\"}]}

        a.md: # A\n## S\n\none
        b.md: # B\n## S\n\n[[#S]]
        c.md: [[b#S]] [[a#S]]
        > note:merge path=a.md into=b.md position=start
        Merged: a.md -> b.md (3 links in 2 files)
        a.md: -
        b.md: # A\n## S\n\none\n\n# B\n## S\n\n[[#B#S]]
        c.md: [[b#B#S]] [[b#S]]

        a.md: # A
        b.md: # B\n\n## Sub\n
        c.md: [[b#B#Sub]] [[b#Sub]]
        > note:merge path=a.md into=b.md heading=B position=start
        Merged: a.md -> b.md (1 link in 1 file)
        a.md: -
        b.md: # B\n\n# A\n\n## Sub\n
        c.md: [[b#Sub]] [[b#Sub]]

        // A heading or an id of both notes: the first one wins, so links to the other one stray.
        a.md: # H\n\none ^x
        b.md: # h\n\ntwo ^x
        c.md: [[a#H]] [[a#^x]] [[b#H]] [[b#^X]]
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (2 links in 1 file)
        ! links in `c.md` cannot be changed and will point elsewhere: 2 links
        a.md: -
        b.md: # h\n\ntwo ^x\n\n# H\n\none ^x
        c.md: [[b#H]] [[b#^x]] [[b#H]] [[b#^X]]

        a.md: # H
        b.md: # H\n[[#H]]
        c.md: [[b#H]]
        d.md: [[b]]
        > note:merge path=a.md into=b.md position=start
        Merged: a.md -> b.md (0 links in 0 files)
        ! links in `b.md` cannot be changed and will point elsewhere: 1 link
        ! links in `c.md` cannot be changed and will point elsewhere: 1 link
        a.md: -
        b.md: # H\n\n# H\n[[#H]]

        a.md: one
        b.md: two
        c.md: [[a]]
        .obsidian/app.json: {"alwaysUpdateLinks":false}
        > note:merge path=a.md into=b.md
        Merged: a.md -> b.md (1 link in 1 file)
        ! links to `a.md` were not changed, because the settings turn this off: 1 link in 1 file
        a.md: -
        b.md: two\n\none
        "##,
    );
}

#[test]
fn boards_and_drawings_belong_to_their_plugins() {
    let board = "---\nkanban-plugin: board\n---\n\n## To do\n\n- [ ] a\n";
    let drawing = "---\nexcalidraw-plugin: parsed\n---\n# Back\n\ntext\n\n#\n# Excalidraw Data\n## Text Elements\nhi ^id1\n";
    let is_board = "`b.md` is a Kanban board, and Kanban drops text outside a lane";
    let is_drawing =
        "`d.md` is an Excalidraw drawing; its data begins on line 8 and must stay at the end";
    let in_data =
        "the note is an Excalidraw drawing, and only Excalidraw can change its data from line 8";
    let notes: Notes<'_> = &[("a.md", "x\n"), ("b.md", board), ("d.md", drawing)];
    for (line, expected) in [
        ("note:merge path=a.md into=b.md", is_board),
        ("note:merge path=b.md into=a.md", is_board),
        ("note:merge path=a.md into=d.md", is_drawing),
        ("note:merge path=d.md into=a.md", is_drawing),
        ("note:extract path=b.md lines=7 to=n", is_board),
        ("tag:add path=b.md tag=x place=text", is_board),
        ("tag:add path=d.md tag=x place=text", is_drawing),
    ] {
        assert_eq!(outcome(notes, line), expected, "{line}");
    }
    for line in [
        "note:extract path=d.md lines=11 to=n",
        "heading:rename path=d.md block=id1 to=id2",
        "heading:rename path=d.md heading=Text_Elements to=Words",
    ] {
        let shown = outcome(notes, line);
        assert!(shown.contains(in_data), "{line}: {shown}");
    }
    let after = drawing.replace("# Back\n\ntext\n", "[[n]]\n");
    let extracted = [
        "Extracted: d.md, lines 4-6 -> n.md (0 links in 0 files)",
        &format!("d.md: {}", after.escape_debug()),
        r"n.md: # Back\n\ntext\n",
    ];
    let shown = outcome(notes, "note:extract path=d.md heading=Back to=n");
    assert_eq!(shown, extracted.join("\n"));
}

#[test]
fn what_cannot_be_merged_or_extracted_without_damage_is_refused() {
    cases(
        r"
        a.md: one
        > note:merge path=a.md into=a.md
        `into` must be another note than the one that is merged

        a.md: one
        > note:merge path=a.md into=b.md
        the file `b.md` does not exist

        a.md: one
        b.png: x
        > note:merge path=a.md into=b.png
        the file is not a note

        a.md: # H
        b.md: ```\nx\n
        > note:merge path=a.md into=b.md
        headings, blocks or links would change, because the place is in a code block or comment that is not closed

        a.md: ```\nx\n
        b.md: # H
        > note:merge path=a.md into=b.md position=start
        headings, blocks or links would change, because the place is in a code block or comment that is not closed

        a.md: [[x]]
        b.md: ```\nx\n
        > note:merge path=a.md into=b.md
        headings, blocks or links would change, because the place is in a code block or comment that is not closed

        a.md: ---\n---\n---\nx: 1\n---\n
        b.md: two
        > note:merge path=a.md into=b.md position=start
        the text of the merged note begins with `---`, so it would become properties

        a.md: # H\nx
        B.md:
        > note:extract path=a.md heading=H to=b
        the destination exists

        a.md: # H\nx
        > note:extract path=a.md heading=H to=A
        the destination exists

        a.md: # H\nx
        > note:extract path=a.md heading=H to=x#y
        `to` must be a path that links can name, without `#`, `^`, `|`, `[[` and `]]`

        a.md: # H\nx
        > note:extract path=a.md heading=G to=b
        the note does not have this heading

        a.md: # H\n\n\nx
        > note:extract path=a.md lines=2-3 to=b
        the lines are blank

        a.md: ---\nx: 1\n---\nx
        > note:extract path=a.md lines=2 to=b
        the lines are in the properties of the note

        a.md: x\n\n---\ny\n---\n
        > note:extract path=a.md lines=3-5 to=b
        the text begins with `---`, so it would become the properties of a note

        a.md: ```\nx\n```\n# H
        > note:extract path=a.md lines=2-3 to=b
        the lines cut a block, such as a table or a list item, in two

        a.md: - a\n  - b\n- c\n
        > note:extract path=a.md lines=1 to=b
        the lines cut a block, such as a table or a list item, in two

        a.md: x
        sub/b.md:
        > note:extract path=a.md lines=1 to=sub/
        `to` must be the name or path of the new note, not of a folder. If a folder has this name, add `.md`

        a.md: x
        > note:extract path=a.md to=b
        `heading` must be given, or `lines` or `block`, for the part of the note to extract
        ",
    );
    let (_folder, vault) = vault(&[("b.md", "# H")]);
    fs_err::write(vault.root().join("a.md"), b"# H\n\xff").unwrap();
    for (command, params) in [
        (
            "note:merge",
            [("path", "a.md"), ("into", "b.md")].as_slice(),
        ),
        ("note:merge", &[("path", "b.md"), ("into", "a.md")]),
        (
            "note:extract",
            &[("path", "a.md"), ("heading", "H"), ("to", "c")],
        ),
    ] {
        let refused = error(&vault, command, params, &[]).to_string();
        assert_eq!(refused, "`a.md` is not UTF-8 text");
    }
}

#[cfg(unix)]
#[test]
fn a_symlinked_note_is_neither_merged_nor_extracted_from() {
    let (_folder, vault) = vault(&[("b.md", "# H")]);
    std::os::unix::fs::symlink(vault.root().join("b.md"), vault.root().join("a.md")).unwrap();
    for (command, params) in [
        (
            "note:merge",
            [("path", "a.md"), ("into", "b.md")].as_slice(),
        ),
        ("note:merge", &[("path", "b.md"), ("into", "a.md")]),
        (
            "note:extract",
            &[("path", "a.md"), ("heading", "H"), ("to", "c")],
        ),
    ] {
        let refused = error(&vault, command, params, &[]).to_string();
        assert_eq!(
            refused,
            "`a.md` is a symlink, and symlinks are not followed"
        );
    }
}

#[test]
fn a_section_block_or_lines_become_a_note_and_a_link_stays() {
    cases(
        r#"
        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n# B\n- item\n  - deep\n    more ^id\n- last
        > note:extract path=F/s.md heading=A to=n
        Extracted: F/s.md, lines 5-8 -> F/n.md (0 links in 0 files)
        F/n.md: # A\none\n## In\ntwo\n
        F/s.md: ---\nx: 1\n---\nabove\n\n[[n]]\n\n# B\n- item\n  - deep\n    more ^id\n- last

        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n# B\n- item\n  - deep\n    more ^id\n- last
        > note:extract path=F/s.md heading=A to=n.md leave=none
        Extracted: F/s.md, lines 5-8 -> n.md (0 links in 0 files)
        F/s.md: ---\nx: 1\n---\nabove\n\n# B\n- item\n  - deep\n    more ^id\n- last
        n.md: # A\none\n## In\ntwo\n

        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n# B\n- item\n  - deep\n    more ^id\n- last
        > note:extract path=F/s.md heading=B to=G/n leave=embed
        Extracted: F/s.md, lines 10-14 -> G/n.md (0 links in 0 files)
        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n![[n]]
        G/n.md: # B\n- item\n  - deep\n    more ^id\n- last\n

        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n# B\n- item\n  - deep\n    more ^id\n- last
        > note:extract path=F/s.md block=id to=n
        Extracted: F/s.md, lines 12-13 -> F/n.md (0 links in 0 files)
        F/n.md: - deep\n  more ^id\n
        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n# B\n- item\n  - [[n]]\n- last

        F/s.md: ---\nx: 1\n---\nabove\n# A\none\n## In\ntwo\n\n# B\n- item\n  - deep\n    more ^id\n- last
        > note:extract path=F/s.md lines=4 to=n leave=none
        Extracted: F/s.md, line 4 -> F/n.md (0 links in 0 files)
        F/n.md: above\n
        F/s.md: ---\nx: 1\n---\n# A\none\n## In\ntwo\n\n# B\n- item\n  - deep\n    more ^id\n- last

        s.md: \u{feff}# A\r\nx\r\n\r\n\r\n# B\r\n
        > note:extract path=s.md heading=A to=n leave=none
        Extracted: s.md, lines 1-2 -> n.md (0 links in 0 files)
        n.md: # A\r\nx\r\n
        s.md: \u{feff}# B\r\n

        // The id of a block may be on a line below it.
        s.md: x\n\n> one\n> two\n\n^q\n\ny [[#^q]]\n
        > note:extract path=s.md block=q to=n
        Extracted: s.md, lines 3-6 -> n.md (1 link in 1 file)
        n.md: > one\n> two\n\n^q\n
        s.md: x\n\n[[n]]\n\ny [[n#^q]]\n

        // Definitions come along, and stay for the text that stays.
        s.md: # A\n\nOne[^1] [site][X] [ ] `[^2]`\n\n[^3]: here\n\n# B\n\ntwo[^2] [x] three[^3]\n\n[^1]: note [x]\n[^2]: other\n\n[x]: https://x.org\n
        > note:extract path=s.md heading=A to=n
        Extracted: s.md, lines 1-5 -> n.md (0 links in 0 files)
        n.md: # A\n\nOne[^1] [site][X] [ ] `[^2]`\n\n[^3]: here\n\n[^1]: note [x]\n\n[x]: https://x.org\n
        s.md: [[n]]\n\n# B\n\ntwo[^2] [x] three[^3]\n\n[^1]: note [x]\n[^2]: other\n\n[x]: https://x.org\n\n[^3]: here\n

        // `[[pic.png]]` would be the image.
        s.md: x\n
        pic.png:
        > note:extract path=s.md lines=1 to=pic.png
        Extracted: s.md, line 1 -> pic.png.md (0 links in 0 files)
        pic.png.md: x\n
        s.md: [[pic.png.md]]\n

        s.md: x\n\n- a\n\ny\n\n> q\nz
        .obsidian/app.json: {"useMarkdownLinks":true}
        > note:extract path=s.md lines=5 to=n_1
        Extracted: s.md, line 5 -> n 1.md (0 links in 0 files)
        n 1.md: y\n
        s.md: x\n\n- a\n\n[n 1](n%201.md)\n\n> q\nz
        "#,
    );
}

#[test]
fn links_to_an_extracted_part_lead_to_the_new_note() {
    cases(
        r##"
        F/s.md: [[#In]] [[s#In]] [[#A#In]] [x](#In) [[#^id]] [[s#A]] [[s]]\n# A\none\n## In\n[[#A]] [[#In]] [[s]] [[#Gone]] [y](o.md) [[#Sub]] ![[p.png]]\n### Sub\ntext ^id\n# In\n
        F/o.md: [[s#A#In|s]] [[s#A]] `[[s#In]]` ![[s#^id]] [s](s.md#Sub)
        F/p.png: x
        a.canvas: {"nodes":[{"type":"file","file":"F/s.md","subpath":"#A#In"},{"type":"file","file":"F/s.md"},{"type":"text","text":"[[s#A#In#Sub]]"}]}
        c.md: ---\nup: "[[s#Sub]]"\n---\n
        > note:extract path=F/s.md heading=A/In to=G/n leave=none
        Extracted: F/s.md, lines 4-7 -> G/n.md (13 links in 5 files)
        F/o.md: [[n#In|s]] [[s#A]] `[[s#In]]` ![[n#^id]] [s](n.md#Sub)
        F/s.md: [[n#In]] [[n#In]] [[n#In]] [x](n.md#In) [[n#^id]] [[s#A]] [[s]]\n# A\none\n# In\n
        G/n.md: ## In\n[[s#A]] [[#In]] [[s]] [[s#Gone]] [y](o.md) [[#Sub]] ![[p.png]]\n### Sub\ntext ^id\n
        a.canvas: {\"nodes\":[{\"type\":\"file\",\"file\":\"G/n.md\",\"subpath\":\"#In\"},{\"type\":\"file\",\"file\":\"F/s.md\"},{\"type\":\"text\",\"text\":\"[[n#In#Sub]]\"}]}
        c.md: ---\nup: \"[[n#Sub]]\"\n---\n

        // The new note must not take links that led to a namesake.
        s.md: # H\n[[X/n]]
        X/n.md:
        Y/c.md: [[n]]
        > note:extract path=s.md heading=H to=n
        Extracted: s.md, lines 1-2 -> n.md (1 link in 1 file)
        Y/c.md: [[X/n]]
        n.md: # H\n[[X/n]]\n
        s.md: [[n]]

        s.md: # H\nx\n# G\n## H\ny
        c.md: [[s#H]] [[s#G#H]]
        > note:extract path=s.md heading=G/H to=n
        Extracted: s.md, lines 4-5 -> n.md (1 link in 1 file)
        c.md: [[s#H]] [[n#H]]
        n.md: ## H\ny\n
        s.md: # H\nx\n# G\n\n[[n]]
        "##,
    );
}

/// The links of a vault, in which two notes count as one.
struct Links {
    /// The number of links from one file to another.
    edges: BTreeMap<(VaultPath, VaultPath), u32>,
    /// The number of links to no file.
    broken: u32,
}

impl Links {
    /// Whether there are the same links as before, but for broken ones, of which the text at another place may lead
    /// somewhere.
    fn follow(&self, before: &Self, is_checked: impl Fn(&VaultPath) -> bool) -> bool {
        let total = |links: &Self| links.edges.values().sum::<u32>() + links.broken;
        let mut edges = before.edges.iter();
        edges.all(|(pair, count)| {
            let now = self.edges.get(pair).copied().unwrap_or_default();
            now >= if is_checked(&pair.0) { *count } else { 1 }
        }) && total(self) <= total(before)
            && self.broken <= before.broken
    }
}

/// Returns the links before and after a change that puts text of `from` into `to`, or `None` if it is refused.
fn links(
    vault: &Vault,
    (command, params): (&str, &[(&str, &str)]),
    [from, to]: [&VaultPath; 2],
) -> Option<[Links; 2]> {
    let arguments = given(command, params, &[]);
    let edit = Editor(vault)
        .plan(command, &arguments, &surroundings())
        .ok()?;
    let before = files(vault.root());
    let mut after = applied(&before, &edit.changes);
    after.retain(|path, _| !path.is_hidden());
    let as_one = |path: VaultPath| if path == *to { from.clone() } else { path };
    let joined = |files| {
        let (found, missing) = graph(files);
        let mut edges = BTreeMap::new();
        for ((source, target), count) in found {
            *edges.entry((as_one(source), as_one(target))).or_default() += count;
        }
        Links {
            edges,
            broken: missing.values().sum(),
        }
    };
    Some([joined(&before), joined(&after)])
}

/// The vault of a case, in which each note has a section `H` with its links again.
fn with_sections(case: &Case) -> (tempfile::TempDir, Vault) {
    let (folder, vault) = case.vault();
    for (path, bytes) in files(vault.root()) {
        if path.is_note() {
            let text = String::from_utf8(bytes).unwrap();
            let body = text.rsplit("---\r\n").next().unwrap_or_default();
            let text =
                format!("{text}\r\n\r\n# H\r\n\r\n{body}\r\n\r\ntext ^c\r\n\r\n# R\r\n\r\n{body}");
            fs_err::write(vault.root().join(path.as_str()), text).unwrap();
        }
    }
    (folder, vault)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_merge_keeps_the_graph(case in case(), into in any::<Index>(), place in select(vec!["start", "end"])) {
        let (_folder, vault) = case.vault();
        let notes: Vec<VaultPath> = files(vault.root()).into_keys().filter(VaultPath::is_note).collect();
        prop_assume!(notes.len() > 1);
        let [from, into] = [case.moved, into].map(|index| &notes[index.index(notes.len())]);
        prop_assume!(from != into);
        let params = [("path", from.as_str()), ("into", into.as_str()), ("position", place)];
        let [before, after] = links(&vault, ("note:merge", &params), [from, into]).unwrap();
        // An item that both lists of properties have is there once.
        prop_assert!(after.follow(&before, |source| source != from));
    }

    #[test]
    fn an_extraction_keeps_the_graph(case in case(), to in select(vec!["fresh", "x/fresh.md", "x y/c.d", "b", "y/a"])) {
        let (_folder, vault) = with_sections(&case);
        let notes: Vec<VaultPath> = files(vault.root()).into_keys().filter(VaultPath::is_note).collect();
        prop_assume!(!notes.is_empty());
        let from = &notes[case.moved.index(notes.len())];
        let to_path = vault_files::extension::path_of_part(from, &VaultPath::file(to).unwrap()).unwrap();
        let params = [("path", from.as_str()), ("heading", "H"), ("to", to), ("leave", "none")];
        let Some([before, after]) = links(&vault, ("note:extract", &params), [from, &to_path]) else {
            let is_taken = |path: &VaultPath| path.as_str().to_lowercase() == to_path.as_str().to_lowercase();
            prop_assert!(files(vault.root()).keys().any(is_taken));
            return Ok(());
        };
        prop_assert!(after.follow(&before, |_| true));
    }
}

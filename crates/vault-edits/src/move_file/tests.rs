//! Moves by the rules of `vault-semantics.md` §7.4 and §7.5.

use obsidian_note::Warning;
use vault_answers::{Answer, Confirmation};
use vault_files::vault::testing::{path, vault};
use vault_files::{EngineError, LinkUpdates, Refusal};

use super::testing::{applied, files, plan};
use crate::{Change, Edit};

const CASES: &str = include_str!("cases.txt");

/// The new text of the note `source` with the text `text` when `from` moves to `to`, among notes
/// that are otherwise empty.
fn follow(others: &[&str], source: &str, text: &str, from: &str, to: &str, app: &str) -> String {
    let mut notes: Vec<(&str, &str)> = others.iter().map(|name| (*name, "")).collect();
    notes.retain(|(name, _)| *name != source);
    notes.push((source, text));
    notes.push((".obsidian/app.json", app));
    let (_folder, vault) = vault(&notes);
    let edit = plan(&vault, "move", &[("path", from), ("to", to)]).unwrap();
    assert_eq!(edit.warnings, []);
    let after = applied(&files(vault.root()), &edit.changes);
    let source = if source == from { to } else { source };
    String::from_utf8(after[&path(source)].clone()).unwrap()
}

/// `Old.md` in the root becomes `New.md`; the other files that links name do not exist.
fn renamed(text: &str) -> String {
    follow(&["Old.md"], "s.md", text, "Old.md", "New.md", "{}")
}

fn unchanged(text: &str) {
    assert_eq!(renamed(text), text);
}

#[test]
fn a_bare_wikilink_gets_the_new_name_and_keeps_its_text() {
    assert_eq!(renamed("[[Old]]"), "[[New]]");
    assert_eq!(renamed("[[Old|Old]]"), "[[New|Old]]");
    assert_eq!(renamed("[[old|shown]] ![[Old]]"), "[[New|shown]] ![[New]]");
    assert_eq!(renamed("[[Old.md]]"), "[[New.md]]");
}

/// The app indexes no note of this size, but a link that stays would then lead to another note of the old name.
#[test]
fn links_in_a_note_of_more_than_two_mebibytes_follow() {
    let rest = "lorem ipsum dolor\n".repeat(120_000);
    let text = format!("# Big\n[[Old]]\n{rest}");
    let others = ["Old.md", "Folder/Old.md"];
    let after = follow(&others, "s.md", &text, "Old.md", "New.md", "{}");
    assert_eq!(after, text.replace("[[Old]]", "[[New]]"));
    let moved = follow(
        &["F/x.md"],
        "F/s.md",
        &format!("[[./x]]\n{rest}"),
        "F/s.md",
        "s.md",
        "{}",
    );
    assert!(!moved.starts_with("[[./x]]"), "{}", &moved[..40]);
}

#[test]
fn an_alias_that_was_the_name_of_a_path_is_the_new_name() {
    let text = "[[F/Old|Old]] [[F/Old|old]] [[F/Old]] [[F/Old.md|Old]]";
    let after = follow(&["F/Old.md"], "s.md", text, "F/Old.md", "F/New.md", "{}");
    assert_eq!(
        after,
        "[[F/New|New]] [[F/New|old]] [[F/New]] [[F/New.md|New]]"
    );
}

#[test]
fn subpaths_spaces_and_sizes_are_kept_as_they_are_written() {
    assert_eq!(
        renamed("[[ Old #My  Heading | x ]]\r\n[[Old#^id]]"),
        "[[ New #My  Heading | x ]]\r\n[[New#^id]]"
    );
    assert_eq!(
        renamed("[x](Old.md#a%20b \"Old\") ![[Old#H|100]]"),
        "[x](New.md#a%20b \"Old\") ![[New#H|100]]"
    );
    let text = "![[a.png|100x20]] ![a|50](a.png) ![a](a.png)";
    let after = follow(&["a.png"], "s.md", text, "a.png", "b c.png", "{}");
    assert_eq!(
        after,
        "![[b c.png|100x20]] ![a|50](b%20c.png) ![b c](b%20c.png)"
    );
}

/// Rule 6 of `vault-semantics.md` §2.3: `[[Dup]]` in `src/N.md` means the file below `src`.
#[test]
fn of_several_files_of_one_name_the_one_below_the_notes_folder_is_followed() {
    let others = [
        "src/a/c/Dup.md",
        "b/Dup.md",
        "src/N.md",
        "src/x/o.md",
        "zz/o.md",
    ];
    let text = "[[Dup]] [[b/Dup]]";
    for (from, to, after) in [
        ("src/a/c/Dup.md", "src/a/c/New.md", "[[New]] [[b/Dup]]"),
        ("src/a/c/Dup.md", "src/Dup.md", text),
        ("src/a/c/Dup.md", "zz/Dup.md", "[[zz/Dup]] [[b/Dup]]"),
        ("b/Dup.md", "b/New.md", "[[Dup]] [[b/New]]"),
        // The name alone would now lead to the other file.
        ("b/Dup.md", "src/x/Dup.md", "[[src/a/c/Dup]] [[src/x/Dup]]"),
        ("src/N.md", "N.md", "[[src/a/c/Dup]] [[b/Dup]]"),
        ("src/N.md", "src/a/N.md", text),
    ] {
        assert_eq!(
            follow(&others, "src/N.md", text, from, to, "{}"),
            after,
            "{from} to {to}"
        );
    }
}

#[test]
fn the_bar_of_a_table_keeps_its_backslash() {
    assert_eq!(
        renamed("|[[Old\\|x]]|[[Old]]|\n|-|-|\n|[[Old#H\\|Old]]|`[[Old]]`|"),
        "|[[New\\|x]]|[[New]]|\n|-|-|\n|[[New#H\\|Old]]|`[[Old]]`|"
    );
}

#[test]
fn markdown_links_encode_spaces_alone_and_keep_angle_brackets() {
    let to = |text: &str| {
        let name = "F/Né w, (1) & co.md";
        follow(&["Old.md", "F/x.md"], "s.md", text, "Old.md", name, "{}")
    };
    assert_eq!(to("[x](Old.md)"), "[x](Né%20w,%20(1)%20&%20co.md)");
    assert_eq!(to("[x](<Old.md>)"), "[x](<Né w, (1) & co.md>)");
    assert_eq!(to("[x](Old)"), "[x](Né%20w,%20(1)%20&%20co.md)");
}

#[test]
fn a_name_that_would_be_misread_is_encoded_further() {
    let to = |name: &str| follow(&["Old.md"], "s.md", "[x](Old.md)", "Old.md", name, "{}");
    assert_eq!(to("50%25.md"), "[x](50%2525.md)");
    assert_eq!(to("100%.md"), "[x](100%.md)");
    assert_eq!(to("a)b.md"), "[x](a%29b.md)");
}

#[test]
fn a_label_that_was_the_name_or_the_path_is_the_new_one() {
    let text = "[Old](F/Old.md) [F/Old](F/Old.md) [old](F/Old.md) ![Old](F/Old.md)";
    let notes = ["F/Old.md", "G/x.md"];
    let after = follow(&notes, "s.md", text, "F/Old.md", "G/New.md", "{}");
    assert_eq!(
        after,
        "[New](G/New.md) [G/New](G/New.md) [old](G/New.md) ![New](G/New.md)"
    );
}

#[test]
fn what_is_no_link_is_left() {
    for text in tables::lines(CASES, "what is no link is left") {
        unchanged(text);
    }
    assert_eq!(
        renamed("%% [[Old]] %% > [[Old]]"),
        "%% [[New]] %% > [[New]]"
    );
}

#[test]
fn links_that_still_lead_there_are_left() {
    let notes = ["a/Note.md", "b/x.md", "s.md"];
    let text = "[[Note]] [x](Note.md) [[note#H|y]]";
    let to = |text, app| follow(&notes, "s.md", text, "a/Note.md", "b/Note.md", app);
    assert_eq!(to(text, "{}"), text);
    assert_eq!(to(text, r#"{"newLinkFormat":"absolute"}"#), text);
    let after = to("[[a/Note]] [[/a/Note]]", "{}");
    assert_eq!(after, "[[b/Note]] [[b/Note]]");
}

#[test]
fn new_names_that_are_not_unique_are_whole_paths() {
    let notes = ["Old.md", "a/New.md", "b/x.md"];
    let to = |to, text| follow(&notes, "s.md", text, "Old.md", to, "{}");
    let after = to("b/New.md", "[[Old]] [[Old|x]]");
    assert_eq!(after, "[[b/New]] [[b/New|x]]");
    // For the note in the root, the name is also its path, so it keeps it.
    assert_eq!(to("New.md", "[[Old]]"), "[[New]]");
}

#[test]
fn a_link_that_the_move_takes_from_another_note_gets_its_path() {
    let notes = ["A/Note.md", "Other.md", "BB/x.md"];
    let to = |to, source, text| follow(&notes, source, text, "Other.md", to, "{}");
    let after = to("Note.md", "s.md", "[[Note]] [[Other]]");
    assert_eq!(after, "[[A/Note]] [[Note]]");
    // The file in the same folder is nearer than the file that was the only one before.
    let after = to("BB/Note.md", "BB/x.md", "[[Note|y]]");
    assert_eq!(after, "[[A/Note|y]]");
}

#[test]
fn the_link_format_decides_where_the_old_link_does_not() {
    let notes = ["a/Old.md", "b/c/x.md"];
    let to = |text, app| follow(&notes, "a/s.md", text, "a/Old.md", "b/c/New.md", app);
    let relative = r#"{"newLinkFormat":"relative"}"#;
    let absolute = r#"{"newLinkFormat":"absolute","useMarkdownLinks":true}"#;
    assert_eq!(to("[[Old]]", "{}"), "[[New]]");
    assert_eq!(to("[[Old]]", absolute), "[[b/c/New]]");
    assert_eq!(to("[[Old]]", relative), "[[../b/c/New]]");
    assert_eq!(to("[[a/Old]]", relative), "[[b/c/New]]");
    assert_eq!(to("[x](a/Old.md)", relative), "[x](../b/c/New.md)");
    assert_eq!(to("[x](a/Old.md)", "{}"), "[x](b/c/New.md)");
    assert_eq!(to("[[./Old]]", "{}"), "[[../b/c/New]]");
    assert_eq!(to("[x](./Old.md)", "{}"), "[x](../b/c/New.md)");
}

#[test]
fn a_relative_path_that_would_lead_elsewhere_begins_with_a_dot() {
    let relative = r#"{"newLinkFormat":"relative"}"#;
    let notes = ["a/Old.md", "b/New.md", "New.md"];
    let (from, to) = ("a/Old.md", "a/New.md");
    let after = follow(&notes, "a/s.md", "[x](Old.md)", from, to, relative);
    assert_eq!(after, "[x](./New.md)");
}

#[test]
fn links_of_the_note_itself_go_with_it() {
    let notes = ["a/Old.md", "a/x.md", "b/y.md", "b/x.md"];
    let text = "[[x]] [[./x]] [y](../b/y.md) [[./Old]] [[#H]] [[Old#H|Old]] [[b/y]] [[y]] [[none]] [[./no]]";
    assert_eq!(
        follow(&notes, "a/Old.md", text, "a/Old.md", "b/New.md", "{}"),
        "[[a/x]] [[../a/x]] [y](../b/y.md) [[./New]] [[#H]] [[New#H|Old]] [[b/y]] [[y]] [[none]] [[./no]]"
    );
}

#[test]
fn links_in_properties_change_inside_their_quotes_alone() {
    let text = "---\r\n# a/It\r\na:   \"[[a/It's \\\"]]\" # [[a/It]]\r\nb: [ '[[a/It''s \"|Old]]',  \"[x](a/It's%20\\\".md)\" ]\r\n[[Old]]: x\r\nc: |-\r\n  [[a/It's \"#H]]\r\n---  \r\n[[a/It's \"]]";
    let expected = text
        .replace("a/It's", "b/It's")
        .replace("a/It''s", "b/It''s");
    let (from, to) = ("a/It's \".md", "b/It's \".md");
    let after = follow(&[from, "b/x.md"], "s.md", text, from, to, "{}");
    assert_eq!(after, expected);
}

#[test]
fn a_canvas_changes_in_the_paths_and_links_of_its_cards_alone() {
    let canvas = "{ \"nodes\":[\n\t{\"id\":\"d/A\",\"type\":\"file\",\"file\":\"d/A \\\"b\\\".md\",\"subpath\":\"#H\",\"x\":1e3},\n\t{\"type\":\"text\",\"text\":\"\\u00e9 [[d/A \\\"b\\\"]]\\n`[[d/A \\\"b\\\"]]` \\\"[x](<d/A \\\"b\\\".md>)\"},{\"type\":\"link\",\"url\":\"d/A\"},{\"file\":\"x\\/y.md\",\"type\":\"file\"}],\"edges\":[] }";
    let expected = canvas
        .replace("\"file\":\"d/A", "\"file\":\"f/A")
        .replace("e9 [[d/A", "e9 [[f/A")
        .replace("(<d/A", "(<f/A");
    let (from, to) = ("d/A \"b\".md", "f/A \"b\".md");
    let notes = [from, "x/y.md", "f/z.md"];
    let after = follow(&notes, "c.canvas", canvas, from, to, "{}");
    assert_eq!(after, expected);
}

#[test]
fn the_path_of_a_card_follows_even_where_its_name_alone_would_do() {
    let canvas =
        r#"{"nodes":[{"type":"file","file":"Note.md"},{"type":"text","text":"[[Note]]"}]}"#;
    let (notes, from, to) = (["Note.md", "f/x.md"], "Note.md", "f/Note.md");
    assert_eq!(
        follow(&notes, "c.canvas", canvas, from, to, "{}"),
        r#"{"nodes":[{"type":"file","file":"f/Note.md"},{"type":"text","text":"[[Note]]"}]}"#
    );
}

#[test]
fn what_is_not_utf8_is_kept_byte_for_byte() {
    let (_folder, vault) = vault(&[("Old.md", ""), ("x.md", "")]);
    let before = b"\xef\xbb\xbf\xff [[Old]]\r\n\xc3 [x](Old.md)".to_vec();
    fs_err::write(vault.root().join("s.md"), &before).unwrap();
    let edit = plan(&vault, "rename", &[("file", "Old"), ("name", "New")]).unwrap();
    assert_eq!(edit.warnings, [Warning::NotUtf8 { path: path("s.md") }]);
    let after = b"\xef\xbb\xbf\xff [[New]]\r\n\xc3 [x](New.md)".to_vec();
    assert_eq!(
        edit.changes[1..],
        [Change::Modify {
            path: path("s.md"),
            before,
            after
        }]
    );
}

#[test]
fn a_link_that_cannot_be_written_is_kept_and_reported() {
    let (_folder, vault) = vault(&[("Old.md", "[[Old]]"), ("s.md", "[[Old]] [x](Old.md)")]);
    let plan = |name| {
        let params = [("path", "Old.md"), ("name", name)];
        crate::testing::plan(&vault, "rename", &params, &["force"])
    };
    let edit = plan("C#.md");
    assert_eq!(edit.changes.len(), 1);
    let unwritable = |name, links| Warning::LinksUnwritable {
        path: path(name),
        links,
    };
    assert_eq!(
        edit.warnings,
        [unwritable("Old.md", 1), unwritable("s.md", 2)]
    );
    // Two brackets end a wikilink, but not the destination of a markdown link.
    let edit = plan("a]]b.md");
    assert_eq!(
        edit.warnings,
        [unwritable("Old.md", 1), unwritable("s.md", 1)]
    );
    assert!(matches!(
        &edit.changes[1..],
        [Change::Modify { after, .. }] if after == b"[[Old]] [x](a]]b.md)"
    ));
}

#[test]
fn a_new_name_is_one_that_a_new_note_may_have() {
    let (_folder, vault) = vault(&[("a.md", ""), ("Is it?.md", ""), ("f/x.md", "")]);
    for name in [
        "a?.md", "a*.md", "a|b.md", "\"a\".md", "<a>.md", "a:b.md", "a.md.", "a.md ",
    ] {
        for (command, to) in [("rename", name.to_owned()), ("move", format!("f/{name}"))] {
            let key = if command == "move" { "to" } else { "name" };
            let refused = plan(&vault, command, &[("path", "a.md"), (key, &to)]).unwrap_err();
            assert!(
                matches!(refused, EngineError::Path { .. }),
                "{command} {to}: {refused}"
            );
        }
    }
    // A file that has a forbidden name already may be moved, and its case changed.
    for (command, key, to) in [("move", "to", "f"), ("rename", "name", "IS IT?.md")] {
        let arguments = [("path", "Is it?.md"), (key, to)];
        assert_eq!(
            plan(&vault, command, &arguments).unwrap().changes.len(),
            1,
            "{command}"
        );
    }
}

#[test]
fn links_in_a_table_right_below_a_text_or_a_callouts_title_follow() {
    let rows = |bar: &str, name: &str| {
        format!(
            "{bar}text [[{name}]]\n{bar}| a | b |\n{bar}|---|---|\n{bar}| [[{name}\\|x]] | ![[{name}\\|100]] |\n"
        )
    };
    for bar in ["", "> ", "  "] {
        assert_eq!(renamed(&rows(bar, "Old")), rows(bar, "New"), "{bar}");
    }
    let callout = |name: &str| format!("> [!note] Title\n> | a |\n> |---|\n> | [[{name}\\|x]] |\n");
    assert_eq!(renamed(&callout("Old")), callout("New"));
}

#[test]
fn links_stay_and_are_counted_where_the_vault_says_so() {
    let (_folder, vault) = vault(&[
        ("Old.md", "[[Old]]"),
        ("s.md", "[[Old]] [[Old]] [[s]]"),
        (".obsidian/app.json", r#"{"alwaysUpdateLinks":false}"#),
    ]);
    let run = |vault: &vault_files::Vault| {
        plan(vault, "rename", &[("path", "Old.md"), ("name", "New")]).unwrap()
    };
    let edit = run(&vault);
    assert_eq!(edit.changes.len(), 1);
    let left = Warning::LinksNotUpdated {
        path: path("Old.md"),
        links: 3,
        files: 2,
    };
    assert_eq!(edit.warnings, [left]);
    let mut vault = vault;
    vault.link_updates = LinkUpdates::Always;
    let edit = run(&vault);
    assert_eq!((edit.changes.len(), edit.warnings.len()), (3, 0));
}

fn error(notes: &[(&str, &str)], command: &str, params: &[(&str, &str)]) -> String {
    let (_folder, vault) = vault(notes);
    match plan(&vault, command, params) {
        Err(error) => error.to_string(),
        Ok(edit) => panic!("{edit:?}"),
    }
}

#[test]
fn errors_are_the_apps() {
    let notes = [("a.md", ""), ("b.md", ""), ("f/c.md", "")];
    for [line, expected] in tables::section(CASES, "errors are the apps") {
        let (command, params) = line.split_once(' ').unwrap();
        let params = params
            .split(' ')
            .map(|param| param.split_once('=').unwrap());
        let params: Vec<(&str, &str)> = params.collect();
        assert_eq!(error(&notes, command, &params), expected, "{line}");
    }
    let folder = [("a.md", ""), ("x.y/c.md", "")];
    assert_eq!(
        error(&folder, "move", &[("path", "a.md"), ("to", "x.y")]),
        "the destination already exists"
    );
}

#[test]
fn the_missing_folders_of_a_destination_are_made() {
    let (_folder, vault) = vault(&[("a.md", "[[b]]"), ("f/b.md", "[[a]]")]);
    for (to, made) in [
        ("f", &[][..]),
        ("x/y", &["x", "x/y"]),
        ("f/y/b.md", &["f/y"]),
    ] {
        let edit = plan(&vault, "move", &[("path", "a.md"), ("to", to)]).unwrap();
        let folders: Vec<&str> = edit
            .changes
            .iter()
            .map_while(|change| match change {
                Change::MakeFolder { path } => Some(path.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(folders, made, "{to}");
        assert!(
            matches!(edit.changes[folders.len()], Change::Move { .. }),
            "{to}"
        );
    }
    for (to, expected) in [("CON/a.md", "CON"), ("x?/a.md", "?")] {
        let message = error(&[("a.md", "")], "move", &[("path", "a.md"), ("to", to)]);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn k06_a_move_into_a_hidden_folder_is_refused() {
    let notes = [("a.md", ""), (".obsidian/app.json", "{}")];
    for to in [".obsidian/a.md", ".hidden.md", ".trash/a.md"] {
        let message = error(&notes, "move", &[("path", "a.md"), ("to", to)]);
        assert!(message.contains("a dot"), "{message}");
    }
    let message = error(
        &notes,
        "rename",
        &[("path", ".obsidian/app.json"), ("name", "b")],
    );
    assert_eq!(message, "the file `.obsidian/app.json` does not exist");
}

#[cfg(unix)]
#[test]
fn d03_a_symlink_is_neither_a_free_place_nor_a_folder() {
    let (folder, vault) = vault(&[("a.md", "")]);
    let outside = folder.path().join("outside");
    fs_err::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, vault.root().join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", vault.root().join("b.md")).unwrap();
    let run = |to| plan(&vault, "move", &[("path", "a.md"), ("to", to)]).unwrap_err();
    assert!(matches!(run("link"), EngineError::Symlink { .. }));
    assert!(matches!(
        run("b.md"),
        EngineError::Refused(Refusal::DestinationExists)
    ));
}

#[test]
fn the_same_name_changes_nothing_and_another_case_moves() {
    let (_folder, vault) = vault(&[("f/Note.md", "[[Note]]"), ("s.md", "[[f/Note]]")]);
    let run = |name| plan(&vault, "rename", &[("file", "note"), ("name", name)]).unwrap();
    let renamed = |destination: &str| {
        Answer::from(Confirmation::Renamed {
            path: "f/Note.md".to_owned(),
            destination: destination.to_owned(),
        })
    };
    let same = run("Note");
    let there = Confirmation::AlreadyThere {
        path: "f/Note.md".to_owned(),
    };
    assert_eq!(same, Edit::new(there.clone(), Vec::new(), Vec::new()));
    for to in ["f", "f/", "f/Note.md"] {
        let moved = plan(&vault, "move", &[("path", "f/Note.md"), ("to", to)]).unwrap();
        assert_eq!(
            moved,
            Edit::new(there.clone(), Vec::new(), Vec::new()),
            "{to}"
        );
    }
    let other = run("note");
    assert_eq!(other.answer, renamed("f/note.md"));
    assert!(matches!(
        &other.changes[..],
        [Change::Move { to, .. }] if to.as_str() == "f/note.md"
    ));
}

#[test]
fn the_file_goes_first_and_is_then_changed_at_its_new_place() {
    let (_folder, vault) = vault(&[("z/Old.md", "[[Old]]"), ("a.md", "[[Old]]")]);
    let edit = plan(&vault, "move", &[("path", "z/Old.md"), ("to", "New.md")]).unwrap();
    let done: Vec<String> = edit
        .changes
        .iter()
        .map(|change| match change {
            Change::Move { from, to, .. } => format!("{from} > {to}"),
            Change::Modify { path, .. } => path.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(done, ["z/Old.md > New.md", "a.md", "New.md"]);
    let answer = Confirmation::Moved {
        path: "z/Old.md".to_owned(),
        destination: "New.md".to_owned(),
    };
    assert_eq!(edit.answer, Answer::from(answer));
}

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;
use vault_files::vault::testing::{path, vault};

use super::*;
use crate::Editor;
use crate::testing::{done, error, plan};

const CASES: &str = include_str!("cases.txt");

/// The text of the note after the command.
fn after(note: &str, command: &str, params: &[(&str, &str)]) -> String {
    let (_folder, vault) = vault(&[("a.md", note)]);
    let mut params = params.to_vec();
    if command != "tag:rename" {
        params.push(("path", "a.md"));
    }
    let edit = done(&vault, command, &params, &[]);
    let again = plan(&vault, command, &params, &[]);
    assert!(again.changes.is_empty(), "done twice: {again:?}");
    assert_eq!(
        serde_json::to_value(&edit.answer).unwrap()["changed"],
        edit.changes.len()
    );
    String::from_utf8(vault.read_bytes(&path("a.md")).unwrap()).unwrap()
}

#[test]
fn a_tag_is_added_where_the_note_has_none_such() {
    for [note, place, expected] in tables::section(CASES, "a tag is added where the note has none")
    {
        let params = [("tag", "#idea/new"), ("place", place)];
        assert_eq!(after(note, "tag:add", &params), expected, "{note:?}");
    }
}

#[test]
fn a_tag_is_dropped_with_one_blank_and_nothing_in_code() {
    for [note, place, expected] in tables::section(CASES, "a tag is dropped with one blank") {
        let mut params = vec![("tag", "x")];
        if !place.is_empty() {
            params.push(("place", place));
        }
        assert_eq!(after(note, "tag:drop", &params), expected, "{note:?}");
    }
}

#[test]
fn a_tag_is_renamed_everywhere_with_the_tags_below_it() {
    let (_folder, vault) = vault(&tables::typed::<(&str, &str)>(
        CASES,
        "a tag is renamed everywhere",
    ));
    let params = [("tag", "work"), ("to", "job")];
    let edit = done(&vault, "tag:rename", &params, &[]);
    assert_eq!(
        serde_json::to_value(&edit.answer).unwrap(),
        json!({"tag": "#job", "changed": 3, "paths": ["a.md", "b.md", "bad.md"]})
    );
    let read = |name: &str| String::from_utf8(vault.read_bytes(&path(name)).unwrap()).unwrap();
    assert_eq!(
        read("a.md"),
        "---\ntags:\n  - '#job/Home' # mine\n  - \"job/a\"\n  # below\n  - job\n---\n#job #job/a #workshop `#work`\n"
    );
    // Its properties cannot be read, so for the app they do not exist.
    assert_eq!(read("bad.md"), "---\na: [\n---\n#job\n");
    let shown: Vec<&str> = edit.warnings.iter().map(Warning::code).collect();
    assert_eq!(shown, ["INVALID_FRONTMATTER"]);
    assert_eq!(
        read("b.md"),
        "---\ntags:\n  - job\n---\n[x](#work) $#work$\n"
    );
}

/// The drawing follows the text below `Text Elements` (`vault-semantics.md` §6.5).
#[test]
fn a_tag_in_the_texts_of_a_drawing_is_renamed_and_its_picture_stays() {
    let drawing = "---\nexcalidraw-plugin: parsed\n---\n#a\n\n%%\n# Excalidraw Data\n\n## Text Elements\nhi #a ^12345678\n\n## Drawing\n```json\n{\"text\":\"hi #a\"}\n```\n%%";
    let (_folder, vault) = vault(&[("a.md", drawing)]);
    done(&vault, "tag:rename", &[("tag", "a"), ("to", "b")], &[]);
    let after = vault.read_bytes(&path("a.md")).unwrap();
    assert_eq!(
        String::from_utf8(after).unwrap(),
        drawing
            .replace("\n#a\n", "\n#b\n")
            .replace("hi #a ^", "hi #b ^")
    );
}

#[test]
fn only_the_case_of_a_tag_can_be_renamed() {
    let renamed = |note: &str| {
        let (_folder, vault) = vault(&[("a.md", note)]);
        done(&vault, "tag:rename", &[("tag", "É/b"), ("to", "é/B")], &[]);
        String::from_utf8(vault.read_bytes(&path("a.md")).unwrap()).unwrap()
    };
    assert_eq!(renamed("#É/b/c #é/b"), "#é/B/c #é/B");
    assert_eq!(
        renamed("---\ntags: [É/b]\n---\n"),
        "---\ntags: [é/B]\n---\n"
    );
}

#[test]
fn what_is_no_tag_is_refused() {
    let (_folder, vault) = vault(&[("a.md", "x"), ("b.canvas", "{}")]);
    for tag in ["123", "a b", "a,b", "#", "a/", "a//b", "a#b"] {
        let shown = error(&vault, "tag:add", &[("path", "a.md"), ("tag", tag)], &[]);
        assert!(
            matches!(shown, EngineError::Argument { .. }),
            "{tag}: {shown}"
        );
    }
    let several = [("tag", "x"), ("paths", r#"["a.md","none.md"]"#)];
    assert!(
        error(&vault, "tag:add", &several, &[])
            .to_string()
            .contains("none.md")
    );
    let other = [("tag", "x"), ("path", "b.canvas")];
    assert!(plan_fails(&vault, &other));
}

#[test]
fn a_tag_in_a_block_that_is_not_closed_is_refused() {
    let notes = [
        ("a.md", "```\nx\n"),
        ("b.md", "$$\nx"),
        ("c.md", "<!-- x\n"),
    ];
    let (_folder, vault) = vault(&notes);
    for (path, _) in notes {
        let params = [("tag", "x"), ("path", path), ("place", "text")];
        let shown = error(&vault, "tag:add", &params, &[]).to_string();
        assert!(shown.contains("not closed"), "{path}: {shown}");
    }
}

fn plan_fails(vault: &vault_files::Vault, params: &[(&str, &str)]) -> bool {
    Editor(vault)
        .plan(
            "tag:add",
            &vault_files::testing::given("tag:add", params, &[]),
            &vault_files::testing::surroundings(),
        )
        .is_err()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Renaming a tag and back restores the note, if the new name does not occur in it.
    #[test]
    fn a_renaming_can_be_renamed_back(
        body in "(#a(/b)?|a|`#a`|[ \n\r\t]|```\n|%%|-|é|\\[x\\]\\(#a\\)){0,14}",
        tags in proptest::collection::vec("a|a/b|c", 0..3),
    ) {
        let head = if tags.is_empty() { String::new() } else { format!("---\ntags: [{}]\n---\n", tags.join(", ")) };
        let mut once = tags.clone();
        once.dedup();
        let unique: BTreeSet<&String> = tags.iter().collect();
        prop_assume!(unique.len() == tags.len());
        let note = format!("{head}{body}");
        let (_folder, vault) = vault(&[("n.md", &note)]);
        let there = obsidian_note::scan::scan(&note).tags.iter().any(|tag| tag.tag == "#a" || tag.tag.starts_with("#a/"));
        let renaming = [("tag", "a"), ("to", "longer-name")];
        if !there && !tags.iter().any(|tag| tag.starts_with('a')) {
            let refused = error(&vault, "tag:rename", &renaming, &[]);
            let is_not_there = matches!(refused, EngineError::Refused(Refusal::TagNotFound { .. }));
            prop_assert!(is_not_there, "{:?}", refused);
            return Ok(());
        }
        done(&vault, "tag:rename", &renaming, &[]);
        let text = String::from_utf8(vault.read_bytes(&path("n.md")).unwrap()).unwrap();
        let found = obsidian_note::scan::scan(&text).tags;
        prop_assert!(found.iter().all(|tag| tag.tag != "#a" && !tag.tag.starts_with("#a/")));
        done(&vault, "tag:rename", &[("tag", "longer-name"), ("to", "a")], &[]);
        prop_assert_eq!(String::from_utf8(vault.read_bytes(&path("n.md")).unwrap()).unwrap(), note);
    }
}

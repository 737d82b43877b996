//! The examples of the table, and what joins from several edits.

use std::sync::Arc;

use proptest::prelude::*;
use vault_engine::{Change, LinkIndex, VaultPath, Version};

use super::result::{Finding, findings, found_in};
use super::table::Table;

const CASES: &str = include_str!("cases.txt");

fn path(text: &str) -> VaultPath {
    VaultPath::file(text).unwrap()
}

fn of(changes: &[Change]) -> Vec<Finding> {
    found_in(changes, &|_| true, &|_| None, (&Vec::new, &|| None)).unwrap()
}

fn created(file: &str, text: &str) -> Vec<Finding> {
    of(&[Change::Create {
        path: path(file),
        after: text.into(),
    }])
}

fn modified(file: &str, before: &str, after: &str) -> Vec<Finding> {
    of(&[Change::Modify {
        path: path(file),
        before: before.into(),
        after: after.into(),
    }])
}

fn moved(from: &str, to: &str, text: &'static str) -> Vec<Finding> {
    let change = Change::Move {
        from: path(from),
        to: path(to),
        version: Version::from_bytes(text.as_bytes()),
    };
    found_in(
        &[change],
        &|_| true,
        &|_| Some(text.into()),
        (&Vec::new, &|| None),
    )
    .unwrap()
}

fn kinds(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.kind).collect()
}

fn file_and_text(example: &toml::Value) -> (&str, &str) {
    match example.as_str() {
        Some(text) => ("Note.md", text),
        None => (
            example["file"].as_str().unwrap(),
            example["text"].as_str().unwrap(),
        ),
    }
}

#[test]
fn k04_every_example_of_the_table_is_found_and_every_near_miss_is_not() {
    let table = Table::builtin().unwrap();
    let mut wrong = Vec::new();
    for row in table.rows() {
        assert!(!row.examples.is_empty() && !row.near_misses.is_empty());
        assert!(!row.what.is_empty() && row.why.ends_with('.') && row.instead.ends_with('.'));
        // A line and a text follow it.
        assert!(!row.warning.is_empty() && !row.warning.ends_with('.'));
        let rows = row.examples.iter().map(|example| (example, true));
        for (example, is_found) in rows.chain(row.near_misses.iter().map(|near| (near, false))) {
            let (file, text) = file_and_text(example);
            let found = created(file, text);
            if kinds(&found).contains(&row.id.as_str()) != is_found {
                wrong.push(format!(
                    "{} {is_found}: {file} {text:?} {:?}",
                    row.id,
                    kinds(&found)
                ));
            }
            // Text that is not of this kind is not taken for another kind either.
            let is_own = |kind: &&str| !row.id.starts_with("publish") && **kind != *row.id;
            if !is_found && kinds(&found).iter().any(is_own) {
                wrong.push(format!("{}: {text:?} is {:?}", row.id, kinds(&found)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[derive(serde::Deserialize)]
struct Groups {
    vectors: Vec<Vectors>,
    changed: Vec<Changed>,
}

/// Vectors by kind: each template with each value in it.
#[derive(serde::Deserialize)]
struct Vectors {
    kind: String,
    #[serde(default = "note")]
    file: String,
    templates: Vec<String>,
    values: Vec<String>,
}

/// Texts with active content that has `{}` in it, and with `{x}` next to it.
#[derive(serde::Deserialize)]
struct Changed {
    kind: String,
    #[serde(default = "note")]
    file: String,
    texts: Vec<String>,
}

fn note() -> String {
    "Note.md".to_owned()
}

#[test]
fn k04_every_vector_is_found() {
    let groups: Groups = toml::from_str(include_str!("vectors.toml")).unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for group in groups.vectors {
        for (template, value) in group
            .templates
            .iter()
            .flat_map(|template| group.values.iter().map(move |value| (template, value)))
        {
            count += 1;
            let text = template.replace("{}", value);
            let found = created(&group.file, &text);
            if !kinds(&found).contains(&group.kind.as_str()) {
                wrong.push(format!("{}: {text:?} {:?}", group.kind, kinds(&found)));
            }
        }
    }
    assert!(
        count >= 500 && wrong.is_empty(),
        "{count}\n{}",
        wrong.join("\n")
    );
}

#[test]
fn k04_what_was_there_is_nobodys_finding() {
    let image = "![](https://example.org/a.png)";
    let note = format!("# A\n\n{image}\n\n<iframe src='x'></iframe>\n");
    assert_eq!(modified("a.md", &note, &format!("New.\n\n{note}")), []);
    // A second one is new.
    let twice = modified("a.md", &note, &format!("{note}\n{image}\n"));
    assert_eq!(
        (kinds(&twice), twice[0].line),
        (vec!["remote-image"], Some(7))
    );
    // Code becomes active content without its marks.
    let fence = format!("```\n{image}\n```\n");
    assert_eq!(kinds(&modified("a.md", &fence, image)), ["remote-image"]);
    assert_eq!(modified("a.md", image, &fence), []);
    // A comment hides a mark of code for some readers.
    let code = format!("a %% b %%\n\n`{image}`\n");
    assert_eq!(created("a.md", &code), []);
    for joined in [
        code.replace("b %%\n\n", "` %%\n"),
        code.replace("b %%", "` %%"),
    ] {
        assert_eq!(kinds(&modified("a.md", &code, &joined)), ["remote-image"]);
    }
    let commented = format!("%% new %%\n\n{note}");
    assert_eq!(modified("a.md", &note, &commented), []);
    // The data of a drawing is the plugin's; links in it follow a moved note.
    let drawing = "---\nexcalidraw-plugin: parsed\n---\nText.\n# Excalidraw Data\n## Text Elements\nhello [[a]] ^a1\n# Drawing\n{}\n";
    assert_eq!(
        modified("a.md", drawing, &drawing.replace("Text.", "More.")),
        []
    );
    assert_eq!(
        modified("a.md", drawing, &drawing.replace("[[a]]", "[[b/a]]")),
        []
    );
    for (old, new) in [
        ("{}", "{\"a\": 1}"),
        ("[[a]]", "[[https://a.b]]"),
        ("hello", "hi"),
    ] {
        let edited = drawing.replace(old, new);
        assert!(
            kinds(&modified("a.md", drawing, &edited)).contains(&"drawing"),
            "{new}"
        );
    }
    // So does the text of a comment.
    let hidden = format!("a %% b\n{image} %% c\n");
    assert_eq!(modified("a.md", &hidden, &format!("New.\n\n{hidden}")), []);
    for shown in [
        hidden.replacen("%%", "", 1),
        hidden.replace(image, &format!("%% {image}")),
    ] {
        assert_eq!(
            kinds(&modified("a.md", &hidden, &shown)),
            ["remote-image"],
            "{shown}"
        );
    }
}

/// All that runs or loads counts: with other content it is new. Text next to it is nobody's.
#[test]
fn k04_a_change_within_active_content_is_new() {
    let groups: Groups = toml::from_str(include_str!("vectors.toml")).unwrap();
    for Changed { file, kind, texts } in groups.changed {
        for text in texts {
            let filled = |inside, outside| text.replace("{}", inside).replace("{x}", outside);
            let before = filled("a", "b");
            let found = modified(&file, &before, &filled("a c", "b"));
            assert!(
                kinds(&found).contains(&kind.as_str()),
                "{before:?} {found:?}"
            );
            assert_eq!(
                modified(&file, &before, &filled("a", "b c")),
                [],
                "{before:?}"
            );
        }
    }
    // Without its comment mark the code is the same but for a line break.
    for end in ["\n", "\r", "\u{2028}"] {
        let code = |end: &str| format!("<script>// {end}x()</script>");
        assert_eq!(
            kinds(&modified("a.md", &code(""), &code(end))),
            ["html-element"]
        );
    }
}

#[test]
fn k04_an_embed_that_follows_a_moved_note_is_compared_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let page = |target: &str| format!("---\npublish: true\n---\n![[{target}]]\n");
    for (name, text) in [
        ("x/a", "x"),
        ("y/a", "y"),
        ("y/b", "y"),
        ("p", &page("x/a")),
    ] {
        let file = folder.path().join(format!("{name}.md"));
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, text).unwrap();
    }
    let vault = vault_engine::Vault::open(folder.path()).unwrap();
    for (target, expected) in [("x/b", &[][..]), ("y/b", &["published-embed"][..])] {
        let changes = [
            Change::Move {
                from: path("x/a.md"),
                to: path("x/b.md"),
                version: Version::from_bytes(b"x"),
            },
            Change::Modify {
                path: path("p.md"),
                before: page("x/a").into(),
                after: page(target).into(),
            },
        ];
        let found = findings(&changes, &|_| true, &vault).unwrap();
        assert_eq!(kinds(&found), expected, "{target}");
    }
}

#[test]
fn k04_a_property_that_a_base_shows_as_a_picture_is_one() {
    let found = |name: &str, base: &str| {
        let after = format!("---\n{name}: https://example.org/a\n---\n");
        let change = Change::Create {
            path: path("a.md"),
            after: after.into(),
        };
        found_in(
            &[change],
            &|_| true,
            &|_| None,
            (&|| vec![base.to_owned()], &|| None),
        )
        .unwrap()
    };
    for image in ["note.still", "still", "note[\"Still\"]", "formula.a"] {
        let base =
            format!("formulas:\n  a: note.still\nviews:\n  - type: cards\n    image: '{image}'\n");
        assert_eq!(kinds(&found("Still", &base)), ["url-property"], "{image}");
        assert_eq!(found("source", &base), []);
    }
    let formula = "formulas:\n  a: image(note.still)\n";
    assert_eq!(kinds(&found("still", formula)), ["url-property"]);
    assert_eq!(found("still", "formulas:\n  a: note.still\n"), []);
}

#[test]
fn k04_a_file_counts_by_its_new_name() {
    let page = "<iframe src='x'></iframe>";
    assert_eq!(moved("a.md", "b/c.md", page), []);
    assert_eq!(kinds(&moved("a.canvas", "a.md", page)), ["html-element"]);
    assert_eq!(kinds(&moved("a.md", "a.html", "a")), ["file-kind"]);
    assert_eq!(moved("a.csv", "b.csv", "a"), []);
    for (from, to) in [("a.md", "CLAUDE.md"), ("x/agents.md", "y/notes.md")] {
        assert_eq!(kinds(&moved(from, to, "a")), ["instructions"], "{to}");
    }
    assert_eq!(kinds(&modified("Skill.md", "a", "b")), ["instructions"]);
}

#[test]
fn k04_a_name_counts_because_links_contain_it() {
    for (name, kind) in [
        ("a `$= x` b.md", "inline-script"),
        ("`$= x`/b.md", "inline-script"),
        ("![x](&sol;&sol;e.com&sol;a).md", "remote-image"),
        ("&sol;&sol;e.com&sol;a.png", "remote-image"),
        ("http:/e.com/a.md", "remote-image"),
        ("a](javascript:x) [b.md", "script-link"),
        ("<img src=&sol;&sol;e.com>.md", "remote-html"),
    ] {
        let found = moved("a.md", name, "a");
        assert!(kinds(&found).contains(&kind), "{name} {found:?}");
        assert!(found.iter().all(|finding| finding.line.is_none()));
        assert!(kinds(&created(name, "a")).contains(&kind), "{name}");
        // The name is not new.
        assert_eq!(modified(name, "a", "a"), [], "{name}");
    }
    let folder = path("`$= x`");
    let made = of(&[Change::MakeFolder { path: folder }]);
    assert_eq!(kinds(&made), ["inline-script"]);
    for name in [
        "50% [draft] (2) `code` *a*.md",
        "C# & $5.md",
        "a/b c.md",
        "100 % = b + c.md",
    ] {
        assert_eq!(created(name, "a"), [], "{name}");
    }
}

#[test]
fn k04_an_embed_in_a_published_note_follows_the_note_that_is_moved() {
    let text = |name: &str| format!("---\npublish: true\n---\n![[{name}]]\n");
    let changes = |after: &str| {
        let to = path("New.md");
        let (from, version) = (path("Old.md"), Version::from_bytes(b""));
        let moved = Change::Move { from, to, version };
        let modified = Change::Modify {
            path: path("a.md"),
            before: text("Old#Part").into(),
            after: text(after).into(),
        };
        [moved, modified]
    };
    let of = |changes: &[Change]| {
        let index = |names: [&str; 2]| Arc::new(LinkIndex::new(names.map(path)));
        let indexes = || Some((index(["Old.md", "a.md"]), index(["New.md", "a.md"])));
        found_in(changes, &|_| true, &|_| None, (&Vec::new, &indexes)).unwrap()
    };
    assert_eq!(of(&changes("New#Part")), []);
    for other in ["New#Private", "Private#Part", "New"] {
        assert_eq!(kinds(&of(&changes(other))), ["published-embed"], "{other}");
    }
    let first = modified("a.md", "![[b]]", &text("b"));
    assert_eq!(kinds(&first), ["publish-property", "published-embed"]);
}

#[test]
fn k04_time_is_linear_in_the_length_of_hostile_text() {
    for part in tables::lines(CASES, "k04 time is linear in the length") {
        let text = part.repeat(200_000 / part.len());
        let began = std::time::Instant::now();
        let _found = created("a.md", &text);
        // Much longer than a busy machine needs, and much shorter than a square of the length takes.
        assert!(began.elapsed().as_secs() < 120, "{part}");
    }
}

proptest! {
    /// If two edits without active content join to active content, it is found when the second is made.
    #[test]
    fn k04_what_two_edits_join_to_is_found_on_the_second(row in 0_usize..100, example in 0_usize..100, cut in 0_usize..400) {
        let table = Table::builtin().unwrap();
        let row = &table.rows()[row % table.rows().len()];
        let (file, text) = file_and_text(&row.examples[example % row.examples.len()]);
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let cut = cuts.get(cut % cuts.len().max(1)).copied().unwrap_or(0);
        let first = created(file, &text[..cut]);
        let second = modified(file, &text[..cut], text);
        prop_assert!(
            kinds(&first).contains(&row.id.as_str()) || kinds(&second).contains(&row.id.as_str()),
            "{:?} {:?}", &text[..cut], text
        );
        // Put together in the other order, it is found as well.
        let first = created(file, &text[cut..]);
        let second = modified(file, &text[cut..], text);
        prop_assert!(
            kinds(&first).contains(&row.id.as_str()) || kinds(&second).contains(&row.id.as_str()),
            "{:?} {:?}", &text[cut..], text
        );
    }

    /// A mark that one reader takes for something else does not hide code or an image from the others.
    #[test]
    fn k04_no_nesting_hides_active_content(
        before in proptest::sample::select(vec!["http://a.b/`", "*`*", "[a`](b)", "[a](b`)", "~~`~~", "`", "<!A`>", "a `b\n"],),
        around in "(a |\\* |\n|\n\n|`b` |> |- |\\$|%%|<!-- b -->){0,4}",
        end in "[ \n]{0,3}",
        is_image: bool,
    ) {
        let (kind, active) = if is_image {
            ("remote-image", "![x](http://e.com/a.png)")
        } else {
            ("script-link", "[x](javascript:a)")
        };
        let text = format!("a {before} {around} `{active}`{end}");
        prop_assert!(kinds(&created("a.md", &text)).contains(&kind), "{:?}", text);
    }

    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,60}", file in "(a|CLAUDE)\\.(md|canvas|base|svg|txt)") {
        let found = created(&file, &text);
        prop_assert_eq!(modified(&file, &text, &text).len(), kinds(&found).iter().filter(|kind| **kind == "instructions").count());
    }
}

/// The findings in the notes of a folder, as a table, to see which of real notes count as active:
/// `ACTIVE_NOTES=DIR cargo test --lib findings_in_real_notes -- --ignored --nocapture`
#[test]
#[ignore = "measures the folder that ACTIVE_NOTES names"]
#[expect(
    clippy::disallowed_methods,
    reason = "the environment names the folder to measure"
)]
fn findings_in_real_notes() {
    let root = std::path::PathBuf::from(std::env::var_os("ACTIVE_NOTES").unwrap());
    let (mut folders, mut files) = (vec![root.clone()], 0_usize);
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.is_dir() {
                folders.push(file);
                continue;
            }
            let name = file.strip_prefix(&root).unwrap().to_str();
            let Some(Ok(path)) = name.map(VaultPath::file) else {
                continue;
            };
            files += 1;
            let after = fs_err::read(&file).unwrap();
            for finding in of(&[Change::Create { path, after }]) {
                let line = finding.line.unwrap_or(0);
                println!(
                    "{}\t{}\t{line}\t{}",
                    finding.kind, finding.path, finding.text
                );
            }
        }
    }
    println!("{files} files");
}

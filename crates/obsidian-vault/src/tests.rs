//! Each method of a vault, on a small one.

use std::fmt::{Debug, Write as _};
use std::sync::LazyLock;

use bases::Moment;
use jiff::Zoned;
use vault_files::vault::testing::{path, vault as folder_with};

use serde_json::Map;

use super::*;

const CASES: &str = include_str!("cases.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

/// Returns an answer as a line.
fn shown(answer: impl Debug) -> String {
    format!("{answer:?}\n")
}

/// Compiles only for a value that threads can share.
fn is_for_threads(_: &(impl Clone + Send + Sync + 'static)) {}

#[test]
fn every_question() {
    let (_folder, opened) = folder_with(&NOTES);
    let vault = Vault::open(opened.root()).unwrap();
    is_for_threads(&vault);
    let (beds, home, none) = (path("Garden/Beds.md"), path("Home.md"), path("none.md"));
    let mut answers = String::new();
    let mut add = |line: String| answers.push_str(&line);
    add(shown(vault.files().unwrap().value));
    add(shown(vault.read(&path("mill.png")).unwrap().bytes));
    add(shown(vault.facts(&beds).unwrap().size));
    add(shown(vault.properties(&beds).unwrap().value));
    add(shown(vault.backlinks(&beds).unwrap()));
    add(shown(vault.links(&home).unwrap().value));
    add(shown(vault.links(&beds).unwrap().value));
    add(shown(vault.unresolved().unwrap().value));
    add(shown(vault.resolve("Beds#Beds", &home).unwrap().value));
    add(shown(vault.resolve("#Next", &home).unwrap().value));
    add(shown(vault.resolve("Seeds", &home).unwrap().value));
    let headings = vault.outline(&home).unwrap().value;
    let headings = headings.iter().map(|heading| {
        let line = heading.span.start.line;
        (heading.level, heading.text.as_str(), line)
    });
    add(shown(headings.collect::<Vec<_>>()));
    add(shown(vault.tags().unwrap().value));
    add(shown(vault.tasks().unwrap().value));
    add(shown(vault.search("sow -path:Garden").unwrap().value));
    let moment = Moment {
        now: Zoned::default(),
        seed: 0,
    };
    let base = vault.base(&path("Base.base"), Some("Open"), &moment);
    let base = base.unwrap().value;
    let cells = base.table.rows.iter().flat_map(|row| &row.cells);
    let cells: Vec<_> = cells.map(|cell| cell.text.as_deref()).collect();
    add(shown((base.name, base.paths, cells)));
    for error in [
        vault.read(&none).err(),
        vault.properties(&none).err(),
        vault.backlinks(&none).err(),
        vault.outline(&path("mill.png")).err(),
        vault.search("(").err(),
        vault
            .base(&path("Base.base"), Some("Closed"), &moment)
            .err(),
        Vault::open(opened.root().join("none")).err(),
    ] {
        writeln!(answers, "{}", error.unwrap()).unwrap();
    }
    insta::assert_snapshot!(answers, @r##"
    [VaultPath("Base.base"), VaultPath("Garden/Beds.md"), VaultPath("Home.md"), VaultPath("mill.png")]
    [120]
    75
    {"status": String("open"), "beds": Number(3)}
    Found { value: [Backlink { path: VaultPath("Home.md"), count: 2 }], warnings: [] }
    [File(VaultPath("Garden/Beds.md"))]
    [Nowhere("Seeds")]
    [UnresolvedTarget { linkpath: "Seeds", count: 1, sources: [VaultPath("Garden/Beds.md")] }]
    Some(VaultPath("Garden/Beds.md"))
    Some(VaultPath("Home.md"))
    None
    [(1, "Home", 0), (2, "Next", 2)]
    [TagCount { tag: "#Garden", count: 2 }, TagCount { tag: "#garden/spring", count: 1 }]
    [NoteTask { path: VaultPath("Home.md"), task: TaskRecord { status: ' ', line: 5, text: "- [ ] sow [[Beds#Beds]]" } }, NoteTask { path: VaultPath("Home.md"), task: TaskRecord { status: 'x', line: 6, text: "- [x] dig [[Beds]] #Garden" } }]
    [Match { path: VaultPath("Home.md"), lines: HitLines { lines: [HitLine { number: 5, text: "- [ ] sow [[Beds#Beds]]", hits: 1 }], left_out: 0 } }]
    ("Open", ["Garden/Beds.md"], [Some("Beds"), Some("open")])
    the file `none.md` does not exist
    the file `none.md` does not exist
    the file `none.md` does not exist
    the file is not a note
    the search query is not valid
    `Base.base` has no view `Closed`
    the vault's folder cannot be opened: No such file or directory (os error 2)
    "##);
}

#[test]
fn every_edit_with_the_links_that_follow() {
    let (_folder, opened) = folder_with(&NOTES);
    let vault = Vault::from(opened);
    let (beds, home, plan) = (path("Garden/Beds.md"), path("Home.md"), path("New/Plan.md"));
    let mut diffs = String::new();
    let mut done = |edit: Result<Edit, EngineError>| {
        let edit = edit.unwrap();
        let diff = edit.diff();
        let lines = diff.lines().filter(|line| line.starts_with(['+', '-']));
        let lines: Vec<&str> = lines.collect();
        writeln!(diffs, "{:?}\n{}", edit.paths(), lines.join("\n")).unwrap();
        vault.apply(edit).unwrap();
    };
    done(vault.create(&plan, "[[Beds]]\n"));
    done(vault.append(&plan, "more"));
    done(vault.set_property(&plan, "beds", vec![1, 2]));
    done(vault.edit(&home, "dig [[Beds]]", "dug [[Beds]]"));
    done(vault.rename(&beds, &path("Garden/Year beds.md")));
    done(vault.move_to(&home, &VaultPath::folder("Garden").unwrap()));
    done(vault.delete(&plan));
    insta::assert_snapshot!(diffs, @r##"
    [VaultPath("New"), VaultPath("New/Plan.md")]
    --- /dev/null
    +++ b/New/Plan.md
    +[[Beds]]
    [VaultPath("New/Plan.md")]
    --- a/New/Plan.md
    +++ b/New/Plan.md
    +
    +more
    [VaultPath("New/Plan.md")]
    --- a/New/Plan.md
    +++ b/New/Plan.md
    +---
    +beds:
    +  - 1
    +  - 2
    +---
    [VaultPath("Home.md")]
    --- a/Home.md
    +++ b/Home.md
    -- [x] dig [[Beds]] #Garden
    +- [x] dug [[Beds]] #Garden
    [VaultPath("Garden/Beds.md"), VaultPath("Garden/Year beds.md"), VaultPath("Home.md"), VaultPath("New/Plan.md")]
    --- a/Home.md
    +++ b/Home.md
    -- [ ] sow [[Beds#Beds]]
    -- [x] dug [[Beds]] #Garden
    +- [ ] sow [[Year beds#Beds]]
    +- [x] dug [[Year beds]] #Garden
    --- a/New/Plan.md
    +++ b/New/Plan.md
    -[[Beds]]
    +[[Year beds]]
    [VaultPath("Garden/Home.md"), VaultPath("Home.md")]

    [VaultPath(".trash"), VaultPath(".trash/New"), VaultPath(".trash/New/Plan.md"), VaultPath("New/Plan.md")]
    "##);
    let links = vault.backlinks(&path("Garden/Year beds.md")).unwrap().value;
    assert_eq!(links.len(), 1);
    assert_eq!(
        (links[0].path.as_str(), links[0].count),
        ("Garden/Home.md", 2)
    );

    let mut errors = String::new();
    for error in [
        vault.create(&path("Garden/home.md"), "x"),
        vault.create(&path(".obsidian/x.md"), "x"),
        vault.create(&path("a.png"), "x"),
        vault.append(&beds, "x"),
        vault.set_property(&path("mill.png"), "a", 1),
        vault.set_property(&path("Garden/Home.md"), "a", Map::new()),
        vault.set_property(&path("Garden/Home.md"), "", 1),
        vault.rename(&beds, &plan),
        vault.rename(&path("mill.png"), &path("Base.base")),
        vault.edit(&path("Garden/Home.md"), "beds", "x"),
        vault.edit(&path("Garden/Home.md"), "", "x"),
        vault.delete(&beds),
    ] {
        writeln!(errors, "{}", error.unwrap_err()).unwrap();
    }
    insta::assert_snapshot!(errors, @r##"
    the destination already exists
    `.obsidian/x.md` is not a valid path: the path has a name that starts with a dot
    the extension of `a.png` belongs to files that are not text
    the file `Garden/Beds.md` does not exist
    the file is not a note
    the value of `a` is not a text, a number, a boolean, null or a list of them
    `name` must be a text that is not empty
    the file `Garden/Beds.md` does not exist
    the destination already exists
    the note contains the text of `old` 2 times
    `old` must be a text that is not empty
    the file `Garden/Beds.md` does not exist
    "##);
}

#[test]
fn an_edit_is_applied_completely_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs_err::write(file("a.md"), "a").unwrap();
    fs_err::write(file("b.md"), "[[a]]").unwrap();
    fs_err::write(file("c.md"), "[[a]]").unwrap();
    let vault = Vault::open(folder.path()).unwrap();
    let edit = vault.rename(&path("a.md"), &path("x/d.md")).unwrap();
    assert_eq!(edit.changes().len(), 4);
    fs_err::write(file("c.md"), "[[a]] and more").unwrap();

    let refused = vault.apply(edit).unwrap_err();
    assert!(matches!(refused, EngineError::Changed { path } if path.as_str() == "c.md"));
    let files = vault.files().unwrap().value;
    assert_eq!(files, ["a.md", "b.md", "c.md"].map(path));
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 3);
    assert_eq!(vault.read(&path("b.md")).unwrap().text, "[[a]]");

    // Planned again, it also follows the other program's text.
    let edit = vault.rename(&path("a.md"), &path("x/d.md")).unwrap();
    vault.apply(edit).unwrap();
    assert_eq!(vault.read(&path("c.md")).unwrap().text, "[[d]] and more");
}

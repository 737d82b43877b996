//! Steps that are joined have the result of the steps one by one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use seeded_random::Random;
use vault_files::testing::{given, write};
use vault_files::vault::testing::vault;
use vault_files::{EngineError, Vault};

use super::joined;
use crate::apply::testing::picture;
use crate::testing::surroundings;
use crate::{Change, Edit, Editor};

const CASES: &str = include_str!("cases.txt");

static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "files"));

static FILE_PATHS: LazyLock<Vec<&str>> = LazyLock::new(|| tables::lines(CASES, "file paths"));
const FOLDERS: [&str; 5] = ["A", "A/B", "C", "C/D", "Plan"];
const TEXTS: [&str; 4] = ["x [[Plan]]", "# Two\n[[Log]]", "- [ ] done #old", ""];
const HEADINGS: [&str; 3] = ["One", "Two", "Home"];

/// A command with its parameters and flags.
type Step = (
    &'static str,
    Vec<(&'static str, &'static str)>,
    Vec<&'static str>,
);

fn random_step(random: &mut Random) -> Step {
    let path = *random.pick(&FILE_PATHS);
    let other = *random.pick(&FILE_PATHS);
    let (folder, text) = (*random.pick(&FOLDERS), *random.pick(&TEXTS));
    let heading = *random.pick(&HEADINGS);
    let is_permanent = random.once_in(3);
    let (command, params) = match random.below(22) {
        0 => ("append", vec![("path", path), ("content", text)]),
        1 => ("prepend", vec![("path", path), ("content", text)]),
        2 => ("daily:append", vec![("content", text)]),
        3 => ("create", vec![("path", path), ("content", text)]),
        4 | 5 => ("move", vec![("path", path), ("to", other)]),
        6 => ("move", vec![("path", path), ("to", folder)]),
        7 => ("rename", vec![("path", path), ("name", "Renamed")]),
        8 => ("folder:create", vec![("path", folder)]),
        9 | 10 => (
            "folder:move",
            vec![("path", folder), ("to", *random.pick(&FOLDERS))],
        ),
        11 | 12 => ("delete", vec![("path", path)]),
        13 => (
            "note:edit",
            vec![("path", path), ("afterLine", "0"), ("content", text)],
        ),
        14 => (
            "property:set",
            vec![("path", path), ("name", "rank"), ("value", "5")],
        ),
        15 => ("property:remove", vec![("path", path), ("name", "status")]),
        16 => ("tag:rename", vec![("tag", "old"), ("to", "new")]),
        17 => ("tag:add", vec![("path", path), ("tag", "seen")]),
        18 => (
            "heading:rename",
            vec![("path", path), ("heading", heading), ("to", "Three")],
        ),
        19 => ("note:merge", vec![("path", path), ("into", other)]),
        20 => (
            "note:extract",
            vec![("path", path), ("heading", heading), ("to", "C/Part.md")],
        ),
        _ => (
            "attachment:add",
            vec![("path", "A/pic.png"), ("data", "R0lGODlhAQ==")],
        ),
    };
    let flags = if is_permanent && matches!(command, "delete" | "note:merge") {
        vec!["permanent"]
    } else {
        Vec::new()
    };
    (command, params, flags)
}

fn plan(vault: &Vault, (command, params, flags): &Step) -> Result<Edit, EngineError> {
    Editor(vault).plan(command, &given(command, params, flags), &surroundings())
}

/// Every file and folder outside of the trash.
fn outside_trash(root: &Path) -> BTreeMap<String, (u32, String)> {
    let mut found = picture(root);
    found.retain(|path, _| !path.starts_with(".trash"));
    found
}

#[test]
fn joined_steps_have_the_result_of_the_steps_one_by_one() {
    let mut random = Random::new(60);
    let mut made = 0;
    for case in 0..60 {
        let (_one_folder, one_by_one) = vault(&FILES);
        let (_folder, vault) = vault(&FILES);
        for root in [one_by_one.root(), vault.root()] {
            fs_err::create_dir_all(root.join("A/empty")).unwrap();
        }
        let mut view = vault.clone();
        let mut steps: Vec<Step> = Vec::new();
        let mut planned: Vec<Vec<Change>> = Vec::new();
        for _ in 0..3 + random.below(8) {
            let step = random_step(&mut random);
            let seen = plan(&view, &step);
            let there = plan(&one_by_one, &step);
            assert_eq!(
                seen.as_ref().map_err(ToString::to_string).err(),
                there.as_ref().map_err(ToString::to_string).err(),
                "{case} {steps:#?} {step:?}"
            );
            let (Ok(seen), Ok(there)) = (seen, there) else {
                continue;
            };
            Editor(&one_by_one).apply(&there.changes, "run").unwrap();
            view = Editor(&view).after(&seen.changes);
            steps.push(step);
            planned.push(seen.changes);
        }
        let before = picture(vault.root());
        let changes = match joined(planned.iter().map(Vec::as_slice)) {
            // Files that exchange their paths.
            Err(EngineError::Argument { .. }) => continue,
            changes => changes.unwrap(),
        };
        let touched = Editor(&vault).touched(&changes).unwrap();
        Editor(&vault)
            .apply(&changes, "run")
            .unwrap_or_else(|error| panic!("{case} {error}: {steps:#?} {changes:#?}"));
        assert_eq!(
            outside_trash(vault.root()),
            outside_trash(one_by_one.root()),
            "{case} {steps:#?}"
        );
        for place in &touched {
            assert_eq!(
                Editor(&vault).state_at(&place.path).unwrap(),
                place.after,
                "{case} {steps:#?}"
            );
        }
        let named: Vec<String> = touched.iter().map(|place| place.path.to_string()).collect();
        let after = picture(vault.root());
        let differs = |path: &&String| before.get(*path) != after.get(*path);
        let paths = before.keys().chain(after.keys()).filter(differs);
        for path in paths {
            assert!(
                named.contains(path),
                "{case} `{path}` is not named: {steps:#?}"
            );
        }
        made += steps.len();
    }
    assert!(made > 150, "{made}");
}

/// The folders of the disk are still there when the next step is planned.
#[test]
fn a_folder_that_was_moved_away_is_made_again_with_what_comes_into_it() {
    let to = |from, to| -> Step { ("folder:move", vec![("path", from), ("to", to)], vec![]) };
    let folder = |path| -> Step { ("folder:create", vec![("path", path)], vec![]) };
    let create = |path| -> Step { ("create", vec![("path", path), ("content", "x")], vec![]) };
    for steps in [
        vec![to("A", "G"), folder("A/x")],
        vec![to("A", "G"), folder("A/B")],
        vec![to("A", "G"), create("A/B/n.md")],
        vec![to("A", "G"), create("A/B/new/n.md")],
        vec![to("A", "T"), to("T", "A/T")],
        vec![to("A", "T"), to("T", "A/B/T")],
    ] {
        let (_one_folder, one_by_one) = vault(&FILES);
        let (_folder, vault) = vault(&FILES);
        let mut view = vault.clone();
        let mut planned: Vec<Vec<Change>> = Vec::new();
        for step in &steps {
            let there = plan(&one_by_one, step).unwrap();
            Editor(&one_by_one).apply(&there.changes, "run").unwrap();
            let seen = plan(&view, step).unwrap();
            view = Editor(&view).after(&seen.changes);
            planned.push(seen.changes);
        }
        let changes = joined(planned.iter().map(Vec::as_slice)).unwrap();
        Editor(&vault)
            .apply(&changes, "run")
            .unwrap_or_else(|error| panic!("{error}: {steps:?} {changes:#?}"));
        assert_eq!(
            picture(vault.root()),
            picture(one_by_one.root()),
            "{steps:?}"
        );
    }
}

#[test]
fn what_exists_only_between_two_steps_is_not_made() {
    let (_folder, vault) = vault(&[("a.md", "a"), ("x/b.md", "b")]);
    let result = |steps: &[Step]| {
        let mut view = vault.clone();
        let mut planned: Vec<Vec<Change>> = Vec::new();
        for step in steps {
            let edit = plan(&view, step).unwrap();
            view = Editor(&view).after(&edit.changes);
            planned.push(edit.changes);
        }
        let changes = joined(planned.iter().map(Vec::as_slice));
        changes.map_err(|error| error.to_string()).map(|changes| {
            let shown = changes.iter().map(|change| match change {
                Change::MakeFolder { path } => format!("make {path}"),
                Change::Create { path, .. } => format!("create {path}"),
                Change::Modify { path, .. } => format!("modify {path}"),
                Change::Move { from, to, .. } => format!("move {from} {to}"),
                Change::Remove { path, .. } => format!("remove {path}"),
                Change::RemoveFolder { path } => format!("empty {path}"),
            });
            shown.collect::<Vec<_>>().join(", ")
        })
    };
    let append = || -> Step { ("append", vec![("path", "a.md"), ("content", "x")], vec![]) };
    let create = |path| -> Step { ("create", vec![("path", path), ("content", "x")], vec![]) };
    let delete = |path| -> Step { ("delete", vec![("path", path)], vec![]) };
    let destroy = |path| -> Step { ("delete", vec![("path", path)], vec!["permanent"]) };
    let to = |path, to| -> Step { ("move", vec![("path", path), ("to", to)], vec![]) };
    let folder = |path, to| -> Step { ("folder:move", vec![("path", path), ("to", to)], vec![]) };
    let results: Vec<_> = [
        vec![create("n.md"), delete("n.md")],
        vec![create("n.md"), destroy("n.md")],
        vec![append(), delete("a.md")],
        vec![append(), destroy("a.md")],
        vec![to("a.md", "b.md"), destroy("b.md")],
        vec![delete("a.md"), create("a.md")],
        vec![folder("x", "y"), folder("y", "x")],
        vec![folder("x", "y"), create("x/b.md")],
        vec![
            destroy("a.md"),
            ("folder:create", vec![("path", "a.md")], vec![]),
        ],
        vec![
            to("a.md", "t.md"),
            to("x/b.md", "a.md"),
            to("t.md", "x/b.md"),
        ],
        // No path between two steps is free before and after all of them.
        vec![
            to("a.md", "t.md"),
            to("x/b.md", "a.md"),
            to("t.md", "x/b.md"),
            create("t.md"),
        ],
    ]
    .iter()
    .map(|steps| result(steps))
    .collect();
    insta::assert_debug_snapshot!(results, @r#"
    [
        Ok(
            "",
        ),
        Ok(
            "",
        ),
        Ok(
            "make .trash, move a.md .trash/a.md",
        ),
        Ok(
            "remove a.md",
        ),
        Ok(
            "remove a.md",
        ),
        Ok(
            "make .trash, move a.md .trash/a.md, create a.md",
        ),
        Ok(
            "",
        ),
        Ok(
            "make y, move x/b.md y/b.md, create x/b.md",
        ),
        Err(
            "`changes` must be a list in which no file takes the path of a folder, and no folder takes the path of a file",
        ),
        Ok(
            "move a.md t.md, move x/b.md a.md, move t.md x/b.md",
        ),
        Err(
            "`changes` must be a list in which files exchange their paths only by a path that is free",
        ),
    ]
    "#);
    write(vault.root(), "n.md", "");
    assert!(
        result(&[delete("n.md")])
            .unwrap()
            .contains("move n.md .trash/n.md")
    );
}

//! `note:merge` and `note:extract` from end to end: plan, change, journal, undo, drafts, path rules.

use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;
use vault_gw::gateway::Envelope;

use crate::support::{Outcome as _, World, asked, checked, code, dry_run_of, files_below};

const CASES: &str = include_str!("data/text_move.txt");

static NOTES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| tables::typed(CASES, "notes"));

fn world() -> World {
    furnished("allow_mutations = true")
}

fn furnished(setting: &str) -> World {
    let world = World::empty().set(setting);
    for (path, text) in NOTES.iter().copied() {
        world.write(path, text);
    }
    world
}

fn agent(world: &World, line: &str) -> Envelope {
    checked(world.gateway().call(&asked(line)))
}

fn undo(world: &World, run: &Envelope) -> Envelope {
    let run = run.run_id.into();
    world.person().undo(Some(&run), false)
}

#[test]
fn a_merge_and_an_extraction_are_one_run_each_and_come_back_with_every_byte() {
    let world = world();
    let before = files_below(&world.vault);
    let dry = dry_run_of(asked("note:merge path=A/One.md into=Two.md alias"));
    let planned = checked(world.gateway().call(&dry));
    assert_eq!(
        planned.data.as_map()["effects"],
        json!(["write"]),
        "{planned:?}"
    );
    assert_eq!(files_below(&world.vault), before);
    let merged = agent(&world, "note:merge path=A/One.md into=Two.md alias");
    assert_eq!(
        merged.stdout,
        "Merged: A/One.md -> Two.md (3 links in 2 files)\n"
    );
    assert_eq!(
        world.read("Two.md"),
        "---\ntags:\n  - x\naliases:\n  - One\n---\n# H\n[[Two#In]] ![[Two]]\n## Other\n- [ ] x\n\n# H\n[[#In]] [[Two]]\n## In\ntext ^id"
    );
    assert!(world.read("Board.canvas").contains("\"Two.md\""));
    let extracted = agent(
        &world,
        "note:extract path=Two.md heading=In to=Part leave=embed",
    );
    assert_eq!(
        extracted.stdout,
        "Extracted: Two.md, lines 14-15 -> Part.md (3 links in 2 files)\n"
    );
    assert!(
        world
            .read("Two.md")
            .ends_with("# H\n[[Part#In]] [[Two]]\n\n![[Part]]")
    );
    assert!(world.read("Board.canvas").contains("\"Part.md\""));
    undo(&world, &extracted).succeeds();
    undo(&world, &merged).succeeds();
    assert_eq!(files_below(&world.vault), before);
}

#[test]
fn d13_links_in_closed_notes_follow_a_merge_and_an_extraction_and_are_not_reported() {
    for (line, expected) in [
        ("note:merge path=A/One.md into=Two.md", "[[Two]] [[Two#In]]"),
        (
            "note:extract path=A/One.md heading=In to=Part.md",
            "[[One]] [[Part#In]]",
        ),
    ] {
        let mut world = world().set("paths.deny = [\"Private/**\"]");
        world.write("Private/p.md", "[[One]] [[One#In]]");
        let done = agent(&world, line).succeeds();
        assert_eq!(world.read("Private/p.md"), expected);
        assert!(!serde_json::to_string(&done).unwrap().contains("Private"));
        // The owner, whom no rule keeps from it, takes it back.
        world.settings = world.settings.replace("paths.deny", "#");
        undo(&world, &done).succeeds();
        assert_eq!(world.read("Private/p.md"), "[[One]] [[One#In]]");
    }
}

#[test]
fn path_rules_judge_both_notes_and_the_real_path_of_the_new_one() {
    let world = world().set("paths.write = [\"*\"]");
    for [line, expected] in tables::section(CASES, "path rules judge both notes and the real") {
        let before = files_below(&world.vault);
        assert_eq!(code(&agent(&world, line)), expected, "{line}");
        assert_eq!(files_below(&world.vault), before);
    }
    agent(&world, "note:extract path=Two.md heading=Other to=Part").succeeds();
    assert_eq!(world.read("Part.md"), "## Other\n- [ ] x\n");
}

#[test]
fn both_can_be_drafted() {
    let world = furnished("drafts = \"closed\"");
    let before = files_below(&world.vault);
    let gateway = world.agent("helper");
    for line in [
        "note:merge path=A/One.md into=Two.md",
        "note:extract path=Two.md heading=In to=Part",
    ] {
        checked(gateway.call(&asked(line))).succeeds();
    }
    let seen = checked(gateway.call(&asked("read path=Part.md")));
    assert_eq!(seen.stdout.trim_end(), "## In\ntext ^id");
    assert_eq!(files_below(&world.vault), before);
}

fn step() -> impl Strategy<Value = (u8, Index, Index, usize, &'static str)> {
    let option = select(vec![
        "",
        "position=start",
        "alias",
        "heading=H",
        "properties=target",
        "permanent",
    ]);
    (0_u8..4, any::<Index>(), any::<Index>(), 1_usize..8, option)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn undoing_any_history_of_merges_and_extractions_restores_every_byte(
        steps in prop::collection::vec(step(), 1..7),
    ) {
        let world = world();
        let mut states = Vec::new();
        for (number, (kind, one, other, line, option)) in steps.into_iter().enumerate() {
            let before = files_below(&world.vault);
            let notes: Vec<&String> = before
                .keys()
                .filter(|path| {
                    let is_note = Path::new(path).extension().is_some_and(|it| it == "md");
                    is_note && !path.starts_with('.')
                })
                .collect();
            let (one, other) = (one.get(&notes), other.get(&notes));
            let line = match kind {
                0 | 1 => format!("note:merge path={one} into={other} {option}"),
                2 => format!("note:extract path={one} heading=H to=New{number}"),
                _ => format!("note:extract path={one} lines={line} to=New{number} leave=embed"),
            };
            let done = world.person().call(&asked(line.trim_end()));
            if done.success {
                states.push((before, done));
            } else {
                prop_assert_eq!(files_below(&world.vault), before, "{}", line);
            }
        }
        for (before, done) in states.into_iter().rev() {
            let undone = undo(&world, &done);
            prop_assert!(undone.success, "{:?}", undone);
            prop_assert_eq!(files_below(&world.vault), before);
        }
    }
}

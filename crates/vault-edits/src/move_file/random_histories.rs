//! Random histories of renamed headings and blocks: links resolve to the same places as before, and undoing all steps
//! restores every byte.

use obsidian_note::scan::scan;
use obsidian_note::{Anchor, Anchors, LinkIndex, Resolution, VaultPath, Warning};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use vault_files::vault::testing::vault;

use super::piece::Piece;
use super::testing::{Files, files, plan};
use crate::{Change, Editor};

const PATHS: [&str; 3] = ["n.md", "sub/o.md", "sub/c.canvas"];
const NAMES: [&str; 6] = [
    "A",
    "B b",
    "C++",
    "`d` (e)",
    "See [[n#A]]",
    "Ü: [x](o.md#B%20b)",
];

#[derive(Clone, Debug)]
enum Part {
    Heading(usize, &'static str),
    Block(&'static str),
    /// A link to a note, with the parts of its subpath, in one of the forms.
    Link(usize, Vec<&'static str>, usize),
}

fn part() -> impl Strategy<Value = Part> {
    let anchor = select(vec!["A", "B b", "C", "d e", "See n A", "^x", "^y1"]);
    prop_oneof![
        (1_usize..4, select(NAMES.to_vec())).prop_map(|(level, name)| Part::Heading(level, name)),
        select(vec!["x", "y1", "z"]).prop_map(Part::Block),
        (0_usize..2, prop::collection::vec(anchor, 1..3), 0_usize..4)
            .prop_map(|(note, parts, form)| Part::Link(note, parts, form)),
    ]
}

fn text(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Heading(level, name) => format!("{} {name}\r\n\r\n", "#".repeat(*level)),
        Part::Block(id) => format!("text ^{id}\r\n\r\n"),
        Part::Link(note, parts, form) => {
            let (path, place) = (PATHS[*note], parts.join("#"));
            let name = path.strip_suffix(".md").unwrap();
            match form {
                0 => format!("[[{name}#{place}]]\r\n\r\n"),
                1 => format!("![[{name}#{place}|shown]]\r\n\r\n"),
                2 => format!("[x]({path}#{})\r\n\r\n", place.replace(' ', "%20")),
                _ => format!("[[#{place}]]\r\n\r\n"),
            }
        }
    };
    parts.iter().map(part).collect()
}

/// A canvas with the links of these parts as file nodes.
fn canvas(parts: &[Part]) -> String {
    let nodes = parts.iter().filter_map(|part| match part {
        Part::Link(note, parts, _) => Some(serde_json::json!({
            "type": "file", "file": PATHS[*note], "subpath": format!("#{}", parts.join("#"))
        })),
        _ => None,
    });
    serde_json::json!({ "nodes": nodes.collect::<Vec<_>>() }).to_string()
}

/// Returns the note and the place of each link, in order; `None` for one that leads to no place.
fn places(files: &Files) -> Vec<Option<(VaultPath, bool, usize)>> {
    let index = LinkIndex::new(files.keys().cloned());
    let mut found = Vec::new();
    for (source, bytes) in files {
        let own = String::from_utf8(bytes.clone()).unwrap();
        for reference in Piece::all(source, &own)
            .iter()
            .flat_map(|piece| &piece.references)
        {
            let Resolution::Found(target) = index.resolve(&reference.linkpath, source) else {
                found.push(None);
                continue;
            };
            let facts = scan(std::str::from_utf8(&files[&target.path]).unwrap());
            let place = Anchors::new(&facts).find(reference.place());
            found.push(place.map(|place| match place {
                Anchor::Headings(found) => (target.path, true, *found.last().unwrap()),
                Anchor::Block(index) => (target.path, false, index),
            }));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn links_lead_where_they_led_and_undo_restores_every_byte(
        notes in prop::collection::vec(prop::collection::vec(part(), 1..14), 3),
        steps in prop::collection::vec((0_usize..2, any::<Index>(), any::<bool>(), 0_usize..9), 1..6),
    ) {
        let texts = [text(&notes[0]), text(&notes[1]), canvas(&notes[2])];
        let listed: Vec<(&str, &str)> = PATHS.iter().copied().zip(texts.iter().map(String::as_str)).collect();
        let (_folder, vault) = vault(&listed);
        let first = files(vault.root());
        let mut undo = Vec::new();
        for (note, at, is_block, name) in steps {
            let before = files(vault.root());
            let facts = scan(std::str::from_utf8(&before[&VaultPath::file(PATHS[note]).unwrap()]).unwrap());
            let names = ["F", "A", "b B", "g (h) [i]", "C", "^j", "[[n#C]] k"];
            let place = if is_block && !facts.blocks.is_empty() {
                let block = &facts.blocks[at.index(facts.blocks.len())];
                [("block", block.id.clone()), ("to", ["x", "y1", "q-2"][name % 3].to_owned())]
            } else if facts.headings.is_empty() {
                continue;
            } else {
                let heading = &facts.headings[at.index(facts.headings.len())];
                let name = names[name % names.len()].to_owned();
                [("heading", format!("{} (line {})", heading.text, heading.span.start.line + 1)), ("to", name)]
            };
            let params = [("path", PATHS[note]), (place[0].0, place[0].1.as_str()), ("to", place[1].1.as_str())];
            // Some names are refused.
            let Ok(edit) = plan(&vault, "heading:rename", &params) else { continue };
            // A link in a heading goes and comes with its name.
            let has_link = params.iter().any(|(_, value)| value.contains("]("  ) || value.contains("[["));
            let led = places(&before);
            Editor(&vault).apply(&edit.changes, "run").unwrap();
            let lead = places(&files(vault.root()));
            let unwritable: usize = edit.warnings.iter().map(|warning| match warning {
                Warning::LinksUnwritable { links, .. } => *links,
                _ => 0,
            }).sum();
            prop_assert!(has_link || led.len() == lead.len());
            // A link in a heading of another note is rewritten, which renames that heading; links to it do not follow.
            let is_renamed_too = |(path, is_heading, index): &(VaultPath, bool, usize)| {
                let facts = scan(std::str::from_utf8(&before[path]).unwrap());
                *is_heading && path.as_str() != PATHS[note] && facts.headings[*index].text.contains(['[', ']'])
            };
            let lost = led.iter().zip(&lead).filter(|(led, lead)| {
                led != lead && led.as_ref().is_some_and(|led| !is_renamed_too(led))
            }).count();
            prop_assert!(has_link || lost <= unwritable, "{:?} {:?} {:?}", params, led, lead);
            undo.push(edit.changes);
        }
        for changes in undo.into_iter().rev() {
            let back = changes.into_iter().rev().map(|change| match change {
                Change::Modify { path, before, after } => Change::Modify { path, before: after, after: before },
                other => panic!("{other:?}"),
            });
            Editor(&vault).apply(&back.collect::<Vec<_>>(), "undo").unwrap();
        }
        prop_assert_eq!(files(vault.root()), first);
    }
}

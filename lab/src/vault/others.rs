//! The files of a vault that are not notes: pictures, canvases, bases, settings.

use seeded_random::Random;
use serde_json::{Value, json};

use super::grammar::text;
use super::note::Links;
use super::plan::Plan;

/// The settings, a plugin, a theme, a snippet and the trash of every vault.
pub(super) const HIDDEN: &str = "lab/src/vault/hidden";

/// A picture of one pixel.
pub(super) fn picture(_: &Plan, _: usize) -> Vec<u8> {
    include_bytes!("pixel.png").to_vec()
}

/// A canvas with files, texts with links, and edges.
pub(super) fn canvas(plan: &Plan, index: usize) -> Vec<u8> {
    let mut random = Random::of_part(plan.seed ^ 1, index);
    let links = Links {
        plan,
        own: &plan.notes[0],
    };
    let count = random.between(2, 12);
    let place = |number: usize| number * 320;
    let nodes: Vec<Value> = (0..count)
        .map(|number| {
            let id = format!("{number:016x}");
            let (x, y) = (place(number % 4), place(number / 4));
            let (kind, present) = if random.percent(60) {
                ("file", links.target(&mut random).path.clone())
            } else {
                let [title, link] = ["title", "link"].map(|rule| links.text(&mut random, rule));
                ("text", format!("## {title}\n{link} #canvas"))
            };
            json!({"id": id, "type": kind, kind: present, "x": x, "y": y, "width": 300, "height": 300})
        })
        .collect();
    let edges: Vec<Value> = (1..count)
        .map(|number| {
            let (from, to) = (format!("{:016x}", number - 1), format!("{number:016x}"));
            json!({"id": format!("e{number}"), "fromNode": from, "fromSide": "right", "toNode": to, "toSide": "left"})
        })
        .collect();
    format!("{:#}\n", json!({"nodes": nodes, "edges": edges})).into()
}

/// A base with a filter and two views.
pub(super) fn base(plan: &Plan, index: usize) -> Vec<u8> {
    let mut random = Random::of_part(plan.seed ^ 2, index);
    text(&mut random, "base").into()
}

/// The settings that name notes. Those that name none are in the folder [`HIDDEN`].
pub(super) fn settings(plan: &Plan) -> [(&'static str, Value); 2] {
    let note = |index: usize| plan.notes[index % plan.notes.len()].path.as_str();
    let recent: Vec<&str> = (0..10.min(plan.notes.len())).map(note).collect();
    let bookmarks = json!([
        {"type": "file", "ctime": 1_700_000_000_000_i64, "path": note(7), "title": "First"},
        {"type": "group", "ctime": 1_700_000_000_001_i64, "title": "Group", "items": [
            {"type": "file", "ctime": 1_700_000_000_002_i64, "path": note(11), "subpath": "#Heading"},
            {"type": "search", "ctime": 1_700_000_000_003_i64, "query": "tag:#project"},
            {"type": "url", "ctime": 1_700_000_000_004_i64, "url": "https://example.org", "title": "Web"},
        ]},
        {"type": "folder", "ctime": 1_700_000_000_005_i64, "path": "Daily"},
    ]);
    let workspace = json!({"active": "a", "lastOpenFiles": recent});
    [
        (".obsidian/bookmarks.json", json!({"items": bookmarks})),
        (".obsidian/workspace.json", workspace),
    ]
}

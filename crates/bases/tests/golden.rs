//! Five bases with everything in them. What they show was checked by hand against the
//! documentation of Bases (<https://help.obsidian.md/bases/functions>), cell by cell.

use std::collections::HashMap;

use bases::{Base, FileNumber, NoteLink, Summary, Table};
use serde_json::json;

use crate::notes::{File, Vault, note, table};

fn link(target: &str, display: &str) -> NoteLink {
    NoteLink {
        target: target.to_owned(),
        display: Some(display.to_owned()),
    }
}

fn vault() -> Vault {
    let emma = File {
        links: vec![
            link("Jane Austen", "Jane Austen"),
            link("Nobody", "Nobody"),
            link("cover.png", "cover.png"),
        ],
        embeds: vec![link("cover.png", "cover.png")],
        ..note(
            "Books/Emma.md",
            json!({"title": "The Story of Emma", "genre": "novel", "price": 12.5, "copies": 7, "read": true,
                   "bought": "2026-05-20", "tags": ["book", "novel/classic"], "author": "[[Jane Austen|Jane]]",
                   "topics": ["love", "money", "love"], "shelf": {"row": 2, "place": "left"}}),
        )
    };
    let dracula = note(
        "Books/Dracula.md",
        json!({"title": "Dracula", "genre": "horror", "subtitle": "", "price": 8, "copies": 13, "read": false,
               "bought": "2026-06-09T08:30", "tags": ["book"], "author": "[[Bram Stoker]]", "topics": "fear"}),
    );
    let persuasion = note(
        "Books/Old/Persuasion.md",
        json!({"title": "Persuasion", "genre": "novel", "copies": 2, "tags": ["book"], "topics": []}),
    );
    let austen = File {
        links: vec![link("Books.base", "Books.base")],
        ..note("Jane Austen.md", json!({"born": 1775, "tags": ["person"]}))
    };
    let files = vec![
        note("Books.base", json!({})),
        emma,
        dracula,
        persuasion,
        austen,
        note("cover.png", json!({})),
        note("Hidden.md", json!({"tags": ["person"], "hidden": true})),
    ];
    Vault {
        files,
        backlinks: HashMap::from([(4, vec![FileNumber(1)]), (5, vec![FileNumber(1)])]),
        ..Vault::default()
    }
}

fn written(table: &Table) -> String {
    let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let summaries = |summaries: &[Summary]| -> String {
        let summary = |summary: &Summary| {
            let column = &table.columns[summary.column].label;
            format!(
                "  {} of {column}: {}\n",
                summary.name,
                shown(&summary.value)
            )
        };
        summaries.iter().map(summary).collect()
    };
    let mut out = String::new();
    for (number, row) in table.rows.iter().enumerate() {
        out.push_str(&format!("row {}\n", number + 1));
        for (column, cell) in table.columns.iter().zip(&row.cells) {
            let kind = cell.kind.to_ascii_lowercase();
            out.push_str(&format!(
                "  {} ({kind}): {}\n",
                column.label,
                shown(&cell.text)
            ));
        }
    }
    for group in &table.groups {
        out.push_str(&format!(
            "group {}: {} rows\n",
            shown(&group.value),
            group.rows
        ));
        out.push_str(&summaries(&group.summaries));
    }
    out.push_str(&format!("{} of {} rows\n", table.rows.len(), table.total));
    out.push_str(&summaries(&table.summaries));
    out
}

fn shows(base: &str, name: &str) {
    let parsed = Base::parse(base).unwrap();
    assert_eq!(parsed.diagnostics(), []);
    let views = parsed.views().iter();
    let text: String = views
        .map(|view| {
            format!(
                "view {}\n{}",
                view.name,
                written(&table(&vault(), &parsed, &view.name))
            )
        })
        .collect();
    insta::assert_snapshot!(name, text);
}

#[test]
fn texts() {
    shows(include_str!("golden/texts.base"), "texts");
}

#[test]
fn numbers() {
    shows(include_str!("golden/numbers.base"), "numbers");
}

#[test]
fn dates() {
    shows(include_str!("golden/dates.base"), "dates");
}

#[test]
fn lists() {
    shows(include_str!("golden/lists.base"), "lists");
}

#[test]
fn links() {
    shows(include_str!("golden/links.base"), "links");
}

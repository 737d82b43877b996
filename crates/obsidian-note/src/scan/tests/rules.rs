//! The app's parsing rules as a table (`vault-semantics.md` §3.9): small notes and their expected
//! facts.

use serde::Deserialize;

use super::super::*;

#[derive(Deserialize)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    rule: String,
    text: String,
    #[serde(flatten)]
    found: Found,
}

/// The expected facts. Lines are counted from 0.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Found {
    /// The kind of each section and its lines.
    sections: Vec<String>,
    /// Links and embeds as they are written.
    links: Vec<String>,
    tags: Vec<String>,
    /// `#` for each level, and the line.
    headings: Vec<String>,
    /// The line, and the character of a task.
    items: Vec<String>,
    /// The block ids, without `^`.
    ids: Vec<String>,
}

impl Found {
    fn of(text: &str) -> Self {
        let facts = scan(text);
        let mut links: Vec<_> = facts.links.into_iter().chain(facts.embeds).collect();
        links.sort_by_key(|link| link.span.start);
        let section = |section: Section| {
            let kind = serde_json::to_value(section.kind).expect("a plain enum");
            let kind = kind.as_str().expect("a name").to_owned();
            match (section.span.start.line, section.span.end.line) {
                (first, last) if first == last => format!("{kind} {first}"),
                (first, last) => format!("{kind} {first}-{last}"),
            }
        };
        let heading = |heading: Heading| {
            let level = "#".repeat(usize::from(heading.level));
            format!("{level} {}", heading.span.start.line)
        };
        let item = |item: ListItem| {
            let task = item.task.map(|status| format!(" [{status}]"));
            format!("{}{}", item.span.start.line, task.unwrap_or_default())
        };
        Self {
            sections: facts.sections.into_iter().map(section).collect(),
            links: links.into_iter().map(|link| link.original).collect(),
            tags: facts.tags.into_iter().map(|tag| tag.tag).collect(),
            headings: facts.headings.into_iter().map(heading).collect(),
            items: facts.list_items.into_iter().map(item).collect(),
            ids: facts.blocks.into_iter().map(|block| block.id).collect(),
        }
    }
}

#[test]
fn notes_are_read_by_the_rules_of_the_app() {
    let table = include_str!("../../../tests/data/markdown.json");
    let table: Table = serde_json::from_str(table).expect("a table");
    assert!(table.cases.len() > 350);
    let mut wrong = Vec::new();
    for Case { rule, text, found } in table.cases {
        // The same if lines end as on Windows.
        let mut windows = Found::of(&text.replace('\n', "\r\n"));
        for link in &mut windows.links {
            *link = link.replace('\r', "");
        }
        for read in [Found::of(&text), windows] {
            if read != found {
                wrong.push(format!(
                    "{rule} {text:?}\n  read: {read:?}\n  app:  {found:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[derive(Deserialize)]
struct Recordings {
    cases: Vec<Recording>,
}

#[derive(Deserialize)]
struct Recording {
    id: String,
    text: String,
    /// The line of each link, and the link as it is written.
    links: Vec<String>,
}

/// Notes that were recorded from the app: what is code, a comment, HTML or math has no links.
#[test]
fn links_are_read_where_the_app_was_recorded_to_read_references() {
    let table = include_str!("../../../tests/data/recorded.json");
    let table: Recordings = serde_json::from_str(table).expect("a table");
    assert!(table.cases.len() > 50);
    for Recording { id, text, links } in table.cases {
        let found = scan(&text).links.into_iter();
        let found = found.map(|link| format!("{} {}", link.span.start.line, link.original));
        assert_eq!(found.collect::<Vec<_>>(), links, "{id}: {text:?}");
    }
}

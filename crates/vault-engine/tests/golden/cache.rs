//! The comparison, line by line: one line for each thing that was found.

use std::{fmt::Debug, path::Path};

use fs_err as fs;
use serde_json::Value;
use vault_engine::scan::{self, Link, NoteFacts, Position, SectionKind, Span};

/// One line for each thing found, in the order of kinds and then of the text.
fn found(facts: &NoteFacts) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add =
        |kind: &str, span: Span, what: String| lines.push(line(kind, &place(span), &what));
    if let Some(span) = facts.frontmatter {
        add("frontmatter", span, String::new());
    }
    for section in &facts.sections {
        add(
            "section",
            section.span,
            format!("{} {}", kind_name(section.kind), show(section.id.as_ref())),
        );
    }
    for heading in &facts.headings {
        add(
            "heading",
            heading.span,
            format!("{} {:?}", heading.level, heading.text),
        );
    }
    for item in &facts.list_items {
        let task = item.task.map(String::from);
        let what = format!(
            "{} {} {}",
            item.parent,
            show(task.as_ref()),
            show(item.id.as_ref())
        );
        add("item", item.span, what);
    }
    for (kind, links) in [("link", &facts.links), ("embed", &facts.embeds)] {
        for Link {
            target,
            original,
            display,
            span,
        } in links
        {
            add(
                kind,
                *span,
                format!("{target:?} {} {original:?}", show(display.as_ref())),
            );
        }
    }
    for tag in &facts.tags {
        add("tag", tag.span, tag.tag.clone());
    }
    for block in &facts.blocks {
        add("block", block.span, block.id.clone());
    }
    lines
}

/// The same of the app's cache.
fn expected(cache: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(position) = cache.get("frontmatterPosition") {
        lines.push(line("frontmatter", &cached_place(position), ""));
    }
    let mut add = |kind: &str, key: &str, what: fn(&Value) -> String| {
        let values: Vec<&Value> = match cache.get(key) {
            None => Vec::new(),
            Some(Value::Array(values)) => values.iter().collect(),
            Some(Value::Object(values)) => values.values().collect(),
            Some(other) => panic!("{key}: {other}"),
        };
        for value in values {
            lines.push(line(kind, &cached_place(&value["position"]), &what(value)));
        }
    };
    let link = |link: &Value| {
        format!(
            "{:?} {} {:?}",
            text(&link["link"]),
            shown(&link["displayText"]),
            text(&link["original"])
        )
    };
    add("section", "sections", |section| {
        format!("{} {}", text(&section["type"]), shown(&section["id"]))
    });
    add("heading", "headings", |heading| {
        format!("{} {:?}", heading["level"], text(&heading["heading"]))
    });
    add("item", "listItems", |item| {
        format!(
            "{} {} {}",
            item["parent"],
            shown(&item["task"]),
            shown(&item["id"])
        )
    });
    add("link", "links", link);
    add("embed", "embeds", link);
    add("tag", "tags", |tag| text(&tag["tag"]).to_owned());
    add("block", "blocks", |block| text(&block["id"]).to_owned());
    lines
}

fn line(kind: &str, place: &str, what: &str) -> String {
    format!("{kind} {place} {what}").trim_end().to_owned()
}

fn place(Span { start, end }: Span) -> String {
    let point = |at: Position| format!("{}:{}@{}", at.line, at.column, at.utf16);
    format!("{}-{}", point(start), point(end))
}

fn cached_place(position: &Value) -> String {
    let point = |at: &Value| format!("{}:{}@{}", at["line"], at["col"], at["offset"]);
    format!("{}-{}", point(&position["start"]), point(&position["end"]))
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn show<T: Debug>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:?}"))
}

fn shown(value: &Value) -> String {
    show(value.as_str())
}

fn kind_name(kind: SectionKind) -> String {
    text(&serde_json::to_value(kind).expect("a plain enum")).to_owned()
}

/// The lines of the two that differ, `-` for what the app has, `+` for what the scanner has.
fn difference(expected: &[String], found: &[String]) -> String {
    let missing = expected
        .iter()
        .filter(|line| !found.contains(line))
        .map(|line| format!("  - {line}\n"));
    let extra = found
        .iter()
        .filter(|line| !expected.contains(line))
        .map(|line| format!("  + {line}\n"));
    missing.chain(extra).collect()
}

#[test]
fn the_scanner_finds_what_the_app_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut notes = 0;
    let mut differences = String::new();
    for entry in fs::read_dir(folder.join("json")).expect("the folder of caches") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name");
        let json = fs::read_to_string(&path).expect("a cache");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let note =
            fs::read_to_string(folder.join("md").join(format!("{name}.md"))).expect("a note");
        assert_eq!(
            note,
            text(&json["fileContents"]),
            "{name}: the note is not the one cached"
        );

        let (expected, found) = (expected(&json["cachedMetadata"]), found(&scan::scan(&note)));
        if expected != found {
            differences += &format!("{name}\n{}", difference(&expected, &found));
        }
        notes += 1;
    }
    assert_eq!(notes, 58);
    assert!(
        differences.is_empty(),
        "- the app's cache, + the scanner:\n{differences}"
    );
}

//! Headings: a drawn tree, Markdown, or JSON.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answer, AnswerItem, HeadingItem, List};
use crate::arguments::Arguments;
use crate::shape::Shape;
use crate::text::body::Body;
use crate::text::error::{Fault, Reason};
use crate::text::form::{self, Format};
use crate::text::javascript;
use crate::text::table::{self, Count};

const FORMATS: &[Format] = &[Format::Tree, Format::Markdown, Format::Json];

const BRANCH: &str = "├── ";
const LAST: &str = "└── ";
const BAR: &str = "│   ";
const GAP: &str = "    ";

/// The level of a heading; of one read from a tree, how deep it was drawn.
fn level(item: &HeadingItem) -> u8 {
    let depth = item.depth.and_then(|depth| u8::try_from(depth).ok());
    item.level.or(depth).unwrap_or(1).clamp(1, 6)
}

/// How deep each heading is drawn, from 1: below the nearest heading before it that has a smaller
/// level (`vault-semantics.md` §3.5).
fn depths(items: &[HeadingItem]) -> Vec<usize> {
    let mut above: Vec<u8> = Vec::new();
    let mut depth = |item: &HeadingItem| {
        let level = level(item);
        while above.last().is_some_and(|last| *last >= level) {
            above.pop();
        }
        above.push(level);
        above.len()
    };
    items.iter().map(&mut depth).collect()
}

fn tree(items: &[HeadingItem]) -> String {
    let depths = depths(items);
    // From the end: a heading is the last of its siblings unless one as deep follows before one
    // less deep.
    let mut follows = [false; 8];
    let mut last = vec![true; items.len()];
    for (is_last, depth) in last.iter_mut().zip(&depths).rev() {
        if let Some(sibling) = follows.get_mut(*depth) {
            *is_last = !*sibling;
            *sibling = true;
        }
        follows
            .iter_mut()
            .skip(depth + 1)
            .for_each(|deeper| *deeper = false);
    }
    let mut edges = Vec::new();
    let line = |((item, depth), is_last): ((&HeadingItem, &usize), &bool)| {
        edges.truncate(depth - 1);
        let prefix: String = edges.concat();
        edges.push(if *is_last { GAP } else { BAR });
        format!(
            "{prefix}{}{}",
            if *is_last { LAST } else { BRANCH },
            item.heading
        )
    };
    items
        .iter()
        .zip(&depths)
        .zip(&last)
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Reads the headings.
pub(crate) fn parse(body: Body<'_>, arguments: &Arguments) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct Row {
        level: u8,
        heading: String,
        line: Option<Count>,
    }
    let list = match form::format(arguments, FORMATS) {
        Format::Json => table::read_json(body, Shape::Outline, |row: Row| HeadingItem {
            level: Some(row.level),
            depth: None,
            heading: row.heading,
            line: row.line.map(|line| line.0),
        }),
        Format::Markdown => body.items(Shape::Outline, |line| {
            let rest = line.trim_start_matches('#');
            let level = u8::try_from(line.len() - rest.len()).ok();
            let level = level.filter(|level| (1..=6).contains(level));
            let heading = rest.strip_prefix(' ').or(rest.is_empty().then_some(""));
            let (level, heading) = level.zip(heading).ok_or(Reason::Pattern {
                pattern: "# heading",
            })?;
            Ok(HeadingItem {
                level: Some(level),
                depth: None,
                heading: heading.to_owned(),
                line: None,
            })
        }),
        Format::Text | Format::Tsv | Format::Csv | Format::Yaml | Format::Tree | Format::Paths => {
            body.items(Shape::Outline, |line| {
                let mut depth = 1;
                let mut rest = line;
                while let Some(inner) = rest.strip_prefix(BAR).or_else(|| rest.strip_prefix(GAP)) {
                    rest = inner;
                    depth += 1;
                }
                let heading = rest
                    .strip_prefix(BRANCH)
                    .or_else(|| rest.strip_prefix(LAST));
                let heading = heading.ok_or(Reason::Pattern {
                    pattern: "├── heading",
                })?;
                Ok(HeadingItem {
                    level: None,
                    depth: Some(depth),
                    heading: heading.to_owned(),
                    line: None,
                })
            })
        }
    };
    list.map(Answer::Outline)
}

/// Levels, depths and lines only where the form tells them.
fn printed(list: List<HeadingItem>, arguments: &Arguments) -> Answer {
    let mut depths = depths(&list.items).into_iter();
    let format = form::format(arguments, FORMATS);
    Answer::Outline(list.map(|item| {
        let depth = depths.next();
        match format {
            Format::Json => HeadingItem {
                level: Some(level(&item)),
                depth: None,
                line: Some(item.line.unwrap_or_default()),
                ..item
            },
            Format::Markdown => HeadingItem {
                level: Some(level(&item)),
                depth: None,
                line: None,
                ..item
            },
            Format::Text
            | Format::Tsv
            | Format::Csv
            | Format::Yaml
            | Format::Tree
            | Format::Paths => HeadingItem {
                level: None,
                depth,
                line: None,
                ..item
            },
        }
    }))
}

impl AnswerItem for HeadingItem {
    /// The headings in the asked-for form.
    fn text(list: &List<Self>, _shape: Shape, arguments: &Arguments) -> String {
        match form::format(arguments, FORMATS) {
            Format::Json => {
                let object = |item: &HeadingItem| {
                    json!({
                        "level": level(item),
                        "heading": item.heading,
                        "line": item.line.unwrap_or_default(),
                    })
                };
                javascript::pretty_json(&Value::Array(list.items.iter().map(object).collect()))
            }
            Format::Markdown => {
                let line = |item: &HeadingItem| {
                    format!("{} {}", "#".repeat(level(item).into()), item.heading)
                };
                list.items.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Format::Text
            | Format::Tsv
            | Format::Csv
            | Format::Yaml
            | Format::Tree
            | Format::Paths => tree(&list.items),
        }
    }

    fn printed(list: List<Self>, _shape: Shape, arguments: &Arguments) -> Answer {
        printed(list, arguments)
    }
}

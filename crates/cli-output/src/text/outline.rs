//! Headings: a drawn tree, Markdown, or JSON.

use obsidian_note::javascript;
use serde::Deserialize;
use serde_json::{Value, json};
use vault_answers::{Answer, HeadingItem, List};
use vault_files::{Args, Format};

use crate::app_form::{AppForm, PrintedItem};
use crate::text::body::{Body, Empty};
use crate::text::error::{Fault, Reason};
use crate::text::table::{self, Count};

pub(crate) static OUTLINE: AppForm = AppForm::new::<List<HeadingItem>>("outline", parse)
    .empty(Empty::Says(NO_HEADINGS))
    .zero(NO_HEADINGS)
    .with_total();

const NO_HEADINGS: &str = "No headings found.";

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

/// Returns the depth of each heading in the tree, from 1: below the nearest heading before it that has a smaller level
/// (`vault-semantics.md` §3.5).
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

/// Parses the headings in the requested form.
fn parse(body: Body<'_>, arguments: &Args) -> Result<Answer, Fault> {
    #[derive(Deserialize)]
    struct HeadingRow {
        level: u8,
        heading: String,
        line: Option<Count>,
    }
    let list = match arguments.format(FORMATS) {
        Format::Json => table::read_json(body, |row: HeadingRow| HeadingItem {
            level: Some(row.level),
            depth: None,
            heading: row.heading,
            line: row.line.map(|line| line.0),
        }),
        Format::Markdown => body.items(|line| {
            let rest = line.trim_start_matches('#');
            let level = u8::try_from(line.len() - rest.len()).ok();
            let level = level.filter(|level| (1..=6).contains(level));
            let heading = rest.strip_prefix(' ').or(rest.is_empty().then_some(""));
            let (level, heading) = level.zip(heading).ok_or(Reason::Pattern("# heading"))?;
            Ok(HeadingItem {
                level: Some(level),
                depth: None,
                heading: heading.to_owned(),
                line: None,
            })
        }),
        _ => body.items(|line| {
            let mut depth = 1;
            let mut rest = line;
            while let Some(inner) = rest.strip_prefix(BAR).or_else(|| rest.strip_prefix(GAP)) {
                rest = inner;
                depth += 1;
            }
            let heading = rest
                .strip_prefix(BRANCH)
                .or_else(|| rest.strip_prefix(LAST));
            let heading = heading.ok_or(Reason::Pattern("├── heading"))?;
            Ok(HeadingItem {
                level: None,
                depth: Some(depth),
                heading: heading.to_owned(),
                line: None,
            })
        }),
    };
    list.map(Answer::from)
}

impl PrintedItem for HeadingItem {
    /// The headings in the asked-for form.
    fn printed(list: &List<Self>, _form: &AppForm, arguments: &Args) -> String {
        match arguments.format(FORMATS) {
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
            _ => tree(&list.items),
        }
    }

    /// Keeps levels, depths and lines only if the form shows them.
    fn printed_form(list: List<Self>, arguments: &Args) -> Answer {
        let format = arguments.format(FORMATS);
        let is_tree = !matches!(format, Format::Json | Format::Markdown);
        let mut depths = depths(&list.items).into_iter();
        Answer::from(list.map(|item| HeadingItem {
            level: (!is_tree).then(|| level(&item)),
            depth: depths.next().filter(|_| is_tree),
            line: (format == Format::Json).then(|| item.line.unwrap_or_default()),
            ..item
        }))
    }
}

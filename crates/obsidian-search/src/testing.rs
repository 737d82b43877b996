//! A small substitute for the scanner, for tests: headings, list items and paragraphs by line.

use obsidian_note::{Heading, ListItem, NoteFacts, Position, Section, SectionKind, Span, Tag};
use serde_json::{Map, Value};

use super::document::{NoteReader, SearchedProperties};

/// Reads a note line by line. Its properties are lines of `key: json`.
pub(crate) struct ByLine;

impl NoteReader for ByLine {
    fn facts(&self, text: &str) -> NoteFacts {
        let mut facts = NoteFacts::default();
        let mut at = frontmatter_end(text);
        if at > 0 {
            facts.frontmatter = Some(span(0, at - 1));
            facts.sections.push(section(SectionKind::Yaml, 0, at - 1));
        }
        let mut open: Option<SectionKind> = None;
        for line in text[at..].split_inclusive('\n') {
            let start = at;
            at += line.len();
            let line = line.strip_suffix('\n').unwrap_or(line);
            let end = start + line.len();
            let indent = line.len() - line.trim_start().len();
            for (offset, word) in words(line) {
                if word.len() > 1 && word.starts_with('#') && !word.starts_with("##") {
                    facts.tags.push(Tag {
                        tag: word.into(),
                        span: span(start + offset, start + offset + word.len()),
                    });
                }
            }
            let kind = if line.is_empty() {
                open = None;
                continue;
            } else if let Some(heading) = line.strip_prefix("# ") {
                facts.headings.push(Heading {
                    text: heading.into(),
                    level: 1,
                    span: span(start, end),
                });
                SectionKind::Heading
            } else if let Some(item) = line.trim_start().strip_prefix("- ") {
                let task = item.strip_prefix('[').and_then(|rest| {
                    let mark = rest.chars().next()?;
                    rest[mark.len_utf8()..].starts_with("] ").then_some(mark)
                });
                facts.list_items.push(ListItem {
                    parent: if indent == 0 { -1 } else { 0 },
                    task,
                    id: None,
                    span: span(start + indent, end),
                });
                SectionKind::List
            } else {
                SectionKind::Paragraph
            };
            match facts.sections.last_mut() {
                Some(last) if open == Some(kind) && kind != SectionKind::Heading => {
                    last.span = span(last.span.start.byte as usize, end);
                }
                _ => facts.sections.push(section(kind, start, end)),
            }
            open = Some(kind);
        }
        facts
    }

    fn properties(&self, text: &str) -> SearchedProperties {
        let mut values = Map::new();
        for line in text[..frontmatter_end(text)].lines() {
            if let Some((key, value)) = line.split_once(": ") {
                values.insert(key.into(), serde_json::from_str(value).unwrap());
            }
        }
        let tags = match values.get("tags") {
            Some(Value::Array(tags)) => tags
                .iter()
                .map(|tag| format!("#{}", tag.as_str().unwrap()))
                .collect(),
            _ => Vec::new(),
        };
        SearchedProperties {
            values,
            tags,
            invalid: None,
        }
    }
}

/// Returns the words of a line with their byte offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split(' ').scan(0, |at, word| {
        let start = *at;
        *at += word.len() + 1;
        Some((start, word))
    })
}

fn frontmatter_end(text: &str) -> usize {
    let block = text.strip_prefix("---\n");
    block
        .and_then(|rest| rest.find("---\n"))
        .map_or(0, |end| end + 8)
}

fn section(kind: SectionKind, start: usize, end: usize) -> Section {
    Section {
        kind,
        id: None,
        span: span(start, end),
    }
}

fn span(start: usize, end: usize) -> Span {
    let position = |byte: usize| Position {
        byte: u32::try_from(byte).unwrap(),
        ..Position::default()
    };
    Span {
        start: position(start),
        end: position(end),
    }
}

//! `note:outline`, `note:tree` and `note:section` (`contracts.md` K11 to K19, §3.2).

use std::ops::Range;

use cli_output::{
    Arguments, List, NoteOutline, NoteSection, NoteSections, NoteTree, Ours, OutlineHeading,
    TreeNode, TreeRoot,
};

use super::markdown::{Heading, Structure, structure};
use super::note::{Note, title};
use super::slug::slug;
use super::view::View;
use crate::byte_order_mark;
use crate::commands::Reply;
use crate::error::EngineError;
use crate::path::VaultPath;
use crate::surroundings::Surroundings;
use crate::warning::Warning;

/// How many headings are told.
const MAX_HEADINGS: usize = 500;
/// The longest body that is looked at, in UTF-16 code units.
const MAX_UNITS: usize = 1_000_000;

/// A note with the structure of its body.
pub(super) struct Document {
    pub(super) path: VaultPath,
    pub(super) text: String,
    /// Where in the text the body is.
    body: Range<usize>,
    structure: Structure,
    title: Option<String>,
    pub(super) warnings: Vec<Warning>,
}

impl Document {
    pub(super) fn of(mut note: Note) -> Result<Self, EngineError> {
        let path = note.path.clone();
        let parts = note.parts();
        let title = title(&path, &parts.properties);
        let body = parts.body;
        let Note { text, warnings, .. } = note;
        let within = text.get(body.clone()).unwrap_or_default();
        if within.encode_utf16().count() > MAX_UNITS {
            return Err(EngineError::BodyTooLong {
                path,
                limit: MAX_UNITS,
            });
        }
        Ok(Self {
            structure: structure(within),
            path,
            body,
            title,
            warnings,
            text,
        })
    }

    /// The headings that are told.
    fn headings(&self) -> &[Heading] {
        let headings = self.structure.headings.as_slice();
        headings.get(..MAX_HEADINGS).unwrap_or(headings)
    }

    /// Those that are told, and how many there are.
    fn list<T>(&self, items: Vec<T>) -> List<T> {
        let total = self.structure.headings.len();
        List {
            total,
            returned: items.len(),
            offset: 0,
            truncated: items.len() < total,
            items,
        }
    }

    /// The lines of the headings that are told, from 1.
    fn lines(&self) -> Vec<usize> {
        let bytes = self.text.as_bytes();
        let mut line = 1;
        let mut at = 0;
        let headings = self.headings().iter();
        let line_of = |heading: &Heading| {
            let start = (self.body.start + heading.span.start).min(bytes.len());
            let between = bytes.get(at..start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            at = start.max(at);
            line
        };
        headings.map(line_of).collect()
    }

    /// Where in the text the line begins that holds this place of the body.
    fn line_start(&self, within: usize) -> usize {
        let body = self.text.get(self.body.start..).unwrap_or_default();
        let before = body.get(..within).unwrap_or_default();
        let mark = byte_order_mark::length(body.as_bytes());
        self.body.start + before.rfind(['\n', '\r']).map_or(mark, |end| end + 1)
    }

    /// The heading of this id, with its line, and where its section stands in the text: from the
    /// beginning of its line, with what marks a quote or a list item, to that of the next one.
    pub(super) fn section(&self, id: &str) -> Option<(&Heading, usize, Range<usize>)> {
        let number = self
            .headings()
            .iter()
            .position(|heading| heading.id == id)?;
        let heading = self.headings().get(number)?;
        let line = *self.lines().get(number)?;
        let start = self.line_start(heading.span.start);
        let end = self.structure.end_of_section(number);
        let end = end.map_or(self.text.len(), |end| self.line_start(end));
        Some((heading, line, start..end))
    }
}

/// The headings of one note, in its order.
pub(super) fn outline(
    view: &View<'_>,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let document = Document::of(Note::read(view, arguments)?)?;
    let headings = document.headings().iter().zip(document.lines());
    let headings = headings
        .map(|(heading, line)| OutlineHeading {
            level: heading.level,
            text: heading.text.clone(),
            id: heading.id.clone(),
            line,
        })
        .collect();
    let answer = NoteOutline {
        path: document.path.to_string(),
        headings: document.list(headings),
        title: document.title,
    };
    Ok(super::reply(Ours::Outline(answer), document.warnings))
}

/// The headings of one note, each below the nearest one before it of a lower level.
pub(super) fn tree(
    view: &View<'_>,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let document = Document::of(Note::read(view, arguments)?)?;
    let total = document.structure.headings.len();
    let nodes = document.headings().iter().zip(document.lines());
    let nodes = nodes.map(|(heading, line)| TreeNode {
        id: heading.id.clone(),
        level: heading.level,
        text: heading.text.clone(),
        line,
        children: Vec::new(),
    });
    let answer = NoteTree {
        path: document.path.to_string(),
        root: TreeRoot {
            children: nested(nodes),
        },
        headings: total,
        truncated: total > MAX_HEADINGS,
        title: document.title,
    };
    Ok(super::reply(Ours::Tree(answer), document.warnings))
}

/// Puts each node below the nearest one before it of a lower level; levels may be skipped.
fn nested(nodes: impl Iterator<Item = TreeNode>) -> Vec<TreeNode> {
    let mut done = Vec::new();
    // From the outermost to the innermost, levels rising.
    let mut open: Vec<TreeNode> = Vec::new();
    for node in nodes {
        close_down_to(node.level, &mut open, &mut done);
        open.push(node);
    }
    close_down_to(0, &mut open, &mut done);
    done
}

fn close_down_to(level: u8, open: &mut Vec<TreeNode>, done: &mut Vec<TreeNode>) {
    while let Some(closed) = open.pop_if(|last| last.level >= level) {
        match open.last_mut() {
            Some(parent) => parent.children.push(closed),
            None => done.push(closed),
        }
    }
}

/// The sections of one note, without their text.
pub(super) fn sections(
    view: &View<'_>,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let document = Document::of(Note::read(view, arguments)?)?;
    let path_slug = slug(document.path.as_str());
    let path_slug = if path_slug.is_empty() {
        "note"
    } else {
        &path_slug
    };
    let mut sections: Vec<NoteSection> = Vec::new();
    // Numbers of the headings around the next one, from the outermost in.
    let mut around: Vec<usize> = Vec::new();
    let headings = document.headings();
    for (number, (heading, line)) in headings.iter().zip(document.lines()).enumerate() {
        while around
            .pop_if(|outer| {
                headings
                    .get(*outer)
                    .is_some_and(|outer| outer.level >= heading.level)
            })
            .is_some()
        {}
        let section_id = format!("{path_slug}:{}", heading.id);
        if let Some(parent) = around.last().and_then(|parent| sections.get_mut(*parent)) {
            parent.child_section_ids.push(section_id.clone());
        }
        around.push(number);
        let names = around.iter().filter_map(|number| headings.get(*number));
        let end = document.structure.end_of_section(number);
        let within = heading.span.end..end.unwrap_or(usize::MAX);
        sections.push(NoteSection {
            section_id,
            heading_id: heading.id.clone(),
            level: heading.level,
            heading_path: names.map(|heading| heading.text.clone()).collect(),
            heading_text: heading.text.clone(),
            line,
            child_section_ids: Vec::new(),
            body_available: document.structure.holds_text(within),
        });
    }
    let answer = NoteSections {
        path: document.path.to_string(),
        sections: document.list(sections),
        title: document.title,
    };
    Ok(super::reply(Ours::Sections(answer), document.warnings))
}

#[cfg(test)]
mod tests;

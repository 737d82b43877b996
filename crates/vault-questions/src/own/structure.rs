//! The structure of one note, for `note:outline`, `note:tree`, `note:section` and `note:get`
//! (`contracts.md` K11 to K19, §3.2).

use std::ops::Range;

use obsidian_note::byte_order_mark;
use obsidian_note::commonmark::{Heading, Structure, structure};
use obsidian_note::{VaultPath, Warning};
use vault_files::EngineError;

use super::note::{Note, title};

/// The maximum number of headings in an answer, unless `limit` is given.
pub(super) const MAX_HEADINGS: usize = 500;
/// The longest body that is parsed, in UTF-16 code units.
const MAX_UNITS: usize = 1_000_000;

/// A note with the structure of its body.
pub(super) struct Document {
    pub(super) path: VaultPath,
    pub(super) text: String,
    /// The byte range of the body in the text.
    body: Range<usize>,
    pub(super) structure: Structure,
    pub(super) title: Option<String>,
    pub(super) warnings: Vec<Warning>,
}

/// The text below one heading, up to the next one of any rank.
pub(super) struct FlatSection {
    /// The heading's id; `top` before the first one.
    pub(super) id: String,
    /// The headings above it, the outermost first, its own included.
    pub(super) heading_path: Vec<String>,
    pub(super) span: Range<usize>,
}

impl Document {
    pub(super) fn from_note(mut note: Note) -> Result<Self, EngineError> {
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
                unit: "UTF-16 code units",
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

    /// Returns the error for an id that no heading has.
    pub(super) fn section_missing(&self, id: &str) -> EngineError {
        let headings = self.structure.headings.iter().take(MAX_HEADINGS);
        EngineError::SectionMissing {
            path: self.path.clone(),
            id: id.to_owned(),
            known: headings.map(|heading| heading.id.clone()).collect(),
        }
    }

    /// Returns the headings with their lines, from 1.
    pub(super) fn headings(&self) -> impl Iterator<Item = (&Heading, usize)> {
        let bytes = self.text.as_bytes();
        let mut line = 1;
        let mut at = 0;
        self.structure.headings.iter().map(move |heading| {
            let start = (self.body.start + heading.span.start).min(bytes.len());
            let between = bytes.get(at..start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            at = start.max(at);
            (heading, line)
        })
    }

    /// Returns the byte offset in the text at which the line with this offset of the body begins.
    fn line_start(&self, within: usize) -> usize {
        let body = self.text.get(self.body.start..).unwrap_or_default();
        let before = body.get(..within).unwrap_or_default();
        let mark = byte_order_mark::length(body.as_bytes());
        self.body.start + before.rfind(['\n', '\r']).map_or(mark, |end| end + 1)
    }

    /// Returns the text before the first heading, and from each heading to the next.
    pub(super) fn flat_sections(&self) -> Vec<FlatSection> {
        let headings = self.structure.headings.as_slice();
        let starts: Vec<usize> = headings
            .iter()
            .map(|heading| self.line_start(heading.span.start))
            .collect();
        let first = starts.first().copied().unwrap_or(self.text.len());
        let mut sections = vec![FlatSection {
            id: "top".to_owned(),
            heading_path: Vec::new(),
            span: self.body.start.min(first)..first,
        }];
        let mut around: Vec<&Heading> = Vec::new();
        let ends = starts.iter().skip(1).copied().chain([self.text.len()]);
        for ((heading, start), end) in headings.iter().zip(&starts).zip(ends) {
            around.retain(|outer| outer.level < heading.level);
            around.push(heading);
            sections.push(FlatSection {
                id: heading.id.clone(),
                heading_path: around.iter().map(|heading| heading.text.clone()).collect(),
                span: *start..end,
            });
        }
        sections
    }

    /// Returns the heading with this id, its line from 1, and the byte range of its section. The range begins with the
    /// line of the heading, with its quote or list mark, and ends before the line of the next heading.
    pub(super) fn section(&self, id: &str) -> Option<(&Heading, usize, Range<usize>)> {
        let number = self.structure.number_of(id)?;
        let (heading, line) = self.headings().nth(number)?;
        let start = self.line_start(heading.span.start);
        let end = self.structure.end_of_section(number);
        let end = end.map_or(self.text.len(), |end| self.line_start(end));
        Some((heading, line, start..end))
    }
}

#[cfg(test)]
mod tests;

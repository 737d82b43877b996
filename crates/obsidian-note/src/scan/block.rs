//! Recognises the kind of the block that begins on a line, and its lines (`vault-semantics.md`
//! §3.9).

use std::ops::Range;

use super::{
    comment, definition, fence, footnote, heading, html, lines::NoteLines, list, math, table,
};

/// The kind of a block, with facts that are needed later.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// A code block, indented or fenced.
    Code,
    /// The byte offset of its end: text may follow on its last line.
    Comment {
        end: usize,
    },
    Math,
    Quote,
    Heading {
        level: u8,
        text: Range<usize>,
    },
    Break,
    List,
    Html,
    /// The offset in bytes where its text begins.
    Footnote(usize),
    Definition,
    Table,
    Paragraph,
}

/// A block: its kind and its last line. For a container, `last` is its first line: the true last
/// line is known only after entering it.
pub(super) struct FoundBlock {
    pub(super) kind: BlockKind,
    pub(super) last: usize,
}

/// The block that begins on a line that is not blank, in a container that ends before line `end`.
/// The order of the checks matters: the first match wins.
pub(super) fn block_at(lines: &NoteLines<'_>, at: usize, end: usize) -> FoundBlock {
    if lines.is_code_indented(at) {
        return FoundBlock {
            kind: BlockKind::Code,
            last: fence::last_indented(lines, at, end),
        };
    }
    marked(lines, at, end)
        .or_else(|| unmarked(lines, at, end))
        .unwrap_or_else(|| FoundBlock {
            kind: BlockKind::Paragraph,
            last: last_of_paragraph(lines, at, end),
        })
}

/// Blocks that are recognised by their first character.
fn marked(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<FoundBlock> {
    let (kind, last) = match lines.first_byte(at)? {
        b'`' | b'~' => {
            let fence = fence::opens(lines, at)?;
            (BlockKind::Code, fence::last_line(lines, fence, at, end))
        }
        b'%' => {
            let (last, end) = comment::opens(lines, at).then(|| comment::end(lines, at, end))?;
            (BlockKind::Comment { end }, last)
        }
        b'$' => {
            let length = math::opens(lines, at, end)?;
            (BlockKind::Math, math::last_line(lines, length, at, end))
        }
        b'>' => (BlockKind::Quote, at),
        b'#' => {
            let heading::FoundHeading { level, text } = heading::hashes(lines, at)?;
            (BlockKind::Heading { level, text }, at)
        }
        b'-' | b'*' | b'_' if heading::is_break(lines, at) => (BlockKind::Break, at),
        b'-' | b'*' | b'+' | b'0'..=b'9' if list::opens(lines, at) => (BlockKind::List, at),
        _ => return None,
    };
    Some(FoundBlock { kind, last })
}

/// Blocks that need more than their first character to be recognised.
fn unmarked(lines: &NoteLines<'_>, at: usize, end: usize) -> Option<FoundBlock> {
    if let Some(heading::FoundHeading { level, text }) = heading::underlined(lines, at, end) {
        return Some(FoundBlock {
            kind: BlockKind::Heading { level, text },
            last: at + 1,
        });
    }
    if let Some(ends) = html::opens(lines, at) {
        return Some(FoundBlock {
            kind: BlockKind::Html,
            last: html::last_line(lines, ends, at, end),
        });
    }
    if let Some(text) = footnote::text_start(lines, at) {
        return Some(FoundBlock {
            kind: BlockKind::Footnote(text),
            last: at,
        });
    }
    if let Some(last) = definition::last_line(lines, at, end) {
        return Some(FoundBlock {
            kind: BlockKind::Definition,
            last,
        });
    }
    table::last_line(lines, at, end).map(|last| FoundBlock {
        kind: BlockKind::Table,
        last,
    })
}

/// Returns the last line of a paragraph. A line indented as code continues it, as does a line that begins nothing new;
/// a blank line ends it.
fn last_of_paragraph(lines: &NoteLines<'_>, at: usize, end: usize) -> usize {
    let mut last = at;
    for next in at + 1..end {
        if goes_on_indented(lines, next) {
            last = next;
            continue;
        }
        let line = lines.line(next);
        let ends = line.from == line.end
            || super::interrupt::paragraph(lines, next, end)
            || (next + 1 < end && lines.is_white(next));
        if ends {
            break;
        }
        last = next;
    }
    last
}

/// Whether a line's indent alone makes it part of the paragraph above: a tab in it, or four spaces
/// before text.
fn goes_on_indented(lines: &NoteLines<'_>, at: usize) -> bool {
    let line = lines.line(at);
    let indent = &lines.bytes()[line.from..line.first];
    memchr::memchr(b'\t', indent).is_some() || (indent.len() >= 4 && line.first < line.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("block_cases.txt");

    fn first(text: &str) -> (BlockKind, usize) {
        let lines = NoteLines::split(text);
        let block = block_at(&lines, 0, lines.count());
        (block.kind, block.last)
    }

    #[test]
    fn what_is_tried_first_wins() {
        let heading = |level, text| BlockKind::Heading { level, text };
        for (text, expected) in [
            ("    - a\n\n    b\nc", (BlockKind::Code, 2)),
            ("---\na", (BlockKind::Break, 0)),
            ("- a\n---", (BlockKind::List, 0)),
            ("a | b\n---", (heading(2, 0..5), 1)),
            ("<b>\n===", (heading(1, 0..3), 1)),
            ("[^a]: b", (BlockKind::Footnote(5), 0)),
            ("[a]: b", (BlockKind::Definition, 0)),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
    }

    #[test]
    fn a_paragraph_ends_where_something_begins() {
        for next in [
            "", "  ", "# b", "- b", "1. b", "> b", "```", "***", "<p>", "%%", "$$", "<!--",
        ] {
            assert_eq!(
                first(&format!("a\n{next}\nc")),
                (BlockKind::Paragraph, 0),
                "{next:?}"
            );
        }
        for next in tables::lines(CASES, "a paragraph ends where something begins") {
            assert_eq!(
                first(&format!("a\n{next}\nc")),
                (BlockKind::Paragraph, 2),
                "{next:?}"
            );
        }
    }
}

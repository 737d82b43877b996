//! Decides whether text that is put next to a block needs a blank line in between, so that neither
//! becomes a part of the other: a sentence below a table would become one of its rows.

use obsidian_note::scan::{scan, task_box};
use obsidian_note::{SectionKind, Sheet};

/// Whether a blank line belongs between a line of the note and `content` below it.
pub(crate) fn blank_line_before(sheet: &Sheet<'_>, line: usize, content: &str) -> bool {
    let at = u32::try_from(line).unwrap_or(u32::MAX);
    let section = sheet
        .facts()
        .sections
        .iter()
        .rfind(|section| section.span.start.line <= at);
    section.is_some_and(|section| is_parted(section.kind, content))
}

/// Whether a blank line belongs between `content` and a line of the note below it.
pub(crate) fn blank_line_after(sheet: &Sheet<'_>, line: usize, content: &str) -> bool {
    let rest = sheet.text.get(sheet.line_start(line)..).unwrap_or_default();
    let above = scan(content).sections.last().map(|section| section.kind);
    above.is_some_and(|kind| is_parted(kind, rest))
}

/// Whether a text right below a block of this kind would become a part of it or change it.
fn is_parted(kind: SectionKind, below: &str) -> bool {
    let first = below.lines().next().unwrap_or_default();
    let start = first.trim_start();
    let is_indented = start.len() < first.len();
    match kind {
        SectionKind::List => !is_indented && !is_item(start) && !start.starts_with('#'),
        SectionKind::Table => !start.contains('|'),
        SectionKind::Callout | SectionKind::Blockquote => !start.starts_with('>'),
        SectionKind::Html | SectionKind::FootnoteDefinition | SectionKind::Definition => {
            !start.is_empty()
        }
        // An underline would turn the paragraph into a heading, and a table needs a blank line
        // above it.
        SectionKind::Paragraph => {
            !first.is_empty()
                && (start.trim_end().bytes().all(|byte| byte == b'=')
                    || start.trim_end().bytes().all(|byte| byte == b'-')
                    || start.starts_with('|'))
        }
        SectionKind::Yaml
        | SectionKind::Heading
        | SectionKind::Code
        | SectionKind::Comment
        | SectionKind::ThematicBreak
        | SectionKind::Math => false,
    }
}

/// Whether a line begins like a list item.
pub(super) fn is_item(line: &str) -> bool {
    marker_length(line).is_some()
}

/// Returns the length of a list item's marker with the space after it, and with the box of a task.
pub(crate) fn marker_length(line: &str) -> Option<usize> {
    let rest = if let Some(rest) = line.strip_prefix(['-', '*', '+']) {
        rest
    } else {
        let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
        if rest.len() == line.len() {
            return None;
        }
        rest.strip_prefix(['.', ')'])?
    };
    let text = rest.trim_start_matches([' ', '\t']);
    if text.len() == rest.len() && !rest.is_empty() {
        return None;
    }
    let text = task_box(text).map_or(text, |(_, behind)| behind);
    Some(line.len() - text.len())
}

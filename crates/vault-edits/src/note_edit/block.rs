//! Edits of a block with an id (`vault-semantics.md` §2.2). The id stays.

use std::ops::Range;

use obsidian_note::note_parts::{block, whole_lines};
use obsidian_note::{Block, EditMiss, Patch, SectionKind, Sheet};

use super::instruction::Mode;
use super::join::marker_length;

/// Returns the patch of an edit of the block with this id.
pub(super) fn patch(
    sheet: &Sheet<'_>,
    id: &str,
    mode: Mode,
    content: &str,
) -> Result<Patch, EditMiss> {
    let block = block::find(sheet, id)?;
    let lines = whole_lines(without_id(content, &block.id)).ok_or_else(|| {
        EditMiss::unfit(
            "`content` is empty, but a block with an id needs text",
            "To remove the block, pass its lines as `lines`.",
        )
    })?;
    let content = sheet.with_line_ends(lines);
    let start = block.span.start.byte as usize;
    let end = start + trimmed(sheet, block).len();
    let text = sheet.text.get(start..end).unwrap_or_default();
    let Some(before_id) = text_before_id(text, &block.id) else {
        return Ok(whole_block(sheet, block, mode, &content));
    };
    let is_item = sheet
        .facts()
        .list_items
        .iter()
        .any(|item| item.id.as_deref() == Some(&block.id) && item.span == block.span);
    if is_item {
        return in_item(sheet, start..start + before_id, mode, &content);
    }
    let line_end = sheet.line_end();
    let at = start + before_id;
    let last_line = sheet.line_start(sheet.line_at(at.saturating_sub(1)));
    let marker = quote_marker(sheet.text.get(last_line.max(start)..at).unwrap_or_default());
    let stays = mode == Mode::Replace || marker.is_empty() || content.starts_with('>');
    let content = if stays {
        content
    } else {
        let lines = content
            .split(line_end)
            .map(|line| format!("{marker}{line}"));
        lines.collect::<Vec<_>>().join(line_end)
    };
    Ok(match mode {
        Mode::Replace => Patch::new(start..at, content),
        Mode::Append => Patch::new(at..at, format!("{line_end}{content}")),
        Mode::Prepend => Patch::new(start..start, format!("{content}{line_end}")),
    })
}

/// Returns the content without the id of the block at its end: the id stays in the note, so it would be there twice.
fn without_id<'content>(content: &'content str, id: &str) -> &'content str {
    match content.trim_end().rsplit_once('^') {
        Some((text, last))
            if last.eq_ignore_ascii_case(id)
                && (text.is_empty() || text.ends_with(char::is_whitespace)) =>
        {
            text.trim_end()
        }
        _ => content,
    }
}

/// Returns the edit of a block whose id is on a line below it; it replaces whole lines.
fn whole_block(sheet: &Sheet<'_>, block: &Block, mode: Mode, content: &str) -> Patch {
    let start = block.span.start.byte as usize;
    let first = sheet.line_at(start);
    let last = sheet.line_at(start + trimmed(sheet, block).len().saturating_sub(1));
    let is_table = sheet
        .facts()
        .sections
        .iter()
        .any(|section| section.span == block.span && section.kind == SectionKind::Table);
    match mode {
        Mode::Replace => sheet.replaced(first, last, Some(content)),
        Mode::Append => sheet.inserted(last + 1, content),
        // A table begins with its header row and the delimiter row below it.
        Mode::Prepend if is_table => sheet.inserted(first + 2, content),
        Mode::Prepend => sheet.inserted(first, content),
    }
}

/// Returns the edit of a list item: further lines are indented, so that they stay in the item.
fn in_item(
    sheet: &Sheet<'_>,
    span: Range<usize>,
    mode: Mode,
    content: &str,
) -> Result<Patch, EditMiss> {
    let line = sheet.line_at(span.start);
    let line_start = sheet.line_start(line);
    let whole = sheet.text.get(line_start..span.end).unwrap_or_default();
    let indent = whole.len() - whole.trim_start_matches([' ', '\t']).len();
    let marker = marker_length(&whole[indent..]).unwrap_or_default();
    let text_start = line_start + indent + marker;
    let bullet = marker_length(content);
    if bullet.is_some() && mode != Mode::Replace {
        return Err(EditMiss::unfit(
            "the block is a list item, and `content` would start another list item",
            "To add another list item, use `afterLine`.",
        ));
    }
    let line_end = sheet.line_end();
    // Text indented as far as the item's text belongs to the item.
    let width = whole[indent..]
        .find([' ', '\t'])
        .map_or(2, |blank| blank + 1);
    let deeper = format!("{line_end}{}{}", &whole[..indent], " ".repeat(width));
    let content = content.split(line_end).collect::<Vec<_>>().join(&deeper);
    Ok(match mode {
        Mode::Replace if bullet.is_some() => Patch::new(line_start + indent..span.end, content),
        Mode::Replace => Patch::new(text_start..span.end, content),
        Mode::Append => Patch::new(span.end..span.end, format!("{deeper}{content}")),
        Mode::Prepend => Patch::new(text_start..text_start, format!("{content}{deeper}")),
    })
}

/// Returns the mark at the beginning of a quote's line; empty in other blocks. A further line without it would belong
/// to the quote only if it continued a paragraph.
fn quote_marker(line: &str) -> &str {
    let text = line.trim_start_matches(['>', ' ', '\t']);
    let marker = &line[..line.len() - text.len()];
    if marker.contains('>') { marker } else { "" }
}

/// Returns the text of a block without blank lines at its end.
fn trimmed<'sheet>(sheet: &'sheet Sheet<'_>, block: &Block) -> &'sheet str {
    let span = block.span.start.byte as usize..block.span.end.byte as usize;
    sheet.text.get(span).unwrap_or_default().trim_end()
}

/// Returns the length of a block's text before its id; `None` if the id is not at its end.
fn text_before_id(text: &str, id: &str) -> Option<usize> {
    let before = text.strip_suffix(id)?.strip_suffix('^')?;
    Some(before.trim_end().len())
}

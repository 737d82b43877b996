//! Checks after an edit: the rest of the note must have its old meaning.

use bases::Base;
use obsidian_note::frontmatter::split_unmarked;
use obsidian_note::note_parts::{PluginNote, same_length};
use obsidian_note::{
    EditMiss, Frontmatter, Heading, NoteFacts, Patch, SectionKind, Sheet, VaultPath, Warning,
};
use vault_index::chosen_view::{faults, is_base};

use super::heading::headings_of;
use super::instruction::{Instruction, Place};

/// Checks the structure of the note after one edit below a heading or of a block: an unclosed code
/// block in its content would swallow the headings that follow.
pub(super) fn structure(
    sheet: &Sheet<'_>,
    instruction: &Instruction,
    patches: &[Patch],
) -> Result<(), EditMiss> {
    let [patch] = patches else { return Ok(()) };
    match &instruction.place {
        Place::Heading { .. } => {
            let after = facts_after(sheet, patch);
            let (above, below) = headings_around(sheet, patch);
            if !has_same_headings(sheet, (above, below), &after) {
                return Err(EditMiss::unfit(
                    "`content` would put other headings of the note inside a code block or comment",
                    "Close the code block or comment at the end of `content`.",
                ));
            }
            if after.headings.len() == above + below + headings_of(&instruction.content).len() {
                return Ok(());
            }
            Err(EditMiss::unfit(
                "`content` would join the text next to it, so that a heading is made or lost",
                "Begin or end `content` with a blank line.",
            ))
        }
        Place::Block { id, .. } => {
            if is_same_block(sheet.facts(), &facts_after(sheet, patch), id) {
                return Ok(());
            }
            Err(EditMiss::unfit(
                "after the edit, the id of the block would belong to another block or to no block",
                "`content` must be one block of the same kind as the old block. To replace the block with something else, use `lines`.",
            ))
        }
        Place::Text { .. } | Place::Lines { .. } | Place::AfterLine(_) => Ok(()),
    }
}

/// Refuses an edit inside of the data of a drawing or after it, one that moves the beginning of the data, and new text
/// of a board that Kanban drops when it saves the board.
pub(super) fn plugin(
    sheet: &Sheet<'_>,
    (path, plugin): (&VaultPath, &PluginNote),
    instruction: &Instruction,
    patches: &[Patch],
) -> Result<(), EditMiss> {
    let mut sorted = patches.to_vec();
    sorted.sort_by_key(|patch| patch.range.start);
    let after = sheet.with(sheet.bytes(), &sorted);
    let after = Sheet::new(&after);
    let plugin_after = PluginNote::find(&after, path);
    // An edit of the properties may make it another kind of note.
    if instruction.in_frontmatter && plugin_after.is_none() {
        return Ok(());
    }
    match plugin {
        PluginNote::Drawing { data } => {
            let start = sheet.line_start(*data);
            let is_in_data = |patch: &Patch| {
                patch.range.end > start || patch.range.is_empty() && patch.range.start > start
            };
            let rest = &sheet.bytes()[start..];
            let has_same_data = matches!(plugin_after, Some(PluginNote::Drawing { data })
                if &after.bytes()[after.line_start(data)..] == rest);
            if has_same_data && !patches.iter().any(is_in_data) {
                return Ok(());
            }
            Err(drawing_miss(*data))
        }
        PluginNote::Board { settings, .. } => {
            let advice = "To add a card, set `heading` to its lane and `mode` to `append`.";
            if matches!(&instruction.place, Place::AfterLine(line) if line > settings) {
                return Err(EditMiss::unfit(
                    format!(
                        "the note is a Kanban board, and Kanban drops text below its settings, which begin on line {}",
                        settings + 1
                    ),
                    advice,
                ));
            }
            let is_kept = plugin_after
                .is_some_and(|plugin_after| plugin_after.dropped(&after) <= plugin.dropped(sheet));
            if is_kept {
                return Ok(());
            }
            Err(EditMiss::unfit(
                "the note is a Kanban board, and Kanban deletes text outside a lane",
                advice,
            ))
        }
    }
}

/// Returns the error for a change of a drawing's data, which begins on this line, counted from 0.
pub(crate) fn drawing_miss(data: usize) -> EditMiss {
    EditMiss::unfit(
        format!(
            "the note is an Excalidraw drawing. Its data begins on line {}, and only Excalidraw can change the data",
            data + 1
        ),
        "Edit the text above the data, or change the drawing in Excalidraw.",
    )
}

/// Refuses a heading or a block of a base, whose comments look like headings.
pub(super) fn place(path: &VaultPath, instruction: &Instruction) -> Result<(), EditMiss> {
    match instruction.place {
        Place::Heading { .. } | Place::Block { .. } if is_base(path) => Err(EditMiss::unfit(
            "a base has no headings and no blocks",
            "Use `old`, `lines` or `afterLine`.",
        )),
        _ => Ok(()),
    }
}

/// Checks that an edited base can be read.
pub(super) fn base(path: &VaultPath, after: &[u8]) -> Result<(), EditMiss> {
    if !is_base(path) {
        return Ok(());
    }
    match Base::parse(&String::from_utf8_lossy(after)) {
        Ok(_) => Ok(()),
        Err(error) => Err(EditMiss::unfit(
            format!(
                "after the edit, the base could not be read (line {}: {})",
                error.place.line, error.message
            ),
            "Pass text that keeps the base valid.",
        )),
    }
}

/// Returns warnings about parts of an edited base that cannot be used, such as a filter with an error.
pub(super) fn base_faults(path: &VaultPath, after: &[u8]) -> Vec<Warning> {
    if !is_base(path) {
        return Vec::new();
    }
    let Ok(base) = Base::parse(&String::from_utf8_lossy(after)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for view in base.views() {
        for fault in faults(path, &base, view) {
            if !found.contains(&fault) {
                found.push(fault);
            }
        }
    }
    found
}

fn facts_after(sheet: &Sheet<'_>, patch: &Patch) -> NoteFacts {
    let after = sheet.with(sheet.bytes(), std::slice::from_ref(patch));
    sheet.facts_of(&same_length(&after))
}

/// Returns the numbers of headings above and below a patch.
fn headings_around(sheet: &Sheet<'_>, patch: &Patch) -> (usize, usize) {
    let headings = &sheet.facts().headings;
    let above = headings
        .iter()
        .filter(|heading| heading.span.end.byte as usize <= patch.range.start);
    let below = headings
        .iter()
        .filter(|heading| heading.span.start.byte as usize >= patch.range.end);
    (above.count(), below.count())
}

fn has_same_headings(sheet: &Sheet<'_>, (above, below): (usize, usize), after: &NoteFacts) -> bool {
    let before = &sheet.facts().headings;
    let same =
        |(left, right): (&Heading, &Heading)| left.level == right.level && left.text == right.text;
    after.headings.len() >= above + below
        && before.iter().take(above).zip(&after.headings).all(same)
        && before
            .iter()
            .rev()
            .take(below)
            .zip(after.headings.iter().rev())
            .all(same)
}

/// Whether the id names one block, which has the same start and the same kind as before.
fn is_same_block(before: &NoteFacts, after: &NoteFacts, id: &str) -> bool {
    let named = |facts: &NoteFacts| -> Vec<(u32, Option<SectionKind>)> {
        let blocks = facts
            .blocks
            .iter()
            .filter(|block| block.id.eq_ignore_ascii_case(id));
        blocks
            .map(|block| {
                let kind = facts
                    .sections
                    .iter()
                    .find(|section| section.span == block.span);
                (block.span.start.byte, kind.map(|section| section.kind))
            })
            .collect()
    };
    named(before) == named(after)
}

/// Checks that properties stay properties and text stays text, except for edits that may touch the
/// properties; that those leave the body unchanged; and that readable properties stay readable.
pub(super) fn properties(
    sheet: &Sheet<'_>,
    instructions: &[Instruction],
    patches: &[Patch],
    after: &[u8],
) -> Result<(), EditMiss> {
    let after = same_length(obsidian_note::byte_order_mark::strip_bytes(after));
    let block = split_unmarked(&after);
    let body_after = block.as_ref().map_or(0, |block| block.body);
    let start = sheet.body_start();
    let is_allowed = instructions.iter().any(|edit| edit.in_frontmatter);
    if !is_allowed {
        if body_after == start {
            return Ok(());
        }
        return Err(EditMiss::unfit(
            "after the edit, the start of the note would be read as properties",
            "To change the properties, set `frontmatter` to `true`.",
        ));
    }
    let Some(block) = block else { return Ok(()) };
    let in_block = patches
        .iter()
        .filter(|patch| patch.range.end <= start && start > 0);
    let expected = in_block.fold(start, |end, patch| {
        end + patch.text.len() - patch.range.len()
    });
    if start > 0 && body_after != expected {
        return Err(EditMiss::unfit(
            "the edit would move the end of the properties",
            "Do not change the `---` lines around the properties.",
        ));
    }
    let is_readable = |yaml: Option<&str>| yaml.is_none_or(|yaml| Frontmatter::parse(yaml).is_ok());
    let was_readable = is_readable(sheet.yaml().and_then(|yaml| sheet.text.get(yaml)));
    match Frontmatter::parse(after.get(block.yaml).unwrap_or_default()) {
        Err(error) if was_readable => Err(EditMiss::unfit(
            format!(
                "after the edit, the properties could not be read (line {}: {})",
                error.line.saturating_add(1),
                error.fault
            ),
            "Pass properties that are valid YAML.",
        )),
        _ => Ok(()),
    }
}

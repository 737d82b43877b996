//! Edits of the text below a heading.

use obsidian_note::note_parts::{PluginNote, heading, whole_lines};
use obsidian_note::scan::scan;
use obsidian_note::{EditCandidate, EditMiss, Heading, Patch, SectionKind, Sheet};

use super::instruction::{Mode, Reach};
use super::join::{blank_line_after, blank_line_before, is_item};

/// Returns the patch of an edit below a heading.
pub(super) fn patch(
    sheet: &Sheet<'_>,
    plugin: Option<&PluginNote>,
    wanted: &str,
    (mode, reach): (Mode, Option<Reach>),
    content: &str,
) -> Result<Patch, EditMiss> {
    let index = heading::find(sheet, wanted)?;
    let below = heading::below(sheet, index);
    let end = match (mode, reach) {
        (Mode::Replace, None) if below.inner > 0 => return Err(which_reach(sheet, index, &below)),
        (_, Some(Reach::Section)) => below.section_end,
        (_, Some(Reach::Text) | None) => below.text_end,
    };
    let end = plugin.map_or(end, |plugin| end.min(plugin.end_of_text(below.start)));
    let is_board = matches!(plugin, Some(PluginNote::Board { .. }));
    let lines = whole_lines(content);
    refuse_headings(sheet, index, (mode, reach), content)?;
    if is_board && let Some(lines) = lines {
        refuse_text_in_lane(lines)?;
    }
    let mut filled: Vec<usize> = (below.start..end)
        .filter(|line| !sheet.is_blank(*line))
        .collect();
    if mode == Mode::Append && lines.is_some_and(is_list) {
        keep_to_list(sheet, &mut filled);
    }
    // The plugin marks a lane whose cards are done with a line such as `**Complete**`. Cards are below it.
    let has_mark = is_board
        && filled.first().is_some_and(|line| {
            let line = sheet.line(*line).trim();
            line.starts_with("**") && line.ends_with("**")
        });
    let mark = (has_mark && mode != Mode::Append).then(|| filled.remove(0));
    let content = lines.map(|lines| sheet.with_line_ends(lines));
    let (Some(first), Some(last)) = (filled.first().copied(), filled.last().copied()) else {
        // The plugin has a blank line between a lane and its cards.
        let has_gap = is_board && below.start < end && sheet.is_blank(below.start);
        let start = mark.map_or(below.start + usize::from(has_gap), |mark| mark + 1);
        let Some(content) = content else {
            let at = sheet.line_start(start);
            return Ok(Patch::new(at..at, String::new()));
        };
        let gap = gap_above(sheet, start);
        return Ok(sheet.inserted(start, &format!("{content}{gap}")));
    };
    let content = content.as_deref();
    let gap = gap_above(sheet, last + 1);
    let line_end = sheet.line_end();
    Ok(match mode {
        Mode::Replace => {
            let content = content.map(|content| format!("{content}{gap}"));
            sheet.replaced(first, last, content.as_deref())
        }
        Mode::Append => {
            let content = content.unwrap_or_default();
            let before = if blank_line_before(sheet, last, content) {
                line_end
            } else {
                ""
            };
            sheet.inserted(last + 1, &format!("{before}{content}{gap}"))
        }
        Mode::Prepend => {
            let content = content.unwrap_or_default();
            let after = if blank_line_after(sheet, first, content) {
                line_end
            } else {
                ""
            };
            sheet.inserted(first, &format!("{content}{after}"))
        }
    })
}

/// Returns a line end if a heading with an underline is on this line: text right above would become part of it.
fn gap_above(sheet: &Sheet<'_>, line: usize) -> &'static str {
    let is_underlined = sheet.facts().headings.iter().any(|heading| {
        heading.span.start.line as usize == line && heading.span.end.line as usize > line
    });
    if is_underlined { sheet.line_end() } else { "" }
}

/// Returns the error for a replacement that does not say what happens to the subheadings: nothing
/// is guessed.
fn which_reach(sheet: &Sheet<'_>, index: usize, below: &heading::Below) -> EditMiss {
    let inner = &sheet.facts().headings[index + 1..=index + below.inner];
    let count = if below.inner == 1 {
        "a subheading".to_owned()
    } else {
        format!("{} subheadings", below.inner)
    };
    EditMiss::ambiguous(
        format!("the heading has {count}, so the edit needs `reach`"),
        inner
            .iter()
            .take(EditCandidate::MOST_HEADINGS)
            .map(|heading| heading::candidate(sheet, heading))
            .collect(),
    )
    .with_total(below.inner)
    .advising(
        "To keep the subheadings, set `reach` to `text`. To replace them too, set `reach` to `section`.",
    )
}

/// Returns the headings of a text in the body of a note, where `---` does not begin properties. Their places are one
/// byte further than in the text.
pub(super) fn headings_of(text: &str) -> Vec<Heading> {
    scan(&format!("\n{text}")).headings
}

/// Whether text is a list at its outermost level.
fn is_list(text: &str) -> bool {
    let mut sections = scan(text).sections.into_iter();
    let is_list = sections
        .next()
        .is_some_and(|section| section.kind == SectionKind::List);
    is_list && sections.next().is_none()
}

/// Removes the thematic breaks and comments at the end of a section from its lines, if a list is above them: a further
/// item belongs to the list.
fn keep_to_list(sheet: &Sheet<'_>, filled: &mut Vec<usize>) {
    let (Some(first), Some(last)) = (filled.first(), filled.last()) else {
        return;
    };
    let sections = sheet
        .facts()
        .sections
        .iter()
        .filter(|section| (*first..=*last).contains(&(section.span.start.line as usize)));
    let is_after = |kind| matches!(kind, SectionKind::ThematicBreak | SectionKind::Comment);
    let above = sections.rev().find(|section| !is_after(section.kind));
    if let Some(list) = above.filter(|section| section.kind == SectionKind::List) {
        let text = sheet
            .text
            .get(..list.span.end.byte as usize)
            .unwrap_or_default();
        let end = sheet.line_at(text.trim_end().len().saturating_sub(1));
        filled.retain(|line| *line <= end);
    }
}

/// Refuses text in a lane that is not a card: the plugin drops it when it saves the board.
fn refuse_text_in_lane(lines: &str) -> Result<(), EditMiss> {
    if is_list(lines) {
        return Ok(());
    }
    let first = lines.lines().next().unwrap_or_default().trim();
    let advice = if is_item(first) || lines.lines().count() > 1 {
        "Pass a list of cards such as `- [ ] Call Ana`. Indent the further lines of a card."
            .to_owned()
    } else {
        format!("Pass the card as a list item: `- [ ] {first}`.")
    };
    Err(EditMiss::unfit(
        "a lane of a Kanban board can contain only cards, because Kanban deletes other text",
        advice,
    ))
}

/// Refuses content that repeats the heading, or has a heading that ends the section of the edited one.
/// `note:get section=…` shows the heading too, but an edit is only about the text below it.
fn refuse_headings(
    sheet: &Sheet<'_>,
    index: usize,
    (mode, reach): (Mode, Option<Reach>),
    content: &str,
) -> Result<(), EditMiss> {
    let heading = &sheet.facts().headings[index];
    let written = headings_of(content);
    let repeats = written.first().is_some_and(|first| {
        let start = (first.span.start.byte as usize).saturating_sub(1);
        let above = content.get(..start).unwrap_or_default();
        first.level == heading.level
            && above.trim().is_empty()
            && heading::is_same(&first.text, &heading.text)
    });
    if repeats {
        return Err(EditMiss::unfit(
            "`content` repeats the heading, which the edit keeps",
            "Pass only the text below the heading.",
        ));
    }
    // A heading of the same level begins the next section, which must not take over the rest of this one.
    let below = heading::below(sheet, index);
    let has_rest = match (mode, reach) {
        (Mode::Prepend, _) => (below.start..below.section_end).any(|line| !sheet.is_blank(line)),
        (Mode::Append | Mode::Replace, Some(Reach::Section)) => false,
        (Mode::Append | Mode::Replace, Some(Reach::Text) | None) => below.inner > 0,
    };
    let most = heading.level - u8::from(!has_rest);
    let ends_section = written.iter().find(|other| other.level <= most);
    match ends_section {
        None => Ok(()),
        Some(other) => Err(EditMiss::unfit(
            format!(
                "`content` has a heading of level {}, which would end the section of the edited heading (level {})",
                other.level, heading.level
            ),
            "Use deeper headings in `content`. To add a section next to this one, use `afterLine`.",
        )),
    }
}

//! Edits of the text below a heading.

use obsidian_note::note_parts::{heading, whole_lines};
use obsidian_note::{EditCandidate, EditMiss, Patch, Sheet};

use super::instruction::{Mode, Reach};
use super::join::{blank_line_after, blank_line_before};

/// Returns the patch of an edit below a heading.
pub(super) fn patch(
    sheet: &Sheet<'_>,
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
    let filled: Vec<usize> = (below.start..end)
        .filter(|line| !sheet.is_blank(*line))
        .collect();
    let lines = whole_lines(content);
    if mode == Mode::Replace {
        refuse_repeated_heading(sheet, index, content)?;
    }
    let content = lines.map(|lines| sheet.with_line_ends(lines));
    let (Some(first), Some(last)) = (filled.first().copied(), filled.last().copied()) else {
        let Some(content) = content else {
            let at = sheet.line_start(below.start);
            return Ok(Patch::new(at..at, String::new()));
        };
        let gap = gap_above(sheet, below.start);
        return Ok(sheet.inserted(below.start, &format!("{content}{gap}")));
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

/// Refuses content that repeats the heading. `note:get section=…` shows the heading too, but a
/// replacement is only the text below it.
fn refuse_repeated_heading(sheet: &Sheet<'_>, index: usize, content: &str) -> Result<(), EditMiss> {
    let heading = &sheet.facts().headings[index];
    let written = obsidian_note::scan::scan(content);
    let repeats = written.headings.first().is_some_and(|first| {
        let above = content
            .get(..first.span.start.byte as usize)
            .unwrap_or_default();
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
    Ok(())
}

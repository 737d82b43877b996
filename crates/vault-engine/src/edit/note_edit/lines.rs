//! Edits that name lines by their numbers.

use cli_output::plural;

use super::sheet::{Patch, Sheet, whole_lines};
use crate::edit_miss::{EditCandidate, EditMiss};

/// Puts `content` in the place of the lines `first` to `last`, counted from 1.
pub(super) fn replaced(
    sheet: &Sheet<'_>,
    (first, last): (usize, usize),
    content: &str,
    in_frontmatter: bool,
) -> Result<Patch, EditMiss> {
    check(sheet, last)?;
    refuse_properties(sheet, first - 1, in_frontmatter)?;
    let content = whole_lines(content).map(|lines| sheet.with_line_ends(lines));
    Ok(sheet.replaced(first - 1, last - 1, content.as_deref()))
}

/// Inserts `content` below a line, counted from 1.
pub(super) fn inserted(
    sheet: &Sheet<'_>,
    after: usize,
    content: &str,
    in_frontmatter: bool,
) -> Result<Patch, EditMiss> {
    check(sheet, after)?;
    refuse_properties(sheet, after, in_frontmatter)?;
    let lines = whole_lines(content).unwrap_or_default();
    Ok(sheet.inserted(after, &sheet.with_line_ends(lines)))
}

pub(super) fn check(sheet: &Sheet<'_>, line: usize) -> Result<(), EditMiss> {
    let count = sheet.line_count();
    if line <= count {
        return Ok(());
    }
    let last = count.checked_sub(1);
    let candidates = last.map(|last| EditCandidate::new(last, sheet.line(last)));
    Err(EditMiss::not_found(
        format!(
            "the note has {}, so there is no line {line}",
            plural::count(count, "line")
        ),
        candidates.into_iter().collect(),
    ))
}

fn refuse_properties(sheet: &Sheet<'_>, line: usize, in_frontmatter: bool) -> Result<(), EditMiss> {
    let body = sheet.first_body_line();
    if line >= body || in_frontmatter {
        return Ok(());
    }
    Err(EditMiss::unfit(
        format!("the lines 1 to {body} are the properties of the note"),
        "Use `property:set`, or set `frontmatter` to edit their text.",
    ))
}

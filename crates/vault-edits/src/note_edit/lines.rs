//! Edits that name lines by their numbers.

use obsidian_note::note_parts::{lines, whole_lines};
use obsidian_note::{EditCandidate, EditMiss, Patch, Sheet};

use super::instruction::KnownLines;

/// Replaces the lines `first` to `last`, counted from 1, with `content`.
pub(super) fn replaced(
    sheet: &Sheet<'_>,
    (first, last): (usize, usize),
    known: &KnownLines,
    content: &str,
    in_frontmatter: bool,
) -> Result<Patch, EditMiss> {
    lines::check(sheet, last)?;
    check_known(sheet, (first - 1, last - 1), known)?;
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
    lines::check(sheet, after)?;
    refuse_properties(sheet, after, in_frontmatter)?;
    let lines = whole_lines(content).unwrap_or_default();
    Ok(sheet.inserted(after, &sheet.with_line_ends(lines)))
}

/// Refuses lines that do not have the text that the caller has read. Lines count from 0 here.
fn check_known(
    sheet: &Sheet<'_>,
    (first, last): (usize, usize),
    known: &KnownLines,
) -> Result<(), EditMiss> {
    match known {
        KnownLines::No => Ok(()),
        KnownLines::Hash(hash) => {
            let present = &sheet.bytes()[sheet.line_start(first)..sheet.line_range(last).end];
            if lines::digest(present).eq_ignore_ascii_case(hash) {
                return Ok(());
            }
            let reason = format!("lines {}-{} do not match `linesHash`", first + 1, last + 1);
            Err(with_lines(
                reason,
                sheet,
                (first, last),
                "Read the lines again to get their current `linesHash`.",
            ))
        }
        KnownLines::Ends {
            first: top,
            last: end,
        } => {
            let ends = [(first, top, "first"), (last, end, "last")];
            let is_proven =
                |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
            let is_enough = first == last && (is_proven(top) || is_proven(end));
            let misses = ends.into_iter().filter_map(|(line, text, key)| match text {
                Some(text) if !text.is_empty() => {
                    (sheet.line(line).trim() != text).then(|| not_the_line(sheet, line, text, key))
                }
                _ if is_enough => None,
                _ => Some(without_end(sheet, line, (first, last), key)),
            });
            EditMiss::joined(misses.collect()).map_or(Ok(()), Err)
        }
    }
}

/// The error for a first or last line that is missing or blank: many lines are blank, so that
/// proves nothing.
fn without_end(sheet: &Sheet<'_>, line: usize, lines: (usize, usize), key: &str) -> EditMiss {
    if sheet.is_blank(line) {
        return with_lines(
            format!(
                "line {} is blank, so `{key}` does not prove that you know the text",
                line + 1
            ),
            sheet,
            lines,
            "Choose lines whose first and last lines have text. Or pass `linesHash` or `ifHash`.",
        );
    }
    EditMiss {
        candidates: vec![EditCandidate::new(line, sheet.line(line))],
        ..EditMiss::unfit(
            format!(
                "`{key}` is missing. `{key}` must be the text of line {}",
                line + 1
            ),
            format!(
                "`candidates` contains the line. If you mean that line, pass its `text` as `{key}`."
            ),
        )
    }
}

/// Returns the miss of an edit of lines, counted from 0, without a proof of their text, which needs the hash of the
/// note.
pub(super) fn unread(sheet: &Sheet<'_>, lines: (usize, usize)) -> EditMiss {
    with_lines(
        "line numbers alone do not prove that you know the text to replace".to_owned(),
        sheet,
        lines,
        "Pass `linesHash` from the answer that showed the lines, or pass `ifHash`. Or pass the text of the first line as `first`, and of the last line as `last`.",
    )
}

/// The miss of an edit of lines whose text is not proven, with the lines as they are now. `if_cut` is the advice if
/// they are too long to be shown.
fn with_lines(
    reason: String,
    sheet: &Sheet<'_>,
    (first, last): (usize, usize),
    if_cut: &str,
) -> EditMiss {
    let shown = lines::candidate(sheet, first, last);
    let advice = match shown.lines_hash {
        Some(_) => {
            "`candidates` contains the lines. If you mean those lines, pass their `linesHash`."
        }
        None => if_cut,
    };
    EditMiss {
        candidates: vec![shown],
        ..EditMiss::unfit(reason, advice)
    }
}

/// The error for a line with other text than the edit says, with the lines that do have that text.
fn not_the_line(sheet: &Sheet<'_>, line: usize, text: &str, key: &str) -> EditMiss {
    let present = (0..sheet.line_count()).filter(|at| sheet.line(*at).trim() == text);
    let mut candidates: Vec<_> = present
        .take(EditCandidate::MOST)
        .map(|at| EditCandidate::new(at, sheet.line(at)))
        .collect();
    let is_elsewhere = !candidates.is_empty();
    if !is_elsewhere {
        candidates.push(EditCandidate::new(line, sheet.line(line)));
    }
    let is_blank = if sheet.is_blank(line) {
        "is blank and "
    } else {
        ""
    };
    let reason = format!(
        "line {} {is_blank}does not contain the text of `{key}`",
        line + 1
    );
    let miss = EditMiss::not_found(reason, candidates);
    if is_elsewhere {
        miss.advising(format!(
            "Correct the numbers in `lines`. `candidates` lists the lines with the text of `{key}`."
        ))
    } else {
        miss
    }
}

fn refuse_properties(sheet: &Sheet<'_>, line: usize, in_frontmatter: bool) -> Result<(), EditMiss> {
    let body = sheet.first_body_line();
    if line >= body || in_frontmatter {
        return Ok(());
    }
    Err(EditMiss::unfit(
        format!("lines 1 to {body} are the properties of the note"),
        "To edit the properties as text, set `frontmatter` to `true`.",
    )
    .in_properties())
}

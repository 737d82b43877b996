//! An edit of what stands below a heading.
//!
//! A heading is found as a link to it is: its text without markup and punctuation, in any case
//! (`vault-semantics.md` §2.2). `A/B`, `A#B` and `A::B` are B below A.

use std::ops::Range;

use super::instruction::{Mode, Reach};
use super::join::{blank_line_after, blank_line_before};
use super::sheet::{Patch, Sheet, whole_lines};
use super::text::nearest;
use crate::edit_miss::{EditCandidate, EditMiss};
use crate::scan::Heading;

/// What characters of a heading do not count in a link to it.
const FIRST_IGNORED: &str = "#|^:%[]";
/// What is ignored too where nothing else fits: other markup.
const ALSO_IGNORED: &str = "#|^:%[]*_`~=\\";

/// Where the text below a heading stands, in lines from 0; the ends are exclusive.
struct Below {
    /// The line below the heading.
    start: usize,
    /// The next heading of any rank.
    text_end: usize,
    /// The next heading of the same or a higher rank.
    section_end: usize,
    /// How many headings are below it.
    inner: usize,
}

/// The patch of an edit below a heading.
pub(super) fn patch(
    sheet: &Sheet<'_>,
    asked: &str,
    (mode, reach): (Mode, Option<Reach>),
    content: &str,
) -> Result<Patch, EditMiss> {
    let index = find(sheet, asked)?;
    let below = below(sheet, index);
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

/// The lines of a heading and of what is below it, with the headings of lower rank; from 0, the end
/// exclusive.
pub(super) fn section(sheet: &Sheet<'_>, asked: &str) -> Result<Range<usize>, EditMiss> {
    let index = find(sheet, asked)?;
    let start = sheet.facts().headings[index].span.start.line as usize;
    Ok(start..below(sheet, index).section_end)
}

/// A line end where a heading with an underline is on this line: text right above would join it.
fn gap_above(sheet: &Sheet<'_>, line: usize) -> &'static str {
    let is_underlined = sheet.facts().headings.iter().any(|heading| {
        heading.span.start.line as usize == line && heading.span.end.line as usize > line
    });
    if is_underlined { sheet.line_end() } else { "" }
}

fn below(sheet: &Sheet<'_>, index: usize) -> Below {
    let headings = &sheet.facts().headings;
    let heading = &headings[index];
    let line = |heading: &Heading| heading.span.start.line as usize;
    let rest = &headings[index + 1..];
    let next = rest.first();
    let same = rest.iter().position(|next| next.level <= heading.level);
    let end = sheet.line_count();
    Below {
        start: heading.span.end.line as usize + 1,
        text_end: next.map_or(end, line),
        section_end: same.map_or(end, |at| line(&rest[at])),
        inner: same.unwrap_or(rest.len()),
    }
}

/// A replacement that does not say what happens to the headings below: none is guessed away.
fn which_reach(sheet: &Sheet<'_>, index: usize, below: &Below) -> EditMiss {
    let inner = &sheet.facts().headings[index + 1..=index + below.inner];
    let count = if below.inner == 1 {
        "a heading".to_owned()
    } else {
        format!("{} headings", below.inner)
    };
    EditMiss::ambiguous(
        format!("there is {count} below it, so its text may end before or after"),
        inner
            .iter()
            .take(EditCandidate::MOST_HEADINGS)
            .map(|heading| candidate(sheet, heading))
            .collect(),
    )
    .of(below.inner)
    .advising(
        "Set `reach` to `text` to keep the headings below it, or to `section` to replace them too.",
    )
}

/// What `note:get section=…` gives begins with the heading, and a replacement is only what is
/// below it.
fn refuse_repeated_heading(sheet: &Sheet<'_>, index: usize, content: &str) -> Result<(), EditMiss> {
    let heading = &sheet.facts().headings[index];
    let written = crate::scan::scan(content);
    let repeats = written.headings.first().is_some_and(|first| {
        let above = content
            .get(..first.span.start.byte as usize)
            .unwrap_or_default();
        first.level == heading.level
            && above.trim().is_empty()
            && key(&first.text, FIRST_IGNORED) == key(&heading.text, FIRST_IGNORED)
    });
    if repeats {
        return Err(EditMiss::unfit(
            "`content` begins with the heading itself, which stays",
            "Send only what goes below it.",
        ));
    }
    Ok(())
}

/// The heading that is asked for.
fn find(sheet: &Sheet<'_>, asked: &str) -> Result<usize, EditMiss> {
    let headings = &sheet.facts().headings;
    match found(headings, asked).as_slice() {
        [] => {}
        [index] => return Ok(*index),
        several => return Err(same_headings(sheet, several)),
    }
    let texts = headings
        .iter()
        .enumerate()
        .map(|(index, heading)| (index, heading.text.as_str()));
    let wanted = asked
        .rsplit(['/', '#'])
        .find(|part| !part.trim().is_empty());
    let near = nearest(wanted.unwrap_or(asked), texts);
    // Counted as lines are.
    let near: Vec<usize> = near.into_iter().map(|near| near.line - 1).collect();
    let is_near = !near.is_empty();
    let told = if is_near {
        near
    } else {
        (0..headings.len())
            .take(EditCandidate::MOST_HEADINGS)
            .collect()
    };
    let candidates = told.into_iter().map(|index| named(sheet, index)).collect();
    let miss = |reason| EditMiss::not_found(reason, candidates);
    Err(if headings.is_empty() {
        miss("the note has no headings")
    } else if is_near {
        miss("the note has no such heading")
    } else {
        miss("the note has no such heading").of(headings.len())
    })
}

/// The headings that fit what is asked for.
fn found(headings: &[Heading], asked: &str) -> Vec<usize> {
    let hashes = asked.bytes().take_while(|byte| *byte == b'#').count();
    let level = asked[hashes..]
        .starts_with(' ')
        .then_some(hashes)
        .filter(|count| *count > 0);
    for ignored in [FIRST_IGNORED, ALSO_IGNORED] {
        for parts in ways_to_read(asked, ignored) {
            let fits = |index: &usize| {
                is_below(headings, *index, &parts, ignored)
                    && level.is_none_or(|level| {
                        parts.len() > 1 || usize::from(headings[*index].level) == level
                    })
            };
            let found: Vec<usize> = (0..headings.len()).filter(fits).collect();
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

fn same_headings(sheet: &Sheet<'_>, several: &[usize]) -> EditMiss {
    let told = several.iter().take(EditCandidate::MOST_HEADINGS);
    let told: Vec<EditCandidate> = told.map(|index| named(sheet, *index)).collect();
    let headings = &sheet.facts().headings;
    let are_told = told
        .iter()
        .all(|told| found(headings, &told.text).len() == 1);
    EditMiss::ambiguous(format!("{} headings have this text", several.len()), told)
        .of(several.len())
        .advising(if are_told {
            "Send the `text` of one of `candidates`: each names one heading."
        } else {
            "Those that `candidates` tell apart are named so; else use `afterLine` or `lines`."
        })
}

/// A heading as it can be asked for: as it stands in the note, or with those above it, as few as tell it from
/// the others.
fn named(sheet: &Sheet<'_>, index: usize) -> EditCandidate {
    let headings = &sheet.facts().headings;
    let heading = &headings[index];
    let line = heading.span.start.line as usize;
    let is_it = |asked: &str| found(headings, asked) == [index];
    let as_it_stands = candidate(sheet, heading);
    if !as_it_stands.is_cut && is_it(&as_it_stands.text) {
        return as_it_stands;
    }
    let mut path = heading.text.clone();
    let mut level = heading.level;
    for outer in headings[..index].iter().rev() {
        if outer.level < level {
            if is_it(&path) {
                break;
            }
            level = outer.level;
            path = format!("{}/{path}", outer.text);
        }
    }
    let path = EditCandidate::text(line, &path);
    if !path.is_cut && is_it(&path.text) {
        path
    } else {
        as_it_stands
    }
}

fn candidate(sheet: &Sheet<'_>, heading: &Heading) -> EditCandidate {
    let line = heading.span.start.line as usize;
    EditCandidate::new(line, sheet.line(line))
}

/// What an asked heading may mean, the whole text first: one heading, or the last of several that
/// are below each other.
fn ways_to_read(asked: &str, ignored: &str) -> Vec<Vec<String>> {
    let parts = |separator: &str| -> Vec<String> {
        let parts = asked.split(separator).map(|part| key(part, ignored));
        parts.filter(|part| !part.is_empty()).collect()
    };
    let mut ways = vec![vec![key(asked, ignored)]];
    for separator in ["#", "/", "::"] {
        let parts = parts(separator);
        if parts.len() > 1 {
            ways.push(parts);
        }
    }
    ways.retain(|parts| parts.iter().all(|part| !part.is_empty()));
    ways
}

/// Whether a heading has the last of these texts, and headings above it the others, from the
/// innermost out; ranks between may be skipped.
fn is_below(headings: &[Heading], index: usize, parts: &[String], ignored: &str) -> bool {
    let Some((last, above)) = parts.split_last() else {
        return false;
    };
    if key(&headings[index].text, ignored) != *last {
        return false;
    }
    let mut level = headings[index].level;
    let mut wanted = above.iter().rev().peekable();
    for outer in headings[..index].iter().rev() {
        let Some(next) = wanted.peek() else { break };
        if outer.level < level {
            level = outer.level;
            if key(&outer.text, ignored) == **next {
                wanted.next();
            }
        }
    }
    wanted.peek().is_none()
}

/// A heading's text as it is compared.
fn key(text: &str, ignored: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    let plain: String = text
        .nfc()
        .map(|character| {
            if ignored.contains(character) {
                ' '
            } else {
                character
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

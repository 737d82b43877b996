//! A heading of a note, and the text below it.
//!
//! A heading is matched as in links: its text without markup and punctuation, in any case
//! (`vault-semantics.md` §2.2). `A/B`, `A#B` and `A::B` mean B below A, and `A (line 12)` is the heading A on line 12
//! if no heading has that text. An id of `note:outline`, such as `h2-log-0003`, is the heading that has it by
//! `CommonMark`.

use super::near_miss::nearest;
use super::sheet::Sheet;
use crate::commonmark;
use crate::edit_miss::{EditCandidate, EditMiss};
use crate::scan::Heading;

/// Whether a character of a heading is ignored when it is compared.
type IsIgnored = fn(char) -> bool;

/// The characters that are ignored first: those that links cannot contain.
fn is_first_ignored(character: char) -> bool {
    matches!(character, '#' | '|' | '^' | ':' | '%' | '[' | ']')
}

/// The characters that are ignored in links, where the app ignores "special characters": all ASCII punctuation
/// (`vault-semantics.md` §2.2).
fn is_ignored_in_links(character: char) -> bool {
    character.is_ascii_punctuation()
}

/// The lines of the text below a heading, counted from 0; the ends are exclusive.
pub struct Below {
    /// The line after the heading.
    pub start: usize,
    /// The next heading of any rank.
    pub text_end: usize,
    /// The next heading of the same or a higher rank.
    pub section_end: usize,
    /// The number of its subheadings, at any depth.
    pub inner: usize,
}

/// Returns the index of the requested heading.
///
/// # Errors
///
/// An [`EditMiss`] with the most similar places, if no place or more than one fits.
pub fn find(sheet: &Sheet<'_>, requested: &str) -> Result<usize, EditMiss> {
    let headings = &sheet.facts().headings;
    match found(headings, requested).as_slice() {
        [] => {}
        [index] => return Ok(*index),
        several => return Err(same_headings(sheet, several)),
    }
    if let Some(index) = of_id(sheet, requested) {
        return Ok(index);
    }
    let texts = headings
        .iter()
        .enumerate()
        .map(|(index, heading)| (index, heading.text.as_str()));
    let wanted = requested
        .rsplit(['/', '#'])
        .find(|part| !part.trim().is_empty());
    let near = nearest(wanted.unwrap_or(requested), texts);
    // Near misses count lines from 1.
    let near: Vec<usize> = near.into_iter().map(|near| near.line - 1).collect();
    let is_near = !near.is_empty();
    let shown = if is_near {
        near
    } else {
        (0..headings.len())
            .take(EditCandidate::MOST_HEADINGS)
            .collect()
    };
    let candidates = shown.into_iter().map(|index| named(sheet, index)).collect();
    let miss = |reason| EditMiss::not_found(reason, candidates);
    Err(if headings.is_empty() {
        miss("the note has no headings").advising("Use `lines` instead of `heading`.")
    } else if requested.starts_with('^') {
        miss("the note does not have this heading")
            .advising("A text that begins with `^` is the id of a block. Pass the id as `block`.")
    } else if is_near {
        miss("the note does not have this heading")
    } else {
        miss("the note does not have this heading").with_total(headings.len())
    })
}

/// Returns the lines of the text below a heading.
pub fn below(sheet: &Sheet<'_>, index: usize) -> Below {
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

/// Returns a heading's text in the form in which links to it are compared.
pub fn link_key(text: &str) -> String {
    key(text, is_ignored_in_links)
}

/// Whether a link treats two heading texts as equal.
pub fn is_same(one: &str, other: &str) -> bool {
    link_key(one) == link_key(other)
}

/// The indexes of the headings that match the request, with `(line 12)` at its end or without.
fn found(headings: &[Heading], wanted: &str) -> Vec<usize> {
    let found = of_text(headings, wanted);
    let on_line = wanted
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once(" (line "));
    match on_line.map(|(text, line)| (text, line.parse::<usize>())) {
        Some((text, Ok(line))) if found.is_empty() => {
            let mut found = of_text(headings, text);
            found.retain(|index| headings[*index].span.start.line as usize + 1 == line);
            found
        }
        _ => found,
    }
}

/// Returns the index of the heading with this id. The ids count the headings of `CommonMark`, which are also in quotes
/// and lists; one of those is not a heading here.
fn of_id(sheet: &Sheet<'_>, id: &str) -> Option<usize> {
    let has_number = id
        .rsplit_once('-')
        .is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    if !id.starts_with('h') || !has_number {
        return None;
    }
    let body = sheet.body_start();
    let structure = commonmark::structure(sheet.text.get(body..)?);
    let wanted = structure.headings.get(structure.number_of(id)?)?;
    let line = sheet.line_at(body + wanted.span.start);
    let mut headings = sheet.facts().headings.iter();
    headings.position(|heading| {
        heading.span.start.line as usize == line && heading.level == wanted.level
    })
}

/// The indexes of the headings that match the request as a text.
fn of_text(headings: &[Heading], wanted: &str) -> Vec<usize> {
    let hashes = wanted.bytes().take_while(|byte| *byte == b'#').count();
    let level = wanted[hashes..]
        .starts_with(' ')
        .then_some(hashes)
        .filter(|count| *count > 0);
    let ways: [IsIgnored; 2] = [is_first_ignored, is_ignored_in_links];
    for ignored in ways {
        for parts in ways_to_read(wanted, ignored) {
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
    let shown = several.iter().take(EditCandidate::MOST_HEADINGS);
    let shown: Vec<EditCandidate> = shown.map(|index| named(sheet, *index)).collect();
    EditMiss::ambiguous(format!("{} headings have this text", several.len()), shown)
        .with_total(several.len())
        .advising(
            "Pass the `text` of one of `candidates` as `heading`. Each `text` belongs to only one heading.",
        )
}

/// A heading in a form that can be requested: its text, with as many outer headings as distinguish it from the others,
/// or else with its line.
fn named(sheet: &Sheet<'_>, index: usize) -> EditCandidate {
    let headings = &sheet.facts().headings;
    let heading = &headings[index];
    let line = heading.span.start.line as usize;
    let is_it = |wanted: &str| found(headings, wanted) == [index];
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
    let with_line = format!("{} (line {})", heading.text, line + 1);
    let names = [path, with_line].map(|name| EditCandidate::text(line, &name));
    names
        .into_iter()
        .find(|name| !name.is_cut && is_it(&name.text))
        .unwrap_or(as_it_stands)
}

/// Returns a heading as error messages show it.
pub fn candidate(sheet: &Sheet<'_>, heading: &Heading) -> EditCandidate {
    let line = heading.span.start.line as usize;
    EditCandidate::new(line, sheet.line(line))
}

/// Returns the possible readings of a requested heading, the whole text first: one heading, or the last of several
/// nested ones.
fn ways_to_read(wanted: &str, ignored: IsIgnored) -> Vec<Vec<String>> {
    let parts = |separator: &str| -> Vec<String> {
        let parts = wanted.split(separator).map(|part| key(part, ignored));
        parts.filter(|part| !part.is_empty()).collect()
    };
    let mut ways = vec![vec![key(wanted, ignored)]];
    for separator in ["#", "/", "::"] {
        let parts = parts(separator);
        if parts.len() > 1 {
            ways.push(parts);
        }
    }
    ways.retain(|parts| parts.iter().all(|part| !part.is_empty()));
    ways
}

/// Whether a heading has the last of these texts, and its outer headings have the others, from the
/// innermost out. Ranks in between may be skipped.
fn is_below(headings: &[Heading], index: usize, parts: &[String], ignored: IsIgnored) -> bool {
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

/// Returns a heading's text in the form that is compared.
fn key(text: &str, ignored: IsIgnored) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    let plain: String = text
        .nfc()
        .map(|character| if ignored(character) { ' ' } else { character })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

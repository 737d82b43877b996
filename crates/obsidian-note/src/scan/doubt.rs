//! Code whose marks readers pair in different ways.
//!
//! A reader that takes a mark of code for a part of something else, such as of an address, pairs all later marks in
//! another way; so does one to whom code ends with its line, or only with its mark. Not all of these readers are known,
//! so code behind a doubtful mark does not count as literal.

use std::ops::Range;

use super::written::{BLANK, CodeText};
use crate::frontmatter::is_space;

/// The marks of emphasis, formulas and comments. Some readers pair them before they know code.
const PAIRED: [&str; 6] = ["*", "_", "~~", "==", "$", "%%"];
/// The beginnings of addresses that are links without brackets.
const ADDRESSES: [&str; 2] = ["://", "www."];
/// Longer runs of marks are text.
const LONGEST_MARK: usize = 64;
/// The length of the shortest mark of a code block.
const FENCE: usize = 3;

/// The parts of a text in which the marks of code are in doubt.
pub(super) struct Doubt {
    /// The text with blanks in place of these marks, and of the beginnings of comments there.
    pub without_marks: String,
    /// The text between any two of the marks that can be a pair.
    pub code: Vec<CodeText>,
}

/// The part of a note in which marks are in doubt because of one of them.
#[derive(Clone, Copy)]
enum Reach {
    Paragraph,
    /// Everything from its paragraph on: a mark without a partner can pair with a later one.
    Rest,
}

/// The markup outside of code that can take a mark of code.
#[derive(Default)]
struct Outside {
    /// The marks of [`PAIRED`] that were seen.
    paired: [bool; PAIRED.len()],
    brackets: usize,
    is_in_destination: bool,
    /// Whether a tag began. Some readers read HTML from there on.
    has_tag: bool,
    is_in_comment: bool,
    is_in_formula: bool,
    is_in_address: bool,
}

impl Outside {
    /// Reads text that is not code.
    fn read(&mut self, text: &str) {
        for (seen, mark) in self.paired.iter_mut().zip(PAIRED) {
            *seen |= text.contains(mark);
        }
        self.is_in_formula ^= text.matches("$$").count() % 2 == 1;
        if let Some((_, behind)) = text.rsplit_once("<!--") {
            self.is_in_comment = !behind.contains("-->");
        } else {
            self.is_in_comment &= !text.contains("-->");
        }
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(next) = characters.next() {
            let is_tag = |next: &char| next.is_ascii_alphabetic() || "/!?".contains(*next);
            match next {
                '\\' => {
                    characters.next();
                }
                '[' => self.brackets += 1,
                ']' => self.brackets = self.brackets.saturating_sub(1),
                '(' if before == ']' => self.is_in_destination = true,
                ')' => self.is_in_destination = false,
                '<' if characters.peek().is_none_or(is_tag) => self.has_tag = true,
                _ => {}
            }
            before = next;
        }
        let ends_address = |next: char| next.is_whitespace() || next == '<';
        let word = text.rsplit(ends_address).next().unwrap_or_default();
        self.is_in_address = ADDRESSES.iter().any(|begin| word.contains(begin));
    }

    /// Whether something that began before the code can end in it.
    fn can_end_in(&self, code: &str) -> bool {
        let mut paired = self.paired.iter().zip(PAIRED);
        paired.any(|(seen, mark)| *seen && code.contains(mark))
            || self.brackets > 0 && code.contains(']')
            || self.is_in_destination && code.contains(')')
            || self.has_tag && code.contains('>')
    }

    fn end_paragraph(&mut self) {
        *self = Self {
            is_in_comment: self.is_in_comment,
            is_in_formula: self.is_in_formula,
            ..Self::default()
        };
    }
}

/// Returns the parts of a text, from a byte on, in which the marks of code are in doubt, if there are any. `is_block` is
/// whether all readers know this byte as one of a code block.
pub(super) fn find(text: &str, from: usize, is_block: &dyn Fn(usize) -> bool) -> Option<Doubt> {
    let lines = lines(text, from);
    let blocks = doubtful_block(text, &lines, is_block).unwrap_or(text.len());
    let mut ranges = doubtful_paragraphs(text, &lines, &|at| at >= blocks || is_block(at));
    ranges.push(blocks..text.len());
    let mut bytes = text.as_bytes().to_vec();
    let mut code = Vec::new();
    for range in ranges {
        let part = text.get(range.clone()).unwrap_or_default();
        let is_live = |at: usize| range.start + at >= blocks || !is_block(range.start + at);
        let mut blank = |mark: Range<usize>| {
            let bytes = bytes.get_mut(range.start + mark.start..range.start + mark.end);
            bytes.unwrap_or_default().fill(BLANK);
        };
        let mut last: [Option<usize>; LONGEST_MARK + 1] = [None; LONGEST_MARK + 1];
        for mark in marks(part, '`').filter(|mark| is_live(mark.start)) {
            if let Some(last) = last.get_mut(mark.len()) {
                if let Some(content) = last.and_then(|last| part.get(last..mark.start)) {
                    code.push(CodeText {
                        at: range.start + mark.start - content.len(),
                        info: None,
                        content: content.to_owned(),
                    });
                }
                *last = Some(mark.end);
            }
            blank(mark);
        }
        for (at, comment) in part.match_indices("<!--").filter(|(at, _)| is_live(*at)) {
            blank(at..at + comment.len());
        }
        if range.start >= blocks {
            marks(part, '~')
                .filter(|mark| mark.len() >= FENCE)
                .for_each(blank);
        }
    }
    code.extend(possible_blocks(text, &lines, blocks));
    let without_marks = String::from_utf8(bytes)
        .ok()
        .filter(|marked| marked != text)?;
    Some(Doubt {
        without_marks,
        code,
    })
}

/// The lines of a text from a byte on, without their ends.
fn lines(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut at = from;
    let lines = text.get(from..).unwrap_or_default().split_inclusive('\n');
    let lines = lines.map(|line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches(['\n', '\r']).len()
    });
    lines.collect()
}

/// The runs of a character.
fn marks(text: &str, mark: char) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.find(mark)?;
        let rest = text.get(start..)?;
        at = start + rest.len() - rest.trim_start_matches(mark).len();
        Some(start..at)
    })
}

/// Returns the text of a line before a mark that can begin or end a code block, the mark, and the text behind it.
fn fence(line: &str) -> Option<(&str, &str, &str)> {
    let is_before = |next: char| is_space(next) || next.is_ascii_digit() || ">-*+.)".contains(next);
    let rest = line.trim_start_matches(is_before);
    let mark = rest.chars().next().filter(|mark| "`~".contains(*mark))?;
    let behind = rest.trim_start_matches(mark);
    let before = line.len() - rest.len();
    let (mark, behind) = rest.split_at(rest.len() - behind.len());
    (mark.len() >= FENCE).then_some((line.get(..before)?, mark, behind))
}

/// Returns the first byte from which it is in doubt which lines are in a code block.
fn doubtful_block(
    text: &str,
    lines: &[Range<usize>],
    is_block: &dyn Fn(usize) -> bool,
) -> Option<usize> {
    let is_odd = |character: char| is_space(character) && !matches!(character, ' ' | '\t');
    let mut outside = Outside::default();
    let mut opened: Option<(usize, &str, &str)> = None;
    for range in lines {
        let line = text.get(range.clone())?;
        let fence = fence(line);
        if !is_block(range.end.max(range.start + 1) - 1) {
            opened = None;
            if fence
                .is_some_and(|(before, _, behind)| before.contains(is_odd) && !behind.contains('`'))
            {
                return Some(range.start);
            }
            if line.trim().is_empty() {
                outside.end_paragraph();
            }
            let mut at = 0;
            for code in pairs(line) {
                outside.read(line.get(at..code.start).unwrap_or_default());
                at = code.end;
            }
            outside.read(line.get(at..).unwrap_or_default());
            continue;
        }
        let Some((before, mark, behind)) = fence else {
            continue;
        };
        match opened {
            None => {
                let is_hidden = outside.is_in_comment || outside.is_in_formula || outside.has_tag;
                if is_hidden || before.contains(is_odd) || behind.contains('`') {
                    return Some(range.start);
                }
                opened = Some((range.start, before, mark));
            }
            Some((start, indent, begin))
                if mark.starts_with(begin) && behind.trim_matches(is_space).is_empty() =>
            {
                if before.len() > indent.len() + FENCE
                    || before.contains(is_odd)
                    || behind.contains(is_odd)
                {
                    return Some(start);
                }
                opened = None;
                outside.end_paragraph();
            }
            Some(_) => {}
        }
    }
    None
}

/// Returns the paragraphs in which the marks of code are in doubt.
fn doubtful_paragraphs(
    text: &str,
    lines: &[Range<usize>],
    is_other: &dyn Fn(usize) -> bool,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for line in lines.iter().chain([&(text.len()..text.len())]) {
        let is_blank = text
            .get(line.clone())
            .is_none_or(|line| line.trim().is_empty());
        if !is_blank && !is_other(line.end - 1) {
            open.get_or_insert(line.start);
        } else if let Some(start) = open.take() {
            match text.get(start..line.start).and_then(reach_of_doubt) {
                None => {}
                Some(Reach::Paragraph) => found.push(start..line.start),
                Some(Reach::Rest) => {
                    found.push(start..text.len());
                    return found;
                }
            }
        }
    }
    found
}

/// Returns the code in a text with its marks, for a reader that knows only code.
fn pairs(text: &str) -> Vec<Range<usize>> {
    let marks: Vec<Range<usize>> = marks(text, '`').collect();
    let mut next = [None; LONGEST_MARK + 1];
    let mut partners = vec![None; marks.len()];
    for (index, (mark, partner)) in marks.iter().zip(&mut partners).enumerate().rev() {
        if let Some(next) = next.get_mut(mark.len()) {
            *partner = next.replace(index);
        }
    }
    let (mut found, mut index) = (Vec::new(), 0);
    while let (Some(mark), Some(partner)) = (marks.get(index), partners.get(index)) {
        index += 1;
        if let Some(last) = partner.and_then(|partner| marks.get(partner)) {
            found.push(mark.start..last.end);
            index = partner.unwrap_or(index) + 1;
        }
    }
    found
}

/// Returns how far the marks in a paragraph are in doubt.
fn reach_of_doubt(text: &str) -> Option<Reach> {
    let mut reach = None;
    let mut outside = Outside::default();
    let mut at = 0;
    for range in pairs(text) {
        let before = text.get(at..range.start)?;
        outside.read(before);
        if before.contains('`') || before.ends_with('\\') || outside.is_in_address {
            return Some(Reach::Rest);
        }
        let code = text.get(range.clone())?;
        if code.contains('\n') || outside.can_end_in(code) {
            reach = Some(Reach::Paragraph);
        }
        at = range.end;
    }
    let is_open = text.get(at..)?.contains('`');
    if is_open { Some(Reach::Rest) } else { reach }
}

/// Returns the code blocks that a reader may see behind a byte, each from a mark to the next.
fn possible_blocks(text: &str, lines: &[Range<usize>], from: usize) -> Vec<CodeText> {
    let mut found: Vec<CodeText> = Vec::new();
    for range in lines.iter().filter(|line| line.start >= from) {
        let line = text.get(range.clone()).unwrap_or_default();
        if let Some((_, mark, info)) = fence(line) {
            found.push(CodeText {
                at: range.end - info.len() - mark.len(),
                info: Some(info.trim_matches(is_space).to_owned()),
                content: String::new(),
            });
        } else if let Some(block) = found.last_mut() {
            block.content += line;
            block.content.push('\n');
        }
    }
    found
}

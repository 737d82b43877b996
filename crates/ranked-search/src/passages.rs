//! Splits a note into passages: pieces of about 80 words that begin at headings and end with
//! blocks.

use std::ops::Range;

/// A passage of at least this weight ends with the current block. It is about 80 English words; see
/// [`weight`].
const TARGET: usize = 500;
/// The greatest weight of a passage. A longer block is cut at the end of a line, and a longer line
/// at the end of a sentence.
const MOST: usize = 800;

/// A piece of a note's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage<'text> {
    /// Its byte range in the text. The first passage below a heading includes the heading.
    pub span: Range<usize>,
    /// The number of its first line, from 0.
    pub first_line: usize,
    /// The number of its last line that is not blank.
    pub last_line: usize,
    /// The headings above it, the outermost first.
    pub headings: Vec<&'text str>,
    /// The byte offset of its text, after the heading.
    pub(crate) below_heading: usize,
}

impl<'text> Passage<'text> {
    /// Its text without the heading.
    pub fn body<'whole>(&self, text: &'whole str) -> &'whole str {
        text.get(self.below_heading..self.span.end)
            .unwrap_or_default()
    }

    /// The innermost heading above it.
    pub fn heading(&self) -> Option<&'text str> {
        self.headings.last().copied()
    }
}

/// The passages of a text in order. The text is a note without its properties.
pub fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut splitting = Splitting::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        splitting.line(text, line, at);
        at += line.len();
        splitting.number += 1;
    }
    splitting.close(at);
    splitting.passages
}

#[derive(Default)]
struct Splitting<'text> {
    passages: Vec<Passage<'text>>,
    /// The headings above the current line with their levels.
    headings: Vec<(usize, &'text str)>,
    fence: Option<CodeFence>,
    open: Option<OpenPassage>,
    /// The number of the current line, from 0.
    number: usize,
}

#[derive(Clone, Copy)]
struct CodeFence {
    byte: u8,
    length: usize,
}

#[derive(Clone, Copy)]
struct OpenPassage {
    start: usize,
    below_heading: usize,
    first_line: usize,
    last_line: usize,
    weight: usize,
}

impl<'text> Splitting<'text> {
    fn line(&mut self, text: &'text str, line: &'text str, at: usize) {
        let is_code = self.fence.is_some();
        self.fence = fence_after(self.fence, line);
        if !is_code
            && self.fence.is_none()
            && let Some((level, title)) = heading(line)
        {
            self.close(at);
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, title));
            self.open = Some(OpenPassage {
                start: at,
                below_heading: at + line.len(),
                first_line: self.number,
                last_line: self.number,
                weight: 0,
            });
            return;
        }
        let is_blank = line.trim().is_empty();
        let is_full = self.open.is_some_and(|open| open.weight >= TARGET);
        // These lines end a block; code is never cut here.
        if is_full && !is_code && (is_blank || is_item(line)) {
            self.close(at);
        }
        if is_blank {
            return;
        }
        let weight = weight(line);
        if self
            .open
            .is_some_and(|open| open.weight > 0 && open.weight + weight > MOST)
        {
            self.close(at);
        }
        if weight > MOST {
            return self.long_line(text, line, at);
        }
        self.add(at, weight);
    }

    /// Adds a line that is longer than a passage, such as a whole paragraph, in pieces.
    fn long_line(&mut self, text: &'text str, line: &str, at: usize) {
        let mut start = 0;
        while let Some(rest) = line.get(start..).filter(|rest| !rest.is_empty()) {
            let length = piece(rest);
            self.add(at + start, weight(&rest[..length]));
            start += length;
            if start < line.len() {
                self.close(at + start);
            }
        }
        debug_assert!(text.len() >= at + start);
    }

    fn add(&mut self, at: usize, weight: usize) {
        let number = self.number;
        let open = self.open.get_or_insert(OpenPassage {
            start: at,
            below_heading: at,
            first_line: number,
            last_line: number,
            weight: 0,
        });
        open.weight += weight;
        open.last_line = number;
    }

    /// Ends the open passage at a byte offset. A heading without text below it is a passage too.
    fn close(&mut self, at: usize) {
        let Some(open) = self.open.take() else {
            return;
        };
        self.passages.push(Passage {
            span: open.start..at,
            first_line: open.first_line,
            last_line: open.last_line,
            headings: self.headings.iter().map(|(_, title)| *title).collect(),
            below_heading: open.below_heading,
        });
    }
}

/// The weight of a line: the number of its characters, but three for a character of three or more
/// bytes in UTF-8. These are mostly Chinese, Japanese and Korean, where a word has about two
/// characters.
fn weight(line: &str) -> usize {
    line.bytes()
        .map(|byte| match byte {
            // The further bytes of a character.
            0x80..=0xbf => 0,
            0xe0..=0xff => 3,
            _ => 1,
        })
        .sum()
}

/// The length in bytes of the first piece of a long line. It ends after the last sentence or else
/// the last blank in the second half of the target weight, or else where the target is reached.
fn piece(line: &str) -> usize {
    let mut weight = 0;
    let mut sentence = None;
    let mut blank = None;
    let mut previous = ' ';
    for (at, character) in line.char_indices() {
        if weight > TARGET {
            return sentence.or(blank).unwrap_or(at);
        }
        // In the first half, an end would make the piece too short.
        if weight > TARGET / 2 {
            let after = at + character.len_utf8();
            if character.is_whitespace() {
                blank = Some(after);
                if matches!(previous, '.' | '!' | '?' | ';') {
                    sentence = Some(after);
                }
            } else if matches!(character, '。' | '！' | '？' | '۔' | '।' | '។') {
                sentence = Some(after);
            }
        }
        weight += if character.len_utf8() > 2 { 3 } else { 1 };
        previous = character;
    }
    line.len()
}

/// The level and title of a heading, if the line is one (up to three blanks, then one to six `#`).
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let hashes = line.strip_prefix("   ").or_else(|| line.strip_prefix("  "));
    let line = hashes.or_else(|| line.strip_prefix(' ')).unwrap_or(line);
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let title = line.get(level..)?;
    if !(1..=6).contains(&level) || !(title.is_empty() || title.starts_with([' ', '\t'])) {
        return None;
    }
    Some((level, title.trim_end_matches('#').trim()))
}

/// The fence of a code block that is open after a line, given the fence that is open before it.
fn fence_after(before: Option<CodeFence>, line: &str) -> Option<CodeFence> {
    let bare = line.trim_start_matches(' ');
    let byte = bare
        .bytes()
        .next()
        .filter(|byte| matches!(byte, b'`' | b'~'));
    let Some(byte) = byte.filter(|_| line.len() - bare.len() < 4) else {
        return before;
    };
    let length = bare.bytes().take_while(|other| *other == byte).count();
    let rest = bare.get(length..).unwrap_or_default().trim();
    match before {
        Some(open) if byte == open.byte && length >= open.length && rest.is_empty() => None,
        None if length >= 3 && !(byte == b'`' && rest.contains('`')) => {
            Some(CodeFence { byte, length })
        }
        other => other,
    }
}

/// Whether the line begins a list item.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let after = if digits == 0 {
        rest.strip_prefix(['-', '*', '+'])
    } else {
        rest.strip_prefix(['.', ')'])
    };
    after.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_passage_ends_at_a_heading_and_knows_those_above() {
        let text = "intro\n\n# A\n\none\n```\n# code\n```\n## B ##\ntwo\n# C\n";
        let found = passages(text);
        let shown: Vec<_> = found
            .iter()
            .map(|passage| {
                (
                    passage.body(text).trim(),
                    passage.headings.join("/"),
                    passage.first_line,
                    passage.last_line,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("intro", String::new(), 0, 0),
                ("one\n```\n# code\n```", "A".into(), 2, 7),
                ("two", "A/B".into(), 8, 9),
                ("", "C".into(), 10, 10),
            ]
        );
        assert_eq!(found[1].heading(), Some("A"));
    }

    #[test]
    fn passages_have_about_eighty_words_and_end_with_blocks() {
        let sentence = "These are exactly nine words of one sentence here.\n";
        let text = format!("{}\n{}", sentence.repeat(12), sentence.repeat(3));
        let lines: Vec<_> = passages(&text)
            .iter()
            .map(|passage| (passage.first_line, passage.last_line))
            .collect();
        assert_eq!(lines, [(0, 11), (13, 15)]);
        let item = format!("- {sentence}");
        let sizes: Vec<_> = passages(&item.repeat(30))
            .iter()
            .map(|passage| passage.last_line - passage.first_line + 1)
            .collect();
        assert_eq!(sizes, [10, 10, 10]);
    }

    #[test]
    fn a_long_line_is_cut_between_sentences() {
        let text = "Nine words are in this sentence, as you see. ".repeat(40);
        let found = passages(&text);
        assert!(found.len() > 3);
        for passage in &found {
            let body = passage.body(&text);
            assert!(body.trim_end().ends_with("see."), "{body}");
            assert!(weight(body) <= MOST && passage.first_line == 0);
        }
        let chinese = "笔记是文件。".repeat(200);
        assert!(passages(&chinese).len() > 5);
    }

    proptest! {
        #[test]
        fn passages_hold_every_line_that_is_not_blank_once(text in "([#`\\- a-z語é]{0,30}\n?){0,40}") {
            let found = passages(&text);
            let mut end = 0;
            for passage in &found {
                prop_assert!(passage.span.start >= end && passage.span.end <= text.len());
                prop_assert!(text[end..passage.span.start].trim().is_empty());
                prop_assert!(passage.first_line <= passage.last_line);
                end = passage.span.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}

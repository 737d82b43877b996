//! Scans running text for links, embeds and tags, skipping code, math and HTML.
//!
//! One pass from left to right. A missing closing mark is searched for only once in a block:
//! [`AbsentMarkup`] remembers it. So a text full of opening marks takes linear time.

use memchr::memmem;

use super::{
    facts::{Link, NoteFacts, Tag},
    lines::NoteLines,
    link,
    opaque::{AbsentMarkup, CodeMarks},
    tag,
    written::{Written, WrittenLink},
};

/// The bit for emphasis with `_`, the only emphasis mark that a tag may contain.
const UNDERSCORE: u8 = 2;

/// The most brackets that may be open at once; beyond it the outermost are dropped.
const MOST_BRACKETS: usize = 2048;

/// The bytes that can start markup in running text.
const MARKS: &[u8; 13] = b"\n\\`$<[]#%*_~=";
const MEANS: [bool; 256] = {
    let mut table = [false; 256];
    let mut index = 0;
    while index < MARKS.len() {
        table[MARKS[index] as usize] = true;
        index += 1;
    }
    table
};

/// The number of bytes that are checked one by one first: marks are often close together.
const NEAR: usize = 6;
/// The number of bytes that are checked at a time (SIMD) between marks.
const LANES: usize = 16;

/// Returns the first byte from `at` on that can start markup.
fn next_mark(bytes: &[u8], mut at: usize) -> Option<usize> {
    let near = bytes.get(at..)?.iter().take(NEAR);
    if let Some(plain) = near.clone().position(|&byte| MEANS[byte as usize]) {
        return Some(at + plain);
    }
    at += near.len();
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LANES>)
        && !any_mark(block)
    {
        at += LANES;
    }
    let rest = bytes.get(at..)?;
    let plain = rest.iter().position(|&byte| MEANS[byte as usize])?;
    Some(at + plain)
}

/// Whether a byte of the block can start markup. No branches and no table, so that it compiles to
/// vector instructions.
fn any_mark(block: &[u8; LANES]) -> bool {
    let mut lanes = [0_u8; LANES];
    for &mark in MARKS {
        for (lane, &byte) in lanes.iter_mut().zip(block) {
            *lane |= u8::from(byte == mark);
        }
    }
    lanes.iter().fold(0, |any, lane| any | lane) != 0
}

/// Whether a `#` behind this byte begins a tag for some readers: not in a word, an address, a link or a reference.
pub(super) fn is_mark_before_tag(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !b"#&/[\\".contains(&byte)
}

/// A `[` that may begin a markdown link.
#[derive(Clone, Copy)]
struct Bracket {
    /// The offset after it, in bytes.
    inside: usize,
    line: usize,
    embed: bool,
    /// The links found before it.
    links: usize,
}

/// Reads stretches of running text into a note's facts.
#[derive(Default)]
pub(super) struct Inline {
    brackets: Vec<Bracket>,
    /// The record of markup that is not a fact; `None` unless it was requested.
    pub(super) written: Option<Written>,
}

/// The state of reading one range of text.
pub(super) struct InlineReader<'a, 't> {
    pub(super) lines: &'a NoteLines<'t>,
    facts: &'a mut NoteFacts,
    brackets: &'a mut Vec<Bracket>,
    pub(super) written: Option<&'a mut Written>,
    /// The markdown links found, as indexes, and the indexes of links inside others.
    markdown: Vec<usize>,
    inner: Vec<usize>,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The line that is read.
    line: usize,
    /// The offset of the start of the current run of text: a `#` there begins a tag.
    run: usize,
    in_table: bool,
    pub(super) missing: AbsentMarkup,
    /// The last run of backticks of each length in the text; computed lazily.
    pub(super) code_marks: Option<CodeMarks>,
    /// The last `]` in the text; computed lazily.
    closing_bracket: Option<usize>,
    /// The offset where the last footnote name that was examined ends.
    name_end: usize,
    /// The emphasis marks seen so far that could begin emphasis, one bit each.
    emphasis: u8,
}

impl Inline {
    /// Returns a reader that also records the markup that is not a fact.
    pub(super) fn for_written(hides_marks: bool) -> Self {
        Self {
            written: Some(Written::of_reader(hides_marks)),
            ..Self::default()
        }
    }

    /// Reads the text from `start` to `end`, which begins on a line.
    pub(super) fn read(
        &mut self,
        lines: &NoteLines<'_>,
        facts: &mut NoteFacts,
        (start, end, line): (usize, usize, usize),
        in_table: bool,
    ) {
        // Fast path: without these bytes there is no link, embed or tag.
        let has_facts = memchr::memchr2(b'[', b'#', &lines.bytes()[start..end]).is_some();
        if !has_facts && self.written.is_none() {
            return;
        }
        self.brackets.clear();
        let known = (facts.links.len(), facts.embeds.len());
        InlineReader {
            lines,
            facts,
            brackets: &mut self.brackets,
            written: self.written.as_mut(),
            markdown: Vec::new(),
            inner: Vec::new(),
            start,
            end,
            line,
            run: start,
            in_table,
            missing: AbsentMarkup::default(),
            code_marks: None,
            closing_bracket: None,
            name_end: 0,
            emphasis: 0,
        }
        .read();
        // A link is recorded at its end, so an enclosing link comes after the links inside it.
        facts.links[known.0..].sort_by_key(|link| link.span.start.byte);
        facts.embeds[known.1..].sort_by_key(|link| link.span.start.byte);
    }
}

impl<'t> InlineReader<'_, 't> {
    fn read(&mut self) {
        let bytes = self.lines.bytes();
        let mut at = self.start;
        while let Some(mark) = next_mark(&bytes[..self.end], at) {
            at = mark;
            at = match bytes[at] {
                b'\n' => self.next_line(at),
                b'\\' => self.escape(at),
                b'`' => self.code(at),
                b'$' => self.math(at),
                b'<' => self.html(at),
                b'[' => self.open(at),
                b']' => self.close(at),
                b'#' => self.tag(at),
                b'%' if self.byte(at + 1) == Some(b'%') => self.comment(at),
                mark @ (b'*' | b'_' | b'~' | b'=') => self.emphasis(at, mark),
                _ => at + 1,
            };
            at = at.min(self.end);
        }
        self.drop_inner();
    }

    fn drop_inner(&mut self) {
        if self.inner.is_empty() {
            return;
        }
        self.inner.sort_unstable();
        let mut index = 0;
        self.facts.links.retain(|_| {
            index += 1;
            self.inner.binary_search(&(index - 1)).is_err()
        });
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.lines.bytes()[..self.end].get(at).copied()
    }

    pub(super) fn rest(&self, at: usize) -> &'t [u8] {
        self.lines.bytes().get(at..self.end).unwrap_or_default()
    }

    /// Begins a new text run.
    pub(super) fn text_from(&mut self, at: usize) -> usize {
        self.run = at;
        at
    }

    /// Begins a new text run after something that may span several lines. Container marks at the
    /// start of its last line do not count as text.
    pub(super) fn text_behind(&mut self, at: usize) -> usize {
        self.line = self.lines.line_of(at, self.line);
        self.text_from(at.max(self.lines.line(self.line).from))
    }

    fn next_line(&mut self, at: usize) -> usize {
        self.text_behind(at + 1)
    }

    fn escape(&mut self, at: usize) -> usize {
        match self.byte(at + 1) {
            Some(next) if next.is_ascii_punctuation() => self.text_from(at + 2),
            _ => at + 1,
        }
    }

    fn open(&mut self, at: usize) -> usize {
        if let Some(end) = self.footnote(at) {
            return end;
        }
        let opens = self
            .rest(at)
            .iter()
            .take_while(|&&byte| byte == b'[')
            .count();
        if opens >= 2 {
            let start = at + opens - 2;
            (at..start).for_each(|bracket| self.push(bracket));
            return self.wikilink(start);
        }
        if self.byte(at + 1) == Some(b'^') {
            let end = self.name_end(at + 2);
            if end > at + 2 && self.byte(end) == Some(b']') {
                return self.text_from(end + 1);
            }
        }
        self.push(at);
        self.text_from(at + 1)
    }

    /// Returns the offset where a footnote's name ends: at the next `]` or white space. All names before that end there
    /// too, so a text with many openings is searched only once.
    fn name_end(&mut self, at: usize) -> usize {
        if at > self.name_end {
            let ends = |byte: &u8| *byte == b']' || byte.is_ascii_whitespace();
            let length = self.rest(at).iter().position(ends);
            self.name_end = length.map_or(self.end, |length| at + length);
        }
        self.name_end
    }

    /// Whether a `!` comes right before, in the same run, so that it is not escaped.
    fn is_embed(&self, at: usize) -> bool {
        at > self.run && self.lines.bytes()[at - 1] == b'!'
    }

    fn push(&mut self, at: usize) {
        if self.brackets.len() == MOST_BRACKETS {
            self.brackets.drain(..MOST_BRACKETS / 2);
        }
        let embed = self.is_embed(at);
        let links = self.facts.links.len();
        self.brackets.push(Bracket {
            inside: at + 1,
            line: self.line,
            embed,
            links,
        });
    }

    fn wikilink(&mut self, at: usize) -> usize {
        let bytes = self.lines.bytes();
        let inside = at + 2;
        if let Some(close) = link::close(bytes, inside, self.end)
            && let Some((target, text)) = link::wikilink(
                &self.lines.text[inside..close],
                self.in_table,
                self.lines.all,
            )
        {
            let embed = self.is_embed(at);
            self.record(
                at - usize::from(embed),
                close + 2,
                self.line,
                (target, text),
                embed,
            );
            return self.text_from(close + 2);
        }
        self.push(at);
        self.push(at + 1);
        self.text_from(inside)
    }

    fn close(&mut self, at: usize) -> usize {
        let Some(bracket) = self.brackets.pop() else {
            return at + 1;
        };
        let text = self.lines.text;
        let found = (self.byte(at + 1) == Some(b'('))
            .then(|| link::destination(text, at + 1, self.end, &mut self.missing.title_bracket));
        let Some(destination) = found.flatten() else {
            return self.text_from(at + 1);
        };
        if let Some(written) = &mut self.written {
            let range = destination.written();
            written.links.push(WrittenLink {
                is_image: bracket.embed,
                at: range.start,
                target: text.get(range).unwrap_or_default().to_owned(),
            });
        }
        if !bracket.embed {
            // If Markdown links are nested, the outer one counts; wikilinks always count.
            let inner = self.markdown.partition_point(|&link| link < bracket.links);
            self.inner.extend(self.markdown.drain(inner..));
        }
        if let Some(target) = destination.target() {
            let label = self.lines.copy_if_wanted(bracket.inside..at);
            let start = bracket.inside - 1 - usize::from(bracket.embed);
            if !bracket.embed {
                self.markdown.push(self.facts.links.len());
            }
            self.record(
                start,
                destination.end,
                bracket.line,
                (target, label),
                bracket.embed,
            );
        }
        self.text_behind(destination.end)
    }

    fn record(
        &mut self,
        start: usize,
        end: usize,
        line: usize,
        (target, text): link::LinkParts,
        embed: bool,
    ) {
        let found = Link {
            target,
            original: self.lines.copy_if_wanted(start..end),
            display: Some(text),
            span: self.lines.span(start, end, line),
        };
        if embed {
            self.facts.embeds.push(found);
        } else {
            self.facts.links.push(found);
        }
    }

    fn tag(&mut self, at: usize) -> usize {
        let text = self.lines.text;
        let behind_bracket = self
            .brackets
            .last()
            .is_some_and(|bracket| bracket.inside == at);
        let begins = if behind_bracket {
            self.last_closing_bracket() > at
        } else {
            at == self.run || text[..at].ends_with(char::is_whitespace)
        };
        let is_behind_mark =
            || is_mark_before_tag(self.lines.bytes()[at - 1]) && !self.in_address(at);
        if !(begins || at > self.start && self.hides_marks() && is_behind_mark()) {
            return at + 1;
        }
        let Some((mut tag, mut end)) = tag::tag_at(text, at, self.end) else {
            return at + 1;
        };
        if self.emphasis & UNDERSCORE != 0 && tag.ends_with('_') {
            // These marks close the emphasis around the tag.
            tag = tag.trim_end_matches('_');
            end = at + tag.len();
        }
        let span = self.lines.span(at, at + tag.len(), self.line);
        self.facts.tags.push(Tag {
            tag: tag.to_owned(),
            span,
        });
        end
    }

    /// Returns the offset of the last `]` of the text; zero if there is none.
    pub(super) fn last_closing_bracket(&mut self) -> usize {
        let text = &self.lines.bytes()[self.start..self.end];
        *self.closing_bracket.get_or_insert_with(|| {
            memchr::memrchr(b']', text).map_or(0, |found| self.start + found)
        })
    }

    /// Reads past a run of emphasis marks. A new text run begins at both ends of emphasis.
    fn emphasis(&mut self, at: usize, mark: u8) -> usize {
        let length = self
            .rest(at)
            .iter()
            .take_while(|&&byte| byte == mark)
            .count();
        let next = at + length;
        if length < 2 && matches!(mark, b'~' | b'=') {
            return next;
        }
        let bytes = self.lines.bytes();
        let white = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_whitespace());
        let from = self.lines.line(self.line).from.max(self.start);
        let before = (at > from).then(|| bytes[at - 1]);
        let after = self.byte(next);
        let word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
        let opens = !white(after) && (mark != b'_' || !word(before));
        let closes = !white(before) && (mark != b'_' || !word(after));
        let bit = match mark {
            b'*' => 1,
            b'_' => UNDERSCORE,
            b'~' => 4,
            _ => 8,
        };
        let closing = closes && self.emphasis & bit != 0;
        // Only a tag directly after the marks depends on whether they are emphasis or text.
        let opening =
            opens && after == Some(b'#') && memchr::memchr(mark, self.rest(next)).is_some();
        if closing {
            self.emphasis &= !bit;
        } else if opens {
            self.emphasis |= bit;
        }
        if (opening || closing) && !self.in_address(at) {
            self.run = next;
        }
        next
    }

    /// Whether the text before, back to white space, is the beginning of a bare address.
    fn in_address(&self, at: usize) -> bool {
        const LONGEST: usize = 256;
        let from = at
            .saturating_sub(LONGEST)
            .max(self.lines.line(self.line).from);
        let before = &self.lines.bytes()[from..at];
        let word = before
            .iter()
            .rposition(u8::is_ascii_whitespace)
            .map_or(0, |white| white + 1);
        memmem::find(&before[word..], b"://").is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_comparisons_know_the_same_marks() {
        for byte in 0..=u8::MAX {
            let mut block = [b'x'; LANES];
            block[7] = byte;
            assert_eq!(any_mark(&block), MEANS[usize::from(byte)], "{byte}");
            let found = next_mark(&[b"xxx", &block[..]].concat(), 1);
            assert_eq!(found, MEANS[usize::from(byte)].then_some(10));
        }
    }
}

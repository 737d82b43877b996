//! A note prepared for edits of its text: lines, properties, line ends. Offsets are bytes of the
//! note without its byte order mark.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use crate::byte_order_mark;
use crate::cancellation::CancellationToken;
use crate::frontmatter::{PropertiesBlock, split_unmarked};
use crate::scan::{NoteFacts, scan_under};

/// A note, cut into lines.
pub struct Sheet<'note> {
    bytes: &'note [u8],
    /// The text, with one character for each byte that is not UTF-8, so that offsets equal byte offsets.
    pub text: Cow<'note, str>,
    /// The byte offset of each line. A line end at the end of the text begins no further line.
    starts: Vec<usize>,
    block: Option<PropertiesBlock>,
    facts: OnceCell<NoteFacts>,
    cancellation: CancellationToken,
}

/// Returns the line end of most lines of a text.
pub fn most_line_ends(lines: &[u8]) -> &'static str {
    let all = memchr::memchr_iter(b'\n', lines).count();
    let with_return = memchr::memmem::find_iter(lines, b"\r\n").count();
    if with_return * 2 > all { "\r\n" } else { "\n" }
}

/// A replacement for a range of the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The range to replace; empty for an insertion.
    pub range: Range<usize>,
    /// The new text, with the note's line ends.
    pub text: String,
    /// The range that no other edit may touch: `range` and the text by which it was found.
    pub claimed: Range<usize>,
}

impl Patch {
    /// Replaces these bytes of the note with `text`.
    pub fn new(range: Range<usize>, text: String) -> Self {
        Self {
            claimed: range.clone(),
            range,
            text,
        }
    }
}

impl<'note> Sheet<'note> {
    /// Splits the bytes of a note into its lines.
    pub fn new(note: &'note [u8]) -> Self {
        let bytes = byte_order_mark::strip_bytes(note);
        let text = same_length(bytes);
        let starts = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', bytes).map(|end| end + 1))
            .filter(|start| *start < bytes.len())
            .collect();
        Self {
            starts,
            block: split_unmarked(&text),
            facts: OnceCell::new(),
            cancellation: CancellationToken::default(),
            bytes,
            text,
        }
    }

    /// Returns the same note, whose structure is not parsed to its end after a cancellation.
    #[must_use]
    pub fn with_cancellation(self, cancellation: CancellationToken) -> Self {
        Self {
            cancellation,
            ..self
        }
    }

    /// Returns the structure of the note, parsed on first use: an edit of a text needs none. After a cancellation it is
    /// meaningless: callers must check the token before they use what they found.
    pub fn facts(&self) -> &NoteFacts {
        self.facts.get_or_init(|| self.facts_of(&self.text))
    }

    /// Returns the structure of another text of the note, as [`Self::facts`].
    pub fn facts_of(&self, text: &str) -> NoteFacts {
        scan_under(text, &self.cancellation).unwrap_or_default()
    }

    /// Returns the note without its byte order mark.
    pub fn bytes(&self) -> &'note [u8] {
        self.bytes
    }

    /// Returns the byte offset of the text below the properties.
    pub fn body_start(&self) -> usize {
        self.block.as_ref().map_or(0, |block| block.body)
    }

    /// Returns the range between the `---` lines of the properties.
    pub fn yaml(&self) -> Option<Range<usize>> {
        self.block.as_ref().map(|block| block.yaml.clone())
    }

    /// Returns the first line below the properties, counted from 0.
    pub fn first_body_line(&self) -> usize {
        let start = self.body_start();
        if start == 0 {
            0
        } else {
            self.starts.partition_point(|at| *at < start)
        }
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the line of a byte, counted from 0.
    pub fn line_at(&self, byte: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= byte)
            .saturating_sub(1)
    }

    /// Returns the byte offset of a line; past the last line, the end of the text.
    pub fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.bytes.len())
    }

    /// Returns a line without its end.
    pub fn line(&self, line: usize) -> &str {
        self.text.get(self.line_range(line)).unwrap_or_default()
    }

    /// Returns the range of a line without its end.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let start = self.line_start(line);
        let whole = &self.bytes[start..self.line_start(line + 1)];
        let content = whole.strip_suffix(b"\n").unwrap_or(whole);
        let content = if content.len() < whole.len() {
            content.strip_suffix(b"\r").unwrap_or(content)
        } else {
            content
        };
        start..start + content.len()
    }

    /// Whether this line, counted from 0, has only white space.
    pub fn is_blank(&self, line: usize) -> bool {
        self.line(line).trim().is_empty()
    }

    /// Returns the line end of most lines of the body, or of all lines if the body has none.
    pub fn line_end(&self) -> &'static str {
        let body = &self.bytes[self.body_start()..];
        let lines = if body.contains(&b'\n') {
            body
        } else {
            self.bytes
        };
        most_line_ends(lines)
    }

    /// `text` with the line ends of the note.
    pub fn with_line_ends(&self, text: &str) -> String {
        let plain = text.replace("\r\n", "\n");
        match self.line_end() {
            "\n" => plain,
            line_end => plain.replace('\n', line_end),
        }
    }

    /// Inserts whole lines before a line; behind the last one they go to the end, and the note ends
    /// with a line end only if it did. `content` has the note's line ends and none at its end.
    pub fn inserted(&self, line: usize, content: &str) -> Patch {
        let end = self.line_end();
        let at = self.line_start(line);
        let is_open =
            at == self.bytes.len() && !self.bytes.is_empty() && !self.bytes.ends_with(b"\n");
        let text = if is_open {
            format!("{end}{content}")
        } else {
            format!("{content}{end}")
        };
        Patch::new(at..at, text)
    }

    /// Replaces whole lines, `last` included, with `content`; `None` removes them.
    pub fn replaced(&self, first: usize, last: usize, content: Option<&str>) -> Patch {
        let start = self.line_start(first);
        match content {
            Some(content) => Patch::new(start..self.line_range(last).end, content.to_owned()),
            None => Patch::new(start..self.line_start(last + 1), String::new()),
        }
    }

    /// Whether these ranges, which are sorted and disjoint, cover all of the note's text: the text
    /// below the properties, or the properties if there is no other text.
    pub fn is_emptied<'range>(&self, ranges: impl Iterator<Item = &'range Range<usize>>) -> bool {
        let is_blank = |bytes: &[u8]| bytes.trim_ascii().is_empty();
        let body = self.body_start();
        let start = if is_blank(&self.bytes[body..]) {
            0
        } else {
            body
        };
        if is_blank(&self.bytes[start..]) {
            return false;
        }
        let mut at = start;
        for range in ranges {
            if range.start > at && !is_blank(&self.bytes[at..range.start]) {
                return false;
            }
            at = at.max(range.end);
        }
        is_blank(&self.bytes[at..])
    }

    /// Returns the note after these patches, which are sorted and disjoint.
    pub fn with(&self, note: &[u8], patches: &[Patch]) -> Vec<u8> {
        let mark = note.len() - self.bytes.len();
        let mut after = note[..mark].to_vec();
        let mut at = 0;
        for patch in patches {
            after.extend_from_slice(&self.bytes[at..patch.range.start]);
            after.extend_from_slice(patch.text.as_bytes());
            at = patch.range.end;
        }
        after.extend_from_slice(&self.bytes[at..]);
        after
    }
}

/// `content` as whole lines: without the end of its last line. `None` for an empty text.
pub fn whole_lines(content: &str) -> Option<&str> {
    if content.is_empty() {
        return None;
    }
    let content = content.strip_suffix('\n').unwrap_or(content);
    Some(content.strip_suffix('\r').unwrap_or(content))
}

/// Returns the text with one `?` in place of each byte that is not UTF-8, which keeps all offsets.
pub fn same_length(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("sheet_cases.txt");

    #[test]
    fn lines_are_those_of_the_file() {
        for (note, lines) in [
            ("", vec![]),
            ("a", vec!["a"]),
            ("a\n", vec!["a"]),
            ("\u{feff}a\r\n\r\nb\rc", vec!["a", "", "b\rc"]),
            ("\n\n", vec!["", ""]),
        ] {
            let sheet = Sheet::new(note.as_bytes());
            let found: Vec<&str> = (0..sheet.line_count())
                .map(|line| sheet.line(line))
                .collect();
            assert_eq!(found, lines, "{note:?}");
        }
        let sheet = Sheet::new(b"---\na: 1\n---\nx\n");
        assert_eq!((sheet.first_body_line(), sheet.line_at(13)), (3, 3));
        assert_eq!(Sheet::new(b"---\na: 1\n---").first_body_line(), 3);
    }

    #[test]
    fn the_line_end_is_that_of_the_body() {
        for [note, expected] in tables::section(CASES, "the line end is that of the body") {
            assert_eq!(Sheet::new(note.as_bytes()).line_end(), expected, "{note:?}");
        }
    }
}

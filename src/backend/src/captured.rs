//! Captured output of a child process. All of it is read and counted, but only the first bytes are
//! kept (`threats.toml` F01, F08, F15).
//!
//! A truncated stream keeps its head only, up to a character boundary. The tail is never appended
//! to it, because a reader could not tell the splice from the text itself.

use std::io::BufRead as _;

use cli_output::{PageUnit, Shape};
use serde::{Deserialize, Serialize};

/// A stream of a child: its first bytes, and counts of all that was printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// The first bytes. If truncated, they end at a character boundary. Sent after the message that
    /// contains the counts.
    #[serde(skip)]
    pub head: Vec<u8>,
    /// Total number of bytes printed.
    pub total: u64,
    /// Total number of line feeds printed.
    pub line_feeds: u64,
}

impl Captured {
    /// Adds a text at the start.
    pub fn lead_with(&mut self, text: &str) {
        self.head.splice(..0, text.bytes());
        self.total = self
            .total
            .saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
    }
}

/// A captured stream, decoded as UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedText {
    /// The first bytes as text.
    pub text: String,
    /// Number of bytes after the head that were not kept.
    pub omitted: u64,
    /// Whether invalid UTF-8 was replaced by U+FFFD.
    pub lossy: bool,
}

impl CapturedText {
    /// Whether the stream was truncated.
    pub fn is_cut(&self) -> bool {
        self.omitted > 0
    }
}

/// Returns the complete rows of a truncated list, or all of a text. A property may take several rows, so the last,
/// possibly incomplete property is dropped.
pub fn whole_rows(text: &str, is_cut: bool, shape: Shape) -> &str {
    if !is_cut || is_text(shape) {
        return text;
    }
    let rows = text.rsplit_once('\n').map_or("", |(rows, _)| rows);
    if shape == Shape::Properties {
        before_last_key(rows)
    } else {
        rows
    }
}

/// Returns the length in bytes of the complete rows of a truncated list, including the last line
/// feed.
pub fn whole_rows_end(text: &str, shape: Shape) -> usize {
    let rows = whole_rows(text, true, shape).len();
    let ends_here = rows > 0 && text.as_bytes().get(rows) == Some(&b'\n');
    rows + usize::from(ends_here)
}

/// Whether the output is one text, which can be cut after any character and continued from there.
pub fn is_text(shape: Shape) -> bool {
    matches!(
        shape.page_unit(),
        Some(PageUnit::Characters | PageUnit::DrawnCharacters)
    )
}

/// Returns the rows before the last one that is not indented.
fn before_last_key(rows: &str) -> &str {
    let mut end = rows.len();
    for line in rows.rsplit('\n') {
        let start = end - line.len();
        if !line.is_empty() && !line.starts_with([' ', '\t', '-', '\r']) {
            return rows.get(..start.saturating_sub(1)).unwrap_or_default();
        }
        end = start.saturating_sub(1);
    }
    ""
}

impl Captured {
    /// Captures complete output, keeping the first `most` bytes.
    pub fn from_bytes(bytes: Vec<u8>, most: usize) -> Self {
        let mut collector = StreamCollector::new(most);
        if bytes.len() <= most {
            collector.count(&bytes);
            collector.captured.head = bytes;
        } else {
            collector.push(&bytes);
        }
        collector.captured()
    }

    /// Returns the beginning of a stream of `total` bytes.
    pub fn beginning(head: Vec<u8>, total: usize) -> Self {
        Self {
            head,
            total: u64::try_from(total).unwrap_or(u64::MAX),
            ..Self::default()
        }
    }

    /// Number of bytes after the head that were not kept.
    pub fn omitted(&self) -> u64 {
        self.total
            .saturating_sub(u64::try_from(self.head.len()).unwrap_or(u64::MAX))
    }

    /// Returns the complete stream; `None` if it was truncated.
    pub fn whole(&self) -> Option<&[u8]> {
        (self.omitted() == 0).then_some(&self.head)
    }

    /// Truncates the head to this many bytes. The total does not change.
    pub fn keep_first(&mut self, bytes: usize) {
        self.head.truncate(bytes);
    }

    /// Like [`Self::text`], but does not copy valid UTF-8.
    pub fn into_text(self) -> CapturedText {
        let omitted = self.omitted();
        let (text, lossy) = match String::from_utf8(self.head) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        CapturedText {
            text,
            omitted,
            lossy,
        }
    }

    /// Decodes the head. Invalid UTF-8 is replaced and flagged (`threats.toml` F04).
    pub fn text(&self) -> CapturedText {
        self.clone().into_text()
    }
}

/// Removes an incomplete character at the end.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    // A character of UTF-8 has at most four bytes.
    let start = bytes.len().saturating_sub(4);
    let last = (start..bytes.len())
        .rev()
        .find(|at| !is_continuation(bytes[*at]));
    match last {
        Some(at) => match std::str::from_utf8(&bytes[at..]) {
            Err(error) if error.error_len().is_none() => &bytes[..at],
            Ok(_) | Err(_) => bytes,
        },
        None => bytes,
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Counts line feeds. Uses the standard library's search, which is fast in debug builds too.
fn count_line_feeds(mut bytes: &[u8]) -> u64 {
    let has_open_end = bytes.last().is_some_and(|last| *last != b'\n');
    let mut lines = 0;
    while matches!(bytes.skip_until(b'\n'), Ok(1..)) {
        lines += 1;
    }
    lines - u64::from(has_open_end)
}

/// Captures a stream in bounded memory.
#[derive(Debug)]
pub struct StreamCollector {
    captured: Captured,
    most: usize,
}

impl StreamCollector {
    /// Keeps at most `most` bytes.
    pub fn new(most: usize) -> Self {
        let captured = Captured::default();
        Self { captured, most }
    }

    /// Adds the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.count(bytes);
        let kept = bytes.len().min(self.most - self.captured.head.len());
        self.captured.head.extend_from_slice(&bytes[..kept]);
    }

    fn count(&mut self, bytes: &[u8]) {
        let Captured {
            total, line_feeds, ..
        } = &mut self.captured;
        *total = total.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        *line_feeds = line_feeds.saturating_add(count_line_feeds(bytes));
    }

    /// Ends the capture. A truncated head is cut back to a character boundary.
    pub fn captured(mut self) -> Captured {
        // Cut at a character boundary only if something was dropped. Complete output stays byte for
        // byte, even if it ends in the middle of a character.
        if self.captured.omitted() > 0 {
            let whole_characters = without_cut_end(&self.captured.head).len();
            self.captured.keep_first(whole_characters);
        }
        self.captured
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn collect(chunks: &[&[u8]], most: usize) -> Captured {
        let mut collector = StreamCollector::new(most);
        for chunk in chunks {
            collector.push(chunk);
        }
        collector.captured()
    }

    #[test]
    fn f04_a_character_cut_at_the_end_is_left_out_and_counted() {
        // Each character has four bytes; the limit falls into the middle of the fourth character.
        let text = "😀".repeat(10);
        let got = collect(&[text.as_bytes()], 14).text();
        assert_eq!(got.text, "😀😀😀");
        assert_eq!(got.omitted, 28);
        assert!(got.is_cut() && !got.lossy);
    }

    #[test]
    fn f04_invalid_text_is_replaced_and_flagged() {
        let got = collect(&[b"a\xffb"], 100).text();
        assert_eq!(got.text, "a\u{fffd}b");
        assert!(got.lossy);
        assert_eq!(got.omitted, 0);
    }

    #[test]
    fn f15_a_cut_list_keeps_whole_rows() {
        let rows = |text, shape| whole_rows(text, true, shape);
        assert_eq!(rows("a.md\nb.md\nc.m", Shape::Files), "a.md\nb.md");
        // The row may continue after the cut, so it may be half of a name.
        assert_eq!(rows("a.md\nb.md", Shape::Files), "a.md");
        assert_eq!(rows("a.md", Shape::Files), "");
        assert_eq!(rows("a: 1\nb:\n  - x\n  - y", Shape::Properties), "a: 1");
        assert_eq!(rows("a\nb", Shape::NoteText), "a\nb");
        assert_eq!(whole_rows("a.md\nb.m", false, Shape::Files), "a.md\nb.m");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn f08_the_head_and_the_count_are_exact_for_any_chunking(
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20),
            most in 0_usize..100,
        ) {
            let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            let whole = chunks.concat();
            let got = collect(&chunks, most);
            prop_assert_eq!(got.total, whole.len() as u64);
            prop_assert!(got.head.len() <= most);
            prop_assert!(whole.len() <= most || got.head.len() + 3 >= most);
            prop_assert!(whole.starts_with(&got.head));
            prop_assert_eq!(got.omitted(), (whole.len() - got.head.len()) as u64);
            prop_assert_eq!(got.line_feeds, memchr::memchr_iter(b'\n', &whole).count() as u64);
            let fits = whole.len() <= most;
            prop_assert_eq!(got.whole(), fits.then_some(whole.as_slice()));
        }

        #[test]
        fn f04_valid_text_stays_valid_whatever_the_cap(
            text in "\\PC{0,40}", most in 0_usize..60, step in 1_usize..7,
        ) {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(step).collect();
            let got = collect(&chunks, most).text();
            prop_assert!(!got.lossy);
            prop_assert!(text.starts_with(&got.text));
            prop_assert_eq!(got.omitted + got.text.len() as u64, text.len() as u64);
        }
    }
}

//! What a child printed: everything is read and counted, and at most so many bytes are kept,
//! the first half and the last half (`faults.md` F01, F08).

use std::collections::VecDeque;

use cli_output::Shape;

/// A stream as it was captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; empty where the head holds everything.
    pub tail: Vec<u8>,
    /// How many bytes were printed.
    pub total: u64,
}

/// A stream as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedText {
    /// The head and the tail, joined. Always valid text.
    pub text: String,
    /// How many bytes of the stream are not in it, invalid ones that were replaced not counted.
    pub omitted: u64,
    /// Where in `text`, in bytes, the omitted part was; none when nothing was omitted.
    pub gap: Option<usize>,
    /// Whether invalid UTF-8 was replaced by U+FFFD.
    pub lossy: bool,
}

/// Of a list that was cut at `gap`, the rows before the cut; a note's text is what was kept of it.
/// A property may take several rows, so the last one before the cut is left out with them.
pub fn whole_rows(text: &str, gap: Option<usize>, shape: Shape) -> &str {
    let Some(gap) = gap else { return text };
    if matches!(shape, Shape::NoteText | Shape::RandomNote) {
        return text;
    }
    let head = text.get(..gap).unwrap_or_default();
    let rows = head.rsplit_once('\n').map_or("", |(rows, _)| rows);
    if shape == Shape::Properties {
        before_last_key(rows)
    } else {
        rows
    }
}

/// The rows before the last one that begins at the left edge.
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
    /// A stream that is known whole, of which at most `most` bytes are kept.
    pub fn of(bytes: Vec<u8>, most: usize) -> Self {
        if bytes.len() <= most {
            let total = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            return Self {
                head: bytes,
                tail: Vec::new(),
                total,
            };
        }
        let mut collector = Collector::new(most);
        collector.push(&bytes);
        collector.captured()
    }

    /// Every byte that was kept, in order.
    pub fn kept(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }

    /// How many bytes are missing between the head and the tail.
    pub fn omitted(&self) -> u64 {
        let kept = self.head.len().saturating_add(self.tail.len());
        self.total
            .saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX))
    }

    /// The whole stream, where it was kept whole.
    pub fn whole(&self) -> Option<Vec<u8>> {
        (self.omitted() == 0).then(|| self.kept())
    }

    /// The same as [`Self::text`], without a second copy of a stream that is text.
    pub fn into_text(self) -> CapturedText {
        if self.omitted() > 0 || !self.tail.is_empty() {
            return self.text();
        }
        match String::from_utf8(self.head) {
            Ok(text) => CapturedText {
                text,
                ..CapturedText::default()
            },
            Err(error) => CapturedText {
                text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                lossy: true,
                ..CapturedText::default()
            },
        }
    }

    /// The stream as text: cut on character boundaries, invalid UTF-8 replaced and flagged
    /// (`faults.md` F04).
    pub fn text(&self) -> CapturedText {
        if let Some(bytes) = self.whole() {
            let (text, lossy) = decode(&bytes);
            return CapturedText {
                text,
                omitted: 0,
                gap: None,
                lossy,
            };
        }
        let head = without_cut_end(&self.head);
        let tail = without_cut_start(&self.tail);
        let (mut text, head_lossy) = decode(head);
        let gap = text.len();
        let (rest, tail_lossy) = decode(tail);
        text.push_str(&rest);
        let kept = u64::try_from(head.len() + tail.len()).unwrap_or(u64::MAX);
        CapturedText {
            text,
            omitted: self.total.saturating_sub(kept),
            gap: Some(gap),
            lossy: head_lossy || tail_lossy,
        }
    }
}

fn decode(bytes: &[u8]) -> (String, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_invalid) => (String::from_utf8_lossy(bytes).into_owned(), true),
    }
}

/// Without a character whose end was cut off.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    // The last character starts at most four bytes before the end.
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

/// Without a character whose beginning was cut off.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let cut = bytes
        .iter()
        .take(3)
        .take_while(|byte| is_continuation(**byte))
        .count();
    &bytes[cut..]
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Collects a stream within a fixed amount of memory.
#[derive(Debug)]
pub(crate) struct Collector {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_room: usize,
    tail_room: usize,
    total: u64,
}

impl Collector {
    /// Keeps at most `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_room: most - most / 2,
            tail_room: most / 2,
            total: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total = self
            .total
            .saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let for_head = bytes.len().min(self.head_room - self.head.len());
        let (head, rest) = bytes.split_at(for_head);
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_room)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.tail_room);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// What was collected so far.
    pub(crate) fn captured(self) -> Captured {
        Captured {
            head: self.head,
            tail: self.tail.into(),
            total: self.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn collect(chunks: &[&[u8]], most: usize) -> Captured {
        let mut collector = Collector::new(most);
        for chunk in chunks {
            collector.push(chunk);
        }
        collector.captured()
    }

    #[test]
    fn f04_characters_cut_at_the_gap_are_left_out_and_counted() {
        // Four bytes each; the cap cuts the second and the last but one in the middle.
        let text = "😀".repeat(10);
        let got = collect(&[text.as_bytes()], 12).text();
        assert_eq!(got.text, "😀😀");
        assert_eq!(got.gap, Some(4));
        assert_eq!(got.omitted, 32);
        assert!(!got.lossy);
    }

    #[test]
    fn f04_invalid_text_is_replaced_and_flagged() {
        let got = collect(&[b"a\xffb"], 100).text();
        assert_eq!(got.text, "a\u{fffd}b");
        assert!(got.lossy);
        assert_eq!(got.omitted, 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn f08_head_and_tail_are_exact_for_any_chunking(
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..20),
            most in 0_usize..100,
        ) {
            let chunks: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
            let whole = chunks.concat();
            let got = collect(&chunks, most);
            prop_assert_eq!(got.total, whole.len() as u64);
            prop_assert!(got.head.len() + got.tail.len() <= most);
            prop_assert!(whole.starts_with(&got.head));
            prop_assert!(whole.ends_with(&got.tail));
            prop_assert_eq!(got.omitted(), whole.len().saturating_sub(most) as u64);
            if whole.len() <= most {
                prop_assert_eq!(got.whole().unwrap(), whole);
            } else {
                prop_assert_eq!(got.whole(), None);
            }
        }

        #[test]
        fn f04_valid_text_stays_valid_whatever_the_cap(
            text in "\\PC{0,40}", most in 0_usize..60, step in 1_usize..7,
        ) {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(step).collect();
            let got = collect(&chunks, most).text();
            prop_assert!(!got.lossy);
            let kept = got.gap.map_or_else(
                || got.text == text,
                |gap| text.starts_with(&got.text[..gap]) && text.ends_with(&got.text[gap..]),
            );
            prop_assert!(kept);
            prop_assert_eq!(got.omitted + got.text.len() as u64, text.len() as u64);
        }
    }
}

//! Finds the lines on which hits are.

use std::ops::Range;

use super::hits::Hits;

/// The maximum number of bytes for the lines of one note, with [`LINE_BYTES`] for each line.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// The memory that a line is assumed to take besides its text, in bytes.
const LINE_BYTES: usize = 48;

/// The lines with hits of one note; each is kept once, however many hits it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HitLines {
    /// The lines in the order of the text.
    pub lines: Vec<HitLine>,
    /// The number of hits whose lines are not kept.
    pub left_out: usize,
}

/// A line with hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitLine {
    /// Its number, from 1.
    pub number: usize,
    /// Its text, without white space at its start and end.
    pub text: String,
    /// The number of hits that begin on it.
    pub hits: usize,
}

impl HitLines {
    /// The lines on which hits begin.
    pub fn new(text: &str, hits: &Hits) -> Self {
        let mut found = Self::up_to(MAX_BYTES, text, &hits.places);
        found.left_out += hits.left_out;
        found
    }

    fn up_to(limit: usize, text: &str, hits: &[Range<usize>]) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        let mut kept = 0;
        let mut number = 1;
        let mut counted = 0;
        let mut end = None;
        for hit in hits {
            if end.is_some_and(|end| hit.start <= end) {
                match found.lines.last_mut() {
                    Some(line) if found.left_out == 0 => line.hits += 1,
                    _ => found.left_out += 1,
                }
                continue;
            }
            let between = bytes.get(counted..hit.start).unwrap_or_default();
            number += memchr::memchr_iter(b'\n', between).count();
            counted = hit.start;
            let start = memchr::memrchr(b'\n', bytes.get(..hit.start).unwrap_or_default())
                .map_or(0, |newline| newline + 1);
            let rest = bytes.get(hit.start..).unwrap_or_default();
            let line_end =
                memchr::memchr(b'\n', rest).map_or(bytes.len(), |length| hit.start + length);
            end = Some(line_end);
            let line = text.get(start..line_end).unwrap_or_default().trim();
            kept += line.len() + LINE_BYTES;
            if kept > limit {
                found.left_out += 1;
            } else {
                found.lines.push(HitLine {
                    number,
                    text: line.to_owned(),
                    hits: 1,
                });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit_lines(text: &str, needle: &str) -> Vec<(usize, String, usize)> {
        let hits: Vec<_> = text
            .match_indices(needle)
            .map(|(at, hit)| at..at + hit.len())
            .collect();
        let lines = HitLines::up_to(MAX_BYTES, text, &hits);
        assert_eq!(lines.left_out, 0);
        lines
            .lines
            .into_iter()
            .map(|line| (line.number, line.text, line.hits))
            .collect()
    }

    #[test]
    fn lines_are_counted_from_one_and_trimmed() {
        let text = "first\r\n\n  a hit, a hit \r\nnone\nhit\n";
        assert_eq!(
            hit_lines(text, "hit"),
            [(3, "a hit, a hit".into(), 2), (5, "hit".into(), 1)]
        );
        assert_eq!(hit_lines("hit", "hit"), [(1, "hit".into(), 1)]);
        assert_eq!(hit_lines("a\nhi\nt", "hi\nt"), [(2, "hi".into(), 1)]);
        assert_eq!(hit_lines("", "hit"), []);
    }

    #[test]
    fn a_hit_at_the_end_of_a_line_is_on_it() {
        let lines = HitLines::up_to(MAX_BYTES, "a\nb", &[0..0, 1..1, 2..2, 3..3]);
        let counts: Vec<_> = lines
            .lines
            .iter()
            .map(|line| (line.number, line.hits))
            .collect();
        assert_eq!(counts, [(1, 2), (2, 2)]);
    }

    #[test]
    fn many_hits_on_a_long_line_cost_one_line() {
        let text = "ab".repeat(200_000);
        let lines = hit_lines(&text, "a");
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].2, 200_000);
    }

    #[test]
    fn lines_beyond_all_reason_are_left_out() {
        let lines = HitLines::up_to(
            3 * (LINE_BYTES + 1),
            "x\nx\nx\nx\nx",
            &[0..1, 2..3, 4..5, 6..7, 8..9],
        );
        assert_eq!((lines.lines.len(), lines.left_out), (3, 2));
        let lines = HitLines::up_to(LINE_BYTES, "xx\nx", &[0..1, 1..2, 3..4]);
        assert_eq!((lines.lines.len(), lines.left_out), (0, 3));
    }
}

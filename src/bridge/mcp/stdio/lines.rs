//! Lines from standard input, read by a thread of its own, never kept longer than a message may be
//! (`faults.md` I02).

use std::io::{self, BufRead};

/// What stood on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// All of it, without its line feed.
    Whole(Vec<u8>),
    /// It was longer than the limit; all of it was read and thrown away.
    TooLong,
}

/// The next line; `None` at the end of the input. What stands after the last line feed is no message:
/// its sender died over it.
pub(super) fn next(input: &mut impl BufRead, limit: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(None);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        too_long |= line.len() + piece.len() > limit;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(piece);
        }
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(if too_long {
                Line::TooLong
            } else {
                Line::Whole(line)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i02_a_line_is_whole_or_too_long_and_the_next_one_is_read() {
        let text = b"one\n\n123456789\n12345678\nleft";
        let mut input = io::BufReader::with_capacity(3, io::Cursor::new(text));
        let mut lines = Vec::new();
        while let Some(line) = next(&mut input, 8).unwrap() {
            lines.push(line);
        }
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(
            lines,
            [whole("one"), whole(""), Line::TooLong, whole("12345678")]
        );
    }
}

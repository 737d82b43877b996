//! Reads lines of bounded length from standard input (`threats.toml` I02, J04).

use std::io::{self, BufRead};

/// A line without its line feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InputLine {
    /// The whole line. For a line longer than the limit, its first `limit + 1` bytes, so that the
    /// caller sees the excess; the rest was discarded.
    pub(super) bytes: Vec<u8>,
    /// Whether a line feed ended it. Without one the input ended, and the line may be incomplete.
    pub(super) is_ended: bool,
}

/// Reads the next line, of which it keeps at most `limit + 1` bytes; `None` at the end of the input.
///
/// # Errors
///
/// If reading fails.
pub(super) fn next_line(input: &mut impl BufRead, limit: usize) -> io::Result<Option<InputLine>> {
    let mut bytes = Vec::new();
    let mut read_any = false;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            return Ok(read_any.then_some(InputLine {
                bytes,
                is_ended: false,
            }));
        }
        read_any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        let room = (limit + 1).saturating_sub(bytes.len());
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(InputLine {
                bytes,
                is_ended: true,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut input: impl BufRead, limit: usize) -> Vec<(String, bool)> {
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input, limit).unwrap() {
            lines.push((String::from_utf8(line.bytes).unwrap(), line.is_ended));
        }
        lines
    }

    #[test]
    fn i02_a_line_is_whole_or_too_long_and_the_next_one_is_read() {
        let text = "one\n\n123456789 and more\n12345678\nleft";
        for buffer in [1, 3, 100] {
            let input = io::BufReader::with_capacity(buffer, io::Cursor::new(text));
            let expected = [
                ("one", true),
                ("", true),
                ("123456789", true),
                ("12345678", true),
                ("left", false),
            ];
            assert_eq!(
                all(input, 8),
                expected.map(|(line, is_ended)| (line.to_owned(), is_ended))
            );
        }
        assert_eq!(all(io::Cursor::new("a\n"), 8), [("a".to_owned(), true)]);
    }

    #[test]
    fn j04_a_line_without_end_is_kept_bounded() {
        const LIMIT: usize = 1024 * 1024;
        let mut input = io::BufReader::new(io::Read::chain(
            io::Read::take(io::repeat(b'x'), 3 * LIMIT as u64),
            io::Cursor::new(b"\nnext\n"),
        ));
        let line = next_line(&mut input, LIMIT).unwrap().unwrap();
        assert!(line.is_ended && line.bytes.len() == LIMIT + 1);
        assert!(line.bytes.capacity() <= 2 * LIMIT + 2);
        let line = next_line(&mut input, LIMIT).unwrap().unwrap();
        assert_eq!(line.bytes, b"next");
    }

    #[test]
    fn an_interrupted_reading_goes_on() {
        struct Interrupted(bool);
        impl io::Read for Interrupted {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 = !self.0;
                if self.0 {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                buffer[..2].copy_from_slice(b"a\n");
                Ok(2)
            }
        }
        let mut input = io::BufReader::new(Interrupted(false));
        for _ in 0..2 {
            let line = next_line(&mut input, 8).unwrap().unwrap();
            assert_eq!(line.bytes, b"a");
        }
    }
}

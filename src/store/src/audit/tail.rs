//! The end of a log file: the last complete line, and bytes that a crash may have left after it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::line::{self, Gap, Head};

/// Bytes to read first; most lines are shorter.
const FIRST_LOOK: u64 = 4096;
/// Number of bytes from the end in which to search for a complete line.
pub(super) const FARTHEST: u64 = 64 << 20;

/// The last bytes of a file of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// The last complete line, if the file has one.
    pub(super) head: Option<Head>,
    /// The bytes after it that are not a record.
    pub(super) gap: Option<Gap>,
    /// Whether the file ends within a line, so that a line feed has to be written first.
    pub(super) open: bool,
}

/// Searches backwards from `length` for the last complete line whose hash is valid.
pub(super) fn read(mut file: &File, length: u64) -> io::Result<Tail> {
    let mut look = FIRST_LOOK;
    loop {
        let start = length.saturating_sub(look);
        let mut bytes = Vec::with_capacity(usize::try_from(length - start).unwrap_or_default());
        file.seek(SeekFrom::Start(start))?;
        file.take(length - start).read_to_end(&mut bytes)?;
        let open = bytes.last().is_some_and(|last| *last != b'\n');
        if let Some((head, end)) = last_whole(&bytes, start == 0) {
            // The line feed after a whole line belongs to the line.
            let rest = bytes.get(end + 1..).unwrap_or_default();
            return Ok(Tail {
                head: Some(head),
                gap: (!rest.is_empty()).then(|| Gap::new(rest)),
                open,
            });
        }
        if start == 0 {
            return Ok(Tail {
                head: None,
                gap: (!bytes.is_empty()).then(|| Gap::new(&bytes)),
                open,
            });
        }
        if look >= FARTHEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        look *= 4;
    }
}

/// Returns the last complete and unchanged line of `bytes`, and the byte position of its end. The first piece counts as
/// a line only if `bytes` starts at the beginning of the file.
fn last_whole(bytes: &[u8], from_start: bool) -> Option<(Head, usize)> {
    let mut end = bytes.len();
    loop {
        let feed = bytes[..end].iter().rposition(|byte| *byte == b'\n');
        let begin = feed.map_or(0, |feed| feed + 1);
        let known = feed.is_some() || from_start;
        if known && let Some(link) = line::read(&bytes[begin..end]).filter(|link| link.intact) {
            return Some((link.head(), end));
        }
        end = feed?;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::audit::testing::record;

    fn tail(bytes: &[u8]) -> Tail {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        read(&file, bytes.len() as u64).unwrap()
    }

    fn lines(commands: &[&str]) -> (String, Head) {
        let mut head = Head::genesis();
        let mut text = String::new();
        for command in commands {
            let line = line::write(&record(command), &head, None, None).unwrap();
            head = line::read(line.trim_end().as_bytes()).unwrap().head();
            text += &line;
        }
        (text, head)
    }

    #[test]
    fn the_last_line_is_found_however_long_it_is() {
        assert_eq!((tail(b"").head, tail(b"").gap), (None, None));
        let long = "x".repeat(100_000);
        for commands in [&["a"][..], &["a", "b"], &["a", &long], &[&long, "b", &long]] {
            let (text, head) = lines(commands);
            let found = tail(text.as_bytes());
            assert_eq!(found.head.as_ref(), Some(&head));
            assert_eq!((found.gap, found.open), (None, false));
            assert_eq!(head.seq, commands.len() as u64);
        }
    }

    #[test]
    fn h07_a_line_cut_off_anywhere_is_a_gap_after_the_last_whole_one() {
        let (whole, head) = lines(&["a", "b"]);
        let (more, last) = lines(&["a", "b", "c"]);
        for length in whole.len() + 1..more.len() - 1 {
            let found = tail(&more.as_bytes()[..length]);
            assert_eq!(found.head.as_ref(), Some(&head), "{length}");
            let gap = found.gap.unwrap();
            assert_eq!(gap.bytes, (length - whole.len()) as u64);
            assert!(gap.torn && found.open);
        }
        // Only the line feed is missing: the record is whole.
        let found = tail(&more.as_bytes()[..more.len() - 1]);
        assert_eq!(
            (found.head, found.gap, found.open),
            (Some(last), None, true)
        );
    }

    #[test]
    fn what_is_not_of_a_crash_is_not_called_torn() {
        let (whole, head) = lines(&["a"]);
        let zeros = [whole.as_bytes(), &[0; 5000]].concat();
        let found = tail(&zeros);
        assert_eq!(found.head.as_ref(), Some(&head));
        assert!(found.gap.unwrap().torn);
        let edited = format!("{whole}{{}}\n");
        let found = tail(edited.as_bytes());
        assert_eq!(found.head, Some(head));
        assert!(!found.gap.unwrap().torn && !found.open);
        let changed = whole.replace("\"a\"", "\"b\"");
        let found = tail(changed.as_bytes());
        assert_eq!(found.head, None);
        assert!(!found.gap.unwrap().torn);
    }
}

//! The end of a log file: the last complete line, and bytes that a crash may have left after it.

use std::fs::File;
use std::io;

use super::files::lines_backwards;
use super::line::{self, Gap, Head};

/// Number of bytes from the end in which to search for a complete line.
const FARTHEST: u64 = 64 << 20;

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
pub(super) fn read(file: &File, length: u64) -> io::Result<Tail> {
    let mut head = None;
    let mut open = None;
    // The lines after the head, the last one first. The line feed after the head belongs to the head.
    let mut after: Vec<Vec<u8>> = Vec::new();
    for line in lines_backwards(file, length, length.saturating_sub(FARTHEST)) {
        let line = line?;
        open.get_or_insert(!line.is_empty());
        head = line::read(&line).filter(|link| link.intact);
        if head.is_some() {
            break;
        }
        after.push(line);
    }
    after.reverse();
    let after = after.join(&b'\n');
    Ok(Tail {
        head: head.map(|link| link.head()),
        gap: (!after.is_empty()).then(|| Gap::new(&after)),
        open: open.unwrap_or_default(),
    })
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
            let (line, next) = line::write(&record(command), &head, None, None).unwrap();
            head = next;
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

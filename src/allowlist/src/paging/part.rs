//! Parts of a long text: from one character on, as much as fits into a size limit (`threats.toml`
//! F15).
//!
//! Offsets count characters (Unicode scalar values) of the text as shown in an envelope. A byte
//! order mark, CR, LF, and each invalid sequence shown as U+FFFD count as one character each. So
//! parts can be joined to the exact bytes of the text, including invalid ones.

use vault_answers::{Answer, PlaceInText, RandomNote};
use vault_engine::{EngineError, FilePieces, MAX_WHOLE_BYTES, shown, whole_characters};

/// A text of which a part is wanted.
pub enum WholeText<'text> {
    /// It is at hand.
    InMemory(&'text [u8]),
    /// A file that is too large to read as a whole.
    InPieces(FilePieces),
}

/// A part of a text, as its command prints it.
#[derive(Debug)]
pub struct PrintedPart {
    /// The printed bytes: the part, preceded by its path for a note that was picked at random.
    pub bytes: Vec<u8>,
    /// Number of bytes of the text from there to its end.
    pub total: u64,
    /// The position of the part in the text.
    pub place: PlaceInText,
}

/// Replaces the text of an answer of the app by the part from character `offset` on that is printed in `most` bytes.
/// `None` if it has none.
///
/// # Errors
///
/// If the file cannot be read, or the call was cancelled.
pub fn cut_out(
    answer: &mut Answer,
    whole: WholeText<'_>,
    offset: usize,
    most: usize,
) -> Result<Option<PrintedPart>, EngineError> {
    let random: Option<&RandomNote> = answer.downcast_ref();
    let head = random.map(|note| format!("{}\n\n", shown::row(&note.path)).into_bytes());
    let head = head.unwrap_or_default();
    let Some(field) = answer.answer_text() else {
        return Ok(None);
    };
    let most = most.saturating_sub(head.len());
    let long = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let (part, place, rest) = match whole {
        WholeText::InMemory(text) => {
            let (part, place, rest) = part_of(text, offset, most);
            (part.to_vec(), place, long(rest))
        }
        WholeText::InPieces(mut file) => part_of_file(&mut file, offset, most)?,
    };
    *field.text = String::from_utf8_lossy(&part).into_owned();
    Ok(Some(PrintedPart {
        total: rest.saturating_add(long(head.len())),
        bytes: [head, part].concat(),
        place,
    }))
}

/// Returns the part from character `offset` on that fits into `most` bytes. Contains at least one
/// character, so that reading on always terminates. The third value is the number of bytes from
/// `offset` to the end.
///
/// Only the characters of the part are looked at one by one; those around it are counted.
pub fn part_of(text: &[u8], offset: usize, most: usize) -> (&[u8], PlaceInText, usize) {
    let (start, passed) = skipped(text, offset);
    let rest = text.get(start..).unwrap_or_default();
    // A character that begins in the part ends here: it has at most four bytes.
    let near = rest.get(..most.saturating_add(4)).unwrap_or(rest);
    let (mut end, mut returned) = (0, 0);
    for length in characters(near) {
        if end > 0 && end + length > most {
            break;
        }
        end += length;
        returned += 1;
    }
    let behind = rest.get(end..).unwrap_or_default();
    let next = passed + returned;
    let part = PlaceInText::new(
        passed,
        (!behind.is_empty()).then_some(next),
        Some(next + count(behind)),
    );
    (rest.get(..end).unwrap_or_default(), part, rest.len())
}

/// Like [`part_of`], for a file that is too large for the memory: reads the part, and counts what
/// is before it piece by piece (`threats.toml` F17). Does not return the total number of characters.
///
/// # Errors
///
/// If the file cannot be read, or the call was cancelled.
fn part_of_file(
    file: &mut FilePieces,
    offset: usize,
    most: usize,
) -> Result<(Vec<u8>, PlaceInText, u64), EngineError> {
    let most = most.min(usize::try_from(MAX_WHOLE_BYTES).unwrap_or(usize::MAX));
    let (mut start, mut passed) = (0_u64, 0);
    while passed < offset {
        let piece = whole_piece(file, start, PIECE)?;
        if piece.is_empty() {
            break;
        }
        let (bytes, characters) = skipped(&piece, offset - passed);
        start = start.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
        passed += characters;
    }
    let near = whole_piece(file, start, most.saturating_add(4))?;
    let (bytes, part, _) = part_of(&near, 0, most);
    let returned = part
        .next_offset
        .or(part.total_characters)
        .unwrap_or_default();
    let rest = file.size().saturating_sub(start);
    let goes_on = u64::try_from(bytes.len()).is_ok_and(|bytes| bytes < rest);
    let end = passed + returned;
    let part = PlaceInText::new(passed, goes_on.then_some(end), (!goes_on).then_some(end));
    Ok((bytes.to_vec(), part, rest))
}

/// Number of bytes of a file counted at once.
const PIECE: usize = if cfg!(test) { 7 } else { 1024 * 1024 };

/// Returns a piece of a file that ends between two characters.
fn whole_piece(file: &mut FilePieces, start: u64, most: usize) -> Result<Vec<u8>, EngineError> {
    let mut piece = file.read(start, most)?;
    // A shorter piece is the end of the file, even if it ends within a character.
    if piece.len() == most {
        piece.truncate(whole_characters(&piece));
    }
    Ok(piece)
}

/// Returns the start of the character with this index, in bytes and in characters: the end of a shorter text.
fn skipped(text: &[u8], offset: usize) -> (usize, usize) {
    let (mut at, mut left) = (0, offset);
    for chunk in text.utf8_chunks() {
        let Some(last) = left.checked_sub(1) else {
            break;
        };
        let mut valid = chunk.valid().chars();
        if valid.nth(last).is_some() {
            let passed = chunk.valid().len() - valid.as_str().len();
            return (at + passed, offset);
        }
        at += chunk.valid().len();
        left -= chunk.valid().chars().count();
        if left > 0 && !chunk.invalid().is_empty() {
            at += chunk.invalid().len();
            left -= 1;
        }
    }
    (at, offset - left)
}

/// Number of characters and invalid sequences.
fn count(text: &[u8]) -> usize {
    let chunks = text.utf8_chunks();
    let counts = chunks
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()));
    counts.sum()
}

/// Returns the lengths in bytes of each character and each invalid sequence.
fn characters(text: &[u8]) -> impl Iterator<Item = usize> {
    text.utf8_chunks().flat_map(|chunk| {
        let invalid = Some(chunk.invalid().len()).filter(|length| *length > 0);
        chunk.valid().chars().map(char::len_utf8).chain(invalid)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn f15_a_part_ends_between_characters_and_holds_at_least_one() {
        let text = "\u{feff}é😀\r\n".as_bytes();
        let (bytes, part, rest) = part_of(text, 0, 5);
        assert_eq!((bytes, rest), ("\u{feff}é".as_bytes(), text.len()));
        assert_eq!(
            (part.next_offset, part.total_characters),
            (Some(2), Some(5))
        );
        let (bytes, part, _) = part_of(text, 2, 1);
        assert_eq!((bytes, part.next_offset), ("😀".as_bytes(), Some(3)));
        let (bytes, part, rest) = part_of(text, 4, 1);
        assert_eq!((bytes, part.next_offset, rest), (&b"\n"[..], None, 1));
        let (bytes, part, rest) = part_of(text, 9, 1);
        assert_eq!((bytes, part.offset, rest), (&b""[..], 5, 0));
        assert!(part_of(b"", 0, 1).1.is_whole());
    }

    proptest! {
        #[test]
        fn f17_the_parts_of_a_file_are_those_of_its_text(
            text in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "\\PC{0,30}".prop_map(String::into_bytes),
            ],
            offset in 0_usize..40,
            most in 1_usize..20,
        ) {
            let folder = tempfile::tempdir().unwrap();
            fs_err::write(folder.path().join("a.md"), &text).unwrap();
            let vault = vault_engine::Vault::open(folder.path()).unwrap();
            let path = vault_engine::VaultPath::file("a.md").unwrap();
            let mut file = vault.pieces(&path).unwrap();
            let (bytes, part, rest) = part_of_file(&mut file, offset, most).unwrap();
            let (expected, whole, left) = part_of(&text, offset, most);
            prop_assert_eq!(bytes, expected);
            prop_assert_eq!((part.offset, part.next_offset), (whole.offset, whole.next_offset));
            prop_assert_eq!(rest, u64::try_from(left).unwrap());
        }

        #[test]
        fn f15_the_parts_are_the_exact_bytes(
            text in prop_oneof![
                proptest::collection::vec(any::<u8>(), 0..60),
                "\\PC{0,30}".prop_map(String::into_bytes),
            ],
            most in 1_usize..20,
        ) {
            let (mut offset, mut read, mut shown) = (0, Vec::new(), String::new());
            loop {
                let (bytes, part, rest) = part_of(&text, offset, most);
                prop_assert_eq!(rest, text.len() - read.len());
                prop_assert!(bytes.len() <= most.max(4));
                read.extend_from_slice(bytes);
                shown += &String::from_utf8_lossy(bytes);
                let Some(next) = part.next_offset else { break };
                prop_assert!(next > offset);
                prop_assert_eq!(next, shown.chars().count());
                offset = next;
            }
            prop_assert_eq!(shown, String::from_utf8_lossy(&text));
            prop_assert_eq!(read, text);
        }
    }
}

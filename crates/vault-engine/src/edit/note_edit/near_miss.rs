//! Where a note nearly holds a text: with other letters, blanks or line ends.
//!
//! Pieces of the text are looked for with the bit-parallel search of Myers (1999), which finds all places of
//! up to 128 bytes within a number of edits in one pass. The whole text is then compared at these places.

use std::ops::Range;

/// The longest piece, in bytes: as many as a number has bits.
const PIECE: usize = 128;
/// So much of the text is compared, in bytes.
const COMPARED: usize = 2000;
/// So many places of a piece are compared with the whole text.
const PLACES_OF_A_PIECE: usize = 6;
/// Of so many parts of a text one may differ.
const PARTS: usize = 5;
const PARTS_THAT_DIFFER: usize = 2;

/// A place where a note nearly holds a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NearPlace {
    /// Its bytes in the note.
    pub(super) range: Range<usize>,
    /// How many bytes must be put in, left out or replaced.
    pub(super) edits: usize,
}

/// The places of a note that hold nearly this text, the nearest first, at most `most`. None overlaps another.
pub(super) fn near_places(note: &[u8], wanted: &str, most: usize) -> Vec<NearPlace> {
    let wanted = wanted.trim().as_bytes();
    let wanted = wanted
        .get(..COMPARED)
        .unwrap_or(wanted)
        .to_ascii_lowercase();
    let note = note.to_ascii_lowercase();
    let mut estimates: Vec<usize> = pieces(wanted.len())
        .flat_map(|piece| {
            let from = piece.start;
            let ends = ends_of(&note, wanted.get(piece.clone()).unwrap_or_default());
            ends.into_iter()
                .map(move |end| end.saturating_sub(piece.len() + from))
        })
        .collect();
    estimates.sort_unstable();
    estimates.dedup_by(|later, kept| *later - *kept < 8);
    let slack = 16 + wanted.len() / 8;
    let mut places: Vec<NearPlace> = estimates
        .into_iter()
        .filter_map(|estimate| {
            let start = estimate.saturating_sub(slack);
            let end = note.len().min(estimate + wanted.len() + slack);
            let found = aligned(&wanted, note.get(start..end)?)?;
            Some(NearPlace {
                range: start + found.range.start..start + found.range.end,
                ..found
            })
        })
        .filter(|place| place.edits * PARTS <= wanted.len() * PARTS_THAT_DIFFER)
        .collect();
    places.sort_by_key(|place| (place.edits, place.range.start));
    let mut apart: Vec<NearPlace> = Vec::new();
    for place in places {
        let overlaps = |known: &NearPlace| {
            known.range.start < place.range.end && place.range.start < known.range.end
        };
        if apart.len() < most && !apart.iter().any(overlaps) {
            apart.push(place);
        }
    }
    apart
}

/// The pieces of a text of this length that are looked for: the first, the middle and the last.
fn pieces(length: usize) -> impl Iterator<Item = Range<usize>> {
    let size = length.min(PIECE);
    let mut starts = vec![0, (length - size) / 2, length - size];
    starts.dedup();
    starts.into_iter().map(move |start| start..start + size)
}

/// Where the best places of a piece end.
fn ends_of(note: &[u8], piece: &[u8]) -> Vec<usize> {
    let Some(last) = piece.len().checked_sub(1).filter(|last| *last < PIECE) else {
        return Vec::new();
    };
    let mut masks = [0_u128; 256];
    for (at, byte) in piece.iter().enumerate() {
        if let Some(mask) = masks.get_mut(usize::from(*byte)) {
            *mask |= 1 << at;
        }
    }
    let bound = (piece.len() * PARTS_THAT_DIFFER).div_ceil(PARTS);
    let mut edits = piece.len();
    let (mut more, mut less) = (u128::MAX, 0_u128);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, byte) in note.iter().enumerate() {
        let same = masks.get(usize::from(*byte)).copied().unwrap_or_default();
        let vertical = same | less;
        let same = (((same & more).wrapping_add(more)) ^ more) | same;
        let mut up = less | !(same | more);
        let mut down = more & same;
        edits = edits + usize::from(up >> last & 1 == 1) - usize::from(down >> last & 1 == 1);
        up <<= 1;
        down <<= 1;
        more = down | !(vertical | up);
        less = up & vertical;
        if edits > bound {
            continue;
        }
        // Of ends that belong to one place the best is kept.
        match found.last_mut() {
            Some((known, end)) if at + 1 - *end < piece.len().max(2) => {
                if edits < *known {
                    (*known, *end) = (edits, at + 1);
                }
            }
            _ => found.push((edits, at + 1)),
        }
    }
    found.sort_unstable();
    found.truncate(PLACES_OF_A_PIECE);
    found.into_iter().map(|(_, end)| end).collect()
}

/// The part of a window that is nearest to a text.
fn aligned(wanted: &[u8], window: &[u8]) -> Option<NearPlace> {
    // For each end in the window: the edits, and where the part begins.
    let mut row: Vec<(usize, usize)> = (0..=window.len()).map(|start| (0, start)).collect();
    for (at, wanted) in wanted.iter().enumerate() {
        let mut diagonal = *row.first()?;
        let mut before = (at + 1, 0);
        *row.first_mut()? = before;
        for (byte, cell) in window.iter().zip(row.iter_mut().skip(1)) {
            let replaced = (diagonal.0 + usize::from(wanted != byte), diagonal.1);
            diagonal = *cell;
            let best = replaced
                .min((cell.0 + 1, cell.1))
                .min((before.0 + 1, before.1));
            *cell = best;
            before = best;
        }
    }
    let (end, (edits, start)) = row.into_iter().enumerate().min_by_key(|(_, cell)| cell.0)?;
    let range = start..end;
    Some(NearPlace { range, edits })
}

/// What differs between a text that was sent and the one that the note has: in each the part from the first
/// difference to the last, in whole words, with a word before and after.
pub(super) fn difference(sent: &str, held: &str) -> (String, String) {
    let before: usize = sent
        .chars()
        .zip(held.chars())
        .take_while(|(left, right)| left == right)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let (rest, rest_held) = (&sent[before..], &held[before..]);
    let tail: usize = rest
        .chars()
        .rev()
        .zip(rest_held.chars().rev())
        .take_while(|(left, right)| left == right)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let start = word_before(&sent[..before]);
    let after = word_after(&sent[sent.len() - tail..]);
    let part = |text: &str| {
        let end = text.len() - tail + after;
        shown(text.get(start..end).unwrap_or_default())
    };
    (part(sent), part(held))
}

/// How much of a difference is shown, in characters.
const SHOWN: usize = 80;

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Where the last two words begin.
fn word_before(text: &str) -> usize {
    let blanks = text
        .char_indices()
        .rev()
        .filter(|(_, letter)| letter.is_whitespace());
    let second = blanks.map(|(at, letter)| at + letter.len_utf8()).nth(1);
    second.unwrap_or(0)
}

/// Where the first two words end.
fn word_after(text: &str) -> usize {
    let blanks = text
        .char_indices()
        .filter(|(_, letter)| letter.is_whitespace());
    blanks.map(|(at, _)| at).nth(1).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_shown_in_whole_words() {
        for (sent, held, expected) in [
            (
                "one two thre four five six",
                "one two three four five six",
                ("two thre four", "two three four"),
            ),
            ("a  b", "a b", ("a  b", "a b")),
            ("same", "same", ("same", "same")),
            ("naive Größe", "naïve Größe", ("naive Größe", "naïve Größe")),
        ] {
            let (left, right) = difference(sent, held);
            assert_eq!((left.as_str(), right.as_str()), expected, "{sent}");
        }
    }

    #[test]
    fn a_text_is_found_where_it_nearly_matches() {
        let note = b"The quick brown fox jumps over the lazy dog. A quick brown cat sleeps.\nAnother line.";
        for (wanted, held) in [
            ("quikc brown  fox", "quick brown fox"),
            ("A quick brown kat", "A quick brown cat"),
            ("SLEEPS. another line", "sleeps.\nAnother line"),
            ("lasy", "lazy"),
        ] {
            let places = near_places(note, wanted, 5);
            let first = places.first().unwrap();
            assert_eq!(&note[first.range.clone()], held.as_bytes(), "{wanted}");
        }
        assert_eq!(near_places(note, "elephants are here", 5), []);
        assert_eq!(near_places(note, "", 5), []);
        assert_eq!(near_places(b"", "word", 5), []);
    }
}

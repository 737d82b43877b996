//! Finds the places where a note nearly has a text: with other letters, blanks or line ends, or with more or fewer
//! words.
//!
//! Pieces of the text are searched with the bit-parallel algorithm of Myers (1999), which finds all
//! matches of up to 128 letters within a number of edits in one pass. The whole text is then
//! aligned with these matches by the rule of Gotoh (1982), in which a long gap costs little more
//! than one letter: a missing word is one mistake. Results end at word boundaries, or with the line or the sentence if
//! the text does.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt as _, HashSet};
use ranked_search::joins;
use unicode_normalization::char::is_combining_mark;

use crate::edit_miss::EditCandidate;

/// The maximum number of letters of a piece: as many as a number has bits.
const PIECE: usize = 128;
/// Texts of at least this many letters are also searched by their halves.
const HALVED: usize = 6;
/// The maximum number of letters of the text that are compared.
const COMPARED: usize = 2000;
/// The least and the most matches of a piece that are compared with the whole text.
const PLACES_OF_A_PIECE: (usize, usize) = (3, 24);
/// About the most pairs of letters that are compared in all.
const PAIRS: usize = 30_000_000;
/// The maximum number of bytes of a note that are searched: the app indexes no larger note.
const LOOKED_THROUGH: usize = 2 * 1024 * 1024;
/// The number of letters by which a match may be longer than the text, besides half of the text's length.
const SLACK: usize = 24;
const MOST_SLACK: usize = 200;
/// [`PARTS_THAT_DIFFER`] of this many parts of a piece may differ.
const PARTS: usize = 5;
const PARTS_THAT_DIFFER: usize = 2;

/// The cost of a letter that replaces another.
const REPLACED: u32 = 8;
/// The cost of a letter in another case, or of another blank, quote or dash.
const VARIED: u32 = 1;
/// The cost of the first letter of a gap.
const OPENED: u32 = 8;
/// The cost of each further letter that only the note has.
const LEFT_OUT: u32 = 1;
/// The cost of each further letter that only the text has. A text that does not occur costs more
/// than [`MOST_COST`].
const PUT_IN: u32 = 4;
/// The most cost of a match, for each five letters of the text.
const MOST_COST: usize = 16;

/// A place where a note nearly has a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearPlace {
    /// Its byte range in the note.
    pub range: Range<usize>,
    /// The difference, as a sum of costs; [`NearPlace::is_likely`] compares.
    pub cost: u32,
}

impl NearPlace {
    /// Whether this may be the intended place if the best one has this cost.
    pub fn is_likely(&self, best: u32) -> bool {
        self.cost <= best * 3 + 3 * REPLACED
    }
}

/// The letters of a text, both original and folded for comparison.
#[derive(Default)]
struct Letters {
    exact: Vec<char>,
    folded: Vec<char>,
    /// The byte offset of each letter, and of the end.
    starts: Vec<usize>,
}

impl Letters {
    /// Each run of bytes that are not UTF-8 becomes one letter.
    fn new(bytes: &[u8]) -> Self {
        let mut letters = Self::default();
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            for letter in chunk.valid().chars() {
                letters.push(letter, at);
                at += letter.len_utf8();
            }
            if !chunk.invalid().is_empty() {
                letters.push(char::REPLACEMENT_CHARACTER, at);
                at += chunk.invalid().len();
            }
        }
        letters.starts.push(at);
        letters
    }

    fn push(&mut self, letter: char, at: usize) {
        self.exact.push(letter);
        self.folded.push(folded(letter));
        self.starts.push(at);
    }

    fn len(&self) -> usize {
        self.exact.len()
    }
}

/// Returns a letter folded for comparison: case, and kinds of blanks, quotes and dashes, are
/// ignored.
fn folded(letter: char) -> char {
    match letter {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ if letter.is_whitespace() => ' ',
        _ => letter.to_lowercase().next().unwrap_or(letter),
    }
}

/// Returns the places of a note that nearly match this text, the nearest first, at most `most`. They do not overlap,
/// and are valid UTF-8.
pub fn near_places(note: &[u8], sent: &str, most: usize) -> Vec<NearPlace> {
    let note = note.get(..LOOKED_THROUGH).unwrap_or(note);
    let wanted = sent.trim();
    let is_whole = wanted.chars().nth(COMPARED).is_none();
    let compared: String = wanted.chars().take(COMPARED).collect();
    let wanted = Letters::new(compared.as_bytes());
    let slack = (SLACK + wanted.len() / 2).min(MOST_SLACK);
    let pieces = pieces(wanted.len());
    let pairs = wanted.len() * (wanted.len() + 2 * slack) * pieces.len();
    let (least, greatest) = PLACES_OF_A_PIECE;
    let places = (PAIRS / pairs.max(1)).clamp(least, greatest);
    let mut windows: Vec<Range<usize>> = pieces
        .into_iter()
        .flat_map(|piece| {
            let (before, behind) = (piece.end + slack, wanted.len() - piece.end + slack);
            let ends = ends_of(note, wanted.folded.get(piece).unwrap_or_default(), places);
            let around =
                move |end| letters_before(note, end, before)..letters_behind(note, end, behind);
            ends.into_iter().map(around)
        })
        .collect();
    windows.sort_unstable_by_key(|window| window.start);
    windows.dedup_by(|later, kept| {
        let is_same = later.start - kept.start < SLACK / 2;
        kept.end = if is_same {
            kept.end.max(later.end)
        } else {
            kept.end
        };
        is_same
    });
    let mut places: Vec<NearPlace> = windows
        .into_iter()
        .filter_map(|window| {
            let start = window.start;
            let found = aligned(&wanted, &Letters::new(note.get(window)?))?;
            let range = start + found.range.start..start + found.range.end;
            let range = in_words(note, range, &wanted)?;
            if !is_close(&compared, text_at(note, range.clone())?) {
                return None;
            }
            let range = if is_whole {
                to_edges(note, range, sent)?
            } else {
                range
            };
            Some(NearPlace { range, ..found })
        })
        .filter(|place| place.cost as usize * PARTS <= wanted.len() * MOST_COST)
        .collect();
    places.sort_by_key(|place| (place.cost, place.range.start));
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

/// Returns the pieces to search for a text of this length: the first, the middle and the last. A text of only one piece
/// is also searched by its halves: if one half lacks a word, the other is complete.
fn pieces(length: usize) -> Vec<Range<usize>> {
    let size = length.min(PIECE);
    let mut pieces: Vec<Range<usize>> = [0, (length - size) / 2, length - size]
        .map(|start| start..start + size)
        .to_vec();
    pieces.dedup();
    if size == length && length >= HALVED {
        pieces.extend([0..length / 2, length / 2..length]);
    }
    pieces
}

/// Returns the byte offset of so many letters before `end`.
fn letters_before(note: &[u8], end: usize, count: usize) -> usize {
    let mut begun = (0..end).rev().filter(|at| is_begin(note, *at));
    begun.nth(count.saturating_sub(1)).unwrap_or(0)
}

/// Returns the byte offset of so many letters after `start`.
fn letters_behind(note: &[u8], start: usize, count: usize) -> usize {
    let mut begun = (start..note.len()).filter(|at| is_begin(note, *at));
    begun.nth(count).unwrap_or(note.len())
}

/// Whether a letter of a text begins at this byte.
fn is_begin(note: &[u8], at: usize) -> bool {
    note.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

/// Returns the ends of the best matches of a piece.
fn ends_of(note: &[u8], piece: &[char], most: usize) -> Vec<usize> {
    let Some(last) = piece.len().checked_sub(1).filter(|last| *last < PIECE) else {
        return Vec::new();
    };
    let mut masks: HashMap<char, u128> = HashMap::with_capacity(piece.len());
    for (at, letter) in piece.iter().enumerate() {
        *masks.entry(*letter).or_default() |= 1 << at;
    }
    let bound = (piece.len() * PARTS_THAT_DIFFER).div_ceil(PARTS);
    let mut edits = piece.len();
    let (mut more, mut less) = (u128::MAX, 0_u128);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    let mut meet = |letter: char, length: usize| {
        at += length;
        let same = masks.get(&folded(letter)).copied().unwrap_or_default();
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
            return;
        }
        // If several ends belong to one match, the best is kept.
        match found.last_mut() {
            Some((known, end)) if at - *end < piece.len().max(2) => {
                if edits < *known {
                    (*known, *end) = (edits, at);
                }
            }
            _ => found.push((edits, at)),
        }
    };
    for chunk in note.utf8_chunks() {
        for letter in chunk.valid().chars() {
            meet(letter, letter.len_utf8());
        }
        if !chunk.invalid().is_empty() {
            meet(char::REPLACEMENT_CHARACTER, chunk.invalid().len());
        }
    }
    found.sort_unstable();
    found.truncate(most);
    found.into_iter().map(|(_, end)| end).collect()
}

/// Returns the part of a window that best matches a text.
fn aligned(wanted: &Letters, window: &Letters) -> Option<NearPlace> {
    // The cost of an alignment in the high bits, and the start of its part of the window in the low ones: with equal
    // costs, the alignment that begins earlier compares as less.
    const COST: u64 = 1 << 32;
    let cost = |cost: u32| u64::from(cost) * COST;
    let far = u64::MAX / 2;
    // For each end in the window the best alignment, and the best one that ends with an inserted
    // letter.
    let mut row: Vec<(u64, u64)> = (0..=window.len())
        .map(|start| (start as u64, far))
        .collect();
    for (letter, folded) in wanted.exact.iter().zip(&wanted.folded) {
        let mut diagonal = row.first()?.0;
        let put_in = |(best, put_in): (u64, u64)| (best + cost(OPENED)).min(put_in + cost(PUT_IN));
        let first = row.first_mut()?;
        let (mut before, mut left_out) = (put_in(*first), far);
        *first = (before, before);
        let letters = window.exact.iter().zip(&window.folded);
        for ((present, present_folded), cell) in letters.zip(row.iter_mut().skip(1)) {
            let replaced = match (letter == present, folded == present_folded) {
                (true, _) => 0,
                (_, true) => VARIED,
                _ => REPLACED,
            };
            let put_in = put_in(*cell);
            left_out = (before + cost(OPENED)).min(left_out + cost(LEFT_OUT));
            let best = (diagonal + cost(replaced)).min(put_in).min(left_out);
            diagonal = cell.0;
            *cell = (best, put_in);
            before = best;
        }
    }
    // If several ends have equal cost, the last counts, so that a wrong last letter replaces one of the note.
    let ends = row.into_iter().enumerate().rev();
    let (end, (best, _)) = ends.min_by_key(|(_, (best, _))| best / COST)?;
    let start = usize::try_from(best % COST).ok()?;
    Some(NearPlace {
        range: *window.starts.get(start)?..*window.starts.get(end)?,
        cost: u32::try_from(best / COST).ok()?,
    })
}

/// Returns the range without surrounding blanks, in whole words. A quote around the text that the note does not have
/// takes no other mark of the note into the range. `None` for bytes that are not UTF-8.
fn in_words(note: &[u8], range: Range<usize>, wanted: &Letters) -> Option<Range<usize>> {
    let is_quote = |letter: &char| matches!(folded(*letter), '\'' | '"' | '«' | '»');
    let is_other = |letter: char| !letter.is_alphanumeric() && !is_quote(&letter);
    let present = text_at(note, range.clone())?;
    let mut within = present.trim();
    if wanted.exact.first().is_some_and(is_quote) {
        within = within.strip_prefix(is_other).unwrap_or(within).trim_start();
    }
    if wanted.exact.last().is_some_and(is_quote) {
        within = within.strip_suffix(is_other).unwrap_or(within).trim_end();
    }
    let mut start = range.start + (within.as_ptr().addr() - present.as_ptr().addr());
    let mut end = start + within.len();
    // A mark such as `##` or `**` is not cut either.
    let is_cut = |(before, after): (char, char)| {
        let is_mark = before == after && !before.is_whitespace();
        is_one(before, after) || joins(before, after) || is_mark
    };
    while let Some((before, after)) = around(note, start)
        && is_cut((before, after))
    {
        start -= before.len_utf8();
    }
    while let Some((before, after)) = around(note, end)
        && is_cut((before, after))
    {
        end += after.len_utf8();
    }
    let text = sendable(note.get(start..end)?)?;
    (!text.is_empty()).then_some(start..end)
}

/// Returns a range of a note as text; `None` if its bytes are not UTF-8.
fn text_at(note: &[u8], range: Range<usize>) -> Option<&str> {
    std::str::from_utf8(note.get(range)?).ok()
}

/// The least part of the letters of a short text that a similar one has.
const LEAST_COMMON: f64 = 0.6;
/// Texts of at most this many bytes are also compared letter by letter.
const COMPARED_BY_LETTER: usize = 64;

/// Whether a place has enough of a text: half of its pairs of letters. A short text with a mistake has few such pairs,
/// so its letters count too.
fn is_close(wanted: &str, present: &str) -> bool {
    let letters = |text: &str| -> Vec<char> {
        let letters = text.chars().map(folded);
        letters.filter(|letter| *letter != ' ').collect()
    };
    let (wanted_letters, present_letters) = (letters(wanted), letters(present));
    let known: HashSet<&[char]> = present_letters.windows(2).collect();
    let pairs = wanted_letters.windows(2);
    let (all, common) = (
        pairs.len(),
        pairs.filter(|pair| known.contains(pair)).count(),
    );
    common * 2 >= all || is_similar(wanted, present)
}

/// Whether two short texts have most of their letters in common.
fn is_similar(left: &str, right: &str) -> bool {
    let is_short = |text: &str| text.len() <= COMPARED_BY_LETTER;
    is_short(left)
        && is_short(right)
        && strsim::normalized_levenshtein(&left.to_lowercase(), &right.to_lowercase())
            >= LEAST_COMMON
}

/// Returns the range, extended so that a text which ends with a line or a sentence does so in the note too: an edit
/// that replaces only a part of the line would leave the rest of it. `None` if it would grow by more than the text.
///
/// The first or the last word of a text marks its place in a line. If the note has another word there, the end is
/// taken from the line, or from the sentence.
fn to_edges(note: &[u8], range: Range<usize>, sent: &str) -> Option<Range<usize>> {
    let wanted = sent.trim();
    let text = text_at(note, range.clone())?;
    let line_start = memchr::memrchr(b'\n', &note[..range.start]).map_or(0, |end| end + 1);
    let line_end =
        memchr::memchr(b'\n', &note[range.end..]).map_or(note.len(), |at| range.end + at);
    let (Some(before), Some(after)) = (
        text_at(note, line_start..range.start),
        text_at(note, range.end..line_end),
    ) else {
        return Some(range);
    };
    let (before, after) = (before.trim_start(), after.trim_end());
    let (head, tail) = (
        &sent[..sent.len() - sent.trim_start().len()],
        &sent[sent.trim_end().len()..],
    );
    let same = |left: Option<&str>, right: Option<&str>| {
        left == right
            || left
                .zip(right)
                .is_some_and(|(left, right)| is_similar(left, right))
    };
    let begins = same(
        wanted.split_whitespace().next(),
        text.split_whitespace().next(),
    );
    let ends = same(
        wanted.split_whitespace().next_back(),
        text.split_whitespace().next_back(),
    );
    let has_lines = wanted.contains('\n');
    let most = wanted.len().max(SLACK);
    let marker = marker_length(before);
    let added_after = if tail.contains('\n') || !ends && has_lines {
        after.len()
    } else if ends {
        0
    } else if wanted.ends_with(SENTENCE_ENDS) {
        if text.ends_with(SENTENCE_ENDS) {
            0
        } else {
            sentence_end(after).unwrap_or(after.len())
        }
    } else if marker == before.len() && after.len() <= most {
        after.len()
    } else {
        0
    };
    let is_to_line_end = added_after == after.len();
    let added_before = if head.contains('\n') || !begins && has_lines {
        before.len()
    } else if begins {
        0
    } else if let Some(sentence) = sentence_start(before)
        && wanted.starts_with(char::is_uppercase)
    {
        before.len() - sentence
    } else if is_to_line_end && before.len() <= most {
        // The text begins with a word, so a marker of the line is not replaced.
        let is_word = wanted.starts_with(char::is_alphanumeric);
        before.len() - if is_word { marker } else { 0 }
    } else {
        0
    };
    if added_before.max(added_after) > most {
        return None;
    }
    let (mut start, mut end) = (range.start - added_before, range.end + added_after);
    // Line ends around the text are part of it, so that the new text does not double them.
    for _ in head.matches('\n') {
        let blanks = note[..start]
            .iter()
            .rev()
            .take_while(|byte| is_blank(**byte))
            .count();
        if note[..start - blanks].ends_with(b"\n") {
            start -= blanks + 1;
        }
    }
    for _ in tail.matches('\n') {
        let blanks = note[end..]
            .iter()
            .take_while(|byte| is_blank(**byte))
            .count();
        if note[end + blanks..].starts_with(b"\n") {
            end += blanks + 1;
        }
    }
    Some(start..end)
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The marks that end a sentence.
const SENTENCE_ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];

/// Returns the offset after the first sentence of a text.
fn sentence_end(text: &str) -> Option<usize> {
    let mut ends = text
        .match_indices(SENTENCE_ENDS)
        .map(|(at, mark)| at + mark.len());
    ends.find(|end| text[*end..].chars().next().is_none_or(char::is_whitespace))
}

/// Returns the offset of the last sentence of a text that has several.
fn sentence_start(text: &str) -> Option<usize> {
    let mut ends = text
        .rmatch_indices(SENTENCE_ENDS)
        .map(|(at, mark)| at + mark.len());
    let end = ends.find(|end| text[*end..].starts_with(char::is_whitespace))?;
    Some(text.len() - text[end..].trim_start().len())
}

/// Returns the length of the markers at the beginning of a line: of lists, tasks, quotes and headings.
fn marker_length(line: &str) -> usize {
    let is_marker = |word: &str| {
        let is_box = word.starts_with('[') && word.ends_with(']') && word.chars().count() == 3;
        let number = word.trim_end_matches(['.', ')']);
        is_box
            || !word.contains(char::is_alphanumeric)
            || number != word && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let words = line.split_inclusive(char::is_whitespace);
    let markers = words.take_while(|word| is_marker(word.trim_end()));
    markers.map(str::len).sum()
}

/// Returns the text of a note, if an edit that sends it back would find it: it is UTF-8, and keeps its line ends.
fn sendable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.contains("\r\n")).then_some(text)
}

/// Returns the letters before and behind a place.
fn around(note: &[u8], at: usize) -> Option<(char, char)> {
    let start = letters_before(note, at, 1);
    let before = std::str::from_utf8(note.get(start..at)?).ok()?;
    let behind = std::str::from_utf8(note.get(at..letters_behind(note, at, 1))?).ok()?;
    Some((before.chars().next()?, behind.chars().next()?))
}

/// Whether two characters form one for a reader: the second is a mark on the first, or they are
/// joined.
fn is_one(before: char, after: char) -> bool {
    const JOINER: char = '\u{200d}';
    is_combining_mark(after) || before == JOINER || after == JOINER
}

/// The line of a match is shown whole if it has at most this many bytes more.
const LONGEST_LINE: usize = 160;

/// Returns the text around a match: its line, or else as much on each side as makes it unique, in
/// whole words.
pub fn surroundings(note: &[u8], hit: Range<usize>) -> Range<usize> {
    let is_only = |range: &Range<usize>| {
        let text = note.get(range.clone()).unwrap_or_default();
        memchr::memmem::find_iter(note, text).nth(1).is_none()
    };
    let line_start = memchr::memrchr(b'\n', &note[..hit.start]).map_or(0, |end| end + 1);
    let line_end = memchr::memchr(b'\n', &note[hit.end..]);
    let line = line_start..line_end.map_or(note.len(), |end| hit.end + end);
    let is_short = line.len() <= hit.len() + LONGEST_LINE;
    if is_short && sendable(&note[line.clone()]).is_some() && is_only(&line) {
        return line;
    }
    let mut around_it = hit.clone();
    for letters in [20, 40, 80, 160] {
        let start = letters_before(note, hit.start, letters);
        let end = letters_behind(note, hit.end, letters);
        let range = trimmed(note, start..end, &hit);
        if sendable(&note[range.clone()]).is_none() {
            break;
        }
        around_it = range;
        if is_only(&around_it) {
            break;
        }
    }
    around_it
}

/// Returns a range around a match without blanks and without cut words at its ends.
fn trimmed(note: &[u8], range: Range<usize>, hit: &Range<usize>) -> Range<usize> {
    let joined = |at: usize| {
        around(note, at)
            .is_some_and(|(before, after)| joins(before, after) || is_one(before, after))
    };
    let is_blank = |at: usize| note.get(at).is_none_or(u8::is_ascii_whitespace);
    let (mut start, mut end) = (range.start, range.end);
    while start < hit.start && (joined(start) || is_blank(start)) {
        start = letters_behind(note, start, 1);
    }
    while end > hit.end && (joined(end) || is_blank(end - 1)) {
        end = letters_before(note, end, 1);
    }
    start.min(hit.start)..end.max(hit.end)
}

/// Returns the difference between a sent text and the note's: in each the part from the first to the last difference,
/// in whole words, with one word before and after.
pub fn difference(sent: &str, present: &str) -> (String, String) {
    let before: usize = sent
        .chars()
        .zip(present.chars())
        .take_while(|(left, right)| left == right)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let (rest, rest_present) = (&sent[before..], &present[before..]);
    let tail: usize = rest
        .chars()
        .rev()
        .zip(rest_present.chars().rev())
        .take_while(|(left, right)| left == right)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let start = word_before(&sent[..before]);
    let after = word_after(&sent[sent.len() - tail..]);
    let part = |text: &str| {
        let end = text.len() - tail + after;
        shorten(text.get(start..end).unwrap_or_default())
    };
    (part(sent), part(present))
}

/// The maximum number of characters of a difference that are shown.
const SHOWN: usize = 200;

fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the byte offset of the last two words.
fn word_before(text: &str) -> usize {
    let blanks = text
        .char_indices()
        .rev()
        .filter(|(_, letter)| letter.is_whitespace());
    let second = blanks.map(|(at, letter)| at + letter.len_utf8()).nth(1);
    second.unwrap_or(0)
}

/// Returns the byte offset after the first two words.
fn word_after(text: &str) -> usize {
    let blanks = text
        .char_indices()
        .filter(|(_, letter)| letter.is_whitespace());
    blanks.map(|(at, _)| at).nth(1).unwrap_or(text.len())
}

/// The least similarity of a candidate.
const LEAST_LIKENESS: f64 = 0.35;
/// The maximum number of characters of a line that are compared.
const COMPARED_OF_LINE: usize = 400;

/// The lines that are most similar to a text.
pub fn nearest<'text>(
    wanted: &str,
    lines: impl Iterator<Item = (usize, &'text str)>,
) -> Vec<EditCandidate> {
    let cut = |text: &str| -> String {
        text.trim()
            .chars()
            .take(COMPARED_OF_LINE)
            .collect::<String>()
    };
    let wanted = cut(wanted).to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let likeness = |text: &str| {
        let text = cut(text).to_lowercase();
        if text.contains(&wanted) || (!text.is_empty() && wanted.contains(&text)) {
            strsim::sorensen_dice(&wanted, &text).max(LEAST_LIKENESS)
        } else {
            strsim::sorensen_dice(&wanted, &text)
        }
    };
    let mut found: Vec<(f64, usize, &str)> = lines
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(line, text)| (likeness(text), line, text))
        .filter(|(likeness, _, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    found.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    found.truncate(EditCandidate::MOST);
    found
        .into_iter()
        .map(|(_, line, text)| EditCandidate::new(line, text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &str = include_str!("near_miss_cases.txt");

    #[test]
    fn the_difference_is_shown_in_whole_words() {
        for (sent, present, expected) in [
            (
                "one two thre four five six",
                "one two three four five six",
                ("two thre four", "two three four"),
            ),
            ("a  b", "a b", ("a  b", "a b")),
            ("same", "same", ("same", "same")),
            ("naive Größe", "naïve Größe", ("naive Größe", "naïve Größe")),
        ] {
            let (left, right) = difference(sent, present);
            assert_eq!((left.as_str(), right.as_str()), expected, "{sent}");
        }
    }

    #[test]
    fn a_text_is_found_where_it_nearly_matches() {
        let note = b"The quick brown fox jumps over the lazy dog. A quick brown cat sleeps.\nAnother line.";
        for (wanted, present) in [
            ("quikc brown  fox", "quick brown fox"),
            ("A quick brown kat", "A quick brown cat"),
            ("SLEEPS. another line", "sleeps.\nAnother line"),
            ("lasy", "lazy"),
        ] {
            let places = near_places(note, wanted, 5);
            let first = places.first().unwrap();
            assert_eq!(&note[first.range.clone()], present.as_bytes(), "{wanted}");
        }
        let long = "Then Send the [offer](https://example.com/a/long/place) today. هماهنگ‌سازی میان دستگاه‌ها. 会議は火曜日に行う。 cafe\u{301}s.";
        for [wanted, present] in tables::section(CASES, "a text is found where it nearly matches") {
            let places = near_places(long.as_bytes(), wanted, 5);
            let first = places.first().unwrap();
            assert_eq!(&long[first.range.clone()], present, "{wanted}");
        }
        assert_eq!(near_places(note, "elephants are here", 5), []);
        assert_eq!(near_places(note, "", 5), []);
        assert_eq!(near_places(b"", "word", 5), []);
    }

    /// A caller that replaces an offered text must not leave half of a line.
    #[test]
    fn a_match_ends_with_the_line_or_the_sentence_if_the_text_does() {
        let note = "status: active\ntags: [a]\n\n\
            ## Tasks\n\n- [ ] Order seed potatoes\n- [x] Mend the gate\n- [ ] Sow the peas\n\n\
            Some say so. The plot is hard work, mostly at weekends. #outdoors\n\
            Aliases: [Allotment, \"Home\"] and **bold words** here\n";
        for [wanted, expected] in tables::section(CASES, "a match ends with the line") {
            let places = near_places(note.as_bytes(), wanted, 5);
            let found = places
                .first()
                .map_or("-", |place| &note[place.range.clone()]);
            assert_eq!(found, expected, "{wanted}");
        }
    }
}

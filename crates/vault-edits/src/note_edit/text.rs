//! Edits that name the text that they replace.

use std::ops::Range;

use memchr::memmem::Finder;
use obsidian_note::note_parts::{difference, near_places, nearest, surroundings};
use obsidian_note::{EditCandidate, EditMiss, NearPlace, Patch, Sheet};

/// Finds a text in a part of a note; `\n` also matches `\r\n`.
struct Occurrences<'sheet> {
    /// The part with `\n` for every line end.
    plain: Vec<u8>,
    /// The offsets in `plain` of the line ends that had a carriage return.
    returns: Vec<usize>,
    /// The byte offset of the part in the note.
    start: usize,
    sheet: &'sheet Sheet<'sheet>,
}

impl<'sheet> Occurrences<'sheet> {
    fn new(sheet: &'sheet Sheet<'sheet>, part: Range<usize>) -> Self {
        let bytes = &sheet.bytes()[part.clone()];
        let mut plain = Vec::with_capacity(bytes.len());
        let mut returns = Vec::new();
        let mut at = 0;
        for end in memchr::memmem::find_iter(bytes, b"\r\n") {
            plain.extend_from_slice(&bytes[at..end]);
            returns.push(plain.len());
            at = end + 1;
        }
        plain.extend_from_slice(&bytes[at..]);
        Self {
            plain,
            returns,
            start: part.start,
            sheet,
        }
    }

    /// Converts an offset in `plain` to one in the note, before the carriage return of a line end.
    fn in_note(&self, plain: usize) -> usize {
        self.start + plain + self.returns.partition_point(|at| *at < plain)
    }

    /// Returns the line of an offset in `plain`.
    fn line(&self, plain: usize) -> usize {
        self.sheet.line_at(self.in_note(plain))
    }

    /// Returns the lines that are UTF-8, without their line ends, each with its number in the note.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let begins = self
            .plain
            .split_inclusive(|byte| *byte == b'\n')
            .scan(0, |at, line| {
                let begin = *at;
                *at += line.len();
                Some((begin, line.strip_suffix(b"\n").unwrap_or(line)))
            });
        begins.filter_map(|(at, line)| Some((self.line(at), std::str::from_utf8(line).ok()?)))
    }
}

/// The patches that replace `old` with `new`. `old` must occur in the part exactly once, or with
/// `all` at least once.
pub(super) fn patches(
    sheet: &Sheet<'_>,
    part: Range<usize>,
    (old, new): (&str, &str),
    all: bool,
) -> Result<Vec<Patch>, EditMiss> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    let within = Occurrences::new(sheet, part);
    let finder = Finder::new(old.as_bytes());
    let Some(first) = finder.find(&within.plain) else {
        return Err(missing(&within, &old));
    };
    let places: Vec<usize> = if all {
        finder.find_iter(&within.plain).collect()
    } else {
        // Overlapping occurrences count too: `aa` occurs twice in `aaa`.
        let next = first + 1;
        if finder.find(&within.plain[next..]).is_some() {
            return Err(several(&within, &finder));
        }
        vec![first]
    };
    let patch = |place: usize| {
        let (head, tail) = common(&old, &new);
        let changed = within.in_note(place + head)..within.in_note(place + old.len() - tail);
        let text = sheet.with_line_ends(&new[head..new.len() - tail]);
        Patch {
            claimed: within.in_note(place)..within.in_note(place + old.len()),
            range: changed,
            text,
        }
    };
    Ok(places.into_iter().map(patch).collect())
}

/// Returns the lengths of the common start and end of two texts, in bytes. These bytes are not written, so line ends in
/// them stay as they are.
fn common(old: &str, new: &str) -> (usize, usize) {
    let same = |(left, right): &(char, char)| left == right;
    let length = |pairs: Vec<(char, char)>| pairs.iter().map(|(left, _)| left.len_utf8()).sum();
    let head: usize = length(old.chars().zip(new.chars()).take_while(same).collect());
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.chars().rev().zip(new.chars().rev());
    (head, length(tail.take_while(same).collect()))
}

/// Returns the error for a text that occurs several times, each occurrence with enough context to distinguish it from
/// the others.
fn several(within: &Occurrences<'_>, finder: &Finder<'_>) -> EditMiss {
    let places: Vec<usize> = finder.find_iter(&within.plain).collect();
    let length = finder.needle().len();
    let shown = places.iter().take(EditCandidate::MOST).map(|place| {
        let range = surroundings(&within.plain, *place..place + length);
        let text = String::from_utf8_lossy(&within.plain[range]);
        EditCandidate::text(within.line(*place), &text)
    });
    // The search finds only the first `aa` in `aaa`, because it skips overlaps.
    let count = places.len().max(2);
    EditMiss::ambiguous(
        format!("the note contains the text of `old` {count} times"),
        shown.collect(),
    )
    .with_total(count)
    .advising(
        "Pass a longer `old`, as in `candidates`, and add the same text to `new`. Or set `all` to replace every match.",
    )
}

/// Returns the error for a text that does not occur, with the places that nearly match, or else the lines that are most
/// similar to its first line. If only the properties have similar text, they are not searched without `frontmatter`.
fn missing(within: &Occurrences<'_>, old: &str) -> EditMiss {
    let sheet = within.sheet;
    let yaml = sheet.yaml();
    let is_in_yaml = yaml.as_ref().is_some_and(|yaml| yaml.start == within.start);
    let other = if is_in_yaml {
        Some(sheet.body_start()..sheet.bytes().len())
    } else {
        yaml
    };
    let other = other.map(|part| Occurrences::new(sheet, part));
    if let Some(other) = &other
        && Finder::new(old.as_bytes()).find(&other.plain).is_some()
    {
        return if is_in_yaml {
            EditMiss::not_found(
                "`old` occurs only below the properties of the note",
                Vec::new(),
            )
            .advising("To edit the text below the properties, omit `frontmatter`.")
        } else {
            EditMiss::not_found(
                "`old` occurs only in the properties of the note",
                Vec::new(),
            )
            .in_properties()
            .advising("To edit the properties as text, set `frontmatter` to `true`.")
        };
    }
    let reason = if is_in_yaml {
        "the properties of the note do not contain the text of `old`"
    } else {
        "the note does not contain the text of `old`"
    };
    let candidates = nearly(within, old);
    if !candidates.is_empty() {
        return EditMiss::not_found(reason, candidates);
    }
    if let Some(properties) = other.filter(|_| !is_in_yaml) {
        let mut candidates = nearly(&properties, old);
        if candidates.is_empty() {
            candidates = with_same_key(&properties, old);
        }
        if !candidates.is_empty() {
            return EditMiss::not_found(
                "only the properties of the note have text that is similar to `old`",
                candidates,
            )
            .in_properties()
            .advising("To edit the properties as text, set `frontmatter` to `true` and pass the `text` of a candidate as `old`.");
        }
    }
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty());
    let lines = nearest(wanted.unwrap_or_default(), within.lines());
    let is_none = lines.is_empty();
    let miss = EditMiss::not_found(reason, lines);
    if !is_none {
        return miss.advising(
            "Copy `old` exactly from the note. `candidates` lists the most similar lines.",
        );
    }
    miss.advising(if is_in_yaml {
        "The properties have no similar text either."
    } else {
        "The note has no similar text either."
    })
}

/// Returns the lines of the properties that begin with a key that a line of the text has too.
fn with_same_key(properties: &Occurrences<'_>, old: &str) -> Vec<EditCandidate> {
    let key = |line: &str| {
        let (key, _) = line.split_once(':')?;
        let key = key.trim().to_lowercase();
        (!key.is_empty()).then_some(key)
    };
    let wanted: Vec<String> = old.lines().filter_map(key).collect();
    let is_wanted = |line: &str| key(line).is_some_and(|key| wanted.contains(&key));
    let found = properties.lines().filter(|(_, line)| is_wanted(line));
    let found = found.take(EditCandidate::MOST);
    found
        .map(|(line, text)| EditCandidate::text(line, text))
        .collect()
}

/// Returns the places that nearly match a text, each with the difference.
fn nearly(within: &Occurrences<'_>, old: &str) -> Vec<EditCandidate> {
    let places = near_places(&within.plain, old, EditCandidate::MOST);
    let candidate = |place: NearPlace| {
        let present = String::from_utf8_lossy(&within.plain[place.range.clone()]);
        let line = within.line(place.range.start);
        let trimmed = old.trim();
        // If nothing else differs, the blanks around the text do. A place with line ends around it has those of `old`.
        let sent = if present == trimmed || present.trim() != present {
            old
        } else {
            trimmed
        };
        let (sent, present_part) = difference(sent, &present);
        EditCandidate::differing(line, &present, sent, present_part)
    };
    // Places that match much worse than the best are not what was meant.
    let best = places.first().map_or(0, |place| place.cost);
    let likely = places.into_iter().filter(|place| place.is_likely(best));
    likely.map(candidate).collect()
}

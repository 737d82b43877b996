//! The reasons why an edit has no place, with candidates for the place.

use crate::path::VaultPath;

/// An edit that fits no place of a note or several, or that is not allowed there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditMiss {
    /// The note; `None` until it is known.
    pub path: Option<VaultPath>,
    /// The index of the edit in the list, from 0; `None` for a single edit.
    pub edit: Option<usize>,
    /// The kind of the miss, which decides its error code.
    pub kind: MissKind,
    /// The reason: a sentence without its full stop.
    pub reason: Box<str>,
    /// The advice for the next call, as a sentence; empty if the kind says enough.
    pub advice: Box<str>,
    /// Whether the place is in the properties of the note, which another command sets.
    pub in_properties: bool,
    /// Candidates, the likeliest first or in the order of the note.
    pub candidates: Vec<EditCandidate>,
    /// The number of further candidates that are left out.
    pub more: u32,
    /// The misses of later edits of the same list, in its order and at most [`Self::MOST_OTHERS`].
    pub others: Box<[EditMiss]>,
}

/// The reason why an edit has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissKind {
    /// No place fits, though some may be similar.
    NotFound,
    /// Several places fit, and only one may.
    Ambiguous,
    /// The place exists, but the edit is not allowed there.
    Unfit,
}

/// A place that the caller may have meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditCandidate {
    /// Its line in the file, from 1.
    pub line: usize,
    /// The text to send for this place, or the heading's name; only its beginning if it is cut.
    pub text: String,
    /// Whether the text is cut, with a mark at its end. A cut text would not be found.
    pub is_cut: bool,
    /// The difference between the sent text and the text there; `None` if the place was found otherwise.
    pub difference: Option<EditDifference>,
    /// The hash with which an edit names these lines; only of whole lines that are not cut.
    pub lines_hash: Option<String>,
}

/// The difference between a sent text and one that the note has, from the first to the last
/// differing part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditDifference {
    /// The part that was sent.
    pub sent: String,
    /// The part that the note has in its place.
    pub present: String,
}

impl EditCandidate {
    /// The maximum number of characters of a line.
    pub const LONGEST: usize = 160;
    /// The maximum number of characters of a place that was named by sent text, which may be long.
    pub const LONGEST_TEXT: usize = 1000;
    /// The maximum number of candidates of an error.
    pub const MOST: usize = 5;
    /// The maximum number of headings of an error.
    pub const MOST_HEADINGS: usize = 20;

    /// A candidate for a whole line, counted from 0.
    pub fn new(line: usize, text: &str) -> Self {
        Self::cut(line, text, Self::LONGEST)
    }

    /// Returns a candidate for a text that begins on a line, counted from 0.
    pub fn text(line: usize, text: &str) -> Self {
        Self::cut(line, text, Self::LONGEST_TEXT)
    }

    /// Returns a candidate whose text nearly equals the sent text.
    pub fn differing(line: usize, text: &str, sent: String, present: String) -> Self {
        Self {
            difference: Some(EditDifference { sent, present }),
            ..Self::text(line, text)
        }
    }

    fn cut(line: usize, text: &str, longest: usize) -> Self {
        let end = text.char_indices().nth(longest).map(|(end, _)| end);
        Self {
            line: line + 1,
            text: end.map_or_else(|| text.to_owned(), |end| format!("{}…", &text[..end])),
            is_cut: end.is_some(),
            difference: None,
            lines_hash: None,
        }
    }
}

impl EditMiss {
    /// The most misses that an error names besides the first.
    pub const MOST_OTHERS: usize = 4;

    /// The place is not in the note; `candidates` are the most similar ones.
    pub fn not_found(reason: impl Into<String>, candidates: Vec<EditCandidate>) -> Self {
        Self {
            path: None,
            edit: None,
            kind: MissKind::NotFound,
            reason: reason.into().into(),
            advice: Box::default(),
            in_properties: false,
            candidates,
            more: 0,
            others: Box::default(),
        }
    }

    /// Several places of the note fit.
    pub fn ambiguous(reason: impl Into<String>, candidates: Vec<EditCandidate>) -> Self {
        Self {
            kind: MissKind::Ambiguous,
            ..Self::not_found(reason, candidates)
        }
    }

    /// The place cannot be changed like this; `advice` says what to send instead.
    pub fn unfit(reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            kind: MissKind::Unfit,
            ..Self::not_found(reason, Vec::new())
        }
        .advising(advice)
    }

    /// Joins the misses of one call; `None` without a miss.
    pub fn joined(misses: Vec<Self>) -> Option<Self> {
        let mut misses = misses.into_iter();
        let first = misses.next()?;
        Some(Self {
            others: misses.take(Self::MOST_OTHERS).collect(),
            ..first
        })
    }

    /// The edit of a place in the properties of the note.
    #[must_use]
    pub fn in_properties(self) -> Self {
        Self {
            in_properties: true,
            ..self
        }
    }

    /// Numbers the edits as in a longer list, of which only those at these places were tried.
    pub fn move_edits(&mut self, places: &[usize]) {
        self.edit = self
            .edit
            .map(|edit| places.get(edit).copied().unwrap_or(edit));
        for other in &mut self.others {
            other.move_edits(places);
        }
    }

    /// Sets the number of all places, of which the candidates may be only the first.
    #[must_use]
    pub fn with_total(self, places: usize) -> Self {
        let more = places.saturating_sub(self.candidates.len());
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        Self { more, ..self }
    }

    /// The same miss, with this advice.
    #[must_use]
    pub fn advising(self, advice: impl Into<String>) -> Self {
        Self {
            advice: advice.into().into(),
            ..self
        }
    }
}

impl std::fmt::Display for EditMiss {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(edit) = self.edit {
            write!(formatter, "in `edits[{edit}]`: ")?;
        }
        formatter.write_str(&self.reason)
    }
}

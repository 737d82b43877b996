//! Why an edit has no place, with the places that may be meant.

use crate::path::VaultPath;

/// An edit that fits no place of a note, or several, or that may not be made there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditMiss {
    /// The note; none until it is known.
    pub path: Option<VaultPath>,
    /// Which edit of the list it is, from 0; none for a single one.
    pub edit: Option<usize>,
    /// What kind of miss it is.
    pub kind: MissKind,
    /// What happened: a sentence without its full stop.
    pub reason: String,
    /// What to send instead, as a sentence; empty where the kind says it.
    pub advice: String,
    /// Places that may be meant, the likeliest first or in the order of the note.
    pub candidates: Vec<EditCandidate>,
    /// How many more there are.
    pub more: u32,
}

/// How an edit missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissKind {
    /// There is no such place.
    NotFound,
    /// Several places fit.
    Ambiguous,
    /// The edit cannot be made there.
    Unfit,
}

/// A place that may be meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditCandidate {
    /// Its line in the file, from 1.
    pub line: usize,
    /// What to send for it: the text there, or how a heading is named. Where it is cut, its beginning.
    pub text: String,
    /// Whether the text is cut, with a mark at its end. Nothing finds what is cut.
    pub is_cut: bool,
    /// How the text that was sent differs from the text there; none if the place was found otherwise.
    pub difference: Option<EditDifference>,
}

/// How a text that was sent differs from one that the note has: the part with all differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditDifference {
    /// What was sent.
    pub sent: String,
    /// What the note has in its place.
    pub held: String,
}

impl EditCandidate {
    /// How much of a line is shown, in characters.
    pub const LONGEST: usize = 160;
    /// How much of a place is shown that is named by a text that was sent, which may be long.
    pub const LONGEST_TEXT: usize = 1000;
    /// How many candidates are given.
    pub const MOST: usize = 5;
    /// How many headings are given.
    pub const MOST_HEADINGS: usize = 20;

    /// The place on a line, counted from 0.
    pub(crate) fn new(line: usize, text: &str) -> Self {
        Self::cut(line, text, Self::LONGEST)
    }

    /// A text that begins on a line.
    pub(crate) fn text(line: usize, text: &str) -> Self {
        Self::cut(line, text, Self::LONGEST_TEXT)
    }

    /// A place that nearly holds the text that was sent.
    pub(crate) fn differing(line: usize, text: &str, sent: String, held: String) -> Self {
        Self {
            difference: Some(EditDifference { sent, held }),
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
        }
    }
}

impl EditMiss {
    pub(crate) fn not_found(reason: impl Into<String>, candidates: Vec<EditCandidate>) -> Self {
        Self {
            path: None,
            edit: None,
            kind: MissKind::NotFound,
            reason: reason.into(),
            advice: String::new(),
            candidates,
            more: 0,
        }
    }

    pub(crate) fn ambiguous(reason: impl Into<String>, candidates: Vec<EditCandidate>) -> Self {
        Self {
            kind: MissKind::Ambiguous,
            ..Self::not_found(reason, candidates)
        }
    }

    pub(crate) fn unfit(reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            kind: MissKind::Unfit,
            ..Self::not_found(reason, Vec::new())
        }
        .advising(advice)
    }

    /// Of so many places; the candidates may be the first of them.
    pub(crate) fn of(self, places: usize) -> Self {
        let more = places.saturating_sub(self.candidates.len());
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        Self { more, ..self }
    }

    pub(crate) fn advising(self, advice: impl Into<String>) -> Self {
        Self {
            advice: advice.into(),
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

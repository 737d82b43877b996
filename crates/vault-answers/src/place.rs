//! The place of a part in an answer that is cut (`design/envelope.md`).

use schemars::JsonSchema;
use serde::Serialize;

/// The place of a part of a text, in characters. All fields are absent if the text is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceInText {
    /// The first character of the part, from 0. Only next to a part of a text.
    pub offset: usize,
    /// Whether the text goes on after the part. Only next to a part of a text.
    pub truncated: bool,
    /// The `offset` that goes on in the text. Only where it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Number of characters of the text. Only for a part, and only if the end of the text is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_characters: Option<usize>,
}

/// The text of a note, or another text, in an answer.
#[derive(Debug)]
pub struct AnswerText<'answer> {
    /// The text, or the part of it that is there.
    pub text: &'answer mut String,
    /// The place of the part; `None` if the text is complete.
    pub place: &'answer mut Option<PlaceInText>,
    /// The hash of the note, if the answer may have one.
    pub sha256: Option<&'answer mut Option<String>>,
}

impl AnswerText<'_> {
    /// Sets the place of the text in a longer one. This removes the hash: a write takes it as a sign that the caller
    /// has seen the complete note. The hash goes then: a write takes it for a sign that the caller has seen all of the
    /// note.
    pub fn stand_at(&mut self, place: PlaceInText) {
        if place.is_whole() {
            return;
        }
        *self.place = Some(place);
        if let Some(hash) = &mut self.sha256 {
            **hash = None;
        }
    }
}

impl PlaceInText {
    /// The place of the characters from `offset` up to `next_offset`, or to the end of the text. `total` is `None` if
    /// that end was not reached.
    pub const fn new(offset: usize, next_offset: Option<usize>, total: Option<usize>) -> Self {
        Self {
            offset,
            truncated: next_offset.is_some(),
            next_offset,
            total_characters: total,
        }
    }

    /// Whether the part is the whole text.
    pub const fn is_whole(&self) -> bool {
        self.offset == 0 && self.next_offset.is_none()
    }
}

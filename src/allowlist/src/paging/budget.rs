//! The position of a page in the whole answer.

use serde::Serialize;
use serde_json::Value;
use vault_answers::ListNumbers;

/// The position of a page in the whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerPlace {
    /// The unit: `items`, `files` of a search, `findings` of an audit, or `characters`.
    pub unit: &'static str,
    /// The first unit on this page, 0-based.
    pub offset: usize,
    /// The number of units on this page.
    pub returned: usize,
    /// The total number of units.
    pub total: usize,
    /// The offset of the next page; `None` at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// The number of characters cut from a single item that exceeds the budget alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<usize>,
    /// The call for the next page, if repeating this call would not get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_call: Option<NextCall>,
}

impl AnswerPlace {
    /// Returns the place of a part of a list.
    pub fn from_numbers(unit: &'static str, numbers: ListNumbers) -> Self {
        Self {
            unit,
            offset: numbers.offset,
            returned: numbers.returned,
            total: numbers.total,
            next_offset: numbers.next(),
            omitted: None,
            next_call: None,
        }
    }
}

/// A call of the generic tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextCall {
    /// The command.
    pub command: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The offset at which it continues.
    pub offset: usize,
}

/// Cuts a text to `most` characters; returns how many were left out.
pub fn truncate(text: &mut String, most: usize) -> usize {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return 0;
    };
    let omitted = text[end..].chars().count();
    text.truncate(end);
    omitted
}

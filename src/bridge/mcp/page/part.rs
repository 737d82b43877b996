//! One page: its text, and its position in the whole.

use serde::Serialize;
use serde_json::{Map, Value};

/// One page of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Page {
    /// The text of this page.
    pub(crate) text: String,
    /// The parsed result, cut to the same page.
    pub(crate) data: Map<String, Value>,
    /// The position of this page; `None` if the answer is complete.
    pub(crate) place: Option<AnswerPlace>,
    /// Whether the data was too long and only the text remains.
    pub(crate) omits_data: bool,
}

/// The position of a page in the whole answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnswerPlace {
    /// The unit: `items`, `lines` of a search, `findings` of an audit, or `characters`.
    pub(crate) unit: &'static str,
    /// The first unit on this page, 0-based.
    pub(crate) offset: usize,
    /// The number of units on this page.
    pub(crate) returned: usize,
    /// The total number of units.
    pub(crate) total: usize,
    /// The offset of the next page; `None` at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_offset: Option<usize>,
    /// The number of characters cut from a single item that exceeds the budget alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) omitted: Option<usize>,
    /// The generic tool call for the next page, if repeating this call would not get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_call: Option<Value>,
}

/// The units on a page, and their text.
pub(super) struct AnswerPart {
    text: String,
    pub(super) place: AnswerPlace,
}

impl AnswerPart {
    /// As many of `total` units from `offset` as fit into the budget. `told` returns a unit's line
    /// of text and the length of its JSON, for which twice the budget is reserved; lengths are in
    /// characters.
    pub(super) fn new(
        total: usize,
        offset: usize,
        budget: usize,
        told: impl Fn(usize) -> Option<(String, usize)>,
    ) -> Self {
        let start = offset.min(total);
        let mut text = String::new();
        let (mut used, mut returned, mut omitted) = (0, 0, None);
        for (mut line, length) in (start..total).map_while(told) {
            let characters = line.chars().count();
            used += characters.max(length / 2) + 1;
            if used > budget {
                // A page holds at least one unit, or the client could never advance. Cut it to the
                // budget.
                if returned > 0 {
                    break;
                }
                if let Some((end, _)) = line.char_indices().nth(budget) {
                    line.truncate(end);
                }
                omitted = Some(characters.saturating_sub(budget));
            }
            text += &line;
            text.push('\n');
            returned += 1;
        }
        Self {
            text,
            place: AnswerPlace {
                unit: "",
                offset: start,
                returned,
                total,
                next_offset: (start + returned < total).then_some(start + returned),
                omitted,
                next_call: None,
            },
        }
    }

    /// The page in this unit, without data.
    pub(super) fn page(self, unit: &'static str) -> Page {
        let place = AnswerPlace { unit, ..self.place };
        Page {
            text: self.text,
            data: Map::new(),
            place: Some(place),
            omits_data: false,
        }
    }
}

impl Page {
    /// Whether its only item was cut.
    pub(super) fn omits_some(&self) -> bool {
        self.place
            .as_ref()
            .is_some_and(|place| place.omitted.is_some())
    }
}

/// The length of the JSON in characters.
pub(super) fn length(data: &Map<String, Value>) -> usize {
    serde_json::to_string(data).map_or(usize::MAX, |text| text.chars().count())
}

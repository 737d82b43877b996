//! As many things as the budget holds: their text, and where they stand in the whole.

use serde::Serialize;
use serde_json::{Map, Value};

/// The part of an answer that is given.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::bridge::mcp) struct Page {
    /// The readable text of this part.
    pub(in crate::bridge::mcp) text: String,
    /// The parsed result, with the same part of its list or text.
    pub(in crate::bridge::mcp) data: Map<String, Value>,
    /// Where this part stands; none where the whole answer is given.
    pub(in crate::bridge::mcp) place: Option<AnswerPlace>,
    /// Whether the data was too long, and the text alone tells the result.
    pub(in crate::bridge::mcp) omits_data: bool,
}

/// Where a part stands in the whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::bridge::mcp) struct AnswerPlace {
    /// What is counted: `items`, `lines` that a search found, `findings` of an audit, or `characters`.
    pub(in crate::bridge::mcp) unit: &'static str,
    /// The first one given, from 0.
    pub(in crate::bridge::mcp) offset: usize,
    /// How many are given.
    pub(in crate::bridge::mcp) returned: usize,
    /// How many there are.
    pub(in crate::bridge::mcp) total: usize,
    /// Where to go on; none at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bridge::mcp) next_offset: Option<usize>,
    /// How many characters are left out of the one thing that is given, which alone is longer than
    /// the budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bridge::mcp) omitted: Option<usize>,
    /// The arguments of the generic tool that go on, where those of this call would not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bridge::mcp) next_call: Option<Value>,
}

/// Which of the things that are counted go into a part, and their text.
pub(super) struct AnswerPart {
    text: String,
    pub(super) place: AnswerPlace,
}

impl AnswerPart {
    /// As many of `total` things from `offset` on as the budget holds. Each is told as a line of text
    /// and as data, of which `told` gives the text and the length; the data may be twice as long.
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
                // One is always given, else nobody could ever go on; of that what the budget holds.
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

    /// The page, counted in this, still without its data.
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
    /// Whether its one item is too long to be told whole.
    pub(super) fn omits_some(&self) -> bool {
        self.place
            .as_ref()
            .is_some_and(|place| place.omitted.is_some())
    }
}

/// Characters of the JSON.
pub(super) fn length(data: &Map<String, Value>) -> usize {
    serde_json::to_string(data).map_or(usize::MAX, |text| text.chars().count())
}

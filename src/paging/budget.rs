//! One page of a budget: its text, and its position in the whole.

use cli_output::ListNumbers;
use serde::Serialize;
use serde_json::Value;

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
    /// The call for the next page, if repeating this call would not get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_call: Option<NextCall>,
}

impl AnswerPlace {
    /// Returns the place of a part of a list.
    pub(crate) fn from_numbers(unit: &'static str, numbers: ListNumbers) -> Self {
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
pub(crate) struct NextCall {
    /// The command.
    pub(crate) command: &'static str,
    /// Its parameters.
    pub(crate) params: Value,
    /// The offset at which it continues.
    pub(crate) offset: usize,
}

/// Cuts a text to `most` characters; returns how many were left out.
pub(crate) fn truncate(text: &mut String, most: usize) -> usize {
    let Some((end, _)) = text.char_indices().nth(most) else {
        return 0;
    };
    let omitted = text[end..].chars().count();
    text.truncate(end);
    omitted
}

/// The units on a page, and their text.
pub(crate) struct AnswerPart {
    /// A line for each unit.
    pub(crate) text: String,
    /// The position of the units in the answer.
    pub(crate) place: AnswerPlace,
}

impl AnswerPart {
    /// As many of `total` units from `offset` on as fit into the budget. `told` returns a unit's line of text and the
    /// length of its JSON, for which twice the budget is reserved; lengths are in characters.
    pub(crate) fn new(
        unit: &'static str,
        total: usize,
        offset: usize,
        budget: usize,
        shown: impl Fn(usize) -> Option<(String, usize)>,
    ) -> Self {
        let start = offset.min(total);
        let mut text = String::new();
        let (mut used, mut returned, mut omitted) = (0, 0, None);
        for (mut line, length) in (start..total).map_while(shown) {
            let characters = line.chars().count();
            used += characters.max(length / 2) + 1;
            if used > budget {
                // A page contains at least one unit, or the client could never advance. Cut it to the budget.
                if returned > 0 {
                    break;
                }
                omitted = Some(truncate(&mut line, budget));
            }
            text += &line;
            text.push('\n');
            returned += 1;
        }
        Self {
            text,
            place: AnswerPlace {
                unit,
                offset: start,
                returned,
                total,
                next_offset: (start + returned < total).then_some(start + returned),
                omitted,
                next_call: None,
            },
        }
    }

    /// Returns the same units in the longer list of which `here` was at hand. `goes_on` says whether the rest can be
    /// asked for.
    pub(crate) fn within(mut self, here: ListNumbers, goes_on: bool) -> Self {
        if here.offset > 0 || goes_on {
            let place = &mut self.place;
            place.offset += here.offset;
            let end = place.offset + place.returned;
            let has_next = place.next_offset.is_some() || goes_on && place.returned > 0;
            place.next_offset = has_next.then_some(end);
            place.total = here.total.max(end);
        }
        self
    }
}

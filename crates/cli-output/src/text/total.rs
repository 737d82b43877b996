//! Bare numbers: the answer to `total`.

use serde::Deserialize;

use crate::answer::{Answer, AnswerPayload, Total};
use crate::arguments::Arguments;
use crate::shape::Shape;
use crate::text::body::{self, Body, empty_sentence, is_empty_sentence};
use crate::text::error::Fault;
use crate::text::form;
use crate::text::{javascript, search, table};

/// The number, where the arguments ask for one and the answer is a list.
pub(crate) fn of(answer: &Answer, shape: Shape, arguments: &Arguments) -> Option<Total> {
    if !form::is_total(shape, arguments) {
        return None;
    }
    answer.counted().map(|total| Total { total })
}

/// A bare whole number; `{"total":3}` for `search format=json`; a sentence for an outline without
/// headings, and for a random pick among no notes.
pub(crate) fn render(total: Total, shape: Shape, arguments: &Arguments) -> String {
    let Total { total } = total;
    if total == 0 && matches!(shape, Shape::RandomNote | Shape::Confirmation) {
        NO_NOTES.to_owned()
    } else if total == 0 && shape == Shape::Outline {
        empty_sentence(shape).unwrap_or_default().to_owned()
    } else if search::is_json(shape, arguments) {
        javascript::compact_json(&serde_json::json!({ "total": total }))
    } else {
        total.to_string()
    }
}

/// Reads the number in each of its forms; a sentence for nothing is 0.
pub(crate) fn parse(body: Body<'_>, shape: Shape) -> Result<Total, Fault> {
    #[derive(Deserialize)]
    struct Wrapped {
        total: table::Count,
    }
    if shape == Shape::Search && body.text.starts_with('{') {
        let Wrapped { total } = table::from_json(body)?;
        return Ok(Total { total: total.0 });
    }
    let line = body.only_line()?;
    if is_empty_sentence(line) {
        return Ok(Total { total: 0 });
    }
    body::whole(line)
        .map(|total| Total { total })
        .map_err(|reason| body.fault(reason))
}

/// What `random` and `random:read` print where there is no note.
pub(crate) const NO_NOTES: &str = "No markdown files found.";

impl AnswerPayload for Total {
    fn is_empty(&self) -> bool {
        self.total == 0
    }

    fn counted(&self) -> Option<usize> {
        Some(self.total)
    }

    fn text(&self, shape: Shape, arguments: &Arguments) -> String {
        render(*self, shape, arguments)
    }
}

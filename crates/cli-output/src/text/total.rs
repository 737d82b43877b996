//! Bare numbers: the answer to `total`.

use obsidian_note::javascript;
use serde::Deserialize;
use vault_answers::{Answer, Total};
use vault_files::Args;

use crate::app_form::{AppForm, Printed};
use crate::text::body::{self, Body, is_empty_sentence};
use crate::text::error::Fault;
use crate::text::search;
use crate::text::table;

/// The number, if the arguments ask for one and the answer is a list.
pub(crate) fn requested_total(answer: &Answer, form: &AppForm, arguments: &Args) -> Option<Total> {
    let total = form.is_total(arguments).then(|| answer.counted())??;
    Some(Total { total })
}

/// Reads the number in each of its forms; a sentence for nothing is 0.
pub(crate) fn parse(body: Body<'_>, form: &AppForm) -> Result<Total, Fault> {
    #[derive(Deserialize)]
    struct Wrapped {
        total: table::Count,
    }
    if form.has_json_paths && body.text.starts_with('{') {
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

/// The output of `random` and `random:read` without notes.
pub(crate) const NO_NOTES: &str = "No markdown files found.";

impl Printed for Total {
    /// A bare whole number; `{"total":3}` for `search format=json`; a sentence for an outline
    /// without headings, and for a random pick among no notes.
    fn printed(&self, form: &AppForm, arguments: &Args) -> String {
        match form.zero {
            Some(sentence) if self.total == 0 => sentence.to_owned(),
            _ if search::is_json(form, arguments) => {
                javascript::compact_json(&serde_json::json!({ "total": self.total }))
            }
            _ => self.total.to_string(),
        }
    }
}

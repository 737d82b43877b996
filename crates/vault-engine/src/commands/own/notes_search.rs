//! `notes:search` (`design.md` §14): the notes that fit a question best.

use cli_output::{Arguments, List, OwnForm, OwnItem};
use ranked_search::{passages, snippet};
use schemars::JsonSchema;
use serde::Serialize;

use super::command::OwnCommand;
use super::get::sha256;
use super::page::number;
use super::ranked::{Asked, FoundNote, content};
use super::view::View;
use crate::commands::reply::{Reply, total};
use crate::error::EngineError;
use crate::index::note_parts;
use crate::surroundings::Surroundings;

pub(super) static COMMAND: OwnCommand = OwnCommand {
    id: "notes:search",
    form: OwnForm::new::<List<NoteHit>>("note-hits").with_total(),
    serve: Some(search),
};

/// A note that fits a question.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct NoteHit {
    /// The note.
    pub(super) path: String,
    /// Its property `title`, or else its name.
    pub(super) title: String,
    /// How well it fits: more is better. Scores of different questions cannot be compared.
    pub(super) score: f64,
    /// The line that shows why, from 1.
    pub(super) line: usize,
    /// The heading above that line. Only where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heading: Option<String>,
    /// A piece of that line.
    pub(super) snippet: String,
    /// The hash of the whole note, for `ifHash`. Only where the note can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<String>,
}

impl OwnItem for NoteHit {
    /// Path and line, score, snippet.
    fn cells(&self) -> Vec<String> {
        vec![
            format!("{}:{}", self.path, self.line),
            format!("{:.1}", self.score),
            self.snippet.clone(),
        ]
    }
}

/// How many notes are told unless `limit` says otherwise.
const LIMIT: usize = 10;
/// The longest snippet, in bytes.
const SNIPPET_BYTES: usize = 96;

/// The notes that fit the question, the best first.
pub(super) fn search(
    view: &View<'_>,
    arguments: &Arguments,
    _surroundings: &Surroundings,
) -> Result<Reply, EngineError> {
    let mut asked = Asked::of(view, arguments)?;
    let count = asked.notes.len();
    if arguments.flag("total") {
        return Ok(Reply::new(total(count), asked.warnings));
    }
    let offset = number(arguments, "offset", 0)?;
    let limit = number(arguments, "limit", LIMIT)?;
    let page = asked.page(offset, limit);
    let items: Vec<NoteHit> = page
        .iter()
        .filter_map(|note| told(&asked, note, view))
        .collect();
    let answer = List {
        total: count,
        returned: items.len(),
        offset,
        truncated: offset.saturating_add(items.len()) < count,
        items,
    };
    Ok(Reply::own(answer, asked.warnings))
}

fn told(asked: &Asked, note: &FoundNote, view: &View<'_>) -> Option<NoteHit> {
    let path = asked.path(note)?;
    let mut hit = NoteHit {
        path: path.to_string(),
        title: asked.title(note),
        score: rounded(note.ranked.score),
        line: 1,
        heading: None,
        snippet: String::new(),
        sha256: None,
    };
    let Some(bytes) = content(view.vault, path) else {
        return Some(hit);
    };
    hit.sha256 = Some(sha256(&bytes));
    let parts = note_parts(&bytes);
    let body = parts.body();
    let passages = passages(body);
    let best = note.ranked.passages().first().map_or(0, |best| best.number);
    // The note may have changed since it was ranked: then its beginning is shown.
    let Some(passage) = passages.get(best).or_else(|| passages.first()) else {
        return Some(hit);
    };
    hit.heading = passage.heading().map(str::to_owned);
    hit.line = parts.lines_before_body() + passage.first_line + 1;
    let text = passage.body(body);
    let start = passage.span.end - text.len();
    if let Some(found) = snippet(&asked.query, &asked.weights, body, text, SNIPPET_BYTES) {
        let before = body.get(..start + found.span.start).unwrap_or_default();
        hit.line = parts.lines_before_body() + before.matches('\n').count() + 1;
        let dots = |is_cut| if is_cut { "…" } else { "" };
        let shown = text.get(found.span.clone()).unwrap_or_default();
        hit.snippet = format!(
            "{}{}{}",
            dots(found.is_cut_before),
            shown.split_whitespace().collect::<Vec<_>>().join(" "),
            dots(found.is_cut_after)
        );
    }
    Some(hit)
}

/// A score to three places: more tell nothing.
pub(super) fn rounded(score: f64) -> f64 {
    (score * 1000.0).round() / 1000.0
}

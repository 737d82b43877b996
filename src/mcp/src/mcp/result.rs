//! Converts the gateway's answer to an MCP tool result.
//!
//! Some clients show the model the text blocks, others only `structuredContent`, so each is complete by itself and both
//! have the same content (`design/agents.md`):
//!
//! - The first text block is the result: vault text, or what the command printed. The text that our own
//!   commands print for people says less than their data, so for them the data is the text: a list is a
//!   table with a line for each item.
//! - The last text block has metadata as one line of JSON: path, `sha256`, warnings, and how to get the next page; the
//!   status alone if a text of the vault has no others. It
//!   is a separate block after all vault text, because a note can imitate this line but cannot put anything after it
//!   (`threats.toml` K01, K02).
//! - `structuredContent` is the envelope's `data` with the same metadata.
//! - An image is a block of its own before the text.
//! - `_meta` has the facts that a model cannot use: run id, times, tier, effects, backend, process, and which fields
//!   contain text of the vault.

mod facts;
mod lean;
mod list_text;
mod outcome;
mod part;

use cli_output::Shape;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};
use vault_answers::{List, OwnText, SearchContextItem};

use self::facts::facts;
use self::lean::{cut_changes, cut_lists, folded, lean, omit_diffs};
use self::list_text::{merge_hits, table};
use self::outcome::{answers_nothing, failure_text, has_no_page, lead_with_what_is_not_there};
use self::part::{forget_cut, how_to_go_on, part};
use super::media::take_image;
use super::page::Page;
use allowlist::paging::truncate;
use allowlist::{Catalogue, Command};
use frontend::tools::Start;
use gateway::about::QUESTIONS;
use gateway::{DRAFT_QUESTIONS, Data, Envelope};
use protocol::{Answerer, Status};

/// The beginning of the app's errors.
const APP_ERROR: &str = "Error: ";
/// The key in `_meta` for facts about the run.
const RUN: &str = "vault-gw/run";

/// Converts an answer to a tool result: the page that begins at `start`, of about `budget`
/// characters.
pub(super) fn from_answer(mut envelope: Envelope, start: Start, budget: usize) -> CallToolResult {
    envelope.keep_for_model();
    let entry = Catalogue::find_builtin(&envelope.command).ok();
    let mut stdout = take_printed_text(&mut envelope);
    let mut data = std::mem::take(&mut envelope.data);
    let is_data_empty = data.is_empty();
    let image = take_image(&mut data);
    if let Some(found) = data.own_mut::<List<SearchContextItem>>()
        && !found.items.is_empty()
    {
        stdout = merge_hits(found);
    }
    let shows_data =
        envelope.success && says_more_than_its_text(&envelope, entry.as_deref(), &data);
    if shows_data {
        stdout = lines_of(&data);
    }
    let Page {
        mut text,
        mut data,
        mut place,
        omits_data,
    } = if image.is_some() {
        // The text next to an image is short, and has no pages.
        Page::whole("", data)
    } else {
        part(
            &mut envelope,
            entry.as_deref(),
            &stdout,
            data,
            start,
            budget,
        )
    };
    if has_no_page(&mut envelope, &text, place.as_ref(), start) {
        (text, data, place) = (String::new(), Data::default(), None);
    }
    let is_cut_item = place.as_ref().is_some_and(|place| place.omitted.is_some());
    if shows_data && let Some(items) = data.rows() {
        let table = table(items);
        // The table of an item whose texts are cut may still be too long.
        if !is_cut_item || table.chars().count() <= budget.saturating_mul(2) {
            text = table;
        }
    }
    if shows_data && envelope.status == Status::Drafted {
        text.insert_str(0, "Drafted:\n");
    }
    let said_by_data = !is_data_empty && !omits_data;
    // The text block and `data` carry what the envelope calls `stdout`.
    for field in &mut envelope.meta.untrusted {
        if *field == "stdout" && said_by_data {
            *field = "content";
        }
    }
    lead_with_what_is_not_there(&envelope, &mut data, &mut text);
    forget_cut(&mut envelope, place.as_ref());
    envelope.warnings = folded(std::mem::take(&mut envelope.warnings));
    let omitted = truncate(&mut envelope.stderr, budget);
    let (mut structured, run) = lean(&envelope);
    cut_changes(&mut structured);
    cut_lists(&mut structured, budget.saturating_mul(2));
    omit_diffs(&mut structured);
    if omitted > 0 {
        structured.insert("stderrOmitted".to_owned(), json!(omitted));
    }
    let next = place.as_ref().and_then(how_to_go_on);
    let shown = (&structured, &data);
    let mut facts = facts(&envelope, shown, &text, next.as_deref(), shows_data);
    // Without a block of the gateway's own, text of the vault is the last block and can imitate one.
    if facts.is_empty() && !text.is_empty() && envelope.meta.backend != Answerer::None {
        facts.insert("status".to_owned(), json!(envelope.status));
    }
    let is_answer = envelope.success && !answers_nothing(&envelope, data.rows());
    structured.insert("data".to_owned(), data.into());
    if !said_by_data && !text.is_empty() {
        structured.insert("stdout".to_owned(), json!(text));
    }
    if let Some(place) = &place {
        structured.insert("page".to_owned(), json!(place));
    }
    let image = image.map(|(base64, mime_type)| ContentBlock::image(base64, mime_type));
    let mut content: Vec<ContentBlock> = image.into_iter().collect();
    if let Some(shown) = failure_text(&envelope) {
        content.push(ContentBlock::text(shown));
    }
    if content.is_empty() || !text.is_empty() {
        content.push(ContentBlock::text(text));
    }
    if !facts.is_empty() {
        content.push(ContentBlock::text(Value::Object(facts).to_string()));
    }
    let mut result = if is_answer {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    result.structured_content = Some(Value::Object(structured));
    let run = (RUN.to_owned(), Value::Object(run));
    result.meta = Some(MetaObject(Map::from_iter([run])));
    result
}

/// Removes the output of the command from the envelope and returns it, or the text to show instead.
fn take_printed_text(envelope: &mut Envelope) -> String {
    let stdout = std::mem::take(&mut envelope.stdout);
    // The engine's sentence of the app, which the message says too.
    let is_reported = !envelope.success
        && envelope.meta.backend == Answerer::Embedded
        && stdout.starts_with(APP_ERROR);
    if stdout.is_empty() || is_reported {
        // A plan is not the command's stdout, but it is the text to show.
        return String::from_utf8_lossy(&envelope.text).into_owned();
    }
    stdout
}

/// Whether the command's text for people omits some of its data.
fn says_more_than_its_text(envelope: &Envelope, entry: Option<&Command>, data: &Data) -> bool {
    if data.is_empty() || data.is_plan() {
        return false;
    }
    if data.has_links() && data.rows().is_some() {
        return true;
    }
    match entry {
        None => {
            let command = envelope.command.as_str();
            QUESTIONS.contains(&command) || DRAFT_QUESTIONS.contains(&command)
        }
        Some(entry) => match entry.output {
            Shape::Own(form) => form.text == OwnText::Summary,
            _ => entry.is_ours(),
        },
    }
}

/// Renders data as text: a list with one item per line, anything else as one line.
fn lines_of(data: &Data) -> String {
    match data.rows() {
        Some(items) => items.iter().map(|item| format!("{item}\n")).collect(),
        None => format!("{}\n", json!(data)),
    }
}

#[cfg(test)]
mod tests;
